/* See operands.h. A field is a few runs of bits, most often one. An operand whose value is more
 * than its bits, an extended sign and a first number is left to decode_operands. */
#include "emu/operands.h"

#include <stdlib.h>

/* What is filled in of a record: the value, and the first bit in it. */
struct destination {
    uint8_t value, shift;
};

static struct destination destination_of(const struct isa_operand *operand)
{
    return operand->slot == ISA_SLOT_IMM
               ? (struct destination){operand->slot_index, 0}
               : (struct destination){ISA_IMM_SLOTS, (uint8_t)(operand->slot_index * CHAR_BIT)};
}

static void add_constant(struct operand_plan *plan, struct destination to, int64_t constant)
{
    plan->values[to.value] =
        (int64_t)((uint64_t)plan->values[to.value] + ((uint64_t)constant << to.shift));
}

/* Adds the pieces of the field, of which the highest one may have the sign. Returns false if there
 * are too many. */
static bool add_field(struct operand_plan *plan, const struct isa_field *field, bool is_signed,
                      struct destination to)
{
    for (unsigned i = 0; i < field->piece_count; i++) {
        const struct isa_piece *from = &field->pieces[i];
        bool has_sign = is_signed && from->value_lsb + from->width == field->bits;
        if (plan->count == OPERAND_PIECES)
            return false;
        plan->pieces[plan->count++] = (struct operand_piece){
            .mask = has_sign ? UINT64_MAX : UINT64_MAX >> (64 - from->width),
            .left = (uint8_t)(64 - from->word_lsb - from->width),
            .right = (uint8_t)(64 - from->width),
            .shift = (uint8_t)(from->value_lsb + to.shift),
            .value = to.value,
        };
    }
    return true;
}

/* Plans that the operand of the instruction which is executed is the operand of the word. */
static bool add_operand(struct operand_plan *plan, const struct isa_operand *operand,
                        const struct isa_operand *from)
{
    bool is_immediate = operand->slot == ISA_SLOT_IMM,
         is_signed = from->type->is_signed &&
                     (from->type->kind == ISA_IMMEDIATE || from->type->kind == ISA_TARGET);
    struct destination to = destination_of(operand);

    if (from->type->extends || operand->type->kind == ISA_REGISTER_OR_IMMEDIATE ||
        (!is_immediate && (is_signed || from->field->bits > CHAR_BIT)))
        return false;
    add_constant(plan, to, from->type->first);
    return add_field(plan, from->field, is_signed, to);
}

/* Notes where a write to x0 goes to the sink. Returns false if that is possible twice. */
static bool add_sink(struct operand_plan *plan, const struct isa_operand *operand)
{
    const struct isa_operand_type *type = operand->type;

    if (type->kind != ISA_REGISTER || !(type->access & ISA_WRITE) || !type->file->zero)
        return true;
    if (plan->has_sink || operand->slot == ISA_SLOT_IMM)
        return false;
    plan->has_sink = true;
    plan->sink = destination_of(operand).shift;
    return true;
}

static bool add_all(struct operand_plan *plan, const struct isa_instruction *instruction)
{
    const struct isa_step *step = instruction->expansion ? &instruction->expansion->step : NULL;
    const struct isa_instruction *executed = step ? step->instruction : instruction;

    plan->id = executed->id;
    for (unsigned i = 0; i < executed->operand_count; i++) {
        const struct isa_operand *operand = &executed->operands[i];
        const struct isa_argument *argument = step ? &step->arguments[i] : NULL;
        bool is_constant = argument && argument->kind == ISA_ARGUMENT_CONSTANT;
        if (!add_sink(plan, operand))
            return false;
        if (is_constant && operand->type->kind == ISA_REGISTER_OR_IMMEDIATE)
            return false;
        if (is_constant)
            add_constant(plan, destination_of(operand), argument->constant);
        else if (!add_operand(plan, operand,
                              argument ? &instruction->operands[argument->operand] : operand))
            return false;
    }
    return true;
}

struct operand_plans *operands_open(void)
{
    struct operand_plans *plans;

    return calloc(1, sizeof *plans + isa_instruction_count * sizeof *plans->by_id);
}

void operands_close(struct operand_plans *plans)
{
    if (plans)
        arena_free(&plans->arena);
    free(plans);
}

const struct operand_plan *operands_plan(struct operand_plans *plans,
                                         const struct isa_instruction *instruction)
{
    struct operand_plan *plan = arena_new(&plans->arena, struct operand_plan);

    plan->length = instruction->length;
    plan->is_general = !add_all(plan, instruction);
    plans->is_flow[plan->id] = isa_instructions[plan->id].effects & ISA_EFFECT_FLOW;
    return plans->by_id[instruction->id] = plan;
}
