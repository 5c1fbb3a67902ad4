/* See tables.h. */
#include "emu/native/stencils/tables.h"

#include <err.h>
#include <string.h>

enum { LINE = 32 }; /* bytes of code in a line */

void tables_add_hole(struct tables *tables, const struct stencil_hole *hole)
{
    if (tables->hole_count == TABLES_LIST)
        errx(1, "too many holes");
    tables->holes[tables->hole_count++] = *hole;
}

void tables_add_field(struct tables *tables, const struct stencil_field *field)
{
    if (tables->field_count == TABLES_LIST)
        errx(1, "too many fields");
    tables->fields[tables->field_count++] = *field;
}

void tables_add_code(struct tables *tables, const unsigned char *bytes, size_t size)
{
    if (tables->code_size + size + STENCIL_UNIT > TABLES_CODE)
        errx(1, "too much code");
    if (size != 0)
        memcpy(tables->code + tables->code_size, bytes, size);
    tables->code_size += size;
}

static size_t merge(const void *table, size_t size, size_t first, size_t *count)
{
    const char *bytes = table;
    size_t length = (*count - first) * size;

    for (size_t i = 0; i + *count - first <= first; i++)
        if (memcmp(bytes + i * size, bytes + first * size, length) == 0) {
            *count = first;
            return i;
        }
    return first;
}

uint32_t tables_merge_code(struct tables *tables, size_t first)
{
    return (uint32_t)merge(tables->code, 1, first, &tables->code_size);
}

uint16_t tables_merge_holes(struct tables *tables, size_t first)
{
    return (uint16_t)merge(tables->holes, sizeof *tables->holes, first, &tables->hole_count);
}

uint16_t tables_merge_fields(struct tables *tables, size_t first)
{
    return (uint16_t)merge(tables->fields, sizeof *tables->fields, first, &tables->field_count);
}

uint16_t tables_number(struct tables *tables, const struct stencil *stencil)
{
    size_t number = 0;

    while (number < tables->stencil_count &&
           memcmp(&tables->stencils[number], stencil, sizeof *stencil) != 0)
        number++;
    if (number == TABLES_LIST)
        errx(1, "too many stencils");
    if (number == tables->stencil_count)
        tables->stencils[tables->stencil_count++] = *stencil;
    return (uint16_t)number;
}

static void write_code(const struct tables *tables, FILE *output)
{
    /* The last unit is copied with what comes after it. A compiler reads strings faster than
     * numbers. */
    size_t end = tables->code_size + STENCIL_UNIT;

    fputs("STENCIL_CODE\n", output);
    for (size_t i = 0; i < end; i++)
        fprintf(output, "%s\\%o%s", i % LINE == 0 ? "\"" : "",
                i < tables->code_size ? tables->code[i] : 0,
                i % LINE == LINE - 1 || i == end - 1 ? "\"\n" : "");
    fputs(";\n", output);
}

void tables_write(const struct tables *tables, FILE *output)
{
    write_code(tables, output);
    fputs("STENCIL_HOLES {\n", output);
    for (size_t i = 0; i < tables->hole_count; i++) {
        const struct stencil_hole *hole = &tables->holes[i];
        fprintf(output, "{%u, %u, %u, %d},\n", hole->at, hole->kind, hole->form, hole->addend);
    }
    fputs("};\nSTENCIL_FIELDS {\n", output);
    for (size_t i = 0; i < tables->field_count; i++) {
        const struct stencil_field *field = &tables->fields[i];
        fprintf(output, "{%u, %u, %u, %u, %u},\n", field->at, field->back, field->shift, field->bit,
                field->operand);
    }
    fputs("};\n", output);
}
