/* See value_type.h. An instruction of a type T is named op.T or op.T.S, where S is what it reads.
 */
#include "lib/trace/value_type.h"

#include "lib/float_format.h"
#include <stdio.h>
#include <string.h>

static const struct isa_element *float_of_format(enum float_format format)
{
    for (size_t i = 0; i < isa_element_count; i++)
        if (type_is_float(&isa_elements[i]) && isa_elements[i].format == format)
            return &isa_elements[i];
    return NULL;
}

/* Returns the type of a view of a float register. */
static const struct isa_element *type_of_view(enum isa_view view)
{
    switch (view) {
    case ISA_VIEW_F64:
    case ISA_VIEW_U64:
        return float_of_format(FLOAT_F64);
    case ISA_VIEW_F32:
    case ISA_VIEW_RAW32:
        return float_of_format(FLOAT_F32);
    case ISA_VIEW_F16:
    case ISA_VIEW_RAW16:
        return float_of_format(FLOAT_F16);
    default:
        return NULL;
    }
}

/* Returns the operand of the instruction that the float register is, or one of whose group; NULL:
 * none. */
static const struct isa_operand *float_operand(const struct isa_instruction *instruction,
                                               uint64_t word, unsigned file, unsigned number)
{
    if (isa_register_files[file].standard != ISA_STANDARD_FLOAT)
        return NULL;
    for (unsigned i = 0; instruction && i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        if ((operand->type->kind != ISA_REGISTER && operand->type->kind != ISA_REGISTER_GROUP) ||
            operand->type->file != &isa_register_files[file])
            continue;
        unsigned first = (unsigned)isa_extract(operand, word);
        unsigned count = operand->type->kind == ISA_REGISTER ? 1 : operand->type->group_count;
        if (number - first < count)
            return operand;
    }
    return NULL;
}

const struct isa_element *type_of_register(const struct isa_instruction *instruction, uint64_t word,
                                           unsigned file, unsigned number)
{
    const struct isa_operand *operand = float_operand(instruction, word, file, number);

    return operand ? type_of_view(operand->type->view) : NULL;
}

bool register_is_raw(const struct isa_instruction *instruction, uint64_t word, unsigned file,
                     unsigned number)
{
    const struct isa_operand *operand = float_operand(instruction, word, file, number);

    return operand && operand->type->access != ISA_READ && !operand->element &&
           (operand->type->view == ISA_VIEW_RAW32 || operand->type->view == ISA_VIEW_RAW16);
}

const struct isa_element *type_stored(const struct isa_instruction *instruction, uint64_t word,
                                      unsigned size)
{
    for (unsigned i = 0; instruction && i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        unsigned first;
        if (!isa_registers_read(operand, word, &first) || !operand->type->file)
            continue;
        unsigned file = (unsigned)(operand->type->file - isa_register_files);
        const struct isa_element *type = type_of_register(instruction, word, file, first);
        if (type && type->bytes == size)
            return type;
    }
    return NULL;
}

/* Returns the type that a part of a mnemonic names, up to the next dot. */
static const struct isa_element *type_named(const char *part)
{
    size_t length = strcspn(part, ".");
    char name[16];

    if (length >= sizeof name)
        return NULL;
    snprintf(name, sizeof name, "%.*s", (int)length, part);
    return isa_find_element(name);
}

/* One that reads two ranges or more sums products of elements, in the type of sums of T. */
const struct isa_element *type_written(const struct isa_instruction *instruction,
                                       const struct recorder *recorder)
{
    const char *dot = instruction ? strchr(instruction->mnemonic, '.') : NULL;
    const struct isa_element *type = dot ? type_named(dot + 1) : NULL;
    unsigned ranges = 0;

    for (size_t i = 0; i < recorder->count; i++)
        ranges += recorder->effects[i].kind == EFFECT_RANGE_READ;
    if (!type || ranges < 2 || type->bytes >= 4)
        return type;
    return type_is_float(type) ? float_of_format(FLOAT_F32) : isa_find_element("i32");
}

const struct isa_element *type_read(const struct isa_instruction *instruction)
{
    const char *dot = instruction ? strrchr(instruction->mnemonic, '.') : NULL;

    return dot ? type_named(dot + 1) : NULL;
}
