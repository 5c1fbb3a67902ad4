/* Native code counts passages through blocks for the model of time (emu/keeper.h). At the entry of
 * a block it only compares the state in which control arrives with that of the last time; a
 * function finds the passage where that is another one. See parts.h. */
#include "emu/keeper.h"
#include "emu/native/parts.h"
#include "emu/profile/tally.h"
#include "lib/diag.h"
#include <limits.h>

/* Leads from a state that no passage leads to, so that it is never the right one. */
static struct known_moment nowhere;
static struct passage no_passage = {.from = &nowhere};

struct keeper *native_keeper(const struct native *native)
{
    const struct machine *machine = native->machine;

    return machine->keeper && !machine->workers ? machine->keeper : NULL;
}

bool native_may_time(const struct native *native, const struct decoded *record)
{
    struct keeper *keeper = native_keeper(native);

    return !keeper || keeper->may_skip(keeper, record);
}

void native_time_block(struct native *native, const struct decoded *records, unsigned count)
{
    struct keeper *keeper = native_keeper(native);
    struct timed_block *block = keeper->find_block(keeper, records, count);
    struct hook *hook = &native->hooks[native->hook_count];
    struct filling filling = {0};

    if (!block)
        BUG("a block with an instruction that cannot be timed in it");
    /* The function that finds the passage is called with all pins in their places, which they are
     * not yet where the block before this one ends only because it is long. */
    native_settle(native);
    native_clear(native, UINT_MAX);
    filling.values[HOLE_PC] = (int64_t)records[0].pc;
    filling.values[HOLE_VALUE] = (const char *)&hook->passage - (const char *)native->hooks;
    filling.values[HOLE_IMMEDIATE] = CALLS + (int64_t)native->hook_count++;
    native_add(
        native,
        stencil_glue(native_profile(native) ? STENCIL_glue_time_profiled : STENCIL_glue_time),
        &filling);
    *hook = (struct hook){.after = native->copier.hot, .block = block, .passage = &no_passage};
}

struct native_place native_find_passage(struct hart *hart, struct hook *hook, int64_t left)
{
    struct machine *machine = machine_of(hart);
    const struct native *native = machine->native;
    struct keeper *keeper = machine->keeper;
    struct block_times *times = &keeper->blocks;
    struct passage *passage = keeper->enter(keeper, hook->block);

    if (!passage) {
        hart->native_exit = EXIT_LIMIT;
        hart->pc = hook->block->pc;
        return (struct native_place){NULL, left + hook->block->count};
    }
    hook->passage = passage;
    passage_count(&times->passages, passage);
    if (machine->profile)
        tally_cycles(hart, passage->cycles);
    times->last = passage;
    times->left = left;
    return (struct native_place){native->copier.executable + hook->after, left};
}

void native_begin_times(const struct native *native)
{
    struct keeper *keeper = native_keeper(native);
    struct hart *hart = &native->machine->hart;

    hart->native_times = keeper ? &keeper->blocks : NULL;
    hart->native_hooks = native->hooks;
    if (keeper)
        keeper->blocks.left += native->ahead;
}

void native_end_times(const struct native *native)
{
    if (native->machine->hart.native_times)
        native->machine->hart.native_times->left -= native->ahead;
}
