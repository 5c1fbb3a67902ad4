/* The prelude of native code (translate.h): the types of the emulator, and the macros that the
 * bodies use. The Makefile preprocesses this file, keeping the macros, and makes a string of it
 * that precedes the text of each unit. So `load`, for example, means the same here as in
 * body_direct.h, except that a unit leaves in the rare cases.
 *
 * A unit defines UNIT_SINGLES, UNIT_GROUPED, UNIT_ROWS, UNIT_STORED, UNIT_GIVE_BACK and
 * UNIT_LONGEST. The rest is one function:
 *
 *     UNIT_BEGIN
 *     LOAD_X(5) LOAD_F(10) NO_STREAK(1)   registers, rows that it uses
 *     UNIT_DISPATCH ENTRY(1043c) UNIT_DISPATCHED
 *     L_1043c: HEAD(0x1043c, 7)           a loop header: the longest path from it
 *     BLOCK(2)                            instructions
 *     INSTRUCTION(pc, length, remaining, R0 to R7, I0, I1) {text of the body} TO_NEXT
 *     INSTRUCTION(…) {text} TO_TARGET(1043c)
 *     UNIT_OUT
 *     STORE_X(5)                          registers that it changes
 *     UNIT_END
 *
 * Blocks reduce `unit_left`, the number of instructions left. It is compared with the limit only
 * where a cycle must pass: at loop headers, before a dispatch, and before a visit. At these places,
 * as many instructions must be left as there are on the longest path to the next such place
 * (region_block.longest).
 *
 * Registers are local variables, so the compiler allocates host registers and folds constants. An f
 * register is a float if the unit only uses it as single precision (UNIT_SINGLES), else a double. A
 * bit of unit_boxed says that the float is NaN-boxed, i.e. its upper half is all ones, so that
 * arithmetic stays in vector registers. Four floats that an instruction writes as a group
 * (UNIT_GROUPED) are one vector, which the next such instruction uses directly.
 *
 * The streaks of the rows that the unit walks through (UNIT_ROWS; see traversal.h) are also local
 * variables: otherwise each step would have to wait for the previous one to be read back from
 * memory. A local streak whose length is not 0 replaces the one in the traversal unit until
 * GIVE_BACK(row), or UNIT_GIVE_BACK for all rows, which comes before any other use of the traversal
 * unit and at the end of the visit. Its `left` only counts the elements whose accesses are direct,
 * which is checked once for all of them. unit_later counts the others. */
#ifndef EMU_NATIVE_UNIT_H
#define EMU_NATIVE_UNIT_H

#include "emu/block.h"
#include "emu/float_host.h"
#include "emu/machine.h"
#include "emu/native/translate.h"
#include "isa_ids.h"

enum { ROUNDING_DYNAMIC = ISA_VALUE_ROUNDING_MODE_DYN };

enum { GROUP = 4 /* registers */ };
typedef float single_group __attribute__((vector_size(16)));
typedef uint32_t word_group __attribute__((vector_size(16)));

enum unit_flow { UNIT_NEXT, UNIT_TARGET };

#define LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* Is an access to [address, address + size), which must be within one page, direct? The page may be
 * the last one of a mapping. (This is always inlined, because values that are live across a call
 * cannot stay in vector registers. It is one condition without branches, because every access of a
 * unit needs it, and the time to compile grows with the number of basic blocks.) */
__attribute__((always_inline)) static inline bool
page_is_direct(const unsigned char *view, uint64_t address, size_t size, unsigned access)
{
    uint64_t page = address >> MEMORY_PAGE_BITS;

    return (page < MEMORY_PAGES) & ((view[page % MEMORY_PAGES] & access) != 0) &
           (address % MEMORY_PAGE <= MEMORY_PAGE - size);
}

/* The lowest offset from a base register. */
enum { OFFSET_LOWEST = -2048 };

/* Is an access of `size` bytes at base + offset direct? Two neighboring pages hold all offsets
 * from a base, so the SPAN bit of the page of the lowest offset answers for all of them, and the
 * compiler tests it only once for all accesses with the same base. If it is not set, e.g. at the
 * ends of a mapping, the page of the access itself is tested; there, accesses that cross into
 * another page are not direct. */
__attribute__((always_inline)) static inline bool access_is_direct(const unsigned char *view,
                                                                   uint64_t base, int64_t offset,
                                                                   size_t size, unsigned access)
{
    uint64_t lowest = (base + OFFSET_LOWEST) >> MEMORY_PAGE_BITS;
    bool holds = offset >= OFFSET_LOWEST && offset - OFFSET_LOWEST + size <= MEMORY_PAGE + 1;

    if (holds && LIKELY(lowest < MEMORY_PAGES) &&
        LIKELY((view[lowest] & access << SPAN_SHIFT) != 0))
        return true;
    return page_is_direct(view, base + offset, size, access);
}

/* Returns how many elements of a streak, from the current one on and at most a page of them, are
 * direct for all kinds of `access`. */
static inline uint64_t streak_direct(const unsigned char *view, struct traversal_streak streak,
                                     unsigned access)
{
    bool down = (int64_t)streak.step < 0;
    uint64_t size = down ? -streak.step : streak.step;
    uint64_t most = MEMORY_PAGE - sizeof(uint64_t); /* leaves room for one more element */
    uint64_t count = streak.left, bytes;

    if (__builtin_mul_overflow(count, size, &bytes) || bytes > most) {
        count = most / size;
        bytes = count * size;
    }
    uint64_t lowest = down ? streak.address - bytes : streak.address;
    uint64_t page = lowest >> MEMORY_PAGE_BITS;
    if (page >= MEMORY_PAGES)
        return 0;
    bool is_inside = (lowest & (MEMORY_PAGE - 1)) + bytes <= most;
    unsigned ways = is_inside ? access : access << SPAN_SHIFT;
    return (view[page] & ways) == ways ? count : 0;
}

/* ---- the frame ---- */

#define UNIT_BEGIN                                                                                 \
    static enum visit_end run(struct machine *unit_machine, struct visit *unit_visit,              \
                              unsigned char *restrict unit_host,                                   \
                              const unsigned char *restrict unit_view)                             \
    {                                                                                              \
        /* Rarely used, and volatile so that they do not take a host register each. */             \
        struct machine *volatile machine = unit_machine;                                           \
        struct visit *volatile visit = unit_visit;                                                 \
        struct hart *hart = &unit_machine->hart;                                                   \
        unsigned unit_fflags = hart->fflags;                                                       \
        unsigned *const fflags __attribute__((unused)) = &unit_fflags;                             \
        struct fault *const fault __attribute__((unused)) = &unit_machine->fault;                  \
        struct port *const port __attribute__((unused)) = &unit_machine->port;                     \
        unsigned unit_frm = hart->frm;                                                             \
        uint64_t unit_drops = unit_machine->code.drops;                                            \
        uint64_t unit_x[SINK + 1];                                                                 \
        float unit_s[ISA_F_REGISTERS];                                                             \
        word_group unit_g[ISA_F_REGISTERS / GROUP];                                                \
        uint64_t unit_boxed = 0;                                                                   \
        double unit_d[ISA_F_REGISTERS];                                                            \
        struct traversal_streak unit_streaks[TRAVERSAL_STREAKS];                                   \
        uint64_t unit_later[TRAVERSAL_STREAKS];                                                    \
        uint64_t unit_target = unit_visit->pc;                                                     \
        int64_t unit_left = unit_visit->left;                                                      \
        enum visit_end unit_end;                                                                   \
        unit_x[0] = 0;
/* On entry, translator_visit has already checked the limit. */
#define UNIT_DISPATCH                                                                              \
    goto enter;                                                                                    \
    dispatch:                                                                                      \
    if (UNLIKELY(unit_left < UNIT_LONGEST)) {                                                      \
        unit_end = VISIT_LIMIT;                                                                    \
        goto out;                                                                                  \
    }                                                                                              \
    enter:                                                                                         \
    switch (unit_target) {
#define ENTRY(label)                                                                               \
    case 0x##label:                                                                                \
        goto L_##label;
#define UNIT_DISPATCHED                                                                            \
    default:                                                                                       \
        goto away;                                                                                 \
        }
#define UNIT_OUT                                                                                   \
    away:                                                                                          \
    unit_end = VISIT_AWAY;                                                                         \
    out:                                                                                           \
    UNIT_GIVE_BACK                                                                                 \
    hart = &machine->hart;                                                                         \
    hart->fflags = unit_fflags;
#define UNIT_END                                                                                   \
    unit_visit = visit;                                                                            \
    unit_visit->pc = unit_target;                                                                  \
    unit_visit->left = unit_left;                                                                  \
    return unit_end;                                                                               \
    }                                                                                              \
    enum visit_end translated(struct machine *machine, struct visit *visit)                        \
    {                                                                                              \
        return run(machine, visit, machine->memory.host, machine->memory.fast);                    \
    }

#define IS_SINGLE(number)  (UNIT_SINGLES >> (number)&1)
#define IS_GROUPED(number) (UNIT_GROUPED >> (number)&1)
#define LOAD_X(number)     unit_x[number] = hart->x[number];
#define STORE_X(number)    hart->x[number] = unit_x[number];
#define LOAD_F(number)                                                                             \
    if (IS_SINGLE(number)) {                                                                       \
        SET_WORD(number, (uint32_t)hart->f[number]);                                               \
        unit_boxed |= (uint64_t)(hart->f[number] >> 32 == UINT32_MAX) << (number);                 \
    } else {                                                                                       \
        unit_d[number] = f64_value(hart->f[number]);                                               \
    }
#define STORE_F(number) hart->f[number] = READ_DOUBLEWORD(number);

#define IS_WALKED(row) (UNIT_ROWS != 0 && UNIT_ROWS >> (row)&1)
#define NO_STREAK(row)                                                                             \
    unit_streaks[row] = (struct traversal_streak){0};                                              \
    unit_later[row] = 0;
/* Divides the steps, all of which are in `left`, into direct ones (`left`) and the others
 * (unit_later). */
#define PART(row)                                                                                  \
    unit_later[row] = unit_streaks[row].left;                                                      \
    unit_streaks[row].left =                                                                       \
        streak_direct(unit_view, unit_streaks[row],                                                \
                      UNIT_STORED >> (row)&1 ? PAGE_READ | PAGE_WRITE : PAGE_READ);                \
    unit_later[row] -= unit_streaks[row].left;
#define TAKE(row)                                                                                  \
    if (!unit_streaks[row].length) {                                                               \
        unit_streaks[row] = machine->traversal.streaks[row];                                       \
        PART(row)                                                                                  \
    }
#define GIVE_BACK(row)                                                                             \
    if (unit_streaks[row].length) {                                                                \
        unit_streaks[row].left += unit_later[row];                                                 \
        machine->traversal.streaks[row] = unit_streaks[row];                                       \
        NO_STREAK(row)                                                                             \
    }

/* Hides the value of unit_left from the compiler at the beginning of a block, and where
 * instructions turn out not to be executed. Otherwise the compiler would also keep the previous
 * value, to add to it, which takes one more register, and a move and a second jump on the back edge
 * of each loop. */
#define HIDE_LEFT __asm__("" : "+r"(unit_left));
#define NOT_DONE(instructions)                                                                     \
    HIDE_LEFT                                                                                      \
    unit_left += (instructions);
#define HEAD(address, longest)                                                                     \
    if (UNLIKELY(unit_left < (longest))) {                                                         \
        unit_target = (address);                                                                   \
        unit_end = VISIT_LIMIT;                                                                    \
        goto out;                                                                                  \
    }
#define BLOCK(instructions)                                                                        \
    HIDE_LEFT                                                                                      \
    unit_left -= (instructions);
/* `count`: instructions from this one to the end of the block. */
#define INSTRUCTION(address, size, count, r0, r1, r2, r3, r4, r5, r6, r7, i0, i1)                  \
    {                                                                                              \
        enum { R0 = r0, R1 = r1, R2 = r2, R3 = r3, R4 = r4, R5 = r5, R6 = r6, R7 = r7 };           \
        const int64_t I0 __attribute__((unused)) = i0, I1 __attribute__((unused)) = i1;            \
        uint64_t pc = (address);                                                                   \
        uint64_t next_pc = pc + (size);                                                            \
        int64_t unit_remaining = (count);                                                          \
        enum unit_flow flow = UNIT_NEXT;                                                           \
        uint64_t destination = 0;                                                                  \
        bool unit_paused = false;
/* The ends of an instruction. After TO_NEXT, the following instruction is next. TO_TARGET may go to
 * an address that has a label, TO_ANY to any address. TO_GUESS compares the address with a previous
 * target. */
#define TO_NEXT                                                                                    \
    if (UNLIKELY(unit_paused))                                                                     \
        PAUSE(next_pc);                                                                            \
    }
#define TO_GUESS(label)                                                                            \
    if (flow == UNIT_TARGET && destination == 0x##label)                                           \
        goto L_##label;
#define TO_TARGET(label)                                                                           \
    TO_GUESS(label)                                                                                \
    TO_ANY
#define TO_ANY                                                                                     \
    if (UNLIKELY(unit_paused))                                                                     \
        PAUSE(flow == UNIT_TARGET ? destination : next_pc);                                        \
    if (flow == UNIT_TARGET) {                                                                     \
        unit_target = destination;                                                                 \
        goto dispatch;                                                                             \
    }                                                                                              \
    }
#define TO_OUTSIDE                                                                                 \
    if (flow == UNIT_TARGET) {                                                                     \
        unit_target = destination;                                                                 \
        goto away;                                                                                 \
    }                                                                                              \
    }
/* After a block: the next instruction is not in the unit. */
#define AWAY(address)                                                                              \
    unit_target = (address);                                                                       \
    goto away;

#define LEAVE()                                                                                    \
    do {                                                                                           \
        unit_target = pc;                                                                          \
        NOT_DONE(unit_remaining)                                                                   \
        unit_end = VISIT_STUCK;                                                                    \
        goto out;                                                                                  \
    } while (0)
#define PAUSE(address)                                                                             \
    do {                                                                                           \
        unit_target = (address);                                                                   \
        NOT_DONE(unit_remaining - 1)                                                               \
        unit_end = VISIT_LIMIT;                                                                    \
        goto out;                                                                                  \
    } while (0)

/* ---- operands ---- */

#define REGISTER(slot)             (R##slot & (SINK - 1))
#define READ_U64(file, slot)       (unit_##file[R##slot])
#define READ_OLD_U64(file, slot)   (R##slot == SINK ? 0 : READ_U64(file, slot))
#define READ_F64(file, slot)       READ_DOUBLEWORD(R##slot)
#define READ_OLD_F64(file, slot)   READ_F64(file, slot)
#define READ_OLD_F32(file, slot)   READ_F32(file, slot)
#define READ_OLD_RAW32(file, slot) READ_RAW32(file, slot)
#define READ_RAW32(file, slot)     READ_WORD(R##slot)
/* A register with 16-bit floats is never one of UNIT_SINGLES. */
#define READ_F16(file, slot)       unbox_f16(f64_bits(unit_d[R##slot]))
#define READ_RAW16(file, slot)     ((uint16_t)f64_bits(unit_d[R##slot]))
#define READ_OLD_F16(file, slot)   READ_F16(file, slot)
#define READ_OLD_RAW16(file, slot) READ_RAW16(file, slot)
#define READ_F32(file, slot)                                                                       \
    ({                                                                                             \
        if (UNLIKELY(IS_SINGLE(R##slot) ? !(unit_boxed >> R##slot & 1)                             \
                                        : f64_bits(unit_d[R##slot]) >> 32 != UINT32_MAX))          \
            LEAVE();                                                                               \
        READ_WORD(R##slot);                                                                        \
    })
#define READ_WORD(number)                                                                          \
    (IS_GROUPED(number)  ? unit_g[(number) / GROUP][(number) % GROUP]                              \
     : IS_SINGLE(number) ? f32_bits(unit_s[number])                                                \
                         : (uint32_t)f64_bits(unit_d[number]))
/* An upper half that was not written is still that of hart->f. */
#define READ_DOUBLEWORD(number)                                                                    \
    (!IS_SINGLE(number)                                                                            \
         ? f64_bits(unit_d[number])                                                                \
         : READ_WORD(number) | (unit_boxed >> (number)&1 ? (uint64_t)UINT32_MAX << 32              \
                                                         : hart->f[number] >> 32 << 32))
#define READ_RI(file, slot)                                                                        \
    (R##slot & RI_IMMEDIATE ? (uint64_t)(R##slot & (RI_IMMEDIATE - 1))                             \
                            : unit_##file[R##slot & (SINK - 1)])
#define IMMEDIATE(slot)        ((uint64_t)I##slot)
#define SIGNED_IMMEDIATE(slot) I##slot
#define IMMEDIATE_R(slot)      ((unsigned)R##slot)

#define WRITE_U64(file, slot, value)   (unit_##file[R##slot] = (value))
#define WRITE_F32(file, slot, value)   WRITE_WORD(R##slot, value)
#define WRITE_RAW32(file, slot, value) WRITE_WORD(R##slot, value)
#define WRITE_F16(file, slot, value)   (unit_d[R##slot] = f64_value(box_f16(value)))
#define WRITE_RAW16(file, slot, value) WRITE_F16(file, slot, value)
/* Writes a register that is only used as single precision. */
#define SET_WORD(number, value)                                                                    \
    do {                                                                                           \
        if (IS_GROUPED(number))                                                                    \
            unit_g[(number) / GROUP][(number) % GROUP] = (value);                                  \
        else                                                                                       \
            unit_s[number] = f32_value(value);                                                     \
    } while (0)
#define WRITE_WORD(number, value)                                                                  \
    do {                                                                                           \
        uint32_t word_ = (value);                                                                  \
        if (IS_SINGLE(number)) {                                                                   \
            SET_WORD(number, word_);                                                               \
            unit_boxed |= UINT64_C(1) << (number);                                                 \
        } else {                                                                                   \
            unit_d[number] = f64_value(word_ | (uint64_t)UINT32_MAX << 32);                        \
        }                                                                                          \
    } while (0)
/* A register that is written so is not one of UNIT_SINGLES. */
#define WRITE_F64(file, slot, value) (unit_d[R##slot] = f64_value(value))

/* Registers of the files that are not standard stay where the hart has them. */
#define GET_REGISTER(place)              (hart->registers[place])
#define GET_REGISTER_WORDS(place, value) memcpy((value), &hart->registers[place], sizeof(value))
#define GET_REGISTER_OR_IMMEDIATE(place, slot)                                                     \
    (R##slot & RI_IMMEDIATE ? (uint64_t)(R##slot & (RI_IMMEDIATE - 1))                             \
                            : hart->registers[(place) + (R##slot & (RI_IMMEDIATE - 1))])
#define SET_REGISTER(file, number, place, value) (hart->registers[place] = (value))
#define SET_REGISTER_WORDS(file, number, place, value)                                             \
    memcpy(&hart->registers[place], (value), sizeof(value))

/* Unrolled by hand, because an index that is not constant would move all registers to memory. */
#define EACH_OF_GROUP(access, slot, values, count)                                                 \
    do {                                                                                           \
        _Static_assert((count) == GROUP, "a group is four registers");                             \
        access(R##slot, (values)[0]);                                                              \
        access(R##slot + 1, (values)[1]);                                                          \
        access(R##slot + 2, (values)[2]);                                                          \
        access(R##slot + 3, (values)[3]);                                                          \
    } while (0)
#define GET_SINGLE(number, value) (value) = f32_value(READ_WORD(number))
#define SET_SINGLE(number, value) WRITE_WORD(number, f32_bits(value))
/* Uses a vector of floats, as the registers are floats, so that loaded words never go through
 * integer registers or memory. */
#define READ_GROUP(file, slot, values, count)                                                      \
    do {                                                                                           \
        if (IS_GROUPED(R##slot)) {                                                                 \
            memcpy((values), &unit_g[R##slot / GROUP], sizeof(word_group));                        \
        } else {                                                                                   \
            single_group group_;                                                                   \
            EACH_OF_GROUP(GET_SINGLE, slot, group_, count);                                        \
            memcpy((values), &group_, sizeof group_);                                              \
        }                                                                                          \
    } while (0)
#define WRITE_GROUP(file, slot, values, count)                                                     \
    do {                                                                                           \
        if (IS_GROUPED(R##slot)) {                                                                 \
            memcpy(&unit_g[R##slot / GROUP], (values), sizeof(word_group));                        \
            unit_boxed |= UINT64_C(15) << R##slot;                                                 \
        } else {                                                                                   \
            single_group group_;                                                                   \
            memcpy(&group_, (values), sizeof group_);                                              \
            EACH_OF_GROUP(SET_SINGLE, slot, group_, count);                                        \
        }                                                                                          \
    } while (0)

/* ---- the accessors of the bodies themselves ---- */

#define trap(name, value) LEAVE()
/* The executor runs definitions. */
#define RUN_DEFINITION() LEAVE()
/* A failing call has done nothing, and the executor will find the same fault. The call may access
 * guest memory through another pointer, although unit_host is `restrict`. The empty asm makes the
 * compiler assume that unit_host has escaped. */
#define attempt(call)                                                                              \
    do {                                                                                           \
        __asm__ volatile("" : "+r"(unit_host));                                                    \
        if (UNLIKELY(!(call)))                                                                     \
            LEAVE();                                                                               \
        unit_paused = machine->code.drops != unit_drops || machine_expired(machine);               \
    } while (0)
#define walk_address(row)                                                                          \
    ({                                                                                             \
        uint64_t walked_;                                                                          \
        if (IS_WALKED(row)) {                                                                      \
            TAKE(row)                                                                              \
        }                                                                                          \
        if (IS_WALKED(row) && LIKELY(unit_streaks[row].length)) {                                  \
            walked_ = unit_streaks[row].address;                                                   \
        } else {                                                                                   \
            uint64_t found_ = 0;                                                                   \
            if (!traversal_peek(unit(traversal), (row), &found_, fault))                           \
                LEAVE();                                                                           \
            walked_ = found_;                                                                      \
        }                                                                                          \
        walked_;                                                                                   \
    })
/* Units run without a recorder. A row that has a streak is not done, so the rows after it do not
 * matter. For a row without a streak, walk_address has given back all streaks. */
#define walk_on(row)                                                                               \
    do {                                                                                           \
        if (IS_WALKED(row) && LIKELY(unit_streaks[row].left)) {                                    \
            traversal_take_step(&unit_streaks[row]);                                               \
        } else if (IS_WALKED(row) && LIKELY(unit_later[row] | unit_streaks[row].turns)) {          \
            if (unit_later[row]) {                                                                 \
                unit_streaks[row].left = unit_later[row];                                          \
                traversal_take_step(&unit_streaks[row]);                                           \
            } else {                                                                               \
                traversal_take_turn(&unit_streaks[row]);                                           \
            }                                                                                      \
            PART(row)                                                                              \
        } else {                                                                                   \
            if (IS_WALKED(row)) {                                                                  \
                GIVE_BACK(row)                                                                     \
            }                                                                                      \
            traversal_advance(&machine->traversal, port, (row));                                   \
        }                                                                                          \
    } while (0)
#define WALKS_STRAIGHT(type, row)                                                                  \
    (IS_WALKED(row) &&                                                                             \
     LIKELY(unit_streaks[row].left && unit_streaks[row].address % sizeof(type) == 0))
#define walk_load(type, row)                                                                       \
    ({                                                                                             \
        type element_value_;                                                                       \
        if (WALKS_STRAIGHT(type, row)) {                                                           \
            memcpy(&element_value_, unit_host + unit_streaks[row].address, sizeof element_value_); \
            traversal_take_step(&unit_streaks[row]);                                               \
        } else {                                                                                   \
            uint64_t at_ = walk_address(row);                                                      \
            element_value_ = load_element(type, at_);                                              \
            walk_on(row);                                                                          \
        }                                                                                          \
        element_value_;                                                                            \
    })
#define walk_store(type, row, value)                                                               \
    do {                                                                                           \
        const type element_value_ = (type)(value);                                                 \
        if (WALKS_STRAIGHT(type, row)) {                                                           \
            memcpy(unit_host + unit_streaks[row].address, &element_value_, sizeof element_value_); \
            traversal_take_step(&unit_streaks[row]);                                               \
        } else {                                                                                   \
            uint64_t at_ = walk_address(row);                                                      \
            store_element(type, at_, element_value_);                                              \
            walk_on(row);                                                                          \
        }                                                                                          \
    } while (0)
#define load(type, address)                                                                        \
    ({                                                                                             \
        uint64_t address_ = (address);                                                             \
        type loaded_;                                                                              \
        if (UNLIKELY(!access_is_direct(unit_view, address_ - I0, I0, sizeof loaded_, PAGE_READ)))  \
            LEAVE();                                                                               \
        memcpy(&loaded_, unit_host + address_, sizeof loaded_);                                    \
        loaded_;                                                                                   \
    })
#define store(type, address, value)                                                                \
    do {                                                                                           \
        uint64_t address_ = (address);                                                             \
        const type stored_ = (type)(value);                                                        \
        if (UNLIKELY(!access_is_direct(unit_view, address_ - I0, I0, sizeof stored_, PAGE_WRITE))) \
            LEAVE();                                                                               \
        memcpy(unit_host + address_, &stored_, sizeof stored_);                                    \
    } while (0)
#define check_element(type, address)                                                               \
    do {                                                                                           \
        if (UNLIKELY((address) % sizeof(type) != 0))                                               \
            LEAVE();                                                                               \
    } while (0)
#define load_element(type, address)                                                                \
    ({                                                                                             \
        uint64_t element_ = (address);                                                             \
        check_element(type, element_);                                                             \
        load(type, element_);                                                                      \
    })
#define store_element(type, address, value)                                                        \
    do {                                                                                           \
        uint64_t element_ = (address);                                                             \
        check_element(type, element_);                                                             \
        store(type, element_, (value));                                                            \
    } while (0)
#define load_reserved(type, address)                                                               \
    ({                                                                                             \
        const type reserved_ = load_element(type, address);                                        \
        machine->hart.reserved = true;                                                             \
        machine->hart.reserved_address = (address);                                                \
        machine->hart.reserved_value = (uint64_t)reserved_;                                        \
        reserved_;                                                                                 \
    })
#define store_conditional(type, address, word)                                                     \
    ({                                                                                             \
        uint64_t reserved_ = (address);                                                            \
        bool holds_ = machine->hart.reserved && machine->hart.reserved_address == reserved_;       \
        check_element(type, reserved_);                                                            \
        if (holds_)                                                                                \
            holds_ = load(type, reserved_) == (type)machine->hart.reserved_value;                  \
        if (holds_)                                                                                \
            store(type, reserved_, (word));                                                        \
        machine->hart.reserved = false;                                                            \
        (uint64_t) !holds_;                                                                        \
    })
#define atomic(type, address, result)                                                              \
    ({                                                                                             \
        uint64_t atomic_ = (address);                                                              \
        const type old = load_element(type, atomic_);                                              \
        const type new_ = (type)(result);                                                          \
        store(type, atomic_, new_);                                                                \
        old;                                                                                       \
    })
#define jump(address)                                                                              \
    do {                                                                                           \
        destination = (address);                                                                   \
        if (UNLIKELY(destination % ISA_CODE_ALIGNMENT != 0))                                       \
            LEAVE();                                                                               \
        flow = UNIT_TARGET;                                                                        \
    } while (0)
#define branch(distance)                                                                           \
    do {                                                                                           \
        if (distance##_is_misaligned)                                                              \
            LEAVE();                                                                               \
        destination = pc + (uint64_t)(distance);                                                   \
        flow = UNIT_TARGET;                                                                        \
    } while (0)
#define csr_read(number)                                                                           \
    ({                                                                                             \
        LEAVE();                                                                                   \
        (uint64_t)0;                                                                               \
    })
#define csr_write(number, value) LEAVE()
/* Units never change frm. */
#define rounding(rm)                                                                               \
    ({                                                                                             \
        if (UNLIKELY((rm) > FLOAT_RMM && ((rm) != ROUNDING_DYNAMIC || unit_frm != FLOAT_RNE)))     \
            LEAVE();                                                                               \
        (rm) == ROUNDING_DYNAMIC ? (int)FLOAT_RNE : (int)(rm);                                     \
    })
#define environment_call()   LEAVE()
#define return_from_trap()   LEAVE()
#define wait_for_interrupt() LEAVE()
#define breakpoint()         LEAVE()
#define manage_block(operation, address)                                                           \
    do {                                                                                           \
        if (UNLIKELY(!block_permits(machine, (operation))))                                        \
            LEAVE();                                                                               \
        attempt(block_manage(machine, (operation), (address), fault));                             \
    } while (0)
#define synchronize_code() ((void)0)
#define unit(name)                                                                                 \
    ({                                                                                             \
        if (offsetof(struct machine, name) == offsetof(struct machine, traversal)) {               \
            UNIT_GIVE_BACK                                                                         \
        }                                                                                          \
        &machine->name;                                                                            \
    })

#endif
