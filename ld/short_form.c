#include "ld/short_form.h"

#include <string.h>

enum { OPERANDS = 8 };

struct link_jump {
    const struct isa_instruction *instruction;
    unsigned target, link; /* indices of operands */
};

/* Finds an instruction with a pc-relative target and a register that it writes: jump and link. */
static bool find_jump(struct link_jump *jump)
{
    for (size_t i = 0; i < isa_instruction_count; i++) {
        const struct isa_instruction *instruction = &isa_instructions[i];
        if (instruction->operand_count != 2 || instruction->length != 4)
            continue;
        int target = -1, link = -1;
        for (unsigned j = 0; j < 2; j++) {
            const struct isa_operand_type *type = instruction->operands[j].type;
            if (type->kind == ISA_TARGET && type->relocation)
                target = (int)j;
            else if (type->kind == ISA_REGISTER && type->access == ISA_WRITE)
                link = (int)j;
        }
        if (target < 0 || link < 0)
            continue;
        *jump = (struct link_jump){instruction, (unsigned)target, (unsigned)link};
        return true;
    }
    return false;
}

/* Returns the register that the instruction writes; -1: it writes none, or is illegal. */
static int64_t written_register(uint64_t word, unsigned length)
{
    const struct isa_instruction *instruction = isa_decode(word, (int)length);

    for (unsigned i = 0; instruction && i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        if (operand->type->kind == ISA_REGISTER && operand->type->access == ISA_WRITE)
            return isa_extract(operand, word);
    }
    return -1;
}

static unsigned compress(const struct isa_instruction *instruction, const int64_t *values,
                         uint64_t *word)
{
    int64_t compressed_values[OPERANDS] = {0};
    const struct isa_instruction *compressed =
        isa_find_compressed(instruction, values, -1, ISA_EVERY_EXTENSION, compressed_values);

    if (!compressed)
        return 0;
    *word = isa_encode(compressed, compressed_values);
    return compressed->length;
}

/* Makes the jump that links in the register, without its target. */
static void make_jumps(struct short_call *call, int64_t link)
{
    struct link_jump jump;
    int64_t values[OPERANDS] = {0}, compressed_values[OPERANDS] = {0};

    if (link < 0 || !find_jump(&jump))
        return;
    const struct isa_operand *target = &jump.instruction->operands[jump.target];
    values[jump.link] = link;
    call->plain =
        (struct short_jump){target, isa_encode(jump.instruction, values), jump.instruction->length};
    const struct isa_instruction *compressed = isa_find_compressed(
        jump.instruction, values, (int)jump.target, ISA_EVERY_EXTENSION, compressed_values);
    if (!compressed)
        return;
    uint64_t word = isa_encode(compressed, compressed_values);
    for (unsigned i = 0; i < compressed->operand_count; i++)
        if (compressed->operands[i].type->kind == ISA_TARGET)
            call->compressed =
                (struct short_jump){&compressed->operands[i], word, compressed->length};
}

const struct short_jump *short_jump_for(struct linker *linker, const struct isa_relocation *type,
                                        uint64_t second, enum relocation_form form)
{
    struct short_call *call =
        &linker->short_calls[hash_bytes(&second, sizeof second, 0) % SHORT_CALLS];

    if (call->type != type || call->second != second) {
        *call = (struct short_call){.type = type, .second = second};
        make_jumps(call, written_register(second, type->second->length));
    }
    return form == FORM_COMPRESSED ? &call->compressed : &call->plain;
}

bool short_jump_reaches(const struct short_jump *jump, int64_t distance)
{
    return jump->target && isa_fits(jump->target, distance);
}

uint64_t short_jump_word(const struct short_jump *jump, int64_t distance)
{
    return isa_insert(jump->target->field, jump->word, distance);
}

/* Steps of loading a constant. */
enum { STEP_UPPER, STEP_ADD };

/* Returns the instruction of that step of loading a constant whose upper part is in the field, or
 * NULL. */
static const struct isa_instruction *load_step(const struct isa_field *field, unsigned step)
{
    for (size_t i = 0; i < isa_form_count; i++) {
        const struct isa_form *form = &isa_forms[i];
        if (form->expander != ISA_EXPAND_LOAD_IMMEDIATE)
            continue;
        const struct isa_instruction *upper = form->steps[STEP_UPPER].instruction;
        for (unsigned j = 0; j < upper->operand_count; j++)
            if (upper->operands[j].field == field)
                return form->steps[step].instruction;
    }
    return NULL;
}

/* Sets the operands: the register that the instruction writes, and zeros. */
static void set_destination(const struct isa_instruction *instruction, int64_t destination,
                            int64_t *values)
{
    for (unsigned i = 0; i < instruction->operand_count; i++)
        values[i] = instruction->operands[i].type->access == ISA_WRITE ? destination : 0;
}

unsigned short_high(const struct isa_field *field, uint64_t word, int64_t high,
                    uint64_t *compressed)
{
    int64_t values[OPERANDS] = {0};

    word = isa_insert(field, word, high ? high : 1);
    const struct isa_instruction *instruction = isa_decode(word, field->length);
    if (!instruction || instruction->operand_count > OPERANDS)
        return 0;
    isa_extract_all(instruction, word, values);
    unsigned length = compress(instruction, values, compressed);
    if (high || !length)
        return length;
    const struct isa_instruction *add = load_step(field, STEP_ADD);
    if (!add)
        return 0;
    set_destination(add, written_register(word, field->length), values);
    return compress(add, values, compressed);
}

uint64_t short_absolute_high(const struct isa_field *field, uint64_t word)
{
    int64_t destination = written_register(word, field->length), values[OPERANDS] = {0};
    const struct isa_instruction *upper = load_step(field, STEP_UPPER);

    if (destination < 0 || !upper)
        return word;
    set_destination(upper, destination, values);
    return isa_encode(upper, values);
}
