/* Linker scripts: what a script says, as it was read, and how a link follows it.
 *
 * GNU ld's manual, "Linker Scripts", is the reference. Done is what a bare-metal program needs:
 * MEMORY, SECTIONS, PHDRS, assignments, ASSERT; not OVERLAY, VERSION, INSERT, which say so. */
#ifndef LD_SCRIPT_SCRIPT_H
#define LD_SCRIPT_SCRIPT_H

#include "ld/linker.h"
#include "ld/script/expression.h"

/* A part of memory. */
struct script_region {
    const char *name;
    struct position at;
    uint64_t need, refuse; /* SHF_… of sections that go here without being told: any of, none of */
    struct expression *origin_value, *length_value;
    uint64_t origin, length;
    uint64_t here;               /* where the next section goes */
    struct output_section *last; /* that was put here */
    struct script_region *next;
};

/* A program header. */
struct script_segment {
    const char *name;
    struct position at;
    uint32_t type;                                       /* PT_… */
    bool file_header, program_headers;                   /* FILEHDR, PHDRS: it begins with them */
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

/* Names of input sections, and what order they come in. */
struct script_pattern {
    const char *name;
    struct script_words *excluded; /* files */
    enum script_sort sort, then;
    struct script_pattern *next;
};

enum script_kind {
    SCRIPT_ASSIGN, /* `name` = `value`; "." is here */
    SCRIPT_ASSERT, /* `value` */
    SCRIPT_OUTPUT, /* `output` */
    SCRIPT_INPUT,  /* sections of files `name` */
    SCRIPT_DATA,   /* `size` bytes: `value` */
    SCRIPT_FILL,   /* gaps hold `value` from here on */
};

struct script_statement {
    enum script_kind kind;
    struct position at;
    struct script_statement *next;
    const char *name;
    struct expression *value;
    bool provide, hidden;  /* ASSIGN */
    struct symbol *symbol; /* ASSIGN; NULL: here, or not wanted */
    struct script_output *output;
    struct script_words *excluded; /* INPUT: files */
    struct script_pattern *patterns;
    bool keep;
    unsigned size;            /* DATA */
    struct section *data;     /* DATA */
    struct section **members; /* INPUT: in their order */
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
    bool discards; /* it is /DISCARD/ */
    enum script_type type;
    enum script_constraint constraint;
    bool skipped; /* what its patterns take is not as the constraint asks */
    struct expression *address, *load_address, *alignment, *member_alignment, *fill;
    struct script_region *region, *load_region;
    bool load_keeps_distance; /* ALIGN_WITH_INPUT: the gap before it is as large where it is loaded
                                 as in memory */
    struct script_words *segments; /* `:NAME`; NULL: none said, until script_spread_segments */
    bool segments_given;           /* they were said here */
    struct script_list body;
    struct output_section
        *output; /* from lay out on; NULL: merged into an earlier one of its name */
};

struct script {
    struct script_list statements;
    struct script_region *regions, *last_region;
    struct script_segment *segments, *last_segment; /* PHDRS */
    struct script_alias *aliases;
    uint64_t relro_shift; /* how much later than at once the protected data begins, so that it
                             ends with a page */
    bool relro_shifted;   /* that was found out for the present sizes */
    uint64_t relro_page;  /* size of one; 0: DATA_SEGMENT_ALIGN was not met in this walk */
    struct script_region everywhere; /* without MEMORY */
    struct symbol *headers; /* HEADERS_SYMBOL, when the program uses it and does not define it */
    bool headers_required;  /* it is not weak */
    const char *entry;
    struct script_words *externs;
    struct script_input *inputs, *last_input;
    const char *startup; /* the first file to link, or NULL */
    struct map outputs;  /* name → struct output_section */
};

/* Reads the file of -T; looks in the directories of -L where there is none of that name. */
void script_read(struct linker *linker);
/* Reads each --defsym SYMBOL=EXPRESSION. The symbol is the linker's from here on (an object's
 * definition gives way, as with GNU ld); the symbols in the expression count as used. */
void script_read_defsyms(struct linker *linker);
/* Reads a file of the command line that is neither an object nor an archive: the files that it
 * names (INPUT, GROUP). NULL after a diagnostic. */
const struct script_input *script_read_inputs(struct linker *linker, const struct diag_file *file);
/* `name` where it is, or in the directories of -L, or beside `beside` (NULL: nothing). */
const char *script_find_file(struct linker *linker, const char *name, const char *beside);
/* The region of this name or alias, or NULL. */
struct script_region *script_find_region(const struct script *script, const char *name);

/* Makes the script the owner of the symbols that it assigns. After all objects are read. */
void script_define_symbols(struct linker *linker);
/* Calls `visit` for each symbol that an expression of the script names. */
void script_symbols(const struct script *script,
                    void (*visit)(void *context, struct symbol *symbol), void *context);
/* Does KEEP name the section? */
bool script_keeps(const struct linker *linker, const struct section *section);
/* Puts each live section into an output section, by the first pattern that matches. */
void script_lay_out(struct linker *linker);
/* Sections without `:NAME` go where the one before went, as GNU ld has it (segment.c). */
void script_spread_segments(struct linker *linker);
/* Gives everything its address, for the present sizes. Reports nothing that may still change. */
void script_assign(struct linker *linker);
/* Once sizes are final: reports failed assertions, errors in expressions, regions that overflow. */
void script_check(struct linker *linker);
/* Use of each region, as GNU ld prints it below the line with the titles. */
void script_print_memory_usage(const struct linker *linker);

/* Values of expressions (value.c). */
struct script_walk {
    struct linker *linker;
    struct script *script;
    uint64_t here;
    struct output_section *output; /* that is being filled, or NULL */
    struct output_section *last;   /* what symbols between sections belong to */
    uint64_t tls_here, scratchpad_here;
    const struct script_statement *at; /* not in an output section */
    bool reporting;                    /* the last walk */
    bool changed;                      /* something is elsewhere than in the walk before */
};

struct script_value {
    uint64_t address;
    struct output_section *output; /* it belongs to; NULL: none */
    bool plain;                    /* a number rather than an address */
    bool here;                     /* made from the location counter outside of sections */
};

struct script_value script_evaluate(struct script_walk *walk, const struct expression *expression);
/* The number, for sizes and alignments. */
uint64_t script_number(struct script_walk *walk, const struct expression *expression);

#endif
