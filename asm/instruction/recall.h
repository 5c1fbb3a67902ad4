/* A cache of instructions: the text of a statement, and the bytes that it was assembled to.
 *
 * Compilers emit the same few thousand instructions again and again. An instruction whose operands
 * are only registers and numbers has the same bytes everywhere, as long as extensions, options and
 * macros do not change (words_change). So its statement is parsed once, and then found by its text.
 * The cache grows to a limited size; a statement that is no longer in it is parsed again. */
#ifndef ASM_INSTRUCTION_RECALL_H
#define ASM_INSTRUCTION_RECALL_H

#include "asm/instruction/chunks.h"
#include "asm/statement.h"

struct recalled;

struct recall {
    struct chunks chunks;
    size_t stored;
};

/* Returns the entry for a statement with this text; NULL if there is none, or if the statement is
 * in a branch that is left out. */
const struct recalled *recall_find(const struct assembler *as, const char *text, size_t length);
/* Announces that a statement with this text will be searched soon. */
void recall_expect(const struct assembler *as, const char *text, size_t length);
/* Assembles the statement at that position to the bytes of the entry. */
void recall_append(struct assembler *as, const struct position *at,
                   const struct recalled *recalled);
/* Has the statement no label, and do its first `count` items consist of registers and numbers? */
bool recall_is_written_out(const struct parsed *parsed, size_t count);
/* Stores the bytes, if they depend on nothing but the text. */
void recall_note(struct assembler *as, const struct parsed *parsed, const unsigned char *bytes,
                 size_t count);
/* Stores the bytes of a statement whose operands are registers and numbers. */
void recall_store(struct assembler *as, const char *text, size_t length, const unsigned char *bytes,
                  size_t count);

#endif
