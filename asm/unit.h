/* Debug information of an assembly unit (-g), which debuggers need to find its line table. */
#ifndef ASM_UNIT_H
#define ASM_UNIT_H

#include "asm/tasm.h"

/* Writes .debug_info, .debug_abbrev, .debug_aranges, .debug_rnglists and .debug_str for the
 * sections that have lines; `table` is the start of the line table. */
void unit_write(struct assembler *as, const struct position *at, struct symbol *table);

#endif
