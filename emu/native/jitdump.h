/* A file of perf's jitdump format, with which `perf inject -j` names native code by the guest's
 * functions and lines: --jitdump.
 *
 * The format (tools/perf/Documentation/jitdump-specification.txt of Linux) is a header and records
 * in the order of time. perf learns of the file because a page of it is mapped for execution. */
#ifndef EMU_NATIVE_JITDUMP_H
#define EMU_NATIVE_JITDUMP_H

#include "emu/load.h"
#include "emu/native/map.h"

struct copier;
struct jitdump;

/* Opens the file, `jit-PID.dump` in the directory that is named or in the current one. perf takes
 * no other name, but other readers may: a name that is no directory is that of the file. Returns
 * NULL after a diagnostic. */
struct jitdump *jitdump_open(struct diag *diag, const struct program *program, const char *name);
/* Writes the code of the pieces from `first` to before `end`. */
void jitdump_add(struct jitdump *jitdump, const struct copier *copier, const struct native_map *map,
                 size_t first, size_t end);
/* Ends the file (or NULL), and reports whether it could not be written. */
void jitdump_close(struct jitdump *jitdump);

#endif
