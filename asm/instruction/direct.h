/* Instructions whose operands are registers and numbers, straight from their text.
 *
 * Most instructions of a compiler's output that are not in the cache of recall.h differ from
 * earlier ones in registers and numbers only. Which forms of the mnemonic they may have follows
 * from their shape: the text with `r` for each register and `n` for each number, such as `r,n(r)`.
 * The forms of a shape are found once, as long as extensions, options and macros do not change
 * (words_change). After that an instruction is its values, which the forms accept or not. */
#ifndef ASM_INSTRUCTION_DIRECT_H
#define ASM_INSTRUCTION_DIRECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct assembler;
struct direct_register;
struct direct_shape;
struct word;

struct direct {
    struct direct_shape *shapes;       /* NULL until there is one */
    struct direct_register *registers; /* names of registers that were read lately */
};

/* Assembles the instruction in the text, which begins with the mnemonic `word`. False, with nothing
 * changed, if it may need the parser: for other operands, for a message, or because something else
 * may depend on its position. */
bool direct_assemble(struct assembler *as, const struct word *word, const char *text,
                     size_t length);

#endif
