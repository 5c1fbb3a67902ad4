/* Warnings of -mcsr-check: CSRs that the architecture does not have, and writes to CSRs that are
 * read-only. */
#ifndef ASM_INSTRUCTION_CSR_CHECK_H
#define ASM_INSTRUCTION_CSR_CHECK_H

#include "asm/instruction/instruction.h"

/* Warns about the CSR of a statement that matched a form with such an operand. */
void csr_check(struct assembler *as, const struct parsed *parsed, const struct match *match);

#endif
