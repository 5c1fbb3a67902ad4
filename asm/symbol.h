/* Symbols: labels, names given a value by .set, common symbols, local labels 1: 1b 1f. */
#ifndef ASM_SYMBOL_H
#define ASM_SYMBOL_H

#include "asm/section.h"

struct assembler;
struct expression;
struct isa_register_name;
struct value;
struct word;

enum symbol_kind { SYMBOL_UNDEFINED, SYMBOL_LABEL, SYMBOL_EQUATED, SYMBOL_COMMON };

struct symbol {
    const char *name;
    struct symbol *next; /* in order of creation */
    union {
        struct { /* LABEL, and EQUATED in .struct: it lies `offset` bytes into this fragment */
            struct fragment *fragment;
            uint64_t offset;
        };
        const struct isa_register_name *register_name; /* is_register */
        struct {                                       /* COMMON */
            uint64_t common_size, common_alignment;
        };
    };
    struct expression *value;   /* EQUATED */
    struct expression *size;    /* .size, or NULL */
    struct location defined_at; /* if known; for an undefined N or N$: of its first use */
    enum symbol_kind kind : 8;
    unsigned char binding, type, visibility; /* STB_…, STT_…, STV_… */
    bool binding_set : 1;   /* by .globl .local .weak; else it is local if defined, global if not */
    bool generated : 1;     /* made by the assembler (mapping symbols, .L0 of an expansion, 1:) */
    bool superseded : 1;    /* an older value of a name that was set again: never written */
    bool is_section : 1;    /* names a section itself */
    bool once : 1;          /* .equiv: may not be set again */
    bool lazy : 1;          /* EQUATED by .eqv: its value is computed anew at each use */
    bool dollar : 1;        /* N$ */
    bool weakref : 1;       /* EQUATED by .weakref to an undefined name, which becomes weak */
    bool weak_alias : 1;    /* the target of a .weakref */
    bool named : 1;         /* used under its own name */
    bool variant_cc : 1;    /* .variant_cc: its calls do not follow the standard convention */
    bool in_relocation : 1; /* a relocation uses it: written even if its name begins with .L */
    bool visiting : 1;      /* its value is being computed: meeting it again is a cycle */
    bool cyclic : 1;        /* such a cycle has been reported */
    bool is_register : 1;   /* EQUATED to a register: `.equ acc, a0` */
    uint32_t index;         /* in .symtab, set by emit */
    uint32_t group;         /* the section of the group, if the symbol only names a group; or 0 */
};

struct symbols {
    struct symbol *first, *last; /* in order of creation */
    size_t count;
    struct symbol *spare; /* memory for more symbols */
    size_t spare_count;
    struct map locals;              /* "N" → struct local_label */
    unsigned long dollar_scope;     /* number of named labels so far */
    unsigned lazy_depth, lazy_uses; /* nesting of .eqv values in .eqv values; their total number */
    bool lazy_full;                 /* too many of them have been reported */
};

void symbol_init(struct assembler *as);
/* Return the symbol of that name; a new one is undefined. */
struct symbol *symbol_lookup(struct assembler *as, const char *name);
struct symbol *symbol_of(struct assembler *as, struct word *word);
/* Returns the symbol of that name, or NULL. */
struct symbol *symbol_find(const struct assembler *as, const char *name);
static inline bool symbol_is_defined(const struct symbol *symbol)
{
    return symbol->kind != SYMBOL_UNDEFINED;
}
/* Returns the register that the symbol is equated to, or NULL. */
const struct isa_register_name *symbol_register(const struct symbol *symbol);
/* Returns the section of a symbol that has a fragment. */
static inline struct section *symbol_section(const struct symbol *symbol)
{
    return symbol->fragment->section;
}
/* Makes the symbol a label at the current location; reports a second definition. */
void symbol_define_label(struct assembler *as, struct symbol *symbol, const struct position *at);
/* Reports a second definition of the symbol, and where the first one is. */
void symbol_report_second(struct assembler *as, const struct symbol *symbol,
                          const struct position *at);
/* .set: gives the name a value, or a new one. `once` is .equiv: a second definition is an error. */
void symbol_assign(struct assembler *as, const char *name, struct expression *value,
                   const struct position *at, bool once);
/* .eqv: gives the name a value that is computed anew at each use. */
void symbol_assign_lazy(struct assembler *as, const char *name, struct expression *value,
                        const struct position *at);
/* .weakref: makes the name an alias of a symbol that may be missing. */
void symbol_weakref(struct assembler *as, const char *name, struct symbol *target,
                    const struct position *at);
/* Is the undefined symbol used only through aliases of .weakref? */
bool symbol_is_weak_alias(const struct symbol *symbol);
/* Returns a new label at the current location, which no name leads to. */
struct symbol *symbol_here(struct assembler *as, const char *name);
/* N:, and Nb or Nf. */
void symbol_define_local(struct assembler *as, unsigned number, const struct position *at);
struct symbol *symbol_local(struct assembler *as, unsigned number, bool forward,
                            const struct position *at);
/* N$:, and N$. Their scope ends at the next named label. */
void symbol_define_dollar(struct assembler *as, unsigned number, const struct position *at);
struct symbol *symbol_dollar(struct assembler *as, unsigned number, const struct position *at);
/* Returns the name of a symbol as the source writes it: `.`, `1:` and `1$:` of a local label. */
const char *symbol_title(struct assembler *as, const struct symbol *symbol);
/* Makes undefined names of sections their beginnings. Reports every Nf without a later N:, and values
 * that depend on themselves. */
void symbol_finish(struct assembler *as);
/* Finds the label that the symbol equals, with an offset to it; false if the symbol is not a place
 * in a section. */
bool symbol_locate(struct assembler *as, struct symbol *symbol, const struct symbol **label,
                   int64_t *offset);
/* Returns the address of a label in its section, after layout. */
static inline uint64_t symbol_address(const struct symbol *symbol)
{
    return fragment_address(symbol->fragment) + symbol->offset;
}

#endif
