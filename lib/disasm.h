/* Machine code to text, in GNU objdump's form. */
#ifndef LIB_DISASM_H
#define LIB_DISASM_H

#include "lib/elf_file.h"
#include "lib/isa.h"
#include "lib/text.h"

struct disasm {
    const struct symbolizer *symbols; /* for `<sym+0x8>` after targets; NULL: none */
    isa_set missing;                  /* extensions whose instructions are not decoded */
    bool no_compressed;               /* 2-byte words are not decoded */
    bool is_32;                       /* instructions that RV32 does not have are not decoded */
    bool no_aliases;                  /* -M no-aliases */
    bool numeric;                     /* -M numeric: x10 for a0 */
    /* Writes a value that has no name (a reserved rounding mode, an empty set). NULL: the number is
     * written, which the assembler accepts. */
    const char *unnamed;
    /* Writes an address. NULL: `10 <sym+0x8>`, or `0x10` without symbols. */
    void (*address)(void *context, struct text *text, uint64_t address);
    void *context;
};

/* Appends mnemonic, tab, operands: `addi\ta0,a0,1`. `word` is an instruction of `length` bytes (2,
 * 4, 6 or 8) at `pc`. An illegal word becomes `.4byte\t0x…`, as objdump writes it. Returns the
 * result of isa_decode. */
const struct isa_instruction *disasm_instruction(const struct disasm *disasm, struct text *text,
                                                 uint64_t pc, uint64_t word, int length);

/* Appends the name of a symbol. Control characters are written as objdump writes them (^A), so that
 * a name cannot break a line. */
void disasm_name(struct text *text, const char *name);

/* Appends an address as disasm_instruction writes a target. */
void disasm_address(const struct disasm *disasm, struct text *text, uint64_t address);

/* Returns the form in which the word is written: an alias, or the instruction's own form. `values`
 * receives the operands of the form in their order (at most ISA_OPERAND_LIMIT): register numbers,
 * immediates, raw reg-or-imm fields. */
const struct isa_form *disasm_form(const struct isa_instruction *instruction, uint64_t word,
                                   isa_set enabled, bool no_aliases, int64_t *values);

#endif
