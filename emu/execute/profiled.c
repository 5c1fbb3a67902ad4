/* The executor of profiles: where nothing but a profile or statistics observes a program, native
 * code counts, or blocks run as a whole and are counted as one. With a model of time, these are
 * blocks that are timed as a whole, too. */
#include "emu/execute/executors.h"
#include "emu/keeper.h"
#include "emu/observe/observe.h"
#include "emu/profile/profile.h"
#include "emu/trace/trace.h"

bool profiled_is_enough(const struct machine *machine)
{
    return machine->profile && machine->profile->stats == machine->stats && !machine->races &&
           !machine->watcher && (!machine->trace || trace_finished(machine->trace));
}

bool profiled_suffices(const struct machine *machine)
{
    return profiled_is_enough(machine) && !machine->workers &&
           !(machine->keeper && machine->code.is_defined);
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

/* Finds the passage of the model of time through the block. NULL: it is not timed as a whole. */
static struct passage *find_passage(struct keeper *keeper, struct profile_run *run,
                                    const struct decoded *record)
{
    if (!run->timed)
        run->timed = keeper->find_block(keeper, record, record->remaining);
    return run->timed ? keeper->enter(keeper, run->timed) : NULL;
}

/* Executes one block. Returns false when the run has ended. */
static bool execute_block(struct machine *machine, struct decoded *record)
{
    struct execution *execution = &machine->execution;

    execution->left = record->remaining;
    execution->end_count = machine->hart.instret + record->remaining;
    blocks_run(machine, record, execution->left);
    return execution->end == RUN_SLICE;
}

/* The same for a block that the model of time passes through in this way. */
static bool execute_passage(struct machine *machine, struct decoded *record,
                            struct passage *passage)
{
    struct block_times *times = &machine->keeper->blocks;

    timed_begin(machine, machine->hart.instret + record->remaining);
    passage_count(&times->passages, passage);
    times->last = passage;
    times->left = 0;
    return execute_block(machine, record);
}

/* Executes a block, and counts it as one. Returns false when the run has ended. */
static bool count_block(struct machine *machine, struct profile_run *run, struct decoded *record,
                        struct passage *passage)
{
    const struct hart *hart = &machine->hart;
    uint64_t before = hart->instret;
    bool goes_on =
        passage ? execute_passage(machine, record, passage) : execute_block(machine, record);

    profile_count_run(machine->profile, machine->profile->thread, run, hart->instret - before,
                      passage ? passage->cycles : 0, hart->pc, hart->x[ISA_REGISTER_SP]);
    if (passage)
        timed_end(machine);
    recorder_clear(machine->recorder);
    return goes_on && hart->instret != before;
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
    if (machine->keeper)
        timed_begin(machine, until);
    bool goes_on =
        !native_may_visit(machine->native, machine->hart.pc) || plain_go_native(machine, until);
    if (machine->keeper)
        timed_end(machine);
    machine->recorder = machine->port.recorder = recorder;
    return goes_on;
}

/* Returns how many instructions are observed from the record on: its block, or more than a block
 * while units are at work, when none is timed as a whole. */
static uint64_t observed_from(const struct machine *machine, const struct decoded *record,
                              uint64_t left)
{
    const struct keeper *keeper = machine->keeper;
    uint64_t few = keeper && !keeper->blocks.last->to[0] ? BLOCK_LIMIT : record->remaining;

    return few < left ? few : left;
}

enum run_end execute_profiled(struct machine *machine, uint64_t limit)
{
    struct keeper *keeper = machine->keeper;
    const struct hart *hart = &machine->hart;
    uint64_t until = hart->instret + limit;

    blocks_begin(machine, limit, &profile_executor);
    while (hart->instret < until && !machine->attention) {
        if (machine->native && !visit_counting(machine, until))
            return machine->execution.end;
        if (hart->instret >= until || machine->attention)
            break;
        struct decoded *record = code_find_plain(&machine->code, hart->pc);
        uint64_t left = until - hart->instret;
        struct profile_run *run =
            record->remaining <= left ? profile_find_run(machine->profile, machine, record) : NULL;
        struct passage *passage = run && keeper ? find_passage(keeper, run, record) : NULL;
        if (!run || (keeper && !passage))
            return observed_run(machine, observed_from(machine, record, left), &profile_executor);
        if (!count_block(machine, run, record, passage))
            return machine->execution.end;
    }
    return RUN_SLICE;
}
