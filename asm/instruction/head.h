/* A cache of instructions whose last operand is a symbol: calls, branches, addresses.
 *
 * What such an instruction is assembled to depends only on its head, the text before the symbol, as
 * long as extensions, options and macros do not change (words_change). The entry has the bytes with
 * the values to store in them, or the branch. Symbols that may stand for a number or a register are
 * left to the parser. */
#ifndef ASM_INSTRUCTION_HEAD_H
#define ASM_INSTRUCTION_HEAD_H

#include "asm/instruction/chunks.h"
#include "asm/statement.h"

struct fixup;
struct fragment;
struct head;

struct heads {
    struct chunks chunks;
    size_t stored;
};

/* Returns the entry for the text before the last word; NULL if there is none. `plt`: the word has
 * `@plt` after it. */
const struct head *head_find(const struct assembler *as, const char *text, size_t length, bool plt);
/* May the word be the operand? Not if it may mean anything but an address. */
bool head_takes(const struct word *word);
/* Assembles the statement at the position, whose operand `word` begins at byte `offset`. */
void head_append(struct assembler *as, const struct head *head, struct word *word,
                 const struct position *at, unsigned offset);
/* Stores what a statement was assembled to. Before it, the last fragment of its section had this
 * length, and `last` was the last value to store. */
void head_note(struct assembler *as, const struct parsed *parsed, const struct fragment *fragment,
               uint64_t length, const struct fixup *last);

#endif
