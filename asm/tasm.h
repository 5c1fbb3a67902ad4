/* The state of one run of the assembler, passed first to everything.
 *
 * The phases: read and scan statements (input.c, cut.c, macro.c, condition.c, lexer.l), parse each
 * into labels and an operation (parser.y), turn operations into fragments of sections (directive/,
 * instruction/), then relax (relax.c), resolve (resolve.c) and emit (emit.c).
 *
 * Most statements leave nothing but bytes in a section. Therefore the text of a statement, its
 * tokens, its expressions and its position live in the scratch arena, and code that needs one of
 * them later keeps a copy: position_keep, expression_keep, arena_string. Words are never freed. */
#ifndef ASM_TASM_H
#define ASM_TASM_H

#include "asm/arch.h"
#include "asm/bundle.h"
#include "asm/condition.h"
#include "asm/frame.h"
#include "asm/input.h"
#include "asm/instruction/direct.h"
#include "asm/instruction/head.h"
#include "asm/instruction/recall.h"
#include "asm/lines.h"
#include "asm/listing.h"
#include "asm/location.h"
#include "asm/macro.h"
#include "asm/plain.h"
#include "asm/section.h"
#include "asm/symbol.h"
#include "asm/word.h"
#include "lib/arena.h"
#include "lib/diag.h"
#include "lib/isa.h"
#include "lib/strings.h"

struct object;

struct tasm_options {
    const char *output;                            /* -o, or a.out */
    const char *dependencies;                      /* --MD, or NULL */
    const char *march, *mabi;                      /* or NULL */
    struct strings inputs;                         /* "-" is standard input */
    struct strings include;                        /* -I */
    struct strings definitions;                    /* NAME=VALUE of --defsym and -D */
    bool relax;                                    /* false: -mno-relax */
    bool pic;                                      /* -fpic */
    bool debug_lines;                              /* -g */
    const struct isa_specification *specification; /* -misa-spec, or NULL: ratified versions */
    const char *privileged;                        /* -mpriv-spec, or NULL */
    bool no_attributes;                            /* -mno-arch-attr */
    unsigned char cie_version;                     /* --gdwarf-cie-version; 0: by the source */
};

struct mode { /* settings of .option */
    bool relax;
    bool pic;                  /* addresses come from the GOT */
    bool csr_check;            /* -mcsr-check */
    struct arch arch;          /* in a pushed mode: the one that .option pop restores */
    const struct mode *pushed; /* saved by .option push */
};

enum { DATA_LIMIT = 8 }; /* bytes of a number in data */

struct data_relocations {
    const struct isa_relocation *address, *add, *subtract; /* or NULL */
};

struct assembler {
    struct arena *arena;   /* for all of the run */
    struct arena *scratch; /* for the statement being read: reset before the next one */
    struct diag *diag;
    struct tasm_options options;
    struct input input;
    struct locations locations;
    struct macros macros;
    struct conditions conditions;
    struct words words;
    struct symbols symbols;
    struct sections sections;
    struct frames frames;
    struct lines lines;
    struct listing listing;
    struct recall recall;
    struct heads heads;
    struct direct direct;
    struct plain plain;
    struct bundle bundle;
    struct mode mode;
    struct arch arch;
    const void *object_extensions; /* arch.extensions before the first '.option' */
    struct attribute *attributes;  /* .attribute, in ascending order of tags */
    struct strings dependencies;   /* files read */
    const char *source_name;       /* .file "name", or NULL */
    const struct position *at;     /* of the statement being executed; or NULL */
    const char *mnemonic;          /* of the instruction being assembled, as written; or NULL */
    struct isa_nop nop, short_nop; /* they pad code */
    const struct isa_relocation *relax; /* lets the linker shorten an instruction; or NULL */
    const struct isa_relocation *align; /* lets it align code again; or NULL */
    struct data_relocations data_relocations[DATA_LIMIT + 1]; /* by size of the data, in resolve */
    void *scanner;                                            /* flex */
    isa_set used_extensions; /* whose instructions were assembled */
    bool *used_instructions; /* by index: the object has the instruction */
    uint32_t elf_flags;      /* of extensions that were enabled at some time */
    bool has_code;           /* a section has instructions */
    bool is_privileged;      /* an instruction or a CSR depends on the privileged version */
    bool has_attributes;     /* the source has .attribute */
    bool ended;              /* .end was met, or an error that ends the reading */
};

/* The phases. Each reports all its errors. The first three go on with the statements that had
 * none. */
void tasm_read(struct assembler *as);  /* reads, scans and parses all inputs into fragments */
bool tasm_relax(struct assembler *as); /* gives every fragment size and address, or returns false */
void tasm_resolve(struct assembler *as); /* stores known values, makes relocations of the others */
bool tasm_emit(
    struct assembler *as); /* builds the object and writes it; false after a diagnostic */

/* Writes the object, the make rule of --MD and the listing: all of them, or none after a
 * diagnostic. */
bool tasm_write(struct assembler *as, const struct object *object);

#endif
