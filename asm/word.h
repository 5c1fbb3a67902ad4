/* The words of a source, each stored once with all that it may stand for.
 *
 * Sources say few words, again and again. So a word is looked up in one table when it is read; what
 * it means to the instruction set, the directives, the macros and the symbols hangs on it, and
 * whoever has the word has that without another search. */
#ifndef ASM_WORD_H
#define ASM_WORD_H

#include "lib/arena.h"
#include <stdbool.h>
#include <stdint.h>

struct directive;
struct isa_form;
struct isa_register_name;
struct macro;
struct symbol;

/* What a word is besides a symbol's name; most are nothing else. */
struct meaning {
    const struct isa_register_name *register_name; /* or NULL */
    const struct isa_form *forms;                  /* of the mnemonic; NULL: it is none */
    size_t form_count;
    const struct directive *directive; /* or NULL */
    struct macro *macro;               /* or NULL */
    unsigned condition;                /* of .if, .else …: which, as condition.c counts; else 0 */
    bool text; /* .macro, .rept, .endm …: macro.c takes the statement before it is parsed */
};

struct word {
    struct symbol *symbol;   /* the newest of that name; or NULL */
    struct meaning *meaning; /* or NULL: none but that of the symbol */
    uint32_t length;
    char name[]; /* ends with a NUL */
};

struct words {
    struct arena *arena;
    struct word_slot { /* open addressing; never full */
        struct word *word;
        uint32_t hash; /* of that: others are passed by without a look at them */
    } * slots;
    size_t slot_count, count;
    unsigned epoch; /* from 1; see words_change */
};

uint32_t word_hash(const char *text, size_t length);
/* Begins with the words of the instruction set: mnemonics and registers. */
void words_init(struct words *words, struct arena *arena);
/* The word of that text; made if it is new. */
struct word *word_get(struct words *words, const char *text, size_t length);
/* NULL if it was never made. */
struct word *word_find(const struct words *words, const char *text, size_t length);
/* Room for what the word means. */
struct meaning *word_meaning(struct words *words, struct word *word);
/* Tells that a statement may mean something else from here on: an extension, an option or a macro
 * has changed, or a symbol has taken the name of a register. */
void words_change(struct words *words);
/* That of the word, made if it is new. */
struct meaning *words_mean(struct words *words, const char *name);

#endif
