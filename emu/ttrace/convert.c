/* ttrace convert: the records go to the writers of temu's own formats, so what they make of a
 * record is what temu would have written. */
#include "emu/ttrace/ttrace.h"

#include <sys/stat.h>
#include <time.h>

enum { PAUSE = 50000000 }; /* nanoseconds between two looks at a file that grows */

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

/* Writes the segments from *done on, which then counts those, too. */
static bool write_segments(struct trace *output, struct ttrace *trace, size_t *done)
{
    struct ttrace_decoder decoder = {0};
    struct ttrace_record record;
    bool good = true;

    for (; good && *done < trace->segment_count && !trace_finished(output); ++*done) {
        good = ttrace_load(&decoder, trace, &trace->segments[*done]);
        while (good && ttrace_next(&decoder, &record))
            write_record(output, &record);
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
    const struct trace_program program = {.file = tool->has_program ? &tool->elf : NULL,
                                          .symbols = tool->has_program ? &tool->symbols : NULL,
                                          .machine = trace->machine,
                                          .workers = trace->workers,
                                          .moved = trace->moved};
    struct trace output;
    size_t done = 0;

    if (tool->is_picture)
        return convert_to_picture(tool);
    if (!trace_open(&output, &tool->diag, &options, &program))
        return false;
    bool good =
        write_segments(&output, trace, &done) && (!tool->follows || follow(tool, &output, &done));
    return trace_close(&output) && good;
}
