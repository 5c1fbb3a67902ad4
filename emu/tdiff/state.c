/* Which difference the state of a unit comes from, and a CSR: instructions read what their
 * definitions name, and all state of the row that they name. */
#include "emu/tdiff/lossless.h"
#include "isa_ids.h"
#include "lib/timing/time.h"
#include "lib/trace/state_reads.h"

#include <string.h>

/* State that has differed. A CSR that is not state of a unit is state state_kind_count, with
 * its number as the row. */
struct row_state {
    unsigned state;
    uint32_t thread, row; /* thread 0: of all threads */
    int32_t dimension;
    uint32_t event;
};

static void note(struct lossless *walk, unsigned which, const struct row_state *new)
{
    struct row_state key = *new;

    if (!key.event && !walk->row_count)
        return;
    key.thread = key.state == state_kind_count || state_kinds[key.state].is_of_thread
                     ? walk->sides[which].registers->thread
                     : 0;
    for (size_t i = 0; i < walk->row_count; i++) {
        struct row_state *known = &walk->rows[i];
        if (known->state == key.state && known->thread == key.thread && known->row == key.row &&
            known->dimension == key.dimension) {
            known->event = key.event;
            return;
        }
    }
    if (!key.event) /* states that never differed are not kept */
        return;
    walk->rows = arena_grow(&walk->tdiff->arena, walk->rows, walk->row_count, &walk->row_capacity,
                            sizeof *walk->rows);
    walk->rows[walk->row_count++] = key;
}

void state_write(struct lossless *walk, unsigned which, const struct effect *effect, uint32_t event)
{
    struct row_state new = {.dimension = effect->dimension, .event = event};

    if (!event && !walk->row_count)
        return;
    while (new.state < state_kind_count &&
           !state_is_set_by(&state_kinds[new.state], effect, &new.row))
        new.state++;
    if (new.state < state_kind_count)
        note(walk, which, &new);
}

void state_write_csr(struct lossless *walk, unsigned which, const struct effect *effect,
                     uint32_t event)
{
    struct row_state csr = {.state = state_kind_count, .row = effect->number, .event = event};
    const struct row_state state = {state_of_csr(effect->number), 0, EFFECT_NO_ROW, -1, event};

    if (effect->number == ISA_CSR_FCSR) { /* which is kept as its parts */
        csr.row = ISA_CSR_FFLAGS;
        note(walk, which, &csr);
        csr.row = ISA_CSR_FRM;
    }
    note(walk, which, state.state < state_kind_count ? &state : &csr);
}

/* ---- what an instruction reads ---- */

static uint32_t operand_value(const struct side *side, const struct isa_operand *operand,
                              uint64_t word)
{
    unsigned raw = (unsigned)isa_extract(operand, word);
    bool is_mixed = operand->type->kind == ISA_REGISTER_OR_IMMEDIATE;

    if (!operand->type->file || (is_mixed && isa_ri_is_immediate(operand->type, raw)))
        return is_mixed ? isa_ri_value(operand->type, raw) : raw;
    if (is_mixed)
        raw = isa_ri_value(operand->type, raw);
    return (uint32_t)side->values[operand->type->file - isa_register_files][raw];
}

static bool is_visible(const struct row_state *state, const struct side *side)
{
    return !state->thread || state->thread == side->registers->thread;
}

/* Adds the CSR that the instruction reads. */
static void csr_inputs(const struct lossless *walk, const struct side *side,
                       const struct code *code, void (*add)(uint32_t *parents, uint32_t event),
                       uint32_t *parents)
{
    int64_t number = csr_read_by(code->instruction, code->word, side->record.recorder);

    if (number < 0)
        return;
    unsigned state = state_of_csr(number);
    for (size_t i = 0; i < walk->row_count; i++)
        if (walk->rows[i].state == state && is_visible(&walk->rows[i], side) &&
            (state < state_kind_count || csr_overlaps(walk->rows[i].row, (uint32_t)number)))
            add(parents, walk->rows[i].event);
}

/* Adds the state of the row that the instruction names. */
static void row_inputs(const struct lossless *walk, const struct side *side,
                       const struct code *code, void (*add)(uint32_t *parents, uint32_t event),
                       uint32_t *parents)
{
    unsigned operand;
    const char *unit = time_row(code->instruction->id, &operand);

    if (!unit)
        return;
    uint32_t row = operand_value(side, &code->instruction->operands[operand], code->word);
    for (size_t i = 0; i < walk->row_count; i++)
        if (walk->rows[i].state < state_kind_count && is_visible(&walk->rows[i], side) &&
            walk->rows[i].row == row && strcmp(state_kinds[walk->rows[i].state].unit, unit) == 0)
            add(parents, walk->rows[i].event);
}

/* Adds the state that the definition of the instruction names. That of a unit with rows is that of
 * the row. */
static void named_inputs(const struct lossless *walk, const struct side *side,
                         const struct code *code, void (*add)(uint32_t *parents, uint32_t event),
                         uint32_t *parents)
{
    size_t count;
    const struct state_read *reads = state_reads(code->instruction->id, &count);
    unsigned operand;
    const char *unit = time_row(code->instruction->id, &operand);

    for (size_t i = 0; i < count; i++) {
        const struct state_read *read = &reads[i];
        uint32_t row = read->number, rows = 1;
        if (read->kind == READ_PART) {
            rows = read->number;
            row =
                rows * operand_value(side, &code->instruction->operands[read->operand], code->word);
        }
        if (unit && strcmp(state_kinds[read->state].unit, unit) == 0)
            continue;
        for (size_t k = 0; k < walk->row_count; k++)
            if (walk->rows[k].state == read->state && is_visible(&walk->rows[k], side) &&
                (read->kind == READ_ANY || walk->rows[k].row - row < rows))
                add(parents, walk->rows[k].event);
    }
}

void state_inputs(const struct lossless *walk, const struct side *side, const struct code *code,
                  void (*add)(uint32_t *parents, uint32_t event), uint32_t *parents)
{
    if (!walk->row_count || !code->instruction)
        return;
    csr_inputs(walk, side, code, add, parents);
    row_inputs(walk, side, code, add, parents);
    named_inputs(walk, side, code, add, parents);
}
