/* tdiff --cycles: compares when instructions committed in a model and in an RTL simulation. */
#ifndef EMU_TDIFF_CYCLES_H
#define EMU_TDIFF_CYCLES_H

#include "lib/arena.h"
#include "lib/diag.h"

/* Compares the two files: tables of temu --pipeline, CSV of `sequence,cycle`, or Spike's commit log
 * with a cycle in each line. Prints the first instruction whose distance to the one before differs,
 * and the differences by timing class. Returns the exit status: 0 the same, 1 different, 2 trouble.
 */
int cycles_compare(struct diag *diag, struct arena *arena, const char *const names[2]);

#endif
