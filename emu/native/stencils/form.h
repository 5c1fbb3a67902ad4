/* The form of a body that becomes stencils (docs/native-code.md): machine code with holes where the
 * operands of an instruction go, which the copier puts together at run time. The C compiler makes
 * it, for the host only; nothing of this is linked.
 *
 * The state of the emulator and three operands are in registers of the host. The copier replaces
 * the registers of the operands by those that hold the guest's registers. An operand that is not
 * in one is in memory, in struct hart. As in the direct form, a body leaves before it has changed
 * anything (LEAVE), and the interpreter executes the instruction.
 *
 * A hole is the address of a symbol that does not exist. How code gets at it depends on the
 * architecture (form_x86.h and so on), which defines
 *   hart, left, host, operand0, operand1, operand2
 *                                     registers of the host; the operands are by slot
 *   fast                              the view of memory
 *   HOLE(name)                        32 bits, sign-extended
 *   HOLE_SMALL(name)                  the same, of less than 16 bits
 *   HOLE_ADDRESS(name)                an address of the guest, 32 bits, zero-extended
 *   JUMP_ADDRESS(place), JUMP_CODE(place)
 *                                     those of the table of jumps, by distance from its begin
 *   READ_MEMORY(file, slot)           the register of the file that is the operand, in struct hart
 *   WRITE_MEMORY(file, slot, value)
 *   GROUP_MEMORY(file, slot, i)       register `i` of a group, if this is better than by number;
 *                                     then also
 *   READ_FOUR(file, slot, values)     reads the registers of a group of four, which are written too
 *   WRITE_FOUR(file, slot, values)    writes them
 *   FOLD(slot, value)                 the value, or its sum with the immediate, if `folded` and the
 *                                     slot is 1; FOLDS: stencils are made for this wherever they may
 *   STENCILS_ONCE(...)                nothing, where another library has these stencils, if
 *                                     there is such a library
 *   float_operand0 to float_operand3  registers of the host with floating-point operands, by slot
 *   FILL_FLOAT(slot)                  loads the operand from struct hart,
 *   SPILL_FLOAT(slot)                 or stores it there
 *   WRITE_F32_f(slot, value), WRITE_RAW32_f(slot, value)
 *                                     writes the single-precision number NaN-boxed
 *   FLOAT_CONSTRAINT                  of inline assembly, for a register of vectors
 *   ADD_CARRIES(sum, value)           adds the value to the sum; does this carry?
 *   ADD_MEMORY_CARRIES(sum, value)    the same for a value in memory
 *   HOLD_OPERAND(address)             the register of operand 0 keeps its value until the access to
 *                                     the address, because that may fault on the host */
#ifndef EMU_NATIVE_STENCILS_FORM_H
#define EMU_NATIVE_STENCILS_FORM_H

#define FINDS_UNITS_ANEW
#include "emu/float/rare.h"

#include "emu/body/body.h"
#include "emu/native/native.h"
#include "emu/native/stencil.h"
#include <stddef.h>

/* ---- holes ---- */

extern char hole_offset0[], hole_offset1[], hole_offset2[], hole_offset3[], hole_offset4[],
    hole_offset5[], hole_offset6[], hole_offset7[]; /* register, times 8 */
extern char hole_number0[], hole_number1[], hole_number2[], hole_number3[], hole_number4[],
    hole_number5[], hole_number6[], hole_number7[]; /* what the slot holds */
extern char hole_immediate0[], hole_immediate1[];
extern char hole_pc[], hole_next_pc[];
extern char hole_remaining[]; /* instructions to the end of the block, this one included */
extern char hole_value[]; /* of a stencil that is not an instruction; or where a streak is, or the
                             machine, from the hart on */
extern char hole_jumps[]; /* where addresses are in the table of jumps */
extern char hole_codes[]; /* where code is there */

/* Where control goes. Those that are `cold` are at the end of a jump on a condition. */
void next(void); /* to the instruction after this one */
__attribute__((cold)) void next_rarely(void);
void taken(void); /* to the target of the jump */
__attribute__((cold)) void taken_rarely(void);
__attribute__((cold)) void leave(void); /* out of native code */
void call(void);                        /* of hart->native_site; goes on after that */
__attribute__((cold)) void call_rarely(void);
__attribute__((cold)) void
usual(void); /* to the usual stencil of the instruction, or to its turn */

typedef float f32_vector __attribute__((vector_size(16)));
typedef double f64_vector __attribute__((vector_size(16)));
typedef uint32_t u32_vector __attribute__((vector_size(16)));
typedef int32_t i32_vector __attribute__((vector_size(16)));
typedef int64_t i64_vector __attribute__((vector_size(16)));

#ifdef __aarch64__
#include "emu/native/stencils/form_arm.h"
#else
#include "emu/native/stencils/form_x86.h"
#include "emu/native/stencils/status_x86.h"
#endif

/* Guest addresses have 32 bits. */
#define PC HOLE_ADDRESS(pc)

/* ---- where operands are ---- */

enum place {
    IN_MEMORY,
    IN_0, /* in the register of operand 0, 1 or 2 */
    IN_1,
    IN_2,
    IN_NONE, /* zero */
};

/* Operands of further slots are always in memory. */
enum {
    place3 = IN_MEMORY,
    place4 = IN_MEMORY,
    place5 = IN_MEMORY,
    place6 = IN_MEMORY,
    place7 = IN_MEMORY
};

#define READ_PLACE(place, memory)                                                                  \
    ((place) == IN_0      ? operand0                                                               \
     : (place) == IN_1    ? operand1                                                               \
     : (place) == IN_2    ? operand2                                                               \
     : (place) == IN_NONE ? 0                                                                      \
                          : (memory))

/* Where a shift is known, gcc would make two shifts of one that takes the lower word of a register
 * which it sees. */
#ifdef CONSTANT_SMALL
#define SHIFTED(value, is_register)                                                                \
    ({                                                                                             \
        uint64_t shifted_ = (value);                                                               \
        if ((is_register) && __builtin_constant_p(immediate0) && immediate0 == CONSTANT_SMALL)     \
            __asm__("" : "+r"(shifted_));                                                          \
        shifted_;                                                                                  \
    })
#else
#define SHIFTED(value, is_register) (value)
#endif

#undef SLOT
#undef REGISTER
#undef READ_U64
#undef READ_F64
#undef READ_F32
#undef READ_RAW32
#undef READ_F16
#undef READ_RAW16
#undef READ_OLD_U64
#undef READ_RI
#undef IMMEDIATE
#undef SIGNED_IMMEDIATE
#undef IMMEDIATE_R
#undef GET_REGISTER_OR_IMMEDIATE
#undef WRITE_U64
#undef WRITE_F64
#undef WRITE_F32
#undef WRITE_RAW32
#undef WRITE_F16
#undef WRITE_RAW16
#undef SUCCESSOR
#undef NO_SUCCESSOR

#define INSTRUCTION_WORD 0 /* of a trap, which the interpreter raises */
#define SLOT(slot)       ((uint8_t)HOLE_SMALL(number##slot))
#define REGISTER(slot)   (SLOT(slot) & (SINK - 1))
#define READ_IN_x(slot)                                                                            \
    SHIFTED(FOLD(slot, READ_PLACE(place##slot, READ_MEMORY(x, slot))), place##slot != IN_MEMORY)
#define FLOAT_OPERAND(slot)  FLOAT_OPERAND_##slot
#define FLOAT_OPERAND_0      float_operand0
#define FLOAT_OPERAND_1      (place2 == IN_1 ? equal_ : float_operand1)
#define FLOAT_OPERAND_2      (place2 == IN_1 ? equal_ : float_operand2)
#define FLOAT_OPERAND_3      float_operand3
#define READ_IN_f(slot)      ((uint64_t)((i64_vector)FLOAT_OPERAND(slot))[0])
#define READ_U64(file, slot) READ_IN_##file(slot)
#define READ_F64(file, slot) READ_F64_##file(slot)
#define READ_F32(file, slot) READ_F32_##file(slot)
#define READ_F64_x(slot)     READ_IN_x(slot)
#define READ_F32_x(slot)     ((uint32_t)UNBOX(READ_IN_x(slot), 32))
#define READ_F64_f(slot)     f64_bits(((f64_vector)FLOAT_OPERAND(slot))[0])
#define READ_RAW32_f(slot)   ((uint32_t)FLOAT_OPERAND(slot)[0])
#define READ_F32_f(slot)                                                                           \
    ({                                                                                             \
        if (!boxed && __builtin_expect(FLOAT_OPERAND(slot)[1] != -1, 0))                           \
            LEAVE();                                                                               \
        f32_bits(((f32_vector)FLOAT_OPERAND(slot))[0]);                                            \
    })
#define READ_RAW32(file, slot)                 READ_RAW32_##file(slot)
#define READ_RAW32_x(slot)                     ((uint32_t)READ_IN_x(slot))
#define READ_F16(file, slot)                   ((uint16_t)UNBOX(READ_IN_##file(slot), 16))
#define READ_RAW16(file, slot)                 ((uint16_t)READ_IN_##file(slot))
#define READ_OLD_U64(file, slot)               (SLOT(slot) == SINK ? 0 : READ_MEMORY(file, slot))
#define READ_RI(file, slot)                    read_ri(hart->file, SLOT(slot))
#define IMMEDIATE(slot)                        ((uint64_t)immediate##slot)
#define SIGNED_IMMEDIATE(slot)                 ((int64_t)immediate##slot)
#define IMMEDIATE_R(slot)                      SLOT(slot)
#define GET_REGISTER_OR_IMMEDIATE(place, slot) read_ri(&hart->registers[place], SLOT(slot))

/* Leaves out the stencil that has all cases, as one with a call. */
uint64_t absent(void);
#define NEVER_EXACT() ((void)(exact && absent()))

/* The bits of a value that is NaN-boxed. Others are rare. */
#define UNBOX(value, bits)                                                                         \
    ({                                                                                             \
        uint64_t boxed_ = (value);                                                                 \
        if (__builtin_expect(boxed_ >> bits != UINT64_MAX >> bits, 0))                             \
            LEAVE();                                                                               \
        boxed_;                                                                                    \
    })

#define WRITE_IN_x(slot, value)                                                                    \
    do {                                                                                           \
        SETTLE_FLAGS();                                                                            \
        if (place##slot == IN_MEMORY)                                                              \
            WRITE_MEMORY(x, slot, value);                                                          \
        else if (place##slot != IN_NONE)                                                           \
            operand0 = (value);                                                                    \
    } while (0)
#define WRITE_FLOAT(slot, value)                                                                   \
    (float_operand##slot = (i32_vector)(i64_vector){(int64_t)(value), 0})
/* The rest of the register does not matter, so that arithmetic needs no instruction that clears it.
 * Others (unchecked accesses, and moves, whose operands are equal) are best if it is cleared. */
#define WRITE_F64_f(slot, value)                                                                   \
    do {                                                                                           \
        double written_ = f64_value(value);                                                        \
        SETTLE_FLAGS();                                                                            \
        i32_vector vector_ = (i32_vector)(f64_vector){written_, 0};                                \
        if (checked && place2 != IN_1)                                                             \
            __asm__("" : "=" FLOAT_CONSTRAINT(vector_) : "0"(written_));                           \
        float_operand##slot = vector_;                                                             \
    } while (0)
#define WRITE_IN_f(slot, value)                                                                    \
    do {                                                                                           \
        SETTLE_FLAGS();                                                                            \
        WRITE_FLOAT(slot, value);                                                                  \
    } while (0)
#define WRITE_U64(file, slot, value)   WRITE_IN_##file(slot, value)
#define WRITE_F64(file, slot, value)   WRITE_F64_##file(slot, value)
#define WRITE_F32(file, slot, value)   WRITE_F32_##file(slot, value)
#define WRITE_F64_x(slot, value)       WRITE_IN_x(slot, value)
#define WRITE_F32_x(slot, value)       WRITE_IN_x(slot, box_f32(value))
#define WRITE_RAW32(file, slot, value) WRITE_RAW32_##file(slot, value)
#define WRITE_RAW32_x(slot, value)     WRITE_IN_x(slot, box_f32(value))
#define WRITE_F16(file, slot, value)   WRITE_IN_##file(slot, box_f16(value))
#define WRITE_RAW16(file, slot, value) WRITE_IN_##file(slot, box_f16(value))
#undef READ_GROUP
#undef READ_OLD_GROUP
/* The registers of a group are in memory. Stencils are compiled without what unrolls loops, so
 * these begin with the usual number of registers. */
#define READ_GROUP(file, slot, values, count)                                                      \
    do {                                                                                           \
        (values)[0] = (uint32_t)GROUP_MEMORY(file, slot, 0);                                       \
        if ((count) > 1)                                                                           \
            (values)[1] = (uint32_t)GROUP_MEMORY(file, slot, 1);                                   \
        if ((count) > 2)                                                                           \
            (values)[2] = (uint32_t)GROUP_MEMORY(file, slot, 2);                                   \
        if ((count) > 3)                                                                           \
            (values)[3] = (uint32_t)GROUP_MEMORY(file, slot, 3);                                   \
        for (unsigned i_ = 4; i_ < (count); i_++)                                                  \
            (values)[i_] = (uint32_t)hart->file[SLOT(slot) + i_];                                  \
    } while (0)
#define READ_OLD_GROUP(file, slot, values, count)                                                  \
    do {                                                                                           \
        if ((count) == 4) {                                                                        \
            READ_FOUR(file, slot, values);                                                         \
            break;                                                                                 \
        }                                                                                          \
        READ_GROUP(file, slot, values, count);                                                     \
    } while (0)
#define WRITE_GROUP(file, slot, values, count)                                                     \
    do {                                                                                           \
        SETTLE_FLAGS();                                                                            \
        if ((count) == 4) {                                                                        \
            WRITE_FOUR(file, slot, values);                                                        \
            break;                                                                                 \
        }                                                                                          \
        GROUP_MEMORY(file, slot, 0) = box_f32((values)[0]);                                        \
        if ((count) > 1)                                                                           \
            GROUP_MEMORY(file, slot, 1) = box_f32((values)[1]);                                    \
        if ((count) > 2)                                                                           \
            GROUP_MEMORY(file, slot, 2) = box_f32((values)[2]);                                    \
        for (unsigned i_ = 3; i_ < (count); i_++)                                                  \
            hart->file[SLOT(slot) + i_] = box_f32((values)[i_]);                                   \
    } while (0)
#ifndef GROUP_MEMORY
#define GROUP_MEMORY(file, slot, i)   (hart->file[SLOT(slot) + (i)])
#define READ_FOUR(file, slot, values) READ_GROUP(file, slot, values, 4)
#define WRITE_FOUR(file, slot, values)                                                             \
    do {                                                                                           \
        GROUP_MEMORY(file, slot, 0) = box_f32((values)[0]);                                        \
        GROUP_MEMORY(file, slot, 1) = box_f32((values)[1]);                                        \
        GROUP_MEMORY(file, slot, 2) = box_f32((values)[2]);                                        \
        GROUP_MEMORY(file, slot, 3) = box_f32((values)[3]);                                        \
    } while (0)
#endif
/* The mode is one that the stencil is for, or in the state of the emulator, where the hole says:
 * also one that the instruction names (hart->native_rounding). Other modes than that of the host
 * are rare, but there are stencils that have those of its status register. */
enum { ANY_MODE = -1, NEAREST_NUMBER = -2 /* in a mode that is to nearest even, or it leaves */ };
#undef rounding
#define rounding(rm)                                                                               \
    ({                                                                                             \
        unsigned mode_ = rounding_mode >= 0                                                        \
                             ? (unsigned)rounding_mode                                             \
                             : *(const unsigned *)((char *)hart + HOLE_SMALL(value));              \
        (void)(rm);                                                                                \
        if (__builtin_expect(mode_ > (exact                             ? FLOAT_RUP                \
                                      : rounding_mode == NEAREST_NUMBER ? FLOAT_RNE                \
                                                                        : FLOAT_RMM),              \
                             0))                                                                   \
            LEAVE();                                                                               \
        (int)mode_;                                                                                \
    })

/* ---- the frame ---- */

enum way { WAY_NEXT, WAY_FIXED, WAY_TARGET, WAY_LEAVE, WAY_TURN };

#define INSTRUCTION(ID, name)                                                                      \
    static inline __attribute__((always_inline)) enum way run_##name(                              \
        const enum place place0 __attribute__((unused)),                                           \
        const enum place place1 __attribute__((unused)),                                           \
        const enum place place2 __attribute__((unused)),                                           \
        const bool checked __attribute__((unused)), const bool folded __attribute__((unused)),     \
        const intptr_t immediate0 __attribute__((unused)),                                         \
        const intptr_t immediate1 __attribute__((unused)),                                         \
        const int rounding_mode __attribute__((unused)), const bool boxed __attribute__((unused)), \
        const bool common __attribute__((unused)), const bool exact __attribute__((unused)),       \
        uint64_t *destination_ __attribute__((unused)))                                            \
    {                                                                                              \
        __label__ aside;                                                                           \
        const i32_vector equal_ __attribute__((unused)) =                                          \
            float_operand1; /* that of slot 2, too */                                              \
        const uint64_t pc __attribute__((unused)) = PC;                                            \
        const uint64_t next_pc __attribute__((unused)) = HOLE_ADDRESS(next_pc);                    \
        enum flow flow __attribute__((unused)) = FLOW_NEXT;                                        \
        uint64_t destination __attribute__((unused)) = 0;                                          \
        unsigned flags_before __attribute__((unused)) =                                            \
            common ? (unsigned)FLOAT_NX : FLAGS_BEFORE();                                          \
        unsigned flags_after __attribute__((unused)) = flags_before;                               \
        unsigned *const fflags __attribute__((unused)) = &flags_after;
#define END_INSTRUCTION(ID)                                                                        \
    SETTLE_FLAGS();                                                                                \
    *destination_ = destination;                                                                   \
    return flow == FLOW_TARGET ? WAY_TARGET : flow == FLOW_FIXED ? WAY_FIXED : WAY_NEXT;           \
    if (0) {                                                                                       \
    aside:                                                                                         \
        __attribute__((cold, unused));                                                             \
        return WAY_LEAVE;                                                                          \
    }                                                                                              \
    }
#define END_BLOCK(ID, successor) END_INSTRUCTION(ID)
#define LEAVE()                  goto aside
#define IS_DIRECT(address, size, access)                                                           \
    (HOLD_OPERAND(address), !checked || memory_is_direct(fast, (address), (size), (access)))
/* The row of a walk is an immediate. Its position may be in the register of operand 2, and then
 * what a step adds in that of operand 1. There the step is taken before the access, which cannot
 * leave; when it faults on the host, native_visit takes the step back. */
#define STREAK(row)           ((void)(row), (struct traversal_streak *)((char *)hart + HOLE(value)))
#define READ_POSITION(streak) (place2 == IN_2 ? operand2 : (streak)->position)
#define WRITE_POSITION(streak, value)                                                              \
    do {                                                                                           \
        if (place2 == IN_2)                                                                        \
            operand2 = (value);                                                                    \
        else                                                                                       \
            (streak)->position = (value);                                                          \
    } while (0)
#define END_LINE() return WAY_TURN
#ifndef STEP_MEMORY
#define STEP_MEMORY(streak, bytes) ((streak)->steps[__builtin_ctz(bytes)])
#endif
#define STEPPED(streak, bytes, from)                                                               \
    ({                                                                                             \
        uint64_t stepped_ = 0;                                                                     \
        if (place2 == IN_2) {                                                                      \
            (from) = (uint32_t)operand2;                                                           \
            if (__builtin_expect(place1 == IN_1                                                    \
                                     ? !ADD_CARRIES(operand2, operand1)                            \
                                     : !ADD_MEMORY_CARRIES(operand2, STEP_MEMORY(streak, bytes)),  \
                                 0)) {                                                             \
                operand2 -= READ_PLACE(place1, STEP_MEMORY(streak, bytes));                        \
                END_LINE();                                                                        \
            }                                                                                      \
            __asm__ volatile("" : "+r"(from) : "r"(operand2)); /* the access comes after that */   \
        } else if (__builtin_expect(!traversal_step((streak), (bytes), (from), &stepped_), 0)) {   \
            END_LINE();                                                                            \
        }                                                                                          \
        stepped_;                                                                                  \
    })
#define ADDRESS_OF(position) (place2 == IN_2 ? (position) : (uint32_t)(position))
#define FINISH_STEP(streak, to)                                                                    \
    do {                                                                                           \
        if (place2 != IN_2)                                                                        \
            (streak)->position = (to);                                                             \
    } while (0)
#define UNIT(name) (&((struct machine *)((char *)hart + HOLE(value)))->name)
#include "emu/body/leave.h"

static inline __attribute__((always_inline)) struct histogram_unit *
histogram_anew(const struct histogram_unit *unit)
{
    (void)unit;
    __asm__("" : "+r"(hart)); /* else the compiler keeps a copy in the frame */
    return UNIT(histogram);
}

/* Out of native code, before the instruction. */
static inline __attribute__((always_inline)) void go_aside(void)
{
    __asm__("" : "+r"(left)); /* else the compiler keeps a copy, where the limit is checked */
    left += HOLE_SMALL(remaining);
    hart->pc = PC;
    leave();
}

/* To the code of the guest address. */
static inline __attribute__((always_inline)) void go_to(uint64_t address)
{
    uint64_t place = (address >> 1) % NATIVE_JUMPS * sizeof(struct native_jump);

    if (__builtin_expect(JUMP_ADDRESS(place) != address, 0)) {
        hart->pc = address;
        hart->native_exit = EXIT_JUMP;
        leave();
        return;
    }
    JUMP_CODE(place)();
}

/* One stencil. Its name says where the operands are: m memory, r a register of its own, 0 or 1 the
 * register of operand 0 or 1, z zero; and its kind. An access to memory is checked (c), or was
 * checked before (u), which may be to the address in a register without a sum (p). Where the
 * compiler makes better code for an immediate that it knows, the stencil is compiled twice, with
 * different constants (s: from 1 to 31), and gather finds the immediate where the two differ. One
 * is for immediates that are smaller than others (w), and one for 0 (o). There are stencils for
 * floating-point operands that are known to be NaN-boxed (b), for conversions to integers toward
 * zero (t), and for operands 1 and 2 that are the same floating-point register (q). Some rely on an
 * earlier check that NX is set and that a dynamic mode is that of the host, only have the common
 * case, and go to the usual stencil otherwise: toward zero (z), to nearest even (e), and that with
 * operands that are boxed (f). Some have all cases of arithmetic, by the status register of the
 * host (x). */
#ifndef SECOND_CONSTANTS
#define STENCIL_c(ID, name, places, ...)                                                           \
    STENCIL(ID, name, places##c, __VA_ARGS__, true, false, HOLE(immediate0), HOLE(immediate1), -1, \
            false, false, false)
#define STENCIL_u(ID, name, places, ...)                                                           \
    STENCIL(ID, name, places##u, __VA_ARGS__, false, false, HOLE(immediate0), HOLE(immediate1),    \
            -1, false, false, false)
#define STENCIL_p(ID, name, places, ...)                                                           \
    STENCIL(ID, name, places##p, __VA_ARGS__, false, false, 0, 0, -1, false, false, false)
#define STENCIL_o(ID, name, places, ...)                                                           \
    STENCIL(ID, name, places##o, __VA_ARGS__, true, false, 0, 0, -1, false, false, false)
#define STENCIL_b(ID, name, places, ...)                                                           \
    STENCIL(ID, name, places##b, __VA_ARGS__, true, false, HOLE(immediate0), HOLE(immediate1), -1, \
            true, false, false)
#define STENCIL_q(ID, name, places, first, second, third)                                          \
    STENCIL(ID, name, places##q, first, second, IN_1, true, false, HOLE(immediate0),               \
            HOLE(immediate1), -1, false, false, false)
#define STENCIL_n(ID, name, places, ...)                                                           \
    STENCIL_OF_MODE(ID, name, places##c, NEAREST_NUMBER, false, false, __VA_ARGS__)
#define STENCIL_OF_MODE(ID, name, suffix, mode, boxed, common, ...)                                \
    STENCIL(ID, name, suffix, __VA_ARGS__, true, false, HOLE(immediate0), HOLE(immediate1), mode,  \
            boxed, common, false)
#define STENCIL_t(ID, name, places, ...)                                                           \
    STENCIL_OF_MODE(ID, name, places##t, FLOAT_RTZ, false, false, __VA_ARGS__)
#define STENCIL_z(ID, name, places, ...)                                                           \
    STENCIL_OF_MODE(ID, name, places##z, FLOAT_RTZ, false, true, __VA_ARGS__)
#define STENCIL_e(ID, name, places, ...)                                                           \
    STENCIL_OF_MODE(ID, name, places##e, FLOAT_RNE, false, true, __VA_ARGS__)
#define STENCIL_f(ID, name, places, ...)                                                           \
    STENCIL_OF_MODE(ID, name, places##f, FLOAT_RNE, true, true, __VA_ARGS__)
#ifdef EMU_NATIVE_STENCILS_STATUS_X86_H
#define STENCIL_x(ID, name, places, ...)                                                           \
    STENCIL(ID, name, places##x, __VA_ARGS__, true, false, HOLE(immediate0), HOLE(immediate1), -1, \
            false, false, true)
#endif
#else
#define STENCIL_c(ID, name, places, ...)
#define STENCIL_u(ID, name, places, ...)
#define STENCIL_p(ID, name, places, ...)
#define STENCIL_o(ID, name, places, ...)
#define STENCIL_b(ID, name, places, ...)
#define STENCIL_q(ID, name, places, ...)
#define STENCIL_n(ID, name, places, ...)
#define STENCIL_t(ID, name, places, ...)
#define STENCIL_z(ID, name, places, ...)
#define STENCIL_e(ID, name, places, ...)
#define STENCIL_f(ID, name, places, ...)
#endif
#ifndef STENCIL_x
#define STENCIL_x(ID, name, places, ...)
#endif
#ifdef CONSTANT_SMALL
#define STENCIL_s(ID, name, places, ...)                                                           \
    STENCIL(ID, name, places##s, __VA_ARGS__, true, false, CONSTANT_SMALL, 0, -1, false, false,    \
            false)
#else
#define STENCIL_s(ID, name, places, ...)
#endif
#ifdef CONSTANT_WIDE
#define STENCIL_w(ID, name, places, ...)                                                           \
    STENCIL(ID, name, places##w, __VA_ARGS__, true, false, CONSTANT_WIDE, 0, -1, false, false,     \
            false)
#else
#define STENCIL_w(ID, name, places, ...)
#endif
/* Those whose operand 1 is read as the sum of it and the immediate, which the body only adds. */
#define STENCIL_a(ID, name, places, ...)                                                           \
    STENCIL(ID, name, places##c, __VA_ARGS__, true, true, 0, 0, -1, false, false, false)
#define STENCIL_v(ID, name, places, ...)                                                           \
    STENCIL(ID, name, places##u, __VA_ARGS__, false, true, 0, 0, -1, false, false, false)
#define STENCIL(ID, name, suffix, first, second, third, checked, folded, immediate0, immediate1,   \
                rounding, boxed, common, exact)                                                    \
    void stencil_##ID##__##suffix(void);                                                           \
    void stencil_##ID##__##suffix(void)                                                            \
    {                                                                                              \
        uint64_t destination;                                                                      \
        switch (run_##name(first, second, third, checked, folded, immediate0, immediate1,          \
                           rounding, boxed, common, exact, &destination)) {                        \
        case WAY_NEXT:                                                                             \
            next();                                                                                \
            return;                                                                                \
        case WAY_FIXED:                                                                            \
            TAKEN();                                                                               \
            return;                                                                                \
        case WAY_TARGET:                                                                           \
            go_to(destination);                                                                    \
            return;                                                                                \
        case WAY_TURN:                                                                             \
            usual();                                                                               \
            return;                                                                                \
        default:                                                                                   \
            if (common)                                                                            \
                usual();                                                                           \
            else                                                                                   \
                go_aside();                                                                        \
        }                                                                                          \
    }
#define TAKEN() taken_rarely()

/* The instruction has the stencils of the other one: gather reads this section. */
#define STENCILS_AS(ID, other)                                                                     \
    static const char as_##ID[] __attribute__((section(STENCILS_AS_SECTION), aligned(1), used)) =  \
        #ID " " #other;

#ifndef STENCILS_ONCE
#define STENCILS_ONCE(...) __VA_ARGS__
#endif

/* The stencils of an instruction, by the roles of its first slots: W a register that is written, R
 * one that is read, N anything else. */
#define STENCILS(ID, name, roles) STENCILS_##roles(ID, name, c)
/* No instructions of newer hosts are better. */
#define STENCILS_OF_ANY(ID, name, roles) STENCILS_ONCE(STENCILS(ID, name, roles))
/* Branches, often with zero, and jumps that note no place. */
#define STENCILS_OF_FLOW(ID, name, roles)                                                          \
    STENCILS_ONCE(STENCILS(ID, name, roles) STENCILS_ZERO_##roles(ID, name, c))
#define STENCILS_OF_ACCESS(ID, name, roles)                                                        \
    STENCILS_##roles(ID, name, c) STENCILS_##roles(ID, name, u)
/* The instruction only adds operand 1, the base of its access, and the immediate. */
#define STENCILS_OF_ADDRESS(ID, name, roles) STENCILS_OF_ADDRESS_##roles(ID, name, roles)
#define STENCILS_OF_ADDRESS_NRN              STENCILS_OF_SUM_ACCESS
#define STENCILS_OF_ADDRESS_NNN              STENCILS_OF_SUM_ACCESS
#define STENCILS_OF_ADDRESS_WRN(...)         STENCILS_ONCE(STENCILS_OF_SUM_ACCESS(__VA_ARGS__))
#define STENCILS_OF_ADDRESS_RRN              STENCILS_OF_ADDRESS_WRN
#ifdef FOLDS
#define STENCILS_OF_SUM_ACCESS(ID, name, roles)                                                    \
    STENCILS_##roles(ID, name, a) STENCILS_##roles(ID, name, v) STENCILS_##roles(ID, name, p)
#define STENCILS_OF_SUM(ID, name, roles) STENCILS_##roles(ID, name, a) STENCILS_##roles(ID, name, o)
#define STENCILS_OF_WORD_SUM(ID, name, roles)                                                      \
    STENCILS_OF_IMMEDIATE(ID, name, roles) STENCILS_##roles(ID, name, o)
#else
#define STENCILS_OF_SUM_ACCESS(ID, name, roles)                                                    \
    STENCILS_OF_ACCESS(ID, name, roles) STENCILS_##roles(ID, name, p)
#define STENCILS_OF_SUM(ID, name, roles)                                                           \
    STENCILS_ONCE(STENCILS_##roles(ID, name, c) STENCILS_##roles(ID, name, o))
#define STENCILS_OF_WORD_SUM(ID, name, roles)                                                      \
    STENCILS_ONCE(STENCILS_##roles(ID, name, a) STENCILS_##roles(ID, name, o))
#endif
#ifdef CONSTANT_WIDE
#define STENCILS_OF_IMMEDIATE(ID, name, roles)                                                     \
    STENCILS_##roles(ID, name, c) STENCILS_##roles(ID, name, w)
#else
#define STENCILS_OF_IMMEDIATE STENCILS_OF_ANY
#endif
/* An atomic access has operand 2, the value, in memory. */
#define STENCILS_OF_ATOMIC(ID, name, roles) STENCILS_ATOMIC_##roles(ID, name, c)
#define STENCILS_ATOMIC_NNN                 STENCILS_NNN
#define STENCILS_ATOMIC_WRR                 STENCILS_WRN
/* A walk, whose position may be in a register where accesses need no check; or one without access.
 */
#define STENCILS_OF_WALK(ID, name, roles)                                                          \
    STENCILS_##roles(ID, name, c) STENCILS_WALK_##roles(ID, name, u)                               \
        STENCILS_PINNED_WALK_##roles(ID, name, u)
#define STENCILS_OF_STEP(ID, name, roles)                                                          \
    STENCILS_##roles(ID, name, c) STENCILS_WALK_##roles(ID, name, c)
#define STENCILS_OF_SMALL(ID, name, roles)                                                         \
    STENCILS_ONCE(STENCILS_##roles(ID, name, c) STENCILS_##roles(ID, name, s)                      \
                      STENCILS_##roles(ID, name, o))
/* Returns and most other jumps add 0, and the first ones do not need where they come from. */
#define STENCILS_OF_JUMP(ID, name, roles)                                                          \
    STENCILS_ONCE(STENCILS_##roles(ID, name, c) STENCILS_##roles(ID, name, o)                      \
                      STENCIL_o(ID, name, zrm, IN_NONE, IN_1, IN_MEMORY)                           \
                          STENCIL_o(ID, name, zmm, IN_NONE, IN_MEMORY, IN_MEMORY))
/* Conversions to integers round as the instruction says; all others, in the mode of the host. */
#define STENCILS_OF_TO_INTEGER(ID, name, roles)                                                    \
    STENCILS_##roles(ID, name, c) STENCILS_##roles(ID, name, t) STENCILS_##roles(ID, name, z)
#define STENCILS_OF_HALF(ID, name, roles)                                                          \
    STENCILS_##roles(ID, name, n) STENCILS_##roles(ID, name, e)
#define STENCILS_OF_ROUNDING(ID, name, roles)                                                      \
    STENCILS_OF_HALF(ID, name, roles) STENCILS_ONCE(STENCILS_##roles(ID, name, x))
#define STENCILS_OF_BOXED_ROUNDING(ID, name, roles)                                                \
    STENCILS_OF_ROUNDING(ID, name, roles) STENCILS_##roles(ID, name, f)
#ifdef __FMA__
#define STENCILS_OF_FUSED(ID, name, roles)                                                         \
    STENCILS_OF_HALF(ID, name, roles) STENCILS_##roles(ID, name, x)
#else
#define STENCILS_OF_FUSED STENCILS_OF_HALF
#endif
#define STENCILS_OF_BOXED_FUSED(ID, name, roles)                                                   \
    STENCILS_OF_FUSED(ID, name, roles) STENCILS_##roles(ID, name, f)
#define STENCILS_OF_BOXED(ID, name, roles)                                                         \
    STENCILS_##roles(ID, name, c) STENCILS_##roles(ID, name, b)
#define STENCILS_OF_PAIR(ID, name, roles)                                                          \
    STENCILS_##roles(ID, name, c) STENCILS_##roles(ID, name, q)
#define STENCILS_OF_BOXED_PAIR(ID, name, roles)                                                    \
    STENCILS_OF_BOXED(ID, name, roles) STENCILS_##roles(ID, name, q)
#define STENCILS_NNN(ID, name, kind)      STENCIL_##kind(ID, name, mmm, IN_MEMORY, IN_MEMORY, IN_MEMORY)
#define STENCILS_WALK_NNN(ID, name, kind) STENCIL_##kind(ID, name, mmr, IN_MEMORY, IN_MEMORY, IN_2)
#define STENCILS_WALK_WNN(ID, name, kind)                                                          \
    STENCILS_WALK_NNN(ID, name, kind)                                                              \
    STENCIL_##kind(ID, name, rmr, IN_0, IN_MEMORY, IN_2)
#define STENCILS_WALK_RNN(ID, name, kind) STENCILS_WALK_WNN(ID, name, kind)
#define STENCILS_PINNED_WALK_NNN(ID, name, kind)                                                   \
    STENCIL_##kind(ID, name, mrr, IN_MEMORY, IN_1, IN_2)
#define STENCILS_PINNED_WALK_WNN(ID, name, kind)                                                   \
    STENCILS_PINNED_WALK_NNN(ID, name, kind)                                                       \
    STENCIL_##kind(ID, name, rrr, IN_0, IN_1, IN_2)
#define STENCILS_PINNED_WALK_RNN(ID, name, kind) STENCILS_PINNED_WALK_WNN(ID, name, kind)
#define STENCILS_WNN(ID, name, kind)                                                               \
    STENCILS_NNN(ID, name, kind)                                                                   \
    STENCIL_##kind(ID, name, rmm, IN_0, IN_MEMORY, IN_MEMORY)
#define STENCILS_ZERO_WNN(ID, name, kind)                                                          \
    STENCIL_##kind(ID, name, zmm, IN_NONE, IN_MEMORY, IN_MEMORY)
#define STENCILS_RNN(ID, name, kind) STENCILS_WNN(ID, name, kind)
#define STENCILS_NRN(ID, name, kind)                                                               \
    STENCILS_NNN(ID, name, kind)                                                                   \
    STENCIL_##kind(ID, name, mrm, IN_MEMORY, IN_1, IN_MEMORY)
#define STENCILS_WRN(ID, name, kind)                                                               \
    STENCILS_NRN(ID, name, kind)                                                                   \
    STENCIL_##kind(ID, name, rmm, IN_0, IN_MEMORY, IN_MEMORY)                                      \
        STENCIL_##kind(ID, name, rrm, IN_0, IN_1, IN_MEMORY)                                       \
            STENCIL_##kind(ID, name, r0m, IN_0, IN_0, IN_MEMORY)
#define STENCILS_RRN(ID, name, kind)                                                               \
    STENCILS_NRN(ID, name, kind)                                                                   \
    STENCIL_##kind(ID, name, rmm, IN_0, IN_MEMORY, IN_MEMORY)                                      \
        STENCIL_##kind(ID, name, rrm, IN_0, IN_1, IN_MEMORY)                                       \
            STENCIL_##kind(ID, name, zrm, IN_NONE, IN_1, IN_MEMORY)                                \
                STENCIL_##kind(ID, name, zmm, IN_NONE, IN_MEMORY, IN_MEMORY)
#define STENCILS_ZERO_RRN(ID, name, kind)                                                          \
    STENCIL_##kind(ID, name, rzm, IN_0, IN_NONE, IN_MEMORY)                                        \
        STENCIL_##kind(ID, name, mzm, IN_MEMORY, IN_NONE, IN_MEMORY)
#define STENCILS_WRR(ID, name, kind)                                                               \
    STENCIL_##kind(ID, name, mmm, IN_MEMORY, IN_MEMORY,                                            \
                   IN_MEMORY) STENCIL_##kind(ID, name, mmr, IN_MEMORY, IN_MEMORY, IN_2)            \
        STENCIL_##kind(ID, name, mrm, IN_MEMORY, IN_1, IN_MEMORY)                                  \
            STENCIL_##kind(ID, name, mrr, IN_MEMORY, IN_1, IN_2)                                   \
                STENCIL_##kind(ID, name, rmm, IN_0, IN_MEMORY, IN_MEMORY)                          \
                    STENCIL_##kind(ID, name, rmr, IN_0, IN_MEMORY, IN_2)                           \
                        STENCIL_##kind(ID, name, rrm, IN_0, IN_1, IN_MEMORY)                       \
                            STENCIL_##kind(ID, name, rrr, IN_0, IN_1, IN_2)                        \
                                STENCIL_##kind(ID, name, r0m, IN_0, IN_0, IN_MEMORY)               \
                                    STENCIL_##kind(ID, name, r0r, IN_0, IN_0, IN_2)                \
                                        STENCIL_##kind(ID, name, rm0, IN_0, IN_MEMORY, IN_0)       \
                                            STENCIL_##kind(ID, name, rr0, IN_0, IN_1, IN_0)        \
                                                STENCIL_##kind(ID, name, r00, IN_0, IN_0, IN_0)

#endif
