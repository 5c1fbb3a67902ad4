/* Symbols: labels, names given a value by .set, common symbols, local labels 1: 1b 1f. */
#ifndef ASM_SYMBOL_H
#define ASM_SYMBOL_H

#include "lib/map.h"
#include <elf.h>
#include <stdint.h>

struct assembler;
struct expression;
struct fragment;
struct position;
struct section;
struct value;
struct word;

enum symbol_kind { SYMBOL_UNDEFINED, SYMBOL_LABEL, SYMBOL_EQUATED, SYMBOL_COMMON };

struct symbol {
    const char *name;
    union {
        struct { /* LABEL: it lies `offset` bytes into this fragment */
            struct fragment *fragment;
            uint64_t offset;
        };
        struct { /* COMMON */
            uint64_t common_size, common_alignment;
        };
    };
    struct section *section;           /* LABEL */
    struct expression *value;          /* EQUATED */
    struct expression *size;           /* .size, or NULL */
    const struct position *defined_at; /* or NULL; of N and N$ without a definition: first used */
    enum symbol_kind kind : 8;
    unsigned char binding, type, visibility; /* STB_…, STT_…, STV_… */
    bool binding_set : 1; /* by .globl .local .weak; others: local when defined, global when not */
    bool generated : 1;   /* the assembler's own (mapping symbols, .L0 of an expansion, 1:) */
    bool superseded : 1;  /* an older value of a name set again: never written */
    bool is_section : 1;  /* names a section itself */
    bool once : 1;        /* .equiv: may not be set again */
    bool lazy : 1;        /* EQUATED by .eqv: its value is that of the names at each use */
    bool dollar : 1;      /* N$ */
    bool weakref : 1; /* EQUATED by .weakref: stands for an undefined name, which it makes weak */
    bool weak_alias : 1;    /* such a name stands for it */
    bool named : 1;         /* used under its own name */
    bool variant_cc : 1;    /* .variant_cc: its calls do not follow the standard convention */
    bool in_relocation : 1; /* a relocation uses it: written even if its name begins with .L */
    bool visiting : 1;      /* its value is being worked out: a cycle if met again */
    bool cyclic : 1;        /* such a cycle has been reported */
    uint32_t index;         /* in .symtab, set by emit */
    uint32_t group;         /* names a group, and nothing else: the section of that; or 0 */
};

struct symbols {
    struct symbol **all; /* in order of creation */
    size_t count, capacity;
    struct map locals;              /* "N" → struct local_label */
    unsigned long dollar_scope;     /* labels with a name so far */
    unsigned lazy_depth, lazy_uses; /* values of .eqv put into values of .eqv; and in all */
    bool lazy_full;                 /* that there are too many has been reported */
};

void symbol_init(struct assembler *as);
/* The symbol of that name; made, undefined, if there is none. */
struct symbol *symbol_lookup(struct assembler *as, const char *name);
struct symbol *symbol_of(struct assembler *as, struct word *word); /* the same */
struct symbol *symbol_find(const struct assembler *as,
                           const char *name); /* NULL if there is none */
bool symbol_is_defined(const struct symbol *symbol);
/* Makes the symbol a label at the current location; reports a second definition. */
void symbol_define_label(struct assembler *as, struct symbol *symbol, const struct position *at);
/* .set: gives it a value (again); `once` (.equiv): reports if it has one. */
void symbol_assign(struct assembler *as, const char *name, struct expression *value,
                   const struct position *at, bool once);
/* .eqv: gives it a value that is worked out anew at each use. */
void symbol_assign_lazy(struct assembler *as, const char *name, struct expression *value,
                        const struct position *at);
/* .weakref: a name for a symbol that may be missing. */
void symbol_weakref(struct assembler *as, const char *name, struct symbol *target,
                    const struct position *at);
/* Is the undefined symbol used under names of .weakref alone? */
bool symbol_is_weak_alias(const struct symbol *symbol);
/* A label without a place in the table of names, at the current location. */
struct symbol *symbol_here(struct assembler *as, const char *name);
/* N: and Nb, Nf. */
void symbol_define_local(struct assembler *as, unsigned number, const struct position *at);
struct symbol *symbol_local(struct assembler *as, unsigned number, bool forward,
                            const struct position *at);
/* N$: and N$, which are known between two labels with a name. */
void symbol_define_dollar(struct assembler *as, unsigned number, const struct position *at);
struct symbol *symbol_dollar(struct assembler *as, unsigned number, const struct position *at);
/* Reports every Nf that no N: follows, and values that depend on themselves. */
void symbol_finish(struct assembler *as);
/* The label that the symbol stands for, with an offset to it; false if it is no place in a section.
 */
bool symbol_locate(struct assembler *as, struct symbol *symbol, const struct symbol **label,
                   int64_t *offset);
/* Address of a label in its section, after layout. */
uint64_t symbol_address(const struct symbol *symbol);

#endif
