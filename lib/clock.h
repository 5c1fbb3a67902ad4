/* The host's clock, for time limits and measurements. */
#ifndef LIB_CLOCK_H
#define LIB_CLOCK_H

#include <stdint.h>

#define CLOCK_SECOND UINT64_C(1000000000) /* in nanoseconds */

/* Returns nanoseconds of CLOCK_MONOTONIC. Only differences have a meaning. */
uint64_t clock_now(void);

#endif
