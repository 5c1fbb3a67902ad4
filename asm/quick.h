/* Reading the simplest statements straight from the source. */
#ifndef ASM_QUICK_H
#define ASM_QUICK_H

struct assembler;

/* Executes statements that come next in the source, up to the first one that is not as simple as
 * quick.c describes; input_next() continues with that. */
void quick_read(struct assembler *as);

#endif
