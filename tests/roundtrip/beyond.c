/* Values beyond each bound. Every operand of every instruction gets values that its field cannot
 * hold and texts of the wrong kind. Each must be one error at its line, and if there is a range,
 * the message must name it. Errors of different phases of the assembler are in different files,
 * since the assembler stops after a phase with errors. */
#include "tests/roundtrip/roundtrip.h"

#include "lib/diag.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CHUNK = 45 }; /* lines of a file; the assembler reports 50 errors */

struct bad_line {
    char text[128];
    char minimum[24], maximum[24]; /* must be in the message; empty: there is no range */
    bool target;                   /* the error is only found once addresses are known */
};

struct bad_lines {
    struct bad_line *lines;
    size_t count, capacity;
};

static void add_bad(struct bad_lines *bad, const struct line *line, unsigned operand,
                    const char *text, const int64_t *bounds)
{
    struct bad_line *item;

    FILE *stream;

    if (bad->count == bad->capacity) {
        bad->capacity = bad->capacity ? 2 * bad->capacity : 1024;
        bad->lines = reallocarray(bad->lines, bad->capacity, sizeof *bad->lines);
        if (!bad->lines)
            BUG("no memory left");
    }
    item = &bad->lines[bad->count++];
    *item = (struct bad_line){.target = false};
    stream = fmemopen(item->text, sizeof item->text, "w");
    write_line_with(stream, line, operand, text);
    fclose(stream);
    if (bounds) {
        snprintf(item->minimum, sizeof item->minimum, "%" PRId64, bounds[0]);
        snprintf(item->maximum, sizeof item->maximum, "%" PRId64, bounds[1]);
    }
}

static void add_number(struct bad_lines *bad, const struct line *line, unsigned operand,
                       int64_t value, const int64_t *bounds)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRId64, value);
    add_bad(bad, line, operand, text, bounds);
}

/* Tries values below the smallest and above the largest, and between two steps. */
static void add_range(struct bad_lines *bad, const struct line *line, unsigned index,
                      const struct isa_operand *operand)
{
    const struct isa_operand_type *type = operand->type;
    int64_t bounds[2], step, lowest;

    isa_range(operand, &bounds[0], &bounds[1], &step);
    lowest = type->also_negative ? -((int64_t)1 << (type->bits - 1)) : bounds[0];
    add_number(bad, line, index, lowest - step, bounds);
    add_number(bad, line, index, bounds[1] + step, bounds);
    if (step > 1)
        add_number(bad, line, index, bounds[1] - 1, NULL);
    if (type->nonzero)
        add_number(bad, line, index, 0, NULL);
}

/* A branch for which the assembler can use a longer sequence is not refused because of its
 * distance. */
static void add_target(struct bad_lines *bad, const struct line *line, unsigned index,
                       const struct isa_operand *operand)
{
    int64_t bounds[2], step, beyond[3];
    const struct isa_instruction *instruction = line->form->instruction;
    size_t first = instruction->inverse || instruction->expansion ? 2 : 0;

    isa_range(operand, &bounds[0], &bounds[1], &step);
    beyond[0] = bounds[0] - step;
    beyond[1] = bounds[1] + step;
    beyond[2] = step - 1;
    for (size_t i = first; i < (step > 1 ? 3 : 2); i++) {
        char text[48];
        snprintf(text, sizeof text, ". + %" PRId64, beyond[i]);
        add_bad(bad, line, index, text, i < 2 ? bounds : NULL);
        bad->lines[bad->count - 1].target = true;
    }
}

/* Returns a register of a file that the operand does not accept, or NULL if there is no other
 * file. */
static const char *foreign_register(const struct isa_register_file *file)
{
    for (size_t i = 0; i < isa_register_file_count; i++)
        if (&isa_register_files[i] != file)
            return isa_register_files[i].names[1];
    return NULL;
}

static void add_foreign(struct bad_lines *bad, const struct line *line, unsigned index,
                        const struct isa_register_file *file)
{
    if (foreign_register(file))
        add_bad(bad, line, index, foreign_register(file), NULL);
}

static void add_register_or_immediate(struct bad_lines *bad, const struct line *line,
                                      unsigned index, const struct isa_operand_type *type)
{
    int64_t bounds[2] = {0, (1 << type->ri_immediate_bits) - 1};

    add_number(bad, line, index, bounds[1] + 1, bounds);
    add_number(bad, line, index, -1, bounds);
    add_foreign(bad, line, index, type->file);
}

static void add_group(struct bad_lines *bad, const struct line *line, unsigned index,
                      const struct isa_operand_type *type)
{
    const char *const *names = type->file->names;
    unsigned last = type->group_count - 1;
    char text[32];

    snprintf(text, sizeof text, "%s:%s", names[1], names[1 + last]); /* not a multiple */
    add_bad(bad, line, index, text, NULL);
    snprintf(text, sizeof text, "%s:%s", names[0], names[last - 1]); /* too few */
    add_bad(bad, line, index, text, NULL);
    snprintf(text, sizeof text, "%s:%s", names[last], names[0]); /* backwards */
    add_bad(bad, line, index, text, NULL);
    add_bad(bad, line, index, "1", NULL);
}

/* Does the mnemonic have other forms? Then an immediate or a symbol may be right where this form
 * has a register. */
static bool is_overloaded(const struct isa_form *form)
{
    size_t count;

    isa_find_forms(form->mnemonic, &count);
    return count > 1;
}

static void add_register(struct bad_lines *bad, const struct line *line, unsigned index,
                         const struct isa_register_file *file)
{
    char text[32];

    add_foreign(bad, line, index, file);
    if (is_overloaded(line->form))
        return;
    for (unsigned i = 0; i < file->count; i++)
        if (!isa_fits(&line->form->operands[index], i))
            add_bad(bad, line, index, file->names[i], NULL);
    add_bad(bad, line, index, "5", NULL);
    snprintf(text, sizeof text, "%s%u", file->numeric, file->count);
    add_bad(bad, line, index, text, NULL);
}

static void add_operand(struct bad_lines *bad, const struct line *line, unsigned index)
{
    const struct isa_operand *operand = &line->form->operands[index];
    const struct isa_operand_type *type = operand->type;
    int64_t csr_bounds[2] = {0, (INT64_C(1) << type->bits) - 1};

    switch (type->kind) {
    case ISA_REGISTER:
        add_register(bad, line, index, type->file);
        break;
    case ISA_REGISTER_GROUP:
        add_group(bad, line, index, type);
        break;
    case ISA_REGISTER_OR_IMMEDIATE:
        add_register_or_immediate(bad, line, index, type);
        break;
    case ISA_IMMEDIATE:
        add_range(bad, line, index, operand);
        add_bad(bad, line, index, isa_register_files[0].names[1], NULL);
        break;
    case ISA_TARGET:
        add_target(bad, line, index, operand);
        break;
    case ISA_CSR:
        add_number(bad, line, index, csr_bounds[1] + 1, csr_bounds);
        add_number(bad, line, index, -1, csr_bounds);
        break;
    case ISA_ENUM:
    case ISA_SET:
        add_bad(bad, line, index, "bogus", NULL);
        break;
    default:
        break;
    }
}

/* Violates a constraint by making two operands of one kind equal, if that violates it. */
static void add_constraints(struct bad_lines *bad, const struct line *plain)
{
    const struct isa_form *form = plain->form;

    for (unsigned i = 0; i < form->operand_count; i++) {
        for (unsigned j = 0; j < i; j++) {
            struct line line = *plain;
            line.values[i] = line.values[j];
            if (form->operands[i].type->kind == form->operands[j].type->kind &&
                !constraints_hold(&line))
                add_bad(bad, &line, 0, NULL, NULL);
        }
    }
}

/* Has the mnemonic a form without operands? */
static bool has_bare_form(const char *mnemonic)
{
    size_t count;
    const struct isa_form *forms = isa_find_forms(mnemonic, &count);

    for (size_t i = 0; i < count; i++)
        if (!forms[i].operand_count)
            return true;
    return false;
}

/* Tries too few and too many operands. */
static void add_counts(struct bad_lines *bad, const struct line *line)
{
    struct bad_line *item;
    size_t length;

    add_bad(bad, line, 0, NULL, NULL);
    item = &bad->lines[bad->count - 1];
    length = strcspn(item->text, "\n");
    snprintf(item->text + length, sizeof item->text - length, ", 1, 2, 3\n");
    if (has_bare_form(line->form->mnemonic) || line->form->syntax[0].kind == ISA_TOKEN_OPTIONAL)
        return;
    add_bad(bad, line, 0, "", NULL);
}

static void collect(struct bad_lines *bad)
{
    for (size_t i = 0; i < isa_instruction_count; i++) {
        const struct isa_form *form = isa_instructions[i].form;
        struct line line;
        plain_line(form, &line);
        for (unsigned operand = 0; operand < form->operand_count; operand++)
            add_operand(bad, &line, operand);
        add_constraints(bad, &line);
        add_counts(bad, &line);
    }
}

/* ---- running the assembler ---- */

struct seen {
    bool error;
    char message[256];
};

/* Parses `FILE:LINE:COLUMN: error: MESSAGE`. Other lines (source, caret, notes) are skipped. */
static void read_diagnostic(const char *text, const char *file, struct seen *seen, size_t lines)
{
    size_t name = strlen(file);
    const char *message = strstr(text, ": error: ");
    unsigned long line;

    if (strncmp(text, file, name) != 0 || text[name] != ':' || !message)
        return;
    line = strtoul(text + name + 1, NULL, 10);
    if (line < 1 || line > lines)
        return;
    seen[line - 1].error = true;
    snprintf(seen[line - 1].message, sizeof seen->message, "%s", message + 9);
}

/* Is the number, as a whole word, in the text? */
static bool contains_number(const char *text, const char *number)
{
    size_t length = strlen(number);

    for (const char *at = strstr(text, number); at; at = strstr(at + 1, number))
        if ((at == text || !strchr("-0123456789", at[-1])) && !strchr("0123456789", at[length]))
            return true;
        else if (!at[length])
            return at == text || !strchr("-0123456789", at[-1]);
    return length == 0;
}

static int check_line(const struct bad_line *bad, const struct seen *seen)
{
    if (!seen->error)
        printf("no error for: %s", bad->text);
    else if (!contains_number(seen->message, bad->minimum) ||
             !contains_number(seen->message, bad->maximum))
        printf("no range %s to %s in the message for: %s  %s", bad->minimum, bad->maximum,
               bad->text, seen->message);
    else
        return 0;
    return 1;
}

/* Returns an -march with everything in the tables. */
static void write_march(char *text, size_t size)
{
    size_t length = (size_t)snprintf(text, size, "rv64");

    for (int several = 0; several <= 1; several++)
        for (size_t i = 0; i < isa_extension_count; i++)
            if ((strlen(isa_extensions[i].name) > 1) == several)
                length += (size_t)snprintf(text + length, size - length, "%s%s", several ? "_" : "",
                                           isa_extensions[i].name);
}

static int check_chunk(const char *tasm, const char *directory, unsigned number,
                       const struct bad_line *const *lines, size_t count)
{
    struct seen seen[CHUNK] = {{false, ""}};
    char file[512], object[512], command[4096], text[1024], march[1024];
    struct stat status;
    int failures = 0;

    FILE *stream, *pipe;

    snprintf(file, sizeof file, "%s/beyond%u.s", directory, number);
    snprintf(object, sizeof object, "%s/beyond%u.o", directory, number);
    write_march(march, sizeof march);
    snprintf(command, sizeof command, "%s -march=%s -o %s %s 2>&1", tasm, march, object, file);
    stream = fopen(file, "w");
    if (!stream)
        BUG("cannot write %s", file);
    for (size_t i = 0; i < count; i++)
        fputs(lines[i]->text, stream);
    fclose(stream);
    remove(object);
    pipe = popen(command, "r");
    while (pipe && fgets(text, sizeof text, pipe))
        read_diagnostic(text, file, seen, count);
    if (!pipe || pclose(pipe) != 1 << 8) {
        printf("%s: the assembler did not exit with status 1\n", file);
        failures++;
    }
    if (stat(object, &status) == 0) {
        printf("%s: the assembler left an object behind\n", file);
        failures++;
    }
    for (size_t i = 0; i < count; i++)
        failures += check_line(lines[i], &seen[i]);
    return failures;
}

int check_beyond(const char *tasm, const char *directory)
{
    struct bad_lines bad = {0};
    const struct bad_line *chunk[CHUNK];
    unsigned chunks = 0;
    int failures = 0;

    collect(&bad);
    for (int target = 0; target <= 1; target++) {
        size_t count = 0;
        for (size_t i = 0; i <= bad.count; i++) {
            if (count == CHUNK || (i == bad.count && count > 0)) {
                failures += check_chunk(tasm, directory, chunks++, chunk, count);
                count = 0;
            }
            if (i < bad.count && bad.lines[i].target == (target == 1))
                chunk[count++] = &bad.lines[i];
        }
    }
    printf("%zu bad lines, %d not refused as they should be\n", bad.count, failures);
    free(bad.lines);
    return failures > 0 || bad.count == 0;
}
