/* ttrace convert: the records go to the writers of temu's own formats (emu/trace/replay.h). */
#include "emu/trace/replay.h"
#include "emu/ttrace/ttrace.h"

#include <sys/stat.h>
#include <time.h>

enum { PAUSE = 50000000 }; /* nanoseconds between two looks at a file that grows */

/* Writes the segments from *done on, which then counts those, too. */
static bool write_segments(struct trace *output, struct ttrace *trace, size_t *done)
{
    struct ttrace_decoder decoder = {0};
    struct ttrace_record record;
    bool good = true;

    for (; good && *done < trace->segment_count && !trace_finished(output); ++*done) {
        good = ttrace_load(&decoder, trace, &trace->segments[*done]);
        while (good && ttrace_next(&decoder, &record))
            replay_record(output, &record);
        good = good && !decoder.failed;
    }
    ttrace_decoder_free(&decoder);
    return good;
}

static void wait_a_little(void)
{
    nanosleep(&(const struct timespec){.tv_nsec = PAUSE}, NULL);
}

void convert_wait(const char *name)
{
    struct stat status;

    while (stat(name, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0)
        wait_a_little();
    wait_a_little(); /* for the rest of the header */
}

/* Writes what is added to the file until the run has ended. */
static bool follow(struct ttrace_tool *tool, struct trace *output, size_t *done)
{
    off_t size = (off_t)tool->trace.file.length;
    bool good = true, is_complete = tool->trace.is_complete;
    struct stat status;

    while (good && !is_complete && !trace_finished(output)) {
        struct arena arena = {0};
        struct ttrace trace;

        trace_flush(output);
        wait_a_little();
        if (stat(tool->words[1], &status) == 0 && status.st_size == size)
            continue;
        good = ttrace_open(&trace, &arena, &tool->diag, tool->words[1]) &&
               write_segments(output, &trace, done);
        size = (off_t)trace.file.length;
        is_complete = trace.is_complete;
        arena_free(&arena);
    }
    return good;
}

bool convert(struct ttrace_tool *tool)
{
    struct ttrace *trace = &tool->trace;
    const struct trace_options options = {.file = "-", .format = tool->format};
    struct trace output;
    size_t done = 0;

    if (tool->is_picture)
        return convert_to_picture(tool);
    if (!replay_open(&output, &tool->diag, &options, trace, tool->has_program ? &tool->elf : NULL,
                     tool->has_program ? &tool->symbols : NULL))
        return false;
    bool good =
        write_segments(&output, trace, &done) && (!tool->follows || follow(tool, &output, &done));
    return trace_close(&output) && good;
}
