/* See schedule.h. */
#include "emu/workers/schedule.h"
#include "lib/file.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r";

/* Returns the thread of a name of `length` bytes: sup, w0 and so on; or -1. */
static long find_thread(const char *name, size_t length, unsigned workers)
{
    if (length == 3 && strncmp(name, "sup", 3) == 0)
        return 0;
    size_t digits = length > 1 && *name == 'w' ? strspn(name + 1, "0123456789") : 0;
    if (digits == 0 || digits + 1 != length || digits > 3 || (digits > 1 && name[1] == '0'))
        return -1;
    long number = strtol(name + 1, NULL, 10);
    return number < (long)workers ? number + 1 : -1;
}

/* Returns the number that fills the word, or 0. */
static uint64_t read_count(const char *word, size_t length)
{
    char *end;

    errno = 0;
    uint64_t count = strspn(word, "0123456789") == length ? strtoull(word, &end, 10) : 0;
    return errno ? 0 : count;
}

/* Reads one line that is not empty. `at` is the place of its first word. */
static bool read_part(struct schedule_part *part, struct diag *diag, const char *line,
                      struct position at, unsigned workers)
{
    size_t name_length = strcspn(line, " \t\r\n#");
    const char *word = line + name_length + strspn(line + name_length, blanks);
    size_t length = strcspn(word, " \t\r\n#");
    const char *rest = word + length + strspn(word + length, blanks);
    long thread = find_thread(line, name_length, workers);

    at.length = (unsigned)name_length;
    *part = (struct schedule_part){(unsigned)thread, read_count(word, length), at};
    if (thread < 0) {
        diag_error(diag, &at, "found '%.*s', expected a thread: sup, or w0 to w%u",
                   (int)name_length, line, workers - 1);
        return false;
    }
    at.column += (unsigned)(word - line);
    at.length = (unsigned)length;
    if (!part->turns) {
        if (length)
            diag_error(diag, &at, "found '%.*s', expected a number of turns, 1 or more",
                       (int)length, word);
        else
            diag_error(diag, &at, "expected a number of turns after the thread, 1 or more");
        return false;
    }
    at.column += (unsigned)(rest - word);
    at.length = 1;
    if (*rest && *rest != '\n' && *rest != '#') {
        diag_error(diag, &at, "expected the end of the line after a thread and its turns");
        return false;
    }
    return true;
}

bool schedule_read(struct schedule *schedule, struct arena *arena, struct diag *diag,
                   const char *name, unsigned workers)
{
    struct diag_file *file = arena_new(arena, struct diag_file);
    size_t lines = 1;

    if (!file_read(arena, diag, NULL, name, file))
        return false;
    for (const char *at = file->bytes; (at = strchr(at, '\n')); at++)
        lines++;
    *schedule = (struct schedule){.parts = arena_array(arena, lines, sizeof *schedule->parts)};
    unsigned number = 1;
    for (const char *line = file->bytes; *line; number++) {
        const char *first = line + strspn(line, blanks);
        const struct position at = {
            .file = file, .line = number, .column = (unsigned)(first - line) + 1};
        if (*first && *first != '\n' && *first != '#' &&
            !read_part(&schedule->parts[schedule->count++], diag, first, at, workers))
            return false;
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return true;
}

bool schedule_thread(const struct schedule *schedule, unsigned *thread)
{
    if (schedule->next == schedule->count)
        return false;
    *thread = schedule->parts[schedule->next].thread;
    return true;
}

void schedule_take(struct schedule *schedule)
{
    if (++schedule->taken < schedule->parts[schedule->next].turns)
        return;
    schedule->next++;
    schedule->taken = 0;
}
