/* The command line: GNU ld's options, as far as a static linker for one machine needs them.
 *
 * Three kinds of options: those that are done, those that ask for what a static executable is
 * anyway (-static, -nostdlib, -m elf64lriscv …: accepted), and those that ask for something else
 * (-shared …: an error that says so, never silence). */
#include "ld/config.h"

#include "lib/options.h"
#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum option_id {
    OPTION_OUTPUT = 1,
    OPTION_ENTRY,
    OPTION_LIBRARY_PATH,
    OPTION_LIBRARY,
    OPTION_TEXT,
    OPTION_DATA,
    OPTION_BSS,
    OPTION_TEXT_SEGMENT,
    OPTION_SECTION_START,
    OPTION_DEFSYM,
    OPTION_MAP_FILE,
    OPTION_MAP,
    OPTION_GC,
    OPTION_NO_GC,
    OPTION_PRINT_GC,
    OPTION_NO_PRINT_GC,
    OPTION_UNDEFINED,
    OPTION_REQUIRE_DEFINED,
    OPTION_PUSH_STATE,
    OPTION_POP_STATE,
    OPTION_MULTIPLE_DEFINITIONS,
    OPTION_COMPRESS,
    OPTION_STRIP_ALL,
    OPTION_STRIP_DEBUG,
    OPTION_DISCARD_ALL,
    OPTION_DISCARD_TEMPORARY,
    OPTION_DISCARD_NONE,
    OPTION_RELAX,
    OPTION_NO_RELAX,
    OPTION_RELAX_GP,
    OPTION_NO_RELAX_GP,
    OPTION_MEMORY_USAGE,
    OPTION_GROUP_START,
    OPTION_GROUP_END,
    OPTION_WHOLE_ARCHIVE,
    OPTION_NO_WHOLE_ARCHIVE,
    OPTION_SCRATCHPAD_SIZE,
    OPTION_KEYWORD,
    OPTION_BUILD_ID,
    OPTION_EMULATION,
    OPTION_NO_WARN_MISMATCH,
    OPTION_FATAL_WARNINGS,
    OPTION_NO_FATAL_WARNINGS,
    OPTION_NO_WARNINGS,
    OPTION_EH_FRAME_HEADER,
    OPTION_NO_EH_FRAME_HEADER,
    OPTION_ACCEPTED,
    OPTION_SCRIPT,
    OPTION_REFUSED,
};

#define ACCEPTED(name, argument)                                                                   \
    {                                                                                              \
        0, name, argument, NULL, NULL, true, OPTION_ACCEPTED                                       \
    }
#define REFUSED(name, argument)                                                                    \
    {                                                                                              \
        0, name, argument, NULL, NULL, true, OPTION_REFUSED                                        \
    }

static const struct option_spec specs[] = {
    {'o', "output", OPTION_REQUIRED, "FILE", "write the executable to FILE (default: a.out)", false,
     OPTION_OUTPUT},
    {'e', "entry", OPTION_REQUIRED, "SYMBOL", "start at SYMBOL or at a number (default: _start)",
     true, OPTION_ENTRY},
    {'L', "library-path", OPTION_REQUIRED, "DIR", "look for -l libraries in DIR", false,
     OPTION_LIBRARY_PATH},
    {'l', "library", OPTION_REQUIRED, "NAME",
     "link libNAME.a (with a colon, :FILE: the file itself)", false, OPTION_LIBRARY},
    {'(', "start-group", OPTION_NONE, NULL, "search the archives up to --end-group again and again",
     true, OPTION_GROUP_START},
    {')', "end-group", OPTION_NONE, NULL, "end of the group", true, OPTION_GROUP_END},
    {0, "whole-archive", OPTION_NONE, NULL, "link every member of the archives that follow", true,
     OPTION_WHOLE_ARCHIVE},
    {0, "no-whole-archive", OPTION_NONE, NULL, "link only members that are needed (default)", true,
     OPTION_NO_WHOLE_ARCHIVE},
    {'u', "undefined", OPTION_REQUIRED, "SYMBOL", "count SYMBOL as used, so that archives give it",
     true, OPTION_UNDEFINED},
    {0, "require-defined", OPTION_REQUIRED, "SYMBOL",
     "the same, and an error if nothing defines it", true, OPTION_REQUIRE_DEFINED},
    {0, "push-state", OPTION_NONE, NULL, "remember --whole-archive, up to --pop-state", true,
     OPTION_PUSH_STATE},
    {0, "pop-state", OPTION_NONE, NULL, "go back to it", true, OPTION_POP_STATE},
    {0, "allow-multiple-definition", OPTION_NONE, NULL,
     "of several definitions of a symbol take the first", true, OPTION_MULTIPLE_DEFINITIONS},
    {0, "defsym", OPTION_REQUIRED, "SYMBOL=EXPR",
     "define SYMBOL; numbers, symbols and the operators of C", true, OPTION_DEFSYM},
    {0, "Ttext", OPTION_REQUIRED, "ADDRESS", "put .text at ADDRESS (hexadecimal)", true,
     OPTION_TEXT},
    {0, "Tdata", OPTION_REQUIRED, "ADDRESS", "put .data at ADDRESS (hexadecimal)", true,
     OPTION_DATA},
    {0, "Tbss", OPTION_REQUIRED, "ADDRESS", "put .bss at ADDRESS (hexadecimal)", true, OPTION_BSS},
    {0, "Ttext-segment", OPTION_REQUIRED, "ADDRESS",
     "put the first segment, with the headers, at ADDRESS", true, OPTION_TEXT_SEGMENT},
    {0, "image-base", OPTION_REQUIRED, "ADDRESS", "the same", true, OPTION_TEXT_SEGMENT},
    {0, "section-start", OPTION_REQUIRED, "SECTION=ADDRESS",
     "put an output section at ADDRESS (hexadecimal)", true, OPTION_SECTION_START},
    {0, "spm-size", OPTION_REQUIRED, "BYTES",
     "size of the scratchpad that .spm sections must fit in (default: 1 MiB)", false,
     OPTION_SCRATCHPAD_SIZE},
    {0, "gc-sections", OPTION_NONE, NULL, "leave out sections that nothing reaches", true,
     OPTION_GC},
    {0, "no-gc-sections", OPTION_NONE, NULL, "keep them (default)", true, OPTION_NO_GC},
    {0, "print-gc-sections", OPTION_NONE, NULL, "say which sections are left out", true,
     OPTION_PRINT_GC},
    {0, "no-print-gc-sections", OPTION_NONE, NULL, NULL, true, OPTION_NO_PRINT_GC},
    {0, "relax", OPTION_NONE, NULL, "shorten code where the addresses allow it (default)", true,
     OPTION_RELAX},
    {0, "no-relax", OPTION_NONE, NULL, "only delete what alignment makes superfluous", true,
     OPTION_NO_RELAX},
    {0, "relax-gp", OPTION_NONE, NULL, "address data by the global pointer (default)", true,
     OPTION_RELAX_GP},
    {0, "no-relax-gp", OPTION_NONE, NULL, "do not", true, OPTION_NO_RELAX_GP},
    {'s', "strip-all", OPTION_NONE, NULL, "write no symbols and no debug information", false,
     OPTION_STRIP_ALL},
    {'S', "strip-debug", OPTION_NONE, NULL, "write no debug information", false,
     OPTION_STRIP_DEBUG},
    {'x', "discard-all", OPTION_NONE, NULL, "write no local symbols", false, OPTION_DISCARD_ALL},
    {'X', "discard-locals", OPTION_NONE, NULL,
     "write no local symbols that begin with .L (default)", false, OPTION_DISCARD_TEMPORARY},
    {0, "discard-none", OPTION_NONE, NULL, "write all local symbols", true, OPTION_DISCARD_NONE},
    {0, "build-id", OPTION_OPTIONAL, "STYLE", "add a build ID note: sha1 (default) or none", true,
     OPTION_BUILD_ID},
    {0, "Map", OPTION_REQUIRED, "FILE", "write a map of the link to FILE (-: standard output)",
     true, OPTION_MAP_FILE},
    {'M', "print-map", OPTION_NONE, NULL, "write a map of the link to standard output", false,
     OPTION_MAP},
    {0, "print-memory-usage", OPTION_NONE, NULL, "say how much of each memory is used", true,
     OPTION_MEMORY_USAGE},
    {'m', NULL, OPTION_REQUIRED, "EMULATION", "only elf64lriscv", false, OPTION_EMULATION},
    {'z', NULL, OPTION_REQUIRED, "KEYWORD",
     "execstack, noexecstack, relro, norelro; others are ignored", false, OPTION_KEYWORD},
    {0, "fatal-warnings", OPTION_NONE, NULL, "treat warnings as errors", true,
     OPTION_FATAL_WARNINGS},
    {0, "no-fatal-warnings", OPTION_NONE, NULL, "do not (default)", true, OPTION_NO_FATAL_WARNINGS},
    {'w', "no-warnings", OPTION_NONE, NULL, "print no warnings", true, OPTION_NO_WARNINGS},
    {0, "no-warn-mismatch", OPTION_NONE, NULL, "do not warn of objects of another ISA description",
     true, OPTION_NO_WARN_MISMATCH},
    {'T', "script", OPTION_REQUIRED, "FILE", "lay out the program as a linker script says", false,
     OPTION_SCRIPT},
    /* What a static link does anyway, or what has no effect on one. */
    {0, "static", OPTION_NONE, NULL, "accepted: links are static", true, OPTION_ACCEPTED},
    ACCEPTED("Bstatic", OPTION_NONE),
    ACCEPTED("Bdynamic", OPTION_NONE),
    ACCEPTED("non_shared", OPTION_NONE),
    {0, "nostdlib", OPTION_NONE, NULL, "accepted: no directory is searched but those of -L", true,
     OPTION_ACCEPTED},
    ACCEPTED("no-pie", OPTION_NONE),
    ACCEPTED("as-needed", OPTION_NONE),
    ACCEPTED("no-as-needed", OPTION_NONE),
    ACCEPTED("no-undefined", OPTION_NONE),
    ACCEPTED("hash-style", OPTION_REQUIRED),
    ACCEPTED("dynamic-linker", OPTION_REQUIRED),
    ACCEPTED("sysroot", OPTION_REQUIRED),
    ACCEPTED("no-dynamic-linker", OPTION_NONE),
    ACCEPTED("warn-common", OPTION_NONE),
    ACCEPTED("no-warn-rwx-segments", OPTION_NONE),
    ACCEPTED("no-warn-execstack", OPTION_NONE),
    ACCEPTED("dn", OPTION_NONE),
    ACCEPTED("Bsymbolic", OPTION_NONE),
    ACCEPTED("Bsymbolic-functions", OPTION_NONE),
    ACCEPTED("Bno-symbolic", OPTION_NONE),
    ACCEPTED("export-dynamic", OPTION_NONE),
    ACCEPTED("no-export-dynamic", OPTION_NONE),
    ACCEPTED("allow-shlib-undefined", OPTION_NONE),
    ACCEPTED("no-allow-shlib-undefined", OPTION_NONE),
    ACCEPTED("enable-new-dtags", OPTION_NONE),
    ACCEPTED("disable-new-dtags", OPTION_NONE),
    ACCEPTED("sort-common", OPTION_OPTIONAL),
    ACCEPTED("check-sections", OPTION_NONE),
    ACCEPTED("no-keep-memory", OPTION_NONE),
    ACCEPTED("reduce-memory-overheads", OPTION_NONE),
    ACCEPTED("warn-once", OPTION_NONE),
    ACCEPTED("error-unresolved-symbols", OPTION_NONE),
    ACCEPTED("demangle", OPTION_NONE),
    ACCEPTED("no-demangle", OPTION_NONE),
    ACCEPTED("color-diagnostics", OPTION_NONE),
    ACCEPTED("traditional-format", OPTION_NONE),
    ACCEPTED("warn-section-align", OPTION_NONE),
    ACCEPTED("no-undefined-version", OPTION_NONE),
    ACCEPTED("undefined-version", OPTION_NONE),
    ACCEPTED("ld-generated-unwind-info", OPTION_NONE),
    ACCEPTED("no-ld-generated-unwind-info", OPTION_NONE),
    ACCEPTED("no-omagic", OPTION_NONE),
    ACCEPTED("gc-keep-exported", OPTION_NONE),
    ACCEPTED("no-copy-dt-needed-entries", OPTION_NONE),
    ACCEPTED("copy-dt-needed-entries", OPTION_NONE),
    ACCEPTED("EL", OPTION_NONE),
    ACCEPTED("dc", OPTION_NONE),
    ACCEPTED("dp", OPTION_NONE),
    ACCEPTED("rpath", OPTION_REQUIRED),
    ACCEPTED("rpath-link", OPTION_REQUIRED),
    ACCEPTED("soname", OPTION_REQUIRED),
    ACCEPTED("version-script", OPTION_REQUIRED),
    ACCEPTED("dynamic-list", OPTION_REQUIRED),
    ACCEPTED("exclude-libs", OPTION_REQUIRED),
    ACCEPTED("hash-size", OPTION_REQUIRED),
    ACCEPTED("spare-dynamic-tags", OPTION_REQUIRED),
    {'O', NULL, OPTION_OPTIONAL, NULL, NULL, false, OPTION_ACCEPTED},
    {'E', NULL, OPTION_NONE, NULL, NULL, false, OPTION_ACCEPTED},
    {'h', NULL, OPTION_REQUIRED, NULL, NULL, false, OPTION_ACCEPTED},
    {'d', NULL, OPTION_NONE, NULL, NULL, false, OPTION_ACCEPTED},
    /* What this linker does not do. */
    REFUSED("shared", OPTION_NONE),
    REFUSED("EB", OPTION_NONE),
    REFUSED("static-pie", OPTION_NONE),
    REFUSED("pic-executable", OPTION_NONE),
    REFUSED("warn-unresolved-symbols", OPTION_NONE),
    REFUSED("noinhibit-exec", OPTION_NONE),
    REFUSED("verbose", OPTION_NONE),
    REFUSED("cref", OPTION_NONE),
    REFUSED("stats", OPTION_NONE),
    REFUSED("nmagic", OPTION_NONE),
    REFUSED("omagic", OPTION_NONE),
    REFUSED("print-output-format", OPTION_NONE),
    REFUSED("unresolved-symbols", OPTION_REQUIRED),
    REFUSED("just-symbols", OPTION_REQUIRED),
    REFUSED("retain-symbols-file", OPTION_REQUIRED),
    REFUSED("orphan-handling", OPTION_REQUIRED),
    REFUSED("sort-section", OPTION_REQUIRED),
    REFUSED("section-ordering-file", OPTION_REQUIRED),
    REFUSED("dependency-file", OPTION_REQUIRED),
    REFUSED("trace-symbol", OPTION_REQUIRED),
    REFUSED("format", OPTION_REQUIRED),
    REFUSED("default-script", OPTION_REQUIRED),
    {'q', NULL, OPTION_NONE, NULL, NULL, false, OPTION_REFUSED},
    {'N', NULL, OPTION_NONE, NULL, NULL, false, OPTION_REFUSED},
    {'n', NULL, OPTION_NONE, NULL, NULL, false, OPTION_REFUSED},
    {'t', "trace", OPTION_NONE, NULL, NULL, true, OPTION_REFUSED},
    {'y', NULL, OPTION_REQUIRED, NULL, NULL, false, OPTION_REFUSED},
    {'R', NULL, OPTION_REQUIRED, NULL, NULL, false, OPTION_REFUSED},
    REFUSED("pie", OPTION_NONE),
    REFUSED("emit-relocs", OPTION_NONE),
    {'r', "relocatable", OPTION_NONE, NULL, NULL, false, OPTION_REFUSED},
    REFUSED("wrap", OPTION_REQUIRED),
    REFUSED("oformat", OPTION_REQUIRED),
    ACCEPTED("plugin", OPTION_REQUIRED),
    ACCEPTED("plugin-opt", OPTION_REQUIRED),
    {0, "eh-frame-hdr", OPTION_NONE, NULL, "make an index of the unwind tables, .eh_frame_hdr",
     true, OPTION_EH_FRAME_HEADER},
    {0, "no-eh-frame-hdr", OPTION_NONE, NULL, NULL, true, OPTION_NO_EH_FRAME_HEADER},
    {0, "compress-debug-sections", OPTION_REQUIRED, NULL, NULL, true, OPTION_COMPRESS},
    {0},
};

/* GNU ld's addresses on the command line are hexadecimal, with or without 0x. */
static bool parse_address(struct options *options, const char *word, uint64_t *address)
{
    const char *digits = word;
    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
        digits += 2;
    size_t length = strspn(digits, "0123456789abcdefABCDEF");
    if (!length || digits[length] || length > 16) {
        diag_error(options->diag, NULL,
                   "option '%s': found address '%s', expected hexadecimal digits", options->written,
                   word);
        return false;
    }
    *address = strtoull(digits, NULL, 16);
    return true;
}

struct parser {
    struct config *config;
    struct arena *arena;
    struct options options;
    bool whole_archive;
    bool in_group;
    uint64_t states; /* whole_archive of before each --push-state, the last one lowest */
    unsigned state_count;
};

static void add_input(struct parser *parser, enum input_kind kind)
{
    struct config *config = parser->config;
    config->inputs = arena_grow(parser->arena, config->inputs, config->input_count,
                                &config->input_capacity, sizeof *config->inputs);
    config->inputs[config->input_count++] = (struct input){
        .kind = kind, .name = parser->options.argument, .whole_archive = parser->whole_archive};
}

static void add_string(struct parser *parser, const char ***list, size_t *count, size_t *capacity)
{
    *list = arena_grow(parser->arena, *list, *count, capacity, sizeof **list);
    (*list)[(*count)++] = parser->options.argument;
}

/* A later address for the same section replaces the earlier one. */
static bool set_section_start(struct parser *parser, const char *name, const char *address)
{
    struct config *config = parser->config;
    struct section_start start = {.name = name};
    if (!parse_address(&parser->options, address, &start.address))
        return false;
    for (size_t i = 0; i < config->section_start_count; i++)
        if (strcmp(config->section_starts[i].name, name) == 0) {
            config->section_starts[i] = start;
            return true;
        }
    config->section_starts =
        arena_grow(parser->arena, config->section_starts, config->section_start_count,
                   &config->section_start_capacity, sizeof start);
    config->section_starts[config->section_start_count++] = start;
    return true;
}

static bool section_start_option(struct parser *parser)
{
    const char *text = parser->options.argument, *equals = strchr(text, '=');
    if (!equals || equals == text) {
        diag_error(parser->options.diag, NULL, "option '%s': found '%s', expected SECTION=ADDRESS",
                   parser->options.written, text);
        return false;
    }
    return set_section_start(parser, arena_copy(parser->arena, text, (size_t)(equals - text)),
                             equals + 1);
}

static bool set_group(struct parser *parser, bool start)
{
    if (parser->in_group == start) {
        diag_error(parser->options.diag, NULL,
                   start ? "--start-group inside a group; groups do not nest, end the first one "
                           "with --end-group"
                         : "--end-group without --start-group before it");
        return false;
    }
    parser->in_group = start;
    add_input(parser, start ? INPUT_GROUP_START : INPUT_GROUP_END);
    return true;
}

/* --push-state and --pop-state: what a library's link flags set is over after them. */
static bool set_state(struct parser *parser, bool push)
{
    const unsigned limit = sizeof parser->states * 8;
    if (parser->state_count == (push ? limit : 0)) {
        diag_error(parser->options.diag, NULL,
                   push ? "--push-state %u times without --pop-state"
                        : "--pop-state without --push-state before it",
                   limit);
        return false;
    }
    if (push) {
        parser->states = parser->states << 1 | parser->whole_archive;
        parser->state_count++;
        return true;
    }
    parser->whole_archive = parser->states & 1;
    parser->states >>= 1;
    parser->state_count--;
    return true;
}

/* The keywords that ld knows and that do not change a static executable; others get a warning, as
 * from GNU ld. */
static bool set_keyword(struct parser *parser)
{
    static const char *const ignored[] = {
        "now",         "lazy",   "text",          "notext",        "nocopyreloc",
        "combreloc",   "defs",   "undefs",        "separate-code", "noseparate-code",
        "nocombreloc", "global", "start-stop-gc", "nodlopen"};
    const char *word = parser->options.argument;
    struct config *config = parser->config;
    if (strcmp(word, "execstack") == 0 || strcmp(word, "noexecstack") == 0) {
        config->executable_stack = word[0] == 'e';
        return true;
    }
    if (strcmp(word, "relro") == 0 || strcmp(word, "norelro") == 0) {
        config->relro = word[0] == 'r';
        return true;
    }
    if (strcmp(word, "muldefs") == 0) {
        config->multiple_definitions = true;
        return true;
    }
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (strcmp(word, ignored[i]) == 0)
            return true;
    const char *value = strchr(word, '=');
    if (value && strstr(word, "-page-size=") && strtoull(value + 1, NULL, 0) == PAGE_SIZE)
        return true;
    diag_warning(parser->options.diag, NULL, "-z %s is ignored", word);
    return true;
}

static bool set_build_id(struct parser *parser)
{
    const char *style = parser->options.argument;
    if (style && strcmp(style, "none") != 0 && strcmp(style, "sha1") != 0) {
        diag_error(parser->options.diag, NULL,
                   "--build-id: found style '%s', expected sha1 or none", style);
        return false;
    }
    parser->config->build_id = !style || strcmp(style, "none") != 0;
    return true;
}

static bool set_scratchpad_size(struct parser *parser)
{
    unsigned long long size;
    if (!options_number(&parser->options, parser->options.argument, SCRATCHPAD_MAXIMUM_SIZE, &size))
        return false;
    if (size < SCRATCHPAD_MINIMUM_SIZE) {
        diag_error(parser->options.diag, NULL,
                   "--spm-size: found %llu bytes, expected %llu to %llu", size,
                   (unsigned long long)SCRATCHPAD_MINIMUM_SIZE,
                   (unsigned long long)SCRATCHPAD_MAXIMUM_SIZE);
        return false;
    }
    parser->config->scratchpad_size = size;
    return true;
}

static bool refuse(struct parser *parser)
{
    diag_error(parser->options.diag, NULL,
               "option '%s' is not supported by this version, which links static executables",
               parser->options.written);
    return false;
}

static bool set_emulation(struct parser *parser)
{
    if (strcmp(parser->options.argument, "elf64lriscv") == 0)
        return true;
    diag_error(parser->options.diag, NULL,
               "option '-m': found emulation '%s', expected elf64lriscv", parser->options.argument);
    return false;
}

/* Options about inputs and names. False: not one of them; *good: it went well. */
static bool apply_input_option(struct parser *parser, int id, bool *good)
{
    struct config *config = parser->config;
    switch (id) {
    case OPTIONS_OPERAND:
        add_input(parser, INPUT_FILE);
        break;
    case OPTION_LIBRARY:
        add_input(parser, INPUT_LIBRARY);
        break;
    case OPTION_GROUP_START:
    case OPTION_GROUP_END:
        *good = set_group(parser, id == OPTION_GROUP_START);
        break;
    case OPTION_WHOLE_ARCHIVE:
    case OPTION_NO_WHOLE_ARCHIVE:
        parser->whole_archive = id == OPTION_WHOLE_ARCHIVE;
        break;
    case OPTION_LIBRARY_PATH:
        add_string(parser, &config->library_paths, &config->library_path_count,
                   &config->library_path_capacity);
        break;
    case OPTION_PUSH_STATE:
    case OPTION_POP_STATE:
        *good = set_state(parser, id == OPTION_PUSH_STATE);
        break;
    case OPTION_REQUIRE_DEFINED:
        add_string(parser, &config->required, &config->required_count, &config->required_capacity);
        /* fall through */
    case OPTION_UNDEFINED:
        add_string(parser, &config->undefined, &config->undefined_count,
                   &config->undefined_capacity);
        break;
    case OPTION_DEFSYM:
        add_string(parser, &config->defsyms, &config->defsym_count, &config->defsym_capacity);
        break;
    case OPTION_ENTRY:
        config->entry = parser->options.argument;
        config->entry_given = true;
        break;
    default:
        return false;
    }
    return true;
}

/* Options about addresses. */
static bool apply_address_option(struct parser *parser, int id, bool *good)
{
    const char *argument = parser->options.argument;
    switch (id) {
    case OPTION_TEXT:
        *good = set_section_start(parser, ".text", argument);
        break;
    case OPTION_DATA:
        *good = set_section_start(parser, ".data", argument);
        break;
    case OPTION_BSS:
        *good = set_section_start(parser, ".bss", argument);
        break;
    case OPTION_SECTION_START:
        *good = section_start_option(parser);
        break;
    case OPTION_TEXT_SEGMENT:
        *good = parse_address(&parser->options, argument, &parser->config->text_segment);
        if (*good && parser->config->text_segment % PAGE_SIZE) {
            diag_error(parser->options.diag, NULL,
                       "-Ttext-segment: found 0x%llx, expected a multiple of 0x%llx",
                       (unsigned long long)parser->config->text_segment,
                       (unsigned long long)PAGE_SIZE);
            *good = false;
        }
        break;
    case OPTION_SCRATCHPAD_SIZE:
        *good = set_scratchpad_size(parser);
        break;
    default:
        return false;
    }
    return true;
}

static bool apply_option(struct parser *parser, int id)
{
    struct config *config = parser->config;
    struct diag *diag = parser->options.diag;
    bool good = true;
    if (apply_input_option(parser, id, &good) || apply_address_option(parser, id, &good))
        return good;
    switch ((enum option_id)id) {
    case OPTION_OUTPUT:
        config->output = parser->options.argument;
        break;
    case OPTION_MAP_FILE:
        config->map_to_stdout |= strcmp(parser->options.argument, "-") == 0;
        config->map_file =
            strcmp(parser->options.argument, "-") == 0 ? NULL : parser->options.argument;
        break;
    case OPTION_MAP:
        config->map_to_stdout = true;
        break;
    case OPTION_GC:
    case OPTION_NO_GC:
        config->gc_sections = id == OPTION_GC;
        break;
    case OPTION_PRINT_GC:
    case OPTION_NO_PRINT_GC:
        config->print_gc_sections = id == OPTION_PRINT_GC;
        break;
    case OPTION_RELAX:
    case OPTION_NO_RELAX:
        config->relax = id == OPTION_RELAX;
        break;
    case OPTION_RELAX_GP:
    case OPTION_NO_RELAX_GP:
        config->relax_gp = id == OPTION_RELAX_GP;
        break;
    case OPTION_STRIP_ALL:
        config->strip = STRIP_ALL;
        break;
    case OPTION_STRIP_DEBUG:
        if (config->strip == STRIP_NONE)
            config->strip = STRIP_DEBUG;
        break;
    case OPTION_DISCARD_ALL:
        config->discard = DISCARD_LOCALS;
        break;
    case OPTION_DISCARD_TEMPORARY:
        config->discard = DISCARD_TEMPORARY;
        break;
    case OPTION_DISCARD_NONE:
        config->discard = DISCARD_NONE;
        break;
    case OPTION_MEMORY_USAGE:
        config->print_memory_usage = true;
        break;
    case OPTION_BUILD_ID:
        return set_build_id(parser);
    case OPTION_KEYWORD:
        return set_keyword(parser);
    case OPTION_EMULATION:
        return set_emulation(parser);
    case OPTION_NO_WARN_MISMATCH:
        config->no_warn_mismatch = true;
        break;
    case OPTION_FATAL_WARNINGS:
    case OPTION_NO_FATAL_WARNINGS:
        diag->fatal_warnings = id == OPTION_FATAL_WARNINGS;
        break;
    case OPTION_NO_WARNINGS:
        diag->no_warnings = true;
        break;
    case OPTION_SCRIPT:
        if (config->script) {
            diag_error(diag, NULL, "two linker scripts, '%s' and '%s'; INCLUDE one in the other",
                       config->script, parser->options.argument);
            return false;
        }
        config->script = parser->options.argument;
        break;
    case OPTION_EH_FRAME_HEADER:
    case OPTION_NO_EH_FRAME_HEADER:
        config->eh_frame_header = id == OPTION_EH_FRAME_HEADER;
        break;
    case OPTION_MULTIPLE_DEFINITIONS:
        config->multiple_definitions = true;
        break;
    case OPTION_COMPRESS:
        return strcmp(parser->options.argument, "none") == 0 || refuse(parser);
    case OPTION_REFUSED:
        return refuse(parser);
    default:
        break;
    }
    return true;
}

int config_parse(struct config *config, struct arena *arena, struct diag *diag, int argc,
                 char **argv)
{
    struct parser parser = {
        .config = config,
        .arena = arena,
        .options = {.diag = diag,
                    .usage = "[options] file…",
                    .summary = "Links RISC-V object files and archives into a static executable.",
                    .epilogue = "Sections named .spm* go to the scratchpad window.",
                    .specs = specs,
                    .argc = argc,
                    .argv = argv,
                    .index = 1},
    };
    *config = (struct config){.output = "a.out",
                              .entry = "_start",
                              .text_segment = DEFAULT_TEXT_SEGMENT,
                              .scratchpad_size = SCRATCHPAD_DEFAULT_SIZE,
                              .relax = true,
                              .relax_gp = true,
                              .relro = true};
    for (;;) {
        int id = options_next(&parser.options);
        if (id == OPTIONS_EXIT || id == OPTIONS_ERROR)
            return id;
        if (id == OPTIONS_END)
            break;
        if (!apply_option(&parser, id))
            return OPTIONS_ERROR;
    }
    if (parser.in_group) {
        diag_error(diag, NULL, "--start-group without --end-group after it");
        return OPTIONS_ERROR;
    }
    for (size_t i = 0; i < config->input_count; i++)
        if (config->inputs[i].kind <= INPUT_LIBRARY)
            return OPTIONS_END;
    diag_error(diag, NULL, "no input files; give object files or archives");
    diag_note(diag, NULL, "try 'tld --help'");
    return OPTIONS_ERROR;
}
