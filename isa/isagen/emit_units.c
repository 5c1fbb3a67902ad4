/*
 * Writes units.inc: the structs of units with state or counters of the description, their members
 * in struct machine, their initialization, and what they count. The emulator defines one of
 * UNITS_STRUCTS, UNITS_MEMBERS, UNITS_INIT (statements over `machine` and `arena`) and
 * UNITS_ACTIVITY (statements over `machine`, `list` and `count`) before it includes the file.
 */
#include "isa/isagen/emit.h"

static bool is_generated(const struct spec_unit *unit)
{
    return unit->stored.count || unit->counters.count;
}

static void emit_struct(struct emitter *emitter, const struct spec_unit *unit)
{
    text_format(&emitter->text, "/* %s */\nstruct %s_unit {\n", unit->summary, unit->name);
    for (size_t i = 0; i < unit->stored.count; i++) {
        const struct spec_state *state = SPEC_AT(unit->stored, i, struct spec_state);
        text_format(&emitter->text, "    uint64_t %s%s; /* %s */\n", state->index_count ? "*" : "",
                    state->name, state->summary);
    }
    for (size_t i = 0; i < unit->counters.count; i++) {
        const struct spec_counter *counter = SPEC_AT(unit->counters, i, struct spec_counter);
        text_format(&emitter->text, "    uint64_t %s; /* %s */\n", counter->name, counter->summary);
    }
    text_append(&emitter->text, "};\n");
}

static void emit_member(struct emitter *emitter, const struct spec_unit *unit)
{
    text_format(&emitter->text, "struct %s_unit %s;\n", unit->name, unit->name);
}

static void emit_init(struct emitter *emitter, const struct spec_unit *unit)
{
    struct text *text = &emitter->text;

    for (size_t i = 0; i < unit->stored.count; i++) {
        const struct spec_state *state = SPEC_AT(unit->stored, i, struct spec_state);
        if (!state->index_count) {
            text_format(text, "machine->%s.%s = %s;\n", unit->name, state->name, state->reset);
            continue;
        }
        text_append(text, "{\nconst uint64_t count = 1");
        for (size_t k = 0; k < state->index_count; k++)
            text_format(text, " * (uint64_t)(%s)", state->counts[k].text);
        text_format(text,
                    ";\nmachine->%s.%s = arena_array(arena, count, sizeof(uint64_t));\n"
                    "for (uint64_t i = 0; i < count; i++)\n    machine->%s.%s[i] = %s;\n}\n",
                    unit->name, state->name, unit->name, state->name, state->reset);
    }
}

static void emit_activity(struct emitter *emitter, const struct spec_unit *unit)
{
    for (size_t i = 0; i < unit->counters.count; i++)
        text_format(
            &emitter->text, "list[count++] = (struct activity){\"%s\", \"%s\", machine->%s.%s};\n",
            unit->name, unit->counters.entries[i].key, unit->name, unit->counters.entries[i].key);
}

void emit_units(struct emitter *emitter)
{
    static const struct {
        const char *macro;
        void (*emit)(struct emitter *emitter, const struct spec_unit *unit);
    } parts[] = {{"UNITS_STRUCTS", emit_struct},
                 {"UNITS_MEMBERS", emit_member},
                 {"UNITS_INIT", emit_init},
                 {"UNITS_ACTIVITY", emit_activity}};
    const struct map *units = &emitter->spec->units;

    emit_header(emitter, "The units whose state is described in YAML.");
    for (size_t part = 0; part < sizeof parts / sizeof *parts; part++) {
        text_format(&emitter->text, "#ifdef %s\n", parts[part].macro);
        for (size_t i = 0; i < units->count; i++)
            if (is_generated(SPEC_AT(*units, i, struct spec_unit)))
                parts[part].emit(emitter, SPEC_AT(*units, i, struct spec_unit));
        text_append(&emitter->text, "#endif\n");
    }
}
