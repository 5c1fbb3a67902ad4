/*
 * Arithmetic on floating-point encodings, independent of the format.
 *
 * Every operation has the same three steps: take the operands apart, settle NaN, infinity and zero,
 * then compute a 64-bit significand whose last bit is sticky and let float_round round it. The
 * invariant that makes one implementation serve all formats: an unpacked significand has its
 * leading one in bit 63, and at most 53 significant bits, so 11 bits below them are zero.
 *
 * Sums are formed in 128 bits, where a product of two significands is still exact; an addition is a
 * fused multiply-add whose product has only one factor. */
#include "emu/float/softfloat.h"

#include <string.h>

typedef unsigned __int128 uint128;

/* (-1)^sign * significand * 2^(exponent - 125); the significand is 0 or in [2^125, 2^127). */
struct wide_value {
    bool sign;
    int exponent;
    uint128 significand;
};

static bool is_nan(struct float_value value)
{
    return value.kind == FLOAT_QUIET_NAN || value.kind == FLOAT_SIGNALLING_NAN;
}

static bool is_signaling(struct float_value value)
{
    return value.kind == FLOAT_SIGNALLING_NAN;
}

/* Returns the result of an operation that has a NaN among its operands. */
static uint64_t nan_from_operands(enum float_format format, bool any_signaling, unsigned *flags)
{
    if (any_signaling)
        *flags |= FLOAT_NV;
    return float_quiet_nan(format);
}

static uint64_t invalid(enum float_format format, unsigned *flags)
{
    *flags |= FLOAT_NV;
    return float_quiet_nan(format);
}

static uint64_t sign_bit(enum float_format format)
{
    return (uint64_t)1 << (float_width(format) - 1);
}

static uint64_t truncate_to_format(enum float_format format, uint64_t bits)
{
    return bits & (sign_bit(format) | (sign_bit(format) - 1));
}

uint64_t float_negate(enum float_format format, uint64_t a)
{
    return a ^ sign_bit(format);
}

/* Returns the upper half of a 128-bit number, with the lower half as a sticky bit. */
static uint64_t high_half_sticky(uint128 number)
{
    return (uint64_t)(number >> 64) | ((uint64_t)number != 0);
}

static uint128 shift_right_sticky(uint128 number, int shift)
{
    if (shift == 0)
        return number;
    if (shift > 127)
        return number != 0;
    return number >> shift | (number << (128 - shift) != 0);
}

/*
 * a + b, rounded once. Bits that alignment shifts out are sticky: the product of two 53-bit
 * significands has 21 zero bits at its end, so bits are lost only where the exponents are so far
 * apart that a subtraction cancels at most one leading bit.
 */
static uint64_t add_wide(enum float_format format, struct wide_value a, struct wide_value b,
                         int rounding, unsigned *flags)
{
    bool sign = a.sign;
    uint128 sum;
    int zeros;

    if (a.exponent < b.exponent) {
        struct wide_value swapped = a;

        a = b;
        b = swapped;
    }
    b.significand = shift_right_sticky(b.significand, a.exponent - b.exponent);

    if (a.sign == b.sign) {
        sum = a.significand + b.significand;
    } else if (a.significand > b.significand) {
        sum = a.significand - b.significand;
        sign = a.sign;
    } else if (a.significand < b.significand) {
        sum = b.significand - a.significand;
        sign = b.sign;
    } else { /* IEEE 754-2019 section 6.3: the sign of an exact zero sum */
        sum = 0;
        sign = rounding == FLOAT_RDN;
    }
    if (sum == 0)
        return float_zero(format, sign);

    zeros = (uint64_t)(sum >> 64) ? __builtin_clzll((uint64_t)(sum >> 64))
                                  : 64 + __builtin_clzll((uint64_t)sum);
    return float_round(format, sign, a.exponent + 2 - zeros, high_half_sticky(sum << zeros),
                       rounding, flags);
}

/* The exponent of a wide zero is below all others, so that the zero is the operand that is shifted.
 */
static const int zero_exponent = -1000000;

static struct wide_value widen(struct float_value value)
{
    struct wide_value wide = {.sign = value.sign, .exponent = zero_exponent};

    if (value.kind == FLOAT_FINITE) {
        wide.exponent = value.exponent;
        wide.significand = (uint128)value.significand << 62;
    }
    return wide;
}

static struct wide_value widen_product(struct float_value a, struct float_value b)
{
    struct wide_value wide = {.sign = a.sign != b.sign, .exponent = zero_exponent};

    if (a.kind == FLOAT_FINITE && b.kind == FLOAT_FINITE) {
        wide.exponent = a.exponent + b.exponent;
        wide.significand = (uint128)a.significand * b.significand >> 1;
    }
    return wide;
}

static uint64_t add_values(enum float_format format, struct float_value a, struct float_value b,
                           int rounding, unsigned *flags)
{
    if (is_nan(a) || is_nan(b))
        return nan_from_operands(format, is_signaling(a) || is_signaling(b), flags);
    if (a.kind == FLOAT_INFINITE && b.kind == FLOAT_INFINITE && a.sign != b.sign)
        return invalid(format, flags);
    if (a.kind == FLOAT_INFINITE)
        return float_infinity(format, a.sign);
    if (b.kind == FLOAT_INFINITE)
        return float_infinity(format, b.sign);
    return add_wide(format, widen(a), widen(b), rounding, flags);
}

uint64_t float_add(enum float_format format, uint64_t a, uint64_t b, int rounding, unsigned *flags)
{
    return add_values(format, float_unpack(format, a), float_unpack(format, b), rounding, flags);
}

uint64_t float_sub(enum float_format format, uint64_t a, uint64_t b, int rounding, unsigned *flags)
{
    return float_add(format, a, float_negate(format, b), rounding, flags);
}

uint64_t float_mul(enum float_format format, uint64_t a, uint64_t b, int rounding, unsigned *flags)
{
    struct float_value x = float_unpack(format, a), y = float_unpack(format, b);
    bool sign = x.sign != y.sign;
    uint128 product;
    int carry;

    if (is_nan(x) || is_nan(y))
        return nan_from_operands(format, is_signaling(x) || is_signaling(y), flags);
    if (x.kind == FLOAT_INFINITE || y.kind == FLOAT_INFINITE) {
        if (x.kind == FLOAT_ZERO || y.kind == FLOAT_ZERO)
            return invalid(format, flags);
        return float_infinity(format, sign);
    }
    if (x.kind == FLOAT_ZERO || y.kind == FLOAT_ZERO)
        return float_zero(format, sign);

    product = (uint128)x.significand * y.significand;
    carry = (int)(product >> 127);
    return float_round(format, sign, x.exponent + y.exponent + carry,
                       high_half_sticky(product << (1 - carry)), rounding, flags);
}

uint64_t float_mul_add(enum float_format format, uint64_t a, uint64_t b, uint64_t c, int rounding,
                       unsigned *flags)
{
    struct float_value x = float_unpack(format, a), y = float_unpack(format, b);
    struct float_value z = float_unpack(format, c);
    bool product_infinite = x.kind == FLOAT_INFINITE || y.kind == FLOAT_INFINITE;
    bool product_sign = x.sign != y.sign;

    if (!is_nan(x) && !is_nan(y) && product_infinite &&
        (x.kind == FLOAT_ZERO || y.kind == FLOAT_ZERO))
        return invalid(format, flags);
    if (is_nan(x) || is_nan(y) || is_nan(z))
        return nan_from_operands(format, is_signaling(x) || is_signaling(y) || is_signaling(z),
                                 flags);
    if (product_infinite) {
        if (z.kind == FLOAT_INFINITE && z.sign != product_sign)
            return invalid(format, flags);
        return float_infinity(format, product_sign);
    }
    if (z.kind == FLOAT_INFINITE)
        return float_infinity(format, z.sign);
    return add_wide(format, widen_product(x, y), widen(z), rounding, flags);
}

uint64_t float_div(enum float_format format, uint64_t a, uint64_t b, int rounding, unsigned *flags)
{
    struct float_value x = float_unpack(format, a), y = float_unpack(format, b);
    bool sign = x.sign != y.sign;
    uint128 numerator;
    uint64_t quotient;
    int borrow;

    if (is_nan(x) || is_nan(y))
        return nan_from_operands(format, is_signaling(x) || is_signaling(y), flags);
    if (x.kind == y.kind && x.kind != FLOAT_FINITE) /* 0/0, infinity/infinity */
        return invalid(format, flags);
    if (x.kind == FLOAT_INFINITE)
        return float_infinity(format, sign);
    if (x.kind == FLOAT_ZERO || y.kind == FLOAT_INFINITE)
        return float_zero(format, sign);
    if (y.kind == FLOAT_ZERO) {
        *flags |= FLOAT_DZ;
        return float_infinity(format, sign);
    }

    borrow = x.significand < y.significand; /* moves the quotient's leading one to bit 63 */
    numerator = (uint128)x.significand << (63 + borrow);
    quotient = (uint64_t)(numerator / y.significand);
    quotient |= numerator % y.significand != 0;
    return float_round(format, sign, x.exponent - y.exponent - borrow, quotient, rounding, flags);
}

/* The square root of a number in [2^126, 2^128), rounded down; the remainder is sticky. The host
 * computes about 53 bits, and what is missing is nearly the remainder by twice the root. The last
 * steps make it exact. */
static uint64_t square_root(uint128 number)
{
    double estimate = __builtin_sqrt((double)number);
    uint128 root = (uint128)estimate;
    __int128 rest = (__int128)(number - root * root);

    root += (uint128)(__int128)((double)rest / (2 * estimate));
    while (root >> 64 || root * root > number)
        root--;
    while (root < UINT64_MAX && (root + 1) * (root + 1) <= number)
        root++;
    return (uint64_t)root | (root * root != number);
}

uint64_t float_sqrt(enum float_format format, uint64_t a, int rounding, unsigned *flags)
{
    struct float_value x = float_unpack(format, a);
    int odd = x.exponent & 1;

    if (is_nan(x))
        return nan_from_operands(format, is_signaling(x), flags);
    if (x.kind == FLOAT_ZERO)
        return float_zero(format, x.sign);
    if (x.sign)
        return invalid(format, flags);
    if (x.kind == FLOAT_INFINITE)
        return float_infinity(format, false);
    return float_round(format, false, (x.exponent - odd) / 2,
                       square_root((uint128)x.significand << (63 + odd)), rounding, flags);
}

/* An order-preserving map of encodings that are not NaN to integers; -0 and +0 are both 0. */
static int64_t ordinal(enum float_format format, uint64_t bits)
{
    int64_t magnitude = (int64_t)(truncate_to_format(format, bits) & ~sign_bit(format));

    return bits & sign_bit(format) ? -magnitude : magnitude;
}

/* Is neither a nor b a NaN? Raises NV for signaling NaNs, and, unless `quiet`, for any NaN. */
static bool ordered(enum float_format format, uint64_t a, uint64_t b, bool quiet, unsigned *flags)
{
    struct float_value x = float_unpack(format, a), y = float_unpack(format, b);

    if (!is_nan(x) && !is_nan(y))
        return true;
    if (!quiet || is_signaling(x) || is_signaling(y))
        *flags |= FLOAT_NV;
    return false;
}

bool float_eq(enum float_format format, uint64_t a, uint64_t b, unsigned *flags)
{
    return ordered(format, a, b, true, flags) && ordinal(format, a) == ordinal(format, b);
}

bool float_lt(enum float_format format, uint64_t a, uint64_t b, unsigned *flags)
{
    return ordered(format, a, b, false, flags) && ordinal(format, a) < ordinal(format, b);
}

bool float_le(enum float_format format, uint64_t a, uint64_t b, unsigned *flags)
{
    return ordered(format, a, b, false, flags) && ordinal(format, a) <= ordinal(format, b);
}

/* Returns the smaller or the greater number. -0 is smaller than +0. */
static uint64_t select_number(enum float_format format, uint64_t a, uint64_t b, bool greater,
                              unsigned *flags)
{
    bool a_smaller;

    a = truncate_to_format(format, a);
    b = truncate_to_format(format, b);
    if (!ordered(format, a, b, true, flags)) {
        if (!is_nan(float_unpack(format, a)))
            return a;
        return is_nan(float_unpack(format, b)) ? float_quiet_nan(format) : b;
    }
    if (ordinal(format, a) == ordinal(format, b))
        a_smaller = a & sign_bit(format);
    else
        a_smaller = ordinal(format, a) < ordinal(format, b);
    return a_smaller != greater ? a : b;
}

uint64_t float_min(enum float_format format, uint64_t a, uint64_t b, unsigned *flags)
{
    return select_number(format, a, b, false, flags);
}

uint64_t float_max(enum float_format format, uint64_t a, uint64_t b, unsigned *flags)
{
    return select_number(format, a, b, true, flags);
}

static bool any_nan(enum float_format format, uint64_t a, uint64_t b)
{
    return is_nan(float_unpack(format, a)) || is_nan(float_unpack(format, b));
}

uint64_t float_minimum(enum float_format format, uint64_t a, uint64_t b, unsigned *flags)
{
    uint64_t number = select_number(format, a, b, false, flags);

    return any_nan(format, a, b) ? float_quiet_nan(format) : number;
}

uint64_t float_maximum(enum float_format format, uint64_t a, uint64_t b, unsigned *flags)
{
    uint64_t number = select_number(format, a, b, true, flags);

    return any_nan(format, a, b) ? float_quiet_nan(format) : number;
}

bool float_lt_quiet(enum float_format format, uint64_t a, uint64_t b, unsigned *flags)
{
    return ordered(format, a, b, true, flags) && ordinal(format, a) < ordinal(format, b);
}

bool float_le_quiet(enum float_format format, uint64_t a, uint64_t b, unsigned *flags)
{
    return ordered(format, a, b, true, flags) && ordinal(format, a) <= ordinal(format, b);
}

unsigned float_classify(enum float_format format, uint64_t a)
{
    struct float_value value = float_unpack(format, a);
    bool subnormal = value.exponent < 1 - float_layouts[format].bias;

    switch (value.kind) {
    case FLOAT_INFINITE:
        return value.sign ? FLOAT_CLASS_MINUS_INFINITY : FLOAT_CLASS_PLUS_INFINITY;
    case FLOAT_ZERO:
        return value.sign ? FLOAT_CLASS_MINUS_ZERO : FLOAT_CLASS_PLUS_ZERO;
    case FLOAT_SIGNALLING_NAN:
        return FLOAT_CLASS_SIGNALLING_NAN;
    case FLOAT_QUIET_NAN:
        return FLOAT_CLASS_QUIET_NAN;
    default:
        if (subnormal)
            return value.sign ? FLOAT_CLASS_MINUS_SUBNORMAL : FLOAT_CLASS_PLUS_SUBNORMAL;
        return value.sign ? FLOAT_CLASS_MINUS_NORMAL : FLOAT_CLASS_PLUS_NORMAL;
    }
}

/*
 * The common part of the conversions to integers: the range is -lowest to highest, both given as
 * magnitudes. The result is in two's complement. */
static uint64_t to_integer_in_range(enum float_format format, uint64_t a, uint64_t lowest,
                                    uint64_t highest, int rounding, unsigned *flags)
{
    struct float_value value = float_unpack(format, a);
    uint64_t limit = value.sign ? lowest : highest;
    bool inexact, too_large;
    uint64_t magnitude;

    if (is_nan(value)) {
        *flags |= FLOAT_NV;
        return highest;
    }
    if (value.kind == FLOAT_INFINITE) {
        magnitude = UINT64_MAX;
        too_large = true;
    } else {
        magnitude = float_to_integer(value, rounding, &inexact, &too_large);
    }
    if (too_large || magnitude > limit) {
        *flags |= FLOAT_NV;
        magnitude = limit;
    } else if (inexact) {
        *flags |= FLOAT_NX;
    }
    return value.sign ? -magnitude : magnitude;
}

int32_t float_to_i32(enum float_format format, uint64_t a, int rounding, unsigned *flags)
{
    return (int32_t)to_integer_in_range(format, a, (uint64_t)INT32_MAX + 1, INT32_MAX, rounding,
                                        flags);
}

uint32_t float_to_u32(enum float_format format, uint64_t a, int rounding, unsigned *flags)
{
    return (uint32_t)to_integer_in_range(format, a, 0, UINT32_MAX, rounding, flags);
}

int64_t float_to_i64(enum float_format format, uint64_t a, int rounding, unsigned *flags)
{
    return (int64_t)to_integer_in_range(format, a, (uint64_t)INT64_MAX + 1, INT64_MAX, rounding,
                                        flags);
}

uint64_t float_to_u64(enum float_format format, uint64_t a, int rounding, unsigned *flags)
{
    return to_integer_in_range(format, a, 0, UINT64_MAX, rounding, flags);
}

static uint64_t from_magnitude(enum float_format format, bool sign, uint64_t magnitude,
                               int rounding, unsigned *flags)
{
    int zeros;

    if (magnitude == 0)
        return float_zero(format, false);
    zeros = __builtin_clzll(magnitude);
    return float_round(format, sign, 63 - zeros, magnitude << zeros, rounding, flags);
}

uint64_t float_from_i64(enum float_format format, int64_t a, int rounding, unsigned *flags)
{
    uint64_t magnitude = a < 0 ? -(uint64_t)a : (uint64_t)a;

    return from_magnitude(format, a < 0, magnitude, rounding, flags);
}

uint64_t float_from_u64(enum float_format format, uint64_t a, int rounding, unsigned *flags)
{
    return from_magnitude(format, false, a, rounding, flags);
}

uint64_t float_to_integral(enum float_format format, uint64_t a, int rounding, bool exact,
                           unsigned *flags)
{
    struct float_value value = float_unpack(format, a);
    bool inexact, too_large;

    if (is_nan(value))
        return nan_from_operands(format, is_signaling(value), flags);
    if (value.kind != FLOAT_FINITE || value.exponent >= float_layouts[format].fraction_bits)
        return truncate_to_format(format, a); /* an integer already */
    uint64_t magnitude = float_to_integer(value, rounding, &inexact, &too_large);
    if (inexact && exact)
        *flags |= FLOAT_NX;
    if (magnitude == 0)
        return float_zero(format, value.sign);
    return from_magnitude(format, value.sign, magnitude, rounding, flags);
}

int32_t float_to_i32_modular(enum float_format format, uint64_t a, unsigned *flags)
{
    struct float_value value = float_unpack(format, a);
    uint64_t magnitude = 0;

    float_to_i32(format, a, FLOAT_RTZ, flags);
    if (value.kind != FLOAT_FINITE)
        return 0;
    if (value.exponent >= 0 && value.exponent < 64)
        magnitude = value.significand >> (63 - value.exponent);
    else if (value.exponent >= 64 && value.exponent < 127)
        magnitude = value.significand << (value.exponent - 63);
    return (int32_t)(uint32_t)(value.sign ? -magnitude : magnitude);
}

/* RISC-V Unprivileged ISA, chapter Zfa, "Load-Immediate Instructions"; the one that depends on the
 * format is not a number here. */
uint64_t float_constant(enum float_format format, unsigned number)
{
    static const double constants[] = {
        -1.0,
        0.0,
        0x1p-16,
        0x1p-15,
        0x1p-8,
        0x1p-7,
        0x1p-4,
        0x1p-3,
        0.25,
        0.3125,
        0.375,
        0.4375,
        0.5,
        0.625,
        0.75,
        0.875,
        1.0,
        1.25,
        1.5,
        1.75,
        2.0,
        2.5,
        3.0,
        4.0,
        8.0,
        16.0,
        128.0,
        256.0,
        0x1p15,
        0x1p16,
        __builtin_inf(),
        __builtin_nan(""),
    };
    enum { LEAST_NORMAL = 1 };
    unsigned ignored = 0;
    uint64_t bits;

    if (number == LEAST_NORMAL)
        return UINT64_C(1) << float_layouts[format].fraction_bits;
    memcpy(&bits, &constants[number], sizeof bits);
    return float_from_double(format, bits, FLOAT_RNE, &ignored);
}
