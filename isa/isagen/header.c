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

/* Is the operand a register, or a group, of a file that the compiler does not know? */
static bool is_own(const struct spec_operand_type *type)
{
    return (type->kind == ISA_REGISTER || type->kind == ISA_REGISTER_GROUP) &&
           !type->file->standard;
}

/* An operand that a function can pass on. */
static bool is_passable(const struct spec_operand_type *type)
{
    return (type->kind == ISA_REGISTER || type->kind == ISA_REGISTER_GROUP ||
            type->kind == ISA_REGISTER_OR_IMMEDIATE) &&
           type->file->standard;
}

/* An operand that has to be a constant, so that only a macro can pass it on. */
static bool is_constant(const struct spec_operand_type *type)
{
    return is_own(type) || type->kind == ISA_IMMEDIATE;
}

/* A register, or a group, that the compiler knows and the instruction writes. */
static bool is_written(const struct spec_operand_type *type)
{
    return !is_own(type) && (type->kind == ISA_REGISTER || type->kind == ISA_REGISTER_GROUP) &&
           type->access & ISA_WRITE;
}

/* Returns the index of the operand that is the function's value: the only written register, unless
 * it is read, too. -1: none; written registers are passed by pointers. */
static int result_of(const struct spec_instruction *instruction)
{
    int result = -1;
    bool is_only = true;

    for (size_t i = 0; i < instruction->operands.count; i++) {
        const struct spec_operand_type *type = instruction->operands.items[i].type;
        if (type->kind != ISA_REGISTER || !is_written(type))
            continue;
        is_only = result < 0 && type->access == ISA_WRITE;
        result = (int)i;
    }
    return is_only ? result : -1;
}

enum shape { SHAPE_NONE, SHAPE_FUNCTION, SHAPE_MACRO };

/* Returns what can pass on the operands: a macro if one of them is a constant. */
static enum shape shape_of(const struct spec_instruction *instruction)
{
    enum shape shape = emit_is_of_vendor(instruction) ? SHAPE_FUNCTION : SHAPE_NONE;

    for (size_t i = 0; shape != SHAPE_NONE && i < instruction->operands.count; i++) {
        const struct spec_operand_type *type = instruction->operands.items[i].type;
        if (is_constant(type))
            shape = SHAPE_MACRO;
        else if (!is_passable(type))
            shape = SHAPE_NONE;
    }
    return shape;
}

/* ---- the table of symbols ---- */

static bool in_table(const struct spec *spec, const struct spec_operand_type *type)
{
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        bool is_shown = shape_of(instruction) != SHAPE_NONE;
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

/* ---- declarations ---- */

/* What is written for one instruction. */
struct form {
    const struct spec_instruction *instruction;
    struct arena *arena;
    struct text *text;
    const char *prefix; /* of variables: those of a macro must not have the names of arguments */
    int result;         /* the index of the operand that is the value; or -1 */
};

static const struct spec_operand *operand_of(const struct form *form, size_t index)
{
    return &form->instruction->operands.items[index];
}

/* Is the value an f16? It is in the low half of a float, whose other bits are ones. */
static bool is_half(const struct spec_operand_type *type)
{
    return type->kind == ISA_REGISTER && type->file->standard &&
           (type->view == ISA_VIEW_F16 || type->view == ISA_VIEW_RAW16);
}

static const char *c_type(const struct spec_operand_type *type)
{
    switch (type->view) {
    case ISA_VIEW_F32:
    case ISA_VIEW_RAW32:
        return type->kind == ISA_REGISTER_GROUP ? "uint32_t" : "float";
    case ISA_VIEW_F64:
        return "double";
    case ISA_VIEW_F16:
    case ISA_VIEW_RAW16:
        return "uint16_t";
    default:
        return "uint64_t";
    }
}

static const char *variable(const struct form *form, size_t index)
{
    return arena_format(form->arena, "%s%s", form->prefix, operand_of(form, index)->name);
}

/* Is the operand passed by a pointer to its value? */
static bool is_pointer(const struct form *form, size_t index)
{
    const struct spec_operand_type *type = operand_of(form, index)->type;

    return type->kind == ISA_REGISTER && is_written(type) && (int)index != form->result;
}

/* Returns the variable, or what it points to. */
static const char *value(const struct form *form, size_t index)
{
    return arena_format(form->arena, "%s%s", is_pointer(form, index) ? "*" : "",
                        variable(form, index));
}

static void emit_comment(struct emitter *emitter, const struct spec_instruction *instruction)
{
    text_format(&emitter->text, "\n/* %s. `%s%s%s`\n   Source: %s. */\n", instruction->summary,
                instruction->mnemonic, instruction->syntax.count ? " " : "",
                instruction->syntax.count ? instruction->syntax.text : "",
                instruction->source ? instruction->source : instruction->extension->name);
}

/* Writes `first`, then `each` for the operands but the result, in the order of the syntax, which
 * has each once. Returns the number of operands. */
static size_t each_parameter(const struct form *form,
                             void (*each)(const struct form *form, size_t index, size_t number))
{
    const struct spec_syntax *syntax = &form->instruction->syntax;
    size_t count = 0;

    for (size_t i = 0; i < syntax->count; i++)
        if (syntax->tokens[i].kind == ISA_TOKEN_OPERAND &&
            syntax->tokens[i].operand != form->result)
            each(form, (size_t)syntax->tokens[i].operand, count++);
    return count;
}

static void put_parameter(const struct form *form, size_t index, size_t number)
{
    const struct spec_operand_type *type = operand_of(form, index)->type;
    const char *name = variable(form, index);

    text_append(form->text, number > 0 ? ", " : "");
    if (type->kind == ISA_REGISTER_GROUP)
        text_format(form->text, "%s%s %s[%llu]", is_written(type) ? "" : "const ", c_type(type),
                    name, (unsigned long long)type->group_count);
    else
        text_format(form->text, "%s %s%s", c_type(type), is_pointer(form, index) ? "*" : "", name);
}

/* ---- statements ---- */

/* Returns the first register of the group for an operand: groups in the order of the operands. */
static unsigned group_register(const struct spec_instruction *instruction, size_t index)
{
    unsigned number = 0;

    for (size_t i = 0; i < index; i++) {
        const struct spec_operand_type *type = instruction->operands.items[i].type;
        if (type->kind == ISA_REGISTER_GROUP && !is_own(type))
            number += (unsigned)type->group_count;
    }
    return number;
}

/* Writes `line` for each register of every group, with the operand's variable, the register's index
 * in the group and its name. */
static void each_group_register(const struct form *form, unsigned access,
                                void (*line)(struct text *text, const char *variable,
                                             unsigned index, const char *name))
{
    for (size_t i = 0; i < form->instruction->operands.count; i++) {
        const struct spec_operand_type *type = operand_of(form, i)->type;
        if (type->kind != ISA_REGISTER_GROUP || is_own(type) || !(type->access & access))
            continue;
        for (unsigned k = 0; k < type->group_count; k++)
            line(form->text, variable(form, i), k,
                 type->file->names[group_register(form->instruction, i) + k]);
    }
}

/* Values are assigned to plain variables first: a call between the assignments of two fixed
 * registers could destroy the first. */
static void line_value(struct text *text, const char *variable, unsigned index, const char *name)
{
    (void)name;
    text_format(text, "    union { uint32_t bits; float value; } %s_%u = {%s[%u]};\n", variable,
                index, variable, index);
}

static void line_register(struct text *text, const char *variable, unsigned index, const char *name)
{
    text_format(text, "    register float %s_in_%u __asm__(\"%s\") = %s_%u.value;\n", variable,
                index, name, variable, index);
}

static void line_out(struct text *text, const char *variable, unsigned index, const char *name)
{
    (void)name;
    text_format(text, "    %s_%u.value = %s_in_%u;\n", variable, index, variable, index);
}

static void line_store(struct text *text, const char *variable, unsigned index, const char *name)
{
    (void)name;
    text_format(text, "    %s[%u] = %s_%u.bits;\n", variable, index, variable, index);
}

/* Declares the value of the function, and what holds a half. */
static void declare_single(const struct form *form, size_t index)
{
    const struct spec_operand_type *type = operand_of(form, index)->type;

    if (is_half(type)) {
        text_format(form->text, "    union { uint32_t bits; float value; } %s_box",
                    variable(form, index));
        if (type->access & ISA_READ)
            text_format(form->text, " = {0xffff0000u | %s}", value(form, index));
        text_append(form->text, ";\n");
    } else if ((int)index == form->result) {
        text_format(form->text, "    %s %s;\n", c_type(type), variable(form, index));
    }
}

/* Writes `| (field) << at` for each piece of an operand. */
static void put_field(const struct form *form, size_t index)
{
    const struct spec_operand *operand = operand_of(form, index);

    for (size_t i = 0; i < operand->field->piece_count; i++) {
        const struct isa_piece *piece = &operand->field->pieces[i];
        text_append(form->text, "\n        \" | (");
        if (is_constant(operand->type))
            text_format(form->text, "%%[%s]", variable(form, index));
        else if (operand->type->kind == ISA_REGISTER_GROUP)
            text_format(form->text, "%u", group_register(form->instruction, index));
        else
            text_format(form->text, ".Ltensor.%s.%%[%s]", operand->type->name,
                        variable(form, index));
        text_format(form->text, " >> %u & 0x%llx) << %u\"", piece->value_lsb,
                    (unsigned long long)((UINT64_C(1) << piece->width) - 1), piece->word_lsb);
    }
}

static const char *constraint(const struct spec_operand_type *type)
{
    if (type->kind == ISA_REGISTER_OR_IMMEDIATE && type->immediate_bits >= SMALL_BITS)
        return "rK";
    return type->file->standard == ISA_STANDARD_INTEGER ? "r" : "f";
}

/* Writes the operands of the statement that are written, or those that are only read. With '&', a
 * result is in another register than each input, as a constraint of the instruction may require. */
static void put_operands(const struct form *form, bool written)
{
    bool is_apart = form->instruction->constraint_count > 0;
    const char *separator = "";

    for (size_t i = 0; i < form->instruction->operands.count; i++) {
        const struct spec_operand_type *type = operand_of(form, i)->type;
        const char *sign = !written ? "" : type->access & ISA_READ ? "+" : "=";
        if (is_written(type) != written)
            continue;
        if (is_constant(type)) {
            text_format(form->text, "%s[%s] \"i\"(%s)", separator, variable(form, i),
                        operand_of(form, i)->name);
        } else if (type->kind == ISA_REGISTER_GROUP) {
            for (unsigned k = 0; k < type->group_count; k++, separator = ", ")
                text_format(form->text, "%s\"%sf\"(%s_in_%u)", separator, sign, variable(form, i),
                            k);
        } else {
            text_format(form->text, "%s[%s] \"%s%s%s\"(", separator, variable(form, i), sign,
                        written && is_apart ? "&" : "", constraint(type));
            text_format(form->text, is_half(type) ? "%s_box.value)" : "%s)",
                        is_half(type) ? variable(form, i) : value(form, i));
        }
        separator = ", ";
    }
}

static void put_statements(const struct form *form)
{
    const struct spec_instruction *instruction = form->instruction;
    size_t count = instruction->operands.count;

    for (size_t i = 0; i < count; i++)
        declare_single(form, i);
    each_group_register(form, ISA_READ_WRITE, line_value);
    each_group_register(form, ISA_READ_WRITE, line_register);
    text_format(form->text, "    TENSOR_ASM_(TENSOR_TABLE_ \".insn %u, 0x%llx\"",
                instruction->layout->bits / 8, (unsigned long long)instruction->match);
    for (size_t i = 0; i < count; i++)
        put_field(form, i);
    text_append(form->text, "\n        : ");
    put_operands(form, true);
    text_append(form->text, "\n        : ");
    put_operands(form, false);
    text_append(form->text, "\n        : \"memory\");\n");
    each_group_register(form, ISA_WRITE, line_out);
    each_group_register(form, ISA_WRITE, line_store);
    for (size_t i = 0; i < count; i++)
        if (is_half(operand_of(form, i)->type) && is_pointer(form, i))
            text_format(form->text, "    %s = (uint16_t)%s_box.bits;\n", value(form, i),
                        variable(form, i));
}

/* Writes the value of the function. */
static void put_result(const struct form *form)
{
    bool half = is_half(operand_of(form, (size_t)form->result)->type);

    text_format(form->text, half ? "(uint16_t)%s_box.bits;\n" : "%s;\n",
                variable(form, (size_t)form->result));
}

/* ---- a function ---- */

static void emit_function(struct emitter *emitter, const struct spec_instruction *instruction)
{
    struct text *text = &emitter->text;
    struct form form = {instruction, emitter->spec->arena, text, "", result_of(instruction)};

    emit_comment(emitter, instruction);
    text_format(text, "static inline %s tensor_%s(",
                form.result < 0 ? "void" : c_type(operand_of(&form, (size_t)form.result)->type),
                instruction->mangled);
    text_append(text, each_parameter(&form, put_parameter) > 0 ? ")\n{\n" : "void)\n{\n");
    put_statements(&form);
    if (form.result >= 0) {
        text_append(text, "    return ");
        put_result(&form);
    }
    text_append(text, "}\n");
}

/* ---- a macro ---- */

/* Writes what an argument must be: the number of a register, of the first of a group, or an
 * immediate of the range. */
static void put_argument_check(const struct form *form, const struct spec_operand *operand)
{
    const struct spec_operand_type *type = operand->type;
    int64_t first = (int64_t)type->first, last, step = 1;

    if (type->kind == ISA_IMMEDIATE) {
        spec_range(type, &first, &last);
        step = INT64_C(1) << operand->field->lowest;
    } else {
        step = type->group_count ? (int64_t)type->group_count : 1;
        last = (int64_t)(type->count ? type->first + type->count : type->file->count) - step;
    }
    text_format(form->text, "    _Static_assert((%s) >= %lld && (%s) <= %lld", operand->name,
                (long long)first, operand->name, (long long)last);
    if (step > 1)
        text_format(form->text, " && (%s) %% %lld == 0", operand->name, (long long)step);
    if (type->except)
        text_format(form->text, " && !(0x%llxULL >> (%s) & 1)", (unsigned long long)type->except,
                    operand->name);
    text_format(form->text, ", \"%s: %s, %lld to %lld\");\n", operand->name, type->summary,
                (long long)first, (long long)last);
}

static void put_argument_name(const struct form *form, size_t index, size_t number)
{
    text_format(form->text, "%s%s", number > 0 ? ", " : "", operand_of(form, index)->name);
}

/* Checks a constant, and assigns another argument to a variable. */
static void put_argument(const struct form *form, size_t index, size_t number)
{
    const struct spec_operand *operand = operand_of(form, index);
    bool is_array = operand->type->kind == ISA_REGISTER_GROUP;

    (void)number;
    if (is_constant(operand->type)) {
        put_argument_check(form, operand);
        return;
    }
    text_format(form->text, "    %s%s %s%s = (%s);\n",
                is_array && !is_written(operand->type) ? "const " : "", c_type(operand->type),
                is_array || is_pointer(form, index) ? "*" : "", variable(form, index),
                operand->name);
}

/* Appends the lines, each with a backslash. */
static void append_continued(struct text *to, const struct text *lines)
{
    for (const char *line = lines->bytes, *end; (end = strchr(line, '\n')); line = end + 1) {
        text_append_bytes(to, line, (size_t)(end - line));
        text_append(to, " \\\n");
    }
}

static void emit_macro(struct emitter *emitter, const struct spec_instruction *instruction)
{
    struct text lines = TEXT_INIT, *text = &emitter->text;
    struct form form = {instruction, emitter->spec->arena, text, "tensor_", result_of(instruction)};

    emit_comment(emitter, instruction);
    text_format(text, "#define tensor_%s(", instruction->mangled);
    each_parameter(&form, put_argument_name);
    text_append(text, ") __extension__({ \\\n");
    form.text = &lines;
    each_parameter(&form, put_argument);
    put_statements(&form);
    text_append(&lines, "    ");
    if (form.result >= 0)
        put_result(&form);
    else
        text_append(&lines, "(void)0;\n");
    append_continued(text, &lines);
    text_append(text, "})\n");
    text_free(&lines);
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
        if (shape_of(instruction) == SHAPE_FUNCTION)
            emit_function(emitter, instruction);
        else if (shape_of(instruction) == SHAPE_MACRO)
            emit_macro(emitter, instruction);
        else if (emit_is_of_vendor(instruction))
            text_format(&emitter->text, "\n/* %s has operands that a function cannot pass. */\n",
                        instruction->mnemonic);
    }
    text_append(&emitter->text, "\n#endif\n");
}
