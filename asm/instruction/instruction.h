/* Instructions: from mnemonic and operands to bits and fixups. */
#ifndef ASM_INSTRUCTION_INSTRUCTION_H
#define ASM_INSTRUCTION_INSTRUCTION_H

#include "asm/statement.h"
#include "asm/tasm.h"

/* The value of an operand that matched the form. */
struct operand_value {
    int64_t number;                          /* value of the field, if `expression` is NULL */
    struct expression *expression;           /* a value that is not known yet, or a symbol */
    const struct isa_relocation *relocation; /* of a %operator; or NULL */
};

struct match {
    const struct isa_form *form;
    struct operand_value operands[ISA_OPERAND_LIMIT];
    const struct isa_relocation *mark; /* of an operator after the operands, such as %tprel_add */
    struct expression *mark_expression;
};

/* Finds the form of the mnemonic that the operands match; false after a diagnostic. */
bool operand_match(struct assembler *as, const struct parsed *parsed, const struct isa_form *forms,
                   size_t count, struct match *match);

/* Assembles a statement whose word is the mnemonic of an instruction. */
void instruction_assemble(struct assembler *as, const struct parsed *parsed);
/* Assembles the operands of the statement by one of these forms. */
void instruction_assemble_form(struct assembler *as, const struct parsed *parsed,
                               const struct isa_form *forms, size_t count);
/* Assembles the form, without constraints, whose operands are numbers that fit. `text` is the whole
 * statement. */
void instruction_assemble_values(struct assembler *as, const struct isa_form *form,
                                 const int64_t *values, const char *text, size_t text_length);
/* Stores the instruction, whose encoding is `word`, at `place`. All instructions of an object but
 * the nops that pad code are stored by this function, so that its note can name them. */
void instruction_put(struct assembler *as, const struct isa_instruction *instruction, uint64_t word,
                     unsigned char *place);
/* Appends an instruction whose operands are all numbers (`values` in operand order). */
void instruction_append(struct assembler *as, const struct isa_instruction *instruction,
                        const int64_t *values, const struct position *at);
/* Finds the nops that pad code. */
void instruction_init(struct assembler *as);
/* Fills `size` bytes with nops, after zeros if the size is not a multiple of their length. The
 * first nop may have 2 bytes if `compressed`. */
void instruction_nops(const struct assembler *as, unsigned char *place, uint64_t size,
                      bool compressed);
/* Appends the instructions that load a constant, in the sequence that GNU as uses. */
void instruction_load_immediate(struct assembler *as, const struct isa_form *form, unsigned rd,
                                int64_t value, const struct position *at);

/* Writes the range of an operand's field to `buffer`, such as "-2048..2047"; returns the buffer. */
const char *operand_range(const struct isa_operand *operand, char *buffer, size_t size);

#endif
