/* The --print option: an array of guest memory, or a register, as text. */
#ifndef EMU_REPORT_PRINT_H
#define EMU_REPORT_PRINT_H

#include "emu/machine.h"
#include "lib/float_format.h"
#include "lib/isa.h"
#include <stdio.h>

enum { PRINT_DIMENSIONS = 8 };

/* `SYM:TYPE[DIMS]`, with DIMS as 2,3 or 2][3, optionally followed by `:value`, `:hex` or `:hexfloat`,
 * and by `:table`. Without a form it is that of the type. */
struct print_request {
    const char *name; /* SYM, an address, or a register */
    uint64_t address;
    const struct isa_register_name *reg; /* or NULL */
    const struct isa_element *type;
    unsigned rank; /* 0: one value */
    uint64_t dimensions[PRINT_DIMENSIONS];
    enum isa_print form;
    bool table; /* in columns, with long rows folded and blocks separated */
};

uint64_t print_count(const struct print_request *request); /* elements; UINT64_MAX: too many */

/* Prints the array as nested brackets, with one row of the innermost dimension in a line. */
bool print_run(const struct print_request *request, const struct machine *machine,
               struct diag *diag, FILE *stream);

#endif
