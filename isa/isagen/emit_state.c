/*
 * Writes unit_state.inc: the state of the units, by number, as a debugger and a dump of the state
 * show it. The emulator defines UNIT_STATE for the list, or one of UNIT_STATE_COUNTS,
 * UNIT_STATE_READ and UNIT_STATE_WRITE for the cases of a switch over the number. UNIT_STATE_VALUES
 * is for the cases of all state, also what is not shown, by its place in the description.
 * UNIT_STATE_CODE is for functions that get and put each state, by name.
 */
#include "isa/isagen/emit.h"

/* Returns the state that is shown, and its length. */
static const struct spec_state **shown_state(const struct spec *spec, size_t *count)
{
    const struct spec_state **list = arena_array(spec->arena, spec->states.count, sizeof *list);

    *count = 0;
    for (size_t i = 0; i < spec->states.count; i++) {
        const struct spec_state *state = SPEC_AT(spec->states, i, struct spec_state);
        if (!state->is_hidden)
            list[(*count)++] = state;
    }
    return list;
}

/* Writes UNIT_STATE(unit, extension, name, is_address, first index, second
 * index, writable). */
static void emit_state(struct emitter *emitter, const struct spec_state *state)
{
    text_format(&emitter->text, "UNIT_STATE(\"%s\", \"%s\", \"%s\", %d, ", state->unit->name,
                state->extension->name, state->name, state->is_address);
    emit_string(emitter, state->indices[0]);
    text_append(&emitter->text, ", ");
    emit_string(emitter, state->indices[1]);
    text_format(&emitter->text, ", %d)\n", state->write.text != NULL);
}

/* Writes one case, with the indices as variables. */
static void emit_case(struct emitter *emitter, const struct spec_state *state, size_t number,
                      const char *before, const struct spec_code *code, const char *after)
{
    text_format(&emitter->text, "case %zu: {\n", number);
    for (size_t i = 0; i < state->index_count; i++)
        text_format(&emitter->text, "const uint32_t %s = index[%zu];\n", state->indices[i], i);
    emit_code(emitter, before, code, after);
    text_append(&emitter->text, "break;\n}\n");
}

static void emit_counts(struct emitter *emitter, const struct spec_state *state, size_t number)
{
    text_format(&emitter->text, "case %zu:\n", number);
    for (size_t i = 0; i < state->index_count; i++)
        emit_code(emitter, i ? "counts[1] = (" : "counts[0] = (", &state->counts[i], ");");
    text_append(&emitter->text, "break;\n");
}

/* Writes the case of a state among all, which a tool that has the number from another table reads.
 */
static void emit_value(struct emitter *emitter, const struct spec_state *state, size_t number)
{
    text_format(&emitter->text, "case %zu: {\n", number);
    for (size_t i = 0; i < state->index_count; i++) {
        text_format(&emitter->text, "const uint64_t %s = indices[%zu];\n", state->indices[i], i);
        text_format(&emitter->text, "if (%s >= (uint64_t)", state->indices[i]);
        emit_code(emitter, "(", &state->counts[i], "))");
        text_append(&emitter->text, "return false;\n");
    }
    emit_code(emitter, "*value = (uint64_t)(", &state->read, ");");
    text_append(&emitter->text, "return true;\n}\n");
}

void emit_indices(struct emitter *emitter, const struct spec_state *state, const char *before)
{
    for (size_t i = 0; i < state->index_count; i++)
        text_format(&emitter->text, "%s%s", before, state->indices[i]);
}

/* Writes the head of a function, and checks of its indices. */
static void begin_function(struct emitter *emitter, const struct spec_state *state,
                           const char *returns, const char *prefix, const char *value)
{
    struct text *text = &emitter->text;

    text_format(text,
                "\n__attribute__((unused)) static %s %s_%s(struct machine *const machine "
                "__attribute__((unused))",
                returns, prefix, state->name);
    emit_indices(emitter, state, ", const uint64_t __attribute__((unused)) ");
    text_format(text, "%s)\n{\n", value);
    for (size_t i = 0; i < state->index_count; i++) {
        text_format(text, "const uint64_t count_%zu_ = ", i);
        emit_code(emitter, "(", &state->counts[i], ");");
        text_format(text, "STATE_INDEX(%s, %s, count_%zu_);\n", state->name, state->indices[i], i);
    }
}

/* Writes SETTLED_UNIT, where the counters of a unit are, and the functions of its state. */
static void emit_functions(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    for (size_t i = 0; i < spec->units.count; i++) {
        const struct spec_unit *unit = SPEC_AT(spec->units, i, struct spec_unit);
        const char *place = spec_unit_place(spec, unit);
        if (unit->settle)
            text_format(&emitter->text, "#define SETTLED_%s (*(%s(&machine->%s), &%s))\n",
                        unit->name, unit->settle, unit->name, place);
        else
            text_format(&emitter->text, "#define SETTLED_%s (%s)\n", unit->name, place);
    }
    for (size_t i = 0; i < spec->states.count; i++) {
        const struct spec_state *state = SPEC_AT(spec->states, i, struct spec_state);
        begin_function(emitter, state, "uint64_t", "state_get", "");
        emit_code(emitter, "return (uint64_t)(", &state->read, ");");
        text_append(&emitter->text, "}\n");
        if (!state->set.text)
            continue;
        begin_function(emitter, state, "void", "state_put", ", const uint64_t value");
        emit_code(emitter, "", &state->set, ";");
        text_append(&emitter->text, "}\n");
    }
}

void emit_unit_state(struct emitter *emitter)
{
    size_t count;
    const struct spec_state **states = shown_state(emitter->spec, &count);

    emit_header(emitter, "The state of the units.");
    text_append(&emitter->text, "#ifdef UNIT_STATE\n");
    for (size_t i = 0; i < count; i++)
        emit_state(emitter, states[i]);
    text_append(&emitter->text, "#endif\n#ifdef UNIT_STATE_COUNTS\n");
    for (size_t i = 0; i < count; i++)
        emit_counts(emitter, states[i], i);
    text_append(&emitter->text, "#endif\n#ifdef UNIT_STATE_READ\n");
    for (size_t i = 0; i < count; i++)
        emit_case(emitter, states[i], i, "value = (uint64_t)(", &states[i]->read, ");");
    text_append(&emitter->text, "#endif\n#ifdef UNIT_STATE_WRITE\n");
    for (size_t i = 0; i < count; i++)
        if (states[i]->write.text)
            emit_case(emitter, states[i], i, "", &states[i]->write, ";");
    text_append(&emitter->text, "#endif\n#ifdef UNIT_STATE_VALUES\n");
    for (size_t i = 0; i < emitter->spec->states.count; i++)
        emit_value(emitter, SPEC_AT(emitter->spec->states, i, struct spec_state), i);
    text_append(&emitter->text, "#endif\n#ifdef UNIT_STATE_CODE\n");
    emit_functions(emitter);
    text_append(&emitter->text, "#endif\n");
}
