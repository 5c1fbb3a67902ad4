/*
 * Shared by the tests of lib/float_format.c, emu/float/softfloat.c and emu/float/host.h:
 * interesting operands, and an oracle that shares no code with them. The oracle uses MPFR with
 * enough precision that sums and products are exact and no quotient or root is near a tie. It
 * rounds by definition: it divides by the unit in the last place, rounds to an integer, and
 * multiplies again.
 */
#ifndef TESTS_UNIT_FLOAT_ORACLE_H
#define TESTS_UNIT_FLOAT_ORACLE_H

#include <mpfr.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "lib/float_format.h"

/* A format, described independently of lib/float_format.c. */
struct oracle_format {
    enum float_format format;
    int precision;      /* bits of the significand, the leading one included */
    int least_exponent; /* of a normal number 1.xxx * 2^e */
    int width;          /* bits of an encoding */
    bool has_infinity;
    double largest;    /* the largest finite magnitude */
    uint64_t infinity; /* what overflow gives (positive) */
    uint64_t quiet_nan;
};

static const struct oracle_format oracle_formats[] = {
    {FLOAT_F16, 11, -14, 16, true, 65504.0, 0x7c00, 0x7e00},
    {FLOAT_BF16, 8, -126, 16, true, 0x1.fep127, 0x7f80, 0x7fc0},
    {FLOAT_E4M3, 4, -6, 8, false, 448.0, 0x7f, 0x7f},
    {FLOAT_E5M2, 3, -14, 8, true, 57344.0, 0x7c, 0x7e},
    {FLOAT_F32, 24, -126, 32, true, 0x1.fffffep127, 0x7f800000, 0x7fc00000},
    {FLOAT_F64, 53, -1022, 64, true, 0x1.fffffffffffffp1023, 0x7ff0000000000000,
     0x7ff8000000000000},
};

#define ORACLE_FORMAT_COUNT (int)(sizeof oracle_formats / sizeof oracle_formats[0])

/* Enough for every exact sum of a product of doubles and a double. */
#define ORACLE_PRECISION 4400
/* The same for f32. */
#define ORACLE_PRECISION_F32 640

static inline const struct oracle_format *oracle_format(enum float_format format)
{
    for (int i = 0; i < ORACLE_FORMAT_COUNT; i++)
        if (oracle_formats[i].format == format)
            return &oracle_formats[i];
    abort();
}

static inline uint64_t oracle_sign_bit(const struct oracle_format *f)
{
    return (uint64_t)1 << (f->width - 1);
}

/* Rounds x to an integer in place. */
static inline void oracle_round_to_integer(mpfr_t x, int rounding)
{
    switch (rounding) {
    case FLOAT_RNE:
        mpfr_rint(x, x, MPFR_RNDN);
        break;
    case FLOAT_RTZ:
        mpfr_trunc(x, x);
        break;
    case FLOAT_RDN:
        mpfr_floor(x, x);
        break;
    case FLOAT_RUP:
        mpfr_ceil(x, x);
        break;
    case FLOAT_RMM:
        mpfr_round(x, x);
        break;
    default:
        abort();
    }
}

/* The exponent of the leading one of x != 0. */
static inline long oracle_exponent(const mpfr_t x)
{
    return mpfr_get_exp(x) - 1;
}

/* result = x rounded to multiples of 2^quantum. */
static inline void oracle_quantize(mpfr_t result, const mpfr_t x, long quantum, int rounding)
{
    mpfr_mul_2si(result, x, -quantum, MPFR_RNDZ);
    oracle_round_to_integer(result, rounding);
    mpfr_mul_2si(result, result, quantum, MPFR_RNDZ);
}

/* The encoding of a finite |x| that the format represents exactly. */
static inline uint64_t oracle_encode_magnitude(const struct oracle_format *f, const mpfr_t x)
{
    mpfr_t scaled;
    uint64_t significand;
    long exponent;

    if (mpfr_zero_p(x))
        return 0;
    exponent = oracle_exponent(x);
    if (exponent < f->least_exponent)
        exponent = f->least_exponent;
    mpfr_init2(scaled, 64);
    mpfr_mul_2si(scaled, x, f->precision - 1 - exponent, MPFR_RNDZ);
    mpfr_abs(scaled, scaled, MPFR_RNDZ);
    significand = mpfr_get_uj(scaled, MPFR_RNDZ);
    mpfr_clear(scaled);
    if (!(significand >> (f->precision - 1)))
        return significand;
    return significand + ((uint64_t)(exponent - f->least_exponent) << (f->precision - 1));
}

static inline uint64_t oracle_overflow(const struct oracle_format *f, bool sign, int rounding,
                                       unsigned *flags)
{
    bool away = rounding == FLOAT_RNE || rounding == FLOAT_RMM ||
                (rounding == FLOAT_RUP && !sign) || (rounding == FLOAT_RDN && sign);
    uint64_t magnitude = f->infinity;

    *flags |= FLOAT_OF | FLOAT_NX;
    if (away && !f->has_infinity)
        return f->quiet_nan;
    if (!away) {
        mpfr_t largest;

        mpfr_init2(largest, 64);
        mpfr_set_d(largest, f->largest, MPFR_RNDZ);
        magnitude = oracle_encode_magnitude(f, largest);
        mpfr_clear(largest);
    }
    return magnitude | (sign ? oracle_sign_bit(f) : 0);
}

/* A finite x (a zero with its sign) rounded to the format by definition; flags are ORed. */
static inline uint64_t oracle_round(const struct oracle_format *f, const mpfr_t x, int rounding,
                                    unsigned *flags)
{
    bool sign = mpfr_signbit(x);
    uint64_t result;
    long exponent;
    mpfr_t rounded;

    if (mpfr_zero_p(x))
        return sign ? oracle_sign_bit(f) : 0;
    mpfr_init2(rounded, mpfr_get_prec(x));
    exponent = oracle_exponent(x);
    if (exponent < f->least_exponent) {
        bool tiny;

        oracle_quantize(rounded, x, exponent - f->precision + 1, rounding);
        tiny = oracle_exponent(rounded) < f->least_exponent;
        oracle_quantize(rounded, x, f->least_exponent - f->precision + 1, rounding);
        if (tiny && mpfr_cmp(rounded, x) != 0)
            *flags |= FLOAT_UF;
    } else {
        oracle_quantize(rounded, x, exponent - f->precision + 1, rounding);
    }
    if (mpfr_cmpabs(rounded, x) != 0)
        *flags |= FLOAT_NX;
    if (mpfr_cmp_d(rounded, f->largest) > 0 || mpfr_cmp_d(rounded, -f->largest) < 0)
        result = oracle_overflow(f, sign, rounding, flags);
    else
        result = oracle_encode_magnitude(f, rounded) | (sign ? oracle_sign_bit(f) : 0);
    mpfr_clear(rounded);
    return result;
}

static inline bool oracle_is_nan(const struct oracle_format *f, uint64_t bits)
{
    uint64_t magnitude = bits & (oracle_sign_bit(f) - 1);

    return f->has_infinity ? magnitude > f->infinity : magnitude == f->quiet_nan;
}

static inline bool oracle_is_signaling(const struct oracle_format *f, uint64_t bits)
{
    return f->has_infinity && oracle_is_nan(f, bits) && !(bits >> (f->precision - 2) & 1);
}

/* x = the value of an encoding, exactly. */
static inline void oracle_decode(const struct oracle_format *f, uint64_t bits, mpfr_t x)
{
    uint64_t magnitude = bits & (oracle_sign_bit(f) - 1);
    uint64_t fraction = magnitude & (((uint64_t)1 << (f->precision - 1)) - 1);
    long field = (long)(magnitude >> (f->precision - 1));
    bool sign = bits & oracle_sign_bit(f);

    if (oracle_is_nan(f, bits)) {
        mpfr_set_nan(x);
        return;
    }
    if (f->has_infinity && magnitude == f->infinity) {
        mpfr_set_inf(x, sign ? -1 : 1);
        return;
    }
    if (field) {
        mpfr_set_uj(x, fraction | (uint64_t)1 << (f->precision - 1), MPFR_RNDZ);
        mpfr_mul_2si(x, x, field - 1, MPFR_RNDZ);
    } else {
        mpfr_set_uj(x, fraction, MPFR_RNDZ);
    }
    mpfr_mul_2si(x, x, f->least_exponent - f->precision + 1, MPFR_RNDZ);
    mpfr_setsign(x, x, sign, MPFR_RNDZ);
}

/* Conversion between formats: float_convert, by definition. */
static inline uint64_t oracle_convert(const struct oracle_format *to,
                                      const struct oracle_format *from, uint64_t bits, int rounding,
                                      unsigned *flags)
{
    uint64_t result;
    mpfr_t x;

    mpfr_init2(x, 64);
    oracle_decode(from, bits, x);
    if (mpfr_nan_p(x)) {
        *flags = oracle_is_signaling(from, bits) ? FLOAT_NV : 0;
        result = to->quiet_nan;
    } else if (mpfr_inf_p(x)) {
        result = to->has_infinity ? to->infinity : to->quiet_nan;
        if (to->has_infinity && mpfr_signbit(x))
            result |= oracle_sign_bit(to);
    } else {
        result = oracle_round(to, x, rounding, flags);
    }
    mpfr_clear(x);
    return result;
}

enum operation {
    OPERATION_ADD,
    OPERATION_SUB,
    OPERATION_MUL,
    OPERATION_DIV,
    OPERATION_SQRT,
    OPERATION_MUL_ADD,
};

static const char *const operation_names[] = {"add", "sub", "mul", "div", "sqrt", "mul_add"};

/* The bits that MPFR needs for an exact result, or for one that is far from every tie. */
static inline mpfr_prec_t oracle_precision(enum operation operation, enum float_format format)
{
    if (operation == OPERATION_MUL_ADD)
        return format == FLOAT_F64 ? ORACLE_PRECISION : ORACLE_PRECISION_F32;
    if (operation == OPERATION_ADD || operation == OPERATION_SUB)
        return format == FLOAT_F64 ? ORACLE_PRECISION / 2 : ORACLE_PRECISION_F32;
    return 256;
}

/* x = the operation on v as IEEE 754 defines it, including the sign of zero, infinities and NaNs.
 */
static inline void oracle_compute(enum operation operation, mpfr_t x, mpfr_t v[3], int rounding)
{
    mpfr_rnd_t mode = rounding == FLOAT_RDN ? MPFR_RNDD : MPFR_RNDZ; /* for the sign of zero */

    switch (operation) {
    case OPERATION_ADD:
        mpfr_add(x, v[0], v[1], mode);
        break;
    case OPERATION_SUB:
        mpfr_sub(x, v[0], v[1], mode);
        break;
    case OPERATION_MUL:
        mpfr_mul(x, v[0], v[1], MPFR_RNDZ);
        break;
    case OPERATION_DIV:
        mpfr_div(x, v[0], v[1], MPFR_RNDZ);
        break;
    case OPERATION_SQRT:
        mpfr_sqrt(x, v[0], MPFR_RNDZ);
        break;
    default:
        mpfr_fma(x, v[0], v[1], v[2], mode);
        break;
    }
}

/* The operation by definition: computed exactly, or far from every tie, and rounded. */
static inline uint64_t oracle_operation(enum operation operation, const struct oracle_format *f,
                                        const uint64_t *bits, int rounding, unsigned *flags)
{
    int count = operation == OPERATION_SQRT ? 1 : operation == OPERATION_MUL_ADD ? 3 : 2;
    bool any_nan = false, any_signaling = false, all_finite = true;
    uint64_t result;
    mpfr_t v[3], x;

    mpfr_init2(x, oracle_precision(operation, f->format));
    for (int i = 0; i < 3; i++) {
        mpfr_init2(v[i], 64);
        oracle_decode(f, bits[i], v[i]);
        if (i >= count)
            continue;
        any_nan |= oracle_is_nan(f, bits[i]);
        any_signaling |= oracle_is_signaling(f, bits[i]);
        all_finite &= mpfr_number_p(v[i]);
    }
    oracle_compute(operation, x, v, rounding);
    if (operation == OPERATION_MUL_ADD) {
        bool zero_times_infinity =
            (mpfr_zero_p(v[0]) && mpfr_inf_p(v[1])) || (mpfr_inf_p(v[0]) && mpfr_zero_p(v[1]));
        any_signaling |= zero_times_infinity;
    }
    if (mpfr_nan_p(x)) {
        if (!any_nan || any_signaling)
            *flags |= FLOAT_NV;
        result = f->quiet_nan;
    } else if (mpfr_inf_p(x)) {
        if (all_finite)
            *flags |= FLOAT_DZ;
        result = f->infinity | (mpfr_signbit(x) ? oracle_sign_bit(f) : 0);
    } else {
        result = oracle_round(f, x, rounding, flags);
    }
    mpfr_clears(x, v[0], v[1], v[2], (mpfr_ptr)NULL);
    return result;
}

/* xorshift64*: deterministic operands. */
struct random_state {
    uint64_t state;
};

static inline uint64_t random_bits(struct random_state *random)
{
    random->state ^= random->state >> 12;
    random->state ^= random->state << 25;
    random->state ^= random->state >> 27;
    return random->state * UINT64_C(0x2545f4914f6cdd1d);
}

static inline unsigned random_below(struct random_state *random, unsigned limit)
{
    return (unsigned)((random_bits(random) >> 32) % limit);
}

/* Draws an encoding next to a boundary of classes or ranges. */
static inline uint64_t random_special(struct random_state *random, const struct oracle_format *f)
{
    uint64_t one_ulp = 1, hidden = (uint64_t)1 << (f->precision - 1);
    uint64_t one = (uint64_t)(-f->least_exponent + 1) << (f->precision - 1);
    uint64_t bases[] = {0, hidden, one, f->infinity, f->quiet_nan, f->quiet_nan - hidden / 4};
    uint64_t base = bases[random_below(random, 6)];

    switch (random_below(random, 4)) {
    case 0:
        return base + one_ulp;
    case 1:
        return base ? base - one_ulp : base;
    default:
        return base;
    }
}

/*
 * An operand: anything; a special value; a moderate exponent; few bits set (exact results and
 * ties); or something close to `other`, so that sums cancel and comparisons are close.
 */
static inline uint64_t random_operand(struct random_state *random, const struct oracle_format *f,
                                      uint64_t other)
{
    uint64_t bits = random_bits(random) & (oracle_sign_bit(f) | (oracle_sign_bit(f) - 1));
    uint64_t sign = bits & oracle_sign_bit(f);
    uint64_t fraction = bits & (((uint64_t)1 << (f->precision - 1)) - 1);
    uint64_t bias = (uint64_t)(1 - f->least_exponent);
    unsigned spread = 2u * (unsigned)f->precision + 4;
    uint64_t field;

    switch (random_below(random, 8)) {
    case 0:
        return sign | random_special(random, f);
    case 1:
        return (other ^ sign) + random_below(random, 5) - 2;
    case 2: /* few bits */
        fraction &= ~(uint64_t)0 << random_below(random, (unsigned)f->precision);
        break;
    case 3: /* subnormal or nearly */
        return sign | (fraction >> random_below(random, (unsigned)f->precision)) |
               (uint64_t)random_below(random, 2) << (f->precision - 1);
    case 4:
        return bits;
    default:
        break;
    }
    field = bias + random_below(random, spread) - spread / 2;
    if (field > 2 * bias) /* narrow formats */
        field = random_below(random, (unsigned)(2 * bias));
    return sign | field << (f->precision - 1) | fraction;
}

#endif
