/*
 * Writes units.h and units.inc: the structs of units with state or counters, with functions over
 * them; the members of struct machine, their initialization, and what the units count.
 *
 * A unit that has C code of its own declares `struct NAME_unit` with a member `state` of type
 * `struct NAME_state`, and NAME_init; that of any other unit is generated. The emulator defines
 * one of UNITS_HEADERS, UNITS_MEMBERS, UNITS_INIT (statements over `machine`, `config` and `arena`)
 * and UNITS_LIST (statements over `machine`, `list` and `count`) before it includes units.inc.
 */
#include "isa/isagen/emit.h"

#include <string.h>

static bool is_emitted(const struct spec_unit *unit)
{
    return unit->states.count || unit->counters.count || unit->header;
}

static const struct spec_state *state_at(const struct spec_unit *unit, size_t i)
{
    return SPEC_AT(unit->states, i, struct spec_state);
}

static bool has_storage(const struct spec_state *state)
{
    return !state->is_computed;
}

/* Are the first `depth` indices the same? */
static bool same_indices(const struct spec_state *a, const struct spec_state *b, size_t depth)
{
    if (a->index_count < depth || b->index_count < depth)
        return false;
    for (size_t i = 0; i < depth; i++)
        if (strcmp(a->indices[i], b->indices[i]) != 0)
            return false;
    return true;
}

/* Is state `i` the first one with storage over its first `depth` indices? */
static bool is_first(const struct spec_unit *unit, size_t i, size_t depth)
{
    if (!has_storage(state_at(unit, i)) || state_at(unit, i)->index_count < depth)
        return false;
    for (size_t k = 0; k < i; k++)
        if (has_storage(state_at(unit, k)) &&
            same_indices(state_at(unit, i), state_at(unit, k), depth))
            return false;
    return true;
}

/* Returns the names of the first `depth` indices, each after an underscore: "_row_dim". */
static const char *suffix(const struct emitter *emitter, const struct spec_state *state,
                          size_t depth)
{
    return arena_format(emitter->spec->arena, "%s%s%s%s", depth > 0 ? "_" : "",
                        depth > 0 ? state->indices[0] : "", depth > 1 ? "_" : "",
                        depth > 1 ? state->indices[1] : "");
}

/* The name of the struct that isagen writes. */
static const char *struct_name(const struct emitter *emitter, const struct spec_unit *unit)
{
    return arena_format(emitter->spec->arena, "%s_%s", unit->name, unit->header ? "state" : "unit");
}

/* ---- structs ---- */

/* Writes the fields over exactly the first `depth` indices of `like`, and pointers to the records
 * over one more index. */
static void emit_fields(struct emitter *emitter, const struct spec_unit *unit,
                        const struct spec_state *like, size_t depth)
{
    for (size_t i = 0; i < unit->states.count; i++) {
        const struct spec_state *state = state_at(unit, i);
        if (!has_storage(state) || !same_indices(state, like, depth))
            continue;
        if (state->index_count == depth)
            text_format(&emitter->text, "    %s %s; /* %s */\n", state->c_type, state->name,
                        state->summary);
        else if (is_first(unit, i, depth + 1))
            text_format(&emitter->text, "    struct %s%s *%s;\n", unit->name,
                        suffix(emitter, state, depth + 1), state->indices[depth]);
    }
}

static void emit_records(struct emitter *emitter, const struct spec_unit *unit)
{
    for (size_t depth = SPEC_STATE_INDICES; depth > 0; depth--)
        for (size_t i = 0; i < unit->states.count; i++)
            if (is_first(unit, i, depth)) {
                text_format(&emitter->text, "struct %s%s {\n", unit->name,
                            suffix(emitter, state_at(unit, i), depth));
                emit_fields(emitter, unit, state_at(unit, i), depth);
                text_append(&emitter->text, "};\n");
            }
}

static void emit_counter(struct emitter *emitter, const struct spec_counter *counter)
{
    if (!counter->read.text)
        text_format(&emitter->text, "    uint64_t %s%s; /* %s */\n", counter->name,
                    counter->elements ? "[ISA_ELEMENT_LIMIT]" : "", counter->summary);
}

/* Counters that are neighbors in the description often change together. Here they are not
 * neighbors, since compilers would update them as one vector, which is slower. */
static void emit_counters(struct emitter *emitter, const struct spec_unit *unit)
{
    for (size_t first = 0; first < 2; first++)
        for (size_t i = first; i < unit->counters.count; i += 2)
            emit_counter(emitter, SPEC_AT(unit->counters, i, struct spec_counter));
}

static void emit_structs(struct emitter *emitter, const struct spec_unit *unit)
{
    static const struct spec_state scalar;
    struct text *text = &emitter->text;

    text_format(text, "\n/* ---- %s ---- */\n\nstruct %s_settings {\n", unit->name, unit->name);
    for (size_t i = 0; i < unit->settings.count; i++)
        if (!SPEC_AT(unit->settings, i, struct spec_setting)->is_timing)
            text_format(text, "    uint64_t %s; /* %s */\n", unit->settings.entries[i].key,
                        SPEC_AT(unit->settings, i, struct spec_setting)->summary);
    text_append(text, "};\n");
    emit_records(emitter, unit);
    text_format(text, "/* %s */\nstruct %s {\n", unit->summary, struct_name(emitter, unit));
    for (size_t depth = 1; depth <= SPEC_STATE_INDICES; depth++)
        for (size_t i = 0; i < unit->states.count; i++)
            if (is_first(unit, i, depth))
                text_format(text, "    uint64_t %s_count;\n",
                            suffix(emitter, state_at(unit, i), depth) + 1);
    emit_fields(emitter, unit, &scalar, 0);
    emit_counters(emitter, unit);
    text_append(text, "};\n");
}

/* ---- functions ---- */

/* Sets what has a reset value other than 0, and makes the records. */
static void emit_resets(struct emitter *emitter, const struct spec_unit *unit,
                        const struct spec_state *like, size_t depth, const char *place)
{
    struct text *text = &emitter->text;

    for (size_t i = 0; i < unit->states.count; i++) {
        const struct spec_state *state = state_at(unit, i);
        if (!has_storage(state) || !same_indices(state, like, depth))
            continue;
        if (state->index_count == depth && state->reset)
            text_format(text, "%s%s = (%s)%lluu;\n", place, state->name, state->c_type,
                        (unsigned long long)state->reset);
        if (!is_first(unit, i, depth + 1))
            continue;
        const char *record =
            arena_format(emitter->spec->arena, "%s%s", place, state->indices[depth]);
        const char *count = suffix(emitter, state, depth + 1) + 1;
        text_format(text,
                    "%s = arena_array(arena, state->%s_count, sizeof *%s);\n"
                    "for (uint64_t i%zu = 0; i%zu < state->%s_count; i%zu++) {\n",
                    record, count, record, depth, depth, count, depth);
        emit_resets(emitter, unit, state, depth + 1,
                    arena_format(emitter->spec->arena, "%s[i%zu].", record, depth));
        text_append(text, "}\n");
    }
}

/* Returns the settings that decide how many records there are over the first `depth` indices, for a
 * message. NULL: none. */
static const char *deciding_settings(const struct emitter *emitter, const struct spec_state *state,
                                     size_t depth)
{
    static const char prefix[] = "settings->";
    struct arena *arena = emitter->spec->arena;
    const char *list = NULL;

    for (size_t i = 0; i < depth; i++) {
        if (strncmp(state->sizes[i], prefix, sizeof prefix - 1) != 0)
            continue;
        const char *key = state->sizes[i] + sizeof prefix - 1;
        list = arena_format(arena, "%s%s%s.%s", list ? list : "", list ? " and " : "",
                            state->unit->name, key);
    }
    return list;
}

/* Writes checks that there are not too many records. */
static void emit_room(struct emitter *emitter, const struct spec_unit *unit, size_t depth)
{
    for (size_t i = 0; i < unit->states.count; i++) {
        const struct spec_state *state = state_at(unit, i);
        if (!is_first(unit, i, depth))
            continue;
        const char *settings = deciding_settings(emitter, state, depth);
        text_format(&emitter->text,
                    "room_check(\"%s\", state->%s_count, %s%s%s, sizeof(struct %s%s), \"%s\");\n",
                    unit->name, suffix(emitter, state, 1) + 1, depth > 1 ? "state->" : "1",
                    depth > 1 ? suffix(emitter, state, depth) + 1 : "", depth > 1 ? "_count" : "",
                    unit->name, suffix(emitter, state, depth),
                    settings ? settings : "'over' in the description");
    }
}

static void emit_init_function(struct emitter *emitter, const struct spec_unit *unit)
{
    static const struct spec_state scalar;
    const char *name = struct_name(emitter, unit);
    struct text *text = &emitter->text;

    text_format(text,
                "static inline void %s_init(struct %s *state,\n"
                "                           const struct %s_settings *settings "
                "__attribute__((unused)),\n"
                "                           struct arena *arena __attribute__((unused)))\n{\n"
                "*state = (struct %s){};\n",
                name, name, unit->name, name);
    for (size_t depth = 1; depth <= SPEC_STATE_INDICES; depth++)
        for (size_t i = 0; i < unit->states.count; i++)
            if (is_first(unit, i, depth))
                text_format(text, "state->%s_count = %s;\n",
                            suffix(emitter, state_at(unit, i), depth) + 1,
                            state_at(unit, i)->sizes[depth - 1]);
    for (size_t depth = 1; depth <= SPEC_STATE_INDICES; depth++)
        emit_room(emitter, unit, depth);
    emit_resets(emitter, unit, &scalar, 0, "state->");
    text_append(text, "}\n");
}

/* Writes the function that changes the state, for the trace. */
static void emit_change(struct emitter *emitter, const struct spec_state *state)
{
    const char *unit = state->unit->name, *place = "state->";
    struct text *text = &emitter->text;

    text_format(text, "static inline void %s_change_%s(struct %s *state, struct port *port", unit,
                state->name, struct_name(emitter, state->unit));
    for (size_t i = 0; i < state->index_count; i++) {
        text_format(text, ", uint64_t i%zu", i);
        place = arena_format(emitter->spec->arena, "%s%s[i%zu].", place, state->indices[i], i);
    }
    text_format(text,
                ", %s value)\n{\n%s *const place = &%s%s;\n\nif (*place == value)\nreturn;\n"
                "*place = value;\nif (port->recorder)\n",
                state->c_type, state->c_type, place, state->name);
    if (state->index_count)
        text_format(text,
                    "port_record_state(port, \"%s\", \"%s\", (unsigned)i0, %s, (uint64_t)value);\n",
                    unit, state->trace, state->index_count > 1 ? "(int)i1" : "-1");
    else
        text_format(text, "port_record_value(port, \"%s\", \"%s\", (uint64_t)value);\n", unit,
                    state->trace);
    text_append(text, "}\n");
}

/* Returns how many counts --stats shows. */
static size_t count_counts(const struct spec *spec)
{
    size_t total = 0;

    for (size_t i = 0; i < spec->units.count; i++) {
        const struct map *counters = &SPEC_AT(spec->units, i, struct spec_unit)->counters;
        for (size_t k = 0; k < counters->count; k++)
            total += 1 + SPEC_AT(*counters, k, struct spec_counter)->element_count;
    }
    return total;
}

/* Writes the units that --trace-units takes: their names, and a text for the user. */
static void emit_traced(struct emitter *emitter)
{
    const struct map *units = &emitter->spec->units;
    struct text names = TEXT_INIT, list = TEXT_INIT;

    for (size_t i = 0; i < units->count; i++) {
        const struct spec_unit *unit = SPEC_AT(*units, i, struct spec_unit);
        if (!unit->traced)
            continue;
        text_format(&names, "%s\"%s\"", names.length ? ", " : "", unit->name);
        text_format(&list, "%s%s (%s)", list.length ? ", " : "", unit->name, unit->traced);
    }
    text_format(&emitter->text, "#define TRACED_UNIT_NAMES {%s}\n#define TRACED_UNITS ",
                names.length ? names.bytes : "");
    emit_string(emitter, list.length ? list.bytes : "none");
    text_append(&emitter->text, "\n");
    text_free(&names);
    text_free(&list);
}

void emit_units_header(struct emitter *emitter)
{
    const struct map *units = &emitter->spec->units;

    emit_header(emitter, "The state and the counters of units.");
    text_append(
        &emitter->text,
        "#ifndef ISA_UNITS_H\n#define ISA_UNITS_H\n\n#include \"emu/units/port.h\"\n"
        "#include \"emu/units/room.h\"\n#include \"isa_ids.h\"\n#include \"lib/arena.h\"\n");
    for (size_t i = 0; i < units->count; i++) {
        const struct spec_unit *unit = SPEC_AT(*units, i, struct spec_unit);
        if (!is_emitted(unit))
            continue;
        emit_structs(emitter, unit);
        emit_init_function(emitter, unit);
        for (size_t k = 0; unit->header && k < unit->states.count; k++)
            if (has_storage(state_at(unit, k)))
                emit_change(emitter, state_at(unit, k));
        text_format(&emitter->text, "#define STATE_OF_%s (%s)\n#define UNIT_%s \"%s\"\n",
                    unit->name, spec_unit_place(emitter->spec, unit), unit->name, unit->name);
    }
    emit_traced(emitter);
    text_format(&emitter->text, "\nenum { UNITS_COUNTERS = %zu }; /* in --stats */\n\n#endif\n",
                count_counts(emitter->spec));
}

/* ---- what the machine includes ---- */

static void emit_include(struct emitter *emitter, const struct spec_unit *unit)
{
    if (unit->header)
        text_format(&emitter->text, "#include \"%s\"\n", unit->header);
}

static void emit_member(struct emitter *emitter, const struct spec_unit *unit)
{
    text_format(&emitter->text, "struct %s_unit %s;\n", unit->name, unit->name);
}

static void emit_init(struct emitter *emitter, const struct spec_unit *unit)
{
    struct text *text = &emitter->text;

    text_format(text, "%s_init(&machine->%s, &(const struct %s_settings){",
                unit->header ? unit->name : struct_name(emitter, unit), unit->name, unit->name);
    for (size_t i = 0; i < unit->settings.count; i++)
        if (!SPEC_AT(unit->settings, i, struct spec_setting)->is_timing)
            text_format(text, "config->%s_%s, ", unit->name, unit->settings.entries[i].key);
    text_append(text, "}, arena);\n");
}

static void emit_count(struct emitter *emitter, const struct spec_unit *unit, const char *name,
                       const char *value)
{
    text_format(&emitter->text, "list[count++] = (struct unit_count){\"%s\", ", unit->name);
    emit_string(emitter, name);
    text_format(&emitter->text, ", %s};\n", value);
}

static void emit_computed_count(struct emitter *emitter, const struct spec_unit *unit,
                                const struct spec_counter *counter)
{
    emit_count(emitter, unit, counter->stats, "0");
    emit_code(emitter, "list[count - 1].value = (", &counter->read, ");");
}

/* A counter over element types is their sum, and then each of them. */
static void emit_count_elements(struct emitter *emitter, const struct spec_unit *unit,
                                const struct spec_counter *counter)
{
    struct arena *arena = emitter->spec->arena;
    const char *sum = "0", *place = spec_unit_place(emitter->spec, unit);

    for (int parts = 0; parts < 2; parts++) {
        for (size_t i = 0; i < counter->element_count; i++) {
            const struct spec_element *element = counter->elements[i];
            const char *value = arena_format(arena, "%s.%s[%llu]", place, counter->name,
                                             (unsigned long long)element->code);
            if (parts)
                emit_count(emitter, unit,
                           arena_format(arena, "%s, %s", counter->stats, element->name), value);
            else
                sum = i ? arena_format(arena, "%s + %s", sum, value) : value;
        }
        if (!parts)
            emit_count(emitter, unit, counter->stats, sum);
    }
}

static void emit_list(struct emitter *emitter, const struct spec_unit *unit)
{
    if (unit->settle && unit->counters.count)
        text_format(&emitter->text, "%s(&machine->%s);\n", unit->settle, unit->name);
    for (size_t i = 0; i < unit->counters.count; i++) {
        const struct spec_counter *counter = SPEC_AT(unit->counters, i, struct spec_counter);
        if (counter->elements)
            emit_count_elements(emitter, unit, counter);
        else if (counter->read.text)
            emit_computed_count(emitter, unit, counter);
        else
            emit_count(emitter, unit, counter->stats,
                       arena_format(emitter->spec->arena, "%s.%s",
                                    spec_unit_place(emitter->spec, unit), counter->name));
    }
}

void emit_units(struct emitter *emitter)
{
    static const struct {
        const char *macro;
        void (*emit)(struct emitter *emitter, const struct spec_unit *unit);
    } parts[] = {{"UNITS_HEADERS", emit_include},
                 {"UNITS_MEMBERS", emit_member},
                 {"UNITS_INIT", emit_init},
                 {"UNITS_LIST", emit_list}};
    const struct map *units = &emitter->spec->units;

    emit_header(emitter, "The units whose state is described in YAML.");
    for (size_t part = 0; part < sizeof parts / sizeof *parts; part++) {
        text_format(&emitter->text, "#ifdef %s\n", parts[part].macro);
        for (size_t i = 0; i < units->count; i++)
            if (is_emitted(SPEC_AT(*units, i, struct spec_unit)))
                parts[part].emit(emitter, SPEC_AT(*units, i, struct spec_unit));
        text_append(&emitter->text, "#endif\n");
    }
}
