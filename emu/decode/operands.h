/* How decoded records get their operands from words: by plans, which are made of the tables of the
 * ISA when the first word of an instruction is decoded. The plan of a word is found by the bits
 * that decide which instruction it is (lib/isa_tree.h). */
#ifndef EMU_DECODE_OPERANDS_H
#define EMU_DECODE_OPERANDS_H

#include "emu/decode/decode.h"
#include "lib/isa_tree.h"

#include <limits.h>
#include <string.h>

enum {
    /* Pieces of bits of a word: those that most instructions have at most, of the slots and of the
     * first immediate. */
    SLOT_PIECES = 3,
    IMMEDIATE_PIECES = 5,
    OPERAND_PIECES = SLOT_PIECES + IMMEDIATE_PIECES,
    OPERAND_LINE = 64, /* bytes of a line of the host's cache */
};

struct full_plan;

/* How most instructions get their operands: the slots, of which the first four may have some, and
 * the first immediate are sums of pieces, which are the lower 32 bits of the word after a rotation
 * to the right. It is in one line of the host's cache. */
struct operand_plan {
    _Alignas(OPERAND_LINE) const struct full_plan *full; /* for any instruction */
    uint32_t masks[OPERAND_PIECES];
    uint8_t rotations[OPERAND_PIECES];
    uint32_t slots; /* what the slots have besides their pieces */
    uint16_t id;    /* of the instruction that is executed */
    uint8_t length;
    bool is_rare;    /* operands_fill_rare must do it */
    bool is_flow;    /* control may go elsewhere after it */
    uint8_t zero;    /* where the slot begins whose value 0 becomes the sink: */
    uint8_t sink;    /* by these bits; 0: there is no such slot */
    uint8_t above;   /* bits above the sign of the immediate; 0: it has none */
    uint8_t dropped; /* highest bits of it that become 0 after the sign is extended */
};

_Static_assert(sizeof(struct operand_plan) == OPERAND_LINE, "a plan is one line");

/* Says that words with these deciding bits have the plan of this number, from 1 on; 0: not known.
 */
struct known_word {
    uint32_t bits;
    uint16_t plan;
};

/* The plans of the instructions that occurred, in the order in which they did. Each page of memory
 * that is used costs time at the start, so they are next to each other. */
struct operand_plans {
    struct known_word *known;   /* by the entries of the groups (lib/isa_tree.h) */
    struct operand_plan *plans; /* room for one of each instruction */
    struct full_plan *full;     /* the same */
    uint16_t *numbers;          /* of the plans, by id of the instruction */
    unsigned count;
};

/* Fills operands, id and length from the word. `body` does not change. */
void operands_decode(struct decoded *record, const struct isa_instruction *instruction,
                     uint64_t word);

/* Returns no plans yet, or NULL: out of memory. */
struct operand_plans *operands_open(void);
/* Frees them (or NULL). */
void operands_close(struct operand_plans *plans);
/* Returns the plan of the instruction. */
const struct operand_plan *operands_plan(struct operand_plans *plans,
                                         const struct isa_instruction *instruction);
/* Returns the plan of the word, which is not known; or NULL: it is illegal where only these
 * extensions are there. */
const struct operand_plan *operands_learn(struct operand_plans *plans, uint64_t word, int length,
                                          isa_set extensions);

/* Does what operands_fill does, by any plan. */
void operands_fill_rare(struct decoded *record, const struct operand_plan *plan, uint64_t word);

/* Returns the plan of the word, or NULL: it is illegal. The extensions are the same each time. */
static inline const struct operand_plan *
operands_of_word(struct operand_plans *plans, uint64_t word, int length, isa_set extensions)
{
    if (__builtin_expect(length <= 4, 1)) {
        const struct isa_group *group = &isa_groups[isa_group_of((uint32_t)word, length == 2)];
        uint32_t bits = (uint32_t)word & group->deciding;
        const struct known_word *known = &plans->known[isa_group_entry(group, bits)];
        if (__builtin_expect(known->bits == bits && known->plan, 1))
            return &plans->plans[known->plan - 1];
    }
    return operands_learn(plans, word, length, extensions);
}

static inline uint64_t operands_piece(const struct operand_plan *plan, unsigned piece,
                                      uint64_t word)
{
    unsigned rotation = plan->rotations[piece];

    return (word >> rotation | word << (-rotation & 63)) & plan->masks[piece];
}

/* Returns the immediate that has these bits, with so many bits above the sign (0: it has none), of
 * which the highest ones are dropped. */
static inline int64_t operands_immediate(uint64_t bits, unsigned above, unsigned dropped)
{
    int64_t extended = (int64_t)(bits << above) >> above;

    return (int64_t)((uint64_t)extended & UINT64_MAX >> dropped);
}

/* Returns the slots, of which the one from bit `zero` on becomes the sink if it is 0. */
static inline uint64_t operands_slots(uint64_t slots, unsigned zero, unsigned sink)
{
    bool is_sink = !(slots >> zero & UINT8_MAX);

    return slots | (sink & -(uint64_t)is_sink) << zero;
}

/* Fills operands, id and length of a record that is 0, as operands_decode does. */
static inline __attribute__((always_inline)) void
operands_fill(struct decoded *record, const struct operand_plan *plan, uint64_t word)
{
    if (__builtin_expect(plan->is_rare, 0)) {
        operands_fill_rare(record, plan, word);
        return;
    }
    /* Nothing branches by the number of pieces, which hosts cannot predict. */
    _Static_assert(SLOT_PIECES == 3 && IMMEDIATE_PIECES == 5, "the sums have as many");
    record->slots =
        operands_slots(plan->slots + operands_piece(plan, 0, word) + operands_piece(plan, 1, word) +
                           operands_piece(plan, 2, word),
                       plan->zero, plan->sink);
    record->imm[0] =
        operands_immediate(operands_piece(plan, 3, word) + operands_piece(plan, 4, word) +
                               operands_piece(plan, 5, word) + operands_piece(plan, 6, word) +
                               operands_piece(plan, 7, word),
                           plan->above, plan->dropped);
    record->length = plan->length;
    record->id = plan->id;
}

#endif
