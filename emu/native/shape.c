/* What the translator needs to know about the operands of an instruction, which depends on its id
 * only: found out when the first instruction of the id is translated. See parts.h. */
#include "emu/decode/access.h"
#include "emu/native/parts.h"

static bool is_integer_register(const struct isa_operand *operand)
{
    return operand->type->file && operand->type->file->standard == ISA_STANDARD_INTEGER &&
           operand->slot == ISA_SLOT_R;
}

/* Is the operand a register of floating point, and nothing but written? */
static bool is_float_result(const struct isa_operand *operand)
{
    return native_is_float_register(operand) && operand->type->kind == ISA_REGISTER &&
           operand->type->access == ISA_WRITE;
}

static void add_integer(struct shape *shape, const struct isa_operand *operand)
{
    uint8_t slot = (uint8_t)(1u << operand->slot_index);

    if (operand->type->kind == ISA_REGISTER_OR_IMMEDIATE)
        shape->choices |= slot;
    else if (operand->type->kind != ISA_REGISTER)
        return;
    shape->integers |= slot;
    if (operand->type->access & ISA_READ || operand->type->kind == ISA_REGISTER_OR_IMMEDIATE)
        shape->reads |= slot;
    if (operand->type->access & ISA_WRITE)
        shape->writes |= slot;
}

/* Is the operand, in this slot, a register of floating point that is only read? */
static bool is_float_source(const struct isa_operand *operand, unsigned slot)
{
    return native_is_float_register(operand) && operand->type->kind == ISA_REGISTER &&
           operand->type->access == ISA_READ && operand->slot_index == slot;
}

/* Returns the operand that the result of the instruction is written to if it is a constant once all
 * registers that are read are known; or NULL: it is none in any case. */
static const struct isa_operand *find_result(const struct isa_instruction *instruction)
{
    const struct isa_operand *result = NULL;

    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        if (!operand->type->file)
            continue;
        bool is_integer = is_integer_register(operand) && operand->type->kind == ISA_REGISTER;
        if (!result &&
            (is_float_result(operand) || (is_integer && operand->type->access == ISA_WRITE)))
            result = operand;
        else if (!is_integer || operand->type->access != ISA_READ)
            return NULL;
    }
    return instruction->effects ? NULL : result;
}

/* If the stencils have operand 2 in memory only, where the others may be in registers, has the
 * copier write it there. */
static void store_operand(struct shape *shape, unsigned id)
{
    enum { LAST = STENCIL_OPERANDS - 1, LAST_BITS = LAST * STENCIL_PLACE_BITS };
    unsigned others = PLACE_REGISTER | PLACE_REGISTER << STENCIL_PLACE_BITS;

    if (!(shape->reads >> LAST & 1) || !stencil_find(id, others, KIND_USUAL) ||
        stencil_find(id, others | PLACE_REGISTER << LAST_BITS, KIND_USUAL))
        return;
    shape->stored = 1 << LAST;
    shape->places &= (uint8_t) ~(PLACE_REGISTER << LAST_BITS);
}

/* See struct shape. */
static bool can_fault(const struct isa_instruction *instruction, unsigned results)
{
    unsigned effects = instruction->effects & ~(unsigned)ISA_EFFECT_TRAP;

    return access_of(instruction->id)->is_store ? effects == ISA_EFFECT_STORE && results == 0
                                                : effects == ISA_EFFECT_LOAD && results == 1;
}

void native_find_shape(struct shape *shape, unsigned id)
{
    const struct isa_instruction *instruction = &isa_instructions[id];
    const struct stencil *stencil = stencil_find(id, PLACE_MEMORY, KIND_USUAL);
    unsigned pair = 0;

    *shape = (struct shape){.is_known = true, .target = -1, .has_stencil = stencil != NULL};
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        if (is_integer_register(operand))
            add_integer(shape, operand);
        shape->has_floats |= native_is_float_register(operand);
        pair += is_float_source(operand, 1) || is_float_source(operand, 2);
        shape->has_immediate |= operand->slot == ISA_SLOT_IMM;
        if (operand->type->kind == ISA_ENUM && operand->slot == ISA_SLOT_R)
            shape->modes |= (uint8_t)(1u << operand->slot_index);
        if (operand->type->kind == ISA_TARGET)
            shape->target = (int8_t)operand->slot_index;
        if (operand->type->access & ISA_WRITE)
            shape->results++;
    }
    for (unsigned slot = 0; slot < STENCIL_OPERANDS; slot++) {
        shape->read[slot] = -(uint32_t)(shape->reads >> slot & 1);
        shape->written[slot] = -(uint32_t)(shape->writes >> slot & 1);
        shape->places |= (uint8_t)((shape->integers >> slot & 1) << slot * STENCIL_PLACE_BITS);
    }
    store_operand(shape, id);
    shape->has_pair = pair == 2 && stencil_find(id, PLACE_MEMORY, KIND_EQUAL);
    shape->result = find_result(instruction);
    shape->has_reach = native_has_reach(id);
    shape->has_exact = stencil_find(id, PLACE_MEMORY, KIND_EXACT) != NULL;
    shape->is_walk = instruction->effects & ISA_EFFECT_WALK;
    shape->is_flow = instruction->effects & ISA_EFFECT_FLOW;
    shape->can_fault = can_fault(instruction, shape->results);
    shape->is_simple = stencil && !shape->is_walk && !(shape->integers & ~STENCIL_SLOTS);
    shape->is_makeable = stencil || !shape->is_flow;
    shape->gives_float = shape->result && is_float_result(shape->result);
    shape->is_silent =
        instruction->effects == 0 && !shape->has_floats && stencil && !stencil->leaves;
}
