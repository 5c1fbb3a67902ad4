/*
 * The sparse-to-dense unit is compared with the model of sparse_fixture.h: random partitions, types
 * and networks, special values, all errors of requests, and the routes in the trace.
 */
#include "sparse_fixture.h"

#include "emu/units/sparse_parts.h"
#include <stdio.h>

/* Executes an instruction with the fixture's requests, which are at REQUESTS. */
static bool gather(struct fixture *fixture, enum sparse_reduction reduction, uint64_t dst,
                   uint64_t *values)
{
    struct world *world = fixture->world;

    world_remember(world);
    *values = 0x5555;
    return sparse_gather(&fixture->unit, &world->port, reduction, dst, REQUESTS, fixture->requests,
                         values, &world->fault);
}

static bool update(struct fixture *fixture, uint64_t src)
{
    struct world *world = fixture->world;

    world_remember(world);
    return sparse_update(&fixture->unit, &world->port, src, REQUESTS, fixture->requests,
                         &world->fault);
}

/* Compares a gather with the model: values, the rest of memory, and counters. */
static void check_gather(struct fixture *fixture, enum sparse_reduction reduction, uint64_t dst)
{
    struct bytes *dense = malloc(sizeof *dense);
    unsigned value_bytes;
    uint64_t values;

    assert_non_null(dense);
    uint64_t expected = model_gather(fixture, reduction, dense, &value_bytes);
    model_count(fixture, reduction);
    assert_true(gather(fixture, reduction, dst, &values));
    assert_int_equal(values, expected);
    assert_int_equal(dense->length, expected * value_bytes);
    if (dense->length > 0)
        assert_memory_equal(world_map(fixture->world, dst, dense->length, false), dense->data,
                            dense->length);
    world_unchanged_but(fixture->world, dst, dense->length);
    check_counters(fixture);
    free(dense);
}

static void test_random_gathers(void **state)
{
    struct fixture *fixture = fixture_new(1);

    (void)state;
    for (int round = 0; round < 280; round++) {
        random_model(fixture, round % TYPES);
        thin_out(fixture);
        assert_true(configure(fixture));
        for (int i = 0; i < 4; i++) {
            random_requests(fixture);
            write_requests(fixture, REQUESTS);
            check_gather(fixture, (enum sparse_reduction)((round + i) % 5), DENSE + 4 * i);
        }
    }
    fixture_free(fixture);
}

/* The vector overlaps the tables or the requests. */
static void test_overlapping_gathers(void **state)
{
    struct fixture *fixture = fixture_new(2);

    (void)state;
    for (int round = 0; round < 210; round++) {
        random_model(fixture, round % TYPES);
        assert_true(configure(fixture));
        random_requests(fixture);
        write_requests(fixture, REQUESTS);
        check_gather(fixture, (enum sparse_reduction)(round % 5),
                     round % 2 ? TABLES + 4 * below(fixture, 64)
                               : REQUESTS + 4 * below(fixture, 8));
    }
    fixture_free(fixture);
}

/* Computes memory after an update with the model. */
static void model_update(struct fixture *fixture, const unsigned char *dense)
{
    for (unsigned q = 0; q < fixture->requests; q++) {
        const struct model_request *request = &fixture->request[q];
        const struct model_table *table = &fixture->model.table[request->table];
        uint64_t bytes =
            (uint64_t)table->rows * table->cols * type_bytes[table->type] * request->count;
        if (bytes == 0)
            continue;
        unsigned char *to = element_at(fixture, request->table, request->first);
        struct world *world = fixture->world;
        if (table->base >= SPM)
            memcpy(world->before_spm + (to - world->spm), dense, bytes);
        else
            memcpy(world->before_main + (to - world->main), dense, bytes);
        dense += bytes;
    }
}

static void test_random_updates(void **state)
{
    struct fixture *fixture = fixture_new(3);
    struct bytes *dense = malloc(sizeof *dense);

    (void)state;
    assert_non_null(dense);
    for (int round = 0; round < 280; round++) {
        unsigned value_bytes;
        random_model(fixture, round % TYPES);
        assert_true(configure(fixture));
        random_requests(fixture);
        write_requests(fixture, REQUESTS);
        /* overlaps the tables, the requests, or neither */
        uint64_t src = round % 3 == 0   ? TABLES + 4 * below(fixture, 64)
                       : round % 3 == 1 ? REQUESTS + 4 * below(fixture, 8)
                                        : DENSE + 4 * below(fixture, 8);
        model_gather(fixture, SPARSE_NONE, dense, &value_bytes);
        size_t length = dense->length;
        memcpy(dense->data, world_map(fixture->world, src, length + 1, false), length);
        assert_true(update(fixture, src));
        model_update(fixture, dense->data);
        world_unchanged_but(fixture->world, 0, 0);
    }
    free(dense);
    fixture_free(fixture);
}

/* The counters of updates. The requests share no element, so that all values that were sent are in
 * memory. */
static void test_update_counters(void **state)
{
    struct fixture *fixture = fixture_new(4);

    (void)state;
    for (int round = 0; round < 200; round++) {
        random_model(fixture, round % TYPES);
        thin_out(fixture);
        assert_true(configure(fixture));
        fixture->requests = 0;
        for (unsigned t = 0; t < fixture->model.tables; t++)
            fixture->request[fixture->requests++] =
                (struct model_request){t, 0, fixture->model.table[t].elements, 0};
        write_requests(fixture, REQUESTS);
        check_gather(fixture, SPARSE_NONE, DENSE);
        assert_true(update(fixture, DENSE));
        world_unchanged_but(fixture->world, 0, 0); /* what was gathered has gone back */
        model_count_way(fixture, SPARSE_NONE, true);
        check_counters(fixture);
    }
    fixture_free(fixture);
}

/* The patent's example: 100×10 of table 1, 20×100 of table 2, 3×3 of table 1000. */
static void test_golden(void **state)
{
    struct fixture *fixture = fixture_new(5);
    struct world *world = fixture->world;

    const struct {
        uint32_t table, rows, cols;
        uint64_t base;
    } used[] = {{1, 100, 10, TABLES}, {2, 20, 100, TABLES + 4000}, {1000, 3, 3, SPM}};
    struct bytes *bytes = calloc(1, sizeof *bytes);
    uint64_t values;

    (void)state;
    assert_non_null(bytes);
    put(bytes, 0, 2);
    put(bytes, 1, 2);
    put(bytes, 1, 2);
    put(bytes, 4, 2);
    put(bytes, 1001, 8);
    put(bytes, 0, 4);
    put(bytes, 1001, 4);
    for (unsigned t = 0, next = 0; t < 1001; t++) {
        bool is_used = next < 3 && t == used[next].table;
        put(bytes, is_used ? used[next].base : 0, 8);
        put(bytes, is_used ? used[next].rows : 0, 4);
        put(bytes, is_used ? used[next].cols : 0, 4);
        put(bytes, 0, 4);
        put(bytes, is_used, 4);
        put(bytes, 0, 4);
        put(bytes, is_used, 4);
        next += is_used;
    }
    /* the vector does not fit in main memory beside the tables, but at the end of the scratchpad */
    uint64_t at = SPM + 0x100;
    assert_true(bytes->length < 0x9000);
    memcpy(world_map(world, at, bytes->length, true), bytes->data, bytes->length);
    assert_true(sparse_configure(&fixture->unit, &world->port, at, &world->fault));
    fixture->requests = 3;
    for (unsigned i = 0; i < 3; i++)
        fixture->request[i] = (struct model_request){used[i].table, 0, 1, 0};
    write_requests(fixture, REQUESTS);
    assert_true(gather(fixture, SPARSE_NONE, SPM + 0x9000, &values));
    assert_int_equal(values, 3009);
    assert_memory_equal(world->spm + 0x9000, world->main + (TABLES - MAIN), 12000);
    assert_memory_equal(world->spm + 0x9000 + 12000, world->spm, 36);
    world_unchanged_but(world, SPM + 0x9000, 12036);
    free(bytes);
    fixture_free(fixture);
}

/* ---- values ---- */

/* Returns the reduction of one request of `count` elements of one value each. */
static uint32_t reduce(struct fixture *fixture, unsigned type, enum sparse_reduction reduction,
                       const uint32_t *values, uint32_t count)
{
    uint64_t length;
    uint32_t result;

    fixture->model = (struct model){
        .m = 1,
        .n = 2,
        .k = 3,
        .tables = 1,
        .row_first = {0, 1},
        .table = {{TABLES, 1, 1, type, count, {0, count / 2, count}}},
    };
    for (uint32_t i = 0; i < count; i++)
        memcpy(element_at(fixture, 0, i), &values[i], type_bytes[type]);
    assert_true(configure(fixture));
    fixture->requests = 1;
    fixture->request[0] = (struct model_request){.count = count};
    write_requests(fixture, REQUESTS);
    assert_true(gather(fixture, reduction, DENSE, &length));
    assert_int_equal(length, 1);
    memcpy(&result, world_map(fixture->world, DENSE, 4, false), 4);
    return result;
}

#define REDUCE(type, reduction, ...)                                                               \
    reduce(fixture, type, reduction, (const uint32_t[]){__VA_ARGS__},                              \
           sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

enum { ONE = 0x3f800000, INFINITE = 0x7f800000, NOT_A_NUMBER = 0x7fc00000 };
#define MINUS 0x80000000u

static void test_special_floats(void **state)
{
    struct fixture *fixture = fixture_new(6);

    (void)state;
    /* a sum begins at +0 */
    assert_int_equal(REDUCE(F32, SPARSE_SUM, MINUS), 0);
    assert_int_equal(REDUCE(F32, SPARSE_MEAN, MINUS, MINUS), 0);
    /* in element order: (2^24 + 1) + 1 loses both ones, 1 + 1 + 2^24 none */
    assert_int_equal(REDUCE(F32, SPARSE_SUM, 0x4b800000, ONE, ONE), 0x4b800000);
    assert_int_equal(REDUCE(F32, SPARSE_SUM, ONE, ONE, 0x4b800000), 0x4b800001);
    assert_int_equal(REDUCE(F32, SPARSE_SUM, INFINITE, INFINITE | MINUS), NOT_A_NUMBER);
    assert_int_equal(REDUCE(F32, SPARSE_SUM, 0x7f7fffff, 0x7f7fffff), INFINITE);
    assert_int_equal(REDUCE(F32, SPARSE_SUM, 1, 1), 2); /* subnormals */
    assert_int_equal(REDUCE(F32, SPARSE_MEAN, ONE, ONE, 0x40000000), 0x3faaaaab);
    assert_int_equal(REDUCE(F32, SPARSE_MAX, MINUS, 0), 0);
    assert_int_equal(REDUCE(F32, SPARSE_MAX, 0, MINUS), 0);
    assert_int_equal(REDUCE(F32, SPARSE_MIN, MINUS, 0), MINUS);
    assert_int_equal(REDUCE(F32, SPARSE_MIN, 0, MINUS), MINUS);
    assert_int_equal(REDUCE(F32, SPARSE_MAX, MINUS | ONE, MINUS | INFINITE), MINUS | ONE);
    assert_int_equal(REDUCE(F32, SPARSE_MIN, MINUS | ONE, MINUS | INFINITE), MINUS | INFINITE);
    /* every NaN wins, and is canonical */
    for (int reduction = SPARSE_SUM; reduction <= SPARSE_MEAN; reduction++) {
        assert_int_equal(REDUCE(F32, reduction, 0xffc12345), NOT_A_NUMBER);
        assert_int_equal(REDUCE(F32, reduction, 0x7f800001, ONE), NOT_A_NUMBER);
        assert_int_equal(REDUCE(F32, reduction, INFINITE, ONE, 0xff812345), NOT_A_NUMBER);
        assert_int_equal(REDUCE(F16, reduction, 0x3c00, 0x7c01, 0xfc00), NOT_A_NUMBER);
        assert_int_equal(REDUCE(E4M3, reduction, 0xff, 0x38), NOT_A_NUMBER);
        assert_int_equal(REDUCE(F32, reduction, ONE), ONE);
    }
    /* widened, not rounded on the way */
    assert_int_equal(REDUCE(F16, SPARSE_SUM, 0x7bff, 0x7bff), 0x47ffe000);
    assert_int_equal(REDUCE(BF16, SPARSE_SUM, 0x3f80, 0x3b80), 0x3f808000);
    assert_int_equal(REDUCE(E4M3, SPARSE_SUM, 0x7e, 0x01), 0x43e00040);
    assert_int_equal(REDUCE(E5M2, SPARSE_MIN, 0xfc, 0x00), MINUS | INFINITE);
    fixture_free(fixture);
}

static void test_special_integers(void **state)
{
    struct fixture *fixture = fixture_new(7);

    (void)state;
    assert_int_equal(REDUCE(I8, SPARSE_SUM, 127, 127, 0x80), 126);
    assert_int_equal(REDUCE(I8, SPARSE_MAX, 0x80, 0xff), UINT32_MAX);
    assert_int_equal(REDUCE(I8, SPARSE_MIN, 127, 0x80), (uint32_t)-128);
    assert_int_equal(REDUCE(I8, SPARSE_MEAN, 0xff, 0xff, 0xff, 0xfe), (uint32_t)-1);
    assert_int_equal(REDUCE(I8, SPARSE_MEAN, 0xff, 0), 0);
    assert_int_equal(REDUCE(I8, SPARSE_MEAN, 3, 4), 3);
    assert_int_equal(REDUCE(I32, SPARSE_SUM, 0x7fffffff, 2), 0x80000001);
    assert_int_equal(REDUCE(I32, SPARSE_MEAN, 0x7fffffff, 3),
                     (uint32_t)((-2147483647 - 1 + 2) / 2));
    assert_int_equal(REDUCE(I32, SPARSE_MAX, 0x80000000, 5), 5);
    assert_int_equal(REDUCE(I32, SPARSE_MIN, 5, 0x80000000), 0x80000000);
    fixture_free(fixture);
}

static void test_empty_requests(void **state)
{
    struct fixture *fixture = fixture_new(8);
    const unsigned char zeros[24] = {0};
    uint64_t values;

    (void)state;
    fixture->model = (struct model){
        .m = 2,
        .n = 1,
        .k = 1,
        .tables = 2,
        .row_first = {0, 1, 2},
        .table = {{TABLES, 2, 3, F16, 4, {0, 4}}, {77, 0, 0, F16, 0, {0, 0}}},
    };
    assert_true(configure(fixture));
    fixture->requests = 2;
    fixture->request[0] = (struct model_request){.table = 0, .first = 4};
    fixture->request[1] = (struct model_request){.table = 1};
    write_requests(fixture, REQUESTS);
    /* the address of a vector without values is not checked */
    assert_true(gather(fixture, SPARSE_NONE, 1, &values));
    assert_int_equal(values, 0);
    world_unchanged_but(fixture->world, 0, 0);
    assert_int_equal(fixture->unit.hops, 1); /* the requests are broadcast nevertheless */
    assert_int_equal(fixture->unit.bytes, 0);
    assert_int_equal(fixture->unit.cycles, 0);
    for (int reduction = SPARSE_SUM; reduction <= SPARSE_MEAN; reduction++) {
        assert_true(gather(fixture, reduction, DENSE, &values));
        assert_int_equal(values, 6);
        assert_memory_equal(world_map(fixture->world, DENSE, 24, false), zeros, 24);
        world_unchanged_but(fixture->world, DENSE, 24);
    }
    assert_true(update(fixture, 3));
    /* without requests no operand is checked */
    uint64_t hops = fixture->unit.hops;
    world_remember(fixture->world);
    assert_true(sparse_gather(&fixture->unit, &fixture->world->port, SPARSE_SUM, 1, 3, 0, &values,
                              &fixture->world->fault));
    assert_true(
        sparse_update(&fixture->unit, &fixture->world->port, 1, 3, 0, &fixture->world->fault));
    assert_int_equal(values, 0);
    assert_int_equal(fixture->world->recorder.count, 0);
    assert_int_equal(fixture->unit.hops, hops);
    fixture_free(fixture);
}

/* ---- faults ---- */

/* Checks that both instructions raise the fault and change nothing. */
static void refused_at(struct fixture *fixture, uint64_t dense, uint64_t requests, uint64_t count,
                       enum cause cause, uint64_t value)
{
    struct world *world = fixture->world;
    const struct sparse_unit before = fixture->unit;
    uint64_t values = 0x5555;

    for (int reduction = SPARSE_NONE; reduction <= SPARSE_MEAN; reduction++) {
        world_remember(world);
        world_faulted(world,
                      sparse_gather(&fixture->unit, &world->port, reduction, dense, requests, count,
                                    &values, &world->fault),
                      cause, value);
    }
    world_remember(world);
    world_faulted(
        world, sparse_update(&fixture->unit, &world->port, dense, requests, count, &world->fault),
        cause, value);
    assert_int_equal(values, 0x5555);
    assert_memory_equal(&before, &fixture->unit, sizeof before);
}

static void refused(struct fixture *fixture, uint64_t value)
{
    write_requests(fixture, REQUESTS);
    refused_at(fixture, DENSE, REQUESTS, fixture->requests, CONFIGURATION, value);
}

static struct fixture *small_fixture(uint64_t seed)
{
    struct fixture *fixture = fixture_new(seed);

    fixture->model = (struct model){
        .m = 2,
        .n = 2,
        .k = 2,
        .tables = 3,
        .row_first = {0, 2, 3},
        .table = {{TABLES, 2, 2, F32, 5, {0, 2, 5}},
                  {TABLES + 0x100, 1, 1, I8, 7, {0, 0, 7}},
                  {TABLES_END - 8, 1, 1, F32, 2, {0, 1, 2}}},
    };
    assert_true(configure(fixture));
    fixture->requests = 2;
    fixture->request[0] = (struct model_request){0, 0, 5, 0};
    fixture->request[1] = (struct model_request){2, 1, 1, 0};
    write_requests(fixture, REQUESTS);
    return fixture;
}

static void test_bad_requests(void **state)
{
    struct fixture *fixture = small_fixture(9);
    const struct model_request good = fixture->request[1];
    struct model_request *request = &fixture->request[1];

    (void)state;
    *request = (struct model_request){3, 0, 1, 0}; /* no such table */
    refused(fixture, 3);
    *request = (struct model_request){UINT32_MAX, 0, 0, 0};
    refused(fixture, UINT32_MAX);
    *request = (struct model_request){1, 0, 1, 0}; /* another type */
    refused(fixture, 1);
    *request = (struct model_request){2, 3, 0, 0};
    refused(fixture, 3);
    *request = (struct model_request){2, UINT32_MAX, UINT32_MAX, 0};
    refused(fixture, UINT32_MAX);
    *request = (struct model_request){2, 0, 3, 0};
    refused(fixture, 3);
    *request = (struct model_request){2, 1, 2, 0};
    refused(fixture, 2);
    *request = (struct model_request){2, 1, UINT32_MAX, 0}; /* the sum leaves 32 bits */
    refused(fixture, UINT32_MAX);
    *request = (struct model_request){2, 0, 1, 9};
    refused(fixture, 9);
    /* the first wrong request is reported, with its first wrong field */
    fixture->request[0] = (struct model_request){0, 6, 7, 8};
    refused(fixture, 6);
    fixture->request[0] = (struct model_request){0, 0, 5, 0};
    *request = good;
    write_requests(fixture, REQUESTS);
    check_gather(fixture, SPARSE_NONE, DENSE);
    fixture_free(fixture);
}

static void test_bad_operands(void **state)
{
    struct fixture *fixture = small_fixture(10);
    const uint64_t holes[] = {0, MAIN_END, MAIN - 4, UINT64_MAX - 3, WORLD_OUTSIDE_BASE + 0x1000};

    (void)state;
    /* the list */
    for (uint64_t i = 1; i < 4; i++)
        refused_at(fixture, DENSE, REQUESTS + i, 2, ACCESS, REQUESTS + i);
    for (size_t i = 0; i < sizeof holes / sizeof *holes; i++)
        refused_at(fixture, DENSE, holes[i], 2, ACCESS, holes[i]);
    refused_at(fixture, DENSE, MAIN_END - 28, 2, ACCESS, MAIN_END - 28);
    refused_at(fixture, DENSE, REQUESTS, (uint64_t)1 << 60, CONFIGURATION, (uint64_t)1 << 60);
    refused_at(fixture, DENSE, REQUESTS, UINT64_MAX, CONFIGURATION, UINT64_MAX);
    refused_at(fixture, DENSE, REQUESTS, ((uint64_t)1 << 60) - 1, ACCESS, REQUESTS);
    /* the vector */
    for (uint64_t i = 1; i < 4; i++)
        refused_at(fixture, DENSE + i, REQUESTS, 2, ACCESS, DENSE + i);
    for (size_t i = 0; i < sizeof holes / sizeof *holes; i++)
        refused_at(fixture, holes[i], REQUESTS, 2, ACCESS, holes[i]);
    refused_at(fixture, MAIN_END - 16, REQUESTS, 2, ACCESS, MAIN_END - 16);
    /* the list and its requests are checked before the vector */
    refused_at(fixture, 1, 3, 2, ACCESS, 3);
    fixture->request[1].table = 9;
    write_requests(fixture, REQUESTS);
    refused_at(fixture, 1, REQUESTS, 2, CONFIGURATION, 9);
    fixture_free(fixture);
}

/* Memory in which a table was unmapped after sconf. */
static void *without_table(void *context, uint64_t address, uint64_t length, bool write)
{
    if (address <= TABLES_END - 4 && address + length > TABLES_END - 4)
        return NULL;
    return world_map(context, address, length, write);
}

static void test_lost_table(void **state)
{
    struct fixture *fixture = small_fixture(11);

    (void)state;
    fixture->world->port.map = without_table;
    refused_at(fixture, DENSE, REQUESTS, 2, ACCESS, TABLES_END - 4);
    refused_at(fixture, DENSE + 2, REQUESTS, 2, ACCESS, DENSE + 2); /* the vector first */
    fixture_free(fixture);
}

static void test_without_configuration(void **state)
{
    struct fixture *fixture = fixture_new(12);

    (void)state;
    refused_at(fixture, DENSE, REQUESTS, 1, CONFIGURATION, 0);
    refused_at(fixture, 1, 1, 0, CONFIGURATION, 0);
    assert_int_equal(sparse_shape(&fixture->unit).rows, 0);
    fixture_free(fixture);
}

static bool time_is_over(void *clock)
{
    return ++*(unsigned *)clock >= 3;
}

/* A long sum over the same table ends when the deadline passes. */
static void test_deadline(void **state)
{
    struct fixture *fixture = fixture_new(13);
    struct world *world = fixture->world;
    unsigned looks = 0;
    uint64_t values;

    (void)state;
    fixture->model = (struct model){
        .m = 1,
        .n = 1,
        .k = 65535,
        .tables = 1,
        .row_first = {0, 1},
        .table = {{SPM, 1, 1, I8, WORLD_SPM_SIZE, {0, WORLD_SPM_SIZE}}},
    };
    assert_true(configure(fixture));
    for (unsigned i = 0; i < 1024; i++)
        memcpy(world->main + (TABLES - MAIN) + 16 * i,
               &(struct model_request){0, 0, WORLD_SPM_SIZE, 0}, 16);
    world->port.expired = time_is_over;
    world->port.clock = &looks;
    world->fault.cause = 0;
    assert_false(sparse_gather(&fixture->unit, &world->port, SPARSE_NONE, DENSE, TABLES, 1, &values,
                               &world->fault) &&
                 values != WORLD_SPM_SIZE);
    assert_false(sparse_gather(&fixture->unit, &world->port, SPARSE_SUM, DENSE, TABLES, 1024,
                               &values, &world->fault));
    assert_int_equal(world->fault.cause, CAUSE_DEADLINE);
    assert_int_equal(looks, 3);
    fixture_free(fixture);
}

/* ---- the trace ---- */

static void test_recorded_ranges(void **state)
{
    struct fixture *fixture = small_fixture(14);
    struct world *world = fixture->world;
    uint64_t values;

    (void)state;
    assert_true(gather(fixture, SPARSE_NONE, DENSE, &values));
    assert_int_equal(world->recorder.count, 8);
    world_range_effect(world, 0, EFFECT_RANGE_READ, REQUESTS, 32);
    world_range_effect(world, 1, EFFECT_RANGE_READ, TABLES, 80);
    world_range_effect(world, 2, EFFECT_RANGE_READ, TABLES_END - 4, 4);
    world_range_effect(world, 3, EFFECT_RANGE_WRITE, DENSE, 84);
    assert_string_equal(world_effect(world, 4)->name, "hops");
    assert_int_equal(world_effect(world, 4)->value, fixture->unit.hops);
    assert_string_equal(world_effect(world, 7)->name, "compressed");
    assert_int_equal(world_effect(world, 7)->value, fixture->unit.compressed_bytes);
    assert_true(update(fixture, DENSE));
    assert_int_equal(world->recorder.count, 8);
    world_range_effect(world, 0, EFFECT_RANGE_READ, DENSE, 84);
    world_range_effect(world, 1, EFFECT_RANGE_READ, REQUESTS, 32);
    world_range_effect(world, 2, EFFECT_RANGE_WRITE, TABLES, 80);
    world_range_effect(world, 3, EFFECT_RANGE_WRITE, TABLES_END - 4, 4);
    fixture_free(fixture);
}

static bool neighbors(unsigned a, unsigned b, unsigned size, bool torus)
{
    return a + 1 == b || b + 1 == a || (torus && size > 1 && (a + 1) % size == b % size) ||
           (torus && size > 1 && (b + 1) % size == a % size);
}

struct place {
    unsigned row, column; /* from 0 */
};

static struct place place_of(uint64_t value)
{
    return (struct place){EFFECT_PLACE_ROW(value) - 1, EFFECT_PLACE_COLUMN(value) - 1};
}

/* Checks that a link connects neighbors in one direction. */
static void check_link(const struct model *model, struct place a, struct place b)
{
    bool torus = model->topology == 1;

    assert_true(a.row < model->m && b.row < model->m);
    assert_true(a.column < model->n && b.column < model->n);
    if (a.row == b.row)
        assert_true(neighbors(a.column, b.column, model->n, torus));
    else
        assert_true(a.column == b.column && neighbors(a.row, b.row, model->m, torus));
}

/* Checks that the broadcast reaches every unit once, from a unit that it has reached before, first
 * along the column. */
static size_t check_broadcast(const struct fixture *fixture, size_t at)
{
    const struct model *model = &fixture->model;
    bool reached[MODEL_UNITS][MODEL_UNITS] = {{true}};

    for (unsigned i = 0; i < model->m * model->n - 1; i++, at++) {
        const struct effect *effect = world_effect(fixture->world, at);
        const struct place from = place_of(effect->address), to = place_of(effect->length);
        assert_int_equal(effect->kind, EFFECT_HOP);
        assert_string_equal(effect->name, "request");
        assert_int_equal(effect->value, 16 * fixture->requests);
        check_link(model, from, to);
        assert_true(reached[from.row][from.column] && !reached[to.row][to.column]);
        assert_true(from.row == to.row || from.column == 0);
        assert_int_equal(model_d(model, to.row, to.column),
                         model_d(model, from.row, from.column) + 1);
        reached[to.row][to.column] = true;
    }
    return at;
}

/* Checks a packet's route of d links between its unit and the first one: an answer goes along its
 * row first, an update along the first column. */
static size_t check_way(const struct fixture *fixture, struct place owner, uint64_t bytes,
                        bool to_first, size_t at)
{
    const struct model *model = &fixture->model;
    struct place here = to_first ? owner : (struct place){0, 0};

    for (uint64_t i = 0; i < model_d(model, owner.row, owner.column); i++, at++) {
        const struct effect *effect = world_effect(fixture->world, at);
        const struct place from = place_of(effect->address), to = place_of(effect->length);
        assert_int_equal(effect->kind, EFFECT_HOP);
        assert_string_equal(effect->name, to_first ? "answer" : "update");
        assert_int_equal(effect->number, owner.row + 1);
        assert_int_equal(effect->dimension, owner.column + 1);
        assert_int_equal(effect->value, bytes);
        assert_true(from.row == here.row && from.column == here.column);
        check_link(model, from, to);
        assert_true(from.row == to.row || from.column == 0);
        here = to;
    }
    const struct place end = to_first ? (struct place){0, 0} : owner;
    assert_true(here.row == end.row && here.column == end.column);
    return at;
}

/* Checks all effects of the last instruction between the ranges and the counters. */
static uint64_t check_network(const struct fixture *fixture, bool to_first)
{
    struct world *world = fixture->world;
    uint64_t hops = fixture->model.m * fixture->model.n - 1, fetched = 0, packets = 0;
    size_t at = 0;

    while (world_effect(world, at)->kind == EFFECT_RANGE_READ)
        at++;
    at = check_broadcast(fixture, at);
    for (; strcmp(world_effect(world, at)->name ? world_effect(world, at)->name : "", "fetch") == 0;
         at++)
        fetched++;
    while (world_effect(world, at)->kind == EFFECT_STATE &&
           strcmp(world_effect(world, at)->name, "plain") == 0) {
        const struct effect *plain = world_effect(world, at++), *packet = world_effect(world, at++);
        const struct place owner = {plain->number - 1u, (unsigned)plain->dimension - 1};
        assert_string_equal(packet->name, "packet");
        at = check_way(fixture, owner, packet->value, to_first, at);
        hops += model_d(&fixture->model, owner.row, owner.column);
        packets++;
    }
    uint64_t expected = 0;
    for (unsigned i = 0; i < fixture->requests; i++)
        expected += fixture->request[i].count;
    assert_int_equal(fetched, expected);
    assert_true((packets > 0) == (fetched > 0));
    return hops;
}

static void test_traced_routes(void **state)
{
    struct fixture *fixture = fixture_new(15);
    uint64_t values;

    (void)state;
    fixture->world->port.trace_hops = true;
    for (int round = 0; round < 300; round++) {
        random_model(fixture, F16);
        fixture->model.way = 0;
        assert_true(configure(fixture));
        random_requests(fixture);
        write_requests(fixture, REQUESTS);
        assert_true(gather(fixture, (enum sparse_reduction)(round % 5), DENSE, &values));
        assert_int_equal(check_network(fixture, true), fixture->unit.hops);
        uint64_t before = fixture->unit.hops;
        assert_true(update(fixture, DENSE));
        assert_int_equal(check_network(fixture, false), fixture->unit.hops - before);
    }
    fixture_free(fixture);
}

/* ---- packets ---- */

/* Changes one bit of the packet of one unit. */
struct damage {
    uint32_t unit;
    uint64_t bit;   /* in the packet */
    uint64_t bytes; /* of that packet; 0 if there was none */
};

static void harm(void *disturber, uint32_t unit, unsigned char *packet, uint64_t bytes)
{
    struct damage *damage = disturber;

    if (unit != damage->unit)
        return;
    damage->bytes = bytes;
    damage->bit %= 8 * bytes;
    packet[damage->bit / 8] ^= (unsigned char)(1 << damage->bit % 8);
}

/* One table of 40 bytes for each of the rows, all of it in unit (r, 2). Half of the values are 0 if
 * `sparse`. */
static struct fixture *harmed_fixture(struct damage *damage, unsigned way, bool sparse)
{
    struct fixture *fixture = fixture_new(18);

    fixture->model = (struct model){
        .way = way,
        .m = 3,
        .n = 2,
        .k = 2,
        .tables = 3,
        .row_first = {0, 1, 2, 3},
        .table = {{TABLES, 1, 8, I8, 5, {0, 0, 5}},
                  {TABLES + 40, 1, 8, I8, 5, {0, 0, 5}},
                  {TABLES + 80, 1, 8, I8, 5, {0, 0, 5}}},
    };
    for (unsigned i = 0; i < 120; i++)
        element_at(fixture, 0, 0)[i] = sparse && i % 2 == 0 ? 0 : (unsigned char)(i + 1);
    assert_true(configure(fixture));
    fixture->requests = 3;
    for (unsigned i = 0; i < 3; i++)
        fixture->request[i] = (struct model_request){i, 0, 5, 0};
    write_requests(fixture, REQUESTS);
    fixture->unit.disturb = harm;
    fixture->unit.disturber = damage;
    return fixture;
}

/* Returns whether bytes [40·table, 40·table + 40) differ. */
static bool table_differs(const unsigned char *a, const unsigned char *b, unsigned table)
{
    return memcmp(a + (size_t)40 * table, b + (size_t)40 * table, 40) != 0;
}

/* Keeps the packets in the order in which they are sent. */
struct journal {
    unsigned char bytes[64];
    size_t length;
};

static void keep(void *disturber, uint32_t unit, unsigned char *packet, uint64_t bytes)
{
    struct journal *journal = disturber;

    journal->bytes[journal->length++] = (unsigned char)unit;
    memcpy(journal->bytes + journal->length, packet, bytes);
    journal->length += bytes;
}

/* A row of three units; the second and the third serve an element each. */
static struct fixture *row_of_three(struct journal *journal, unsigned way)
{
    struct fixture *fixture = fixture_new(21);

    fixture->model = (struct model){
        .way = way,
        .m = 1,
        .n = 3,
        .k = 1,
        .tables = 1,
        .row_first = {0, 1},
        .table = {{TABLES, 1, 4, I8, 2, {0, 0, 1, 2}}},
    };
    memcpy(element_at(fixture, 0, 0), (unsigned char[]){0, 0, 0, 1, 0, 2, 0, 0}, 8);
    assert_true(configure(fixture));
    fixture->requests = 1;
    fixture->request[0] = (struct model_request){0, 0, 2, 0};
    write_requests(fixture, REQUESTS);
    fixture->unit.disturb = keep;
    fixture->unit.disturber = journal;
    return fixture;
}

static void check_journal(struct fixture *fixture, struct journal *journal, bool away,
                          const unsigned char *expected, size_t length)
{
    uint64_t values;

    journal->length = 0;
    assert_true(away ? update(fixture, DENSE) : gather(fixture, SPARSE_NONE, DENSE, &values));
    assert_int_equal(journal->length, length);
    assert_memory_equal(journal->bytes, expected, length);
    assert_memory_equal(world_map(fixture->world, DENSE, 8, false), element_at(fixture, 0, 0), 8);
}

/* JP7187635B2, claim 7: each element access unit has a unit that compresses its elements, and the
 * output is based on that. Here are the packets, after the numbers of their units. */
static void test_claim_7(void **state)
{
    struct journal journal = {.length = 0};
    struct fixture *fixture = row_of_three(&journal, SPARSE_PACKETS);
    const unsigned char packets[] = {1, 0x08, 1, 2, 0x02, 2};

    (void)state;
    check_journal(fixture, &journal, false, packets, sizeof packets);
    check_journal(fixture, &journal, true, packets, sizeof packets);
    fixture_free(fixture);
}

/* Claim 14, the method, with the text on unit 310: a unit also decompresses what it has received,
 * concatenates it with its own elements, and compresses the whole. */
static void test_claim_14(void **state)
{
    struct journal journal = {.length = 0};
    struct fixture *fixture = row_of_three(&journal, SPARSE_MERGE);
    const unsigned char fragments[] = {2, 0x02, 2, 1, 0x28, 1, 2},
                        parts[] = {1, 0x28, 1, 2, 2, 0x02, 2};

    (void)state;
    check_journal(fixture, &journal, false, fragments, sizeof fragments);
    check_journal(fixture, &journal, true, parts, sizeof parts);
    fixture_free(fixture);
}

/* JP7187635B2, claims 7 and 14: the output is generated from what the compression unit of an
 * element access unit has compressed. So each bit of a packet decides about the result, and only
 * about the values in it: with packets those of its own unit, with fragments those of all units
 * that sent theirs through it. */
static void test_damaged_packets(void **state)
{
    (void)state;
    for (unsigned choice = 0; choice < 8; choice++) {
        unsigned way = choice & 1;
        bool away = choice & 2;
        struct damage damage = {0};
        struct fixture *fixture = harmed_fixture(&damage, way, choice & 4);
        struct world *world = fixture->world;
        unsigned char good[120];
        memcpy(good, element_at(fixture, 0, 0), sizeof good);
        for (uint32_t unit = 0; unit < 6; unit++) {
            uint64_t bits = 1;
            for (uint64_t bit = 0; bit < bits; bit++) {
                uint64_t values;
                damage = (struct damage){unit, bit, 0};
                memcpy(world_map(world, DENSE, 120, true), good, 120);
                const unsigned char *result = element_at(fixture, 0, 0);
                if (away) {
                    memset(element_at(fixture, 0, 0), 0x55, 120);
                    assert_true(update(fixture, DENSE));
                } else {
                    memcpy(element_at(fixture, 0, 0), good, 120);
                    assert_true(gather(fixture, SPARSE_NONE, DENSE, &values));
                    result = world_map(world, DENSE, 120, false);
                }
                bits = 8 * damage.bytes;
                /* units 1, 3 and 5 serve the tables; units 2 and 4 forward those below */
                bool sends = unit % 2 == 1 || (way == 1 && unit > 0);
                assert_true((bits > 0) == sends);
                bool any = false;
                for (unsigned table = 0; table < 3; table++) {
                    bool differs = table_differs(good, result, table);
                    bool travels = unit % 2 == 1 ? unit == 2 * table + 1 : unit <= 2 * table;
                    assert_true(!differs || (sends && travels));
                    any |= differs;
                }
                assert_true(any == sends);
            }
        }
        fixture_free(fixture);
    }
}

/* Any bytes of a packet are unpacked within its values. */
static void wreck(void *disturber, uint32_t unit, unsigned char *packet, uint64_t bytes)
{
    struct fixture *fixture = disturber;

    (void)unit;
    for (uint64_t i = 0; i < bytes; i++)
        packet[i] = (unsigned char)(below(fixture, 2) ? 0xff : world_random(fixture->world));
}

static void test_wrecked_packets(void **state)
{
    struct fixture *fixture = fixture_new(19);

    (void)state;
    fixture->unit.disturb = wreck;
    fixture->unit.disturber = fixture;
    for (int round = 0; round < 300; round++) {
        uint64_t values;
        unsigned size = type_bytes[round % TYPES];
        random_model(fixture, round % TYPES);
        thin_out(fixture);
        assert_true(configure(fixture));
        random_requests(fixture);
        write_requests(fixture, REQUESTS);
        assert_true(gather(fixture, (enum sparse_reduction)(round % 5), DENSE, &values));
        world_unchanged_but(fixture->world, DENSE, values * (round % 5 == SPARSE_NONE ? size : 4));
        assert_true(update(fixture, DENSE));
    }
    fixture_free(fixture);
}

/* Packs runs of two sizes at every position in a byte, and finds the values again. */
static void test_packets(void **state)
{
    struct fixture *fixture = fixture_new(20);

    (void)state;
    for (int round = 0; round < 4000; round++) {
        const unsigned sizes[] = {1, 2, 4, 8};
        unsigned char values[2][512], packet[2048];
        struct sparse_run runs[2];
        uint64_t bytes = 0, nonzero = 0, count = 0;
        for (unsigned i = 0; i < 2; i++) {
            unsigned size = sizes[below(fixture, 4)];
            uint64_t density = below(fixture, 5);
            runs[i] = (struct sparse_run){values[i], below(fixture, 50), size};
            for (uint64_t v = 0; v < runs[i].count; v++) {
                uint64_t value = below(fixture, 4) < density ? 1 + below(fixture, 255) : 0;
                value <<= 8 * below(fixture, size);
                memcpy(values[i] + v * size, &value, size);
                nonzero += value ? size : 0;
            }
            bytes += runs[i].count * size;
            count += runs[i].count;
        }
        uint64_t packed = (count + 7) / 8 + nonzero;
        assert_true(sparse_packet_limit(count, bytes) <= sizeof packet);
        uint64_t found = sparse_pack(packet, runs, 2, bytes);
        assert_int_equal(found, packed < bytes ? packed : bytes);
        unsigned char again[2][512];
        memset(again, 0xee, sizeof again);
        struct sparse_run to[] = {{again[0], runs[0].count, runs[0].size},
                                  {again[1], runs[1].count, runs[1].size}};
        sparse_unpack(packet, found, to, 2, bytes);
        for (unsigned i = 0; i < 2; i++) {
            size_t length = runs[i].count * runs[i].size;
            assert_memory_equal(again[i], values[i], length);
            assert_int_equal(again[i][length], 0xee);
        }
    }
    fixture_free(fixture);
}

/* Finds the order in which a large gather fetched its elements. */
static void fetch_order(struct fixture *fixture, uint64_t seed, uint64_t order[64])
{
    struct world *world = fixture->world;
    size_t count = 0;
    uint64_t values;

    fixture->unit.seed = seed;
    assert_true(configure(fixture));
    assert_true(gather(fixture, SPARSE_SUM, DENSE, &values));
    for (size_t i = 0; i < world->recorder.count; i++)
        if (world->recorder.effects[i].kind == EFFECT_STATE &&
            strcmp(world->recorder.effects[i].name, "fetch") == 0)
            order[count++] = world->recorder.effects[i].value;
    assert_int_equal(count, 64);
}

static int compare_addresses(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

static void test_seeds(void **state)
{
    struct fixture *fixture = fixture_new(16);
    uint64_t order[64], again[64], other[64];
    unsigned char result[64];

    (void)state;
    fixture->world->port.trace_hops = true;
    fixture->model = (struct model){
        .m = 1,
        .n = 1,
        .k = 8,
        .tables = 1,
        .row_first = {0, 1},
        .table = {{TABLES, 4, 4, F32, 64, {0, 64}}},
    };
    fixture->requests = 1;
    fixture->request[0] = (struct model_request){.count = 64};
    write_requests(fixture, REQUESTS);
    fetch_order(fixture, 1, order);
    memcpy(result, world_map(fixture->world, DENSE, 64, false), 64);
    fetch_order(fixture, 1, again);
    assert_memory_equal(order, again, sizeof order);
    for (uint64_t seed = 2; seed < 20; seed++) {
        fetch_order(fixture, seed, other);
        assert_memory_not_equal(order, other, sizeof order);
        assert_memory_equal(result, world_map(fixture->world, DENSE, 64, false), 64);
        /* each element comes once, and overtakes at most as many as are in flight */
        qsort(other, 64, sizeof *other, compare_addresses);
        for (unsigned i = 0; i < 64; i++)
            assert_int_equal(other[i], TABLES + 64 * i);
    }
    /* one fetch processor fetches in order */
    fixture->model.k = 1;
    fetch_order(fixture, 5, other);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(other[i], TABLES + 64 * i);
    fixture_free(fixture);
}

static void test_activity(void **state)
{
    struct fixture *fixture = small_fixture(17);
    struct activity list[ACTIVITY_MAXIMUM];
    const uint64_t expected[] = {1, 1, 4, 12, 42};
    uint64_t values;

    (void)state;
    assert_true(gather(fixture, SPARSE_NONE, DENSE, &values));
    assert_true(update(fixture, DENSE));
    assert_int_equal(sparse_activity(&fixture->unit, list), 9);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(list[i].value, expected[i]);
    assert_int_equal(list[5].value, fixture->unit.hops); /* the first configuration: as the CSRs */
    assert_int_equal(list[6].value, fixture->unit.cycles);
    assert_int_equal(list[7].value, fixture->unit.bytes);
    assert_int_equal(list[8].value, fixture->unit.compressed_bytes);
    fixture_free(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_gathers),
        cmocka_unit_test(test_overlapping_gathers),
        cmocka_unit_test(test_random_updates),
        cmocka_unit_test(test_update_counters),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_special_floats),
        cmocka_unit_test(test_special_integers),
        cmocka_unit_test(test_empty_requests),
        cmocka_unit_test(test_bad_requests),
        cmocka_unit_test(test_bad_operands),
        cmocka_unit_test(test_lost_table),
        cmocka_unit_test(test_without_configuration),
        cmocka_unit_test(test_deadline),
        cmocka_unit_test(test_recorded_ranges),
        cmocka_unit_test(test_traced_routes),
        cmocka_unit_test(test_damaged_packets),
        cmocka_unit_test(test_claim_7),
        cmocka_unit_test(test_claim_14),
        cmocka_unit_test(test_wrecked_packets),
        cmocka_unit_test(test_packets),
        cmocka_unit_test(test_seeds),
        cmocka_unit_test(test_activity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
