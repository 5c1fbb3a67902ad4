/* The report of --timing (timing.md, 6). */
#ifndef EMU_TIMING_TIME_REPORT_H
#define EMU_TIMING_TIME_REPORT_H

#include "emu/load.h"
#include "emu/timing/feed.h"
#include <stdio.h>

/* Print the report of a run that feed_finish has ended, as text or as one object of JSON. */
void time_report_text(const struct feed *feed, const struct machine *machine,
                      const struct program *program, FILE *stream);
void time_report_json(const struct feed *feed, const struct machine *machine,
                      const struct program *program, FILE *stream);

#endif
