/*
 * Decimal to binary, exactly.
 *
 * A decimal constant is a quotient of two integers: its digits, and a power of ten that multiplies
 * or divides them. Both are big integers. Long division gives a 64-bit quotient, and a nonzero
 * remainder becomes the sticky bit that float_round expects. The size of the integers is bounded:
 * digits after the first DIGITS_KEPT only matter if they are nonzero (no value halfway between two
 * doubles has more digits), and exponents beyond every format are handled first.
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
    if (kept == 0)
        return float_zero(format, sign);
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
    *bits = decimal_value(format, sign, text, digits, exponent, flags);
    return end;
}
