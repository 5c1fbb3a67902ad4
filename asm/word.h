/* The words of a source, each stored once with everything that it may mean.
 *
 * A source uses few different words, each many times. Therefore a word is looked up once, when it
 * is read. The entry refers to the instructions, the directive, the macro and the symbol of that
 * name, so that no further search is needed. */
#ifndef ASM_WORD_H
#define ASM_WORD_H

#include "lib/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct directive;
struct isa_form;
struct isa_register_name;
struct macro;
struct symbol;

/* The meanings of a word other than a symbol; most words have none. */
struct meaning {
    const struct isa_register_name *register_name; /* or NULL */
    const struct isa_form *forms;                  /* of the mnemonic; NULL: not a mnemonic */
    size_t form_count;
    const struct directive *directive; /* or NULL */
    struct macro *macro;               /* or NULL */
    unsigned condition;                /* enum test of condition.c for .if, .else …; else 0 */
    unsigned char list;                /* enum list_kind of the directive */
    bool location;                     /* the directive is .loc */
    bool text; /* .macro, .rept, .endm …: macro.c executes the statement without parsing it */
};

struct word {
    struct symbol *symbol;   /* the newest of that name; or NULL */
    struct meaning *meaning; /* or NULL: no other meaning */
    uint32_t length;
    char name[]; /* ends with a NUL */
};

enum { WORDS_RECENT_BITS = 6 };

struct words {
    struct arena *arena;
    struct word_slot { /* open addressing; never full */
        struct word *word;
        uint32_t hash; /* of the word, so that a search reads few words */
    } * slots;
    size_t slot_count, count;
    unsigned epoch; /* from 1; see words_change */
    struct short_word {
        uint64_t text;     /* its first four bytes and its last four, or the fewer that it has */
        struct word *word; /* or NULL */
    } recent[1 << WORDS_RECENT_BITS]; /* by a hash */
};

/* Is it a macro, or a directive that works on text, whose statements are not parsed? */
static inline bool word_works_on_text(const struct meaning *meaning)
{
    return meaning && (meaning->macro || meaning->text || meaning->condition);
}

/* Makes the table. Words of the instruction set are in it from their first use: a source uses few
 * of them. */
void words_init(struct words *words, struct arena *arena);
/* Returns the word of that text. A new one is added, with its meanings in the instruction set: as a
 * mnemonic and as a register. */
struct word *word_get(struct words *words, const char *text, size_t length);
/* The same, faster if it is one of few words of at most eight bytes: a directive or a mnemonic. */
struct word *word_get_short(struct words *words, const char *text, size_t length);
/* Returns the word of that text if a source or a directive has used it, as is any that names a
 * symbol; else NULL. */
struct word *word_find(const struct words *words, const char *text, size_t length);
/* Announces that the word will be searched soon. */
void words_expect(const struct words *words, const char *text, size_t length);
/* Returns the meanings of the word, to add one. */
struct meaning *word_meaning(struct words *words, struct word *word);
/* Records that the same statement may mean something else from here on: an extension, an option or
 * a macro has changed, or a symbol has got the name of a register. */
void words_change(struct words *words);
/* Returns the meanings of the word of that name, which is added if it is new. */
struct meaning *words_mean(struct words *words, const char *name);

#endif
