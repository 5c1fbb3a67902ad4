/* tobjdump: what its files share. Output is built in `out` and goes to standard output section by
 * section. */
#ifndef ASM_TOBJDUMP_TOBJDUMP_H
#define ASM_TOBJDUMP_TOBJDUMP_H

#include "asm/tobjdump/debug.h"
#include "lib/arena.h"
#include "lib/diag.h"
#include "lib/disasm.h"
#include "lib/elf_file.h"
#include "lib/strings.h"
#include "lib/text.h"
#include <stdbool.h>

/* What of every file is wanted. */
struct tobjdump_options {
    bool file_header;         /* -f */
    bool section_headers;     /* -h */
    bool program_headers;     /* -p, but only the program header */
    bool symbols;             /* -t */
    bool relocations;         /* -r */
    bool dynamic_symbols;     /* -T */
    bool dynamic_relocations; /* -R */
    bool contents;            /* -s */
    bool disassemble;         /* -d */
    bool disassemble_all;     /* -D */
    bool archive_headers;     /* -a, -x: the member's entry, or the file's name once more */
    bool source;              /* -S */
    bool line_numbers;        /* -l */
    bool wide;                /* -w */
    bool special_symbols;     /* --special-syms */
    bool zeroes;              /* -z */
    bool no_raw;              /* --no-show-raw-insn */
    bool no_aliases;          /* -M no-aliases */
    bool numeric;             /* -M numeric */
    uint64_t start, stop;     /* --start-address, --stop-address */
    struct strings only;      /* -j; names of sections */
};

struct name_list {
    const struct elf_symbol **symbols; /* by address, in objdump's order of preference */
    size_t count;
};

/* The symbols that may name an address. Within an object all sections start at 0, so that those of
 * the section at hand are kept apart. */
struct names {
    const struct tobjdump *objdump;
    const struct elf_file *file;  /* that of the symbols */
    const struct elf_symbol *plt; /* those of PLT entries, made here */
    size_t plt_count;
    struct name_list all, own;          /* own: of the section */
    const struct elf_symbol **sections; /* all of them, by section */
    const struct elf_section *section;  /* the one being disassembled */
    bool any;                           /* has the file symbols, be they mapping symbols alone? */
};

/* What follows for a section from others; found once for all, as a file may have very many. */
struct section_facts {
    const struct elf_section *relocations; /* of an object, for this section; or NULL */
    bool internal;                         /* strings of the symbols or of the section names */
};

/* A mapping symbol. All of them are sorted by section and address. */
struct mapping {
    unsigned section, index;
    uint64_t address;
    bool data;
};

struct tobjdump {
    struct diag diag;
    struct arena arena; /* of the run: options */
    struct tobjdump_options options;
    struct arena file_arena; /* of the current file, or member of an archive */
    struct elf_file file;
    const char *title;           /* what the file is called in the output */
    struct debug_info *debug;    /* of the file, for -S and -l; or NULL */
    struct source_state *source; /* of the run */
    struct dynamic *dynamic;     /* NULL: it has no dynamic symbols */
    struct section_facts *facts; /* by section index */
    struct names names;
    struct mapping *mappings;
    size_t mapping_count;
    struct text out;
    bool *only_seen; /* for each of options.only: did any file have it? */
};

/* ---- options.c ---- */

/* Reads the command line; leaves the files in `files`. Returns the exit status, or -1: go on. */
int read_options(struct tobjdump *objdump, int argc, char **argv, const char **files,
                 size_t *file_count);

/* ---- output.c ---- */

/* Writes `out` to standard output and empties it. */
void tobjdump_flush(struct tobjdump *objdump);
/* The same, once there is enough of it. Between any two lines. */
void tobjdump_flush_much(struct tobjdump *objdump);

/* ---- sections.c: which sections objdump knows, and what it calls them ---- */

/* SEC_… of the section, as objdump prints them. */
enum section_flag {
    SECTION_CONTENTS = 1 << 0,
    SECTION_ALLOC = 1 << 1,
    SECTION_LOAD = 1 << 2,
    SECTION_RELOC = 1 << 3,
    SECTION_READONLY = 1 << 4,
    SECTION_CODE = 1 << 5,
    SECTION_DATA = 1 << 6,
    SECTION_DEBUGGING = 1 << 7,
    SECTION_OCTETS = 1 << 8,
    SECTION_EXCLUDE = 1 << 9,
    SECTION_THREAD_LOCAL = 1 << 10,
    SECTION_GROUP = 1 << 11,
    SECTION_LINK_ONCE = 1 << 12,
};

/* Fills objdump->facts. */
void sections_init(struct tobjdump *objdump);
unsigned section_flags(const struct tobjdump *objdump, const struct elf_section *section);
/* Is it a section in objdump's view? Symbol tables, their strings and relocations are not. */
bool section_is_listed(const struct tobjdump *objdump, const struct elf_section *section);
/* Listed, and selected by -j when there is one. */
bool section_is_selected(struct tobjdump *objdump, const struct elf_section *section);
/* The part of the section, in bytes from its start, that --start-address and --stop-address leave;
 * false when that is nothing. */
bool section_window(const struct tobjdump *objdump, const struct elf_section *section,
                    uint64_t *start, uint64_t *stop);

void print_file_header(struct tobjdump *objdump);
void print_program_headers(struct tobjdump *objdump);
void print_section_headers(struct tobjdump *objdump);
void print_contents(struct tobjdump *objdump);

/* ---- symbols.c: what objdump takes a symbol for, and which one names an address ---- */

bool symbol_is_undefined(const struct elf_symbol *symbol);
bool symbol_is_common(const struct elf_symbol *symbol);
/* Return the STT_ and the STB_ constant. */
int symbol_type(const struct elf_symbol *symbol);
int symbol_binding(const struct elf_symbol *symbol);
/* Returns the section that the symbol is defined in; NULL for one that is undefined, common or
 * absolute. */
const struct elf_section *symbol_section(const struct elf_file *file,
                                         const struct elf_symbol *symbol);
/* Returns the name; the symbol of a section has the name of the section. */
const char *symbol_name(const struct elf_file *file, const struct elf_symbol *symbol);
/* Returns st_value: in an object an offset from the section, whose address is 0. */
uint64_t symbol_value(const struct elf_symbol *symbol);
/* Writes the name, with the version of a dynamic symbol: name@@version for the default version,
 * name@version for others and for undefined symbols. */
void write_symbol_name(const struct tobjdump *objdump, struct text *out,
                       const struct elf_file *file, const struct elf_symbol *symbol);
/* Writes "+0x8" or "-0x8", with at least that number of hexadecimal digits. */
void write_offset(struct text *text, bool negative, uint64_t offset, unsigned digits);
bool symbol_is_mapping(const struct elf_symbol *symbol);
/* Has it a name that a reader wants to see? Not a mapping symbol, nor GNU as's fake label for
 * %pcrel_hi. */
bool symbol_is_presentable(const struct elf_symbol *symbol);
/* Collects the symbols of the file, and those of its PLT entries. */
void names_init(struct names *names, struct tobjdump *objdump);
/* `section` is disassembled from here on. */
void names_enter(struct names *names, const struct elf_section *section);
/* The symbol that objdump would name `address` by, or NULL; for the heading of a part of the
 * section it must be one of the section. */
const struct elf_symbol *names_find(const struct names *names, uint64_t address,
                                    bool in_section_only);
/* Name of the section's last function or label at or below the address, or NULL. */
const char *names_function(const struct names *names, uint64_t address);
/* Address of the section's next symbol above the address; the address itself when there is none. */
uint64_t names_next(const struct names *names, uint64_t address);
/* ` <sym+0x8>`; the section when there is no symbol. */
void names_write(const struct names *names, struct text *text, const struct elf_symbol *symbol,
                 uint64_t address);

/* ---- dynamic.c: what a dynamic linker reads ---- */

/* Sets objdump->dynamic. */
void dynamic_init(struct tobjdump *objdump);
/* The file with the symbols of .dynsym; NULL without. */
const struct elf_file *dynamic_file(const struct tobjdump *objdump);
/* Version of a symbol, "" for none; NULL in a file without versions. `*hidden`: another version is
 * the default one. */
const char *dynamic_version(const struct tobjdump *objdump, const struct elf_symbol *symbol,
                            bool *hidden);
/* The symbol that the dynamic linker stores at the address, or NULL. */
const struct elf_symbol *dynamic_symbol_at(const struct tobjdump *objdump, uint64_t address);
/* A symbol `name@plt` for each entry of the procedure linkage table; returns their number. */
size_t dynamic_plt_symbols(struct tobjdump *objdump, struct elf_symbol **symbols);
/* Does the section hold the relocations that the dynamic linker applies? */
bool dynamic_is_relocations(const struct elf_file *file, const struct elf_section *section);
/* For -p: the dynamic section and the versions. */
void print_dynamic_section(struct tobjdump *objdump);

/* ---- records.c: tables of symbols and relocations ---- */

void print_symbols(struct tobjdump *objdump);
void print_dynamic_symbols(struct tobjdump *objdump);
void print_relocations(struct tobjdump *objdump);
void print_dynamic_relocations(struct tobjdump *objdump);
/* Writes the symbol and the addend of a relocation, "name+0x8"; the symbol of a section has the
 * section's name. */
void write_relocation_value(const struct elf_file *file, struct text *text,
                            const struct elf_relocation *relocation);
void write_relocation_type(struct text *text, uint32_t type);

/* ---- hint.c: the `# address` behind the second half of an auipc or lui pair ---- */

struct hints;
struct hints *hints_new(struct arena *arena, const struct elf_file *file);
/* The address that the instruction, which the word is decoded to, forms from an earlier one, if
 * any; learns from it. */
bool hints_address(struct hints *hints, uint64_t pc, const struct isa_instruction *instruction,
                   uint64_t word, bool no_aliases, uint64_t *address);

/* ---- source.c ---- */

struct source_state *source_state_new(struct arena *arena);
/* Prints what -S and -l want before the code at the offset in the section. */
void print_source_of(struct tobjdump *objdump, const struct elf_section *section, uint64_t offset);

/* ---- code.c ---- */

void print_disassembly(struct tobjdump *objdump);

#endif
