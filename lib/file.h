/* Reading whole input files, and checks that an output does not replace an input. */
#ifndef LIB_FILE_H
#define LIB_FILE_H

#include "lib/arena.h"
#include "lib/diag.h"
#include <sys/types.h>

/* Reads the file `name` ("-": standard input) into the arena and adds a NUL after the bytes. On
 * failure it reports `NAME: error: cannot read: REASON` (at `at` if that is given) and returns
 * false. Directories, files that cannot be read, and files larger than 1 GiB are errors. */
bool file_read(struct arena *arena, struct diag *diag, const struct position *at, const char *name,
               struct diag_file *file);

/* The tool maps a file: if it is truncated, the next access to what is gone ends the tool with a
 * message and status 1. */
void file_expect_truncation(void);

/* The same, but a large regular file is mapped instead of copied. Nobody may change the file while
 * the tool runs; if it is truncated, the tool ends with a message and status 1. *mapped says
 * whether the file is mapped. Under the address sanitizer all files are copied, so that accesses
 * beyond the end are found. */
bool file_map(struct arena *arena, struct diag *diag, const struct position *at, const char *name,
              struct diag_file *file, bool *mapped);
/* The same without messages: returns the reason of a failure, or NULL. With `mapped` NULL nothing
 * is mapped. */
const char *file_load(struct arena *arena, const char *name, struct diag_file *file, bool *mapped);
/* May the descriptor be read? Sets errno if not: that of a closed stream may not (output_init). */
bool file_is_open(int descriptor);
/* Returns the memory of a part of a mapped file to the host. A later access reads the file
 * again. */
void file_release(const void *bytes, size_t length);

/* Does the name end so, after at least one other character? */
bool file_name_ends(const char *name, const char *ending);

/* Identifies the regular file that a name leads to, if there is one. */
struct file_identity {
    bool exists;
    dev_t device;
    ino_t inode;
    uint64_t size;
};

/* A NULL name identifies no file. */
struct file_identity file_identify(const char *name);
/* Reads the file that was identified into a buffer for one byte more than its size. Returns false
 * if that fails, or if the file has another size now. */
bool file_read_identified(const char *name, const struct file_identity *identity, void *buffer);
/* Would writing `output` replace the input `name`? If so, reports it. */
bool file_is_replaced(const struct file_identity *output, struct diag *diag, const char *name);
/* The same for an input that was identified before. */
bool file_identified_is_replaced(const struct file_identity *output, struct diag *diag,
                                 const char *name, const struct file_identity *input);

#endif
