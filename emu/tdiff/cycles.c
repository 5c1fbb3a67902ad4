/* See cycles.h. Only distances are compared, because a simulation may begin at any cycle. */
#include "emu/tdiff/cycles.h"

#include "emu/tdiff/commits.h"
#include "lib/isa.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int compare(struct cycle_file files[2], const char *const names[2],
                   struct residual *residuals)
{
    int status = SAME;

    for (;;) {
        int first = cycle_file_next(&files[0]), second = cycle_file_next(&files[1]);
        if (first < 0 || second < 0)
            return TROUBLE;
        if (!first && !second)
            break;
        if (first != second || files[0].now.sequence != files[1].now.sequence) {
            int less = !first || (second && files[1].now.sequence < files[0].now.sequence);
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
    if (status == DIFFERENT)
        print_residuals(residuals);
    if (files[0].count < 2 && status == SAME) {
        diag_error(files[0].diag, &files[0].at,
                   "has %" PRIu64 " instructions: nothing was compared; expected at least 2",
                   files[0].count);
        return TROUBLE;
    }
    return status;
}

int cycles_compare(struct diag *diag, struct arena *arena, const char *const names[2])
{
    struct cycle_file files[2] = {{0}};
    struct residual *residuals = arena_array(arena, isa_class_count + 1, sizeof *residuals);
    int status = TROUBLE;

    if (strcmp(names[0], "-") == 0 && strcmp(names[1], "-") == 0)
        diag_error(diag, NULL, "standard input cannot be both files");
    else if (cycle_file_open(&files[0], diag, names[0]) &&
             cycle_file_open(&files[1], diag, names[1]))
        status = compare(files, names, residuals);
    cycle_file_close(&files[0]);
    cycle_file_close(&files[1]);
    return status;
}
