/* --coverage: which lines, functions and branches of a program were executed, and how often, as a
 * tracefile of lcov (geninfo(1), FILES). */
#ifndef EMU_REPORT_COVERAGE_H
#define EMU_REPORT_COVERAGE_H

#include "emu/report/profile_view.h"
#include <stdio.h>

/* Returns the name of the file of operands that belongs to the tracefile `name`, which is not open
 * yet: `tensor-operands.txt` in the same directory. Returns NULL if the tracefile is written
 * directly (output_is_direct): no directory is meant then. */
const char *coverage_operands_file(struct arena *arena, const char *name);

/* Writes the tracefile to `stream`. The view has debug information. If the program has tensor
 * instructions and there is a file of operands, that has a line for each bin that their operands
 * fall into (emu/profile/operand_bins.h), and the tracefile has how often they did. Returns false
 * after a diagnostic. */
bool coverage_write(const struct profile_view *view, struct diag *diag, const char *operands,
                    FILE *stream);

#endif
