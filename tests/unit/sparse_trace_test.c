/*
 * What traces show of the sparse-to-dense unit: ranges, counters, routes, and the order of fetches.
 */
#include "sparse_fixture.h"

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
    assert_int_equal(world_effect(world, 4)->value, fixture->unit.state.link_crossings);
    assert_string_equal(world_effect(world, 7)->name, "compressed");
    assert_int_equal(world_effect(world, 7)->value, fixture->unit.state.link_compressed);
    assert_true(update(fixture, DENSE));
    assert_int_equal(world->recorder.count, 8);
    world_range_effect(world, 0, EFFECT_RANGE_READ, REQUESTS, 32);
    world_range_effect(world, 1, EFFECT_RANGE_READ, DENSE, 84);
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

static bool is_state(struct world *world, size_t at, const char *name)
{
    return at < world->recorder.count && world_effect(world, at)->kind == EFFECT_STATE &&
           strcmp(world_effect(world, at)->name, name) == 0;
}

/* Checks all effects of the last instruction between the ranges and the counters. */
static uint64_t check_network(const struct fixture *fixture, bool to_first)
{
    struct world *world = fixture->world;
    uint64_t hops = fixture->model.m * fixture->model.n - 1, fetched = 0, packets = 0;
    size_t at = 0;

    while (at < world->recorder.count && world_effect(world, at)->kind == EFFECT_RANGE_READ)
        at++;
    at = check_broadcast(fixture, at);
    for (; is_state(world, at, "fetch"); at++)
        fetched++;
    while (is_state(world, at, "plain")) {
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
        assert_int_equal(check_network(fixture, true), fixture->unit.state.link_crossings);
        uint64_t before = fixture->unit.state.link_crossings;
        assert_true(update(fixture, DENSE));
        assert_int_equal(check_network(fixture, false),
                         fixture->unit.state.link_crossings - before);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded_ranges),
        cmocka_unit_test(test_traced_routes),
        cmocka_unit_test(test_seeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
