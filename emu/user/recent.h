/* Directories beneath the root that paths led to lately. They stay open, so that the next path to
 * one of them takes one call of the host, which finds out whether it still leads there. */
#ifndef EMU_USER_RECENT_H
#define EMU_USER_RECENT_H

#include <stdint.h>

enum {
    RECENT_DIRECTORIES = 4, /* more than a call of the guest has paths */
    RECENT_PATH = 1024,     /* bytes of a path, with its end */
};

struct recent_directory {
    uint64_t used; /* the number of its last use; 0: there is none here */
    int host;
    uint64_t device, inode; /* what the path has to lead to */
    char path[RECENT_PATH]; /* from the root */
};

struct recent_directories {
    struct recent_directory all[RECENT_DIRECTORIES];
    uint64_t uses;
};

#endif
