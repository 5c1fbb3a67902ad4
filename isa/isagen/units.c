/*
 * The `units` section: the parts of a machine, with their settings in the machine file,
 * constraints between these, state that isagen gives storage, and counters.
 */
#include "isa/isagen/spec.h"

#include <string.h>

static const char *const type_names[] = {
    [SPEC_SETTING_NUMBER] = "number",
    [SPEC_SETTING_BYTES] = "bytes",
    [SPEC_SETTING_ADDRESS] = "address",
    [SPEC_SETTING_WORD] = "word",
};
enum { TYPE_COUNT = sizeof type_names / sizeof *type_names };

static bool read_type(struct spec *spec, const struct node *node, enum spec_setting_type *type)
{
    const char *text = node_text(&spec->context, node, "type");
    struct suggestion near;

    if (!text)
        return false;
    suggest_init(&near, text);
    for (int i = 0; i < TYPE_COUNT; i++) {
        if (strcmp(type_names[i], text) == 0) {
            *type = (enum spec_setting_type)i;
            return true;
        }
        suggest_add(&near, type_names[i]);
    }
    const char *best = suggest_text(&near);
    diag_error(spec->diag, &node->at, "unknown type '%s' of a setting; %s%s%s", text,
               best ? "did you mean " : "expected number, bytes, address or word", best ? best : "",
               best ? "?" : "");
    return false;
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

/* ---- state with storage ---- */

/* Types of stored values. */
static const struct {
    const char *name, *c_type;
} state_types[] = {
    {"u8", "uint8_t"}, {"u16", "uint16_t"},     {"u32", "uint32_t"}, {"u64", "uint64_t"},
    {"s8", "int8_t"},  {"s16", "int16_t"},      {"s32", "int32_t"},  {"s64", "int64_t"},
    {"bool", "bool"},  {"address", "uint64_t"},
};

/* Returns the C type that a value is converted to when it is stored; NULL after an error. An
 * element type is stored as its bits. */
static const char *read_state_type(struct spec *spec, const struct node *node)
{
    const char *text = node_text(&spec->context, node, "type");
    const struct spec_element *element = text ? map_get(&spec->elements, text) : NULL;
    struct suggestion near;

    if (!text)
        return NULL;
    suggest_init(&near, text);
    for (size_t i = 0; i < sizeof state_types / sizeof *state_types; i++) {
        if (strcmp(state_types[i].name, text) == 0)
            return state_types[i].c_type;
        suggest_add(&near, state_types[i].name);
    }
    if (element)
        return element->bits > 32   ? "uint64_t"
               : element->bits > 16 ? "uint32_t"
               : element->bits > 8  ? "uint16_t"
                                    : "uint8_t";
    const char *best = suggest_text(&near);
    diag_error(spec->diag, &node->at, "unknown type '%s' of state; %s%s%s", text,
               best ? "did you mean "
                    : "expected u8 to u64, s8 to s64, bool, address or an element type",
               best ? best : "", best ? "?" : "");
    return NULL;
}

/* Makes code of isagen's own, which is reported at `key` if it is wrong. */
static struct spec_code make_code(struct spec *spec, const struct node *key, const char *text)
{
    struct node *node = arena_new(spec->arena, struct node);

    *node = (struct node){.kind = NODE_SCALAR, .style = NODE_OTHER, .at = key->at, .text = text};
    return (struct spec_code){text, node};
}

/* Returns the size of an index as C over `config`: a setting of the unit or a number. NULL after an
 * error. */
static const char *read_bound(struct spec *spec, const struct spec_unit *unit,
                              const struct node *node)
{
    const char *text = node_text(&spec->context, node, "over");
    uint64_t value;

    if (!text)
        return NULL;
    if (map_get(&unit->settings, text))
        return arena_format(spec->arena, "config.%s_%s", unit->name, text);
    if (node_parse_unsigned(text, &value) && value > 0)
        return arena_format(spec->arena, "%llu", (unsigned long long)value);
    diag_error(spec->diag, &node->at, "'%s' is neither a number above 0 nor a setting of '%s'%s",
               text, unit->name, node_suggest(&spec->context, &unit->settings, text));
    return NULL;
}

static bool read_bounds(struct spec *spec, const struct spec_unit *unit, struct spec_state *state,
                        const struct node *over)
{
    if (!over)
        return true;
    if (!node_expect(&spec->context, over, NODE_MAPPING, "over"))
        return false;
    if (over->count > SPEC_STATE_INDICES) {
        diag_error(spec->diag, &over->at, "state '%s' has %zu indices; expected at most %d",
                   state->name, over->count, SPEC_STATE_INDICES);
        return false;
    }
    for (size_t i = 0; i < over->count; i++) {
        const struct node *key = over->items[2 * i];
        const char *size = read_bound(spec, unit, over->items[2 * i + 1]);
        if (!node_is_name(key->text, false))
            diag_error(spec->diag, &key->at, "'%s' is not a name for an index", key->text);
        if (!size)
            return false;
        state->indices[i] = key->text;
        state->sizes[i] = size;
        state->counts[i] = make_code(
            spec, key, arena_format(spec->arena, *size == 'c' ? "machine->%s" : "%s", size));
    }
    state->index_count = over->count;
    return true;
}

/* Gives the state its place in the unit, and code that reads and writes it there. */
static void make_storage(struct spec *spec, struct spec_unit *unit, struct spec_state *state,
                         const struct node *key, const char *c_type)
{
    const char *place = arena_format(spec->arena, "machine->%s.%s", unit->name, state->name);

    if (state->index_count == 1)
        place = arena_format(spec->arena, "%s[%s]", place, state->indices[0]);
    else if (state->index_count == 2)
        place = arena_format(spec->arena, "%s[%s * (uint64_t)(%s) + %s]", place, state->indices[0],
                             state->counts[1].text, state->indices[1]);
    state->read = make_code(spec, key, arena_format(spec->arena, "(uint64_t)%s", place));
    state->write = state->set =
        make_code(spec, key, arena_format(spec->arena, "%s = (uint64_t)(%s)value", place, c_type));
    state->trace = arena_format(spec->arena, "%s.%s", unit->name, state->name);
    map_set(&unit->stored, state->name, state);
}

static void read_state(struct spec *spec, const struct spec_file *file, struct spec_unit *unit,
                       const struct node *key, const struct node *node)
{
    static const char *const keys[] = {"summary!", "type!", "over", "reset", NULL};
    const char *what = arena_format(spec->arena, "state '%s'", key->text), *c_type;
    const struct spec_state *other = map_get(&spec->states, key->text);
    uint64_t reset = 0;

    if (other) {
        diag_error(spec->diag, &key->at, "a second state '%s'; rename or remove one", key->text);
        diag_note(spec->diag, &other->at, "first here");
        return;
    }
    if (!node_is_name(key->text, false)) {
        diag_error(spec->diag, &key->at, "'%s' is not a name for state", key->text);
        return;
    }
    if (!node_check_keys(&spec->context, node, what, keys) ||
        !(c_type = read_state_type(spec, node_get(node, "type"))))
        return;
    node_unsigned(&spec->context, node_get(node, "reset"), "reset", UINT64_MAX, &reset);
    struct spec_state *state = arena_new(spec->arena, struct spec_state);
    state->name = key->text;
    state->at = key->at;
    state->extension = file->extension;
    state->summary = node_text(&spec->context, node_get(node, "summary"), "summary");
    state->is_address = strcmp(node_get(node, "type")->text, "address") == 0;
    state->reset = arena_format(spec->arena, "%lluu", (unsigned long long)reset);
    if (!read_bounds(spec, unit, state, node_get(node, "over")))
        return;
    make_storage(spec, unit, state, key, c_type);
    map_set(&spec->states, state->name, state);
}

static void read_counter(struct spec *spec, struct spec_unit *unit, const struct node *key,
                         const struct node *node)
{
    static const char *const keys[] = {"summary!", NULL};

    if (!node_is_name(key->text, false)) {
        diag_error(spec->diag, &key->at, "'%s' is not a name for a counter", key->text);
        return;
    }
    if (!node_check_keys(&spec->context, node, arena_format(spec->arena, "counter '%s'", key->text),
                         keys))
        return;
    if (map_get(&unit->stored, key->text)) {
        diag_error(spec->diag, &key->at, "'%s' is state of the unit, too; rename one", key->text);
        return;
    }
    struct spec_counter *counter = arena_new(spec->arena, struct spec_counter);
    *counter = (struct spec_counter){
        key->text, node_text(&spec->context, node_get(node, "summary"), "summary")};
    map_set(&unit->counters, key->text, counter);
}

static void read_stored(struct spec *spec, const struct spec_file *file, struct spec_unit *unit,
                        const struct node *node)
{
    const struct node *state = node_get(node, "state"), *counters = node_get(node, "counters");

    if ((state || counters) && !file->extension) {
        diag_error(spec->diag, &unit->at,
                   "a unit with state or counters in a file without an extension; add 'extension: "
                   "{name: ..., version: ..., summary: ...}'");
        return;
    }
    if (state && node_expect(&spec->context, state, NODE_MAPPING, "state"))
        for (size_t i = 0; i < state->count; i++)
            read_state(spec, file, unit, state->items[2 * i], state->items[2 * i + 1]);
    if (counters && node_expect(&spec->context, counters, NODE_MAPPING, "counters"))
        for (size_t i = 0; i < counters->count; i++)
            read_counter(spec, unit, counters->items[2 * i], counters->items[2 * i + 1]);
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
    struct spec_unit *unit = arena_new(spec->arena, struct spec_unit);
    *unit = (struct spec_unit){.name = key->text, .at = key->at};
    map_init(&unit->settings, spec->arena);
    map_init(&unit->stored, spec->arena);
    map_init(&unit->counters, spec->arena);
    return unit;
}

void spec_read_units(struct spec *spec, const struct spec_file *file, const struct node *section)
{
    static const char *const keys[] = {"summary!", "source",   "settings",  "constraints",
                                       "state",    "counters", "resources", NULL};

    for (size_t i = 0; i < section->count; i++) {
        const struct node *key = section->items[2 * i], *node = section->items[2 * i + 1];
        struct spec_unit *unit = new_unit(spec, key);
        if (!unit || !node_check_keys(&spec->context, node,
                                      arena_format(spec->arena, "unit '%s'", key->text), keys))
            continue;
        unit->summary = node_text(&spec->context, node_get(node, "summary"), "summary");
        unit->source = node_text(&spec->context, node_get(node, "source"), "source");
        const struct node *settings = node_get(node, "settings");
        if (settings && node_expect(&spec->context, settings, NODE_MAPPING, "settings"))
            for (size_t k = 0; k < settings->count; k++)
                read_setting(spec, unit, settings->items[2 * k], settings->items[2 * k + 1]);
        read_constraints(spec, unit, node_get(node, "constraints"));
        spec_read_resources(spec, unit, node);
        read_stored(spec, file, unit, node);
        map_set(&spec->units, unit->name, unit);
    }
}
