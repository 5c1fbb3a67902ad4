/* See commits.h. The format of each line is found by what is in it. */
#include "emu/tdiff/commits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
    if (file->has_threads) {
        int name = 0;
        if (sscanf(at + length, "%15[a-z0-9] %n", file->name, &name) != 1)
            return bad_line(file, "the name of a thread after the encoding");
        length += name;
    }
    commit->word = strtoull(encoding, NULL, 16);
    commit->known = isa_decode(commit->word, (int)strlen(encoding) / 2);
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

    bool is_good = read_number(&at, &commit->sequence) && *(at += strspn(at, " \t")) == ',';
    at += is_good;
    if (is_good && read_number(&at, &commit->cycle) && !at[strspn(at, " \t\r\n,")])
        return true;
    diag_error(file->diag, &file->at,
               "found '%.*s'; expected SEQUENCE,CYCLE, two decimal numbers of up to 64 bits",
               (int)strcspn(file->line, "\r\n"), file->line);
    return false;
}

/* Is the line a heading, a comment, or empty? */
static bool is_passed(struct cycle_file *file)
{
    const char *line = file->line;

    if (strncmp(line, "# sequence pc encoding thread ", 30) == 0)
        file->has_threads = true;

    return *line == '#' || line[strspn(line, " \t\r\n")] == '\0' ||
           (file->count == 0 && strncmp(line, "sequence", 8) == 0);
}

/* Reads the commit of the next line that has one. Returns as cycle_file_next. */
static int read_commit(struct cycle_file *file)
{
    const char *cycles;

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
    return is_good ? 1 : -1;
}

int cycle_file_next(struct cycle_file *file)
{
    struct commit before = file->now;
    int result;

    do
        result = read_commit(file);
    while (result > 0 && file->thread && strcmp(file->thread, file->name) != 0);
    file->before = before;
    if (result <= 0)
        return result;
    if (file->has_threads && !file->thread)
        return 1;
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

bool cycle_file_open(struct cycle_file *file, struct diag *diag, const char *name)
{
    *file = (struct cycle_file){.diag = diag, .at = {.name = name}};
    file->stream = strcmp(name, "-") == 0 ? stdin : fopen(name, "r");
    if (!file->stream)
        diag_error(diag, &file->at, "cannot be opened: %m");
    return file->stream != NULL;
}

void cycle_file_close(struct cycle_file *file)
{
    if (file->stream && file->stream != stdin)
        fclose(file->stream);
    free(file->line);
}
