/* What a tensor unit did in a run, as a list of named counters for `--stats`. Each unit has a
 * function that fills such a list, in an order of its own that never changes. A name
 * with a comma ("multiply-adds, f16") is a part of the counter whose name stands before the comma;
 * people are not shown parts that are 0, programs are. */
#ifndef EMU_UNITS_ACTIVITY_H
#define EMU_UNITS_ACTIVITY_H

#include <stdint.h>

#define ACTIVITY_MAXIMUM 16 /* counters of one unit at most */

struct activity {
    const char *unit; /* "matrix" */
    const char *name; /* "multiply-adds" */
    uint64_t value;
};

#endif
