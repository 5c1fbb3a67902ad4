/* See library.h. */
#include "emu/native/stencils/library.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void library_add(struct library *library, const char *name, uint16_t number)
{
    if (library->count == TABLES_LIST)
        errx(1, "too many stencils");
    struct row *row = &library->rows[library->count++];
    snprintf(row->name, sizeof row->name, "%s", name);
    row->number = number;
}

void library_add_twin(struct library *library, const char *names)
{
    struct twin twin;

    if (sscanf(names, "%63s %63s", twin.name, twin.other) != 2)
        errx(1, "an instruction has the stencils of no other one");
    for (size_t i = 0; i < library->twin_count; i++)
        if (strcmp(library->twins[i].name, twin.name) == 0) /* from an object before */
            return;
    if (library->twin_count == LIBRARY_TWINS)
        errx(1, "too many instructions with the stencils of others");
    library->twins[library->twin_count++] = twin;
}

const struct row *library_find(const struct library *library, const char *name)
{
    for (size_t i = 0; i < library->count; i++)
        if (strcmp(library->rows[i].name, name) == 0)
            return &library->rows[i];
    return NULL;
}

/* Returns the length of what says whose row it is: stencil_ADD of stencil_ADD__rrmc, or glue_count.
 */
static size_t id_length(const char *name)
{
    const char *places = strstr(name, "__");

    return places ? (size_t)(places - name) : strlen(name);
}

/* Do the rows belong to the same instruction? */
static bool is_same_id(const struct row *a, const struct row *b)
{
    size_t length = id_length(a->name);

    return id_length(b->name) == length && memcmp(a->name, b->name, length) == 0;
}

/* Returns the number of the rows from this one on that belong to the same instruction. */
static size_t count_rows(const struct library *library, size_t first)
{
    size_t end = first + 1;

    while (end < library->count && is_same_id(&library->rows[first], &library->rows[end]))
        end++;
    return end - first;
}

static unsigned number_of_letter(const char *letters, char letter)
{
    const char *found = strchr(letters, letter);

    if (!found)
        errx(1, "a stencil has an unknown letter in its name");
    return (unsigned)(found - letters);
}

/* Returns the kind of the stencil and the places of its operands. */
static enum stencil_kind read_choice(const char *name, unsigned *places)
{
    const char *letters = name + id_length(name);
    char kind = name[strlen(name) - 1];

    *places = PLACE_MEMORY;
    if (!*letters)
        return KIND_USUAL;
    for (unsigned i = 0; i < STENCIL_OPERANDS; i++)
        *places |= number_of_letter(STENCIL_PLACES, letters[2 + i]) << i * STENCIL_PLACE_BITS;
    return number_of_letter(STENCIL_KIND_LETTERS, kind == 's' || kind == 'w' ? 'i' : kind);
}

/* The place of a stencil in a library, in order. */
static unsigned order_of(const struct row *row)
{
    unsigned places;
    enum stencil_kind kind = read_choice(row->name, &places);

    return (unsigned)kind * STENCIL_CHOICES + places;
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *one = a, *other = b;
    size_t length = id_length(one->name), other_length = id_length(other->name);
    int order = memcmp(one->name, other->name, length < other_length ? length : other_length);

    if (order || length != other_length)
        return order ? order : length < other_length ? -1 : 1;
    unsigned first = order_of(one), second = order_of(other);
    return first != second ? (first < second ? -1 : 1) : strcmp(one->name, other->name);
}

void library_sort(struct library *library)
{
    struct row *rows = library->rows;
    size_t kept = 0;

    qsort(rows, library->count, sizeof *rows, compare_rows);
    for (size_t i = 0; i < library->count; i++)
        if (!kept || !is_same_id(&rows[kept - 1], &rows[i]) ||
            order_of(&rows[kept - 1]) != order_of(&rows[i]))
            rows[kept++] = rows[i];
    library->count = kept;
}

/* The groups of one instruction, by kind. */
struct groups {
    struct stencil_group groups[STENCIL_KINDS];
    unsigned numbers[STENCIL_KINDS]; /* in the order of the kinds, from 1 on; 0: none */
    unsigned count;
};

/* Makes the groups of the rows from `first` on. */
static struct groups make_groups(const struct library *library, size_t first, size_t count)
{
    struct groups groups = {.count = 0};
    unsigned places;

    for (size_t i = first; i < first + count; i++) {
        enum stencil_kind kind = read_choice(library->rows[i].name, &places);
        if (!groups.numbers[kind]) {
            groups.numbers[kind] = ++groups.count;
            groups.groups[kind].first = (uint16_t)i;
        }
        groups.groups[kind].choices |= UINT64_C(1) << places;
    }
    return groups;
}

static void write_id(const char *name, FILE *output)
{
    size_t length = id_length(name);

    if (name[length])
        fprintf(output, "ISA_ID_%.*s", (int)length - 8, name + 8);
    else
        fprintf(output, "STENCIL_%s", name);
}

static void write_groups(const struct groups *groups, FILE *output)
{
    for (unsigned kind = 0; kind < STENCIL_KINDS; kind++)
        if (groups->numbers[kind])
            fprintf(output, "{0x%" PRIx64 ", %u},\n", groups->groups[kind].choices,
                    groups->groups[kind].first);
}

static void write_span(const struct groups *groups, unsigned first, FILE *output)
{
    fprintf(output, "] = {%u, {", first);
    for (unsigned kind = 0; kind < STENCIL_KINDS; kind++)
        fprintf(output, "%u, ", groups->numbers[kind]);
    fputs("}},\n", output);
}

/* Writes the spans of the row's instruction, or of glue, and of instructions with the same
 * stencils. */
static void write_spans(const struct library *library, const char *name,
                        const struct groups *groups, unsigned first, FILE *output)
{
    size_t length = id_length(name);

    fputs("[", output);
    write_id(name, output);
    fputs(name[length] ? "" : " - STENCIL_GLUE + ISA_ID_COUNT", output);
    write_span(groups, first, output);
    if (!name[length])
        return;
    for (size_t i = 0; i < library->twin_count; i++) {
        const char *other = library->twins[i].other;
        if (strlen(other) != length - 8 || memcmp(other, name + 8, length - 8) != 0)
            continue;
        fprintf(output, "[ISA_ID_%s", library->twins[i].name);
        write_span(groups, first, output);
    }
}

/* Writes the stencil of a row. */
static void write_row(const struct row *row, const struct stencil *stencil, FILE *output)
{
    fprintf(output, "{%u, %u, %u, %u, %u, %u, %u, %u, %u, ", stencil->code, stencil->first_hole,
            stencil->first_field, stencil->hot, stencil->cold, stencil->holes, stencil->fields,
            stencil->uses, stencil->leaves);
    write_id(row->name, output);
    fputs("},\n", output);
}

void library_write(const struct library *library, const struct tables *tables, const char *name,
                   FILE *output)
{
    fprintf(output, "STENCIL_ROWS(%s) {\n", name);
    for (size_t i = 0; i < library->count; i++)
        write_row(&library->rows[i], &tables->stencils[library->rows[i].number], output);
    fprintf(output, "};\nSTENCIL_GROUPS(%s) {\n", name);
    for (size_t i = 0, count; i < library->count; i += count) {
        count = count_rows(library, i);
        struct groups groups = make_groups(library, i, count);
        write_groups(&groups, output);
    }
    fprintf(output, "};\nSTENCIL_SPANS(%s) {\n", name);
    for (size_t i = 0, count, first = 0; i < library->count; i += count) {
        count = count_rows(library, i);
        struct groups groups = make_groups(library, i, count);
        write_spans(library, library->rows[i].name, &groups, (unsigned)first, output);
        first += groups.count;
    }
    fputs("};\n", output);
}
