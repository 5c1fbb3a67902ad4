/*
 * Bad operands of the traversal and the histogram unit, in a whole machine. For each instruction of
 * the ISA tables, each operand in turn takes the values at its bounds and beyond, and so does each
 * field of tnest's descriptor. machine.md, 1, 3 and 4 and docs/decisions.md define the expected
 * faults. After a trap, no register, row, byte of memory or counter has changed.
 */
#include "emu/execute/execute.h"
#include "lib/map.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum {
    ROWS = 3,
    DIMENSIONS = 3,
    CODE = 0x10000,
    CODE_SIZE = 0x1000,
    DATA = 0x20000, /* writable; the page after it is not mapped */
    DATA_SIZE = 0x1000,
    CONSTANTS = 0x30000, /* readable only */
    FIRST_REGISTER = 10, /* of the operands, in the order of the encoding table */
    MOST_OPERANDS = 4,
    DESCRIPTOR = DATA + 0x100,
};

#define CONFIGURATION CAUSE_TENSOR_CONFIGURATION
#define ACCESS        CAUSE_TENSOR_ACCESS

/* The state that a trap must not change. */
struct state {
    struct hart hart;
    struct traversal_unit traversal;
    struct histogram_unit histogram;
    struct traversal_row rows[ROWS];
    struct traversal_row_dim dimensions[ROWS][DIMENSIONS];
    uint64_t memory;
};

struct world {
    struct arena arena;
    struct machine *machine;
    struct state before;
    unsigned faults;
};

static struct world *world_make(void)
{
    struct diag diag = {.tool = "test"};
    struct world *world = calloc(1, sizeof *world);

    assert_non_null(world);
    struct machine *machine = world->machine = arena_new(&world->arena, struct machine);
    config_default(&machine->config);
    user_init(machine);
    machine->config.scratchpad_size = 0x1000;
    machine->config.traversal_rows = ROWS;
    machine->config.traversal_dimensions = DIMENSIONS;
    assert_true(machine_init(machine, &world->arena, &diag));
    memory_map(&machine->memory, CODE, CODE_SIZE, PAGE_READ | PAGE_EXECUTE);
    memory_map(&machine->memory, DATA, DATA_SIZE, PAGE_READ | PAGE_WRITE);
    memory_map(&machine->memory, CONSTANTS, MEMORY_PAGE, PAGE_READ);
    for (int i = 0; i < USER_FILES; i++)
        machine->user.files[i] = NULL;
    for (int i = 1; i < 32; i++)
        machine->hart.x[i] = 0x1111 * i;
    for (int i = 0; i < 32; i++)
        machine->hart.f[i] = 0xffffffff00000000 + 0x2222 * i;
    return world;
}

static void world_end(struct world *world)
{
    machine_free(world->machine);
    arena_free(&world->arena);
    free(world);
}

static void look(const struct world *world, struct state *state)
{
    const struct machine *machine = world->machine;
    const unsigned char *host = machine->memory.host;

    memset(state, 0, sizeof *state);
    memcpy(&state->hart, &machine->hart, sizeof state->hart);
    memcpy(&state->traversal, &machine->traversal, sizeof state->traversal);
    memcpy(&state->histogram, &machine->histogram, sizeof state->histogram);
    for (int row = 0; row < ROWS; row++) {
        memcpy(&state->rows[row], &machine->traversal.state.row[row], sizeof state->rows[row]);
        memcpy(state->dimensions[row], machine->traversal.state.row[row].dim,
               sizeof state->dimensions[row]);
    }
    state->memory = hash_bytes(host + DATA, DATA_SIZE, 0);
    state->memory = hash_bytes(host + CONSTANTS, MEMORY_PAGE, state->memory);
    state->memory = hash_bytes(host + machine->config.scratchpad_base,
                               machine->config.scratchpad_size, state->memory);
}

/* Runs one instruction. */
static enum run_end run_word(struct world *world, uint64_t word, int length)
{
    struct machine *machine = world->machine;

    assert_true(memory_poke(&machine->memory, CODE, &word, length));
    machine->hart.pc = CODE;
    machine->fault = (struct fault){0};
    look(world, &world->before);
    return machine_run(machine, machine->hart.instret + 1);
}

static void must_trap(struct world *world, enum run_end end, const char *what, enum cause cause,
                      uint64_t value)
{
    const struct fault *fault = &world->machine->fault;
    struct state after;

    if (end != RUN_FAULT || fault->cause != cause || fault->value != value)
        fail_msg("%s: end %d, cause %d, value %#llx; expected cause %d, value %#llx", what, end,
                 fault->cause, (unsigned long long)fault->value, cause, (unsigned long long)value);
    look(world, &after);
    assert_memory_equal(&after, &world->before, sizeof after);
    world->faults++;
}

/* Returns the encoding of an instruction whose operands have these values, in registers or, with
 * `immediate`, in the encoding if possible. */
static uint64_t make_word(struct world *world, const struct isa_instruction *instruction,
                          const uint64_t *values, bool immediate)
{
    int64_t fields[MOST_OPERANDS];

    assert_true(instruction->operand_count <= MOST_OPERANDS);
    for (int i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        fields[i] = FIRST_REGISTER + i;
        if (operand->type->kind != ISA_REGISTER_OR_IMMEDIATE)
            continue;
        world->machine->hart.x[FIRST_REGISTER + i] = values[i];
        fields[i] = isa_ri_register(operand->type, FIRST_REGISTER + i);
        if (immediate && values[i] < 32)
            fields[i] = isa_ri_immediate(operand->type, values[i]);
    }
    return isa_encode(instruction, fields);
}

static void trap_with(struct world *world, const struct isa_instruction *instruction,
                      const uint64_t *values, enum cause cause, uint64_t value)
{
    for (int immediate = 0; immediate < 2; immediate++) {
        uint64_t word = make_word(world, instruction, values, immediate);
        must_trap(world, run_word(world, word, instruction->length), instruction->mnemonic, cause,
                  value);
    }
}

static void pass_with(struct world *world, const struct isa_instruction *instruction,
                      const uint64_t *values)
{
    uint64_t word = make_word(world, instruction, values, true);

    if (run_word(world, word, instruction->length) != RUN_LIMIT)
        fail_msg("%s: cause %d, value %#llx; expected none", instruction->mnemonic,
                 world->machine->fault.cause, (unsigned long long)world->machine->fault.value);
}

static int operand_index(const struct isa_instruction *instruction, const char *name)
{
    for (int i = 0; i < instruction->operand_count; i++)
        if (strcmp(instruction->operands[i].name, name) == 0)
            return i;
    return -1;
}

static bool is_traversal(const struct isa_instruction *instruction)
{
    return strcmp(instruction->timing->name, "traversal") == 0 ||
           instruction->effects & ISA_EFFECT_WALK;
}

/* Does the instruction use a row that must be set up? Such an instruction has a register in
 * addition to the row. */
static bool uses_row(const struct isa_instruction *instruction)
{
    return operand_index(instruction, "rd") >= 0 || operand_index(instruction, "rs") >= 0;
}

/* Returns the bytes that a load or store through a row moves, or 0 for other instructions. */
static unsigned element_bytes(const struct isa_instruction *instruction)
{
    const char *name = instruction->mnemonic;
    const char *const others[] = {"tloc", "titer", "tnext", "tdone"};

    if (!uses_row(instruction))
        return 0;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(name, others[i]) == 0)
            return 0;
    name += 1 + (name[1] == 'f') + 1; /* after tl, ts, tfl, tfs */
    return 1u << (strchr("bhwd", *name) - "bhwd");
}

/* Sets up a row of one dimension: `count` bytes from `address` on. */
static void set_up(struct world *world, uint64_t row, uint64_t address, int64_t step, int64_t end)
{
    struct traversal_unit *unit = &world->machine->traversal;
    struct port *port = &world->machine->port;
    struct fault fault;

    assert_true(traversal_clear(unit, port, row, &fault));
    assert_true(traversal_set_step(unit, port, row, 0, (uint64_t)step, &fault));
    assert_true(traversal_set_end(unit, port, row, 0, (uint64_t)end, &fault));
    assert_true(traversal_set_base(unit, port, row, address, &fault));
    assert_true(traversal_restart(unit, port, row, &fault));
}

/* Sets valid values for all operands: row 0, which is at valid data. */
static void good_values(struct world *world, const struct isa_instruction *instruction,
                        uint64_t values[MOST_OPERANDS])
{
    int end = operand_index(instruction, "end"), step = operand_index(instruction, "step");
    int addr = operand_index(instruction, "addr"), count = operand_index(instruction, "count");
    static const uint32_t descriptor[] = {1, 0, 0x00040100, 0, DATA, 0, 0, 0, 1, 0, 1, 0};

    memset(values, 0, MOST_OPERANDS * sizeof *values);
    set_up(world, 0, DATA, 8, 16);
    memory_poke(&world->machine->memory, DESCRIPTOR, descriptor, sizeof descriptor);
    if (end >= 0)
        values[end] = 5;
    if (step >= 0)
        values[step] = 1;
    if (count >= 0)
        values[count] = 1;
    if (operand_index(instruction, "value") >= 0)
        values[operand_index(instruction, "value")] = 1;
    if (addr >= 0)
        values[addr] = DESCRIPTOR;
}

typedef void (*instruction_check)(struct world *world, const struct isa_instruction *instruction);

/* Runs `check` for all instructions of the traversal unit, which must give at least `least` traps.
 */
static void for_traversal(instruction_check check, unsigned least)
{
    struct world *world = world_make();
    unsigned instructions = 0;

    for (size_t i = 0; i < isa_instruction_count; i++) {
        if (!is_traversal(&isa_instructions[i]))
            continue;
        check(world, &isa_instructions[i]);
        instructions++;
    }
    assert_true(instructions >= 29);
    assert_true(world->faults >= least);
    world_end(world);
}

/* ---- rows, dimensions, counts ---- */

static void check_numbers(struct world *world, const struct isa_instruction *instruction)
{
    static const struct {
        const char *name;
        uint64_t limit;
    } numbers[] = {{"row", ROWS}, {"dim", DIMENSIONS}};
    uint64_t values[MOST_OPERANDS];

    for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; n++) {
        int at = operand_index(instruction, numbers[n].name);
        uint64_t limit = numbers[n].limit,
                 bad[] = {limit,      limit + 1,      31, 63, (uint64_t)1 << 32, (uint64_t)1 << 63,
                          UINT64_MAX, (uint64_t)-ROWS};
        if (at < 0)
            continue;
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
            good_values(world, instruction, values);
            values[at] = bad[i];
            trap_with(world, instruction, values, CONFIGURATION, bad[i]);
        }
        for (uint64_t good = 0; good < limit; good++) {
            good_values(world, instruction, values);
            if (n == 0)
                set_up(world, good, DATA, 8, 16);
            values[at] = good;
            pass_with(world, instruction, values);
        }
    }
}

static void test_numbers(void **state)
{
    (void)state;
    for_traversal(check_numbers, 29 * 16);
}

/* Of two wrong operands, the first one in the syntax faults. */
static void check_first(struct world *world, const struct isa_instruction *instruction)
{
    int row = operand_index(instruction, "row");
    uint64_t values[MOST_OPERANDS];

    good_values(world, instruction, values);
    for (int i = 0; i < instruction->operand_count; i++)
        if (instruction->operands[i].type->kind == ISA_REGISTER_OR_IMMEDIATE && i != row)
            values[i] = (uint64_t)-99;
    values[row] = ROWS;
    trap_with(world, instruction, values, CONFIGURATION, ROWS);
}

static void test_first_of_several(void **state)
{
    (void)state;
    for_traversal(check_first, 2 * 29);
}

/* A row that was never set up, and a step of 0. */
static void check_unready(struct world *world, const struct isa_instruction *instruction)
{
    struct machine *machine = world->machine;
    bool steps =
        strcmp(instruction->mnemonic, "tloc") != 0 && strcmp(instruction->mnemonic, "tdone") != 0;
    uint64_t values[MOST_OPERANDS];
    struct fault fault;

    if (!uses_row(instruction))
        return;
    good_values(world, instruction, values);
    values[operand_index(instruction, "row")] = 2;
    assert_true(traversal_clear(&machine->traversal, &machine->port, 2, &fault));
    trap_with(world, instruction, values, CONFIGURATION, 2);
    set_up(world, 2, DATA, 0, 16);
    if (steps)
        trap_with(world, instruction, values, CONFIGURATION, 0);
    else
        pass_with(world, instruction, values);
}

static void test_unready_rows(void **state)
{
    (void)state;
    for_traversal(check_unready, 2 * (4 + 13) + 2 * (2 + 13));
}

/* Past the end, instructions that walk fault, but tloc, titer and tdone do not. */
static void check_past_end(struct world *world, const struct isa_instruction *instruction)
{
    bool walks = element_bytes(instruction) || strcmp(instruction->mnemonic, "tnext") == 0;
    uint64_t values[MOST_OPERANDS], wrapped;
    struct fault fault;

    if (!uses_row(instruction))
        return;
    good_values(world, instruction, values);
    set_up(world, 1, DATA, 8, 8);
    values[operand_index(instruction, "row")] = 1;
    assert_true(
        traversal_iterate(&world->machine->traversal, &world->machine->port, 1, &wrapped, &fault));
    if (walks)
        trap_with(world, instruction, values, CONFIGURATION, 1);
    else
        pass_with(world, instruction, values);
}

static void test_past_the_end(void **state)
{
    (void)state;
    for_traversal(check_past_end, 2 * 14);
}

/* Counts below 1: of tset.repeat, and of a prologue or epilogue whose init is past its end. */
static void check_counts(struct world *world, const struct isa_instruction *instruction)
{
    int init = operand_index(instruction, "init"), step = operand_index(instruction, "step"),
        end = operand_index(instruction, "end");
    bool repeats = strcmp(instruction->mnemonic, "tset.repeat") == 0;
    static const int64_t bad[] = {0, -1, INT32_MIN, INT64_MIN};
    static const int64_t ends[][3] = {
        {5, 1, 5},         {5, 1, 4},         {0, 1, INT64_MIN},        {0, -1, 0},
        {-5, -1, -5},      {-5, -1, 0},       {INT64_MIN, -1, 0},       {INT64_MAX, 1, 0},
        {7, INT64_MAX, 7}, {0, INT64_MIN, 0}, {3, INT64_MIN, INT64_MAX}};
    uint64_t values[MOST_OPERANDS];

    for (size_t i = 0; repeats && i < sizeof bad / sizeof bad[0]; i++) {
        good_values(world, instruction, values);
        values[2] = (uint64_t)bad[i];
        trap_with(world, instruction, values, CONFIGURATION, (uint64_t)bad[i]);
    }
    for (size_t i = 0; init >= 0 && i < sizeof ends / sizeof ends[0]; i++) {
        good_values(world, instruction, values);
        values[init] = (uint64_t)ends[i][0];
        values[step] = (uint64_t)ends[i][1];
        values[end] = (uint64_t)ends[i][2];
        trap_with(world, instruction, values, CONFIGURATION, (uint64_t)ends[i][2]);
        values[step] = 0;
        trap_with(world, instruction, values, CONFIGURATION, 0);
    }
}

static void test_counts(void **state)
{
    (void)state;
    for_traversal(check_counts, 2 * 4 + 2 * 2 * 2 * 11);
}

/* ---- elements ---- */

static void check_elements(struct world *world, const struct isa_instruction *instruction)
{
    unsigned size = element_bytes(instruction);
    bool store = operand_index(instruction, "rs") >= 0;
    uint64_t spm = world->machine->config.scratchpad_base,
             absent[] = {0,
                         DATA - size,
                         DATA + DATA_SIZE,
                         spm - size,
                         spm + 0x1000,
                         MEMORY_LIMIT - size,
                         MEMORY_LIMIT,
                         (uint64_t)-size},
             present[] = {DATA, DATA + DATA_SIZE - size, spm, spm + 0x1000 - size};
    uint64_t values[MOST_OPERANDS];

    if (!size)
        return;
    good_values(world, instruction, values);
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++) {
        set_up(world, 0, absent[i], 8, 16);
        trap_with(world, instruction, values, ACCESS, absent[i]);
    }
    for (unsigned off = 1; off < size; off++) { /* in valid memory, and across its end */
        set_up(world, 0, DATA + off, 8, 16);
        trap_with(world, instruction, values, ACCESS, DATA + off);
        set_up(world, 0, DATA + DATA_SIZE - off, 8, 16);
        trap_with(world, instruction, values, ACCESS, DATA + DATA_SIZE - off);
    }
    for (size_t i = 0; i < sizeof present / sizeof present[0]; i++) {
        set_up(world, 0, present[i], 8, 16);
        pass_with(world, instruction, values);
    }
    set_up(world, 0, CONSTANTS, 8, 16);
    if (store)
        trap_with(world, instruction, values, ACCESS, CONSTANTS);
    else
        pass_with(world, instruction, values);
}

static void test_elements(void **state)
{
    (void)state;
    for_traversal(check_elements, 2 * 13 * 8);
}

/* ---- the descriptor of tnest ---- */

/* One array of three dimensions; offsets of its fields, as machine.md, 3 lists them. */
enum {
    AT_ARRAYS = 0,
    AT_ZERO = 4,
    AT_KIND = 8,
    AT_DIMS = 9,
    AT_BYTES = 10,
    AT_FLAGS = 12,
    AT_BASE = 16,
    AT_EXTENTS = 24, /* s64 start, count, stride each */
    DESCRIPTOR_BYTES = AT_EXTENTS + DIMENSIONS * 24,
};

struct field {
    unsigned at, size;
    int64_t good, bad; /* at the bound, and one beyond; the bad value is that of the fault */
};

static void write_descriptor(struct world *world, uint64_t address)
{
    unsigned char bytes[DESCRIPTOR_BYTES] = {
        [AT_ARRAYS] = 1, [AT_DIMS] = DIMENSIONS, [AT_BYTES] = 4};

    for (int i = 0; i < DIMENSIONS; i++)
        for (int word = 1; word < 3; word++) /* counts and strides of 1 */
            bytes[AT_EXTENTS + 24 * i + 8 * word] = 1;
    assert_true(memory_poke(&world->machine->memory, address, bytes, sizeof bytes));
}

static const struct isa_instruction *find_tnest(void)
{
    const struct isa_instruction *tnest = isa_find_instruction("tnest");

    assert_non_null(tnest);
    return tnest;
}

static void try_field(struct world *world, const struct field *field, unsigned shift)
{
    const struct isa_instruction *tnest = find_tnest();
    const uint64_t values[MOST_OPERANDS] = {0, DESCRIPTOR};

    write_descriptor(world, DESCRIPTOR);
    memory_poke(&world->machine->memory, DESCRIPTOR + field->at + shift, &field->good, field->size);
    pass_with(world, tnest, values);
    memory_poke(&world->machine->memory, DESCRIPTOR + field->at + shift, &field->bad, field->size);
    trap_with(world, tnest, values, CONFIGURATION, (uint64_t)field->bad);
}

static void test_descriptor_fields(void **state)
{
    static const struct field header[] = {
        {AT_ARRAYS, 4, 1, 0}, {AT_ARRAYS, 4, 1, ROWS + 1}, {AT_ARRAYS, 4, 1, UINT32_MAX},
        {AT_ZERO, 4, 0, 1},   {AT_ZERO, 4, 0, UINT32_MAX}, {AT_KIND, 1, 2, 3},
        {AT_KIND, 1, 1, 255}, {AT_DIMS, 1, 1, 0},          {AT_DIMS, 1, 3, DIMENSIONS + 1},
        {AT_DIMS, 1, 2, 255}, {AT_BYTES, 2, 1, 0},         {AT_BYTES, 2, 65535, 0},
        {AT_FLAGS, 4, 1, 2},  {AT_FLAGS, 4, 0, 3},         {AT_FLAGS, 4, 1, 0x80000000},
    };

    /* 4 bytes an element: no product may leave 64 bits. */
    static const struct field extent[] = {
        {0, 8, INT64_MAX / 4 - 1, INT64_MAX / 4 + 1},               /* start: start·4 */
        {0, 8, INT64_MIN / 4, INT64_MIN / 4 - 1},     {8, 8, 1, 0}, /* count */
        {8, 8, INT64_MAX / 4, INT64_MAX / 4 + 1},     {8, 8, 1, -1},         {8, 8, 1, INT64_MIN},
        {16, 8, INT64_MAX / 4, INT64_MAX / 4 + 1},                           /* stride: stride·4 */
        {16, 8, INT64_MIN / 4, INT64_MIN / 4 - 1},    {16, 8, 0, INT64_MAX}, /* 0 repeats */
    };
    struct world *world = world_make();

    (void)state;
    for (size_t i = 0; i < sizeof header / sizeof header[0]; i++)
        try_field(world, &header[i], 0);
    for (unsigned dimension = 0; dimension < DIMENSIONS; dimension++)
        for (size_t i = 0; i < sizeof extent / sizeof extent[0]; i++)
            try_field(world, &extent[i], AT_EXTENTS + 24 * dimension);
    assert_int_equal(world->faults, 2 * (15 + 9 * DIMENSIONS));
    world_end(world);
}

/* As many arrays as rows are left from the first one on, and one more. */
static void test_descriptor_rows(void **state)
{
    struct world *world = world_make();
    const struct isa_instruction *tnest = find_tnest();
    unsigned char bytes[8 + (ROWS + 1) * 40] = {0};

    (void)state;
    for (int i = 0; i <= ROWS; i++) {
        bytes[8 + 40 * i + 1] = bytes[8 + 40 * i + 2] = 1; /* one dimension, one byte */
        bytes[8 + 40 * i + 16 + 8] = bytes[8 + 40 * i + 16 + 16] = 1;
    }
    for (uint64_t row = 0; row < ROWS; row++) {
        const uint64_t values[MOST_OPERANDS] = {row, DESCRIPTOR};
        bytes[0] = ROWS - row;
        memory_poke(&world->machine->memory, DESCRIPTOR, bytes, sizeof bytes);
        pass_with(world, tnest, values);
        bytes[0] = ROWS - row + 1;
        memory_poke(&world->machine->memory, DESCRIPTOR, bytes, sizeof bytes);
        trap_with(world, tnest, values, CONFIGURATION, ROWS - row + 1);
    }
    world_end(world);
}

/* The descriptor ends at the end of memory, and a byte or more beyond: the part that cannot be read
 * is the fault. */
static void test_descriptor_in_memory(void **state)
{
    struct world *world = world_make();
    const struct isa_instruction *tnest = find_tnest();
    const unsigned parts[] = {
        0, AT_KIND, AT_EXTENTS, AT_EXTENTS + 24, AT_EXTENTS + 48, DESCRIPTOR_BYTES};
    uint64_t values[MOST_OPERANDS] = {0, DATA + DATA_SIZE - DESCRIPTOR_BYTES};
    unsigned part = sizeof parts / sizeof parts[0] - 1;

    (void)state;
    write_descriptor(world, values[1]);
    pass_with(world, tnest, values);
    for (unsigned missing = 1; missing <= DESCRIPTOR_BYTES; missing++) {
        /* The bytes before the end of memory are those of a valid descriptor. */
        unsigned char bytes[DESCRIPTOR_BYTES];
        unsigned there = DESCRIPTOR_BYTES - missing;
        write_descriptor(world, DATA);
        memcpy(bytes, world->machine->memory.host + DATA, sizeof bytes);
        values[1] = DATA + DATA_SIZE - there;
        if (there)
            memory_poke(&world->machine->memory, values[1], bytes, there);
        while (part > 1 && parts[part - 1] > there)
            part--;
        uint64_t first = values[1] + parts[part - 1];
        trap_with(world, tnest, values, ACCESS, first);
    }
    values[1] = UINT64_MAX - 3;
    trap_with(world, tnest, values, ACCESS, UINT64_MAX - 3);
    world_end(world);
}

/* ---- the histogram unit ---- */

/* All pairs of register numbers in the two group fields: valid are different multiples of four. */
static void test_groups(void **state)
{
    struct world *world = world_make();
    unsigned instructions = 0, good = 0;

    (void)state;
    for (size_t i = 0; i < isa_instruction_count; i++) {
        const struct isa_instruction *instruction = &isa_instructions[i];
        if (strcmp(instruction->timing->name, "histogram") != 0)
            continue;
        instructions++;
        for (unsigned fd = 0; fd < 32; fd++)
            for (unsigned fs = 0; fs < 32; fs++) {
                uint64_t word = (instruction->match & ~UINT64_C(0x000f8f80)) | fd << 7 |
                                fs << 15; /* rd and rs1 of the R format */
                enum run_end end = run_word(world, word, instruction->length);
                if (fd % 4 == 0 && fs % 4 == 0 && fd != fs) {
                    assert_int_equal(end, RUN_LIMIT);
                    good++;
                } else {
                    must_trap(world, end, instruction->mnemonic, CAUSE_ILLEGAL_INSTRUCTION, word);
                }
            }
    }
    assert_int_equal(instructions, 3);
    assert_int_equal(good, 3 * 8 * 7);
    world_end(world);
}

/* Each fixed bit of an instruction of either unit is flipped. This gives another instruction, or an
 * illegal one with the word as the value and no other effect. */
static void test_fixed_bits(void **state)
{
    struct world *world = world_make();

    (void)state;
    for (size_t i = 0; i < isa_instruction_count; i++) {
        const struct isa_instruction *instruction = &isa_instructions[i];
        if (!is_traversal(instruction) && strcmp(instruction->timing->name, "histogram") != 0)
            continue;
        for (int bit = 7; bit < 8 * instruction->length; bit++) {
            uint64_t word = isa_random_word(instruction, &(uint64_t){bit + 1});
            if (!(instruction->mask >> bit & 1))
                continue;
            word ^= (uint64_t)1 << bit;
            if (!isa_decode(word, instruction->length))
                must_trap(world, run_word(world, word, instruction->length), instruction->mnemonic,
                          CAUSE_ILLEGAL_INSTRUCTION, word);
        }
    }
    assert_true(world->faults > 100);
    world_end(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_first_of_several),
        cmocka_unit_test(test_unready_rows),
        cmocka_unit_test(test_past_the_end),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_descriptor_fields),
        cmocka_unit_test(test_descriptor_rows),
        cmocka_unit_test(test_descriptor_in_memory),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_fixed_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
