/*
 * What native code knows of a body, from its text: where stencils find its operands, which of them
 * are made, and what memory it accesses (accesses.inc).
 */
#include "isa/isagen/emit.h"

#include <ctype.h>
#include <string.h>

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

void emit_stencils(struct emitter *emitter, const struct spec_instruction *instruction)
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

bool emit_has_same_stencils(const struct spec_instruction *one,
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
        if (!instruction->compressed && spec_has_direct_form(spec, instruction) &&
            (is_sum || find_access(spec, instruction, &access)))
            text_format(&emitter->text, "[ISA_ID_%s] = {%u, %u, %u, %d, %d, %u, 0, 0},\n",
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
