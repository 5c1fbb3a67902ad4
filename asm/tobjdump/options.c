/* The command line of tobjdump. */
#include "asm/tobjdump/tobjdump.h"

#include "lib/machine/config.h"
#include "lib/options.h"
#include "lib/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ASSUMED = 64, ASSUMED_MOST = 65535 }; /* of --assume */

enum option_id {
    OPT_FILE_HEADER,
    OPT_SECTION_HEADERS,
    OPT_PROGRAM_HEADERS,
    OPT_SYMBOLS,
    OPT_SPECIAL_SYMBOLS,
    OPT_RELOCATIONS,
    OPT_CONTENTS,
    OPT_DISASSEMBLE,
    OPT_DISASSEMBLE_ALL,
    OPT_ALL_HEADERS,
    OPT_SECTION,
    OPT_DISASSEMBLER,
    OPT_ZEROES,
    OPT_ARCHIVE_HEADERS,
    OPT_SOURCE,
    OPT_LINE_NUMBERS,
    OPT_WIDE,
    OPT_DYNAMIC_SYMBOLS,
    OPT_DYNAMIC_RELOCATIONS,
    OPT_START,
    OPT_STOP,
    OPT_NO_RAW,
    OPT_ISA_MISMATCH,
    OPT_PROFILE,
    OPT_TIMING,
    OPT_MACHINE,
    OPT_ASSUME,
};

static const struct option_spec specs[] = {
    {'a', "archive-headers", OPTION_NONE, NULL, "print the entries of members of archives", false,
     OPT_ARCHIVE_HEADERS},
    {'d', "disassemble", OPTION_NONE, NULL, "disassemble the sections that contain code", false,
     OPT_DISASSEMBLE},
    {'D', "disassemble-all", OPTION_NONE, NULL, "disassemble all sections", false,
     OPT_DISASSEMBLE_ALL},
    {'f', "file-headers", OPTION_NONE, NULL, "print the file header", false, OPT_FILE_HEADER},
    {'h', "section-headers", OPTION_NONE, NULL, "print the section headers", false,
     OPT_SECTION_HEADERS},
    {0, "headers", OPTION_NONE, NULL, "the same", false, OPT_SECTION_HEADERS},
    {'p', "private-headers", OPTION_NONE, NULL, "print the program headers and the dynamic section",
     false, OPT_PROGRAM_HEADERS},
    {'t', "syms", OPTION_NONE, NULL, "print the symbol table", false, OPT_SYMBOLS},
    {0, "special-syms", OPTION_NONE, NULL, "with -t, print mapping symbols and local labels too",
     false, OPT_SPECIAL_SYMBOLS},
    {'r', "reloc", OPTION_NONE, NULL, "print the relocations; with -d, among the instructions",
     false, OPT_RELOCATIONS},
    {'T', "dynamic-syms", OPTION_NONE, NULL, "print the dynamic symbol table", false,
     OPT_DYNAMIC_SYMBOLS},
    {'R', "dynamic-reloc", OPTION_NONE, NULL, "print the relocations for a dynamic linker", false,
     OPT_DYNAMIC_RELOCATIONS},
    {'s', "full-contents", OPTION_NONE, NULL, "print the bytes of the sections", false,
     OPT_CONTENTS},
    {'S', "source", OPTION_NONE, NULL, "as -d, with the source lines of the code", false,
     OPT_SOURCE},
    {'l', "line-numbers", OPTION_NONE, NULL, "with -d, print functions, files and line numbers",
     false, OPT_LINE_NUMBERS},
    {'x', "all-headers", OPTION_NONE, NULL, "as -a -f -h -p -t -r", false, OPT_ALL_HEADERS},
    {'j', "section", OPTION_REQUIRED, "NAME", "print only section NAME; may be repeated", false,
     OPT_SECTION},
    {'M', "disassembler-options", OPTION_REQUIRED, "LIST",
     "no-aliases: instructions, not aliases; numeric: numbers of registers", false,
     OPT_DISASSEMBLER},
    {'z', "disassemble-zeroes", OPTION_NONE, NULL, "disassemble runs of zeros too", false,
     OPT_ZEROES},
    {0, "no-show-raw-insn", OPTION_NONE, NULL, "do not print the encodings", false, OPT_NO_RAW},
    {'w', "wide", OPTION_NONE, NULL, "one line for each section and instruction", false, OPT_WIDE},
    {0, "start-address", OPTION_REQUIRED, "ADDRESS", "print only addresses from ADDRESS on", false,
     OPT_START},
    {0, "stop-address", OPTION_REQUIRED, "ADDRESS", "print only addresses below ADDRESS", false,
     OPT_STOP},
    {0, "isa-mismatch", OPTION_REQUIRED, ISA_MISMATCH_VALUES,
     "files that describe an instruction differently: error (default), warn, or ignore", false,
     OPT_ISA_MISMATCH},
    {0, "profile", OPTION_REQUIRED, "FILE",
     "with -d, print how often each instruction was executed, and its cycles, from a profile in "
     "the "
     "format of Callgrind",
     false, OPT_PROFILE},
    {0, "timing", OPTION_NONE, NULL, "print the cycles of basic blocks and what limits them", false,
     OPT_TIMING},
    {0, "machine", OPTION_REQUIRED, "NAME",
     "with --timing, the machine configuration: a YAML file, or default, cambricon or tiny", false,
     OPT_MACHINE},
    {0, "assume", OPTION_REQUIRED, "NUMBER",
     "with --timing, the value of sizes that are not known (64)", false, OPT_ASSUME},
    {0, NULL, OPTION_NONE, NULL, NULL, false, 0},
};

/* -M no-aliases,numeric */
static void set_disassembler_options(struct tobjdump *objdump, const char *list)
{
    while (*list) {
        size_t length = strcspn(list, ",");
        if (length == 10 && strncmp(list, "no-aliases", length) == 0)
            objdump->options.no_aliases = true;
        else if (length == 7 && strncmp(list, "numeric", length) == 0)
            objdump->options.numeric = true;
        else
            diag_error(&objdump->diag, NULL,
                       "unknown disassembler option '%.*s': expected no-aliases or numeric",
                       (int)length, list);
        list += length;
        list += *list == ',';
    }
}

static uint64_t read_address(struct tobjdump *objdump, const char *option, const char *text)
{
    char *end;
    uint64_t address;

    errno = 0;
    address = strtoull(text, &end, 0);
    if (end == text || *end || text[0] == '-' || errno)
        diag_error(&objdump->diag, NULL, "%s: expected an address (0x1000), found '%s'", option,
                   text);
    return address;
}

static uint64_t read_number(struct tobjdump *objdump, const char *text)
{
    char *end;
    unsigned long long number;

    errno = 0;
    number = strtoull(text, &end, 0);
    if (end == text || *end || text[0] == '-' || errno || number == 0 || number > ASSUMED_MOST)
        diag_error(&objdump->diag, NULL, "--assume: expected a number from 1 to %d, found '%s'",
                   ASSUMED_MOST, text);
    return number;
}

/* Reads the machine of --machine. */
static void read_machine(struct tobjdump *objdump)
{
    struct tobjdump_options *options = &objdump->options;

    options->machine = arena_new(&objdump->arena, struct config);
    config_default(options->machine);
    if (options->machine_name)
        config_read(options->machine, &objdump->arena, &objdump->diag, options->machine_name);
}

static void set_all_headers(struct tobjdump_options *options)
{
    options->archive_headers = options->file_header = options->program_headers = true;
    options->section_headers = options->symbols = options->relocations = true;
}

static void set_option(struct tobjdump *objdump, int id, const char *argument)
{
    struct tobjdump_options *options = &objdump->options;

    switch ((enum option_id)id) {
    case OPT_FILE_HEADER:
        options->file_header = true;
        break;
    case OPT_SECTION_HEADERS:
        options->section_headers = true;
        break;
    case OPT_PROGRAM_HEADERS:
        options->program_headers = true;
        break;
    case OPT_SYMBOLS:
        options->symbols = true;
        break;
    case OPT_SPECIAL_SYMBOLS:
        options->special_symbols = true;
        break;
    case OPT_RELOCATIONS:
        options->relocations = true;
        break;
    case OPT_CONTENTS:
        options->contents = true;
        break;
    case OPT_DISASSEMBLE_ALL:
        options->disassemble_all = true;
        options->disassemble = true;
        break;
    case OPT_DISASSEMBLE:
        options->disassemble = true;
        break;
    case OPT_ALL_HEADERS:
        set_all_headers(options);
        break;
    case OPT_SECTION:
        strings_add(&options->only, &objdump->arena, argument);
        break;
    case OPT_DISASSEMBLER:
        set_disassembler_options(objdump, argument);
        break;
    case OPT_ZEROES:
        options->zeroes = true;
        break;
    case OPT_ARCHIVE_HEADERS:
        options->archive_headers = true;
        break;
    case OPT_SOURCE:
        options->source = options->disassemble = true;
        break;
    case OPT_LINE_NUMBERS:
        options->line_numbers = true;
        break;
    case OPT_DYNAMIC_SYMBOLS:
        options->dynamic_symbols = true;
        break;
    case OPT_DYNAMIC_RELOCATIONS:
        options->dynamic_relocations = true;
        break;
    case OPT_WIDE:
        options->wide = true;
        break;
    case OPT_START:
        options->start = read_address(objdump, "--start-address", argument);
        break;
    case OPT_STOP:
        options->stop = read_address(objdump, "--stop-address", argument);
        break;
    case OPT_NO_RAW:
        options->no_raw = true;
        break;
    case OPT_PROFILE:
        options->profile = argument;
        break;
    case OPT_TIMING:
        options->timing = true;
        break;
    case OPT_MACHINE:
        options->machine_name = argument;
        break;
    case OPT_ASSUME:
        options->assumed = read_number(objdump, argument);
        break;
    case OPT_ISA_MISMATCH:
        isa_mismatch_read(&objdump->diag, argument, &options->isa_mismatch);
        break;
    }
}

static bool wants_something(const struct tobjdump_options *options)
{
    return options->archive_headers || options->file_header || options->section_headers ||
           options->program_headers || options->symbols || options->dynamic_symbols ||
           options->dynamic_relocations || options->relocations || options->contents ||
           options->disassemble || options->timing;
}

int read_options(struct tobjdump *objdump, int argc, char **argv, const char **files,
                 size_t *file_count)
{
    struct options options = {
        .diag = &objdump->diag,
        .usage = "[options] file…",
        .summary = "Prints the contents of RISC-V ELF files in the form of GNU objdump.",
        .specs = specs,
        .argc = argc,
        .argv = argv,
        .index = 1,
    };
    int id;

    objdump->options.stop = UINT64_MAX;
    objdump->options.assumed = ASSUMED;
    while ((id = options_next(&options)) != OPTIONS_END) {
        if (id == OPTIONS_EXIT)
            return output_finish_stdout(&objdump->diag, 0);
        if (id == OPTIONS_OPERAND)
            files[(*file_count)++] = options.argument;
        else if (id != OPTIONS_ERROR)
            set_option(objdump, id, options.argument);
    }
    if (!diag_failed(&objdump->diag) && !wants_something(&objdump->options))
        diag_error(&objdump->diag, NULL,
                   "nothing to print: give at least one of "
                   "-a -d -D -f -h -p -r -R -s -S -t -T -x --timing");
    if (!diag_failed(&objdump->diag) && !objdump->options.timing &&
        (objdump->options.machine_name || objdump->options.assumed != ASSUMED))
        diag_error(&objdump->diag, NULL,
                   "found --machine or --assume without --timing; add --timing");
    if (!diag_failed(&objdump->diag) && objdump->options.profile && !objdump->options.disassemble)
        diag_error(&objdump->diag, NULL, "found --profile without -d; add -d");
    if (!diag_failed(&objdump->diag) && objdump->options.profile)
        profile_read(objdump, objdump->options.profile);
    if (!diag_failed(&objdump->diag) && objdump->options.timing)
        read_machine(objdump);
    if (!diag_failed(&objdump->diag) && *file_count == 0)
        files[(*file_count)++] = "a.out";
    return diag_failed(&objdump->diag) ? 1 : -1;
}
