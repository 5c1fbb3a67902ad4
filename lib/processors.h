/* The number of processors for threads. */
#ifndef LIB_PROCESSORS_H
#define LIB_PROCESSORS_H

/* Returns how many of the host's processors this process may run on (taskset, cpusets); at least 1.
 */
unsigned processor_count(void);

#endif
