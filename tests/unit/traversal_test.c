/*
 * emu/units/traversal.c: single rows are compared with the loop nest of traversal_fixture.h,
 * element by element.
 */
#include "traversal_fixture.h"

/* ---- one row ---- */

static void test_golden(void **state)
{
    static const uint64_t addresses[] = {0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11};
    static const uint64_t wraps[] = {0, 1, 0, 2, 0, 1, 0, 2, 0, 1, 0, 3};
    struct fixture *fixture = fixture_new(1);

    (void)state;
    set_row(fixture, 3, 0, golden, 3);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 12; i++) {
            assert_int_equal(locate(fixture, 3), addresses[i]);
            assert_int_equal(iterate(fixture, 3), wraps[i]);
        }
        /* all offsets are 0 again; the row stays done and can be iterated again */
        for (int i = 0; i < 3; i++)
            assert_int_equal(fixture->unit.state.row[3].dim[i].offset, 0);
        assert_int_equal(done(fixture, 3), 1);
    }
    /* the prologue of the figures, and the tensor after it */
    set_row(fixture, 1, 0, golden, 3);
    assert_true(
        traversal_set_prologue(&fixture->unit, fixture->port, 0, 12, 1, 15, fixture->fault));
    for (uint64_t i = 12; i < 15; i++)
        assert_int_equal(next(fixture, 0), i);
    for (int i = 0; i < 12; i++)
        assert_int_equal(next(fixture, 0), addresses[i]);
    assert_int_equal(done(fixture, 0), 1);
    fixture_free(fixture);
}

static struct loop random_loop(struct world *world)
{
    struct loop loop;
    int64_t count = 1 + (int64_t)(world_random(world) % 5);

    loop.repeat = world_random(world) % 5 == 0;
    loop.init = (int64_t)(world_random(world) % 200) - 100;
    loop.step = (int64_t)(1 + world_random(world) % 30);
    loop.end = loop.init + count * loop.step - (int64_t)(world_random(world) % 4);
    if (loop.repeat)
        loop = (struct loop){0, 1, count, true};
    else if (world_random(world) % 2)
        loop = (struct loop){-loop.init, -loop.step, -loop.end, false};
    if (world_random(world) % 16 == 0) /* exhausted from the start: still one element */
        loop.end = loop.repeat ? 1 : loop.init;
    return loop;
}

static void test_random_rows(void **state)
{
    struct fixture *fixture = fixture_new(2);
    struct loop loops[8];

    (void)state;
    for (int round = 0; round < 300; round++) {
        unsigned dimensions = 1 + world_random(fixture->world) % 6;
        uint64_t row = world_random(fixture->world) % 8, base = world_random(fixture->world);
        for (unsigned i = 0; i < dimensions; i++)
            loops[i] = random_loop(fixture->world);
        set_row(fixture, row, base, loops, dimensions);
        fixture->walk.count = 0;
        fixture->world->recorder.count = 0;
        model_loop(&fixture->walk, loops, (int)dimensions - 1, base);
        for (size_t i = 0; i < fixture->walk.count; i++) {
            assert_int_equal(fixture->unit.state.row[row].done, 0);
            assert_int_equal(locate(fixture, row), fixture->walk.elements[i].address);
            assert_int_equal(iterate(fixture, row), fixture->walk.elements[i].wrapped);
        }
        assert_int_equal(fixture->unit.state.row[row].done, 1);
        assert_int_equal(locate(fixture, row), fixture->walk.elements[0].address);
        assert_true(traversal_restart(&fixture->unit, fixture->port, row, fixture->fault));
        check_walk(fixture, row);
    }
    fixture_free(fixture);
}

/* Offsets at the ends of 64 bits: the true sum decides whether the end is reached. */
static void test_offsets_that_overflow(void **state)
{
    static const struct loop loops[] = {
        {INT64_MAX - 5, 3, INT64_MAX, false},     {INT64_MIN + 5, -3, INT64_MIN, false},
        {INT64_MIN, INT64_MAX, INT64_MAX, false}, {INT64_MAX, INT64_MIN, INT64_MIN, false},
        {0, INT64_MAX, INT64_MAX, false},
    };
    struct fixture *fixture = fixture_new(3);

    (void)state;
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        set_row(fixture, 0, 7, &loops[i], 1);
        fixture->walk.count = 0;
        model_loop(&fixture->walk, &loops[i], 0, 7);
        check_walk(fixture, 0);
    }
    fixture_free(fixture);
}

static void test_what_tset_changes(void **state)
{
    struct fixture *fixture = fixture_new(4);
    struct traversal_unit *unit = &fixture->unit;
    struct port *port = fixture->port;
    const struct traversal_row_dim *dimension = &unit->state.row[2].dim[1];

    (void)state;
    assert_true(traversal_set_repeat(unit, port, 2, 1, 9, fixture->fault));
    assert_int_equal(unit->state.row[2].dims, 2);
    assert_true(dimension->repeat);
    assert_int_equal(dimension->end, 9);
    assert_int_equal(dimension->step, 1);
    /* any other tset clears repeat and changes one value */
    assert_true(traversal_set_init(unit, port, 2, 1, 5, fixture->fault));
    assert_false(dimension->repeat);
    assert_int_equal(dimension->init, 5);
    assert_int_equal(dimension->end, 9);
    assert_true(traversal_set_repeat(unit, port, 2, 1, 9, fixture->fault));
    assert_int_equal(dimension->init, 0);
    assert_true(traversal_set_step(unit, port, 2, 1, (uint64_t)-2, fixture->fault));
    assert_false(dimension->repeat);
    assert_int_equal(dimension->step, -2);
    assert_true(traversal_set_repeat(unit, port, 2, 1, 9, fixture->fault));
    assert_true(traversal_set_end(unit, port, 2, 1, 77, fixture->fault));
    assert_false(dimension->repeat);
    assert_int_equal(dimension->end, 77);
    /* the dimensions in use are those up to the highest one */
    assert_true(traversal_set_end(unit, port, 2, 0, 1, fixture->fault));
    assert_int_equal(unit->state.row[2].dims, 2);
    /* offsets only change by tinit, and then all of them */
    assert_true(traversal_set_init(unit, port, 2, 0, 3, fixture->fault));
    assert_true(traversal_set_init(unit, port, 2, 1, 40, fixture->fault));
    assert_int_equal(locate(fixture, 2), 0);
    assert_true(traversal_restart(unit, port, 2, fixture->fault));
    assert_int_equal(locate(fixture, 2), 43);
    assert_true(traversal_set_init(unit, port, 2, 1, 50, fixture->fault));
    assert_int_equal(locate(fixture, 2), 43);
    /* tclear clears everything, including dimensions that are set again later */
    assert_true(traversal_set_base(unit, port, 2, 1000, fixture->fault));
    assert_true(traversal_clear(unit, port, 2, fixture->fault));
    assert_int_equal(unit->state.row[2].dims, 0);
    assert_true(traversal_set_init(unit, port, 2, 3, 1, fixture->fault));
    assert_int_equal(unit->state.row[2].dims, 4);
    assert_int_equal(locate(fixture, 2), 0);
    assert_true(traversal_restart(unit, port, 2, fixture->fault));
    assert_int_equal(locate(fixture, 2), 1);
    fixture_free(fixture);
}

static void test_faults_of_one_row(void **state)
{
    struct fixture *fixture = fixture_new(5);
    struct traversal_unit *unit = &fixture->unit;
    struct port *port = fixture->port;
    struct fault *fault = fixture->fault;
    const uint64_t rows[] = {8, 9, UINT64_MAX, (uint64_t)1 << 32};
    uint64_t out;

    (void)state;
    set_row(fixture, 1, 0, golden, 3);
    remember(fixture);
    for (size_t i = 0; i < 4; i++) {
        uint64_t row = rows[i];
        faulted(fixture, traversal_set_init(unit, port, row, 99, 1, fault), CONFIGURATION, row);
        faulted(fixture, traversal_set_step(unit, port, row, 0, 1, fault), CONFIGURATION, row);
        faulted(fixture, traversal_set_end(unit, port, row, 0, 1, fault), CONFIGURATION, row);
        faulted(fixture, traversal_set_repeat(unit, port, row, 0, 0, fault), CONFIGURATION, row);
        faulted(fixture, traversal_set_base(unit, port, row, 0, fault), CONFIGURATION, row);
        faulted(fixture, traversal_restart(unit, port, row, fault), CONFIGURATION, row);
        faulted(fixture, traversal_clear(unit, port, row, fault), CONFIGURATION, row);
        faulted(fixture, traversal_set_prologue(unit, port, row, 0, 0, 0, fault), CONFIGURATION,
                row);
        faulted(fixture, traversal_nest(unit, port, row, 0, fault), CONFIGURATION, row);
        faulted(fixture, traversal_locate(unit, fixture->port, row, &out, fault), CONFIGURATION,
                row);
        faulted(fixture, traversal_iterate(unit, port, row, &out, fault), CONFIGURATION, row);
        faulted(fixture, traversal_peek(unit, row, &out, fault), CONFIGURATION, row);
        faulted(fixture, traversal_done(unit, fixture->port, row, &out, fault), CONFIGURATION, row);
        /* the same numbers as dimensions */
        faulted(fixture, traversal_set_init(unit, port, 1, row, 1, fault), CONFIGURATION, row);
        faulted(fixture, traversal_set_step(unit, port, 1, row, 1, fault), CONFIGURATION, row);
        faulted(fixture, traversal_set_end(unit, port, 1, row, 1, fault), CONFIGURATION, row);
        faulted(fixture, traversal_set_repeat(unit, port, 1, row, 0, fault), CONFIGURATION, row);
    }
    /* an empty row */
    faulted(fixture, traversal_locate(unit, fixture->port, 5, &out, fault), CONFIGURATION, 5);
    faulted(fixture, traversal_iterate(unit, port, 5, &out, fault), CONFIGURATION, 5);
    faulted(fixture, traversal_peek(unit, 5, &out, fault), CONFIGURATION, 5);
    faulted(fixture, traversal_done(unit, fixture->port, 5, &out, fault), CONFIGURATION, 5);
    /* counts below 1, ends already reached, steps of 0 */
    faulted(fixture, traversal_set_repeat(unit, port, 1, 0, 0, fault), CONFIGURATION, 0);
    faulted(fixture, traversal_set_repeat(unit, port, 1, 0, UINT64_MAX, fault), CONFIGURATION,
            UINT64_MAX);
    faulted(fixture, traversal_set_prologue(unit, port, 1, 4, 0, 9, fault), CONFIGURATION, 0);
    faulted(fixture, traversal_set_epilogue(unit, port, 1, 9, 1, 9, fault), CONFIGURATION, 9);
    faulted(fixture, traversal_set_epilogue(unit, port, 1, 9, (uint64_t)-1, 10, fault),
            CONFIGURATION, 10);
    fixture_free(fixture);
}

/* A used dimension whose step was never set, at any position. */
static void test_step_of_zero(void **state)
{
    struct fixture *fixture = fixture_new(6);
    struct traversal_unit *unit = &fixture->unit;
    uint64_t out;

    (void)state;
    set_row(fixture, 0, 0, golden, 3);
    assert_true(traversal_set_end(unit, fixture->port, 0, 4, 8, fixture->fault));
    remember(fixture);
    faulted(fixture, traversal_iterate(unit, fixture->port, 0, &out, fixture->fault), CONFIGURATION,
            0);
    faulted(fixture, peek(fixture, 0, &out), CONFIGURATION, 0);
    assert_int_equal(locate(fixture, 0), 0);
    /* dimensions 3 and 4 lacked one */
    assert_true(traversal_set_step(unit, fixture->port, 0, 3, 1, fixture->fault));
    remember(fixture);
    faulted(fixture, peek(fixture, 0, &out), CONFIGURATION, 0);
    assert_true(traversal_set_step(unit, fixture->port, 0, 4, 1, fixture->fault));
    assert_int_equal(iterate(fixture, 0), 0);
    assert_true(traversal_set_step(unit, fixture->port, 0, 4, 0, fixture->fault));
    remember(fixture);
    faulted(fixture, peek(fixture, 0, &out), CONFIGURATION, 0);
    assert_true(traversal_set_repeat(unit, fixture->port, 0, 4, 2, fixture->fault));
    assert_true(peek(fixture, 0, &out));
    fixture_free(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_random_rows),
        cmocka_unit_test(test_offsets_that_overflow),
        cmocka_unit_test(test_what_tset_changes),
        cmocka_unit_test(test_faults_of_one_row),
        cmocka_unit_test(test_step_of_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
