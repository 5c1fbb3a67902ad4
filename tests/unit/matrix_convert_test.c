/*
 * The instructions mcvt and mms are compared with MPFR (float_oracle.h): every value of the 8- and
 * 16-bit types is converted to every type, and f32 and i32 values in and around the ranges of the
 * others. Then input and output overlap, with elements of different sizes.
 */
#include "matrix_model.h"

#include "float_oracle.h"

#include <fenv.h>

enum { CHUNK = 4096, TARGETS = 6, SOURCES = 7 };

#define OUT (SPM + 0x8000)

static enum float_format format_of(const struct model_type *type)
{
    for (int i = 0; i < FLOAT_FORMAT_COUNT; i++)
        if (strcmp(float_layouts[i].name, type->name) == 0)
            return (enum float_format)i;
    abort();
}

/* Returns the i8 that is nearest to a value, which is not a NaN. */
static uint32_t nearest_integer(mpfr_t x)
{
    mpfr_rint(x, x, MPFR_RNDN);
    if (mpfr_cmp_si(x, 127) > 0)
        return 127;
    if (mpfr_cmp_si(x, -128) < 0)
        return 0x80;
    return (uint32_t)mpfr_get_si(x, MPFR_RNDN) & 0xff;
}

static uint32_t expected_conversion(const struct model_type *to, const struct model_type *from,
                                    uint32_t bits)
{
    unsigned flags = 0;
    uint32_t result;
    mpfr_t x;

    if (to->exponent && from->exponent)
        return (uint32_t)oracle_convert(oracle_format(format_of(to)),
                                        oracle_format(format_of(from)), bits, FLOAT_RNE, &flags);
    mpfr_init2(x, 64);
    if (from->exponent)
        oracle_decode(oracle_format(format_of(from)), bits, x);
    else
        mpfr_set_si(x, model_integer(from, bits), MPFR_RNDN);
    if (to->exponent)
        result = (uint32_t)oracle_round(oracle_format(format_of(to)), x, FLOAT_RNE, &flags);
    else
        result = mpfr_nan_p(x) ? 0 : nearest_integer(x);
    mpfr_clear(x);
    return result;
}

/* Values to be converted, as many as fit in the scratchpad. */
struct batch {
    struct world *world;
    struct matrix_unit unit;
    const struct model_type *to, *from;
    uint32_t bits[CHUNK];
    size_t count;
};

static void batch_run(struct batch *batch)
{
    struct world *world = batch->world;
    uint64_t written = batch->count * batch->to->bytes;

    for (size_t i = 0; i < batch->count; i++)
        model_store(world, batch->from, SPM, i, batch->bits[i]);
    world_remember(world);
    assert_true(matrix_mcvt(&batch->unit, &world->port, batch->to->code, batch->from->code, OUT,
                            SPM, batch->count, &world->fault));
    for (size_t i = 0; i < batch->count; i++) {
        uint32_t got = model_load(world, batch->to, OUT, i);
        uint32_t expected = expected_conversion(batch->to, batch->from, batch->bits[i]);
        if (got != expected)
            fail_msg("mcvt.%s.%s of %#x: got %#x, expected %#x", batch->to->name, batch->from->name,
                     batch->bits[i], got, expected);
    }
    world_unchanged_but(world, written ? OUT : 0, written);
    batch->count = 0;
}

static void batch_add(struct batch *batch, uint32_t bits)
{
    batch->bits[batch->count++] = bits;
    if (batch->count == CHUNK)
        batch_run(batch);
}

static struct batch batch_new(struct world *world, const struct model_type *to,
                              const struct model_type *from)
{
    return (struct batch){.world = world, .unit = model_unit(world, 16), .to = to, .from = from};
}

/* Calls `add` for every pair of types that mcvt accepts. */
static void each_pair(uint64_t seed, void (*add)(struct batch *batch))
{
    struct world *world = world_new(seed);

    for (int to = 0; to < TARGETS; to++) {
        for (int from = 0; from < SOURCES; from++) {
            struct batch batch = batch_new(world, &model_types[to], &model_types[from]);
            if (to == from)
                continue;
            add(&batch);
            batch_run(&batch);
        }
    }
    world_free(world);
}

static void add_all_values(struct batch *batch)
{
    if (batch->from->bytes > 2)
        return;
    for (uint32_t bits = 0; bits < 1u << 8 * batch->from->bytes; bits++)
        batch_add(batch, bits);
}

static void test_every_narrow_value(void **state)
{
    (void)state;
    each_pair(1, add_all_values);
}

/* f32 sources: every value of the target, the midpoint to the next one, and the neighbors of both.
 */
static void add_neighborhoods(struct batch *batch)
{
    const struct model_type *to = batch->to;
    uint32_t count = to->bytes < 4 ? 1u << 8 * to->bytes : 0;

    if (batch->from->code != ISA_ELEMENT_F32)
        return;
    for (uint32_t bits = 0; bits < count; bits++) {
        uint32_t sign = to->exponent ? 1u << (8 * to->bytes - 1) : 0;
        float value = to->exponent ? model_value(to, bits) : model_integer(to, bits);
        float next =
            to->exponent ? model_value(to, (bits & ~sign) + 1 < sign ? bits + 1 : bits) : value + 1;
        float half = (float)(((double)value + (double)next) / 2);
        batch_add(batch, model_bits(value));
        batch_add(batch, model_bits(half));
        batch_add(batch, model_bits(nextafterf(half, INFINITY)));
        batch_add(batch, model_bits(nextafterf(half, -INFINITY)));
    }
}

static void test_around_every_narrow_value(void **state)
{
    (void)state;
    each_pair(2, add_neighborhoods);
}

/* f32: the ends of the target's range, a few steps in each direction, and random bits. i32: around
 * every power of two and its multiples that are ties. */
static void add_wide(struct batch *batch)
{
    static const float edges[] = {
        448,      464,      480,         57344,       61440,          65504,    65520,
        65536,    0x1p-9f,  0x1p-10f,    0x1p-6f,     0x1p-14f,       0x1p-16f, 0x1p-17f,
        0x1p-24f, 0x1p-25f, 0x1p-126f,   0x1p-133f,   0x1p-134f,      0,        127.5f,
        128.5f,   0.5f,     0x1.fep127f, 0x1.ffp127f, 0x1.fffffep127f};

    if (batch->from->bytes < 4)
        return;
    for (size_t i = 0; batch->from->exponent && i < sizeof edges / sizeof edges[0]; i++)
        for (int32_t step = -3; step <= 3; step++)
            for (uint32_t sign = 0; sign < 2; sign++)
                batch_add(batch, (model_bits(edges[i]) + (uint32_t)step) ^ sign << 31);
    for (int bit = 0; !batch->from->exponent && bit < 32; bit++)
        for (int half = 0; half <= bit; half++)
            for (int32_t step = -2; step <= 2; step++)
                for (uint32_t sign = 0; sign < 2; sign++) {
                    uint32_t value = (1u << bit) + (1u << half) + (uint32_t)step;
                    batch_add(batch, sign ? -value : value);
                }
    for (int i = 0; i < 20000; i++)
        batch_add(batch, (uint32_t)(world_random(batch->world) >> 24) >>
                             (batch->from->exponent ? 0 : i % 31));
    for (int i = 0; i < 20000; i++)
        batch_add(batch, model_random(batch->world, batch->from, true));
}

static void test_wide_sources(void **state)
{
    (void)state;
    each_pair(3, add_wide);
}

/* ---- mms ---- */

/* Returns the product in f32, converted to the type. */
static uint32_t expected_scaled(const struct model_type *type, uint32_t bits, uint64_t scalar)
{
    unsigned flags = 0;

    if (!type->exponent)
        return (uint32_t)(model_integer(type, bits) * (int64_t)(int8_t)scalar) & 0xff;
    uint32_t product =
        model_bits(model_multiply(model_value(type, bits), model_float((uint32_t)scalar)));
    return (uint32_t)oracle_convert(oracle_format(format_of(type)), oracle_format(FLOAT_F32),
                                    product, FLOAT_RNE, &flags);
}

static void check_scaling(struct world *world, struct matrix_unit *unit,
                          const struct model_type *type, uint64_t out, uint64_t in, uint64_t size,
                          uint64_t scalar)
{
    uint32_t expected[512];

    for (uint64_t i = 0; i < size; i++)
        expected[i] = expected_scaled(type, model_load(world, type, in, i), scalar);
    world_remember(world);
    assert_true(matrix_mms(unit, &world->port, type->code, out, in, size, scalar, &world->fault));
    model_check(world, type, out, expected, size, type->name);
    world_unchanged_but(world, size ? out : 0, size * type->bytes);
}

static void test_scalar(void **state)
{
    struct world *world = world_new(4);
    struct matrix_unit unit = model_unit(world, 16);
    uint64_t scalings = 0;

    (void)state;
    for (int round = 0; round < 1500; round++) {
        const struct model_type *type = &model_types[round % TARGETS];
        uint64_t size = (uint64_t)round / TARGETS % 70;
        uint64_t scalar =
            type->exponent ? model_random(world, &model_types[0], true) : world_random(world);
        model_fill(world, type, SPM + 400, size, true);
        check_scaling(world, &unit, type, SPM + 800, SPM + 400, size, scalar);
        scalings += size;
    }
    assert_int_equal(unit.state.scalings, scalings);
    world_free(world);
}

/* Multiplies all 8-bit values by scalars that give every kind of result. */
static void test_scaled_bytes(void **state)
{
    static const float scalars[] = {0,     -0.0f,    1,        -1,   2,        0.5f,
                                    1.25f, 0x1p-20f, 0x1p120f, 3.3f, INFINITY, NAN};
    struct world *world = world_new(5);
    struct matrix_unit unit = model_unit(world, 16);

    (void)state;
    for (int type = 3; type < TARGETS; type++) {
        for (uint32_t i = 0; i < 256; i++)
            model_store(world, &model_types[type], SPM, i, i);
        for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++)
            check_scaling(world, &unit, &model_types[type], SPM + 256, SPM, 256,
                          model_bits(scalars[i]));
    }
    /* modulo 2^8: all pairs, and only the low byte of the scalar matters */
    for (uint32_t scalar = 0; scalar < 256; scalar++)
        check_scaling(world, &unit, &model_types[5], SPM + 512, SPM, 256,
                      scalar | world_random(world) << 8);
    world_free(world);
}

/* The product is rounded to f32 first; rounding once to f16 would give another number. */
static void test_scaled_twice_rounded(void **state)
{
    struct world *world = world_new(6);
    struct matrix_unit unit = model_unit(world, 16);
    const struct model_type *f16 = &model_types[1];

    (void)state;
    /* 0x1.fd8p+0 · 0x1.e882a4p-1 = 0x1.e62000b3p+0 is above the tie 0x1.e62p+0, by less than half a
     * unit of f32: by way of f32 it becomes the tie, and goes to even */
    model_store(world, f16, SPM, 0, 0x3ff6);
    check_scaling(world, &unit, f16, SPM + 2, SPM, 1, model_bits(0x1.e882a4p-1f));
    assert_int_equal(model_load(world, f16, SPM + 2, 0), 0x3f98);
    world_free(world);
}

/* ---- overlap ---- */

/* Input and output at every distance from each other, with elements of all sizes. */
static void test_overlap(void **state)
{
    enum { SIZE = 21 };
    struct world *world = world_new(7);
    uint64_t in = SPM + 1024;
    uint32_t expected[SIZE];

    (void)state;
    for (int pair = 0; pair < TARGETS * SOURCES; pair++) {
        const struct model_type *to = &model_types[pair % TARGETS];
        const struct model_type *from = &model_types[pair / TARGETS];
        struct matrix_unit unit = model_unit(world, 16);
        for (uint64_t out = in - 88; to != from && out <= in + 88; out += to->bytes) {
            model_fill(world, from, in, SIZE, true);
            for (uint64_t i = 0; i < SIZE; i++)
                expected[i] = expected_conversion(to, from, model_load(world, from, in, i));
            world_remember(world);
            assert_true(matrix_mcvt(&unit, &world->port, to->code, from->code, out, in, SIZE,
                                    &world->fault));
            model_check(world, to, out, expected, SIZE, to->name);
            world_unchanged_but(world, out, (uint64_t)SIZE * to->bytes);
        }
        for (uint64_t out = in - 88; to == from && out <= in + 88; out += to->bytes) {
            model_fill(world, to, in, SIZE, true);
            check_scaling(world, &unit, to, out, in, SIZE, model_bits(1.5f));
        }
    }
    world_free(world);
}

/* ---- environment, trace, counters ---- */

/* Results do not depend on the rounding mode of the process, and no flag is raised. */
static void test_host_environment(void **state)
{
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    struct world *world = world_new(8);
    struct matrix_unit unit = model_unit(world, 16);
    uint32_t scaled[100], converted[100];

    (void)state;
    model_fill(world, &model_types[0], SPM, 100, true);
    for (uint64_t i = 0; i < 100; i++) {
        uint32_t bits = model_load(world, &model_types[0], SPM, i);
        scaled[i] = expected_scaled(&model_types[0], bits, model_bits(1.1f));
        converted[i] = expected_conversion(&model_types[1], &model_types[0], bits);
    }
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        fesetround(modes[i]);
        feclearexcept(FE_ALL_EXCEPT);
        bool done = matrix_mms(&unit, &world->port, ISA_ELEMENT_F32, SPM + 1000, SPM, 100,
                               0x3f8ccccd, &world->fault) &&
                    matrix_mcvt(&unit, &world->port, ISA_ELEMENT_F16, ISA_ELEMENT_F32, SPM + 2000,
                                SPM, 100, &world->fault);
        int mode = fegetround(), raised = fetestexcept(FE_ALL_EXCEPT);
        fesetround(FE_TONEAREST);
        assert_true(done);
        assert_int_equal(mode, modes[i]);
        assert_int_equal(raised, 0);
        model_check(world, &model_types[0], SPM + 1000, scaled, 100, "mms");
        model_check(world, &model_types[1], SPM + 2000, converted, 100, "mcvt");
    }
    world_free(world);
}

static void test_recorded_ranges(void **state)
{
    struct world *world = world_new(9);
    struct matrix_unit unit = model_unit(world, 16);

    (void)state;
    world_remember(world);
    assert_true(matrix_mcvt(&unit, &world->port, ISA_ELEMENT_F16, ISA_ELEMENT_I32, SPM + 512, SPM,
                            5, &world->fault));
    assert_int_equal(world->recorder.count, 2);
    world_range_effect(world, 0, EFFECT_RANGE_READ, SPM, 20);
    world_range_effect(world, 1, EFFECT_RANGE_WRITE, SPM + 512, 10);
    assert_int_equal(unit.state.conversions, 5);
    assert_int_equal(unit.state.instructions, 1);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_narrow_value),
        cmocka_unit_test(test_around_every_narrow_value),
        cmocka_unit_test(test_wide_sources),
        cmocka_unit_test(test_scalar),
        cmocka_unit_test(test_scaled_bytes),
        cmocka_unit_test(test_scaled_twice_rounded),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_host_environment),
        cmocka_unit_test(test_recorded_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
