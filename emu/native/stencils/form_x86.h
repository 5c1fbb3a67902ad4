/* The form of stencils on x86-64: see form.h.
 *
 * With -mcmodel=kernel the address of a hole is a constant of 32 bits, sign-extended where it is
 * used as one of 64. */
#ifndef EMU_NATIVE_STENCILS_FORM_X86_H
#define EMU_NATIVE_STENCILS_FORM_X86_H

#include <xmmintrin.h>

register struct hart *hart __asm__("rbp");
register int64_t left __asm__("r13");
register unsigned char *host __asm__("r12"); /* an access with base r13 has a displacement */
register uint64_t operand0 __asm__("r8");
register uint64_t operand1 __asm__("r9");
register uint64_t operand2 __asm__("r10");

#define fast (hart->native_fast)

#define HOLE(name)         ((intptr_t)hole_##name)
#define HOLE_SMALL(name)   HOLE(name)
#define HOLE_ADDRESS(name) ((uint64_t)(uint32_t)HOLE(name))
/* As constants of their own, each of which is part of an access. */
#define JUMP_ADDRESS(place) (*(const uint64_t *)(HOLE(jumps) + (place)))
#define JUMP_CODE(place)    (*(void (*const *)(void))(HOLE(codes) + (place)))
/* The compiler makes a sum part of an access, but of the lower half of an address, which a hole is,
 * it makes a constant of its own. So it does not see that only this half of the sum is needed. */
#define FOLD(slot, value)                                                                          \
    ({                                                                                             \
        uint64_t folded_ = (value);                                                                \
        if (folded && (slot) == 1) {                                                               \
            folded_ += (uint64_t)HOLE(immediate0);                                                 \
            __asm__("" : "+r"(folded_));                                                           \
        }                                                                                          \
        folded_;                                                                                   \
    })
/* The address is an operand of the access itself. */
#define HOLD_OPERAND(address) ((void)0)

/* The constants of stencils that know an immediate. With BMI2, compilers shift by a register, and
 * instructions with immediates and integer accesses are no better: the library for such hosts has
 * the stencils for any host there. */
#ifdef __BMI2__
#define STENCILS_ONCE(...)
#elif !defined SECOND_CONSTANTS
#define CONSTANT_SMALL STENCIL_SMALL
#else
#define CONSTANT_SMALL STENCIL_SECOND_SMALL
#endif

static inline __attribute__((always_inline)) uint64_t *slot_memory(uint64_t *file, intptr_t offset)
{
    return (uint64_t *)((char *)file + offset);
}

#define MEMORY_OF(file, slot)           (slot_memory(hart->file, HOLE(offset##slot)))
#define READ_MEMORY(file, slot)         (*MEMORY_OF(file, slot))
#define WRITE_MEMORY(file, slot, value) (*MEMORY_OF(file, slot) = (value))
/* A constant of its own for each register, which is part of the access. */
#define GROUP_ADDRESS(file, slot, i)                                                               \
    ((char *)hart + (intptr_t)(hole_offset##slot + offsetof(struct hart, file) + 8 * (i)))
#define GROUP_MEMORY(file, slot, i) (*(uint64_t *)GROUP_ADDRESS(file, slot, i))

typedef float pair_in __attribute__((vector_size(16), aligned(8)));

/* The upper half of a NaN-boxed number comes from float_ones, whose bits are all 1. */
register i32_vector float_operand0 __asm__("xmm8");
register i32_vector float_operand1 __asm__("xmm9");
register i32_vector float_operand2 __asm__("xmm10");
register i32_vector float_operand3 __asm__("xmm11");
register i32_vector float_ones __asm__("xmm15");

/* As vectors, since the bodies that write four registers compute vectors. A loop that adds to the
 * registers reads what it has just written: both are done by pairs of registers, because the host
 * passes what a store writes on to a load that needs no more than that. It does so later if they
 * are in two lines of its cache. */
_Static_assert(offsetof(struct hart, f) % 16 == 0, "pairs are aligned");
#define PAIR_MEMORY(file, slot, i) (*(pair_in *)GROUP_ADDRESS(file, slot, i))
#define READ_FOUR(file, slot, values)                                                              \
    do {                                                                                           \
        u32_vector four_ = (u32_vector)_mm_shuffle_ps(PAIR_MEMORY(file, slot, 0),                  \
                                                      PAIR_MEMORY(file, slot, 2), 0x88);           \
        __asm__("" : "+x"(four_)); /* not as numbers of another type, one by one */                \
        (values)[0] = four_[0];                                                                    \
        (values)[1] = four_[1];                                                                    \
        (values)[2] = four_[2];                                                                    \
        (values)[3] = four_[3];                                                                    \
    } while (0)
#define WRITE_FOUR(file, slot, values)                                                             \
    do {                                                                                           \
        const u32_vector four_ = {(values)[0], (values)[1], (values)[2], (values)[3]};             \
        __asm__("" : "+r"(hart)); /* else the compiler keeps a copy in the frame */                \
        PAIR_MEMORY(file, slot, 0) = (f32_vector)__builtin_shuffle((i32_vector)four_, float_ones,  \
                                                                   (i32_vector){0, 4, 1, 5});      \
        PAIR_MEMORY(file, slot, 2) = (f32_vector)__builtin_shuffle((i32_vector)four_, float_ones,  \
                                                                   (i32_vector){2, 6, 3, 7});      \
    } while (0)

#define FLOAT_CONSTRAINT  "x"
#define FILL_FLOAT(slot)  WRITE_FLOAT(slot, READ_MEMORY(f, slot))
#define SPILL_FLOAT(slot) WRITE_MEMORY(f, slot, READ_IN_f(slot))
#define WRITE_F32_f(slot, value)                                                                   \
    do {                                                                                           \
        f32_vector written_ = (f32_vector)float_ones;                                              \
        written_[0] = f32_value(value);                                                            \
        SETTLE_FLAGS();                                                                            \
        float_operand##slot = (i32_vector)written_;                                                \
    } while (0)
#define WRITE_RAW32_f(slot, value)                                                                 \
    do {                                                                                           \
        i32_vector written_ = float_ones;                                                          \
        written_[0] = (int32_t)(value);                                                            \
        SETTLE_FLAGS();                                                                            \
        float_operand##slot = written_;                                                            \
    } while (0)

/* What a step adds: a constant of its own, which is part of the access. */
#define STEP_MEMORY(streak, bytes)                                                                 \
    (*(const uint64_t *)((char *)hart +                                                            \
                         (intptr_t)(hole_value + offsetof(struct traversal_streak, steps) +        \
                                    sizeof(uint64_t) * __builtin_ctz(bytes))))

#define ADD_AND_TEST(sum, value, place)                                                            \
    ({                                                                                             \
        bool carries_;                                                                             \
        __asm__("addq %2, %0" : "+r"(sum), "=@ccc"(carries_) : place(value));                      \
        carries_;                                                                                  \
    })
#define ADD_CARRIES(sum, value)        ADD_AND_TEST(sum, value, "r")
#define ADD_MEMORY_CARRIES(sum, value) ADD_AND_TEST(sum, value, "m")

#endif
