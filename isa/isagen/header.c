/*
 * tensor.h: the vendor extensions (their names begin with x) for C programs. Each instruction is an
 * inline function that any gcc or clang for RISC-V compiles: the statement is an `.insn` with the
 * whole word, which the assembler computes.
 *
 * Only the compiler knows the registers, and it prints their names. Therefore each statement brings
 * a table of assembler symbols, one for each register name, whose value is the operand's field:
 * `.Ltensor.ri8.a0`. A small immediate is also a name in the table. The table is defined once in
 * each assembly. Register groups use fixed registers, since no constraint can ask for a group.
 *
 * A compiler knows nothing of register files that are not standard. The program allocates such
 * registers and gives their numbers, as constants. So that an assembler constant is possible
 * without optimization, too, an instruction with such operands is a macro.
 */
#include "isa/isagen/emit.h"

#include <string.h>

/* The immediates that the compilers' constraint K accepts: 0 to 31. */
enum { SMALL_BITS = 5, SMALL_COUNT = 1 << SMALL_BITS };

static const char head[] =
    "#ifndef TENSOR_H\n"
    "#define TENSOR_H\n\n"
    "#include <stdint.h>\n\n"
    "#if !defined __riscv || __riscv_xlen != 64 || !defined __riscv_flen || __riscv_flen < 64\n"
    "#error \"tensor.h: for RV64 with F and D; compile with -march=rv64gc or the like\"\n"
    "#endif\n\n"
    "/* All functions may read and write memory and the state of the units, so that they are kept "
    "in order. Operands\n"
    "   that the instruction takes as register or immediate are immediates when they are constants "
    "up to 31. */\n"
    "#if defined __GNUC__ && !defined __clang__ && __GNUC__ >= 9\n"
    "#define TENSOR_ASM_ __asm__ __volatile__ __inline__ /* counts as one instruction for inlining "
    "*/\n"
    "#else\n"
    "#define TENSOR_ASM_ __asm__ __volatile__\n"
    "#endif\n\n";

static bool is_vendor(const struct spec_instruction *instruction)
{
    return instruction->extension->name[0] == 'x';
}

/* Is the operand a register, or a group, of a file that the compiler does not know? */
static bool is_own(const struct spec_operand_type *type)
{
    return (type->kind == ISA_REGISTER || type->kind == ISA_REGISTER_GROUP) &&
           !type->file->standard;
}

/* An operand that a function can pass on. */
static bool is_passable(const struct spec_operand_type *type)
{
    if (type->file && !type->file->standard)
        return false;
    switch (type->kind) {
    case ISA_REGISTER:
        return type->view != ISA_VIEW_RAW32 || type->access == ISA_READ;
    case ISA_REGISTER_OR_IMMEDIATE:
        return true;
    case ISA_REGISTER_GROUP:
        return type->view == ISA_VIEW_RAW32;
    default:
        return false;
    }
}

/* Returns the index of the operand that is the function's value: the only standard register that is
 * written. -1: none; -2: there are several, or it is read too. */
static int result_of(const struct spec_instruction *instruction)
{
    int result = -1;

    for (size_t i = 0; i < instruction->operands.count; i++) {
        const struct spec_operand_type *type = instruction->operands.items[i].type;
        if (type->kind == ISA_REGISTER && type->file->standard && type->access & ISA_WRITE)
            result = result == -1 && type->access == ISA_WRITE ? (int)i : -2;
    }
    return result;
}

static bool has_function(const struct spec_instruction *instruction)
{
    bool passable = is_vendor(instruction) && result_of(instruction) != -2;

    for (size_t i = 0; i < instruction->operands.count; i++)
        passable = passable && is_passable(instruction->operands.items[i].type);
    return passable;
}

/* Is the operand a constant of a macro? */
static bool is_constant(const struct spec_operand_type *type)
{
    return is_own(type) || type->kind == ISA_IMMEDIATE;
}

/* Can a macro pass the operands, of which some have to be constants? */
static bool has_macro(const struct spec_instruction *instruction)
{
    bool passable = is_vendor(instruction) && result_of(instruction) != -2, any = false;

    for (size_t i = 0; i < instruction->operands.count; i++) {
        const struct spec_operand_type *type = instruction->operands.items[i].type;
        any = any || is_constant(type);
        passable = passable &&
                   (is_constant(type) || (is_passable(type) && type->kind != ISA_REGISTER_GROUP));
    }
    return passable && any;
}

/* ---- the table of symbols ---- */

static bool in_table(const struct spec *spec, const struct spec_operand_type *type)
{
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        bool is_shown = has_function(instruction) || has_macro(instruction);
        for (size_t k = 0; is_shown && k < instruction->operands.count; k++)
            if (instruction->operands.items[k].type == type && type->kind != ISA_REGISTER_GROUP &&
                !is_constant(type))
                return true;
    }
    return false;
}

/* Writes `.set .Ltensor.ri8.\r, .Ltensor.n | match` for each type of the file; `immediate`: for the
 * types that have immediates. */
static void emit_entries(struct emitter *emitter, const struct spec_register_file *file,
                         bool immediate)
{
    const struct spec *spec = emitter->spec;

    for (size_t i = 0; i < spec->operand_types.count; i++) {
        const struct spec_operand_type *type =
            SPEC_AT(spec->operand_types, i, struct spec_operand_type);
        if (!in_table(spec, type) || (file && type->file != file) ||
            (immediate && type->kind != ISA_REGISTER_OR_IMMEDIATE))
            continue;
        text_format(&emitter->text, "    \".set .Ltensor.%s.\\\\r, .Ltensor.n | 0x%llx;\" \\\n",
                    type->name,
                    (unsigned long long)(immediate ? type->immediate_match : type->register_match));
    }
}

static void emit_loop_end(struct emitter *emitter)
{
    text_append(&emitter->text, "    \".set .Ltensor.n, .Ltensor.n + 1; .endr;\" \\\n");
}

static void emit_table(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    text_append(&emitter->text, "#define TENSOR_TABLE_ \\\n    \".ifndef .Ltensor.n;\" \\\n");
    for (size_t i = 0; i < spec->register_files.count; i++) {
        const struct spec_register_file *file =
            SPEC_AT(spec->register_files, i, struct spec_register_file);
        if (!file->standard)
            continue;
        text_append(&emitter->text, "    \".set .Ltensor.n, 0; .irp r");
        for (size_t k = 0; k < file->count; k++)
            text_format(&emitter->text, ",%s", file->names[k]);
        text_append(&emitter->text, ";\" \\\n");
        emit_entries(emitter, file, false);
        emit_loop_end(emitter);
    }
    text_append(&emitter->text, "    \".set .Ltensor.n, 0; .irp r");
    for (unsigned k = 0; k < SMALL_COUNT; k++)
        text_format(&emitter->text, ",%u", k);
    text_append(&emitter->text, ";\" \\\n");
    emit_entries(emitter, NULL, true);
    emit_loop_end(emitter);
    text_append(&emitter->text, "    \".endif;\"\n");
}

/* ---- a function ---- */

static const char *c_type(const struct spec_operand_type *type)
{
    switch (type->view) {
    case ISA_VIEW_F32:
    case ISA_VIEW_RAW32:
        return type->kind == ISA_REGISTER_GROUP ? "uint32_t" : "float";
    case ISA_VIEW_F64:
        return "double";
    default:
        return "uint64_t";
    }
}

static void emit_comment(struct emitter *emitter, const struct spec_instruction *instruction)
{
    text_format(&emitter->text, "\n/* %s. `%s%s%s`\n   Source: %s. */\n", instruction->summary,
                instruction->mnemonic, instruction->syntax.count ? " " : "",
                instruction->syntax.count ? instruction->syntax.text : "",
                instruction->source ? instruction->source : instruction->extension->name);
}

/* Returns the operands but the result, in the order of the syntax, which has each once. */
static size_t parameters_of(const struct emitter *emitter,
                            const struct spec_instruction *instruction, int result,
                            const struct spec_operand ***parameters)
{
    const struct spec_syntax *syntax = &instruction->syntax;
    size_t count = 0;

    *parameters =
        arena_array(emitter->spec->arena, instruction->operands.count, sizeof **parameters);
    for (size_t i = 0; i < syntax->count; i++)
        if (syntax->tokens[i].kind == ISA_TOKEN_OPERAND && syntax->tokens[i].operand != result)
            (*parameters)[count++] = &instruction->operands.items[syntax->tokens[i].operand];
    return count;
}

static void emit_prototype(struct emitter *emitter, const struct spec_instruction *instruction,
                           int result)
{
    const struct spec_operands *operands = &instruction->operands;
    const struct spec_operand **parameters;
    size_t count = parameters_of(emitter, instruction, result, &parameters);
    const char *separator = "";

    text_format(&emitter->text, "static inline %s tensor_%s(",
                result < 0 ? "void" : c_type(operands->items[result].type), instruction->mangled);
    for (size_t i = 0; i < count; i++) {
        const struct spec_operand *operand = parameters[i];
        if (operand->type->kind == ISA_REGISTER_GROUP)
            text_format(&emitter->text, "%s%s%s %s[%llu]", separator,
                        operand->type->access & ISA_WRITE ? "" : "const ", c_type(operand->type),
                        operand->name, (unsigned long long)operand->type->group_count);
        else
            text_format(&emitter->text, "%s%s %s", separator, c_type(operand->type), operand->name);
        separator = ", ";
    }
    text_append(&emitter->text, *separator ? ")\n{\n" : "void)\n{\n");
}

/* Returns the first register of the group for an operand: groups in the order of the operands. */
static unsigned group_register(const struct spec_instruction *instruction, size_t index)
{
    unsigned number = 0;

    for (size_t i = 0; i < index; i++)
        if (instruction->operands.items[i].type->kind == ISA_REGISTER_GROUP)
            number += (unsigned)instruction->operands.items[i].type->group_count;
    return number;
}

/* Writes `line` for each register of every group, with the operand's name, the register's index in
 * the group and its name. */
static void each_group_register(struct emitter *emitter, const struct spec_instruction *instruction,
                                unsigned access,
                                void (*line)(struct text *text, const char *operand, unsigned index,
                                             const char *name))
{
    for (size_t i = 0; i < instruction->operands.count; i++) {
        const struct spec_operand *operand = &instruction->operands.items[i];
        if (operand->type->kind != ISA_REGISTER_GROUP || !(operand->type->access & access))
            continue;
        for (unsigned k = 0; k < operand->type->group_count; k++)
            line(&emitter->text, operand->name, k,
                 operand->type->file->names[group_register(instruction, i) + k]);
    }
}

/* Values are assigned to plain variables first: a call between the assignments of two fixed
 * registers could destroy the first. */
static void line_value(struct text *text, const char *operand, unsigned index, const char *name)
{
    (void)name;
    text_format(text, "    union { uint32_t bits; float value; } %s_%u = {%s[%u]};\n", operand,
                index, operand, index);
}

static void line_register(struct text *text, const char *operand, unsigned index, const char *name)
{
    text_format(text, "    register float %s_in_%u __asm__(\"%s\") = %s_%u.value;\n", operand,
                index, name, operand, index);
}

static void line_out(struct text *text, const char *operand, unsigned index, const char *name)
{
    (void)name;
    text_format(text, "    %s_%u.value = %s_in_%u;\n", operand, index, operand, index);
}

static void line_store(struct text *text, const char *operand, unsigned index, const char *name)
{
    (void)name;
    text_format(text, "    %s[%u] = %s_%u.bits;\n", operand, index, operand, index);
}

/* Writes `| (field) << at` for each piece of an operand. */
static void emit_field(struct emitter *emitter, const struct spec_instruction *instruction,
                       size_t index)
{
    const struct spec_operand *operand = &instruction->operands.items[index];

    for (size_t i = 0; i < operand->field->piece_count; i++) {
        const struct isa_piece *piece = &operand->field->pieces[i];
        unsigned mask = (unsigned)((UINT64_C(1) << piece->width) - 1);
        text_append(&emitter->text, "\n        \" | (");
        if (operand->type->kind == ISA_REGISTER_GROUP)
            text_format(&emitter->text, "%u", group_register(instruction, index));
        else
            text_format(&emitter->text, ".Ltensor.%s.%%[%s]", operand->type->name, operand->name);
        text_format(&emitter->text, " >> %u & 0x%x) << %u\"", piece->value_lsb, mask,
                    piece->word_lsb);
    }
}

static const char *constraint(const struct spec_operand_type *type)
{
    if (type->kind == ISA_REGISTER_OR_IMMEDIATE && type->immediate_bits >= SMALL_BITS)
        return "rK";
    return type->file->standard == ISA_STANDARD_INTEGER ? "r" : "f";
}

static void emit_inputs(struct emitter *emitter, const struct spec_instruction *instruction,
                        bool written)
{
    const char *separator = "";

    for (size_t i = 0; i < instruction->operands.count; i++) {
        const struct spec_operand *operand = &instruction->operands.items[i];
        const struct spec_operand_type *type = operand->type;
        bool is_written = (type->kind == ISA_REGISTER || type->kind == ISA_REGISTER_GROUP) &&
                          type->access & ISA_WRITE;
        if (is_written != written)
            continue;
        const char *sign = !written ? "" : type->access & ISA_READ ? "+" : "=";
        if (type->kind != ISA_REGISTER_GROUP) {
            text_format(&emitter->text, "%s[%s] \"%s%s\"(%s)", separator, operand->name, sign,
                        constraint(type), operand->name);
            separator = ", ";
            continue;
        }
        for (unsigned k = 0; k < type->group_count; k++, separator = ", ")
            text_format(&emitter->text, "%s\"%sf\"(%s_in_%u)", separator, sign, operand->name, k);
    }
}

static void emit_function(struct emitter *emitter, const struct spec_instruction *instruction)
{
    int result = result_of(instruction);

    emit_comment(emitter, instruction);
    emit_prototype(emitter, instruction, result);
    if (result >= 0)
        text_format(&emitter->text, "    %s %s;\n",
                    c_type(instruction->operands.items[result].type),
                    instruction->operands.items[result].name);
    each_group_register(emitter, instruction, ISA_READ_WRITE, line_value);
    each_group_register(emitter, instruction, ISA_READ_WRITE, line_register);
    text_format(&emitter->text, "    TENSOR_ASM_(TENSOR_TABLE_ \".insn %u, 0x%llx\"",
                instruction->layout->bits / 8, (unsigned long long)instruction->match);
    for (size_t i = 0; i < instruction->operands.count; i++)
        emit_field(emitter, instruction, i);
    text_append(&emitter->text, "\n        : ");
    emit_inputs(emitter, instruction, true);
    text_append(&emitter->text, "\n        : ");
    emit_inputs(emitter, instruction, false);
    text_append(&emitter->text, "\n        : \"memory\");\n");
    each_group_register(emitter, instruction, ISA_WRITE, line_out);
    each_group_register(emitter, instruction, ISA_WRITE, line_store);
    if (result >= 0)
        text_format(&emitter->text, "    return %s;\n", instruction->operands.items[result].name);
    text_append(&emitter->text, "}\n");
}

/* ---- a macro ---- */

/* Writes what an argument must be: the number of a register, of the first of a group, or an
 * immediate of the range. */
static void emit_argument_check(struct emitter *emitter, const struct spec_operand *operand)
{
    const struct spec_operand_type *type = operand->type;
    struct text *text = &emitter->text;
    int64_t first = (int64_t)type->first, last, step = 1;

    if (type->kind == ISA_IMMEDIATE) {
        spec_range(type, &first, &last);
        step = INT64_C(1) << operand->field->lowest;
    } else {
        step = is_own(type) && type->group_count ? (int64_t)type->group_count : 1;
        last = (int64_t)(type->count ? type->first + type->count : type->file->count) - step;
    }
    text_format(text, "    _Static_assert((%s) >= %lld && (%s) <= %lld", operand->name,
                (long long)first, operand->name, (long long)last);
    if (step > 1)
        text_format(text, " && (%s) %% %lld == 0", operand->name, (long long)step);
    if (type->except)
        text_format(text, " && !(0x%llxULL >> (%s) & 1)", (unsigned long long)type->except,
                    operand->name);
    text_format(text, ", \"%s: %s, %lld to %lld\"); \\\n", operand->name, type->summary,
                (long long)first, (long long)last);
}

/* Writes `| (field) << at` for each piece of an operand. */
static void emit_macro_field(struct emitter *emitter, const struct spec_operand *operand)
{
    for (size_t i = 0; i < operand->field->piece_count; i++) {
        const struct isa_piece *piece = &operand->field->pieces[i];
        text_append(&emitter->text, " \\\n        \" | (");
        if (!is_constant(operand->type))
            text_format(&emitter->text, ".Ltensor.%s.", operand->type->name);
        text_format(&emitter->text, "%%[tensor_%s] >> %u & 0x%llx) << %u\"", operand->name,
                    piece->value_lsb, (unsigned long long)((UINT64_C(1) << piece->width) - 1),
                    piece->word_lsb);
    }
}

static void emit_macro_inputs(struct emitter *emitter, const struct spec_instruction *instruction,
                              int result)
{
    const char *separator = "";

    for (size_t i = 0; i < instruction->operands.count; i++) {
        const struct spec_operand *operand = &instruction->operands.items[i];
        if ((int)i == result)
            continue;
        if (is_constant(operand->type))
            text_format(&emitter->text, "%s[tensor_%s] \"i\"(%s)", separator, operand->name,
                        operand->name);
        else
            text_format(&emitter->text, "%s[tensor_%s] \"%s\"((%s)(%s))", separator, operand->name,
                        constraint(operand->type), c_type(operand->type), operand->name);
        separator = ", ";
    }
}

/* Writes a macro, whose names are not those of its arguments. */
static void emit_macro(struct emitter *emitter, const struct spec_instruction *instruction)
{
    const struct spec_operands *operands = &instruction->operands;
    struct text *text = &emitter->text;
    int result = result_of(instruction);
    const struct spec_operand **parameters;
    size_t count = parameters_of(emitter, instruction, result, &parameters);
    const char *separator = "";

    emit_comment(emitter, instruction);
    text_format(text, "#define tensor_%s(", instruction->mangled);
    for (size_t i = 0; i < count; i++) {
        text_format(text, "%s%s", separator, parameters[i]->name);
        separator = ", ";
    }
    text_append(text, ") __extension__({ \\\n");
    for (size_t i = 0; i < operands->count; i++)
        if (is_constant(operands->items[i].type))
            emit_argument_check(emitter, &operands->items[i]);
    if (result >= 0)
        text_format(text, "    %s tensor_result; \\\n", c_type(operands->items[result].type));
    text_format(text, "    TENSOR_ASM_(TENSOR_TABLE_ \".insn %u, 0x%llx\"",
                instruction->layout->bits / 8, (unsigned long long)instruction->match);
    for (size_t i = 0; i < operands->count; i++)
        emit_macro_field(emitter, &operands->items[i]);
    text_append(text, " \\\n        : ");
    if (result >= 0)
        text_format(text, "[tensor_%s] \"=%s\"(tensor_result)", operands->items[result].name,
                    constraint(operands->items[result].type));
    text_append(text, " \\\n        : ");
    emit_macro_inputs(emitter, instruction, result);
    text_append(text, " \\\n        : \"memory\"); \\\n");
    text_append(text, result >= 0 ? "    tensor_result; \\\n" : "    (void)0; \\\n");
    text_append(text, "})\n");
}

/* Returns the type of C for a number: what has its values, or else what holds its bits. */
static const char *number_type(const struct spec_element *element)
{
    static const char *const integers[2][3] = {{"uint8_t", "uint16_t", "uint32_t"},
                                               {"int8_t", "int16_t", "int32_t"}};
    unsigned bytes = spec_element_bytes(element);
    bool is_whole = element->bits == 8 * bytes && element->is_signed;

    if (element->exponent == 8 && element->fraction == 23 && element->bias == 127 &&
        element->nan == SPEC_NAN_IEEE)
        return "float";
    return integers[is_whole][bytes / 2];
}

static void emit_pair_types(struct emitter *emitter)
{
    const struct map *elements = &emitter->spec->elements;

    for (size_t i = 0; i < elements->count; i++) {
        const struct spec_element *element = SPEC_AT(*elements, i, struct spec_element);
        if (element->part)
            text_format(&emitter->text,
                        "/* %s: %s. */\n"
                        "struct tensor_%s {\n    %s re, im;\n} __attribute__((aligned(%u)));\n\n",
                        element->name, element->summary, element->name, number_type(element->part),
                        spec_element_bytes(element));
    }
}

void emit_c_header(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    emit_header(emitter, "Tensor instructions as C functions.");
    text_append(&emitter->text, head);
    text_append(&emitter->text,
                "/* Codes of element types, for descriptors in memory. */\nenum {\n");
    emit_element_codes(emitter, "TENSOR_");
    text_append(&emitter->text, "};\n\n");
    emit_pair_types(emitter);
    emit_table(emitter);
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (has_function(instruction))
            emit_function(emitter, instruction);
        else if (has_macro(instruction))
            emit_macro(emitter, instruction);
        else if (is_vendor(instruction))
            text_format(&emitter->text, "\n/* %s has operands that a function cannot pass. */\n",
                        instruction->mnemonic);
    }
    text_append(&emitter->text, "\n#endif\n");
}
