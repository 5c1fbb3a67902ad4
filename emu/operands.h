/* How decoded records get their operands from words: by plans, which are made of the tables of the
 * ISA when the first word of an instruction is decoded. */
#ifndef EMU_OPERANDS_H
#define EMU_OPERANDS_H

#include "emu/decode.h"

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
    bool is_known;
    bool is_general; /* decode_operands must do it */
    bool has_sink;   /* a write to x0 goes to the sink: */
    uint8_t sink;    /* the bits of that slot begin here */
    uint8_t count, length;
    uint16_t id; /* of the instruction that is executed */
};

/* Makes the plan of the instruction. */
void operands_plan(struct operand_plan *plan, const struct isa_instruction *instruction);

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
