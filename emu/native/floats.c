/* Floating-point operands: in which registers of the host they are, and which are known to be
 * NaN-boxed. See parts.h. */
#include "emu/native/parts.h"

/* Returns the number of the guest's floating-point register that the operand is, or -1. */
static int float_register_of(const struct decoded *record, const struct isa_operand *operand)
{
    return native_is_float_register(operand) && operand->type->kind == ISA_REGISTER
               ? record->r[operand->slot_index]
               : -1;
}

/* Is the operand a group of floating-point registers, which stencils have in memory? */
static bool is_float_group(const struct isa_operand *operand)
{
    return native_is_float_register(operand) && operand->type->kind == ISA_REGISTER_GROUP;
}

static void move_float(struct native *native, unsigned id, unsigned number, unsigned host)
{
    struct filling filling = {.registers = {(uint8_t)host}};

    filling.values[HOLE_OFFSET] = number * 8;
    native_add(native, stencil_glue(id), &filling);
}

void native_count_floats(struct native *native, const struct decoded *record)
{
    const struct isa_instruction *instruction = &isa_instructions[record->id];

    if (!native_shape(native, record->id)->has_floats)
        return;
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        int number = float_register_of(record, operand);
        if (number >= 0)
            native->float_uses[number]++;
        /* The registers of a group are in memory, so they are better not pinned. */
        for (unsigned k = 0; is_float_group(operand) && k < operand->type->group_count; k++)
            native->float_uses[record->r[operand->slot_index] + k] -= 2;
    }
}

/* Moves the pinned registers of the group to memory or back. */
static void move_group(struct native *native, const struct decoded *record,
                       const struct isa_operand *operand, unsigned id)
{
    unsigned first = record->r[operand->slot_index];

    for (unsigned number = first; number < first + operand->type->group_count; number++)
        if (native->float_host_of[number] != NOT_PINNED)
            move_float(native, id, number, native->float_host_of[number]);
}

void native_place_floats(struct native *native, const struct decoded *record,
                         struct filling *filling)
{
    const struct isa_instruction *instruction = &isa_instructions[record->id];

    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        int number = float_register_of(record, operand);
        if (is_float_group(operand) && operand->type->access & ISA_READ)
            move_group(native, record, operand, STENCIL_glue_spill_float);
        if (number < 0)
            continue;
        unsigned host = native->float_host_of[number];
        if (host == NOT_PINNED) {
            host = HOST_FLOAT_OPERAND + operand->slot_index;
            if (operand->type->access & ISA_READ)
                move_float(native, STENCIL_glue_fill_float, (unsigned)number, host);
        }
        filling->registers[operand->slot_index] = (uint8_t)host;
    }
}

void native_keep_floats(struct native *native, const struct decoded *record)
{
    const struct isa_instruction *instruction = &isa_instructions[record->id];

    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        int number = float_register_of(record, operand);
        if (number >= 0 && operand->type->access & ISA_WRITE &&
            native->float_host_of[number] == NOT_PINNED)
            move_float(native, STENCIL_glue_spill_float, (unsigned)number,
                       HOST_FLOAT_OPERAND + operand->slot_index);
        if (is_float_group(operand) && operand->type->access & ISA_WRITE)
            move_group(native, record, operand, STENCIL_glue_fill_float);
    }
}

bool native_is_boxed(const struct run *run, const struct decoded *record)
{
    const struct isa_instruction *instruction = &isa_instructions[record->id];
    bool found = false;

    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        if (!native_is_float_register(operand) || !(operand->type->access & ISA_READ) ||
            operand->type->view != ISA_VIEW_F32)
            continue;
        if (operand->type->kind != ISA_REGISTER ||
            !(run->boxed >> record->r[operand->slot_index] & 1))
            return false;
        found = true;
    }
    return found;
}

void native_note_boxes_read(struct run *run, const struct decoded *record)
{
    const struct isa_instruction *instruction = &isa_instructions[record->id];

    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        if (!native_is_float_register(operand) || operand->type->access != ISA_READ ||
            operand->type->view != ISA_VIEW_F32 || operand->type->kind != ISA_REGISTER)
            continue;
        uint32_t mask = (uint32_t)1 << record->r[operand->slot_index];
        run->wanted.boxed |= mask & ~run->boxed;
        run->boxed |= mask;
    }
}

void native_note_boxes(struct run *run, const struct decoded *record)
{
    const struct isa_instruction *instruction = &isa_instructions[record->id];

    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        if (!native_is_float_register(operand) || !(operand->type->access & ISA_WRITE))
            continue;
        uint32_t mask = (uint32_t)1 << record->r[operand->slot_index];
        if (operand->type->view == ISA_VIEW_F64 || operand->type->view == ISA_VIEW_U64)
            run->boxed &= ~mask;
        else if (operand->type->kind == ISA_REGISTER)
            run->boxed |= mask;
    }
}
