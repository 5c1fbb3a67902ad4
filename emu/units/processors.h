/* How many threads are of use. */
#ifndef EMU_UNITS_PROCESSORS_H
#define EMU_UNITS_PROCESSORS_H

/* Processors of the host that this process may run on (taskset, cpusets); at least 1. */
unsigned processor_count(void);

#endif
