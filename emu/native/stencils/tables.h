/* The tables of the stencils of all libraries: code, holes and fields, each once, and the stencils
 * as far as they do not depend on the instruction. */
#ifndef EMU_NATIVE_STENCILS_TABLES_H
#define EMU_NATIVE_STENCILS_TABLES_H

#include "emu/native/stencil.h"

#include <stddef.h>
#include <stdio.h>

enum { TABLES_LIST = 1 << 16, TABLES_CODE = 1 << 20 };

struct tables {
    size_t code_size, hole_count, field_count, stencil_count;
    unsigned char code[TABLES_CODE];
    struct stencil_hole holes[TABLES_LIST];
    struct stencil_field fields[TABLES_LIST];
    struct stencil stencils[TABLES_LIST];
};

/* Append one entry, or bytes. They end gather when the table is full. */
void tables_add_hole(struct tables *tables, const struct stencil_hole *hole);
void tables_add_field(struct tables *tables, const struct stencil_field *field);
void tables_add_code(struct tables *tables, const unsigned char *bytes, size_t size);

/* Drop the last entries, from `first` on, if others before them are the same. They return where
 * the first one is. */
uint32_t tables_merge_code(struct tables *tables, size_t first);
uint16_t tables_merge_holes(struct tables *tables, size_t first);
uint16_t tables_merge_fields(struct tables *tables, size_t first);

/* Returns the number of the stencil, which is added if no other one is the same. */
uint16_t tables_number(struct tables *tables, const struct stencil *stencil);

/* Writes code, holes and fields as C. */
void tables_write(const struct tables *tables, FILE *output);

#endif
