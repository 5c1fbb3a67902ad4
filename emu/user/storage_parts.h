/* What the files storage*.c share: what the host tells of its files, and what the table of their
 * times keeps of them (times.h). */
#ifndef EMU_USER_STORAGE_PARTS_H
#define EMU_USER_STORAGE_PARTS_H

#include "emu/user/storage.h"
#include <sys/stat.h>

/* Returns what a call of the host has returned, or the negative error number. */
int64_t host_result(int64_t host);

/* Is a file that was opened in the directory an interface of the kernel, or can that not be found
 * out? */
bool host_is_kernel(const struct place *place, int file, const struct stat *status);

/* Asks the host about the name. Returns false, with errno, when it cannot tell. */
bool host_status(const struct place *place, const char *name, struct stat *status);
bool host_is_fifo(const struct place *place, const char *name);

struct file_facts facts_of_node(const struct node *node);
struct file_facts facts_of_host(const struct stat *status, struct file_times times);

/* ---- times of files of the host, after a change of what the name means ---- */

/* Returns the times of the file, which are kept from now on, or NULL without memory. */
struct file_times *host_keep_times(const struct place *place, const struct stat *status);
int64_t host_set_times(const struct place *place, const struct stat *status,
                       const struct times_change *change);
/* The names in the directory have changed. */
void host_modify_directory(const struct place *place);
/* A file was made, of which this is known. */
void host_note_new(const struct place *place, const struct stat *status);
/* Returns the result of making a file. */
int64_t host_note_made(const struct place *place, const char *name, int64_t result);
/* The file, which was like this, has lost a name. */
void host_note_lost(const struct place *place, const struct stat *status);

#endif
