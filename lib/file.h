/* Reading whole input files, and telling them from outputs. */
#ifndef LIB_FILE_H
#define LIB_FILE_H

#include "lib/arena.h"
#include "lib/diag.h"
#include <sys/types.h>

/* Reads the file `name` ("-": standard input) into the arena; a NUL follows the bytes. On failure
 * reports `NAME: error: cannot read: REASON` (at `at` when given) and returns false. Directories
 * and files that cannot be read are errors; so is more than 1 GiB. */
bool file_read(struct arena *arena, struct diag *diag, const struct position *at, const char *name,
               struct diag_file *file);

/* The same, but the bytes of a large regular file are not copied: they come from the file when they
 * are looked at, as long as the tool runs. Nobody may change the file until then; one that gets
 * shorter ends the tool with a message and status 1. *mapped says whether it is so. Under the
 * address sanitizer all are copied, so that a look beyond the end is found. */
bool file_map(struct arena *arena, struct diag *diag, const struct position *at, const char *name,
              struct diag_file *file, bool *mapped);
/* Gives the memory of a part of a mapped file back; what is looked at again comes from the file. */
void file_release(const void *bytes, size_t length);

/* The regular file that a name leads to, if there is one. */
struct file_identity {
    bool exists;
    dev_t device;
    ino_t inode;
};

/* Of no file where `name` is NULL. */
struct file_identity file_identify(const char *name);
/* Would writing `output` replace the input `name`? Then reports it. */
bool file_is_replaced(const struct file_identity *output, struct diag *diag, const char *name);

#endif
