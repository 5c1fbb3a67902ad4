/* The bodies of loops, in the macros that bodies are written in, and how a block is known to be a
 * loop. See loops.h.
 *
 * A register is a variable, `loop_FILE[number]` with a constant number, which is what the compiler
 * can keep in a register of the host; its number within a part is R0, R1 ... by slot. Two names are
 * two variables, so a loop fits only where no register is written by one name and is there under
 * another one, and none that is written is x0. */
#include "emu/loops.h"
#include "emu/float_host.h"
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
/* A part whose record is `place` behind the first one. */
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
/* On to a block of `size` instructions, which are counted before they are run. */
#define ENTER(size, place)                                                                         \
    left -= (size);                                                                                \
    if (left < 0) {                                                                                \
        reached = (place);                                                                         \
        goto out;                                                                                  \
    }
/* Behind a branch that stays in the loop. */
#define END_BLOCK(size, place)                                                                     \
    ENTER(size, place)                                                                             \
    }
/* `size`: of the first block; `behind`: the terminator of the last one. */
#define END_ROUND(size, behind)                                                                    \
    if (!again) {                                                                                  \
        reached = (behind);                                                                        \
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
/* Before this part, of which nothing was written. */
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
#define IMMEDIATE(slot)                ((uint64_t)record->imm[slot])
#define SIGNED_IMMEDIATE(slot)         (record->imm[slot])
#define IMMEDIATE_R(slot)              (record->r[slot])
#define WRITE_U64(file, slot, value)   (loop_##file[R##slot] = (value))
#define WRITE_F64(file, slot, value)   (loop_##file[R##slot] = (value))
#define WRITE_F32(file, slot, value)   (loop_##file[R##slot] = box_f32(value))
#define WRITE_RAW32(file, slot, value) (loop_##file[R##slot] = box_f32(value))

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
/* The last part goes to the first one, whose address is aligned. All others leave the loop. */
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
    {.ids = {UINT16_MAX}}, /* no id */
};

static const uint16_t first_loops[ISA_ID_COUNT] = {
#undef LOOP_TABLE
#define LOOP_FIRST
#include "loops.inc"
};

/* Is each name in the part the register that it was before (`known`: a bit for each that was)? */
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

/* How many parts of the loop the `count` records begin with, if all of them are; else 0. `numbers`:
 * of the registers, by name. */
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

/* Does the last instruction, before the last terminator, lead to the first one? */
static bool returns(const struct loop *loop, const struct decoded *records, unsigned count)
{
    const struct decoded *last = &records[count - 2];

    return records[0].pc == last->pc + (uint64_t)last->imm[loop->distance];
}

/* Is no register that is written x0, or one by another name too? */
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
    if (id >= ISA_ID_COUNT || !first_loops[id])
        return -1;
    for (const struct loop *loop = &loops[first_loops[id] - 1]; loop->ids[0] == id; loop++) {
        unsigned parts = count_parts(loop, records, count, numbers);
        if (parts == loop->count && returns(loop, records, count) && are_apart(loop, numbers))
            return (int)(loop - loops);
        *goes_on |= parts && parts < loop->count;
    }
    return -1;
}
