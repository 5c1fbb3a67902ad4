/*
 * Instructions with a fast function: the checks of `fast`, the call, and the prototypes of fast.h.
 *
 * The executors run the fast function of an instruction. An instruction without one, whose body
 * uses what only definitions have, runs as its definition.
 */
#include "isa/isagen/emit.h"

#include <string.h>

/* The effects of the macros of the emulator that the call of a fast function has. */
enum {
    ATTEMPT_EFFECTS = ISA_EFFECT_TRAP | ISA_EFFECT_CODE,
    UNIT_EFFECTS = ISA_EFFECT_UNIT | ISA_EFFECT_CODE,
    PORT_EFFECTS = ISA_EFFECT_UNIT | ISA_EFFECT_LOAD | ISA_EFFECT_STORE | ISA_EFFECT_CODE,
};

/* The port gives the function memory and the trace. */
static bool takes_port(const struct spec_instruction *instruction)
{
    return instruction->definition_effects & (ISA_EFFECT_TRAP | ISA_EFFECT_LOAD | ISA_EFFECT_STORE);
}

static bool takes_fault(const struct spec_instruction *instruction)
{
    return instruction->definition_effects & ISA_EFFECT_TRAP;
}

static bool is_written(const struct spec_operand *operand)
{
    return operand->type->access & ISA_WRITE;
}

static bool is_group(const struct spec_operand *operand)
{
    return operand->type->kind == ISA_REGISTER_GROUP;
}

/* Is the argument an array, which the function changes in place? */
static bool is_array(const struct spec_operand *operand)
{
    return is_group(operand) || operand->type->view_count > 1;
}

/* Appends the declaration of a register of a file that is not standard. */
static void declare_own(struct text *text, const struct spec_operand *operand)
{
    const struct spec_operand_type *type = operand->type;
    bool written = is_written(operand);

    text_format(text, ", %suint%llu_t %s%s", is_array(operand) && !written ? "const " : "",
                (unsigned long long)type->view_bits, written && !is_array(operand) ? "*" : "",
                operand->name);
    if (is_group(operand))
        text_format(text, "[%llu]", (unsigned long long)type->group_count);
    if (type->view_count > 1)
        text_format(text, "[%llu]", (unsigned long long)type->view_count);
}

/* Appends the declaration of the operand as an argument. */
static void declare_argument(struct text *text, const struct spec_operand *operand)
{
    if (operand->type->view == ISA_VIEW_BITS && operand->type->kind != ISA_REGISTER_OR_IMMEDIATE)
        declare_own(text, operand);
    else if (is_group(operand))
        text_format(text, ", %suint32_t %s[%llu]", is_written(operand) ? "" : "const ",
                    operand->name, (unsigned long long)operand->type->group_count);
    else if (is_written(operand))
        text_format(text, ", %s *%s", emit_view_type(operand->type->view), operand->name);
    else
        text_format(text, ", %s %s", operand->type->is_signed ? "int64_t" : "uint64_t",
                    operand->name);
}

/* Appends the prototype of a function that returns bool if `may_fail`. */
static void append_prototype(struct text *text, const struct spec_instruction *instruction,
                             const char *prefix, bool may_fail)
{
    text_format(text, "%s %s%s(struct %s_unit *unit", may_fail ? "bool" : "void", prefix,
                instruction->fast, instruction->unit);
    if (takes_port(instruction))
        text_append(text, ", struct port *port");
    for (size_t i = 0; i < instruction->elements.count; i++)
        text_format(text, ", enum isa_element_code %s", instruction->elements.names[i].name);
    for (int written = 0; written < 2; written++)
        for (size_t i = 0; i < instruction->operands.count; i++)
            if (is_written(&instruction->operands.items[i]) == written)
                declare_argument(text, &instruction->operands.items[i]);
    text_append(text, takes_fault(instruction) ? ", struct fault *fault)" : ")");
}

void emit_fast_call(struct emitter *emitter, const struct spec_instruction *instruction)
{
    struct text *text = &emitter->text;

    text_format(text, "    %s%s%s%sUNIT(%s)", takes_fault(instruction) ? "ATTEMPT(" : "",
                instruction->fast_is_inline ? "FAST(" : "", instruction->fast,
                instruction->fast_is_inline ? ", " : "(", instruction->unit);
    text_append(text, takes_port(instruction) ? ", PORT" : "");
    for (size_t i = 0; i < instruction->elements.count; i++)
        text_format(text, ", %s", instruction->elements.names[i].name);
    for (int written = 0; written < 2; written++)
        for (size_t i = 0; i < instruction->operands.count; i++) {
            const struct spec_operand *operand = &instruction->operands.items[i];
            if (is_written(operand) == written)
                text_format(text, ", %s%s", written && !is_array(operand) ? "&" : "",
                            operand->name);
        }
    text_append(text, takes_fault(instruction) ? ", fault));\n" : ");\n");
}

/* Two instructions with one function must give it the same arguments. */
static void check_prototype(struct spec *spec, const struct spec_instruction *instruction,
                            const struct spec_instruction *other)
{
    struct text own = TEXT_INIT, theirs = TEXT_INIT;

    append_prototype(&own, instruction, "", takes_fault(instruction));
    append_prototype(&theirs, other, "", takes_fault(other));
    if (strcmp(own.bytes, theirs.bytes) != 0) {
        diag_error(spec->diag, &node_get(instruction->node, "fast")->at,
                   "'%s' needs the function '%s', but for '%s' this is '%s'; name another "
                   "function",
                   instruction->mnemonic, own.bytes, other->mnemonic, theirs.bytes);
        diag_note(spec->diag, &other->at, "'%s' is here", other->mnemonic);
    }
    text_free(&own);
    text_free(&theirs);
}

static const struct spec_instruction *first_with(const struct spec *spec, const char *fast)
{
    for (size_t i = 0;; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (instruction->fast && instruction->unit && strcmp(instruction->fast, fast) == 0)
            return instruction;
    }
}

/* Settles how the instruction is run, after its body was checked. */
static void settle(struct spec *spec, struct spec_instruction *instruction)
{
    instruction->definition_effects = instruction->effects;
    instruction->by_definition &= !instruction->fast;
    instruction->defined |= instruction->fast || instruction->by_definition;
    if (instruction->fast)
        instruction->effects |=
            ATTEMPT_EFFECTS | UNIT_EFFECTS | (takes_port(instruction) ? PORT_EFFECTS : 0);
    if (instruction->by_definition)
        instruction->effects |= ATTEMPT_EFFECTS;
    if (instruction->defined && instruction->effects & ISA_EFFECT_FLOW)
        diag_error(spec->diag, &instruction->semantics.node->at,
                   "the definition of '%s' goes to another place; only a body without definition "
                   "can branch",
                   instruction->mnemonic);
}

void spec_check_fast(struct spec *spec)
{
    for (size_t i = 0; i < spec->instructions.count; i++) {
        struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (!instruction->compressed && instruction->semantics.text)
            settle(spec, instruction);
    }
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (instruction->fast && instruction->unit && !instruction->broken)
            check_prototype(spec, instruction, first_with(spec, instruction->fast));
    }
}

/* ---- generated files ---- */

/* The inline function has a type, which its header compares it with. */
void emit_fast(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    emit_header(emitter, "Prototypes of the fast functions of instructions.");
    text_append(&emitter->text, "#ifndef ISA_FAST_H\n#define ISA_FAST_H\n\n"
                                "#include \"isa_ids.h\"\n#include <stdbool.h>\n"
                                "#include <stdint.h>\n\nstruct port;\nstruct fault;\n\n");
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (!instruction->fast || first_with(spec, instruction->fast) != instruction)
            continue;
        text_format(&emitter->text, "struct %s_unit;\n", instruction->unit);
        append_prototype(&emitter->text, instruction, "", takes_fault(instruction));
        text_append(&emitter->text, ";\n");
        if (!instruction->fast_is_inline)
            continue;
        text_append(&emitter->text, "typedef ");
        append_prototype(&emitter->text, instruction, "fast_", true);
        text_append(&emitter->text, ";\n");
    }
    text_append(&emitter->text, "\n#endif\n");
}
