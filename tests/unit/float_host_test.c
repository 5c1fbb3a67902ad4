/*
 * emu/float/host.h and emu/float/half.h, which use the host's FPU, are compared with
 * emu/float/softfloat.c, which does not, and with MPFR: results and flags, with all previous flags that affect how they are computed.
 *
 * Calls of softfloat are counted, because a fast path that is never taken would pass every
 * comparison.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "emu/float/softfloat.h"
#include "tests/unit/float_oracle.h"

static unsigned long left_to_softfloat;

#define COUNTED(function)    (left_to_softfloat++, function)
#define float_add            COUNTED(float_add)
#define float_mul            COUNTED(float_mul)
#define float_div            COUNTED(float_div)
#define float_sqrt           COUNTED(float_sqrt)
#define float_mul_add        COUNTED(float_mul_add)
#define float_from_i64       COUNTED(float_from_i64)
#define float_from_u64       COUNTED(float_from_u64)
#define float_convert        COUNTED(float_convert)
#define float_to_integral    COUNTED(float_to_integral)
#define float_to_i32_modular COUNTED(float_to_i32_modular)
#include "emu/float/half.h"
#undef float_add
#undef float_mul
#undef float_div
#undef float_sqrt
#undef float_mul_add
#undef float_from_i64
#undef float_from_u64
#undef float_convert
#undef float_to_integral
#undef float_to_i32_modular

enum {
    RANDOM_ROUNDS = 100000,
    MPFR_ROUNDS = 10000,
    EDGE_LIMIT = 512,
};

/* f32_NAME(arguments) and float_NAME(FLOAT_F32, arguments), for each operation. */
#define OPERATIONS(X, format, FORMAT)                                                              \
    X(format, FORMAT, add, 2, v[0], v[1], rounding, flags)                                         \
    X(format, FORMAT, sub, 2, v[0], v[1], rounding, flags)                                         \
    X(format, FORMAT, mul, 2, v[0], v[1], rounding, flags)                                         \
    X(format, FORMAT, div, 2, v[0], v[1], rounding, flags)                                         \
    X(format, FORMAT, sqrt, 1, v[0], rounding, flags)                                              \
    X(format, FORMAT, mul_add, 3, v[0], v[1], v[2], rounding, flags)                               \
    X(format, FORMAT, eq, 2, v[0], v[1], flags)                                                    \
    X(format, FORMAT, lt, 2, v[0], v[1], flags)                                                    \
    X(format, FORMAT, le, 2, v[0], v[1], flags)                                                    \
    X(format, FORMAT, min, 2, v[0], v[1], flags)                                                   \
    X(format, FORMAT, max, 2, v[0], v[1], flags)                                                   \
    X(format, FORMAT, to_i32, 1, v[0], rounding, flags)                                            \
    X(format, FORMAT, to_u32, 1, v[0], rounding, flags)                                            \
    X(format, FORMAT, to_i64, 1, v[0], rounding, flags)                                            \
    X(format, FORMAT, to_u64, 1, v[0], rounding, flags)                                            \
    X(format, FORMAT, minimum, 2, v[0], v[1], flags)                                               \
    X(format, FORMAT, maximum, 2, v[0], v[1], flags)                                               \
    X(format, FORMAT, lt_quiet, 2, v[0], v[1], flags)                                              \
    X(format, FORMAT, le_quiet, 2, v[0], v[1], flags)                                              \
    X(format, FORMAT, to_integral, 1, v[0], rounding, false, flags)                                \
    X(format, FORMAT, to_exact, 1, v[0], rounding, flags)
#define f16_to_exact(a, rounding, flags) f16_to_integral(a, rounding, true, flags)
#define f32_to_exact(a, rounding, flags) f32_to_integral(a, rounding, true, flags)
#define f64_to_exact(a, rounding, flags) f64_to_integral(a, rounding, true, flags)
#define float_to_exact(format, a, rounding, flags)                                                 \
    float_to_integral(format, a, rounding, true, flags)

#define DEFINE(format, FORMAT, name, count, ...)                                                   \
    static uint64_t host_##format##_##name(const uint64_t *v, int rounding, unsigned *flags)       \
    {                                                                                              \
        (void)rounding;                                                                            \
        return (uint64_t)format##_##name(__VA_ARGS__);                                             \
    }                                                                                              \
    static uint64_t soft_##format##_##name(const uint64_t *v, int rounding, unsigned *flags)       \
    {                                                                                              \
        (void)rounding;                                                                            \
        return (uint64_t)float_##name(FLOAT_##FORMAT, __VA_ARGS__);                                \
    }
OPERATIONS(DEFINE, f16, F16)
OPERATIONS(DEFINE, f32, F32)
OPERATIONS(DEFINE, f64, F64)
DEFINE(f64, F64, to_i32_modular, 1, v[0], flags)

#define LIST(format, FORMAT, name, count, ...)                                                     \
    {#format "_" #name, FLOAT_##FORMAT, count, host_##format##_##name, soft_##format##_##name},

static const struct tested {
    const char *name;
    enum float_format format;
    int count; /* operands */
    uint64_t (*host)(const uint64_t *v, int rounding, unsigned *flags);
    uint64_t (*soft)(const uint64_t *v, int rounding, unsigned *flags);
} tested[] = {OPERATIONS(LIST, f16, F16) OPERATIONS(LIST, f32, F32) OPERATIONS(LIST, f64, F64)
                  LIST(f64, F64, to_i32_modular, 1, v[0], flags)};

#define TESTED_COUNT ((int)(sizeof tested / sizeof tested[0]))

static void check(const char *name, const uint64_t *v, int rounding, unsigned before,
                  uint64_t result, unsigned flags, uint64_t expected, unsigned expected_flags)
{
    if (result != expected || flags != (before | expected_flags))
        fail_msg("%s(%#jx, %#jx, %#jx) rm=%d after flags %#x: got %#jx flags %#x, expected %#jx "
                 "flags %#x",
                 name, (uintmax_t)v[0], (uintmax_t)v[1], (uintmax_t)v[2], rounding, before,
                 (uintmax_t)result, flags, (uintmax_t)expected, before | expected_flags);
}

static void check_one(const struct tested *t, const uint64_t *v, int rounding)
{
    static const unsigned before[] = {0, FLOAT_NX, 0x1f & ~FLOAT_NX, 0x1f};
    unsigned expected_flags = 0;
    uint64_t expected = t->soft(v, rounding, &expected_flags);

    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        unsigned flags = before[i];
        uint64_t result = t->host(v, rounding, &flags);

        check(t->name, v, rounding, before[i], result, flags, expected, expected_flags);
    }
}

static uint64_t encoding_mask(const struct oracle_format *f)
{
    return oracle_sign_bit(f) | (oracle_sign_bit(f) - 1);
}

/* Returns the encoding of 2^exponent. */
static uint64_t power(const struct oracle_format *f, int exponent)
{
    return (uint64_t)(exponent - f->least_exponent + 1) << (f->precision - 1);
}

/* Lists encodings at the boundaries of classes and ranges, and their neighbors, with both signs.
 */
static int edges(const struct oracle_format *f, uint64_t *list)
{
    int half = f->least_exponent / 2; /* two of them make the least normal number */
    const uint64_t bases[] = {0,
                              power(f, f->least_exponent),
                              power(f, f->least_exponent + 1),
                              power(f, half),
                              power(f, -f->precision),
                              power(f, -1),
                              power(f, 0),
                              power(f, 0) | power(f, f->least_exponent) / 2, /* 1.5 */
                              power(f, 1),
                              power(f, f->precision - 1),
                              power(f, f->precision),
                              power(f, 31),
                              power(f, 32),
                              power(f, 51),
                              power(f, 63),
                              power(f, 64),
                              power(f, 1 - half),
                              f->infinity,
                              f->quiet_nan};
    int count = 0;

    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++)
        for (int step = bases[i] ? -2 : 0; step <= 2; step++) {
            list[count] = (bases[i] + (uint64_t)(int64_t)step) & encoding_mask(f);
            list[count + 1] = list[count] | oracle_sign_bit(f);
            count += 2;
        }
    assert_true(count <= EDGE_LIMIT);
    return count;
}

static void test_edges(void **state)
{
    (void)state;
    for (int t = 0; t < TESTED_COUNT; t++) {
        uint64_t list[EDGE_LIMIT], v[3] = {0};
        int count = edges(oracle_format(tested[t].format), list);
        struct random_state random = {17};

        for (int i = 0; i < count; i++)
            for (int j = 0; j < (tested[t].count > 1 ? count : 1); j++)
                for (int rounding = FLOAT_RNE; rounding <= FLOAT_RMM; rounding++) {
                    v[0] = list[i];
                    v[1] = list[j];
                    v[2] = list[random_below(&random, (unsigned)count)];
                    check_one(&tested[t], v, rounding);
                }
    }
}

/* The third operand of a fused operation also takes all edge values. */
static void test_edge_triples(void **state)
{
    (void)state;
    for (int t = 0; t < TESTED_COUNT; t++) {
        uint64_t list[EDGE_LIMIT], v[3];
        int count = tested[t].count == 3 ? edges(oracle_format(tested[t].format), list) : 0;

        for (int i = 0; i < count; i++)
            for (int j = 0; j < count; j += 3)
                for (int k = 0; k < count; k++) {
                    v[0] = list[i];
                    v[1] = list[j];
                    v[2] = list[k];
                    check_one(&tested[t], v, FLOAT_RNE);
                }
    }
}

/* Draws a multiple of 1/4 of any size, for conversions to integers. */
static uint64_t random_quarters(struct random_state *random, const struct oracle_format *f)
{
    int64_t integer = (int64_t)random_bits(random) >> random_below(random, 64);
    unsigned ignored = 0;
    uint64_t bits = float_from_i64(f->format, integer, FLOAT_RTZ, &ignored);

    return float_mul(f->format, bits, power(f, -2), FLOAT_RTZ, &ignored);
}

/* Changes the operands so that the result is exact, nearly exact, or at the end of the range. */
static void relate(struct random_state *random, const struct tested *t, uint64_t *v)
{
    const struct oracle_format *f = oracle_format(t->format);
    uint64_t few = encoding_mask(f) << (f->precision / 2 + random_below(random, 3) - 1);
    unsigned ignored = 0;

    switch (random_below(random, 6)) {
    case 0: /* v[1] divides v[0]; v[0] is a square; v[2] takes the product away */
        v[0] &= few;
        v[1] &= few;
        if (t->count == 1)
            v[0] = float_mul(f->format, v[0], v[0], FLOAT_RNE, &ignored);
        else if (t->count == 2)
            v[0] = float_mul(f->format, v[0], v[1], FLOAT_RNE, &ignored);
        v[2] = float_mul(f->format, v[0], v[1], FLOAT_RNE, &ignored) ^ oracle_sign_bit(f);
        v[2] += random_below(random, 3) - 1;
        break;
    case 1: /* the product, or the quotient, is about the least normal number */
        v[0] = random_bits(random) >> 20 & (power(f, f->least_exponent) - 1);
        v[1] = v[0] ^ (power(f, f->least_exponent) - 1);
        v[0] |= power(f, (int)random_below(random, 40) - 20);
        v[1] += power(f, f->least_exponent + (int)random_below(random, 40));
        v[1] -= v[0] - power(f, 0);
        v[2] = random_special(random, f);
        break;
    case 2:
        v[0] = random_quarters(random, f);
        v[1] = random_quarters(random, f);
        v[2] = random_quarters(random, f);
        break;
    case 3: /* a sum that is nearly in the middle between two */
        v[2] = float_mul(f->format, v[0], v[1], FLOAT_RNE, &ignored) &
               ~(power(f, f->least_exponent) - 1);
        v[2] -= power(f, f->least_exponent + f->precision - 3 + (int)random_below(random, 4));
        v[2] |= random_below(random, 2);
        break;
    default:
        break;
    }
    for (int i = 0; i < 3; i++)
        v[i] &= encoding_mask(f);
}

static void draw(struct random_state *random, const struct tested *t, uint64_t *v)
{
    const struct oracle_format *f = oracle_format(t->format);

    v[0] = random_operand(random, f, 0);
    v[1] = random_operand(random, f, v[0]) & encoding_mask(f);
    v[2] = random_operand(random, f, v[0]) & encoding_mask(f);
    relate(random, t, v);
}

static void test_classes(void **state)
{
    struct random_state random = {11};

    (void)state;
    for (uint32_t a = 0; a <= UINT16_MAX; a++)
        assert_int_equal(f16_classify((uint16_t)a), float_classify(FLOAT_F16, a));
    for (int i = 0; i < 100000; i++) {
        /* exponents at the ends, and fractions of few bits, are as frequent as others */
        uint64_t a = random_bits(&random) >> random_below(&random, 2) * random_below(&random, 64);
        a ^= random_below(&random, 2) ? UINT64_C(0x7ff) << 52 : UINT64_C(0xff) << 23;
        assert_int_equal(f64_classify(a), float_classify(FLOAT_F64, a));
        assert_int_equal(f32_classify((uint32_t)a), float_classify(FLOAT_F32, (uint32_t)a));
    }
}

static void test_random_operands(void **state)
{
    (void)state;
    for (int t = 0; t < TESTED_COUNT; t++) {
        struct random_state random = {0x9e3779b97f4a7c15u + (unsigned)t};
        uint64_t v[3];

        for (int i = 0; i < RANDOM_ROUNDS; i++) {
            draw(&random, &tested[t], v);
            check_one(&tested[t], v, FLOAT_RNE);
            check_one(&tested[t], v, 1 + (int)random_below(&random, 4));
        }
    }
}

static void test_arithmetic_equals_mpfr(void **state)
{
    (void)state;
    for (int t = 0; t < TESTED_COUNT; t++) {
        const struct oracle_format *f = oracle_format(tested[t].format);
        struct random_state random = {0xd1b54a32d192ed03u + (unsigned)t};
        int operation = OPERATION_ADD;
        uint64_t v[3];

        while (operation <= OPERATION_MUL_ADD &&
               strcmp(tested[t].name + strlen("f32_"), operation_names[operation]) != 0)
            operation++;
        for (int i = 0; i < MPFR_ROUNDS && operation <= OPERATION_MUL_ADD; i++) {
            unsigned before = i & 1 ? FLOAT_NX : 0;
            unsigned flags = before, expected_flags = 0;

            draw(&random, &tested[t], v);
            uint64_t result = tested[t].host(v, FLOAT_RNE, &flags);
            uint64_t expected =
                oracle_operation((enum operation)operation, f, v, FLOAT_RNE, &expected_flags);
            check(tested[t].name, v, FLOAT_RNE, before, result, flags, expected, expected_flags);
        }
    }
}

/* Conversions from integers, where the operand is not an encoding, and between the formats. Each
 * begins with what the operand is. */
enum { INTEGER = -1 };
#define CONVERSIONS(X)                                                                             \
    X(INTEGER, f16_from_i32((int32_t)a, rounding, flags),                                          \
      float_from_i64(FLOAT_F16, (int32_t)a, rounding, flags))                                      \
    X(INTEGER, f16_from_u32((uint32_t)a, rounding, flags),                                         \
      float_from_u64(FLOAT_F16, (uint32_t)a, rounding, flags))                                     \
    X(INTEGER, f16_from_i64((int64_t)a, rounding, flags),                                          \
      float_from_i64(FLOAT_F16, (int64_t)a, rounding, flags))                                      \
    X(INTEGER, f16_from_u64(a, rounding, flags), float_from_u64(FLOAT_F16, a, rounding, flags))    \
    X(INTEGER, f32_from_i32((int32_t)a, rounding, flags),                                          \
      float_from_i64(FLOAT_F32, (int32_t)a, rounding, flags))                                      \
    X(INTEGER, f32_from_u32((uint32_t)a, rounding, flags),                                         \
      float_from_u64(FLOAT_F32, (uint32_t)a, rounding, flags))                                     \
    X(INTEGER, f32_from_i64((int64_t)a, rounding, flags),                                          \
      float_from_i64(FLOAT_F32, (int64_t)a, rounding, flags))                                      \
    X(INTEGER, f32_from_u64(a, rounding, flags), float_from_u64(FLOAT_F32, a, rounding, flags))    \
    X(INTEGER, f64_from_i32((int32_t)a, rounding, flags),                                          \
      float_from_i64(FLOAT_F64, (int32_t)a, rounding, flags))                                      \
    X(INTEGER, f64_from_u32((uint32_t)a, rounding, flags),                                         \
      float_from_u64(FLOAT_F64, (uint32_t)a, rounding, flags))                                     \
    X(INTEGER, f64_from_i64((int64_t)a, rounding, flags),                                          \
      float_from_i64(FLOAT_F64, (int64_t)a, rounding, flags))                                      \
    X(INTEGER, f64_from_u64(a, rounding, flags), float_from_u64(FLOAT_F64, a, rounding, flags))    \
    X(FLOAT_F32, f32_to_f64((uint32_t)a, flags),                                                   \
      float_convert(FLOAT_F64, FLOAT_F32, (uint32_t)a, FLOAT_RNE, flags))                          \
    X(FLOAT_F64, f64_to_f32(a, rounding, flags),                                                   \
      float_convert(FLOAT_F32, FLOAT_F64, a, rounding, flags))                                     \
    X(FLOAT_F16, f16_to_f32((uint16_t)a, flags),                                                   \
      float_convert(FLOAT_F32, FLOAT_F16, (uint16_t)a, FLOAT_RNE, flags))                          \
    X(FLOAT_F16, f16_to_f64((uint16_t)a, flags),                                                   \
      float_convert(FLOAT_F64, FLOAT_F16, (uint16_t)a, FLOAT_RNE, flags))                          \
    X(FLOAT_F32, f32_to_f16((uint32_t)a, rounding, flags),                                         \
      float_convert(FLOAT_F16, FLOAT_F32, (uint32_t)a, rounding, flags))                           \
    X(FLOAT_F64, f64_to_f16(a, rounding, flags),                                                   \
      float_convert(FLOAT_F16, FLOAT_F64, a, rounding, flags))

#define OPERAND(operand, host, soft) operand,
static const int operands[] = {CONVERSIONS(OPERAND)};
enum { CONVERSION_COUNT = sizeof operands / sizeof operands[0] };

/* Applies conversion `which` of the list, on the host or in softfloat. */
static uint64_t convert(int which, bool on_host, uint64_t a, int rounding, unsigned *flags)
{
    int number = 0;

#define CHOOSE(operand, host, soft)                                                                \
    if (number++ == which)                                                                         \
        return on_host ? host : soft;
    CONVERSIONS(CHOOSE)
#undef CHOOSE
    fail();
    return 0;
}

static void check_conversion(int which, uint64_t a)
{
#define NAME(operand, host, soft) #host,
    static const char *const names[CONVERSION_COUNT] = {CONVERSIONS(NAME)};
#undef NAME
    const uint64_t v[3] = {a, 0, 0};

    for (int rounding = FLOAT_RNE; rounding <= FLOAT_RMM; rounding++)
        for (unsigned before = 0; before <= FLOAT_NX; before += FLOAT_NX) {
            unsigned flags = before, expected_flags = 0;
            uint64_t result = convert(which, true, a, rounding, &flags);
            uint64_t expected = convert(which, false, a, rounding, &expected_flags);

            check(names[which], v, rounding, before, result, flags, expected, expected_flags);
        }
}

static void test_conversions(void **state)
{
    /* exponents of doubles: of the least normal number and the largest one, of float and of half */
    static const uint64_t ends[] = {1023 - 126, 1023 + 127, 1023 - 14, 1023 + 15};
    struct random_state random = {7};

    (void)state;
    for (int which = 0; which < CONVERSION_COUNT; which++) {
        for (int width = 0; width < 64; width++)
            for (uint64_t step = 0; step < 5; step++) {
                check_conversion(which, ((uint64_t)1 << width) + step - 2);
                check_conversion(which, -((uint64_t)1 << width) + step - 2);
            }
        for (int i = 0; i < RANDOM_ROUNDS; i++) {
            uint64_t a = (uint64_t)((int64_t)random_bits(&random) >> random_below(&random, 64));
            if (i & 1) /* a tie or next to it */
                a = (a & (~(uint64_t)0 << random_below(&random, 64))) + random_below(&random, 3);
            if (operands[which] != INTEGER)
                a = random_operand(&random, oracle_format((enum float_format)operands[which]), 0);
            if (operands[which] == FLOAT_F64 && i & 1) /* near the least and the largest numbers */
                a = ends[i / 2 % 4] << 52 | (random_bits(&random) & (~(uint64_t)0 << 26)) >> 12;
            if (operands[which] == FLOAT_F64 && i & 8) /* with bits lost in each of two steps */
                a = ends[i / 2 % 4] << 52 | random_bits(&random) >> 54 << 42 |
                    (uint64_t)1 << random_below(&random, 42);
            if (operands[which] == FLOAT_F32 && i & 1)
                a = (i & 2 ? 127u - 14u : 127u + 15u) << 23 |
                    (random_bits(&random) & (~(uint64_t)0 << 53)) >> 41;
            check_conversion(which, a);
        }
    }
}

/* Draws a number of moderate size, or zero in one of eight cases. With `few` bits, all results are
 * exact. */
static uint64_t ordinary(struct random_state *random, const struct oracle_format *f, bool few_bits)
{
    uint64_t hidden = power(f, f->least_exponent);
    uint64_t few = hidden - (hidden >> 8);
    uint64_t fraction = random_bits(random) & (few_bits ? few : hidden - 1);
    uint64_t sign = random_below(random, 2) ? oracle_sign_bit(f) : 0;

    if (random_below(random, 8) == 0)
        return sign;
    int most = f->precision > 11 ? 16 : 8; /* products of halves shall be normal */

    return sign | power(f, (int)random_below(random, (unsigned)most) - most / 2) | fraction;
}

/* Ordinary numbers never need softfloat, with NX set or not. */
static void test_stays_on_host(void **state)
{
    (void)state;
    for (int t = 0; t < TESTED_COUNT; t++)
        for (int few_bits = 0; few_bits <= 1; few_bits++)
            for (unsigned before = 0; before <= FLOAT_NX; before += FLOAT_NX) {
                const struct oracle_format *f = oracle_format(tested[t].format);
                bool fused = tested[t].host == host_f64_mul_add;
                struct random_state random = {3};
                bool divides = strcmp(tested[t].name + strlen("f32_"), "div") == 0;

                left_to_softfloat = 0;
                for (int i = 0; i < 1000; i++) {
                    uint64_t v[3];
                    unsigned flags = before;

                    for (int k = 0; k < 3; k++)
                        v[k] = ordinary(&random, f, few_bits);
                    if (tested[t].count == 1)
                        v[0] &= ~oracle_sign_bit(f);
                    if (divides && (v[1] & ~oracle_sign_bit(f)) == 0)
                        v[1] = power(f, 3);
                    tested[t].host(v, FLOAT_RNE, &flags);
                }
                if (left_to_softfloat && !(fused && !few_bits && !before))
                    fail_msg("%s: %lu of 1000 left to softfloat (few bits %d, flags %#x)",
                             tested[t].name, left_to_softfloat, few_bits, before);
            }
}

static void test_value_without_box(void **state)
{
    (void)state;
    assert_int_equal(unbox_f32(0), float_quiet_nan(FLOAT_F32));
    assert_int_equal(unbox_f16(0), float_quiet_nan(FLOAT_F16));
    assert_int_equal(unbox_f32(box_f32(1)), 1);
    assert_int_equal(unbox_f16(box_f16(1)), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_value_without_box), cmocka_unit_test(test_edges),
        cmocka_unit_test(test_edge_triples),      cmocka_unit_test(test_classes),
        cmocka_unit_test(test_random_operands),   cmocka_unit_test(test_arithmetic_equals_mpfr),
        cmocka_unit_test(test_conversions),       cmocka_unit_test(test_stays_on_host),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
