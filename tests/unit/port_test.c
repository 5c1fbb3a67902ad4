/*
 * emu/units/port.c and emu/units/dma.c: which ranges are accepted, for every byte at the edges,
 * what is moved, and what is recorded. Tiles are compared with a model that moves one byte at a
 * time.
 */
#include "tensor_world.h"

#include "emu/units/dma.h"
#include "lib/map.h"

#define SPM  WORLD_SPM_BASE
#define MAIN WORLD_MAIN_BASE

/* ---- the port ---- */

static void assert_access_fault(struct world *world, const void *host, uint64_t address)
{
    assert_null(host);
    assert_int_equal(world->fault.cause, CAUSE_TENSOR_ACCESS);
    assert_int_equal(world->fault.value, address);
    world->fault = (struct fault){0};
}

static void test_scratchpad_ranges(void **state)
{
    struct world *world = world_new(1);
    struct port *port = &world->port;
    struct fault *fault = &world->fault;
    uint64_t end = SPM + WORLD_SPM_SIZE;

    (void)state;
    assert_ptr_equal(port_read_scratchpad(port, SPM, 1, 4, fault), world->spm);
    assert_ptr_equal(port_write_scratchpad(port, SPM + 8, 3, 4, fault), world->spm + 8);
    assert_ptr_equal(port_read_scratchpad(port, end - 4, 1, 4, fault),
                     world->spm + WORLD_SPM_SIZE - 4);
    assert_non_null(port_read_scratchpad(port, SPM, WORLD_SPM_SIZE / 4, 4, fault));
    assert_access_fault(world, port_read_scratchpad(port, SPM, WORLD_SPM_SIZE / 4 + 1, 4, fault),
                        SPM);
    assert_access_fault(world, port_read_scratchpad(port, end - 4, 2, 4, fault), end - 4);
    assert_access_fault(world, port_read_scratchpad(port, SPM - 4, 1, 4, fault), SPM - 4);
    assert_access_fault(world, port_write_scratchpad(port, SPM - 4, 2, 4, fault), SPM - 4);
    assert_access_fault(world, port_write_scratchpad(port, SPM + 2, 1, 4, fault), SPM + 2);
    assert_access_fault(world, port_write_scratchpad(port, end, 1, 4, fault), end);
    assert_access_fault(world, port_write_scratchpad(port, MAIN, 1, 4, fault), MAIN);
    assert_access_fault(world, port_read_scratchpad(port, SPM, (uint64_t)1 << 62, 4, fault), SPM);
    assert_access_fault(world, port_read_scratchpad(port, SPM, UINT64_MAX, 1, fault), SPM);
    assert_non_null(port_read_scratchpad(port, 3, 0, 4, fault));
    world_free(world);
}

static void test_any_memory(void **state)
{
    struct world *world = world_new(2);
    struct port *port = &world->port;
    struct fault *fault = &world->fault;

    (void)state;
    assert_ptr_equal(port_read(port, MAIN + 3, 5, 3, 1, fault), world->main + 3);
    assert_ptr_equal(port_write(port, SPM + 8, 5, 8, 8, fault), world->spm + 8);
    assert_access_fault(world, port_read(port, MAIN + 4, 5, 8, 8, fault), MAIN + 4);
    assert_access_fault(world, port_read(port, MAIN, WORLD_MAIN_SIZE + 1, 1, 1, fault), MAIN);
    assert_access_fault(world, port_read(port, UINT64_MAX, 2, 1, 1, fault), UINT64_MAX);
    assert_access_fault(world, port_write(port, 0, 1, 1, 1, fault), 0);
    assert_access_fault(world, port_write(port, MAIN, UINT64_MAX / 2, 3, 1, fault), MAIN);
    assert_non_null(port_write(port, 9, 0, 8, 8, fault));
    world_free(world);
}

static void test_records(void **state)
{
    struct world *world = world_new(3);

    (void)state;
    port_record_read(&world->port, 16, 32);
    port_record_write(&world->port, 64, 5, "tensor");
    port_record_state(&world->port, "traversal", "offset", 7, 2, 99);
    port_record_state(&world->port, "traversal", "done", 3, -1, 1);
    port_record_read(&world->port, 16, 0);
    port_record_write(&world->port, 16, 0, NULL);
    assert_int_equal(world->recorder.count, 4);
    world_range_effect(world, 0, EFFECT_RANGE_READ, 16, 32);
    world_range_effect(world, 1, EFFECT_RANGE_WRITE, 64, 5);
    assert_int_equal(world_effect(world, 1)->value, hash_bytes("tenso", 5, 0));
    assert_int_equal(world_effect(world, 2)->kind, EFFECT_STATE);
    assert_string_equal(world_effect(world, 2)->unit, "traversal");
    assert_string_equal(world_effect(world, 2)->name, "offset");
    assert_int_equal(world_effect(world, 2)->number, 7);
    assert_int_equal(world_effect(world, 2)->dimension, 2);
    assert_int_equal(world_effect(world, 2)->value, 99);
    assert_int_equal(world_effect(world, 3)->dimension, -1);
    world_free(world);
}

/* ---- DMA ---- */

static void test_transfers(void **state)
{
    struct world *world = world_new(4);
    struct dma_unit unit = {0};

    (void)state;
    for (int round = 0; round < 300; round++) {
        uint64_t bytes = 1 + world_random(world) % 100;
        uint64_t spm = SPM + world_random(world) % (WORLD_SPM_SIZE - bytes + 1);
        uint64_t mem = MAIN + world_random(world) % (WORLD_MAIN_SIZE - bytes + 1);
        bool store = round % 2;
        world->spm[spm - SPM] ^= (unsigned char)round;
        world_remember(world);
        assert_true(
            (store ? dma_store : dma_load)(&unit, &world->port, spm, mem, bytes, &world->fault));
        assert_memory_equal(world->spm + (spm - SPM), world->main + (mem - MAIN), bytes);
        world_unchanged_but(world, store ? mem : spm, bytes);
        assert_int_equal(world->recorder.count, 2);
        world_range_effect(world, 0, EFFECT_RANGE_READ, store ? spm : mem, bytes);
        world_range_effect(world, 1, EFFECT_RANGE_WRITE, store ? mem : spm, bytes);
        assert_int_equal(world_effect(world, 1)->value,
                         hash_bytes(world->spm + (spm - SPM), bytes, 0));
    }
    assert_int_equal(unit.transfers, 300);
    world_free(world);
}

/* Applies a tile to the remembered memory, one byte at a time. */
static void model_tile(struct world *world, bool store, uint64_t spm, uint64_t mem, uint64_t rows,
                       uint64_t row_bytes, int64_t stride)
{
    for (uint64_t row = 0; row < rows; row++) {
        for (uint64_t byte = 0; byte < row_bytes; byte++) {
            unsigned char *near = &world->before_spm[spm - SPM + row * row_bytes + byte];
            unsigned char *far =
                &world->before_main[(int64_t)(mem - MAIN) + (int64_t)row * stride + (int64_t)byte];
            *(store ? far : near) = *(store ? near : far);
        }
    }
}

static void test_tiles(void **state)
{
    static const int64_t strides[] = {0, 1, 5, 7, 8, 64, 1000, -1, -7, -64, -1000};
    struct world *world = world_new(5);
    struct dma_unit unit = {0};
    uint64_t moved = 0;

    (void)state;
    for (int round = 0; round < 500; round++) {
        int64_t stride = strides[world_random(world) % (sizeof strides / sizeof strides[0])];
        uint64_t rows = 1 + world_random(world) % 12, row_bytes = 1 + world_random(world) % 16;
        uint64_t spm = SPM + world_random(world) % 1000, mem = MAIN + 0x8000 + (uint64_t)round;
        bool store = round % 2;
        for (uint64_t i = 0; i < 1300; i++)
            world->spm[i] = (unsigned char)world_random(world);
        world_remember(world);
        assert_true((store ? dma_store_tile : dma_load_tile)(
            &unit, &world->port, spm, mem, rows, row_bytes, (uint64_t)stride, &world->fault));
        model_tile(world, store, spm, mem, rows, row_bytes, stride);
        world_unchanged_but(world, 0, 0);
        moved += rows * row_bytes;
    }
    assert_int_equal(unit.bytes_loaded + unit.bytes_stored, moved);
    world_free(world);
}

static void test_tile_records(void **state)
{
    struct world *world = world_new(6);
    struct dma_unit unit = {0};

    (void)state;
    world_remember(world);
    assert_true(dma_load_tile(&unit, &world->port, SPM, MAIN, 3, 8, 100, &world->fault));
    assert_int_equal(world->recorder.count, 4);
    for (unsigned row = 0; row < 3; row++)
        world_range_effect(world, row, EFFECT_RANGE_READ, MAIN + 100 * row, 8);
    world_range_effect(world, 3, EFFECT_RANGE_WRITE, SPM, 24);

    world_remember(world);
    assert_true(dma_store_tile(&unit, &world->port, SPM, MAIN + 1, 2, 8, 100, &world->fault));
    assert_int_equal(world->recorder.count, 3);
    world_range_effect(world, 0, EFFECT_RANGE_READ, SPM, 16);
    world_range_effect(world, 1, EFFECT_RANGE_WRITE, MAIN + 1, 8);
    world_range_effect(world, 2, EFFECT_RANGE_WRITE, MAIN + 101, 8);

    /* rows without a gap are one range */
    world_remember(world);
    assert_true(dma_store_tile(&unit, &world->port, SPM, MAIN, 4, 8, 8, &world->fault));
    assert_int_equal(world->recorder.count, 2);
    world_range_effect(world, 1, EFFECT_RANGE_WRITE, MAIN, 32);
    world_free(world);
}

static void test_nothing_to_move(void **state)
{
    struct world *world = world_new(7);
    struct dma_unit unit = {0};

    (void)state;
    world_remember(world);
    assert_true(dma_load(&unit, &world->port, 1, 2, 0, &world->fault));
    assert_true(dma_store(&unit, &world->port, 1, 2, 0, &world->fault));
    assert_true(dma_load_tile(&unit, &world->port, 1, 2, 0, UINT64_MAX, 3, &world->fault));
    assert_true(dma_store_tile(&unit, &world->port, 1, 2, UINT64_MAX, 0, 3, &world->fault));
    assert_int_equal(world->recorder.count, 0);
    assert_int_equal(unit.transfers, 0);
    world_unchanged_but(world, 0, 0);
    world_free(world);
}

static void test_transfer_faults(void **state)
{
    struct world *world = world_new(8);
    struct dma_unit unit = {0};
    struct port *port = &world->port;
    struct fault *fault = &world->fault;
    const uint64_t bad_spm[] = {SPM - 1, WORLD_OUTSIDE_BASE - 15, WORLD_OUTSIDE_BASE, MAIN,
                                0,       UINT64_MAX - 3};
    const uint64_t bad_mem[] = {MAIN - 1,  MAIN + WORLD_MAIN_SIZE - 15, SPM, SPM + 100,
                                SPM - 15,  WORLD_OUTSIDE_BASE - 1,      0,   UINT64_MAX - 3,
                                UINT64_MAX};

    (void)state;
    world_remember(world);
    for (size_t i = 0; i < sizeof bad_spm / sizeof bad_spm[0]; i++) {
        uint64_t x = bad_spm[i];
        world_faulted(world, dma_load(&unit, port, x, MAIN, 16, fault), CAUSE_TENSOR_ACCESS, x);
        world_faulted(world, dma_store(&unit, port, x, MAIN, 16, fault), CAUSE_TENSOR_ACCESS, x);
        world_faulted(world, dma_load_tile(&unit, port, x, 0, 2, 8, 8, fault), CAUSE_TENSOR_ACCESS,
                      x);
    }
    for (size_t i = 0; i < sizeof bad_mem / sizeof bad_mem[0]; i++) {
        uint64_t x = bad_mem[i];
        world_faulted(world, dma_load(&unit, port, SPM, x, 16, fault), CAUSE_TENSOR_ACCESS, x);
        world_faulted(world, dma_store(&unit, port, SPM, x, 16, fault), CAUSE_TENSOR_ACCESS, x);
    }
    assert_int_equal(unit.transfers, 0);
    world_free(world);
}

static void test_tile_faults(void **state)
{
    struct world *world = world_new(9);
    struct dma_unit unit = {0};
    struct port *port = &world->port;
    struct fault *fault = &world->fault;
    uint64_t end = MAIN + WORLD_MAIN_SIZE, wide = (uint64_t)1 << 33;

    (void)state;
    world_remember(world);
    /* the third row leaves memory, upwards and downwards: nothing of the first two is moved */
    world_faulted(world, dma_store_tile(&unit, port, SPM, end - 28, 3, 8, 12, fault),
                  CAUSE_TENSOR_ACCESS, end - 4);
    world_faulted(world, dma_load_tile(&unit, port, SPM, MAIN + 20, 3, 8, (uint64_t)-12, fault),
                  CAUSE_TENSOR_ACCESS, MAIN - 4);
    /* the distance between rows is modulo 2^64 */
    assert_true(dma_store_tile(&unit, port, SPM, MAIN + 8, 2, 8, UINT64_MAX - 7, fault));
    world_remember(world);
    world_faulted(world, dma_store_tile(&unit, port, SPM, MAIN, 2, 8, (uint64_t)1 << 63, fault),
                  CAUSE_TENSOR_ACCESS, MAIN + ((uint64_t)1 << 63));
    world_faulted(world, dma_load_tile(&unit, port, SPM, MAIN, wide, wide + 1, 8, fault),
                  CAUSE_TENSOR_CONFIGURATION, wide + 1);
    world_faulted(world, dma_load_tile(&unit, port, SPM, MAIN, wide + 3, wide, 8, fault),
                  CAUSE_TENSOR_CONFIGURATION, wide + 3);
    world_faulted(world, dma_load_tile(&unit, port, SPM, MAIN, 2, (uint64_t)1 << 62, 8, fault),
                  CAUSE_TENSOR_ACCESS, SPM);
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scratchpad_ranges),
        cmocka_unit_test(test_any_memory),
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_transfers),
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_tile_records),
        cmocka_unit_test(test_nothing_to_move),
        cmocka_unit_test(test_transfer_faults),
        cmocka_unit_test(test_tile_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
