/* Which difference the state of a unit comes from: that of a row of the traversal unit, which the
 * instructions read that name it. */
#include "emu/tdiff/lossless.h"
#include "lib/timing/time.h"

#include <stdlib.h>
#include <string.h>

struct row_state {
    const char *unit, *name;
    uint32_t thread, row;
    int32_t dimension;
    uint32_t event;
};

static struct row_state *find(struct lossless *walk, uint32_t thread, const struct effect *effect)
{
    for (size_t i = 0; i < walk->row_count; i++) {
        struct row_state *state = &walk->rows[i];
        if (state->thread == thread && state->row == effect->number &&
            state->dimension == effect->dimension && strcmp(state->name, effect->name) == 0 &&
            strcmp(state->unit, effect->unit) == 0)
            return state;
    }
    return NULL;
}

void state_write(struct lossless *walk, unsigned which, const struct effect *effect, uint32_t event)
{
    uint32_t thread = walk->sides[which].registers->thread;
    struct arena *arena = &walk->tdiff->arena;
    struct row_state *state;

    if (!effect->unit || effect->number == EFFECT_NO_ROW || (!event && !walk->row_count))
        return;
    state = find(walk, thread, effect);
    if (!state && !event)
        return;
    if (!state) { /* states that never differed are not kept */
        walk->rows =
            arena_grow(arena, walk->rows, walk->row_count, &walk->row_capacity, sizeof *walk->rows);
        state = &walk->rows[walk->row_count++];
        *state = (struct row_state){.unit = arena_string(arena, effect->unit),
                                    .name = arena_string(arena, effect->name),
                                    .thread = thread,
                                    .row = effect->number,
                                    .dimension = effect->dimension};
    }
    state->event = event;
}

/* Returns the row that the instruction of this side names, and in *unit whose row; EFFECT_NO_ROW:
 * none. */
static uint32_t row_of(const struct side *side, const struct code *code, const char **unit)
{
    unsigned row;

    *unit = code->instruction ? time_row(code->instruction->id, &row) : NULL;
    if (!*unit)
        return EFFECT_NO_ROW;
    const struct isa_operand *operand = &code->instruction->operands[row];
    unsigned raw = (unsigned)isa_extract(operand, code->word),
             value = isa_ri_value(operand->type, raw);
    if (isa_ri_is_immediate(operand->type, raw))
        return value;
    return (uint32_t)side->values[operand->type->file - isa_register_files][value];
}

void state_inputs(const struct lossless *walk, const struct side *side, const struct code *code,
                  void (*add)(uint32_t *parents, uint32_t event), uint32_t *parents)
{
    const char *unit;
    uint32_t row = walk->row_count ? row_of(side, code, &unit) : EFFECT_NO_ROW;

    if (row == EFFECT_NO_ROW)
        return;
    for (size_t i = 0; i < walk->row_count; i++)
        if (walk->rows[i].thread == side->registers->thread && walk->rows[i].row == row &&
            strcmp(walk->rows[i].unit, unit) == 0)
            add(parents, walk->rows[i].event);
}
