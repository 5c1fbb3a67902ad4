/*
 * The instructions of the sparse-to-dense unit: special values and all errors of requests.
 * tests/definitions compares them with their definitions on random networks, and
 * tests/temu/sparse_networks.test with a model.
 */
#include "sparse_fixture.h"

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
    assert_int_equal(fixture->unit.state.link_crossings,
                     1); /* the requests are broadcast nevertheless */
    assert_int_equal(fixture->unit.state.link_bytes, 0);
    assert_int_equal(fixture->unit.state.link_cycles, 0);
    for (int reduction = SPARSE_SUM; reduction <= SPARSE_MEAN; reduction++) {
        assert_true(gather(fixture, reduction, DENSE, &values));
        assert_int_equal(values, 6);
        assert_memory_equal(world_map(fixture->world, DENSE, 24, false), zeros, 24);
        world_unchanged_but(fixture->world, DENSE, 24);
    }
    assert_true(update(fixture, 3));
    /* without requests no operand is checked */
    uint64_t hops = fixture->unit.state.link_crossings;
    world_remember(fixture->world);
    assert_true(gather_at(fixture, SPARSE_SUM, 1, 3, 0, &values));
    assert_true(
        sparse_update(&fixture->unit, &fixture->world->port, 1, 3, 0, &fixture->world->fault));
    assert_int_equal(values, 0);
    assert_int_equal(fixture->world->recorder.count, 0);
    assert_int_equal(fixture->unit.state.link_crossings, hops);
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
        world_faulted(world, gather_at(fixture, reduction, dense, requests, count, &values), cause,
                      value);
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

static void test_bad_requests(void **state)
{
    struct fixture *fixture = small_fixture(9);
    const struct model_request good = fixture->request[1];
    struct model_request *request = &fixture->request[1];
    uint64_t values;

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
    assert_true(gather(fixture, SPARSE_NONE, DENSE, &values));
    assert_int_equal(values, 21);
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
    assert_int_equal(fixture->unit.state.unit_rows, 0);
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
    assert_false(gather_at(fixture, SPARSE_NONE, DENSE, TABLES, 1, &values) &&
                 values != WORLD_SPM_SIZE);
    assert_false(gather_at(fixture, SPARSE_SUM, DENSE, TABLES, 1024, &values));
    assert_int_equal(world->fault.cause, CAUSE_DEADLINE);
    assert_int_equal(looks, 3);
    fixture_free(fixture);
}

static void test_counters(void **state)
{
    struct fixture *fixture = small_fixture(17);
    uint64_t values;

    (void)state;
    assert_true(gather(fixture, SPARSE_NONE, DENSE, &values));
    assert_true(update(fixture, DENSE));
    assert_int_equal(fixture->unit.state.gathers, 1);
    assert_int_equal(fixture->unit.state.updates, 1);
    assert_int_equal(fixture->unit.state.requests, 4);
    assert_int_equal(fixture->unit.state.elements, 12);
    assert_int_equal(fixture->unit.state.dense_values, 42);
    assert_int_equal(fixture->unit.state.hops,
                     fixture->unit.state.link_crossings); /* the first configuration: as the CSRs */
    assert_int_equal(fixture->unit.state.cycles, fixture->unit.state.link_cycles);
    assert_int_equal(fixture->unit.state.bytes, fixture->unit.state.link_bytes);
    assert_int_equal(fixture->unit.state.compressed_bytes, fixture->unit.state.link_compressed);
    fixture_free(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),           cmocka_unit_test(test_special_floats),
        cmocka_unit_test(test_special_integers), cmocka_unit_test(test_empty_requests),
        cmocka_unit_test(test_bad_requests),     cmocka_unit_test(test_bad_operands),
        cmocka_unit_test(test_lost_table),       cmocka_unit_test(test_without_configuration),
        cmocka_unit_test(test_deadline),         cmocka_unit_test(test_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
