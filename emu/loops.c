/* The functions of loops, made from the macros that bodies use, and the search for loops in decoded
 * code. See loops.h.
 *
 * Each name of a register is a variable, `loop_FILE[name]`. The name is a constant, so the compiler
 * can keep the variable in a host register. Within a part of the loop (one instruction) the names
 * are R0, R1 … by slot. Decoded code is an instance of a loop only if no written register has two
 * names and none of them is x0. */
#include "emu/loops.h"
#include "emu/float_host.h"
#include "instruction_ids.h"
#include "isa_ids.h"

#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* ---- the frame of a loop ---- */
#define LOOP(name)                                                                                 \
    static struct loop_end name(struct hart *hart, unsigned char *restrict host,                   \
                                const unsigned char *fast, struct decoded *first, int64_t left)    \
    {                                                                                              \
        uint64_t loop_x[ISA_LOOP_REGISTERS] __attribute__((unused));                               \
        uint64_t loop_f[ISA_LOOP_REGISTERS] __attribute__((unused));                               \
        unsigned *const fflags __attribute__((unused)) = &hart->fflags;                            \
        unsigned reached;
#define TAKE(number, file, place, slot) loop_##file[number] = hart->file[first[place].r[slot]];
#define ROUND()                         for (;;) {
/* The part whose record is first[place]. */
#define PART(place, last, r0, r1, r2, r3, r4, r5, r6, r7)                                          \
    {                                                                                              \
        enum {                                                                                     \
            THIS = place,                                                                          \
            IS_LAST = last,                                                                        \
            R0 = r0,                                                                               \
            R1 = r1,                                                                               \
            R2 = r2,                                                                               \
            R3 = r3,                                                                               \
            R4 = r4,                                                                               \
            R5 = r5,                                                                               \
            R6 = r6,                                                                               \
            R7 = r7                                                                                \
        };                                                                                         \
        const struct decoded *const record __attribute__((unused)) = &first[place];                \
        const uint64_t pc __attribute__((unused)) = record->pc;                                    \
        const uint64_t next_pc __attribute__((unused)) = pc + record->length;                      \
        bool again __attribute__((unused)) = false;
#define END_PART() }
/* Goes on to a block of `size` instructions, which are subtracted before they run. */
#define ENTER(size, place)                                                                         \
    left -= (size);                                                                                \
    if (left < 0) {                                                                                \
        reached = (place);                                                                         \
        goto out;                                                                                  \
    }
/* After a branch that stays in the loop. */
#define END_BLOCK(size, place)                                                                     \
    ENTER(size, place)                                                                             \
    }
/* `size`: instructions of the first block; `after`: index of the terminator of the last block. */
#define END_ROUND(size, after)                                                                     \
    if (!again) {                                                                                  \
        reached = (after);                                                                         \
        goto out;                                                                                  \
    }                                                                                              \
    ENTER(size, 0)                                                                                 \
    }                                                                                              \
    }                                                                                              \
    out:
#define GIVE(number, file, place, slot) hart->file[first[place].r[slot]] = loop_##file[number];
#define END_LOOP()                                                                                 \
    return (struct loop_end){first + reached, left};                                               \
    }
/* Leaves the loop before this part, which has changed nothing yet. */
#define LEAVE()                                                                                    \
    do {                                                                                           \
        reached = THIS;                                                                            \
        goto out;                                                                                  \
    } while (0)

/* ---- operands ---- */
#define REGISTER(slot)                 (record->r[slot] & (SINK - 1))
#define READ_U64(file, slot)           (loop_##file[R##slot])
#define READ_F64(file, slot)           (loop_##file[R##slot])
#define READ_F32(file, slot)           unbox_f32(loop_##file[R##slot])
#define READ_RAW32(file, slot)         ((uint32_t)loop_##file[R##slot])
#define READ_F16(file, slot)           unbox_f16(loop_##file[R##slot])
#define READ_RAW16(file, slot)         ((uint16_t)loop_##file[R##slot])
#define IMMEDIATE(slot)                ((uint64_t)record->imm[slot])
#define SIGNED_IMMEDIATE(slot)         (record->imm[slot])
#define IMMEDIATE_R(slot)              (record->r[slot])
#define WRITE_U64(file, slot, value)   (loop_##file[R##slot] = (value))
#define WRITE_F64(file, slot, value)   (loop_##file[R##slot] = (value))
#define WRITE_F32(file, slot, value)   (loop_##file[R##slot] = box_f32(value))
#define WRITE_RAW32(file, slot, value) (loop_##file[R##slot] = box_f32(value))
#define WRITE_F16(file, slot, value)   (loop_##file[R##slot] = box_f16(value))
#define WRITE_RAW16(file, slot, value) (loop_##file[R##slot] = box_f16(value))

/* ---- the accessors of the bodies (docs/isa-format.md, semantics) ---- */
#define load(type, address)                                                                        \
    ({                                                                                             \
        uint64_t address_ = (address);                                                             \
        type loaded_;                                                                              \
        if (UNLIKELY(!memory_is_direct(fast, address_, sizeof(type), PAGE_READ)))                  \
            LEAVE();                                                                               \
        memcpy(&loaded_, host + address_, sizeof loaded_);                                         \
        loaded_;                                                                                   \
    })
#define store(type, address, value)                                                                \
    do {                                                                                           \
        uint64_t address_ = (address);                                                             \
        const type stored_ = (type)(value);                                                        \
        if (UNLIKELY(!memory_is_direct(fast, address_, sizeof(type), PAGE_WRITE)))                 \
            LEAVE();                                                                               \
        memcpy(host + address_, &stored_, sizeof stored_);                                         \
    } while (0)
/* The branch of the last part goes to the first one, whose address is aligned. All others leave the
 * loop. */
#define branch(distance)                                                                           \
    do {                                                                                           \
        (void)(distance), (void)distance##_is_misaligned;                                          \
        if (!IS_LAST)                                                                              \
            LEAVE();                                                                               \
        again = true;                                                                              \
    } while (0)
#define rounding(rm)                                                                               \
    ({                                                                                             \
        unsigned rounding_ = (rm) == ISA_VALUE_ROUNDING_MODE_DYN ? hart->frm : (rm);               \
        if (UNLIKELY(rounding_ > FLOAT_RMM))                                                       \
            LEAVE();                                                                               \
        (int)rounding_;                                                                            \
    })

#include "loops.inc"

const struct loop loops[] = {
#define LOOP_TABLE
#include "loops.inc"
    {.ids = {UINT16_MAX}}, /* the end: not an id */
};

static const uint16_t first_loops[ISA_ID_COUNT] = {
#undef LOOP_TABLE
#define LOOP_FIRST
#include "loops.inc"
};

/* Does each name in the part stand for the register that it stood for before? `known` has a bit for
 * each name that has occurred. */
static bool has_names_of(const struct loop *loop, unsigned part, const struct decoded *record,
                         uint8_t *numbers, uint64_t *known)
{
    for (unsigned slot = 0; slot < ISA_R_SLOTS; slot++) {
        if (!loop->names[part][slot])
            continue;
        unsigned name = loop->names[part][slot] - 1u;
        if (*known >> name & 1 && numbers[name] != record->r[slot])
            return false;
        numbers[name] = record->r[slot];
        *known |= UINT64_C(1) << name;
    }
    return true;
}

/* Returns how many parts of the loop the `count` records are, or 0 if they are not its beginning.
 * Sets `numbers`, the registers by name. */
static unsigned count_parts(const struct loop *loop, const struct decoded *records, unsigned count,
                            uint8_t *numbers)
{
    unsigned part = 0, place = 0;
    uint64_t known = 0;

    if (records[0].remaining != loop->first)
        return 0;
    for (; part < loop->count && place < count; part++) {
        if (records[place].id != loop->ids[part] ||
            !has_names_of(loop, part, &records[place], numbers, &known))
            return 0;
        place += isa_instructions[loop->ids[part]].effects & ISA_EFFECT_FLOW ? 2 : 1;
    }
    return place == count ? part : 0;
}

/* Does the last instruction, which is before the last terminator, branch to the first one? */
static bool returns(const struct loop *loop, const struct decoded *records, unsigned count)
{
    const struct decoded *last = &records[count - 2];

    return records[0].pc == last->pc + (uint64_t)last->imm[loop->distance];
}

/* Is no written register x0, and does none have two names? */
static bool are_apart(const struct loop *loop, const uint8_t *numbers)
{
    for (unsigned a = 0; a < loop->registers; a++) {
        if (!(loop->written >> a & 1))
            continue;
        if (numbers[a] == SINK)
            return false;
        for (unsigned b = 0; b < loop->registers; b++)
            if (b != a && loop->files[b] == loop->files[a] && numbers[b] == numbers[a])
                return false;
    }
    return true;
}

int loop_find(const struct decoded *records, unsigned count, bool *goes_on)
{
    uint16_t id = records[0].id;
    uint8_t numbers[ISA_LOOP_REGISTERS];

    *goes_on = false;
    if (id >= PSEUDO_FIRST || !first_loops[id])
        return -1;
    for (const struct loop *loop = &loops[first_loops[id] - 1]; loop->ids[0] == id; loop++) {
        unsigned parts = count_parts(loop, records, count, numbers);
        if (parts == loop->count && returns(loop, records, count) && are_apart(loop, numbers))
            return (int)(loop - loops);
        *goes_on |= parts && parts < loop->count;
    }
    return -1;
}
