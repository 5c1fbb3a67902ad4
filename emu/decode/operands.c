/* See operands.h. A field is a few runs of bits, most often one. */
#include "emu/decode/operands.h"

#include <stdlib.h>

enum {
    VALUE_SLOTS = ISA_IMM_SLOTS, /* of the values of a record: after the immediates, all other */
    PLAN_VALUES,                 /* slots as one */
    OTHER_PIECES = 8,            /* besides those that most instructions have at most */
    PLAN_PIECES = OPERAND_PIECES + OTHER_PIECES,
};

/* Each value is the sum of its pieces, which are bits of the word after a rotation to the right,
 * and of what does not depend on the word. */
struct full_plan {
    uint16_t id;                    /* of the instruction that is executed */
    uint16_t instruction;           /* that of the word */
    bool is_general;                /* operands_decode must do it */
    uint8_t zero;                   /* where the slot begins whose value 0 becomes the sink: */
    uint8_t sink;                   /* by these bits; 0: there is no such slot */
    uint8_t others;                 /* number of other pieces */
    uint8_t above[ISA_IMM_SLOTS];   /* bits above the sign of an immediate; 0: it has none */
    uint8_t dropped[ISA_IMM_SLOTS]; /* highest bits that become 0 after the sign is extended */
    uint8_t rotations[PLAN_PIECES];
    uint8_t values[OTHER_PIECES]; /* of the other pieces */
    int64_t constants[PLAN_VALUES];
    uint64_t masks[PLAN_PIECES];
};

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
               : (struct destination){VALUE_SLOTS, (uint8_t)(operand->slot_index * CHAR_BIT)};
}

static void add_constant(struct full_plan *plan, struct destination to, int64_t constant)
{
    plan->constants[to.value] =
        (int64_t)((uint64_t)plan->constants[to.value] + ((uint64_t)constant << to.shift));
}

/* Adds a piece to those from `first` to `end`. Pieces with the same rotation become one. Returns
 * false if there is no place. */
static bool add_piece(struct full_plan *plan, unsigned first, unsigned end, unsigned rotation,
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

static bool add_other_piece(struct full_plan *plan, unsigned value, unsigned rotation,
                            uint64_t mask)
{
    unsigned piece = plan->others;

    if (piece == OTHER_PIECES)
        return false;
    plan->values[piece] = (uint8_t)value;
    plan->rotations[OPERAND_PIECES + piece] = (uint8_t)rotation;
    plan->masks[OPERAND_PIECES + piece] = mask;
    plan->others++;
    return true;
}

/* Adds the pieces of the field. Returns false if there are too many. */
static bool add_field(struct full_plan *plan, const struct isa_field *field, struct destination to)
{
    for (unsigned i = 0; i < field->piece_count; i++) {
        const struct isa_piece *from = &field->pieces[i];
        unsigned lsb = from->value_lsb + to.shift, rotation = (from->word_lsb - lsb) % 64;
        uint64_t mask = UINT64_MAX >> (64 - from->width) << lsb;
        bool is_added =
            to.value == VALUE_SLOTS
                ? add_piece(plan, 0, SLOT_PIECES, rotation, mask)
                : to.value == 0 && add_piece(plan, SLOT_PIECES, OPERAND_PIECES, rotation, mask);
        if (!is_added && !add_other_piece(plan, to.value, rotation, mask))
            return false;
    }
    return true;
}

/* Plans that the operand of the instruction which is executed is the operand of the word. */
static bool add_operand(struct full_plan *plan, const struct isa_operand *operand,
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
static bool add_sink(struct full_plan *plan, const struct isa_operand *operand)
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

static bool add_all(struct full_plan *plan, const struct isa_instruction *instruction)
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
           full = isa_instruction_count * sizeof *plans->full,
           numbers = isa_instruction_count * sizeof *plans->numbers;
    char *memory = calloc(1, sizeof *plans + OPERAND_LINE + room + known + numbers + full);

    if (!memory)
        return NULL;
    plans = (struct operand_plans *)memory;
    memory += sizeof *plans;
    memory += -(uintptr_t)memory % OPERAND_LINE;
    plans->plans = (struct operand_plan *)memory;
    plans->full = (struct full_plan *)(memory += room);
    plans->known = (struct known_word *)(memory += full);
    plans->numbers = (uint16_t *)(memory + known);
    arena_populate(plans->known, known + numbers); /* even short programs use most pages of these */
    return plans;
}

void operands_close(struct operand_plans *plans)
{
    free(plans);
}

/* Makes the plan of the instruction. */
static void make_full(struct full_plan *plan, const struct isa_instruction *instruction)
{
    plan->instruction = instruction->id;
    plan->is_general = !add_all(plan, instruction);
}

/* Must operands_fill_rare fill records by it? */
static bool is_rare(const struct full_plan *full)
{
    bool is_long = (uint64_t)full->constants[VALUE_SLOTS] >> 32;

    for (unsigned i = 0; i < ISA_IMM_SLOTS; i++)
        is_long |= full->constants[i] != 0;
    for (unsigned i = 0; i < OPERAND_PIECES; i++)
        is_long |= full->masks[i] >> 32 != 0;
    return is_long || full->is_general || full->others;
}

/* Makes the plan for most records by that for all. */
static void make_plan(struct operand_plan *plan, const struct full_plan *full)
{
    *plan = (struct operand_plan){
        .full = full,
        .slots = (uint32_t)full->constants[VALUE_SLOTS],
        .id = full->id,
        .length = isa_instructions[full->instruction].length,
        .is_rare = is_rare(full),
        .is_flow = isa_instructions[full->id].effects & ISA_EFFECT_FLOW,
        .zero = full->zero,
        .sink = full->sink,
        .above = full->above[0],
        .dropped = full->dropped[0],
    };
    for (unsigned i = 0; i < OPERAND_PIECES; i++) {
        plan->masks[i] = (uint32_t)full->masks[i];
        plan->rotations[i] = full->rotations[i];
    }
}

const struct operand_plan *operands_plan(struct operand_plans *plans,
                                         const struct isa_instruction *instruction)
{
    uint16_t *number = &plans->numbers[instruction->id];

    if (!*number) {
        struct full_plan *full = &plans->full[plans->count];
        make_full(full, instruction);
        make_plan(&plans->plans[plans->count], full);
        *number = (uint16_t)++plans->count;
    }
    return &plans->plans[*number - 1];
}

static uint64_t piece_of(const struct full_plan *full, unsigned piece, uint64_t word)
{
    unsigned rotation = full->rotations[piece];

    return (word >> rotation | word << (-rotation & 63)) & full->masks[piece];
}

void operands_fill_rare(struct decoded *record, const struct operand_plan *plan, uint64_t word)
{
    const struct full_plan *full = plan->full;
    uint64_t sums[PLAN_VALUES];

    if (full->is_general) {
        operands_decode(record, &isa_instructions[full->instruction], word);
        return;
    }
    for (unsigned i = 0; i < PLAN_VALUES; i++)
        sums[i] = i == VALUE_SLOTS ? (uint64_t)full->constants[i] : 0;
    for (unsigned i = 0; i < (unsigned)OPERAND_PIECES + full->others; i++) {
        unsigned value = i < SLOT_PIECES      ? VALUE_SLOTS
                         : i < OPERAND_PIECES ? 0
                                              : full->values[i - OPERAND_PIECES];
        sums[value] += piece_of(full, i, word);
    }
    record->slots = operands_slots(sums[VALUE_SLOTS], full->zero, full->sink);
    for (unsigned i = 0; i < ISA_IMM_SLOTS; i++)
        record->imm[i] =
            operands_immediate(sums[i], full->above[i], full->dropped[i]) + full->constants[i];
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
