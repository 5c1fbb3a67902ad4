/* Element types are those of the ISA description. A conversion unpacks a value and rounds it once,
 * in integer arithmetic, so the result is the same on every host. */
#include "emu/units/element.h"

#include "emu/float/softfloat.h"
#include "lib/bytes.h"
#include "lib/diag.h"
#include "lib/isa.h"

struct element_type element_type(enum isa_element_code code)
{
    const struct isa_element *element = isa_element_by_number(code);

    if (!element)
        BUG("no element type of number %d", code);
    return (struct element_type){.name = element->name,
                                 .bytes = element->bytes,
                                 .bits = element->bits,
                                 .is_float = element->exponent > 0,
                                 .is_signed = element->is_signed,
                                 .format = (enum float_format)element->format};
}

/* Returns the low bits, as many as the type has. */
static uint64_t low_bits(const struct element_type *type, uint64_t bits)
{
    unsigned unused = 64 - type->bits;

    return bits << unused >> unused;
}

uint64_t element_load(const struct element_type *type, const void *array, uint64_t index)
{
    return low_bits(type,
                    bytes_get((const unsigned char *)array + index * type->bytes, type->bytes));
}

void element_store(const struct element_type *type, void *array, uint64_t index, uint64_t bits)
{
    bytes_put((unsigned char *)array + index * type->bytes, low_bits(type, bits), type->bytes);
}

static int64_t sign_extend(const struct element_type *type, uint64_t bits)
{
    unsigned unused = 64 - type->bits;

    return (int64_t)(bits << unused) >> unused;
}

/* Returns the integer of the type that is nearest to the value with this sign and magnitude. */
static uint64_t saturate(const struct element_type *type, bool negative, uint64_t magnitude)
{
    uint64_t largest = low_bits(type, UINT64_MAX);

    if (type->is_signed)
        largest = largest / 2 + negative;
    else if (negative)
        largest = 0;
    uint64_t bounded = magnitude < largest ? magnitude : largest;

    return negative ? -bounded : bounded;
}

static uint64_t float_to_integer_type(const struct element_type *to, enum float_format from,
                                      uint64_t bits)
{
    struct float_value value = float_unpack(from, bits);
    bool inexact, too_large;

    switch (value.kind) {
    case FLOAT_ZERO:
    case FLOAT_FINITE:
        return saturate(to, value.sign, float_to_integer(value, FLOAT_RNE, &inexact, &too_large));
    case FLOAT_INFINITE:
        return saturate(to, value.sign, UINT64_MAX);
    default:
        return 0;
    }
}

uint64_t element_convert(const struct element_type *to, const struct element_type *from,
                         uint64_t bits)
{
    unsigned flags = 0;

    if (to->is_float && from->is_float)
        return float_convert(to->format, from->format, bits, FLOAT_RNE, &flags);
    if (from->is_float)
        return float_to_integer_type(to, from->format, bits);
    bool negative = from->is_signed && sign_extend(from, bits) < 0;
    uint64_t magnitude = negative ? -(uint64_t)sign_extend(from, bits) : bits;
    if (!to->is_float)
        return saturate(to, negative, magnitude);
    if (from->is_signed)
        return float_from_i64(to->format, sign_extend(from, bits), FLOAT_RNE, &flags);
    return float_from_u64(to->format, magnitude, FLOAT_RNE, &flags);
}
