/* Sections and the fragments that they consist of.
 *
 * A fragment is a run of fixed bytes, followed by a part whose size relaxation finds: an alignment,
 * a branch that may have to grow, space of a computed size. Labels and fixups point into the fixed
 * bytes, so they remain valid when sizes change. */
#ifndef ASM_SECTION_H
#define ASM_SECTION_H

#include "asm/location.h"
#include "lib/isa.h"
#include "lib/map.h"
#include <elf.h>
#include <stdint.h>

struct assembler;
struct expression;
struct line_row;
struct frame;
struct position;
struct reloc;
struct symbol;

enum fragment_kind {
    FRAGMENT_FIXED, /* no variable part */
    FRAGMENT_ALIGN,
    FRAGMENT_SPACE, /* a pattern, repeated */
    FRAGMENT_ORG,
    FRAGMENT_BRANCH, /* a branch or jump that may have to grow */
    FRAGMENT_LEB128,
    FRAGMENT_ADVANCE /* DW_CFA_advance_loc of call frame information */
};

/* The form that a branch or jump needs to reach its target: the compressed instruction, the
 * instruction itself, or its inverse over a jump. */
enum reach { REACH_SHORT, REACH_NEAR, REACH_FAR };

struct fragment {
    struct section *section;
    struct fragment *next;
    unsigned char *bytes; /* the fixed part; NULL if it is empty or the section has no contents */
    uint64_t length;      /* of the fixed part */
    struct block *block;  /* by relaxation */
    uint64_t offset;      /* of the fixed part in the block, by relaxation */
    uint64_t variable;    /* size of the variable part, by relaxation */
    const struct position *at;     /* of the statement that made the variable part */
    const char *mnemonic;          /* as written there; NULL: not an instruction */
    struct expression *expression; /* SPACE: count; ORG: address; BRANCH: target; LEB128: value */
    enum fragment_kind kind : 8;
    enum reach reach : 8;         /* BRANCH, by relaxation */
    unsigned char number;         /* in the block */
    bool code_fill : 1;           /* ALIGN: with nop instructions */
    bool short_nops : 1;          /* ALIGN: nops of 2 bytes too */
    bool short_inverse : 1;       /* BRANCH, REACH_FAR: the inverse is compressed */
    bool is_signed : 1;           /* LEB128 */
    unsigned char pattern_length; /* ALIGN, SPACE, ORG: bytes that fill it, repeated */
    union {
        struct {
            struct symbol *from, *to; /* ADVANCE: labels, whose distance the linker may change */
        };
        struct {
            unsigned char pattern[8];
            uint64_t alignment, maximum; /* ALIGN; maximum 0: any */
        };
        struct {                                       /* BRANCH, with target 0 */
            const struct isa_instruction *instruction; /* of full length */
            const struct isa_instruction *compressed;  /* of the short form; or NULL */
            uint64_t word;                             /* of the first */
            uint32_t compressed_word;                  /* of the second */
            uint32_t target_offset;
            const struct fragment *target; /* the target is `target_offset` bytes into it; NULL: not
                                              known, or not constant. Set by relaxation */
        };
    };
};

/* The condition under which another round would find the sizes in a block as they are. */
struct validity {
    int64_t least, most; /* the block has moved by a distance in this range since the round, */
    uint64_t alignment;  /* which is a multiple of this, */
    const struct block *first, /* and no size has changed between these two blocks */
        *last;
    unsigned long changes;           /* changes of size between them, as counted in that round */
    const struct block *other_first, /* the same for blocks of one other section; or NULL */
        *other_last;
    unsigned long other_changes;
};

/* Consecutive fragments of a section, which relaxation visits or skips together. */
struct block {
    struct fragment *first;
    unsigned count;
    uint64_t address; /* of the first, in the section */
    uint64_t size;    /* of all */
    struct validity validity;
    unsigned long changes; /* how often a round has changed sizes in the blocks before this one */
};

enum { BLOCK_FRAGMENTS = 64 };

/* A value that is stored into bytes once it is known, or becomes a relocation. Most are addresses
 * and distances in data, which compilers write for debuggers; these need no expression. */
struct fixup {
    struct fixup *next;
    struct fragment *fragment;
    uint32_t offset;            /* in the fixed part of the fragment */
    uint16_t relocation_number; /* 1 + index of the relocation that an operator asks for; 0: none */
    unsigned char size;         /* bytes of data; 0 for instructions */
    bool relaxable : 1;         /* add R_RISCV_RELAX if the type of the relocation allows it */
    bool is_address : 1;        /* data: the value is `add`, */
    bool is_sum : 1;            /* with `addend`, or else less `subtract` */
    union {
        struct {
            struct expression *expression;
            const char *mnemonic; /* as written, maybe that of an alias; NULL: not an instruction */
            const struct isa_instruction *instruction; /* NULL for data */
            const struct isa_operand *operand; /* of the instruction; NULL for data and marks */
        };
        struct {
            struct symbol *add;
            union {
                struct symbol *subtract; /* or NULL */
                int64_t addend;
            };
            struct location at;
        };
    };
};

/* Returns the relocation that an operator asks for, or NULL. */
static inline const struct isa_relocation *fixup_relocation(const struct fixup *fixup)
{
    return fixup->relocation_number ? &isa_relocations[fixup->relocation_number - 1] : NULL;
}
static inline void fixup_ask(struct fixup *fixup, const struct isa_relocation *relocation)
{
    fixup->relocation_number = relocation ? (uint16_t)(relocation - isa_relocations + 1) : 0;
}

struct relocation {
    struct symbol *symbol; /* or NULL */
    int64_t addend;
    uint32_t offset;
    uint32_t type; /* index in isa_relocations */
};

struct subsection {
    int64_t number;
    struct fragment *first, *last;
    size_t fragment_count;
    unsigned char *free, *end; /* memory for further bytes, after those of `last` */
    size_t room;               /* size of the whole allocation that it is the rest of */
    struct line_row *first_row, *last_row;
    struct frame *frame;     /* between .cfi_startproc and .cfi_endproc; or NULL */
    struct subsection *next; /* in any order; after section_order by number */
};

enum content { CONTENT_NONE, CONTENT_DATA, CONTENT_CODE }; /* as marked by mapping symbols */

struct section {
    const char *name;
    uint32_t type; /* SHT_… */
    uint64_t flags, entry_size, alignment;
    const char *group;      /* signature of its group; or NULL */
    bool comdat;            /* the linker keeps one group of that name */
    const char *link_order; /* a symbol in the section whose order it follows (flag o), or
                             * the name of that section; or NULL */
    struct location link_order_at;
    struct subsection *main;        /* number 0 */
    struct subsection *subsections; /* all; `main` alone in most sections */
    struct block *blocks; /* of all fragments in order, then an empty one; by relaxation */
    size_t block_count;
    struct fixup *fixups, *last_fixup;
    size_t fixup_count, branch_count; /* branches: fragments of that kind */
    struct relocation *relocations;
    size_t relocation_count, relocation_capacity;
    struct symbol *symbol; /* names the section */
    enum content content;  /* of the last bytes, for mapping symbols */
    const void *marked;    /* extensions that the last `$x…` stands for; NULL: the object's */
    uint64_t size;         /* by relaxation */
    unsigned char *image;  /* its bytes, set by resolve; NULL without contents */
    bool absolute;         /* of .struct: its labels are numbers */
    bool has_lines;        /* the line table has rows for it */
    bool relaxes;          /* the linker may shorten code that fixups are in */
    bool laid_out;         /* every fragment has an address, which may still change */
    unsigned index;        /* in the object, set by emit */
    struct section *next;  /* in order of creation */
};

struct section_place {
    struct section *section;
    struct subsection *subsection;
};

struct section_pushed;

/* The start of a piece of code: its mapping symbol, and the statement. */
struct code_start {
    const struct symbol *symbol;
    struct code_start *next;
};

struct sections {
    struct map map;         /* name and group → struct section */
    struct map names;       /* name → the first struct section of that name */
    struct map subsections; /* section and number → struct subsection; not number 0 */
    struct section *first, *last;
    struct section_place current, previous;
    uint64_t bytes;         /* size of the contents of all sections so far: limited */
    struct fragment *spare; /* memory for more fragments */
    size_t spare_count;
    struct section_pushed *pushed;                     /* .pushsection */
    struct reloc *relocs;                              /* .reloc, until the layout is done */
    struct code_start *code_starts, **code_starts_end; /* in the order of the source */
};

void section_init(struct assembler *as);
/* Returns the section of that name and group (NULL: in no group). A new section, for which *made is
 * set, has the type and the flags that its name implies. */
struct section *section_lookup(struct assembler *as, const char *name, const char *group,
                               bool *made);
/* The same for a section that follows the order of another one (`link_order`, or NULL), or that has
 * a number (`unique`, or NULL). It differs from sections of the same name for which these differ.
 */
struct section *section_lookup_apart(struct assembler *as, const char *name, const char *group,
                                     const char *link_order, const uint32_t *unique, bool *made);
/* .struct: enters a section that is never written. Its labels are numbers: their distances from its
 * start. */
void section_enter_absolute(struct assembler *as);
/* Removes these sections from the list, after layout. */
void section_drop_absolute(struct assembler *as);
/* Returns the first section of that name, whatever its group; NULL if there is none. */
struct section *section_find(const struct assembler *as, const char *name);
/* Makes the section the current one; .previous goes back to the one before. */
void section_enter(struct assembler *as, struct section *section, int64_t subsection);
void section_push(struct assembler *as);
bool section_pop(struct assembler *as);  /* false if nothing was pushed */
void section_swap(struct assembler *as); /* .previous */

static inline bool section_has_contents(const struct section *section)
{
    return section->type != SHT_NOBITS;
}
static inline bool section_is_code(const struct section *section)
{
    return (section->flags & SHF_EXECINSTR) != 0;
}
/* States whether code or data follows, and defines a mapping symbol where that changes. */
void section_content(struct assembler *as, enum content content);
/* Does code that follows here need no mapping symbol? */
bool section_continues_code(const struct assembler *as);

/* Returns the fragment that the next bytes go to. */
struct fragment *section_fragment(struct assembler *as);
/* Adds `length` bytes at the current location and returns them, set to zero. Returns NULL after a
 * diagnostic at `at`: the section has no contents, or there are too many bytes. */
unsigned char *section_append(struct assembler *as, uint64_t length, const struct position *at);
/* Adds `length` bytes of space at the current location of a section without contents. Reports, at
 * `at`, a section that grows too large. */
void section_reserve(struct assembler *as, uint64_t length, const struct position *at);
#define SECTION_CONTENTS_LIMIT (1u << 29)          /* bytes that all sections hold together */
#define SECTION_LIMIT          (UINT64_C(1) << 62) /* bytes; sums of a few of it do not wrap */
/* Ends the current fragment with a variable part of that kind, and returns that fragment. */
struct fragment *section_variable(struct assembler *as, enum fragment_kind kind,
                                  const struct position *at);
/* Has the bytes at the offset of the fragment stored once their value is known. */
struct fixup *section_fixup(struct assembler *as, struct fragment *fragment, uint64_t offset);
/* Makes the last `size` bytes an address, or the distance `add - subtract`. */
void section_address(struct assembler *as, unsigned size, struct symbol *add,
                     struct symbol *subtract, const struct position *at);
/* Makes the last `size` bytes the address `add + addend`. */
void section_sum(struct assembler *as, unsigned size, struct symbol *add, int64_t addend,
                 const struct position *at);
void section_relocation(struct assembler *as, struct section *section, uint64_t offset,
                        const struct isa_relocation *type, struct symbol *symbol, int64_t addend);
/* Raises the alignment of the section to at least this. */
void section_align(struct section *section, uint64_t alignment);
/* Brings the subsections of each section into the order of their numbers, after the last statement:
 * from then on only those are entered that exist, and number 0 of new sections. */
void section_order(struct assembler *as);
/* Pads sections with code to their alignment at the end of the source, so that nothing but code
 * lies between them and the code that the linker places after them. */
void section_finish(struct assembler *as);

/* Returns the address of the fixed part in the section; 0 before relaxation. */
static inline uint64_t fragment_address(const struct fragment *fragment)
{
    return fragment->block ? fragment->block->address + fragment->offset : 0;
}

/* Returns whether the distance of two places is known before layout; *distance is to - from. */
bool section_distance(const struct fragment *from, uint64_t from_offset, const struct fragment *to,
                      uint64_t to_offset, int64_t *distance);

/* May the linker remove bytes between two labels of one section? */
bool section_may_shrink(const struct symbol *from, const struct symbol *to);

#endif
