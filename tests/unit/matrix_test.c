/*
 * emu/matrix.c against a model written from the words of machine.md, 2: one element of the output
 * at a time, lanes and tree by recursion, and every float operation done in double and rounded once
 * (the product of two floats is exact in double; for a sum, double has more than twice the
 * precision plus two bits, so rounding twice is rounding once).
 */
#include "tensor_world.h"

#include <fenv.h>
#include <stdio.h>

#include "emu/matrix.h"
#include "lib/map.h"

#define SPM      WORLD_SPM_BASE
#define NAN_BITS 0x7fc00000u
#define LARGEST  4096 /* elements of an operand in these tests */

/* ---- the model ---- */

static float from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t to_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (bits & 0x7fffffff) > 0x7f800000 ? NAN_BITS : bits;
}

static float model_multiply(float a, float b)
{
    return (float)((double)a * (double)b);
}

static float model_add(float a, float b)
{
    return (float)((double)a + (double)b);
}

struct model {
    const uint32_t *left, *right; /* first element of the row, of the column */
    uint64_t right_stride;        /* elements from one row of the right operand to the next */
    uint64_t k;
    uint32_t lanes;
};

static float model_lane(const struct model *model, uint64_t i)
{
    if (i >= model->k)
        return 0.0f;
    return model_multiply(from_bits(model->left[i]),
                          from_bits(model->right[i * model->right_stride]));
}

/* The sum of `width` lanes from product `first` on: of its two halves. */
static float model_tree(const struct model *model, uint64_t first, uint32_t width)
{
    if (width == 1)
        return model_lane(model, first);
    return model_add(model_tree(model, first, width / 2),
                     model_tree(model, first + width / 2, width / 2));
}

static uint32_t model_element(const struct model *model)
{
    float accumulator = 0.0f;

    for (uint64_t first = 0; first < model->k; first += model->lanes)
        accumulator = model_add(accumulator, model_tree(model, first, model->lanes));
    return to_bits(accumulator);
}

static void model_product(uint32_t *out, const uint32_t *a, const uint32_t *b, uint64_t m,
                          uint64_t k, uint64_t n, uint32_t lanes)
{
    for (uint64_t i = 0; i < m; i++) {
        for (uint64_t j = 0; j < n; j++) {
            struct model model = {a + i * k, b + j, n, k, lanes};
            out[i * n + j] = model_element(&model);
        }
    }
}

/* ---- operands ---- */

/* Floats that round often: close exponents, full mantissas; `wild` adds the special ones. */
static uint32_t random_float(struct world *world, bool wild)
{
    static const uint32_t special[] = {
        0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001, 0xffbfffff,
        1, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x3f800000, 0xbf800000,
    };
    uint64_t random = world_random(world);
    uint32_t exponent = 120 + (random >> 32) % 16;

    if (wild && random % 5 == 0)
        return special[(random >> 40) % (sizeof special / sizeof special[0])];
    if (wild && random % 7 == 0)
        return (uint32_t)(random >> 16); /* any bits */
    return (uint32_t)(random & 0x807fffff) | exponent << 23;
}

static uint32_t *spm_words(struct world *world, uint64_t address)
{
    return (uint32_t *)(void *)(world->spm + (address - SPM));
}

static void fill(struct world *world, uint64_t address, uint64_t count, bool wild)
{
    for (uint64_t i = 0; i < count; i++)
        spm_words(world, address)[i] = random_float(world, wild);
}

static void assert_words(const uint32_t *got, const uint32_t *expected, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        if (got[i] != expected[i])
            fail_msg("element %llu is %08x, expected %08x", (unsigned long long)i, got[i],
                     expected[i]);
    }
}

static struct matrix_unit make_unit(struct world *world, uint32_t lanes)
{
    struct config config = world_config(lanes);
    struct matrix_unit unit;

    matrix_init(&unit, &config, &world->arena);
    return unit;
}

/* ---- products ---- */

/* One product by each instruction that can express it; the operands stand apart. */
static void check_product(struct world *world, uint32_t lanes, uint64_t m, uint64_t k, uint64_t n,
                          bool wild)
{
    struct matrix_unit unit = make_unit(world, lanes);
    uint64_t a = SPM + 64, b = a + 4 * m * k + 8, out = b + 4 * k * n + 12;
    uint32_t expected[LARGEST];

    fill(world, a, m * k, wild);
    fill(world, b, k * n, wild);
    model_product(expected, spm_words(world, a), spm_words(world, b), m, k, n, lanes);
    world_remember(world);
    assert_true(matrix_mm(&unit, &world->port, ISA_ELEMENT_F32, out, a, b, m, k, n, &world->fault));
    assert_words(spm_words(world, out), expected, m * n);
    world_unchanged_but(world, out, 4 * m * n);
    assert_int_equal(unit.multiply_adds[ISA_ELEMENT_F32], m * k * n);
    if (n == 1) {
        memset(spm_words(world, out), 0xaa, 4 * m);
        world_remember(world);
        assert_true(
            matrix_mmv(&unit, &world->port, ISA_ELEMENT_F32, out, m, a, b, k, &world->fault));
        assert_words(spm_words(world, out), expected, m);
        world_unchanged_but(world, out, 4 * m);
    }
    if (m == 1) {
        memset(spm_words(world, out), 0xaa, 4 * n);
        world_remember(world);
        assert_true(
            matrix_vmm(&unit, &world->port, ISA_ELEMENT_F32, out, n, a, k, b, &world->fault));
        assert_words(spm_words(world, out), expected, n);
        world_unchanged_but(world, out, 4 * n);
    }
}

static void test_lengths_around_the_lanes(void **state)
{
    static const uint64_t outer[] = {1, 2, 3};
    struct world *world = world_new(1);

    (void)state;
    for (uint32_t lanes = 1; lanes <= 64; lanes *= 2) {
        uint64_t lengths[] = {0,         1,         lanes - 1,     lanes,
                              lanes + 1, 2 * lanes, 2 * lanes + 1, 5 * lanes + 3};
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
            for (size_t m = 0; m < 3; m++) {
                for (size_t n = 0; n < 3; n++) {
                    check_product(world, lanes, outer[m], lengths[i], outer[n], false);
                    check_product(world, lanes, outer[m], lengths[i], outer[n], true);
                }
            }
        }
    }
    world_free(world);
}

static void test_many_columns(void **state)
{
    static const uint64_t columns[] = {31, 32, 33, 63, 64, 65, 127, 128, 129, 200};
    struct world *world = world_new(2);

    (void)state;
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        check_product(world, 16, 2, 17, columns[i], false);
        check_product(world, 4, 1, 9, columns[i], true);
        check_product(world, 16, columns[i], 20, 1, true);
    }
    world_free(world);
}

/* One element of 1×k by k×1, from values. */
static uint32_t dot(struct world *world, uint32_t lanes, const float *a, const float *b, uint64_t k)
{
    struct matrix_unit unit = make_unit(world, lanes);

    memcpy(spm_words(world, SPM), a, k * sizeof *a);
    memcpy(spm_words(world, SPM + 1024), b, k * sizeof *b);
    assert_true(matrix_mmv(&unit, &world->port, ISA_ELEMENT_F32, SPM + 2048, 1, SPM, SPM + 1024, k,
                           &world->fault));
    return spm_words(world, SPM + 2048)[0];
}

/* Cases worked out by hand, where another order or a fused operation gives other bits. */
static void test_order_of_additions(void **state)
{
    struct world *world = world_new(3);
    static const float one[] = {1, 1, 1, 1};
    static const float large[] = {0x1p24f, 1, -0x1p24f, 1};
    static const float pairs[] = {0x1p24f, 1, 1, -0x1p24f};

    (void)state;
    /* W = 4: (2^24 + 1) + (-2^24 + 1) = 2^24 + (-2^24 + 1) = 1; in sequence also 1 */
    assert_int_equal(dot(world, 4, large, one, 4), to_bits(1));
    /* (2^24 + 1) + (1 - 2^24) = 2^24 - 16777215 = 1, but in sequence 0 */
    assert_int_equal(dot(world, 4, pairs, one, 4), to_bits(1));
    assert_int_equal(dot(world, 1, pairs, one, 4), to_bits(0));
    /* W = 2: segments (2^24 + 1) = 2^24 and 1 - 2^24: sum 1 */
    assert_int_equal(dot(world, 2, pairs, one, 4), to_bits(1));
    world_free(world);
}

/* Each product is rounded before it is added: fused, the small part would survive. */
static void test_products_are_rounded(void **state)
{
    struct world *world = world_new(4);
    static const float a[] = {-1, 1 + 0x1p-12f};
    static const float b[] = {1 + 0x1p-11f, 1 + 0x1p-12f};

    (void)state;
    /* (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24 rounds to 1 + 2^-11 (tie to even) */
    assert_int_equal(dot(world, 2, a, b, 2), to_bits(0));
    assert_int_equal(dot(world, 1, a, b, 2), to_bits(0));
    world_free(world);
}

static void test_special_values(void **state)
{
    struct world *world = world_new(5);
    const float inf = from_bits(0x7f800000), signalling = from_bits(0x7f800001);
    const float least = from_bits(1), minus_zero = from_bits(0x80000000);

    (void)state;
    for (uint32_t lanes = 1; lanes <= 16; lanes *= 4) {
        assert_int_equal(dot(world, lanes, (float[]){inf}, (float[]){0}, 1), NAN_BITS);
        assert_int_equal(dot(world, lanes, (float[]){signalling}, (float[]){1}, 1), NAN_BITS);
        assert_int_equal(dot(world, lanes, (float[]){-signalling}, (float[]){1}, 1), NAN_BITS);
        assert_int_equal(dot(world, lanes, (float[]){inf, -inf}, (float[]){1, 1}, 2), NAN_BITS);
        assert_int_equal(dot(world, lanes, (float[]){-inf}, (float[]){2}, 1), 0xff800000);
        /* subnormals are kept, in and out */
        assert_int_equal(dot(world, lanes, (float[]){least}, (float[]){3}, 1), 3);
        assert_int_equal(dot(world, lanes, (float[]){0x1p-100f}, (float[]){0x1p-49f}, 1), 1);
        /* the accumulator starts at +0 */
        assert_int_equal(dot(world, lanes, (float[]){minus_zero}, (float[]){1}, 1), 0);
        /* overflow of a product, and of a sum */
        assert_int_equal(dot(world, lanes, (float[]){0x1p100f}, (float[]){-0x1p100f}, 1),
                         0xff800000);
    }
    world_free(world);
}

static void test_scalar(void **state)
{
    struct world *world = world_new(6);
    struct matrix_unit unit = make_unit(world, 16);
    uint32_t expected[100];

    (void)state;
    for (int round = 0; round < 200; round++) {
        uint64_t size = (uint64_t)round % 70, in = SPM + 400, out = SPM + 800;
        uint32_t scalar = random_float(world, true);
        fill(world, in, size, true);
        for (uint64_t i = 0; i < size; i++)
            expected[i] =
                to_bits(model_multiply(from_bits(spm_words(world, in)[i]), from_bits(scalar)));
        world_remember(world);
        assert_true(
            matrix_mms(&unit, &world->port, ISA_ELEMENT_F32, out, in, size, scalar, &world->fault));
        assert_words(spm_words(world, out), expected, size);
        world_unchanged_but(world, out, 4 * size);
    }
    world_free(world);
}

/* ---- overlap, environment, trace ---- */

/* The output at every distance from the inputs, before, inside and behind. */
static void test_overlap(void **state)
{
    struct world *world = world_new(7);
    struct matrix_unit unit = make_unit(world, 4);
    const uint64_t m = 3, k = 5, n = 4, a = SPM + 256, b = a + 4 * m * k;
    uint32_t expected[LARGEST], scaled[LARGEST];

    (void)state;
    for (uint64_t out = a - 80; out <= b + 4 * k * n + 16; out += 4) {
        fill(world, SPM, 256, true);
        model_product(expected, spm_words(world, a), spm_words(world, b), m, k, n, 4);
        world_remember(world);
        assert_true(
            matrix_mm(&unit, &world->port, ISA_ELEMENT_F32, out, a, b, m, k, n, &world->fault));
        assert_words(spm_words(world, out), expected, m * n);
        world_unchanged_but(world, out, 4 * m * n);

        fill(world, SPM, 256, true);
        model_product(expected, spm_words(world, b), spm_words(world, a), 4, 3, 1, 4);
        world_remember(world);
        assert_true(
            matrix_mmv(&unit, &world->port, ISA_ELEMENT_F32, out, 4, b, a, 3, &world->fault));
        assert_words(spm_words(world, out), expected, 4);
        world_unchanged_but(world, out, 4 * 4);

        fill(world, SPM, 256, true);
        for (int i = 0; i < 20; i++)
            scaled[i] = to_bits(model_multiply(from_bits(spm_words(world, a)[i]), 3));
        world_remember(world);
        assert_true(matrix_mms(&unit, &world->port, ISA_ELEMENT_F32, out, a, 20, to_bits(3),
                               &world->fault));
        assert_words(spm_words(world, out), scaled, 20);
        world_unchanged_but(world, out, 80);
    }
    world_free(world);
}

/* Whatever the emulator's own floating-point environment is, and it is left alone. */
static void test_host_environment(void **state)
{
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    struct world *world = world_new(8);
    struct matrix_unit unit = make_unit(world, 8);
    uint32_t expected[LARGEST];

    (void)state;
    fill(world, SPM, 400, false);
    model_product(expected, spm_words(world, SPM), spm_words(world, SPM + 800), 5, 30, 3, 8);
    for (size_t i = 0; i < 3; i++) {
        fesetround(modes[i]);
        feclearexcept(FE_ALL_EXCEPT);
        bool done = matrix_mm(&unit, &world->port, ISA_ELEMENT_F32, SPM + 4000, SPM, SPM + 800, 5,
                              30, 3, &world->fault);
        int mode = fegetround(), raised = fetestexcept(FE_ALL_EXCEPT);
        fesetround(FE_TONEAREST);
        assert_true(done);
        assert_int_equal(mode, modes[i]);
        assert_int_equal(raised, 0);
        assert_words(spm_words(world, SPM + 4000), expected, 15);
    }
    world_free(world);
}

static void test_recorded_ranges(void **state)
{
    struct world *world = world_new(9);
    struct matrix_unit unit = make_unit(world, 16);

    (void)state;
    world_remember(world);
    assert_true(matrix_vmm(&unit, &world->port, ISA_ELEMENT_F32, SPM + 512, 3, SPM, 5, SPM + 64,
                           &world->fault));
    assert_int_equal(world->recorder.count, 3);
    world_range_effect(world, 0, EFFECT_RANGE_READ, SPM, 20);
    world_range_effect(world, 1, EFFECT_RANGE_READ, SPM + 64, 60);
    world_range_effect(world, 2, EFFECT_RANGE_WRITE, SPM + 512, 12);
    assert_int_equal(world_effect(world, 2)->value, hash_bytes(world->spm + 512, 12, 0));

    world->port.recorder = NULL;
    world_remember(world);
    assert_true(matrix_vmm(&unit, &world->port, ISA_ELEMENT_F32, SPM + 512, 3, SPM, 5, SPM + 64,
                           &world->fault));
    assert_int_equal(world->recorder.count, 0);
    world_free(world);
}

/* ---- sizes of nothing, and faults ---- */

static void test_empty_operands(void **state)
{
    struct world *world = world_new(10);
    struct matrix_unit unit = make_unit(world, 16);
    struct port *port = &world->port;
    struct fault *fault = &world->fault;
    const uint64_t bad = 3;

    (void)state;
    world_remember(world);
    assert_true(matrix_mmv(&unit, port, ISA_ELEMENT_F32, bad, 0, bad, bad, 7, fault));
    assert_true(matrix_vmm(&unit, port, ISA_ELEMENT_F32, bad, 0, bad, 7, bad, fault));
    assert_true(matrix_mm(&unit, port, ISA_ELEMENT_F32, bad, bad, bad, 0, 7, 7, fault));
    assert_true(matrix_mm(&unit, port, ISA_ELEMENT_F32, bad, bad, bad, UINT64_MAX, 7, 0, fault));
    assert_true(matrix_mms(&unit, port, ISA_ELEMENT_F32, bad, bad, 0, 0, fault));
    world_unchanged_but(world, 0, 0);
    assert_int_equal(world->recorder.count, 0);

    /* k = 0: zeros, and the inputs are not looked at */
    static const unsigned char zeros[24];
    world_remember(world);
    assert_true(matrix_mm(&unit, port, ISA_ELEMENT_F32, SPM, bad, bad, 2, 0, 3, fault));
    assert_memory_equal(world->spm, zeros, 24);
    assert_true(matrix_mmv(&unit, port, ISA_ELEMENT_F32, SPM + 64, 2, bad, bad, 0, fault));
    assert_memory_equal(world->spm + 64, zeros, 8);
    assert_true(matrix_vmm(&unit, port, ISA_ELEMENT_F32, SPM + 96, 2, bad, 0, bad, fault));
    assert_memory_equal(world->spm + 96, zeros, 8);
    assert_int_equal(world->recorder.count, 3); /* writes alone */
    world_free(world);
}

/* The addresses that no operand of `bytes` bytes may have. */
static size_t bad_addresses(uint64_t bytes, uint64_t *list)
{
    size_t count = 0;

    list[count++] = SPM + 1;
    list[count++] = SPM + 2;
    list[count++] = SPM - 4;
    list[count++] = SPM + WORLD_SPM_SIZE - bytes + 4;
    list[count++] = WORLD_OUTSIDE_BASE;
    list[count++] = WORLD_MAIN_BASE;
    list[count++] = 0;
    list[count++] = UINT64_MAX - 3;
    return count;
}

static void test_faults_of_each_operand(void **state)
{
    struct world *world = world_new(11);
    struct matrix_unit unit = make_unit(world, 16);
    struct port *port = &world->port;
    struct fault *fault = &world->fault;
    const uint64_t good = SPM + 0x800, access = CAUSE_TENSOR_ACCESS;
    uint64_t bad[16];

    (void)state;
    world_remember(world);
    /* operands of 3×5, 5×2, 3×2; the largest is 60 bytes, 24 stay inside for none of the list */
    for (size_t i = bad_addresses(24, bad); i-- > 0;) {
        uint64_t x = bad[i];
        world_faulted(world, matrix_mm(&unit, port, ISA_ELEMENT_F32, x, good, good, 3, 5, 2, fault),
                      access, x);
        world_faulted(world, matrix_mm(&unit, port, ISA_ELEMENT_F32, good, x, good, 3, 5, 2, fault),
                      access, x);
        world_faulted(world, matrix_mm(&unit, port, ISA_ELEMENT_F32, good, good, x, 3, 5, 2, fault),
                      access, x);
        world_faulted(world, matrix_mmv(&unit, port, ISA_ELEMENT_F32, x, 6, good, good, 7, fault),
                      access, x);
        world_faulted(world, matrix_mmv(&unit, port, ISA_ELEMENT_F32, good, 6, x, good, 7, fault),
                      access, x);
        world_faulted(world, matrix_mmv(&unit, port, ISA_ELEMENT_F32, good, 6, good, x, 7, fault),
                      access, x);
        world_faulted(world, matrix_vmm(&unit, port, ISA_ELEMENT_F32, x, 6, good, 7, good, fault),
                      access, x);
        world_faulted(world, matrix_vmm(&unit, port, ISA_ELEMENT_F32, good, 6, x, 7, good, fault),
                      access, x);
        world_faulted(world, matrix_vmm(&unit, port, ISA_ELEMENT_F32, good, 6, good, 7, x, fault),
                      access, x);
        world_faulted(world, matrix_mms(&unit, port, ISA_ELEMENT_F32, x, good, 6, 0, fault), access,
                      x);
        world_faulted(world, matrix_mms(&unit, port, ISA_ELEMENT_F32, good, x, 6, 0, fault), access,
                      x);
    }
    /* two at fault: the first of the syntax */
    world_faulted(world, matrix_mm(&unit, port, ISA_ELEMENT_F32, 8, 12, 16, 3, 5, 2, fault), access,
                  8);
    world_faulted(world, matrix_mm(&unit, port, ISA_ELEMENT_F32, good, 12, 16, 3, 5, 2, fault),
                  access, 12);
    world_faulted(world, matrix_mmv(&unit, port, ISA_ELEMENT_F32, good, 3, 12, 16, 2, fault),
                  access, 12);
    world_faulted(world, matrix_vmm(&unit, port, ISA_ELEMENT_F32, good, 3, 16, 2, 12, fault),
                  access, 16);
    world_free(world);
}

static void test_operands_at_the_very_edges(void **state)
{
    struct world *world = world_new(12);
    struct matrix_unit unit = make_unit(world, 16);
    const uint64_t end = SPM + WORLD_SPM_SIZE;

    (void)state;
    world_remember(world);
    assert_true(matrix_mmv(&unit, &world->port, ISA_ELEMENT_F32, end - 8, 2, SPM, SPM + 24, 3,
                           &world->fault));
    world_unchanged_but(world, end - 8, 8);
    assert_true(matrix_mms(&unit, &world->port, ISA_ELEMENT_F32, SPM, SPM, WORLD_SPM_SIZE / 4, 0,
                           &world->fault));
    world_remember(world);
    world_faulted(world,
                  matrix_mms(&unit, &world->port, ISA_ELEMENT_F32, SPM, SPM, WORLD_SPM_SIZE / 4 + 1,
                             0, &world->fault),
                  CAUSE_TENSOR_ACCESS, SPM);
    world_free(world);
}

static void test_sizes_that_overflow(void **state)
{
    struct world *world = world_new(13);
    struct matrix_unit unit = make_unit(world, 16);
    struct port *port = &world->port;
    struct fault *fault = &world->fault;
    const uint64_t configuration = CAUSE_TENSOR_CONFIGURATION;
    const uint64_t huge = (uint64_t)1 << 62, wide = (uint64_t)1 << 33;

    (void)state;
    world_remember(world);
    world_faulted(world, matrix_mms(&unit, port, ISA_ELEMENT_F32, SPM, SPM, huge, 0, fault),
                  configuration, huge);
    world_faulted(world, matrix_mms(&unit, port, ISA_ELEMENT_F32, SPM, SPM, UINT64_MAX, 0, fault),
                  configuration, UINT64_MAX);
    /* one less is a range that is too long */
    world_faulted(world, matrix_mms(&unit, port, ISA_ELEMENT_F32, SPM, SPM, huge - 1, 0, fault),
                  CAUSE_TENSOR_ACCESS, SPM);
    world_faulted(world, matrix_mmv(&unit, port, ISA_ELEMENT_F32, SPM, 4, SPM, SPM, huge, fault),
                  configuration, huge);
    world_faulted(world, matrix_vmm(&unit, port, ISA_ELEMENT_F32, SPM, 4, SPM, huge, SPM, fault),
                  configuration, huge);
    world_faulted(world,
                  matrix_mm(&unit, port, ISA_ELEMENT_F32, SPM, SPM, SPM, wide, 4, wide + 1, fault),
                  configuration, wide + 1);
    world_faulted(world,
                  matrix_mm(&unit, port, ISA_ELEMENT_F32, SPM, SPM, SPM, 1, wide, wide, fault),
                  CAUSE_TENSOR_ACCESS, SPM);
    world_faulted(world, matrix_mm(&unit, port, ISA_ELEMENT_F32, SPM, SPM, SPM, 4, huge, 1, fault),
                  configuration, huge);
    /* sizes whose product is 0 modulo 2^64 */
    world_faulted(world,
                  matrix_mm(&unit, port, ISA_ELEMENT_F32, SPM, SPM, SPM, (uint64_t)1 << 32, 1,
                            (uint64_t)1 << 32, fault),
                  configuration, (uint64_t)1 << 32);
    world_free(world);
}

static void test_activity(void **state)
{
    struct world *world = world_new(14);
    struct matrix_unit unit = make_unit(world, 16);
    struct activity list[ACTIVITY_MAXIMUM];

    (void)state;
    assert_true(
        matrix_mm(&unit, &world->port, ISA_ELEMENT_F32, SPM, SPM, SPM, 2, 3, 4, &world->fault));
    assert_true(matrix_mms(&unit, &world->port, ISA_ELEMENT_F32, SPM, SPM, 9, 0, &world->fault));
    assert_true(matrix_mms(&unit, &world->port, ISA_ELEMENT_F32, SPM, SPM, 0, 0, &world->fault));
    assert_int_equal(matrix_activity(&unit, list), 5);
    assert_int_equal(list[0].value, 2);
    assert_int_equal(list[1].value, 24);
    assert_int_equal(list[2].value, 24);
    assert_int_equal(list[3].value, 9);
    assert_int_equal(list[4].value, 0);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths_around_the_lanes),
        cmocka_unit_test(test_many_columns),
        cmocka_unit_test(test_order_of_additions),
        cmocka_unit_test(test_products_are_rounded),
        cmocka_unit_test(test_special_values),
        cmocka_unit_test(test_scalar),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_host_environment),
        cmocka_unit_test(test_recorded_ranges),
        cmocka_unit_test(test_empty_operands),
        cmocka_unit_test(test_faults_of_each_operand),
        cmocka_unit_test(test_operands_at_the_very_edges),
        cmocka_unit_test(test_sizes_that_overflow),
        cmocka_unit_test(test_activity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
