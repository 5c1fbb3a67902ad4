/* The arithmetic of Zfh and Zfhmin on the host's FPU: see host.h. The host computes in single
 * precision, and rounds again to half precision. That gives the same as rounding once for sums,
 * products, quotients and roots, since 24 bits are twice 11 and two more (Figueroa, "When is double
 * rounding innocuous?"). */
#ifndef EMU_FLOAT_HALF_H
#define EMU_FLOAT_HALF_H

#include "emu/float/convert.h"

/* ---- encodings ---- */

static inline bool f16_is_zero(uint16_t a)
{
    return (uint16_t)(a << 1) == 0;
}

static inline bool f16_is_finite(uint16_t a)
{
    return (a & 0x7c00) != 0x7c00;
}

static inline bool f16_is_signaling(uint16_t a)
{
    return (a & 0x7e00) == 0x7c00 && a & 0x01ff;
}

/* Finite, and of greater magnitude than the least normal number. */
static inline bool f16_is_safe(uint16_t a)
{
    return (uint32_t)(uint16_t)(a << 1) - 0x0802u < 0xf800u - 0x0802u;
}

static inline __attribute__((always_inline)) uint16_t f16_negate(uint16_t a)
{
    return a ^ 0x8000;
}

#if defined __F16C__ && !defined __clang__
typedef short f16_lanes __attribute__((vector_size(16)));
typedef int f16_word __attribute__((vector_size(16)));
typedef float f16_values __attribute__((vector_size(16)));

static inline __attribute__((always_inline)) float f16_value(uint16_t a)
{
    return __builtin_ia32_vcvtph2ps((f16_lanes)(f16_word){a})[0];
}

static inline __attribute__((always_inline)) uint16_t f16_round(float value)
{
    return (uint16_t)__builtin_ia32_vcvtps2ph((f16_values){value}, 0)[0];
}
#elif defined __aarch64__
static inline __attribute__((always_inline)) float f16_value(uint16_t a)
{
    __fp16 value;

    __builtin_memcpy(&value, &a, sizeof value);
    return (float)value;
}

static inline __attribute__((always_inline)) uint16_t f16_round(float value)
{
    __fp16 rounded = (__fp16)value;
    uint16_t bits;

    __builtin_memcpy(&bits, &rounded, sizeof bits);
    return bits;
}
#else
/* The value of a number. The exponents of others become those of others. */
static inline __attribute__((always_inline)) float f16_value(uint16_t a)
{
    float scale = f32_value(FLOAT_NOT_IN_MEMORY((127 + 112) << 23)),
          magnitude = f32_value((uint32_t)(a & 0x7fff) << 13) * scale;
    uint32_t special = f16_is_finite(a) ? 0 : 0x7f800000;

    return f32_value(f32_bits(magnitude) | special | (uint32_t)(a & 0x8000) << 16);
}

/* Rounds to nearest even. What is not a finite number becomes infinity. */
static inline __attribute__((always_inline)) uint16_t f16_round(float value)
{
    enum { LEAST_NORMAL = (127 - 14) << 23, LIMIT = (127 + 16) << 23, REBIAS = (127 - 15) << 10 };
    uint32_t bits = f32_bits(value), magnitude = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
    uint32_t half = FLOAT_NOT_IN_MEMORY((127 - 1) << 23);

    if (magnitude >= LIMIT)
        return (uint16_t)(sign | 0x7c00);
    if (magnitude < LEAST_NORMAL) /* the last bit of 0.5 is that of subnormal numbers */
        return (uint16_t)(sign | (f32_bits(f32_value(magnitude) + f32_value(half)) - half));
    return (uint16_t)(sign | (((magnitude + 0xfff + (magnitude >> 13 & 1)) >> 13) - REBIAS));
}
#endif

/* Rounds a double whose magnitude is from 2^-15 to less than 2^17. Between, the last bit of a float
 * says whether bits are lost, so that this is the same as rounding once. */
static inline __attribute__((always_inline)) uint16_t f16_round_double(double value)
{
    enum { REBIAS = 1023 - 127 };
    uint64_t bits = f64_bits(value), magnitude = bits & INT64_MAX;
    uint32_t sticky = (magnitude & 0x1fffffff) != 0, sign = (uint32_t)(bits >> 32) & 0x80000000u;

    magnitude = (magnitude >> 29) - ((uint64_t)REBIAS << 23);
    return f16_round(f32_value(sign | (uint32_t)magnitude | sticky));
}

static inline bool f16_can_round_double(double value)
{
    return f64_exponent(f64_bits(value)) - (1023u - 15u) < 32;
}

/* ---- arithmetic ---- */

/* Doubles hold sums exactly. Sums that are subnormal are exact. */
static inline __attribute__((always_inline)) uint16_t f16_add(uint16_t a, uint16_t b, int rounding,
                                                              unsigned *flags)
{
    float x = f16_value(a), y = f16_value(b);
    uint16_t result = f16_round(x + y);

    if (FLOAT_LIKELY(rounding == FLOAT_RNE && f16_is_finite(result))) {
        FLOAT_RAISE_UNLESS((double)x + (double)y == (double)f16_value(result), flags);
        return result;
    }
    return (uint16_t)FLOAT_RARELY(float_add(FLOAT_F16, a, b, rounding, flags), flags);
}

static inline __attribute__((always_inline)) uint16_t f16_sub(uint16_t a, uint16_t b, int rounding,
                                                              unsigned *flags)
{
    float x = f16_value(a), y = f16_value(b);
    uint16_t result = f16_round(x - y);

    if (FLOAT_LIKELY(rounding == FLOAT_RNE && f16_is_finite(result))) {
        FLOAT_RAISE_UNLESS((double)x - (double)y == (double)f16_value(result), flags);
        return result;
    }
    return (uint16_t)FLOAT_RARELY(float_sub(FLOAT_F16, a, b, rounding, flags), flags);
}

/* Floats hold products exactly. */
static inline __attribute__((always_inline)) uint16_t f16_mul(uint16_t a, uint16_t b, int rounding,
                                                              unsigned *flags)
{
    float product = f16_value(a) * f16_value(b);
    uint16_t result = f16_round(product);

    if (FLOAT_LIKELY(rounding == FLOAT_RNE && f16_is_safe(result))) {
        FLOAT_RAISE_UNLESS(f16_value(result) == product, flags);
        return result;
    }
    if (!FLOAT_IS_INEXACT(flags) && f16_is_zero(result) && (f16_is_zero(a) || f16_is_zero(b)))
        return result;
    return (uint16_t)FLOAT_RARELY(float_mul(FLOAT_F16, a, b, rounding, flags), flags);
}

static inline __attribute__((always_inline)) uint16_t f16_div(uint16_t a, uint16_t b, int rounding,
                                                              unsigned *flags)
{
    float x = f16_value(a), y = f16_value(b);
    uint16_t result = f16_round(x / y);

    if (FLOAT_LIKELY(rounding == FLOAT_RNE && f16_is_safe(result))) {
        FLOAT_RAISE_UNLESS(f16_value(result) * y == x, flags);
        return result;
    }
    if (f16_is_zero(result) && f16_is_zero(a))
        return result;
    return (uint16_t)FLOAT_RARELY(float_div(FLOAT_F16, a, b, rounding, flags), flags);
}

static inline __attribute__((always_inline)) uint16_t f16_sqrt(uint16_t a, int rounding,
                                                               unsigned *flags)
{
    float x = f16_value(a);
    uint16_t result = f16_round(__builtin_sqrtf(x));

    if (FLOAT_LIKELY(rounding == FLOAT_RNE && f16_is_finite(result))) {
        FLOAT_RAISE_UNLESS(f16_value(result) * f16_value(result) == x, flags);
        return result;
    }
    return (uint16_t)FLOAT_RARELY(float_sqrt(FLOAT_F16, a, rounding, flags), flags);
}

/* In double, the product is exact and the sum nearly always. Rounding it again gives the same as
 * rounding once, unless it was rounded to the middle between two numbers. */
static inline __attribute__((always_inline)) uint16_t
f16_mul_add(uint16_t a, uint16_t b, uint16_t c, int rounding, unsigned *flags)
{
    double product = (double)f16_value(a) * (double)f16_value(b);
    double addend = (double)f16_value(c), sum = product + addend;
    bool may_be_wrong =
        (f64_bits(sum) & 0x3ffffffffff) == 0x20000000000 && !f64_sum_is_exact(product, addend, sum);

    if (FLOAT_LIKELY(rounding == FLOAT_RNE && f16_can_round_double(sum) && !may_be_wrong)) {
        uint16_t result = f16_round_double(sum);
        if (FLOAT_LIKELY(f16_is_safe(result))) {
            FLOAT_RAISE_UNLESS(
                (double)f16_value(result) == sum && f64_sum_is_exact(product, addend, sum), flags);
            return result;
        }
    }
    if (!FLOAT_IS_INEXACT(flags) && rounding == FLOAT_RNE && f64_is_zero(f64_bits(sum)))
        return (uint16_t)(f64_bits(sum) >> 48);
    return (uint16_t)FLOAT_RARELY(float_mul_add(FLOAT_F16, a, b, c, rounding, flags), flags);
}

FLOAT_COMPARISONS(f16, uint16_t, float, FLOAT_NOT_IN_MEMORY(F16_QUIET_NAN))

/* ---- conversions ---- */

static inline __attribute__((always_inline)) int32_t f16_to_i32(uint16_t a, int rounding,
                                                                unsigned *flags)
{
    return double_to_i32((double)f16_value(a), rounding, flags);
}

static inline __attribute__((always_inline)) uint32_t f16_to_u32(uint16_t a, int rounding,
                                                                 unsigned *flags)
{
    return double_to_u32((double)f16_value(a), rounding, flags);
}

static inline __attribute__((always_inline)) int64_t f16_to_i64(uint16_t a, int rounding,
                                                                unsigned *flags)
{
    return double_to_i64((double)f16_value(a), rounding, flags);
}

static inline __attribute__((always_inline)) uint64_t f16_to_u64(uint16_t a, int rounding,
                                                                 unsigned *flags)
{
    return double_to_u64((double)f16_value(a), rounding, flags);
}

/* The least integer that is rounded to infinity. A float holds those below it exactly. */
enum { F16_INTEGER_LIMIT = 65520 };

static inline __attribute__((always_inline)) uint16_t f16_from_i64(int64_t a, int rounding,
                                                                   unsigned *flags)
{
    if (FLOAT_LIKELY(rounding == FLOAT_RNE && a < F16_INTEGER_LIMIT && a > -F16_INTEGER_LIMIT)) {
        uint16_t result = f16_round((float)(int32_t)a);
        FLOAT_RAISE_UNLESS(f16_value(result) == (float)(int32_t)a, flags);
        return result;
    }
    return (uint16_t)FLOAT_RARELY(float_from_i64(FLOAT_F16, a, rounding, flags), flags);
}

static inline __attribute__((always_inline)) uint16_t f16_from_u64(uint64_t a, int rounding,
                                                                   unsigned *flags)
{
    if (FLOAT_LIKELY(rounding == FLOAT_RNE && a < F16_INTEGER_LIMIT)) {
        uint16_t result = f16_round((float)(int32_t)a);
        FLOAT_RAISE_UNLESS(f16_value(result) == (float)(int32_t)a, flags);
        return result;
    }
    return (uint16_t)FLOAT_RARELY(float_from_u64(FLOAT_F16, a, rounding, flags), flags);
}

static inline __attribute__((always_inline)) uint16_t f16_from_i32(int32_t a, int rounding,
                                                                   unsigned *flags)
{
    return f16_from_i64(a, rounding, flags);
}

static inline __attribute__((always_inline)) uint16_t f16_from_u32(uint32_t a, int rounding,
                                                                   unsigned *flags)
{
    return f16_from_u64(a, rounding, flags);
}

static inline __attribute__((always_inline)) uint32_t f16_to_f32(uint16_t a, unsigned *flags)
{
    if (FLOAT_LIKELY(f16_is_finite(a)))
        return f32_bits(f16_value(a));
    return (uint32_t)FLOAT_RARELY(float_convert(FLOAT_F32, FLOAT_F16, a, FLOAT_RNE, flags), flags);
}

static inline __attribute__((always_inline)) uint64_t f16_to_f64(uint16_t a, unsigned *flags)
{
    if (FLOAT_LIKELY(f16_is_finite(a)))
        return f64_bits((double)f16_value(a));
    return FLOAT_RARELY(float_convert(FLOAT_F64, FLOAT_F16, a, FLOAT_RNE, flags), flags);
}

static inline __attribute__((always_inline)) uint16_t f32_to_f16(uint32_t a, int rounding,
                                                                 unsigned *flags)
{
    uint16_t result = f16_round(f32_value(a));

    if (FLOAT_LIKELY(rounding == FLOAT_RNE && (f16_is_safe(result) || f32_is_zero(a)))) {
        FLOAT_RAISE_UNLESS(f16_value(result) == f32_value(a), flags);
        return result;
    }
    return (uint16_t)FLOAT_RARELY(float_convert(FLOAT_F16, FLOAT_F32, a, rounding, flags), flags);
}

static inline __attribute__((always_inline)) uint16_t f64_to_f16(uint64_t a, int rounding,
                                                                 unsigned *flags)
{
    double x = f64_value(a);

    if (FLOAT_LIKELY(rounding == FLOAT_RNE && f16_can_round_double(x))) {
        uint16_t result = f16_round_double(x);
        if (FLOAT_LIKELY(f16_is_safe(result))) {
            FLOAT_RAISE_UNLESS((double)f16_value(result) == x, flags);
            return result;
        }
    }
    if (f64_is_zero(a))
        return (uint16_t)(a >> 48);
    return (uint16_t)FLOAT_RARELY(float_convert(FLOAT_F16, FLOAT_F64, a, rounding, flags), flags);
}

static inline __attribute__((always_inline)) uint16_t f16_to_integral(uint16_t a, int rounding,
                                                                      bool exact, unsigned *flags)
{
    double x = (double)f16_value(a), result;

    if (FLOAT_LIKELY(double_to_integral(x, rounding, &result))) {
        if (exact)
            FLOAT_RAISE_UNLESS(result == x, flags);
        return f16_round((float)result);
    }
    return (uint16_t)FLOAT_RARELY(float_to_integral(FLOAT_F16, a, rounding, exact, flags), flags);
}

#endif
