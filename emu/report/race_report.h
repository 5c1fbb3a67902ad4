/* The report of a race that --races finds: the bytes and both accesses, with symbols and lines. */
#ifndef EMU_REPORT_RACE_REPORT_H
#define EMU_REPORT_RACE_REPORT_H

#include "emu/load.h"
#include "emu/races/races.h"

struct race_reporter {
    const struct machine *machine;
    const struct program *program;
};

/* Returns the observer that prints races to standard error, and trusts the libraries for threads,
 * memory and files, by the names of their functions. The reporter must stay. */
struct race_observer race_report_observer(struct race_reporter *reporter);

#endif
