/*
 * Writes the execution bodies, with code that reads and writes their operands by macros, and
 * csrs.inc, isa_ids.h and instruction_ids.h. A body is the text of the YAML without changes. There
 * are two files of C for each file of the description, which differ in the header that defines the
 * macros, whole_FILE.c and direct_FILE.c. They contain nothing that depends on other files.
 */
#include "isa/isagen/emit.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *const views[] = {"U64", "F64", "F32", "RAW32", "F16", "RAW16"};

/* Is the operand a register, or a group, of a file that is not standard? The hart has these
 * registers as an array of words. */
static bool is_own(const struct spec_operand_type *type)
{
    return type->file && !type->file->standard;
}

/* Writes the number of register `index` of the operand. A write to a register that is hard-wired to
 * 0 goes to the one after the last. */
static void put_number(struct text *text, const struct spec_operand *operand, unsigned index,
                       bool is_written)
{
    const struct spec_operand_type *type = operand->type;

    text_format(text, "IMMEDIATE_R(%u)", operand->slot_index);
    if (type->kind == ISA_REGISTER_GROUP)
        text_format(text, " + %u", index);
    else if (type->file->zero && type->access & ISA_WRITE && !is_written)
        text_format(text, " %% %zu", (size_t)type->file->count);
}

/* Writes where the register begins among the words. */
static void put_place(struct text *text, const struct spec_operand *operand, unsigned index,
                      bool is_written)
{
    const struct spec_register_file *file = operand->type->file;

    text_format(text, "%llu + %llu * (", (unsigned long long)file->place,
                (unsigned long long)file->words);
    put_number(text, operand, index, is_written);
    text_append(text, ")");
}

/* Writes the name of the variable that holds register `index` of the operand. */
static void put_variable(struct text *text, const struct spec_operand *operand, unsigned index)
{
    text_append(text, operand->name);
    if (operand->type->kind == ISA_REGISTER_GROUP)
        text_format(text, "[%u]", index);
}

static unsigned register_count(const struct spec_operand_type *type)
{
    return type->kind == ISA_REGISTER_GROUP ? (unsigned)type->group_count : 1;
}

/* Declares an integer for a register, or an array of them; for a group, an array of these. */
static void declare_own(struct emitter *emitter, const struct spec_operand *operand)
{
    const struct spec_operand_type *type = operand->type;
    struct text *text = &emitter->text;
    bool is_array = type->view_count > 1;

    text_format(text, "    uint%llu_t %s", (unsigned long long)type->view_bits, operand->name);
    if (type->kind == ISA_REGISTER_GROUP)
        text_format(text, "[%llu]", (unsigned long long)type->group_count);
    if (is_array)
        text_format(text, "[%llu]", (unsigned long long)type->view_count);
    text_append(text, type->access != ISA_WRITE                      ? ";\n"
                      : is_array || type->kind == ISA_REGISTER_GROUP ? " = {0};\n"
                                                                     : " = 0;\n");
    for (unsigned i = 0; type->access != ISA_WRITE && i < register_count(type); i++) {
        text_append(text, is_array ? "    GET_REGISTER_WORDS(" : "    ");
        if (!is_array) {
            put_variable(text, operand, i);
            text_append(text, " = GET_REGISTER(");
        }
        put_place(text, operand, i, false);
        if (is_array) {
            text_append(text, ", ");
            put_variable(text, operand, i);
        }
        text_append(text, ");\n");
    }
}

/* Writes the statements that write the registers of the operand back. Register 0 of a group may be
 * hard-wired to 0. */
static void write_own(struct emitter *emitter, const struct spec_operand *operand)
{
    const struct spec_operand_type *type = operand->type;
    struct text *text = &emitter->text;
    bool is_array = type->view_count > 1;

    for (unsigned i = 0; i < register_count(type); i++) {
        text_append(text, "    ");
        if (type->kind == ISA_REGISTER_GROUP && type->file->zero && i == 0)
            text_format(text, "if (IMMEDIATE_R(%u) != 0)\n        ", operand->slot_index);
        text_format(text, "%s(%u, ", is_array ? "SET_REGISTER_WORDS" : "SET_REGISTER",
                    type->file->index);
        put_number(text, operand, i, true);
        text_append(text, ", ");
        put_place(text, operand, i, true);
        text_append(text, ", ");
        put_variable(text, operand, i);
        if (type->view_bits > type->file->width)
            text_format(text, " & 0x%llx", (1ULL << type->file->width) - 1);
        text_append(text, ");\n");
    }
}

static void declare_register(struct emitter *emitter, const struct spec_operand *operand)
{
    const struct spec_operand_type *type = operand->type;
    const char *c_type = emit_view_type(type->view), *view = views[type->view],
               *file = type->file->name;

    if (type->access == ISA_WRITE)
        text_format(&emitter->text, "    %s %s = 0;\n", c_type, operand->name);
    else
        text_format(&emitter->text, "    %s%s %s = %s_%s(%s, %u);\n",
                    type->access == ISA_READ ? "const " : "", c_type, operand->name,
                    type->access == ISA_READ ? "READ" : "READ_OLD", view, file,
                    operand->slot_index);
}

static void declare_group(struct emitter *emitter, const struct spec_operand *operand)
{
    const struct spec_operand_type *type = operand->type;

    unsigned long long count = type->group_count;
    text_format(&emitter->text, "    uint32_t %s[%llu]%s;\n", operand->name, count,
                type->access == ISA_WRITE ? " = {0}" : "");
    if (type->access != ISA_WRITE)
        text_format(&emitter->text, "    %s(%s, %u, %s, %llu);\n",
                    type->access == ISA_READ ? "READ_GROUP" : "READ_OLD_GROUP", type->file->name,
                    operand->slot_index, operand->name, count);
}

/* Declares the value of a register or an immediate. */
static void declare_choice(struct emitter *emitter, const struct spec_operand *operand)
{
    const struct spec_register_file *file = operand->type->file;

    if (is_own(operand->type))
        text_format(&emitter->text,
                    "    const uint64_t %s = GET_REGISTER_OR_IMMEDIATE(%llu, %u);\n", operand->name,
                    (unsigned long long)file->place, operand->slot_index);
    else
        text_format(&emitter->text, "    const uint64_t %s = READ_RI(%s, %u);\n", operand->name,
                    file->name, operand->slot_index);
}

/* Declares the number of the register. */
static void declare_index(struct emitter *emitter, const struct spec_operand *operand)
{
    text_format(&emitter->text, "    const unsigned %s_index = ", operand->name);
    if (is_own(operand->type))
        put_number(&emitter->text, operand, 0, false);
    else
        text_format(&emitter->text, "REGISTER(%u)", operand->slot_index);
    text_append(&emitter->text, ";\n");
}

static void declare_immediate(struct emitter *emitter, const struct spec_operand *operand)
{
    bool is_signed = operand->type->is_signed;

    if (operand->slot == ISA_SLOT_R)
        text_format(&emitter->text, "    const unsigned %s = IMMEDIATE_R(%u);\n", operand->name,
                    operand->slot_index);
    else if (operand->type->kind == ISA_CSR)
        text_format(&emitter->text, "    const unsigned %s = (unsigned)IMMEDIATE(%u);\n",
                    operand->name, operand->slot_index);
    else
        text_format(&emitter->text, "    const %s %s = %s(%u);\n",
                    is_signed ? "int64_t" : "uint64_t", operand->name,
                    is_signed ? "SIGNED_IMMEDIATE" : "IMMEDIATE", operand->slot_index);
}

static void declare_operand(struct emitter *emitter, const struct spec_operand *operand)
{
    if (operand->index_mentioned)
        declare_index(emitter, operand);
    if (!operand->mentioned)
        return;
    switch (operand->type->kind) {
    case ISA_REGISTER:
    case ISA_REGISTER_GROUP:
        if (is_own(operand->type))
            declare_own(emitter, operand);
        else if (operand->type->kind == ISA_REGISTER)
            declare_register(emitter, operand);
        else
            declare_group(emitter, operand);
        break;
    case ISA_REGISTER_OR_IMMEDIATE:
        declare_choice(emitter, operand);
        break;
    case ISA_IMMEDIATE:
    case ISA_TARGET:
    case ISA_ENUM:
    case ISA_SET:
    case ISA_CSR:
        declare_immediate(emitter, operand);
        break;
    case ISA_SYMBOL:
    case ISA_VALUE:
    case ISA_OPCODE:
        BUG("operand '%s' of an alias in a body", operand->name);
    }
}

static void write_operand(struct emitter *emitter, const struct spec_operand *operand)
{
    const struct spec_operand_type *type = operand->type;

    if (!operand->mentioned || !(type->access & ISA_WRITE))
        return;
    if (is_own(type))
        write_own(emitter, operand);
    else if (type->kind == ISA_REGISTER)
        text_format(&emitter->text, "    WRITE_%s(%s, %u, %s);\n", views[type->view],
                    type->file->name, operand->slot_index, operand->name);
    else if (type->kind == ISA_REGISTER_GROUP)
        text_format(&emitter->text, "    WRITE_GROUP(%s, %u, %s, %llu);\n", type->file->name,
                    operand->slot_index, operand->name, (unsigned long long)type->group_count);
}

/* Returns the alignment of instruction addresses in bytes. */
static int code_alignment(const struct spec *spec)
{
    for (size_t i = 0; i < spec->instructions.count; i++)
        if (SPEC_AT(spec->instructions, i, struct spec_instruction)->layout->bits % 32)
            return 2;
    return 4;
}

/* Declares whether the target of the branch is misaligned. */
static void declare_misaligned(struct emitter *emitter, const struct spec_operand *distance)
{
    bool can_be = distance->field && 1 << distance->field->lowest < code_alignment(emitter->spec);

    text_format(&emitter->text, "    const bool %s_is_misaligned = ", distance->name);
    text_format(&emitter->text, can_be ? "%s %% ISA_CODE_ALIGNMENT != 0;\n" : "false;\n",
                distance->name);
}

void emit_work(struct emitter *emitter, const struct spec_instruction *instruction)
{
    if (instruction->by_definition && !emitter->as_definitions) {
        text_append(&emitter->text, "RUN_DEFINITION();\n");
        return;
    }
    text_append(&emitter->text, "{\n");
    for (size_t i = 0; i < instruction->operands.count; i++)
        declare_operand(emitter, &instruction->operands.items[i]);
    if (instruction->distance)
        declare_misaligned(emitter, instruction->distance);
    for (size_t i = 0; i < instruction->elements.count; i++)
        text_format(&emitter->text, "    const enum isa_element_code %s = ISA_ELEMENT_%s;\n",
                    instruction->elements.names[i].name,
                    emit_upper(emitter->spec->arena, instruction->elements.names[i].element->name));
    if (instruction->fast && !emitter->as_definitions) {
        emit_fast_call(emitter, instruction);
    } else {
        emit_code(emitter, "{", &instruction->semantics, "}");
    }
    for (size_t i = 0; i < instruction->operands.count; i++)
        write_operand(emitter, &instruction->operands.items[i]);
    text_append(&emitter->text, "}\n");
}

static void emit_end(struct emitter *emitter, const struct spec_instruction *instruction)
{
    const char *name = emit_upper(emitter->spec->arena, instruction->mangled);

    if (!(instruction->effects & ISA_EFFECT_FLOW))
        text_format(&emitter->text, "END_INSTRUCTION(%s)\n", name);
    else if (instruction->distance)
        text_format(&emitter->text, "END_BLOCK(%s, SUCCESSOR(%u))\n", name,
                    instruction->distance->slot_index);
    else
        text_format(&emitter->text, "END_BLOCK(%s, NO_SUCCESSOR)\n", name);
}

/* Has the instruction a body in its direct form? An inline function that cannot trap has. */
static bool is_direct(const struct spec *spec, const struct spec_instruction *instruction)
{
    if (instruction->fast)
        return instruction->fast_is_inline && !(instruction->definition_effects & ISA_EFFECT_TRAP);
    return !instruction->by_definition && !spec_indirect_accessor(spec, instruction);
}

/* Writes what a slot of the registers is for stencils: an operand of the integer file that is read
 * or written as a whole, which may be in a register of the host, or anything else. */
static char slot_role(const struct spec_instruction *instruction, unsigned slot)
{
    for (size_t i = 0; i < instruction->operands.count; i++) {
        const struct spec_operand *operand = &instruction->operands.items[i];
        const struct spec_operand_type *type = operand->type;
        if (operand->slot != ISA_SLOT_R || operand->slot_index != slot)
            continue;
        if (type->kind != ISA_REGISTER || type->file->standard != ISA_STANDARD_INTEGER ||
            !operand->mentioned || operand->index_mentioned)
            return 'N';
        return type->access == ISA_READ ? 'R' : type->access == ISA_WRITE ? 'W' : 'N';
    }
    return 'N';
}

/* Returns the operand that the next token names, or NULL. */
static const struct spec_operand *next_operand(const struct spec_instruction *instruction,
                                               size_t *offset)
{
    const char *text = instruction->semantics.text;
    const struct code_token token = spec_next_token(text, offset);

    for (size_t i = 0; i < instruction->operands.count; i++)
        if (token.kind == CODE_NAME &&
            strlen(instruction->operands.items[i].name) == token.length &&
            memcmp(instruction->operands.items[i].name, text + token.offset, token.length) == 0)
            return &instruction->operands.items[i];
    return NULL;
}

/* An access to memory, whose address is the sum of a register and an immediate. */
struct access {
    unsigned base, offset; /* their slots */
    unsigned bytes;
    bool is_store;
};

static bool is_integer_register(const struct spec_operand *operand)
{
    return operand->type->kind == ISA_REGISTER &&
           operand->type->file->standard == ISA_STANDARD_INTEGER;
}

/* Reads "BASE + OFFSET". */
static bool read_sum(const struct spec_instruction *instruction, size_t *at, struct access *access)
{
    const char *text = instruction->semantics.text;
    const struct spec_operand *base = next_operand(instruction, at);
    const struct code_token plus = spec_next_token(text, at);
    const struct spec_operand *offset = next_operand(instruction, at);

    if (!base || !offset || text[plus.offset] != '+' || !is_integer_register(base) ||
        offset->slot != ISA_SLOT_IMM)
        return false;
    access->base = base->slot_index;
    access->offset = offset->slot_index;
    return true;
}

/* Returns the bytes of the type that is the first argument of a call, or 0 if it is none. */
static unsigned read_bytes(const struct spec_instruction *instruction, size_t after)
{
    const char *text = instruction->semantics.text;
    size_t at, end = spec_find_argument(text, after, 0, &at);
    unsigned bytes = 0;

    for (unsigned bits = 8; bits <= 64; bits *= 2) {
        char type[16];
        snprintf(type, sizeof type, "int%u_t", bits);
        const char *found = strstr(text + at, type);
        if (found && found < text + end)
            bytes = bits / 8;
    }
    return bytes;
}

/* Reads the access from the arguments of a call of load or store, "TYPE, BASE + OFFSET". */
static bool read_access(const struct spec_instruction *instruction, size_t after,
                        struct access *access)
{
    size_t at, end = spec_find_argument(instruction->semantics.text, after, 1, &at);

    access->bytes = read_bytes(instruction, after);
    return access->bytes && read_sum(instruction, &at, access) && at == end;
}

/* Finds the only access of the body, if it is of this kind. */
static bool find_access(const struct spec *spec, const struct spec_instruction *instruction,
                        struct access *access)
{
    const char *text = instruction->semantics.text;
    size_t offset = 0;
    bool found = false;

    if (instruction->fast)
        return false;
    for (;;) {
        const struct code_token token = spec_next_token(text, &offset);
        const struct spec_accessor *accessor =
            token.kind == CODE_NAME ? spec_find_accessor(spec, text + token.offset, token.length)
                                    : NULL;
        if (token.kind == CODE_END)
            return found;
        if (!accessor || !(accessor->effects & (ISA_EFFECT_LOAD | ISA_EFFECT_STORE)))
            continue;
        if (found || !read_access(instruction, offset, access))
            return false;
        access->is_store = accessor->effects & ISA_EFFECT_STORE;
        found = true;
    }
}

/* Returns the bytes of the type of the first access in the body, or 0: there is none. With
 * `is_certain`, the access must happen each time. */
static unsigned find_bytes(const struct spec *spec, const struct spec_instruction *instruction,
                           bool is_certain)
{
    const char *text = instruction->semantics.text;
    struct code_token token;

    if (!text)
        return 0;
    for (size_t offset = 0; (token = spec_next_token(text, &offset)).kind != CODE_END;) {
        const struct spec_accessor *accessor =
            token.kind == CODE_NAME ? spec_find_accessor(spec, text + token.offset, token.length)
                                    : NULL;
        if (accessor && accessor->effects & (ISA_EFFECT_LOAD | ISA_EFFECT_STORE))
            return is_certain && !accessor->is_certain ? 0 : read_bytes(instruction, offset);
    }
    return 0;
}

/* Is the body "RESULT = BASE + OFFSET;"? */
static bool find_sum(const struct spec_instruction *instruction, struct access *access,
                     unsigned *result)
{
    const char *text = instruction->semantics.text;
    size_t at = 0;

    if (instruction->compressed || instruction->fast || instruction->effects)
        return false;
    const struct spec_operand *sum = next_operand(instruction, &at);
    const struct code_token equals = spec_next_token(text, &at);
    if (!sum || text[equals.offset] != '=' || equals.length != 1 ||
        !read_sum(instruction, &at, access))
        return false;
    const struct code_token semicolon = spec_next_token(text, &at);
    if (text[semicolon.offset] != ';' || spec_next_token(text, &at).kind != CODE_END ||
        !is_integer_register(sum))
        return false;
    access->bytes = 0;
    access->is_store = false;
    *result = sum->slot_index;
    return true;
}

/* Does the body name the sum's operands only there, and are they in the slots that stencils expect
 * (emu/native/stencils/form.h)? */
static bool is_only_sum(const struct spec_instruction *instruction, const struct access *access)
{
    size_t end = strlen(instruction->semantics.text);
    unsigned uses = 0;

    for (size_t at = 0; at < end;) {
        const struct spec_operand *operand = next_operand(instruction, &at);
        uses += operand && (operand->slot == ISA_SLOT_IMM || operand->slot_index == access->base);
    }
    return uses == 2 && access->base == 1 && access->offset == 0;
}

/* Does the body read a single-precision number, which has to be NaN-boxed? */
static bool reads_box(const struct spec_instruction *instruction)
{
    for (size_t i = 0; i < instruction->operands.count; i++) {
        const struct spec_operand_type *type = instruction->operands.items[i].type;
        if (type->kind == ISA_REGISTER && type->access & ISA_READ && type->view == ISA_VIEW_F32)
            return true;
    }
    return false;
}

/* Is the operand in the slot a floating-point register that is only read? */
static bool reads_float(const struct spec_instruction *instruction, unsigned slot)
{
    for (size_t i = 0; i < instruction->operands.count; i++) {
        const struct spec_operand *operand = &instruction->operands.items[i];
        if (operand->slot == ISA_SLOT_R && operand->slot_index == slot)
            return operand->type->kind == ISA_REGISTER && operand->type->access == ISA_READ &&
                   operand->type->file->standard == ISA_STANDARD_FLOAT;
    }
    return false;
}

/* Is an operand a half-precision number? */
static bool has_half(const struct spec_instruction *instruction)
{
    for (size_t i = 0; i < instruction->operands.count; i++) {
        const struct spec_operand_type *type = instruction->operands.items[i].type;
        if (type->kind == ISA_REGISTER && type->view == ISA_VIEW_F16)
            return true;
    }
    return false;
}

/* Returns the ending of the macro of the stencils of an instruction with a rounding mode. */
static const char *rounding_kind(const struct spec_instruction *instruction)
{
    bool is_boxed = reads_box(instruction);

    if (slot_role(instruction, 0) == 'W' || strstr(instruction->semantics.text, "_to_integral("))
        return "_OF_TO_INTEGER";
    if (has_half(instruction))
        return "_OF_HALF";
    if (reads_float(instruction, 3))
        return is_boxed ? "_OF_BOXED_FUSED" : "_OF_FUSED";
    return is_boxed ? "_OF_BOXED_ROUNDING" : "_OF_ROUNDING";
}

/* May newer hosts have better instructions for the body, as for bits and for shifts by a register?
 */
static bool may_be_better(const struct spec *spec, const struct spec_instruction *instruction)
{
    const char *text = instruction->semantics.text;
    struct code_token token;

    for (size_t offset = 0; (token = spec_next_token(text, &offset)).kind != CODE_END;) {
        const char *at = text + token.offset;
        if (token.kind == CODE_NAME && (strncmp(at, "__builtin", strlen("__builtin")) == 0 ||
                                        spec_find_accessor(spec, at, token.length)))
            return true;
        bool is_shift = (*at == '<' || *at == '>') && at[1] == *at,
             is_complement = strncmp(at, "& ~", 3) == 0;
        if (is_complement || (is_shift && !isdigit((unsigned char)at[2 + strspn(at + 2, " ")])))
            return true;
    }
    return false;
}

/* Is the result of the body the lower word of the sum of operand 1 and the immediate? */
static bool is_word_of_sum(const struct spec_instruction *instruction,
                           const struct spec_operand *immediate)
{
    const struct access sum = {.base = 1, .offset = 0};
    const char *text = instruction->semantics.text, *cast = strstr(text, "(int32_t)(");
    struct access found;

    if (!cast || !is_only_sum(instruction, &sum))
        return false;
    size_t at = (size_t)(cast - text) + strlen("(int32_t)(");
    return read_sum(instruction, &at, &found) && strcmp(text + at, ");") == 0 &&
           immediate->slot_index == found.offset;
}

/* Returns the ending for stencils that have nothing beside operands in registers. */
static const char *plain_kind(const struct spec *spec, const struct spec_instruction *instruction)
{
    for (size_t i = 0; i < instruction->operands.count; i++)
        if (!instruction->operands.items[i].type->file ||
            instruction->operands.items[i].type->file->standard != ISA_STANDARD_INTEGER)
            return "";
    return instruction->effects || may_be_better(spec, instruction) ? "" : "_OF_ANY";
}

/* Returns the ending of the macro of the stencils, for what they may have beside operands in
 * registers. */
static const char *stencils_kind(const struct spec *spec,
                                 const struct spec_instruction *instruction)
{
    const struct spec_operand *immediate = NULL;
    struct access access;
    int64_t minimum, maximum;
    unsigned result;

    if (instruction->effects & ISA_EFFECT_WALK)
        return instruction->effects & (ISA_EFFECT_LOAD | ISA_EFFECT_STORE) ? "_OF_WALK"
                                                                           : "_OF_STEP";
    if (find_access(spec, instruction, &access))
        return is_only_sum(instruction, &access) ? "_OF_ADDRESS" : "_OF_ACCESS";
    if (instruction->effects & ISA_EFFECT_LOAD && instruction->effects & ISA_EFFECT_STORE)
        return "_OF_ATOMIC";
    if (find_sum(instruction, &access, &result) && is_only_sum(instruction, &access))
        return "_OF_SUM";
    for (size_t i = 0; i < instruction->operands.count; i++) {
        const struct spec_operand *operand = &instruction->operands.items[i];
        if (operand->type->kind == ISA_ENUM && operand->slot == ISA_SLOT_R &&
            instruction->effects & ISA_EFFECT_FLOAT)
            return rounding_kind(instruction);
        if (operand->slot == ISA_SLOT_IMM && immediate)
            return plain_kind(spec, instruction);
        if (operand->slot == ISA_SLOT_IMM)
            immediate = operand;
    }
    if (reads_float(instruction, 1) && reads_float(instruction, 2) &&
        !(instruction->effects & ISA_EFFECT_FLOAT))
        return reads_box(instruction) ? "_OF_BOXED_PAIR" : "_OF_PAIR";
    if (reads_box(instruction))
        return "_OF_BOXED";
    if (instruction->effects & ISA_EFFECT_FLOW)
        return slot_role(instruction, 0) == 'W' && slot_role(instruction, 1) == 'R' ? "_OF_JUMP"
                                                                                    : "_OF_FLOW";
    if (!immediate || immediate->slot_index != 0 || immediate->type->kind != ISA_IMMEDIATE)
        return plain_kind(spec, instruction);
    if (slot_role(instruction, 1) != 'R')
        return plain_kind(spec, instruction);
    spec_range(immediate->type, &minimum, &maximum);
    if (minimum == 0 && maximum < 64)
        return "_OF_SMALL";
    return is_word_of_sum(instruction, immediate) ? "_OF_WORD_SUM" : "_OF_IMMEDIATE";
}

/* Writes what the first slots are. Operands of other instructions than these are in memory. */
static void emit_stencils(struct emitter *emitter, const struct spec_instruction *instruction)
{
    static const char *const usual[] = {"WNN", "RNN", "NRN", "WRN", "RRN", "WRR"};
    const char roles[] = {slot_role(instruction, 0), slot_role(instruction, 1),
                          slot_role(instruction, 2), '\0'},
               *found = "NNN";

    /* Arrays may need an alignment of the stack, which has none of its own in stencils. */
    for (size_t i = 0; i < instruction->operands.count; i++)
        if (instruction->operands.items[i].type->view_count > 1)
            return;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (strcmp(usual[i], roles) == 0)
            found = usual[i];
    text_format(
        &emitter->text, "STENCILS%s(%s, %s, %s)\n", stencils_kind(emitter->spec, instruction),
        emit_upper(emitter->spec->arena, instruction->mangled), instruction->mangled, found);
}

/* Have the two the same body with the same operands, as variants of one instruction do? */
static bool has_same_stencils(const struct spec_instruction *one,
                              const struct spec_instruction *other)
{
    if (strcmp(one->semantics.text, other->semantics.text) != 0 ||
        one->operands.count != other->operands.count)
        return false;
    for (size_t i = 0; i < one->operands.count; i++) {
        const struct spec_operand *a = &one->operands.items[i], *b = &other->operands.items[i];
        if (strcmp(a->name, b->name) != 0 || a->type != b->type || a->slot != b->slot ||
            a->slot_index != b->slot_index)
            return false;
    }
    return true;
}

void emit_accesses(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;
    struct access access = {0};
    unsigned result;

    emit_header(emitter, "What instructions do with the sum of a register and an immediate: slots "
                         "of the two, bytes that are accessed there, whether it is a store, "
                         "whether the sum is the result, and the slot of the result; or "
                         "the bytes of the element of a walk, or of an atomic access; by id.");
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        bool is_sum = find_sum(instruction, &access, &result);
        if (!instruction->compressed && is_direct(spec, instruction) &&
            (is_sum || find_access(spec, instruction, &access)))
            text_format(&emitter->text, "[ISA_ID_%s] = {%u, %u, %u, %d, %d, %u},\n",
                        emit_upper(spec->arena, instruction->mangled), access.base, access.offset,
                        access.bytes, access.is_store, is_sum, is_sum ? result : 0);
        bool is_walk = instruction->effects & ISA_EFFECT_WALK;
        unsigned bytes = find_bytes(spec, instruction, !is_walk);
        if (bytes)
            text_format(&emitter->text,
                        is_walk ? "[ISA_ID_%s] = {.element = %u},\n"
                                : "[ISA_ID_%s] = {.atomic = %u},\n",
                        emit_upper(spec->arena, instruction->mangled), bytes);
    }
}

static void emit_body(struct emitter *emitter, const struct spec_instruction *instruction)
{
    text_format(&emitter->text, "\nINSTRUCTION(%s, %s) /* %s */\n",
                emit_upper(emitter->spec->arena, instruction->mangled), instruction->mangled,
                instruction->mnemonic);
    emit_work(emitter, instruction);
    emit_end(emitter, instruction);
}

/* Begins a file of bodies, which includes the header when it has any. */
static void begin_bodies(struct emitter *emitter, const char *header)
{
    emit_header(emitter,
                arena_format(emitter->spec->arena, "Execution bodies of %s.", emitter->file));
    text_format(&emitter->text,
                "#ifndef BODY_FORM\n#define BODY_FORM \"%s\"\n#endif\n#include BODY_FORM\n",
                header);
}

static void emit_bodies(struct emitter *emitter, const char *header, bool direct)
{
    const struct spec *spec = emitter->spec;
    bool begun = false;
    const struct spec_instruction *model = NULL; /* the last one with stencils */

    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (instruction->compressed || strcmp(instruction->at.file->name, emitter->file) != 0 ||
            (direct && !is_direct(spec, instruction)))
            continue;
        if (!begun)
            begin_bodies(emitter, header);
        begun = true;
        emit_body(emitter, instruction);
        if (!direct)
            continue;
        if (model && has_same_stencils(model, instruction)) {
            text_format(&emitter->text, "STENCILS_AS(%s, %s)\n",
                        emit_upper(spec->arena, instruction->mangled),
                        emit_upper(spec->arena, model->mangled));
            continue;
        }
        emit_stencils(emitter, instruction);
        model = instruction;
    }
}

void emit_whole_bodies(struct emitter *emitter)
{
    emit_bodies(emitter, "emu/body/whole.h", false);
}

/* Writes the bodies of the superinstructions of the file: those of their parts in a row. */
static void emit_superinstructions(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    for (size_t i = 0; i < spec->superinstruction_count; i++) {
        const struct spec_superinstruction *super = &spec->superinstructions[i];
        if (strcmp(super->node->at.file->name, emitter->file) != 0)
            continue;
        if (!emitter->text.length)
            begin_bodies(emitter, "emu/body/direct.h");
        text_format(&emitter->text, "\n#ifdef SUPERINSTRUCTION\nSUPERINSTRUCTION(%s)\n",
                    emit_upper(spec->arena, super->name));
        for (size_t k = 0; k < super->count; k++) {
            text_append(&emitter->text, "PART()\n");
            emit_work(emitter, super->parts[k]);
            if (k + 1 < super->count)
                text_append(&emitter->text, "END_PART()\n");
            else
                emit_end(emitter, super->parts[k]);
        }
        text_append(&emitter->text, "#endif\n");
    }
}

void emit_direct_bodies(struct emitter *emitter)
{
    emit_bodies(emitter, "emu/body/direct.h", true);
    emit_superinstructions(emitter);
}

static void emit_csr_case(struct emitter *emitter, const struct spec_csr *csr, const char *before,
                          const struct spec_code *code, const char *after)
{
    text_format(&emitter->text, "case 0x%03llx: { /* %s */\n", (unsigned long long)csr->number,
                csr->name);
    if (csr->indexed)
        text_format(&emitter->text, "const unsigned index __attribute__((unused)) = %llu;\n",
                    (unsigned long long)csr->index);
    emit_code(emitter, before, code, after);
    text_append(&emitter->text, "break;\n}\n");
}

void emit_csrs(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    emit_header(emitter, "Cases of a switch over CSR numbers: define CSR_READ (sets `value`) or "
                         "CSR_WRITE (takes it).");
    text_append(&emitter->text, "#ifdef CSR_READ\n");
    for (size_t i = 0; i < spec->csrs.count; i++) {
        const struct spec_csr *csr = spec->csrs_by_number[i];
        emit_csr_case(emitter, csr, "value = csr_value(", &csr->read, ");");
    }
    text_append(&emitter->text, "#endif\n#ifdef CSR_WRITE\n");
    for (size_t i = 0; i < spec->csrs.count; i++) {
        const struct spec_csr *csr = spec->csrs_by_number[i];
        if (csr->writable)
            emit_csr_case(emitter, csr, "{ ", &csr->write, "; }");
    }
    text_append(&emitter->text, "#endif\n");
}

/* Writes lists by id, for tables of the bodies. */
static void emit_id_list(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    text_append(&emitter->text, "/* X(ID, name) for each instruction, in the order of the ids. */\n"
                                "#define ISA_FOR_EACH_INSTRUCTION(X)");
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const char *name = SPEC_AT(spec->instructions, i, struct spec_instruction)->mangled;
        if (SPEC_AT(spec->instructions, i, struct spec_instruction)->compressed)
            break;
        text_format(&emitter->text, " \\\n    X(%s, %s)", emit_upper(spec->arena, name), name);
    }
    text_append(&emitter->text,
                "\n\n/* DIRECT(ID, name) or WHOLE(ID, name): has its body a direct form? */\n"
                "#define ISA_FOR_EACH_BODY(DIRECT, WHOLE)");
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (instruction->compressed)
            break;
        text_format(&emitter->text, " \\\n    %s(%s, %s)",
                    is_direct(spec, instruction) ? "DIRECT" : "WHOLE",
                    emit_upper(spec->arena, instruction->mangled), instruction->mangled);
    }
    text_append(&emitter->text, "\n\n");
}

/* X(NAME, number of parts, ids of the parts) for each superinstruction, in their order. */
static void emit_superinstruction_list(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    text_append(&emitter->text,
                "/* X(NAME, parts, their ids) for each superinstruction: by the id of the first "
                "part, longest first. */\n#define ISA_FOR_EACH_SUPERINSTRUCTION(X)");
    for (size_t i = 0; i < spec->superinstruction_count; i++) {
        const struct spec_superinstruction *super = &spec->superinstructions[i];
        text_format(&emitter->text, " \\\n    X(%s, %zu", emit_upper(spec->arena, super->name),
                    super->count);
        for (size_t k = 0; k < super->count; k++)
            text_format(&emitter->text, ", ISA_ID_%s",
                        emit_upper(spec->arena, super->parts[k]->mangled));
        text_append(&emitter->text, ")");
    }
    text_format(&emitter->text, "\n\nenum { ISA_SUPERINSTRUCTION_COUNT = %zu };\n\n",
                spec->superinstruction_count);
}

/* Writes the index and the size of each standard file, which C code names, and the numbers of its
 * registers. */
static void emit_files(struct emitter *emitter)
{
    struct arena *arena = emitter->spec->arena;
    const struct map *files = &emitter->spec->register_files;

    text_append(&emitter->text, "/* Register files that are standard: index in isa_register_files, "
                                "size, register numbers. */\nenum {\n");
    for (size_t i = 0; i < files->count; i++) {
        const struct spec_register_file *file = SPEC_AT(*files, i, struct spec_register_file);
        if (!file->standard)
            continue;
        const char *name = emit_upper(arena, file->name);
        text_format(&emitter->text, "    ISA_FILE_%s = %zu,\n    ISA_%s_REGISTERS = %zu,\n", name,
                    i, name, (size_t)file->count);
        for (size_t k = 0; k < file->count; k++)
            text_format(&emitter->text, "    ISA_REGISTER_%s = %zu,\n",
                        emit_upper(arena, file->names[k]), k);
    }
    text_format(&emitter->text,
                "};\n\n/* All register files, and the words of those that are not standard. */\n"
                "enum {\n    ISA_FILE_COUNT = %zu,\n    ISA_REGISTER_LIMIT = 64,\n"
                "    ISA_REGISTER_WORDS = %llu,\n};\n\n",
                files->count, (unsigned long long)emitter->spec->register_words);
}

static void emit_enum_values(struct emitter *emitter)
{
    struct arena *arena = emitter->spec->arena;
    const struct map *enums = &emitter->spec->enums;

    for (size_t i = 0; i < enums->count; i++) {
        const struct spec_enum *values = SPEC_AT(*enums, i, struct spec_enum);
        for (size_t k = 0; k < values->count; k++)
            if (!node_is_number(values->values[k].name))
                text_format(&emitter->text, "    ISA_VALUE_%s_%s = %lld,\n",
                            emit_upper(arena, values->name),
                            emit_upper(arena, values->values[k].name),
                            (long long)values->values[k].value);
    }
}

void emit_instruction_ids(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;
    struct arena *arena = spec->arena;

    emit_header(emitter, "Numbers of instructions and superinstructions, which a new instruction "
                         "changes: include this where they are needed.");
    text_append(&emitter->text,
                "#ifndef INSTRUCTION_IDS_H\n#define INSTRUCTION_IDS_H\n\nenum isa_id {\n");
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (!instruction->compressed)
            text_format(&emitter->text, "    ISA_ID_%s,\n",
                        emit_upper(arena, instruction->mangled));
    }
    text_append(&emitter->text, "    ISA_ID_COUNT /* those of compressed ones follow, which run as "
                                "their bases */\n};\n\n");
    emit_id_list(emitter);
    emit_superinstruction_list(emitter);
    text_append(&emitter->text, "#endif\n");
}

void emit_ids(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;
    struct arena *arena = spec->arena;

    emit_header(emitter, "Numbers of CSRs, register files and element types, and sizes.");
    text_append(&emitter->text, "#ifndef ISA_IDS_H\n#define ISA_IDS_H\n\n");
    text_format(
        &emitter->text,
        "enum { ISA_CODE_ALIGNMENT = %d }; /* bytes: of the addresses of instructions */\n\n",
        code_alignment(spec));
    text_format(&emitter->text, "enum { ISA_SUPERINSTRUCTION_PARTS = %d }; /* at most */\n\n",
                SPEC_SUPERINSTRUCTION_PARTS);
    text_append(&emitter->text, "enum isa_csr_number {\n");
    for (size_t i = 0; i < spec->csrs.count; i++)
        text_format(&emitter->text, "    ISA_CSR_%s = 0x%03llx,\n",
                    emit_upper(arena, spec->csrs_by_number[i]->name),
                    (unsigned long long)spec->csrs_by_number[i]->number);
    text_append(&emitter->text, "    ISA_CSR_LIMIT = 0x1000\n};\n\n");
    emit_files(emitter);
    text_append(&emitter->text, "/* Values of enumerated operands. */\nenum {\n");
    emit_enum_values(emitter);
    text_append(&emitter->text, "};\n\n/* Values of settings that are words. */\n");
    emit_setting_words(emitter);
    text_append(&emitter->text, "\n/* Codes of element types. */\nenum isa_element_code {\n");
    emit_element_codes(emitter, "ISA_ELEMENT_");
    emit_pair_numbers(emitter);
    text_append(&emitter->text, "};\n\n#endif\n");
}
