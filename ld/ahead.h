/* Reading input files in a second thread, before the link needs them. What the link sees of a file
 * does not depend on which thread has read it. */
#ifndef LD_AHEAD_H
#define LD_AHEAD_H

#include "ld/linker.h"

struct ahead;

/* Starts reading the files that the command line names. The contents go into `linker->ahead_arena`.
 * Returns NULL where a thread is not worthwhile: there are few files, or the process may run on one
 * processor only. */
struct ahead *ahead_start(struct linker *linker);
/* Gives the file if the thread has read it or is reading it now. Returns false if the caller has to
 * read it: the thread has not started with it, or cannot read it. `ahead` may be NULL. Files are
 * asked for in the order of the command line, by the very pointer to the name. */
bool ahead_take(struct ahead *ahead, const char *name, struct diag_file *file, bool *mapped);
void ahead_end(struct ahead *ahead);

#endif
