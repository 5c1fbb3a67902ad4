/*
 * The page of an instruction in the manual. Ranges are computed from field widths, and the
 * operation is the body that the emulator runs.
 */
#include "isa/isagen/manual.h"

#include <ctype.h>
#include <string.h>

/* Describes the bits of a register of a file that is not standard, as an operation sees them. */
static void describe_view(struct text *text, const struct spec_operand_type *type)
{
    if (type->view_count > 1)
        text_format(text, ", as an array of %llu", (unsigned long long)type->view_count);
    else
        text_append(text, ", as one");
    if (type->view_element)
        text_format(text, " `%s`, raw bits in `uint%llu_t`", type->view_element->name,
                    (unsigned long long)type->view_bits);
    else
        text_format(text, " `uint%llu_t`", (unsigned long long)type->view_bits);
}

static void describe_registers(struct text *text, const struct spec_operand_type *type)
{
    static const char *const accesses[] = {"", "read", "written", "read and written"};

    if (type->kind == ISA_REGISTER_GROUP)
        text_format(text, "%llu consecutive `%s` registers, the first a multiple of %llu",
                    (unsigned long long)type->group_count, type->file->name,
                    (unsigned long long)type->group_count);
    else
        text_format(text, "`%s` register", type->file->name);
    if (type->count > 1)
        text_format(text, " from %llu to %llu", (unsigned long long)type->first,
                    (unsigned long long)(type->first + type->count - 1));
    for (unsigned i = 0; i < 64; i++)
        if (type->except >> i & 1)
            text_format(text, ", not %u", i);
    text_format(text, ", %s", accesses[type->access]);
    if (type->view == ISA_VIEW_F32)
        text_append(text, ", as a NaN-boxed 32-bit float");
    else if (type->view == ISA_VIEW_RAW32)
        text_append(text, ", the low 32 bits");
    else if (type->view == ISA_VIEW_F16)
        text_append(text, ", as a NaN-boxed 16-bit float");
    else if (type->view == ISA_VIEW_RAW16)
        text_append(text, ", the low 16 bits");
    else if (type->view == ISA_VIEW_BITS)
        describe_view(text, type);
}

/* Writes the pattern of a reg-or-imm field as in the description. */
static void append_pattern(struct text *text, const struct spec_operand *operand, uint64_t mask,
                           uint64_t match, char letter)
{
    text_append_char(text, '`');
    for (unsigned bit = operand->field->bits; bit--;)
        text_append_char(text, !(mask >> bit & 1) ? letter : match >> bit & 1 ? '1' : '0');
    text_append_char(text, '`');
}

/* Explains how a reg-or-imm field distinguishes a register from an immediate. */
static void describe_selector(struct text *text, const struct spec_operand *operand)
{
    const struct spec_operand_type *type = operand->type;

    text_append(text, "; a register is ");
    append_pattern(text, operand, type->register_mask, type->register_match, 'r');
    text_append(text, ", an immediate ");
    append_pattern(text, operand, type->immediate_mask, type->immediate_match, 'i');
}

static void describe_values(struct text *text, const struct spec_operand_type *type)
{
    const struct spec_enum *values = type->values;

    if (type->kind == ISA_SET)
        text_append(text, "any of the letters");
    else
        text_append(text, "one of");
    for (size_t i = 0; i < values->count; i++)
        text_format(text, "%s `%s` (%u)", i ? "," : "", values->values[i].name,
                    values->values[i].value);
}

static void describe_range(struct text *text, const struct spec_operand *operand)
{
    const struct spec_operand_type *type = operand->type;
    int64_t minimum, maximum, step = INT64_C(1) << operand->field->lowest;

    spec_range(type, &minimum, &maximum);
    text_format(text, "%s, %lld to %lld",
                type->kind == ISA_TARGET ? "distance from this instruction" : "immediate",
                (long long)minimum, (long long)(maximum & -step));
    if (step > 1)
        text_format(text, " in steps of %lld", (long long)step);
    if (type->nonzero)
        text_append(text, ", not 0");
    if (type->extends)
        text_format(text, ", extended to %llu bits", (unsigned long long)type->extends);
    if (type->also_negative)
        text_append(text, "; negative numbers of the same width are taken too");
}

/* Writes the default as the assembler would accept it: a name if there is one. */
static void describe_default(struct text *text, const struct spec_operand_type *type)
{
    uint64_t rest = (uint64_t)type->default_value;

    text_append(text, "; may be left out where the syntax has [ ], then `");
    for (size_t i = 0; type->values && i < type->values->count; i++) {
        const struct isa_named_value *value = &type->values->values[i];
        bool chosen = type->kind == ISA_SET ? (value->value & rest) != 0 : value->value == rest;
        if (chosen)
            text_append(text, value->name);
    }
    if (!type->values)
        text_format(text, "%lld", (long long)type->default_value);
    text_append(text, "`");
}

static void emit_operand(struct emitter *emitter, const struct spec_operand *operand)
{
    const struct spec_operand_type *type = operand->type;
    struct text *text = &emitter->text;

    text_format(text, "- `%s`: ", operand->name);
    switch (type->kind) {
    case ISA_REGISTER:
    case ISA_REGISTER_GROUP:
        describe_registers(text, type);
        break;
    case ISA_REGISTER_OR_IMMEDIATE:
        text_format(text, "`%s` register or immediate from 0 to %u", type->file->name,
                    (1u << type->immediate_bits) - 1);
        break;
    case ISA_IMMEDIATE:
    case ISA_TARGET:
        describe_range(text, operand);
        break;
    case ISA_ENUM:
    case ISA_SET:
        describe_values(text, type);
        break;
    default:
        text_append(text, "name or number of a control and status register");
    }
    text_format(text, " (%s)", type->summary);
    if (type->kind == ISA_REGISTER_OR_IMMEDIATE)
        describe_selector(text, operand);
    if (type->has_default)
        describe_default(text, type);
    text_append(text, "\n");
}

/* Writes the fixed bits, for readers who have an encoding and look for its instruction. */
static void emit_match(struct emitter *emitter, const struct spec_instruction *instruction)
{
    int digits = (int)instruction->layout->bits / 4;

    text_format(&emitter->text, "Fixed and reserved bits: `word & 0x%0*llx` is `0x%0*llx`.\n\n",
                digits, (unsigned long long)instruction->mask, digits,
                (unsigned long long)instruction->match);
}

/* Writes "Element types: `T` is `f16` (IEEE 754 binary16), `S` is `f32` (IEEE 754 binary32)." */
static void emit_element_names(struct emitter *emitter, const struct spec_choice *elements)
{
    for (size_t i = 0; i < elements->count; i++) {
        const struct spec_element *element = elements->names[i].element;
        text_append(&emitter->text, i                     ? ", "
                                    : elements->count > 1 ? "Element types: "
                                                          : "Element type: ");
        text_format(&emitter->text, "`%s` is `%s` (%s)", elements->names[i].name, element->name,
                    element->summary);
    }
    text_append(&emitter->text, elements->count ? ".\n\n" : "");
}

static void emit_operands(struct emitter *emitter, const struct spec_instruction *instruction)
{
    emit_element_names(emitter, &instruction->elements);
    if (!instruction->operands.count)
        return;
    text_append(&emitter->text, "Operands:\n\n");
    for (size_t i = 0; i < instruction->operands.count; i++)
        emit_operand(emitter, &instruction->operands.items[i]);
    for (size_t i = 0; i < instruction->constraint_count; i++)
        text_format(&emitter->text, "- constraint `%s`: %s\n",
                    instruction->constraints[i].require.text, instruction->constraints[i].message);
    text_append_char(&emitter->text, '\n');
}

/* Writes C with an indentation. */
static void emit_indented(struct text *text, const char *code)
{
    for (const char *at = code, *end; *at; at = *end ? end + 1 : end) {
        end = strchrnul(at, '\n');
        if (end > at)
            text_append(text, "    ");
        text_append_bytes(text, at, (size_t)(end - at));
        text_append_char(text, '\n');
    }
}

/* Writes a function as C, with its summary as a comment that is a sentence. */
static void emit_function(struct text *text, const struct spec_function *function)
{
    text_format(text, "\n/* %c%s. */\n%s %s(", toupper((unsigned char)function->summary[0]),
                function->summary + 1, function->returns, function->name);
    for (size_t i = 0; i < function->argument_count; i++)
        text_format(text, "%s%s %s", i ? ", " : "", function->arguments[i].c_type,
                    function->arguments[i].name);
    text_format(text, "%s)\n{\n", function->argument_count ? "" : "void");
    emit_indented(text, function->semantics.text);
    text_append(text, "}\n");
}

static void emit_functions(struct emitter *emitter, const struct spec_code *code)
{
    const struct spec_used used = spec_used_functions(emitter->spec, code);

    for (size_t i = 0; i < used.count; i++)
        emit_function(&emitter->text, used.items[i]);
}

static void emit_operation(struct emitter *emitter, const struct spec_instruction *instruction)
{
    const char *body = instruction->semantics.text;

    if (strcmp(body, ";") == 0 || strcmp(body, ";\n") == 0) {
        text_append(&emitter->text, "Operation: none.\n\n");
    } else {
        text_format(&emitter->text, "Operation:\n\n```c\n%s%s", body,
                    body[strlen(body) - 1] == '\n' ? "" : "\n");
        emit_functions(emitter, &instruction->semantics);
        text_append(&emitter->text, "```\n\n");
    }
}

/* Writes an expression between words, or a body as a code block. */
static void emit_time_code(struct text *text, const char *what, const struct spec_code *code)
{
    size_t length = strlen(code->text);

    length -= length && code->text[length - 1] == '\n';
    if (spec_is_statement(code) || strchr(code->text, '`'))
        text_format(text, "%s:\n\n```c\n%.*s\n```\n\n", what, (int)length, code->text);
    else
        text_format(text, "%s: `%.*s`\n\n", what, (int)length, code->text);
}

/* Writes the functions of cycles and occupancy, each once. */
static void emit_time_functions(struct emitter *emitter, const struct spec_instruction *instruction)
{
    const struct spec_used cycles = spec_used_functions(emitter->spec, &instruction->cycles);
    struct spec_used occupancy = {0};
    size_t shown = 0;

    if (instruction->occupancy.text)
        occupancy = spec_used_functions(emitter->spec, &instruction->occupancy);
    for (size_t i = 0; i < cycles.count + occupancy.count; i++) {
        const struct spec_function *function =
            i < cycles.count ? cycles.items[i] : occupancy.items[i - cycles.count];
        bool is_repeated = false;
        for (size_t k = 0; i >= cycles.count && k < cycles.count; k++)
            is_repeated |= cycles.items[k] == function;
        if (is_repeated)
            continue;
        text_append(&emitter->text, shown++ ? "" : "```c");
        emit_function(&emitter->text, function);
    }
    text_append(&emitter->text, shown ? "```\n\n" : "");
}

static void emit_time(struct emitter *emitter, const struct spec_instruction *instruction)
{
    const struct spec_class *timing = instruction->timing;
    struct text *text = &emitter->text;

    text_format(text, "Timing class: %s (%s", timing->name, timing->summary);
    if (timing->latency)
        text_format(text, ", %llu cycle%s", (unsigned long long)timing->latency,
                    timing->latency == 1 ? "" : "s");
    text_append(text, ").\n\n");
    if (!instruction->cycles.text)
        return;
    emit_time_code(text, "Cycles", &instruction->cycles);
    if (instruction->occupancy.text)
        emit_time_code(text, "Occupancy", &instruction->occupancy);
    emit_time_functions(emitter, instruction);
}

static void emit_traps(struct emitter *emitter, const struct spec_instruction *instruction)
{
    if (instruction->trap_count > 1) {
        text_append(&emitter->text, "Traps:\n\n");
        for (size_t i = 0; i < instruction->trap_count; i++)
            text_format(&emitter->text, "- %s\n", instruction->traps[i]);
        text_append_char(&emitter->text, '\n');
    } else {
        text_format(&emitter->text, "Traps: %s.\n\n",
                    instruction->trap_count ? instruction->traps[0] : "none");
    }
    emit_time(emitter, instruction);
    if (instruction->inverse)
        text_format(&emitter->text,
                    "Beyond its range the assembler writes `%s` over a `%s` instead.\n\n",
                    instruction->inverse->mnemonic, instruction->jump->mnemonic);
}

/* Writes the page of a compressed instruction, which refers to the base for operation, traps and
 * class. */
static void emit_base(struct emitter *emitter, const struct spec_instruction *instruction)
{
    struct text *text = &emitter->text;
    const struct node *expands = node_get(instruction->node, "expands"),
                      *also = node_get(instruction->node, "also");

    text_format(text, "Operation: that of `%s` (", expands->text);
    emit_link(emitter, instruction->patterns[0].instruction->mnemonic,
              instruction->patterns[0].instruction->mnemonic);
    text_append(text, ").\n\n");
    for (size_t i = 0; also && i < also->count; i++)
        text_format(text, "%s`%s`%s", i ? ", " : "The assembler writes it for ",
                    also->items[i]->text, i + 1 == also->count ? ", too.\n\n" : "");
    if (instruction->alias_only)
        text_append(text,
                    "The assembler chooses it for aliases only, not for the instruction written "
                    "in full.\n\n");
    if (instruction->always_hint)
        text_append(text, "A HINT: it changes nothing, and the assembler does not choose it.\n\n");
    else if (instruction->hint.text)
        text_format(text,
                    "A HINT, which changes nothing and which the assembler does not choose, when "
                    "`%s`.\n\n",
                    instruction->hint.text);
}

static void emit_shorter(struct emitter *emitter, const struct spec_instruction *base)
{
    const struct spec *spec = emitter->spec;
    bool any = false;

    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (!instruction->compressed || instruction->patterns[0].instruction != base)
            continue;
        text_append(&emitter->text, any ? ", " : "Compressed: ");
        emit_link(emitter, instruction->mnemonic, instruction->mnemonic);
        any = true;
    }
    if (any)
        text_append(&emitter->text, ".\n\n");
}

static bool expands_to(const struct spec_alias *alias, const struct spec_instruction *instruction)
{
    for (size_t i = 0; i < alias->step_count; i++)
        if (alias->steps[i].instruction == instruction)
            return true;
    return false;
}

static void emit_aliases(struct emitter *emitter, const struct spec_instruction *instruction)
{
    const struct spec *spec = emitter->spec;
    bool any = false;

    for (size_t i = 0; i < spec->alias_count; i++) {
        const struct spec_alias *alias = &spec->aliases[i];
        if (alias->step_count != 1 || !expands_to(alias, instruction))
            continue;
        text_append(&emitter->text, any ? "" : "Aliases:\n\n");
        text_format(&emitter->text, "- `%s` is `%s`%s\n", alias->text, alias->expansion,
                    alias->print ? "" : " (not used by the disassembler)");
        any = true;
    }
    if (any)
        text_append_char(&emitter->text, '\n');
}

/* Lists the aliases that expand to several instructions, among them this one. */
static void emit_sequences(struct emitter *emitter, const struct spec_instruction *instruction)
{
    const struct spec *spec = emitter->spec;
    const char *last = NULL;

    for (size_t i = 0; i < spec->form_count; i++) {
        const struct spec_alias *alias = spec->forms[i].alias;
        if (!alias || alias->step_count == 1 || !expands_to(alias, instruction) ||
            (last && strcmp(last, alias->mnemonic) == 0))
            continue;
        text_append(&emitter->text, last ? ", " : "Part of ");
        text_format(&emitter->text, "`%s`", alias->mnemonic);
        last = alias->mnemonic;
    }
    if (last) {
        text_append(&emitter->text, "; see ");
        emit_link(emitter, MANUAL_ALIASES, MANUAL_ALIASES);
        text_append(&emitter->text, ".\n\n");
    }
}

static void emit_relocations(struct emitter *emitter, const struct spec_instruction *instruction)
{
    const struct spec *spec = emitter->spec;
    bool any = false;

    for (size_t i = 0; i < instruction->operands.count; i++) {
        const struct spec_operand *operand = &instruction->operands.items[i];
        for (size_t k = 0; k < spec->relocations.count; k++) {
            const struct spec_relocation *relocation = spec->relocations_by_number[k];
            if (relocation->field != operand->field)
                continue;
            text_append(&emitter->text, any ? "" : "Relocations:\n\n");
            text_format(&emitter->text, "- `%s`: %s", operand->name, relocation->name);
            if (relocation->operator_name)
                text_format(&emitter->text, " by `%%%s(symbol)`", relocation->operator_name);
            text_append_char(&emitter->text, '\n');
            any = true;
        }
    }
    if (any)
        text_append_char(&emitter->text, '\n');
}

void emit_page(struct emitter *emitter, const struct spec_instruction *instruction)
{
    struct text *text = &emitter->text;

    text_format(text, "### %s\n\n%s.\n\n", instruction->mnemonic, instruction->summary);
    text_format(text, "Syntax: `%s%s%s`\n\n", instruction->mnemonic,
                instruction->syntax.count ? " " : "",
                instruction->syntax.count ? instruction->syntax.text : "");
    text_format(text, "Encoding, %u bits:\n\n", instruction->layout->bits);
    emit_diagram(emitter, instruction);
    emit_match(emitter, instruction);
    emit_operands(emitter, instruction);
    if (instruction->description)
        text_format(text, "%s%s\n", instruction->description,
                    instruction->description[strlen(instruction->description) - 1] == '\n' ? ""
                                                                                           : "\n");
    if (instruction->compressed) {
        emit_base(emitter, instruction);
    } else {
        emit_operation(emitter, instruction);
        emit_traps(emitter, instruction);
        emit_shorter(emitter, instruction);
    }
    emit_aliases(emitter, instruction);
    emit_sequences(emitter, instruction);
    emit_relocations(emitter, instruction);
    if (instruction->example)
        text_format(text, "Example:\n\n```\n%s%s```\n\n", instruction->example,
                    instruction->example[strlen(instruction->example) - 1] == '\n' ? "" : "\n");
    if (instruction->source)
        text_format(text, "Source: %s.\n\n", instruction->source);
}
