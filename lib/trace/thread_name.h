/* Threads in traces. Their names: `t1` for thread 1 of a program, which is its first; in a barrel
 * `sup` for thread 1, the supervisor, and `w0` for thread 2, the first worker. And the starts of
 * workers, which are effects of the instruction that starts them. */
#ifndef LIB_TRACE_THREAD_NAME_H
#define LIB_TRACE_THREAD_NAME_H

#include "lib/isa.h"
#include "lib/trace/recorder.h"

enum { THREAD_NAME_SIZE = 16 };

/* Returns `name` with the name of the thread. */
const char *thread_name(char name[THREAD_NAME_SIZE], bool is_barrel, uint32_t thread);
/* Returns the number of the thread with this name; 0: it is not one. */
uint32_t thread_by_name(const char *name, size_t length, bool is_barrel);
/* Returns the thread of a barrel that the effect is part of the start of; 0: of none. */
uint32_t thread_started(const struct effect *effect);
/* Is this part of a start the first one, which stands for all that the others do not name? */
bool thread_begins(const struct effect *effect);
/* Returns the lowest word of what a worker has in the registers of the file when it starts, unless
 * its start says something else: 0, or an f32 of 0. The other words are 0. */
uint64_t thread_first_word(const struct isa_register_file *file);

#endif
