/* See profiled_turns.h.
 *
 * What the profiles of several threads share, the tree of contexts and the stacks that no thread is
 * on, changes in the order of turns. So calls, returns and jumps to an address in a register are
 * followed in their own turns. All else that a block costs may be counted later: when its thread
 * comes to another block, or at the end of the run. But with a model of time, the cycles of each
 * instruction are counted after it: those since the one before, of whatever thread. */
#include "emu/execute/profiled_turns.h"
#include "emu/execute/bundles.h"
#include "emu/execute/dispatch.h"
#include "emu/execute/lend.h"
#include "emu/execute/timed_turns.h"
#include "emu/execute/uneven_turns.h"
#include "emu/keeper.h"
#include "emu/profile/profile.h"
#include "isa_ids.h"

/* ---- blocks ---- */

/* Counts the block that the thread has left, of which so many instructions were executed. */
static void count(struct hart *hart, uint64_t executed, uint64_t next)
{
    struct profile_run *run = hart->run;

    hart->run = NULL;
    profile_count_run(hart->barrel->profile, hart->profiled, run, executed, 0, next,
                      hart->x[ISA_REGISTER_SP]);
}

/* The last instruction of a block, whose jump is followed in its turn. (No address of a variable is
 * used here, so that the calls at the end are jumps.) */
static struct step follow(STATE_PARAMETERS)
{
    const struct profile *profile = hart->barrel->profile;
    uint64_t learned = profile->learned;

    if (!lend_jump(hart, record))
        TAIL_CALL return dispatch_whole(STATE);
    uint64_t destination = hart->barrel->execution.destination;
    count(hart, hart->run->instructions, destination);
    if (profile->learned != learned) /* the runs of other threads are out of date */
        return dispatch_leave(hart, destination, left);
    struct decoded *next = record[1].taken;
    if (!next || next->pc != destination)
        TAIL_CALL return turns_find(STATE_WITH(destination));
    record = next;
    left -= record->remaining;
    if (left < 0)
        return dispatch_limit(hart, record, left);
    target = (uint64_t)hart->follower;
    END_TURN();
}

/* Makes the run of the block, and chooses what executes its instructions. Returns NULL if the first
 * one must be observed. */
static __attribute__((noinline)) struct profile_run *make_run(const struct machine *machine,
                                                              struct decoded *entry)
{
    struct profile *profile = machine->profile;
    struct profile_run *run = profile_make_turns(profile, machine, entry, lend_is_possible);
    unsigned count = run ? run->instructions : 0;
    const struct profile_place *last = count ? run->last : NULL;

    for (unsigned i = 0; i < count; i++)
        if (!profile_place_at(profile, entry[1 + i].pc)->is_steady)
            entry[1 + i].body = turns_lend;
    if (count < entry->remaining)
        entry[1 + count].body = dispatch_whole; /* which ends the run */
    if (last && (last->jump != PROFILE_JUMP || last->has_register))
        entry[count].body = follow;
    entry->imm[0] = (intptr_t)run;
    return run;
}

/* Counts the block before, if it was not yet. Returns that of the entry; NULL: its first
 * instruction must be observed. */
static __attribute__((noinline)) struct profile_run *begin_run(struct hart *hart,
                                                               struct decoded *entry)
{
    struct profile *profile = hart->barrel->profile;
    struct profile_thread *thread = hart->profiled;
    struct profile_run *run = (struct profile_run *)entry->imm[0];

    if (hart->run)
        count(hart, hart->run->instructions, entry->pc);
    else if (thread->depth == 0 || thread->expected != entry->pc)
        return NULL;
    if (!run || run->functions != profile->learned) {
        run = make_run(hart->barrel, entry);
        if (!run)
            return NULL;
    }
    if (profile_top(thread)->function != run->function) {
        if (!run->is_safe)
            return NULL;
        profile_replace(profile, thread, run->function);
    }
    return run;
}

/* The entry of a block, in the turn of its first instruction. */
static struct step enter_run(STATE_PARAMETERS)
{
    hart->run = begin_run(hart, record);
    if (!hart->run)
        TAIL_CALL return dispatch_whole(STATE);
    record++;
    BEGIN_TURN();
}

/* ---- uneven turns ---- */

static bool begin_block(struct hart *hart, struct decoded *entry)
{
    struct machine *machine = hart->barrel;
    struct keeper *keeper = machine->keeper;
    struct profile_run *run = hart->run = begin_run(hart, entry);

    if (!run)
        return false;
    if (!run->pairs)
        run->pairs = bundles_find(&machine->code, entry);
    if (keeper && !run->counted)
        run->counted = keeper->find_turn_block(keeper, entry);
    hart->pairs = run->pairs;
    hart->counted = run->counted;
    return true;
}

static void begin_instruction(const struct hart *hart, const struct decoded *record)
{
    profile_begin_one(hart->barrel->profile, hart->profiled, record->pc);
}

static void end_instruction(const struct hart *hart, uint64_t turn)
{
    profile_end_one(hart->barrel->profile, turn);
}

static body_function *const pseudo_bodies[PSEUDO_COUNT] =
    PSEUDO_BODIES(dispatch_stand, dispatch_stand, turns_next_block, enter_run, dispatch_stand);
const struct executor profiled_turns_executor = {.bodies = turns_bodies,
                                                 .pseudo_bodies = pseudo_bodies};

/* ---- runs ---- */

static void begin(struct turns *turns)
{
    for (unsigned i = 0; i < turns->count; i++) {
        const struct turn *turn = &turns->ring[i];
        turn->hart->profiled = profile_thread_of(turns->machine->profile, turn->thread);
    }
    if (turns->is_uneven)
        uneven_turns_begin(turns, begin_block);
}

static void leave_block(struct hart *hart)
{
    const struct decoded *next = hart->next;
    const struct profile_run *run = hart->run;

    if (run)
        count(hart, next && next->length ? run->decoded - next->remaining : run->instructions,
              hart->pc);
    hart->counted = NULL;
}

static void end(struct turns *turns, uint64_t executed)
{
    struct machine *machine = turns->machine;

    if (machine->keeper)
        timed_turns_end(turns, executed);
    else if (turns->is_uneven)
        uneven_turns_settle(turns);
    if (turns->is_uneven)
        profile_end_turns(machine->profile);
}

static void count_lent(const struct turns *turns, struct decoded *record, struct observed *observed)
{
    struct machine *machine = turns->machine;

    (void)record;
    profile_count_lent(machine->profile, machine, observed->record.pc, machine->recorder);
}

static const struct turns_observer observer = {.is_for_one = true,
                                               .begin = begin,
                                               .leave = leave_block,
                                               .lent = count_lent,
                                               .settle = uneven_turns_settle,
                                               .before = begin_instruction,
                                               .after = end_instruction,
                                               .end = end};

bool profiled_turns_run(struct machine *machine, uint64_t limit)
{
    if (machine->keeper)
        machine->keeper->is_recorded = false; /* until it is asked for again */
    return machine->recorder->count == 0 &&
           turns_go(machine, limit, &profiled_turns_executor, &observer);
}
