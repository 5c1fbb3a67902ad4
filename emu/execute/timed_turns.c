/* See timed_turns.h. */
#include "emu/execute/timed_turns.h"
#include "emu/execute/bundles.h"
#include "emu/execute/dispatch.h"
#include "emu/execute/lend.h"
#include "emu/execute/turn_counts.h"
#include "emu/execute/uneven_turns.h"
#include "emu/keeper.h"
#include "emu/workers/workers.h"

/* ---- walks ---- */

/* An instruction that needs an address of a walk. */
static struct step walk(STATE_PARAMETERS)
{
    const struct turns *turns = hart->barrel->workers->turns;
    struct keeper *keeper = hart->barrel->keeper;
    uint64_t number = turn_counts_before(turns, hart, record, left);
    uint64_t turn = turn_counts_turn(turns, number);
    unsigned thread = turns->ring[number % turns->count].thread;
    enum lent lent = LENT_REFUSED;

    if (keeper->has_address(keeper, thread, hart, record, turn))
        lent = lend_hart(hart, record, number);
    if (lent == LENT_REFUSED)
        TAIL_CALL return dispatch_whole(STATE);
    keeper->take_address(keeper, thread, turn);
    record++;
    if (lent == LENT_LAST) {
        hart->next = record;
        return (struct step){NULL, left};
    }
    target = (uint64_t)hart->follower;
    END_TURN();
}

/* ---- blocks ---- */

static __attribute__((noinline)) void prepare_block(const struct machine *machine,
                                                    struct decoded *entry)
{
    struct turn_block *block = machine->keeper->find_turn_block(machine->keeper, entry);

    entry->imm[0] = (intptr_t)block;
    block->pairs = bundles_find(&machine->code, entry);
    for (unsigned i = 0; i < block->able; i++)
        if (block->walks >> i & 1)
            entry[1 + i].body = walk;
    if (block->able < block->length)
        entry[1 + block->able].body = dispatch_whole; /* which ends the run */
}

/* Returns the block whose entry this is. */
static struct turn_block *find_block(const struct machine *machine, struct decoded *entry)
{
    if (__builtin_expect(!entry->imm[0], 0))
        prepare_block(machine, entry);
    return (struct turn_block *)entry->imm[0];
}

/* The entry of a block, in the turn of its first instruction. */
static struct step count_block(STATE_PARAMETERS)
{
    struct turn_block *block = find_block(hart->barrel, record);

    block->executions++;
    hart->counted = block;
    record++;
    BEGIN_TURN();
}

static body_function *const pseudo_bodies[PSEUDO_COUNT] =
    PSEUDO_BODIES(dispatch_stand, dispatch_stand, turns_next_block, count_block, dispatch_stand);
const struct executor timed_turns_executor = {.bodies = turns_bodies,
                                              .pseudo_bodies = pseudo_bodies};

/* ---- the model of time ---- */

/* The rest of the block is not executed, unless the thread stands between blocks. */
static void leave_block(struct hart *hart)
{
    struct turn_block *block = hart->counted;

    if (block && !hart->barrel->workers->turns->is_uneven && hart->next && hart->next->length)
        block->missed[block->length - hart->next->remaining]++;
    hart->counted = NULL;
}

/* Tells of the turns that passed in the slot. */
static void tell_rest(const struct turns *turns, unsigned slot, uint64_t end)
{
    const struct workers *workers = turns->machine->workers;
    struct keeper *keeper = turns->machine->keeper;
    uint64_t count = workers->count,
             first = workers->turn + (slot + count - workers->turn % count) % count;
    unsigned thread = workers_thread_of_turn(turns->machine, slot);

    if (first < end)
        keeper->rest(keeper, thread,
                     thread && workers->workers[slot].state == WORKER_AT_BARRIER ? STALL_BARRIER
                                                                                 : STALL_SYNC,
                     (end - 1 - first) / count + 1);
}

/* Tells what the threads have done, none of which had to wait. */
static void tell_executed(const struct turns *turns, uint64_t executed)
{
    struct keeper *keeper = turns->machine->keeper;

    for (unsigned i = 0; i < turns->count; i++) {
        const struct turn *turn = &turns->ring[i];
        uint64_t count = turn_counts_of(turns, i, executed);
        if (count)
            keeper->rotate(keeper, turn->thread, count, 0,
                           turn_counts_turn(turns, i + (count - 1) * turns->count), turn->hart->pc);
    }
}

static bool begin_block(struct hart *hart, struct decoded *entry)
{
    hart->counted = find_block(hart->barrel, entry);
    hart->pairs = hart->counted->pairs;
    return true;
}

static void begin(struct turns *turns)
{
    if (turns->is_uneven)
        uneven_turns_begin(turns, begin_block);
}

void timed_turns_end(struct turns *turns, uint64_t executed)
{
    uint64_t slots = 0; /* bits: of threads in the ring */

    if (turns->is_uneven)
        uneven_turns_settle(turns);
    else
        tell_executed(turns, executed);
    uint64_t next = turns->is_uneven ? turns->uneven.number : turn_counts_turn(turns, executed);
    for (unsigned i = 0; i < turns->count; i++)
        slots |= UINT64_C(1) << turns_slot_of(turns, &turns->ring[i]);
    for (unsigned slot = 0; slot < turns->machine->workers->count; slot++)
        if (!(slots >> slot & 1))
            tell_rest(turns, slot, next);
}

static const struct turns_observer observer = {.is_for_one = true,
                                               .counts_native = true,
                                               .begin = begin,
                                               .leave = leave_block,
                                               .settle = uneven_turns_settle,
                                               .end = timed_turns_end};

bool timed_turns_run(struct machine *machine, uint64_t limit)
{
    /* The recorder is still that of the last observed turn. */
    machine->recorder = machine->port.recorder = NULL;
    return turns_go(machine, limit, &timed_turns_executor, &observer);
}
