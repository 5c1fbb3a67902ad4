/* How decoded records get their operands from words: by plans, which are made of the tables of the
 * ISA when the first word of an instruction is decoded. */
#ifndef EMU_OPERANDS_H
#define EMU_OPERANDS_H

#include "emu/decode.h"
#include "instruction_ids.h"

#include <limits.h>
#include <string.h>

enum {
    OPERAND_PIECES = 12, /* of the fields of an instruction with a plan */
    OPERAND_VALUES =
        ISA_IMM_SLOTS + 1, /* of a record: the immediates, and all other slots as one */
};

/* Bits of a word, and where they go: word << left, shifted right with its sign, then masked and
 * shifted left again. */
struct operand_piece {
    uint64_t mask;
    uint8_t left, right, shift;
    uint8_t value; /* an immediate, or ISA_IMM_SLOTS: the other slots */
};

/* All operands are the sum of what does not depend on the word, and of the pieces. */
struct operand_plan {
    int64_t values[OPERAND_VALUES];
    struct operand_piece pieces[OPERAND_PIECES];
    bool is_general; /* decode_operands must do it */
    bool has_sink;   /* a write to x0 goes to the sink: */
    uint8_t sink;    /* the bits of that slot begin here */
    uint8_t count, length;
    uint16_t id; /* of the instruction that is executed */
};

/* The plans of the instructions that occurred. Each page of memory that is used costs time at the
 * start, so they are next to each other. */
struct operand_plans {
    struct arena arena;
    bool is_flow[ISA_ID_COUNT]; /* of the instructions of the plans: does a block end after it? */
    const struct operand_plan *by_id[];
};

/* Returns no plans yet, or NULL: out of memory. */
struct operand_plans *operands_open(void);
/* Frees them (or NULL). */
void operands_close(struct operand_plans *plans);
/* Makes the plan of the instruction. */
const struct operand_plan *operands_plan(struct operand_plans *plans,
                                         const struct isa_instruction *instruction);
/* Returns the plan of the instruction. */
static inline const struct operand_plan *operands_find(struct operand_plans *plans,
                                                       const struct isa_instruction *instruction)
{
    const struct operand_plan *plan = plans->by_id[instruction->id];

    return __builtin_expect(plan != NULL, 1) ? plan : operands_plan(plans, instruction);
}

/* Fills operands, id and length from the word, as decode_operands does, by the plan of the
 * instruction. */
static inline void operands_fill(struct decoded *record, const struct operand_plan *plan,
                                 const struct isa_instruction *instruction, uint64_t word)
{
    int64_t values[OPERAND_VALUES];

    if (__builtin_expect(plan->is_general, 0)) {
        decode_operands(record, instruction, word);
        return;
    }
    memcpy(values, plan->values, sizeof values);
    const struct operand_piece *piece = plan->pieces, *end = piece + plan->count;
    for (; piece < end; piece++)
        values[piece->value] +=
            (int64_t)(((uint64_t)((int64_t)(word << piece->left) >> piece->right) & piece->mask)
                      << piece->shift);
    memcpy(record->imm, values, sizeof record->imm);
    record->slots = (uint64_t)values[ISA_IMM_SLOTS];
    if (plan->has_sink && !(record->slots >> plan->sink & UINT8_MAX))
        record->slots |= (uint64_t)SINK << plan->sink;
    record->length = plan->length;
    record->word = word;
    record->id = plan->id;
}

#endif
