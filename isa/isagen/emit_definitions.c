/*
 * Writes definitions.inc: the functions of definitions, and the definitions of instructions.
 * emu/reference/reference.c defines the macros before it includes the file. definition_table.inc
 * lists the definitions by id, separately, since an id changes more often.
 */
#include "isa/isagen/emit.h"

#include <string.h>

static void emit_function_macro(struct emitter *emitter, const struct spec_function *function)
{
    emit_function_declaration(emitter, "define", "struct reference *reference", function);
    text_format(&emitter->text,
                ";\n#define %s(...) define_%s(reference __VA_OPT__(, ) __VA_ARGS__)\n",
                function->name, function->name);
}

/* Writes state_set_NAME, which adds to the log the value that the type of the state makes of the
 * one that is set, and state_write_NAME for the log. state_code.h has the functions that these
 * call. */
static void emit_state(struct emitter *emitter, const struct spec_state *state)
{
    struct text *text = &emitter->text;
    const char *first = state->index_count > 0 ? state->indices[0] : "STATE_NO_INDEX";
    const char *second = state->index_count > 1 ? state->indices[1] : "STATE_NO_INDEX";

    if (!state->set.text)
        return;
    text_format(text, "\nstatic void state_write_%s(struct machine *const machine", state->name);
    for (size_t i = 0; i < SPEC_STATE_INDICES; i++)
        text_format(text, ", const uint64_t %s __attribute__((unused))",
                    i < state->index_count ? state->indices[i]
                    : i                    ? "unused_1"
                                           : "unused_0");
    text_format(text, ", const uint64_t value)\n{\nstate_put_%s(machine", state->name);
    emit_indices(emitter, state, ", ");
    text_format(text, ", value);\n}\nSTATE_SET(%s", state->name);
    emit_indices(emitter, state, ", const uint64_t ");
    text_format(text,
                ", const uint64_t value)\n{\nstate_change(reference, state_write_%s, "
                "state_get_%s(reference->machine",
                state->name, state->name);
    emit_indices(emitter, state, ", ");
    if (state->trace)
        text_format(text, "), \"%s\", \"%s\"", state->unit->name, state->trace);
    else
        text_append(text, "), NULL, NULL");
    text_format(text, ", %s, %s, (uint64_t)(%s)value);\n}\n", first, second, state->c_type);
}

void emit_definitions(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    emit_header(emitter, "Definitions: the functions, then those of instructions.");
    for (size_t i = 0; i < spec->states.count; i++)
        emit_state(emitter, SPEC_AT(spec->states, i, struct spec_state));
    emit_function_names(emitter, false);
    for (size_t i = 0; i < spec->functions.count; i++)
        emit_function_macro(emitter, SPEC_AT(spec->functions, i, struct spec_function));
    for (size_t i = 0; i < spec->functions.count; i++) {
        const struct spec_function *function = SPEC_AT(spec->functions, i, struct spec_function);
        text_append_char(&emitter->text, '\n');
        emit_function_declaration(emitter, "define", "struct reference *reference", function);
        text_append(&emitter->text, "\n{\nDEFINITION_SCOPE\n");
        emit_code(emitter, "", &function->semantics, "}");
    }
    emitter->as_definitions = true;
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (!instruction->defined)
            continue;
        text_format(&emitter->text, "\nDEFINITION(%s) /* %s */\n", instruction->mangled,
                    instruction->mnemonic);
        emit_work(emitter, instruction);
        text_append(&emitter->text, "END_DEFINITION\n");
    }
}

void emit_definition_table(struct emitter *emitter)
{
    const struct map *instructions = &emitter->spec->instructions;

    emit_header(emitter, "Definitions by id: DEFINED(id, name).");
    for (size_t i = 0; i < instructions->count; i++)
        if (SPEC_AT(*instructions, i, struct spec_instruction)->defined)
            text_format(&emitter->text, "DEFINED(%zu, %s)\n", i,
                        SPEC_AT(*instructions, i, struct spec_instruction)->mangled);
}
