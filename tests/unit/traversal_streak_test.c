/*
 * Streaks of the traversal unit (emu/units/traversal.h) have no visible effect. Two units execute
 * the same instructions, and one of them has a recorder, so it has no streaks. Results, faults and
 * counters agree after each instruction, and the whole state whenever it is read.
 */
#include "traversal_fixture.h"

enum { ROWS = 8, DIMENSIONS = 8 };

/* An instruction and its operands. */
struct action {
    enum {
        NEXT, /* the most frequent one */
        LOCATE,
        ITERATE,
        DONE,
        SET_INIT,
        SET_STEP,
        SET_END,
        SET_REPEAT,
        SET_BASE,
        RESTART,
        CLEAR,
        SINGLE,
        NEST,
        ACTIONS
    } kind;
    uint64_t row, dimension, value, end;
};

static struct action random_action(struct world *world)
{
    static const int64_t values[] = {1, 2, 4, -1, -4, 24, 0, INT64_MAX, INT64_MIN};
    uint64_t random = world_random(world);
    struct action action = {.row = random % 3,
                            .dimension = (random >> 8) % 5,
                            .value = (random >> 16) % 64,
                            .end = 64 + (random >> 32) % 256};

    if (random >> 56 < 240)
        return action;
    action.kind = (unsigned)(random >> 40) % ACTIONS;
    if (action.kind == SET_STEP || action.kind == SINGLE)
        action.value = (uint64_t)values[(random >> 24) % (sizeof values / sizeof values[0])];
    if (action.kind == SET_END)
        action.value = (random >> 24) % 4 ? action.end : (uint64_t)INT64_MAX;
    return action;
}

/* A prologue of 3 words, and a tensor of 4×9. */
static void write_descriptor(struct world *world)
{
    static const uint64_t prologue = 0x40101, tensor = 0x40200; /* kind, dimensions, bytes */
    const uint64_t words[] = {2,      prologue, 0x100, 0, 3, 1, /* start, count, stride */
                              tensor, 0x200,    0,     9, 1, 0, 4, 9};

    memcpy(world->main, words, sizeof words);
}

static bool act(struct fixture *fixture, const struct action *action, uint64_t *result)
{
    struct traversal_unit *unit = &fixture->unit;
    struct port *port = fixture->port;
    struct fault *fault = fixture->fault;
    uint64_t row = action->row;

    switch (action->kind) {
    case NEXT:
        if (!traversal_peek(unit, row, result, fault))
            return false;
        traversal_advance(unit, port, row);
        return true;
    case LOCATE:
        return traversal_locate(unit, port, row, result, fault);
    case ITERATE:
        return traversal_iterate(unit, port, row, result, fault);
    case DONE:
        return traversal_done(unit, port, row, result, fault);
    case SET_INIT:
        return traversal_set_init(unit, port, row, action->dimension, action->value, fault);
    case SET_STEP:
        return traversal_set_step(unit, port, row, action->dimension, action->value, fault);
    case SET_END:
        return traversal_set_end(unit, port, row, action->dimension, action->value, fault);
    case SET_REPEAT:
        return traversal_set_repeat(unit, port, row, action->dimension, action->value, fault);
    case SET_BASE:
        return traversal_set_base(unit, port, row, action->value, fault);
    case RESTART:
        return traversal_restart(unit, port, row, fault);
    case CLEAR:
        return traversal_clear(unit, port, row, fault);
    case SINGLE:
        return (action->end % 2 ? traversal_set_prologue : traversal_set_epilogue)(
            unit, port, row, 0, action->value, action->end, fault);
    default:
        return traversal_nest(unit, port, row, MAIN, fault);
    }
}

static void check_state(struct traversal_unit *a, struct traversal_unit *b)
{
    traversal_settle(a);
    traversal_settle(b);
    assert_int_equal(a->state.elements, b->state.elements);
    assert_int_equal(a->state.wraps, b->state.wraps);
    assert_int_equal(a->state.arrays, b->state.arrays);
    assert_int_equal(a->state.nests, b->state.nests);
    for (uint64_t row = 0; row < ROWS; row++) {
        const struct traversal_row *x = &a->state.row[row], *y = &b->state.row[row];
        assert_int_equal(x->base, y->base);
        assert_int_equal(x->dims, y->dims);
        assert_int_equal(x->done, y->done);
        assert_int_equal(x->nest, y->nest);
        for (int i = 0; i < DIMENSIONS; i++)
            assert_int_equal(x->dim[i].offset, y->dim[i].offset);
    }
}

static void test_random_instructions(void **state)
{
    struct fixture *watched = fixture_new(1), *alone = fixture_new(1);
    uint64_t streaks = 0;

    (void)state;
    write_descriptor(watched->world);
    write_descriptor(alone->world);
    alone->port->recorder = NULL;
    for (int round = 0; round < 300000; round++) {
        const struct action action = random_action(watched->world);
        uint64_t expected = 0, got = 0;
        watched->world->recorder.count = 0;
        *watched->fault = *alone->fault = (struct fault){0};
        bool done = act(watched, &action, &expected);
        streaks += traversal_has_element(alone->unit.streaks[action.row].position);
        assert_int_equal(act(alone, &action, &got), done);
        assert_int_equal(got, expected);
        assert_int_equal(alone->fault->cause, watched->fault->cause);
        assert_int_equal(alone->fault->value, watched->fault->value);
        if (world_random(watched->world) % 64 == 0) /* recording begins or ends */
            alone->port->recorder = alone->port->recorder ? NULL : &alone->world->recorder;
        alone->world->recorder.count = 0;
        if (world_random(watched->world) % 32 == 0)
            check_state(&watched->unit, &alone->unit);
    }
    assert_true(streaks > 10000);
    fixture_free(watched);
    fixture_free(alone);
}

/* The last streaks before an offset would exceed 64 bits, and the largest steps. */
static void test_ends_of_the_range(void **state)
{
    static const struct loop loops[] = {
        {INT64_MAX - 5, 2, INT64_MAX, false},
        {INT64_MIN + 5, -2, INT64_MIN, false},
        {INT64_MIN, INT64_MAX, INT64_MAX, false},
        {INT64_MAX, INT64_MIN / 2, INT64_MIN, false},
        {-3, 1, 4, true},
        {8, 8, 8, false},
        {0, 1 << 20, (int64_t)1 << 33, false},
    };
    struct fixture *fixture = fixture_new(2);

    (void)state;
    fixture->port->recorder = NULL;
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++) {
        fixture->walk.count = 0;
        set_row(fixture, 0, 7, &loops[i], 1);
        struct loop loop = loops[i];
        if (loop.repeat)
            loop = (struct loop){0, 1, loop.end, true};
        model_loop(&fixture->walk, &loop, 0, 7);
        for (size_t j = 0; j < fixture->walk.count; j++)
            assert_int_equal(next(fixture, 0), fixture->walk.elements[j].address);
        assert_int_equal(done(fixture, 0), 1);
    }
    fixture_free(fixture);
}

/* A streak has the lines of four dimensions. Where the fifth one steps, another one begins. */
static void test_lines(void **state)
{
    enum { ELEMENTS = 4 * 3 * 2 * 5 };
    static const struct loop loops[] = {
        {0, 1, 4, false}, {0, 4, 12, false},  {12, -12, -1, false},
        {0, 1, 5, true},  {0, 24, 48, false},
    };
    struct fixture *fixture = fixture_new(2);
    const struct traversal_streak *streak = &fixture->unit.streaks[0];

    (void)state;
    fixture->port->recorder = NULL;
    set_row(fixture, 0, 0, loops, 5);
    for (unsigned element = 1; element <= ELEMENTS; element++) {
        next(fixture, 0);
        assert_int_equal(streak->first, element < ELEMENTS ? 3 : 4);
        assert_int_equal(streak->lines, 3 * 2 * 5 - 1);
    }
    fixture_free(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_instructions),
        cmocka_unit_test(test_ends_of_the_range),
        cmocka_unit_test(test_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
