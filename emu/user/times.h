/* Dates of the user environment. */
#ifndef EMU_USER_TIMES_H
#define EMU_USER_TIMES_H

#include <stdint.h>

/* The date at which each run starts: 2000-01-01T00:00:00 UTC, in seconds since 1970. */
#define RUN_START UINT64_C(946684800)

#endif
