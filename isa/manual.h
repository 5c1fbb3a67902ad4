/* Parts of the reference manual (isa.md): the frame is in manual.c, an instruction's page in
 * manual_page.c, its picture in diagram.c. */
#ifndef ISA_MANUAL_H
#define ISA_MANUAL_H

#include "isa/emit.h"

/* The page of one instruction: summary, syntax, encoding, operands, operation, traps, timing class,
 * aliases, example, source. */
void emit_page(struct emitter *emitter, const struct spec_instruction *instruction);

/* The encoding as boxes, in a code block. */
void emit_diagram(struct emitter *emitter, const struct spec_instruction *instruction);

#endif
