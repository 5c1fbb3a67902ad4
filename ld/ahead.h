/* Reading and parsing input files in two threads, before the link needs them. What the link sees of
 * a file does not depend on which thread has read it. */
#ifndef LD_AHEAD_H
#define LD_AHEAD_H

#include "ld/linker.h"
#include "lib/file.h"

/* An input file that was read. */
struct ahead_file {
    const char *name;
    struct file_identity identity;
    struct object *object;     /* parsed, not entered; NULL: it is not an object, or has errors */
    struct diag_file contents; /* without an object */
    bool mapped;
    bool good, done; /* of ahead.c */
};

/* Starts reading the files that the command line names, in a second thread. Does nothing where that
 * is not worthwhile: there are few files, or the process may run on one processor only. Call
 * object_prepare before. */
void ahead_start(struct linker *linker);
/* Returns the file, or NULL if the caller has to read it, which then reports what is wrong with it.
 * Files are asked for in the order of the command line, by the very pointer to the name. While the
 * second thread reads this file, the caller reads others. */
const struct ahead_file *ahead_take(struct linker *linker, const char *name);
/* Ends the second thread. */
void ahead_end(struct linker *linker);
/* Releases the memory of the files and their objects. */
void ahead_free(struct linker *linker);

#endif
