/* Values of elements: their types, how far apart two of them are, and how they are written. */
#include "emu/tdiff/lossless.h"

#include "lib/element_text.h"
#include "lib/float_format.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- types ---- */

enum { KEPT_RAW = UINT8_MAX }; /* others: the place of the type in isa_elements, plus 1 */

_Static_assert((int)TYPES < (int)KEPT_RAW, "a byte holds the place of each type");

uint8_t kept_type(struct value_type type)
{
    if (type.is_raw)
        return KEPT_RAW;
    return type.element ? (uint8_t)(type.element - isa_elements + 1) : 0;
}

struct value_type type_from_kept(uint8_t kept)
{
    bool is_raw = kept == KEPT_RAW;

    return (struct value_type){kept && !is_raw ? &isa_elements[kept - 1] : NULL, is_raw};
}

/* ---- tolerance ---- */

static bool fail(struct tdiff *tdiff, bool is_ulp, const char *word)
{
    diag_error(&tdiff->diag, NULL,
               "--%s: '%s' is not a tolerance; expected %s, or TYPE: before it for one type of "
               "floats, separated by commas",
               is_ulp ? "ulp" : "rtol", word, is_ulp ? "a number of ulps" : "a number from 0 to 1");
    return false;
}

static void set(struct tolerance *tolerance, const struct isa_element *type, bool is_ulp,
                double number)
{
    for (size_t i = 0; i < isa_element_count && i < TYPES; i++) {
        if (!type_is_float(&isa_elements[i]) || (type && type != &isa_elements[i]))
            continue;
        if (is_ulp)
            tolerance->ulps[i] = (uint64_t)number;
        else
            tolerance->relative[i] = number;
    }
}

bool tolerance_read(struct tdiff *tdiff, struct tolerance *tolerance, const char *list, bool is_ulp)
{
    for (;; list++) {
        size_t length = strcspn(list, ",");
        const char *word = arena_copy(&tdiff->arena, list, length);
        const char *colon = strchr(word, ':'), *digits = colon ? colon + 1 : word;
        const struct isa_element *type = NULL;
        char *end;
        if (colon) {
            type = isa_find_element(arena_copy(&tdiff->arena, word, (size_t)(colon - word)));
            if (!type_is_float(type))
                return fail(tdiff, is_ulp, word);
        }
        errno = 0;
        double number = strtod(digits, &end);
        if (end == digits || *end || !(*digits >= '0' && *digits <= '9') || errno ||
            !(number <= (is_ulp ? 1e15 : 1)) || (is_ulp && number != floor(number)))
            return fail(tdiff, is_ulp, word);
        set(tolerance, type, is_ulp, number);
        list += length;
        if (!*list)
            return true;
    }
}

static double to_double(const struct isa_element *type, uint64_t bits)
{
    unsigned flags = 0;
    uint64_t wide =
        float_convert(FLOAT_F64, (enum float_format)type->format, bits, FLOAT_RNE, &flags);
    double number;

    memcpy(&number, &wide, sizeof number);
    return number;
}

/* Returns a number that grows with the float by one for each float, or false if it is NaN. */
static bool ordinal(const struct isa_element *type, uint64_t bits, int64_t *place)
{
    const struct float_value value = float_unpack((enum float_format)type->format, bits);
    uint64_t sign = UINT64_C(1) << (type->bits - 1), magnitude = bits & (sign - 1);

    *place = bits & sign ? -(int64_t)magnitude : (int64_t)magnitude;
    return value.kind != FLOAT_QUIET_NAN && value.kind != FLOAT_SIGNALLING_NAN;
}

uint64_t values_ulps(const struct isa_element *type, uint64_t a, uint64_t b)
{
    int64_t left, right;

    if (!type_is_float(type) || !ordinal(type, a, &left) || !ordinal(type, b, &right))
        return UINT64_MAX;
    return left > right ? (uint64_t)left - (uint64_t)right : (uint64_t)right - (uint64_t)left;
}

bool values_are_near(const struct tolerance *tolerance, const struct isa_element *type, uint64_t a,
                     uint64_t b)
{
    size_t place = type ? (size_t)(type - isa_elements) : TYPES;

    if (a == b)
        return true;
    if (!type_is_float(type) || place >= TYPES ||
        (tolerance->ulps[place] == 0 && !(tolerance->relative[place] > 0)))
        return false;
    uint64_t ulps = values_ulps(type, a, b);
    double left = to_double(type, a), right = to_double(type, b);
    if (ulps == UINT64_MAX)
        return isnan(left) && isnan(right);
    if (isinf(left) || isinf(right))
        return ulps == 0;
    return ulps <= tolerance->ulps[place] ||
           fabs(left - right) <= tolerance->relative[place] * fmax(fabs(left), fabs(right));
}

/* ---- text ---- */

void value_append(struct text *text, const struct isa_element *type, uint64_t bits)
{
    if (type && !type->part)
        element_append(text, type, ISA_PRINT_VALUE, &bits);
    else
        text_format(text, "0x%" PRIx64, bits);
}
