/* Why the machine refuses an instruction that the description has: in the report of an illegal
 * instruction. */
#ifndef EMU_REPORT_ILLEGAL_H
#define EMU_REPORT_ILLEGAL_H

#include "emu/machine.h"
#include "lib/text.h"

/* Appends the reason, without the end of the line, for the instruction at the pc of the hart. The
 * word is that of its base, which is another instruction if it is compressed. Appends nothing where
 * no reason is known. */
void illegal_append(struct text *text, const struct machine *machine,
                    const struct isa_instruction *instruction, const struct isa_instruction *base,
                    uint64_t word);

#endif
