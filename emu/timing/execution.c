/* See execution.h. */
#include "emu/timing/execution.h"

#include "emu/float/host.h"
#include "emu/machine.h"
#include "emu/unit_state.h"

/* Returns the value of a register as a body has it. */
static uint64_t register_value(const struct hart *hart, const struct isa_operand_type *type,
                               unsigned number)
{
    uint64_t value = *hart_register(hart, type->file, number);

    switch (type->view) {
    case ISA_VIEW_F32:
        return unbox_f32(value);
    case ISA_VIEW_RAW32:
        return (uint32_t)value;
    case ISA_VIEW_F16:
        return unbox_f16(value);
    case ISA_VIEW_RAW16:
        return (uint16_t)value;
    case ISA_VIEW_U64:
    case ISA_VIEW_F64:
    case ISA_VIEW_BITS:
        break;
    }
    return value;
}

void execution_values(const struct hart *hart, const struct isa_instruction *instruction,
                      const int64_t *fields, uint64_t *values)
{
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand_type *type = instruction->operands[i].type;
        bool is_choice = type->kind == ISA_REGISTER_OR_IMMEDIATE;
        if (is_choice && isa_ri_is_immediate(type, fields[i]))
            values[i] = isa_ri_value(type, fields[i]);
        else if (is_choice)
            values[i] = *hart_register(hart, type->file, isa_ri_value(type, fields[i]));
        else if (type->kind == ISA_REGISTER)
            values[i] = register_value(hart, type, fields[i]);
        else
            values[i] = fields[i];
    }
}

const struct isa_instruction *execution_operands(const struct hart *hart,
                                                 const struct isa_instruction *instruction,
                                                 uint64_t word, uint64_t *values)
{
    int64_t fields[ISA_OPERAND_LIMIT];

    instruction = isa_operands(instruction, word, fields);
    execution_values(hart, instruction, fields, values);
    return instruction;
}

static uint64_t read_state(const struct time_state *state, unsigned number, const uint64_t *indices)
{
    uint64_t value = 0;

    unit_state_value(((const struct execution_state *)state)->machine, number, indices, &value);
    return value;
}

struct execution_state execution_state(struct machine *machine)
{
    return (struct execution_state){{read_state}, machine};
}
