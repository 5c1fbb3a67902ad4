/* The form of stencils on x86-64: see form.h.
 *
 * With -mcmodel=kernel the address of a hole is a constant of 32 bits, sign-extended where it is
 * used as one of 64. */
#ifndef EMU_NATIVE_STENCILS_FORM_X86_H
#define EMU_NATIVE_STENCILS_FORM_X86_H

#include "emu/native/stencil.h"

register struct hart *hart __asm__("rbp");
register int64_t left __asm__("r12");
register unsigned char *host __asm__("r13");
register uint64_t operand0 __asm__("r8");
register uint64_t operand1 __asm__("r9");
register uint64_t operand2 __asm__("r10");

#define fast (hart->native_fast)

#define HOLE(name)         ((intptr_t)hole_##name)
#define HOLE_SMALL(name)   HOLE(name)
#define HOLE_ADDRESS(name) ((uint64_t)(uint32_t)HOLE(name))
#define JUMPS              ((const struct native_jump *)HOLE(jumps))
#define FOLD(slot, value)  (value) /* the compiler does */
/* The address is an operand of the access itself. */
#define HOLD_OPERAND(address) ((void)0)

/* The constants of stencils that know an immediate. With BMI2, compilers shift by a register. */
#ifndef SECOND_CONSTANTS
#define CONSTANT_WIDE STENCIL_WIDE
#else
#define CONSTANT_WIDE STENCIL_SECOND_WIDE
#endif
#if !defined __BMI2__ && !defined SECOND_CONSTANTS
#define CONSTANT_SMALL STENCIL_SMALL
#elif !defined __BMI2__
#define CONSTANT_SMALL STENCIL_SECOND_SMALL
#endif

static inline __attribute__((always_inline)) uint64_t *slot_memory(uint64_t *file, intptr_t offset)
{
    return (uint64_t *)((char *)file + offset);
}

#define MEMORY_OF(file, slot)           (slot_memory(hart->file, HOLE(offset##slot)))
#define READ_MEMORY(file, slot)         (*MEMORY_OF(file, slot))
#define WRITE_MEMORY(file, slot, value) (*MEMORY_OF(file, slot) = (value))

/* Floating-point registers, which the compiler would move through general registers. */
#define PLACE_OF(file, slot) "i"((char *)hole_offset##slot + offsetof(struct hart, file))
#define READ_F64_f(slot)                                                                           \
    ({                                                                                             \
        double read_;                                                                              \
        __asm__("movsd %P1(%%rbp), %0" : "=x"(read_) : PLACE_OF(f, slot));                         \
        f64_bits(read_);                                                                           \
    })
#define READ_F32_f(slot)                                                                           \
    ({                                                                                             \
        float read_;                                                                               \
        if (!boxed)                                                                                \
            __asm__ goto("cmpl $-1, 4+%P0(%%rbp)\n\tjne %l[aside]"                                 \
                         :                                                                         \
                         : PLACE_OF(f, slot)                                                       \
                         : "cc"                                                                    \
                         : aside);                                                                 \
        __asm__("movss %P1(%%rbp), %0" : "=x"(read_) : PLACE_OF(f, slot));                         \
        f32_bits(read_);                                                                           \
    })
/* As wide as what WRITE_F32_f wrote, so that processors forward it. */
#define READ_RAW32_f(slot)                                                                         \
    ({                                                                                             \
        uint32_t read_;                                                                            \
        __asm__("movl %P1(%%rbp), %0" : "=r"(read_) : PLACE_OF(f, slot));                          \
        read_;                                                                                     \
    })
#define WRITE_F64_f(slot, value)                                                                   \
    do {                                                                                           \
        double written_ = f64_value(value);                                                        \
        SETTLE_FLAGS();                                                                            \
        __asm__ volatile("movsd %0, %P1(%%rbp)" : : "x"(written_), PLACE_OF(f, slot));             \
    } while (0)
#define WRITE_F32_f(slot, value)                                                                   \
    do {                                                                                           \
        float written_ = f32_value(value);                                                         \
        SETTLE_FLAGS();                                                                            \
        __asm__ volatile("movss %0, %P1(%%rbp)\n\tmovl $-1, 4+%P1(%%rbp)"                          \
                         :                                                                         \
                         : "x"(written_), PLACE_OF(f, slot));                                      \
    } while (0)

#endif
