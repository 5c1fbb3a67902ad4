/* The state and the functions that the files of tobjdump share. Output is built in `out` and
 * written to standard output in pieces. */
#ifndef ASM_TOBJDUMP_TOBJDUMP_H
#define ASM_TOBJDUMP_TOBJDUMP_H

#include "lib/arena.h"
#include "lib/debug_info.h"
#include "lib/diag.h"
#include "lib/disasm.h"
#include "lib/elf_file.h"
#include "lib/isa_note.h"
#include "lib/strings.h"
#include "lib/text.h"
#include <stdbool.h>

struct config;
struct profile;

/* The parts to print of every file, and how to print them. */
struct tobjdump_options {
    enum isa_mismatch isa_mismatch;
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
    bool archive_headers;     /* -a, -x: the member's entry, or just the file's name */
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
    bool timing;              /* --timing */
    const char *profile;      /* --profile; or NULL */
    const char *machine_name; /* --machine; NULL: the default one */
    struct config *machine;
    uint64_t assumed; /* --assume: a size that is not known */
};

struct name_list {
    const struct elf_symbol **symbols; /* by address, in objdump's order of preference */
    size_t count;
};

/* The symbols that may name an address. In an object all sections start at 0, so the symbols of the
 * section being disassembled have a list of their own. */
struct names {
    const struct tobjdump *objdump;
    const struct elf_file *file;  /* that has the symbols */
    const struct elf_symbol *plt; /* of PLT entries, made here */
    size_t plt_count;
    struct name_list all, own;          /* own: of the section */
    const struct elf_symbol **sections; /* all symbols, by section */
    const struct elf_section *section;  /* the one being disassembled */
    bool any;                           /* the file has symbols, maybe only mapping symbols */
};

/* Facts about a section that follow from other sections; found once for all sections, because a
 * file may have very many. */
struct section_facts {
    const struct elf_section *relocations; /* for this section; or NULL */
    bool internal;                         /* holds the strings of symbols or of section names */
};

/* A mapping symbol. All of them are sorted by section and address. */
struct mapping {
    unsigned section, index;
    uint64_t address;
    const char *architecture; /* of the code that follows ($xrv64i2p1…); NULL: that of the file */
    bool data;
};

struct tobjdump {
    struct diag diag;
    struct arena arena; /* of the run: options */
    struct tobjdump_options options;
    struct arena file_arena; /* of the current file, or member of an archive */
    struct elf_file file;
    bool is_32;                  /* the file was ELF32 (widen.h): its addresses have 32 bits */
    unsigned digits;             /* of an address in tables */
    unsigned shift;              /* how much smaller offsets in the file were */
    const char *title;           /* the name of the file in the output */
    struct debug_info *debug;    /* of the file, for -S and -l; or NULL */
    struct source_state *source; /* of the run */
    struct profile *profile;     /* of the run, for --profile; or NULL */
    struct dynamic *dynamic;     /* NULL: the file has no dynamic symbols */
    struct section_facts *facts; /* by section index */
    struct names names;
    struct mapping *mappings;
    size_t mapping_count;
    struct text out;
    bool *only_seen; /* for each of options.only: some file has it */
};

/* ---- options.c ---- */

/* Reads the command line, and stores its files in `files`. Returns -1 to go on, else the exit
 * status. */
int read_options(struct tobjdump *objdump, int argc, char **argv, const char **files,
                 size_t *file_count);

/* ---- output.c ---- */

/* Writes `out` to standard output and empties it. */
void tobjdump_flush(struct tobjdump *objdump);
/* Does so if `out` has become large. May be called between any two lines. */
void tobjdump_flush_much(struct tobjdump *objdump);

/* ---- sections.c: sections as objdump lists them ---- */

/* The flags SEC_… that objdump prints for a section. */
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
/* Reads the relocations of the section, with offsets in it. Returns false if it has none, or after
 * a diagnostic. */
bool section_relocations(struct tobjdump *objdump, const struct elf_section *section,
                         struct elf_relocation **relocations, size_t *count);
/* Does objdump list the section? It does not list symbol tables, their strings and relocations. */
bool section_is_listed(const struct tobjdump *objdump, const struct elf_section *section);
/* Is the section listed, and selected by -j if that is given? */
bool section_is_selected(struct tobjdump *objdump, const struct elf_section *section);
/* Finds the part of the section, in bytes from its start, between --start-address and
 * --stop-address; false if it is empty. */
bool section_window(const struct tobjdump *objdump, const struct elf_section *section,
                    uint64_t *start, uint64_t *stop);

void print_file_header(struct tobjdump *objdump);
void print_program_headers(struct tobjdump *objdump);
void print_section_headers(struct tobjdump *objdump);
void print_contents(struct tobjdump *objdump);

/* ---- symbols.c: symbols, and the one that names an address ---- */

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
/* Is the name meant for people? False for mapping symbols, and for the label that GNU as makes for
 * %pcrel_hi. */
bool symbol_is_presentable(const struct elf_symbol *symbol);
/* Collects the symbols of the file, and those of its PLT entries. */
void names_init(struct names *names, struct tobjdump *objdump);
/* Prepares for the disassembly of a section. */
void names_enter(struct names *names, const struct elf_section *section);
/* Returns the symbol by which objdump names the address, or NULL. In a heading, the symbol must be
 * defined in the section (`in_section_only`). */
const struct elf_symbol *names_find(const struct names *names, uint64_t address,
                                    bool in_section_only);
/* Returns the name of the section's last function or label at or below the address, or NULL. */
const char *names_function(const struct names *names, uint64_t address);
/* Returns the address of the section's next symbol above the address; the address itself if there
 * is none. */
uint64_t names_next(const struct names *names, uint64_t address);
/* Writes ` <sym+0x8>`, with the name of the section if there is no symbol. */
void names_write(const struct names *names, struct text *text, const struct elf_symbol *symbol,
                 uint64_t address);

/* ---- dynamic.c: the tables that a dynamic linker reads ---- */

/* Sets objdump->dynamic. */
void dynamic_init(struct tobjdump *objdump);
/* Returns a view of the file with the symbols of .dynsym; NULL if it has none. */
const struct elf_file *dynamic_file(const struct tobjdump *objdump);
/* Returns the version of a symbol, "" if it has none; NULL in a file without versions. *hidden is
 * set if another version is the default. */
const char *dynamic_version(const struct tobjdump *objdump, const struct elf_symbol *symbol,
                            bool *hidden);
/* Returns the symbol whose address the dynamic linker stores at `address`, or NULL. */
const struct elf_symbol *dynamic_symbol_at(const struct tobjdump *objdump, uint64_t address);
/* Makes a symbol `name@plt` for each entry of the procedure linkage table; returns their number. */
size_t dynamic_plt_symbols(struct tobjdump *objdump, struct elf_symbol **symbols);
/* Does the section hold the relocations that the dynamic linker applies? */
bool dynamic_is_relocations(const struct elf_file *file, const struct elf_section *section);
/* Prints the dynamic section and the versions, for -p. */
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

/* ---- hint.c: the `# address` after the second instruction of an auipc or lui pair ---- */

struct hints;
struct hints *hints_new(struct arena *arena, const struct elf_file *file);
/* Finds the address that the instruction forms together with an earlier one; false if there is
 * none. Records the registers that the instruction sets. */
bool hints_address(struct hints *hints, uint64_t pc, const struct isa_instruction *instruction,
                   uint64_t word, bool no_aliases, uint64_t *address);

/* ---- source.c ---- */

struct source_state *source_state_new(struct arena *arena);
/* Prints the source lines (-S) and the place (-l) of the code at the offset in the section, if they
 * differ from those before. */
void print_source_of(struct tobjdump *objdump, const struct elf_section *section, uint64_t offset);

/* ---- code.c ---- */

void print_disassembly(struct tobjdump *objdump);
/* Sets objdump->mappings. */
void mappings_init(struct tobjdump *objdump);

/* ---- profile.c ---- */

/* Reads the profile `name` into objdump->profile. Returns false after a diagnostic. */
bool profile_read(struct tobjdump *objdump, const char *name);
/* Warns if the profile may be of another program than the file. Returns false after an error: it
 * is. */
bool profile_check(struct tobjdump *objdump);
/* Writes the line above the counts, and the counts of the instruction at an address before its
 * line: nothing without a profile. */
void profile_write_heading(struct tobjdump *objdump);
void profile_write_counts(struct tobjdump *objdump, uint64_t address);

/* ---- timing.c ---- */

void print_timing(struct tobjdump *objdump);

#endif
