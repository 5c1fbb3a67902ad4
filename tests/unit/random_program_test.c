/* Random straight-line programs of the base ISA must end in the same state here as under
 * qemu-riscv64: all registers, fcsr and the memory that they loaded from and stored to. Everything
 * is drawn from the ISA tables, so that new base instructions are tested automatically.
 *
 * A program is one ELF segment: code that loads all registers from a table, the random
 * instructions, code that stores all registers into an area and writes the area to standard output.
 * Loads and stores go through one register that nothing else writes. Branches and jumps go two
 * instructions ahead. */
#include "emu/execute/execute.h"
#include "emu/load.h"
#include "emu/native/blocks.h"
#include "emu/profile/stats.h"
#include "tests/unit/soak.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    PROGRAMS = 24,
    INSTRUCTIONS = 400,
    ORIGIN = 0x10000,
    CODE = 0x1000,  /* offsets in the segment */
    TABLE = 0x8000, /* initial registers: x, then f */
    AREA = 0x9000,  /* final registers: x, f, fcsr; followed by the buffer */
    BUFFER = AREA + 0x400,
    BUFFER_SIZE = 0x1010,
    SIZE = BUFFER + BUFFER_SIZE,
    BASE = 30,    /* x register that points into the buffer */
    POINTER = 31, /* x register that loads and stores the others; not tested */
};

struct program_image {
    unsigned char bytes[SIZE];
    size_t code; /* where the next instruction goes */
    uint64_t random;
};

static uint64_t draw(struct program_image *image)
{
    image->random ^= image->random << 13;
    image->random ^= image->random >> 7;
    image->random ^= image->random << 17;
    return image->random;
}

static void put(struct program_image *image, uint64_t word)
{
    memcpy(image->bytes + image->code, &word, 4);
    image->code += 4;
    assert_true(image->code <= TABLE);
}

/* Appends an instruction with operands in order. */
static void emit(struct program_image *image, const char *mnemonic, unsigned count,
                 const int64_t *values)
{
    const struct isa_instruction *instruction = isa_find_instruction(mnemonic);

    assert_non_null(instruction);
    assert_int_equal(instruction->operand_count, count);
    uint64_t word = instruction->match;
    for (unsigned i = 0; i < count; i++)
        word = isa_insert(instruction->operands[i].field, word, values[i]);
    put(image, word);
}
#define EMIT(image, mnemonic, ...)                                                                 \
    emit(image, mnemonic, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t),                      \
         (int64_t[]){__VA_ARGS__})

/* lui and addi: `address` is below 2^31. */
static void load_address(struct program_image *image, unsigned reg, uint64_t address)
{
    EMIT(image, "lui", reg, (address + 0x800) >> 12 & 0xfffff);
    EMIT(image, "addiw", reg, reg, (int64_t)((address & 0xfff) ^ 0x800) - 0x800);
}

static uint64_t random_integer(struct program_image *image)
{
    static const uint64_t special[] = {0,
                                       1,
                                       ~UINT64_C(0),
                                       INT64_MAX,
                                       UINT64_C(1) << 63,
                                       INT32_MAX,
                                       UINT32_MAX,
                                       UINT64_C(0xffffffff80000000)};
    uint64_t value = draw(image);

    return value % 3 ? value >> draw(image) % 64 : special[draw(image) % 8];
}

static uint64_t random_float(struct program_image *image)
{
    static const uint32_t singles[] = {0,          0x80000000, 0x3f800000, 0xbf800000,
                                       0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
                                       1,          0x007fffff, 0x7f7fffff, 0x4f000000};
    static const uint64_t doubles[] = {0,
                                       UINT64_C(1) << 63,
                                       UINT64_C(0x3ff0000000000000),
                                       UINT64_C(0x7ff0000000000000),
                                       UINT64_C(0x7ff0000000000001),
                                       UINT64_C(0x7ff8000000000000),
                                       1,
                                       UINT64_C(0x7fefffffffffffff),
                                       UINT64_C(0x43e0000000000000),
                                       UINT64_C(0x000fffffffffffff)};

    switch (draw(image) % 5) {
    case 0:
        return singles[draw(image) % 12] | UINT64_C(0xffffffff00000000);
    case 1:
        return doubles[draw(image) % 10];
    case 2: /* singles of moderate size, so that results are too */
        return (draw(image) & 0x807fffff) | (draw(image) % 32 + 112) << 23 |
               UINT64_C(0xffffffff00000000);
    case 3:
        return (draw(image) & UINT64_C(0x800fffffffffffff)) | (draw(image) % 64 + 992) << 52;
    default:
        return draw(image);
    }
}

static bool is_base(const struct isa_instruction *instruction)
{
    static const char *const extensions[] = {"i", "m", "f", "d", "zicsr"};

    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        if (strcmp(instruction->extension, extensions[i]) == 0)
            return true;
    return false;
}

static bool changes_memory_order(const struct isa_instruction *instruction)
{
    return strcmp(instruction->timing->name, "load") == 0 ||
           strcmp(instruction->timing->name, "store") == 0;
}

static uint64_t random_operand(struct program_image *image,
                               const struct isa_instruction *instruction,
                               const struct isa_operand *operand, uint64_t drawn)
{
    const struct isa_operand_type *type = operand->type;
    bool is_x = type->file && strcmp(type->file->name, "x") == 0;

    switch (type->kind) {
    case ISA_REGISTER:
        if (is_x && type->access == ISA_READ && changes_memory_order(instruction) &&
            strcmp(operand->name, "rs1") == 0)
            return BASE;
        return is_x && type->access & ISA_WRITE ? drawn % BASE : is_x ? drawn % POINTER : drawn;
    case ISA_ENUM:
        return type->values->values[draw(image) % type->values->count].value;
    case ISA_CSR:
        return 0x001; /* fflags: other CSRs would trap, count, or change the rounding mode */
    case ISA_TARGET:
        return 8;
    default:
        return drawn;
    }
}

static void emit_random(struct program_image *image)
{
    for (;;) {
        const struct isa_instruction *instruction =
            &isa_instructions[draw(image) % isa_instruction_count];
        /* Some only raise an exception: they are for machines with supervisor mode. */
        if (!is_base(instruction) || instruction->operand_count < 2 ||
            strcmp(instruction->mnemonic, "jalr") == 0 || instruction->effects == ISA_EFFECT_TRAP)
            continue;
        uint64_t word = isa_random_word(instruction, &image->random);
        for (unsigned i = 0; i < instruction->operand_count; i++) {
            const struct isa_operand *operand = &instruction->operands[i];
            word =
                isa_insert(operand->field, word,
                           random_operand(image, instruction, operand, isa_extract(operand, word)));
        }
        put(image, word);
        return;
    }
}

static void make_program(struct program_image *image, unsigned seed)
{
    memset(image, 0, sizeof *image);
    image->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    image->code = CODE;
    for (unsigned i = 0; i < 64; i++) {
        uint64_t value = i < 32 ? random_integer(image) : random_float(image);
        memcpy(image->bytes + TABLE + 8 * i, &value, 8);
    }
    for (size_t i = 0; i < BUFFER_SIZE; i++)
        image->bytes[BUFFER + i] = draw(image);

    load_address(image, POINTER, ORIGIN + TABLE);
    for (int i = 0; i < 32; i++)
        EMIT(image, "fld", i, POINTER, 8 * (32 + i));
    for (int i = 1; i < BASE; i++)
        EMIT(image, "ld", i, POINTER, 8 * i);
    load_address(image, BASE, ORIGIN + BUFFER + 0x800);
    EMIT(image, "csrrwi", 0, 0x002, (int64_t)(draw(image) % 5));
    for (int i = 0; i < INSTRUCTIONS; i++)
        emit_random(image);
    EMIT(image, "addi", 0, 0, 0); /* a branch may go to the instruction after it */
    load_address(image, POINTER, ORIGIN + AREA);
    for (int i = 0; i < POINTER; i++)
        EMIT(image, "sd", i, POINTER, 8 * i);
    for (int i = 0; i < 32; i++)
        EMIT(image, "fsd", i, POINTER, 8 * (32 + i));
    EMIT(image, "csrrs", 10, 0x003, 0);
    EMIT(image, "sd", 10, POINTER, 8 * 64);
    EMIT(image, "addi", 10, 0, 1);
    EMIT(image, "addi", 11, POINTER, 0);
    load_address(image, 12, SIZE - AREA);
    EMIT(image, "addi", 17, 0, 64);
    put(image, isa_find_instruction("ecall")->match);
    EMIT(image, "addi", 10, 0, 0);
    EMIT(image, "addi", 17, 0, 93);
    put(image, isa_find_instruction("ecall")->match);
}

static void write_program(const struct program_image *image, const char *name)
{
    struct {
        Elf64_Ehdr header;
        Elf64_Phdr segment;
    } file = {
        .header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                   .e_type = ET_EXEC,
                   .e_machine = EM_RISCV,
                   .e_version = EV_CURRENT,
                   .e_entry = ORIGIN + CODE,
                   .e_phoff = sizeof(Elf64_Ehdr),
                   .e_flags = 4, /* double-precision calling convention */
                   .e_ehsize = sizeof(Elf64_Ehdr),
                   .e_phentsize = sizeof(Elf64_Phdr),
                   .e_phnum = 1,
                   .e_shentsize = sizeof(Elf64_Shdr)},
        .segment = {.p_type = PT_LOAD,
                    .p_flags = PF_R | PF_W | PF_X,
                    .p_vaddr = ORIGIN,
                    .p_paddr = ORIGIN,
                    .p_filesz = SIZE,
                    .p_memsz = SIZE,
                    .p_align = 0x1000},
    };
    unsigned char bytes[SIZE];
    FILE *stream = fopen(name, "wb");

    memcpy(bytes, image->bytes, SIZE);
    memcpy(bytes, &file, sizeof file);
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, SIZE, stream), SIZE);
    assert_int_equal(fclose(stream), 0);
    assert_int_equal(chmod(name, 0755), 0);
}

static void run_oracle(const char *name, unsigned char *area)
{
    char command[256];

    snprintf(command, sizeof command, "qemu-riscv64 %s", name);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_int_equal(fread(area, 1, SIZE - AREA, pipe), SIZE - AREA);
    assert_int_equal(pclose(pipe), 0);
}

enum way { PLAIN, OBSERVED, TRANSLATE, OPTIMIZE };

/* Runs the program in this process up to the result of its first system call, and reads the area
 * from memory. */
static void run_here(const char *name, enum way way, unsigned char *area)
{
    static char *const no_arguments[] = {NULL};
    struct arena arena = ARENA_INIT;
    struct diag diag = {.tool = "test"};
    struct machine *machine = arena_new(&arena, struct machine);
    struct recorder recorder = {0};
    struct stats stats;
    struct program program;

    config_default(&machine->config);
    user_init(machine);
    assert_true(program_read(&program, &arena, &diag, name));
    assert_true(machine_init(machine, &arena, &diag));
    assert_true(program_load(&program, machine, &diag));
    struct user_execution execution = {.arguments = no_arguments};
    user_name_program(&arena, NULL, name, &execution);
    assert_true(user_start(machine, &diag, &program, &execution));
    machine->user.files[1] = NULL; /* the write fails, because its output is not needed */
    stats_init(&stats, &machine->config, &arena);
    if (way == OBSERVED) {
        machine->stats = &stats;
        machine->recorder = &recorder;
    }
    if (way >= TRANSLATE) {
        machine->native = native_open(machine, way == TRANSLATE ? TIER_TRANSLATE : TIER_OPTIMIZE);
        assert_non_null(machine->native);
    }
    assert_int_equal(machine_run(machine, 0), RUN_EXIT);
    assert_true(way < TRANSLATE || native_visits(machine->native) > 0);
    memcpy(area, memory_peek(&machine->memory, ORIGIN + AREA, SIZE - AREA), SIZE - AREA);
    machine_free(machine);
    free(recorder.effects);
    arena_free(&arena);
}

static void compare(const unsigned char *wanted, const unsigned char *found, unsigned seed,
                    const char *executor)
{
    for (size_t i = 0; i < SIZE - AREA; i += 8) {
        uint64_t a, b;
        memcpy(&a, wanted + i, 8);
        memcpy(&b, found + i, 8);
        if (a != b)
            fail_msg("program %u, %s executor: %s %zu is %#llx, under qemu %#llx", seed, executor,
                     i < 256    ? "x"
                     : i < 512  ? "f"
                     : i == 512 ? "fcsr"
                                : "word at",
                     i < 512 ? i / 8 % 32 : i, (unsigned long long)b, (unsigned long long)a);
    }
}

static void random_programs_agree_with_qemu(void **state)
{
    char name[] = "/tmp/random-program-XXXXXX";
    struct program_image image;
    unsigned char wanted[SIZE - AREA], found[SIZE - AREA];
    int file = mkstemp(name);

    (void)state;
    assert_true(file >= 0);
    close(file);
    for (unsigned seed = soak_seed(), end = seed + soak_programs(PROGRAMS); seed != end; seed++) {
        make_program(&image, seed);
        write_program(&image, name);
        run_oracle(name, wanted);
        run_here(name, PLAIN, found);
        compare(wanted, found, seed, "plain");
        run_here(name, OBSERVED, found);
        compare(wanted, found, seed, "observed");
        run_here(name, TRANSLATE, found);
        compare(wanted, found, seed, "translated");
        run_here(name, OPTIMIZE, found);
        compare(wanted, found, seed, "optimized");
    }
    unlink(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs_agree_with_qemu)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
