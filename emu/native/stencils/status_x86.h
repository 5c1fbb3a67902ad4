/* Arithmetic with the status register of x86-64, MXCSR, for stencils that have every case inline:
 * all rounding modes but the one that rounds halves away from zero, and operands and results of all
 * kinds. The host's instruction has the results and flags of RISC-V, as it finds out after rounding
 * whether a result is tiny; only a NaN has to become the canonical one. This takes about ten times
 * as long as an addition, mostly to set the mode and to read the flags.
 *
 * The functions are those of emu/float/host.h and convert.h. `rounding` is one of the modes that
 * hart->native_modes has a word for. */
#ifndef EMU_NATIVE_STENCILS_STATUS_X86_H
#define EMU_NATIVE_STENCILS_STATUS_X86_H

/* With AVX, the first source is an operand of its own. */
#ifdef __AVX__
#define STATUS_INSTRUCTION(name) "v" name " %[source], %[result], %[result]\n\t"
#else
#define STATUS_INSTRUCTION(name) name " %[source], %[result]\n\t"
#endif

/* Executes the instruction in the rounding mode, with its result in place of the first source. One
 * assembly statement, since compilers move arithmetic across a change of the mode. `from`: the
 * constraint of the second source. */
#define STATUS_EXECUTE(instruction, first, from, second, rounding)                                 \
    __asm__("ldmxcsr %[mode]\n\t" instruction "stmxcsr %[status]\n\t"                              \
            "ldmxcsr %[usual]"                                                                     \
            : [result] "+x"(first), [status] "=m"(hart->native_status)                             \
            : [source] from(second), [mode] "m"(hart->native_modes[rounding]),                     \
              [usual] "m"(hart->native_modes[FLOAT_RNE]))

/* Merges the flags that the last instruction has left in the status. There, bit 0 is NV, bit 1 says
 * that an operand is subnormal, and bits 2 to 5 are the others in reverse order: the constant is a
 * table of the reversed values of four bits. */
static inline __attribute__((always_inline)) void status_merge(unsigned *flags)
{
    unsigned status = hart->native_status;

    *flags |= (unsigned)(0xf7b3d591e6a2c480 >> (status & 0x3c)) & 15;
    *flags |= (status & 1) * FLOAT_NV;
}

static inline __attribute__((always_inline)) uint32_t status_f32(float result, unsigned *flags)
{
    status_merge(flags);
    return __builtin_isnan(result) ? F32_QUIET_NAN : f32_bits(result);
}

static inline __attribute__((always_inline)) uint64_t status_f64(double result, unsigned *flags)
{
    status_merge(flags);
    return __builtin_isnan(result) ? F64_QUIET_NAN : f64_bits(result);
}

#define STATUS_OPERATION(prefix, bits_type, host_type, name, instruction)                          \
    static inline __attribute__((always_inline))                                                   \
    bits_type status_##prefix##_##name(bits_type a, bits_type b, int rounding, unsigned *flags)    \
    {                                                                                              \
        host_type x = prefix##_value(a), y = prefix##_value(b);                                    \
                                                                                                   \
        STATUS_EXECUTE(instruction, x, "x", y, rounding);                                          \
        return status_##prefix(x, flags);                                                          \
    }
STATUS_OPERATION(f32, uint32_t, float, add, STATUS_INSTRUCTION("addss"))
STATUS_OPERATION(f32, uint32_t, float, sub, STATUS_INSTRUCTION("subss"))
STATUS_OPERATION(f32, uint32_t, float, mul, STATUS_INSTRUCTION("mulss"))
STATUS_OPERATION(f32, uint32_t, float, div, STATUS_INSTRUCTION("divss"))
STATUS_OPERATION(f64, uint64_t, double, add, STATUS_INSTRUCTION("addsd"))
STATUS_OPERATION(f64, uint64_t, double, sub, STATUS_INSTRUCTION("subsd"))
STATUS_OPERATION(f64, uint64_t, double, mul, STATUS_INSTRUCTION("mulsd"))
STATUS_OPERATION(f64, uint64_t, double, div, STATUS_INSTRUCTION("divsd"))

/* Of one source: `value` makes it of the argument, and `place` is its constraint. */
#define STATUS_CONVERSION(prefix, bits_type, host_type, name, from_type, place, value,             \
                          instruction)                                                             \
    static inline __attribute__((always_inline))                                                   \
    bits_type status_##prefix##_##name(from_type a, int rounding, unsigned *flags)                 \
    {                                                                                              \
        host_type x = 0;                                                                           \
                                                                                                   \
        STATUS_EXECUTE(instruction, x, place, value(a), rounding);                                 \
        return status_##prefix(x, flags);                                                          \
    }
#define STATUS_SAME(a) (a)
STATUS_CONVERSION(f32, uint32_t, float, sqrt, uint32_t, "x", f32_value,
                  STATUS_INSTRUCTION("sqrtss"))
STATUS_CONVERSION(f64, uint64_t, double, sqrt, uint64_t, "x", f64_value,
                  STATUS_INSTRUCTION("sqrtsd"))
STATUS_CONVERSION(f32, uint32_t, float, from_f64, uint64_t, "x", f64_value,
                  STATUS_INSTRUCTION("cvtsd2ss"))
STATUS_CONVERSION(f32, uint32_t, float, from_i64, int64_t, "r", STATUS_SAME,
                  STATUS_INSTRUCTION("cvtsi2ssq"))
STATUS_CONVERSION(f64, uint64_t, double, from_i64, int64_t, "r", STATUS_SAME,
                  STATUS_INSTRUCTION("cvtsi2sdq"))

/* Numbers that have no sign bit to spare are halved, with the last bit kept, which does not change
 * how they are rounded. */
#define STATUS_FROM_U64(prefix, bits_type)                                                         \
    static inline __attribute__((always_inline))                                                   \
    bits_type status_##prefix##_from_u64(uint64_t a, int rounding, unsigned *flags)                \
    {                                                                                              \
        bool is_large = a >> 63;                                                                   \
        int64_t b = (int64_t)(is_large ? a >> 1 | (a & 1) : a);                                    \
        bits_type half = status_##prefix##_from_i64(b, rounding, flags);                           \
                                                                                                   \
        return is_large ? prefix##_bits(prefix##_value(half) * 2) : half;                          \
    }
STATUS_FROM_U64(f32, uint32_t)
STATUS_FROM_U64(f64, uint64_t)

#ifdef __FMA__
/* The host may not find infinity times zero invalid where a NaN is added. */
#define STATUS_MUL_ADD(prefix, bits_type, host_type, instruction)                                  \
    static inline __attribute__((always_inline)) bits_type status_##prefix##_mul_add(              \
        bits_type a, bits_type b, bits_type c, int rounding, unsigned *flags)                      \
    {                                                                                              \
        host_type x = prefix##_value(a), y = prefix##_value(b), z = prefix##_value(c), sum = z;    \
                                                                                                   \
        __asm__("ldmxcsr %[mode]\n\t" instruction " %[y], %[x], %[sum]\n\t"                        \
                "stmxcsr %[status]\n\t"                                                            \
                "ldmxcsr %[usual]"                                                                 \
                : [sum] "+x"(sum), [status] "=m"(hart->native_status)                              \
                : [x] "x"(x), [y] "x"(y), [mode] "m"(hart->native_modes[rounding]),                \
                  [usual] "m"(hart->native_modes[FLOAT_RNE]));                                     \
        if (__builtin_isnan(z) && !__builtin_isunordered(x, y) && __builtin_isnan(x * y))          \
            *flags |= FLOAT_NV;                                                                    \
        return status_##prefix(sum, flags);                                                        \
    }
STATUS_MUL_ADD(f32, uint32_t, float, "vfmadd231ss")
STATUS_MUL_ADD(f64, uint64_t, double, "vfmadd231sd")
#endif

/* The accessors, which are in the scope of `exact`, a parameter of the body. */
#define WITH_STATUS(name, status_name, ...)                                                        \
    (exact ? status_##status_name(__VA_ARGS__) : (name)(__VA_ARGS__))
#define f32_add(...)      WITH_STATUS(f32_add, f32_add, __VA_ARGS__)
#define f32_sub(...)      WITH_STATUS(f32_sub, f32_sub, __VA_ARGS__)
#define f32_mul(...)      WITH_STATUS(f32_mul, f32_mul, __VA_ARGS__)
#define f32_div(...)      WITH_STATUS(f32_div, f32_div, __VA_ARGS__)
#define f32_sqrt(...)     WITH_STATUS(f32_sqrt, f32_sqrt, __VA_ARGS__)
#define f32_from_i32(...) WITH_STATUS(f32_from_i32, f32_from_i64, __VA_ARGS__)
#define f32_from_u32(...) WITH_STATUS(f32_from_u32, f32_from_i64, __VA_ARGS__)
#define f32_from_i64(...) WITH_STATUS(f32_from_i64, f32_from_i64, __VA_ARGS__)
#define f32_from_u64(...) WITH_STATUS(f32_from_u64, f32_from_u64, __VA_ARGS__)
#define f64_add(...)      WITH_STATUS(f64_add, f64_add, __VA_ARGS__)
#define f64_sub(...)      WITH_STATUS(f64_sub, f64_sub, __VA_ARGS__)
#define f64_mul(...)      WITH_STATUS(f64_mul, f64_mul, __VA_ARGS__)
#define f64_div(...)      WITH_STATUS(f64_div, f64_div, __VA_ARGS__)
#define f64_sqrt(...)     WITH_STATUS(f64_sqrt, f64_sqrt, __VA_ARGS__)
#define f64_from_i64(...) WITH_STATUS(f64_from_i64, f64_from_i64, __VA_ARGS__)
#define f64_from_u64(...) WITH_STATUS(f64_from_u64, f64_from_u64, __VA_ARGS__)
#define f64_to_f32(...)   WITH_STATUS(f64_to_f32, f32_from_f64, __VA_ARGS__)
#ifdef __FMA__
#define f32_mul_add(...) WITH_STATUS(f32_mul_add, f32_mul_add, __VA_ARGS__)
#define f64_mul_add(...) WITH_STATUS(f64_mul_add, f64_mul_add, __VA_ARGS__)
#endif
/* The usual stencils have all operands of this. */
#define f32_to_f64(...) (NEVER_EXACT(), (f32_to_f64)(__VA_ARGS__))

#endif
