/* What the instructions of a block do with registers, and with words in them: results of 32 bits,
 * whose sign is not extended where nothing reads the upper word: arithmetic of words has shorter
 * chains so. A place is narrow while its register of the host has only the lower word of what it
 * holds, which is the sign extension of that. What reads all of it, writes it to memory, or leaves
 * native code from there, extends it first (places.c). See parts.h. */
#include "emu/native/parts.h"
#include "instruction_ids.h"

enum { FIRST = 1 << 1, SECOND = 1 << 2, BOTH = FIRST | SECOND, STORED = 1 << 0, WORD_BITS = 32 };

static const struct word_use word_uses[ISA_ID_COUNT] = {
    [ISA_ID_ADDW] = {ISA_ID_ADD, BOTH, true, false},
    [ISA_ID_SUBW] = {ISA_ID_SUB, BOTH, true, false},
    [ISA_ID_MULW] = {ISA_ID_MUL, BOTH, true, false},
    [ISA_ID_ADDIW] = {ISA_ID_ADDI, FIRST, true, false},
    [ISA_ID_SLLIW] = {ISA_ID_SLLI, FIRST, true, false},
    [ISA_ID_SRLIW] = {0, FIRST, true, false},
    [ISA_ID_SRAIW] = {0, FIRST, true, false},
    [ISA_ID_RORIW] = {0, FIRST, true, false},
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
    [ISA_ID_LW] = {ISA_ID_LWU, 0, true, false},
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
static inline struct word_use find_word_use(const struct decoded *record)
{
    const struct word_use low = {0, FIRST, true, false}, upper = {0, FIRST, false, false},
                          copy = {0, 0, false, true};

    if (record->id == ISA_ID_ANDI && record->imm[0] >= 0)
        return low;
    if (record->id == ISA_ID_SLLI && record->imm[0] >= WORD_BITS)
        return upper;
    return record->id == ISA_ID_ADDI && record->imm[0] == 0 ? copy : word_uses[record->id];
}

/* Does control go on after the instruction in any case? */
static bool is_silent(const struct shape *shape, const struct decoded *record)
{
    return shape->is_silent && native_fits(record->imm[0]) && native_fits(record->imm[1]) &&
           host_can_add(record->imm[0]);
}

/* Returns the integer registers in the slots after those of stencils. */
static uint32_t registers_in_rest(const struct decoded *record, unsigned slots)
{
    uint32_t registers = 0;

    for (unsigned rest = slots & ~STENCIL_SLOTS; rest; rest &= rest - 1)
        registers |= native_bit_of(record->r[__builtin_ctz(rest)]);
    return registers;
}

static inline struct use find_use(const struct shape *shape, const struct decoded *record)
{
    uint32_t first = native_bit_of(record->r[0]), second = native_bit_of(record->r[1]),
             third = native_bit_of(record->r[2]);
    struct use use = {.shape = shape, .word = find_word_use(record)};

    use.writes =
        (first & shape->written[0]) | (second & shape->written[1]) | (third & shape->written[2]);
    first &= shape->read[0];
    second &= shape->read[1];
    third &= shape->read[2];
    use.reads = first | second | third;
    use.whole = (use.word.lower & STORED ? 0 : first) | (use.word.lower & FIRST ? 0 : second) |
                (use.word.lower & SECOND ? 0 : third);
    if (__builtin_expect(shape->integers & ~STENCIL_SLOTS, 0)) {
        uint32_t rest = registers_in_rest(record, shape->reads);
        use.reads |= rest;
        use.whole |= rest;
        use.writes |= registers_in_rest(record, shape->writes);
    }
    use.reads &= ~(uint32_t)1; /* not zero */
    return use;
}

void native_note_uses(struct run *run, const struct decoded *records, unsigned count)
{
    uint32_t dead = 0, later = 0, upper = UINT32_MAX;

    for (unsigned i = count; i-- > 0;) {
        const struct decoded *record = &records[i];
        const struct shape *shape = native_shape(run->native, record->id);
        struct use use = find_use(shape, record);
        use.is_silent = is_silent(shape, record);
        dead = use.is_silent ? (dead | use.writes) & ~use.reads : 0;
        use.dead = dead;
        use.later = later;
        use.upper = upper;
        run->uses[i] = use;
        later |= use.writes;
        uint32_t whole = upper & use.writes || !use.word.is_bitwise ? use.whole : 0;
        upper = (upper & ~use.writes) | whole;
    }
    run->records = records;
    run->record_count = count;
}

/* Is there a result, which is in a register of the host and whose upper word nothing in the block
 * reads? */
static bool has_lower_result(const struct run *run, const struct use *use)
{
    uint32_t writes = use->writes;

    return writes && !(writes & (writes - 1)) && !(writes & use->upper) &&
           run->native->host_of[__builtin_ctz(writes)] != NOT_PINNED;
}

/* Does the instruction extend the sign of a word that is extended? */
static bool extends_again(const struct native *native, const struct decoded *record)
{
    return record->id == ISA_ID_ADDIW && record->imm[0] == 0 &&
           native->places.words >> record->r[1] % ISA_X_REGISTERS & 1;
}

unsigned native_choose_width(struct run *run, const struct decoded *record)
{
    struct native *native = run->native;
    const struct use *use = native_use_of(run, record);
    bool are_words = !(use->whole & ~native->places.words), is_lower = has_lower_result(run, use);

    run->is_word = use->word.gives_word || (use->word.is_bitwise && are_words);
    run->is_narrow =
        is_lower && use->word.is_bitwise && are_words && native_is_narrow(native, use->whole);
    if (extends_again(native, record)) {
        if (!is_lower)
            native_widen(native, use->reads);
        run->is_narrow = is_lower && native_is_narrow(native, use->reads);
        return ISA_ID_ADDI;
    }
    if (native->places.narrow && !run->is_narrow)
        native_widen(native, use->whole);
    if (!is_lower || !use->word.whole)
        return record->id;
    run->is_narrow = host_can_add(record->imm[0]);
    return run->is_narrow ? use->word.whole : record->id;
}
