/* Writes the records of a lossless trace in another format, by the writers of temu's own formats:
 * what they make of a record is what temu would have written. */
#ifndef EMU_TRACE_REPLAY_H
#define EMU_TRACE_REPLAY_H

#include "emu/trace/trace.h"
#include "lib/trace/ttrace_read.h"

/* Opens the output. `elf` and `symbols` are of the program in the trace; NULL: there is none.
 * Returns false after a diagnostic. */
bool replay_open(struct trace *output, struct diag *diag, const struct trace_options *options,
                 const struct ttrace *trace, const struct elf_file *elf,
                 const struct symbolizer *symbols);
/* Writes a record. The start has none. */
void replay_record(struct trace *output, const struct ttrace_record *record);

#endif
