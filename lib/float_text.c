/*
 * Decimal to binary, exactly.
 *
 * A decimal constant is a quotient of two integers: its digits, and a power of ten that multiplies
 * or divides them. Both are big integers. Long division gives a 64-bit quotient, and a nonzero
 * remainder becomes the sticky bit that float_round expects. The size of the integers is bounded:
 * digits after the first DIGITS_KEPT only matter if they are nonzero (no value halfway between two
 * doubles has more digits), and exponents beyond every format are handled first.
 *
 * Almost all constants need no big integers, because their first 19 digits are an integer of 64
 * bits. Its product with a power of five is exact for small exponents. For others it is computed
 * from the upper 128 bits of the power, and rejected where the error could change its upper 64
 * bits.
 */
#include "lib/float_text.h"
#include "lib/text.h"

#include <stddef.h>
#include <strings.h>

#define DIGITS_KEPT 800 /* significant decimal digits; 767 can be needed */
#define POINT_LIMIT                                                                                \
    400 /* 0.ddd * 10^400 overflows f64; 10^-400 is below half of its smallest number */
#define BIG_WORDS                                                                                  \
    160 /* 10^(DIGITS_KEPT + 1 + POINT_LIMIT) has under 4000 bits, and shifts add 33 */
#define FAR_EXPONENT  5000 /* a binary exponent beyond every format */
#define FEW_DIGITS    19   /* any number of so many digits is below 2^64 */
#define EXACT_POWER   27   /* 5^27 is below 2^63 */
#define LARGE_POWERS  13   /* powers 5^(27 k) are known for k from -13 to 13 */
#define EXPONENT_STOP 100000000

/* A nonnegative integer, least significant word first; words from `count` on are 0. */
struct big {
    uint32_t words[BIG_WORDS];
    int count;
};

static void big_multiply_add(struct big *number, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;

    for (int i = 0; i < number->count; i++) {
        carry += (uint64_t)number->words[i] * factor;
        number->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        number->words[number->count++] = (uint32_t)carry;
}

static int big_bits(const struct big *number)
{
    return 32 * number->count - __builtin_clz(number->words[number->count - 1]);
}

static void big_shift_left(struct big *number, int shift)
{
    int whole = shift / 32, bits = shift % 32;

    if (number->count == 0)
        return;
    for (int i = number->count + whole; i >= 0; i--) {
        uint64_t pair = 0;

        if (i - whole >= 0)
            pair = (uint64_t)number->words[i - whole] << 32;
        if (i - whole >= 1)
            pair |= number->words[i - whole - 1];
        number->words[i] = (uint32_t)(pair << bits >> 32);
    }
    number->count += whole + 1;
    while (number->count && number->words[number->count - 1] == 0)
        number->count--;
}

static int big_compare(const struct big *a, const struct big *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (int i = a->count - 1; i >= 0; i--)
        if (a->words[i] != b->words[i])
            return a->words[i] < b->words[i] ? -1 : 1;
    return 0;
}

/* a -= b, where a >= b. */
static void big_subtract(struct big *a, const struct big *b)
{
    uint64_t borrow = 0;

    for (int i = 0; i < a->count; i++) {
        uint64_t difference = (uint64_t)a->words[i] - b->words[i] - borrow;

        a->words[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
    while (a->count && a->words[a->count - 1] == 0)
        a->count--;
}

/* Returns numerator / denominator, both nonzero, rounded to the format. Destroys both. */
static uint64_t round_quotient(enum float_format format, bool sign, struct big *numerator,
                               struct big *denominator, unsigned *flags)
{
    int exponent = big_bits(numerator) - big_bits(denominator);
    uint64_t quotient = 0;

    big_shift_left(exponent < 0 ? numerator : denominator, exponent < 0 ? -exponent : exponent);
    if (big_compare(numerator, denominator) < 0) {
        big_shift_left(numerator, 1);
        exponent--;
    }
    for (int bit = 63; bit >= 0; bit--) {
        if (big_compare(numerator, denominator) >= 0) {
            big_subtract(numerator, denominator);
            quotient |= (uint64_t)1 << bit;
        }
        big_shift_left(numerator, 1);
    }
    return float_round(format, sign, exponent, quotient | (numerator->count != 0), FLOAT_RNE,
                       flags);
}

static uint64_t far_out(enum float_format format, bool sign, int exponent, unsigned *flags)
{
    return float_round(format, sign, exponent, (uint64_t)1 << 63, FLOAT_RNE, flags);
}

/* ---- decimals of few digits ---- */

/* significand * 2^(exponent - 63), where bit 63 of the significand is set and bit 0 is sticky. */
struct scaled {
    uint64_t significand;
    int exponent;
};

static const uint64_t powers_of_five[EXACT_POWER + 1] = {
    1u,
    5u,
    25u,
    125u,
    625u,
    3125u,
    15625u,
    78125u,
    390625u,
    1953125u,
    9765625u,
    48828125u,
    244140625u,
    1220703125u,
    6103515625u,
    30517578125u,
    152587890625u,
    762939453125u,
    3814697265625u,
    19073486328125u,
    95367431640625u,
    476837158203125u,
    2384185791015625u,
    11920928955078125u,
    59604644775390625u,
    298023223876953125u,
    1490116119384765625u,
    7450580596923828125u,
};

/* The upper 128 bits of 5^(27 k), from k = -13; the rest is cut off. */
static const struct {
    uint64_t high, low;
} large_powers[2 * LARGE_POWERS + 1] = {
    {0x8049a4ac0c5811ae, 0x205b896d777d6278}, {0xcf42894a5dce35ea, 0x52064cac828675b9},
    {0xa76c582338ed2621, 0xaf2af2b80af6f24e}, {0x873e4f75e2224e68, 0x5a7744a6e804a291},
    {0xda7f5bf590966848, 0xaf39a475506a899e}, {0xb080392cc4349dec, 0xbd8d794d96aacfb3},
    {0x8e938662882af53e, 0x547eb47b7282ee9c}, {0xe65829b3046b0afa, 0x0cb4a5a3112a5112},
    {0xba121a4650e4ddeb, 0x92f34d62616ce413}, {0x964e858c91ba2655, 0x3a6a07f8d510f86f},
    {0xf2d56790ab41c2a2, 0xfae27299423fb9c3}, {0xc428d05aa4751e4c, 0xaa97e14c3c26b886},
    {0x9e74d1b791e07e48, 0x775ea264cf55347d}, {0x8000000000000000, 0x0000000000000000},
    {0xcecb8f27f4200f3a, 0x0000000000000000}, {0xa70c3c40a64e6c51, 0x999090b65f67d924},
    {0x86f0ac99b4e8dafd, 0x69a028bb3ded71a3}, {0xda01ee641a708de9, 0xe80e6f4820cc9495},
    {0xb01ae745b101e9e4, 0x5ec05dcff72e7f8f}, {0x8e41ade9fbebc27d, 0x14588f13be847307},
    {0xe5d3ef282a242e81, 0x8f1668c8a86da5fa}, {0xb9a74a0637ce2ee1, 0x6d953e2bd7173692},
    {0x95f83d0a1fb69cd9, 0x4abdaf101564f98e}, {0xf24a01a73cf2dccf, 0xbc633b39673c8cec},
    {0xc3b8358109e84f07, 0x0a862f80ec4700c8}, {0x9e19db92b4e31ba9, 0x6c07a2c26a8346d1},
    {0xff6d0b3492801150, 0x9798278aea58efff},
};

/* Returns floor(log2(5^power)) for powers of the table. */
static int log2_of_five(int power)
{
    return power * 152170 >> 16;
}

static struct scaled scale(unsigned __int128 product, int exponent, bool sticky)
{
    uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
    int zeros = high ? __builtin_clzll(high) : 64 + __builtin_clzll(low);

    product <<= zeros;
    sticky |= (uint64_t)product != 0;
    return (struct scaled){(uint64_t)(product >> 64) | sticky, exponent + 127 - zeros};
}

/* Returns number / 10^power, where the power is at most EXACT_POWER. */
static struct scaled divide(uint64_t number, int power)
{
    uint64_t divisor = powers_of_five[power];
    int zeros = __builtin_clzll(number), divisor_zeros = __builtin_clzll(divisor);

    number <<= zeros;
    divisor <<= divisor_zeros;
    bool smaller = number < divisor;
    unsigned __int128 dividend = (unsigned __int128)number << (smaller ? 64 : 63);
    uint64_t quotient = (uint64_t)(dividend / divisor);
    bool exact = (uint64_t)dividend == quotient * divisor;
    return (struct scaled){quotient | !exact, divisor_zeros - zeros - smaller - power};
}

/* Computes number * 10^power with the power of five from the table. Returns false if the cut off
 * bits might change the result. */
static bool multiply(uint64_t number, int power, struct scaled *result)
{
    int index = (power + LARGE_POWERS * EXACT_POWER) / EXACT_POWER;
    int large = (index - LARGE_POWERS) * EXACT_POWER;
    unsigned __int128 small = (unsigned __int128)number * powers_of_five[power - large];
    int zeros = small >> 64 ? __builtin_clzll((uint64_t)(small >> 64))
                            : 64 + __builtin_clzll((uint64_t)small);
    small <<= zeros;

    /* The upper 128 bits of the product of 256 bits. */
    uint64_t a = (uint64_t)(small >> 64), b = (uint64_t)small;
    uint64_t c = large_powers[index].high, d = large_powers[index].low;
    unsigned __int128 first = (unsigned __int128)a * d, second = (unsigned __int128)b * c;
    unsigned __int128 low = (unsigned __int128)b * d >> 64;
    low += (unsigned __int128)(uint64_t)first + (uint64_t)second;
    unsigned __int128 high =
        (unsigned __int128)a * c + (first >> 64) + (second >> 64) + (low >> 64);

    /* The exact product is larger, but by less than 2 in the last bit. It is never a number of 64
     * bits: its factor 5^|power| has more. */
    bool is_short = !(high >> 127);
    *result = scale(high, log2_of_five(large) + power + 1 - zeros, true);
    return (uint64_t)(high << is_short) < UINT64_MAX - 4;
}

static bool scale_decimal(uint64_t number, int power, struct scaled *result)
{
    if (power >= 0 && power <= EXACT_POWER)
        *result = scale((unsigned __int128)number * powers_of_five[power], power, false);
    else if (power < 0 && power >= -EXACT_POWER)
        *result = divide(number, -power);
    else
        return multiply(number, power, result);
    return true;
}

/* Are there numbers of the format above the first value and up to the second? */
static bool has_between(enum float_format format, struct scaled least, struct scaled most)
{
    unsigned unused = 0;

    return float_round(format, false, least.exponent, least.significand, FLOAT_RTZ, &unused) !=
           float_round(format, false, most.exponent, most.significand, FLOAT_RTZ, &unused);
}

/* Rounds number * 10^power. If the number is cut off, the value is between this and that of the
 * next number. Both must round to the same, and no number of the format may be between them, which
 * might be the value itself. Returns false if the result is not certain. */
static bool round_scaled(enum float_format format, bool sign, uint64_t number, int power,
                         bool cut_off, uint64_t *bits, unsigned *flags)
{
    struct scaled least, most;
    unsigned least_flags = 0, most_flags = 0;

    if (!scale_decimal(number, power, &least) ||
        (cut_off && !scale_decimal(number + 1, power, &most)))
        return false;
    *bits = float_round(format, sign, least.exponent, least.significand | cut_off, FLOAT_RNE,
                        &least_flags);
    if (cut_off && (float_round(format, sign, most.exponent, most.significand, FLOAT_RNE,
                                &most_flags) != *bits ||
                    most_flags != least_flags || has_between(format, least, most)))
        return false;
    *flags |= least_flags;
    return true;
}

/* ---- text ---- */

static int digit_value(char c, int base)
{
    int value = text_hex_digit(c);

    return value < base ? value : -1;
}

/* Reads `e+12` where `letter` is e. The exponent saturates. Returns 0 and leaves *text alone if
 * there is no exponent. */
static long parse_exponent(const char **text, char letter)
{
    const char *at = *text;
    bool negative;
    long value = 0;

    if ((*at | 0x20) != letter)
        return 0;
    at++;
    negative = *at == '-';
    if (*at == '-' || *at == '+')
        at++;
    if (digit_value(*at, 10) < 0)
        return 0;
    for (; digit_value(*at, 10) >= 0; at++)
        if (value < EXPONENT_STOP)
            value = 10 * value + digit_value(*at, 10);
    *text = at;
    return negative ? -value : value;
}

/* A run of digits with at most one point. */
struct digits {
    const char *end; /* NULL if there is no digit at all */
    long after_point;
};

static struct digits scan_digits(const char *text, int base)
{
    struct digits digits = {NULL, 0};
    bool point = false, any = false;

    for (; digit_value(*text, base) >= 0 || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = true;
        } else {
            any = true;
            digits.after_point += point;
        }
    }
    if (any)
        digits.end = text;
    return digits;
}

/* Computes the value of a decimal from its first FEW_DIGITS digits. Returns false where these do
 * not decide it. */
static bool quick_value(enum float_format format, bool sign, const char *text, struct digits digits,
                        long exponent, uint64_t *bits, unsigned *flags)
{
    uint64_t number = 0;
    int kept = 0;
    bool cut_off = false;

    exponent -= digits.after_point;
    for (; text < digits.end; text++) {
        if (*text == '.')
            continue;
        if (kept < FEW_DIGITS) {
            number = 10 * number + (uint64_t)(*text - '0');
            kept += number != 0;
        } else {
            cut_off |= *text != '0';
            exponent++;
        }
    }
    *bits = float_zero(format, sign);
    return !number || (exponent >= -LARGE_POWERS * EXACT_POWER &&
                       exponent < (LARGE_POWERS + 1) * EXACT_POWER &&
                       round_scaled(format, sign, number, (int)exponent, cut_off, bits, flags));
}

/* Computes the value of any decimal but 0. */
static uint64_t decimal_value(enum float_format format, bool sign, const char *text,
                              struct digits digits, long exponent, unsigned *flags)
{
    struct big numerator = {{0}, 0}, denominator = {{1}, 1};
    long kept = 0, dropped = 0;
    bool sticky = false;

    exponent -= digits.after_point;
    for (; text < digits.end; text++) {
        int digit = digit_value(*text, 10);

        if (*text == '.' || (digit == 0 && kept == 0))
            continue;
        if (kept < DIGITS_KEPT) {
            kept++;
            if (numerator.count == 0)
                numerator.count = 1;
            big_multiply_add(&numerator, 10, (uint32_t)digit);
        } else {
            dropped++;
            sticky |= digit != 0;
        }
    }
    if (kept + dropped + exponent > POINT_LIMIT)
        return far_out(format, sign, FAR_EXPONENT, flags);
    if (kept + dropped + exponent < -POINT_LIMIT)
        return far_out(format, sign, -FAR_EXPONENT, flags);

    exponent += dropped;
    if (sticky) {
        big_multiply_add(&numerator, 10, 1);
        exponent--;
    }
    for (; exponent > 0; exponent--)
        big_multiply_add(&numerator, 10, 0);
    for (; exponent < 0; exponent++)
        big_multiply_add(&denominator, 10, 0);
    return round_quotient(format, sign, &numerator, &denominator, flags);
}

static uint64_t hexadecimal_value(enum float_format format, bool sign, const char *text,
                                  struct digits digits, long exponent, unsigned *flags)
{
    uint64_t significand = 0;
    int zeros;

    exponent -= 4 * digits.after_point;
    for (; text < digits.end; text++) {
        if (*text == '.')
            continue;
        if (significand >> 60) { /* full: the rest is sticky */
            significand |= digit_value(*text, 16) != 0;
            exponent += 4;
        } else {
            significand = significand << 4 | (uint64_t)digit_value(*text, 16);
        }
    }
    if (significand == 0)
        return float_zero(format, sign);
    zeros = __builtin_clzll(significand);
    exponent += 63 - zeros;
    if (exponent > FAR_EXPONENT || exponent < -FAR_EXPONENT)
        return far_out(format, sign, exponent < 0 ? -FAR_EXPONENT : FAR_EXPONENT, flags);
    return float_round(format, sign, (int)exponent, significand << zeros, FLOAT_RNE, flags);
}

const char *float_parse(enum float_format format, const char *text, uint64_t *bits, unsigned *flags)
{
    bool sign = *text == '-';
    struct digits digits;
    const char *end;
    long exponent;

    if (*text == '-' || *text == '+')
        text++;
    if (strncasecmp(text, "nan", 3) == 0) {
        if (!float_has_nan(format))
            return NULL;
        *bits = float_zero(format, sign) | (((uint64_t)1 << (float_width(format) - 1)) - 1);
        return text + 3;
    }
    if (strncasecmp(text, "inf", 3) == 0) {
        *bits = float_infinity(format, sign);
        *flags |= float_has_infinity(format) ? 0 : FLOAT_OF;
        return text + (strncasecmp(text, "infinity", 8) == 0 ? 8 : 3);
    }
    if (text[0] == '0' && (text[1] | 0x20) == 'x') {
        digits = scan_digits(text + 2, 16);
        if (digits.end) {
            end = digits.end;
            exponent = parse_exponent(&end, 'p');
            *bits = hexadecimal_value(format, sign, text + 2, digits, exponent, flags);
            return end;
        }
    }
    digits = scan_digits(text, 10);
    if (!digits.end)
        return NULL;
    end = digits.end;
    exponent = parse_exponent(&end, 'e');
    if (!quick_value(format, sign, text, digits, exponent, bits, flags))
        *bits = decimal_value(format, sign, text, digits, exponent, flags);
    return end;
}
