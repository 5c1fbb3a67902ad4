/* The conversions of the F and D instructions on the host's FPU, to and from integers and between
 * the formats: see host.h. */
#ifndef EMU_FLOAT_CONVERT_H
#define EMU_FLOAT_CONVERT_H

#include "emu/float/host.h"

/* ---- to integers ---- */

/* Rounds x, whose magnitude is less than 2^63, to an integer. */
static inline __attribute__((always_inline)) int64_t float_round_small(double x, int rounding)
{
    int64_t integer = rounding == FLOAT_RNE ? (int64_t)__builtin_llrint(x) : (int64_t)x;
    double difference = x - (double)integer; /* exact, and 0 from 2^52 on */

    switch (rounding) {
    case FLOAT_RDN:
        integer -= difference < 0;
        break;
    case FLOAT_RUP:
        integer += difference > 0;
        break;
    case FLOAT_RMM: /* by at least a half? */
        integer += (int64_t)(difference + difference);
        break;
    }
    return integer;
}

/* Rounds x to an integer. Returns false for NaN, and if the magnitude of x is 2^63 or more. */
static inline __attribute__((always_inline)) bool float_to_small_integer(double x, int rounding,
                                                                         int64_t *integer)
{
    enum { BIAS = 1023, SMALL = BIAS + 63 };

    if (f64_exponent(f64_bits(x)) >= SMALL)
        return false;
    *integer = float_round_small(x, rounding);
    return true;
}

/* Is x a number whose sign is minus? */
static inline bool float_is_minus(double x)
{
    return f64_bits(x) >> 63 && !__builtin_isnan(x);
}

/* The conversions to the integers of a type, of which `fits` says whether a rounded one belongs to
 * it. `other` is the result for x that is out of range or not a number; `is_other` is false for an
 * x that float_to_small_integer does not round, but that is an integer of the type. */
#define FLOAT_TO_INTEGER(name, integer_type, fits, is_other, other)                                \
    static inline integer_type double_to_##name(double x, int rounding, unsigned *flags)           \
    {                                                                                              \
        __label__ rarely;                                                                          \
        int64_t integer;                                                                           \
                                                                                                   \
        if (FLOAT_LIKELY(float_to_small_integer(x, rounding, &integer) && (fits))) {               \
            FLOAT_RAISE_UNLESS((double)integer == x, flags);                                       \
            return (integer_type)integer;                                                          \
        }                                                                                          \
    rarely:                                                                                        \
        FLOAT_COLD;                                                                                \
        if (is_other)                                                                              \
            *flags |= FLOAT_NV;                                                                    \
        return (other);                                                                            \
    }
FLOAT_TO_INTEGER(i32, int32_t, integer == (int32_t)integer, true,
                 float_is_minus(x) ? INT32_MIN : INT32_MAX)
FLOAT_TO_INTEGER(u32, uint32_t, integer == (int64_t)(uint32_t)integer, true,
                 float_is_minus(x) ? 0 : UINT32_MAX)
FLOAT_TO_INTEGER(i64, int64_t, true, f64_bits(x) != (uint64_t)0xc3e << 52, /* -2^63 */
                 float_is_minus(x) ? INT64_MIN : INT64_MAX)
/* From 2^63 on, the significand begins with the highest bit of the integer. */
#define FLOAT_IS_LARGE(x) (f64_bits(x) >> 52 == 0x43e)
FLOAT_TO_INTEGER(u64, uint64_t, integer >= 0, !FLOAT_IS_LARGE(x),
                 FLOAT_IS_LARGE(x)   ? f64_bits(x) << 11 | (uint64_t)1 << 63
                 : float_is_minus(x) ? 0
                                     : UINT64_MAX)

static inline int32_t f32_to_i32(uint32_t a, int rounding, unsigned *flags)
{
    return double_to_i32((double)f32_value(a), rounding, flags);
}

static inline uint32_t f32_to_u32(uint32_t a, int rounding, unsigned *flags)
{
    return double_to_u32((double)f32_value(a), rounding, flags);
}

static inline int64_t f32_to_i64(uint32_t a, int rounding, unsigned *flags)
{
    return double_to_i64((double)f32_value(a), rounding, flags);
}

static inline uint64_t f32_to_u64(uint32_t a, int rounding, unsigned *flags)
{
    return double_to_u64((double)f32_value(a), rounding, flags);
}

static inline int32_t f64_to_i32(uint64_t a, int rounding, unsigned *flags)
{
    return double_to_i32(f64_value(a), rounding, flags);
}

static inline uint32_t f64_to_u32(uint64_t a, int rounding, unsigned *flags)
{
    return double_to_u32(f64_value(a), rounding, flags);
}

static inline int64_t f64_to_i64(uint64_t a, int rounding, unsigned *flags)
{
    return double_to_i64(f64_value(a), rounding, flags);
}

static inline uint64_t f64_to_u64(uint64_t a, int rounding, unsigned *flags)
{
    return double_to_u64(f64_value(a), rounding, flags);
}

static inline __attribute__((always_inline)) int32_t f64_to_i32_modular(uint64_t a, unsigned *flags)
{
    enum { BIAS = 1023, LARGE = BIAS + 63 };

    if (FLOAT_LIKELY(f64_exponent(a) < LARGE)) {
        double x = f64_value(a);
        int64_t integer = (int64_t)x;
        if (integer != (int32_t)integer)
            *flags |= FLOAT_NV;
        else
            FLOAT_RAISE_UNLESS((double)integer == x, flags);
        return (int32_t)integer;
    }
    return FLOAT_RARELY(float_to_i32_modular(FLOAT_F64, a, flags), flags);
}

/* ---- to integers of the same format ---- */

/* Rounds a number, or infinity. Returns false for NaN. */
static inline __attribute__((always_inline)) bool double_to_integral(double x, int rounding,
                                                                     double *result)
{
    enum { BIAS = 1023, INTEGRAL = BIAS + 52, SIGN = 63 };
    uint64_t bits = f64_bits(x);

    *result = x;
    if (f64_exponent(bits) >= INTEGRAL)
        return !__builtin_isnan(x);
    double rounded = (double)float_round_small(x, rounding);
    /* Zero has the sign of x. */
    *result = f64_value((f64_bits(rounded) & INT64_MAX) | (bits >> SIGN << SIGN));
    return true;
}

static inline __attribute__((always_inline)) uint32_t f32_to_integral(uint32_t a, int rounding,
                                                                      bool exact, unsigned *flags)
{
    double x = (double)f32_value(a), result;

    if (FLOAT_LIKELY(double_to_integral(x, rounding, &result))) {
        if (exact)
            FLOAT_RAISE_UNLESS(result == x, flags);
        return f32_bits((float)result);
    }
    FLOAT_NAN(flags, f32_is_signaling(a));
    return FLOAT_NOT_IN_MEMORY(F32_QUIET_NAN);
}

static inline __attribute__((always_inline)) uint64_t f64_to_integral(uint64_t a, int rounding,
                                                                      bool exact, unsigned *flags)
{
    double x = f64_value(a), result;

    if (FLOAT_LIKELY(double_to_integral(x, rounding, &result))) {
        if (exact)
            FLOAT_RAISE_UNLESS(result == x, flags);
        return f64_bits(result);
    }
    FLOAT_NAN(flags, f64_is_signaling(a));
    return F64_QUIET_NAN;
}

/* ---- from integers ---- */

static inline uint32_t f32_from_i64(int64_t a, int rounding, unsigned *flags)
{
    if (FLOAT_LIKELY(rounding == FLOAT_RNE)) {
        FLOAT_RAISE_UNLESS(float_integer_fits(a < 0 ? -(uint64_t)a : (uint64_t)a, 24), flags);
        return f32_bits((float)a);
    }
    return (uint32_t)FLOAT_RARELY(float_from_i64(FLOAT_F32, a, rounding, flags), flags);
}

static inline uint32_t f32_from_u64(uint64_t a, int rounding, unsigned *flags)
{
    if (FLOAT_LIKELY(rounding == FLOAT_RNE)) {
        FLOAT_RAISE_UNLESS(float_integer_fits(a, 24), flags);
        return f32_bits((float)a);
    }
    return (uint32_t)FLOAT_RARELY(float_from_u64(FLOAT_F32, a, rounding, flags), flags);
}

static inline uint32_t f32_from_i32(int32_t a, int rounding, unsigned *flags)
{
    return f32_from_i64(a, rounding, flags);
}

static inline uint32_t f32_from_u32(uint32_t a, int rounding, unsigned *flags)
{
    return f32_from_i64(a, rounding, flags);
}

static inline uint64_t f64_from_i64(int64_t a, int rounding, unsigned *flags)
{
    if (FLOAT_LIKELY(rounding == FLOAT_RNE)) {
        FLOAT_RAISE_UNLESS(float_integer_fits(a < 0 ? -(uint64_t)a : (uint64_t)a, 53), flags);
        return f64_bits((double)a);
    }
    return FLOAT_RARELY(float_from_i64(FLOAT_F64, a, rounding, flags), flags);
}

static inline uint64_t f64_from_u64(uint64_t a, int rounding, unsigned *flags)
{
    if (FLOAT_LIKELY(rounding == FLOAT_RNE)) {
        FLOAT_RAISE_UNLESS(float_integer_fits(a, 53), flags);
        return f64_bits((double)a);
    }
    return FLOAT_RARELY(float_from_u64(FLOAT_F64, a, rounding, flags), flags);
}

/* A double holds every 32-bit integer exactly. */
static inline uint64_t f64_from_i32(int32_t a, int rounding, unsigned *flags)
{
    (void)rounding, (void)flags;
    return f64_bits((double)a);
}

static inline uint64_t f64_from_u32(uint32_t a, int rounding, unsigned *flags)
{
    (void)rounding, (void)flags;
    return f64_bits((double)a);
}

/* ---- between formats ---- */

static inline uint64_t f32_to_f64(uint32_t a, unsigned *flags)
{
    float x = f32_value(a);

    if (FLOAT_LIKELY(!__builtin_isnan(x)))
        return f64_bits((double)x);
    FLOAT_NAN(flags, f32_is_signaling(a));
    return F64_QUIET_NAN;
}

static inline uint32_t f64_to_f32(uint64_t a, int rounding, unsigned *flags)
{
    float rounded = (float)f64_value(a);

    if (FLOAT_LIKELY(rounding == FLOAT_RNE && (f32_is_safe(f32_bits(rounded)) || f64_is_zero(a)))) {
        FLOAT_RAISE_UNLESS((double)rounded == f64_value(a), flags);
        return f32_bits(rounded);
    }
    return (uint32_t)FLOAT_RARELY(float_convert(FLOAT_F32, FLOAT_F64, a, rounding, flags), flags);
}

#endif
