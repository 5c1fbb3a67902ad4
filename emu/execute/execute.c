/* The executors, and the choice between them. See execute.h and dispatch.h. */
#include "emu/execute/execute.h"
#include "emu/execute/dispatch.h"
#include "emu/execute/recording.h"
#include "emu/execute/recording_turns.h"
#include "emu/execute/turns.h"
#include "emu/keeper.h"
#include "emu/native/blocks.h"
#include "emu/observe/observe.h"
#include "emu/observe/watch.h"
#include "emu/profile/profile.h"
#include "emu/progress.h"
#include "emu/trace/trace.h"
#include "emu/user/thread.h"
#include "emu/workers/workers.h"
#include "instruction_ids.h"

enum {
    SLICE = 1 << 18, /* instructions between two checks of the deadline, if they are interpreted, */
    TURNS = 32,      /* and turns of threads */
    JOIN_ARRIVALS = 8, /* of control at a block before its instructions are joined */
};

/* More than a run has. */
#define ENDLESS ((uint64_t)1 << 60)

/* ---- the plain executor ---- */

static struct step run_stale(STATE_PARAMETERS)
{
    struct machine *machine = machine_of(hart);

    left += record->remaining;
    if (machine->attention)
        return dispatch_leave(hart, record->pc, left);
    record = code_find(&machine->code, record->pc);
    ENTER();
}

/* Control has come to the block often: makes native code of it, if possible. */
static __attribute__((cold)) struct step run_warm(STATE_PARAMETERS)
{
    struct machine *machine = machine_of(hart);

    if (native_arrive(machine->native, record->pc))
        record->arrivals = INT32_MIN; /* there is none, or the record is stale */
    else
        record->arrivals = NATIVE_ARRIVALS;
    if (record->id == PSEUDO_ENTRY) {
        record++;
        GO_ON();
    }
    if (record->id == PSEUDO_TRANSLATED) /* which nothing remains of in decoded code */
        left += record[1].remaining;
    return run_stale(STATE);
}

/* Counts how often control comes to the block. */
static struct step run_entry(STATE_PARAMETERS)
{
    if (__builtin_expect(++record->arrivals > NATIVE_ARRIVALS, 0))
        return run_warm(STATE);
    record++;
    GO_ON();
}

/* The same at first. */
static struct step run_first(STATE_PARAMETERS)
{
    if (++record->arrivals > JOIN_ARRIVALS)
        code_join(&machine_of(hart)->code, record);
    if (__builtin_expect(record->arrivals > NATIVE_ARRIVALS, 0))
        return run_warm(STATE);
    record++;
    GO_ON();
}

static struct step run_next_block(STATE_PARAMETERS)
{
    LINK(record->chain, code_pc(record));
}

/* How a visit to native code ended, and where. */
struct arrival {
    enum visit_end end;
    uint64_t pc;
    int64_t left;
};

/* After an instruction that left native code. */
static struct arrival settle(struct machine *machine, const struct visit *visit)
{
    struct decoded *called = visit->called;
    enum flow flow = (enum flow)visit->flow;

    machine->execution.left = visit->left;
    if (flow == FLOW_NEXT)
        return (struct arrival){machine->attention || visit->is_interrupted ? VISIT_LIMIT
                                                                            : VISIT_AWAY,
                                code_next_pc(called), visit->left + called->remaining - 1};
    bool goes_on = dispatch_settle(machine, called, flow);
    return (struct arrival){!goes_on             ? VISIT_END
                            : machine->attention ? VISIT_LIMIT
                                                 : VISIT_AWAY,
                            machine->execution.destination, machine->execution.left};
}

/* (Not inline: the body that calls it has a tail call, and so no variable whose address is used.)
 */
static __attribute__((noinline)) struct arrival visit_native(struct machine *machine, uint64_t pc,
                                                             struct decoded *entry, int64_t left)
{
    struct visit visit = {.pc = pc, .left = left, .entry = entry};
    enum visit_end end = native_visit(machine->native, &visit);

    return end == VISIT_CALL ? settle(machine, &visit)
                             : (struct arrival){end, visit.pc, visit.left};
}

/* Executes the instruction at `target`, where native code has left it to the interpreter. */
static struct step run_stuck(STATE_PARAMETERS)
{
    record = code_find_plain(&machine_of(hart)->code, target);
    left -= record->remaining;
    if (left < 0)
        return dispatch_limit(hart, record, left);
    if (record->id == PSEUDO_ENTRY)
        record++;
    GO_ON();
}

static struct step run_translated(STATE_PARAMETERS)
{
    struct machine *machine = machine_of(hart);
    const struct arrival arrival = visit_native(machine, record->pc, record, left);

    left = arrival.left;
    switch (arrival.end) {
    case VISIT_AWAY:
        FOLLOW(record->chain, arrival.pc);
    case VISIT_STUCK:
        return run_stuck(STATE_WITH(arrival.pc));
    case VISIT_END:
        return (struct step){NULL, left};
    default:
        return dispatch_leave(hart, arrival.pc, left);
    }
}

#define DECLARE_SUPER(name, ...) body_function super_##name;
ISA_FOR_EACH_SUPERINSTRUCTION(DECLARE_SUPER)

#define SUPER(name, ...) super_##name,
static body_function *const super_bodies[] = {ISA_FOR_EACH_SUPERINSTRUCTION(SUPER) NULL};

static body_function *const pseudo_bodies[PSEUDO_COUNT] =
    PSEUDO_BODIES(run_translated, run_stale, run_next_block, NULL, dispatch_whole);
static body_function *const counting_pseudo_bodies[PSEUDO_COUNT] =
    PSEUDO_BODIES(run_translated, run_stale, run_next_block, run_entry, dispatch_whole);

_Static_assert(FLOW_NEXT == 0, "evaluate says so");
static int evaluate(struct machine *machine, struct decoded *record)
{
    return (int)dispatch_flow(machine, record);
}

static const struct executor plain = {.bodies = direct_bodies,
                                      .pseudo_bodies = pseudo_bodies,
                                      .superinstructions = super_bodies,
                                      .whole = dispatch_whole,
                                      .evaluate = evaluate};

/* The same where blocks become native code. */
static const struct executor counting = {.bodies = direct_bodies,
                                         .pseudo_bodies = counting_pseudo_bodies,
                                         .superinstructions = super_bodies,
                                         .first_entry = run_first,
                                         .whole = dispatch_whole,
                                         .evaluate = evaluate};

static const struct executor *plain_executor(const struct machine *machine)
{
    return machine->native ? &counting : &plain;
}

static void begin(struct machine *machine, uint64_t limit, const struct executor *executor)
{
    struct execution *execution = &machine->execution;

    *execution = (struct execution){.fflags = &machine->hart.fflags};
    execution->left = limit < INT64_MAX ? (int64_t)limit : INT64_MAX;
    execution->end_count = machine->hart.instret + (uint64_t)execution->left;
    if (machine->code.executor != executor)
        code_reset(&machine->code, executor);
}

/* Begins the block of the record, and goes on until a body returns without another record. */
static void run_blocks(struct machine *machine, struct decoded *record, int64_t left)
{
    const struct memory *memory = &machine->memory;
    struct hart *hart = &machine->hart;
    struct step step = {record, left - record->remaining};

    if (step.left < 0)
        step = dispatch_limit(hart, record, step.left);
    /* `host` and `fast` only change between runs. */
    while (step.record)
        step = dispatch_call(step.record, step.left, hart, 0, memory->host, memory->fast);
}

enum run_end execute_plain(struct machine *machine, uint64_t limit)
{
    begin(machine, limit, plain_executor(machine));
    run_blocks(machine, code_find(&machine->code, machine->hart.pc), machine->execution.left);
    return machine->execution.end;
}

/* Do other threads execute turns between those of this one? */
static bool is_in_turns(const struct machine *machine)
{
    return machine->code.executor == &turns_executor;
}

/* Executes exactly `limit` instructions, unless the run ends, by the whole forms of the plain
 * executor's records: the last ones of a slice, which are too few for a block. */
static enum run_end execute_few(struct machine *machine, uint64_t limit)
{
    struct execution *execution = &machine->execution;
    struct hart *hart = &machine->hart;

    begin(machine, limit, is_in_turns(machine) ? &turns_executor : plain_executor(machine));
    struct decoded *record = code_find_plain(&machine->code, hart->pc);
    for (;;) {
        if (record->id == PSEUDO_STALE || code_is_terminator(record)) {
            record = code_find_plain(&machine->code, code_pc(record));
            continue;
        }
        if (record->id == PSEUDO_ENTRY)
            record++;
        if (execution->left <= 0 || machine->attention) {
            hart->pc = code_pc(record);
            hart->instret = execution->end_count - (uint64_t)execution->left;
            return RUN_SLICE;
        }
        /* As at the entry to a block. */
        execution->left -= record->remaining;
        enum flow flow = dispatch_flow(machine, record);
        if (flow == FLOW_NEXT) {
            execution->left += record->remaining - 1;
            record++;
            continue;
        }
        if (flow > FLOW_TARGET && !dispatch_settle(machine, record, flow))
            return execution->end;
        record = code_find_plain(&machine->code, execution->destination);
    }
}

/* ---- the observed executor ---- */

static const struct executor observed_executor = {0};

/* Is the record one between blocks? Then sets *record to the next one. */
static bool skip_terminator(struct machine *machine, struct decoded **record)
{
    struct decoded *at = *record;

    if (at->id == PSEUDO_STALE)
        *record = code_find(&machine->code, at->pc);
    else if (at->id == PSEUDO_ENTRY)
        *record = at + 1;
    else if (code_is_terminator(at))
        *record = at->chain ? at->chain : code_follow(&machine->code, at, code_pc(at));
    else
        return false;
    return true;
}

/* Did control go elsewhere than to the next instruction? A jump to that one is a jump, too. */
static bool has_turned(const struct execution *execution, enum flow flow)
{
    const struct observed *observed = execution->observed;

    return flow == FLOW_FIXED || flow == FLOW_TARGET ||
           (flow == FLOW_LEAVE &&
            execution->destination != observed->record.pc + observed->record.length);
}

/* Returns the record after the instruction, or NULL when the run has ended. */
static inline __attribute__((always_inline)) struct decoded *observe_one(struct machine *machine,
                                                                         struct decoded *record)
{
    struct execution *execution = &machine->execution;
    struct hart *hart = &machine->hart;
    struct observed *observed = execution->observed;

    observed->record.pc = code_pc(record);
    observed->record.word = code_word(&machine->code, record);
    observed->record.length = record->length;
    observed->record.privilege = (uint8_t)hart->privilege;
    observed->raised = 0;
    observed->id = record->id;
    observed->has_turned = false;
    if (machine->keeper)
        machine->keeper->before(machine->keeper, machine, record);
    execution->left--;
    enum flow flow = dispatch_flow(machine, record);
    if (flow <= FLOW_LEAVE) {
        observed->has_turned = has_turned(execution, flow);
        hart->instret = execution->end_count - (uint64_t)execution->left - 1;
        observe_end(machine, observed, NULL);
    }
    if (flow == FLOW_NEXT)
        return record + 1;
    if (flow > FLOW_TARGET && !dispatch_settle(machine, record, flow))
        return NULL;
    struct decoded **link = code_link(record);
    return link && *link && (*link)->pc == execution->destination
               ? *link
               : code_follow(&machine->code, record, execution->destination);
}

/* The same as execute_observed, with the decoded code of an executor. */
static enum run_end observe(struct machine *machine, uint64_t limit,
                            const struct executor *executor)
{
    struct execution *execution = &machine->execution;
    struct hart *hart = &machine->hart;
    struct observed observed = {.record.flags = machine->bare.active ? TTRACE_BARE : 0,
                                .record.recorder = machine->recorder};

    begin(machine, limit, executor);
    execution->observed = &observed;
    execution->fflags = &observed.raised;
    struct decoded *record = code_find(&machine->code, hart->pc);
    for (;;) {
        if (record->id >= PSEUDO_FIRST && skip_terminator(machine, &record))
            continue;
        bool is_over = execution->left <= 0 || machine->attention;
        if (is_over || (machine->watcher && watcher_holds(machine->watcher, code_pc(record)))) {
            hart->pc = code_pc(record);
            hart->instret = execution->end_count - (uint64_t)execution->left;
            return is_over ? RUN_SLICE : RUN_HELD;
        }
        record = observe_one(machine, record);
        if (!record)
            return execution->end;
    }
}

enum run_end execute_observed(struct machine *machine, uint64_t limit)
{
    return observe(machine, limit, &observed_executor);
}

/* ---- the executor of profiles ---- */

/* The block was dropped while it ran: what was executed of it is known here. */
static struct step end_at_stale(STATE_PARAMETERS)
{
    (void)host;
    (void)fast;
    return dispatch_limit(hart, record, left);
}

static body_function *const profile_pseudo_bodies[PSEUDO_COUNT] =
    PSEUDO_BODIES(end_at_stale, end_at_stale, run_next_block, NULL, dispatch_whole);

static int evaluate_counted(struct machine *machine, struct decoded *record)
{
    unsigned id = record->id;
    enum flow flow = dispatch_flow(machine, record);

    if (machine->stats && flow <= FLOW_LEAVE)
        observe_counted(machine, id);
    return (int)flow;
}

static const struct executor profile_executor = {.bodies = direct_bodies,
                                                 .pseudo_bodies = profile_pseudo_bodies,
                                                 .superinstructions = super_bodies,
                                                 .whole = dispatch_whole,
                                                 .evaluate = evaluate_counted};

/* Is a profile all that observes a program, so that blocks can be counted? */
static bool is_only_profiled(const struct machine *machine)
{
    return machine->profile && machine->profile->stats == machine->stats && !machine->keeper &&
           !machine->races && !machine->watcher && !machine->workers &&
           (!machine->trace || trace_finished(machine->trace));
}

/* Executes one block. Returns false when the run has ended. */
static bool execute_block(struct machine *machine, struct decoded *record)
{
    struct execution *execution = &machine->execution;

    execution->left = record->remaining;
    execution->end_count = machine->hart.instret + record->remaining;
    run_blocks(machine, record, execution->left);
    return execution->end == RUN_SLICE;
}

/* Executes native code, which counts for the profile, from the present instruction on, if there is
 * some. Returns false when the run has ended. */
static bool visit_counting(struct machine *machine, uint64_t until)
{
    struct execution *execution = &machine->execution;
    struct recorder *const recorder = machine->recorder;
    struct hart *hart = &machine->hart;

    uint64_t pc = hart->pc;
    int64_t left = (int64_t)(until - hart->instret);
    execution->left = left;
    execution->end_count = until;
    if (!machine->stats) /* what evaluates constants, too, reports */
        machine->recorder = machine->port.recorder = NULL;
    struct arrival arrival = {VISIT_STUCK, pc, left};
    if (native_may_visit(machine->native, pc)) {
        arrival = visit_native(machine, pc, NULL, left);
        if (arrival.end != VISIT_END)
            profile_note_visit(machine->profile, pc, (uint64_t)(left - arrival.left));
    }
    machine->recorder = machine->port.recorder = recorder;
    if (arrival.end == VISIT_END)
        return execution->end == RUN_SLICE;
    hart->pc = arrival.pc;
    hart->instret = until - (uint64_t)arrival.left;
    return true;
}

/* Executes `limit` instructions, unless the run ends or the environment has work: by native code,
 * or block by block where these can be counted as a whole. Native code may run ahead. */
static enum run_end execute_profiled(struct machine *machine, uint64_t limit)
{
    struct hart *hart = &machine->hart;
    uint64_t until = hart->instret + limit;

    begin(machine, limit, &profile_executor);
    while (hart->instret < until && !machine->attention) {
        if (machine->native && !visit_counting(machine, until))
            return machine->execution.end;
        if (hart->instret >= until || machine->attention)
            break;
        struct decoded *record = code_find_plain(&machine->code, hart->pc);
        uint64_t before = hart->instret, left = until - before;
        struct profile_run *run =
            record->remaining <= left ? profile_find_run(machine->profile, machine, record) : NULL;
        if (!run)
            return observe(machine, record->remaining < left ? record->remaining : left,
                           &profile_executor);
        bool goes_on = execute_block(machine, record);
        profile_count_run(machine->profile, machine, run, hart->instret - before);
        recorder_clear(machine->recorder);
        if (!goes_on || hart->instret == before)
            return machine->execution.end;
    }
    return RUN_SLICE;
}

/* ---- the executor of times ---- */

/* Returns the passage through the block from the state in which control arrived, or NULL. */
static __attribute__((noinline)) struct passage *find_passage(struct hart *hart,
                                                              struct decoded *record)
{
    struct keeper *keeper = machine_of(hart)->keeper;

    return keeper->enter(keeper, record);
}

/* Counts the passage through the block. Most blocks are entered in the same state each time. */
static struct step run_timed(STATE_PARAMETERS)
{
    struct block_times *times = &machine_of(hart)->keeper->blocks;
    struct passage *passage = (struct passage *)record->imm[0];
    const struct passage *last = times->last;

    if (__builtin_expect(!passage || passage->from != last->to[record->pc != last->end], 0)) {
        passage = find_passage(hart, record);
        if (!passage)
            return dispatch_limit(hart, record, left);
        record->imm[0] = (intptr_t)passage;
    }
    passage_count(&times->passages, passage);
    times->last = passage;
    times->left = left;
    record++;
    EXECUTE();
}

static body_function *const timed_pseudo_bodies[PSEUDO_COUNT] =
    PSEUDO_BODIES(end_at_stale, end_at_stale, run_next_block, run_timed, end_at_stale);

static const struct executor timed_executor = {.bodies = direct_bodies,
                                               .pseudo_bodies = timed_pseudo_bodies,
                                               .superinstructions = super_bodies,
                                               .whole = dispatch_whole,
                                               .evaluate = evaluate};

/* Is the model of time all that observes a program, so that blocks can be timed as a whole? */
static bool is_only_timed(const struct machine *machine)
{
    return machine->keeper && !machine->keeper->is_recorded && !machine->watcher &&
           !machine->workers && !machine->native && !machine->code.is_defined;
}

/* Executes blocks that are timed as a whole, as many as follow on each other. */
static void run_timed_blocks(struct machine *machine, struct decoded *record, int64_t left)
{
    struct execution *execution = &machine->execution;
    struct keeper *keeper = machine->keeper;
    uint64_t until = machine->hart.instret + (uint64_t)left;

    *execution =
        (struct execution){.fflags = &machine->hart.fflags, .left = left, .end_count = until};
    keeper->blocks.left = left;
    machine->recorder = machine->port.recorder = NULL; /* it is that of the last instruction */
    run_blocks(machine, record, left);
    uint64_t missing = until - (uint64_t)keeper->blocks.left - machine->hart.instret;
    if (missing)
        keeper->interrupt(keeper, keeper->blocks.last->block->count - (unsigned)missing,
                          execution->has_trapped, machine->hart.pc);
}

/* Executes instructions one by one that are not timed as a part of a block, at most `left`; while
 * units are at work, more than a block at once. Returns false when the run or the slice has ended.
 */
static bool observe_some(struct machine *machine, unsigned block, uint64_t left)
{
    uint64_t few = machine->keeper->blocks.last->to[0] ? block : BLOCK_LIMIT;
    uint64_t until = machine->hart.instret + (few < left ? few : left);

    return observe(machine, until - machine->hart.instret, &timed_executor) == RUN_SLICE &&
           machine->hart.instret == until && (machine->bare.active || !user_has_work(machine));
}

/* Executes exactly `limit` instructions, unless the run ends or the environment has work: blocks as
 * a whole where their time is known. */
static enum run_end execute_timed(struct machine *machine, uint64_t limit)
{
    const struct hart *hart = &machine->hart;
    uint64_t until = hart->instret + limit;

    begin(machine, limit, &timed_executor);
    while (hart->instret < until && !machine->attention) {
        struct decoded *record = code_find_plain(&machine->code, hart->pc);
        uint64_t before = hart->instret, left = until - before;
        run_timed_blocks(machine, record, (int64_t)left);
        if (machine->execution.end != RUN_SLICE)
            break;
        if (hart->instret == before && !machine->execution.has_trapped &&
            !observe_some(machine, record->remaining, left))
            break;
    }
    return machine->execution.end;
}

/* ---- the executor that records ---- */

/* Are there effects that come before the next instruction, e.g. the frame of a signal? They are
 * traced as its own, which only the observed executor does. */
static bool has_earlier_effects(const struct machine *machine)
{
    return machine->recorder->count != 0;
}

/* Executes one instruction in the observed executor and learns from it. Returns the record after
 * it, or NULL when the run has ended. */
static struct decoded *observe_and_learn(struct machine *machine, struct decoded *record)
{
    struct execution *execution = &machine->execution;
    uint64_t resets = machine->code.resets;
    unsigned id = record->id;
    bool is_usual = !has_earlier_effects(machine);

    recording_place(machine, record);
    execution->left = 1;
    execution->end_count = machine->hart.instret + 1;
    struct decoded *next = observe_one(machine, record);
    if (!next)
        return NULL;
    machine->hart.pc = code_pc(next);
    machine->hart.instret = execution->end_count - (uint64_t)execution->left;
    if (is_usual && machine->code.resets == resets && record->id == id)
        recording_learn(machine, record, execution->observed);
    return next;
}

/* Executes until the count of retired instructions is `until`, unless the run ends or the
 * environment has work. */
static enum run_end record_until(struct machine *machine, uint64_t until)
{
    const struct hart *hart = &machine->hart;
    struct decoded *record = NULL;

    while (hart->instret < until && !machine->attention && observe_only_traces(machine)) {
        uint64_t left = until - hart->instret;
        recording_begin(machine);
        if (!record)
            record = code_find(&machine->code, hart->pc);
        if (record->id >= PSEUDO_FIRST && skip_terminator(machine, &record))
            continue;
        if (!machine->workers && recording_knows(record) && record->remaining <= left &&
            !has_earlier_effects(machine)) {
            record =
                recording_run(machine, record, left < RECORDING_SLICE ? left : RECORDING_SLICE);
            if (!record || record->id >= PSEUDO_FIRST)
                continue;
        }
        record = observe_and_learn(machine, record);
        if (!record)
            return machine->execution.end;
    }
    return RUN_SLICE;
}

/* The same for the next `limit` instructions. */
static enum run_end execute_recorded(struct machine *machine, uint64_t limit)
{
    struct observed observed = {.record.flags = machine->bare.active ? TTRACE_BARE : 0,
                                .record.recorder = machine->recorder};

    begin(machine, limit, machine->workers ? &recording_turns_executor : &recording_executor);
    machine->execution.observed = &observed;
    machine->execution.fflags = &observed.raised;
    return record_until(machine, machine->hart.instret + limit);
}

/* ---- the choice ---- */

/* Executes the slice in the plain executor. The end of a turn is exact, so its last instructions
 * follow at once. */
static enum run_end execute_slice(struct machine *machine, uint64_t slice)
{
    uint64_t until = machine->hart.instret + slice;

    if (slice >= BLOCK_LIMIT) {
        enum run_end end = execute_plain(machine, slice);
        slice = until - machine->hart.instret;
        if (end != RUN_SLICE || slice == 0 || slice >= BLOCK_LIMIT || machine->bare.active ||
            !user_has_turns(machine) || user_has_work(machine))
            return end;
    }
    return execute_few(machine, slice);
}

/* Must the observed executor run? Stops recording when nobody needs it any more, e.g. after the
 * trace has reached its limit. */
static bool is_watched(struct machine *machine)
{
    const struct watcher *watcher = machine->watcher;
    bool recorded = machine->stats || machine->profile || machine->races ||
                    (machine->trace && !trace_finished(machine->trace)) ||
                    (watcher && watcher->watchpoints);

    if (machine->keeper)
        machine->keeper->is_recorded = recorded;
    else if (!recorded)
        machine->recorder = machine->port.recorder = NULL;
    return recorded || machine->keeper || (watcher && watcher->count);
}

/* Is the program in an endless loop that no interrupt can end? This is a jump to itself in the bare
 * environment, which is not native code. Looks for it at certain counts of instructions only, where
 * slices end, so that the count at the end does not depend on when native code was left. */
static bool is_stuck(struct machine *machine)
{
    const struct hart before = machine->hart;

    return machine->bare.active && before.instret % SLICE == 0 && !machine->attention &&
           bare_is_stuck(machine) && code_find_plain(&machine->code, before.pc)->remaining == 1 &&
           execute_observed(machine, 1) == RUN_SLICE && machine->hart.pc == before.pc &&
           machine->hart.instret == before.instret + 1 && !machine->attention;
}

/* Lets the user environment do its work before the next instruction. */
static enum run_end prepare_user(struct machine *machine, uint64_t *slice)
{
    enum user_next next = user_prepare(machine, slice);

    return next == USER_RUNS ? RUN_SLICE : next == USER_HELD ? RUN_HELD : RUN_EXIT;
}

/* Executes the slice, and then turns of other threads, for about as long as a slice of the
 * interpreter. So what has nothing to do with threads is looked at as often as with one thread. */
static enum run_end execute_turns(struct machine *machine, uint64_t slice,
                                  uint64_t max_instructions)
{
    const struct hart *hart = &machine->hart;
    uint64_t until = hart->instret + SLICE;
    enum run_end end = RUN_SLICE;

    if (max_instructions && max_instructions < until)
        until = max_instructions;
    for (unsigned turns = 0; end == RUN_SLICE && turns < TURNS; turns++) {
        end = execute_slice(machine, slice);
        if (end != RUN_SLICE || hart->instret >= until || machine->user.exited)
            return end;
        slice = until - hart->instret;
        end = prepare_user(machine, &slice);
    }
    return end;
}

/* Gives the hart to the thread of a barrel that has the next turn. If all wait, time passes until
 * one can go. Returns false when none ever can. */
static bool take_turn(struct machine *machine, uint64_t *slice)
{
    const struct user *user = &machine->user;

    if (user->is_threaded)
        user_wake_expired(machine);
    while (!workers_take_turn(machine, slice))
        if (!user->is_threaded || !user_pass_time(machine))
            return false;
    return true;
}

enum run_end machine_step(struct machine *machine)
{
    uint64_t slice = 1;

    if (machine->workers && !take_turn(machine, &slice))
        return RUN_HELD;
    if (machine->bare.active && !bare_prepare(machine, &slice, false))
        return RUN_IDLE;
    if (!machine->bare.active && user_has_turns(machine)) {
        enum run_end before = prepare_user(machine, &slice);
        if (before != RUN_SLICE || user_signal_is_held(machine))
            return before;
    }
    enum run_end end = execute_observed(machine, slice);
    return machine->user.exited && end == RUN_SLICE ? RUN_EXIT : end;
}

/* Lets the environment do its work before the next instruction, and shortens *slice to end where it
 * has work again. Returns RUN_SLICE when the run goes on. */
static enum run_end prepare(struct machine *machine, uint64_t *slice)
{
    if (machine->bare.active)
        return bare_prepare(machine, slice, !workers_has_hart(machine) && !workers_pair(machine))
                   ? RUN_SLICE
                   : RUN_IDLE;
    return prepare_user(machine, slice);
}

/* Executes the turn of a thread while another one has a reservation, and nothing else is recorded.
 */
static enum run_end execute_reserved(struct machine *machine)
{
    struct recorder *const recorder = &machine->workers->recorder;

    machine->recorder = machine->port.recorder = recorder;
    enum run_end end = execute_few(machine, 1);
    workers_end_reservations(machine, recorder);
    recorder_clear(recorder);
    machine->recorder = machine->port.recorder = NULL;
    return end;
}

/* The same in the observed executor. */
static enum run_end observe_reserved(struct machine *machine)
{
    struct recorder *const recorder = machine->recorder;
    struct keeper *keeper = machine->keeper;

    if (!recorder || (keeper && !keeper->is_recorded))
        machine->recorder = machine->port.recorder = &machine->workers->recorder;
    if (keeper)
        keeper->is_recorded = true; /* until is_watched */
    enum run_end end = execute_observed(machine, 1);
    machine->recorder = machine->port.recorder = recorder;
    return end;
}

/* Executes turns of the barrel for as long as none needs the machine's hart. Returns whether it
 * executed all that the slice has. */
static bool take_turns(struct machine *machine, uint64_t slice)
{
    if (!is_watched(machine))
        return turns_run(machine, slice);
    return observe_only_traces(machine) && recording_turns_run(machine, slice);
}

/* Makes *slice short enough for the interpreter. Returns how many instructions more native code may
 * execute. In the bare environment, slices end where is_stuck looks, unless native code begins
 * there. */
static uint64_t shorten(const struct machine *machine, uint64_t *slice)
{
    uint64_t whole = *slice, since = machine->bare.active ? machine->hart.instret % SLICE : 0;

    if (whole <= SLICE - since)
        return 0;
    *slice = SLICE - since;
    return since ? 0 : whole - *slice;
}

/* Returns how many instructions may run, at most `slice`. 0: the limit is reached. */
static uint64_t limited(const struct machine *machine, uint64_t max_instructions, uint64_t slice)
{
    uint64_t left = max_instructions - machine->hart.instret;

    return max_instructions && left < slice ? left : slice;
}

/* Updates the line of progress and checks the deadline. Returns RUN_SLICE when the run goes on. */
static enum run_end look(struct machine *machine)
{
    if (machine->progress)
        machine->progress->look(machine->progress);
    return machine_expired(machine) ? RUN_STOPPED : RUN_SLICE;
}

/* No thread of the barrel can go on: the program ends, unless the debugger holds one of them. */
static enum run_end end_without_turn(struct machine *machine)
{
    if (workers_are_held(machine))
        return RUN_HELD;
    machine->user.exited = machine->user.stuck = true;
    machine->user.status = USER_STUCK_STATUS;
    return RUN_EXIT;
}

/* Does the debugger wait for the worker, or for the thread, that goes on now? */
static bool worker_is_awaited(struct machine *machine)
{
    const struct watcher *watcher = machine->watcher;

    return watcher && watcher->awaits_worker && watcher->awaited_worker == workers_self(machine);
}

static bool thread_is_awaited(const struct machine *machine)
{
    const struct watcher *watcher = machine->watcher;

    return watcher && watcher->awaited && watcher->awaited == machine->user.thread;
}

/* Finds out which thread has the next turn, and lets the environment do its work before the turn.
 * Returns RUN_SLICE when the machine's hart may execute the next *slice instructions. */
static enum run_end begin_slice(struct machine *machine, uint64_t max_instructions, uint64_t *slice)
{
    *slice = limited(machine, max_instructions, machine->workers ? SLICE : ENDLESS);
    if (*slice == 0)
        return RUN_LIMIT;
    if (machine->workers && !take_turn(machine, slice))
        return end_without_turn(machine);
    if (worker_is_awaited(machine)) {
        workers_stop(machine);
        return RUN_HELD;
    }
    enum run_end before = prepare(machine, slice);
    if (before != RUN_SLICE)
        return before;
    return user_signal_is_held(machine) || thread_is_awaited(machine) ? RUN_HELD : RUN_SLICE;
}

/* Executes the slice by the executor that does what is wanted and no more. *sampled is the count of
 * instructions at the last look at the registers that native code uses. */
static enum run_end execute(struct machine *machine, uint64_t slice, uint64_t max_instructions,
                            uint64_t *sampled)
{
    const struct hart *hart = &machine->hart;

    if (machine->workers && observe_only_traces(machine)) /* the next one may be known */
        slice = 1;
    uint64_t rest = shorten(machine, &slice);
    bool plain = !is_watched(machine);
    bool is_native = machine->native && (plain || is_only_profiled(machine));
    if (machine->native)
        native_run_ahead(machine->native, machine->watcher ? 0 : rest);
    if (is_native && !is_in_turns(machine) && hart->instret - *sampled >= SLICE - BLOCK_LIMIT) {
        *sampled = hart->instret;
        native_look(machine->native, hart->pc);
    }
    bool only_traces = !plain && observe_only_traces(machine);
    if (!only_traces && machine->workers && workers_are_reserved(machine))
        return plain ? execute_reserved(machine) : observe_reserved(machine);
    if (plain && user_has_turns(machine) && rest == 0 && !machine->watcher && !machine->workers)
        return execute_turns(machine, slice, max_instructions);
    return plain                       ? execute_slice(machine, slice)
           : is_only_profiled(machine) ? execute_profiled(machine, slice)
           : is_only_timed(machine)    ? execute_timed(machine, slice)
           : only_traces               ? execute_recorded(machine, slice)
                                       : execute_observed(machine, slice);
}

/* Does what follows a slice, whose executor has returned `end`. Returns RUN_SLICE when the run goes
 * on. */
static enum run_end end_slice(struct machine *machine, uint64_t max_instructions, enum run_end end)
{
    if (end == RUN_SLICE && machine->hart.instret != max_instructions && is_stuck(machine))
        return RUN_IDLE;
    if (machine->user.exited)
        return RUN_EXIT;
    if (end == RUN_HELD) {
        workers_stop(machine);
        return end;
    }
    /* A debugger sees the fault before the program's handler. In the bare environment, RUN_FAULT
     * means that there is no handler. */
    if (end == RUN_FAULT && (machine->watcher || machine->bare.active || !user_fault(machine)))
        return end;
    return look(machine);
}

static enum run_end run(struct machine *machine, uint64_t max_instructions)
{
    uint64_t sampled = machine->hart.instret - SLICE, slice;
    enum run_end end;

    do {
        slice = limited(machine, max_instructions, SLICE);
        if (slice == 0)
            return RUN_LIMIT;
        if (machine->watcher && watcher_interrupted(machine->watcher))
            return RUN_HELD;
        if (machine->workers && take_turns(machine, slice)) {
            end = look(machine);
            continue;
        }
        end = begin_slice(machine, max_instructions, &slice);
        if (end == RUN_SLICE)
            end = end_slice(machine, max_instructions,
                            execute(machine, slice, max_instructions, &sampled));
    } while (end == RUN_SLICE);
    return end;
}

enum run_end machine_run(struct machine *machine, uint64_t max_instructions)
{
    enum run_end end = run(machine, max_instructions);

    memory_end_mirror(&machine->memory); /* reports look at all pages */
    return end;
}
