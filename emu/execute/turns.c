/* See turns.h. */
#include "emu/execute/turns.h"
#include "emu/execute/bundles.h"
#include "emu/execute/dispatch.h"
#include "emu/execute/lend.h"
#include "emu/execute/turn_counts.h"
#include "emu/keeper.h"
#include "emu/workers/workers.h"
#include "instruction_ids.h"
#include <stdlib.h>

enum {
    FEW_TURNS = 1 << 9,   /* before native code is tried again, where it pays, */
    MANY_TURNS = 1 << 21, /* and at most, where it does not */
};

/* ---- the bodies ---- */

#define DECLARE_TURN(ID, name) body_function turn_##name;
#define DECLARE_WHOLE(ID, name)
ISA_FOR_EACH_BODY(DECLARE_TURN, DECLARE_WHOLE)

#define TURN(ID, name)  turn_##name,
#define WHOLE(ID, name) turns_lend,
body_function *const turns_bodies[] = {ISA_FOR_EACH_BODY(TURN, WHOLE)};

/* Without TAIL_CALLS, turns_run calls the bodies. */
struct step turns_end_turn(struct hart *hart, struct decoded *record, int64_t left)
{
    struct turns *turns = hart->barrel->workers->turns;

    hart->next = record;
    turns->hart = hart->follower;
    return (struct step){turns->hart->next, left};
}

struct step turns_find(STATE_PARAMETERS)
{
    struct machine *machine = hart->barrel;

    /* The other threads stand at records, so nothing may be freed. */
    if (machine->attention || code_is_full(&machine->code))
        return dispatch_leave(hart, target, left);
    record = code_follow(&machine->code, record, target);
    left -= record->remaining;
    if (left < 0)
        return dispatch_limit(hart, record, left);
    target = (uint64_t)hart->follower;
    END_TURN();
}

/* Stands between the turns where the one after that of a thread is not always that of the same
 * thread, since one has several slots. */
static struct step take_slot(STATE_PARAMETERS)
{
    struct turns *turns = turns_between(hart);

    hart = turns->hart = turns->next->hart;
    turns->next = turns->next->next;
    record = hart->next;
    BEGIN_TURN();
}

/* Stands after the last one of so many turns. */
static struct step end_turns(STATE_PARAMETERS)
{
    (void)record;
    (void)hart;
    return (struct step){NULL, left};
}

struct step turns_next_block(STATE_PARAMETERS)
{
    struct code *code = &hart->barrel->code;
    struct decoded *next = record->chain;

    if (!next && (hart->barrel->attention || code_is_full(code)))
        return dispatch_leave(hart, code_pc(record), left);
    record = next ? next : code_follow(code, record, code_pc(record));
    left -= record->remaining;
    if (left < 0)
        return dispatch_limit(hart, record, left);
    BEGIN_TURN();
}

/* ---- the executor ---- */

static body_function *const pseudo_bodies[PSEUDO_COUNT] =
    PSEUDO_BODIES(dispatch_stand, dispatch_stand, turns_next_block, NULL, dispatch_stand);
const struct executor turns_executor = {.bodies = turns_bodies, .pseudo_bodies = pseudo_bodies};

static struct turn *next_turn(struct turns *turns)
{
    return &turns->ring[turns->rounds.turns % turns->count];
}

/* Returns what is left when each thread has entered its block; a negative number if one cannot. */
static int64_t enter_blocks(struct turns *turns, int64_t left)
{
    bool is_code = true; /* all have instructions */

    for (unsigned i = 0; i < turns->count; i++) {
        struct hart *hart = turns->ring[i].hart;
        if (hart->next)
            continue; /* it has several slots */
        hart->next = code_find_plain(&turns->machine->code, hart->pc);
        is_code = is_code && (hart->next->id < PSEUDO_FIRST || hart->next->id == PSEUDO_ENTRY);
        left -= hart->next->remaining;
        hart->barrel = turns->machine;
    }
    return is_code ? left : -1;
}

/* The threads stand at their pc again. Returns the instructions of the rests of their blocks. */
static int64_t leave_blocks(struct turns *turns)
{
    int64_t rests = 0;

    for (unsigned i = 0; i < turns->count; i++) {
        struct hart *hart = turns->ring[i].hart;
        turns->is_refused |= hart->is_refused;
        hart->is_refused = false;
        if (hart->next) {
            hart->pc = code_pc(hart->next);
            rests += hart->next->remaining;
        }
        if (turns->observer && turns->observer->leave)
            turns->observer->leave(hart);
        hart->next = NULL;
    }
    return rests;
}

/* Executes turns from the next one on, for threads that have entered their blocks. Returns how many
 * instructions are left. */
static int64_t run(struct turns *turns, int64_t left)
{
    const struct memory *memory = &turns->machine->memory;
    const struct turn *turn = next_turn(turns);

    turns->hart = turns->is_uneven ? &turns->between : turn->hart;
    turns->next = turn->next;
    struct step step = {turns->hart->next, left};
    while (step.record)
        step = dispatch_call(step.record, step.left, turns->hart, (uint64_t)turns->hart->follower,
                             memory->host, memory->fast);
    return step.left + leave_blocks(turns);
}

/* Says who has the turn after that of each thread. */
static void make_round(struct turns *turns)
{
    bool has_gaps = turns->has_slots || turns->is_uneven;

    for (unsigned i = 0; i < turns->count; i++) {
        const struct turn *turn = &turns->ring[i];
        turn->hart->follower = has_gaps ? &turns->between : turn->next->hart;
        turn->hart->second = has_gaps ? &turns->between : turn->next->next->hart;
    }
}

/* Executes up to so many turns: fewer if the next block does not fit, or if a thread needs
 * something else. */
static void go_round(struct turns *turns, uint64_t limit)
{
    int64_t left = enter_blocks(turns, (int64_t)limit);

    if (left < 0) {
        leave_blocks(turns);
        return;
    }
    make_round(turns);
    turns->until = turns->rounds.executed + limit;
    uint64_t executed = limit - (uint64_t)run(turns, left);
    turns->rounds.executed += executed;
    turns->rounds.turns += turns->is_uneven ? 0 : executed;
}

/* Executes so many turns, or lets them pass. */
static bool interpret_uneven(struct turns *turns, unsigned count, int64_t room, int64_t left)
{
    struct uneven_turn *uneven = &turns->uneven;
    uint64_t before = turns->rounds.turns;

    make_round(turns);
    uneven->rest = uneven->is_open ? count - 1 : count;
    uneven->noted = uneven->is_open;
    uneven->is_noting = true;
    turns->rounds.executed += (uint64_t)(room - run(turns, left));
    uneven->rest = UINT64_MAX;
    uneven->is_noting = false;
    turns->observer->settle(turns);
    return turns->rounds.turns - before == count;
}

/* Executes so many turns, at most one of each thread (struct rounds). */
static bool interpret(struct rounds *rounds, unsigned count)
{
    enum { ROOM = 1 << 16 }; /* more than all blocks of all threads */
    struct turns *turns = (struct turns *)((char *)rounds - offsetof(struct turns, rounds));
    const struct turn *turn = next_turn(turns);
    int64_t left = enter_blocks(turns, ROOM);

    if (left < 0) {
        leave_blocks(turns);
        return false;
    }
    if (turns->is_uneven)
        return interpret_uneven(turns, count, ROOM, left);
    for (unsigned i = 0; i < count; i++, turn = turn->next) {
        turn->hart->follower = i + 1 < count ? turn->next->hart : &turns->end;
        turn->hart->second = i + 2 < count ? turn->next->next->hart : &turns->end;
    }
    turns->until = rounds->executed + ROOM;
    uint64_t executed = ROOM - (uint64_t)run(turns, left);
    rounds->executed += executed;
    rounds->turns += executed;
    return executed == count;
}

static struct turns *allocate(struct machine *machine)
{
    size_t count = machine->workers->count;
    size_t size = sizeof(struct turns) + count * sizeof(struct turn);
    struct turns *turns = calloc(1, size + isa_instruction_count * sizeof *turns->plans);

    if (!turns)
        BUG("out of memory for the turns");
    turns->machine = machine;
    turns->plans = (struct lend_plan *)&turns->ring[count];
    turns->between.next = &turns->gap;
    turns->end.next = &turns->last;
    turns->last.body = end_turns;
    turns->rounds.interpret = interpret;
    turns->rounds.lend = lend_hart;
    turns->rounds.may_lend = lend_is_possible;
    turns->rounds.may_share = bundles_are_possible;
    turns->patience = native_is_eager(machine->native) ? 0 : FEW_TURNS;
    return turns;
}

/* Makes the ring of the next turns. Returns false if no thread can go. */
static bool make_ring(struct turns *turns)
{
    struct machine *machine = turns->machine;
    const struct workers *workers = machine->workers;
    bool has_supervisor = false; /* the only thread that may have several slots */

    turns->count = 0;
    turns->has_slots = false;
    for (unsigned i = 0; i < workers->count; i++) {
        struct context *context = workers_context_of_turn(machine, workers->turn + i);
        struct turn *turn = &turns->ring[turns->count];
        if (!context)
            continue;
        *turn = (struct turn){.hart = &context->hart,
                              .next = turn + 1,
                              .distance = i,
                              .thread = workers_thread_of_turn(machine, workers->turn + i)};
        turns->has_slots |= !turn->thread && has_supervisor;
        has_supervisor |= !turn->thread;
        turns->count++;
    }
    if (!turns->count)
        return false;
    turns->ring[turns->count - 1].next = turns->ring;
    return true;
}

/* Finds out whether turns may be shared, or, with a model of time, a thread may have to wait before
 * its next turn, or the cycles of each instruction belong to a profile. Returns false if the model
 * has to see each instruction. */
static bool prepare_model(struct turns *turns)
{
    struct machine *machine = turns->machine;
    struct keeper *keeper = machine->keeper;

    bool may_wait =
        keeper && (machine->profile || turns->has_slots || !keeper->may_rotate(keeper, machine));

    turns->is_uneven = machine->workers->is_paired || may_wait;
    return !turns->is_uneven || !keeper || keeper->may_look(keeper);
}

/* Finds the threads whose tf8 is not the one that the histogram unit has. */
static void find_apart(struct turns *turns)
{
    const struct machine *machine = turns->machine;

    for (unsigned i = 0; i < turns->count; i++) {
        struct hart *hart = turns->ring[i].hart;
        hart->is_apart = context_of(hart)->f8_format != machine->histogram.state.f8_format;
    }
}

/* Counts the instructions of each thread. */
static void count(struct turns *turns, uint64_t executed)
{
    for (unsigned i = 0; i < turns->count; i++)
        turns->ring[i].hart->instret += turn_counts_of(turns, i, executed);
}

/* Has the environment no work between the instructions? Shortens *limit to when it has. */
static bool is_environment_free(const struct machine *machine, uint64_t *limit)
{
    return machine->bare.active ? machine->hart.mie == 0 : user_can_rotate(machine, limit);
}

bool turns_are_possible(struct machine *machine, uint64_t *limit)
{
    return is_environment_free(machine, limit) && workers_can_rotate(machine);
}

struct turns *turns_begin(struct machine *machine, const struct executor *executor)
{
    struct workers *workers = machine->workers;

    if (!workers->turns)
        workers->turns = allocate(machine);
    workers_count_turns(machine);
    if (!make_ring(workers->turns) || !prepare_model(workers->turns))
        return NULL;
    workers->turns->gap.body = take_slot;
    workers_put_away(machine);
    find_apart(workers->turns);
    machine->reserved_lines = workers_reserved_lines(machine);
    if (machine->code.executor != executor || code_is_full(&machine->code))
        code_reset(&machine->code, executor);
    return workers->turns;
}

unsigned turns_slot_of(const struct turns *turns, const struct turn *turn)
{
    const struct workers *workers = turns->machine->workers;

    return (unsigned)((workers->turn + turn->distance) % workers->count);
}

void turns_end(struct turns *turns, uint64_t executed)
{
    const struct uneven_turn *uneven = &turns->uneven;

    count(turns, executed);
    if (turns->is_uneven)
        workers_take_back(turns->machine, uneven->last, uneven->number);
    else
        workers_take_back(turns->machine,
                          executed ? turn_counts_turn(turns, executed - 1) : NO_TURN,
                          turn_counts_turn(turns, executed));
    if (turns->is_uneven && uneven->is_open)
        workers_open_turn(turns->machine, &uneven->first);
}

/* Can turns be in native code? */
static bool can_be_native(const struct turns *turns)
{
    for (unsigned i = 0; i < turns->count; i++)
        if (turns->ring[i].hart->is_apart)
            return false;
    return turns->machine->native && (!turns->observer || turns->observer->counts_native) &&
           !turns->has_slots && turns->count <= ROUNDS_THREADS;
}

/* Says which threads take turns. */
static void begin_rounds(struct turns *turns)
{
    struct rounds *rounds = &turns->rounds;
    unsigned lowest = 0;

    for (unsigned i = 1; i < turns->count; i++)
        if (turns_slot_of(turns, &turns->ring[i]) < turns_slot_of(turns, &turns->ring[lowest]))
            lowest = i;
    rounds->keeper = turns->machine->keeper;
    rounds->is_uneven = turns->is_uneven;
    rounds->is_paired = turns->machine->workers->is_paired;
    rounds->count = rounds->supervisor = turns->count;
    rounds->first = (turns->count - lowest) % turns->count;
    rounds->slots = 0;
    for (unsigned i = 0; i < turns->count; i++) {
        const struct turn *turn = &turns->ring[(lowest + i) % turns->count];
        rounds->harts[i] = turn->hart;
        rounds->numbers[i] = turn->thread;
        rounds->slots |= UINT64_C(1) << turns_slot_of(turns, turn);
        if (!turn->thread)
            rounds->supervisor = i;
    }
}

/* Does the next turn have no instruction yet? If it has one, ends it. */
static bool close_turn(struct turns *turns)
{
    return !turns->is_uneven || !turns->uneven.is_open ||
           (turns->rounds.limit > turns->rounds.executed && interpret(&turns->rounds, 1));
}

/* Executes turns in native code, unless a thread has a reservation. When it is tried again
 * depends on whether this paid. */
static void take_rounds(struct turns *turns)
{
    struct machine *machine = turns->machine;

    if (machine->reserved_lines || machine->attention || !close_turn(turns) ||
        !native_take_rounds(machine->native, &turns->rounds))
        turns->patience = turns->patience < MANY_TURNS / 2 ? 2 * turns->patience + 1 : MANY_TURNS;
    else
        turns->patience = FEW_TURNS;
}

/* Executes turns up to the limit, for as long as none needs the machine's hart. */
static void take_turns(struct turns *turns)
{
    struct rounds *rounds = &turns->rounds;
    bool has_rounds = can_be_native(turns), is_begun = false;

    for (;;) {
        uint64_t before = rounds->executed, rest = rounds->limit - before;
        uint64_t wanted = has_rounds && turns->patience < rest ? turns->patience : rest;
        if (wanted)
            go_round(turns, wanted);
        /* The last blocks may not fit. */
        bool is_left = rounds->executed - before + turns->count * BLOCK_LIMIT < wanted;
        if (turns->is_refused || !has_rounds || is_left || wanted == rest)
            return;
        if (!is_begun) /* only now: most runs are over before */
            begin_rounds(turns);
        is_begun = true;
        if (turns->is_uneven)
            turns->observer->settle(turns);
        take_rounds(turns);
        if (turns->is_refused)
            return;
    }
}

/* Is the executor for the threads that have turns? One alone is executed as a whole, unless that
 * takes more time. In the bare environment, it might be in an endless loop (is_stuck). */
static bool suits_threads(const struct machine *machine, const struct turns_observer *observer)
{
    return workers_have_active(machine) ||
           (observer && observer->is_for_one && !machine->bare.active);
}

bool turns_go(struct machine *machine, uint64_t limit, const struct executor *executor,
              const struct turns_observer *observer)
{
    limit--; /* the last one leaves the machine's hart with the thread that had the turn */
    if (!suits_threads(machine, observer) || !turns_are_possible(machine, &limit))
        return false;
    struct turns *turns = turns_begin(machine, executor);
    if (!turns)
        return false;
    turns->is_refused = false;
    turns->observer = observer;
    turns->rounds.limit = limit;
    turns->rounds.executed = turns->rounds.turns = 0;
    if (observer && observer->begin)
        observer->begin(turns);
    take_turns(turns);
    if (observer && observer->end)
        observer->end(turns, turns->rounds.executed);
    turns_end(turns, turns->rounds.executed);
    return turns->rounds.executed && !turns->is_refused;
}

bool turns_run(struct machine *machine, uint64_t limit)
{
    return turns_go(machine, limit, &turns_executor, NULL);
}
