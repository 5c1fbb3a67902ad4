/* --dump-state: the state of the stopped machine as one JSON object. It depends on what has run,
 * not on how (interpreted, native or by definitions). */
#ifndef EMU_REPORT_STATE_H
#define EMU_REPORT_STATE_H

#include "emu/machine.h"
#include <stdio.h>

/* Prints the pc, the number of instructions, the registers of every file, the CSRs that a debugger
 * sees, the state and counters of the units, and the mapped memory by its digests. */
void state_print(struct machine *machine, FILE *stream);

#endif
