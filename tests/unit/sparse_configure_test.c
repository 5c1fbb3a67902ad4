/*
 * sconf: every field of its descriptor at its bounds and one beyond, partitions with holes and
 * overlaps, tables that overlap, wrap around or leave memory, and descriptors that end too early.
 * Each error is reported with the field (or address) at fault, and the old configuration still
 * works.
 */
#include "sparse_fixture.h"

static struct model good_model(void)
{
    return (struct model){
        .topology = 1,
        .m = 2,
        .n = 3,
        .k = 2,
        .tables = 3,
        .row_first = {0, 1, 3},
        .table = {{TABLES, 2, 2, F32, 5, {0, 2, 2, 5}},
                  {TABLES + 0x100, 1, 3, F16, 7, {0, 0, 7, 7}},
                  {TABLES + 0x200, 1, 1, I8, 3, {0, 1, 2, 3}}},
    };
}

/* Returns a fixture with a valid configuration. */
static struct fixture *configured(uint64_t seed)
{
    struct fixture *fixture = fixture_new(seed);

    fixture->model = good_model();
    assert_true(configure(fixture));
    fixture->requests = 1;
    fixture->request[0] = (struct model_request){0, 1, 3, 0};
    fixture->unit.state.link_crossings = 77;
    return fixture;
}

/* Checks that the fixture's model is refused with this fault, and that the unit does not change. */
static void refused_with(struct fixture *fixture, enum cause cause, uint64_t value)
{
    struct world *world = fixture->world;
    const struct sparse_unit before = fixture->unit;
    uint64_t values;

    world_faulted(world, configure(fixture), cause, value);
    assert_memory_equal(&before, &fixture->unit, sizeof before);
    fixture->model = good_model();
    write_requests(fixture, REQUESTS);
    assert_true(gather_at(fixture, SPARSE_NONE, DENSE, REQUESTS, 1, &values));
    assert_int_equal(values, 12);
    assert_memory_equal(world_map(world, DENSE, 48, false), element_at(fixture, 0, 1), 48);
}

static void refused(struct fixture *fixture, uint64_t value)
{
    refused_with(fixture, CONFIGURATION, value);
}

static void test_header(void **state)
{
    struct fixture *fixture = configured(1);
    struct model *model = &fixture->model;

    (void)state;
    model->topology = 2, refused(fixture, 2);
    model->topology = 255, refused(fixture, 255);
    model->way = 2, refused(fixture, 2);
    model->m = 0, refused(fixture, 0);
    model->m = 65, refused(fixture, 65);
    model->m = 65535, refused(fixture, 65535);
    model->n = 0, refused(fixture, 0);
    model->n = 65, refused(fixture, 65);
    model->n = 65535, refused(fixture, 65535);
    model->k = 0, refused(fixture, 0);
    model->tables = 0, refused(fixture, 0);
    model->tables = 65537, refused(fixture, 65537);
    model->tables = UINT32_MAX, refused(fixture, UINT32_MAX);
    model->reserved_word = 0x80000000, refused(fixture, 0x80000000);
    /* the first wrong field is reported */
    model->k = 0, model->m = 99, refused(fixture, 99);
    fixture_free(fixture);
}

/* Limits of the machine: values at them and beyond. */
static void test_limits(void **state)
{
    struct fixture *fixture = fixture_new(2);
    struct model *model = &fixture->model;

    (void)state;
    fixture->unit.row_limit = 3;
    fixture->unit.column_limit = 4;
    fixture->unit.table_limit = 2;
    *model = (struct model){.m = 3,
                            .n = 4,
                            .k = 65535,
                            .tables = 2,
                            .row_first = {0, 0, 2, 2},
                            .table = {{TABLES, 1, 1, F32, 1, {0, 0, 0, 1, 1}}}};
    assert_true(configure(fixture));
    assert_int_equal(fixture->unit.state.unit_rows, 3);
    assert_int_equal(fixture->unit.state.unit_columns, 4);
    assert_int_equal(fixture->unit.state.fetchers, 65535);
    assert_int_equal(fixture->unit.state.tables, 2);
    assert_int_equal(fixture->unit.state.torus, 0);
    model->m = 4;
    world_faulted(fixture->world, configure(fixture), CONFIGURATION, 4);
    model->m = 3, model->n = 5;
    world_faulted(fixture->world, configure(fixture), CONFIGURATION, 5);
    model->n = 4, model->tables = 3;
    world_faulted(fixture->world, configure(fixture), CONFIGURATION, 3);
    fixture_free(fixture);
}

static void test_partitions(void **state)
{
    struct fixture *fixture = configured(3);
    struct model *model = &fixture->model;

    (void)state;
    /* rows: a hole before the first one, an overlap, a table beyond the last one, a hole after it
     */
    model->row_first[0] = 1, refused(fixture, 1);
    model->row_first[1] = 4, refused(fixture, 4);
    model->row_first[1] = UINT32_MAX, refused(fixture, UINT32_MAX);
    model->row_first[2] = 2, refused(fixture, 2);
    model->row_first[2] = 0, refused(fixture, 0);
    model->row_first[2] = 4, refused(fixture, 4);
    /* the same with columns */
    model->table[1].col_first[0] = 7, refused(fixture, 7);
    model->table[1].col_first[2] = 8, refused(fixture, 8);
    model->table[0].col_first[2] = 1, refused(fixture, 1);
    model->table[0].col_first[3] = 4, refused(fixture, 4);
    model->table[2].col_first[3] = 6, refused(fixture, 6);
    model->table[1].elements = 8, refused(fixture, 7);
    model->table[1].elements = 6, refused(fixture, 7);
    fixture_free(fixture);
}

static void test_shapes(void **state)
{
    struct fixture *fixture = configured(4);
    struct model *model = &fixture->model;

    (void)state;
    model->table[1].rows = 0, refused(fixture, 0);
    model->table[1].cols = 0, refused(fixture, 0);
    model->table[1].type = 7, refused(fixture, 7);
    model->table[1].type = UINT32_MAX, refused(fixture, UINT32_MAX);
    /* no more than 64 bits: 2^32-1 squared fits, times 2 bytes does not */
    model->table[1].rows = model->table[1].cols = UINT32_MAX;
    refused(fixture, UINT32_MAX);
    model->table[2].rows = UINT32_MAX, model->table[2].cols = UINT32_MAX - 1;
    refused(fixture, UINT32_MAX);
    model->table[1].rows = 1u << 31, model->table[1].cols = 1u << 30;
    refused(fixture, 1u << 31);
    model->table[1].rows = 1u << 30, model->table[1].cols = 1u << 31;
    refused(fixture, 1u << 31);
    model->table[1].cols = 1u << 31, model->table[1].elements = UINT32_MAX;
    model->table[1].rows = 2;
    refused(fixture, UINT32_MAX);
    /* 2^63 bytes fit in 64 bits, but not in memory */
    model->table[2].rows = 1u << 31, model->table[2].cols = 1u << 31;
    model->table[2].elements = 2;
    refused_with(fixture, ACCESS, TABLES + 0x200);
    fixture_free(fixture);
}

static void test_bases(void **state)
{
    struct fixture *fixture = configured(5);
    struct model *model = &fixture->model;
    const uint64_t outside[] = {0,
                                MAIN - 4,
                                MAIN_END - 76,
                                MAIN_END,
                                UINT64_MAX - 3,
                                UINT64_MAX - 79,
                                WORLD_OUTSIDE_BASE + 0x1000 - 76};

    (void)state;
    for (uint64_t i = 1; i < 4; i++)
        model->table[0].base += i, refused_with(fixture, ACCESS, TABLES + i);
    model->table[1].base += 1, refused_with(fixture, ACCESS, TABLES + 0x101);
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        model->table[0].base = outside[i], refused_with(fixture, ACCESS, outside[i]);
    /* at the very end, and bytes at any address */
    model->table[0].base = MAIN_END - 80;
    model->table[2].base += 1;
    assert_true(configure(fixture));
    fixture_free(fixture);
}

/* Table 0 has 80 bytes at TABLES. */
static void test_overlapping_tables(void **state)
{
    struct fixture *fixture = configured(6);
    struct model *model = &fixture->model;

    (void)state;
    model->table[1].base = TABLES, refused(fixture, TABLES);
    model->table[1].base = TABLES + 78, refused(fixture, TABLES + 78);
    model->table[1].base = TABLES - 2, refused(fixture, TABLES);
    model->table[2].base = TABLES + 0x103, refused(fixture, TABLES + 0x103);
    /* the lowest base that is in another table */
    model->table[2].base = TABLES + 4, model->table[1].base = TABLES + 2;
    refused(fixture, TABLES + 2);
    /* adjacent tables do not overlap, and a table that is not in use has no address */
    model->table[1].base = TABLES + 80;
    model->table[2] = (struct model_table){TABLES + 1, 0, 0, F32, 0, {0}};
    assert_true(configure(fixture));
    fixture_free(fixture);
}

/* Descriptors that end beyond memory at any part: the fault is at the part that cannot be read. */
static void test_short_descriptors(void **state)
{
    struct fixture *fixture = configured(7);
    struct world *world = fixture->world;
    const struct bytes bytes = describe(&fixture->model);

    /* header, row_first and padding, then three tables with col_first */
    const size_t parts[] = {0, 16, 32, 56, 72, 96, 112, 136, 152};
    const size_t sizes[] = {16, 12, 24, 16, 24, 16, 24, 16};

    (void)state;
    assert_int_equal(bytes.length, parts[8]);
    for (size_t part = 0; part < 8; part++) {
        for (size_t kept = parts[part]; kept < parts[part] + sizes[part]; kept++) {
            uint64_t at = MAIN_END - kept;
            const struct sparse_unit before = fixture->unit;
            if (kept > 0)
                memcpy(world_map(world, at, kept, true), bytes.data, kept);
            world_remember(world);
            world_faulted(world, sparse_configure(&fixture->unit, &world->port, at, &world->fault),
                          ACCESS, at + parts[part]);
            assert_memory_equal(&before, &fixture->unit, sizeof before);
        }
    }
    /* the whole of it at the end of memory */
    assert_true(configure_at(fixture, MAIN_END - bytes.length));
    world_faulted(world,
                  (world_remember(world),
                   sparse_configure(&fixture->unit, &world->port, UINT64_MAX, &world->fault)),
                  ACCESS, UINT64_MAX);
    fixture_free(fixture);
}

/* A new configuration clears the counters, and the trace records what it changes. */
static void test_replaced(void **state)
{
    struct fixture *fixture = configured(8);
    struct world *world = fixture->world;
    static const struct {
        const char *name;
        uint64_t value;
    } changes[] = {{"way", 1}, {"fetchers", 5}, {"hops", 0}, {"compressed", 0}};

    (void)state;
    fixture->unit.state.link_crossings = fixture->unit.state.link_compressed = 5;
    fixture->model.way = 1;
    fixture->model.k = 5;
    assert_true(configure(fixture));
    assert_int_equal(fixture->unit.state.link_crossings, 0);
    assert_int_equal(fixture->unit.state.link_compressed, 0);
    assert_int_equal(world->recorder.count, 5);
    world_range_effect(world, 0, EFFECT_RANGE_READ, DESCRIPTOR, 152);
    for (unsigned i = 0; i < 4; i++) {
        const struct effect *effect = world_effect(world, 1 + i);
        assert_int_equal(effect->kind, EFFECT_STATE);
        assert_string_equal(effect->unit, "sparse");
        assert_string_equal(effect->name, changes[i].name);
        assert_int_equal(effect->number, EFFECT_NO_ROW);
        assert_int_equal(effect->value, changes[i].value);
    }
    world_unchanged_but(world, 0, 0);
    fixture_free(fixture);
}

/* Descriptors with flipped bits are either refused without any effect, or valid for a gather of
 * everything. */
static void test_damaged_descriptors(void **state)
{
    struct fixture *fixture = fixture_new(9);
    struct world *world = fixture->world;
    unsigned accepted = 0;

    (void)state;
    for (int round = 0; round < 1500; round++) {
        random_model(fixture, round % TYPES);
        struct bytes bytes = describe(&fixture->model);
        for (uint64_t damage = below(fixture, 3); damage > 0; damage--)
            bytes.data[below(fixture, bytes.length)] ^= (unsigned char)(1 << below(fixture, 8));
        memcpy(world_map(world, DESCRIPTOR, bytes.length, true), bytes.data, bytes.length);
        const struct sparse_unit before = fixture->unit;
        world_remember(world);
        if (!sparse_configure(&fixture->unit, &world->port, DESCRIPTOR, &world->fault)) {
            assert_true(world->fault.cause == CONFIGURATION || world->fault.cause == ACCESS);
            world_faulted(world, false, world->fault.cause, world->fault.value);
            assert_memory_equal(&before, &fixture->unit, sizeof before);
            continue;
        }
        accepted++;
        for (uint32_t table = 0; table < fixture->unit.state.tables; table++) {
            const struct model_request request = {.table = table, .count = 12};
            uint64_t values;
            memcpy(world_map(world, REQUESTS, 16, true), &request, 16);
            gather_at(fixture, SPARSE_MEAN, DENSE, REQUESTS, 1, &values);
        }
    }
    assert_true(accepted > 100 && accepted < 1400);
    fixture_free(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_header),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_partitions),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_bases),
        cmocka_unit_test(test_overlapping_tables),
        cmocka_unit_test(test_short_descriptors),
        cmocka_unit_test(test_replaced),
        cmocka_unit_test(test_damaged_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
