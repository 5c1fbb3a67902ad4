/* Time that passes on the host, for time limits and measurements. */
#ifndef LIB_CLOCK_H
#define LIB_CLOCK_H

#include <stdint.h>

#define CLOCK_SECOND UINT64_C(1000000000) /* in nanoseconds */

/* Nanoseconds of CLOCK_MONOTONIC: only differences have a meaning. */
uint64_t clock_now(void);

#endif
