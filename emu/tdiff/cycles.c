/* See cycles.h. Only distances are compared, because a simulation may begin at any cycle. */
#include "emu/tdiff/cycles.h"

#include "emu/tdiff/commits.h"
#include "lib/isa.h"
#include "lib/strings.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SAME, DIFFERENT, TROUBLE };

/* The differences of a timing class. */
struct residual {
    uint64_t count, different;
    int64_t sum;
};

/* ---- comparing ---- */

static void print_commit(const char *name, const struct cycle_file *file)
{
    printf("%s: cycle %" PRIu64 ", %" PRIu64 " after the one before\n", name, file->now.cycle,
           file->now.cycle - file->before.cycle);
}

static void print_difference(const struct cycle_file files[2], const char *const names[2])
{
    const char *text = files[0].now.text[0] ? files[0].now.text : files[1].now.text;

    if (files[0].thread)
        printf("thread %s: ", files[0].thread);
    printf("the first difference is at instruction %" PRIu64 "%s%s\n", files[0].now.sequence,
           *text ? ": " : "", text);
    print_commit(names[0], &files[0]);
    print_commit(names[1], &files[1]);
}

static void print_residuals(const struct residual *residuals)
{
    printf("%-16s %12s %12s %12s\n", "class", "instructions", "different", "cycles");
    for (size_t i = 0; i <= isa_class_count; i++)
        if (residuals[i].different)
            printf("%-16s %12" PRIu64 " %12" PRIu64 " %+12" PRId64 "\n",
                   i < isa_class_count ? isa_classes[i].name : "(unknown)", residuals[i].count,
                   residuals[i].different, residuals[i].sum);
}

/* Compares an instruction that both files have. Returns whether the distance differs. */
static bool compare_commits(const struct cycle_file files[2], struct residual *residuals)
{
    const struct isa_instruction *known =
        files[0].now.known ? files[0].now.known : files[1].now.known;
    struct residual *residual = &residuals[isa_class_count];

    if (known)
        residual =
            &residuals[(known->expansion ? known->expansion->step.instruction : known)->timing -
                       isa_classes];
    uint64_t model = files[0].now.cycle - files[0].before.cycle;
    uint64_t other = files[1].now.cycle - files[1].before.cycle;
    residual->count++;
    residual->different += model != other;
    residual->sum += (int64_t)(other - model);
    return model != other;
}

/* Do both files go on with the same instruction? Those of a thread are counted. */
static bool is_same(const struct cycle_file files[2])
{
    return files[0].thread || files[0].now.sequence == files[1].now.sequence;
}

/* Compares the commits of the files, or of their thread. */
static int compare(struct cycle_file files[2], const char *const names[2],
                   struct residual *residuals)
{
    int status = SAME;

    for (;;) {
        int first = cycle_file_next(&files[0]), second = cycle_file_next(&files[1]);
        if (first < 0 || second < 0)
            return TROUBLE;
        for (unsigned i = 0; i < 2 && !files[0].thread; i++)
            if (files[i].has_threads) {
                diag_error(files[i].diag, &files[i].at,
                           "found the table of a barrel in a pipe; expected a file, which is read "
                           "once for each thread");
                return TROUBLE;
            }
        if (!first && !second)
            break;
        if (first != second || !is_same(files)) {
            int less = !first || (second && files[1].now.sequence < files[0].now.sequence);
            if (files[0].thread)
                printf("thread %s: ", files[0].thread);
            printf("instruction %" PRIu64 " is in %s only\n", files[less].now.sequence,
                   names[less]);
            status = DIFFERENT;
            break;
        }
        if (files[0].count == 1 || !compare_commits(files, residuals))
            continue;
        if (status == SAME)
            print_difference(files, names);
        status = DIFFERENT;
    }
    return status;
}

/* Returns TROUBLE after a diagnostic if the file has nothing to compare. */
static int check_count(const struct cycle_file *file, uint64_t count)
{
    if (count >= 2)
        return SAME;
    diag_error(file->diag, &file->at,
               "has %" PRIu64 " instructions: nothing was compared; expected at least 2", count);
    return TROUBLE;
}

/* ---- the threads of a barrel ---- */

/* Adds the threads of the file, in the order of their first instructions. A file without threads
 * adds none. */
static bool find_threads(struct diag *diag, struct arena *arena, const char *name,
                         struct strings *threads)
{
    struct cycle_file file;
    bool is_good = cycle_file_open(&file, diag, name);
    int result = is_good;

    while (is_good && (result = cycle_file_next(&file)) > 0 && file.has_threads)
        if (strings_find(threads, file.name) == threads->count)
            strings_add(threads, arena, arena_copy(arena, file.name, strlen(file.name)));
    cycle_file_close(&file);
    return is_good && result >= 0;
}

/* Compares what each thread committed: its instructions are in order, those of different threads
 * are not. */
static int compare_threads(struct diag *diag, struct arena *arena, const char *const names[2],
                           struct residual *residuals)
{
    struct cycle_file files[2] = {{0}};
    struct strings threads = {0};
    uint64_t count = 0;
    int status = SAME;

    for (unsigned i = 0; i < 2; i++) {
        size_t before = threads.count;
        if (!find_threads(diag, arena, names[i], &threads))
            return TROUBLE;
        if (i == 0 && threads.count == before)
            break;
    }
    for (size_t i = 0; i < threads.count && status != TROUBLE; i++) {
        int found = TROUBLE;
        if (cycle_file_open(&files[0], diag, names[0]) &&
            cycle_file_open(&files[1], diag, names[1])) {
            files[0].thread = files[1].thread = threads.items[i];
            found = compare(files, names, residuals);
        }
        count += files[0].count;
        status = found > status ? found : status;
        cycle_file_close(&files[0]);
        cycle_file_close(&files[1]);
        files[1] = (struct cycle_file){0};
    }
    return status == SAME ? check_count(&files[0], count) : status;
}

/* Is the file a table of a barrel? The first line says so. A pipe can be read only once. */
static bool has_threads(struct diag *diag, const char *name)
{
    struct cycle_file file;
    struct stat status;

    if (strcmp(name, "-") == 0 || (stat(name, &status) == 0 && !S_ISREG(status.st_mode)) ||
        !cycle_file_open(&file, diag, name))
        return false;
    cycle_file_next(&file);
    cycle_file_close(&file);
    return file.has_threads;
}

int cycles_compare(struct diag *diag, struct arena *arena, const char *const names[2])
{
    struct cycle_file files[2] = {{0}};
    struct residual *residuals = arena_array(arena, isa_class_count + 1, sizeof *residuals);
    bool is_stdin[2] = {strcmp(names[0], "-") == 0, strcmp(names[1], "-") == 0};
    int status = TROUBLE;

    if (is_stdin[0] && is_stdin[1]) {
        diag_error(diag, NULL, "standard input cannot be both files");
        return TROUBLE;
    }
    bool first = has_threads(diag, names[0]), second = has_threads(diag, names[1]);
    if (diag_failed(diag))
        return TROUBLE;
    if (first != second) {
        diag_error(diag, NULL, "%s is a table of a barrel and %s is not; expected two files of it",
                   names[first ? 0 : 1], names[first ? 1 : 0]);
        return TROUBLE;
    }
    if (first) {
        status = compare_threads(diag, arena, names, residuals);
    } else if (cycle_file_open(&files[0], diag, names[0]) &&
               cycle_file_open(&files[1], diag, names[1])) {
        status = compare(files, names, residuals);
        if (status == SAME)
            status = check_count(&files[0], files[0].count);
    }
    if (status == DIFFERENT)
        print_residuals(residuals);
    cycle_file_close(&files[0]);
    cycle_file_close(&files[1]);
    return status;
}
