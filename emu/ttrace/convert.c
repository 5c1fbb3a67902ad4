/* ttrace convert: the records go to the writers of temu's own formats (emu/trace/replay.h). */
#include "emu/trace/replay.h"
#include "emu/ttrace/follow.h"

static bool write_segment(void *context, struct ttrace *trace, const struct ttrace_segment *segment)
{
    struct trace *output = context;
    struct ttrace_decoder decoder = {0};
    struct ttrace_record record;
    bool good = ttrace_load(&decoder, trace, segment);

    while (good && ttrace_next(&decoder, &record))
        replay_record(output, &record);
    good = good && !decoder.failed;
    ttrace_decoder_free(&decoder);
    return good;
}

static bool is_finished(const void *context)
{
    return trace_finished(context);
}

static void flush(void *context)
{
    trace_flush(context);
}

bool convert(struct ttrace_tool *tool)
{
    struct ttrace *trace = &tool->trace;
    const struct trace_options options = {.file = "-", .format = tool->format};
    struct trace output;
    const struct reader reader = {&output, write_segment, is_finished, flush};

    if (tool->is_picture)
        return convert_to_picture(tool);
    if (!replay_open(&output, &tool->diag, &options, trace, tool->has_program ? &tool->elf : NULL,
                     tool->has_program ? &tool->symbols : NULL))
        return false;
    bool good = follow(tool, &reader);
    return trace_close(&output) && good;
}
