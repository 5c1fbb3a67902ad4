/*
 * The environment of a tensor unit under test: a port to main memory and a scratchpad that are
 * arrays, with red zones that must not be accessed, a copy of memory to detect writes, and a
 * recorder.
 */
#ifndef TESTS_UNIT_TENSOR_WORLD_H
#define TESTS_UNIT_TENSOR_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "emu/units/port.h"
#include "lib/machine/config.h"

#define WORLD_MAIN_BASE    0x10000u
#define WORLD_MAIN_SIZE    0x10000u
#define WORLD_SPM_BASE     0x40000000u
#define WORLD_SPM_SIZE     0x10000u
#define WORLD_BELOW_SIZE   0x1000u                           /* mapped, just below the scratchpad */
#define WORLD_OUTSIDE_BASE (WORLD_SPM_BASE + WORLD_SPM_SIZE) /* mapped, but not scratchpad */
#define WORLD_OUTSIDE_SIZE 0x1000u

struct world {
    struct port port;
    struct recorder recorder;
    struct arena arena;
    struct fault fault;
    uint64_t random;
    /* As in temu, the scratchpad and the memory before and after it are one host array. */
    _Alignas(64) unsigned char main[WORLD_MAIN_SIZE];
    _Alignas(64) unsigned char below[WORLD_BELOW_SIZE];
    _Alignas(64) unsigned char spm[WORLD_SPM_SIZE + WORLD_OUTSIDE_SIZE];
    unsigned char before_main[WORLD_MAIN_SIZE];
    unsigned char before_spm[WORLD_SPM_SIZE + WORLD_OUTSIDE_SIZE];
};

static inline void *world_map(void *context, uint64_t address, uint64_t length, bool write)
{
    uint64_t near_base = WORLD_SPM_BASE - WORLD_BELOW_SIZE;
    uint64_t near_size = WORLD_BELOW_SIZE + sizeof((struct world *)NULL)->spm;
    struct world *world = context;

    (void)write;
    assert_true(length > 0);
    if (address >= WORLD_MAIN_BASE && length <= WORLD_MAIN_SIZE &&
        address - WORLD_MAIN_BASE <= WORLD_MAIN_SIZE - length)
        return world->main + (address - WORLD_MAIN_BASE);
    if (address >= near_base && length <= near_size && address - near_base <= near_size - length)
        return (unsigned char *)world + offsetof(struct world, below) + (address - near_base);
    return NULL;
}

/* xorshift64* */
static inline uint64_t world_random(struct world *world)
{
    world->random ^= world->random >> 12;
    world->random ^= world->random << 25;
    world->random ^= world->random >> 27;
    return world->random * 0x2545f4914f6cdd1d;
}

static inline struct world *world_new(uint64_t seed)
{
    struct world *world = calloc(1, sizeof *world);

    assert_non_null(world);
    world->random = seed * 2 + 1;
    world->port = (struct port){
        .context = world,
        .map = world_map,
        .scratchpad_base = WORLD_SPM_BASE,
        .scratchpad_size = WORLD_SPM_SIZE,
        .recorder = &world->recorder,
    };
    for (size_t i = 0; i < sizeof world->main; i++)
        world->main[i] = (unsigned char)world_random(world);
    for (size_t i = 0; i < sizeof world->spm; i++)
        world->spm[i] = (unsigned char)world_random(world);
    return world;
}

static inline void world_free(struct world *world)
{
    arena_free(&world->arena);
    free(world->recorder.effects);
    free(world);
}

static inline struct config world_config(uint32_t lanes)
{
    return (struct config){
        .scratchpad_base = WORLD_SPM_BASE,
        .scratchpad_size = WORLD_SPM_SIZE,
        .matrix_lanes = lanes,
        .matrix_slaves = 32,
        .traversal_rows = 8,
        .traversal_dimensions = 8,
        .sparse_rows = 64,
        .sparse_columns = 64,
        .sparse_tables = 65536,
        .sparse_seed = 1,
    };
}

/* Clears the effects and copies memory. Called before an instruction. */
static inline void world_remember(struct world *world)
{
    world->recorder.count = 0;
    world->fault = (struct fault){.cause = 99, .value = 99};
    memcpy(world->before_main, world->main, sizeof world->main);
    memcpy(world->before_spm, world->spm, sizeof world->spm);
}

/* assert_memory_equal shows where they differ, but takes as long as many instructions. */
static inline void world_same(const unsigned char *before, const unsigned char *now, size_t size)
{
    if (memcmp(before, now, size) != 0)
        assert_memory_equal(before, now, size);
}

/* Checks that memory has not changed except in `length` bytes at a guest address. */
static inline void world_unchanged_but(struct world *world, uint64_t address, uint64_t length)
{
    unsigned char *host = length ? world_map(world, address, length, true) : NULL;

    if (host && address >= WORLD_SPM_BASE)
        memcpy(world->before_spm + (host - world->spm), host, length);
    else if (host)
        memcpy(world->before_main + (host - world->main), host, length);
    world_same(world->before_main, world->main, sizeof world->main);
    world_same(world->before_spm, world->spm, sizeof world->spm);
}

/* Checks that the last instruction failed with this fault, and has changed and recorded nothing. */
static inline void world_faulted(struct world *world, bool succeeded, enum cause cause,
                                 uint64_t value)
{
    assert_false(succeeded);
    assert_int_equal(world->fault.cause, cause);
    assert_int_equal(world->fault.value, value);
    assert_int_equal(world->recorder.count, 0);
    world_unchanged_but(world, 0, 0);
}

static inline const struct effect *world_effect(const struct world *world, size_t index)
{
    assert_true(index < world->recorder.count);
    return &world->recorder.effects[index];
}

static inline void world_range_effect(const struct world *world, size_t index,
                                      enum effect_kind kind, uint64_t address, uint64_t length)
{
    const struct effect *effect = world_effect(world, index);

    assert_int_equal(effect->kind, kind);
    assert_int_equal(effect->address, address);
    assert_int_equal(effect->length, length);
}

#endif
