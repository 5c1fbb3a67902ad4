/* The executor of profiles: where nothing but a profile or statistics observes a program, native
 * code counts, or blocks run as a whole and are counted as one. */
#include "emu/execute/executors.h"
#include "emu/observe/observe.h"
#include "emu/profile/profile.h"
#include "emu/trace/trace.h"

bool profiled_is_enough(const struct machine *machine)
{
    return machine->profile && machine->profile->stats == machine->stats && !machine->keeper &&
           !machine->races && !machine->watcher &&
           (!machine->trace || trace_finished(machine->trace));
}

bool profiled_suffices(const struct machine *machine)
{
    return profiled_is_enough(machine) && !machine->workers;
}

static body_function *const profile_pseudo_bodies[PSEUDO_COUNT] =
    PSEUDO_BODIES(blocks_end, blocks_end, blocks_next, NULL, dispatch_whole);

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
                                                 .superinstructions = blocks_super,
                                                 .whole = dispatch_whole,
                                                 .evaluate = evaluate_counted};

/* Executes one block. Returns false when the run has ended. */
static bool execute_block(struct machine *machine, struct decoded *record)
{
    struct execution *execution = &machine->execution;

    execution->left = record->remaining;
    execution->end_count = machine->hart.instret + record->remaining;
    blocks_run(machine, record, execution->left);
    return execution->end == RUN_SLICE;
}

/* Executes native code, which counts for the profile, from the present instruction on, if there is
 * some. Effects before an instruction, those of a signal, belong to it: it has to be observed.
 * Returns false when the run has ended. */
static bool visit_counting(struct machine *machine, uint64_t until)
{
    struct recorder *const recorder = machine->recorder;

    if (recorder->count)
        return true;
    if (!machine->stats) /* what evaluates constants, too, reports */
        machine->recorder = machine->port.recorder = NULL;
    bool goes_on =
        !native_may_visit(machine->native, machine->hart.pc) || plain_go_native(machine, until);
    machine->recorder = machine->port.recorder = recorder;
    return goes_on;
}

enum run_end execute_profiled(struct machine *machine, uint64_t limit)
{
    struct hart *hart = &machine->hart;
    uint64_t until = hart->instret + limit;

    blocks_begin(machine, limit, &profile_executor);
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
            return observed_run(machine, record->remaining < left ? record->remaining : left,
                                &profile_executor);
        bool goes_on = execute_block(machine, record);
        profile_count_run(machine->profile, machine->profile->thread, run, hart->instret - before,
                          hart->pc, hart->x[ISA_REGISTER_SP]);
        recorder_clear(machine->recorder);
        if (!goes_on || hart->instret == before)
            return machine->execution.end;
    }
    return RUN_SLICE;
}
