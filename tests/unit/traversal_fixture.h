/*
 * Shared by the tests of the traversal unit: a unit in a world, and a model that walks the loop
 * nest by recursion over the dimensions, the outermost first, in 128-bit arithmetic. The model
 * gives the addresses and how many loops ended after each of them.
 */
#ifndef TESTS_UNIT_TRAVERSAL_FIXTURE_H
#define TESTS_UNIT_TRAVERSAL_FIXTURE_H

#include "tensor_world.h"

#include "emu/units/traversal.h"

#define MAIN          WORLD_MAIN_BASE
#define CONFIGURATION CAUSE_TENSOR_CONFIGURATION
#define ACCESS        CAUSE_TENSOR_ACCESS

/* ---- the model ---- */

struct loop {
    int64_t init, step, end;
    bool repeat;
};

struct element {
    uint64_t address;
    unsigned wrapped;
};

struct walk {
    struct element elements[20000];
    size_t count;
};

static inline void model_loop(struct walk *walk, const struct loop *loops, int dimension,
                              uint64_t address)
{
    if (dimension < 0) {
        assert_true(walk->count < sizeof walk->elements / sizeof walk->elements[0]);
        walk->elements[walk->count++] = (struct element){address, 0};
        return;
    }
    const struct loop *loop = &loops[dimension];
    __int128 offset = loop->init;
    do {
        model_loop(walk, loops, dimension - 1,
                   loop->repeat ? address : address + (uint64_t)(int64_t)offset);
        offset += loop->step;
    } while (loop->step > 0 ? offset < loop->end : offset > loop->end);
    walk->elements[walk->count - 1].wrapped++;
}

/* ---- helpers ---- */

struct fixture {
    struct world *world;
    struct port *port;
    struct fault *fault;
    struct traversal_unit unit;
    struct traversal_unit before; /* its rows are copies */
    struct walk walk;
};

static inline struct fixture *fixture_new(uint64_t seed)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct config config = world_config(16);

    assert_non_null(fixture);
    fixture->world = world_new(seed);
    fixture->port = &fixture->world->port;
    fixture->fault = &fixture->world->fault;
    const struct traversal_settings settings = {config.traversal_rows, config.traversal_dimensions};
    traversal_init(&fixture->unit, &settings, &fixture->world->arena);
    traversal_init(&fixture->before, &settings, &fixture->world->arena);
    return fixture;
}

static inline void fixture_free(struct fixture *fixture)
{
    world_free(fixture->world);
    free(fixture);
}

static inline void remember(struct fixture *fixture)
{
    world_remember(fixture->world);
    for (uint32_t i = 0; i < fixture->unit.state.row_count; i++) {
        struct traversal_row_dim *copy = fixture->before.state.row[i].dim;
        memcpy(copy, fixture->unit.state.row[i].dim,
               fixture->unit.state.row_dim_count * sizeof *copy);
        fixture->before.state.row[i] = fixture->unit.state.row[i];
        fixture->before.state.row[i].dim = copy;
    }
}

static inline void assert_same_row(const struct traversal_row *a, const struct traversal_row *b,
                                   uint32_t dimensions)
{
    assert_int_equal(a->dims, b->dims);
    assert_int_equal(a->base, b->base);
    assert_int_equal(a->nest, b->nest);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->done, b->done);
    for (uint32_t i = 0; i < dimensions; i++) {
        assert_int_equal(a->dim[i].init, b->dim[i].init);
        assert_int_equal(a->dim[i].step, b->dim[i].step);
        assert_int_equal(a->dim[i].end, b->dim[i].end);
        assert_int_equal(a->dim[i].offset, b->dim[i].offset);
        assert_int_equal(a->dim[i].repeat, b->dim[i].repeat);
    }
}

/* Checks that the last instruction failed with this fault, and that memory, rows and trace have not
 * changed. */
static inline void faulted(struct fixture *fixture, bool succeeded, enum cause cause,
                           uint64_t value)
{
    world_faulted(fixture->world, succeeded, cause, value);
    for (uint32_t i = 0; i < fixture->unit.state.row_count; i++)
        assert_same_row(&fixture->unit.state.row[i], &fixture->before.state.row[i],
                        fixture->unit.state.row_dim_count);
}

static inline void set_loop(struct fixture *fixture, uint64_t row, uint64_t dimension,
                            const struct loop *loop)
{
    struct traversal_unit *unit = &fixture->unit;

    if (loop->repeat) {
        assert_true(traversal_set_repeat(unit, fixture->port, row, dimension, (uint64_t)loop->end,
                                         fixture->fault));
        return;
    }
    assert_true(traversal_set_init(unit, fixture->port, row, dimension, (uint64_t)loop->init,
                                   fixture->fault));
    assert_true(traversal_set_step(unit, fixture->port, row, dimension, (uint64_t)loop->step,
                                   fixture->fault));
    assert_true(traversal_set_end(unit, fixture->port, row, dimension, (uint64_t)loop->end,
                                  fixture->fault));
}

static inline void set_row(struct fixture *fixture, uint64_t row, uint64_t base,
                           const struct loop *loops, unsigned dimensions)
{
    assert_true(traversal_clear(&fixture->unit, fixture->port, row, fixture->fault));
    for (unsigned i = 0; i < dimensions; i++)
        set_loop(fixture, row, i, &loops[i]);
    assert_true(traversal_set_base(&fixture->unit, fixture->port, row, base, fixture->fault));
    assert_true(traversal_restart(&fixture->unit, fixture->port, row, fixture->fault));
}

static inline uint64_t locate(struct fixture *fixture, uint64_t row)
{
    uint64_t address = 0;

    assert_true(traversal_locate(&fixture->unit, fixture->port, row, &address, fixture->fault));
    return address;
}

static inline uint64_t iterate(struct fixture *fixture, uint64_t row)
{
    uint64_t wrapped = 99;

    assert_true(traversal_iterate(&fixture->unit, fixture->port, row, &wrapped, fixture->fault));
    return wrapped;
}

static inline uint64_t done(struct fixture *fixture, uint64_t row)
{
    uint64_t value = 99;

    assert_true(traversal_done(&fixture->unit, fixture->port, row, &value, fixture->fault));
    return value;
}

static inline bool peek(struct fixture *fixture, uint64_t row, uint64_t *address)
{
    return traversal_peek(&fixture->unit, row, address, fixture->fault);
}

/* tnext */
static inline uint64_t next(struct fixture *fixture, uint64_t row)
{
    uint64_t address = 0;

    assert_true(peek(fixture, row, &address));
    traversal_advance(&fixture->unit, fixture->port, row);
    return address;
}

/* Checks that the walk that starts at `row` gives the addresses of the model, and then ends. */
static inline void check_walk(struct fixture *fixture, uint64_t row)
{
    uint64_t address;

    for (size_t i = 0; i < fixture->walk.count; i++) {
        assert_int_equal(done(fixture, row), 0);
        assert_int_equal(next(fixture, row), fixture->walk.elements[i].address);
    }
    assert_int_equal(done(fixture, row), 1);
    remember(fixture);
    faulted(fixture, peek(fixture, row, &address), CONFIGURATION, row);
}

/* The array in the figures of the patents: 3×2×2 bytes. */
static const struct loop golden[] = {{0, 1, 2, false}, {0, 6, 12, false}, {0, 2, 6, false}};

#endif
