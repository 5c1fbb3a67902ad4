/* Linker scripts: the parsed script, and how a link follows it.
 *
 * GNU ld's manual, "Linker Scripts", is the reference. Supported is what a bare-metal program
 * needs: MEMORY, SECTIONS, OVERLAY, PHDRS, assignments, ASSERT, INSERT. VERSION is read and has no
 * effect on a static program. */
#ifndef LD_SCRIPT_SCRIPT_H
#define LD_SCRIPT_SCRIPT_H

#include "ld/linker.h"
#include "ld/script/expression.h"

/* A memory region. */
struct script_region {
    const char *name;
    struct position at;
    uint64_t need, refuse; /* SHF_… flags of sections that are put here by default: any of `need`,
                              none of `refuse` */
    struct expression *origin_value, *length_value;
    uint64_t origin, length;
    uint64_t here;               /* the address for the next section */
    struct output_section *last; /* the last section that was put here */
    struct script_region *next;
};

/* A program header. */
struct script_segment {
    const char *name;
    struct position at;
    uint32_t type;                     /* PT_… */
    bool file_header, program_headers; /* FILEHDR, PHDRS: the segment begins with them */
    struct expression *load_address_value, *flags_value; /* AT, FLAGS, or NULL */
    uint64_t load_address, flags;
    struct script_segment *next;
};

/* A file or library that INPUT or GROUP names. */
struct script_input {
    enum input_kind kind;
    const char *name;
    struct script_input *next;
};

struct script_alias {
    const char *name;
    struct script_region *region;
    struct script_alias *next;
};

struct script_words {
    const char *word;
    struct script_words *next;
};

enum script_sort { SORT_NONE, SORT_NAME, SORT_ALIGNMENT, SORT_PRIORITY };

/* A pattern for the names of input sections, and their order. */
struct script_pattern {
    const char *name;
    struct script_words *excluded; /* files */
    enum script_sort sort, then;
    bool unsorted; /* SORT_NONE */
    struct script_pattern *next;
};

enum script_kind {
    SCRIPT_ASSIGN, /* `name` = `value`; "." is here */
    SCRIPT_ASSERT, /* `value` */
    SCRIPT_OUTPUT, /* `output` */
    SCRIPT_INPUT,  /* sections of files `name` */
    SCRIPT_DATA,   /* `size` bytes: `value` */
    SCRIPT_FILL,   /* gaps from here on are filled with `value` */
};

struct script_statement {
    enum script_kind kind;
    struct position at;
    struct script_statement *next;
    const char *name;
    struct expression *value;
    bool provide, hidden;  /* ASSIGN */
    struct symbol *symbol; /* ASSIGN; NULL: the location counter, or a symbol that is not wanted */
    uint64_t assigned;     /* ASSIGN: the value that the symbol was given in the last walk */
    struct script_output *output;
    struct script_words *excluded; /* INPUT: files */
    struct script_pattern *patterns;
    bool keep;
    unsigned size;            /* DATA */
    struct section *data;     /* DATA */
    struct section **members; /* INPUT: in their order in the output */
    size_t member_count, member_capacity;
};

struct script_list {
    struct script_statement *first, *last;
};

enum script_constraint { SCRIPT_ALWAYS, SCRIPT_IF_READ_ONLY, SCRIPT_IF_WRITABLE };
enum script_type { SCRIPT_LOADED, SCRIPT_NOLOAD, SCRIPT_BESIDE /* INFO, COPY …: not in memory */ };

/* The description of an output section. */
struct script_output {
    const char *name;
    struct position at;
    bool discards;    /* it is /DISCARD/ */
    unsigned overlay; /* the number of its OVERLAY, or 0 */
    bool overlaid;    /* it is not the first section of its OVERLAY */
    struct script_output *next_in_overlay;
    enum script_type type;
    enum script_constraint constraint;
    bool skipped; /* its constraint (ONLY_IF_…) is not satisfied by what its patterns match */
    struct expression *address, *load_address, *alignment, *member_alignment, *fill;
    struct script_region *region, *load_region;
    bool
        load_keeps_distance; /* ALIGN_WITH_INPUT: the gap before it has the same size at the load address as in memory */
    struct script_words *segments; /* `:NAME`; NULL: not given, until script_spread_segments */
    bool segments_given;           /* `:NAME` was given here */
    struct script_list body;
    struct output_section
        *output; /* from lay out on; NULL: merged into an earlier one with the same name */
};

/* Statements that INSERT puts before or after an output section of the default layout. */
struct script_insert {
    struct script_list statements;
    const char *section;
    bool after;
    struct position at;
    struct script_insert *next;
};

/* NOCROSSREFS: none of these output sections may refer to another of them. NOCROSSREFS_TO: none of
 * them may refer to the first. */
struct script_isolation {
    struct script_words *sections;
    bool to_first;
    struct script_isolation *next;
};

struct script {
    struct script_isolation *isolations;
    struct script_list statements;
    struct script_insert *inserts, *last_insert;
    struct script_region *regions, *last_region;
    struct script_segment *segments, *last_segment; /* PHDRS */
    struct script_alias *aliases;
    uint64_t relro_shift; /* by how much the start of the protected data is delayed, so that it ends
                             at the end of a page */
    bool relro_shifted;   /* relro_shift was computed for the present sizes */
    uint64_t relro_page;  /* the page size; 0: this walk has not reached DATA_SEGMENT_ALIGN */
    struct script_region everywhere; /* the region that is used without MEMORY */
    struct symbol *headers; /* HEADERS_SYMBOL, if the program uses it and does not define it */
    bool headers_required;  /* some use of it is not weak */
    const char *entry;
    struct script_words *externs;
    struct script_input *inputs, *last_input;
    const char *startup; /* the first file to link, or NULL */
    struct map outputs;  /* name → struct output_section */
};

/* Reads the file of -T. Searches the directories of -L if there is no such file. If it has INSERT,
 * its statements become part of the default layout, which `default_layout` gives as a script. */
void script_read(struct linker *linker, const char *default_layout);
/* Reads each --defsym SYMBOL=EXPRESSION. From here on the linker defines the symbol (definitions in
 * objects are ignored, as in GNU ld), and the symbols in the expression count as used. */
void script_read_defsyms(struct linker *linker);
/* Reads a file of the command line that is neither an object nor an archive. Returns the files that
 * it names (INPUT, GROUP), or NULL after a diagnostic. */
const struct script_input *script_read_inputs(struct linker *linker, const struct diag_file *file);
/* Returns the path of `name`: the name itself, or in the directories of -L, or beside `beside`
 * (NULL: not searched). The result is NULL if there is no such file. */
const char *script_find_file(struct linker *linker, const char *name, const char *beside);
/* Returns the region with this name or alias, or NULL. */
struct script_region *script_find_region(const struct script *script, const char *name);

/* Makes the linker define the symbols that the script assigns. Call it after all objects are
 * read. */
void script_define_symbols(struct linker *linker);
/* Calls `visit` for each symbol that an expression of the script names. */
void script_symbols(const struct script *script,
                    void (*visit)(void *context, struct symbol *symbol), void *context);
/* Does KEEP name the section? */
bool script_keeps(const struct linker *linker, const struct section *section);
/* Puts each live section into the output section of the first pattern that matches. */
void script_lay_out(struct linker *linker);
/* Puts sections without `:NAME` into the segments of the section before them, as GNU ld does
 * (segment.c). */
void script_spread_segments(struct linker *linker);
/* Gives everything its address for the present sizes. Does not report what may still change. */
void script_assign(struct linker *linker);
/* Reports references between output sections that NOCROSSREFS forbids (isolation.c). Call it when
 * each section has its output section. */
void script_check_isolation(struct linker *linker);
/* After sizes are final: reports failed assertions, errors in expressions, and regions that
 * overflow. */
void script_check(struct linker *linker);
/* Prints the use of each region as GNU ld does, below the line with the titles. */
void script_print_memory_usage(const struct linker *linker);

/* The state of a walk over the script, which expressions are evaluated in (value.c). */
struct script_walk {
    struct linker *linker;
    struct script *script;
    uint64_t here;
    struct output_section *output; /* the output section that is being filled, or NULL */
    struct output_section *last;   /* the section that symbols between sections belong to */
    uint64_t tls_here, scratchpad_here;
    const struct script_statement *at; /* the statement, outside of output sections */
    bool reporting;                    /* this is the last walk */
    bool changed;                      /* some address differs from that of the walk before */
    bool in_flags;                     /* FLAGS of PHDRS: an undefined symbol is no error, and */
    bool undefined;                    /* has been found */
};

struct script_value {
    uint64_t address;
    struct output_section *output; /* the section that the value belongs to; NULL: none */
    bool plain;                    /* a number rather than an address */
    bool here;                     /* computed from the location counter outside of sections */
};

struct script_value script_evaluate(struct script_walk *walk, const struct expression *expression);
/* Returns the value as a number, for sizes and alignments. */
uint64_t script_number(struct script_walk *walk, const struct expression *expression);

#endif
