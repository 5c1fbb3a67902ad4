/* Reduces the elements of a request to one element, position by position, in element order, as
 * `reduced` in isa/xsparse.yaml. */
#include "emu/units/sparse_parts.h"

#include "emu/float/host.h"
#include <string.h>

static bool is_nan(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000;
}

/* Maps the bits of floats to integers with the same order. */
static int32_t rank(uint32_t bits)
{
    return (int32_t)(bits >> 31 ? bits ^ 0x7fffffff : bits);
}

static uint32_t better(const struct element_type *type, int reduction, uint32_t a, uint32_t b)
{
    if (type->is_float && (is_nan(a) || is_nan(b)))
        return (uint32_t)float_quiet_nan(FLOAT_F32);
    int32_t first = type->is_float ? rank(a) : (int32_t)a;
    int32_t second = type->is_float ? rank(b) : (int32_t)b;
    return (reduction == ISA_VALUE_REDUCTION_MAX) == (second > first) ? b : a;
}

static uint32_t add(const struct element_type *type, uint32_t a, uint32_t b)
{
    unsigned flags = 0;

    return type->is_float ? f32_add(a, b, FLOAT_RNE, &flags) : a + b;
}

static uint32_t divide(const struct element_type *type, uint32_t sum, uint64_t count)
{
    unsigned flags = 0;

    if (!type->is_float)
        return (uint32_t)((int64_t)(int32_t)sum / (int64_t)count);
    uint32_t divisor = (uint32_t)float_from_u64(FLOAT_F32, count, FLOAT_RNE, &flags);
    return f32_div(sum, divisor, FLOAT_RNE, &flags);
}

bool sparse_reduce(struct sparse_work *work, uint64_t count, uint64_t values,
                   const unsigned char *from, unsigned char *to, struct fault *fault)
{
    const struct element_type *type = &work->type;
    const struct element_type wide =
        element_type(type->is_float ? ISA_ELEMENT_F32 : ISA_ELEMENT_I32);
    bool adds =
        work->reduction == ISA_VALUE_REDUCTION_SUM || work->reduction == ISA_VALUE_REDUCTION_MEAN;

    for (uint64_t i = 0; i < values; i++) {
        uint32_t result = 0;
        for (uint64_t element = 0; element < count; element++) {
            uint32_t next = (uint32_t)element_convert(
                &wide, type, element_load(type, from, element * values + i));
            result = adds           ? add(type, result, next)
                     : element == 0 ? better(type, work->reduction, next, next)
                                    : better(type, work->reduction, result, next);
            if (!sparse_in_time(work, type->bytes, fault))
                return false;
        }
        if (work->reduction == ISA_VALUE_REDUCTION_MEAN && count > 0)
            result = divide(type, result, count);
        memcpy(to + i * sizeof result, &result, sizeof result);
    }
    return true;
}
