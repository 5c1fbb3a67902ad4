/* Work that two threads share. */
#ifndef LD_CREW_H
#define LD_CREW_H

#include "ld/linker.h"

/* Fewer relocations are not worth a second thread. */
enum { CREW_RELOCATIONS = 20000 };

/* Does part `i` of the work. `worker` is the linker, or the copy of it that belongs to the second
 * thread: memory is taken from it and errors are reported to it. Parts do not depend on one
 * another, and doing a part again gives the same result. */
typedef void crew_work(struct linker *worker, void *context, size_t i);

/* Does parts 0 to count - 1 and returns when all are done. If `large`, and the host has two
 * processors, a second thread does some of them, in any order. Neither thread prints then: after an
 * error all parts are done again in order by one thread, so that messages do not depend on the
 * host. */
void crew_run(struct linker *linker, size_t count, bool large, crew_work *work, void *context);
/* Ends the second thread, if there is one, and releases the memory that it has taken. */
void crew_end(struct linker *linker);

#endif
