/* The machine file: two levels of YAML, a mapping of sections to mappings of keys to numbers. One
 * table says what there is and what is allowed; reading, printing and messages come from it. */
#include "emu/config.h"
#include "emu/bare.h"
#include "emu/memory.h"
#include "lib/file.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

struct setting {
    const char *section, *key;
    size_t offset;
    uint8_t size; /* bytes of the field */
    uint64_t minimum, maximum;
    uint64_t multiple; /* of this; 0: any */
    bool power_of_two;
    bool hex; /* printed so */
    uint64_t initial;
    const char *summary;
    const char *const *words; /* what the values are called, from 0 on; NULL: they are numbers */
};

static const char *const misaligned_words[] = {"allow", "trap", NULL};

#define KIB         UINT64_C(1024)
#define MIB         (KIB * KIB)
#define GIB         (KIB * MIB)
#define FIELD(name) offsetof(struct config, name), sizeof(((struct config *)NULL)->name)

static const struct setting settings[] = {
    {"scratchpad", "base", FIELD(scratchpad_base), MEMORY_PAGE, MEMORY_LIMIT - MEMORY_PAGE,
     MEMORY_PAGE, false, true, 0x40000000, "address of the window", NULL},
    {"scratchpad", "size", FIELD(scratchpad_size), 4 * KIB, GIB, MEMORY_PAGE, false, true, MIB,
     "bytes", NULL},
    {"memory", "size", FIELD(memory_size), 64 * KIB, MEMORY_LIMIT, MEMORY_PAGE, false, true, GIB,
     "bytes that a program may have mapped at once", NULL},
    {"memory", "stack", FIELD(stack_size), 16 * KIB, GIB, MEMORY_PAGE, false, true, 8 * MIB,
     "bytes", NULL},
    {"memory", "misaligned", FIELD(misaligned), 0, 1, 0, false, false, MISALIGNED_ALLOW,
     "loads and stores: allow or trap", misaligned_words},
    {"bare", "ram", FIELD(ram_size), 64 * KIB, MEMORY_LIMIT - BARE_RAM_BASE, MEMORY_PAGE, false,
     true, 128 * MIB, "bytes of RAM at 0x80000000, without an operating system", NULL},
    {"bare", "tick", FIELD(tick_length), 1, 1000000000, 0, false, false, 1,
     "instructions in a tick of mtime", NULL},
    {"matrix", "lanes", FIELD(lanes), 1, 1024, 0, true, false, 16,
     "W, products that an adder tree sums; changes the bits of results", NULL},
    {"matrix", "slaves", FIELD(slaves), 1, 65536, 0, false, false, 32, "N; changes timing only",
     NULL},
    {"traversal", "rows", FIELD(traversal_rows), 1, 1024, 0, false, false, 8, "R", NULL},
    {"traversal", "dimensions", FIELD(traversal_dimensions), 1, 64, 0, false, false, 8, "D", NULL},
};
enum {
    SETTINGS = sizeof settings / sizeof *settings,
    FILE_LIMIT = 16384, /* bytes; the time that libyaml takes grows with the square of the depth */
};

static void set(struct config *config, const struct setting *setting, uint64_t value)
{
    unsigned char *field = (unsigned char *)config + setting->offset;
    const uint32_t narrow = value;

    if (setting->size == sizeof narrow)
        memcpy(field, &narrow, sizeof narrow);
    else
        memcpy(field, &value, sizeof value);
}

static uint64_t get(const struct config *config, const struct setting *setting)
{
    const unsigned char *field = (const unsigned char *)config + setting->offset;
    uint64_t value = 0;

    memcpy(&value, field, setting->size); /* little-endian host: memory.h */
    return value;
}

void config_default(struct config *config)
{
    *config = (struct config){0};
    for (int i = 0; i < SETTINGS; i++)
        set(config, &settings[i], settings[i].initial);
}

void config_print(const struct config *config, FILE *stream)
{
    fputs("# A machine for temu --machine. Sizes may end in K, M or G (powers of 1024).\n", stream);
    for (int i = 0; i < SETTINGS; i++) {
        const struct setting *setting = &settings[i];
        if (i == 0 || strcmp(settings[i - 1].section, setting->section) != 0)
            fprintf(stream, "%s:\n", setting->section);
        if (setting->words)
            fprintf(stream, "  %s: %s  # %s\n", setting->key, setting->words[get(config, setting)],
                    setting->summary);
        else
            fprintf(stream,
                    setting->hex ? "  %s: 0x%" PRIx64 "  # %s\n" : "  %s: %" PRIu64 "  # %s\n",
                    setting->key, get(config, setting), setting->summary);
    }
}

/* ---- reading ---- */

struct reader {
    struct config *config;
    struct diag *diag;
    const struct diag_file *file;
    yaml_document_t *document;
    struct position given[SETTINGS]; /* where each setting was given; line 0: not */
};

static struct position position_of(const struct reader *reader, const yaml_node_t *node)
{
    struct position at = {
        .file = reader->file,
        .line = node->start_mark.line + 1,
        .column = node->start_mark.column + 1,
        .length = 1,
    };

    if (node->start_mark.line == node->end_mark.line &&
        node->end_mark.column > node->start_mark.column)
        at.length = node->end_mark.column - node->start_mark.column;
    return at;
}

static const char *kind_of(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE    ? "a single value"
           : node->type == YAML_MAPPING_NODE ? "a mapping"
                                             : "a list";
}

/* The text of a scalar that holds no NUL, or NULL. */
static const char *scalar(const yaml_node_t *node)
{
    const char *text = (const char *)node->data.scalar.value;

    return node->type == YAML_SCALAR_NODE && strlen(text) == node->data.scalar.length ? text : NULL;
}

static void unknown_key(struct reader *reader, const yaml_node_t *key, const char *section)
{
    const struct position at = position_of(reader, key);
    const char *word = scalar(key);
    struct suggestion suggestion;

    suggest_init(&suggestion, word ? word : "");
    for (int i = 0; i < SETTINGS; i++) {
        if (section && strcmp(settings[i].section, section) == 0)
            suggest_add(&suggestion, settings[i].key);
        if (!section && (i == 0 || strcmp(settings[i - 1].section, settings[i].section) != 0))
            suggest_add(&suggestion, settings[i].section);
    }
    const char *near = suggest_text(&suggestion);
    diag_error(reader->diag, &at, "unknown %s '%s'%s%s%s", section ? "setting" : "section",
               word ? word : "?", near ? "; did you mean " : "", near ? near : "",
               near ? "?" : "; temu --dump-machine prints all there are");
}

/* Decimal or 0x…, with K, M or G. */
static bool parse_number(const char *text, uint64_t *value)
{
    char *end;

    if (!text || text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    *value = strtoull(text, &end, text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10);
    if (errno)
        return false;
    const char *suffixes = "KMG", *suffix = *end ? strchr(suffixes, *end) : NULL;
    if (suffix) {
        const unsigned shift = 10 * (suffix - suffixes + 1);
        if (*value > UINT64_MAX >> shift)
            return false;
        *value <<= shift;
        end++;
    }
    return *end == '\0';
}

/* A word that stands for a value. */
static void read_word(struct reader *reader, const struct setting *setting, const yaml_node_t *node)
{
    const struct position at = position_of(reader, node);
    const char *text = scalar(node);

    for (unsigned i = 0; text && setting->words[i]; i++)
        if (strcmp(setting->words[i], text) == 0) {
            set(reader->config, setting, i);
            return;
        }
    diag_error(reader->diag, &at, "%s.%s: found %s%s%s, expected %s or %s", setting->section,
               setting->key, text ? "'" : kind_of(node), text ? text : "", text ? "'" : "",
               setting->words[0], setting->words[1]);
}

static void read_setting(struct reader *reader, int index, const yaml_node_t *node)
{
    const struct setting *setting = &settings[index];
    const struct position at = position_of(reader, node);
    const char *text = scalar(node);
    uint64_t value;

    if (setting->words) {
        read_word(reader, setting, node);
        return;
    }
    if (!parse_number(text, &value)) {
        diag_error(
            reader->diag, &at,
            "%s.%s: found %s%s%s, expected a number (decimal or 0x…, with K, M or G at will)",
            setting->section, setting->key, text ? "'" : kind_of(node), text ? text : "",
            text ? "'" : "");
        return;
    }
    if (value < setting->minimum || value > setting->maximum)
        diag_error(reader->diag, &at,
                   setting->hex ? "%s.%s: 0x%" PRIx64 " is out of range; allowed are 0x%" PRIx64
                                  " to 0x%" PRIx64
                                : "%s.%s: %" PRIu64 " is out of range; allowed are %" PRIu64
                                  " to %" PRIu64,
                   setting->section, setting->key, value, setting->minimum, setting->maximum);
    else if (setting->multiple && value % setting->multiple)
        diag_error(reader->diag, &at, "%s.%s: 0x%" PRIx64 " is not a multiple of 0x%" PRIx64,
                   setting->section, setting->key, value, setting->multiple);
    else if (setting->power_of_two && value & (value - 1))
        diag_error(reader->diag, &at, "%s.%s: %" PRIu64 " is not a power of two", setting->section,
                   setting->key, value);
    else
        set(reader->config, setting, value);
}

static void read_key(struct reader *reader, const char *section, const yaml_node_t *key,
                     const yaml_node_t *value)
{
    const char *name = scalar(key);

    for (int i = 0; i < SETTINGS; i++) {
        if (!name || strcmp(settings[i].section, section) != 0 ||
            strcmp(settings[i].key, name) != 0)
            continue;
        if (reader->given[i].line) {
            const struct position at = position_of(reader, key);
            diag_error(reader->diag, &at, "%s.%s is given twice", section, name);
            diag_note(reader->diag, &reader->given[i], "first given here");
            return;
        }
        reader->given[i] = position_of(reader, key);
        read_setting(reader, i, value);
        return;
    }
    unknown_key(reader, key, section);
}

static bool is_section(const char *name)
{
    for (int i = 0; name && i < SETTINGS; i++)
        if (strcmp(settings[i].section, name) == 0)
            return true;
    return false;
}

/* The pairs of a mapping, or none after a diagnostic. */
static const yaml_node_pair_t *pairs_of(struct reader *reader, const yaml_node_t *node,
                                        const char *what, size_t *count)
{
    const struct position at = position_of(reader, node);

    *count = 0;
    if (node->type != YAML_MAPPING_NODE) {
        diag_error(reader->diag, &at, "%s: found %s, expected a mapping", what, kind_of(node));
        return NULL;
    }
    *count = node->data.mapping.pairs.top - node->data.mapping.pairs.start;
    return node->data.mapping.pairs.start;
}

static void read_sections(struct reader *reader, const yaml_node_t *root)
{
    size_t sections, keys;
    const yaml_node_pair_t *section = pairs_of(reader, root, "a machine file", &sections);

    for (; sections; sections--, section++) {
        const yaml_node_t *name = yaml_document_get_node(reader->document, section->key);
        if (!is_section(scalar(name))) {
            unknown_key(reader, name, NULL);
            continue;
        }
        const yaml_node_pair_t *pair = pairs_of(
            reader, yaml_document_get_node(reader->document, section->value), scalar(name), &keys);
        for (; keys; keys--, pair++)
            read_key(reader, scalar(name), yaml_document_get_node(reader->document, pair->key),
                     yaml_document_get_node(reader->document, pair->value));
    }
}

/* What holds between settings. */
static void check_together(struct reader *reader)
{
    const struct config *config = reader->config;
    const struct position whole = {.file = reader->file};

    if (config->scratchpad_base + config->scratchpad_size > MEMORY_LIMIT)
        diag_error(reader->diag, &whole,
                   "the scratchpad (0x%" PRIx64 " bytes at 0x%" PRIx64
                   ") ends beyond the address space of 0x%" PRIx64 " bytes",
                   config->scratchpad_size, config->scratchpad_base, MEMORY_LIMIT);
    if (config->stack_size > config->memory_size)
        diag_error(reader->diag, &whole,
                   "memory.stack (0x%" PRIx64 ") is larger than memory.size (0x%" PRIx64 ")",
                   config->stack_size, config->memory_size);
}

static void syntax_error(struct reader *reader, const yaml_parser_t *parser)
{
    const struct position at = {
        .file = reader->file,
        .line = parser->problem_mark.line + 1,
        .column = parser->problem_mark.column + 1,
        .length = 1,
    };

    diag_error(reader->diag, &at, "this is not YAML: %s%s%s",
               parser->problem ? parser->problem : "unreadable", parser->context ? " " : "",
               parser->context ? parser->context : "");
}

static void read_document(struct reader *reader, yaml_parser_t *parser)
{
    yaml_document_t document, second;

    if (!yaml_parser_load(parser, &document)) {
        syntax_error(reader, parser);
        return;
    }
    reader->document = &document;
    const yaml_node_t *root = yaml_document_get_root_node(&document);
    if (root)
        read_sections(reader, root);
    yaml_document_delete(&document);
    if (!root)
        return;
    if (!yaml_parser_load(parser, &second)) {
        syntax_error(reader, parser);
        return;
    }
    root = yaml_document_get_root_node(&second);
    if (root) {
        const struct position at = position_of(reader, root);
        diag_error(reader->diag, &at, "a second document; a machine file has one");
    }
    yaml_document_delete(&second);
}

bool config_read(struct config *config, struct arena *arena, struct diag *diag, const char *name)
{
    struct diag_file file;
    yaml_parser_t parser;
    struct reader reader = {.config = config, .diag = diag, .file = &file};
    const unsigned before = diag->errors;

    if (!file_read(arena, diag, NULL, name, &file))
        return false;
    if (file.length > FILE_LIMIT) {
        const struct position whole = {.file = &file};
        diag_error(diag, &whole, "%zu bytes are too many for a machine file; expected at most %d",
                   file.length, FILE_LIMIT);
        return false;
    }
    if (!yaml_parser_initialize(&parser)) {
        diag_error(diag, NULL, "no memory left to read %s", name);
        return false;
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)file.bytes, file.length);
    read_document(&reader, &parser);
    yaml_parser_delete(&parser);
    if (diag->errors == before)
        check_together(&reader);
    return diag->errors == before;
}
