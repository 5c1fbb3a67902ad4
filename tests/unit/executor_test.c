/* The plain and the observed executor and translated code are one machine: random programs of all
 * instructions, tensor units too, go through the same states, faults included. After a fault the
 * program goes on at some other place with some other registers. Nothing that a random program does
 * may harm the host (the sanitizers look on). */
#include "emu/execute.h"
#include "emu/stats.h"
#include "emu/translate.h"
#include "lib/map.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    PROGRAMS = 60,
    LEGS = 60,      /* runs from fault to fault */
    TRANSLATED = 4, /* programs that are translated, too */
    TRANSLATED_LEGS = 300,
    PLACES = 8, /* where legs of those begin: each is translated once */
    LEG_INSTRUCTIONS = 300,
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

/* One in how many of the class is taken: most atomic ones trap, and those of the matrix unit, which
 * are many. */
static unsigned rarity(const char *class)
{
    if (strcmp(class, "integer") == 0 || strcmp(class, "float") == 0 ||
        strcmp(class, "multiply") == 0)
        return 1;
    return strcmp(class, "atomic") == 0 || strcmp(class, "matrix") == 0 ? 16 : 4;
}

/* Any instruction, but mostly those that seldom trap. */
static const struct isa_instruction *draw_instruction(struct world *world)
{
    for (;;) {
        const struct isa_instruction *instruction =
            &isa_instructions[draw(world) % isa_instruction_count];
        if (draw(world) % rarity(instruction->timing->name) == 0)
            return instruction;
    }
}

static uint64_t put(struct world *world, uint64_t at, const struct isa_instruction *instruction)
{
    uint64_t word = isa_random_word(instruction, &world->random);

    if (draw(world) % 256 == 0)
        word = draw(world);
    memcpy(world->machine->memory.host + at, &word, instruction->length);
    return at + instruction->length;
}

/* Single instructions, and superinstructions. */
static void fill_code(struct world *world)
{
    uint64_t at = CODE;

    while (at + 8 * ISA_SUPERINSTRUCTION_PARTS <= CODE + CODE_SIZE) {
        const uint64_t super = draw(world) % (3 * ISA_SUPERINSTRUCTION_COUNT);
        if (super >= ISA_SUPERINSTRUCTION_COUNT) {
            at = put(world, at, draw_instruction(world));
            continue;
        }
        for (unsigned i = 0; i < superinstructions[super].count; i++)
            at = put(world, at, &isa_instructions[superinstructions[super].ids[i]]);
    }
}

/* Numbers, and addresses in data, scratchpad and code: what instructions can do something with. */
static uint64_t draw_register(struct world *world)
{
    const uint64_t value = draw(world);

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

static void shake(struct world *world, unsigned places)
{
    struct hart *hart = &world->machine->hart;

    for (int i = 1; i < 32; i++)
        hart->x[i] = draw_register(world);
    for (int i = 0; i < 32; i++)
        hart->f[i] = draw(world) % 2 ? draw(world) | UINT64_C(0xffffffff00000000) : draw(world);
    hart->pc = CODE + draw(world) % places * (CODE_SIZE / places);
    hart->frm = draw(world) % 5;
}

static void world_make(struct world *world, unsigned seed, bool observed)
{
    struct diag diag = {.tool = "test"};

    *world = (struct world){.random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15)};
    struct machine *machine = world->machine = arena_new(&world->arena, struct machine);
    config_default(&machine->config);
    user_init(&machine->user);
    machine->config.scratchpad_size = 0x10000;
    assert_true(machine_init(machine, &world->arena, &diag));
    memory_map(&machine->memory, CODE, CODE_SIZE, PAGE_READ | PAGE_WRITE | PAGE_EXECUTE);
    memory_map(&machine->memory, DATA, DATA_SIZE, PAGE_READ | PAGE_WRITE);
    machine->user.break_start = machine->user.break_now = DATA + DATA_SIZE;
    for (int i = 0; i < USER_FILES; i++)
        machine->user.files[i] = NULL;
    fill_code(world);
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

static uint64_t digest(const struct world *world)
{
    const struct machine *machine = world->machine;
    const struct config *config = &machine->config;
    const struct hart *hart = &machine->hart;
    uint64_t hash = hash_bytes(hart->x, 32 * sizeof *hart->x, 0);

    hash = hash_bytes(hart->f, sizeof hart->f, hash);
    hash = hash_bytes(&hart->pc, sizeof hart->pc, hash);
    hash = hash_bytes(&hart->fflags, sizeof hart->fflags, hash);
    hash = hash_bytes(&hart->instret, sizeof hart->instret, hash);
    hash = hash_bytes(machine->memory.host + CODE, CODE_SIZE, hash);
    hash = hash_bytes(machine->memory.host + DATA, DATA_SIZE, hash);
    return hash_bytes(machine->memory.host + config->scratchpad_base, config->scratchpad_size,
                      hash);
}

static enum run_end leg(struct world *world, unsigned places)
{
    struct machine *machine = world->machine;

    shake(world, places);
    machine->user.exited = false;
    machine->user.signal = 0;
    machine->fault = (struct fault){0};
    const enum run_end end = machine_run(machine, machine->hart.instret + LEG_INSTRUCTIONS);
    if (end != RUN_FAULT)
        machine->fault = (struct fault){0};
    return end;
}

static void assert_same(const struct world *left, const struct world *right)
{
    assert_int_equal(left->machine->hart.instret, right->machine->hart.instret);
    assert_int_equal(left->machine->hart.pc, right->machine->hart.pc);
    assert_int_equal(left->machine->fault.cause, right->machine->fault.cause);
    assert_int_equal(left->machine->fault.value, right->machine->fault.value);
    assert_int_equal(digest(left), digest(right));
    assert_int_equal(left->machine->hart.x[0], 0);
}

static void executors_agree(void **state)
{
    uint64_t retired = 0, ends[RUN_TIMEOUT + 1] = {0};

    (void)state;
    for (unsigned seed = 0; seed < PROGRAMS; seed++) {
        struct world plain, observed;
        world_make(&plain, seed, false);
        world_make(&observed, seed, true);
        for (unsigned i = 0; i < LEGS; i++) {
            const enum run_end end = leg(&plain, CODE_SIZE / 4);
            assert_int_equal(end, leg(&observed, CODE_SIZE / 4));
            assert_same(&plain, &observed);
            ends[end]++;
        }
        retired += plain.machine->hart.instret;
        world_free(&plain);
        world_free(&observed);
    }
    assert_true(retired > PROGRAMS * LEGS * 6); /* it did run */
    assert_true(ends[RUN_FAULT] > 0 && ends[RUN_LIMIT] > 0);
}

static void translated_code_agrees(void **state)
{
    const struct translator_options options = {.tier = TIER_TRANSLATE, .cache = "none"};
    struct diag diag = {.tool = "test"};
    uint64_t visits = 0;

    (void)state;
    for (unsigned seed = 0; seed < TRANSLATED; seed++) {
        struct world plain, translated;
        world_make(&plain, seed, false);
        world_make(&translated, seed, false);
        translated.machine->translator = translator_open(translated.machine, &diag, &options);
        assert_non_null(translated.machine->translator);
        for (unsigned i = 0; i < TRANSLATED_LEGS; i++) {
            assert_int_equal(leg(&plain, PLACES), leg(&translated, PLACES));
            assert_same(&plain, &translated);
        }
        visits += translator_visits(translated.machine->translator);
        world_free(&plain);
        world_free(&translated);
    }
    assert_true(visits > 25); /* it did run translated code */
}

/* Stopping after any number of instructions and going on changes nothing, and the number is exact.
 */
static void limits_are_exact(void **state)
{
    struct world whole, pieces;

    (void)state;
    for (unsigned seed = 0; seed < 20; seed++) {
        world_make(&whole, seed, false);
        world_make(&pieces, seed, false);
        shake(&whole, CODE_SIZE / 4);
        shake(&pieces, CODE_SIZE / 4);
        const enum run_end end = machine_run(whole.machine, 500);
        uint64_t limit = 0;
        enum run_end last;
        do {
            limit += 1 + limit % 97;
            if (limit > 500)
                limit = 500;
            last = machine_run(pieces.machine, limit);
            if (last == RUN_LIMIT)
                assert_int_equal(pieces.machine->hart.instret, limit);
        } while (last == RUN_LIMIT && limit < 500);
        assert_int_equal(last, end);
        assert_int_equal(digest(&whole), digest(&pieces));
        world_free(&whole);
        world_free(&pieces);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(executors_agree),
        cmocka_unit_test(translated_code_agrees),
        cmocka_unit_test(limits_are_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
