/* What translated code is written in (translate.h): the types of the emulator, and the macros that
 * the texts of the bodies use. The Makefile preprocesses this file, macros kept, and makes a string
 * of it that stands before each unit; so what `load` means here is what it means in
 * execute.inc, but for what is rare: there a unit leaves.
 *
 * A unit defines UNIT_SINGLES, UNIT_GROUPED, UNIT_ROWS, UNIT_STORED, UNIT_GIVE_BACK and
 * UNIT_LONGEST, then is one function
 *
 *     UNIT_BEGIN
 *     LOAD_X(5) LOAD_F(10) NO_STREAK(1)   registers, rows that it uses
 *     UNIT_DISPATCH ENTRY(1043c) UNIT_DISPATCHED
 *     L_1043c: HEAD(0x1043c, 7)           a loop's head: the longest way from it
 *     BLOCK(2)                            instructions
 *     INSTRUCTION(pc, length, remaining, R0 to R7, I0, I1) {text of the body} TO_NEXT
 *     INSTRUCTION(…) {text} TO_TARGET(1043c)
 *     UNIT_OUT
 *     STORE_X(5)                          registers that it changes
 *     UNIT_END
 *
 * Blocks count down `unit_left`, and only where control may come once more in a unit is the limit
 * looked at: at heads, before a dispatch, and before a visit. There, as many instructions have to
 * be left as there are on the longest way to where it is looked at next (region_block.longest).
 *
 * Registers are locals of it: the compiler allocates host registers and folds constants. An f
 * register is a float where the unit uses it as single precision only (UNIT_SINGLES), and a bit of
 * unit_boxed says that its upper half is all ones, so that arithmetic stays in vector registers;
 * else it is a double. Of those, four that an instruction writes as a group (UNIT_GROUPED) are one
 * vector, which goes from one such instruction to the next as it is.
 *
 * So are the streaks of the rows that it walks through (UNIT_ROWS; see traversal.h): else each step
 * would wait for the one before to come back from memory. One whose length is not 0 stands for the
 * one in the traversal unit, until GIVE_BACK(row), or UNIT_GIVE_BACK for all rows: before anything
 * else looks at the traversal unit, and on the way out. Of its steps, `left` are those to elements
 * that may go straight, which is found out once for all of them; unit_later has the others. */
#ifndef EMU_NATIVE_UNIT_H
#define EMU_NATIVE_UNIT_H

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

/* May [address, address + size), within one page, go straight? That may be the end of a mapping.
 * (Never a call: what lives across one may not stay in vector registers. One condition: a unit has
 * this for each access, and compilers take their time by the number of basic blocks.) */
__attribute__((always_inline)) static inline bool
is_straight(const unsigned char *view, uint64_t address, size_t size, unsigned access)
{
    uint64_t page = address >> MEMORY_PAGE_BITS;

    return (page < MEMORY_PAGES) & ((view[page % MEMORY_PAGES] & access) != 0) &
           (address % MEMORY_PAGE <= MEMORY_PAGE - size);
}

/* Lowest offset from a base register. */
enum { OFFSET_LOWEST = -2048 };

/* May an access of `size` bytes at base + offset go straight? The look at the page that has the
 * lowest offset answers for all offsets, as two pages hold them: so the compiler makes one look for
 * all accesses by a base. Where that says no, as at the ends of a mapping, there is another one;
 * and what also crosses into another page there does not go straight. */
__attribute__((always_inline)) static inline bool goes_straight(const unsigned char *view,
                                                                uint64_t base, int64_t offset,
                                                                size_t size, unsigned access)
{
    uint64_t lowest = (base + OFFSET_LOWEST) >> MEMORY_PAGE_BITS;
    bool holds = offset >= OFFSET_LOWEST && offset - OFFSET_LOWEST + size <= MEMORY_PAGE + 1;

    if (holds && LIKELY(lowest < MEMORY_PAGES) &&
        LIKELY((view[lowest] & access << SPAN_SHIFT) != 0))
        return true;
    return is_straight(view, base + offset, size, access);
}

/* How many elements of a streak, from the current one on and no more than fit into a page, may go
 * straight in all ways of `access`? */
static inline uint64_t streak_straight(const unsigned char *view, struct traversal_streak streak,
                                       unsigned access)
{
    bool down = (int64_t)streak.step < 0;
    uint64_t size = down ? -streak.step : streak.step;
    uint64_t most = MEMORY_PAGE - sizeof(uint64_t); /* an element more has room */
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
        /* Seldom needed: they are not to take a register of the host each. */                     \
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
/* Who visits has looked at the limit. */
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
/* At an element that was not known to go straight, with all steps in `left`. */
#define PART(row)                                                                                  \
    unit_later[row] = unit_streaks[row].left;                                                      \
    unit_streaks[row].left =                                                                       \
        streak_straight(unit_view, unit_streaks[row],                                              \
                        UNIT_STORED >> (row)&1 ? PAGE_READ | PAGE_WRITE : PAGE_READ);              \
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

/* What is left is hidden from the compiler where a block begins, and where instructions turn out
 * not to be done. Else it keeps what was left before, too, to add to that: one more register, and a
 * move on the way back of each loop, which then has two jumps. */
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
/* Ends of an instruction: whatever follows it is next; it may go to an address that has a label; or
 * to any, which is compared with where it led before. */
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
/* Behind a block: what follows it is not in the unit. */
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
/* An upper half that was not written is still where it came from. */
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
/* Of one that is used as single precision only. */
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
/* Then it is none of UNIT_SINGLES. */
#define WRITE_F64(file, slot, value) (unit_d[R##slot] = f64_value(value))

/* Written out, as an index that is no constant would put all registers into memory. */
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
/* By a vector of floats, as the registers are: so words that were loaded never go through integer
 * registers or memory. */
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

#define trap(cause, value) LEAVE()
/* What fails has done nothing, and the executor will find the same fault. The call may read and
 * write guest memory by a pointer of its own, so the compiler is not to take unit_host as the only
 * one (`restrict`) here: for all it knows, this has given it away. */
#define attempt(call)                                                                              \
    do {                                                                                           \
        __asm__ volatile("" : "+r"(unit_host));                                                    \
        if (UNLIKELY(!(call)))                                                                     \
            LEAVE();                                                                               \
        unit_paused =                                                                              \
            machine->code.drops != unit_drops || (machine->deadline && machine_expired(machine));  \
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
/* Nobody watches: there is no recorder. A row that has a streak is not done, so that no other row
 * is looked at behind it; for one that has none, walk_address gave back all. */
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
        if (UNLIKELY(!goes_straight(unit_view, address_ - I0, I0, sizeof loaded_, PAGE_READ)))     \
            LEAVE();                                                                               \
        memcpy(&loaded_, unit_host + address_, sizeof loaded_);                                    \
        loaded_;                                                                                   \
    })
#define store(type, address, value)                                                                \
    do {                                                                                           \
        uint64_t address_ = (address);                                                             \
        const type stored_ = (type)(value);                                                        \
        if (UNLIKELY(!goes_straight(unit_view, address_ - I0, I0, sizeof stored_, PAGE_WRITE)))    \
            LEAVE();                                                                               \
        memcpy(unit_host + address_, &stored_, sizeof stored_);                                    \
    } while (0)
#define check_element(type, address)                                                               \
    do {                                                                                           \
        if (UNLIKELY((address) % sizeof(type) != 0))                                               \
            LEAVE();                                                                               \
    } while (0)
#define check_aligned(type, address, cause) check_element(type, address)
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
/* No unit changes frm. */
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
#define synchronize_code()   ((void)0)
#define unit(name)                                                                                 \
    ({                                                                                             \
        if (offsetof(struct machine, name) == offsetof(struct machine, traversal)) {               \
            UNIT_GIVE_BACK                                                                         \
        }                                                                                          \
        &machine->name;                                                                            \
    })

#endif
