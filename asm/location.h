/* Positions that are kept in little memory. Nearly every label and every address has one, but few
 * are ever printed. What neighboring positions have in common is stored once. */
#ifndef ASM_LOCATION_H
#define ASM_LOCATION_H

#include "lib/diag.h"
#include <stdint.h>

struct assembler;

struct location {
    uint32_t origin; /* number of the origin in struct locations; 0: no position */
    uint32_t line;   /* in the text */
    uint32_t column, length;
};

/* What the positions in one text have in common. */
struct origin {
    const struct diag_file *file;
    const char *name;
    const struct position *from;
    const char *from_what;
    long line_shift; /* printed line = line + line_shift */
};

struct locations {
    struct origin *origins;
    size_t count, capacity;
};

/* Returns the place of a position; NULL has none. */
struct location location_of(struct assembler *as, const struct position *at);
/* Returns the position of a place that is one. */
struct position location_position(const struct assembler *as, struct location place);

#endif
