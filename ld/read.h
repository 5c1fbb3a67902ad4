/* The first phase: reads the inputs of the command line in order, and the archive members that
 * undefined names need. */
#ifndef LD_READ_H
#define LD_READ_H

#include "ld/linker.h"

void read_inputs(struct linker *linker);

#endif
