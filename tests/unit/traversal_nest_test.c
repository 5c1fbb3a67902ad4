/*
 * emu/units/traversal_nest.c and walks over several rows: valid and invalid descriptors are
 * compared with the loop nest of traversal_fixture.h; chains of rows, and their trace.
 */
#include "traversal_fixture.h"

/* ---- descriptors ---- */

struct descriptor {
    unsigned char bytes[4096];
    size_t length;
};

static void put(struct descriptor *descriptor, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        descriptor->bytes[descriptor->length++] = (unsigned char)(value >> 8 * i);
}

static void put_array(struct descriptor *descriptor, unsigned kind, unsigned dimensions,
                      unsigned element_bytes, unsigned flags, uint64_t base)
{
    put(descriptor, kind, 1);
    put(descriptor, dimensions, 1);
    put(descriptor, element_bytes, 2);
    put(descriptor, flags, 4);
    put(descriptor, base, 8);
}

static void put_dimension(struct descriptor *descriptor, int64_t start, int64_t count,
                          int64_t stride)
{
    put(descriptor, (uint64_t)start, 8);
    put(descriptor, (uint64_t)count, 8);
    put(descriptor, (uint64_t)stride, 8);
}

static bool nest(struct fixture *fixture, uint64_t row, const struct descriptor *descriptor,
                 uint64_t address)
{
    memcpy(fixture->world->main + (address - MAIN), descriptor->bytes, descriptor->length);
    remember(fixture);
    return traversal_nest(&fixture->unit, fixture->port, row, address, fixture->fault);
}

/* Describes the same array for the model. */
static void model_array(struct walk *walk, uint64_t base, unsigned element_bytes,
                        const int64_t (*extents)[3], unsigned dimensions, bool contiguous)
{
    struct loop loops[8];
    int64_t packed = 1;

    for (unsigned i = 0; i < dimensions; i++) {
        int64_t stride = contiguous ? packed : extents[i][2];
        packed *= extents[i][1];
        int64_t step = stride * element_bytes, init = extents[i][0] * step;
        loops[i] = stride ? (struct loop){init, step, init + extents[i][1] * step, false}
                          : (struct loop){0, 1, extents[i][1], true};
    }
    model_loop(walk, loops, (int)dimensions - 1, base);
}

/* The kinds in the order of a descriptor. */
static const unsigned kinds_in_order[] = {TRAVERSAL_PROLOGUE, TRAVERSAL_TENSOR, TRAVERSAL_EPILOGUE};

static void test_random_nests(void **state)
{
    struct fixture *fixture = fixture_new(7);
    struct world *world = fixture->world;

    (void)state;
    for (int round = 0; round < 200; round++) {
        struct descriptor descriptor = {.length = 0};
        unsigned arrays = 1 + world_random(world) % 5, order = 0;
        uint64_t row = world_random(world) % (8 - arrays + 1);
        /* an empty row after it, so that nothing follows a last prologue */
        if (row + arrays < 8)
            assert_true(
                traversal_clear(&fixture->unit, fixture->port, row + arrays, fixture->fault));
        fixture->walk.count = 0;
        put(&descriptor, arrays, 4);
        put(&descriptor, 0, 4);
        for (unsigned i = 0; i < arrays; i++) {
            int64_t extents[8][3];
            unsigned dimensions = 1 + world_random(world) % 4;
            unsigned element_bytes = 1 + world_random(world) % 9;
            bool contiguous = world_random(world) % 2;
            uint64_t base = world_random(world);
            order += (unsigned)(world_random(world) % (3 - order));
            if (i + 1 == arrays && order == 0)
                order = 1;
            put_array(&descriptor, kinds_in_order[order], dimensions, element_bytes, contiguous,
                      base);
            for (unsigned d = 0; d < dimensions; d++) {
                extents[d][0] = (int64_t)(world_random(world) % 9) - 4;
                extents[d][1] = 1 + (int64_t)(world_random(world) % 5);
                extents[d][2] = (int64_t)(world_random(world) % 7) - 3;
                put_dimension(&descriptor, extents[d][0], extents[d][1], extents[d][2]);
            }
            model_array(&fixture->walk, base, element_bytes, extents, dimensions, contiguous);
        }
        assert_true(nest(fixture, row, &descriptor, MAIN + world_random(world) % 64));
        check_walk(fixture, row);
        for (unsigned i = 0; i < arrays; i++)
            assert_true(traversal_restart(&fixture->unit, fixture->port, row + i, fixture->fault));
        check_walk(fixture, row);
    }
    fixture_free(fixture);
}

/* Returns a descriptor of one array with one dimension. The tests change one field of it. */
static struct descriptor small_descriptor(void)
{
    struct descriptor descriptor = {.length = 0};

    put(&descriptor, 1, 4);
    put(&descriptor, 0, 4);
    put_array(&descriptor, TRAVERSAL_TENSOR, 1, 4, 0, 0x5000);
    put_dimension(&descriptor, 0, 3, 1);
    return descriptor;
}

static void spoil(struct fixture *fixture, size_t offset, size_t size, uint64_t value)
{
    struct descriptor descriptor = small_descriptor();

    descriptor.length = offset;
    put(&descriptor, value, size);
    descriptor.length = 48;
    faulted(fixture, nest(fixture, 2, &descriptor, MAIN), CONFIGURATION, value);
}

static void test_malformed_descriptors(void **state)
{
    struct fixture *fixture = fixture_new(8);
    struct descriptor descriptor = small_descriptor();

    (void)state;
    set_row(fixture, 2, 0, golden, 3);
    spoil(fixture, 0, 4, 0);
    spoil(fixture, 0, 4, 7); /* rows 2 to 8: one too many */
    spoil(fixture, 0, 4, 0xffffffff);
    spoil(fixture, 4, 4, 1);
    spoil(fixture, 8, 1, 3);
    spoil(fixture, 8, 1, 255);
    spoil(fixture, 9, 1, 0);
    spoil(fixture, 9, 1, 9);
    spoil(fixture, 10, 2, 0);
    spoil(fixture, 12, 4, 2);
    spoil(fixture, 12, 4, 0x80000001);
    spoil(fixture, 32, 8, 0);
    spoil(fixture, 32, 8, (uint64_t)-1);
    spoil(fixture, 32, 8, (uint64_t)1 << 61);       /* count · 4 */
    spoil(fixture, 40, 8, (uint64_t)1 << 61);       /* stride · 4 */
    spoil(fixture, 24, 8, ((uint64_t)1 << 61) + 5); /* start · 4 */
    spoil(fixture, 24, 8, 0xe000000000000000 - 1);  /* below -2^63 */
    assert_true(nest(fixture, 2, &descriptor, MAIN));
    fixture_free(fixture);
}

static void test_sums_that_overflow(void **state)
{
    struct fixture *fixture = fixture_new(9);
    struct descriptor descriptor = {.length = 0};
    int64_t limit = INT64_MAX / 8;

    (void)state;
    /* init and count·step fit, but their sum does not */
    put(&descriptor, 1, 4);
    put(&descriptor, 0, 4);
    put_array(&descriptor, TRAVERSAL_TENSOR, 1, 8, 0, 0);
    put_dimension(&descriptor, limit - 1, 3, 1);
    faulted(fixture, nest(fixture, 0, &descriptor, MAIN), CONFIGURATION, 3);
    descriptor.length = 24;
    put_dimension(&descriptor, limit - 2, 2, 1);
    assert_true(nest(fixture, 0, &descriptor, MAIN));
    assert_int_equal(fixture->unit.state.row[0].dim[0].end, limit * 8);
    /* contiguous strides that outgrow 64 bits */
    descriptor.length = 8;
    put_array(&descriptor, TRAVERSAL_TENSOR, 3, 1, 1, 0);
    put_dimension(&descriptor, 0, (int64_t)1 << 31, 99);
    put_dimension(&descriptor, 0, (int64_t)1 << 31, 99);
    put_dimension(&descriptor, 0, 2, 99);
    faulted(fixture, nest(fixture, 0, &descriptor, MAIN), CONFIGURATION, 2);
    fixture_free(fixture);
}

static void test_order_of_kinds(void **state)
{
    static const unsigned bad[][2] = {
        {TRAVERSAL_TENSOR, TRAVERSAL_PROLOGUE},
        {TRAVERSAL_EPILOGUE, TRAVERSAL_TENSOR},
        {TRAVERSAL_EPILOGUE, TRAVERSAL_PROLOGUE},
    };
    struct fixture *fixture = fixture_new(10);

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct descriptor descriptor = {.length = 0};
        put(&descriptor, 2, 4);
        put(&descriptor, 0, 4);
        for (size_t k = 0; k < 2; k++) {
            put_array(&descriptor, bad[i][k], 1, 1, 0, 0);
            put_dimension(&descriptor, 0, 1, 1);
        }
        faulted(fixture, nest(fixture, 0, &descriptor, MAIN), CONFIGURATION, bad[i][1]);
    }
    fixture_free(fixture);
}

/* Descriptors that end beyond memory in the header, an array or a dimension. */
static void test_unreadable_descriptors(void **state)
{
    struct fixture *fixture = fixture_new(11);
    struct descriptor descriptor = small_descriptor();
    uint64_t end = MAIN + WORLD_MAIN_SIZE;
    const size_t parts[] = {0, 8, 24, 48};

    (void)state;
    for (size_t part = 0; part < 3; part++) {
        for (size_t kept = parts[part]; kept < parts[part + 1]; kept++) {
            descriptor.length = kept;
            faulted(fixture, nest(fixture, 0, &descriptor, end - kept), ACCESS,
                    end - kept + parts[part]);
        }
    }
    descriptor = small_descriptor();
    assert_true(nest(fixture, 0, &descriptor, end - 48));
    remember(fixture);
    faulted(fixture, traversal_nest(&fixture->unit, fixture->port, 0, UINT64_MAX, fixture->fault),
            ACCESS, UINT64_MAX);
    fixture_free(fixture);
}

/* Descriptors with changed bytes are either refused without any effect, or valid for a walk. */
static void test_damaged_descriptors(void **state)
{
    struct fixture *fixture = fixture_new(16);
    struct world *world = fixture->world;
    unsigned accepted = 0;

    (void)state;
    for (int round = 0; round < 4000; round++) {
        struct descriptor descriptor = {.length = 0};
        put(&descriptor, 1 + world_random(world) % 3, 4);
        put(&descriptor, 0, 4);
        for (int i = 0; i < 3; i++) {
            put_array(&descriptor, TRAVERSAL_TENSOR, 2, 4, (unsigned)(world_random(world) % 2), 0);
            put_dimension(&descriptor, 1, 3, 1);
            put_dimension(&descriptor, -1, 2, (int64_t)world_random(world) >> 8 * (round % 8));
        }
        for (uint64_t damage = world_random(world) % 4; damage-- > 0;)
            descriptor.bytes[world_random(world) % descriptor.length] ^=
                (unsigned char)(1 << world_random(world) % 8);
        if (!nest(fixture, world_random(world) % 8, &descriptor, MAIN)) {
            assert_true(world->fault.cause == CONFIGURATION || world->fault.cause == ACCESS);
            faulted(fixture, false, world->fault.cause, world->fault.value);
            continue;
        }
        accepted++;
        for (uint64_t row = 0; row < 8; row++) {
            uint64_t address;
            for (int step = 0; step < 10 && peek(fixture, row, &address); step++)
                traversal_advance(&fixture->unit, fixture->port, row);
        }
    }
    assert_true(accepted > 50);
    fixture_free(fixture);
}

/* ---- chains ---- */

static void nest_of(struct fixture *fixture, uint64_t row, unsigned arrays, const unsigned *kinds,
                    uint64_t base)
{
    struct descriptor descriptor = {.length = 0};

    put(&descriptor, arrays, 4);
    put(&descriptor, 0, 4);
    for (unsigned i = 0; i < arrays; i++) {
        put_array(&descriptor, kinds[i], 1, 1, 0, base + 0x10 * i);
        put_dimension(&descriptor, 0, 2, 1);
    }
    assert_true(nest(fixture, row, &descriptor, MAIN));
}

/* Checks that the walk gives exactly these addresses. */
static void check_addresses(struct fixture *fixture, uint64_t row, const uint64_t *addresses,
                            size_t count)
{
    fixture->walk.count = count;
    for (size_t i = 0; i < count; i++)
        fixture->walk.elements[i].address = addresses[i];
    check_walk(fixture, row);
}

static void test_chains(void **state)
{
    static const unsigned tensors[] = {TRAVERSAL_TENSOR, TRAVERSAL_TENSOR, TRAVERSAL_TENSOR};
    struct fixture *fixture = fixture_new(12);
    struct traversal_unit *unit = &fixture->unit;

    (void)state;
    /* two nests side by side are two walks */
    nest_of(fixture, 0, 2, tensors, 0x100);
    nest_of(fixture, 2, 2, tensors, 0x200);
    check_addresses(fixture, 0, (uint64_t[]){0x100, 0x101, 0x110, 0x111}, 4);
    check_addresses(fixture, 2, (uint64_t[]){0x200, 0x201, 0x210, 0x211}, 4);
    /* a walk may start in the middle of a nest */
    nest_of(fixture, 0, 3, tensors, 0x100);
    check_addresses(fixture, 1, (uint64_t[]){0x110, 0x111, 0x120, 0x121}, 4);
    /* row 3 still belongs to the older nest */
    check_addresses(fixture, 0, (uint64_t[]){0x100, 0x101}, 2);
    /* a row that is set up in between divides a nest, and so does tclear */
    nest_of(fixture, 0, 3, tensors, 0x100);
    nest_of(fixture, 1, 1, tensors, 0x900);
    check_addresses(fixture, 0, (uint64_t[]){0x100, 0x101}, 2);
    check_addresses(fixture, 1, (uint64_t[]){0x900, 0x901}, 2);
    check_addresses(fixture, 2, (uint64_t[]){0x120, 0x121}, 2);
    nest_of(fixture, 0, 3, tensors, 0x100);
    assert_true(traversal_clear(unit, fixture->port, 1, fixture->fault));
    check_addresses(fixture, 0, (uint64_t[]){0x100, 0x101}, 2);
    /* an epilogue continues any row before it; tbase moves it */
    assert_true(traversal_set_epilogue(unit, fixture->port, 1, 0, (uint64_t)-4, (uint64_t)-8,
                                       fixture->fault));
    assert_true(traversal_set_base(unit, fixture->port, 1, 0x1000, fixture->fault));
    assert_true(traversal_restart(unit, fixture->port, 0, fixture->fault));
    check_addresses(fixture, 0, (uint64_t[]){0x100, 0x101, 0x1000, 0xffc}, 4);
    assert_true(traversal_set_epilogue(unit, fixture->port, 2, 1, 1, 2, fixture->fault));
    assert_true(traversal_restart(unit, fixture->port, 1, fixture->fault));
    check_addresses(fixture, 0, (uint64_t[]){0x1000, 0xffc, 0x121}, 3);
    fixture_free(fixture);
}

/* A prologue continues with the next row, which must exist. */
static void test_prologue_without_tensor(void **state)
{
    struct fixture *fixture = fixture_new(13);
    struct traversal_unit *unit = &fixture->unit;
    uint64_t out;

    (void)state;
    assert_true(traversal_set_prologue(unit, fixture->port, 7, 5, 1, 6, fixture->fault));
    assert_true(traversal_set_prologue(unit, fixture->port, 3, 5, 1, 6, fixture->fault));
    assert_int_equal(next(fixture, 7), 5);
    assert_int_equal(next(fixture, 3), 5);
    remember(fixture);
    faulted(fixture, peek(fixture, 7, &out), CONFIGURATION, 8);
    faulted(fixture, traversal_done(unit, fixture->port, 7, &out, fixture->fault), CONFIGURATION,
            8);
    faulted(fixture, peek(fixture, 3, &out), CONFIGURATION, 4);
    faulted(fixture, traversal_done(unit, fixture->port, 3, &out, fixture->fault), CONFIGURATION,
            4);
    /* a plain row set up by hand does */
    set_row(fixture, 4, 0x40, golden, 1);
    assert_int_equal(done(fixture, 3), 0);
    assert_int_equal(next(fixture, 3), 0x40);
    fixture_free(fixture);
}

/* ---- the trace ---- */

static void state_effect(const struct fixture *fixture, size_t index, const char *name,
                         unsigned row, int dimension, uint64_t value)
{
    const struct effect *effect = world_effect(fixture->world, index);

    assert_int_equal(effect->kind, EFFECT_STATE);
    assert_string_equal(effect->unit, "traversal");
    assert_string_equal(effect->name, name);
    assert_int_equal(effect->number, row);
    assert_int_equal(effect->dimension, dimension);
    assert_int_equal(effect->value, value);
}

static void test_recorded_state(void **state)
{
    struct fixture *fixture = fixture_new(14);
    struct traversal_unit *unit = &fixture->unit;
    struct descriptor descriptor = small_descriptor();
    const struct recorder *recorder = &fixture->world->recorder;

    (void)state;
    remember(fixture);
    assert_true(traversal_set_end(unit, fixture->port, 6, 1, 24, fixture->fault));
    assert_int_equal(recorder->count, 2);
    state_effect(fixture, 0, "dimensions", 6, -1, 2);
    state_effect(fixture, 1, "end", 6, 1, 24);
    remember(fixture);
    assert_true(traversal_set_end(unit, fixture->port, 6, 1, 24, fixture->fault));
    assert_int_equal(recorder->count, 0);

    /* inside the loop one offset changes; at the end of the row, several and the flag */
    set_row(fixture, 5, 0, golden, 3);
    remember(fixture);
    iterate(fixture, 5);
    assert_int_equal(recorder->count, 1);
    state_effect(fixture, 0, "offset", 5, 0, 1);
    for (int i = 1; i < 11; i++)
        iterate(fixture, 5);
    remember(fixture);
    iterate(fixture, 5);
    assert_int_equal(recorder->count, 4);
    state_effect(fixture, 0, "offset", 5, 0, 0);
    state_effect(fixture, 1, "offset", 5, 1, 0);
    state_effect(fixture, 2, "offset", 5, 2, 0);
    state_effect(fixture, 3, "done", 5, -1, 1);
    remember(fixture);
    assert_true(traversal_restart(unit, fixture->port, 5, fixture->fault));
    assert_int_equal(recorder->count, 1);
    state_effect(fixture, 0, "done", 5, -1, 0);

    assert_true(nest(fixture, 0, &descriptor, MAIN + 3));
    assert_int_equal(recorder->count, 6);
    world_range_effect(fixture->world, 0, EFFECT_RANGE_READ, MAIN + 3, 48);
    state_effect(fixture, 1, "dimensions", 0, -1, 1);
    state_effect(fixture, 2, "base", 0, -1, 0x5000);
    state_effect(fixture, 3, "nest", 0, -1, 1);
    state_effect(fixture, 4, "step", 0, 0, 4);
    state_effect(fixture, 5, "end", 0, 0, 12);
    fixture_free(fixture);
}

static void test_counters(void **state)
{
    struct fixture *fixture = fixture_new(15);
    struct descriptor descriptor = small_descriptor();

    (void)state;
    assert_true(nest(fixture, 0, &descriptor, MAIN));
    for (int i = 0; i < 3; i++)
        next(fixture, 0);
    traversal_settle(&fixture->unit);
    assert_int_equal(fixture->unit.state.elements, 3);
    assert_int_equal(fixture->unit.state.wraps, 1); /* one dimension, once */
    assert_int_equal(fixture->unit.state.arrays, 1);
    assert_int_equal(fixture->unit.state.nests, 1);
    fixture_free(fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_nests),
        cmocka_unit_test(test_malformed_descriptors),
        cmocka_unit_test(test_sums_that_overflow),
        cmocka_unit_test(test_order_of_kinds),
        cmocka_unit_test(test_unreadable_descriptors),
        cmocka_unit_test(test_damaged_descriptors),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_prologue_without_tensor),
        cmocka_unit_test(test_recorded_state),
        cmocka_unit_test(test_counters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
