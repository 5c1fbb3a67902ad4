/* The names, sizes and formats of element types are those of the ISA description. A float's format
 * is found in lib/float_format.h by its name, and the widths of its fields must agree. A conversion
 * unpacks a value and rounds it once, in integer arithmetic, so the result is the same on every
 * host. */
#include "emu/units/element.h"

#include "emu/softfloat.h"
#include "lib/bytes.h"
#include "lib/diag.h"
#include "lib/isa.h"
#include <string.h>

static enum float_format format_of(const struct isa_element *element)
{
    for (int i = 0; i < FLOAT_FORMAT_COUNT; i++)
        if (strcmp(float_layouts[i].name, element->name) == 0 &&
            float_layouts[i].exponent_bits == element->exponent &&
            float_layouts[i].fraction_bits == element->fraction)
            return (enum float_format)i;
    BUG("no float format '%s'", element->name);
}

struct element_type element_type(enum isa_element_code code)
{
    for (size_t i = 0; i < isa_element_count; i++) {
        const struct isa_element *element = &isa_elements[i];
        if (element->code != code)
            continue;
        struct element_type type = {
            .name = element->name, .bytes = element->bits / 8, .is_float = element->exponent > 0};
        if (type.is_float)
            type.format = format_of(element);
        return type;
    }
    BUG("no element type of code %d", code);
}

uint64_t element_load(const struct element_type *type, const void *array, uint64_t index)
{
    return bytes_get((const unsigned char *)array + index * type->bytes, type->bytes);
}

void element_store(const struct element_type *type, void *array, uint64_t index, uint64_t bits)
{
    bytes_put((unsigned char *)array + index * type->bytes, bits, type->bytes);
}

static int64_t sign_extend(const struct element_type *type, uint64_t bits)
{
    unsigned unused = 64 - 8 * type->bytes;

    return (int64_t)(bits << unused) >> unused;
}

/* Returns the integer of the type that is nearest to the value with this sign and magnitude. */
static uint64_t saturate(const struct element_type *type, bool negative, uint64_t magnitude)
{
    uint64_t largest = (UINT64_C(1) << (8 * type->bytes - 1)) - 1 + negative;
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
    int64_t value = sign_extend(from, bits);
    if (to->is_float)
        return float_from_i64(to->format, value, FLOAT_RNE, &flags);
    return saturate(to, value < 0, value < 0 ? -(uint64_t)value : (uint64_t)value);
}
