/* The form of stencils on aarch64: see form.h.
 *
 * Holes are immediates of instructions that the compiler is given as assembly: a constant of 32
 * bits is a pair of moves, whose first the copier replaces by none where the second suffices. */
#ifndef EMU_NATIVE_STENCILS_FORM_ARM_H
#define EMU_NATIVE_STENCILS_FORM_ARM_H

register struct hart *hart __asm__("x19");
register int64_t left __asm__("x20");
register unsigned char *host __asm__("x21");
register const unsigned char *fast __asm__("x22");
register const struct native_jump *jumps __asm__("x23");
register uint64_t operand0 __asm__("x24");
register uint64_t operand1 __asm__("x25");
register uint64_t operand2 __asm__("x26");
register i32_vector float_operand0 __asm__("v24");
register i32_vector float_operand1 __asm__("v25");
register i32_vector float_operand2 __asm__("v26");
register i32_vector float_operand3 __asm__("v27");
register i32_vector float_box __asm__("v28"); /* the upper half of a NaN-boxed number */

#define HOLE(name)                                                                                 \
    ({                                                                                             \
        int64_t hole_;                                                                             \
        __asm__("movz %0, #:abs_g1_s:hole_" #name "\n\tmovk %0, #:abs_g0_nc:hole_" #name           \
                : "=r"(hole_));                                                                    \
        hole_;                                                                                     \
    })
#define HOLE_SMALL(name)                                                                           \
    ({                                                                                             \
        int64_t hole_;                                                                             \
        __asm__("movz %0, #:abs_g0_s:hole_" #name : "=r"(hole_));                                  \
        hole_;                                                                                     \
    })
#define HOLE_ADDRESS(name)                                                                         \
    ({                                                                                             \
        uint64_t hole_;                                                                            \
        __asm__("movz %w0, #:abs_g1:hole_" #name "\n\tmovk %w0, #:abs_g0_nc:hole_" #name           \
                : "=r"(hole_));                                                                    \
        hole_;                                                                                     \
    })
#define JUMP_AT(place)        ((const struct native_jump *)((const char *)jumps + (place)))
#define JUMP_ADDRESS(place)   (JUMP_AT(place)->pc)
#define JUMP_CODE(place)      (JUMP_AT(place)->code)
#define HOLD_OPERAND(address) ({ __asm__("" : "+r"(address) : "r"(operand0)); })

/* A sum with the immediate is one instruction. */
#define FOLDS
#define FOLD(slot, value) (folded && (slot) == 1 ? add_immediate(value) : (value))

static inline __attribute__((always_inline)) uint64_t add_immediate(uint64_t value)
{
    uint64_t sum;

    __asm__("add %0, %1, #:lo12:hole_immediate0" : "=r"(sum) : "r"(value));
    return sum;
}

/* Stencils that know an immediate have it in one move. */
#define CONSTANT_SMALL HOLE_SMALL(immediate0)
#define CONSTANT_WIDE  HOLE_SMALL(immediate0)

/* The first register stands for all in the compiler's order of reads and writes. */
#define READ_MEMORY(file, slot)                                                                    \
    ({                                                                                             \
        uint64_t value_;                                                                           \
        __asm__("ldr %0, [%1, #:lo12:hole_offset" #slot "+%c2]"                                    \
                : "=r"(value_)                                                                     \
                : "r"(hart), "i"(offsetof(struct hart, file)), "m"(hart->file[0]));                \
        value_;                                                                                    \
    })
#define WRITE_MEMORY(file, slot, value)                                                            \
    __asm__("str %x1, [%2, #:lo12:hole_offset" #slot "+%c3]"                                       \
            : "+m"(hart->file[0])                                                                  \
            : "rZ"((uint64_t)(value)), "r"(hart), "i"(offsetof(struct hart, file))                 \
            : "memory")

#define FLOAT_CONSTRAINT "w"
#define FILL_FLOAT(slot)                                                                           \
    __asm__("ldr %d0, [%1, #:lo12:hole_offset" #slot "+%c2]"                                       \
            : "=w"(float_operand##slot)                                                            \
            : "r"(hart), "i"(offsetof(struct hart, f)), "m"(hart->f[0]))
#define SPILL_FLOAT(slot)                                                                          \
    __asm__("str %d1, [%2, #:lo12:hole_offset" #slot "+%c3]"                                       \
            : "=m"(hart->f[0])                                                                     \
            : "w"(float_operand##slot), "r"(hart), "i"(offsetof(struct hart, f))                   \
            : "memory")
#define WRITE_BOXED(slot, written)                                                                 \
    __asm__("orr %0.8b, %1.8b, %2.8b" : "=w"(float_operand##slot) : "w"(written), "w"(float_box))
#define WRITE_F32_f(slot, value)                                                                   \
    do {                                                                                           \
        float written_ = f32_value(value);                                                         \
        SETTLE_FLAGS();                                                                            \
        WRITE_BOXED(slot, written_);                                                               \
    } while (0)
#define WRITE_RAW32_f(slot, value) WRITE_F32_f(slot, value)

#define ADD_CARRIES(sum, value)                                                                    \
    ({                                                                                             \
        uint64_t added_ = (value);                                                                 \
        (sum) += added_;                                                                           \
        (sum) < added_;                                                                            \
    })
#define ADD_MEMORY_CARRIES(sum, value) ADD_CARRIES(sum, value)

#endif
