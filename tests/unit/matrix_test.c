/*
 * Products of the matrix unit (mmv, vmm, mm) in all element types are compared with the model of
 * matrix_model.h.
 */
#include "matrix_model.h"

#include <fenv.h>
#include <stdio.h>

#include "emu/units/matrix_kernel.h"
#include "lib/map.h"

#define LARGEST 4096 /* elements of an output in these tests */

static const struct model_type *const f32 = &model_types[0];

static uint32_t *spm_words(struct world *world, uint64_t address)
{
    return (uint32_t *)(void *)model_host(world, address);
}

/* Frees what units have allocated, now and then: each time would take as long as a product. */
static void forget_units(struct world *world)
{
    static unsigned calls;

    if (++calls % 32 != 0)
        return;
    arena_free(&world->arena);
    world->arena = (struct arena)ARENA_INIT;
}

/* Returns the place of the first worker of a path and number of lanes, which is kept as long as the
 * arena that has it: to make it takes longer than most products. */
static struct matrix_worker **made_worker(struct world *world, size_t path, uint32_t lanes)
{
    static struct matrix_worker *made[MATRIX_PATHS][32];

    if (!world->arena.blocks)
        memset(made, 0, sizeof made);
    return &made[path][__builtin_ctz(lanes)];
}

/* ---- products ---- */

/* Checks one product with one instruction: 'v' mmv, 'w' vmm, 'm' mm. */
static void check_instruction(const struct model_product *product, struct matrix_unit *unit,
                              char instruction, uint64_t out, const uint32_t *expected)
{
    struct world *world = product->world;
    uint64_t m = product->m, k = product->k, n = product->n;
    uint64_t a = product->left, b = product->right;
    enum isa_element_code type = product->type->code;
    uint64_t done = unit->state.multiply_adds[type];
    char what[100];

    memset(model_host(world, out), 0xaa, 4 * m * n);
    world_remember(world);
    assert_true(instruction == 'v'
                    ? matrix_mmv(unit, &world->port, type, out, m, a, b, k, &world->fault)
                : instruction == 'w'
                    ? matrix_vmm(unit, &world->port, type, out, n, a, k, b, &world->fault)
                    : matrix_mm(unit, &world->port, type, out, a, b, m, k, n, &world->fault));
    snprintf(what, sizeof what, "%c %s %llux%llux%llu, W = %u, %s", instruction,
             product->type->name, (unsigned long long)m, (unsigned long long)k,
             (unsigned long long)n, unit->lanes, unit->path->name);
    model_check(world, f32, out, expected, m * n, what);
    world_unchanged_but(world, out, 4 * m * n);
    assert_int_equal(unit->state.multiply_adds[type], done + m * k * n);
}

static uint64_t align(uint64_t address, uint64_t alignment)
{
    return (address + alignment - 1) / alignment * alignment;
}

/* Checks one product with each instruction that can express it, on each path that the host
 * supports. The operands do not overlap. */
static void check_product(struct world *world, const struct model_type *type, uint32_t lanes,
                          uint64_t m, uint64_t k, uint64_t n, bool wild)
{
    struct matrix_unit unit = model_unit(world, lanes);
    const struct matrix_path *paths[MATRIX_PATHS];
    uint64_t a = SPM + 64, b = align(a + type->bytes * m * k + 5, type->bytes);
    uint64_t out = align(b + type->bytes * k * n + 9, 4);
    const struct model_product product = {world, type, a, b, m, k, n, lanes};
    uint32_t expected[LARGEST];

    assert_true(m * n <= LARGEST && out + 4 * m * n <= SPM + WORLD_SPM_SIZE);
    model_fill(world, type, a, m * k, wild);
    model_fill(world, type, b, k * n, wild);
    model_run(&product, expected);
    for (size_t i = matrix_paths(paths); i-- > 0;) {
        struct matrix_worker **worker = made_worker(world, i, lanes);
        unit.path = paths[i];
        unit.workers[0] = *worker;
        check_instruction(&product, &unit, 'm', out, expected);
        if (n == 1)
            check_instruction(&product, &unit, 'v', out, expected);
        if (m == 1)
            check_instruction(&product, &unit, 'w', out, expected);
        *worker = unit.workers[0];
    }
}

static void test_lengths_around_the_lanes(void **state)
{
    struct world *world = world_new(1);

    (void)state;
    for (uint32_t lanes = 1; lanes <= 64; lanes *= 2) {
        uint64_t lengths[] = {0,         1,         lanes - 1,     lanes,
                              lanes + 1, 2 * lanes, 2 * lanes + 1, 5 * lanes + 3};
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0] * MODEL_TYPES; i++) {
            const struct model_type *type = &model_types[i % MODEL_TYPES];
            for (uint64_t shape = 0; shape < 9; shape++)
                check_product(world, type, lanes, 1 + shape / 3, lengths[i / MODEL_TYPES],
                              1 + shape % 3, shape % 2);
            check_product(world, type, lanes, 1, lengths[i / MODEL_TYPES], 1, true);
            check_product(world, type, lanes, 2, lengths[i / MODEL_TYPES], 2, true);
        }
    }
    world_free(world);
}

/* Products that are divided into blocks of columns and panels of rows. */
static void test_many_columns_and_rows(void **state)
{
    static const uint64_t columns[] = {31, 32, 33, 63, 64, 65, 127, 128, 129, 200};
    static const uint64_t rows[] = {255, 256, 257, 272, 511, 512, 513, 1025};
    struct world *world = world_new(2);

    (void)state;
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        const struct model_type *type = &model_types[i % MODEL_TYPES];
        check_product(world, type, 16, 2, 17, columns[i], false);
        check_product(world, type, 4, 1, 9, columns[i], true);
        check_product(world, f32, 16, columns[i], 20, 1, true);
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] * MODEL_TYPES; i++) {
        const struct model_type *type = &model_types[i % MODEL_TYPES];
        uint64_t k = rows[i / MODEL_TYPES];
        check_product(world, type, 16, 3, k, 2, false);
        check_product(world, type, 16u << i % 7, 1, k, 1, false);
        check_product(world, type, 32, 2, k, type->bytes == 1 ? 40 : 4, false);
    }
    world_free(world);
}

/* Products of more rows than are worked on at once, with one or several vectors of columns, which
 * may be incomplete, at every level of the tree. */
static void test_rows_at_every_level(void **state)
{
    static const uint64_t rows[] = {65, 127, 128, 129}, columns[] = {4, 7, 8, 9, 16, 17};
    struct world *world = world_new(25);

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] * MODEL_TYPES; i++) {
        const struct model_type *type = &model_types[i % MODEL_TYPES];
        uint64_t m = rows[i / MODEL_TYPES], n = columns[i % 6];
        for (uint32_t lanes = 1; lanes <= 64; lanes *= 2)
            check_product(world, type, lanes, m, lanes + 25, n, lanes == 16);
    }
    world_free(world);
}

/* Products of several panels, with whole vectors of columns and some more: later panels continue
 * from the output of the one before. */
static void test_many_panels(void **state)
{
    struct world *world = world_new(24);

    (void)state;
    for (size_t t = 0; t < MODEL_TYPES; t++) {
        const struct model_type *type = &model_types[t];
        uint64_t k = type->bytes == 1 ? 2100 : 530; /* more than a panel of packed integers */
        for (uint32_t lanes = 1; lanes <= 64; lanes *= 4)
            for (uint64_t m = 1; m <= 5; m++)
                check_product(world, type, lanes, m, k - m, 17, m == 3);
    }
    world_free(world);
}

/* Products whose left operand has rows that are far apart, and which is therefore packed. */
static void test_packed_left_operands(void **state)
{
    static const uint64_t shapes[][3] = {{1, 128, 64}, {7, 127, 64},  {17, 128, 65},
                                         {3, 140, 70}, {33, 129, 64}, {20, 150, 63}};
    struct world *world = world_new(23);

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0] * MODEL_TYPES; i++) {
        const struct model_type *type = &model_types[i % MODEL_TYPES];
        const uint64_t *shape = shapes[i / MODEL_TYPES];
        check_product(world, type, 16u << i % 3, shape[0], shape[1], shape[2], i % 2);
        check_product(world, type, 1u << i % 6, shape[0], shape[1], shape[2], false);
    }
    world_free(world);
}

/* Products whose rows are divided into blocks, with widths around a whole vector of columns. */
static void test_many_rows(void **state)
{
    static const uint64_t rows[] = {127, 129, 255, 256, 257};
    static const uint64_t columns[] = {1, 7, 15};
    struct world *world = world_new(19);

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] * MODEL_TYPES; i++) {
        const struct model_type *type = &model_types[i % MODEL_TYPES];
        uint64_t m = rows[i / MODEL_TYPES];
        for (size_t j = 0; j < sizeof columns / sizeof columns[0]; j++)
            check_product(world, type, 16, m, 16 + j, columns[j], j % 2);
        check_product(world, type, 32, m, 40, 3, false);
        check_product(world, type, 2, 17, 23, m - 100, true);
    }
    world_free(world);
}

/* Products of integers work on tiles of rows: products of whole tiles and of some rows more, with
 * one or two vectors of columns. */
static void test_rows_around_tiles(void **state)
{
    static const uint64_t columns[] = {7, 16, 17, 32};
    struct world *world = world_new(26);

    (void)state;
    for (size_t t = 0; t < MODEL_TYPES; t++)
        for (uint64_t m = 1; m <= 26; m++)
            check_product(world, &model_types[t], 16, m, 30 + m % 5, columns[m % 4], m % 3 == 0);
    world_free(world);
}

/* Operands that are used in place, and operands that just miss the conditions. */
static void test_shapes_of_whole_vectors(void **state)
{
    struct world *world = world_new(20);

    (void)state;
    for (size_t t = 0; t < MODEL_TYPES; t++)
        for (uint32_t lanes = 1; lanes <= 64; lanes *= 4)
            for (uint64_t k = 64; k <= 320; k += 128)
                for (uint64_t n = 16; n <= 34; n += 2)
                    check_product(world, &model_types[t], lanes, 4, k - n % 4, n, n % 3 == 0);
    world_free(world);
}

/* Slices for threads, by rows and by columns, also with more threads than rows or columns. */
static void test_threads(void **state)
{
    static const uint64_t shapes[][3] = {{40, 33, 7},  {7, 33, 40},  {1, 20, 200}, {3, 9, 16},
                                         {200, 20, 1}, {65, 17, 40}, {2, 2, 1},    {130, 70, 17}};
    struct world *world = world_new(21);
    uint32_t expected[LARGEST];

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0] * MODEL_TYPES; i++) {
        const struct model_type *type = &model_types[i % MODEL_TYPES];
        const uint64_t *shape = shapes[i / MODEL_TYPES];
        const struct model_product product = {world,    type,     SPM,      SPM + 0x9000,
                                              shape[0], shape[1], shape[2], 16};
        model_fill(world, type, SPM, shape[0] * shape[1], true);
        model_fill(world, type, SPM + 0x9000, shape[1] * shape[2], true);
        model_run(&product, expected);
        for (unsigned threads = 1; threads <= 8; threads += 1 + threads / 3) {
            struct matrix_unit unit = model_unit(world, 16);
            unit.threads = threads;
            unit.thread_work = 1;
            check_instruction(&product, &unit, 'm', SPM + 0xd000, expected);
        }
        forget_units(world);
    }
    world_free(world);
}

/* Compares some elements of a product with the model, which has one row and one column. */
static void check_elements(struct world *world, const struct model_type *type, uint32_t lanes,
                           const struct product *product)
{
    static const uint64_t rows[] = {0, 63, 64, 65, 127, 131, 132, 255, 256, 259};
    static const uint64_t columns[] = {0, 15, 16, 495, 496, 511, 512, 527, 528, 992, 1024, 1028};
    uint64_t k = product->k, n = product->n;
    const struct model_product one = {world, type, SPM, SPM + 0x8000, 1, k, 1, lanes};
    const unsigned char *left = product->a, *right = product->b;
    const uint32_t *out = product->out;
    uint32_t expected;

    for (size_t i = 0; i < sizeof rows / sizeof *rows && rows[i] < product->m; i++)
        for (size_t j = 0; j < sizeof columns / sizeof *columns && columns[j] < n; j++) {
            memcpy(model_host(world, SPM), left + rows[i] * k * type->bytes, k * type->bytes);
            for (uint64_t d = 0; d < k; d++)
                memcpy(model_host(world, one.right + d * type->bytes),
                       right + (d * n + columns[j]) * type->bytes, type->bytes);
            model_run(&one, &expected);
            assert_int_equal(out[rows[i] * n + columns[j]], expected);
        }
}

/* Products whose right operand is packed by panels: more rows than are worked on at once, rows of
 * the right operand that are far apart, and several panels and blocks of columns. All paths, and
 * several threads, give the same words. */
static void test_far_products(void **state)
{
    static const uint64_t shapes[][3] = {{260, 1101, 530}, {70, 40, 513}, {260, 300, 1029}};
    struct world *world = world_new(27);
    const struct matrix_path *paths[MATRIX_PATHS];

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0] * MODEL_TYPES; i++) {
        const struct model_type *type = &model_types[i % MODEL_TYPES];
        uint64_t m = shapes[i / MODEL_TYPES][0], k = shapes[i / MODEL_TYPES][1],
                 n = shapes[i / MODEL_TYPES][2];
        uint32_t lanes = i % 5 == 4 ? 1024 : 4u << 2 * (i % 3);
        unsigned char *left = malloc(m * k * type->bytes), *right = malloc(k * n * type->bytes);
        uint32_t *first = malloc(4 * m * n), *out = malloc(4 * m * n);

        assert_true(left && right && first && out);
        for (uint64_t j = 0; j < m * k + k * n; j++) {
            uint32_t bits = model_random(world, type, j % 1000 == 0);
            memcpy(j < m * k ? left + j * type->bytes : right + (j - m * k) * type->bytes, &bits,
                   type->bytes);
        }
        for (size_t path = 0; path < matrix_paths(paths); path++)
            for (unsigned threads = 1; threads <= 3; threads += 2) {
                bool is_first = path == 0 && threads == 1;
                struct product product = {type->code, is_first ? first : out, left, right, m, k, n,
                                          false};
                struct matrix_unit unit = model_unit(world, lanes);
                unit.path = paths[path];
                unit.threads = threads;
                unit.thread_work = 1;
                memset(product.out, 0xaa, 4 * m * n);
                assert_true(matrix_multiply(&unit, &world->port, &product));
                if (is_first)
                    check_elements(world, type, lanes, &product);
                else
                    assert_memory_equal(out, first, 4 * m * n);
                forget_units(world);
            }
        free(left), free(right), free(first), free(out);
    }
    world_free(world);
}

/* All pairs of values of 8 bits, each product alone. */
static void test_all_pairs_of_bytes(void **state)
{
    enum { ROWS = 16 };
    struct world *world = world_new(15);
    uint32_t expected[ROWS * 256];
    const struct matrix_path *paths[MATRIX_PATHS];
    size_t count = matrix_paths(paths);

    (void)state;
    for (size_t t = 3 * count; t < MODEL_TYPES * count; t++) {
        const struct model_type *type = &model_types[t / count];
        struct matrix_unit unit = model_unit(world, 16);
        unit.path = paths[t % count];
        for (uint32_t i = 0; i < 256; i++)
            model_store(world, type, SPM, i, i);
        for (uint64_t first = 0; first < 256; first += ROWS) {
            const struct model_product product = {world, type, SPM + first, SPM, ROWS, 1, 256, 16};
            model_run(&product, expected);
            check_instruction(&product, &unit, 'm', SPM + 1024, expected);
        }
    }
    world_free(world);
}

/* All values of 16 bits, multiplied by 1. */
static void test_all_halves(void **state)
{
    enum { CHUNK = 2048 };
    static const uint16_t ones[] = {0x3c00, 0x3f80};
    struct world *world = world_new(25);
    uint32_t expected[CHUNK];
    const struct matrix_path *paths[MATRIX_PATHS];
    size_t count = matrix_paths(paths);

    (void)state;
    for (size_t t = count; t < 3 * count; t++) {
        const struct model_type *type = &model_types[t / count];
        struct matrix_unit unit = model_unit(world, 16);
        unit.path = paths[t % count];
        for (uint32_t first = 0; first < 1 << 16; first += CHUNK) {
            const struct model_product right = {world, type, SPM, SPM + 2, 1, 1, CHUNK, 16};
            model_store(world, type, SPM, 0, ones[type != &model_types[1]]);
            for (uint32_t i = 0; i < CHUNK; i++)
                model_store(world, type, SPM, 1 + i, first + i);
            model_run(&right, expected);
            check_instruction(&right, &unit, 'm', SPM + 0x8000, expected);
        }
    }
    world_free(world);
}

/* Returns the product of 1×k by k×1 and checks that all paths agree. */
static uint32_t dot(struct world *world, uint32_t lanes, const float *a, const float *b, uint64_t k)
{
    const struct matrix_path *paths[MATRIX_PATHS];
    size_t count = matrix_paths(paths);
    uint32_t *out = spm_words(world, SPM + 2048);

    memcpy(spm_words(world, SPM), a, k * sizeof *a);
    memcpy(spm_words(world, SPM + 1024), b, k * sizeof *b);
    for (size_t i = 0; i < count; i++) {
        struct matrix_unit unit = model_unit(world, lanes);
        unit.path = paths[i];
        assert_true(matrix_mmv(&unit, &world->port, ISA_ELEMENT_F32, SPM + 2048 + 4 * i, 1, SPM,
                               SPM + 1024, k, &world->fault));
        assert_int_equal(out[i], out[0]);
    }
    return out[0];
}

/* Cases computed by hand, in which another order of additions gives other bits. */
static void test_order_of_additions(void **state)
{
    struct world *world = world_new(3);
    static const float one[] = {1, 1, 1, 1};
    static const float large[] = {0x1p24f, 1, -0x1p24f, 1};
    static const float pairs[] = {0x1p24f, 1, 1, -0x1p24f};

    (void)state;
    /* W = 4: (2^24 + 1) + (-2^24 + 1) = 2^24 + (-2^24 + 1) = 1; in sequence also 1 */
    assert_int_equal(dot(world, 4, large, one, 4), model_bits(1));
    /* (2^24 + 1) + (1 - 2^24) = 2^24 - 16777215 = 1, but in sequence 0 */
    assert_int_equal(dot(world, 4, pairs, one, 4), model_bits(1));
    assert_int_equal(dot(world, 1, pairs, one, 4), model_bits(0));
    /* W = 2: segments (2^24 + 1) = 2^24 and 1 - 2^24: sum 1 */
    assert_int_equal(dot(world, 2, pairs, one, 4), model_bits(1));
    world_free(world);
}

/* Each product is rounded before it is added. In a fused operation the small part would survive. */
static void test_products_are_rounded(void **state)
{
    struct world *world = world_new(4);
    static const float a[] = {-1, 1 + 0x1p-12f};
    static const float b[] = {1 + 0x1p-11f, 1 + 0x1p-12f};

    (void)state;
    /* (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24 rounds to 1 + 2^-11 (tie to even) */
    assert_int_equal(dot(world, 2, a, b, 2), model_bits(0));
    assert_int_equal(dot(world, 1, a, b, 2), model_bits(0));
    world_free(world);
}

static void test_special_values(void **state)
{
    struct world *world = world_new(5);
    float inf = model_float(0x7f800000), signaling = model_float(0x7f800001);
    float least = model_float(1), minus_zero = model_float(0x80000000);

    (void)state;
    for (uint32_t lanes = 1; lanes <= 16; lanes *= 4) {
        assert_int_equal(dot(world, lanes, (float[]){inf}, (float[]){0}, 1), MODEL_NAN_BITS);
        assert_int_equal(dot(world, lanes, (float[]){signaling}, (float[]){1}, 1), MODEL_NAN_BITS);
        assert_int_equal(dot(world, lanes, (float[]){-signaling}, (float[]){1}, 1), MODEL_NAN_BITS);
        assert_int_equal(dot(world, lanes, (float[]){inf, -inf}, (float[]){1, 1}, 2),
                         MODEL_NAN_BITS);
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

/* Elements given by their bits, with results computed by hand. */
static void test_special_values_of_narrow_types(void **state)
{
    static const struct {
        int type; /* in model_types */
        uint32_t lanes;
        uint64_t k;
        uint16_t a[4], b[4];
        uint32_t expected;
    } cases[] = {
        {1, 16, 1, {0x7c00}, {0x0000}, MODEL_NAN_BITS},                 /* f16: infinity · 0 */
        {1, 16, 2, {0x7c00, 0xfc00}, {0x3c00, 0x3c00}, MODEL_NAN_BITS}, /* infinity - infinity */
        {1, 16, 1, {0xfe01}, {0x3c00}, MODEL_NAN_BITS}, /* a NaN with sign and payload */
        {1, 16, 1, {0x7c01}, {0x3c00}, MODEL_NAN_BITS}, /* a signaling one */
        {1, 16, 1, {0x0001}, {0x8001}, 0xa7800000},     /* 2^-24 · -2^-24 is normal in f32 */
        {1, 16, 1, {0x7bff}, {0x7bff}, 0x4f7fc004},     /* 65504^2 does not overflow */
        {1, 16, 1, {0x8000}, {0x3c00}, 0},              /* +0 + -0 */
        {2, 16, 1, {0x0001}, {0x3f80}, 0x00010000},     /* bf16: a subnormal stays one */
        {2, 16, 1, {0x0080}, {0x3f00}, 0x00400000},     /* and is made: 2^-126 / 2 */
        {2, 16, 1, {0x7f00}, {0x4000}, 0x7f800000},     /* 2^127 · 2 overflows */
        /* 2^127 + 2^127 - 2^127 - 2^127: the tree of four overflows both ways, one lane only up */
        {2,
         4,
         4,
         {0x7f00, 0x7f00, 0xff00, 0xff00},
         {0x3f80, 0x3f80, 0x3f80, 0x3f80},
         MODEL_NAN_BITS},
        {2,
         2,
         4,
         {0x7f00, 0x7f00, 0xff00, 0xff00},
         {0x3f80, 0x3f80, 0x3f80, 0x3f80},
         MODEL_NAN_BITS},
        {2, 1, 4, {0x7f00, 0x7f00, 0xff00, 0xff00}, {0x3f80, 0x3f80, 0x3f80, 0x3f80}, 0x7f800000},
        {2, 4, 4, {0x7f00, 0xff00, 0x7f00, 0xff00}, {0x3f80, 0x3f80, 0x3f80, 0x3f80}, 0},
        {3, 16, 1, {0x7f}, {0x00}, MODEL_NAN_BITS}, /* e4m3: both NaNs, no infinity */
        {3, 16, 1, {0xff}, {0x38}, MODEL_NAN_BITS},
        {3, 16, 1, {0x7e}, {0xfe}, 0xc8440000}, /* 448 · -448 = -200704 */
        {3, 16, 1, {0x78}, {0x38}, 0x43800000}, /* 256: the exponent of all ones */
        {3, 16, 1, {0x01}, {0x01}, 0x36800000}, /* 2^-9 · 2^-9 */
        {4, 16, 1, {0x7c}, {0xbc}, 0xff800000}, /* e5m2: infinity · -1 */
        {4, 16, 1, {0x7c}, {0x80}, MODEL_NAN_BITS},
        {4, 16, 1, {0x7d}, {0x3c}, MODEL_NAN_BITS},
        {4, 16, 1, {0x01}, {0x81}, 0xaf800000}, /* 2^-16 · -2^-16 */
        {5, 16, 4, {0x80, 0x80, 0x7f, 0xff}, {0x80, 0x7f, 0x7f, 0x01}, 16384 - 16256 + 16129 - 1},
    };
    struct world *world = world_new(18);
    const struct matrix_path *paths[MATRIX_PATHS];
    size_t count = matrix_paths(paths);

    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0] * count; c++) {
        size_t i = c / count;
        const struct model_type *type = &model_types[cases[i].type];
        struct matrix_unit unit = model_unit(world, cases[i].lanes);
        unit.path = paths[c % count];
        for (uint64_t j = 0; j < cases[i].k; j++) {
            model_store(world, type, SPM, j, cases[i].a[j]);
            model_store(world, type, SPM + 64, j, cases[i].b[j]);
        }
        assert_true(matrix_mmv(&unit, &world->port, type->code, SPM + 128, 1, SPM, SPM + 64,
                               cases[i].k, &world->fault));
        model_check(world, f32, SPM + 128, &cases[i].expected, 1, type->name);
    }
    world_free(world);
}

/* ---- overlap, environment, trace ---- */

/* The output at every distance from the inputs: before, inside and after them. */
static void test_overlap(void **state)
{
    struct world *world = world_new(7);
    struct matrix_unit unit = model_unit(world, 4);
    uint64_t m = 3, k = 5, n = 4;
    uint32_t expected[LARGEST];

    (void)state;
    for (int t = 0; t < MODEL_TYPES; t++) {
        const struct model_type *type = &model_types[t];
        uint64_t a = SPM + 256, b = a + type->bytes * m * k;
        const struct model_product product = {world, type, a, b, m, k, n, 4};
        for (uint64_t out = a - 80; out <= b + type->bytes * k * n + 16; out += 4) {
            model_fill(world, type, SPM, 1024 / type->bytes, true);
            model_run(&product, expected);
            world_remember(world);
            assert_true(
                matrix_mm(&unit, &world->port, type->code, out, a, b, m, k, n, &world->fault));
            model_check(world, f32, out, expected, m * n, type->name);
            world_unchanged_but(world, out, 4 * m * n);
        }
    }
    world_free(world);
}

/* The same for vectors: each operand at the address of each other one. */
static void test_overlap_of_vectors(void **state)
{
    struct world *world = world_new(17);
    struct matrix_unit unit = model_unit(world, 4);
    uint64_t a = SPM + 256;
    uint32_t expected[LARGEST];

    (void)state;
    for (int t = 0; t < MODEL_TYPES; t++) {
        const struct model_type *type = &model_types[t];
        for (uint64_t out = a - 48; out <= a + 96; out += 4) {
            const struct model_product by_vector = {world, type, a, a + 4, 4, 3, 1, 4};
            model_fill(world, type, SPM, 1024 / type->bytes, true);
            model_run(&by_vector, expected);
            world_remember(world);
            assert_true(
                matrix_mmv(&unit, &world->port, type->code, out, 4, a, a + 4, 3, &world->fault));
            model_check(world, f32, out, expected, 4, type->name);
            world_unchanged_but(world, out, 16);

            const struct model_product by_matrix = {world, type, a + 8, a, 1, 3, 4, 4};
            model_run(&by_matrix, expected);
            world_remember(world);
            assert_true(
                matrix_vmm(&unit, &world->port, type->code, out, 4, a + 8, 3, a, &world->fault));
            model_check(world, f32, out, expected, 4, type->name);
            world_unchanged_but(world, out, 16);
        }
    }
    world_free(world);
}

/* Results do not depend on the floating-point environment of the process, which does not change. */
static void test_host_environment(void **state)
{
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    struct world *world = world_new(8);
    struct matrix_unit unit = model_unit(world, 8);
    uint32_t expected[LARGEST];

    (void)state;
    const struct model_product product = {world, f32, SPM, SPM + 800, 5, 30, 3, 8};
    model_fill(world, f32, SPM, 400, false);
    model_run(&product, expected);
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
        model_check(world, f32, SPM + 4000, expected, 15, "mm");
    }
    world_free(world);
}

static void test_recorded_ranges(void **state)
{
    struct world *world = world_new(9);
    struct matrix_unit unit = model_unit(world, 16);

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
    struct matrix_unit unit = model_unit(world, 16);
    struct port *port = &world->port;
    struct fault *fault = &world->fault;
    uint64_t bad = 3;

    (void)state;
    world_remember(world);
    assert_true(matrix_mmv(&unit, port, ISA_ELEMENT_F32, bad, 0, bad, bad, 7, fault));
    assert_true(matrix_vmm(&unit, port, ISA_ELEMENT_F32, bad, 0, bad, 7, bad, fault));
    assert_true(matrix_mm(&unit, port, ISA_ELEMENT_F32, bad, bad, bad, 0, 7, 7, fault));
    assert_true(matrix_mm(&unit, port, ISA_ELEMENT_F32, bad, bad, bad, UINT64_MAX, 7, 0, fault));
    assert_true(matrix_mms(&unit, port, ISA_ELEMENT_F32, bad, bad, 0, 0, fault));
    world_unchanged_but(world, 0, 0);
    assert_int_equal(world->recorder.count, 0);

    /* k = 0 gives zeros, and the inputs are not checked */
    static const unsigned char zeros[24];
    world_remember(world);
    assert_true(matrix_mm(&unit, port, ISA_ELEMENT_F32, SPM, bad, bad, 2, 0, 3, fault));
    assert_memory_equal(world->spm, zeros, 24);
    assert_true(matrix_mmv(&unit, port, ISA_ELEMENT_F32, SPM + 64, 2, bad, bad, 0, fault));
    assert_memory_equal(world->spm + 64, zeros, 8);
    assert_true(matrix_vmm(&unit, port, ISA_ELEMENT_F32, SPM + 96, 2, bad, 0, bad, fault));
    assert_memory_equal(world->spm + 96, zeros, 8);
    assert_int_equal(world->recorder.count, 3); /* only writes */
    world_free(world);
}

/* Lists addresses that are bad for every operand of `bytes` bytes. */
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
    struct matrix_unit unit = model_unit(world, 16);
    struct port *port = &world->port;
    struct fault *fault = &world->fault;
    uint64_t good = SPM + 0x800, access = CAUSE_TENSOR_ACCESS;
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
    /* two bad operands: the first one in the syntax faults */
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
    struct matrix_unit unit = model_unit(world, 16);
    uint64_t end = SPM + WORLD_SPM_SIZE;

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
    struct matrix_unit unit = model_unit(world, 16);
    struct port *port = &world->port;
    struct fault *fault = &world->fault;
    uint64_t configuration = CAUSE_TENSOR_CONFIGURATION;
    uint64_t huge = (uint64_t)1 << 62, wide = (uint64_t)1 << 33;

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

static void test_counters(void **state)
{
    struct world *world = world_new(14);
    struct matrix_unit unit = model_unit(world, 16);

    (void)state;
    assert_true(
        matrix_mm(&unit, &world->port, ISA_ELEMENT_F32, SPM, SPM, SPM, 2, 3, 4, &world->fault));
    assert_true(matrix_mms(&unit, &world->port, ISA_ELEMENT_F32, SPM, SPM, 9, 0, &world->fault));
    assert_true(matrix_mms(&unit, &world->port, ISA_ELEMENT_F32, SPM, SPM, 0, 0, &world->fault));
    assert_int_equal(unit.state.instructions, 2);
    assert_int_equal(unit.state.multiply_adds[ISA_ELEMENT_F32], 24);
    assert_int_equal(unit.state.multiply_adds[ISA_ELEMENT_F16], 0);
    assert_int_equal(unit.state.scalings, 9);
    assert_int_equal(unit.state.conversions, 0);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths_around_the_lanes),
        cmocka_unit_test(test_many_columns_and_rows),
        cmocka_unit_test(test_rows_at_every_level),
        cmocka_unit_test(test_many_panels),
        cmocka_unit_test(test_packed_left_operands),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_rows_around_tiles),
        cmocka_unit_test(test_shapes_of_whole_vectors),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_far_products),
        cmocka_unit_test(test_all_pairs_of_bytes),
        cmocka_unit_test(test_all_halves),
        cmocka_unit_test(test_order_of_additions),
        cmocka_unit_test(test_products_are_rounded),
        cmocka_unit_test(test_special_values),
        cmocka_unit_test(test_special_values_of_narrow_types),
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_overlap_of_vectors),
        cmocka_unit_test(test_host_environment),
        cmocka_unit_test(test_recorded_ranges),
        cmocka_unit_test(test_empty_operands),
        cmocka_unit_test(test_faults_of_each_operand),
        cmocka_unit_test(test_operands_at_the_very_edges),
        cmocka_unit_test(test_sizes_that_overflow),
        cmocka_unit_test(test_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
