/* The values of operands that are tested. Ranges come from the tables. */
#include "tests/roundtrip/roundtrip.h"

#include "lib/diag.h"

const struct isa_operand *encoded_operand(const struct isa_form *form, unsigned index)
{
    if (form->step_count == 0)
        return &form->operands[index];
    for (unsigned step = 0; step < form->step_count; step++) {
        const struct isa_instruction *instruction = form->steps[step].instruction;
        for (unsigned i = 0; i < instruction->operand_count; i++) {
            const struct isa_argument *argument = &form->steps[step].arguments[i];
            if (argument->kind == ISA_ARGUMENT_OPERAND && argument->operand == index &&
                form->expander == ISA_EXPAND_STEPS)
                return &instruction->operands[i];
        }
    }
    return NULL;
}

/* Adds a value once, and only if the field can hold it. */
static void add(const struct isa_operand *operand, struct values *values, int64_t value)
{
    if (!isa_fits(operand, value) || values->count == VALUES)
        return;
    for (size_t i = 0; i < values->count; i++)
        if (values->value[i] == value)
            return;
    values->value[values->count++] = value;
}

static void add_range(const struct isa_operand *operand, struct values *values)
{
    int64_t minimum, maximum, step;

    isa_range(operand, &minimum, &maximum, &step);
    for (int64_t i = 0; i < 2; i++) {
        add(operand, values, minimum + i * step);
        add(operand, values, maximum - i * step);
        add(operand, values, i * step);
        add(operand, values, -i * step);
    }
    for (int64_t bit = step; bit > 0 && bit <= maximum;
         bit <<= 1) /* every bit of a split field separately */
        add(operand, values, bit);
}

static void add_register_or_immediate(const struct isa_operand *operand, struct values *values)
{
    const struct isa_operand_type *type = operand->type;

    for (unsigned i = 0; i < type->file->count; i++)
        add(operand, values, (int64_t)isa_ri_register(type, i));
    for (unsigned i = 0; i < 1u << type->ri_immediate_bits; i++)
        add(operand, values, (int64_t)isa_ri_immediate(type, i));
}

void values_of(const struct isa_operand *operand, struct values *values)
{
    const struct isa_operand_type *type = operand->type;

    values->count = 0;
    switch (type->kind) {
    case ISA_REGISTER:
    case ISA_REGISTER_GROUP:
        for (unsigned i = 0; i < type->file->count; i++)
            add(operand, values, i);
        break;
    case ISA_REGISTER_OR_IMMEDIATE:
        add_register_or_immediate(operand, values);
        break;
    case ISA_IMMEDIATE:
    case ISA_TARGET:
        add_range(operand, values);
        break;
    case ISA_ENUM:
        for (unsigned i = 0; i < type->values->count; i++)
            add(operand, values, type->values->values[i].value);
        break;
    case ISA_SET:
        for (int64_t i = 0; i < 1 << type->bits; i++)
            add(operand, values, i);
        break;
    case ISA_CSR:
        for (size_t i = 0; i < isa_csr_count; i++)
            add(operand, values, isa_csrs[i].number);
        for (size_t i = 0; i < isa_csr_name_count; i++)
            add(operand, values, isa_csr_names[i].number);
        for (int64_t bit = 1; bit < 1 << type->bits; bit <<= 1)
            add(operand, values, bit);
        add(operand, values, 0);
        add(operand, values, (1 << type->bits) - 1);
        break;
    case ISA_SYMBOL:
    case ISA_VALUE:
    case ISA_OPCODE:
        break;
    }
    if (values->count == 0)
        BUG("operand %s has no value that its field holds", operand->name);
}

int64_t plain_value(const struct isa_operand *operand, unsigned index)
{
    const struct isa_operand_type *type = operand->type;
    int64_t minimum, maximum, step;

    switch (type->kind) {
    case ISA_REGISTER:
        if (isa_is_register(type, 10 + index))
            return 10 + index;
        return type->first + (type->count ? 0 : index % type->file->count);
    case ISA_REGISTER_GROUP:
        return (1 + index) % (type->file->count / type->group_count) * type->group_count;
    case ISA_REGISTER_OR_IMMEDIATE:
        return (int64_t)isa_ri_register(type, (10 + index) % type->file->count);
    case ISA_IMMEDIATE:
    case ISA_TARGET:
        isa_range(operand, &minimum, &maximum, &step);
        return step;
    case ISA_ENUM:
    case ISA_SET:
        return type->values->values[type->values->count - 1].value;
    default:
        return 1;
    }
}
