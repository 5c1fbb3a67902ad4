/* The machine file: a mapping of sections to mappings of keys to values; in the section `timing`,
 * the keys of each unit are a mapping of their own. Every mistake in a file is reported at its
 * place. The named machines are such files too, emu/machines/NAME.yaml. They are built into temu,
 * so that a name means the same machine wherever temu is installed. */
#include "lib/architecture.h"
#include "lib/file.h"
#include "lib/machine/config_settings.h"
#include "lib/size.h"
#include "lib/text.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yaml.h>

/* The largest file, in bytes. libyaml takes time that grows with the square of the nesting depth.
 */
enum { FILE_LIMIT = 16384 };

struct reader {
    struct arena *arena;
    struct config *config;
    struct diag *diag;
    const struct diag_file *file;
    yaml_document_t *document;
    struct position *given;     /* where each setting was given; line 0: not */
    struct position extensions; /* where the list of extensions was given; the same */
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

/* Returns the name that a machine file has in the section, or in a group of it: of the key
 * UNIT.KEY, the unit or the key. */
static const char *offered_name(const struct reader *reader, const char *key, bool is_in_group)
{
    const char *dot = strchr(key, '.');

    if (!dot)
        return key;
    return is_in_group ? dot + 1 : arena_format(reader->arena, "%.*s", (int)(dot - key), key);
}

/* Reports an unknown section; with `section`, an unknown key of it, or of a group in it. */
static void unknown_key(struct reader *reader, const yaml_node_t *key, const char *section,
                        const char *group)
{
    const struct position at = position_of(reader, key);
    const char *word = scalar(key);
    struct suggestion suggestion;

    suggest_init(&suggestion, word ? word : "");
    for (int i = 0; i < config_setting_count; i++) {
        const char *name = config_settings[i].key, *dot = strchr(name, '.');
        if (section && strcmp(config_settings[i].section, section) == 0 &&
            (!group || (dot && strncmp(name, group, strlen(group)) == 0)))
            suggest_add(&suggestion, offered_name(reader, name, group != NULL));
        if (!section &&
            (i == 0 || strcmp(config_settings[i - 1].section, config_settings[i].section) != 0))
            suggest_add(&suggestion, config_settings[i].section);
    }
    if (!section)
        suggest_add(&suggestion, "extensions");
    const char *near = suggest_text(&suggestion);
    diag_error(reader->diag, &at, "unknown %s '%s'%s%s%s", section ? "setting" : "section",
               word ? word : "?", near ? "; did you mean " : "", near ? near : "",
               near ? "?" : "; temu --dump-machine prints all of them");
}

/* Reads the value of a setting that takes one of several words. */
static void read_word(struct reader *reader, const struct setting *setting, const yaml_node_t *node)
{
    const struct position at = position_of(reader, node);
    const char *text = scalar(node);

    for (unsigned i = 0; text && setting->words[i]; i++)
        if (strcmp(setting->words[i], text) == 0) {
            config_set(reader->config, setting, i);
            return;
        }
    struct text words = TEXT_INIT;
    for (unsigned i = 0; setting->words[i]; i++)
        text_format(&words, "%s%s",
                    !i                      ? ""
                    : setting->words[i + 1] ? ", "
                                            : " or ",
                    setting->words[i]);
    diag_error(reader->diag, &at, "%s.%s: found %s%s%s, expected %s", setting->section,
               setting->key, text ? "'" : kind_of(node), text ? text : "", text ? "'" : "",
               words.bytes);
    text_free(&words);
}

static void read_setting(struct reader *reader, int index, const yaml_node_t *node)
{
    const struct setting *setting = &config_settings[index];
    const struct position at = position_of(reader, node);
    const char *text = scalar(node);
    char found[CONFIG_TEXT_SIZE], least[CONFIG_TEXT_SIZE], most[CONFIG_TEXT_SIZE];
    uint64_t value;

    if (setting->kind == SETTING_WORD) {
        read_word(reader, setting, node);
        return;
    }
    if (!size_read(text, &value)) {
        diag_error(
            reader->diag, &at,
            "%s.%s: found %s%s%s, expected a number (decimal or 0x…, optionally with K, M or G)",
            setting->section, setting->key, text ? "'" : kind_of(node), text ? text : "",
            text ? "'" : "");
        return;
    }
    if (value < setting->minimum || value > setting->maximum)
        diag_error(reader->diag, &at, "%s.%s: %s is out of range; allowed are %s to %s",
                   setting->section, setting->key, config_text(setting, value, found),
                   config_text(setting, setting->minimum, least),
                   config_text(setting, setting->maximum, most));
    else if (value % setting->multiple)
        diag_error(reader->diag, &at, "%s.%s: %s is not a multiple of %s", setting->section,
                   setting->key, config_text(setting, value, found),
                   config_text(setting, setting->multiple, least));
    else if (setting->kind == SETTING_POWER && value & (value - 1))
        diag_error(reader->diag, &at, "%s.%s: %" PRIu64 " is not a power of two", setting->section,
                   setting->key, value);
    else
        config_set(reader->config, setting, value);
}

/* Returns the length of the unit's name and the dot in front of a key of the section `timing`; 0
 * for other keys. */
static size_t prefix_length(const char *key)
{
    const char *dot = strchr(key, '.');

    return dot ? (size_t)(dot + 1 - key) : 0;
}

/* Is it the name of a unit that has settings in the section? */
static bool is_group(const char *section, const char *name)
{
    for (int i = 0; name && i < config_setting_count; i++) {
        size_t length = prefix_length(config_settings[i].key);
        if (length && strcmp(config_settings[i].section, section) == 0 &&
            length - 1 == strlen(name) && memcmp(config_settings[i].key, name, length - 1) == 0)
            return true;
    }
    return false;
}

/* Reads a key, of a group of keys or NULL. */
static void read_key(struct reader *reader, const char *section, const char *group,
                     const yaml_node_t *key, const yaml_node_t *value)
{
    const char *name = scalar(key);

    for (int i = 0; name && i < config_setting_count; i++) {
        const struct setting *setting = &config_settings[i];
        size_t prefix = prefix_length(setting->key);
        if (strcmp(setting->section, section) != 0 || strcmp(setting->key + prefix, name) != 0 ||
            (prefix ? !group || strlen(group) != prefix - 1 ||
                          memcmp(setting->key, group, prefix - 1) != 0
                    : group != NULL))
            continue;
        if (reader->given[i].line) {
            const struct position at = position_of(reader, key);
            diag_error(reader->diag, &at, "%s.%s is given twice", section, setting->key);
            diag_note(reader->diag, &reader->given[i], "first given here");
            return;
        }
        reader->given[i] = position_of(reader, key);
        read_setting(reader, i, value);
        return;
    }
    unknown_key(reader, key, section, group);
}

/* Reads one name of the list of extensions. */
static isa_set read_extension(struct reader *reader, const yaml_node_t *node)
{
    const struct position at = position_of(reader, node);
    const char *name = scalar(node);
    isa_set set = name ? architecture_set(name) : 0;
    struct suggestion suggestion;

    if (set)
        return set;
    suggest_init(&suggestion, name ? name : "");
    for (size_t i = 0; i < isa_extension_count; i++)
        suggest_add(&suggestion, isa_extensions[i].name);
    const char *near = name ? suggest_text(&suggestion) : NULL;
    diag_error(reader->diag, &at,
               "extensions: found %s%s%s, expected the name of an extension%s%s%s",
               name ? "'" : kind_of(node), name ? name : "", name ? "'" : "",
               near ? "; did you mean " : "; temu --dump-machine prints all of them",
               near ? near : "", near ? "?" : "");
    return 0;
}

/* Reads the list of extensions. The base is always there, and must be named. */
static void read_extensions(struct reader *reader, const yaml_node_t *key, const yaml_node_t *node)
{
    const struct position at = position_of(reader, node), key_at = position_of(reader, key);
    isa_set base = architecture_set("i"), set = 0;

    if (reader->extensions.line) {
        diag_error(reader->diag, &key_at, "extensions is given twice");
        diag_note(reader->diag, &reader->extensions, "first given here");
        return;
    }
    reader->extensions = key_at;
    if (node->type != YAML_SEQUENCE_NODE) {
        diag_error(reader->diag, &at, "extensions: found %s, expected a list of names",
                   kind_of(node));
        return;
    }
    unsigned errors = reader->diag->errors;
    for (const yaml_node_item_t *item = node->data.sequence.items.start;
         item < node->data.sequence.items.top; item++)
        set |= read_extension(reader, yaml_document_get_node(reader->document, *item));
    if (reader->diag->errors == errors && (set & base) != base)
        diag_error(reader->diag, &at,
                   "extensions: 'i' is missing; expected the base instruction set among them");
    reader->config->extensions = set;
}

static bool is_section(const char *name)
{
    for (int i = 0; name && i < config_setting_count; i++)
        if (strcmp(config_settings[i].section, name) == 0)
            return true;
    return false;
}

/* Returns the pairs of a mapping and their number in *count, which is 0 after a diagnostic. */
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

/* Reads a key of a section, or a group of keys. */
static void read_entry(struct reader *reader, const char *section, const yaml_node_pair_t *pair)
{
    const yaml_node_t *key = yaml_document_get_node(reader->document, pair->key),
                      *value = yaml_document_get_node(reader->document, pair->value);
    size_t keys;

    if (!is_group(section, scalar(key))) {
        read_key(reader, section, NULL, key, value);
        return;
    }
    const yaml_node_pair_t *inner = pairs_of(reader, value, scalar(key), &keys);
    for (; keys; keys--, inner++)
        read_key(reader, section, scalar(key), yaml_document_get_node(reader->document, inner->key),
                 yaml_document_get_node(reader->document, inner->value));
}

static void read_sections(struct reader *reader, const yaml_node_t *root)
{
    size_t sections, keys;
    const yaml_node_pair_t *section = pairs_of(reader, root, "a machine file", &sections);

    for (; sections; sections--, section++) {
        const yaml_node_t *name = yaml_document_get_node(reader->document, section->key);
        if (scalar(name) && strcmp(scalar(name), "extensions") == 0) {
            read_extensions(reader, name, yaml_document_get_node(reader->document, section->value));
            continue;
        }
        if (!is_section(scalar(name))) {
            unknown_key(reader, name, NULL, NULL);
            continue;
        }
        const yaml_node_pair_t *pair = pairs_of(
            reader, yaml_document_get_node(reader->document, section->value), scalar(name), &keys);
        for (; keys; keys--, pair++)
            read_entry(reader, scalar(name), pair);
    }
}

/* Is it a setting of the unit? */
static bool belongs_to(const struct setting *setting, const char *unit)
{
    size_t prefix = prefix_length(setting->key);

    return prefix ? strlen(unit) == prefix - 1 && memcmp(setting->key, unit, prefix - 1) == 0
                  : strcmp(setting->section, unit) == 0;
}

/* Returns where the last of the settings that the message names was given, or the whole file when
 * none was. */
static struct position given_place(const struct reader *reader,
                                   const struct setting_constraint *constraint)
{
    struct position place = {.file = reader->file};

    for (int i = 0; i < config_setting_count; i++) {
        const struct setting *setting = &config_settings[i];
        const struct position *given = &reader->given[i];
        char name[CONFIG_TEXT_SIZE];
        snprintf(name, sizeof name, "{%s}", setting->key + prefix_length(setting->key));
        if (belongs_to(setting, constraint->unit) && strstr(constraint->message, name) &&
            (given->line > place.line ||
             (given->line == place.line && given->column > place.column)))
            place = *given;
    }
    return place;
}

/* Appends the value of a setting of the unit, whose key has this length. */
static void append_value(const struct reader *reader, struct text *text, const char *unit,
                         const char *key, size_t length)
{
    char value[CONFIG_TEXT_SIZE];

    for (int i = 0; i < config_setting_count; i++) {
        const struct setting *setting = &config_settings[i];
        const char *own = setting->key + prefix_length(setting->key);
        if (belongs_to(setting, unit) && strlen(own) == length && memcmp(own, key, length) == 0)
            text_append(text, config_text(setting, config_get(reader->config, setting), value));
    }
}

/* Checks the constraints between settings. */
static void check_together(struct reader *reader)
{
    for (const struct setting_constraint *constraint = config_constraints; constraint->holds;
         constraint++) {
        if (constraint->holds(reader->config))
            continue;
        const struct position place = given_place(reader, constraint);
        struct text message = TEXT_INIT;
        for (const char *at = constraint->message; *at; at++) {
            size_t length = *at == '{' ? strcspn(at + 1, "}") : 0;
            if (length)
                append_value(reader, &message, constraint->unit, at + 1, length);
            else
                text_append_char(&message, *at);
            at += length ? length + 1 : 0;
        }
        diag_error(reader->diag, &place, "%s", message.bytes);
        text_free(&message);
    }
}

static void syntax_error(struct reader *reader, const yaml_parser_t *parser)
{
    const struct position at = {
        .file = reader->file,
        .line = parser->problem_mark.line + 1,
        .column = parser->problem_mark.column + 1,
        .length = 1,
    };

    diag_error(reader->diag, &at, "malformed YAML: %s%s%s",
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
        diag_error(reader->diag, &at, "found a second document; a machine file has only one");
    }
    yaml_document_delete(&second);
}

static bool read_text(struct config *config, struct arena *arena, struct diag *diag,
                      const struct diag_file *file, struct position *given)
{
    yaml_parser_t parser;
    struct reader reader = {
        .arena = arena, .config = config, .diag = diag, .file = file, .given = given};
    unsigned before = diag->errors;

    if (!yaml_parser_initialize(&parser)) {
        diag_error(diag, NULL, "out of memory while reading %s", file->name);
        return false;
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)file->bytes, file->length);
    read_document(&reader, &parser);
    yaml_parser_delete(&parser);
    if (diag->errors == before)
        check_together(&reader);
    return diag->errors == before;
}

/* ---- named machines ---- */

static const struct preset {
    const char *name, *text;
} presets[] = {
#include "machines.inc"
};

/* Can the word only be the name of a machine? A path has a '/' or '.', and - is standard input. */
static bool is_bare_word(const char *word)
{
    return !strpbrk(word, "/.") && strcmp(word, "-") != 0;
}

static void unknown_machine(struct diag *diag, const char *word)
{
    struct suggestion suggestion;
    struct text all = TEXT_INIT;

    suggest_init(&suggestion, word);
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        suggest_add(&suggestion, presets[i].name);
        text_format(&all, "%s%s", i ? ", " : "", presets[i].name);
    }
    const char *near = suggest_text(&suggestion);
    diag_error(diag, NULL,
               "--machine=%s: neither a named machine nor a file%s%s%s; the named machines are %s",
               word, near ? "; did you mean " : "", near ? near : "", near ? "?" : "", all.bytes);
    text_free(&all);
}

bool config_read(struct config *config, struct arena *arena, struct diag *diag, const char *name)
{
    struct position *given = arena_array(arena, config_setting_count, sizeof *given);
    struct diag_file file;

    if (strcmp(name, "default") == 0) { /* its file has no extensions and settings of added files */
        config_default(config);
        return true;
    }
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++)
        if (strcmp(presets[i].name, name) == 0) {
            file = (struct diag_file){name, presets[i].text, strlen(presets[i].text)};
            return read_text(config, arena, diag, &file, given);
        }
    if (is_bare_word(name) && access(name, F_OK) != 0) {
        unknown_machine(diag, name);
        return false;
    }
    if (!file_read(arena, diag, NULL, name, &file))
        return false;
    if (file.length > FILE_LIMIT) {
        const struct position whole = {.file = &file};
        diag_error(diag, &whole, "found %zu bytes; a machine file has at most %d", file.length,
                   FILE_LIMIT);
        return false;
    }
    return read_text(config, arena, diag, &file, given);
}
