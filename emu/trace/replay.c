/* See replay.h. */
#include "emu/trace/replay.h"

bool replay_open(struct trace *output, struct diag *diag, const struct trace_options *options,
                 const struct ttrace *trace, const struct elf_file *elf,
                 const struct symbolizer *symbols)
{
    const struct trace_program program = {.file = elf,
                                          .symbols = symbols,
                                          .machine = trace->machine,
                                          .workers = trace->workers,
                                          .moved = trace->moved};

    return trace_open(output, diag, options, &program);
}

void replay_record(struct trace *output, const struct ttrace_record *record)
{
    const struct fault fault = {.cause = (enum cause)record->trap_cause,
                                .value = record->trap_value};
    const struct trace_record line = {
        .sequence = record->sequence,
        .pc = record->pc,
        .word = record->word,
        .length = record->length,
        .privilege = record->privilege,
        .bare = record->flags & TTRACE_BARE,
        .recorder = record->recorder,
        .trap = record->flags & TTRACE_TRAP ? &fault : NULL,
        .thread = record->thread,
        .turn = record->turn,
        .is_interrupt = record->flags & TTRACE_INTERRUPT,
    };

    if (!(record->flags & TTRACE_START))
        trace_instruction(output, &line);
}
