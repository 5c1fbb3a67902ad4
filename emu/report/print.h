/* The --print option: an array of guest memory, or a register, as text. */
#ifndef EMU_REPORT_PRINT_H
#define EMU_REPORT_PRINT_H

#include "emu/machine.h"
#include "lib/element_text.h"
#include <stdio.h>

/* `SYM:TYPE[DIMS]`, with DIMS as 2,3 or 2][3, optionally followed by `:value`, `:hex` or `:hexfloat`,
 * and by `:table`. Without a form it is that of the type. */
struct print_request {
    const char *name; /* SYM, an address, or a register */
    uint64_t address;
    const struct isa_register_name *reg; /* or NULL */
    struct element_array array;
};

/* Prints the array as nested brackets, with one row of the innermost dimension in a line. */
bool print_run(const struct print_request *request, const struct machine *machine,
               struct diag *diag, FILE *stream);

#endif
