/* What a tensor unit did in a run, as a list of named counters for `--stats`. Each unit has a
 * function that fills such a list in a fixed order. A name with a comma ("multiply-adds, f16") is a
 * part of the counter whose name is before the comma. The text format leaves out parts that are 0;
 * JSON has all of them. */
#ifndef EMU_UNITS_ACTIVITY_H
#define EMU_UNITS_ACTIVITY_H

#include "isa_ids.h"
#include <stdint.h>

#define ACTIVITY_MAXIMUM (16 + ISA_ELEMENT_LIMIT) /* largest number of counters of one unit */

struct activity {
    const char *unit; /* "matrix" */
    const char *name; /* "multiply-adds" */
    uint64_t value;
};

#endif
