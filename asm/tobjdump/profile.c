/* --profile: a profile in the format of Callgrind, whose costs are printed beside the instructions.
 * Only the lines of costs are of interest: `ADDRESS [LINE] COST…`. The one after `calls=` is the
 * cost of callees. Addresses are absolute, relative to the one before (`+4`, `-4`), or the same
 * (`*`).
 *
 * Source: Valgrind's manual, "Callgrind Format Specification". */
#include "asm/tobjdump/tobjdump.h"
#include "lib/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLUMN = 14, /* width of a count */
    SHOWN = 2,   /* events: the first one, and cycles */
    NO_EVENT = -1,
};

static const char cycles_name[] = "Cycles"; /* as temu --timing --profile calls the event */

struct profile_line {
    uint64_t address, counts[SHOWN];
};

struct profile {
    struct profile_line *lines; /* by address */
    size_t count, capacity;
    const char *names[SHOWN]; /* of the events; NULL: there is none */
    int columns[SHOWN];       /* among the events */
    unsigned positions;       /* numbers before the costs; the first is an address */
    uint64_t code;            /* digest of the program's code, if it has_code */
    bool has_code;
    struct position whole; /* the file */
};

/* ---- reading ---- */

/* Returns the next word of the line, and in *length its length; 0 at the end. */
static const char *next_word(const char **at, size_t *length)
{
    *at += strspn(*at, " \t\r");
    const char *word = *at;
    *length = strcspn(word, " \t\r");
    *at += *length;
    return word;
}

static void read_events(struct tobjdump *objdump, struct profile *profile, const char *line)
{
    size_t length;
    int column = 0;

    for (const char *word; (word = next_word(&line, &length)), length > 0; column++) {
        bool is_cycles = length == strlen(cycles_name) && strncmp(word, cycles_name, length) == 0;
        if (column > 0 && !is_cycles)
            continue;
        profile->columns[column > 0] = column;
        profile->names[column > 0] = arena_copy(&objdump->arena, word, length);
    }
}

/* Reads `instr`, which may come before other positions. */
static void read_positions(struct profile *profile, const char *line)
{
    size_t length;
    unsigned count = 0;

    profile->positions = 0;
    for (const char *word; (word = next_word(&line, &length)), length > 0; count++)
        if (count == 0 && (length != 5 || strncmp(word, "instr", length) != 0))
            return;
    profile->positions = count;
}

static bool read_address(const char *word, size_t length, uint64_t *address)
{
    char *end;

    if (length == 1 && *word == '*')
        return true;
    bool is_relative = *word == '+' || *word == '-';
    uint64_t number = strtoull(word + is_relative, &end, 0);
    if (end != word + length)
        return false;
    *address = *word == '+' ? *address + number : *word == '-' ? *address - number : number;
    return true;
}

/* Reads a line of costs. `is_callee`: of calls; only the address counts. Returns false if it is not
 * one. */
static bool read_costs(struct tobjdump *objdump, struct profile *profile, const char *line,
                       uint64_t *address, bool is_callee)
{
    size_t length;
    const char *word = next_word(&line, &length);

    if (!read_address(word, length, address))
        return false;
    for (unsigned i = 1; i < profile->positions; i++)
        next_word(&line, &length);
    if (is_callee)
        return true;
    profile->lines = arena_grow(&objdump->arena, profile->lines, profile->count, &profile->capacity,
                                sizeof *profile->lines);
    struct profile_line *at = &profile->lines[profile->count++];
    *at = (struct profile_line){.address = *address};
    for (int column = 0; (word = next_word(&line, &length)), length > 0; column++) {
        char *end;
        uint64_t number = strtoull(word, &end, 0);
        if (end != word + length)
            return false;
        for (unsigned i = 0; i < SHOWN; i++)
            if (profile->columns[i] == column)
                at->counts[i] = number;
    }
    return true;
}

/* Reads `desc: Code: DIGEST`. */
static void read_digest(struct profile *profile, const char *line)
{
    char *end;

    profile->code = strtoull(line, &end, 16);
    profile->has_code = end != line && *end == '\0';
}

static bool is_cost(const char *line)
{
    return (*line >= '0' && *line <= '9') || *line == '+' || *line == '-' || *line == '*';
}

/* Takes a line, without its end. Returns false after a diagnostic. */
static bool read_line(struct tobjdump *objdump, struct profile *profile, const struct position *at,
                      const char *line, uint64_t *address, bool *is_callee)
{
    if (strncmp(line, "events:", 7) == 0) {
        read_events(objdump, profile, line + 7);
    } else if (strncmp(line, "positions:", 10) == 0) {
        read_positions(profile, line + 10);
    } else if (strncmp(line, "desc: Code: ", 12) == 0) {
        read_digest(profile, line + 12);
    } else if (strncmp(line, "calls=", 6) == 0) {
        *is_callee = true;
    } else if (is_cost(line)) {
        if (!profile->positions || !profile->names[0]) {
            diag_error(&objdump->diag, at,
                       "found costs without addresses; expected `positions: instr` and `events:` "
                       "before them, as temu --profile=FILE --profile-format=callgrind writes");
            return false;
        }
        if (!read_costs(objdump, profile, line, address, *is_callee)) {
            diag_error(&objdump->diag, at, "found '%.40s', expected an address and costs", line);
            return false;
        }
        *is_callee = false;
    }
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct profile_line *left = a, *right = b;

    return (left->address > right->address) - (left->address < right->address);
}

/* Sorts the lines, and makes one of those of an address. */
static void merge(struct profile *profile)
{
    size_t count = 0;

    if (profile->count == 0)
        return;
    qsort(profile->lines, profile->count, sizeof *profile->lines, compare);
    for (size_t i = 1; i < profile->count; i++)
        if (profile->lines[count].address == profile->lines[i].address)
            for (unsigned event = 0; event < SHOWN; event++)
                profile->lines[count].counts[event] += profile->lines[i].counts[event];
        else
            profile->lines[++count] = profile->lines[i];
    profile->count = count + 1;
}

bool profile_read(struct tobjdump *objdump, const char *name)
{
    struct profile *profile = arena_new(&objdump->arena, struct profile);
    struct position at = {.name = name};
    uint64_t address = 0;
    bool is_callee = false;
    struct diag_file file;

    if (!file_read(&objdump->arena, &objdump->diag, NULL, name, &file))
        return false;
    *profile = (struct profile){.columns = {NO_EVENT, NO_EVENT}, .whole = {.name = name}};
    /* The arena's copy of the file may be changed. */
    for (char *line = (char *)file.bytes, *end = line + file.length; line < end;) {
        char *next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next : end;
        *next = '\0';
        at.line++;
        if (!read_line(objdump, profile, &at, line, &address, &is_callee))
            return false;
        line = next + 1;
    }
    if (profile->count == 0) {
        at.line = 0;
        diag_error(&objdump->diag, &at,
                   "found no costs; expected a profile that temu --profile=FILE "
                   "--profile-format=callgrind has written");
        return false;
    }
    merge(profile);
    objdump->profile = profile;
    return true;
}

/* ---- is it of this program? ---- */

static bool has_code_at(const struct elf_file *file, uint64_t address)
{
    for (size_t i = 1; i < file->section_count; i++) {
        const Elf64_Shdr *header = &file->sections[i].header;
        if (header->sh_flags & SHF_EXECINSTR && address - header->sh_addr < header->sh_size)
            return true;
    }
    return false;
}

bool profile_check(struct tobjdump *objdump)
{
    const struct profile *profile = objdump->profile;
    size_t outside = 0;

    if (!profile)
        return true;
    uint64_t code = elf_code_digest(&objdump->file);
    for (size_t i = 0; i < profile->count; i++)
        outside += !has_code_at(&objdump->file, profile->lines[i].address);
    if (outside == profile->count)
        diag_error(&objdump->diag, &profile->whole,
                   "the profile is of another program: '%s' has no code at any of its addresses",
                   objdump->file.name);
    else if (profile->has_code && profile->code != code)
        diag_warning(&objdump->diag, &profile->whole,
                     "the profile is of a program with other code than '%s' (digest %016llx, not "
                     "%016llx), so its counts may be those of other instructions; run temu "
                     "--profile again",
                     objdump->file.name, (unsigned long long)profile->code,
                     (unsigned long long)code);
    else if (outside)
        diag_warning(
            &objdump->diag, &profile->whole,
            "'%s' has no code at %zu of %zu addresses, so the profile may be of another program",
            objdump->file.name, outside, profile->count);
    return outside < profile->count;
}

/* ---- writing ---- */

void profile_write_heading(struct tobjdump *objdump)
{
    const struct profile *profile = objdump->profile;

    for (unsigned i = 0; profile && i < SHOWN; i++)
        if (profile->names[i])
            text_format(&objdump->out, "%*s", COLUMN, profile->names[i]);
    if (profile)
        text_append_char(&objdump->out, '\n');
}

void profile_write_counts(struct tobjdump *objdump, uint64_t address)
{
    const struct profile *profile = objdump->profile;
    const struct profile_line key = {.address = address};

    if (!profile)
        return;
    const struct profile_line *line =
        bsearch(&key, profile->lines, profile->count, sizeof key, compare);
    for (unsigned i = 0; i < SHOWN; i++)
        if (profile->names[i] && line)
            text_format(&objdump->out, "%*" PRIu64, COLUMN, line->counts[i]);
        else if (profile->names[i])
            text_append_blanks(&objdump->out, COLUMN);
    text_append_blanks(&objdump->out, 1);
}
