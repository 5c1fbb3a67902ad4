/*
 * The state and the counters of units. isagen gives a state storage, in a struct of the unit:
 * states over the same first index are the fields of a record, and those over the same second index
 * the fields of a record in it. A state with `read` is computed and has no storage.
 */
#include "isa/isagen/spec.h"

#include <string.h>

/* Types of state, and the bits of the largest number that each holds. */
static const struct {
    const char *name, *c_type;
    unsigned bits;
} state_types[] = {
    {"u8", "uint8_t", 8},        {"u16", "uint16_t", 16}, {"u32", "uint32_t", 32},
    {"u64", "uint64_t", 64},     {"s8", "int8_t", 7},     {"s16", "int16_t", 15},
    {"s32", "int32_t", 31},      {"s64", "int64_t", 63},  {"bool", "bool", 1},
    {"address", "uint64_t", 64},
};

/* Reads the type of a state, and sets *bits. An element type is stored as its bits. */
static bool read_type(struct spec *spec, struct spec_state *state, const struct node *node,
                      unsigned *bits)
{
    const char *text = node_text(&spec->context, node, "type");
    const struct spec_element *element = text ? map_get(&spec->elements, text) : NULL;
    struct suggestion near;

    if (!text)
        return false;
    state->type = text;
    state->is_address = strcmp(text, "address") == 0;
    if (element) {
        *bits = (unsigned)element->bits;
        state->c_type = *bits > 32   ? "uint64_t"
                        : *bits > 16 ? "uint32_t"
                        : *bits > 8  ? "uint16_t"
                                     : "uint8_t";
        return true;
    }
    suggest_init(&near, text);
    for (size_t i = 0; i < sizeof state_types / sizeof *state_types; i++) {
        suggest_add(&near, state_types[i].name);
        if (strcmp(state_types[i].name, text) != 0)
            continue;
        state->c_type = state_types[i].c_type;
        *bits = state_types[i].bits;
        return true;
    }
    diag_error(spec->diag, &node->at, "unknown type '%s' of state%s", text,
               node_near(&spec->context, &near,
                         "; expected u8 to u64, s8 to s64, bool, address or an element type"));
    return false;
}

/* The largest size of an index in the description. emu/units/room.h limits all sizes together, at
 * run time, since most of them are settings. */
enum { LARGEST_SIZE = 1 << 24 };

/* Returns the size of an index as C over `settings`: a setting of the unit or a number. NULL after
 * an error. */
static const char *read_size(struct spec *spec, const struct spec_unit *unit,
                             const struct node *node)
{
    const char *text = node_text(&spec->context, node, "over");
    const struct spec_setting *setting = text ? map_get(&unit->settings, text) : NULL;
    uint64_t value;

    if (!text)
        return NULL;
    if (setting && !setting->is_timing && setting->type != SPEC_SETTING_WORD)
        return arena_format(spec->arena, "settings->%s", text);
    if (node_parse_unsigned(text, &value) && value > LARGEST_SIZE) {
        diag_error(spec->diag, &node->at, "'%s' is too large for an index; expected at most %d",
                   text, LARGEST_SIZE);
        return NULL;
    }
    if (node_parse_unsigned(text, &value) && value > 0)
        return arena_format(spec->arena, "%llu", (unsigned long long)value);
    if (setting)
        diag_error(spec->diag, &node->at, "the setting '%s' is %s; expected one that is a number",
                   text, setting->is_timing ? "one of time" : "a word");
    else
        diag_error(spec->diag, &node->at,
                   "'%s' is neither a number above 0 nor a setting of '%s'%s", text, unit->name,
                   node_suggest(&spec->context, &unit->settings, text));
    return NULL;
}

/* Takes a name of a member of the unit's structs, for what it is. An index may be taken again. */
static bool claim(struct spec *spec, struct spec_unit *unit, const struct node *key,
                  const char *name, const char *what)
{
    const char *other = map_get(&unit->members, name);

    if (!other)
        map_set(&unit->members, name, arena_string(spec->arena, what));
    else if (strcmp(other, what) != 0)
        diag_error(spec->diag, &key->at, "'%s' is %s of the unit, too; rename one", name, other);
    return !other || strcmp(other, what) == 0;
}

/* Returns the name of a member that the state has over its indices so far. */
static const char *member(struct spec *spec, const struct spec_state *state, const char *name)
{
    for (size_t i = state->index_count; i-- > 0;)
        name = arena_format(spec->arena, "%s.%s", state->indices[i], name);
    return name;
}

static struct spec_code read_code(struct spec *spec, const struct node *node, const char *what,
                                  const char *name)
{
    const struct spec_code code = {.text = node ? node_text(&spec->context, node, what) : NULL,
                                   .node = node};

    if (code.text)
        spec_check_code(spec, &code, arena_format(spec->arena, "'%s' of '%s'", what, name));
    return code;
}

/* Reads an index of computed state, whose size is any C expression over `machine`. */
static bool read_computed_index(struct spec *spec, struct spec_state *state, const struct node *key,
                                const struct node *node)
{
    state->indices[state->index_count] = key->text;
    state->counts[state->index_count] = read_code(spec, node, "over", state->name);
    return state->counts[state->index_count++].text != NULL;
}

static bool read_index(struct spec *spec, struct spec_unit *unit, struct spec_state *state,
                       const struct node *key, const struct node *node)
{
    const char *size = read_size(spec, unit, node), *first = state->indices[0];
    const char *count = arena_format(spec->arena, "%s%s%s_count", state->index_count ? first : "",
                                     state->index_count ? "_" : "", key->text);

    if (!node_is_name(key->text, false))
        diag_error(spec->diag, &key->at, "'%s' is not a name for an index", key->text);
    if (!size ||
        !claim(spec, unit, key, member(spec, state, key->text),
               arena_format(spec->arena, "an index over %s", node->text)) ||
        !claim(spec, unit, key, count, "the size of an index"))
        return false;
    state->indices[state->index_count] = key->text;
    state->sizes[state->index_count] = size;
    state->counts[state->index_count] = spec_make_code(
        spec, &key->at,
        *size == 's' ? arena_format(spec->arena, "machine->config.%s_%s", unit->name, node->text)
                     : size);
    state->index_count++;
    return true;
}

static bool read_indices(struct spec *spec, struct spec_unit *unit, struct spec_state *state,
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
    for (size_t i = 0; i < over->count; i++)
        if (!(state->is_computed
                  ? read_computed_index(spec, state, over->items[2 * i], over->items[2 * i + 1])
                  : read_index(spec, unit, state, over->items[2 * i], over->items[2 * i + 1])))
            return false;
    return true;
}

/* Gives the state its place in the unit, and code that reads and writes it there. */
static void make_storage(struct spec *spec, const struct spec_unit *unit, struct spec_state *state,
                         const struct node *key)
{
    const char *place = spec_unit_place(spec, unit), *settle = "";

    for (size_t i = 0; i < state->index_count; i++)
        place = arena_format(spec->arena, "%s.%s[%s]", place, state->indices[i], state->indices[i]);
    if (unit->settle)
        settle = arena_format(spec->arena, "%s(&machine->%s), ", unit->settle, unit->name);
    state->read = spec_make_code(
        spec, &key->at, arena_format(spec->arena, "%s(uint64_t)%s.%s", settle, place, state->name));
    state->set = spec_make_code(spec, &key->at,
                                arena_format(spec->arena, "%s%s.%s = (%s)value", settle, place,
                                             state->name, state->c_type));
}

/* Is the state changed by its unit only, and not by a debugger? */
static bool read_access(struct spec *spec, const struct node *node)
{
    const char *text = node ? node_text(&spec->context, node, "access") : NULL;

    if (!text || strcmp(text, "read-write") == 0)
        return false;
    if (strcmp(text, "read-only") != 0)
        diag_error(spec->diag, &node->at, "access is '%s'; expected read-write or read-only", text);
    return true;
}

static bool check_name(struct spec *spec, const struct node *key)
{
    const struct spec_state *other = map_get(&spec->states, key->text);

    if (other) {
        diag_error(spec->diag, &key->at, "a second state '%s'; rename or remove one", key->text);
        diag_note(spec->diag, &other->at, "first here");
        return false;
    }
    if (!node_is_name(key->text, false))
        diag_error(spec->diag, &key->at, "'%s' is not a name for state", key->text);
    return node_is_name(key->text, false);
}

/* Reads the CSR that is the state. A write sets the low bits; those of a signed number have no
 * field, since a read extends its sign. */
static void read_csr(struct spec *spec, const struct spec_file *file,
                     const struct spec_state *state, unsigned bits, const struct node *node)
{
    uint64_t mask = UINT64_MAX >> (64 - bits);
    const char *value = "value";
    struct spec_csr csr = {
        .summary = state->summary,
        .source = state->unit->source ? state->unit->source : file->source,
        .waits = state->unit->resources.text != NULL,
    };

    if (!node)
        return;
    if (state->index_count) {
        diag_error(
            spec->diag, &node->at,
            "state '%s' has an index, so no CSR is its value; add one to 'csrs' whose 'read' "
            "is get(%s, %s)",
            state->name, state->name, state->indices[0]);
        return;
    }
    if (mask != UINT64_MAX && state->c_type[0] != 'i') {
        value = arena_format(spec->arena, "value & 0x%llx", (unsigned long long)mask);
        csr.field_count = 1;
        csr.fields = arena_new(spec->arena, struct isa_csr_field);
        *csr.fields = (struct isa_csr_field){state->name, 0, (uint8_t)bits, 0};
    }
    csr.read = spec_make_code(spec, &node->at, arena_format(spec->arena, "get(%s)", state->name));
    if (state->set.text)
        csr.write = spec_make_code(spec, &node->at,
                                   arena_format(spec->arena, "set(%s, %s)", state->name, value));
    spec_read_own_csr(spec, file, node, csr);
}

/* Reads the CSR that is the counter; the sum, if it counts by element type. */
static void read_counter_csr(struct spec *spec, const struct spec_file *file,
                             const struct spec_unit *unit, const struct spec_counter *counter,
                             const struct node *node)
{
    const char *text = arena_format(spec->arena, "counter(%s, %s)", unit->name, counter->name);

    if (!node)
        return;
    for (size_t i = 0; i < counter->element_count; i++)
        text =
            arena_format(spec->arena, "%s%scounter(%s, %s[%llu])", i ? text : "", i ? " + " : "",
                         unit->name, counter->name, (unsigned long long)counter->elements[i]->code);
    const struct spec_csr csr = {
        .summary = counter->summary,
        .source = unit->source ? unit->source : file->source,
        .read = counter->read.text ? counter->read : spec_make_code(spec, &node->at, text),
        .waits = unit->resources.text != NULL,
    };
    spec_read_own_csr(spec, file, node, csr);
}

/* Reports keys that do not go together with `read`, or with its absence. */
static void check_together(struct spec *spec, const struct node *node, const char *what,
                           const char *const *keys, bool with_read)
{
    for (; *keys; keys++) {
        const struct node *value = node_get(node, *keys);
        if (value && with_read == (node_get(node, "read") != NULL))
            diag_error(spec->diag, &value->at, "%s has '%s' %s 'read'; remove one", what, *keys,
                       with_read ? "and" : "without");
    }
}

static void read_computed(struct spec *spec, struct spec_state *state, const struct node *node)
{
    state->trace = node_get(node, "trace") ? state->trace : NULL;
    state->read = read_code(spec, node_get(node, "read"), "read", state->name);
    state->set = read_code(spec, node_get(node, "set"), "set", state->name);
}

static void read_state(struct spec *spec, const struct spec_file *file, struct spec_unit *unit,
                       const struct node *key, const struct node *node)
{
    static const char *const keys[] = {"summary!", "type!", "over",     "reset", "access", "trace",
                                       "read",     "set",   "debugger", "csr",   NULL};
    static const char *const stored[] = {"reset", "access", NULL}, *const computed[] = {"set",
                                                                                        NULL};
    const char *what = arena_format(spec->arena, "state '%s'", key->text);
    const struct node *trace = node_get(node, "trace");
    unsigned bits;

    if (!check_name(spec, key) || !node_check_keys(&spec->context, node, what, keys))
        return;
    check_together(spec, node, what, stored, true);
    check_together(spec, node, what, computed, false);
    struct spec_state *state = arena_new(spec->arena, struct spec_state);
    *state = (struct spec_state){
        .name = key->text,
        .at = key->at,
        .extension = file->extension,
        .unit = unit,
        .summary = node_text(&spec->context, node_get(node, "summary"), "summary"),
        .trace = trace ? node_text(&spec->context, trace, "trace") : key->text,
        .is_computed = node_get(node, "read") != NULL,
        .is_hidden = !node_bool(&spec->context, node_get(node, "debugger"), "debugger", true),
    };
    if (!read_type(spec, state, node_get(node, "type"), &bits))
        return;
    node_unsigned(&spec->context, node_get(node, "reset"), "reset", UINT64_MAX >> (64 - bits),
                  &state->reset);
    if (!read_indices(spec, unit, state, node_get(node, "over")))
        return;
    if (state->is_computed) {
        read_computed(spec, state, node);
    } else {
        if (!claim(spec, unit, key, member(spec, state, key->text), "state"))
            return;
        make_storage(spec, unit, state, key);
        if (!read_access(spec, node_get(node, "access")))
            state->write = state->set;
    }
    map_set(&unit->states, state->name, state);
    map_set(&spec->states, state->name, state);
    read_csr(spec, file, state, bits, node_get(node, "csr"));
}

static void read_counter(struct spec *spec, const struct spec_file *file, struct spec_unit *unit,
                         const struct node *key, const struct node *node)
{
    static const char *const keys[] = {"summary!", "stats", "over", "read", "csr", NULL};
    static const char *const stored[] = {"over", NULL};
    const char *what = arena_format(spec->arena, "counter '%s'", key->text);
    const struct node *stats = node_get(node, "stats"), *over = node_get(node, "over");

    if (!node_is_name(key->text, false)) {
        diag_error(spec->diag, &key->at, "'%s' is not a name for a counter", key->text);
        return;
    }
    if (!node_check_keys(&spec->context, node, what, keys) ||
        !claim(spec, unit, key, key->text, "a counter"))
        return;
    check_together(spec, node, what, stored, true);
    struct spec_counter *counter = arena_new(spec->arena, struct spec_counter);
    *counter = (struct spec_counter){
        .name = key->text,
        .stats = stats ? node_text(&spec->context, stats, "stats") : key->text,
        .read = read_code(spec, node_get(node, "read"), "read", key->text),
        .summary = node_text(&spec->context, node_get(node, "summary"), "summary"),
    };
    if (over) {
        counter->elements = spec_read_element_list(spec, "over", over, &counter->element_count);
        spec_sort_elements(counter->elements, counter->element_count);
    }
    read_counter_csr(spec, file, unit, counter, node_get(node, "csr"));
    map_set(&unit->counters, key->text, counter);
}

const char *spec_unit_place(const struct spec *spec, const struct spec_unit *unit)
{
    return arena_format(spec->arena, "machine->%s%s", unit->name, unit->header ? ".state" : "");
}

void spec_read_state(struct spec *spec, const struct spec_file *file, struct spec_unit *unit,
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
            read_counter(spec, file, unit, counters->items[2 * i], counters->items[2 * i + 1]);
}
