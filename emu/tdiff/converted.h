/* A lossless trace as the lines of another format, in which it is compared with a trace of that
 * format. They are those that `ttrace convert` writes, made while they are read. */
#ifndef EMU_TDIFF_CONVERTED_H
#define EMU_TDIFF_CONVERTED_H

#include "emu/trace/format.h"
#include "lib/arena.h"
#include "lib/diag.h"
#include <stdbool.h>
#include <stddef.h>

struct converted;

/* Opens the trace ("-": standard input). Returns NULL after a diagnostic. */
struct converted *converted_open(struct arena *arena, struct diag *diag, const char *name,
                                 enum trace_format format);
/* Reads at most `room` bytes; *got is their number, 0 at the end. Returns false after a diagnostic.
 */
bool converted_read(struct converted *converted, char *to, size_t room, size_t *got);
/* Starts to read again from the beginning. Returns false after a diagnostic. */
bool converted_rewind(struct converted *converted);
/* Returns the program that the trace has in it; length 0: none. */
struct diag_file converted_program(const struct converted *converted);
void converted_close(struct converted *converted);

#endif
