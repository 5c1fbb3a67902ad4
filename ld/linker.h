/* The state of one link, which every phase takes first.
 *
 * Coordinates. An input section never moves its bytes: relocation offsets and symbol values stay as
 * the object has them. What relaxation takes out is a list of deletions beside the bytes, and
 * section_place() maps an input offset to the offset that it has in what is written. So a phase may
 * ask for any address at any time, and deleting is adding to a list.
 *
 * What is fixed from the end of each phase on (the phases are those of tld.c):
 * - read: objects, their sections and symbols, the archive members that were pulled
 * - resolve: each global name has one definition or none; commons have a section
 * - mark live: which sections are in the output
 * - lay out: the GOT's entries; the output section of each input section; the order of both
 * - relax: deletions, and with them all sizes and addresses
 * - assign: file offsets, program headers, the entry address
 * - apply: bytes
 * - write: the file */
#ifndef LD_LINKER_H
#define LD_LINKER_H

#include "ld/config.h"
#include "lib/arena.h"
#include "lib/diag.h"
#include "lib/elf_file.h"
#include "lib/isa.h"
#include "lib/map.h"
#include <stdbool.h>
#include <stdint.h>

struct section;
struct output_section;
struct expression;

/* Rounds up to a multiple of the alignment, a power of two. */
static inline uint64_t align_up(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) & ~(alignment - 1);
}

/* A relocatable object file that is part of the link. */
struct object {
    const char *name; /* "a.o" or "lib.a(a.o)" */
    struct elf_file elf;
    struct section **sections; /* by section index; [0] is NULL */
    struct section **linked;   /* those among them that can be part of the output */
    size_t linked_count;
    struct symbol **symbols; /* by symbol index; all objects share the symbol of a global name */
    struct symbol **globals; /* the global ones among them */
    size_t global_count;
    struct symbol **named_locals; /* the local symbols that the symbol table of an executable has,
                                     if their section is in the output */
    size_t named_local_count;
    bool odd_locals;          /* some local symbol is undefined or an indirect function */
    bool executable_stack;    /* its note asks for one */
    struct parsed *parsed;    /* what object_parse has left for object_enter */
    const char *archive;      /* the archive that it was pulled from, or NULL */
    const char *pulled_for;   /* the symbol that pulled it out of the archive, or NULL */
    struct debug_info *debug; /* its source lines, once a message has asked for them */
    bool debug_read;
};

/* The value of an entry of the GOT. */
enum got_kind {
    GOT_ADDRESS,
    GOT_THREAD_OFFSET, /* from the thread pointer: initial exec */
    GOT_MODULE_OFFSET, /* module and offset in it: two words for __tls_get_addr, general dynamic */
    GOT_KINDS,
};

enum symbol_state {
    SYMBOL_UNDEFINED,
    SYMBOL_COMMON,   /* becomes SYMBOL_DEFINED when commons are allocated */
    SYMBOL_DEFINED,  /* `value` bytes into `section`, or absolute without one */
    SYMBOL_ASSIGNED, /* defined by the linker: `value` bytes into `output`, or absolute without one;
                        known from assign on */
};

/* A program may have millions of symbols, nearly all of them local labels. */
struct symbol {
    const char *name;
    struct object *object;   /* the object that defines it, or first uses it; NULL: the linker */
    struct section *section; /* SYMBOL_DEFINED; NULL: absolute */
    uint64_t value, size;    /* SYMBOL_COMMON: the value is the alignment */
    struct assignment *assignment; /* SYMBOL_ASSIGNED: not NULL */
    uint32_t table_index;          /* -r, -q: index in the symbol table of the output */
    uint32_t got;                  /* number of its entries in the GOT + 1, or 0 */
    uint8_t state;                 /* enum symbol_state */
    uint8_t binding;               /* STB_…; an undefined symbol is weak only if every use is */
    uint8_t type;                  /* STT_… */
    uint8_t visibility;            /* the most constraining visibility of all that were seen */
    uint8_t other;                 /* the other bits of st_other of all that were seen */
    bool local : 1;                /* it belongs to one object and is in no table of names */
    bool referenced : 1;           /* some object uses the name */
    bool evaluating : 1; /* its expression is being evaluated: reaching it again means a cycle */
    bool evaluated : 1;  /* the value of its expression is known */
    bool scripted : 1;   /* a script assigns it */
    bool walked : 1;     /* its assignment has been reached in the current walk of the script */
    bool needed : 1;     /* -r, -q: a relocation or a group names it */
    bool far; /* relax: some %hi or %lo of it, or some part of a thread-local access to it, needs
                 the high part. Then all keep it, because it is not known which parts belong
                 together. Threads set it at the same time. */
};

/* Additional data of a symbol that the linker defines. */
struct assignment {
    struct expression *expression; /* of --defsym, or NULL */
    struct output_section *output; /* the section that the value is relative to; NULL: absolute */
    struct symbol *before;         /* the symbol that an assignment in a script replaces, or NULL */
};

static inline struct expression *symbol_expression(const struct symbol *symbol)
{
    return symbol->assignment ? symbol->assignment->expression : NULL;
}

static inline struct output_section *symbol_output(const struct symbol *symbol)
{
    return symbol->assignment ? symbol->assignment->output : NULL;
}

static inline struct symbol *symbol_before(const struct symbol *symbol)
{
    return symbol->assignment ? symbol->assignment->before : NULL;
}

/* The form that relaxation gives the instructions at a relocation. */
enum relocation_form {
    FORM_ORIGINAL, /* as in the object */
    FORM_DELETED,  /* high part, thread-pointer add: deleted; the low part has another base */
    FORM_BASED,    /* low part: relative to the zero register or a pointer, without the high part */
    FORM_COMPRESSED, /* call: a compressed jump; high part: a compressed instruction */
    FORM_SHORT,      /* call: one jump */
    FORM_ZERO_BASED, /* call: only the second instruction, relative to the zero register */
};

/* A program may have millions of relocations. */
struct relocation {
    union {
        struct symbol *symbol;
        uintptr_t symbol_number; /* `unresolved`: in the object */
    };
    int64_t addend;
    uint32_t offset;  /* an object is smaller than 4 GiB, and so is a section with contents */
    uint16_t type;    /* number in isa_relocations */
    uint8_t form;     /* enum relocation_form, from relax on */
    bool marked : 1;  /* R_RISCV_RELAX is at the same place: relaxation may change the instructions;
                         from relax on only if relaxation is enabled and the type allows it */
    bool has_low : 1; /* pc-relative high part: a low part belongs to it */
    bool pinned : 1;  /* pc-relative high part: one of its low parts may not be changed */
    bool
        unresolved : 1; /* it names a global symbol of an object that is not part of the link yet */
};

static inline const struct isa_relocation *relocation_type(const struct relocation *relocation)
{
    return &isa_relocations[relocation->type];
}

/* Prefetches the target of a relocation. Symbols and their sections are scattered over memory;
 * loops over relocations that need the targets announce the ones that follow, first with `farther`,
 * then with `near`. */
enum { AHEAD = 8 };
static inline void relocation_prefetch(const struct relocation *farther,
                                       const struct relocation *near)
{
    __builtin_prefetch(farther->symbol);
    __builtin_prefetch(near->symbol->section);
}

/* A range of bytes of an input section that is not written. The ranges are in order and do not
 * overlap. */
struct deletion {
    uint64_t offset, count;
    uint64_t before; /* number of bytes in all earlier ranges */
};

/* A string or constant of a section that was merged (merge.c). Pieces are in order and without
 * gaps. */
struct piece {
    uint64_t offset; /* as read */
    uint64_t place;  /* in the section that holds all of them now */
    const struct content *content;
};

/* A section of an object, which becomes part of an output section. The fields that determine
 * addresses come first: relaxation asks for addresses millions of times, for sections all over
 * memory. */
struct section {
    struct output_section *output; /* from lay out on; NULL: not in the output */
    uint64_t offset;               /* in the output section, from assign on */
    uint64_t size, alignment;      /* size as read */
    struct section *merged; /* from lay out on: the section that has its contents now, or NULL */
    struct deletion *deletions;
    uint32_t deletion_count;
    bool live;       /* from mark live on */
    bool discarded;  /* a copy of a COMDAT group that another object supplied, or not part of
                        programs */
    bool is_written; /* its bytes have been copied into the image of the file */
    bool has_locals; /* local symbols other than its section symbol are defined in it */
    bool keep;       /* always a root of --gc-sections */
    uint32_t type;
    uint64_t flags, entry_size;
    struct object *object; /* NULL: made by the linker */
    const char *name;
    const unsigned char *bytes; /* as read; NULL without contents (SHT_NOBITS, or empty) */
    unsigned char *
        patched; /* `size` bytes with relocations applied; NULL: not relocated, or copied already */
    struct relocation *relocations; /* by offset; in file order if offsets are equal */
    uint32_t relocation_count;
    uint32_t values;      /* a bit for each isa_value that the relocations compute */
    uint64_t merged_size; /* size as read, if it was merged */
    struct piece *pieces; /* its pieces, if it was merged */
    size_t piece_count;
    size_t deletion_capacity;
    unsigned rank;                     /* index of the layout rule that took it */
    unsigned priority;                 /* .init_array.NNN: smaller first */
    unsigned index;                    /* its index in the object */
    const char *group;                 /* the signature of its group, or NULL */
    struct section *next_in_group;     /* circular */
    struct unwind_parts *unwind_parts; /* .eh_frame: its CIEs (eh_frame.c) */
};

/* The kind of memory that a section needs. It determines the place of a section that no rule
 * names. */
enum region {
    REGION_NOTE,
    REGION_TEXT,
    REGION_RODATA,
    REGION_TLS,
    REGION_DATA,
    REGION_SMALL_DATA, /* after all other data, so that the global pointer reaches it */
    REGION_BSS,
    REGION_SCRATCHPAD,
    REGION_UNLOADED, /* not in memory: debug information, comments */
    REGION_COUNT,
};

/* A pattern that is repeated in gaps from `offset` on. */
struct fill {
    uint64_t offset;
    unsigned char pattern[8];
    unsigned length;
};

struct output_section {
    const char *name;
    uint32_t type;
    uint64_t flags, alignment, entry_size;
    struct section **members;
    size_t member_count, member_capacity;
    enum region region;
    uint64_t address, size; /* from assign on */
    uint64_t load_address;  /* where the contents are loaded; a program copies them from there to
                               `address` */
    uint64_t file_offset;
    uint64_t fixed_address; /* --section-start */
    bool has_fixed_address;
    bool has_symbols;     /* a symbol names something in it, so it is written even if it is empty */
    bool is_dropped;      /* it is empty and not written */
    bool placed;          /* a statement names it */
    unsigned overlay;     /* number of the OVERLAY in whose memory it is, or 0 */
    size_t segment;       /* number of the PT_LOAD that contains it, from 1; 0: none */
    bool fills_file;      /* SHT_NOBITS between sections with contents: written as zeros */
    unsigned index;       /* in the section header table */
    unsigned order;       /* -r: its index in `outputs` */
    uint32_t name_offset; /* in .shstrtab */
    struct fill *fills;   /* the contents of gaps, by offset; without one: zeros */
    size_t fill_count, fill_capacity;
};

/* One step of the layout, in address order, like a line of a linker script. */
enum statement_kind {
    STATEMENT_SECTION, /* place `output` */
    STATEMENT_SYMBOL,  /* `symbol` = here */
    STATEMENT_SEGMENT, /* start a new page, so that permissions can change; the offset in the page
                          stays (no padding in the file) */
    STATEMENT_RELRO_START, /* RELRO_START to RELRO_END: */
    STATEMENT_RELRO_END, /* not written once the program has started; it ends at the start of a page
                          */
    STATEMENT_ALIGN,     /* here = aligned to `alignment` */
    STATEMENT_WINDOW, /* here = start of the scratchpad; everything that follows must fit in it */
};

enum anchor { ANCHOR_HERE, ANCHOR_START, ANCHOR_END }; /* of `output`, if it exists */

struct statement {
    enum statement_kind kind;
    struct output_section
        *output; /* SECTION; SYMBOL with an anchor; NULL if no section went into it */
    struct symbol *symbol;
    enum anchor anchor;
    uint64_t alignment;
    enum region region;
};

/* The entries of a symbol in the GOT: for each kind the number of the first word + 1, or 0. */
struct got_entries {
    uint32_t words[GOT_KINDS];
};

/* Eight bytes of the GOT. */
struct got_word {
    const struct symbol *symbol;
    enum got_kind kind;
    bool module; /* this is the first word of GOT_MODULE_OFFSET */
};

struct segment {
    uint32_t type, flags;
    uint64_t offset, address, load_address, file_size, memory_size, alignment;
    const struct output_section *first; /* the first section in it, or NULL */
    const struct script_segment
        *scripted; /* the entry of PHDRS in a script that asks for it, or NULL */
};

enum { SHORT_CALLS = 64, RELOCATION_NUMBERS = 256 };

/* What the reader of relocations needs to know about a type, by its number in objects. Types that
 * need more treatment are not in this table. */
struct relocation_kind {
    uint16_t type; /* number in isa_relocations + 1; 0: there is none */
    uint8_t value; /* enum isa_value */
    uint8_t width; /* bytes that it changes */
};

/* A jump that replaces a call (short_form.c). */
struct short_jump {
    const struct isa_operand *target; /* NULL: there is no such jump */
    uint64_t word;                    /* with target 0 */
    unsigned length;
};

/* The jumps that can replace calls with this second word. */
struct short_call {
    const struct isa_relocation *type;
    uint64_t second;
    struct short_jump plain, compressed;
};

struct script;
struct image;
struct ahead;
struct crew;

struct linker {
    struct arena arena;
    struct arena
        scratch; /* for the object that is being read or the section that is being relocated */
    struct diag diag;
    struct config config;
    unsigned duplicates;     /* errors that are duplicate definitions of a symbol */
    struct map symbols;      /* global name → struct symbol */
    struct map groups;       /* COMDAT signature → the object that supplied the group */
    struct object **objects; /* in link order */
    size_t object_count, object_capacity;
    struct relocation_kind kinds[RELOCATION_NUMBERS];
    struct section **extra; /* sections made by the linker: GOT, commons, merged notes */
    size_t extra_count, extra_capacity;
    struct output_section **outputs; /* in the order of the file */
    size_t output_count, output_capacity;
    struct script *script; /* -T, or NULL: the default layout */
    struct statement *statements;
    size_t statement_count, statement_capacity;
    size_t reserved_headers; /* program headers that the first segment has room for */
    struct segment *segments;
    size_t segment_count, segment_capacity;
    uint64_t relro_start, relro_end;    /* equal: there is no protected part */
    struct section *build_id;           /* the note, or NULL */
    struct section *eh_frame_header;    /* NULL: not wanted */
    struct dynamic *dynamic;            /* NULL: the program is not position-independent */
    struct section *got;                /* NULL without entries */
    struct symbol **indirect_functions; /* those that have an entry */
    struct symbol **indirect_entries;   /* their entries; their words and relocations are in: */
    struct section *indirect_words, *indirect_relocations; /* NULL without one */
    size_t indirect_count;
    struct got_word *got_words;
    size_t got_count, got_capacity;
    struct got_entries *got_entries;
    size_t got_entry_count, got_entry_capacity;
    struct image *image;   /* of the file, from assign on */
    uint64_t contents_end; /* where the contents of sections end in the file */
    struct symbol *entry;  /* NULL: config.entry is a number, or the symbol was not found */
    uint64_t entry_address;
    const struct symbol *global_pointer; /* NULL: relaxation may not use the register */
    uint64_t tls_start;                  /* the address that thread-local offsets are relative to */
    bool has_tls;
    uint32_t elf_flags; /* e_flags */
    bool executable_stack;
    struct ahead *ahead;                        /* files that are read ahead, or NULL (ahead.h) */
    struct crew *crew;                          /* of two threads, or NULL (crew.h) */
    struct short_call short_calls[SHORT_CALLS]; /* for recent calls, by second word */
    unsigned expression_depth;                  /* nesting of the evaluation of --defsym */
};

/* ---- sections (section.c) ---- */

/* Makes a section of the linker. It is part of the link from its creation on. */
struct section *section_new(struct linker *linker, const char *name, uint32_t type, uint64_t flags,
                            uint64_t alignment, const void *bytes, uint64_t size);
/* Does some relocation of the section compute such a value? */
static inline bool section_computes(const struct section *section, enum isa_value value)
{
    return section->values >> value & 1;
}
/* Returns the size as read, also of a section that was merged. */
uint64_t section_read_size(const struct section *section);
/* Returns the size that is written: without deletions. */
uint64_t section_final_size(const struct section *section);
/* Returns where the byte at `offset` of the input is written, relative to the start of the section.
 * A deleted byte maps to the byte after it. */
uint64_t section_place_after_deletions(const struct section *section, uint64_t offset);
static inline uint64_t section_place(const struct section *section, uint64_t offset)
{
    bool is_moved = section->deletion_count && section->deletions[0].offset < offset;

    return is_moved ? section_place_after_deletions(section, offset) : offset;
}
/* Adds a deletion. Offsets must ascend. */
void section_delete(struct linker *linker, struct section *section, uint64_t offset,
                    uint64_t count);
/* Returns the address of the byte at `offset` of the input (from assign on), or that of its copy if
 * the section was merged. */
uint64_t section_merged_address(const struct section *section, uint64_t offset);
static inline uint64_t section_address(const struct section *section, uint64_t offset)
{
    if (section->merged)
        return section_merged_address(section, offset);
    uint64_t base = section->output ? section->output->address + section->offset : 0;
    return base + section_place(section, offset);
}
/* Finds addresses for offsets in ascending order. Start with the section, which is not merged. */
struct section_cursor {
    const struct section *section;
    size_t next; /* the first deletion that has not been reached */
};
/* Returns section_address, and whether the byte is deleted. */
static inline uint64_t section_address_next(struct section_cursor *cursor, uint64_t offset,
                                            bool *deleted)
{
    const struct section *section = cursor->section;
    const struct deletion *deletions = section->deletions;
    uint64_t start = section->output->address + section->offset;

    while (cursor->next < section->deletion_count && deletions[cursor->next].offset <= offset)
        cursor->next++;
    *deleted = false;
    if (!cursor->next)
        return start + offset;
    const struct deletion *last = &deletions[cursor->next - 1];
    uint64_t inside = offset - last->offset;
    *deleted = inside < last->count;
    return start + offset - last->before - (*deleted ? inside : last->count);
}
/* Finds the relocations at exactly `offset`: returns the first, and their number in *count. They
 * are found faster if they come soon before the relocation `before`, which may be NULL or of
 * another section. */
struct relocation *section_relocations_at(const struct section *section, uint64_t offset,
                                          const struct relocation *before, size_t *count);
bool section_is_debug(const struct section *section);
/* Returns the name of the object, or "<linker>". */
const char *section_object_name(const struct section *section);

/* Iterates over all sections of the link: those of the objects in order, then those of the linker.
 * Sections that only describe an object are not among them. Start with {0}. */
struct section_walk {
    size_t object, section, extra;
};
struct section *section_next(const struct linker *linker, struct section_walk *walk);
/* The same without sections of objects that do not name such a symbol: their relocations need not
 * be searched. */
typedef bool symbol_test(const void *context, const struct symbol *symbol);
struct section *section_next_naming(const struct linker *linker, struct section_walk *walk,
                                    symbol_test *is_such, const void *context);

/* ---- places in messages (section.c) ---- */

/* Returns "a.o:(.text+0x10)". */
const char *place_text(struct linker *linker, const struct section *section, uint64_t offset);
/* Returns the same as a position for diag_error. */
struct position place_position(struct linker *linker, const struct section *section,
                               uint64_t offset);
struct position object_position(const struct object *object);
/* Returns " in function 'main'", or "" if no function symbol covers the offset. */
const char *place_function(struct linker *linker, const struct section *section, uint64_t offset);
/* Returns "'name'" or "section '.rodata'", for messages. */
const char *symbol_text(struct linker *linker, const struct symbol *symbol);

#endif
