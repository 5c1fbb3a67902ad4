/* Runs a program that only a trace observes, and perhaps the model of time: what recording.h knows
 * by the executor that records, the rest by the observed executor, from which it learns. */
#include "emu/execute/executors.h"
#include "emu/execute/recording.h"
#include "emu/execute/recording_turns.h"

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
    struct decoded *next = observed_step(machine, record);
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
        if (record->id >= PSEUDO_FIRST && observed_skip(machine, &record))
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

enum run_end execute_recorded(struct machine *machine, uint64_t limit)
{
    struct observed observed = {.record.flags = machine->bare.active ? TTRACE_BARE : 0,
                                .record.recorder = machine->recorder};

    blocks_begin(machine, limit,
                 machine->workers ? &recording_turns_executor : &recording_executor);
    machine->execution.observed = &observed;
    machine->execution.fflags = &observed.raised;
    return record_until(machine, machine->hart.instret + limit);
}
