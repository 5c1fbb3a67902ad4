/*
 * Writes timing.inc: the time of each instruction as a function, and a table of them by id.
 * lib/timing/time.c defines the macros before it includes the file. isagen --check compiles the
 * same functions against other macros.
 */
#include "isa/isagen/emit.h"

#include <string.h>

static void emit_constants(struct emitter *emitter, const struct spec_instruction *instruction,
                           const struct spec_code *code)
{
    for (size_t i = 0; i < instruction->operands.count; i++) {
        const struct spec_operand *operand = &instruction->operands.items[i];
        if (spec_code_uses(emitter->spec, code, operand->name))
            text_format(&emitter->text, "    const %s %s = TIME_OPERAND(%zu);\n",
                        operand->type->is_signed ? "int64_t" : "uint64_t", operand->name, i);
    }
    for (size_t i = 0; i < instruction->elements.count; i++)
        if (spec_code_uses(emitter->spec, code, instruction->elements.names[i].name))
            text_format(
                &emitter->text, "    const enum isa_element_code %s = ISA_ELEMENT_%s;\n",
                instruction->elements.names[i].name,
                emit_upper(emitter->spec->arena, instruction->elements.names[i].element->name));
}

static void emit_value(struct emitter *emitter, const struct spec_code *code)
{
    if (spec_is_statement(code))
        emit_code(emitter, "{", code, "}");
    else
        emit_code(emitter, "return (", code, ");");
}

/* Writes a function of an instruction; nothing if it does not have the code. */
static void emit_time(struct emitter *emitter, const struct spec_instruction *instruction,
                      const char *key, const struct spec_code *code)
{
    if (!code->text)
        return;
    text_format(&emitter->text, "\nTIME(%s, %s) /* %s */\n{\nTIME_SCOPE\n", key,
                instruction->mangled, instruction->mnemonic);
    emit_constants(emitter, instruction, code);
    emit_value(emitter, code);
    text_append(&emitter->text, "}\n");
}

static bool is_repeated(const struct spec *spec, size_t index, bool is_check)
{
    const struct spec_instruction *instruction =
        SPEC_AT(spec->instructions, index, struct spec_instruction);

    return is_check && index &&
           SPEC_AT(spec->instructions, index - 1, struct spec_instruction)->node ==
               instruction->node;
}

void emit_times(struct emitter *emitter, bool is_check)
{
    const struct spec *spec = emitter->spec;

    for (size_t i = 0; i < spec->units.count; i++) {
        const struct spec_unit *unit = SPEC_AT(spec->units, i, struct spec_unit);
        if (!unit->resources.text)
            continue;
        text_format(&emitter->text, "\nRESOURCES(%s)\n{\nTIME_SCOPE\n", unit->name);
        emit_value(emitter, &unit->resources);
        text_append(&emitter->text, "}\n");
    }
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (instruction->compressed || is_repeated(spec, i, is_check))
            continue;
        emit_time(emitter, instruction, "cycles", &instruction->cycles);
        emit_time(emitter, instruction, "occupancy", &instruction->occupancy);
    }
}

/* ---- timing.inc ---- */

static void declare_function(struct emitter *emitter, const struct spec_function *function)
{
    text_format(&emitter->text,
                "static %s time_%s(const struct timed *timed __attribute__((unused))",
                function->returns, function->name);
    for (size_t i = 0; i < function->argument_count; i++)
        text_format(&emitter->text, ", const %s %s", function->arguments[i].c_type,
                    function->arguments[i].name);
    text_append(&emitter->text, ")");
}

static void emit_functions(struct emitter *emitter)
{
    const struct map *functions = &emitter->spec->functions;

    emit_function_names(emitter, true);
    for (size_t i = 0; i < functions->count; i++) {
        const struct spec_function *function = SPEC_AT(*functions, i, struct spec_function);
        if (!function->in_time)
            continue;
        declare_function(emitter, function);
        text_format(&emitter->text,
                    ";\n#define %s(...) time_%s(timed __VA_OPT__(, ) __VA_ARGS__)\n",
                    function->name, function->name);
    }
    for (size_t i = 0; i < functions->count; i++) {
        const struct spec_function *function = SPEC_AT(*functions, i, struct spec_function);
        if (!function->in_time)
            continue;
        text_append_char(&emitter->text, '\n');
        declare_function(emitter, function);
        text_append(&emitter->text, "\n{\nTIME_SCOPE\n");
        emit_code(emitter, "", &function->semantics, "}");
    }
}

/* Writes the function that asks for the state of a unit, by its number. */
static void emit_state(struct emitter *emitter, const struct spec_state *state, size_t number)
{
    text_format(&emitter->text,
                "\nstatic __attribute__((unused)) uint64_t time_get_%s(const struct timed *timed",
                state->name);
    emit_indices(emitter, state, ", const uint64_t ");
    text_format(&emitter->text,
                ")\n{\n    return timed->state->read(timed->state, %zu, (const uint64_t[2]){",
                number);
    for (size_t i = 0; i < state->index_count; i++)
        text_format(&emitter->text, "%s%s", i ? ", " : "", state->indices[i]);
    text_append(&emitter->text, "});\n}\n");
}

/* Returns the place of the unit among those with resources, from 1 on; 0: the scalar core. */
static size_t unit_number(const struct spec *spec, const struct spec_instruction *instruction)
{
    size_t number = 0;

    for (size_t i = 0; instruction->unit && i < spec->units.count; i++) {
        const struct spec_unit *unit = SPEC_AT(spec->units, i, struct spec_unit);
        number += unit->resources.text != NULL;
        if (strcmp(unit->name, instruction->unit) == 0)
            return unit->resources.text ? number : 0;
    }
    return 0;
}

static void emit_row(struct emitter *emitter, const struct spec_instruction *instruction)
{
    struct text *text = &emitter->text;
    size_t unit = unit_number(emitter->spec, instruction);

    text_format(text, "    [%u] = {", instruction->index);
    if (instruction->cycles.text)
        text_format(text, ".cycles = cycles_%s, ", instruction->mangled);
    if (instruction->occupancy.text)
        text_format(text, ".occupancy = occupancy_%s, ", instruction->mangled);
    if (unit)
        text_format(text, ".unit = &time_units[%zu], ", unit - 1);
    if (instruction->timing->latency)
        text_format(text, ".latency = offsetof(struct config, " SPEC_CLASSES "_%s), ",
                    instruction->timing->name);
    if (instruction->walk)
        text_format(text, ".walk = %u, ", instruction->walk);
    if (instruction->has_row)
        text_format(text, ".row = %zu, ", instruction->row);
    const char *row_of = instruction->walk ? "traversal" : instruction->unit;
    if (instruction->has_row && row_of)
        text_format(text, ".row_of = \"%s\", ", row_of);
    if (instruction->waits)
        text_append(text, ".waits = true, ");
    text_format(text, ".is_serial = %s}, /* %s */\n",
                instruction->timing->is_pipelined ? "false" : "true", instruction->mnemonic);
}

static void emit_unit_table(struct emitter *emitter)
{
    const struct map *units = &emitter->spec->units;
    size_t count = 0;

    text_append(&emitter->text, "\nconst struct time_unit time_units[] = {\n");
    for (size_t i = 0; i < units->count; i++) {
        const struct spec_unit *unit = SPEC_AT(*units, i, struct spec_unit);
        if (!unit->resources.text)
            continue;
        text_format(&emitter->text, "    {\"%s\", resources_%s},\n", unit->name, unit->name);
        count++;
    }
    text_format(&emitter->text, "    {NULL, NULL}};\nconst size_t time_unit_count = %zu;\n", count);
}

/* Writes the numbers of the CSRs whose reads wait. */
static void emit_waiting_csrs(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    text_append(&emitter->text, "\nstatic const uint16_t waiting_csrs[] = {");
    for (size_t i = 0; i < spec->csrs.count; i++)
        if (spec->csrs_by_number[i]->waits)
            text_format(&emitter->text, "0x%03llx, ",
                        (unsigned long long)spec->csrs_by_number[i]->number);
    text_append(&emitter->text, "0xffff};\n");
}

void emit_timing(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    emit_header(emitter, "The time of instructions: functions, and a table of them by id.");
    for (size_t i = 0; i < spec->states.count; i++)
        emit_state(emitter, SPEC_AT(spec->states, i, struct spec_state), i);
    emit_functions(emitter);
    emit_times(emitter, false);
    emit_unit_table(emitter);
    emit_waiting_csrs(emitter);
    text_append(&emitter->text, "\nstatic const struct time times[ISA_ID_COUNT] = {\n");
    for (size_t i = 0; i < spec->instructions.count; i++)
        if (!SPEC_AT(spec->instructions, i, struct spec_instruction)->compressed)
            emit_row(emitter, SPEC_AT(spec->instructions, i, struct spec_instruction));
    text_append(&emitter->text, "};\n");
}
