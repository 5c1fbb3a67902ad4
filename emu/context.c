/* See context.h. Most programs do not use the traversal unit, so a context gets rows only when one
 * is in use, or when it is lent to an instruction of a unit. */
#include "emu/context.h"
#include <stdlib.h>

/* ---- the rows of the traversal unit ---- */

static bool is_used(const struct traversal_row *row)
{
    return row->base || row->kind || row->dims || row->nest || row->done;
}

static bool has_used_row(const struct traversal_state *state)
{
    for (uint64_t i = 0; i < state->row_count; i++)
        if (is_used(&state->row[i]))
            return true;
    return false;
}

static bool uses_rows(struct machine *machine)
{
    bool used = has_used_row(&machine->traversal.state);

    if (used)
        traversal_settle(&machine->traversal);
    return used;
}

/* Gives the context empty rows, if it has none. Their dimensions follow them, then `steps`. */
static void allocate_rows(const struct traversal_state *state, struct context *context)
{
    uint64_t count = state->row_count, dims = state->row_dim_count;
    struct traversal_row *rows = context->rows;

    if (rows)
        return;
    rows = calloc(count, sizeof *rows + dims * sizeof *rows->dim + sizeof *context->steps);
    if (!rows)
        BUG("out of memory for the rows of a thread");
    struct traversal_row_dim *dim = (struct traversal_row_dim *)(rows + count);
    for (uint64_t i = 0; i < count; i++)
        rows[i].dim = dim + i * dims;
    context->rows = rows;
    context->steps = (bool *)(dim + count * dims);
}

/* Dimensions that are not in use are 0. */
static void copy_rows(const struct traversal_state *state, struct traversal_row *to,
                      const struct traversal_row *from)
{
    for (uint64_t i = 0; i < state->row_count; i++) {
        struct traversal_row_dim *dim = to[i].dim;
        unsigned dims = to[i].dims > from[i].dims ? to[i].dims : from[i].dims;
        memcpy(dim, from[i].dim, dims * sizeof *dim);
        to[i] = from[i];
        to[i].dim = dim;
    }
}

/* Rows that are not in use are 0 as well. */
static void clear_rows(const struct traversal_state *state, struct traversal_row *rows)
{
    for (uint64_t i = 0; i < state->row_count; i++) {
        struct traversal_row_dim *dim = rows[i].dim;
        memset(dim, 0, rows[i].dims * sizeof *dim);
        rows[i] = (struct traversal_row){.dim = dim};
    }
}

static void forget_rows(const struct traversal_state *state, struct context *context)
{
    if (context->has_rows)
        clear_rows(state, context->rows);
    context->has_rows = false;
}

/* The unit has the rows of the context instead of its own, or the other way round. */
static void exchange_rows(struct traversal_unit *unit, struct context *context)
{
    struct traversal_row *rows = unit->state.row;
    bool *steps = unit->steps;

    unit->state.row = context->rows;
    unit->steps = context->steps;
    unit->streaks = unit->streaks == unit->own_streaks ? context->streaks : unit->own_streaks;
    context->rows = rows;
    context->steps = steps;
}

/* ---- contexts ---- */

/* Copies the registers without the sink, which the host does fast. */
static void copy_registers(struct hart *to, const struct hart *from)
{
    memcpy(to->x, from->x, ISA_X_REGISTERS * sizeof to->x[0]);
    memcpy(to->f, from->f, sizeof to->f);
    memcpy(to->registers, from->registers, sizeof to->registers);
}

void context_save(struct machine *machine, struct context *context)
{
    const struct hart *hart = &machine->hart;
    const struct traversal_state *rows = &machine->traversal.state;

    copy_registers(&context->hart, hart);
    context->hart.pc = hart->pc;
    context->hart.fflags = hart->fflags;
    context->hart.frm = hart->frm;
    context->hart.reserved = hart->reserved;
    context->hart.reserved_address = hart->reserved_address;
    context->hart.reserved_value = hart->reserved_value;
    context->f8_format = machine->histogram.state.f8_format;
    if (!uses_rows(machine)) {
        forget_rows(rows, context);
        return;
    }
    context->has_rows = true;
    allocate_rows(rows, context);
    copy_rows(rows, context->rows, rows->row);
}

void context_load(struct machine *machine, const struct context *context,
                  const struct context *from)
{
    struct hart *hart = &machine->hart;
    struct traversal_state *rows = &machine->traversal.state;

    copy_registers(hart, &context->hart);
    hart->pc = context->hart.pc;
    hart->fflags = context->hart.fflags;
    hart->frm = context->hart.frm;
    hart->reserved = context->hart.reserved;
    hart->reserved_address = context->hart.reserved_address;
    hart->reserved_value = context->hart.reserved_value;
    machine->histogram.state.f8_format = context->f8_format;
    if (context->has_rows) {
        traversal_settle(&machine->traversal);
        copy_rows(rows, rows->row, context->rows);
    } else if (from ? from->has_rows : uses_rows(machine)) {
        clear_rows(rows, rows->row);
    }
}

/* ---- instructions of other threads ---- */

void context_begin_loan(struct machine *machine, struct context *context)
{
    bool format = machine->histogram.state.f8_format;

    allocate_rows(&machine->traversal.state, context);
    exchange_rows(&machine->traversal, context);
    machine->histogram.state.f8_format = context->f8_format;
    context->f8_format = format;
}

void context_end_loan(struct machine *machine, struct context *context)
{
    bool format = machine->histogram.state.f8_format;

    context->is_unsettled = context->has_rows =
        context->has_rows || has_used_row(&machine->traversal.state);
    exchange_rows(&machine->traversal, context);
    machine->histogram.state.f8_format = context->f8_format;
    context->f8_format = format;
}

void context_settle(struct machine *machine, struct context *context)
{
    if (!context->is_unsettled)
        return;
    context->is_unsettled = false;
    exchange_rows(&machine->traversal, context);
    context->has_rows = uses_rows(machine);
    exchange_rows(&machine->traversal, context);
}

void context_reset(const struct machine *machine, struct context *context)
{
    forget_rows(&machine->traversal.state, context);
    *context = (struct context){.rows = context->rows, .steps = context->steps};
}

void context_free(struct context *context)
{
    free(context->rows);
    context->rows = NULL;
}
