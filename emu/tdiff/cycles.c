/* See cycles.h. Only distances are compared, because a simulation may begin at any cycle. */
#include "emu/tdiff/cycles.h"

#include "lib/isa.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAME, DIFFERENT, TROUBLE };

/* The commit of an instruction, as a file has it. */
struct commit {
    uint64_t sequence, cycle;
    char text[160];                      /* pc and instruction; empty: unknown */
    const struct isa_instruction *known; /* NULL: unknown */
};

struct cycle_file {
    struct diag *diag;
    struct position at;
    FILE *stream;
    char *line;
    size_t capacity;
    uint64_t count; /* of instructions */
    struct commit now, before;
};

/* The differences of a timing class. */
struct residual {
    uint64_t count, different;
    int64_t sum;
};

/* ---- reading ---- */

static bool bad_line(const struct cycle_file *file, const char *expected)
{
    diag_error(file->diag, &file->at, "expected %s", expected);
    return false;
}

/* Reads decimal digits. Returns false when there are none or too many. */
static bool read_number(const char **at, uint64_t *value)
{
    char *end;
    unsigned long long number = strtoull(*at, &end, 10);

    if (end == *at || **at == '-' || number == UINT64_MAX)
        return false;
    *value = number;
    *at = end;
    return true;
}

/* `SEQUENCE PC ENCODING INSTRUCTION | F D Q P S X M E C | …` */
static bool read_table(struct cycle_file *file, const char *cycles)
{
    struct commit *commit = &file->now;
    const char *at = file->line + strspn(file->line, " ");
    char pc[17], encoding[17];
    int length = 0;

    if (!read_number(&at, &commit->sequence) ||
        sscanf(at, " %16[0-9a-f] %16[0-9a-f] %n", pc, encoding, &length) != 2)
        return bad_line(file, "a sequence number, a pc and an encoding at the start of the line");
    commit->known = isa_decode(strtoull(encoding, NULL, 16), (int)strlen(encoding) / 2);
    int columns = (int)(cycles - at - length);
    while (columns > 0 && at[length + columns - 1] == ' ')
        columns--;
    snprintf(commit->text, sizeof commit->text, "0x%s %.*s", pc, columns > 0 ? columns : 0,
             at + length);
    const char *word = cycles + 1;
    for (int i = 0; i < 8; i++) {
        word += strspn(word, " ");
        word += strcspn(word, " |\n");
    }
    word += strspn(word, " ");
    return read_number(&word, &commit->cycle) || bad_line(file, "nine cycles, the last one of C");
}

/* `core   0: 3 0x… (0x…) … cycle 12`, or with the cycle before `core` */
static bool read_log(struct cycle_file *file)
{
    struct commit *commit = &file->now;
    const char *word = strstr(file->line, "cycle"), *core = strstr(file->line, "core");
    const char *at = word ? word + strcspn(word, "0123456789\n") : file->line;
    const char *pc = strstr(core, "0x");

    commit->sequence = file->count;
    if (pc)
        snprintf(commit->text, sizeof commit->text, "%.*s", (int)strcspn(pc, " \n"), pc);
    return read_number(&at, &commit->cycle) ||
           bad_line(file, "a cycle in the line of the log: `cycle N` at its end, or N before core");
}

static bool read_csv(struct cycle_file *file)
{
    struct commit *commit = &file->now;
    const char *at = file->line;

    if (!read_number(&at, &commit->sequence) || *(at += strspn(at, " \t")) != ',')
        return bad_line(file, "sequence,cycle");
    at++;
    if (!read_number(&at, &commit->cycle) || at[strspn(at, " \t\r\n,")] != '\0')
        return bad_line(file, "sequence,cycle");
    return true;
}

/* Is the line the heading of a CSV file, a comment, or empty? */
static bool is_passed(const struct cycle_file *file)
{
    const char *line = file->line;

    return *line == '#' || line[strspn(line, " \t\r\n")] == '\0' ||
           (file->count == 0 && strncmp(line, "sequence", 8) == 0);
}

/* Reads the next instruction. Returns 1, or 0 at the end, or -1 after a diagnostic. */
static int read_next(struct cycle_file *file)
{
    const char *cycles;

    file->before = file->now;
    do {
        if (getline(&file->line, &file->capacity, file->stream) < 0) {
            if (ferror(file->stream))
                diag_error(file->diag, &file->at, "cannot be read");
            return ferror(file->stream) ? -1 : 0;
        }
        file->at.line++;
    } while (is_passed(file));
    file->now = (struct commit){0};
    cycles = strchr(file->line, '|');
    bool is_good = cycles                       ? read_table(file, cycles)
                   : strstr(file->line, "core") ? read_log(file)
                                                : read_csv(file);
    if (!is_good)
        return -1;
    if (file->count++ &&
        (file->now.sequence <= file->before.sequence || file->now.cycle < file->before.cycle)) {
        diag_error(file->diag, &file->at,
                   "instruction %" PRIu64 " in cycle %" PRIu64 " after instruction %" PRIu64
                   " in cycle %" PRIu64 "; expected instructions in order",
                   file->now.sequence, file->now.cycle, file->before.sequence, file->before.cycle);
        return -1;
    }
    return 1;
}

static bool open_file(struct cycle_file *file, struct diag *diag, const char *name)
{
    *file = (struct cycle_file){.diag = diag, .at = {.name = name}};
    file->stream = strcmp(name, "-") == 0 ? stdin : fopen(name, "r");
    if (!file->stream)
        diag_error(diag, &file->at, "cannot be opened: %m");
    return file->stream != NULL;
}

static void close_file(struct cycle_file *file)
{
    if (file->stream && file->stream != stdin)
        fclose(file->stream);
    free(file->line);
}

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
        int first = read_next(&files[0]), second = read_next(&files[1]);
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
    else if (open_file(&files[0], diag, names[0]) && open_file(&files[1], diag, names[1]))
        status = compare(files, names, residuals);
    close_file(&files[0]);
    close_file(&files[1]);
    return status;
}
