/* See dispatch.h. */
#include "emu/execute/dispatch.h"
#include "emu/bare/bare.h"
#include "emu/observe/observe.h"
#include "emu/reference/reference.h"
#include "emu/workers/workers.h"
#include "instruction_ids.h"

#define DECLARE(ID, name) whole_function whole_##name;
ISA_FOR_EACH_INSTRUCTION(DECLARE)
#undef DECLARE

whole_function *const whole_bodies[] = {
#define ENTRY(ID, name) whole_##name,
    ISA_FOR_EACH_INSTRUCTION(ENTRY)
#undef ENTRY
};

#define DECLARE_DIRECT(ID, name) body_function direct_##name;
#define DECLARE_WHOLE(ID, name)
ISA_FOR_EACH_BODY(DECLARE_DIRECT, DECLARE_WHOLE)

#define DIRECT(ID, name) direct_##name,
#define WHOLE(ID, name)  dispatch_whole,
body_function *const direct_bodies[] = {ISA_FOR_EACH_BODY(DIRECT, WHOLE)};

struct step dispatch_call(STATE_PARAMETERS)
{
    struct step step = record->body(STATE_WITH(target));

    /* So the compiler saves them before the call. */
#ifdef ALL_REGISTERS
    __asm__ volatile("" : : : "rbx", "r12", "r13", "r14", "r15");
#endif
    return step;
}

static enum flow raise_fault(struct machine *machine, enum cause cause, uint64_t value)
{
    fault_set(&machine->fault, cause, value);
    return FLOW_TRAPPED;
}

static enum flow run_pseudo(struct machine *machine, struct decoded *record)
{
    switch (record->id) {
    case PSEUDO_FETCH:
        return raise_fault(machine, CAUSE_FETCH_ACCESS, (uint64_t)record->imm[0]);
    case PSEUDO_FLOAT:
        return privilege_dirty_float(machine) ? FLOW_AGAIN
                                              : raise_fault(machine, CAUSE_ILLEGAL_INSTRUCTION,
                                                            code_word(&machine->code, record));
    default:
        return raise_fault(machine, CAUSE_ILLEGAL_INSTRUCTION, (uint64_t)record->imm[0]);
    }
}

static enum flow run_definition(struct machine *machine, struct decoded *record)
{
    struct execution *execution = &machine->execution;

    if (!reference_execute(machine, record, &machine->fault))
        return FLOW_TRAPPED;
    if (machine->deadline != 0 && machine_expired(machine)) {
        execution->end_count -= (uint64_t)execution->left;
        execution->left = 0;
    }
    return FLOW_NEXT;
}

enum flow dispatch_rare(struct machine *machine, struct decoded *record)
{
    if (record->id >= PSEUDO_FIRST)
        return run_pseudo(machine, record);
    if (machine->code.is_defined(record->id))
        return run_definition(machine, record);
    return whole_bodies[record->id](machine, record);
}

/* Sets the state of the hart at the end of a run. */
static bool stop(struct machine *machine, uint64_t pc, enum run_end end)
{
    struct execution *execution = &machine->execution;

    machine->hart.pc = pc;
    machine->hart.instret = execution->end_count - (uint64_t)execution->left;
    execution->end = end;
    return false;
}

static int64_t unretired(const struct machine *machine, const struct decoded *record)
{
    return machine->execution.observed ? 1 : record->remaining;
}

/* Ends the run before the record. */
static bool stop_before(struct machine *machine, const struct decoded *record, enum run_end end)
{
    machine->execution.left += unretired(machine, record);
    return stop(machine, code_pc(record), end);
}

static void synchronize_count(struct machine *machine, const struct decoded *record)
{
    machine->hart.instret = machine->execution.end_count - (uint64_t)machine->execution.left -
                            (uint64_t)unretired(machine, record);
}

static bool call_environment(struct machine *machine, struct decoded *record)
{
    struct execution *execution = &machine->execution;
    struct hart *hart = &machine->hart;

    synchronize_count(machine, record);
    hart->pc = execution->destination;
    bool ended = !user_call(machine);
    if (ended && !machine->user.exited) {
        if (machine->recorder)
            recorder_clear(machine->recorder);
        return stop_before(machine, record, user_is_waiting(machine) ? RUN_SLICE : RUN_EXIT);
    }
    if (execution->observed) {
        fault_set(&machine->fault, CAUSE_USER_ECALL, 0);
        observe_end(machine, execution->observed, &machine->fault);
    }
    execution->destination = hart->pc;
    if (ended)
        return stop(machine, hart->pc, RUN_EXIT);
    /* The call may have set a timer, ended the turn, or sent a signal that a debugger sees first.
     */
    if (user_has_work(machine))
        return stop(machine, hart->pc, RUN_SLICE);
    return true;
}

static bool take_trap(struct machine *machine, struct decoded *record)
{
    struct execution *execution = &machine->execution;
    enum run_end end = RUN_FAULT;

    synchronize_count(machine, record);
    if (machine->fault.cause == CAUSE_DEADLINE)
        return stop_before(machine, record, RUN_EXIT);
    machine->hart.pc = code_pc(record);
    workers_attempt(machine);
    if (machine->fault.cause == CAUSE_WAIT) {
        workers_wait(machine);
        if (machine->recorder)
            recorder_clear(machine->recorder);
        return stop_before(machine, record, RUN_SLICE);
    }
    if (machine->bare.active && workers_has_hart(machine))
        workers_fault(machine);
    if (machine->bare.active && (workers_has_hart(machine) || bare_take_exception(machine)))
        end = RUN_SLICE;
    if (execution->observed)
        observe_end(machine, execution->observed, &machine->fault);
    execution->has_trapped = true;
    execution->left += unretired(machine, record);
    return stop(machine, machine->hart.pc, end);
}

bool dispatch_settle(struct machine *machine, struct decoded *record, enum flow flow)
{
    switch (flow) {
    case FLOW_LEAVE:
        return stop(machine, machine->execution.destination, RUN_SLICE);
    case FLOW_CALL:
        return call_environment(machine, record);
    case FLOW_TRAPPED:
        return take_trap(machine, record);
    default:
        return stop_before(machine, record, RUN_SLICE);
    }
}

struct step dispatch_leave(struct hart *hart, uint64_t target, int64_t left)
{
    if (hart->barrel) {
        hart->pc = target;
        hart->next = NULL;
        return (struct step){NULL, left};
    }
    struct machine *machine = machine_of(hart);
    machine->execution.left = left;
    stop(machine, target, RUN_SLICE);
    return (struct step){NULL, left};
}

struct step dispatch_limit(struct hart *hart, struct decoded *record, int64_t left)
{
    return dispatch_leave(hart, code_pc(record), left + record->remaining);
}

struct step dispatch_find(STATE_PARAMETERS)
{
    struct machine *machine = hart->barrel ? hart->barrel : machine_of(hart);

    /* The other threads of a barrel stand at records, so nothing may be freed. */
    if (machine->attention || (hart->barrel && code_is_full(&machine->code)))
        return dispatch_leave(hart, target, left);
    record = code_follow(&machine->code, record, target);
    ENTER();
}

struct step dispatch_stand(STATE_PARAMETERS)
{
    hart->next = record;
    return (struct step){NULL, left};
}

struct step dispatch_whole(STATE_PARAMETERS)
{
    /* Expected, this would be a function of its own, and the calls at the end no jumps. */
    if (__builtin_expect(hart->barrel != NULL, 0)) {
        hart->is_refused = true;
        TAIL_CALL return dispatch_stand(STATE);
    }
    struct machine *machine = machine_of(hart);
    struct execution *execution = &machine->execution;

    unsigned id = record->id; /* before a store changes the code */
    execution->left = left;
    enum flow flow = dispatch_flow(machine, record);
    left = execution->left;
    if (machine->stats && flow <= FLOW_LEAVE)
        observe_counted(machine, id);
    if (flow == FLOW_FIXED)
        LINK(record[1].taken, execution->destination);
    if (flow == FLOW_TARGET)
        FOLLOW(record[1].taken, execution->destination);
    if (flow != FLOW_NEXT) {
        if (!dispatch_settle(machine, record, flow))
            return (struct step){NULL, left};
        left = execution->left;
        TAIL_CALL return dispatch_find(STATE_WITH(execution->destination));
    }
    record++;
    GO_ON();
}
