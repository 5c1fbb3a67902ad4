/* tdiff --calibrate: finds the timing settings of a machine from the cycles of its RTL. */
#ifndef EMU_TDIFF_CALIBRATE_H
#define EMU_TDIFF_CALIBRATE_H

#include "lib/arena.h"
#include "lib/diag.h"

/* Reads the plan and the kernels in the directory, and the cycles of each kernel on the RTL,
 * KERNEL.csv. `machine` has the settings that are not of time, or is NULL for the default machine;
 * `temu` is the program that runs the kernels. Prints the section `timing` of a machine file.
 * Returns the exit status: 0 all kernels take the cycles of the RTL, 1 some do not, 2 trouble. */
int calibrate(struct diag *diag, struct arena *arena, const char *directory, const char *machine,
              const char *temu);

#endif
