/*
 * The `units` section: the parts of a machine, with their settings in the machine file, and
 * constraints between these. state.c reads their state and counters.
 */
#include "isa/isagen/spec.h"

#include <string.h>

static const char *const type_names[] = {
    [SPEC_SETTING_NUMBER] = "number",
    [SPEC_SETTING_BYTES] = "bytes",
    [SPEC_SETTING_ADDRESS] = "address",
    [SPEC_SETTING_WORD] = "word",
    NULL,
};

static bool read_type(struct spec *spec, const struct node *node, enum spec_setting_type *type)
{
    int index = node_word(&spec->context, node, "setting type", type_names);

    *type = index < 0 ? SPEC_SETTING_NUMBER : (enum spec_setting_type)index;
    return index >= 0;
}

/* Reads a number that may end in K, M or G (powers of 1024). */
static bool read_size(struct spec *spec, const struct node *node, const char *what, uint64_t *value)
{
    static const char suffixes[] = "KMG";
    const char *text = node ? node_text(&spec->context, node, what) : NULL;
    size_t length = text ? strlen(text) : 0;
    const char *suffix = length ? strchr(suffixes, text[length - 1]) : NULL;
    unsigned shift = suffix ? 10 * (unsigned)(suffix - suffixes + 1) : 0;
    char *digits = text ? arena_string(spec->arena, text) : NULL;

    if (!text)
        return false;
    digits[length - (suffix != NULL)] = '\0';
    if (!node_parse_unsigned(digits, value) || *value > UINT64_MAX >> shift) {
        diag_error(spec->diag, &node->at,
                   "%s is '%s'; expected an unsigned integer of up to 64 bits, which may end in K, "
                   "M or G",
                   what, text);
        return false;
    }
    *value <<= shift;
    return true;
}

static void read_words(struct spec *spec, struct spec_setting *setting, const struct node *node)
{
    const struct node *values = node_get(node, "values"), *initial = node_get(node, "default");
    const char *word = node_text(&spec->context, initial, "default");

    setting->words = spec_read_texts(spec, values, "values", &setting->word_count);
    setting->maximum = setting->word_count - 1;
    if (setting->word_count < 2)
        diag_error(spec->diag, &setting->at, "setting '%s' has %zu values; expected at least two",
                   setting->key, setting->word_count);
    for (size_t i = 0; word && i < setting->word_count; i++)
        if (strcmp(setting->words[i], word) == 0) {
            setting->initial = i;
            return;
        }
    if (word)
        diag_error(spec->diag, &initial->at, "default is '%s', which is not among the values",
                   word);
}

/* Checks that the default is a value that the setting allows. */
static void check_default(struct spec *spec, const struct spec_setting *setting,
                          const struct node *node)
{
    const struct position *at = &node_get(node, "default")->at;
    uint64_t value = setting->initial;

    if (setting->minimum > setting->maximum)
        diag_error(spec->diag, &setting->at, "setting '%s': minimum is larger than maximum",
                   setting->key);
    else if (value < setting->minimum || value > setting->maximum)
        diag_error(spec->diag, at, "default of '%s' is out of its range", setting->key);
    else if (value % setting->multiple)
        diag_error(spec->diag, at, "default of '%s' is not a multiple of %llu", setting->key,
                   (unsigned long long)setting->multiple);
    else if (setting->is_power && value & (value - 1))
        diag_error(spec->diag, at, "default of '%s' is not a power of two", setting->key);
}

static void read_numbers(struct spec *spec, struct spec_setting *setting, const struct node *node)
{
    const struct node *multiple = node_get(node, "multiple"), *maximum = node_get(node, "maximum"),
                      *minimum = node_get(node, "minimum");
    bool good = read_size(spec, node_get(node, "default"), "default", &setting->initial);

    setting->maximum = UINT64_MAX;
    if (minimum)
        good &= read_size(spec, minimum, "minimum", &setting->minimum);
    if (maximum)
        good &= read_size(spec, maximum, "maximum", &setting->maximum);
    if (multiple)
        good &= read_size(spec, multiple, "multiple", &setting->multiple);
    if (multiple && setting->multiple == 0)
        diag_error(spec->diag, &multiple->at, "multiple is 0; expected at least 1");
    else if (good)
        check_default(spec, setting, node);
}

/* Reports keys that a setting of this type does not have. */
static void check_type_keys(struct spec *spec, const struct spec_setting *setting,
                            const struct node *node)
{
    static const char *const numbers[] = {"minimum", "maximum", "multiple", "power_of_two", NULL},
                             *const words[] = {"values", NULL};
    bool is_word = setting->type == SPEC_SETTING_WORD;

    for (const char *const *key = is_word ? numbers : words; *key; key++)
        if (node_get(node, *key))
            diag_error(spec->diag, &node_get(node, *key)->at,
                       "setting '%s' of type %s has '%s'; remove it", setting->key,
                       type_names[setting->type], *key);
}

static void read_setting(struct spec *spec, struct spec_unit *unit, const struct node *key,
                         const struct node *node)
{
    static const char *const keys[] = {"type!",   "default!", "minimum",      "maximum",  "values",
                                       "section", "multiple", "power_of_two", "summary!", NULL};
    const char *what = arena_format(spec->arena, "setting '%s'", key->text);
    const char *section = node_text(&spec->context, node_get(node, "section"), "section");

    if (!node_is_name(key->text, false)) {
        diag_error(spec->diag, &key->at, "'%s' is not a name for a setting", key->text);
        return;
    }
    if (!node_check_keys(&spec->context, node, what, keys))
        return;
    struct spec_setting *setting = arena_new(spec->arena, struct spec_setting);
    *setting = (struct spec_setting){
        .key = key->text,
        .at = key->at,
        .unit = unit,
        .is_timing = section && strcmp(section, SPEC_TIMING) == 0,
        .is_power =
            node_bool(&spec->context, node_get(node, "power_of_two"), "power_of_two", false),
        .multiple = 1,
        .summary = node_text(&spec->context, node_get(node, "summary"), "summary"),
    };
    if (section && !setting->is_timing)
        diag_error(spec->diag, &node_get(node, "section")->at,
                   "section is '%s'; expected timing, or no section", section);
    if (!read_type(spec, node_get(node, "type"), &setting->type))
        return;
    check_type_keys(spec, setting, node);
    if (setting->type == SPEC_SETTING_WORD)
        read_words(spec, setting, node);
    else
        read_numbers(spec, setting, node);
    map_set(&unit->settings, setting->key, setting);
}

/* A constraint names settings of its unit only. */
static void check_names(struct spec *spec, const struct spec_unit *unit,
                        const struct spec_code *code)
{
    size_t offset = 0;

    if (!spec_check_code(spec, code, arena_format(spec->arena, "a constraint of '%s'", unit->name)))
        return;
    for (;;) {
        struct code_token token = spec_next_token(code->text, &offset);
        const char *name = code->text + token.offset;
        if (token.kind == CODE_END)
            return;
        if (token.kind == CODE_OTHER || map_get_bytes(&unit->settings, name, token.length))
            continue;
        spec_code_error(spec, code, token.offset, token.length,
                        arena_format(spec->arena, "'%.*s' is not a setting of '%s'%s",
                                     (int)token.length, name, unit->name,
                                     node_suggest(&spec->context, &unit->settings,
                                                  arena_copy(spec->arena, name, token.length))));
    }
}

static void read_constraint(struct spec *spec, struct spec_unit *unit, const struct node *node)
{
    static const char *const keys[] = {"require!", "message!", NULL};
    struct spec_constraint *constraint = &unit->constraints[unit->constraint_count];

    if (!node_check_keys(&spec->context, node, "a constraint", keys))
        return;
    *constraint = (struct spec_constraint){
        .require = {node_text(&spec->context, node_get(node, "require"), "require"),
                    node_get(node, "require")},
        .message = node_text(&spec->context, node_get(node, "message"), "message"),
    };
    if (!constraint->require.text || !constraint->message)
        return;
    check_names(spec, unit, &constraint->require);
    unit->constraint_count++;
}

static void read_constraints(struct spec *spec, struct spec_unit *unit, const struct node *node)
{
    if (!node || !node_expect(&spec->context, node, NODE_SEQUENCE, "constraints"))
        return;
    unit->constraints = arena_array(spec->arena, node->count, sizeof *unit->constraints);
    for (size_t i = 0; i < node->count; i++)
        read_constraint(spec, unit, node->items[i]);
}

static struct spec_unit *new_unit(struct spec *spec, const struct node *key)
{
    const struct spec_unit *first = map_get(&spec->units, key->text);

    if (first) {
        diag_error(spec->diag, &key->at, "a second unit '%s'; rename or remove one", key->text);
        diag_note(spec->diag, &first->at, "first here");
        return NULL;
    }
    if (!node_is_name(key->text, false)) {
        diag_error(spec->diag, &key->at, "'%s' is not a name for a unit; expected a C name",
                   key->text);
        return NULL;
    }
    if (strcmp(key->text, SPEC_CLASSES) == 0) {
        diag_error(spec->diag, &key->at,
                   "'%s' is not a name for a unit: timing.%s are the latencies of timing classes; "
                   "choose another name",
                   key->text, key->text);
        return NULL;
    }
    if (strcmp(key->text, SPEC_NO_UNIT) == 0) {
        diag_error(
            spec->diag, &key->at,
            "'%s' is not a name for a unit: 'unit: %s' means the scalar core; choose another "
            "name",
            key->text, key->text);
        return NULL;
    }
    struct spec_unit *unit = arena_new(spec->arena, struct spec_unit);
    *unit = (struct spec_unit){.name = key->text, .at = key->at};
    map_init(&unit->settings, spec->arena);
    map_init(&unit->states, spec->arena);
    map_init(&unit->counters, spec->arena);
    map_init(&unit->members, spec->arena);
    return unit;
}

void spec_read_units(struct spec *spec, const struct spec_file *file, const struct node *section)
{
    static const char *const keys[] = {"summary!",  "source",      "header", "settle",
                                       "settings",  "constraints", "state",  "counters",
                                       "resources", "traced",      NULL};

    for (size_t i = 0; i < section->count; i++) {
        const struct node *key = section->items[2 * i], *node = section->items[2 * i + 1];
        struct spec_unit *unit = new_unit(spec, key);
        if (!unit || !node_check_keys(&spec->context, node,
                                      arena_format(spec->arena, "unit '%s'", key->text), keys))
            continue;
        unit->summary = node_text(&spec->context, node_get(node, "summary"), "summary");
        unit->source = node_text(&spec->context, node_get(node, "source"), "source");
        unit->header = node_text(&spec->context, node_get(node, "header"), "header");
        if (unit->header)
            unit->header_at = node_get(node, "header")->at;
        unit->settle = node_text(&spec->context, node_get(node, "settle"), "settle");
        unit->traced = node_text(&spec->context, node_get(node, "traced"), "traced");
        if (unit->traced && !unit->header)
            diag_error(spec->diag, &node_get(node, "traced")->at,
                       "unit '%s' has 'traced' without 'header'; expected C code that writes to "
                       "the trace",
                       unit->name);
        const struct node *settings = node_get(node, "settings");
        if (settings && node_expect(&spec->context, settings, NODE_MAPPING, "settings"))
            for (size_t k = 0; k < settings->count; k++)
                read_setting(spec, unit, settings->items[2 * k], settings->items[2 * k + 1]);
        read_constraints(spec, unit, node_get(node, "constraints"));
        spec_read_resources(spec, unit, node);
        spec_read_state(spec, file, unit, node);
        map_set(&spec->units, unit->name, unit);
    }
}
