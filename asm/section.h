/* Sections and the fragments that they are made of.
 *
 * A fragment is a run of fixed bytes followed by a part whose size is found by relaxation (an
 * alignment, a branch that may have to grow, a gap of computed size). Labels and fixups point into
 * the fixed bytes, so they stay true while sizes change. */
#ifndef ASM_SECTION_H
#define ASM_SECTION_H

#include "lib/isa.h"
#include "lib/map.h"
#include <stdint.h>

struct assembler;
struct expression;
struct line_row;
struct frame;
struct position;
struct reloc;
struct symbol;

enum fragment_kind {
    FRAGMENT_FIXED, /* nothing variable */
    FRAGMENT_ALIGN,
    FRAGMENT_SPACE, /* count elements of a pattern */
    FRAGMENT_ORG,
    FRAGMENT_BRANCH, /* a branch or jump that may have to grow */
    FRAGMENT_LEB128,
    FRAGMENT_ADVANCE /* a step of the location in call frames: an instruction of them */
};

/* How far a branch or jump has to reach: as a compressed instruction, as itself, or as its inverse
 * over a jump. */
enum reach { REACH_SHORT, REACH_NEAR, REACH_FAR };

struct fragment {
    struct section *section;
    struct fragment *next;
    unsigned char *bytes; /* the fixed part; NULL in sections without contents, and without bytes */
    uint64_t length;      /* of that */
    struct block *block;  /* by relaxation */
    uint64_t offset;      /* of the fixed part in the block, by relaxation */
    uint64_t variable;    /* size of the variable part, by relaxation */
    const struct position *at;     /* of the statement that made the variable part */
    const char *mnemonic;          /* as written there; NULL: no instruction */
    struct expression *expression; /* SPACE: count; ORG: address; BRANCH: target; LEB128: value;
                                      ADVANCE: distance */
    enum fragment_kind kind : 8;
    enum reach reach : 8;         /* BRANCH, by relaxation */
    unsigned char number;         /* in the block */
    bool code_fill : 1;           /* ALIGN: with nop instructions */
    bool short_nops : 1;          /* ALIGN: nops of 2 bytes too */
    bool short_inverse : 1;       /* BRANCH, REACH_FAR: the inverse is compressed */
    bool is_signed : 1;           /* LEB128 */
    bool movable : 1;             /* ADVANCE: the linker may change the distance */
    unsigned char pattern_length; /* ALIGN, SPACE, ORG: bytes that fill it, repeated */
    union {
        struct {
            unsigned char pattern[8];
            uint64_t alignment, maximum; /* ALIGN; maximum 0: any */
        };
        struct {                                       /* BRANCH, with target 0 */
            const struct isa_instruction *instruction; /* of full length */
            const struct isa_instruction *compressed;  /* what it is when short; or NULL */
            uint64_t word;                             /* of the first */
            uint32_t compressed_word;                  /* of the second */
            uint32_t target_offset;
            const struct fragment *target; /* whose `target_offset` it aims at; NULL: that is not
                                              known, or changes. By relaxation */
        };
    };
};

/* What has to stay for the sizes in a block to be found the same again. */
struct footing {
    int64_t least, most;       /* it moves by no less and no more in one round */
    uint64_t alignment;        /* by multiples of this */
    const struct block *first, /* and no size changes from the one to the other */
        *last;
    unsigned long changes; /* of those, so far */
};

/* Neighbouring fragments of a section, which relaxation goes through or passes by together. */
struct block {
    struct fragment *first;
    unsigned count;
    uint64_t address; /* of the first, in the section */
    uint64_t size;    /* of all */
    struct footing footing;
    unsigned long changes; /* before this block in the section: how often a round has found other
                              sizes in a block */
};

enum { BLOCK_FRAGMENTS = 64 };

/* A value to be put into bytes once it is known, or made a relocation. */
struct fixup {
    struct fixup *next;
    struct fragment *fragment;
    struct expression *expression;
    const char *mnemonic; /* as written there, maybe of an alias; NULL: no instruction */
    const struct isa_relocation *relocation;   /* asked for by an operator; or NULL */
    const struct isa_instruction *instruction; /* NULL for data */
    const struct isa_operand *operand; /* field of an instruction; NULL for data and marks */
    uint32_t offset;                   /* in the fixed part of the fragment */
    unsigned char size;                /* bytes of data; 0 for instructions */
    bool relaxable; /* add the relocation that lets the linker relax, if the type may be */
};

struct relocation {
    uint64_t offset;
    const struct isa_relocation *type;
    struct symbol *symbol; /* or NULL */
    int64_t addend;
};

struct subsection {
    int64_t number;
    struct fragment *first, *last;
    unsigned char *free,
        *end;    /* memory for bytes to come: where those of `last` end, or will begin */
    size_t room; /* size of the memory that this is the rest of */
    struct line_row *first_row, *last_row;
    struct frame *frame;     /* between .cfi_startproc and .cfi_endproc; or NULL */
    struct subsection *next; /* ascending numbers */
};

enum content { CONTENT_NONE, CONTENT_DATA, CONTENT_CODE }; /* as mapping symbols tell it */

struct section {
    const char *name;
    uint32_t type; /* SHT_… */
    uint64_t flags, entry_size, alignment;
    const char *group;      /* signature of its group; or NULL */
    bool comdat;            /* the linker keeps one group of that name */
    const char *link_order; /* section it is ordered by (flag o); or NULL */
    struct subsection *subsections;
    struct block *blocks; /* all fragments in order, and an empty one behind; by relaxation */
    size_t block_count;
    struct fixup *fixups, *last_fixup;
    size_t fixup_count;
    struct relocation *relocations;
    size_t relocation_count, relocation_capacity;
    struct symbol *symbol; /* names the section */
    enum content content;  /* of the last bytes, for mapping symbols */
    uint64_t size;         /* by relaxation */
    unsigned char *image;  /* its bytes, by resolve; NULL without contents */
    bool absolute;         /* of .struct: its labels are numbers */
    bool has_lines;        /* rows of the line table speak of it */
    bool laid_out;         /* relaxation has given every fragment an address (maybe not the last) */
    unsigned index;        /* in the object, set by emit */
    struct section *next;  /* in order of creation */
};

struct section_place {
    struct section *section;
    struct subsection *subsection;
};

struct section_pushed;

struct sections {
    struct map map; /* name and group → struct section */
    struct section *first, *last;
    struct section_place current, previous;
    uint64_t bytes;         /* contents so far, of all sections: limited */
    struct fragment *spare; /* room for more fragments */
    size_t spare_count;
    struct section_pushed *pushed; /* .pushsection */
    struct reloc *relocs;          /* .reloc, until the layout is done */
};

void section_init(struct assembler *as);
/* The section of that name (and group), made if there is none, with what its name implies. */
struct section *section_lookup(struct assembler *as, const char *name, const char *group,
                               bool *made);
/* The same among those numbered `unique`: they differ from others of the name, and each other. */
struct section *section_lookup_unique(struct assembler *as, const char *name, const char *group,
                                      uint32_t unique, bool *made);
/* .struct: enters a section that is never written. Its labels are numbers, the distances from its
 * beginning. */
void section_enter_absolute(struct assembler *as);
void section_drop_absolute(struct assembler *as); /* after layout: they are no longer in the list */
struct section *section_find(const struct assembler *as, const char *name);
/* .section and friends: makes it current; the one left is .previous. */
void section_enter(struct assembler *as, struct section *section, int64_t subsection);
void section_push(struct assembler *as);
bool section_pop(struct assembler *as);  /* false if nothing was pushed */
void section_swap(struct assembler *as); /* .previous */

bool section_has_contents(const struct section *section); /* not SHT_NOBITS */
bool section_is_code(const struct section *section);
/* What follows is code or data: marks the place with a mapping symbol where that changes. */
void section_content(struct assembler *as, enum content content);

/* The fragment that takes the next bytes. */
struct fragment *section_fragment(struct assembler *as);
/* Room for `length` more bytes at the current location: zeroed memory to write to. Reports bytes in
 * a section without contents once something else than zero may be stored (`at`); returns NULL then.
 */
unsigned char *section_append(struct assembler *as, uint64_t length, const struct position *at);
/* `length` more bytes of space at the current location of a section without contents; or an error
 * at `at`. */
void section_reserve(struct assembler *as, uint64_t length, const struct position *at);
#define SECTION_CONTENTS_LIMIT (1u << 29)          /* bytes that all sections hold together */
#define SECTION_LIMIT          (UINT64_C(1) << 62) /* bytes; sums of a few of it do not wrap */
/* Ends the current fragment with a variable part of that kind, and returns it. */
struct fragment *section_variable(struct assembler *as, enum fragment_kind kind,
                                  const struct position *at);
struct fixup *section_fixup(struct assembler *as, struct fragment *fragment, uint64_t offset);
void section_relocation(struct assembler *as, struct section *section, uint64_t offset,
                        const struct isa_relocation *type, struct symbol *symbol, int64_t addend);
void section_align(struct section *section, uint64_t alignment); /* raises its alignment */
/* At the end of the source: code sections end at their alignment, so that what the linker puts
 * behind them is code too. */
void section_finish(struct assembler *as);

/* Of its fixed part in the section: by relaxation; before that, 0. */
static inline uint64_t fragment_address(const struct fragment *fragment)
{
    return fragment->block ? fragment->block->address + fragment->offset : 0;
}

/* Is the distance between two places fixed before layout? Then *distance = to - from. */
bool section_distance(const struct fragment *from, uint64_t from_offset, const struct fragment *to,
                      uint64_t to_offset, int64_t *distance);

/* May the linker take bytes out between two labels of one section, of a known distance? */
bool section_may_shrink(const struct symbol *from, const struct symbol *to);

#endif
