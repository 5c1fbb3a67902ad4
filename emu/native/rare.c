/* Rare cases of arithmetic, which its stencils leave native code for. Where they come often, code
 * is made again, with stencils that have these cases (choose.c), or else with a call for them. See
 * parts.h. */
#include "emu/native/parts.h"

#include <limits.h>

/* Returns the place of the pc in the table. */
static unsigned place_of(uint64_t pc)
{
    return (unsigned)(pc >> 1) % RARE_PLACES;
}

static bool is_arithmetic(unsigned id)
{
    return id < PSEUDO_FIRST &&
           (isa_instructions[id].effects & ~(unsigned)ISA_EFFECT_TRAP) == ISA_EFFECT_FLOAT;
}

bool native_is_rare(const struct native *native, const struct decoded *record)
{
    const struct rare *rare = &native->rare[place_of(record->pc)];

    return rare->has_call && rare->pc == record->pc && is_arithmetic(record->id) &&
           native->call_count < CALLS;
}

/* Begins to count the steps at the pc, unless those at another one are worth more. */
static bool begin_steps(struct native *native, struct rare *rare, uint64_t pc)
{
    struct decoded record;

    if (rare->is_arithmetic && rare->count == RARE_STEPS)
        return false;
    code_decode(&native->machine->code, &record, pc);
    *rare = (struct rare){.pc = (uint32_t)pc, .is_arithmetic = is_arithmetic(record.id)};
    return true;
}

/* Making all code again takes about as long as so many steps. */
static bool is_worth_calls(const struct native *native)
{
    return native->rare_steps > RARE_STEPS + native->made - native->made_before;
}

void native_note_step(struct native *native)
{
    uint64_t pc = native->machine->hart.pc;
    struct rare *rare = &native->rare[place_of(pc)];

    if ((rare->pc != pc && !begin_steps(native, rare, pc)) || !rare->is_arithmetic ||
        rare->has_call)
        return;
    if (rare->count < RARE_STEPS)
        rare->count++;
    else
        native->rare_steps++;
    if (!is_worth_calls(native))
        return;
    for (unsigned i = 0; i < RARE_PLACES; i++)
        native->rare[i].has_call |=
            native->rare[i].is_arithmetic && native->rare[i].count == RARE_STEPS;
    native->rare_steps = 0;
    native_forget_all(native);
}

void native_begin_rare(struct native *native, const struct decoded *record)
{
    struct filling filling = {0};

    native_clear(native, UINT_MAX);
    copier_make_room(&native->copier, 0, STENCIL_BYTES);
    filling.values[HOLE_REMAINING] = record->remaining;
    filling.values[HOLE_VALUE] = (int64_t)native->call_count;
    native->calls[native->call_count++].record = *record;
    native->way_out = copier_add_cold(&native->copier, stencil_glue(STENCIL_glue_rarely), &filling);
}

void native_end_rare(struct native *native)
{
    native->calls[native->call_count - 1].after = native->copier.hot;
    native->way_out = 0;
}
