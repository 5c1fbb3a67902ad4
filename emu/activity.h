/* What a tensor unit did in a run, as a list of named counters for `--stats`. Each unit has a
 * function that fills such a list, in an order of its own that never changes; a counter that is an
 * "of which" may be left out when it is 0. */
#ifndef EMU_ACTIVITY_H
#define EMU_ACTIVITY_H

#include <stdint.h>

#define ACTIVITY_MAXIMUM 16 /* counters of one unit at most */

struct activity {
    const char *unit; /* "matrix" */
    const char *name; /* "multiply-adds" */
    uint64_t value;
};

#endif
