/* Parses the options of the command line. */
#include "ld/config.h"

#include "ld/option_table.h"
#include "lib/size.h"
#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Addresses on GNU ld's command line are hexadecimal, with or without 0x. */
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
    bool said_version;
    uint64_t states; /* a stack of values of whole_archive for --push-state, the latest in the
                        lowest bit */
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

/* As in GNU ld, a directory is one for a dynamic linker (-rpath), and has no meaning here. */
static void add_symbols(struct parser *parser)
{
    struct stat status;

    if (stat(parser->options.argument, &status) != 0 || !S_ISDIR(status.st_mode))
        add_input(parser, INPUT_SYMBOLS);
}

/* The last address that is given for a section is used. */
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

/* --push-state and --pop-state: flags that a library's link line sets in between end with it. */
static bool set_state(struct parser *parser, bool push)
{
    unsigned limit = sizeof parser->states * 8;

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

/* Keywords that ld knows and that do not change a static executable. Others get a warning, as in
 * GNU ld. */
static bool set_keyword(struct parser *parser)
{
    static const char *const ignored[] = {
        "lazy",   "text",          "notext",        "nocopyreloc",     "combreloc",
        "defs",   "undefs",        "separate-code", "noseparate-code", "nocombreloc",
        "global", "start-stop-gc", "nodlopen"};
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
    if (strcmp(word, "now") == 0) {
        config->bind_now = true;
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

static int hexadecimal_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = c ? strchr(digits, tolower((unsigned char)c)) : NULL;

    return found ? (int)(found - digits) : -1;
}

/* Parses --build-id=0x…: the bytes of the note, which '-' and ':' may separate, as in GNU ld. */
static bool set_build_id_bytes(struct parser *parser, const char *digits)
{
    struct config *config = parser->config;
    unsigned char *bytes = arena_alloc(parser->arena, strlen(digits) + 1);
    size_t count = 0;

    while (*digits) {
        if (count && (*digits == '-' || *digits == ':')) {
            digits++;
            continue;
        }
        int high = hexadecimal_digit(digits[0]), low = high < 0 ? -1 : hexadecimal_digit(digits[1]);
        if (low < 0)
            break;
        bytes[count++] = (unsigned char)(high << 4 | low);
        digits += 2;
    }
    if (*digits || !count) {
        diag_error(parser->options.diag, NULL,
                   "--build-id: found '%s', expected pairs of hexadecimal digits after 0x", digits);
        return false;
    }
    config->build_id_bytes = bytes;
    config->build_id_size = count;
    return true;
}

static bool set_build_id(struct parser *parser)
{
    const char *style = parser->options.argument;
    struct config *config = parser->config;

    config->build_id = !style || strcmp(style, "none") != 0;
    config->build_id_bytes = NULL;
    if (style && strncasecmp(style, "0x", 2) == 0)
        return set_build_id_bytes(parser, style + 2);
    if (style && strcmp(style, "uuid") == 0) {
        diag_error(parser->options.diag, NULL,
                   "--build-id=uuid would make a different output from the same input each time; "
                   "use sha1 or 0x and digits");
        return false;
    }
    if (style && strcmp(style, "none") != 0 && strcmp(style, "sha1") != 0) {
        diag_error(parser->options.diag, NULL,
                   "--build-id: found style '%s', expected sha1, none or 0x and digits", style);
        return false;
    }
    return true;
}

/* Handles options that take one of a few words. */
static bool set_by_word(struct parser *parser, int id)
{
    static const struct {
        int id;
        const char *word;
        int value;
    } words[] = {
        {OPTION_FORMAT, "elf64-littleriscv", false},
        {OPTION_FORMAT, "binary", true},
        {OPTION_UNRESOLVED, "report-all", false},
        {OPTION_UNRESOLVED, "ignore-in-shared-libs", false}, /* there are none */
        {OPTION_UNRESOLVED, "ignore-all", true},
        {OPTION_UNRESOLVED, "ignore-in-object-files", true},
        {OPTION_SORT_SECTION, "name", SORT_KEY_NAME},
        {OPTION_SORT_SECTION, "alignment", SORT_KEY_ALIGNMENT},
    };
    struct config *config = parser->config;
    const char *expected = "";

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i].id != id)
            continue;
        expected =
            arena_format(parser->arena, "%s%s%s", expected, *expected ? ", " : "", words[i].word);
        if (strcmp(parser->options.argument, words[i].word) != 0)
            continue;
        if (id == OPTION_FORMAT)
            config->binary = words[i].value;
        else if (id == OPTION_UNRESOLVED)
            config->ignore_undefined = words[i].value;
        else
            config->sort_key = (enum sort_key)words[i].value;
        return true;
    }
    diag_error(parser->options.diag, NULL, "option '%s': expected one of %s",
               parser->options.written, expected);
    return false;
}

static bool set_compression(struct parser *parser)
{
    const char *method = parser->options.argument;
    bool zlib = strcmp(method, "zlib") == 0 || strcmp(method, "zlib-gabi") == 0;

    if (!zlib && strcmp(method, "zstd") != 0 && strcmp(method, "none") != 0) {
        diag_error(parser->options.diag, NULL,
                   "--compress-debug-sections: found '%s', expected none, zlib, zlib-gabi or zstd",
                   method);
        return false;
    }
    parser->config->compression = zlib                          ? ELFCOMPRESS_ZLIB
                                  : strcmp(method, "zstd") == 0 ? ELFCOMPRESS_ZSTD
                                                                : 0;
    return true;
}

static bool set_hash_style(struct parser *parser)
{
    const char *style = parser->options.argument;
    bool both = strcmp(style, "both") == 0;
    struct config *config = parser->config;

    config->sysv_hash = both || strcmp(style, "sysv") == 0;
    config->gnu_hash = both || strcmp(style, "gnu") == 0;
    if (config->sysv_hash || config->gnu_hash)
        return true;
    diag_error(parser->options.diag, NULL, "--hash-style: found '%s', expected sysv, gnu or both",
               style);
    return false;
}

static bool set_orphans(struct parser *parser)
{
    static const char *const modes[] = {[ORPHANS_PLACE] = "place",
                                        [ORPHANS_WARN] = "warn",
                                        [ORPHANS_ERROR] = "error",
                                        [ORPHANS_DISCARD] = "discard"};

    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(parser->options.argument, modes[i]) == 0) {
            parser->config->orphans = (enum orphans)i;
            return true;
        }
    diag_error(parser->options.diag, NULL,
               "--orphan-handling: found '%s', expected place, warn, error or discard",
               parser->options.argument);
    return false;
}

static bool set_scratchpad_size(struct parser *parser)
{
    const char *word = parser->options.argument;
    uint64_t size;

    if (size_read(word, &size) && size >= SCRATCHPAD_MINIMUM_SIZE &&
        size <= SCRATCHPAD_MAXIMUM_SIZE) {
        parser->config->scratchpad_size = size;
        return true;
    }
    diag_error(parser->options.diag, NULL,
               "option '%s': found '%s', expected a number from %llu to %llu, such as 64K or 4M",
               parser->options.written, word, (unsigned long long)SCRATCHPAD_MINIMUM_SIZE,
               (unsigned long long)SCRATCHPAD_MAXIMUM_SIZE);
    return false;
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

/* Handles options about inputs and names. Returns false if it is none of them; *good says whether
 * it was valid. */
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
    case OPTION_JUST_SYMBOLS:
        add_symbols(parser);
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
        strings_add(&config->library_paths, parser->arena, parser->options.argument);
        break;
    case OPTION_UNDEFINED:
        strings_add(&config->undefined, parser->arena, parser->options.argument);
        break;
    case OPTION_PUSH_STATE:
    case OPTION_POP_STATE:
        *good = set_state(parser, id == OPTION_PUSH_STATE);
        break;
    case OPTION_REQUIRE_DEFINED:
        strings_add(&config->undefined, parser->arena, parser->options.argument);
        strings_add(&config->required, parser->arena, parser->options.argument);
        break;
    case OPTION_WRAP:
        strings_add(&config->wrapped, parser->arena, parser->options.argument);
        break;
    case OPTION_DEFSYM:
        strings_add(&config->defsyms, parser->arena, parser->options.argument);
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

/* Handles options about addresses. */
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
        parser->config->text_segment_given = true;
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

/* Options that only set a flag. */
static const struct switch_option {
    enum option_id id;
    size_t field; /* of struct config */
    bool value;
} switches[] = {
    {OPTION_RELOCATABLE, offsetof(struct config, relocatable), true},
    {OPTION_EMIT_RELOCATIONS, offsetof(struct config, emit_relocations), true},
    {OPTION_DEFINE_COMMONS, offsetof(struct config, define_commons), true},
    {OPTION_MAP, offsetof(struct config, map_to_stdout), true},
    {OPTION_GC, offsetof(struct config, gc_sections), true},
    {OPTION_NO_GC, offsetof(struct config, gc_sections), false},
    {OPTION_PRINT_GC, offsetof(struct config, print_gc_sections), true},
    {OPTION_NO_PRINT_GC, offsetof(struct config, print_gc_sections), false},
    {OPTION_RELAX, offsetof(struct config, relax), true},
    {OPTION_NO_RELAX, offsetof(struct config, relax), false},
    {OPTION_RELAX_GP, offsetof(struct config, relax_gp), true},
    {OPTION_NO_RELAX_GP, offsetof(struct config, relax_gp), false},
    {OPTION_MEMORY_USAGE, offsetof(struct config, print_memory_usage), true},
    {OPTION_EH_FRAME_HEADER, offsetof(struct config, eh_frame_header), true},
    {OPTION_NO_EH_FRAME_HEADER, offsetof(struct config, eh_frame_header), false},
    {OPTION_MULTIPLE_DEFINITIONS, offsetof(struct config, multiple_definitions), true},
    {OPTION_TRACE, offsetof(struct config, trace), true},
    {OPTION_WARN_UNRESOLVED, offsetof(struct config, warn_undefined), true},
    {OPTION_ERROR_UNRESOLVED, offsetof(struct config, warn_undefined), false},
    {OPTION_NMAGIC, offsetof(struct config, no_pages), true},
    {OPTION_CROSS_REFERENCE, offsetof(struct config, cross_reference), true},
    {OPTION_PIE, offsetof(struct config, pie), true},
    {OPTION_NO_PIE, offsetof(struct config, pie), false},
    {OPTION_STATIC, offsetof(struct config, is_static), true},
    {OPTION_NO_DYNAMIC_LINKER, offsetof(struct config, no_dynamic_linker), true},
};

static bool apply_switch(struct config *config, int id)
{
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if ((int)switches[i].id == id) {
            *(bool *)((char *)config + switches[i].field) = switches[i].value;
            return true;
        }
    return false;
}

/* Handles options about which names and sections are written. */
static bool apply_output_option(struct parser *parser, int id, bool *good)
{
    struct config *config = parser->config;
    const char *argument = parser->options.argument;

    switch (id) {
    case OPTION_OUTPUT:
        config->output = argument;
        break;
    case OPTION_MAP_FILE:
        config->map_to_stdout |= strcmp(argument, "-") == 0;
        config->map_file = strcmp(argument, "-") == 0 ? NULL : argument;
        break;
    case OPTION_STRIP_ALL:
        config->strip = STRIP_ALL;
        break;
    case OPTION_STRIP_DEBUG:
        if (config->strip == STRIP_NONE)
            config->strip = STRIP_DEBUG;
        break;
    case OPTION_DISCARD_ALL:
    case OPTION_DISCARD_TEMPORARY:
    case OPTION_DISCARD_NONE:
        config->discard = id == OPTION_DISCARD_ALL         ? DISCARD_LOCALS
                          : id == OPTION_DISCARD_TEMPORARY ? DISCARD_TEMPORARY
                                                           : DISCARD_NONE;
        break;
    case OPTION_BUILD_ID:
        *good = set_build_id(parser);
        break;
    case OPTION_ORPHANS:
        *good = set_orphans(parser);
        break;
    case OPTION_STATIC_PIE:
        config->pie = config->is_static = config->no_dynamic_linker = true;
        break;
    case OPTION_HASH_STYLE:
        *good = set_hash_style(parser);
        break;
    case OPTION_OMAGIC:
        config->no_pages = config->writable_code = true;
        break;
    case OPTION_NO_WARN_MISMATCH:
        config->isa_mismatch = ISA_MISMATCH_IGNORE;
        break;
    case OPTION_ISA_MISMATCH:
        *good = isa_mismatch_read(parser->options.diag, parser->options.argument,
                                  &config->isa_mismatch);
        break;
    case OPTION_FORMAT:
    case OPTION_UNRESOLVED:
    case OPTION_SORT_SECTION:
        *good = set_by_word(parser, id);
        break;
    default:
        return false;
    }
    return true;
}

static bool set_script(struct parser *parser)
{
    struct config *config = parser->config;

    if (config->script) {
        diag_error(parser->options.diag, NULL,
                   "two linker scripts, '%s' and '%s'; INCLUDE one in the other", config->script,
                   parser->options.argument);
        return false;
    }
    config->script = parser->options.argument;
    config->script_at = config->input_count;
    return true;
}

static bool apply_option(struct parser *parser, int id)
{
    struct diag *diag = parser->options.diag;
    bool good = true;

    if (apply_switch(parser->config, id) || apply_input_option(parser, id, &good) ||
        apply_address_option(parser, id, &good) || apply_output_option(parser, id, &good))
        return good;
    switch ((enum option_id)id) {
    case OPTION_KEYWORD:
        return set_keyword(parser);
    case OPTION_EMULATION:
        return set_emulation(parser);
    case OPTION_FATAL_WARNINGS:
    case OPTION_NO_FATAL_WARNINGS:
        diag->fatal_warnings = id == OPTION_FATAL_WARNINGS;
        return true;
    case OPTION_NO_WARNINGS:
        diag->no_warnings = true;
        return true;
    case OPTION_SCRIPT:
        return set_script(parser);
    case OPTION_VERBOSE:
        parser->config->verbose = true;
        printf("%s %s\n", diag->tool, TOOL_VERSION);
        parser->said_version = true;
        return true;
    case OPTION_SAY_VERSION:
        printf("%s %s\n", diag->tool, TOOL_VERSION);
        parser->said_version = true;
        return true;
    case OPTION_COMPRESS:
        return set_compression(parser);
    case OPTION_REFUSED:
        return refuse(parser);
    default:
        return true;
    }
}

/* Rejects combinations of options: some are only meant for executables, others need another
 * option. */
static bool check_relocatable(struct diag *diag, const struct config *config)
{
    const char *wrong = NULL;

    if (config->pie)
        wrong = "-pie and -static-pie; give them to the final link";
    else if (config->script)
        wrong = "-T: -r joins sections of one name; give the script to the final link";
    else if (config->binary)
        wrong = "--oformat=binary, which needs addresses; give it to the final link";
    else if (config->no_pages)
        wrong = "-n and -N; give them to the final link";
    else if (config->compression)
        wrong = "--compress-debug-sections; give it to the final link";
    else if (config->section_start_count)
        wrong = "addresses of sections; give them to the final link";
    else if (config->gc_sections && !config->entry_given && !config->undefined.count)
        wrong = "--gc-sections without -e or -u, which say what is used";
    if (wrong)
        diag_error(diag, NULL, "-r does not go with %s", wrong);
    return !wrong;
}

/* Does the program have the start file that relocates a position-independent program? Drivers pass
 * it for -static-pie; not all also pass --no-dynamic-linker. */
static bool relocates_itself(const struct config *config)
{
    for (size_t i = 0; i < config->input_count; i++) {
        const char *name = config->inputs[i].name, *slash = name ? strrchr(name, '/') : NULL;
        if (config->inputs[i].kind == INPUT_FILE &&
            strcmp(slash ? slash + 1 : name, "rcrt1.o") == 0)
            return true;
    }
    return false;
}

static bool check_pie(struct diag *diag, const struct config *config)
{
    if (!config->is_static && !config->no_dynamic_linker && !relocates_itself(config)) {
        diag_error(diag, NULL,
                   "-pie alone asks for a program that a dynamic linker relocates, which is not "
                   "supported; link with -static-pie (gcc: -static-pie "
                   "-Wl,--no-dynamic-linker), or with -no-pie (gcc: -static)");
        return false;
    }
    if (config->binary) {
        diag_error(diag, NULL,
                   "--oformat=binary does not go with -pie, since a file without headers cannot "
                   "be relocated; give only one of the two");
        return false;
    }
    return true;
}

static bool has_input(const struct config *config)
{
    for (size_t i = 0; i < config->input_count; i++)
        if (config->inputs[i].kind <= INPUT_LIBRARY)
            return true;
    return false;
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
                    .specs = option_table,
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
                              .relro = true,
                              .sysv_hash = true,
                              .gnu_hash = true};
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
    if (config->no_pages)
        config->relro = false; /* it ends on a page */
    if (config->relocatable && !check_relocatable(diag, config))
        return OPTIONS_ERROR;
    if (config->pie && !config->relocatable && !check_pie(diag, config))
        return OPTIONS_ERROR;
    if (config->pie && !config->text_segment_given)
        config->text_segment = 0;
    if (config->emit_relocations && config->strip == STRIP_ALL) {
        diag_error(diag, NULL,
                   "--emit-relocs needs the symbol table, which -s leaves out; give "
                   "only one of the two");
        return OPTIONS_ERROR;
    }
    if (has_input(config) || config->script)
        return OPTIONS_END;
    if (parser.said_version)
        return OPTIONS_EXIT;
    diag_error(diag, NULL, "no input files; give object files or archives");
    diag_note(diag, NULL, "try 'tld --help'");
    return OPTIONS_ERROR;
}
