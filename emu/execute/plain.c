/* The plain executor: jumps from body to body, and to native code where there is some. Where blocks
 * become native code, a record at the entry of each counts how often control comes to it. */
#include "emu/execute/executors.h"
#include "emu/execute/turns.h"

enum {
    JOIN_ARRIVALS = 8, /* of control at a block before its instructions are joined */
};

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
    TAIL_CALL return run_stale(STATE);
}

/* Counts how often control comes to the block. */
static struct step run_entry(STATE_PARAMETERS)
{
    if (__builtin_expect(++record->arrivals > NATIVE_ARRIVALS, 0))
        TAIL_CALL return run_warm(STATE);
    record++;
    GO_ON();
}

/* The same at first. */
static struct step run_first(STATE_PARAMETERS)
{
    if (++record->arrivals > JOIN_ARRIVALS)
        code_join(&machine_of(hart)->code, record);
    if (__builtin_expect(record->arrivals > NATIVE_ARRIVALS, 0))
        TAIL_CALL return run_warm(STATE);
    record++;
    GO_ON();
}

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
__attribute__((noinline)) struct arrival plain_visit_native(struct machine *machine, uint64_t pc,
                                                            struct decoded *entry, int64_t left)
{
    struct visit visit = {.pc = pc, .left = left, .entry = entry};
    enum visit_end end = native_visit(machine->native, &visit);

    return end == VISIT_CALL ? settle(machine, &visit)
                             : (struct arrival){end, visit.pc, visit.left};
}

bool plain_go_native(struct machine *machine, uint64_t until)
{
    struct execution *execution = &machine->execution;
    struct hart *hart = &machine->hart;
    uint64_t pc = hart->pc, before = hart->instret;

    execution->left = (int64_t)(until - before);
    execution->end_count = until;
    struct arrival arrival = plain_visit_native(machine, pc, NULL, execution->left);
    if (arrival.end != VISIT_END) {
        hart->pc = arrival.pc;
        hart->instret = until - (uint64_t)arrival.left;
    }
    native_note_visit(machine->native, pc, hart->instret - before);
    return arrival.end != VISIT_END || execution->end == RUN_SLICE;
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
    const struct arrival arrival = plain_visit_native(machine, record->pc, record, left);

    left = arrival.left;
    switch (arrival.end) {
    case VISIT_AWAY:
        FOLLOW(record->chain, arrival.pc);
    case VISIT_STUCK:
        TAIL_CALL return run_stuck(STATE_WITH(arrival.pc));
    case VISIT_END:
        return (struct step){NULL, left};
    default:
        return dispatch_leave(hart, arrival.pc, left);
    }
}

static body_function *const pseudo_bodies[PSEUDO_COUNT] =
    PSEUDO_BODIES(run_translated, run_stale, blocks_next, NULL, dispatch_whole);
static body_function *const counting_pseudo_bodies[PSEUDO_COUNT] =
    PSEUDO_BODIES(run_translated, run_stale, blocks_next, run_entry, dispatch_whole);

static const struct executor plain = {.bodies = direct_bodies,
                                      .pseudo_bodies = pseudo_bodies,
                                      .superinstructions = blocks_super,
                                      .whole = dispatch_whole,
                                      .evaluate = blocks_evaluate};

/* The same where blocks become native code. */
static const struct executor counting = {.bodies = direct_bodies,
                                         .pseudo_bodies = counting_pseudo_bodies,
                                         .superinstructions = blocks_super,
                                         .first_entry = run_first,
                                         .whole = dispatch_whole,
                                         .evaluate = blocks_evaluate};

static const struct executor *plain_executor(const struct machine *machine)
{
    return machine->native ? &counting : &plain;
}

enum run_end execute_plain(struct machine *machine, uint64_t limit)
{
    blocks_begin(machine, limit, plain_executor(machine));
    blocks_run(machine, code_find(&machine->code, machine->hart.pc), machine->execution.left);
    return machine->execution.end;
}

enum run_end execute_few(struct machine *machine, uint64_t limit)
{
    struct execution *execution = &machine->execution;
    struct hart *hart = &machine->hart;

    blocks_begin(machine, limit,
                 turns_are_running(machine) ? machine->code.executor : plain_executor(machine));
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
