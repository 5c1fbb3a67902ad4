/*
 * The part of isa_tables.c about instructions and aliases: operands, syntax, expansions,
 * constraints. Arrays of an instruction are named after it (operands_addi); those of an alias have
 * its index among the forms (operands_17).
 */
#include "isa/isagen/emit.h"

#include <string.h>

static void put(struct emitter *emitter, const char *string)
{
    text_append(&emitter->text, string);
}

static void emit_role(struct emitter *emitter, const struct spec_operand *operand)
{
    static const char *const roles[] = {[ISA_ROLE_NONE] = NULL,
                                        [ISA_ROLE_INPUT] = "INPUT",
                                        [ISA_ROLE_OUTPUT] = "OUTPUT",
                                        [ISA_ROLE_STRIDE] = "STRIDE",
                                        [ISA_ROLE_STEP] = "STEP"};

    if (!operand->role)
        put(emitter, ", ISA_ROLE_NONE, 0, NULL");
    else
        text_format(&emitter->text, ", ISA_ROLE_%s, %u, ", roles[operand->role], operand->row);
    if (operand->element)
        text_format(&emitter->text, "\"%s\"", operand->element);
    else if (operand->role)
        put(emitter, "NULL");
}

/* Writes the type of an input that the state of a unit says, if it does. */
static void emit_input_type(struct emitter *emitter, const struct spec_input_type *type)
{
    const struct map *states = &emitter->spec->states;
    size_t number = 0;

    if (!type) {
        put(emitter, ", NULL");
        return;
    }
    while (SPEC_AT(*states, number, struct spec_state) != type->state)
        number++;
    text_format(&emitter->text, ", &(const struct isa_input_type){%zu, %d, ", number, type->index);
    if (!type->types)
        put(emitter, "NULL}");
    for (size_t i = 0; i < type->count; i++)
        text_format(&emitter->text, "%s\"%s\"", i ? ", " : "(const char *const[]){",
                    type->types[i]->name);
    if (type->types)
        put(emitter, ", NULL}}");
}

static void emit_operands(struct emitter *emitter, const char *owner,
                          const struct spec_operands *operands)
{
    if (!operands->count)
        return;
    text_format(&emitter->text, "static const struct isa_operand operands_%s[] = {\n", owner);
    for (size_t i = 0; i < operands->count; i++) {
        const struct spec_operand *operand = &operands->items[i];
        text_format(&emitter->text, "    {\"%s\", &operand_types[%u], ", operand->name,
                    operand->type->index);
        if (operand->field)
            text_format(&emitter->text, "&fields[%u], ", operand->field->index);
        else
            put(emitter, "NULL, ");
        text_format(&emitter->text, "%s, %u",
                    operand->slot == ISA_SLOT_R ? "ISA_SLOT_R" : "ISA_SLOT_IMM",
                    operand->slot_index);
        emit_role(emitter, operand);
        emit_input_type(emitter, operand->by_state);
        put(emitter, "},\n");
    }
    put(emitter, "};\n");
}

static void emit_syntax(struct emitter *emitter, const char *owner,
                        const struct spec_syntax *syntax)
{
    static const char *const kinds[] = {"LITERAL", "OPERAND", "OPTIONAL", "END_OPTIONAL"};

    if (!syntax->count)
        return;
    text_format(&emitter->text, "static const struct isa_token syntax_%s[] = {", owner);
    for (size_t i = 0; i < syntax->count; i++) {
        const struct isa_token *token = &syntax->tokens[i];
        text_format(&emitter->text, "{ISA_TOKEN_%s, ", kinds[token->kind]);
        text_format(&emitter->text, token->literal ? "'%c', %u}, " : "%d, %u}, ", token->literal,
                    token->operand);
    }
    put(emitter, "};\n");
}

void emit_condition(struct emitter *emitter, const char *name,
                    const struct spec_instruction *instruction, const struct spec_code *code)
{
    text_format(&emitter->text, "static bool %s(const int64_t *operand_values)\n{\n", name);
    for (size_t k = 0; k < instruction->operands.count; k++)
        if (spec_code_names(code, instruction->operands.items[k].name))
            text_format(&emitter->text, "    const int64_t %s = operand_values[%zu];\n",
                        instruction->operands.items[k].name, k);
    put(emitter, "    return (\n");
    emit_code(emitter, "        ", code, ");");
    put(emitter, "}\n");
}

static void emit_arguments(struct emitter *emitter, const char *owner, size_t step_index,
                           const struct spec_step *step)
{
    static const char *const kinds[] = {"OPERAND", "CONSTANT", "RELOCATED", "FIRST"};
    size_t count = step->instruction->operands.count;

    if (!count)
        return;
    text_format(&emitter->text, "static const struct isa_argument arguments_%s_%zu[] = {", owner,
                step_index);
    for (size_t i = 0; i < count; i++) {
        const struct isa_argument *argument = &step->arguments[i];
        text_format(&emitter->text, "{ISA_ARGUMENT_%s, %u, ", kinds[argument->kind],
                    argument->operand);
        emit_string(emitter, argument->operator_name);
        text_format(&emitter->text, ", %lld}, ", (long long)argument->constant);
    }
    put(emitter, "};\n");
}

static void emit_alias_parts(struct emitter *emitter, const struct spec_alias *alias)
{
    const char *owner = arena_format(emitter->spec->arena, "%u", alias->form);

    text_format(&emitter->text, "/* %s */\n", alias->text);
    emit_operands(emitter, owner, &alias->operands);
    emit_syntax(emitter, owner, &alias->syntax);
    for (size_t i = 0; i < alias->step_count; i++)
        emit_arguments(emitter, owner, i, &alias->steps[i]);
    text_format(&emitter->text, "static const struct isa_step steps_%s[] = {", owner);
    for (size_t i = 0; i < alias->step_count; i++) {
        const struct spec_instruction *instruction = alias->steps[i].instruction;
        text_format(&emitter->text, "{&isa_instructions[%u], ", instruction->index);
        if (instruction->operands.count)
            text_format(&emitter->text, "arguments_%s_%zu}, ", owner, i);
        else
            put(emitter, "NULL}, ");
    }
    put(emitter, "};\n");
}

/* `.needs = {{0x1, 0x0}}, ` */
void emit_needs(struct emitter *emitter, const struct isa_needs *needs)
{
    put(emitter, ".needs = {{");
    for (unsigned i = 0; i < ISA_NEEDS; i++)
        text_format(&emitter->text, "%#llx, ", (unsigned long long)needs->any[i]);
    put(emitter, "}}, ");
}

static void emit_form(struct emitter *emitter, const struct spec_form *form)
{
    const struct spec_instruction *instruction = form->instruction;
    const struct spec_alias *alias = form->alias;
    const char *owner =
        instruction ? instruction->mangled : arena_format(emitter->spec->arena, "%u", alias->form);
    const struct spec_operands *operands = instruction ? &instruction->operands : &alias->operands;
    const struct spec_syntax *syntax = instruction ? &instruction->syntax : &alias->syntax;

    text_format(&emitter->text, "    {.mnemonic = \"%s\", ", form->mnemonic);
    if (syntax->count)
        text_format(&emitter->text, ".syntax = syntax_%s, .syntax_count = %zu, ", owner,
                    syntax->count);
    if (operands->count)
        text_format(&emitter->text, ".operands = operands_%s, .operand_count = %zu, ", owner,
                    operands->count);
    if (alias)
        text_format(&emitter->text, ".steps = steps_%s, .step_count = %zu, .expander = %d, ", owner,
                    alias->step_count, alias->expander);
    emit_needs(emitter, instruction ? &instruction->needs : &alias->needs);
    text_format(&emitter->text,
                ".instruction = &%s[%u], .extension = \"%s\", .print = %d, .pic = %d, "
                ".fills = %d},\n",
                instruction && instruction->generic ? "insn_instructions" : "isa_instructions",
                (instruction ? instruction : alias->steps[0].instruction)->index,
                (instruction ? instruction->extension : alias->extension)->name,
                instruction ? !instruction->generic : alias->print, alias && alias->pic,
                alias && alias->fills);
}

/* Writes the forms of .insn: layouts in the shape of instructions that are never decoded. */
static void emit_insn_forms(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    for (size_t i = 0; i < spec->insn_form_count; i++) {
        const struct spec_instruction *form = spec->insn_forms[i].instruction;
        emit_operands(emitter, form->mangled, &form->operands);
        emit_syntax(emitter, form->mangled, &form->syntax);
    }
    put(emitter, "static const struct isa_instruction insn_instructions[] = {\n");
    for (size_t i = 0; i < spec->insn_form_count; i++) {
        const struct spec_instruction *form = spec->insn_forms[i].instruction;
        text_format(&emitter->text,
                    "    {.mnemonic = \".insn %s\", .match = %#llx, .mask = %#llx, .form = "
                    "&isa_insn_forms[%zu], .extension = \"%s\", .operands = operands_%s, "
                    ".operand_count = %zu, .length = %u, .generic = true},\n",
                    form->mnemonic, (unsigned long long)form->match, (unsigned long long)form->mask,
                    i, form->extension->name, form->mangled, form->operands.count,
                    form->layout->bits / 8);
    }
    put(emitter, spec->insn_form_count ? "};\n" : "    {0},\n};\n");
    put(emitter, "const struct isa_form isa_insn_forms[] = {\n");
    for (size_t i = 0; i < spec->insn_form_count; i++)
        emit_form(emitter, &spec->insn_forms[i]);
    text_format(&emitter->text, "%s};\nconst size_t isa_insn_form_count = %zu;\n\n",
                spec->insn_form_count ? "" : "    {0},\n", spec->insn_form_count);
}

/* Declares operand_values[i] under the operand's name, for the operands that the expression
 * names. */
static void emit_constraints(struct emitter *emitter, const struct spec_instruction *instruction)
{
    for (size_t i = 0; i < instruction->constraint_count; i++) {
        const char *name =
            arena_format(emitter->spec->arena, "constraint_%s_%zu", instruction->mangled, i);
        emit_condition(emitter, name, instruction, &instruction->constraints[i].require);
    }
    if (!instruction->constraint_count)
        return;
    text_format(&emitter->text, "static const struct isa_constraint constraints_%s[] = {\n",
                instruction->mangled);
    for (size_t i = 0; i < instruction->constraint_count; i++) {
        text_format(&emitter->text, "    {constraint_%s_%zu, ", instruction->mangled, i);
        emit_string(emitter, instruction->constraints[i].message);
        put(emitter, "},\n");
    }
    put(emitter, "};\n");
}

/* Lists the aliases that print the instruction, in the order of the files, and returns their
 * number. */
static size_t emit_alias_list(struct emitter *emitter, const struct spec_instruction *instruction)
{
    const struct spec *spec = emitter->spec;
    size_t count = 0;

    for (size_t i = 0; i < spec->alias_count; i++) {
        const struct spec_alias *alias = &spec->aliases[i];
        if (!alias->print || alias->steps[0].instruction != instruction)
            continue;
        if (!count++)
            text_format(&emitter->text, "static const struct isa_form *const aliases_%s[] = {",
                        instruction->mangled);
        text_format(&emitter->text, "&isa_forms[%u], ", alias->form);
    }
    if (count)
        put(emitter, "};\n");
    return count;
}

/* ---- compressed instructions ---- */

static void emit_compression(struct emitter *emitter, const struct spec_instruction *instruction,
                             size_t pattern)
{
    const struct spec_step *step = &instruction->patterns[pattern];

    text_format(&emitter->text, "{&isa_instructions[%u], {&isa_instructions[%u], ",
                instruction->index, step->instruction->index);
    if (step->instruction->operands.count)
        text_format(&emitter->text, "arguments_%s_%zu}}", instruction->mangled, pattern);
    else
        put(emitter, "NULL}}");
}

/* Writes the members that only a compressed instruction has: expansion, hint, forms that print
 * it. */
static void emit_compressed_parts(struct emitter *emitter,
                                  const struct spec_instruction *instruction)
{
    const char *name = instruction->mangled;
    const struct spec *spec = emitter->spec;

    for (size_t i = 0; i < instruction->pattern_count; i++)
        emit_arguments(emitter, name, i, &instruction->patterns[i]);
    text_format(&emitter->text, "static const struct isa_compression expansion_%s = ", name);
    emit_compression(emitter, instruction, 0);
    put(emitter, ";\n");
    if (instruction->hint.text)
        emit_condition(emitter, arena_format(spec->arena, "hint_%s", name), instruction,
                       &instruction->hint);
    if (instruction->always_hint)
        text_format(&emitter->text,
                    "static bool hint_%s(const int64_t *operand_values)\n{\n"
                    "    (void)operand_values;\n    return true;\n}\n",
                    name);
    if (!instruction->print_count)
        return;
    text_format(&emitter->text, "static const struct isa_form *const prints_%s[] = {", name);
    for (size_t i = 0; i < instruction->print_count; i++) {
        size_t index = 0;
        while (spec_next_print(spec, instruction, instruction->prints[i], &index))
            text_format(&emitter->text, "&isa_forms[%zu], ", index - 1);
    }
    put(emitter, "};\n");
}

/* Lists the ways to compress an instruction, in the order of the files, and returns their
 * number. */
static size_t emit_compressions(struct emitter *emitter, const struct spec_instruction *base)
{
    const struct spec *spec = emitter->spec;
    size_t count = 0;

    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        for (size_t k = 0; k < instruction->pattern_count; k++) {
            if (instruction->patterns[k].instruction != base)
                continue;
            if (!count++)
                text_format(&emitter->text,
                            "static const struct isa_compression compressions_%s[] = {\n",
                            base->mangled);
            put(emitter, "    ");
            emit_compression(emitter, instruction, k);
            put(emitter, ",\n");
        }
    }
    if (count)
        put(emitter, "};\n");
    return count;
}

static void emit_compressed_fields(struct emitter *emitter,
                                   const struct spec_instruction *instruction)
{
    const char *name = instruction->mangled;

    text_format(&emitter->text, ".expansion = &expansion_%s, .alias_only = %d, ", name,
                instruction->alias_only);
    if (instruction->hint.text || instruction->always_hint)
        text_format(&emitter->text, ".hint = hint_%s, ", name);
    if (instruction->print_count)
        text_format(&emitter->text,
                    ".prints = prints_%s, .print_count = sizeof prints_%s / sizeof *prints_%s, ",
                    name, name, name);
}

/* Can the operand's field hold a reserved value (isa_fits)? */
static bool is_checked(const struct spec_operand *operand)
{
    const struct spec_operand_type *type = operand->type;
    uint64_t values = UINT64_C(1) << operand->field->bits;

    switch (type->kind) {
    case ISA_REGISTER:
        return !type->file || type->except ||
               (type->count ? type->count : type->file->count) < values;
    case ISA_IMMEDIATE:
    case ISA_TARGET:
        return type->nonzero;
    case ISA_ENUM:
    case ISA_SET:
        return !type->values->decodes_reserved;
    case ISA_CSR:
        return false;
    default:
        return true;
    }
}

unsigned emit_checked_operands(const struct spec_operands *operands)
{
    unsigned checked = 0;

    for (size_t i = 0; i < operands->count; i++)
        checked |= (unsigned)is_checked(&operands->items[i]) << i;
    return checked;
}

static void emit_instruction(struct emitter *emitter, const struct spec_instruction *instruction,
                             size_t aliases, size_t compressions)
{
    const char *name = instruction->mangled;
    const struct spec_class *timing =
        (instruction->compressed ? instruction->patterns[0].instruction : instruction)->timing;

    text_format(&emitter->text,
                "    {.mnemonic = \"%s\", .match = %#llx, .mask = %#llx, .reserved = %#llx, ",
                instruction->mnemonic, (unsigned long long)instruction->match,
                (unsigned long long)instruction->mask, (unsigned long long)instruction->reserved);
    text_format(&emitter->text,
                ".form = &isa_forms[%u], .extension = \"%s\", .timing = &isa_classes[%u], ",
                instruction->form, instruction->extension->name, timing->index);
    emit_needs(emitter, &instruction->needs);
    if (instruction->operands.count)
        text_format(&emitter->text,
                    ".operands = operands_%s, .operand_count = %zu, .checked = %#x, ", name,
                    instruction->operands.count, emit_checked_operands(&instruction->operands));
    if (aliases)
        text_format(&emitter->text, ".aliases = aliases_%s, .alias_count = %zu, ", name, aliases);
    if (instruction->constraint_count)
        text_format(&emitter->text, ".constraints = constraints_%s, .constraint_count = %zu, ",
                    name, instruction->constraint_count);
    if (instruction->sizes)
        text_format(&emitter->text, ".sizes = %#x, ", instruction->sizes);
    for (unsigned i = 0; i < instruction->shape_count; i++)
        text_format(&emitter->text, ".shape[%u] = %u, ", i, instruction->shape[i]);
    if (instruction->shape_count)
        text_format(&emitter->text, ".shape_count = %u, ", instruction->shape_count);
    if (instruction->inverse)
        text_format(&emitter->text,
                    ".inverse = &isa_instructions[%u], .jump = &isa_instructions[%u], ",
                    instruction->inverse->index, instruction->jump->index);
    if (compressions)
        text_format(&emitter->text, ".compressions = compressions_%s, .compression_count = %zu, ",
                    name, compressions);
    if (instruction->compressed)
        emit_compressed_fields(emitter, instruction);
    put(emitter, ".file = ");
    emit_string(emitter, instruction->at.file->name);
    text_format(&emitter->text,
                ", .line = %u, .digest = 0x%llx, .id = %u, .length = %u, .effects = %s, .only_64 = "
                "%d, .privileged = %d},\n",
                instruction->at.line,
                (unsigned long long)spec_instruction_digest(emitter->spec, instruction),
                instruction->index, instruction->layout->bits / 8,
                spec_effects_text(emitter->spec, instruction->effects), instruction->only_64,
                instruction->privileged);
}

void emit_forms(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;
    size_t count = spec->instructions.count;
    size_t *aliases = arena_array(spec->arena, count + 1, sizeof *aliases);
    size_t *compressions = arena_array(spec->arena, count + 1, sizeof *compressions);

    for (size_t i = 0; i < count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        emit_operands(emitter, instruction->mangled, &instruction->operands);
        emit_syntax(emitter, instruction->mangled, &instruction->syntax);
        emit_constraints(emitter, instruction);
        aliases[i] = emit_alias_list(emitter, instruction);
        if (instruction->compressed)
            emit_compressed_parts(emitter, instruction);
    }
    for (size_t i = 0; i < count; i++)
        compressions[i] =
            emit_compressions(emitter, SPEC_AT(spec->instructions, i, struct spec_instruction));
    for (size_t i = 0; i < spec->alias_count; i++)
        emit_alias_parts(emitter, &spec->aliases[i]);

    put(emitter, "const struct isa_form isa_forms[] = {\n");
    for (size_t i = 0; i < spec->form_count; i++)
        emit_form(emitter, &spec->forms[i]);
    text_format(&emitter->text, "%s};\nconst size_t isa_form_count = %zu;\n\n",
                spec->form_count ? "" : "    {0},\n", spec->form_count);
    put(emitter, "const struct isa_instruction isa_instructions[] = {\n");
    for (size_t i = 0; i < count; i++)
        emit_instruction(emitter, SPEC_AT(spec->instructions, i, struct spec_instruction),
                         aliases[i], compressions[i]);
    text_format(&emitter->text, "%s};\nconst size_t isa_instruction_count = %zu;\n\n",
                count ? "" : "    {0},\n", count);
    emit_insn_forms(emitter);
}
