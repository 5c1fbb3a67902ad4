/*
 * Bad operands of the matrix unit and of DMA, in a whole machine. For each instruction of the ISA
 * tables, each operand in turn takes every value that should raise a fault, then several operands
 * at once. A model of machine.md, 1 and 2 and docs/decisions.md, with a table of the operands,
 * gives the expected fault. After a trap, no register and no byte of memory has changed.
 */
#include "emu/execute/execute.h"
#include "lib/map.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum {
    CODE = 0x10000,
    CODE_SIZE = 0x1000,
    DATA = 0x20000,
    DATA_SIZE = 0x1000,
    SPM_SIZE = 0x1000,
    FIRST_REGISTER = 10, /* of the operands, in the order of the encoding table */
    MOST_OPERANDS = 6,
};

typedef unsigned __int128 wide;

/* ---- what operands are ---- */

/* A range: its address and its sizes. `element` is an index of the types in the mnemonic, 'o' for
 * the output of a product, or 'b' for bytes at any alignment. */
struct range {
    const char *address, *rows, *columns;
    char element;
};

struct family {
    const char *name;            /* the mnemonic up to the first dot, or all of it */
    const char *output[2];       /* sizes; if one is 0, the instruction does nothing */
    struct range ranges[3];      /* in the scratchpad, in the order of the syntax */
    const char *memory, *stride; /* DMA: the operand in main memory, the stride of its rows */
};

static const struct family families[] = {
    {"mmv",
     {"nout"},
     {{"vout", "nout", NULL, 'o'}, {"mat", "nout", "nin", 0}, {"vin", "nin", NULL, 0}},
     NULL,
     NULL},
    {"vmm",
     {"nout"},
     {{"vout", "nout", NULL, 'o'}, {"vin", "nin", NULL, 0}, {"mat", "nin", "nout", 0}},
     NULL,
     NULL},
    {"mm",
     {"m", "n"},
     {{"mout", "m", "n", 'o'}, {"a", "m", "k", 0}, {"b", "k", "n", 0}},
     NULL,
     NULL},
    {"mms", {"size"}, {{"mout", "size", NULL, 0}, {"min", "size", NULL, 0}}, NULL, NULL},
    {"mcvt", {"size"}, {{"dst", "size", NULL, 0}, {"src", "size", NULL, 1}}, NULL, NULL},
    {"dma.ld", {"bytes"}, {{"spm", "bytes", NULL, 'b'}}, "mem", NULL},
    {"dma.st", {"bytes"}, {{"spm", "bytes", NULL, 'b'}}, "mem", NULL},
    {"dma.ld2", {"rows", "row_bytes"}, {{"spm", "rows", "row_bytes", 'b'}}, "mem", "stride"},
    {"dma.st2", {"rows", "row_bytes"}, {{"spm", "rows", "row_bytes", 'b'}}, "mem", "stride"},
};

static const struct family *family_of(const char *mnemonic)
{
    size_t stem = strcspn(mnemonic, ".");

    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strcmp(families[i].name, mnemonic) == 0 ||
            (strlen(families[i].name) == stem && memcmp(families[i].name, mnemonic, stem) == 0))
            return &families[i];
    fail_msg("'%s' is not in the table of this test", mnemonic);
    return NULL;
}

/* Returns the size of the type that is the `index`th word after the stem of a mnemonic. */
static unsigned type_bytes(const char *mnemonic, int index)
{
    char name[16];

    for (int i = 0; i <= index; i++)
        mnemonic = strchr(mnemonic, '.') + 1;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(mnemonic, "."), mnemonic);
    return strcmp(name, "f32") == 0 || strcmp(name, "i32") == 0    ? 4
           : strcmp(name, "f16") == 0 || strcmp(name, "bf16") == 0 ? 2
                                                                   : 1;
}

static unsigned element_bytes(const struct isa_instruction *instruction, const struct range *range)
{
    if (range->element == 'o')
        return 4;
    return range->element == 'b' ? 1 : type_bytes(instruction->mnemonic, range->element);
}

/* ---- the machine ---- */

struct world {
    struct arena arena;
    struct machine *machine;
    uint64_t random;
    const struct isa_instruction *instruction;
    uint64_t values[MOST_OPERANDS];
    unsigned cases, faults;
};

static uint64_t draw(struct world *world)
{
    world->random ^= world->random << 13;
    world->random ^= world->random >> 7;
    world->random ^= world->random << 17;
    return world->random;
}

static struct world *world_make(void)
{
    struct diag diag = {.tool = "test"};
    struct world *world = calloc(1, sizeof *world);

    assert_non_null(world);
    world->random = 88172645463325252;
    struct machine *machine = world->machine = arena_new(&world->arena, struct machine);
    config_default(&machine->config);
    user_init(machine);
    machine->config.scratchpad_size = SPM_SIZE;
    assert_true(machine_init(machine, &world->arena, &diag));
    memory_map(&machine->memory, CODE, CODE_SIZE, PAGE_READ | PAGE_EXECUTE);
    memory_map(&machine->memory, DATA, DATA_SIZE, PAGE_READ | PAGE_WRITE);
    for (int i = 0; i < USER_FILES; i++)
        machine->user.files[i] = NULL;
    return world;
}

static void world_end(struct world *world)
{
    machine_free(world->machine);
    arena_free(&world->arena);
    free(world);
}

static uint64_t digest(const struct machine *machine)
{
    const struct hart *hart = &machine->hart;
    const unsigned char *host = machine->memory.host;
    uint64_t hash = hash_bytes(hart->x, 32 * sizeof *hart->x, 0);

    hash = hash_bytes(hart->f, sizeof hart->f, hash);
    hash = hash_bytes(&hart->pc, sizeof hart->pc, hash);
    hash = hash_bytes(&hart->fflags, sizeof hart->fflags, hash);
    hash = hash_bytes(host + DATA, DATA_SIZE, hash);
    return hash_bytes(host + machine->config.scratchpad_base, SPM_SIZE, hash);
}

/* ---- the model ---- */

static int operand_index(const struct isa_instruction *instruction, const char *name)
{
    for (int i = 0; i < instruction->operand_count; i++)
        if (strcmp(instruction->operands[i].name, name) == 0)
            return i;
    fail_msg("'%s' has no operand '%s'", instruction->mnemonic, name);
    return -1;
}

static uint64_t value_of(const struct world *world, const char *name)
{
    return name ? world->values[operand_index(world->instruction, name)] : 1;
}

static bool model_fault(struct fault *fault, enum cause cause, uint64_t value)
{
    *fault = (struct fault){.cause = cause, .value = value};
    return false;
}

/* Does the model accept a range of the scratchpad? */
static bool model_range(const struct world *world, const struct range *range, struct fault *fault)
{
    uint64_t base = world->machine->config.scratchpad_base;
    uint64_t address = value_of(world, range->address);
    uint64_t rows = value_of(world, range->rows), columns = value_of(world, range->columns);
    unsigned bytes = element_bytes(world->instruction, range);
    const wide count = (wide)rows * columns;

    if (count > UINT64_MAX / bytes) /* rounded down: an integral count beyond it does not fit */
        return model_fault(fault, CAUSE_TENSOR_CONFIGURATION, rows > columns ? rows : columns);
    if (count == 0)
        return true;
    if (address % bytes || address < base || (wide)address + count * bytes > (wide)base + SPM_SIZE)
        return model_fault(fault, CAUSE_TENSOR_ACCESS, address);
    return true;
}

/* Does the model accept each row of a transfer: is it in the data of the program, or, if it is
 * read, in its code? */
static bool model_memory(const struct world *world, const struct family *family,
                         struct fault *fault)
{
    const struct range *range = &family->ranges[0];
    uint64_t rows = range->columns ? value_of(world, range->rows) : 1;
    uint64_t length = value_of(world, range->columns ? range->columns : range->rows);
    bool is_load = strncmp(family->name, "dma.ld", 6) == 0;

    for (uint64_t row = 0; row < rows; row++) {
        uint64_t address = value_of(world, family->memory) + row * value_of(world, family->stride);
        const wide end = (wide)address + length;
        if (!(address >= DATA && end <= DATA + DATA_SIZE) &&
            !(is_load && address >= CODE && end <= CODE + CODE_SIZE))
            return model_fault(fault, CAUSE_TENSOR_ACCESS, address);
    }
    return true;
}

static bool model_accepts(const struct world *world, struct fault *fault)
{
    const struct family *family = family_of(world->instruction->mnemonic);

    for (int i = 0; i < 2 && family->output[i]; i++)
        if (value_of(world, family->output[i]) == 0)
            return true;
    for (int i = 0; i < 3 && family->ranges[i].address; i++)
        if (!model_range(world, &family->ranges[i], fault))
            return false;
    return !family->memory || model_memory(world, family, fault);
}

/* ---- cases ---- */

/* Encodes the instruction with its operands in registers. A scalar is any value. */
static void write_instruction(struct world *world)
{
    const struct isa_instruction *instruction = world->instruction;
    struct machine *machine = world->machine;
    int64_t numbers[MOST_OPERANDS];

    for (int i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand_type *type = instruction->operands[i].type;
        numbers[i] = FIRST_REGISTER + i;
        if (type->kind == ISA_REGISTER_OR_IMMEDIATE)
            numbers[i] = (int64_t)isa_ri_register(type, (unsigned)(FIRST_REGISTER + i));
    }
    uint64_t word = isa_encode(instruction, numbers);
    memcpy((unsigned char *)machine->memory.host + CODE, &word, instruction->length);
    code_forget(&machine->code);
}

static void describe(const struct world *world, char *text, size_t size)
{
    int length = snprintf(text, size, "%s", world->instruction->mnemonic);

    for (int i = 0; i < world->instruction->operand_count; i++)
        length +=
            snprintf(text + length, size - (size_t)length, " %s=%#llx",
                     world->instruction->operands[i].name, (unsigned long long)world->values[i]);
}

static void check_case(struct world *world)
{
    struct machine *machine = world->machine;
    struct fault expected = {0};
    char text[400];

    machine->hart.pc = CODE;
    for (int i = 0; i < world->instruction->operand_count; i++)
        machine->hart.x[FIRST_REGISTER + i] = world->values[i];
    bool good = model_accepts(world, &expected);
    uint64_t before = digest(machine);
    enum run_end end = machine_step(machine);
    describe(world, text, sizeof text);
    world->cases++;
    if (good) {
        if (end != RUN_SLICE && end != RUN_LIMIT)
            fail_msg("%s: cause %u, value %#llx; expected none", text, machine->fault.cause,
                     (unsigned long long)machine->fault.value);
        return;
    }
    world->faults++;
    if (end != RUN_FAULT || machine->fault.cause != expected.cause ||
        machine->fault.value != expected.value)
        fail_msg("%s: end %d, cause %u, value %#llx; expected cause %u, value %#llx", text, end,
                 machine->fault.cause, (unsigned long long)machine->fault.value, expected.cause,
                 (unsigned long long)expected.value);
    if (digest(machine) != before)
        fail_msg("%s: trapped, but something changed", text);
}

/* Sets valid operands: ranges that do not overlap, and sizes of 3, 5 and 2. */
static void set_good(struct world *world)
{
    const struct isa_instruction *instruction = world->instruction;
    const struct family *family = family_of(instruction->mnemonic);
    uint64_t size = 3;

    for (int i = 0; i < instruction->operand_count; i++) {
        world->values[i] = size;
        size = size == 3 ? 5 : 2;
    }
    for (int i = 0; i < 3 && family->ranges[i].address; i++)
        world->values[operand_index(instruction, family->ranges[i].address)] =
            world->machine->config.scratchpad_base + 0x100 + 0x200 * (uint64_t)i;
    if (family->memory)
        world->values[operand_index(instruction, family->memory)] = DATA + 0x401;
    if (family->stride)
        world->values[operand_index(instruction, family->stride)] = 7;
}

/* Lists every value that may be bad for some operand. */
static size_t bad_values(const struct world *world, uint64_t *list)
{
    uint64_t base = world->machine->config.scratchpad_base;
    const uint64_t around[] = {0,
                               base,
                               base + SPM_SIZE,
                               CODE,
                               CODE + CODE_SIZE,
                               DATA,
                               DATA + DATA_SIZE,
                               UINT64_MAX / 2 + 1,
                               UINT64_C(1) << 62,
                               UINT64_C(1) << 61,
                               UINT64_C(1) << 32,
                               UINT64_MAX / 3,
                               UINT64_MAX / 5,
                               UINT64_MAX / 12,
                               UINT64_MAX / 20};
    size_t count = 0;

    for (size_t i = 0; i < sizeof around / sizeof around[0]; i++)
        for (int64_t step = -1; step <= 1; step++)
            list[count++] = around[i] + (uint64_t)step;
    for (uint64_t step = 2; step <= 64;
         step++) { /* at each distance from the end, aligned or not */
        list[count++] = base + SPM_SIZE - step;
        list[count++] = DATA + DATA_SIZE - step;
        list[count++] = -step;
    }
    for (uint64_t step = 1; step < 4; step++)
        list[count++] = base + 0x400 + step;
    return count;
}

static void check_instruction(struct world *world, const struct isa_instruction *instruction)
{
    uint64_t bad[256];

    world->instruction = instruction;
    size_t count = bad_values(world, bad);
    assert_true(count <= sizeof bad / sizeof bad[0]);
    write_instruction(world);
    set_good(world);
    check_case(world);
    assert_int_equal(world->cases, 1);
    for (int operand = 0; operand < instruction->operand_count; operand++) {
        for (size_t i = 0; i < count; i++) {
            set_good(world);
            world->values[operand] = bad[i];
            check_case(world);
        }
    }
    assert_true(world->faults > 100);
    for (int round = 0; round < 300;
         round++) { /* several at once: the first one in the syntax faults */
        set_good(world);
        for (int i = 0; i < instruction->operand_count; i++)
            if (draw(world) % 2)
                world->values[i] = bad[draw(world) % count];
        check_case(world);
    }
}

static void test_each_instruction(void **state)
{
    unsigned instructions = 0;

    (void)state;
    for (size_t i = 0; i < isa_instruction_count; i++) {
        const char *class = isa_instructions[i].timing->name;
        if (strcmp(class, "matrix") && strcmp(class, "dma"))
            continue;
        struct world *world = world_make();
        check_instruction(world, &isa_instructions[i]);
        world_end(world);
        instructions++;
    }
    assert_int_equal(instructions, 6 * 4 + 6 * 6 + 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_instruction)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
