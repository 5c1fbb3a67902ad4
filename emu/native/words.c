/* Results of 32 bits, whose sign is not extended where nothing reads the upper word: arithmetic of
 * words has shorter chains so. A place is narrow while its register of the host has only the lower
 * word of what it holds, which is the sign extension of that. What reads all of it, writes it to
 * memory, or leaves native code from there, extends it first (places.c). See parts.h. */
#include "emu/native/parts.h"
#include "instruction_ids.h"

enum { FIRST = 1 << 1, SECOND = 1 << 2, BOTH = FIRST | SECOND, STORED = 1 << 0, WORD_BITS = 32 };

/* How instructions use and give words. */
static const struct word_use {
    uint16_t whole; /* the instruction that differs in the upper word of the result only; 0: none */
    uint8_t lower;  /* slots that are read, but not their upper word */
    bool gives_word; /* the result is a sign-extended word, */
    bool
        is_bitwise; /* or it is if all operands are: each half of it depends on that half of them */
} word_uses[ISA_ID_COUNT] = {
    [ISA_ID_ADDW] = {ISA_ID_ADD, BOTH, true, false},
    [ISA_ID_SUBW] = {ISA_ID_SUB, BOTH, true, false},
    [ISA_ID_MULW] = {ISA_ID_MUL, BOTH, true, false},
    [ISA_ID_ADDIW] = {ISA_ID_ADDI, FIRST, true, false},
    [ISA_ID_SLLIW] = {ISA_ID_SLLI, FIRST, true, false},
    [ISA_ID_SRLIW] = {0, FIRST, true, false},
    [ISA_ID_SRAIW] = {0, FIRST, true, false},
    [ISA_ID_SLLW] = {0, BOTH, true, false},
    [ISA_ID_SRLW] = {0, BOTH, true, false},
    [ISA_ID_SRAW] = {0, BOTH, true, false},
    [ISA_ID_SEXT_B] = {0, FIRST, true, false},
    [ISA_ID_SEXT_H] = {0, FIRST, true, false},
    [ISA_ID_ZEXT_H] = {0, FIRST, true, false},
    [ISA_ID_SLLI_UW] = {0, FIRST, false, false},
    [ISA_ID_ADD_UW] = {0, FIRST, false, false},
    [ISA_ID_SB] = {0, STORED, false, false},
    [ISA_ID_SH] = {0, STORED, false, false},
    [ISA_ID_SW] = {0, STORED, false, false},
    [ISA_ID_LB] = {0, 0, true, false},
    [ISA_ID_LBU] = {0, 0, true, false},
    [ISA_ID_LH] = {0, 0, true, false},
    [ISA_ID_LHU] = {0, 0, true, false},
    [ISA_ID_LW] = {0, 0, true, false},
    [ISA_ID_SLT] = {0, 0, true, false},
    [ISA_ID_SLTU] = {0, 0, true, false},
    [ISA_ID_SLTI] = {0, 0, true, false},
    [ISA_ID_SLTIU] = {0, 0, true, false},
    [ISA_ID_AND] = {0, 0, false, true},
    [ISA_ID_OR] = {0, 0, false, true},
    [ISA_ID_XOR] = {0, 0, false, true},
    [ISA_ID_ANDI] = {0, 0, false, true},
    [ISA_ID_ORI] = {0, 0, false, true},
    [ISA_ID_XORI] = {0, 0, false, true},
};

/* Returns how the instruction uses and gives words, which may depend on its immediate. */
static struct word_use use_of(const struct decoded *record)
{
    const struct word_use low = {0, FIRST, true, false}, upper = {0, FIRST, false, false},
                          copy = {0, 0, false, true};

    if (record->id == ISA_ID_ANDI && record->imm[0] >= 0)
        return low;
    if (record->id == ISA_ID_SLLI && record->imm[0] >= WORD_BITS)
        return upper;
    return record->id == ISA_ID_ADDI && record->imm[0] == 0 ? copy : word_uses[record->id];
}

/* Returns the slots whose upper word the instruction reads, or makes some of the result of. */
static unsigned whole_slots(const struct run *run, const struct decoded *record,
                            const struct word_use *use)
{
    return native_shape(run->native, record->id)->reads & ~(unsigned)use->lower;
}

void native_note_words(struct run *run)
{
    uint32_t upper = UINT32_MAX;

    for (unsigned i = run->record_count; i-- > 0;) {
        const struct decoded *record = &run->records[i];
        const struct word_use word = use_of(record);
        struct use *use = &run->uses[i];
        bool is_read = upper & use->writes;
        use->upper = upper;
        upper &= ~use->writes;
        if (is_read || !word.is_bitwise)
            upper |= native_registers_in(record, whole_slots(run, record, &word));
    }
}

/* Returns the result of the instruction if it has one, which is in a register of the host and whose
 * upper word nothing in the block reads; or 0. */
static unsigned find_lower_result(const struct run *run, const struct decoded *record)
{
    const struct use *use = &run->uses[record - run->records];
    uint32_t writes = use->writes;

    if (!writes || writes & (writes - 1) || writes & use->upper)
        return 0;
    unsigned number = (unsigned)__builtin_ctz(writes);
    return run->native->host_of[number] != NOT_PINNED ? number : 0;
}

void native_choose_width(struct run *run, struct decoded *record, const struct decoded *original)
{
    struct native *native = run->native;
    const struct word_use use = use_of(original);
    uint32_t whole = native_registers_in(original, whole_slots(run, original, &use)),
             words = native->places.words;
    unsigned result = find_lower_result(run, original);
    bool are_words = !(whole & ~words);

    *record = *original;
    run->is_word = use.gives_word || (use.is_bitwise && are_words);
    run->is_narrow = result && use.is_bitwise && are_words && native_is_narrow(native, whole);
    if (!run->is_narrow)
        native_widen(native, whole);
    if (!result || !use.whole)
        return;
    record->id = use.whole;
    run->is_narrow = host_can_add(original->imm[0]);
    if (!run->is_narrow)
        record->id = original->id;
}
