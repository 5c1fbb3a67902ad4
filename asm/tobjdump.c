/* tobjdump: what is in RISC-V ELF files, in GNU objdump's form, tensor instructions included. */
#include "asm/tobjdump.h"

#include "lib/file.h"
#include "lib/options.h"
#include "lib/output.h"

#include <stdio.h>
#include <string.h>

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
    OPT_NO_RAW,
};

static const struct option_spec specs[] = {
    {'d', "disassemble", OPTION_NONE, NULL, "disassemble the sections that hold code", false,
     OPT_DISASSEMBLE},
    {'D', "disassemble-all", OPTION_NONE, NULL, "disassemble all sections", false,
     OPT_DISASSEMBLE_ALL},
    {'f', "file-headers", OPTION_NONE, NULL, "print the file header", false, OPT_FILE_HEADER},
    {'h', "section-headers", OPTION_NONE, NULL, "print the section headers", false,
     OPT_SECTION_HEADERS},
    {0, "headers", OPTION_NONE, NULL, "the same", false, OPT_SECTION_HEADERS},
    {'p', "private-headers", OPTION_NONE, NULL, "print the program headers", false,
     OPT_PROGRAM_HEADERS},
    {'t', "syms", OPTION_NONE, NULL, "print the symbol table", false, OPT_SYMBOLS},
    {0, "special-syms", OPTION_NONE, NULL, "with -t: mapping symbols and local labels too", false,
     OPT_SPECIAL_SYMBOLS},
    {'r', "reloc", OPTION_NONE, NULL, "print the relocations; with -d, among the instructions",
     false, OPT_RELOCATIONS},
    {'s', "full-contents", OPTION_NONE, NULL, "print the bytes of the sections", false,
     OPT_CONTENTS},
    {'x', "all-headers", OPTION_NONE, NULL, "as -f -h -p -t -r", false, OPT_ALL_HEADERS},
    {'j', "section", OPTION_REQUIRED, "NAME", "only section NAME; may be repeated", false,
     OPT_SECTION},
    {'M', "disassembler-options", OPTION_REQUIRED, "LIST",
     "no-aliases, numeric: instructions, registers by their own names", false, OPT_DISASSEMBLER},
    {'z', "disassemble-zeroes", OPTION_NONE, NULL, "disassemble runs of zeros too", false,
     OPT_ZEROES},
    {0, "no-show-raw-insn", OPTION_NONE, NULL, "leave the encodings out", false, OPT_NO_RAW},
    {0, NULL, OPTION_NONE, NULL, NULL, false, 0},
};

void tobjdump_flush(struct tobjdump *objdump)
{
    if (objdump->out.length)
        fwrite(objdump->out.bytes, 1, objdump->out.length, stdout);
    text_clear(&objdump->out);
}

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

static void add_section(struct tobjdump *objdump, const char *name)
{
    struct tobjdump_options *options = &objdump->options;

    options->only = arena_grow(&objdump->arena, options->only, options->only_count,
                               &options->only_capacity, sizeof *options->only);
    options->only[options->only_count++] = name;
}

static void set_all_headers(struct tobjdump_options *options)
{
    options->show_name = options->file_header = options->program_headers = true;
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
        add_section(objdump, argument);
        break;
    case OPT_DISASSEMBLER:
        set_disassembler_options(objdump, argument);
        break;
    case OPT_ZEROES:
        options->zeroes = true;
        break;
    case OPT_NO_RAW:
        options->no_raw = true;
        break;
    }
}

static bool wants_something(const struct tobjdump_options *options)
{
    return options->file_header || options->section_headers || options->program_headers ||
           options->symbols || options->relocations || options->contents || options->disassemble;
}

/* Reads the command line; leaves the files in `files`. Returns the exit status, or -1: go on. */
static int read_options(struct tobjdump *objdump, int argc, char **argv, const char **files,
                        size_t *file_count)
{
    struct options options = {
        .diag = &objdump->diag,
        .usage = "[options] file…",
        .summary = "prints what is in RISC-V ELF files, in the form of GNU objdump",
        .epilogue = "Archives, -S (source) and dynamic sections are not supported yet.\n",
        .specs = specs,
        .argc = argc,
        .argv = argv,
        .index = 1,
    };
    int id;

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
                   "nothing to print: give at least one of -d -D -f -h -p -r -s -t -x");
    if (!diag_failed(&objdump->diag) && *file_count == 0)
        files[(*file_count)++] = "a.out";
    return diag_failed(&objdump->diag) ? 1 : -1;
}

/* Tensor instructions of another description would be disassembled by this one. */
static void check_fingerprint(struct tobjdump *objdump)
{
    const struct position at = {.name = objdump->file.name};
    const char *fingerprint =
        elf_isa_fingerprint(elf_find_section(&objdump->file, ISA_NOTE_SECTION));
    if (objdump->options.disassemble && fingerprint &&
        memcmp(fingerprint, isa_fingerprint, ISA_FINGERPRINT_DIGITS) != 0)
        diag_warning(&objdump->diag, &at,
                     "made with ISA description %.*s, this is tobjdump with %s",
                     ISA_FINGERPRINT_DIGITS, fingerprint, isa_fingerprint);
}

/* One file, in objdump's order of parts. */
static void print_file(struct tobjdump *objdump)
{
    const struct tobjdump_options *options = &objdump->options;

    sections_init(objdump);
    text_format(&objdump->out, "\n%s:     file format elf64-littleriscv\n", objdump->file.name);
    if (options->show_name)
        text_format(&objdump->out, "%s\n", objdump->file.name);
    if (options->file_header)
        print_file_header(objdump);
    else
        text_append_char(&objdump->out, '\n');
    if (options->program_headers)
        print_program_headers(objdump);
    if (options->section_headers)
        print_section_headers(objdump);
    if (options->symbols)
        print_symbols(objdump);
    if (options->relocations && !options->disassemble)
        print_relocations(objdump);
    if (options->contents)
        print_contents(objdump);
    if (options->disassemble)
        print_disassembly(objdump);
    tobjdump_flush(objdump);
}

static void dump_file(struct tobjdump *objdump, const char *name)
{
    struct diag_file bytes;
    struct position whole = {.name = name};

    if (file_read(&objdump->file_arena, &objdump->diag, NULL, name, &bytes)) {
        if (elf_is_archive(bytes.bytes, bytes.length))
            diag_error(
                &objdump->diag, &whole,
                "is an archive, which tobjdump does not read: extract its members with ar x");
        else if (elf_open(&objdump->file, &objdump->file_arena, &objdump->diag, name, bytes.bytes,
                          bytes.length)) {
            check_fingerprint(objdump);
            print_file(objdump);
        }
    }
    arena_free(&objdump->file_arena);
    objdump->file_arena = (struct arena)ARENA_INIT;
}

static void report_unseen_sections(struct tobjdump *objdump)
{
    for (size_t i = 0; i < objdump->options.only_count; i++)
        if (!objdump->only_seen[i])
            diag_error(&objdump->diag, NULL,
                       "section '%s' given with -j is not in any input file that was read",
                       objdump->options.only[i]);
}

int main(int argc, char **argv)
{
    struct tobjdump objdump = {.diag = {.tool = "tobjdump"}};
    size_t file_count = 0;
    const char **files = arena_array(&objdump.arena, (size_t)argc + 1, sizeof *files);
    int status;

    output_init();
    status = read_options(&objdump, argc, argv, files, &file_count);
    if (status < 0) {
        objdump.only_seen =
            arena_array(&objdump.arena, objdump.options.only_count + 1, sizeof *objdump.only_seen);
        for (size_t i = 0; i < file_count; i++)
            dump_file(&objdump, files[i]);
        report_unseen_sections(&objdump);
        status = output_finish_stdout(&objdump.diag, diag_failed(&objdump.diag));
    }
    text_free(&objdump.out);
    arena_free(&objdump.arena);
    return status;
}
