/*
 * The names in the `units` section. They become names of C: a unit with state or counters is a
 * member of the emulator's struct machine, its state and counters are members of that, indices are
 * variables, and settings are members of struct config, UNIT_KEY.
 */
#include "isa/isagen/spec.h"

#include <string.h>

/* Names that the emulator gives something else in the scope of units: the members of struct
 * machine, and the tags of structs that end like those of units. */
static const char *const machine_words[] = {
    "config",   "arena",          "hart",        "memory",    "code",        "port",    "user",
    "bare",     "execution",      "environment", "attention", "views_stale", "waiting", "fault",
    "recorder", "trace",          "stats",       "watcher",   "keeper",      "races",   "progress",
    "native",   "reference",      "deadline",    "recording", "time",        "unit",    "workers",
    "profile",  "reserved_lines", NULL,
};

/* Names of other variables where an index is one. */
static const char *const index_words[] = {"config", "counts",    "hart",  "index", "machine",
                                          "old",    "reference", "state", "value", NULL};

static bool is_among(const char *const *words, const char *name)
{
    while (*words && strcmp(*words, name) != 0)
        words++;
    return *words != NULL;
}

static bool check_word(struct spec *spec, const struct node *key, const char *what)
{
    if (!spec_is_c_word(key->text))
        return true;
    diag_error(spec->diag, &key->at, "'%s' is a word of C; choose another name for %s", key->text,
               what);
    return false;
}

/* Checks the keys of the section of the unit, if it has the section. */
static void check_keys(struct spec *spec, const struct node *unit, const char *section,
                       const char *what)
{
    const struct node *node = node_get(unit, section);

    for (size_t i = 0; node && node->kind == NODE_MAPPING && i < node->count; i++)
        check_word(spec, node->items[2 * i], what);
}

static void check_indices(struct spec *spec, const struct node *state)
{
    const struct node *over = node_get(state, "over");

    for (size_t i = 0; over && over->kind == NODE_MAPPING && i < over->count; i++) {
        const struct node *key = over->items[2 * i];
        const struct spec_accessor *accessor = map_get(&spec->accessors, key->text);
        bool is_called = accessor && accessor->is_called; /* set(...) is not the variable `set` */
        if (check_word(spec, key, "an index") &&
            ((spec_is_body_word(spec, key->text) && !is_called) ||
             is_among(index_words, key->text)))
            diag_error(spec->diag, &key->at,
                       "'%s' cannot name an index: it means something else in the code of state; "
                       "choose another name",
                       key->text);
    }
}

/* Two settings may not be one member of struct config: a_b.c and a.b_c. */
static void check_member(struct spec *spec, struct map *members, const struct spec_setting *setting)
{
    const char *member = arena_format(spec->arena, "%s_%s", setting->unit->name, setting->key);
    const struct spec_setting *first = map_get(members, member);

    if (!first) {
        map_set(members, member, (void *)setting);
        return;
    }
    diag_error(spec->diag, &setting->at,
               "'%s.%s' has the same name in C as '%s.%s', %s; rename one", setting->unit->name,
               setting->key, first->unit->name, first->key, member);
    diag_note(spec->diag, &first->at, "'%s.%s' is here", first->unit->name, first->key);
}

/* The values of a setting are enumerators, in upper case and with _ for -. */
static void check_values(struct spec *spec, struct map *enumerators,
                         const struct spec_setting *setting)
{
    for (size_t i = 0; i < setting->word_count; i++) {
        const char *word = setting->words[i], *name = spec_setting_word(spec, setting, i);
        const char *c = word;
        while (*c && strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", *c))
            c++;
        if (!*word || *c)
            diag_error(spec->diag, &setting->at,
                       "'%s' is not a value for setting '%s'; expected letters, digits, - and _",
                       word, setting->key);
        else if (map_get(enumerators, name))
            diag_error(spec->diag, &setting->at,
                       "value '%s' of setting '%s' has the same name in bodies as another, %s; "
                       "rename one",
                       word, setting->key, name);
        map_set(enumerators, name, (void *)word);
    }
}

/* {KEY} in the message of a constraint is a setting of the unit. */
static void check_message(struct spec *spec, const struct node *unit, const struct node *message)
{
    const struct node *settings = node_get(unit, "settings");
    const char *text = message && message->kind == NODE_SCALAR ? message->text : "";

    for (const char *at = strchr(text, '{'); at; at = strchr(at + 1, '{')) {
        size_t length = strcspn(at + 1, "}");
        const char *key = arena_copy(spec->arena, at + 1, length);
        if (!node_get(settings, key))
            diag_error(spec->diag, &message->at,
                       "'{%s}' is not a setting of the unit; expected {KEY}", key);
    }
}

static void check_unit(struct spec *spec, const struct node *key, const struct node *node)
{
    const struct node *constraints = node_get(node, "constraints");
    const struct node *states = node_get(node, "state");
    bool is_stored = states || node_get(node, "counters");

    if (is_stored && check_word(spec, key, "a unit") && is_among(machine_words, key->text))
        diag_error(spec->diag, &key->at,
                   "'%s' is not a name for a unit with state or counters: the emulator has a part "
                   "with this name; choose another",
                   key->text);
    check_keys(spec, node, "state", "state");
    check_keys(spec, node, "counters", "a counter");
    check_keys(spec, node, "settings", "a setting");
    for (size_t i = 0; states && states->kind == NODE_MAPPING && i < states->count; i++)
        check_indices(spec, states->items[2 * i + 1]);
    for (size_t i = 0; constraints && constraints->kind == NODE_SEQUENCE && i < constraints->count;
         i++)
        check_message(spec, node, node_get(constraints->items[i], "message"));
}

void spec_check_unit_names(struct spec *spec)
{
    struct map members, enumerators;

    map_init(&members, spec->arena);
    map_init(&enumerators, spec->arena);
    for (size_t i = 0; i < spec->file_count; i++) {
        const struct node *section = node_get(spec->files[i].root, "units");
        for (size_t k = 0; section && section->kind == NODE_MAPPING && k < section->count; k++)
            check_unit(spec, section->items[2 * k], section->items[2 * k + 1]);
    }
    for (size_t i = 0; i < spec->units.count; i++) {
        const struct map *settings = &SPEC_AT(spec->units, i, struct spec_unit)->settings;
        for (size_t k = 0; k < settings->count; k++) {
            check_member(spec, &members, SPEC_AT(*settings, k, struct spec_setting));
            check_values(spec, &enumerators, SPEC_AT(*settings, k, struct spec_setting));
        }
    }
}
