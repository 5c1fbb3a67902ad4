/* The first phase: reads the inputs of the command line in its order, and archive members as names
 * ask for them. */
#ifndef LD_READ_H
#define LD_READ_H

#include "ld/linker.h"

void read_inputs(struct linker *linker);

#endif
