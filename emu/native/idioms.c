/* Instructions that compilers write one after another where an extension that the program does not
 * use has one for them: their native code is that of the one. Between them nothing leaves native
 * code. See parts.h. */
#include "emu/native/parts.h"
#include "standard_ids.h"

enum { WORD_BITS = 32, SHIFTS = 4 };

/* The sum of a register times a power of two, and another one. */
static const uint16_t shifted_sums[SHIFTS] = {0, ISA_ID_SH1ADD, ISA_ID_SH2ADD, ISA_ID_SH3ADD};

/* Shifts by `left` bits to the left, and by `right` or more back to the right, that are one
 * instruction with the rest as its immediate. */
static const struct extension {
    uint16_t first, second; /* ids */
    uint8_t left, right, limit;
    uint16_t id;
} extensions[] = {
    {ISA_ID_SLLI, ISA_ID_SRLI, WORD_BITS, WORD_BITS + 1, 2 * WORD_BITS - 1, ISA_ID_SRLIW},
    {ISA_ID_SLLI, ISA_ID_SRAI, WORD_BITS, WORD_BITS + 1, 2 * WORD_BITS - 1, ISA_ID_SRAIW},
    {ISA_ID_SLLI, ISA_ID_SRAI, WORD_BITS, WORD_BITS, WORD_BITS, ISA_ID_ADDIW},
    {ISA_ID_SLLI, ISA_ID_SRLI, 48, 48, 48, ISA_ID_ZEXT_H},
    {ISA_ID_SLLI, ISA_ID_SRAI, 48, 48, 48, ISA_ID_SEXT_H},
    {ISA_ID_SLLI, ISA_ID_SRAI, 56, 56, 56, ISA_ID_SEXT_B},
    {ISA_ID_SLLIW, ISA_ID_SRLIW, 16, 16, 16, ISA_ID_ZEXT_H},
    {ISA_ID_SLLIW, ISA_ID_SRAIW, 16, 16, 16, ISA_ID_SEXT_H},
    {ISA_ID_SLLIW, ISA_ID_SRAIW, 24, 24, 24, ISA_ID_SEXT_B},
};

/* Does the second instruction shift what the first one has written, in its place? */
static bool shifts_result(const struct decoded *records)
{
    return records[1].r[0] == records[0].r[0] && records[1].r[1] == records[0].r[0];
}

/* Returns the extension that the two instructions are, or NULL. */
static const struct extension *find_extension(const struct decoded *records)
{
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        const struct extension *extension = &extensions[i];
        if (records[0].id == extension->first && records[1].id == extension->second &&
            records[0].imm[0] == extension->left && records[1].imm[0] >= extension->right &&
            records[1].imm[0] <= extension->limit)
            return shifts_result(records) ? extension : NULL;
    }
    return NULL;
}

/* Shifts to the left and back to the right, of what the first one has written, clear the upper word
 * of a register. What is left is a shift to the left, maybe by 0. */
static bool is_word(const struct decoded *records)
{
    return records[0].id == ISA_ID_SLLI && records[0].imm[0] == WORD_BITS &&
           records[1].id == ISA_ID_SRLI && records[1].r[1] == records[0].r[0] &&
           records[1].imm[0] <= WORD_BITS;
}

/* A shift to the left, and a sum of its result and another register that replaces it. */
static bool is_sum(const struct decoded *records)
{
    unsigned number = records[0].r[0];

    return records[0].id == ISA_ID_SLLI && records[0].imm[0] > 0 && records[0].imm[0] < SHIFTS &&
           records[1].id == ISA_ID_ADD && records[1].r[0] == number &&
           (records[1].r[1] == number) != (records[1].r[2] == number);
}

/* Returns the sum as one instruction, in the place of the first one. */
static struct decoded make_sum(const struct decoded *records)
{
    struct decoded sum = records[0];
    const uint8_t *terms = records[1].r;

    sum.id = shifted_sums[sum.imm[0]];
    sum.r[2] = terms[1] == sum.r[0] ? terms[2] : terms[1];
    sum.imm[0] = 0;
    return sum;
}

/* The shifts of a word leave the result of the first one, and its source. Then the second one need
 * not wait for the first, if it only clears the upper word; what it shifts besides has to become a
 * part of a sum, which is the third one. */
static void separate_word(struct decoded *records)
{
    struct decoded *second = &records[1], *third = &records[2];
    int64_t left = WORD_BITS - second->imm[0];

    if (second->r[0] == records[0].r[0] || records[0].r[1] == records[0].r[0])
        return;
    if (left) {
        struct decoded pair[2] = {*second, *second};
        if (records[0].remaining > 2)
            pair[1] = *third;
        pair[0].id = ISA_ID_SLLI;
        pair[0].r[1] = pair[0].r[0];
        pair[0].imm[0] = left;
        if (!is_sum(pair))
            return;
        pair[0].pc = pair[1].pc;
        pair[0].remaining = pair[1].remaining;
        *third = make_sum(pair);
    }
    second->id = ISA_ID_SLLI_UW;
    second->r[1] = records[0].r[1];
    second->imm[0] = 0;
}

bool native_replace_idiom(struct decoded *records)
{
    struct decoded *second = &records[1];
    const struct extension *extension;

    if ((records[0].id != ISA_ID_SLLI && records[0].id != ISA_ID_SLLIW) ||
        records[0].remaining < 2 || records[0].r[0] == 0 || records[0].r[0] == SINK)
        return false;
    struct decoded first = records[0];
    if (is_word(records) && !shifts_result(records)) {
        separate_word(records);
        return false;
    }
    if (is_word(records)) {
        records[0].id = ISA_ID_SLLI_UW;
        records[0].imm[0] = 0;
        second->id = ISA_ID_SLLI;
        second->imm[0] = WORD_BITS - second->imm[0];
        if (second->imm[0])
            return false;
        first = records[0];
    } else if ((extension = find_extension(records)) != NULL) {
        first.id = extension->id;
        first.imm[0] = second->imm[0] - extension->left;
    } else if (is_sum(records)) {
        first = make_sum(records);
    } else {
        return false;
    }
    first.remaining = second->remaining;
    *second = first;
    return true;
}
