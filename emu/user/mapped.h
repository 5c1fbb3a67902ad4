/* Files of the host that are common memory (struct memory_object). Such a file is kept open as long
 * as it is mapped. The host maps only the pages that it has: so its length is looked at after each
 * call that may have changed one, and when a page is missing. */
#ifndef EMU_USER_MAPPED_H
#define EMU_USER_MAPPED_H

#include "emu/user/calls.h"
#include "emu/user/processes.h"

/* Is it one of these files? */
bool mapped_has(const struct user_processes *processes, uint64_t device, uint64_t inode);
/* Returns the file, with its present length; `writes`: pages will be written, for which it is open.
 * NULL: the host has no more descriptors, or no memory. */
const struct memory_object *mapped_open(struct user_processes *processes,
                                        const struct user_file *file, bool writes);
/* A call has ended, which may have changed the length of files of the host. */
void mapped_note_lengths(struct user_processes *processes);
/* A page was missing. Does a file have it, since another program made it longer? */
bool mapped_finds_page(struct machine *machine);
/* Tells all processes the new length of a file that is common memory; of struct store. */
void mapped_resize(void *processes, const struct memory_object *object);
void mapped_close(struct user_processes *processes);

#endif
