/* Machine code to text, in GNU objdump's form. */
#ifndef LIB_DISASM_H
#define LIB_DISASM_H

#include "lib/elf_file.h"
#include "lib/isa.h"
#include "lib/text.h"

struct disasm {
    const struct symbolizer *symbols; /* for `<sym+0x8>` behind targets; NULL: none */
    bool no_compressed;               /* words of 2 bytes are no instructions */
    bool no_aliases;                  /* -M no-aliases */
    bool numeric;                     /* -M numeric: x10 for a0 */
    /* For values without a name (reserved rounding modes, empty sets); NULL: the number, which
     * assembles again. */
    const char *unnamed;
    /* How an address is written, when the form of `symbols` is not wanted; NULL: `10 <sym+0x8>`,
     * `0x10` without symbols. */
    void (*address)(void *context, struct text *text, uint64_t address);
    void *context;
};

/* Appends mnemonic, tab, operands: `addi\ta0,a0,1`. `word` is an instruction of `length` bytes (2 4
 * 6 8) at `pc`; an illegal one gives `.4byte\t0x…` in objdump's form. Returns what isa_decode makes
 * of it. */
const struct isa_instruction *disasm_instruction(const struct disasm *disasm, struct text *text,
                                                 uint64_t pc, uint64_t word, int length);

/* Appends a symbol's name; control characters as objdump writes them (^A), so that a name cannot
 * break a line. */
void disasm_name(struct text *text, const char *name);

/* Appends an address as disasm_instruction writes a target. */
void disasm_address(const struct disasm *disasm, struct text *text, uint64_t address);

/* The form in which the word is written: an alias, or the instruction's own. `values` receives the
 * form's operands, in their order (ISA_OPERAND_LIMIT at most): register numbers, immediates, raw
 * reg-or-imm fields. */
const struct isa_form *disasm_form(const struct isa_instruction *instruction, uint64_t word,
                                   bool no_aliases, int64_t *values);

#endif
