/* Reading whole input files. */
#ifndef LIB_FILE_H
#define LIB_FILE_H

#include "lib/arena.h"
#include "lib/diag.h"

/* Reads the file `name` ("-": standard input) into the arena; a NUL follows the bytes. On failure
 * reports `NAME: error: cannot read: REASON` (at `at` when given) and returns false. Directories
 * and files that cannot be read are errors; so is more than 1 GiB. */
bool file_read(struct arena *arena, struct diag *diag, const struct position *at, const char *name,
               struct diag_file *file);

#endif
