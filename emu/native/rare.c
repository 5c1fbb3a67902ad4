/* Rare cases, which stencils leave native code for. Where they come often, the code around them is
 * made again: with stencils that have these cases of arithmetic (choose.c), if there are such, and
 * where native code is still left often, with a call of the function of the instruction instead.
 * See parts.h. */
#include "emu/native/parts.h"

#include <limits.h>

/* Returns the place of the pc in the table. */
static unsigned place_of(uint64_t pc)
{
    return (unsigned)(pc >> 1) % RARE_PLACES;
}

bool native_is_rare(const struct native *native, const struct decoded *record, unsigned level)
{
    const struct rare *rare = &native->rare[place_of(record->pc)];

    return rare->level >= level && rare->pc == record->pc && native->call_count < CALLS;
}

/* May native code have the instruction at the pc executed by a function? */
static bool may_call(struct native *native, uint64_t pc)
{
    struct decoded record;

    if (!native_may_make(pc))
        return false;
    code_decode(&native->machine->code, &record, pc);
    return record.id < PSEUDO_FIRST && !native_shape(native, record.id)->is_flow;
}

/* Begins to count the steps at the pc, unless those at another one are worth more. */
static bool begin_steps(struct native *native, struct rare *rare, uint64_t pc)
{
    if (rare->may_call && rare->count == RARE_STEPS)
        return false;
    *rare = (struct rare){.pc = (uint32_t)pc, .may_call = may_call(native, pc)};
    return true;
}

/* Making the code of the pages again takes about as long as so many steps. */
static bool is_worth_calls(const struct native *native)
{
    uint64_t made = native->made - native->made_before;

    return native->rare_steps > RARE_STEPS + (made < PAGE_MADE ? made : PAGE_MADE);
}

void native_note_step(struct native *native)
{
    uint64_t pc = native->machine->hart.pc;
    struct rare *rare = &native->rare[place_of(pc)];

    if ((rare->pc != pc && !begin_steps(native, rare, pc)) || !rare->may_call ||
        rare->level == RARE_CALL)
        return;
    if (rare->count < RARE_STEPS)
        rare->count++;
    else
        native->rare_steps++;
    if (!is_worth_calls(native))
        return;
    for (unsigned i = 0; i < RARE_PLACES; i++)
        if (native->rare[i].may_call && native->rare[i].count == RARE_STEPS) {
            native->rare[i].level += native->rare[i].level < RARE_CALL;
            native->has_rare = true;
            native->rare[i].count = 0;
            native_forget(native, native->rare[i].pc, (uint64_t)native->rare[i].pc + 1);
        }
    native->rare_steps = 0;
}

void native_begin_rare(struct native *native, const struct decoded *record)
{
    struct filling filling = {0};

    native_clear(native, UINT_MAX);
    native_note_access(native);
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
