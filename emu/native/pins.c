/* What may be pinned, by number (parts.h), and where it is in memory. */
#include "emu/native/parts.h"

int native_row_of(const struct decoded *record)
{
    const struct isa_instruction *instruction = &isa_instructions[record->id];

    for (unsigned i = 0; i < instruction->operand_count && instruction->effects & ISA_EFFECT_WALK;
         i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        unsigned number = record->r[operand->slot_index];
        if (operand->slot == ISA_SLOT_R && operand->type->kind == ISA_REGISTER_OR_IMMEDIATE &&
            number & RI_IMMEDIATE && (number & ~RI_IMMEDIATE) < TRAVERSAL_STREAKS)
            return (int)(number & ~RI_IMMEDIATE);
    }
    return -1;
}

int64_t native_streak_of(unsigned row)
{
    return (int64_t)(offsetof(struct machine, traversal.streaks) +
                     row * sizeof(struct traversal_streak)) -
           (int64_t)offsetof(struct machine, hart);
}

int64_t native_offset_of(unsigned number)
{
    return number < FIRST_WALK ? number * 8
                               : native_streak_of(number - FIRST_WALK) +
                                     (int64_t)offsetof(struct traversal_streak, position) -
                                     (int64_t)offsetof(struct hart, x);
}

unsigned native_pinnable(const struct native *native)
{
    return native->is_mirror ? PINNABLE : ISA_X_REGISTERS;
}
