/* See exact.h. A finite number is ±significand · 2^exponent. Zeros have a sign, too. */
#include "emu/reference/exact.h"

#include "emu/units/element.h"
#include "lib/diag.h"
#include "lib/isa.h"

enum kind { NUMBER, INFINITE, NOT_A_NUMBER };

struct number {
    enum kind kind;
    bool negative;
    uint64_t significand;
    int exponent;
};

/* The fields of a type's bits. */
struct layout {
    bool is_float, is_signed;
    unsigned bits, fraction; /* of the encoding, of the fraction */
    int lowest;              /* exponent of the last bit of a subnormal number */
    uint64_t largest;        /* encoding of the largest finite magnitude */
    uint64_t infinity;       /* 0: there is none */
    uint64_t nan;            /* the largest finite magnitude: there is none */
};

static struct layout layout_of(enum isa_element_code code)
{
    const struct element_type type = element_type(code);
    struct layout layout = {
        .is_float = type.is_float, .is_signed = type.is_signed, .bits = type.bits};

    if (type.is_float) {
        const struct float_layout *format = &float_layouts[type.format];
        layout.fraction = (unsigned)format->fraction_bits;
        layout.lowest = 1 - format->bias - format->fraction_bits;
        layout.largest = format->largest;
        layout.nan = format->quiet_nan;
        layout.infinity = float_has_infinity(type.format) ? format->infinity : 0;
    }
    return layout;
}

bool exact_has_type(uint64_t code)
{
    return code <= UINT32_MAX && isa_element_by_code((uint32_t)code) != NULL;
}

uint64_t exact_size(enum isa_element_code type)
{
    return element_type(type).bytes;
}

bool exact_is_float(enum isa_element_code type)
{
    return element_type(type).is_float;
}

static uint64_t low_bits(unsigned count)
{
    return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

uint64_t exact_mask(enum isa_element_code type)
{
    return low_bits(layout_of(type).bits);
}

uint64_t exact_sign(enum isa_element_code type, uint64_t bits)
{
    return bits >> (layout_of(type).bits - 1) & 1;
}

uint64_t exact_exponent(enum isa_element_code type, uint64_t bits)
{
    const struct layout layout = layout_of(type);

    return (bits & low_bits(layout.bits - 1)) >> layout.fraction;
}

uint64_t exact_fraction(enum isa_element_code type, uint64_t bits)
{
    return bits & low_bits(layout_of(type).fraction);
}

static struct number decode(const struct layout *layout, uint64_t bits)
{
    uint64_t magnitude = bits & low_bits(layout->bits - 1);
    struct number number = {.negative = bits >> (layout->bits - 1) & 1};

    if (!layout->is_float && !layout->is_signed)
        return (struct number){.significand = bits & low_bits(layout->bits)};
    if (!layout->is_float) {
        number.significand =
            number.negative ? low_bits(layout->bits - 1) + 1 - magnitude : magnitude;
        return number;
    }
    if (magnitude > layout->largest) {
        number.kind = magnitude == layout->infinity ? INFINITE : NOT_A_NUMBER;
        return number;
    }
    uint64_t exponent = magnitude >> layout->fraction;
    number.significand = magnitude & low_bits(layout->fraction);
    number.exponent = layout->lowest;
    if (exponent > 0) {
        number.significand |= UINT64_C(1) << layout->fraction;
        number.exponent += (int)exponent - 1;
    }
    return number;
}

/* Returns the number as a multiple of 2^exponent, rounded to nearest even. */
static uint64_t round_to(const struct number *number, int exponent)
{
    int shift = exponent - number->exponent;

    if (shift <= 0)
        return number->significand << -shift;
    if (shift > 64)
        return 0;
    uint64_t whole = shift == 64 ? 0 : number->significand >> shift;
    uint64_t half = UINT64_C(1) << (shift - 1), rest = number->significand & (2 * half - 1);
    return whole + (rest > half || (rest == half && whole % 2 == 1));
}

static uint64_t encode_float(const struct layout *layout, const struct number *number)
{
    uint64_t sign = (uint64_t)number->negative << (layout->bits - 1);
    int exponent = layout->lowest;
    uint64_t beyond = layout->infinity                ? sign | layout->infinity
                      : layout->nan > layout->largest ? layout->nan
                                                      : sign | layout->largest;

    if (number->kind == NOT_A_NUMBER)
        return layout->nan;
    if (number->kind == INFINITE)
        return beyond;
    if (number->significand == 0)
        return sign;
    int top = number->exponent + 63 - __builtin_clzll(number->significand);
    if (top - (int)layout->fraction > exponent)
        exponent = top - (int)layout->fraction;
    /* A subnormal number has exponent field 0; a carry out of the fraction counts it up. */
    uint64_t field = (uint64_t)(exponent - layout->lowest);
    if (field > layout->largest >> layout->fraction)
        return beyond;
    uint64_t magnitude = (field << layout->fraction) + round_to(number, exponent);
    return magnitude > layout->largest ? beyond : sign | magnitude;
}

static uint64_t encode_integer(const struct layout *layout, const struct number *number)
{
    uint64_t largest = low_bits(layout->bits - 1) + number->negative;

    if (!layout->is_signed)
        largest = number->negative ? 0 : low_bits(layout->bits);
    uint64_t magnitude = largest;

    if (number->kind == NOT_A_NUMBER)
        return 0;
    if (number->kind == NUMBER &&
        (number->significand == 0 || number->exponent < 0 ||
         63 - __builtin_clzll(number->significand) + number->exponent < 40))
        magnitude = round_to(number, 0);
    if (magnitude > largest)
        magnitude = largest;
    return (number->negative ? -magnitude : magnitude) & low_bits(layout->bits);
}

static uint64_t encode(const struct layout *layout, const struct number *number)
{
    return layout->is_float ? encode_float(layout, number) : encode_integer(layout, number);
}

static uint64_t convert_numbers(enum isa_element_code to, enum isa_element_code from, uint64_t bits)
{
    const struct layout source = layout_of(from), target = layout_of(to);
    const struct number number = decode(&source, bits);

    return encode(&target, &number);
}

static uint64_t product_numbers(enum isa_element_code type, uint64_t a, uint64_t b)
{
    const struct layout layout = layout_of(type);

    if (!layout.is_float)
        return a * b & low_bits(layout.bits);
    const struct number left = decode(&layout, a), right = decode(&layout, b);
    struct number product = {
        .negative = left.negative != right.negative,
        .significand = left.significand * right.significand,
        .exponent = left.exponent + right.exponent,
    };
    if (left.kind == NOT_A_NUMBER || right.kind == NOT_A_NUMBER)
        product.kind = NOT_A_NUMBER;
    else if (left.kind == INFINITE || right.kind == INFINITE)
        product.kind = (left.kind == NUMBER && left.significand == 0) ||
                               (right.kind == NUMBER && right.significand == 0)
                           ? NOT_A_NUMBER
                           : INFINITE;
    return encode(&layout, &product);
}

/* Returns the sum of two finite numbers that are not 0, of which `a` has the larger magnitude, or
 * an equal one. Bits of `b` that are too far down to be added are one bit that is never lost. */
static struct number add_numbers(struct number a, struct number b)
{
    int shift = __builtin_clzll(a.significand) - 2;

    a.significand <<= shift;
    a.exponent -= shift;
    int distance = a.exponent - b.exponent;
    if (distance <= 0)
        b.significand <<= -distance;
    else if (distance > 62)
        b.significand = 1;
    else
        b.significand =
            b.significand >> distance | ((b.significand & low_bits((unsigned)distance)) != 0);
    a.significand =
        a.negative == b.negative ? a.significand + b.significand : a.significand - b.significand;
    if (a.significand == 0)
        a.negative = false; /* x - x is +0 when rounding to nearest */
    return a;
}

static uint64_t sum_numbers(enum isa_element_code type, uint64_t a, uint64_t b)
{
    const struct layout layout = layout_of(type);

    if (!layout.is_float)
        return (a + b) & low_bits(layout.bits);
    uint64_t magnitudes = low_bits(layout.bits - 1);
    bool swapped = (b & magnitudes) > (a & magnitudes);
    struct number large = decode(&layout, swapped ? b : a);
    const struct number small = decode(&layout, swapped ? a : b);
    if (large.kind == INFINITE && small.kind == INFINITE && large.negative != small.negative)
        large.kind = NOT_A_NUMBER;
    if (large.kind == NUMBER && small.significand != 0)
        large = add_numbers(large, small);
    else if (large.kind == NUMBER && large.significand == 0)
        large.negative = large.negative && small.negative;
    return encode(&layout, &large);
}

/* ---- pairs ---- */

/* Returns the number of the type of a pair's numbers. */
static bool find_part(enum isa_element_code type, enum isa_element_code *part)
{
    const struct isa_element *element = isa_element_by_number(type)->part;

    if (!element)
        return false;
    *part = element->code >= 0
                ? (enum isa_element_code)element->code
                : (enum isa_element_code)(ISA_ELEMENT_PLACES + (element - isa_elements));
    return true;
}

static enum isa_element_code part_of(enum isa_element_code type)
{
    enum isa_element_code part;

    if (!find_part(type, &part))
        BUG("element type '%s' is not a pair", isa_element_by_number(type)->name);
    return part;
}

uint64_t exact_real(enum isa_element_code type, uint64_t bits)
{
    return bits & exact_mask(part_of(type));
}

uint64_t exact_imaginary(enum isa_element_code type, uint64_t bits)
{
    enum isa_element_code part = part_of(type);

    return bits >> 8 * exact_size(part) & exact_mask(part);
}

uint64_t exact_complex(enum isa_element_code type, uint64_t real, uint64_t imaginary)
{
    enum isa_element_code part = part_of(type);
    uint64_t mask = exact_mask(part);

    return (real & mask) | (imaginary & mask) << 8 * exact_size(part);
}

uint64_t exact_convert(enum isa_element_code to, enum isa_element_code from, uint64_t bits)
{
    enum isa_element_code part, to_part = to;
    uint64_t real = bits, imaginary = 0;
    bool from_pair = find_part(from, &part), to_pair = find_part(to, &to_part);

    if (from_pair) {
        real = exact_real(from, bits);
        imaginary = exact_imaginary(from, bits);
        from = part;
    }
    real = convert_numbers(to_part, from, real);
    return to_pair ? exact_complex(to, real, convert_numbers(to_part, from, imaginary)) : real;
}

uint64_t exact_sum(enum isa_element_code type, uint64_t a, uint64_t b)
{
    enum isa_element_code part;

    if (!find_part(type, &part))
        return sum_numbers(type, a, b);
    return exact_complex(type, sum_numbers(part, exact_real(type, a), exact_real(type, b)),
                         sum_numbers(part, exact_imaginary(type, a), exact_imaginary(type, b)));
}

/* Returns -bits. */
static uint64_t negate(enum isa_element_code type, uint64_t bits)
{
    const struct layout layout = layout_of(type);

    return layout.is_float ? bits ^ UINT64_C(1) << (layout.bits - 1) : -bits;
}

uint64_t exact_product(enum isa_element_code type, uint64_t a, uint64_t b)
{
    enum isa_element_code part;

    if (!find_part(type, &part))
        return product_numbers(type, a, b);
    uint64_t a_real = exact_real(type, a), a_imaginary = exact_imaginary(type, a);
    uint64_t b_real = exact_real(type, b), b_imaginary = exact_imaginary(type, b);
    uint64_t square = product_numbers(part, a_imaginary, b_imaginary);
    return exact_complex(
        type, sum_numbers(part, product_numbers(part, a_real, b_real), negate(part, square)),
        sum_numbers(part, product_numbers(part, a_real, b_imaginary),
                    product_numbers(part, a_imaginary, b_real)));
}

uint64_t exact_quotient(enum isa_element_code type, uint64_t a, uint64_t b)
{
    const struct layout layout = layout_of(type);
    const struct number left = decode(&layout, a), right = decode(&layout, b);
    bool by_zero = right.kind == NUMBER && right.significand == 0;
    struct number quotient = {.negative = left.negative != right.negative};

    if (left.kind == NOT_A_NUMBER || right.kind == NOT_A_NUMBER ||
        (left.kind == INFINITE && right.kind == INFINITE) ||
        (left.kind == NUMBER && left.significand == 0 && by_zero)) {
        quotient.kind = NOT_A_NUMBER;
    } else if (left.kind == INFINITE || by_zero) {
        quotient.kind = INFINITE;
    } else if (left.significand != 0 && right.kind == NUMBER) {
        /* The quotient has 62 or 63 bits, the lowest of which stands for all that follow, too. */
        int shift = 62 + __builtin_clzll(left.significand) - __builtin_clzll(right.significand);
        unsigned __int128 dividend = (unsigned __int128)left.significand << shift;
        quotient.significand = (uint64_t)(dividend / right.significand);
        quotient.significand |= dividend % right.significand != 0;
        quotient.exponent = left.exponent - right.exponent - shift;
    }
    return encode(&layout, &quotient);
}

/* Maps an element that is not NaN to an integer; the integers have the order of the elements. */
static int64_t order_of(const struct layout *layout, uint64_t bits)
{
    uint64_t magnitude = bits & low_bits(layout->bits - 1);
    bool negative = bits >> (layout->bits - 1) & 1;

    if (layout->is_float)
        return negative ? -(int64_t)magnitude - 1 : (int64_t)magnitude;
    if (!layout->is_signed)
        return (int64_t)(bits ^ UINT64_C(1) << 63);
    return (int64_t)(negative ? magnitude - low_bits(layout->bits - 1) - 1 : magnitude);
}

static uint64_t choose(enum isa_element_code type, uint64_t a, uint64_t b, bool larger)
{
    const struct layout layout = layout_of(type);

    if (decode(&layout, a).kind == NOT_A_NUMBER || decode(&layout, b).kind == NOT_A_NUMBER)
        return layout.nan;
    return (order_of(&layout, a) < order_of(&layout, b)) == larger ? b : a;
}

uint64_t exact_maximum(enum isa_element_code type, uint64_t a, uint64_t b)
{
    return choose(type, a, b, true);
}

uint64_t exact_minimum(enum isa_element_code type, uint64_t a, uint64_t b)
{
    return choose(type, a, b, false);
}

uint64_t exact_nearest(enum isa_element_code type, uint64_t value)
{
    const struct layout layout = layout_of(type);
    const struct number number = {.significand = value};

    return encode(&layout, &number);
}
