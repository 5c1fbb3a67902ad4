/* The two places where files are kept: a directory of the host (--root), and memory (store.h). The
 * calls of the user environment act on names in directories and on open files by these functions,
 * and do not know which of the two it is.
 *
 * Functions return 0 or more, or a negative error number. None follows a symbolic link. */
#ifndef EMU_USER_STORAGE_H
#define EMU_USER_STORAGE_H

#include "emu/user/calls.h"
#include "emu/user/recent.h"
#include "emu/user/store.h"

/* An open directory, by which names are looked up. */
struct place {
    int host;          /* the host's descriptor; -1: in memory */
    struct node *node; /* or NULL */
    uint64_t device;   /* of the host's file system, which is none of the kernel's; 0: not known */
    uint64_t inode;    /* of the directory, on this device; 0: not known */
    struct times_table *times; /* of files of the host */
};

enum { PERMISSIONS = 0777 }; /* bits of a mode */

/* The attributes of a file that a program sees. */
struct file_facts {
    uint32_t mode; /* type and permissions */
    uint64_t size;
    unsigned names;         /* that lead to the file; of a directory, 1 */
    uint64_t device, inode; /* no other file has both; the program does not see them */
    struct file_times times;
};

/* ---- inode.c ---- */

uint64_t inode_of_path(const char *path);
/* The same for a file that exists: all names to which the program has linked it have one number. */
uint64_t inode_of_file(const struct user_processes *processes, const char *path,
                       const struct file_facts *facts);
/* Returns how many names the file has, as the program sees it: without those by which it had links
 * before the run. */
unsigned inode_count_names(const struct user_processes *processes, const struct file_facts *facts);
/* The file gets a further name beside this path, whose facts are as they were before. */
void inode_note_link(struct user_processes *processes, const char *path,
                     const struct file_facts *facts);
/* The file has only one name from now on. */
void inode_forget_link(struct user_processes *processes, const struct file_facts *facts);
void inode_free_links(struct user_processes *processes);

/* ---- recent.c ---- */

/* Enters a directory beneath the root by many names at once. It is among the recent ones, and stays
 * open. Returns 0, -ENOENT or -ENOTDIR as one by one would; another negative error number when one
 * of them is a link or leads to another file system, when the host cannot do so, and always in
 * memory: the caller then enters one after the other. */
int64_t recent_enter(struct recent_directories *recent, const struct place *root, const char *path,
                     struct place *inside);
/* Closes the recent directories. */
void recent_close(struct recent_directories *recent);

/* ---- storage*.c ---- */

/* Returns the device of the host's open file or directory, as in struct place; 0: it is part of a
 * file system whose files are interfaces of the kernel, or that cannot be found out. */
uint64_t storage_device(int file);

/* ---- names in a directory; "." is the directory itself ---- */

int64_t storage_enter(const struct place *place, const char *name, struct place *inside);
void storage_leave(const struct place *place);
int64_t storage_facts(const struct place *place, const char *name, struct file_facts *facts);
/* Finds what tells a file of the host from all others. Returns false when the name means none. */
bool storage_identify(const struct place *place, const char *name, uint64_t *device,
                      uint64_t *inode);
int64_t storage_access(const struct place *place, const char *name, unsigned access);
/* Returns the length of the target, cut to `size` bytes. */
int64_t storage_read_link(const struct place *place, const char *name, char *target, size_t size);
/* Opens a regular file or a directory, or finds a FIFO, which is not read or written on the host;
 * `flags` are the guest's. Fills the parts of `file` that say where it is. */
int64_t storage_open(const struct place *place, const char *name, uint64_t flags, unsigned mode,
                     struct user_file *file);
/* Opens a file for reading that is open already, whether it has a name or not. */
int64_t storage_open_again(const struct user_file *open_before, struct user_file *file);
/* Makes a regular file, a FIFO or a socket, as the mode says. */
int64_t storage_make_node(const struct place *place, const char *name, unsigned mode);
int64_t storage_make_directory(const struct place *place, const char *name, unsigned mode);
int64_t storage_make_link(const struct place *place, const char *name, const char *target);
int64_t storage_link(const struct place *from, const char *old, const struct place *to,
                     const char *new);
int64_t storage_rename(const struct place *from, const char *old, const struct place *to,
                       const char *new, bool replace);
int64_t storage_remove(const struct place *place, const char *name, bool is_directory);
int64_t storage_change_mode(const struct place *place, const char *name, unsigned mode);
int64_t storage_set_times(const struct place *place, const char *name,
                          const struct times_change *change);
int64_t storage_truncate(const struct place *place, const char *name, uint64_t size);

/* ---- open files ---- */

/* Is it a regular file or a directory, and no stream, pipe or device? */
bool storage_has(const struct user_file *file);
int64_t storage_file_facts(const struct user_file *file, struct file_facts *facts);
int64_t storage_read(const struct user_file *file, void *bytes, uint64_t length, uint64_t place);
int64_t storage_write(const struct user_file *file, const void *bytes, uint64_t length,
                      uint64_t place);
/* Moves the file's offset as lseek does, and returns it. */
int64_t storage_seek(struct user_file *file, int64_t offset, int whence);
int64_t storage_resize(const struct user_file *file, uint64_t size);
int64_t storage_change_file_mode(const struct user_file *file, unsigned mode);
void storage_set_file_times(const struct user_file *file, const struct times_change *change);
/* The file was written without these functions, or counts as such. */
void storage_modify(const struct user_file *file);
bool storage_is_same(const struct user_file *one, const struct user_file *other);
/* Calls `found` for each name in a directory, with its type (DT_…), until that returns false. */
int64_t storage_list(const struct user_file *file, void *context,
                     bool (*found)(void *context, const char *name, unsigned type));
void storage_close(struct user_file *file);

#endif
