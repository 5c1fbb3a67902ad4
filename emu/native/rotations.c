/* Rotations, which compilers write as three instructions: shifts of a register to the left and to
 * the right, and the combination of their results, maybe with others between them. One instruction
 * does this. A shift whose result nothing else reads is left out, if control cannot leave native
 * code until the register is written again. See parts.h. */
#include "emu/native/parts.h"
#include "standard_ids.h"

/* Shifts that make a rotation, if they shift by this many bits together. */
static const struct rotation {
    uint16_t left, right, id;
    uint8_t bits;
} rotations[] = {
    {ISA_ID_SLLI, ISA_ID_SRLI, ISA_ID_RORI, 64},
    {ISA_ID_SLLIW, ISA_ID_SRLIW, ISA_ID_RORIW, 32},
};

/* What the instructions of a block did up to one of them. They have numbers from 1 on. */
struct past {
    uint8_t written[ISA_X_REGISTERS]; /* the last one that wrote the register; 0: none, */
    uint8_t read[ISA_X_REGISTERS];    /* or read it */
    uint8_t source[BLOCK_LIMIT + 1];  /* by number: the one that wrote operand 1, as it was read */
    uint8_t leaving;                  /* the last one that control may leave native code in */
    uint64_t left_out;                /* bits */
};

static bool is_integer(unsigned number)
{
    return number > 0 && number < ISA_X_REGISTERS;
}

/* Is there a shift to the left and one to the right? */
static bool has_shifts(const struct decoded *records, unsigned count)
{
    bool left = false, right = false;

    for (unsigned i = 0; i < count; i++) {
        left |= records[i].id == ISA_ID_SLLI || records[i].id == ISA_ID_SLLIW;
        right |= records[i].id == ISA_ID_SRLI || records[i].id == ISA_ID_SRLIW;
    }
    return left && right;
}

/* Does the instruction give all bits of two results that have none in common? */
static bool combines(const struct decoded *record, const struct rotation *rotation)
{
    return record->id == ISA_ID_OR || record->id == ISA_ID_XOR || record->id == ISA_ID_ADD ||
           (record->id == ISA_ID_ADDW && rotation->id == ISA_ID_RORIW);
}

/* Returns the rotation that the shifts make, or NULL. */
static const struct rotation *find_rotation(const struct decoded *left, const struct decoded *right)
{
    for (size_t i = 0; i < sizeof rotations / sizeof *rotations; i++)
        if (left->id == rotations[i].left && right->id == rotations[i].right &&
            left->imm[0] + right->imm[0] == rotations[i].bits && left->r[1] == right->r[1])
            return &rotations[i];
    return NULL;
}

/* May the shift be left out, if instruction `number` does not read its result any more? */
static bool is_needless(const struct run *run, const struct past *past, unsigned shift,
                        unsigned number)
{
    unsigned result = run->records[shift - 1].r[0];

    return past->read[result] <= shift && past->leaving < shift &&
           (run->records[number - 1].r[0] == result ||
            (number < run->record_count && run->uses[number].dead >> result & 1));
}

/* Is what the shifts read still in its register, or is it if the later one is left out? */
static bool has_source(const struct run *run, const struct past *past, unsigned left,
                       unsigned right, unsigned number)
{
    unsigned source = run->records[left - 1].r[1], later = left > right ? left : right;

    if (source >= ISA_X_REGISTERS || past->source[left] != past->source[right])
        return false;
    return past->written[source] == past->source[left] ||
           (past->written[source] == later && is_needless(run, past, later, number));
}

/* Makes a rotation of the instruction if it combines the results of these shifts. */
static bool rotate(const struct run *run, struct past *past, struct decoded *records, unsigned left,
                   unsigned right, unsigned number)
{
    struct decoded *record = &records[number - 1], *shift = &records[right - 1];
    const struct rotation *rotation =
        left && right ? find_rotation(&records[left - 1], shift) : NULL;

    if (!rotation || !combines(record, rotation) || !has_source(run, past, left, right, number))
        return false;
    past->left_out |= (uint64_t)is_needless(run, past, left, number) << (left - 1) |
                      (uint64_t)is_needless(run, past, right, number) << (right - 1);
    unsigned result = record->r[0];
    record->id = rotation->id;
    record->slots = shift->slots;
    record->r[0] = (uint8_t)result;
    record->imm[0] = shift->imm[0];
    return true;
}

/* Notes what the instruction did. */
static void note(const struct run *run, struct past *past, const struct decoded *record,
                 unsigned number)
{
    const struct use *use = &run->uses[number - 1];

    if (record->r[1] < ISA_X_REGISTERS)
        past->source[number] = past->written[record->r[1]];
    if (!use->is_silent)
        past->leaving = (uint8_t)number;
    for (uint32_t reads = use->reads; reads; reads &= reads - 1)
        past->read[__builtin_ctz(reads)] = (uint8_t)number;
    for (uint32_t writes = use->writes; writes; writes &= writes - 1)
        past->written[__builtin_ctz(writes)] = (uint8_t)number;
}

static unsigned keep(struct decoded *records, unsigned count, uint64_t left_out)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < count; i++)
        if (!(left_out >> i & 1))
            records[kept++] = records[i];
    return kept;
}

unsigned native_replace_rotations(struct run *run, struct decoded *records, unsigned count)
{
    struct past past = {0};
    bool found = false;

    _Static_assert(BLOCK_LIMIT <= 64, "there is a bit for each instruction");
    if (!has_shifts(records, count))
        return count;
    for (unsigned number = 1; number <= count; number++) {
        struct decoded *record = &records[number - 1];
        if (is_integer(record->r[0]) && is_integer(record->r[1]) && is_integer(record->r[2])) {
            unsigned first = past.written[record->r[1]], second = past.written[record->r[2]];
            found |= rotate(run, &past, records, first, second, number) ||
                     rotate(run, &past, records, second, first, number);
        }
        note(run, &past, record, number);
    }
    if (!found)
        return count;
    count = keep(records, count, past.left_out);
    native_note_uses(run, records, count);
    return count;
}
