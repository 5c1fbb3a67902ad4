/* The plain executor, the observed executor and native code behave identically: random programs of
 * all instructions, including those of the tensor units, go through the same states, including
 * faults. After a fault, the program continues at another pc with other registers. With the
 * sanitizers, this also shows that no random program can harm the host. */
#include "emu/native/blocks.h"
#include "instruction_ids.h"
#include "tests/unit/executor_world.h"
#include "tests/unit/soak.h"

enum {
    PROGRAMS = 60,
    LEGS = 60,       /* runs from one fault to the next */
    TRANSLATED = 60, /* programs that are also made native code */
    TRANSLATED_LEGS = 300,
    PLACES = 5, /* starting points of their legs: each is translated once */
    LEG_INSTRUCTIONS = 300,
};

/* Returns N if only one of N instructions of the class is used. Most atomic instructions trap, and
 * so do those of the matrix unit, of which there are many. */
static unsigned rarity(const char *class)
{
    if (strcmp(class, "integer") == 0 || strcmp(class, "float") == 0 ||
        strcmp(class, "multiply") == 0)
        return 1;
    return strcmp(class, "atomic") == 0 || strcmp(class, "matrix") == 0 ? 16 : 4;
}

/* Draws any instruction, but more often one that rarely traps. */
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

/* Fills the code with single instructions and superinstructions. */
static void fill_code(struct world *world)
{
    uint64_t at = CODE;

    while (at + 8 * ISA_SUPERINSTRUCTION_PARTS <= CODE + CODE_SIZE) {
        uint64_t super = draw(world) % (3 * ISA_SUPERINSTRUCTION_COUNT);
        if (super >= ISA_SUPERINSTRUCTION_COUNT) {
            at = put(world, at, draw_instruction(world));
            continue;
        }
        for (unsigned i = 0; i < superinstructions[super].count; i++)
            at = put(world, at, &isa_instructions[superinstructions[super].ids[i]]);
    }
}

static void program_make(struct world *world, unsigned seed, bool observed)
{
    world_make(world, seed, observed);
    fill_code(world);
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

static enum run_end leg(struct world *world, unsigned places)
{
    struct machine *machine = world->machine;

    shake(world, places);
    machine->user.exited = false;
    machine->user.signal = 0;
    machine->fault = (struct fault){0};
    enum run_end end = machine_run(machine, machine->hart.instret + LEG_INSTRUCTIONS);
    if (end != RUN_FAULT)
        machine->fault = (struct fault){0};
    return end;
}

static void executors_agree(void **state)
{
    uint64_t retired = 0, ends[RUN_STOPPED + 1] = {0};
    unsigned programs = soak_programs(PROGRAMS);

    (void)state;
    for (unsigned seed = soak_seed(), end = seed + programs; seed != end; seed++) {
        struct world plain, observed;
        program_make(&plain, seed, false);
        program_make(&observed, seed, true);
        for (unsigned i = 0; i < LEGS; i++) {
            enum run_end end = leg(&plain, CODE_SIZE / 4);
            assert_int_equal(end, leg(&observed, CODE_SIZE / 4));
            assert_same(&plain, &observed);
            ends[end]++;
        }
        retired += plain.machine->hart.instret;
        world_free(&plain);
        world_free(&observed);
    }
    if (programs < PROGRAMS) /* too few to say something about all */
        return;
    assert_true(retired > (uint64_t)programs * LEGS * 6); /* the programs did run */
    assert_true(ends[RUN_FAULT] > 0 && ends[RUN_LIMIT] > 0);
}

static void translated_code_agrees(void **state)
{
    uint64_t visits = 0;

    (void)state;
    for (unsigned seed = soak_seed(), end = seed + soak_programs(TRANSLATED); seed != end; seed++) {
        struct world plain, translated;
        program_make(&plain, seed, false);
        program_make(&translated, seed, false);
        translated.machine->native =
            native_open(translated.machine, seed % 2 ? TIER_TRANSLATE : TIER_OPTIMIZE);
        assert_non_null(translated.machine->native);
        for (unsigned i = 0; i < TRANSLATED_LEGS; i++) {
            assert_int_equal(leg(&plain, PLACES), leg(&translated, PLACES));
            assert_same(&plain, &translated);
        }
        visits += native_visits(translated.machine->native);
        world_free(&plain);
        world_free(&translated);
    }
    assert_true(visits > 25 || soak_programs(TRANSLATED) < TRANSLATED); /* native code did run */
}

/* Stopping after any number of instructions and continuing changes nothing, and the number is
 * exact. */
static void limits_are_exact(void **state)
{
    struct world whole, pieces;

    (void)state;
    for (unsigned seed = 0; seed < 20; seed++) {
        program_make(&whole, seed, false);
        program_make(&pieces, seed, false);
        shake(&whole, CODE_SIZE / 4);
        shake(&pieces, CODE_SIZE / 4);
        enum run_end end = machine_run(whole.machine, 500);
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
        assert_true(same_state(&whole, &pieces));
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
