/* Paths of the guest, resolved beneath its root: the --root directory or a tree in memory.
 *
 * A path is walked one component at a time. Each directory is opened beneath the one before, and
 * never through a symbolic link: links are read and followed here, inside the root. (The host
 * enters many at once if there are no links, so that programs that look for many files need few
 * calls of the host.) A name in a directory that the program has opened is looked up there, even if
 * the directory has another name by now. `..` goes back along the opened directories and stops at
 * the root. So neither a link nor a race leads out of the root. A call acts on one name in the last
 * directory, and does not follow a link there.
 *
 * /dev/shm is a directory in memory, also where the root is one of the host, and hides the host's.
 *
 * File systems whose files are interfaces of the kernel (procfs, sysfs, and the like) are refused
 * wherever they are mounted: a program that writes /proc/self/mem writes the memory of temu. */
#ifndef EMU_USER_PATH_H
#define EMU_USER_PATH_H

#include "emu/user/storage.h"
#include <limits.h>

enum { PATH_DEPTH = 64 }; /* directories below the root */

struct path_walk {
    struct place directories[PATH_DEPTH]; /* [0] is the root; the others are closed by path_end */
    struct node *shared_memory;           /* /dev/shm, if it is not beneath the root; or NULL */
    int depth;
    bool leapt; /* [1] was not entered from the root, but is an open directory of the program's, or
                   a recent one; it stays open */
    struct recent_directories *recent;
    int links;
    char rest[2 * PATH_MAX]; /* rest of the path */
    char name[NAME_MAX + 1]; /* last component; empty: the directory itself */
    bool slash;              /* a slash follows the name: a directory is meant */
    int dots;                /* the last component was `.` (1) or `..` (2) */
    struct file_facts facts; /* of the name, */
    bool has_facts;          /* if the walk has looked at them */
    char where[PATH_MAX];    /* the directory as the guest names it: "", "/a", "/a/b" */
};

/* Walks the guest's string at `address`, relative to `directory` (a descriptor or AT_FDCWD), up to
 * its last component, which is left in walk->name. Returns 0, or a negative error number; path_end
 * must be called in either case. A link as the last component is followed only with `follow` or
 * when a slash comes after it. A name with a slash after it must be a directory, or must not exist.
 */
int64_t path_walk(struct machine *machine, struct path_walk *walk, uint64_t directory,
                  uint64_t address, bool follow);
void path_end(struct path_walk *walk);
/* The same for a string. */
int64_t path_walk_string(const struct machine *machine, struct path_walk *walk, uint64_t directory,
                         const char *path, bool follow);

/* Returns the host's name of a regular file of the --root directory, which the caller frees, or
 * NULL: there is none. `path` is the guest's, from the root; the name leads through no link. */
char *path_on_host(const struct machine *machine, const char *path);

/* Is the path /proc/self/exe, a link to the program? Under --root it is not in /proc. */
bool path_is_program(const char *path);

/* Can the name be given to a new file that is not a directory? Returns 0; EEXIST when the name
 * exists; ENOENT when a slash asks for a directory; both negative. */
int64_t path_check_new(struct path_walk *walk);

/* Finds the attributes of what was found. Returns 0, or a negative error number. */
int64_t path_facts(struct path_walk *walk, struct file_facts *facts);

/* Returns the directory that holds walk->name. */
const struct place *path_directory(const struct path_walk *walk);
/* Returns the name to use in that directory: "." for the directory itself. */
const char *path_name(const struct path_walk *walk);
/* Writes the whole path without links and dots, as the guest names it. Returns false when it does
 * not fit. */
bool path_canonical(const struct path_walk *walk, char canonical[PATH_MAX]);

/* map_file.c: the file that was found will be opened for writing, or cut. Mappings of it keep their
 * bytes. Returns 0, or -ETXTBSY: the program runs from this file. */
int64_t user_prepare_change(struct machine *machine, const struct path_walk *walk);

#endif
