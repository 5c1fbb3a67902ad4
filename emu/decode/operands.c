/* See operands.h. A field is a few runs of bits, most often one. */
#include "emu/decode/operands.h"

#include <stdlib.h>

void operands_decode(struct decoded *record, const struct isa_instruction *instruction,
                     uint64_t word)
{
    int64_t values[ISA_OPERAND_LIMIT];

    record->length = instruction->length;
    instruction = isa_operands(instruction, word, values);
    record->id = instruction->id;
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        const struct isa_operand_type *type = operand->type;
        int64_t value = values[i];

        if (operand->slot == ISA_SLOT_IMM) {
            record->imm[operand->slot_index] = value;
            continue;
        }
        if (type->kind == ISA_REGISTER_OR_IMMEDIATE)
            value =
                isa_ri_value(type, value) | (isa_ri_is_immediate(type, value) ? RI_IMMEDIATE : 0);
        else if (type->kind == ISA_REGISTER && type->access & ISA_WRITE && type->file->zero &&
                 value == 0)
            value = type->file->count; /* of the integer file: SINK */
        record->r[operand->slot_index] = value;
    }
}

/* What is filled in of a record: the value, and the first bit in it. */
struct destination {
    uint8_t value, shift;
};

static struct destination destination_of(const struct isa_operand *operand)
{
    return operand->slot == ISA_SLOT_IMM
               ? (struct destination){operand->slot_index, 0}
               : (struct destination){OPERAND_SLOTS, (uint8_t)(operand->slot_index * CHAR_BIT)};
}

static void add_constant(struct operand_plan *plan, struct destination to, int64_t constant)
{
    plan->constants[to.value] =
        (int64_t)((uint64_t)plan->constants[to.value] + ((uint64_t)constant << to.shift));
}

/* Adds a piece to those from `first` to `end`. Pieces with the same rotation become one. Returns
 * false if there is no place. */
static bool add_piece(struct operand_plan *plan, unsigned first, unsigned end, unsigned rotation,
                      uint64_t mask)
{
    for (unsigned i = first; i < end; i++) {
        if (plan->masks[i] && plan->rotations[i] != rotation)
            continue;
        plan->rotations[i] = (uint8_t)rotation;
        plan->masks[i] |= mask;
        return true;
    }
    return false;
}

static bool add_other_piece(struct operand_plan *plan, unsigned value, unsigned rotation,
                            uint64_t mask)
{
    unsigned piece = plan->others;

    if (piece == OTHER_PIECES)
        return false;
    plan->values[piece] = (uint8_t)value;
    plan->rotations[COMMON_PIECES + piece] = (uint8_t)rotation;
    plan->masks[COMMON_PIECES + piece] = mask;
    plan->others++;
    return true;
}

/* Adds the pieces of the field. Returns false if there are too many. */
static bool add_field(struct operand_plan *plan, const struct isa_field *field,
                      struct destination to)
{
    for (unsigned i = 0; i < field->piece_count; i++) {
        const struct isa_piece *from = &field->pieces[i];
        unsigned lsb = from->value_lsb + to.shift, rotation = (from->word_lsb - lsb) % 64;
        uint64_t mask = UINT64_MAX >> (64 - from->width) << lsb;
        bool is_added =
            to.value == OPERAND_SLOTS
                ? add_piece(plan, 0, SLOT_PIECES, rotation, mask)
                : to.value == 0 && add_piece(plan, SLOT_PIECES, COMMON_PIECES, rotation, mask);
        if (!is_added && !add_other_piece(plan, to.value, rotation, mask))
            return false;
    }
    return true;
}

/* Plans that the operand of the instruction which is executed is the operand of the word. */
static bool add_operand(struct operand_plan *plan, const struct isa_operand *operand,
                        const struct isa_operand *from)
{
    const struct isa_operand_type *type = from->type;
    bool is_immediate = operand->slot == ISA_SLOT_IMM,
         is_signed = type->is_signed && (type->kind == ISA_IMMEDIATE || type->kind == ISA_TARGET);
    struct destination to = destination_of(operand);

    if (operand->type->kind == ISA_REGISTER_OR_IMMEDIATE ||
        (!is_immediate && (is_signed || type->extends || from->field->bits > CHAR_BIT)))
        return false;
    if (is_immediate && is_signed)
        plan->above[to.value] = 64 - from->field->bits;
    if (is_immediate && type->extends)
        plan->dropped[to.value] = 64 - type->extends;
    add_constant(plan, to, type->first);
    return add_field(plan, from->field, to);
}

/* Notes where a write to a register that is hard-wired to 0 goes to the one after the last. Returns
 * false if that is possible twice. */
static bool add_sink(struct operand_plan *plan, const struct isa_operand *operand)
{
    const struct isa_operand_type *type = operand->type;

    if (type->kind != ISA_REGISTER || !(type->access & ISA_WRITE) || !type->file->zero)
        return true;
    if (plan->sink || operand->slot == ISA_SLOT_IMM)
        return false;
    plan->sink = (uint8_t)type->file->count; /* of the integer file: SINK */
    plan->zero = destination_of(operand).shift;
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

/* All is one allocation, which is so large that the host provides the pages that are used, and no
 * others. */
struct operand_plans *operands_open(void)
{
    struct operand_plans *plans;
    size_t known = isa_group_entries * sizeof *plans->known,
           room = isa_instruction_count * sizeof *plans->plans,
           numbers = isa_instruction_count * sizeof *plans->numbers;
    char *memory = calloc(1, sizeof *plans + room + known + numbers);

    if (!memory)
        return NULL;
    plans = (struct operand_plans *)memory;
    plans->plans = (struct operand_plan *)(memory += sizeof *plans);
    plans->known = (struct known_word *)(memory += room);
    plans->numbers = (uint16_t *)(memory + known);
    arena_populate(plans->known, known + numbers); /* even short programs use most pages of these */
    return plans;
}

void operands_close(struct operand_plans *plans)
{
    free(plans);
}

static bool has_other_constants(const struct operand_plan *plan)
{
    for (unsigned i = 1; i < ISA_IMM_SLOTS; i++)
        if (plan->constants[i])
            return true;
    return false;
}

/* Makes the plan of the instruction. */
static void make_plan(struct operand_plan *plan, const struct isa_instruction *instruction)
{
    plan->instruction = instruction->id;
    plan->length = instruction->length;
    plan->is_general = !add_all(plan, instruction);
    plan->is_rare = plan->is_general || plan->others || has_other_constants(plan);
    plan->is_flow = isa_instructions[plan->id].effects & ISA_EFFECT_FLOW;
}

const struct operand_plan *operands_plan(struct operand_plans *plans,
                                         const struct isa_instruction *instruction)
{
    uint16_t *number = &plans->numbers[instruction->id];

    if (!*number) {
        make_plan(&plans->plans[plans->count], instruction);
        *number = (uint16_t)++plans->count;
    }
    return &plans->plans[*number - 1];
}

void operands_fill_rare(struct decoded *record, const struct operand_plan *plan, uint64_t word)
{
    uint64_t sums[OPERAND_VALUES] = {0};

    if (plan->is_general) {
        operands_decode(record, &isa_instructions[plan->instruction], word);
        return;
    }
    for (unsigned i = 0; i < (unsigned)COMMON_PIECES + plan->others; i++) {
        unsigned value = i < SLOT_PIECES     ? OPERAND_SLOTS
                         : i < COMMON_PIECES ? 0
                                             : plan->values[i - COMMON_PIECES];
        sums[value] += operands_piece(plan, i, word);
    }
    record->slots = operands_slots(plan, sums[OPERAND_SLOTS]);
    for (unsigned i = 0; i < ISA_IMM_SLOTS; i++)
        record->imm[i] = operands_immediate(plan, i, sums[i]);
    record->length = plan->length;
    record->id = plan->id;
}

const struct operand_plan *operands_learn(struct operand_plans *plans, uint64_t word, int length,
                                          isa_set extensions)
{
    const struct isa_instruction *instruction = isa_decode_enabled(word, length, extensions);

    if (!instruction)
        return NULL;
    const struct operand_plan *plan = operands_plan(plans, instruction);
    if (length <= 4) {
        const struct isa_group *group = &isa_groups[isa_group_of((uint32_t)word, length == 2)];
        uint32_t bits = (uint32_t)word & group->deciding;
        plans->known[isa_group_entry(group, bits)] =
            (struct known_word){bits, plans->numbers[instruction->id]};
    }
    return plan;
}
