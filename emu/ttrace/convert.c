/* ttrace convert: the records go to the writers of temu's own formats, so what they make of a
 * record is what temu would have written. */
#include "emu/ttrace/ttrace.h"

/* Gives the record to the writer. */
static void write_record(struct trace *output, const struct ttrace_record *record)
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

bool convert(struct ttrace_tool *tool)
{
    struct ttrace *trace = &tool->trace;
    const struct trace_options options = {.file = "-", .format = tool->format};
    const struct trace_program program = {.file = tool->has_program ? &tool->elf : NULL,
                                          .symbols = tool->has_program ? &tool->symbols : NULL,
                                          .machine = trace->machine,
                                          .workers = trace->workers,
                                          .moved = trace->moved};
    struct ttrace_decoder decoder = {0};
    struct ttrace_record record;
    struct trace output;
    bool good = true;

    if (tool->is_picture)
        return convert_to_picture(tool);
    if (!trace_open(&output, &tool->diag, &options, &program))
        return false;
    for (size_t i = 0; good && i < trace->segment_count && !trace_finished(&output); i++) {
        good = ttrace_load(&decoder, trace, &trace->segments[i]);
        while (good && ttrace_next(&decoder, &record))
            write_record(&output, &record);
        good = good && !decoder.failed;
    }
    ttrace_decoder_free(&decoder);
    return trace_close(&output) && good;
}
