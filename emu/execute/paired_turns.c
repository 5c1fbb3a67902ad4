/* See paired_turns.h. */
#include "emu/execute/paired_turns.h"
#include "emu/execute/bundles.h"
#include "emu/execute/dispatch.h"
#include "emu/execute/uneven_turns.h"

/* No turn begins at the entry of a block, which is there for what is known of the block. */
static body_function *const pseudo_bodies[PSEUDO_COUNT] =
    PSEUDO_BODIES(dispatch_stand, dispatch_stand, dispatch_stand, dispatch_stand, dispatch_stand);
const struct executor paired_turns_executor = {.bodies = turns_bodies,
                                               .pseudo_bodies = pseudo_bodies};

static bool begin_block(struct hart *hart, struct decoded *entry)
{
    if (!entry->imm[0])
        entry->imm[0] = (int64_t)bundles_find(&hart->barrel->code, entry);
    hart->pairs = (uint64_t)entry->imm[0];
    return true;
}

static void begin(struct turns *turns)
{
    uneven_turns_begin(turns, begin_block);
}

static void end(struct turns *turns, uint64_t executed)
{
    (void)executed;
    uneven_turns_settle(turns);
}

static const struct turns_observer observer = {.is_for_one = true,
                                               .counts_native = true,
                                               .begin = begin,
                                               .settle = uneven_turns_settle,
                                               .end = end};

bool paired_turns_run(struct machine *machine, uint64_t limit)
{
    return turns_go(machine, limit, &paired_turns_executor, &observer);
}
