/* Runs the definition and the fast function of each instruction on the same operands, and compares
 * all state: registers, CSRs, memory, the state and counters of the units, the fault with its
 * value, and the recorded effects.
 *
 *     definitions [CASES [PREFIX]]     cases of each instruction; only those that begin with PREFIX
 *
 * Everything is drawn from the generated tables, so a new instruction is tested without a line
 * here. Two machines run side by side: `fast` as usual, in turn by either executor, and `slow` by
 * definitions. The state of the units is what earlier instructions have left.
 *
 * An operand in a register is of one of some classes: a small number, an address, a bound. The test
 * learns which class an operand of an instruction should have, by the value of the fault that it
 * causes otherwise, and by what succeeds. Descriptors in memory are learned, too: those that an
 * instruction has accepted are kept, and presented again with small changes. */
#include "emu/csr.h"
#include "emu/execute/execute.h"
#include "emu/gdb/target.h"
#include "emu/profile/stats.h"
#include "emu/reference/reference.h"
#include "instruction_ids.h"
#include "lib/machine/config_settings.h"
#include "lib/map.h"
#include "tests/definitions/sparse_cases.h"
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOW = 0, /* small numbers are addresses, too */
    LOW_SIZE = 0x1000,
    CODE = 0x10000,
    DATA = 0x20000,
    DATA_SIZE = 0x2000,
    HOT = 2048,     /* bytes at the beginning of an area that most addresses are in */
    EFFECTS = 4096, /* at most, of an instruction */
    SAMPLE = 192,   /* bytes of a descriptor that are kept */
    SAMPLES = 24,
    OPERANDS = 1024,     /* more than there are */
    CUSTOM_CSRS = 0x800, /* that can be written */
    STATE_EVERY = 4,     /* cases, on average */
    COUNTERS_EVERY = 32,
};

enum value_class { INDEX, SIZE, SCRATCHPAD_ADDRESS, ADDRESS, BOUND, CLASSES };

/* Weights of a class. */
static const double LIKELIEST = 16, UNLIKELIEST = 0.05;

struct side {
    struct arena arena;
    struct machine *machine;
    struct recorder recorder;
    struct stats stats;
    size_t effects; /* of the last instruction */
    enum run_end end;
};

/* What is known about an instruction. */
struct knowledge {
    unsigned char samples[SAMPLES][SAMPLE];
    unsigned sample_count;
    unsigned cases, done, trapped;
};

/* How likely the classes of an operand are, for all instructions of an entry of the description. */
struct experience {
    const char *file; /* of the entry */
    uint32_t line;
    unsigned operand;
    double weights[CLASSES];
};

struct test {
    struct experience experience[OPERANDS];
    struct side fast, slow;
    struct knowledge *knowledge; /* by id */
    uint64_t random;
    const struct isa_instruction *instruction;
    uint64_t word;
    uint64_t values[ISA_OPERAND_LIMIT]; /* of operands that are read from registers of x */
    unsigned classes[ISA_OPERAND_LIMIT];
    unsigned first_state, state_count; /* registers of gdb */
    char variation[128];               /* of the settings */
    unsigned step;
};

static uint64_t draw(struct test *test)
{
    test->random ^= test->random << 13;
    test->random ^= test->random >> 7;
    test->random ^= test->random << 17;
    return test->random * UINT64_C(0x2545f4914f6cdd1d) >> 8;
}

static uint64_t draw_below(struct test *test, uint64_t limit)
{
    return draw(test) % limit;
}

static uint64_t spm_base(const struct test *test)
{
    return test->fast.machine->config.scratchpad_base;
}

static uint64_t spm_size(const struct test *test)
{
    return test->fast.machine->config.scratchpad_size;
}

/* ---- values ---- */

static uint64_t draw_bound(struct test *test)
{
    const uint64_t bounds[] = {0,
                               UINT64_MAX,
                               UINT64_C(1) << 63,
                               INT64_MAX,
                               UINT64_C(1) << 32,
                               UINT64_C(1) << 62,
                               UINT64_C(1) << 60,
                               UINT32_MAX,
                               spm_base(test),
                               spm_base(test) + spm_size(test),
                               DATA,
                               DATA + DATA_SIZE};
    uint64_t value = bounds[draw_below(test, sizeof bounds / sizeof *bounds)];

    switch (draw_below(test, 4)) {
    case 0:
        return value;
    case 1:
        return value - draw_below(test, 64);
    case 2:
        return -draw_below(test, 40);
    default:
        return draw(test) >> draw_below(test, 56);
    }
}

static uint64_t draw_address(struct test *test, uint64_t base)
{
    uint64_t offset = draw_below(test, HOT);

    return base + (draw_below(test, 8) ? offset & ~UINT64_C(3) : offset);
}

static uint64_t draw_size(struct test *test)
{
    uint64_t a = draw_below(test, 12), b = draw_below(test, 12);

    return draw_below(test, 16) ? a < b ? a : b : draw_below(test, 70);
}

static uint64_t draw_class(struct test *test, unsigned class)
{
    switch ((enum value_class) class) {
    case INDEX:
        return __builtin_ctzll(draw(test) | 8);
    case SIZE:
        return draw_size(test);
    case SCRATCHPAD_ADDRESS:
        return draw_address(test, spm_base(test));
    case ADDRESS:
        return draw_address(test, DATA);
    default:
        return draw_bound(test);
    }
}

static unsigned choose_class(struct test *test, const double weights[CLASSES])
{
    double sum = 0, at;

    for (unsigned i = 0; i < CLASSES; i++)
        sum += weights[i];
    at = sum * (double)draw_below(test, 1 << 20) / (1 << 20);
    for (unsigned i = 0; i + 1 < CLASSES; i++) {
        if (at < weights[i])
            return i;
        at -= weights[i];
    }
    return CLASSES - 1;
}

/* Four bytes of data: elements of any type, or fields of a descriptor. */
static uint32_t draw_word(struct test *test)
{
    static const uint32_t special[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                       0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x00000001,
                                       0x807fffff, 0x7f7fffff, 0x7c007c01, 0xfc00fe00, 0x7f807f81,
                                       0x7f7eff7c, 0x80800101, 0x00800080, 0x7bff0400, 0xffffffff};
    uint64_t value = draw(test);

    switch (draw_below(test, 8)) {
    case 0:
        return special[value % (sizeof special / sizeof *special)];
    case 1:
    case 2:
        return value % 6; /* small fields */
    case 3:
        return value & 0x00030303; /* small fields of one byte */
    case 4:
    case 5:
        return 0x3f000000 ^ (value & 0x81ffffff); /* floats that do not overflow at once */
    default:
        return (uint32_t)value;
    }
}

/* Eight bytes of a descriptor: a small number, small fields of a byte or more, or an address. */
static uint64_t draw_field(struct test *test)
{
    uint64_t value = draw(test);

    switch (draw_below(test, 8)) {
    case 0:
    case 1:
        return value % 3 | (value >> 8) % 4 << 8 | (value >> 16) % 5 << 16 |
               (value >> 32) % 2 << 32;
    case 2:
        return draw_address(test, draw_below(test, 2) ? DATA : spm_base(test));
    case 3:
        return draw_below(test, 2) ? -(value % 8) : value;
    default:
        return value % 6;
    }
}

static uint64_t draw_float(struct test *test)
{
    uint64_t low = draw_word(test);

    return draw_below(test, 8) ? UINT64_C(0xffffffff00000000) | low : draw(test) << 32 | low;
}

/* ---- the two machines ---- */

static void side_make(struct side *side, const struct config *config, bool by_definition)
{
    struct diag diag = {.tool = "definitions"};

    *side = (struct side){0};
    side->machine = arena_new(&side->arena, struct machine);
    user_init(side->machine);
    side->machine->config = *config;
    if (!machine_init(side->machine, &side->arena, &diag))
        exit(1);
    memory_map(&side->machine->memory, CODE, MEMORY_PAGE, PAGE_READ | PAGE_WRITE | PAGE_EXECUTE);
    memory_map(&side->machine->memory, LOW, LOW_SIZE, PAGE_READ | PAGE_WRITE);
    memory_map(&side->machine->memory, DATA, DATA_SIZE, PAGE_READ | PAGE_WRITE);
    side->machine->code.is_defined = by_definition ? reference_defines : NULL;
    while (side->recorder.capacity < EFFECTS)
        recorder_grow(&side->recorder);
    side->effects = side->recorder.capacity;
    stats_init(&side->stats, config, &side->arena);
}

static void side_free(struct side *side)
{
    machine_free(side->machine);
    recorder_free(&side->recorder);
    arena_free(&side->arena);
}

/* Runs the instruction. An observed one leaves its effects in the recorder, followed by one of no
 * kind. */
static void side_run(struct side *side, bool observed)
{
    struct machine *machine = side->machine;

    for (size_t i = 0; i < side->effects; i++)
        side->recorder.effects[i].kind = (enum effect_kind) - 1;
    machine->recorder = machine->port.recorder = observed ? &side->recorder : NULL;
    machine->fault = (struct fault){0};
    machine->hart.pc = CODE;
    side->end = observed ? execute_observed(machine, 1) : execute_plain(machine, 2);
    side->effects = 0;
    while (side->effects < side->recorder.capacity &&
           side->recorder.effects[side->effects].kind != (enum effect_kind) - 1)
        side->effects++;
}

static void write_both(struct test *test, uint64_t address, const void *bytes, size_t size)
{
    memory_poke(&test->fast.machine->memory, address, bytes, size);
    memory_poke(&test->slow.machine->memory, address, bytes, size);
}

/* ---- a case ---- */

static void set_x(struct test *test, unsigned number, uint64_t value)
{
    if (number)
        test->fast.machine->hart.x[number] = test->slow.machine->hart.x[number] = value;
}

static double *weights_of(struct test *test, unsigned operand)
{
    const struct isa_instruction *instruction = test->instruction;
    struct experience *known = test->experience;

    while (known->file && (known->file != instruction->file || known->line != instruction->line ||
                           known->operand != operand))
        known++;
    if (!known->file) {
        known->file = instruction->file;
        known->line = instruction->line;
        known->operand = operand;
        for (unsigned i = 0; i < CLASSES; i++)
            known->weights[i] = i == BOUND ? 0.25 : 1;
    }
    return known->weights;
}

/* Draws the operand, and puts its value into the register that the word names. */
static void draw_operand(struct test *test, unsigned index)
{
    const struct isa_operand *operand = &test->instruction->operands[index];
    const struct isa_operand_type *type = operand->type;
    const double *weights = weights_of(test, index);
    uint64_t raw = (uint64_t)isa_extract(operand, test->word);
    unsigned count = type->kind == ISA_REGISTER_GROUP ? type->group_count : 1;

    test->classes[index] = CLASSES;
    if (type->file == &isa_register_files[ISA_FILE_F]) {
        for (unsigned i = 0; i < count; i++)
            test->fast.machine->hart.f[raw + i] = test->slow.machine->hart.f[raw + i] =
                draw_float(test);
        return;
    }
    if (type->file != &isa_register_files[ISA_FILE_X] || !(type->access & ISA_READ))
        return;
    unsigned class = choose_class(test, weights);
    uint64_t value = draw_class(test, class);

    test->classes[index] = class;
    test->values[index] = value;
    if (type->kind == ISA_REGISTER_OR_IMMEDIATE) {
        bool fits = value < UINT64_C(1) << type->ri_immediate_bits;
        raw = fits && draw_below(test, 2) ? isa_ri_immediate(type, value)
                                          : isa_ri_register(type, 1 + draw_below(test, 31));
        test->word = isa_insert(operand->field, test->word, (int64_t)raw);
        if (isa_ri_is_immediate(type, raw))
            return;
        raw = isa_ri_value(type, raw);
    }
    set_x(test, (unsigned)raw, value);
    if (raw == 0)
        test->classes[index] = CLASSES;
}

/* Changes one byte of a descriptor, or repeats a part of it at another place. */
static void change_sample(struct test *test, unsigned char sample[SAMPLE])
{
    unsigned place = (unsigned)draw_below(test, 80);

    if (draw_below(test, 2)) {
        sample[place] = (unsigned char)(draw_below(test, 8) ? draw_below(test, 4) : draw(test));
    } else {
        unsigned size = 8 * (1 + (unsigned)draw_below(test, 6));
        memmove(sample + 8 * draw_below(test, (SAMPLE - size) / 8), sample + place / 8 * 8, size);
    }
}

/* Writes to state that gdb can write, and to CSRs of the units. */
static void draw_state(struct test *test)
{
    unsigned number = CUSTOM_CSRS + (unsigned)draw_below(test, 16);
    uint64_t value = draw_class(test, (unsigned)draw_below(test, CLASSES));
    uint64_t words[ISA_WORDS_LIMIT];

    if (draw_below(test, 8) == 0 && csr_set(test->fast.machine, number, value))
        csr_set(test->slow.machine, number, value);
    for (uint64_t writes = draw_below(test, 4); writes > 1; writes--) {
        number =
            test->first_state + (unsigned)draw_below(test, test->state_count - test->first_state);
        for (unsigned i = 0; i < ISA_WORDS_LIMIT; i++)
            words[i] = draw_class(
                test, (unsigned)(draw_below(test, 3) ? SIZE : draw_below(test, CLASSES)));
        if (gdb_target_write(test->fast.machine, number, words))
            gdb_target_write(test->slow.machine, number, words);
    }
}

static bool is_hot(const struct test *test, uint64_t address)
{
    return address - LOW < HOT || address - DATA < HOT || address - spm_base(test) < HOT;
}

/* Refreshes memory where an instruction may read it. */
static void draw_memory(struct test *test)
{
    struct knowledge *knowledge = &test->knowledge[test->instruction->id];
    uint32_t words[16];
    uint64_t fields[8];
    unsigned char sample[SAMPLE];

    for (unsigned i = 0; i < 16; i++)
        words[i] = draw_word(test);
    uint64_t base = draw_below(test, 2) ? spm_base(test) : DATA;
    write_both(test, base + draw_below(test, HOT) / 4 * 4, words, sizeof words);
    for (unsigned i = 0; i < test->instruction->operand_count; i++) {
        bool chosen = draw_below(test, 2);
        if (!chosen || test->classes[i] == CLASSES || !is_hot(test, test->values[i]))
            continue;
        for (unsigned k = 0; k < 8; k++)
            fields[k] = draw_field(test);
        write_both(test, test->values[i], fields, sizeof fields);
        if (!knowledge->sample_count || draw_below(test, 3) == 0)
            continue;
        memcpy(sample, knowledge->samples[draw_below(test, knowledge->sample_count)], SAMPLE);
        for (uint64_t changes = draw_below(test, 4); changes > 0; changes--)
            change_sample(test, sample);
        write_both(test, test->values[i], sample, SAMPLE);
    }
}

static void blame(struct test *test, unsigned operand, double factor)
{
    double *weight = &weights_of(test, operand)[test->classes[operand]];

    if (*weight * factor >= UNLIKELIEST)
        *weight *= factor;
}

/* A small number at fault is an address, and a large one in a configuration fault is a size. An
 * address may be at fault because a size is too large. */
static void learn_from_fault(struct test *test, const struct fault *fault)
{
    for (unsigned i = 0; i < test->instruction->operand_count; i++) {
        unsigned class = test->classes[i];
        if (class == CLASSES || test->values[i] != fault->value)
            continue;
        if ((fault->cause == CAUSE_TENSOR_ACCESS) == (class <= SIZE)) {
            blame(test, i, 0.5);
            return;
        }
        if (fault->cause != CAUSE_TENSOR_ACCESS)
            return;
        for (unsigned k = 0; k < test->instruction->operand_count; k++)
            if (test->classes[k] != CLASSES && test->classes[k] > SIZE)
                blame(test, k, 0.9);
        return;
    }
}

/* Remembers what the outcome says about the operands. */
static void learn(struct test *test)
{
    struct knowledge *knowledge = &test->knowledge[test->instruction->id];
    const struct side *side = &test->slow;
    bool trapped = side->end == RUN_FAULT;

    knowledge->cases++;
    knowledge->trapped += trapped;
    if (trapped)
        learn_from_fault(test, &side->machine->fault);
    for (unsigned i = 0; i < test->instruction->operand_count; i++) {
        if (test->classes[i] == CLASSES)
            continue;
        double *weight = &weights_of(test, i)[test->classes[i]];
        if (!trapped && side->effects > 0 && *weight < LIKELIEST)
            *weight *= 2;
        bool is_descriptor = false;
        for (size_t k = 0; k < side->effects; k++)
            is_descriptor |= side->recorder.effects[k].kind == EFFECT_RANGE_READ &&
                             side->recorder.effects[k].address == test->values[i];
        if (!trapped && is_hot(test, test->values[i]) && is_descriptor &&
            draw_below(test, 4) == 0) {
            unsigned place = knowledge->sample_count < SAMPLES
                                 ? knowledge->sample_count++
                                 : (unsigned)draw_below(test, SAMPLES);
            memcpy(knowledge->samples[place], side->machine->memory.host + test->values[i], SAMPLE);
        }
    }
}

/* ---- comparison ---- */

static void fail(struct test *test, const char *what, uint64_t place, uint64_t fast, uint64_t slow)
{
    printf("%s, word 0x%" PRIx64 ", step %u, %s: %s 0x%" PRIx64 " differs: fast 0x%" PRIx64
           ", definition 0x%" PRIx64 "\n",
           test->instruction->mnemonic, test->word, test->step, test->variation, what, place, fast,
           slow);
    for (unsigned i = 0; i < test->instruction->operand_count; i++)
        if (test->classes[i] < CLASSES)
            printf("  %s = 0x%" PRIx64 "\n", test->instruction->operands[i].name, test->values[i]);
    exit(1);
}

static void compare(struct test *test, const char *what, uint64_t place, uint64_t fast,
                    uint64_t slow)
{
    if (fast != slow)
        fail(test, what, place, fast, slow);
}

static void compare_memory(struct test *test, uint64_t address, uint64_t size)
{
    const unsigned char *fast = test->fast.machine->memory.host + address;
    const unsigned char *slow = test->slow.machine->memory.host + address;

    if (memcmp(fast, slow, size) == 0)
        return;
    for (uint64_t i = 0; i < size; i++)
        compare(test, "memory", address + i, fast[i], slow[i]);
}

static void compare_effects(struct test *test)
{
    compare(test, "number of effects", 0, test->fast.effects, test->slow.effects);
    for (size_t i = 0; i < test->fast.effects; i++) {
        const struct effect *fast = &test->fast.recorder.effects[i],
                            *slow = &test->slow.recorder.effects[i];
        compare(test, "kind of effect", i, fast->kind, slow->kind);
        compare(test, "address of effect", i, fast->address, slow->address);
        compare(test, "length of effect", i, fast->length, slow->length);
        compare(test, "value of effect", i, fast->value, slow->value);
        compare(test, "file of effect", i, fast->file, slow->file);
        compare(test, "number of effect", i, fast->number, slow->number);
        compare(test, "dimension of effect", i, (uint64_t)fast->dimension,
                (uint64_t)slow->dimension);
        compare(test, "size of effect", i, fast->size, slow->size);
        if (fast->name && (!slow->name || strcmp(fast->name, slow->name) != 0 ||
                           strcmp(fast->unit, slow->unit) != 0))
            fail(test, fast->name, i, 0, 0);
    }
}

/* Compares CSRs, and the state of units as gdb shows it. */
static void compare_state(struct test *test)
{
    uint64_t fast[ISA_WORDS_LIMIT] = {0}, slow[ISA_WORDS_LIMIT] = {0};

    for (unsigned i = gdb_target_general(); i < test->state_count; i++) {
        bool fast_has = gdb_target_read(test->fast.machine, i, fast);
        bool slow_has = gdb_target_read(test->slow.machine, i, slow);
        compare(test, "presence of register", i, fast_has, slow_has);
        for (unsigned k = 0; memcmp(fast, slow, sizeof fast) != 0 && k < ISA_WORDS_LIMIT; k++)
            compare(test, "register of gdb", i, fast[k], slow[k]);
    }
}

/* Returns the statistics as text, for the counters of the units in them. */
static char *counters_of(const struct side *side)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);

    stats_print_json(&side->stats, side->machine, stream);
    fclose(stream);
    return text;
}

static void compare_counters(struct test *test)
{
    char *fast = counters_of(&test->fast), *slow = counters_of(&test->slow);

    if (strcmp(fast, slow) != 0) {
        printf("%s%s", fast, slow);
        fail(test, "counters", 0, 0, 0);
    }
    free(fast);
    free(slow);
}

static void compare_all(struct test *test, bool observed)
{
    const struct machine *fast = test->fast.machine, *slow = test->slow.machine;

    compare(test, "end of run", 0, test->fast.end, test->slow.end);
    if (test->fast.end == RUN_FAULT) {
        compare(test, "reason of fault", 0, fast->fault.reason, slow->fault.reason);
        compare(test, "value of fault", 0, fast->fault.value, slow->fault.value);
    }
    compare(test, "pc", 0, fast->hart.pc, slow->hart.pc);
    for (unsigned i = 0; i < 32; i++) {
        compare(test, "x", i, fast->hart.x[i], slow->hart.x[i]);
        compare(test, "f", i, fast->hart.f[i], slow->hart.f[i]);
    }
    compare(test, "hash of other registers", 0,
            hash_bytes(fast->hart.registers, sizeof fast->hart.registers, 0),
            hash_bytes(slow->hart.registers, sizeof slow->hart.registers, 0));
    compare_memory(test, LOW, LOW_SIZE);
    compare_memory(test, DATA, DATA_SIZE);
    compare_memory(test, spm_base(test), spm_size(test));
    if (observed)
        compare_effects(test);
    if (observed || draw_below(test, STATE_EVERY) == 0)
        compare_state(test);
    if (draw_below(test, COUNTERS_EVERY) == 0)
        compare_counters(test);
}

/* Puts a value into the register of an operand; into another one if that is x0 or none. */
static void set_operand(struct test *test, const char *name, uint64_t value)
{
    const struct isa_instruction *instruction = test->instruction;

    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        if (strcmp(operand->name, name) != 0)
            continue;
        unsigned number = 1 + (unsigned)draw_below(test, 31);
        test->word =
            isa_insert(operand->field, test->word, (int64_t)isa_ri_register(operand->type, number));
        set_x(test, number, value);
        test->values[i] = value;
        test->classes[i] = ADDRESS;
    }
}

static uint64_t draw_for_sparse(void *test, uint64_t limit)
{
    return draw_below(test, limit);
}

/* Writes what most cases of the sparse unit need: a network, or requests and values. Tables and
 * vectors may overlap. */
static void draw_sparse(struct test *test)
{
    struct sparse_case list = {.draw_below = draw_for_sparse, .context = test};
    uint64_t tables = DATA + 8 * draw_below(test, 64), requests = DATA + 0x600, count;
    uint64_t vector = draw_below(test, 2) ? DATA + 0x680 : draw_address(test, DATA);
    uint32_t words[64];

    sparse_network(&list, tables, spm_base(test));
    for (unsigned i = 0; i < 64; i++)
        words[i] = draw_below(test, 2) ? draw_word(test) : 0;
    write_both(test, (draw_below(test, 2) ? DATA : spm_base(test)) + 4 * draw_below(test, 256),
               words, sizeof words);
    write_both(test, DATA + 0x1000, list.bytes, list.length);
    set_operand(test, "desc", DATA + 0x1000);
    count = sparse_requests(&list, &test->fast.machine->sparse);
    write_both(test, requests, list.bytes, list.length);
    set_operand(test, "req", requests);
    set_operand(test, "nreq", count);
    set_operand(test, "dst", vector);
    set_operand(test, "src", vector);
}

static void run_case(struct test *test)
{
    static const uint32_t endless = 0x0000006f; /* j . */
    bool observed = draw_below(test, 2);
    unsigned char code[12] = {0};

    test->step++;
    test->word = isa_random_word(test->instruction, &test->random);
    for (unsigned i = 0; i < test->instruction->operand_count; i++)
        draw_operand(test, i);
    draw_memory(test);
    draw_state(test);
    if (strcmp(test->instruction->extension, "xsparse") == 0 && draw_below(test, 8))
        draw_sparse(test);
    memcpy(code, &test->word, test->instruction->length);
    memcpy(code + test->instruction->length, &endless, sizeof endless);
    write_both(test, CODE, code, sizeof code);
    side_run(&test->fast, observed);
    side_run(&test->slow, observed);
    if (observed)
        learn(test);
    else
        test->knowledge[test->instruction->id].cases++;
    compare_all(test, observed);
}

/* ---- all cases ---- */

static bool is_tested(const struct isa_instruction *instruction, const char *prefix)
{
    return reference_defines(instruction->id) &&
           strncmp(instruction->mnemonic, prefix, strlen(prefix)) == 0;
}

/* The usual value of the setting in this test. Small units are used up more often, and small
 * memories are quickly compared. */
static uint64_t usual_value(const struct setting *setting)
{
    switch (setting->kind) {
    case SETTING_BYTES:
        return setting->minimum * 2;
    case SETTING_NUMBER:
    case SETTING_POWER:
        return setting->initial / 2 >= setting->minimum ? setting->initial / 2 : setting->initial;
    default:
        return setting->initial;
    }
}

/* Another one: the default if it is not usual here. */
static uint64_t other_value(const struct setting *setting)
{
    uint64_t usual = usual_value(setting);

    switch (setting->kind) {
    case SETTING_WORD:
        return !usual;
    case SETTING_ADDRESS:
        return usual + setting->multiple * 16;
    case SETTING_BYTES:
        return setting->minimum;
    default:
        return usual == setting->initial ? usual + 1 : setting->initial;
    }
}

/* Runs `cases` of each instruction of the extension, mixed, on machines with these settings. */
static void run_mix(struct test *test, const struct config *config, const char *extension,
                    const char *prefix, unsigned cases)
{
    const struct isa_instruction *list[ISA_ID_COUNT];
    unsigned left[ISA_ID_COUNT];
    size_t count = 0;

    for (size_t i = 0; i < ISA_ID_COUNT; i++)
        if (is_tested(&isa_instructions[i], prefix) &&
            strcmp(isa_instructions[i].extension, extension) == 0) {
            left[count] = cases;
            list[count++] = &isa_instructions[i];
        }
    if (count == 0)
        return;
    side_make(&test->fast, config, false);
    side_make(&test->slow, config, true);
    test->first_state = gdb_target_general();
    test->state_count = gdb_target_count(test->fast.machine);
    while (count > 0) {
        size_t chosen = draw_below(test, count);
        test->instruction = list[chosen];
        run_case(test);
        if (--left[chosen] == 0) {
            list[chosen] = list[--count];
            left[chosen] = left[count];
        }
    }
    side_free(&test->fast);
    side_free(&test->slow);
}

static void run_settings(struct test *test, const char *extension, const char *prefix,
                         unsigned cases)
{
    struct config usual;
    unsigned variations = (unsigned)config_setting_count + 1;

    config_default(&usual);
    for (int i = 0; i < config_setting_count; i++)
        config_set(&usual, &config_settings[i], usual_value(&config_settings[i]));
    for (int i = -1; i < config_setting_count; i++) {
        struct config config = usual;
        snprintf(test->variation, sizeof test->variation, "usual settings");
        if (i >= 0) {
            const struct setting *setting = &config_settings[i];
            uint64_t value = other_value(setting);
            config_set(&config, setting, value);
            snprintf(test->variation, sizeof test->variation, "%s.%s %" PRIu64, setting->section,
                     setting->key, value);
        }
        run_mix(test, &config, extension, prefix, (cases + variations - 1) / variations);
    }
}

int main(int argc, char **argv)
{
    unsigned cases = argc > 1 ? (unsigned)atoi(argv[1]) : 10000, fewest = UINT32_MAX, tested = 0;
    const char *prefix = argc > 2 ? argv[2] : "";
    static struct test test = {.random = UINT64_C(0x9e3779b97f4a7c15)};
    uint64_t sum = 0;

    mallopt(M_MMAP_THRESHOLD, 1 << 20); /* the tables of a machine are zero then, and not cleared */
    test.knowledge = calloc(ISA_ID_COUNT, sizeof *test.knowledge);
    if (!test.knowledge)
        return 1;
    for (size_t i = 0; i < isa_extension_count; i++)
        run_settings(&test, isa_extensions[i].name, prefix, cases);
    for (size_t i = 0; i < ISA_ID_COUNT; i++) {
        const struct knowledge *knowledge = &test.knowledge[i];
        if (!is_tested(&isa_instructions[i], prefix))
            continue;
        if (getenv("VERBOSE"))
            printf("%-16s %u cases, %u trapped when observed, %u samples\n",
                   isa_instructions[i].mnemonic, knowledge->cases, knowledge->trapped,
                   knowledge->sample_count);
        tested++;
        fewest = knowledge->cases < fewest ? knowledge->cases : fewest;
        sum += knowledge->cases;
    }
    printf("%u instructions, at least %u cases of each, %" PRIu64 " cases, no difference\n", tested,
           tested ? fewest : 0, sum);
    free(test.knowledge);
    return 0;
}
