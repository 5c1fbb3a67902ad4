/* See observe.h. */
#include "emu/observe/observe.h"
#include "emu/keeper.h"
#include "emu/observe/watch.h"
#include "emu/profile/profile.h"
#include "emu/profile/stats.h"
#include "emu/races/races.h"
#include "emu/trace/trace.h"
#include "emu/workers/workers.h"
#include "isa_ids.h"
#include "lib/trace/ttrace_write.h"

void observe_register(struct machine *machine, unsigned file, unsigned number, uint64_t value)
{
    if (machine->recorder && number < isa_register_files[file].count)
        recorder_add_register(machine->recorder, file, number, value);
}

void observe_words(struct machine *machine, unsigned file, unsigned number, const uint64_t *words)
{
    const struct isa_register_file *registers = &isa_register_files[file];

    if (!machine->recorder || number >= registers->count)
        return;
    if (registers->words == 1)
        recorder_add_register(machine->recorder, file, number, *words);
    else
        recorder_add_words(machine->recorder, file, number, words, registers->words);
}

void observe_csr(struct machine *machine, unsigned number, uint64_t value)
{
    if (!machine->recorder)
        return;
    struct effect *effect = recorder_add(machine->recorder, EFFECT_CSR);
    effect->number = number;
    effect->value = value;
}

void observe_privilege(struct machine *machine)
{
    if (machine->recorder)
        recorder_add(machine->recorder, EFFECT_PRIVILEGE)->value = machine->hart.privilege;
}

void observe_interrupt(struct machine *machine, uint64_t pc, unsigned privilege, unsigned cause)
{
    const struct fault interrupt = {.cause = cause};

    if (!machine->recorder)
        return;
    const struct trace_record record = {
        .sequence = machine->hart.instret,
        .pc = pc,
        .privilege = privilege,
        .bare = true,
        .recorder = machine->recorder,
        .trap = &interrupt,
        .is_interrupt = true,
    };
    if (machine->trace)
        trace_instruction(machine->trace, &record);
    recorder_clear(machine->recorder);
}

void observe_access(struct machine *machine, bool is_store, uint64_t address, unsigned size,
                    uint64_t value)
{
    if (machine->recorder)
        recorder_add_access(machine->recorder, is_store, address, size, value);
}

void observe_counted(struct machine *machine, unsigned id)
{
    stats_look(machine->stats, &isa_instructions[id], machine->recorder);
    recorder_clear(machine->recorder);
}

bool observe_only_traces(const struct machine *machine)
{
    bool has_others = ((uintptr_t)machine->races | (uintptr_t)machine->stats |
                       (uintptr_t)machine->profile | (uintptr_t)machine->watcher) != 0;

    return !has_others && !(machine->keeper && machine->workers) && machine->trace &&
           !trace_finished(machine->trace);
}

unsigned observe_thread(const struct machine *machine)
{
    return machine->workers            ? machine->workers->running + 1
           : machine->user.is_threaded ? machine->user.running
                                       : 0;
}

/* Gives the instruction to the trace. `timed` as in struct trace_record. */
static void write_trace(struct machine *machine, const struct ttrace_record *instruction,
                        const struct fault *trap, uint64_t timed)
{
    if (trace_is_direct(machine->trace)) {
        struct ttrace_record record = *instruction;
        if (trap) {
            record.flags |= TTRACE_TRAP;
            record.trap_cause = trap->cause;
            record.trap_value = trap->value;
        }
        trace_directly(machine->trace, &record, timed);
        return;
    }
    const struct trace_record record = {
        .sequence = instruction->sequence,
        .pc = instruction->pc,
        .word = instruction->word,
        .length = instruction->length,
        .privilege = instruction->privilege,
        .bare = machine->bare.active,
        .recorder = instruction->recorder,
        .trap = trap,
        .thread = instruction->thread,
        .turn = instruction->turn,
        .timed = timed,
    };
    trace_instruction(machine->trace, &record);
}

void observe_record(struct machine *machine, const struct ttrace_record *record)
{
    write_trace(machine, record, NULL, machine->keeper ? machine->keeper->timed : 0);
}

/* Gives the present instruction to the trace. */
static void trace_present(struct machine *machine, const struct observed *observed,
                          const struct fault *trap)
{
    struct ttrace_record record = observed->record;

    record.sequence = machine->hart.instret;
    record.recorder = machine->recorder;
    record.thread = observe_thread(machine);
    record.turn = machine->hart.instret + machine->hart.passed;
    write_trace(machine, &record, trap, machine->keeper ? machine->keeper->timed : 0);
}

/* Gives the instruction to all that observe it. */
static __attribute__((noinline)) void tell_all(struct machine *machine, struct observed *observed,
                                               const struct fault *trap)
{
    struct recorder *recorder = machine->recorder;

    if (machine->keeper)
        machine->keeper->after(machine->keeper, machine, observed, trap);
    if (!recorder)
        return;
    if (observed->raised)
        observe_csr(machine, ISA_CSR_FFLAGS, machine->hart.fflags);
    observed->effects = recorder->count;
    if (machine->trace)
        trace_present(machine, observed, trap);
    /* An ecall of the user environment retires, although it is reported as a trap. */
    bool retired = !trap || (trap->cause == CAUSE_USER_ECALL && !machine->bare.active);
    if (machine->workers)
        workers_end_reservations(machine, recorder);
    if (machine->races && retired)
        races_look(machine->races, observed, recorder);
    if (machine->stats && observed->id < PSEUDO_FIRST && retired)
        stats_count(machine->stats, &isa_instructions[observed->id], recorder);
    if (machine->profile && observed->id < PSEUDO_FIRST && retired)
        profile_count(machine->profile, machine, observed, recorder, trap != NULL);
    else if (machine->profile)
        profile_trap(machine->profile, machine, observed->record.pc);
    if (machine->watcher && retired)
        watcher_look(machine->watcher, observed->record.pc, recorder);
    recorder_clear(recorder);
}

void observe_end(struct machine *machine, struct observed *observed, const struct fault *trap)
{
    machine->hart.fflags |= observed->raised;
    observed->retired = !trap;
    if (trap || machine->user.is_threaded || machine->workers || machine->keeper ||
        !observe_only_traces(machine) || !trace_is_direct(machine->trace)) {
        tell_all(machine, observed, trap);
        return;
    }
    if (observed->raised)
        observe_csr(machine, ISA_CSR_FFLAGS, machine->hart.fflags);
    observed->effects = machine->recorder->count;
    observed->record.sequence = machine->hart.instret;
    ttrace_writer_add(machine->trace->lossless, &observed->record);
    recorder_clear(machine->recorder);
}
