/* See context.h. Most programs do not use the traversal unit, so a context has rows only if one is
 * in use. */
#include "emu/context.h"
#include <stdlib.h>

/* ---- the rows of the traversal unit ---- */

static bool is_used(const struct traversal_row *row)
{
    return row->base || row->kind || row->dims || row->nest || row->done;
}

static bool uses_rows(struct machine *machine)
{
    const struct traversal_state *state = &machine->traversal.state;
    bool used = false;

    for (uint64_t i = 0; i < state->row_count && !used; i++)
        used = is_used(&state->row[i]);
    if (used)
        traversal_settle(&machine->traversal);
    return used;
}

/* Allocates empty rows. Their dimensions follow them. */
static struct traversal_row *allocate_rows(const struct traversal_state *state)
{
    uint64_t count = state->row_count, dims = state->row_dim_count;
    struct traversal_row *rows = calloc(count, sizeof *rows + dims * sizeof *rows->dim);

    if (!rows)
        BUG("out of memory for the rows of a thread");
    struct traversal_row_dim *dim = (struct traversal_row_dim *)(rows + count);
    for (uint64_t i = 0; i < count; i++)
        rows[i].dim = dim + i * dims;
    return rows;
}

static void copy_rows(const struct traversal_state *state, struct traversal_row *to,
                      const struct traversal_row *from)
{
    for (uint64_t i = 0; i < state->row_count; i++) {
        struct traversal_row_dim *dim = to[i].dim;
        memcpy(dim, from[i].dim, state->row_dim_count * sizeof *dim);
        to[i] = from[i];
        to[i].dim = dim;
    }
}

static void clear_rows(struct traversal_state *state)
{
    for (uint64_t i = 0; i < state->row_count; i++) {
        struct traversal_row_dim *dim = state->row[i].dim;
        memset(dim, 0, state->row_dim_count * sizeof *dim);
        state->row[i] = (struct traversal_row){.dim = dim};
    }
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
    context->has_rows = uses_rows(machine);
    if (!context->has_rows)
        return;
    if (!context->rows)
        context->rows = allocate_rows(rows);
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
        clear_rows(rows);
    }
}

void context_free(struct context *context)
{
    free(context->rows);
    context->rows = NULL;
}
