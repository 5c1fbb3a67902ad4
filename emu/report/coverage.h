/* --coverage: which lines, functions and branches of a program were executed, and how often, as a
 * tracefile of lcov (geninfo(1), FILES). */
#ifndef EMU_REPORT_COVERAGE_H
#define EMU_REPORT_COVERAGE_H

#include "emu/report/profile_view.h"
#include <stdio.h>

/* Writes the tracefile, whose name is `name`, to `stream`. The view has debug information. If the
 * program has tensor instructions, a file `tensor-operands.txt` in the same directory has a line
 * for each bin that their operands fall into (emu/operand_bins.h), and the tracefile has how often
 * they did. Returns false after a diagnostic. */
bool coverage_write(const struct profile_view *view, struct diag *diag, const char *name,
                    FILE *stream);

#endif
