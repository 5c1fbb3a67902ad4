/* A machine with code and data for tests that compare executors. One world runs in the plain
 * executor, and another one with the same seed in the observed executor. */
#ifndef TESTS_UNIT_EXECUTOR_WORLD_H
#define TESTS_UNIT_EXECUTOR_WORLD_H

#include "emu/execute/execute.h"
#include "emu/profile/stats.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    CODE = 0x10000,
    CODE_SIZE = 0x4000,
    DATA = 0x20000,
    DATA_SIZE = 0x4000,
};

struct world {
    struct arena arena;
    struct machine *machine;
    struct recorder recorder;
    struct stats stats;
    uint64_t random;
};

static uint64_t draw(struct world *world)
{
    world->random ^= world->random << 13;
    world->random ^= world->random >> 7;
    world->random ^= world->random << 17;
    return world->random;
}

/* Draws a number, or an address in data, scratchpad or code, so that instructions do not always
 * trap. */
static uint64_t draw_register(struct world *world)
{
    uint64_t value = draw(world);

    switch (value % 8) {
    case 0:
        return DATA + (value >> 8) % DATA_SIZE;
    case 1:
        return DATA + (value >> 8) % (DATA_SIZE / 8) * 8;
    case 2:
    case 3:
        return world->machine->config.scratchpad_base + (value >> 8) % 2048 * 4;
    case 4:
        return CODE + (value >> 8) % (CODE_SIZE / 4) * 4;
    case 5:
        return value >> (value >> 8) % 64;
    default:
        return (value >> 8) % 12;
    }
}

static void world_make(struct world *world, unsigned seed, bool observed)
{
    struct diag diag = {.tool = "test"};

    *world = (struct world){.random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15)};
    struct machine *machine = world->machine = arena_new(&world->arena, struct machine);
    config_default(&machine->config);
    user_init(machine);
    machine->config.scratchpad_size = 0x10000;
    assert_true(machine_init(machine, &world->arena, &diag));
    memory_map(&machine->memory, CODE, CODE_SIZE, PAGE_READ | PAGE_WRITE | PAGE_EXECUTE);
    memory_map(&machine->memory, DATA, DATA_SIZE, PAGE_READ | PAGE_WRITE);
    machine->user.break_start = machine->user.break_now = DATA + DATA_SIZE;
    for (int i = 0; i < USER_FILES; i++)
        machine->user.files[i] = NULL;
    stats_init(&world->stats, &machine->config, &world->arena);
    if (observed) {
        machine->stats = &world->stats;
        machine->recorder = machine->port.recorder = &world->recorder;
    }
}

static void world_free(struct world *world)
{
    machine_free(world->machine);
    free(world->recorder.effects);
    arena_free(&world->arena);
}

static bool same_memory(const struct world *left, const struct world *right, uint64_t address,
                        size_t length)
{
    return memcmp(left->machine->memory.host + address, right->machine->memory.host + address,
                  length) == 0;
}

/* Are registers and memory the same? */
static bool same_state(const struct world *left, const struct world *right)
{
    const struct hart *a = &left->machine->hart, *b = &right->machine->hart;
    const struct config *config = &left->machine->config;

    return memcmp(a->x, b->x, 32 * sizeof *a->x) == 0 && memcmp(a->f, b->f, sizeof a->f) == 0 &&
           a->pc == b->pc && a->fflags == b->fflags && a->instret == b->instret &&
           same_memory(left, right, CODE, CODE_SIZE) && same_memory(left, right, DATA, DATA_SIZE) &&
           same_memory(left, right, config->scratchpad_base, config->scratchpad_size);
}

static void assert_same(const struct world *left, const struct world *right)
{
    assert_int_equal(left->machine->hart.instret, right->machine->hart.instret);
    assert_int_equal(left->machine->hart.pc, right->machine->hart.pc);
    assert_int_equal(left->machine->fault.cause, right->machine->fault.cause);
    assert_int_equal(left->machine->fault.value, right->machine->fault.value);
    assert_true(same_state(left, right));
    assert_int_equal(left->machine->hart.x[0], 0);
}

#endif
