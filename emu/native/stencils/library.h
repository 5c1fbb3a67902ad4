/* A library of stencils: which stencil there is for an instruction, a kind and a choice of places.
 */
#ifndef EMU_NATIVE_STENCILS_LIBRARY_H
#define EMU_NATIVE_STENCILS_LIBRARY_H

#include "emu/native/stencils/tables.h"

struct row {
    char name[64];   /* such as stencil_ADD__rrm and a letter of the kind, or glue_count */
    uint16_t number; /* of its stencil (tables.h) */
};

/* An instruction that has the stencils of another one. */
struct twin {
    char name[64], other[64]; /* such as LR_W_AQ and LR_W */
};

enum { LIBRARY_TWINS = 1 << 12 };

struct library {
    size_t count, twin_count;
    struct row rows[TABLES_LIST];
    struct twin twins[LIBRARY_TWINS];
};

/* Ends gather when the library is full. */
void library_add(struct library *library, const char *name, uint16_t number);
/* Adds the instruction whose name is before the space, which has the stencils of that after it. */
void library_add_twin(struct library *library, const char *names);
/* Returns the row, or NULL. */
const struct row *library_find(const struct library *library, const char *name);

/* Sorts the rows by instruction, kind and choice. Of two for the same choice, the first one by its
 * name is kept. */
void library_sort(struct library *library);

/* Writes a library that is sorted, as C. The rows of an instruction, or of glue, follow one
 * another, and so do its groups. */
void library_write(const struct library *library, const struct tables *tables, const char *name,
                   FILE *output);

#endif
