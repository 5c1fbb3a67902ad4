/* See processors.h. */
#include "lib/processors.h"
#include <sched.h>

unsigned processor_count(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;

    return count < 1 ? 1 : (unsigned)count;
}
