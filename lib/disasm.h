/* Machine code to text, in GNU objdump's form. */
#ifndef LIB_DISASM_H
#define LIB_DISASM_H

#include "lib/elf_file.h"
#include "lib/isa.h"
#include "lib/text.h"

struct disasm {
    const struct symbolizer *symbols; /* for `<sym+0x8>` behind targets; NULL: none */
    bool no_aliases;                  /* -M no-aliases */
    bool numeric;                     /* -M numeric: x10 for a0 */
};

/* Appends mnemonic, tab, operands: `addi\ta0,a0,1`. `word` is an instruction of `length` bytes at `pc`; an illegal one gives
 * `.word\t0x…` in objdump's form. */
void disasm_instruction(const struct disasm *disasm, struct text *text, uint64_t pc, uint64_t word, int length);

#endif
