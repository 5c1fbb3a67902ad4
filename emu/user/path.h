/* Paths of the guest, resolved beneath the --root directory.
 *
 * A path is walked here, one component at a time, each opened beneath the one before and never
 * through a symbolic link of the host's making: links are read and followed by us, inside the root.
 * `..` goes back along the directories that were opened and stops at the root. So neither a link
 * nor a race leads out. What a call then does, it does to one name in the last directory, without
 * following it. */
#ifndef EMU_USER_PATH_H
#define EMU_USER_PATH_H

#include "emu/machine.h"
#include <limits.h>

enum { PATH_DEPTH = 64 }; /* directories below the root */

struct path_walk {
    int directories[PATH_DEPTH]; /* [0] is the root; the others are ours to close */
    int depth;
    int links;
    char rest[2 * PATH_MAX]; /* what is left of the path */
    char name[NAME_MAX + 1]; /* component at hand; empty: the directory itself */
    bool slash;              /* a slash follows the name: a directory is meant */
    int dots;                /* the last component was `.` (1) or `..` (2) */
    char where[PATH_MAX];    /* the directory as the guest names it: "", "/a", "/a/b" */
};

/* Walks the guest's string at `address`, taken from `directory` (a descriptor or AT_FDCWD), up to
 * its last component, which stays in walk->name. 0, or a negative error number; to be ended in
 * either case. A link in the last place is followed only with `follow`, or where a slash is behind
 * it. What has a slash behind it is a directory, or does not exist. */
int64_t path_walk(struct machine *machine, struct path_walk *walk, uint64_t directory,
                  uint64_t address, bool follow);
void path_end(struct path_walk *walk);

/* Can the name be given to something new that is no directory? 0, EEXIST for what is there for
 * sure, ENOENT where a slash asks for a directory; negative. */
int64_t path_check_new(const struct path_walk *walk);

/* Host descriptor of the directory that holds walk->name. */
int path_directory(const struct path_walk *walk);
/* The name to use there: "." for the directory itself. */
const char *path_name(const struct path_walk *walk);
/* The whole path without links and dots, as the guest names it; static size PATH_MAX. False when it
 * does not fit. */
bool path_canonical(const struct path_walk *walk, char canonical[PATH_MAX]);

#endif
