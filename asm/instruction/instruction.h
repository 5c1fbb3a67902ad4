/* Instructions: from mnemonic and operands to bits and fixups. */
#ifndef ASM_INSTRUCTION_INSTRUCTION_H
#define ASM_INSTRUCTION_INSTRUCTION_H

#include "asm/statement.h"
#include "asm/tasm.h"

/* An operand as it was written, matched to what the form expects. */
struct operand_value {
    int64_t number;                          /* what goes into the field, if `expression` is NULL */
    struct expression *expression;           /* known only at the end, or a symbol */
    const struct isa_relocation *relocation; /* by %operator; or NULL */
};

struct match {
    const struct isa_form *form;
    struct operand_value operands[ISA_OPERAND_LIMIT];
    const struct isa_relocation
        *mark; /* an operator that only marks the instruction, behind its operands */
    struct expression *mark_expression;
};

/* Finds the form of the mnemonic that the operands fit; false after a diagnostic that says what was
 * expected and what was found. */
bool operand_match(struct assembler *as, const struct parsed *parsed, const struct isa_form *forms,
                   size_t count, struct match *match);

/* Assembles a statement whose word is the mnemonic of an instruction. */
void instruction_assemble(struct assembler *as, const struct parsed *parsed);
/* Assembles the operands of the statement by one of these forms. */
void instruction_assemble_form(struct assembler *as, const struct parsed *parsed,
                               const struct isa_form *forms, size_t count);
/* Appends an instruction whose operands are all numbers (`values` in operand order). */
void instruction_append(struct assembler *as, const struct isa_instruction *instruction,
                        const int64_t *values, const struct position *at);
/* Fills code with nops, after zeros up to their alignment; `compressed`: the first one may have 2
 * bytes. */
void instruction_nops(const struct assembler *as, unsigned char *place, uint64_t size,
                      bool compressed);
/* load_immediate: the shortest sequence GNU as has for a constant. */
void instruction_load_immediate(struct assembler *as, const struct isa_form *form, unsigned rd,
                                int64_t value, const struct position *at);

/* Largest and smallest value of an operand's field, said in words: "-2048..2047". Into buffer. */
const char *operand_range(const struct isa_operand *operand, char *buffer, size_t size);

#endif
