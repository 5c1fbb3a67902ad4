/*
 * Writes values.inc: what the operands of an instruction alone say of its execution, i.e. the value
 * that it writes to an integer register and the memory that it accesses. The functions are the
 * bodies themselves, of the instructions whose bodies use nothing but operands, the pc and memory,
 * and of those that have a definition. lib/timing/value.c defines the macros before it includes the
 * file.
 */
#include "isa/isagen/emit.h"

#include <string.h>

/* Is the body made of its operands, the pc, loads and stores? */
static bool is_plain(const struct spec *spec, const struct spec_instruction *instruction)
{
    static const char *const allowed[] = {"pc", "load", "store"};

    if (instruction->effects & ~(unsigned)(ISA_EFFECT_LOAD | ISA_EFFECT_STORE | ISA_EFFECT_TRAP))
        return false;
    for (size_t i = 0; i < spec->accessors.count; i++) {
        const char *name = SPEC_AT(spec->accessors, i, struct spec_accessor)->name;
        bool is_allowed = false;
        for (size_t k = 0; k < sizeof allowed / sizeof *allowed; k++)
            is_allowed |= strcmp(name, allowed[k]) == 0;
        if (!is_allowed && spec_code_names(&instruction->semantics, name))
            return false;
    }
    for (size_t i = 0; i < spec->functions.count; i++)
        if (spec_code_names(&instruction->semantics,
                            SPEC_AT(spec->functions, i, struct spec_function)->name))
            return false;
    return true;
}

/* Can the function have the operands? Groups and registers with more than 64 bits it cannot. */
static bool has_values(const struct spec_instruction *instruction)
{
    for (size_t i = 0; i < instruction->operands.count; i++) {
        const struct spec_operand *operand = &instruction->operands.items[i];
        if (operand->type->kind == ISA_REGISTER_GROUP || operand->index_mentioned ||
            (operand->type->file && !operand->type->file->standard))
            return false;
    }
    return true;
}

static bool is_written(const struct spec_operand *operand)
{
    return operand->type->kind == ISA_REGISTER && operand->type->access & ISA_WRITE;
}

/* Does it have a function? */
static bool has_function(const struct spec *spec, const struct spec_instruction *instruction)
{
    return !instruction->compressed && has_values(instruction) &&
           (instruction->defined || is_plain(spec, instruction));
}

static void emit_operands(struct emitter *emitter, const struct spec_instruction *instruction)
{
    for (size_t i = 0; i < instruction->operands.count; i++) {
        const struct spec_operand *operand = &instruction->operands.items[i];
        const char *type = operand->type->kind == ISA_REGISTER ? emit_view_type(operand->type->view)
                           : operand->type->is_signed          ? "int64_t"
                                                               : "uint64_t";
        text_format(&emitter->text, "    %s %s __attribute__((unused)) = ", type, operand->name);
        if (operand->type->kind == ISA_REGISTER && operand->type->access == ISA_WRITE)
            text_append(&emitter->text, "0;\n");
        else
            text_format(&emitter->text, "(%s)VALUE_OPERAND(%zu);\n", type, i);
    }
    for (size_t i = 0; i < instruction->elements.count; i++)
        text_format(
            &emitter->text,
            "    const enum isa_element_code %s __attribute__((unused)) = ISA_ELEMENT_%s;\n",
            instruction->elements.names[i].name,
            emit_upper(emitter->spec->arena, instruction->elements.names[i].element->name));
}

static void emit_value(struct emitter *emitter, const struct spec_instruction *instruction)
{
    text_format(&emitter->text, "\nVALUE(%s) /* %s */\n{\nVALUE_SCOPE\n", instruction->mangled,
                instruction->mnemonic);
    emit_operands(emitter, instruction);
    emit_code(emitter, "{", &instruction->semantics, "}");
    for (size_t i = 0; i < instruction->operands.count; i++)
        if (is_written(&instruction->operands.items[i]))
            text_format(&emitter->text, "    VALUE_RESULT(%zu, %s);\n", i,
                        instruction->operands.items[i].name);
    text_append(&emitter->text, "}\n");
}

static void emit_functions(struct emitter *emitter)
{
    const struct map *functions = &emitter->spec->functions;

    emit_function_names(emitter, false);
    for (size_t i = 0; i < functions->count; i++) {
        const struct spec_function *function = SPEC_AT(*functions, i, struct spec_function);
        emit_function_declaration(emitter, "value_of", "struct execution_value *value_", function);
        text_format(&emitter->text,
                    ";\n#define %s(...) value_of_%s(value_ __VA_OPT__(, ) __VA_ARGS__)\n",
                    function->name, function->name);
    }
    for (size_t i = 0; i < functions->count; i++) {
        const struct spec_function *function = SPEC_AT(*functions, i, struct spec_function);
        text_append_char(&emitter->text, '\n');
        emit_function_declaration(emitter, "value_of", "struct execution_value *value_", function);
        text_append(&emitter->text, "\n{\nVALUE_SCOPE\n");
        emit_code(emitter, "", &function->semantics, "}");
    }
}

void emit_values(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    emit_header(emitter,
                "What operands say of an execution: functions, and a table of them by id.");
    emit_functions(emitter);
    for (size_t i = 0; i < spec->instructions.count; i++)
        if (has_function(spec, SPEC_AT(spec->instructions, i, struct spec_instruction)))
            emit_value(emitter, SPEC_AT(spec->instructions, i, struct spec_instruction));
    text_append(&emitter->text,
                "\nstatic value_function *const value_functions[ISA_ID_COUNT] = {\n");
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (has_function(spec, instruction))
            text_format(&emitter->text, "    [%u] = value_%s,\n", instruction->index,
                        instruction->mangled);
    }
    text_append(&emitter->text, "};\n");
}
