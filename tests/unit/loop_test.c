/* Loops that run as one function behave as their instructions do. Every loop of the ISA
 * description, with random registers and immediates, goes through the same states in the plain
 * executor, which has a function for it, and in the observed one, which has none. Runs end after
 * any number of instructions, begin in the middle of an iteration, fault, and overwrite the loop
 * itself. */
#include "emu/loops.h"
#include "instruction_ids.h"
#include "tests/unit/executor_world.h"

enum {
    VARIANTS = 60, /* of each loop */
    PIECES = 12,   /* runs of a variant, each of which continues the previous one */
    PLACE = CODE + 0x800,
    PAGE_END = CODE + 0x1000 - 8, /* a loop here spans two pages */
};

/* Draws the register that each name stands for. With `apart` all are different; otherwise some may
 * be equal or x0. */
static void draw_numbers(struct world *world, bool apart, uint8_t *numbers)
{
    uint32_t taken = 1;

    for (unsigned i = 0; i < ISA_LOOP_REGISTERS; i++) {
        do
            numbers[i] = draw(world) % 32;
        while (apart && taken >> numbers[i] & 1);
        taken |= UINT32_C(1) << numbers[i];
    }
}

/* Draws a small step or distance, which is not always aligned. */
static int64_t draw_immediate(struct world *world)
{
    static const int64_t values[] = {0, 8, 8, 16, -8, -8, 4, 1, 2, -1, 32, -16};

    return values[draw(world) % (sizeof values / sizeof *values)];
}

/* Draws the distance of a branch in parts of the loop. The last branch goes to the first part,
 * others to the end of the loop or any part of it. */
static int64_t draw_target(struct world *world, const struct loop *loop, unsigned part)
{
    unsigned target = draw(world) % 2 ? loop->count : draw(world) % loop->count;

    return (int64_t)(part + 1 == loop->count ? 0 : target) - part;
}

static uint64_t draw_part(struct world *world, const struct loop *loop, unsigned part,
                          const uint8_t *numbers)
{
    const struct isa_instruction *instruction = &isa_instructions[loop->ids[part]];
    uint64_t word = isa_random_word(instruction, &world->random);

    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        if (operand->type->kind == ISA_REGISTER)
            word = isa_insert(operand->field, word,
                              numbers[loop->names[part][operand->slot_index] - 1]);
        else if (operand->type->kind == ISA_TARGET)
            word = isa_insert(operand->field, word, 4 * draw_target(world, loop, part));
        else if (operand->type->kind == ISA_IMMEDIATE)
            word = isa_insert(operand->field, word, draw_immediate(world));
    }
    return word;
}

static uint64_t draw_pointer(struct world *world)
{
    return DATA + draw(world) % (DATA_SIZE / 8) * 8;
}

/* Fills the data with zeros, pointers, or random values. */
static void draw_data(struct world *world)
{
    unsigned sort = draw(world) % 3;

    for (unsigned i = 0; i < DATA_SIZE && sort; i += 8) {
        uint64_t value = sort == 1 ? draw_pointer(world) : draw_register(world);
        memcpy(world->machine->memory.host + DATA + i, &value, 8);
    }
}

static uint64_t draw_x(struct world *world)
{
    switch (draw(world) % 8) {
    case 0:
        return UINT64_MAX >> draw(world) % 40;
    case 1:
        return draw_register(world);
    case 2:
        return 0;
    case 3:
        return draw(world) % 16;
    default:
        return draw_pointer(world);
    }
}

/* Writes the loop with random operands to `place`, followed by illegal instructions. */
static void put_loop(struct world *world, uint64_t place, const struct loop *loop,
                     const uint8_t *numbers)
{
    struct hart *hart = &world->machine->hart;
    unsigned char *host = world->machine->memory.host;

    for (unsigned part = 0; part < loop->count; part++) {
        uint64_t word = draw_part(world, loop, part, numbers);
        assert_int_equal(isa_instructions[loop->ids[part]].length, 4);
        memcpy(host + place + 4 * part, &word, 4);
    }
    draw_data(world);
    for (int i = 1; i < 32; i++)
        hart->x[i] = draw_x(world);
    if (draw(world) % 8 == 0)
        hart->x[1 + draw(world) % 31] = place + draw(world) % 32 - 16;
    for (int i = 0; i < 32; i++)
        hart->f[i] = draw(world) % 4 ? draw(world) | UINT64_C(0xffffffff00000000) : draw(world);
    hart->frm = draw(world) % 8;
    hart->pc = place + (draw(world) % 4 ? 0 : 4 * (draw(world) % loop->count));
}

/* Does the executor run the block as the loop? */
static bool is_loop(struct world *world, const struct loop *loop)
{
    struct machine *machine = world->machine;
    uint64_t pc = machine->hart.pc;

    machine->hart.pc = PLACE;
    execute_plain(machine, 0);
    machine->hart.pc = pc;
    const struct decoded *first = code_find_plain(&machine->code, PLACE);
    return first->body == machine->code.executor->pseudo_bodies[PSEUDO_LOOP - PSEUDO_FIRST] &&
           &loops[first->loop] == loop;
}

static enum run_end run_piece(struct world *world, uint64_t limit)
{
    world->machine->fault = (struct fault){0};
    enum run_end end = machine_run(world->machine, limit);

    if (end != RUN_FAULT)
        world->machine->fault = (struct fault){0};
    return end;
}

/* Returns the number of instructions that were executed. */
static uint64_t compare(const struct loop *loop, unsigned seed, uint64_t *ends)
{
    struct world plain, observed, *const both[] = {&plain, &observed};
    uint8_t numbers[ISA_LOOP_REGISTERS];
    enum run_end end = RUN_LIMIT;
    uint64_t place = seed % 8 == 7 ? PAGE_END : PLACE;
    bool apart = seed % 4 != 0;

    for (unsigned i = 0; i < 2; i++) {
        world_make(both[i], seed, i == 1);
        draw_numbers(both[i], apart, numbers);
        put_loop(both[i], place, loop, numbers);
    }
    assert_true(!apart || place != PLACE || is_loop(&plain, loop));
    for (unsigned i = 0; i < PIECES && end == RUN_LIMIT; i++) {
        uint64_t limit = plain.machine->hart.instret + 1 + draw(&plain) % 300;
        end = run_piece(&plain, limit);
        assert_int_equal(run_piece(&observed, limit), end);
        assert_same(&plain, &observed);
        if (end == RUN_LIMIT)
            assert_int_equal(plain.machine->hart.instret, limit);
    }
    ends[end]++;
    uint64_t retired = plain.machine->hart.instret;
    world_free(&plain);
    world_free(&observed);
    return retired;
}

static void loops_agree(void **state)
{
    uint64_t ends[RUN_STOPPED + 1] = {0};

    (void)state;
    for (unsigned i = 0; i < ISA_LOOP_COUNT; i++) {
        uint64_t longest = 0;
        for (unsigned k = 0; k < VARIANTS; k++) {
            uint64_t retired = compare(&loops[i], i * VARIANTS + k, ends);
            if (retired > longest)
                longest = retired;
        }
        assert_true(longest > 4 * loops[i].count); /* it did iterate */
    }
    assert_true(ends[RUN_FAULT] > ISA_LOOP_COUNT && ends[RUN_LIMIT] > ISA_LOOP_COUNT);
}

/* A block in which a written register has two names is not an instance of a loop. */
static void shared_registers_are_no_loop(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ISA_LOOP_COUNT; i++)
        for (unsigned a = 0; a < loops[i].registers; a++)
            for (unsigned b = 0; b <= loops[i].registers; b++) {
                struct world world;
                uint8_t numbers[ISA_LOOP_REGISTERS];
                bool own = b == loops[i].registers;
                if (a == b || (!own && loops[i].files[a] != loops[i].files[b]) ||
                    (own && loops[i].files[a] != ISA_FILE_X))
                    continue;
                world_make(&world, i, false);
                draw_numbers(&world, true, numbers);
                numbers[a] = own ? 0 : numbers[b]; /* x0, or the register of another name */
                put_loop(&world, PLACE, &loops[i], numbers);
                bool written = loops[i].written >> a & 1 || (!own && loops[i].written >> b & 1);
                assert_int_equal(is_loop(&world, &loops[i]), !written);
                world_free(&world);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_agree),
        cmocka_unit_test(shared_registers_are_no_loop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
