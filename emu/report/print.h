/* The --print option: an array of guest memory as text. */
#ifndef EMU_REPORT_PRINT_H
#define EMU_REPORT_PRINT_H

#include "emu/memory.h"
#include "lib/float_format.h"
#include <stdio.h>

enum { PRINT_DIMENSIONS = 8 };

enum print_kind { PRINT_SIGNED, PRINT_UNSIGNED, PRINT_FLOAT };

struct print_type {
    const char *name;
    enum print_kind kind;
    uint8_t bytes;
    enum float_format format;
};

extern const struct print_type print_types[];
extern const size_t print_type_count;

enum print_form {
    PRINT_VALUE,      /* the shortest decimal that reads back as the same bits */
    PRINT_BITS,       /* :hex */
    PRINT_HEXADECIMAL /* :hexfloat, 0x1.8p+1; floats only */
};

/* `SYM:TYPE[DIMS]`, with DIMS as 2,3 or 2][3, optionally followed by `:hex` or `:hexfloat`, and by
 * `:table`. */
struct print_request {
    const char *name; /* SYM, or an address */
    uint64_t address;
    const struct print_type *type;
    unsigned rank; /* 0: one value */
    uint64_t dimensions[PRINT_DIMENSIONS];
    enum print_form form;
    bool table; /* in columns, with long rows folded and blocks separated */
};

uint64_t print_count(const struct print_request *request); /* elements; UINT64_MAX: too many */

/* Prints the array as nested brackets, with one row of the innermost dimension in a line. */
bool print_run(const struct print_request *request, const struct memory *memory, struct diag *diag,
               FILE *stream);

#endif
