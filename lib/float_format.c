/*
 * Unpacking, rounding and packing of floating-point encodings, for every format of the table.
 *
 * Each rounding decision (five modes, subnormals, tininess after rounding, overflow, formats
 * without infinity) is made in one place. Two facts keep this small. A significand always has its
 * leading one in bit 63, so a format only determines how many low bits are dropped. Encodings of
 * positive numbers are ordered like integers, so a carry out of the fraction increments the
 * exponent, and overflow is one comparison with the largest finite encoding.
 */
#include "lib/float_format.h"

#include <stdlib.h>

const struct float_layout float_layouts[FLOAT_FORMAT_COUNT] = {
#include "float_layouts.inc"
};

static uint64_t low_mask(int bits)
{
    return ((uint64_t)1 << bits) - 1;
}

int float_width(enum float_format format)
{
    const struct float_layout *layout = &float_layouts[format];

    return 1 + layout->exponent_bits + layout->fraction_bits;
}

static uint64_t with_sign(enum float_format format, bool sign, uint64_t magnitude)
{
    return (uint64_t)sign << (float_width(format) - 1) | magnitude;
}

uint64_t float_zero(enum float_format format, bool sign)
{
    return with_sign(format, sign, 0);
}

int float_bytes(enum float_format format)
{
    int bytes = 1;

    while (8 * bytes < float_width(format))
        bytes *= 2;
    return bytes;
}

bool float_has_nan(enum float_format format)
{
    return float_layouts[format].quiet_nan > float_layouts[format].largest;
}

bool float_has_infinity(enum float_format format)
{
    return float_layouts[format].infinity != float_layouts[format].quiet_nan;
}

uint64_t float_infinity(enum float_format format, bool sign)
{
    if (!float_has_infinity(format) && float_has_nan(format))
        return float_quiet_nan(format);
    return with_sign(format, sign, float_layouts[format].infinity);
}

uint64_t float_quiet_nan(enum float_format format)
{
    return float_layouts[format].quiet_nan;
}

struct float_value float_unpack(enum float_format format, uint64_t bits)
{
    const struct float_layout *layout = &float_layouts[format];
    uint64_t magnitude = bits & low_mask(float_width(format) - 1);
    uint64_t fraction = magnitude & low_mask(layout->fraction_bits);
    int exponent_field = (int)(magnitude >> layout->fraction_bits);
    struct float_value value = {.sign = bits >> (float_width(format) - 1) & 1};

    if (magnitude == 0) {
        value.kind = FLOAT_ZERO;
    } else if (magnitude <= layout->largest) {
        value.kind = FLOAT_FINITE;
        if (exponent_field) {
            value.exponent = exponent_field - layout->bias;
            value.significand = (uint64_t)1 << 63 | fraction << (63 - layout->fraction_bits);
        } else {
            int zeros = __builtin_clzll(fraction);

            value.exponent = 1 - layout->bias - (zeros - (63 - layout->fraction_bits));
            value.significand = fraction << zeros;
        }
    } else if (magnitude == layout->infinity && float_has_infinity(format)) {
        value.kind = FLOAT_INFINITE;
    } else if ((magnitude & layout->quiet_bit) == layout->quiet_bit) {
        value.kind = FLOAT_QUIET_NAN;
    } else {
        value.kind = FLOAT_SIGNALLING_NAN;
    }
    return value;
}

/* Is a magnitude rounded up? The discarded part is top-aligned: 2^63 is exactly half. */
static bool rounds_up(bool sign, bool odd, uint64_t discarded, int rounding)
{
    uint64_t half = (uint64_t)1 << 63;

    switch (rounding) {
    case FLOAT_RNE:
        return discarded > half || (discarded == half && odd);
    case FLOAT_RTZ:
        return false;
    case FLOAT_RDN:
        return sign && discarded;
    case FLOAT_RUP:
        return !sign && discarded;
    case FLOAT_RMM:
        return discarded >= half;
    default:
        abort();
    }
}

/* Returns significand / 2^shift for shift >= 1, rounded. *inexact tells whether something was
 * discarded. */
static uint64_t shift_right_rounding(uint64_t significand, int shift, bool sign, int rounding,
                                     bool *inexact)
{
    uint64_t kept, discarded;

    if (shift < 64) {
        kept = significand >> shift;
        discarded = significand << (64 - shift);
    } else if (shift == 64) {
        kept = 0;
        discarded = significand;
    } else { /* below half of the last place: only matters as nonzero */
        kept = 0;
        discarded = significand != 0;
    }
    *inexact = discarded != 0;
    return kept + rounds_up(sign, kept & 1, discarded, rounding);
}

static uint64_t overflow(enum float_format format, bool sign, int rounding, unsigned *flags)
{
    uint64_t most = UINT64_MAX; /* larger than every tie */

    *flags |= FLOAT_OF | FLOAT_NX;

    if (rounds_up(sign, true, most, rounding))
        return float_infinity(format, sign);
    return with_sign(format, sign, float_layouts[format].largest);
}

/*
 * Tininess after rounding (RISC-V unprivileged manual, chapter F): with the precision of the
 * format but an unbounded exponent, is the rounded magnitude below the smallest normal one?
 */
static bool is_tiny(int exponent, int least_exponent, uint64_t significand, int drop, bool sign,
                    int rounding)
{
    bool inexact;
    uint64_t rounded;

    if (exponent < least_exponent - 1)
        return true;
    rounded = shift_right_rounding(significand, drop, sign, rounding, &inexact);
    return rounded < (uint64_t)1 << (64 - drop);
}

uint64_t float_round(enum float_format format, bool sign, int exponent, uint64_t significand,
                     int rounding, unsigned *flags)
{
    const struct float_layout *layout = &float_layouts[format];
    int least_exponent = 1 - layout->bias;
    int greatest_exponent = (int)(layout->largest >> layout->fraction_bits) - layout->bias;
    int drop = 63 - layout->fraction_bits; /* bits below a normal number's last place */
    uint64_t magnitude;
    bool inexact;

    if (exponent > greatest_exponent)
        return overflow(format, sign, rounding, flags);

    if (exponent >= least_exponent) {
        /* The leading one of the significand adds 1 to the exponent field, hence the -1. */
        magnitude = shift_right_rounding(significand, drop, sign, rounding, &inexact) +
                    ((uint64_t)(exponent + layout->bias - 1) << layout->fraction_bits);
        if (magnitude > layout->largest)
            return overflow(format, sign, rounding, flags);
    } else {
        int deficit = least_exponent - exponent;

        magnitude = shift_right_rounding(significand, deficit > 64 ? 65 : drop + deficit, sign,
                                         rounding, &inexact);
        if (inexact && is_tiny(exponent, least_exponent, significand, drop, sign, rounding))
            *flags |= FLOAT_UF;
    }
    if (inexact)
        *flags |= FLOAT_NX;
    return with_sign(format, sign, magnitude);
}

uint64_t float_to_integer(struct float_value value, int rounding, bool *inexact, bool *too_large)
{
    uint64_t magnitude = value.significand;

    *inexact = false;
    *too_large = false;
    if (value.kind == FLOAT_ZERO)
        return 0;
    if (value.exponent > 63) {
        *too_large = true;
        return UINT64_MAX;
    }
    if (value.exponent == 63)
        return magnitude;
    return shift_right_rounding(magnitude, value.exponent < -1 ? 65 : 63 - value.exponent,
                                value.sign, rounding, inexact);
}

uint64_t float_convert(enum float_format to, enum float_format from, uint64_t bits, int rounding,
                       unsigned *flags)
{
    struct float_value value = float_unpack(from, bits);

    switch (value.kind) {
    case FLOAT_ZERO:
        return float_zero(to, value.sign);
    case FLOAT_FINITE:
        return float_round(to, value.sign, value.exponent, value.significand, rounding, flags);
    case FLOAT_INFINITE:
        return float_infinity(to, value.sign);
    case FLOAT_SIGNALLING_NAN:
        *flags |= FLOAT_NV;
        return float_quiet_nan(to);
    default:
        return float_quiet_nan(to);
    }
}

uint64_t float_from_double(enum float_format to, uint64_t bits, int rounding, unsigned *flags)
{
    return float_convert(to, FLOAT_F64, bits, rounding, flags);
}
