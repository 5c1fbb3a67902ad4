/* See follow.h. A file that has grown is opened again. */
#include "emu/ttrace/follow.h"

#include <sys/stat.h>
#include <time.h>

enum { PAUSE = 50000000 }; /* nanoseconds between two looks at a file that grows */

static void wait_a_little(void)
{
    nanosleep(&(const struct timespec){.tv_nsec = PAUSE}, NULL);
}

void follow_wait(const char *name)
{
    struct stat status;

    while (stat(name, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0)
        wait_a_little();
    wait_a_little(); /* for the rest of the header */
}

/* Reads the segments from *done on, which then counts those, too. */
static bool read_segments(const struct reader *reader, struct ttrace *trace, size_t *done)
{
    bool good = true;

    for (; good && *done < trace->segment_count && !reader->is_finished(reader->context); ++*done)
        good = reader->read(reader->context, trace, &trace->segments[*done]);
    return good;
}

/* Reads what is added to the file until the run has ended. */
static bool read_more(struct ttrace_tool *tool, const struct reader *reader, size_t *done)
{
    off_t size = (off_t)tool->trace.file.length;
    bool good = true, is_complete = tool->trace.is_complete;
    struct stat status;

    while (good && !is_complete && !reader->is_finished(reader->context)) {
        struct arena arena = {0};
        struct ttrace trace;

        reader->flush(reader->context);
        wait_a_little();
        if (stat(tool->words[1], &status) == 0 && status.st_size == size)
            continue;
        good = ttrace_open(&trace, &arena, &tool->diag, tool->words[1]) &&
               read_segments(reader, &trace, done);
        size = (off_t)trace.file.length;
        is_complete = trace.is_complete;
        arena_free(&arena);
    }
    return good;
}

bool follow(struct ttrace_tool *tool, const struct reader *reader)
{
    size_t done = 0;

    return read_segments(reader, &tool->trace, &done) &&
           (!tool->follows || read_more(tool, reader, &done));
}
