/* --coverage: which lines, functions and branches of a program were executed, and how often, as a
 * tracefile of lcov (geninfo(1), FILES). */
#ifndef EMU_REPORT_COVERAGE_H
#define EMU_REPORT_COVERAGE_H

#include "emu/report/profile_view.h"
#include <stdio.h>

/* Writes the tracefile. The view has debug information. */
void coverage_write(const struct profile_view *view, FILE *stream);

#endif
