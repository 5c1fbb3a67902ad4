/* See observe.h. */
#include "emu/observe.h"
#include "emu/keeper.h"
#include "emu/profile.h"
#include "emu/races.h"
#include "emu/stats.h"
#include "emu/trace/trace.h"
#include "emu/watch.h"
#include "emu/workers.h"
#include "instruction_ids.h"
#include "isa_ids.h"

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
    if (!machine->recorder)
        return;
    struct effect *effect = recorder_add(machine->recorder, is_store ? EFFECT_STORE : EFFECT_LOAD);
    effect->address = address;
    effect->length = effect->size = size;
    effect->value = value;
}

/* Gives the instruction to the trace. The speed of recording a lossless trace depends on this, so
 * such a trace has a way of its own. */
static inline void write_trace(struct machine *machine, const struct observed *observed,
                               const struct fault *trap)
{
    unsigned thread = machine->workers            ? machine->workers->running + 1
                      : machine->user.is_threaded ? machine->user.running
                                                  : 0;
    uint64_t turn = machine->hart.instret + machine->hart.passed;
    uint64_t timed = machine->keeper ? machine->keeper->timed : 0;

    if (__builtin_expect(trace_is_direct(machine->trace), 1)) {
        const struct ttrace_record record = {
            .sequence = machine->hart.instret,
            .pc = observed->pc,
            .word = observed->word,
            .length = (uint8_t)observed->length,
            .privilege = (uint8_t)observed->privilege,
            .flags = (uint8_t)((machine->bare.active ? TTRACE_BARE : 0) | (trap ? TTRACE_TRAP : 0)),
            .thread = thread,
            .turn = turn,
            .trap_cause = trap ? trap->cause : 0,
            .trap_value = trap ? trap->value : 0,
            .recorder = machine->recorder,
        };
        trace_directly(machine->trace, &record, timed);
        return;
    }
    const struct trace_record record = {
        .sequence = machine->hart.instret,
        .pc = observed->pc,
        .word = observed->word,
        .length = observed->length,
        .privilege = observed->privilege,
        .bare = machine->bare.active,
        .recorder = machine->recorder,
        .trap = trap,
        .thread = thread,
        .turn = turn,
        .timed = timed,
    };
    trace_instruction(machine->trace, &record);
}

void observe_end(struct machine *machine, const struct observed *observed, const struct fault *trap)
{
    struct recorder *recorder = machine->recorder;

    machine->hart.fflags |= observed->raised;
    if (machine->keeper)
        machine->keeper->after(machine->keeper, machine, observed, trap);
    if (!recorder)
        return;
    if (observed->raised)
        observe_csr(machine, ISA_CSR_FFLAGS, machine->hart.fflags);
    if (machine->trace)
        write_trace(machine, observed, trap);
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
        profile_trap(machine->profile, machine, observed->pc);
    if (machine->watcher && retired)
        watcher_look(machine->watcher, observed->pc, recorder);
    recorder_clear(recorder);
}
