/*
 * A direct and slow model of the matrix unit as machine.md, 2 defines it. It decodes elements by
 * their fields, computes one element of the output at a time, sums lanes and tree by recursion, and
 * does every float operation in double before rounding. (The product of two floats is exact in
 * double. For a sum, double has more than twice the precision plus two bits, so rounding twice
 * gives the same as rounding once.)
 */
#ifndef TESTS_UNIT_MATRIX_MODEL_H
#define TESTS_UNIT_MATRIX_MODEL_H

#include "tensor_world.h"

#include <math.h>

#include "emu/units/matrix.h"

#define SPM            WORLD_SPM_BASE
#define MODEL_NAN_BITS 0x7fc00000u

/* A type, described independently of the ISA tables. */
struct model_type {
    const char *name;
    enum isa_element_code code;
    uint32_t bytes;
    int exponent, fraction; /* bits; 0 for integers */
    bool has_infinity;
};

static const struct model_type model_types[] = {
    {"f32", ISA_ELEMENT_F32, 4, 8, 23, true},  {"f16", ISA_ELEMENT_F16, 2, 5, 10, true},
    {"bf16", ISA_ELEMENT_BF16, 2, 8, 7, true}, {"e4m3", ISA_ELEMENT_E4M3, 1, 4, 3, false},
    {"e5m2", ISA_ELEMENT_E5M2, 1, 5, 2, true}, {"i8", ISA_ELEMENT_I8, 1, 0, 0, false},
    {"i32", ISA_ELEMENT_I32, 4, 0, 0, false},
};

enum { MODEL_TYPES = 6 /* of products; i32 follows */ };

static inline float model_float(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t model_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return value != value ? MODEL_NAN_BITS : bits;
}

/* ---- elements in the scratchpad ---- */

static inline unsigned char *model_host(struct world *world, uint64_t address)
{
    return world->spm + (address - SPM);
}

static inline uint32_t model_load(struct world *world, const struct model_type *type,
                                  uint64_t address, uint64_t index)
{
    uint32_t bits = 0;

    memcpy(&bits, model_host(world, address + index * type->bytes), type->bytes);
    return bits;
}

static inline void model_store(struct world *world, const struct model_type *type, uint64_t address,
                               uint64_t index, uint32_t bits)
{
    memcpy(model_host(world, address + index * type->bytes), &bits, type->bytes);
}

/* The value of an element: every float of the narrow types is a float, every integer an int32. */
static inline float model_value(const struct model_type *type, uint32_t bits)
{
    int fields = (1 << type->exponent) - 1, bias = fields / 2;
    int exponent = (int)(bits >> type->fraction) & fields;
    uint32_t fraction = bits & ((1u << type->fraction) - 1);
    float sign = bits >> (8 * type->bytes - 1) ? -1 : 1;

    if (type->has_infinity && exponent == fields)
        return fraction ? NAN : sign * INFINITY;
    if (!type->has_infinity && exponent == fields && fraction == (1u << type->fraction) - 1)
        return NAN;
    if (exponent == 0)
        return sign * ldexpf((float)fraction, 1 - bias - type->fraction);
    return sign *
           ldexpf((float)(fraction | 1u << type->fraction), exponent - bias - type->fraction);
}

static inline int32_t model_integer(const struct model_type *type, uint32_t bits)
{
    return type->bytes == 1 ? (int8_t)bits : (int32_t)bits;
}

/* ---- products ---- */

static inline float model_multiply(float a, float b)
{
    return (float)((double)a * (double)b);
}

static inline float model_add(float a, float b)
{
    return (float)((double)a + (double)b);
}

struct model_product {
    struct world *world;
    const struct model_type *type;
    uint64_t left, right; /* addresses of the matrices */
    uint64_t m, k, n;
    uint32_t lanes;
};

static inline float model_lane(const struct model_product *product, uint64_t row, uint64_t column,
                               uint64_t i)
{
    const struct model_type *type = product->type;

    if (i >= product->k)
        return 0.0f;
    return model_multiply(
        model_value(type, model_load(product->world, type, product->left, row * product->k + i)),
        model_value(type,
                    model_load(product->world, type, product->right, i * product->n + column)));
}

/* Returns the sum of `width` lanes from product `first` on, as the sum of its two halves. */
static inline float model_tree(const struct model_product *product, uint64_t row, uint64_t column,
                               uint64_t first, uint32_t width)
{
    if (width == 1)
        return model_lane(product, row, column, first);
    return model_add(model_tree(product, row, column, first, width / 2),
                     model_tree(product, row, column, first + width / 2, width / 2));
}

static inline uint32_t model_float_element(const struct model_product *product, uint64_t row,
                                           uint64_t column)
{
    float accumulator = 0.0f;

    for (uint64_t first = 0; first < product->k; first += product->lanes)
        accumulator =
            model_add(accumulator, model_tree(product, row, column, first, product->lanes));
    return model_bits(accumulator);
}

static inline uint32_t model_integer_element(const struct model_product *product, uint64_t row,
                                             uint64_t column)
{
    const struct model_type *type = product->type;
    int64_t sum = 0;

    for (uint64_t i = 0; i < product->k; i++)
        sum += (int64_t)model_integer(
                   type, model_load(product->world, type, product->left, row * product->k + i)) *
               model_integer(
                   type, model_load(product->world, type, product->right, i * product->n + column));
    return (uint32_t)sum;
}

/* Computes all words of the output. Called before the instruction runs. */
static inline void model_run(const struct model_product *product, uint32_t *out)
{
    for (uint64_t row = 0; row < product->m; row++)
        for (uint64_t column = 0; column < product->n; column++)
            out[row * product->n + column] = product->type->exponent
                                                 ? model_float_element(product, row, column)
                                                 : model_integer_element(product, row, column);
}

/* ---- operands ---- */

/* Draws an integer, or a float whose sums are often rounded: with close exponents and full
 * mantissas. `wild` adds special values. */
static inline uint32_t model_random(struct world *world, const struct model_type *type, bool wild)
{
    uint64_t random = world_random(world);
    uint32_t sign = 1u << (8 * type->bytes - 1), top = sign - (1u << type->fraction);
    uint32_t fraction = (1u << type->fraction) - 1;
    const uint32_t special[] = {0, top,      top + 1,      top | fraction,
                                1, fraction, fraction + 1, top - 1};
    uint32_t bias = (1u << type->exponent) / 2 - 1;
    uint32_t spread = bias < 8 ? bias : 8;

    if (!type->exponent || (wild && random % 23 == 0))
        return (uint32_t)(random >> 16) & (sign | (sign - 1)); /* any bits */
    if (wild && random % 19 == 0)
        return special[(random >> 40) % 8] | ((random >> 50) % 2 ? sign : 0);
    return ((uint32_t)random & (sign | fraction)) | (bias - spread / 2 + (random >> 32) % spread)
                                                        << type->fraction;
}

static inline void model_fill(struct world *world, const struct model_type *type, uint64_t address,
                              uint64_t count, bool wild)
{
    for (uint64_t i = 0; i < count; i++)
        model_store(world, type, address, i, model_random(world, type, wild));
}

static inline struct matrix_unit model_unit(struct world *world, uint32_t lanes)
{
    struct config config = world_config(lanes);
    struct matrix_unit unit;

    matrix_init(
        &unit,
        &(struct matrix_settings){.lanes = config.matrix_lanes, .slaves = config.matrix_slaves},
        &world->arena);
    return unit;
}

/* Checks that the elements at an address are the expected ones. */
static inline void model_check(struct world *world, const struct model_type *type, uint64_t address,
                               const uint32_t *expected, uint64_t count, const char *what)
{
    for (uint64_t i = 0; i < count; i++) {
        uint32_t got = model_load(world, type, address, i);
        if (got != expected[i])
            fail_msg("%s: element %llu is %x, expected %x", what, (unsigned long long)i, got,
                     expected[i]);
    }
}

#endif
