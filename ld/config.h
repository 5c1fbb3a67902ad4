/* What the command line asks for. */
#ifndef LD_CONFIG_H
#define LD_CONFIG_H

#include "lib/arena.h"
#include "lib/diag.h"
#include "lib/isa_note.h"
#include "lib/strings.h"
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum input_kind {
    INPUT_FILE,
    INPUT_LIBRARY,
    INPUT_GROUP_START,
    INPUT_GROUP_END,
    INPUT_SYMBOLS, /* a file of which only the addresses of symbols are used */
};

/* Files and libraries in the order of the command line. The order determines which definition is
 * used. */
struct input {
    enum input_kind kind;
    const char *name;   /* the file, or the argument of -l */
    bool whole_archive; /* every member, not only those that are needed */
};

struct section_start {
    const char *name;
    uint64_t address;
    bool used;
};

enum strip { STRIP_NONE, STRIP_DEBUG, STRIP_ALL };
enum discard { DISCARD_TEMPORARY /* .L… */, DISCARD_NONE, DISCARD_LOCALS };

#ifndef ELFCOMPRESS_ZSTD /* newer than some elf.h */
#define ELFCOMPRESS_ZSTD 2
#endif

enum sort_key { SORT_KEY_NONE, SORT_KEY_NAME, SORT_KEY_ALIGNMENT };

enum orphans { ORPHANS_PLACE, ORPHANS_WARN, ORPHANS_ERROR, ORPHANS_DISCARD };

struct config {
    const char *output; /* -o */
    const char *entry;  /* -e: symbol or number */
    bool entry_given;
    const char *script; /* -T, or NULL */
    struct input *inputs;
    size_t input_count, input_capacity;
    struct strings library_paths; /* -L */
    struct strings undefined;     /* -u */
    struct strings required;      /* --require-defined: also in `undefined` */
    struct strings wrapped;       /* --wrap */
    struct strings defsyms;       /* SYMBOL=EXPRESSION */
    struct section_start *section_starts;
    size_t section_start_count, section_start_capacity;
    size_t script_at; /* inputs before -T */
    bool text_segment_given;
    uint64_t text_segment;    /* where the file headers are loaded */
    uint64_t scratchpad_size; /* bytes of the scratchpad window */
    const char *map_file;     /* -Map */
    bool map_to_stdout;       /* -M */
    bool gc_sections, print_gc_sections, relax, relax_gp, print_memory_usage, executable_stack,
        relro;
    enum isa_mismatch isa_mismatch;
    bool relocatable; /* -r */
    bool pie;         /* the program may be loaded anywhere: -static-pie, -pie */
    bool is_static;   /* -static */
    bool no_dynamic_linker;
    bool bind_now;            /* -z now: only a flag in .dynamic */
    bool sysv_hash, gnu_hash; /* hash tables of a position-independent program */
    bool emit_relocations;    /* -q: the executable keeps the relocations of its objects */
    bool define_commons;      /* -d: also under -r */
    enum strip strip;
    enum discard discard;
    enum orphans orphans; /* what to do with sections that the script does not name */
    bool trace;           /* -t */
    bool build_id;
    const unsigned char *build_id_bytes; /* --build-id=0x…; NULL: the build ID is a digest */
    size_t build_id_size;
    bool eh_frame_header;
    unsigned compression;      /* of debug sections: ELFCOMPRESS_…; 0: none */
    bool ignore_undefined;     /* --unresolved-symbols=ignore-all */
    bool warn_undefined;       /* --warn-unresolved-symbols */
    enum sort_key sort_key;    /* --sort-section */
    bool no_pages;             /* -n, -N: segments are not aligned to pages */
    bool writable_code;        /* -N */
    bool binary;               /* --oformat=binary: the contents of memory, without headers */
    bool verbose;              /* --verbose */
    bool cross_reference;      /* --cref */
    bool multiple_definitions; /* the first of several definitions is used */
};

/* The address at which an executable is loaded, and the page size, as in GNU ld's elf64lriscv. */
#define DEFAULT_TEXT_SEGMENT UINT64_C(0x10000)
#define PAGE_SIZE            UINT64_C(0x1000)
/* The highest address that something may have: differences of addresses are signed. */
#define HIGHEST_ADDRESS (UINT64_MAX >> 1)
/* The scratchpad window of machine.md, section 1. */
#define SCRATCHPAD_START        UINT64_C(0x40000000)
#define SCRATCHPAD_DEFAULT_SIZE (UINT64_C(1) << 20)
#define SCRATCHPAD_MINIMUM_SIZE (UINT64_C(4) << 10)
#define SCRATCHPAD_MAXIMUM_SIZE (UINT64_C(1) << 30)

#endif
