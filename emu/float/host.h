/* The arithmetic of the F and D instructions on the host's FPU. Conventions, results and flags
 * are those of emu/float/softfloat.h, with the same bits on every host.
 *
 * The host computes the result. Its status register cannot be used from C reliably, so the flags
 * are derived from operands and result:
 *   - Only rounding to nearest even, the mode of the host, is done here, except where the result is
 *     an integer. Other modes, and arithmetic whose operands or results are NaN, infinite or
 *     subnormal, go to softfloat; sums that are subnormal are exact and stay here. A finite result
 *     above the least normal number (`is_safe`) raises at most NX: not UF, since tininess is
 *     detected after rounding.
 *   - Flags only accumulate, so nothing is to do once NX is set. Until then, each function tests
 *     whether the operation is exact, in a way that its comment explains.
 *   - Exact zeros are common in data and are handled here.
 *
 * Float and double must be rounded to their own format after each operation (FLT_EVAL_METHOD 0),
 * and a * b + c must not be contracted (-ffp-contract=off). All functions are inline and work on
 * integers, so that this can also be compiled into native code. */
#ifndef EMU_FLOAT_HOST_H
#define EMU_FLOAT_HOST_H

#include "emu/float/softfloat.h"

#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0
#error "the host's FPU keeps more digits than float and double have: SSE2 arithmetic is needed"
#endif

/* The call of softfloat for a rare case. Who defines this as something else gets the case aside. */
#ifndef FLOAT_RARELY
#define FLOAT_RARELY(call, flags) (call)
#endif

/* Marks the code at a label as rarely executed. */
#ifdef __clang__
#define FLOAT_COLD __attribute__((unused))
#else
#define FLOAT_COLD __attribute__((cold, unused))
#endif

#define FLOAT_LIKELY(condition) __builtin_expect(!!(condition), 1)

/* ---- encodings ---- */

static inline float f32_value(uint32_t bits)
{
    float value;

    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t f32_bits(float value)
{
    uint32_t bits;

    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double f64_value(uint64_t bits)
{
    double value;

    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t f64_bits(double value)
{
    uint64_t bits;

    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The encoding of a constant, which compilers would keep in memory; stencils have none. */
#define FLOAT_NOT_IN_MEMORY(bits)                                                                  \
    ({                                                                                             \
        uint32_t bits_ = (bits);                                                                   \
        __asm__("" : "+r"(bits_));                                                                 \
        bits_;                                                                                     \
    })

/* float_quiet_nan() of these formats, without a call. */
enum { F32_QUIET_NAN = 0x7fc00000, F16_QUIET_NAN = 0x7e00 };
#define F64_QUIET_NAN ((uint64_t)FLOAT_NOT_IN_MEMORY(0x7ff80000) << 32)

/* NaN-boxing: Unprivileged ISA, 12.2. */
static inline uint32_t unbox_f32(uint64_t value)
{
    return value >> 32 == UINT32_MAX ? (uint32_t)value : F32_QUIET_NAN;
}

static inline uint64_t box_f32(uint32_t value)
{
    return value | (uint64_t)UINT32_MAX << 32;
}

static inline uint16_t unbox_f16(uint64_t value)
{
    return value >> 16 == UINT64_MAX >> 16 ? (uint16_t)value : F16_QUIET_NAN;
}

static inline uint64_t box_f16(uint16_t value)
{
    return value | UINT64_MAX << 16;
}

static inline bool f32_is_zero(uint32_t a)
{
    return a << 1 == 0;
}

static inline bool f64_is_zero(uint64_t a)
{
    return a << 1 == 0;
}

static inline bool f32_is_finite(uint32_t a)
{
    return a << 1 < 0xff000000u;
}

/* The upper half without the sign, and then a bit of the lower half. Comparing it needs no
 * constants of 64 bits. */
static inline uint32_t f64_upper(uint64_t a)
{
    return (uint32_t)(a >> 31);
}

/* The exponent, with its bias. */
static inline unsigned f64_exponent(uint64_t a)
{
    return (unsigned)(a >> 52) & 0x7ff;
}

static inline bool f64_is_finite(uint64_t a)
{
    return f64_upper(a) < 0xffe00000u;
}

/* Finite, and of greater magnitude than the least normal number; for 64 bits, than all numbers with
 * its exponent. */
static inline bool f32_is_safe(uint32_t a)
{
    return (a << 1) - 0x01000002u < 0xff000000u - 0x01000002u;
}

static inline bool f64_is_safe(uint64_t a)
{
    return f64_upper(a) - 0x00400000u < 0xffe00000u - 0x00400000u;
}

static inline bool f64_is_normal(uint64_t a)
{
    return f64_upper(a) - 0x00200000u < 0xffe00000u - 0x00200000u;
}

static inline uint32_t f32_negate(uint32_t a)
{
    return a ^ 0x80000000u;
}

static inline uint64_t f64_negate(uint64_t a)
{
    return a ^ 0x8000000000000000u;
}

/* ---- proofs of exactness ---- */

/* Is this compiled for the case that NX is set? Then only what is most common is done here. */
#define FLOAT_IS_INEXACT(flags) (__builtin_constant_p(*(flags)&FLOAT_NX) && *(flags)&FLOAT_NX)

/* `exact` is only evaluated while NX is not set. */
#define FLOAT_RAISE_UNLESS(exact, flags)                                                           \
    do {                                                                                           \
        __label__ rarely;                                                                          \
        if (!(*(flags)&FLOAT_NX)) {                                                                \
        rarely:                                                                                    \
            FLOAT_COLD;                                                                            \
            if (!(exact))                                                                          \
                *(flags) |= FLOAT_NX;                                                              \
        }                                                                                          \
    } while (0)

/* Raises NV for a NaN if it is `invalid`. What follows is not often executed. */
#define FLOAT_NAN(flags, invalid)                                                                  \
    do {                                                                                           \
        __label__ rarely;                                                                          \
    rarely:                                                                                        \
        FLOAT_COLD;                                                                                \
        if (invalid)                                                                               \
            *(flags) |= FLOAT_NV;                                                                  \
    } while (0)

/* Is NX not set, and the operation exact? For operations whose test of exactness is false for
 * results that are NaN, infinite or wrong, so that it comes first, and exact zeros and exact
 * subnormal numbers need no other test. */
#define FLOAT_IS_EXACT(exact, flags) (!(*(flags)&FLOAT_NX) && (exact))

/* Is x + y, rounded to `sum`, exact and finite? Subtracting the greater operand from the sum is an
 * exact operation (the lemma of Dekker's Fast2Sum, also for subnormal numbers), so it gives the
 * other operand only if the sum is exact. For an exact sum, both comparisons hold. If the sum is
 * infinite, one of the differences is not a number, or not an operand. */
static inline bool f32_sum_is_exact(float x, float y, float sum)
{
    return sum - x == y && sum - y == x;
}

static inline bool f64_sum_is_exact(double x, double y, double sum)
{
    return sum - x == y && sum - y == x;
}

/* Does the product of the significands of two normal numbers have at most 53 bits? Without zeros at
 * their ends, they have as many bits as the product, or one more. */
static inline bool f64_product_fits(uint64_t a, uint64_t b)
{
    uint64_t leading = (uint64_t)1 << 63, x = a << 11 | leading, y = b << 11 | leading;
    int x_zeros = __builtin_ctzll(x), y_zeros = __builtin_ctzll(y);

    return x_zeros + y_zeros >= 128 - 54 && (x >> x_zeros) * (y >> y_zeros) >> 53 == 0;
}

/* Does the magnitude of an integer have at most `bits` significant bits? */
static inline bool float_integer_fits(uint64_t magnitude, int bits)
{
    return magnitude == 0 || magnitude >> __builtin_ctzll(magnitude) >> bits == 0;
}

/* ---- binary32 ---- */

static inline uint32_t f32_add(uint32_t a, uint32_t b, int rounding, unsigned *flags)
{
    float x = f32_value(a), y = f32_value(b), sum = x + y;

    if (rounding == FLOAT_RNE && FLOAT_IS_EXACT(f32_sum_is_exact(x, y, sum), flags))
        return f32_bits(sum);
    if (FLOAT_LIKELY(rounding == FLOAT_RNE && f32_is_finite(f32_bits(sum)))) {
        *flags |= FLOAT_NX;
        return f32_bits(sum);
    }
    return (uint32_t)FLOAT_RARELY(float_add(FLOAT_F32, a, b, rounding, flags), flags);
}

static inline uint32_t f32_sub(uint32_t a, uint32_t b, int rounding, unsigned *flags)
{
    float x = f32_value(a), y = f32_value(b), difference = x - y;

    if (rounding == FLOAT_RNE && FLOAT_IS_EXACT(x - difference == y && difference + y == x, flags))
        return f32_bits(difference);
    if (FLOAT_LIKELY(rounding == FLOAT_RNE && f32_is_finite(f32_bits(difference)))) {
        *flags |= FLOAT_NX;
        return f32_bits(difference);
    }
    return (uint32_t)FLOAT_RARELY(float_sub(FLOAT_F32, a, b, rounding, flags), flags);
}

/* The test for exactness: a double holds the product exactly. It is 0 only if an operand is. */
static inline uint32_t f32_mul(uint32_t a, uint32_t b, int rounding, unsigned *flags)
{
    float x = f32_value(a), y = f32_value(b), product = x * y;
    uint32_t result = f32_bits(product);

    if (rounding == FLOAT_RNE && FLOAT_IS_EXACT((double)x * (double)y == (double)product, flags))
        return result;
    if (FLOAT_LIKELY(rounding == FLOAT_RNE && f32_is_safe(result))) {
        *flags |= FLOAT_NX;
        return result;
    }
    if (!FLOAT_IS_INEXACT(flags) && (double)x * (double)y == 0)
        return result;
    return (uint32_t)FLOAT_RARELY(float_mul(FLOAT_F32, a, b, rounding, flags), flags);
}

static inline uint32_t f32_div(uint32_t a, uint32_t b, int rounding, unsigned *flags)
{
    float x = f32_value(a), y = f32_value(b), quotient = x / y;
    uint32_t result = f32_bits(quotient);

    if (FLOAT_LIKELY(rounding == FLOAT_RNE && f32_is_safe(result))) {
        FLOAT_RAISE_UNLESS((double)quotient * (double)y == (double)x, flags);
        return result;
    }
    if (f32_is_zero(result) && f32_is_zero(a))
        return result;
    return (uint32_t)FLOAT_RARELY(float_div(FLOAT_F32, a, b, rounding, flags), flags);
}

/* The root of a normal number is never subnormal or infinite. The root of -0 is -0. */
static inline uint32_t f32_sqrt(uint32_t a, int rounding, unsigned *flags)
{
    float x = f32_value(a), root = __builtin_sqrtf(x);

    if (FLOAT_LIKELY(rounding == FLOAT_RNE && f32_is_finite(f32_bits(root)))) {
        FLOAT_RAISE_UNLESS((double)root * (double)root == (double)x, flags);
        return f32_bits(root);
    }
    return (uint32_t)FLOAT_RARELY(float_sqrt(FLOAT_F32, a, rounding, flags), flags);
}

/* In double, the product is exact and the sum is rounded to 53 bits. Rounding it again to 24 bits
 * gives the same as rounding once, unless the sum was rounded to the middle between two floats. */
static inline __attribute__((always_inline)) uint32_t
f32_mul_add(uint32_t a, uint32_t b, uint32_t c, int rounding, unsigned *flags)
{
    double product = (double)f32_value(a) * (double)f32_value(b);
    double addend = (double)f32_value(c), sum = product + addend;

#ifdef __FP_FAST_FMAF
    float rounded = __builtin_fmaf(f32_value(a), f32_value(b), f32_value(c));
    bool may_be_wrong = false;
#else
    float rounded = (float)sum;
    bool may_be_wrong =
        (f64_bits(sum) & 0x1fffffff) == 0x10000000 && !f64_sum_is_exact(product, addend, sum);
#endif
    uint32_t result = f32_bits(rounded);

    if (rounding == FLOAT_RNE &&
        FLOAT_IS_EXACT((double)rounded == sum && f64_sum_is_exact(product, addend, sum), flags))
        return result;
    if (FLOAT_LIKELY(
            rounding == FLOAT_RNE && !may_be_wrong &&
            (f32_is_safe(result) || (!FLOAT_IS_INEXACT(flags) && f64_is_zero(f64_bits(sum)))))) {
        *flags |= FLOAT_NX;
        return result;
    }
    return (uint32_t)FLOAT_RARELY(float_mul_add(FLOAT_F32, a, b, c, rounding, flags), flags);
}

/* ---- binary64 ---- */

static inline uint64_t f64_add(uint64_t a, uint64_t b, int rounding, unsigned *flags)
{
    double x = f64_value(a), y = f64_value(b), sum = x + y;

    if (rounding == FLOAT_RNE && FLOAT_IS_EXACT(f64_sum_is_exact(x, y, sum), flags))
        return f64_bits(sum);
    if (FLOAT_LIKELY(rounding == FLOAT_RNE && f64_is_finite(f64_bits(sum)))) {
        *flags |= FLOAT_NX;
        return f64_bits(sum);
    }
    return FLOAT_RARELY(float_add(FLOAT_F64, a, b, rounding, flags), flags);
}

static inline uint64_t f64_sub(uint64_t a, uint64_t b, int rounding, unsigned *flags)
{
    double x = f64_value(a), y = f64_value(b), difference = x - y;

    if (rounding == FLOAT_RNE && FLOAT_IS_EXACT(x - difference == y && difference + y == x, flags))
        return f64_bits(difference);
    if (FLOAT_LIKELY(rounding == FLOAT_RNE && f64_is_finite(f64_bits(difference)))) {
        *flags |= FLOAT_NX;
        return f64_bits(difference);
    }
    return FLOAT_RARELY(float_sub(FLOAT_F64, a, b, rounding, flags), flags);
}

static inline uint64_t f64_mul(uint64_t a, uint64_t b, int rounding, unsigned *flags)
{
    uint64_t result = f64_bits(f64_value(a) * f64_value(b));

    if (FLOAT_LIKELY(rounding == FLOAT_RNE && f64_is_safe(result) &&
                     (*flags & FLOAT_NX || (f64_is_normal(a) && f64_is_normal(b))))) {
        FLOAT_RAISE_UNLESS(f64_product_fits(a, b), flags);
        return result;
    }
    if (!FLOAT_IS_INEXACT(flags) && f64_is_zero(result) && (f64_is_zero(a) || f64_is_zero(b)))
        return result;
    return FLOAT_RARELY(float_mul(FLOAT_F64, a, b, rounding, flags), flags);
}

/* Exact if the product of quotient and b is exact and equals a. The product differs from a by at
 * most about a unit in the last place, so it is normal when a is safe. */
static inline uint64_t f64_div(uint64_t a, uint64_t b, int rounding, unsigned *flags)
{
    double x = f64_value(a), y = f64_value(b), quotient = x / y;
    uint64_t result = f64_bits(quotient);

    if (FLOAT_LIKELY(rounding == FLOAT_RNE && f64_is_safe(result) &&
                     (*flags & FLOAT_NX || (f64_is_safe(a) && f64_is_normal(b))))) {
        FLOAT_RAISE_UNLESS(quotient * y == x && f64_product_fits(result, b), flags);
        return result;
    }
    if (f64_is_zero(result) && f64_is_zero(a))
        return result;
    return FLOAT_RARELY(float_div(FLOAT_F64, a, b, rounding, flags), flags);
}

/* Exact if the square of the root is exact and equals a, as for a quotient. */
static inline uint64_t f64_sqrt(uint64_t a, int rounding, unsigned *flags)
{
    double x = f64_value(a), root = __builtin_sqrt(x);
    uint64_t result = f64_bits(root);

    if (FLOAT_LIKELY(rounding == FLOAT_RNE && f64_is_safe(result) &&
                     (*flags & FLOAT_NX || f64_is_safe(a)))) {
        FLOAT_RAISE_UNLESS(root * root == x && f64_product_fits(result, result), flags);
        return result;
    }
    if (f64_is_zero(a))
        return a;
    return FLOAT_RARELY(float_sqrt(FLOAT_F64, a, rounding, flags), flags);
}

/* If the product is exact, the test is that of a sum. Inexact products go to softfloat, which
 * nearly always sets NX, so that later ones need no test. */
static inline __attribute__((always_inline)) uint64_t
f64_mul_add(uint64_t a, uint64_t b, uint64_t c, int rounding, unsigned *flags)
{
    double x = f64_value(a), y = f64_value(b), z = f64_value(c);
    double sum = __builtin_fma(x, y, z);
    uint64_t result = f64_bits(sum);
    bool zero_product = f64_is_zero(a) || f64_is_zero(b);

    if (FLOAT_LIKELY(rounding == FLOAT_RNE && f64_is_safe(result))) {
        double product = x * y;
        if (*flags & FLOAT_NX)
            return result;
        if (zero_product || (f64_is_normal(a) && f64_is_normal(b) &&
                             f64_is_safe(f64_bits(product)) && f64_product_fits(a, b))) {
            FLOAT_RAISE_UNLESS(f64_sum_is_exact(product, z, sum), flags);
            return result;
        }
    }
    if (!FLOAT_IS_INEXACT(flags) && rounding == FLOAT_RNE && zero_product && f64_is_zero(result))
        return result;
    return FLOAT_RARELY(float_mul_add(FLOAT_F64, a, b, c, rounding, flags), flags);
}

/* ---- comparisons ---- */

/* Is the number a NaN that raises NV in all operations? */
static inline bool f32_is_signaling(uint32_t a)
{
    return a << 1 > 0xff000000u && !(a >> 22 & 1);
}

static inline bool f64_is_signaling(uint64_t a)
{
    return __builtin_isnan(f64_value(a)) && !(a >> 51 & 1);
}

/* The host compares numbers. Equal numbers have the same encoding or are zeros. All conditions are
 * of one quiet comparison, and are true for NaN if this spares the host a second one. `invalid`:
 * does a NaN among the operands, which is why they are not ordered, raise NV? */
#define FLOAT_COMPARISON(prefix, bits_type, host_type, result_type, name, expression, invalid,     \
                         unordered)                                                                \
    static inline result_type prefix##_##name(bits_type a, bits_type b, unsigned *flags)           \
    {                                                                                              \
        const host_type x = prefix##_value(a), y = prefix##_value(b);                              \
                                                                                                   \
        if (FLOAT_LIKELY(!__builtin_isunordered(x, y)))                                            \
            return (result_type)(expression);                                                      \
        FLOAT_NAN(flags, invalid(prefix));                                                         \
        return (result_type)(unordered);                                                           \
    }
#define FLOAT_ALWAYS(prefix)    true
#define FLOAT_SIGNALING(prefix) (prefix##_is_signaling(a) || prefix##_is_signaling(b))
#define FLOAT_ANY(nan)          (!__builtin_isnan(x) ? a : !__builtin_isnan(y) ? b : (nan))
#define FLOAT_IS_LESS           (!__builtin_isgreaterequal(x, y))
#define FLOAT_IS_LEAST          (!__builtin_isgreater(x, y))
#define FLOAT_DIFFERS           (__builtin_islessgreater(x, y))
#define FLOAT_LEAST             (FLOAT_IS_LESS ? a : FLOAT_DIFFERS ? b : a | b)
#define FLOAT_MOST              (FLOAT_IS_LESS ? b : FLOAT_DIFFERS ? a : a & b)
#define FLOAT_COMPARISONS(prefix, bits, host, nan)                                                 \
    FLOAT_COMPARISON(prefix, bits, host, bool, eq, !FLOAT_DIFFERS, FLOAT_SIGNALING, false)         \
    FLOAT_COMPARISON(prefix, bits, host, bool, lt, FLOAT_IS_LESS, FLOAT_ALWAYS, false)             \
    FLOAT_COMPARISON(prefix, bits, host, bool, le, FLOAT_IS_LEAST, FLOAT_ALWAYS, false)            \
    FLOAT_COMPARISON(prefix, bits, host, bits, min, FLOAT_LEAST, FLOAT_SIGNALING, FLOAT_ANY(nan))  \
    FLOAT_COMPARISON(prefix, bits, host, bits, max, FLOAT_MOST, FLOAT_SIGNALING, FLOAT_ANY(nan))   \
    FLOAT_COMPARISON(prefix, bits, host, bits, minimum, FLOAT_LEAST, FLOAT_SIGNALING, nan)         \
    FLOAT_COMPARISON(prefix, bits, host, bits, maximum, FLOAT_MOST, FLOAT_SIGNALING, nan)          \
    FLOAT_COMPARISON(prefix, bits, host, bool, lt_quiet, FLOAT_IS_LESS, FLOAT_SIGNALING, false)    \
    FLOAT_COMPARISON(prefix, bits, host, bool, le_quiet, FLOAT_IS_LEAST, FLOAT_SIGNALING, false)

FLOAT_COMPARISONS(f32, uint32_t, float, FLOAT_NOT_IN_MEMORY(F32_QUIET_NAN))
FLOAT_COMPARISONS(f64, uint64_t, double, F64_QUIET_NAN)

/* Returns one of the bits of `enum float_class`. */
static inline unsigned classify(uint64_t a, int exponent_bits, int fraction_bits)
{
    unsigned largest = (1u << exponent_bits) - 1,
             exponent = (unsigned)(a >> fraction_bits) & largest;
    uint64_t fraction = a & ((UINT64_C(1) << fraction_bits) - 1);
    bool minus = a >> (fraction_bits + exponent_bits) & 1;

    if (exponent == largest && fraction)
        return fraction >> (fraction_bits - 1) ? FLOAT_CLASS_QUIET_NAN : FLOAT_CLASS_SIGNALLING_NAN;
    if (exponent == largest)
        return minus ? FLOAT_CLASS_MINUS_INFINITY : FLOAT_CLASS_PLUS_INFINITY;
    if (exponent)
        return minus ? FLOAT_CLASS_MINUS_NORMAL : FLOAT_CLASS_PLUS_NORMAL;
    if (fraction)
        return minus ? FLOAT_CLASS_MINUS_SUBNORMAL : FLOAT_CLASS_PLUS_SUBNORMAL;
    return minus ? FLOAT_CLASS_MINUS_ZERO : FLOAT_CLASS_PLUS_ZERO;
}

static inline unsigned f16_classify(uint16_t a)
{
    return classify(a, 5, 10);
}

static inline unsigned f32_classify(uint32_t a)
{
    return classify(a, 8, 23);
}

static inline unsigned f64_classify(uint64_t a)
{
    return classify(a, 11, 52);
}

#endif
