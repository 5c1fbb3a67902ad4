/*
 * The time of instructions. The numbers of timing.md, 3 hold, and the closed forms are compared
 * with a model that counts cycle by cycle: the read port, the slaves, the pipe of multipliers and
 * adders, and the write port take turns as the words of timing.md say.
 */
#include "lib/timing/time.h"

#include "emu/machine.h"
#include "emu/timing/execution.h"
#include "instruction_ids.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 4000, ROWS = 8 };

struct world {
    struct machine machine;
    struct timed timed;
    uint64_t operands[8], random;
};

static unsigned find(const char *mnemonic)
{
    const struct isa_instruction *instruction = isa_find_instruction(mnemonic);

    assert_non_null(instruction);
    return instruction->id;
}

static int set_up(void **state)
{
    struct world *world = *state = calloc(1, sizeof *world);

    world->random = 1;
    config_default(&world->machine.config);
    world->timed.config = &world->machine.config;
    world->timed.operands = world->operands;
    return 0;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

/* Prepares an execution with these operands. */
static const struct timed *execution(struct world *world, const char *mnemonic, uint64_t a,
                                     uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
    const uint64_t operands[] = {a, b, c, d, e, f};

    memcpy(world->operands, operands, sizeof operands);
    world->timed.id = find(mnemonic);
    return &world->timed;
}

static uint64_t mm(struct world *world, uint64_t m, uint64_t k, uint64_t n)
{
    return time_cycles(execution(world, "mm.f32", 0, 0, 0, m, k, n));
}

static uint64_t draw(struct world *world, uint64_t limit)
{
    world->random ^= world->random << 13;
    world->random ^= world->random >> 7;
    world->random ^= world->random << 17;
    return (world->random >> 8) % limit;
}

/* ---- numbers of timing.md ---- */

static void test_numbers(void **state)
{
    struct world *world = *state;

    assert_int_equal(mm(world, 1, 16, 32), 12);
    assert_int_equal(mm(world, 32, 32, 32), 75);
    assert_int_equal(mm(world, 16, 32, 128), 145);
    assert_int_equal(mm(world, 64, 256, 128), 4113);
    assert_int_equal(time_cycles(execution(world, "mmv.f32", 0, 64, 0, 0, 64, 0)), 21);
    assert_int_equal(time_cycles(execution(world, "mmv.f32", 0, 256, 0, 0, 784, 0)), 417);
    assert_int_equal(time_cycles(execution(world, "mms.f32", 0, 0, 64, 0, 0, 0)), 9);
    assert_int_equal(time_cycles(execution(world, "dma.ld", 0, 4096, 4096, 0, 0, 0)), 356);
    assert_int_equal(time_cycles(execution(world, "dma.ld", 0, 15, 17, 0, 0, 0)), 102);
    assert_int_equal(time_cycles(execution(world, "dma.ld2", 0, 0, 4, 24, 100, 0)), 109);

    /* example 2: when the matrix unit takes the next one */
    assert_int_equal(time_occupancy(execution(world, "mmv.f32", 0, 64, 0, 0, 64, 0)), 15);
    assert_int_equal(time_occupancy(execution(world, "mmv.f32", 0, 32, 0, 0, 64, 0)), 9);
    assert_int_equal(time_occupancy(execution(world, "mms.f32", 0, 0, 64, 0, 0, 0)), 8);

    /* the shortest one (7, K4): fill + pipe + 2 */
    assert_int_equal(mm(world, 1, 1, 1), 3 + 6 + 2);
    assert_int_equal(time_occupancy(&world->timed), 3 + 2);
}

static void test_nothing(void **state)
{
    static const char *const mnemonics[] = {"mmv.f32", "vmm.i8",       "mm.f16", "mms.f32",
                                            "mms.i8",  "mcvt.f16.f32", "dma.ld", "dma.st2"};
    struct world *world = *state;

    world->machine.config.dma_overlap = 50;
    for (size_t i = 0; i < sizeof mnemonics / sizeof *mnemonics; i++) {
        assert_int_equal(time_cycles(execution(world, mnemonics[i], 0, 0, 0, 0, 0, 0)), 1);
        assert_int_equal(time_occupancy(&world->timed), 1);
    }
}

/* ---- the matrix unit, beat by beat ---- */

/* Rows of segments that go through the ports, the lanes and the pipe. */
struct work {
    uint64_t rows, segments;
    uint64_t segment_bytes; /* that the master reads and broadcasts */
    uint64_t turns;         /* of the slaves with a segment */
    uint64_t row_bytes;     /* of a row of the result */
    uint64_t loaded_bytes;  /* of the right operand, before all */
    uint64_t pipe, accumulate;
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Returns the number of cycles until everything is written. */
static uint64_t run(const struct config *config, const struct work *work)
{
    uint64_t now = config->matrix_fill, ready[512], computed = 0, written = 0;
    uint64_t segment = 0, started = 0, to_read = 0, turns = 0, to_write = 0, to_load;
    bool is_computing = false, is_writing = false;

    assert_true(work->rows <= sizeof ready / sizeof *ready);
    for (to_load = work->loaded_bytes; to_load; now++)
        to_load -= least(to_load, config->matrix_read);
    for (; written < work->rows; now++) {
        /* A segment starts when the lanes are free, and the accumulators have what the segment
         * before has given them. */
        if (!is_computing && computed < work->rows &&
            (segment == 0 || now - started >= work->accumulate)) {
            is_computing = true;
            started = now;
            to_read = work->segment_bytes;
            turns = work->turns;
        }
        /* The port writes a row that has come out of the pipe. */
        if (!is_writing && written < computed && ready[written] <= now) {
            is_writing = true;
            to_write = work->row_bytes;
        }
        if (is_writing) {
            to_write -= least(to_write, config->matrix_write);
            is_writing = to_write > 0;
            written += !is_writing;
        }
        if (!is_computing)
            continue;
        to_read -= least(to_read, config->matrix_read);
        turns -= turns > 0;
        if (to_read || turns)
            continue;
        is_computing = false;
        if (++segment == work->segments) {
            ready[computed++] = now + 1 + work->pipe;
            segment = 0;
        }
    }
    return now;
}

static uint64_t levels(uint64_t lanes)
{
    return lanes > 1 ? 1 + levels(lanes / 2) : 0;
}

/* Returns how often the slaves take a turn: column j is in slave j mod N. */
static uint64_t turns_of(const struct config *config, uint64_t columns)
{
    uint64_t turns[64] = {0}, most = 0;

    for (uint64_t j = 0; j < columns; j++) {
        uint64_t *own = &turns[j % config->matrix_slaves];
        if (++*own > most)
            most = *own;
    }
    return most;
}

static struct work product(const struct config *config, uint64_t m, uint64_t k, uint64_t n,
                           uint64_t in, uint64_t out)
{
    struct work work = {
        .rows = m,
        .segments = 1,
        .segment_bytes = least(k, config->matrix_lanes) * in,
        .turns = turns_of(config, n),
        .row_bytes = n * out,
        .loaded_bytes = config->matrix_right ? k * n * in : 0,
        .pipe = config->matrix_multiply + levels(config->matrix_lanes) * config->matrix_add +
                config->matrix_accumulate,
        .accumulate = config->matrix_accumulate,
    };

    for (uint64_t left = k; left > config->matrix_lanes; left -= config->matrix_lanes)
        work.segments++;
    return work;
}

static struct work in_master(const struct config *config, uint64_t elements, uint64_t in,
                             uint64_t out)
{
    struct work work = {
        .segments = 1,
        .segment_bytes = config->matrix_lanes * in,
        .turns = 1,
        .row_bytes = config->matrix_lanes * out,
        .pipe = config->matrix_multiply,
    };

    for (uint64_t done = 0; done < elements; done += config->matrix_lanes)
        work.rows++;
    return work;
}

static void draw_settings(struct world *world)
{
    struct config *config = &world->machine.config;

    config->matrix_lanes = UINT64_C(1) << draw(world, 7);
    config->matrix_slaves = 1 + draw(world, 40);
    config->matrix_fill = draw(world, 20);
    config->matrix_read = 1 + draw(world, draw(world, 2) ? 16 : 200);
    config->matrix_write = 1 + draw(world, draw(world, 2) ? 16 : 200);
    config->matrix_multiply = 1 + draw(world, 16);
    config->matrix_add = 1 + draw(world, 16);
    config->matrix_accumulate = 1 + draw(world, 16);
    config->matrix_right = draw(world, 2);
    config->dma_latency = draw(world, 300);
    config->dma_row = draw(world, 10);
    config->dma_bytes = UINT64_C(1) << draw(world, 8);
    config->dma_overlap = draw(world, 300);
}

/* Compares with the model. The next instruction enters when this one would be done without a pipe,
 * which overlaps with it. */
static void compare(const struct timed *timed, struct work work)
{
    const struct config *config = timed->config;

    if (work.rows == 0 || work.row_bytes == 0) {
        assert_int_equal(time_cycles(timed), 1);
        assert_int_equal(time_occupancy(timed), 1);
        return;
    }
    assert_int_equal(time_cycles(timed), run(config, &work));
    work.pipe = 0;
    assert_int_equal(time_occupancy(timed), run(config, &work));
}

static void test_products(void **state)
{
    static const struct {
        const char *name;
        unsigned bytes;
    } types[] = {{"f32", 4}, {"f16", 2}, {"e4m3", 1}, {"i8", 1}};
    struct world *world = *state;
    const struct config *config = &world->machine.config;
    char name[32];

    for (int i = 0; i < ROUNDS; i++) {
        uint64_t m = draw(world, ROWS), k = draw(world, draw(world, 2) ? 150 : 10),
                 n = draw(world, draw(world, 2) ? 120 : 10), type = draw(world, 4);
        unsigned bytes = types[type].bytes;
        draw_settings(world);
        snprintf(name, sizeof name, "mm.%s", types[type].name);
        compare(execution(world, name, 0, 0, 0, m, k, n), product(config, m, k, n, bytes, 4));
        snprintf(name, sizeof name, "mmv.%s", types[type].name);
        compare(execution(world, name, 0, n, 0, 0, k, 0), product(config, 1, k, n, bytes, 4));
        snprintf(name, sizeof name, "vmm.%s", types[type].name);
        compare(execution(world, name, 0, n, 0, k, 0, 0), product(config, 1, k, n, bytes, 4));
    }
}

static void test_master(void **state)
{
    static const struct {
        const char *name;
        unsigned in, out;
    } kinds[] = {{"mms.f32", 4, 4},     {"mms.bf16", 2, 2},      {"mms.i8", 1, 1},
                 {"mcvt.f32.i8", 1, 4}, {"mcvt.e5m2.f32", 4, 1}, {"mcvt.i8.i32", 4, 1}};
    struct world *world = *state;

    for (int i = 0; i < ROUNDS; i++) {
        uint64_t elements = draw(world, draw(world, 2) ? 400 : 6), kind = draw(world, 6);
        draw_settings(world);
        compare(execution(world, kinds[kind].name, 0, 0, elements, 0, 0, 0),
                in_master(&world->machine.config, elements, kinds[kind].in, kinds[kind].out));
    }
}

/* ---- the I/O access module, byte by byte ---- */

static void test_transfers(void **state)
{
    static const char *const names[] = {"dma.ld", "dma.st", "dma.ld2", "dma.st2"};
    struct world *world = *state;
    const struct config *config = &world->machine.config;

    for (int i = 0; i < ROUNDS; i++) {
        uint64_t mem = 4000 + draw(world, 5000), bytes = draw(world, draw(world, 2) ? 300 : 4),
                 kind = draw(world, 4), rows = kind < 2 ? 1 : draw(world, 6),
                 stride = draw(world, 700) - 350, cycles, last = 0;
        draw_settings(world);
        cycles = config->dma_latency;
        for (uint64_t row = 0; row < rows; row++) {
            cycles += row ? config->dma_row : 0;
            for (uint64_t k = 0; k < bytes; k++) {
                uint64_t block = (mem + row * stride + k) / config->dma_bytes;
                cycles += k == 0 || block != last;
                last = block;
            }
        }
        execution(world, names[kind], 0, mem, kind < 2 ? bytes : rows, bytes, stride, 0);
        bool is_empty = rows == 0 || bytes == 0;
        assert_int_equal(time_cycles(&world->timed), is_empty ? 1 : cycles);
        assert_int_equal(time_occupancy(&world->timed),
                         is_empty ? 1 : cycles - least(config->dma_overlap, config->dma_latency));
    }
}

/* ---- the other units ---- */

static void test_histogram(void **state)
{
    static const struct {
        const char *name;
        unsigned values;
    } kinds[] = {{"f32v4hist", 4}, {"f16v8hist", 8}, {"f8v16hist", 16}};
    struct world *world = *state;

    for (unsigned kind = 0; kind < 3; kind++)
        for (unsigned comparators = 1; comparators <= 64; comparators++) {
            unsigned pairs = kinds[kind].values * 4, steps = 0;
            for (unsigned done = 0; done < pairs; done += comparators)
                steps++;
            world->machine.config.histogram_comparators = comparators;
            execution(world, kinds[kind].name, 0, 0, 0, 0, 0, 0);
            assert_int_equal(time_cycles(&world->timed), 2 + steps - 1);
            assert_int_equal(time_occupancy(&world->timed), steps);
        }
}

static void test_traversal(void **state)
{
    struct world *world = *state;
    struct config *config = &world->machine.config;
    struct arena arena = {0};
    struct diag diag = {.tool = "test"};

    config->traversal_locate = 5;
    config->traversal_nest = 3;
    assert_true(machine_init(&world->machine, &arena, &diag));
    const struct execution_state machine_state = execution_state(&world->machine);
    world->timed.state = &machine_state.state;
    for (unsigned row = 1; row < 4; row++) {
        world->machine.traversal.state.row[row].nest = row < 3 ? 7 : 8;
        world->machine.traversal.state.row[row].dims = (uint8_t)(row + 1);
    }
    assert_int_equal(time_cycles(execution(world, "tinit", 1, 0, 0, 0, 0, 0)), 1 + 5);
    assert_int_equal(time_cycles(execution(world, "tnest", 1, 0, 0, 0, 0, 0)),
                     1 + 5 + 3 * (2 + 2 + 3));
    assert_int_equal(time_cycles(execution(world, "tnest", 3, 0, 0, 0, 0, 0)), 1 + 5 + 3 * (1 + 4));
    assert_int_equal(time_cycles(execution(world, "tset.init", 1, 0, 0, 0, 0, 0)), 1);
    assert_int_equal(time_occupancy(execution(world, "tnest", 1, 0, 0, 0, 0, 0)), 1);
    machine_free(&world->machine);
    arena_free(&arena);
}

static void test_sparse(void **state)
{
    struct world *world = *state;

    world->machine.config.sparse_setup = 6;
    world->machine.config.sparse_out = 32;
    world->timed.bytes_read = 100;
    world->timed.bytes_written = 65;
    world->timed.network_cycles = 28;
    assert_int_equal(time_cycles(execution(world, "sconf", 0, 0, 0, 0, 0, 0)), 6 + 4);
    assert_int_equal(time_cycles(execution(world, "sgather.sum", 0, 0, 0, 2, 0, 0)), 6 + 28 + 3);
    assert_int_equal(time_occupancy(&world->timed), 6 + 28 + 3);
    assert_int_equal(time_cycles(execution(world, "supdate", 0, 0, 2, 0, 0, 0)), 6 + 28 + 3);
}

/* ---- classes and units ---- */

static void test_classes(void **state)
{
    static const struct {
        const char *name;
        unsigned cycles, occupancy;
    } kinds[] = {{"add", 1, 1},    {"mul", 3, 1},      {"div", 20, 20}, {"lw", 3, 1},
                 {"fadd.s", 4, 1}, {"fdiv.d", 20, 20}, {"beq", 1, 1},   {"tnext", 1, 1}};
    struct world *world = *state;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        execution(world, kinds[i].name, 0, 0, 0, 0, 0, 0);
        assert_int_equal(time_cycles(&world->timed), kinds[i].cycles);
        assert_int_equal(time_occupancy(&world->timed), kinds[i].occupancy);
    }
    world->machine.config.classes_load = 5;
    world->machine.config.classes_divide = 9;
    world->machine.config.classes_histogram = 4;
    assert_int_equal(time_cycles(execution(world, "ld", 0, 0, 0, 0, 0, 0)), 5);
    assert_int_equal(time_occupancy(execution(world, "remu", 0, 0, 0, 0, 0, 0)), 9);
    assert_int_equal(time_cycles(execution(world, "f32v4hist", 0, 0, 0, 0, 0, 0)), 4);
    assert_int_equal(time_latency(&world->machine.config, find("mm.f32")), 0);
}

/* From words to times. */
static void test_words(void **state)
{
    static const struct {
        uint64_t word;
        int length;
        const char *mnemonic;
        unsigned count;
        uint64_t values[6], cycles;
    } words[] = {
        {0xe40d900c0b0a013f, 8, "mm.f32", 6, {10, 11, 12, 16, 13, 100}, 3 + 15 * 7 + 4 + 6 + 7},
        {0x00c00c830b0a053f, 8, "dma.ld2", 5, {10, 11, 3, 12, 64}, 100 + 6},
        {0x00000bc00b0a11bf, 8, "mms.f16", 4, {10, 11, 64, 0x3f800000}, 3 + 4 + 1 + 1},
        {0x1575, 2, "addi", 3, {0, 10, (uint64_t)-3}, 1},
        {0xff85a503, 4, "lw", 3, {0, 11, (uint64_t)-8}, 3},
    };
    struct world *world = *state;

    for (unsigned i = 0; i < ISA_X_REGISTERS; i++)
        world->machine.hart.x[i] = i;
    world->machine.hart.f[11] = 0xffffffff3f800000;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        uint64_t values[ISA_OPERAND_LIMIT];
        const struct isa_instruction *instruction =
            execution_operands(&world->machine.hart, isa_decode(words[i].word, words[i].length),
                               words[i].word, values);
        assert_string_equal(instruction->mnemonic, words[i].mnemonic);
        assert_int_equal(instruction->operand_count, words[i].count);
        for (unsigned k = 0; k < words[i].count; k++)
            if (words[i].values[k])
                assert_int_equal(values[k], words[i].values[k]);
        const struct timed timed = {
            .config = &world->machine.config, .id = instruction->id, .operands = values};
        assert_int_equal(time_cycles(&timed), words[i].cycles);
    }
}

/* What a unit with resources executes is what timing.md calls tensor. */
static void test_units(void **state)
{
    struct world *world = *state;
    static const char *const extensions[] = {"xmat", "xsparse"};

    assert_int_equal(time_unit_count, 3);
    for (unsigned id = 0; id < ISA_ID_COUNT; id++) {
        bool is_tensor = strcmp(isa_instructions[id].extension, extensions[0]) == 0 ||
                         strcmp(isa_instructions[id].extension, extensions[1]) == 0;
        assert_int_equal(time_unit_of(id) != NULL, is_tensor);
    }
    assert_string_equal(time_unit_of(find("mcvt.f16.f32"))->name, "matrix");
    assert_string_equal(time_unit_of(find("dma.st2"))->name, "dma");
    assert_string_equal(time_unit_of(find("sconf"))->name, "sparse");
    world->machine.config.dma_engines = 5;
    assert_int_equal(time_resources(time_unit_of(find("dma.ld")), &world->machine.config), 5);
    assert_int_equal(time_resources(time_unit_of(find("mm.f32")), &world->machine.config), 1);
    assert_int_equal(time_resources(time_unit_of(find("supdate")), &world->machine.config), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_products, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_master, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_transfers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_histogram, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_traversal, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sparse, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_classes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_words, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_units, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
