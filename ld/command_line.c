/* The options of the command line: what each does to the configuration. */
#include "ld/command_line.h"

#include "ld/config_check.h"
#include "ld/option_table.h"
#include "ld/option_value.h"
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* -R: a file whose symbols are used. As in GNU ld, a directory is meant for a dynamic linker
 * (-rpath) and ignored. */
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

    if (!value_address(&parser->options, address, &start.address))
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

/* --push-state and --pop-state: --whole-archive and its opposite hold from one to the other only.
 */
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

/* -z. Some keywords that GNU ld knows do not change a static executable. Unknown ones get a
 * warning, as in GNU ld. */
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

static bool refuse(struct parser *parser)
{
    diag_error(parser->options.diag, NULL,
               "option '%s' is not supported by this version, which links static executables",
               parser->options.written);
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
        *good = value_address(&parser->options, argument, &parser->config->text_segment);
        if (*good && parser->config->text_segment % PAGE_SIZE) {
            diag_error(parser->options.diag, NULL,
                       "-Ttext-segment: found 0x%llx, expected a multiple of 0x%llx",
                       (unsigned long long)parser->config->text_segment,
                       (unsigned long long)PAGE_SIZE);
            *good = false;
        }
        break;
    case OPTION_SCRATCHPAD_SIZE:
        *good = value_scratchpad_size(&parser->options, &parser->config->scratchpad_size);
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
        *good = value_build_id(&parser->options, parser->arena, config);
        break;
    case OPTION_STATIC_PIE:
        config->pie = config->is_static = config->no_dynamic_linker = true;
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
    default:
        return false;
    }
    return true;
}

/* ---- options that take one of a few words ---- */

enum { SYSV_HASH = 1, GNU_HASH = 2 };

static const struct choice emulations[] = {{"elf64lriscv", 0}, {0}};
static const struct choice formats[] = {{"elf64-littleriscv", false}, {"binary", true}, {0}};
static const struct choice unresolved[] = {{"report-all", false},
                                           {"ignore-in-shared-libs", false}, /* there are none */
                                           {"ignore-all", true},
                                           {"ignore-in-object-files", true},
                                           {0}};
static const struct choice sort_keys[] = {
    {"name", SORT_KEY_NAME}, {"alignment", SORT_KEY_ALIGNMENT}, {0}};
static const struct choice compressions[] = {{"none", 0},
                                             {"zlib", ELFCOMPRESS_ZLIB},
                                             {"zlib-gabi", ELFCOMPRESS_ZLIB},
                                             {"zstd", ELFCOMPRESS_ZSTD},
                                             {0}};
static const struct choice hash_styles[] = {
    {"sysv", SYSV_HASH}, {"gnu", GNU_HASH}, {"both", SYSV_HASH | GNU_HASH}, {0}};
static const struct choice orphan_modes[] = {{"place", ORPHANS_PLACE},
                                             {"warn", ORPHANS_WARN},
                                             {"error", ORPHANS_ERROR},
                                             {"discard", ORPHANS_DISCARD},
                                             {0}};

static bool apply_choice(struct parser *parser, int id, bool *good)
{
    struct options *options = &parser->options;
    struct config *config = parser->config;
    int hashes;

    switch (id) {
    case OPTION_EMULATION:
        value_choice(options, emulations, good);
        break;
    case OPTION_FORMAT:
        config->binary = value_choice(options, formats, good);
        break;
    case OPTION_UNRESOLVED:
        config->ignore_undefined = value_choice(options, unresolved, good);
        break;
    case OPTION_SORT_SECTION:
        config->sort_key = (enum sort_key)value_choice(options, sort_keys, good);
        break;
    case OPTION_COMPRESS:
        config->compression = (unsigned)value_choice(options, compressions, good);
        break;
    case OPTION_HASH_STYLE:
        hashes = value_choice(options, hash_styles, good);
        config->sysv_hash = hashes & SYSV_HASH;
        config->gnu_hash = hashes & GNU_HASH;
        break;
    case OPTION_ORPHANS:
        config->orphans = (enum orphans)value_choice(options, orphan_modes, good);
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
        apply_address_option(parser, id, &good) || apply_output_option(parser, id, &good) ||
        apply_choice(parser, id, &good))
        return good;
    switch ((enum option_id)id) {
    case OPTION_KEYWORD:
        return set_keyword(parser);
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
    case OPTION_SAY_VERSION:
        parser->config->verbose |= id == OPTION_VERBOSE;
        printf("%s %s\n", diag->tool, TOOL_VERSION);
        parser->said_version = true;
        return true;
    case OPTION_REFUSED:
        return refuse(parser);
    default:
        return true;
    }
}

static bool has_input(const struct config *config)
{
    for (size_t i = 0; i < config->input_count; i++)
        if (config->inputs[i].kind <= INPUT_LIBRARY)
            return true;
    return false;
}

int command_line_read(struct config *config, struct arena *arena, struct diag *diag, int argc,
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
    if (!config_check(diag, config))
        return OPTIONS_ERROR;
    if (has_input(config) || config->script)
        return OPTIONS_END;
    if (parser.said_version)
        return OPTIONS_EXIT;
    diag_error(diag, NULL, "no input files; give object files or archives");
    diag_note(diag, NULL, "try 'tld --help'");
    return OPTIONS_ERROR;
}
