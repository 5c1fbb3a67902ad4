/* What may be pinned, by number (parts.h), and where it is in memory. */
#include "emu/decode/access.h"
#include "emu/native/parts.h"

#include <string.h>

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
    return (int64_t)(offsetof(struct machine, traversal.own_streaks) +
                     row * sizeof(struct traversal_streak)) -
           (int64_t)offsetof(struct machine, hart);
}

int64_t native_offset_of(const struct native *native, unsigned number)
{
    unsigned row = number - (number < FIRST_STEP ? FIRST_WALK : FIRST_STEP);
    size_t part = offsetof(struct traversal_streak, position);

    if (number < FIRST_WALK)
        return number * 8;
    if (number >= FIRST_STEP)
        part = offsetof(struct traversal_streak, steps) +
               sizeof(uint64_t) * (unsigned)__builtin_ctz(native->elements[row]);
    return native_streak_of(row) + (int64_t)(part - offsetof(struct hart, x));
}

void native_count_walk(struct native *native, const struct decoded *record)
{
    unsigned row = (unsigned)native_row_of(record);
    uint8_t element = access_of(record->id)->element;

    if (row >= WALKS)
        return;
    native->uses[FIRST_WALK + row] += 2; /* it is read, and then written */
    if (row >= STEPS || !element)
        return;
    if (!memchr(native->pins, (int)(FIRST_STEP + row), PINS))
        native->elements[row] = element;
    native->uses[FIRST_STEP + row] += native->elements[row] == element;
}

unsigned native_pinnable(const struct native *native)
{
    return native->is_mirror ? PINNABLE : ISA_X_REGISTERS;
}
