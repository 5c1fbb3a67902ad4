/* The lines of a trace are compared with an implementation of docs/trace-format.md by printf:
 * random instructions at few addresses (so that the code at an address changes, and cached text of
 * an instruction is used again), all scalar effects, values of every width, and sequence numbers
 * that exceed their column. */
#include "emu/trace/trace.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { LINES = 20000, ADDRESSES = 40, EFFECTS = 3 };

static const char long_name[] = "a_function_whose_name_is_longer_than_the_column_that_it_stands_in";

struct world {
    uint64_t seed;
    struct elf_symbol symbols[2];
    const struct elf_symbol *sorted[2];
    struct elf_file elf; /* without segments, so that its symbols name all addresses */
    struct symbol_order order;
    struct symbolizer symbolizer;
    struct trace trace;
    char file[32];
    FILE *expected;
    char *expected_bytes;
    size_t expected_length;
};

static uint64_t random_number(struct world *world)
{
    world->seed = world->seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return world->seed >> 32 | world->seed << 32;
}

/* Draws a value with any number of digits. */
static uint64_t random_value(struct world *world)
{
    return random_number(world) >> random_number(world) % 64;
}

static void begin(struct world *world, enum trace_format format)
{
    static struct diag diag = {.tool = "trace_test"};
    struct trace_options options = {.file = world->file, .format = format};

    *world = (struct world){.seed = format + 1, .file = "/tmp/trace_test.XXXXXX"};
    world->symbols[0] = (struct elf_symbol){.name = "near", .raw = {.st_value = 0x1010}};
    world->symbols[1] = (struct elf_symbol){.name = long_name, .raw = {.st_value = 0x1030}};
    for (unsigned i = 0; i < 2; i++)
        world->sorted[i] = &world->symbols[i];
    world->order = (struct symbol_order){
        .file = &world->elf, .is_read = true, .symbols = world->sorted, .count = 2};
    world->symbolizer = (struct symbolizer){.order = &world->order};
    close(mkstemp(world->file));
    const struct trace_program program = {.symbols = &world->symbolizer};
    assert_true(trace_open(&world->trace, &diag, &options, &program));
    world->expected = open_memstream(&world->expected_bytes, &world->expected_length);
}

/* Checks that the file is as expected, after its header if it has one. */
static void end(struct world *world, bool has_header)
{
    fclose(world->expected);
    assert_true(trace_close(&world->trace));
    FILE *file = fopen(world->file, "r");
    char *bytes = malloc(world->expected_length + 1000);
    size_t length = fread(bytes, 1, world->expected_length + 1000, file);
    const char *at = has_header ? memchr(bytes, '\n', length) : bytes - 1;
    assert_non_null(at);
    at++;
    assert_int_equal((size_t)(bytes + length - at), world->expected_length);
    assert_memory_equal(at, world->expected_bytes, world->expected_length);
    fclose(file);
    unlink(world->file);
    free(bytes);
    free(world->expected_bytes);
}

static void random_effects(struct world *world, struct recorder *recorder)
{
    recorder->count = 0;
    for (uint64_t left = random_number(world) % (EFFECTS + 1); left > 0; left--) {
        struct effect *effect =
            recorder_add(recorder, (const enum effect_kind[]){EFFECT_REGISTER, EFFECT_REGISTER,
                                                              EFFECT_LOAD, EFFECT_STORE}[left % 4]);
        effect->file = left % 2 ? ISA_FILE_F : ISA_FILE_X;
        effect->number = 1 + random_number(world) % 31;
        effect->address = random_value(world);
        effect->size = 1u << random_number(world) % 4;
        effect->length = effect->kind == EFFECT_REGISTER ? 0 : effect->size;
        effect->value = random_value(world) & UINT64_MAX >> (64 - 8 * effect->size);
    }
}

static void random_record(struct world *world, struct trace_record *record, uint64_t sequence)
{
    static const int lengths[] = {2, 4, 8};

    *record = (struct trace_record){
        .sequence = sequence,
        .pc = 0x1000 + 2 * (random_number(world) % ADDRESSES),
        .length = lengths[random_number(world) % 3],
    };
    /* One of two words at each address, so that most of them have been traced before. */
    uint64_t seed = record->pc * 2 + random_number(world) % 2;
    do
        record->word =
            isa_random_word(&isa_instructions[seed++ * 7919 % isa_instruction_count], &seed);
    while (!isa_decode(record->word, record->length));
}

static const char *symbol_of(uint64_t pc, uint64_t *offset)
{
    *offset = pc - (pc < 0x1030 ? 0x1010 : 0x1030);
    return pc < 0x1010 ? NULL : pc < 0x1030 ? "near" : long_name;
}

static void disassemble(struct world *world, const struct trace_record *record, struct text *text)
{
    const struct disasm disasm = {.symbols = &world->symbolizer};

    text_clear(text);
    disasm_instruction(&disasm, text, record->pc, record->word, record->length);
    if (strchr(text->bytes, '\t'))
        *strchr(text->bytes, '\t') = ' ';
}

static int pad(FILE *stream, int at, int column)
{
    return at + fprintf(stream, "%*s", at < column ? column - at : 0, "");
}

static const char *register_name(const struct effect *effect)
{
    return isa_register_files[effect->file].names[effect->number];
}

static void expect_text(struct world *world, const struct trace_record *record, struct text *text)
{
    FILE *out = world->expected;
    uint64_t offset;
    const char *symbol = symbol_of(record->pc, &offset);
    int at = fprintf(out, "%8" PRIu64 " 0x%016" PRIx64 " ", record->sequence, record->pc);

    at = pad(out, at, 28);
    at += symbol ? offset ? fprintf(out, "<%s+0x%" PRIx64 "> ", symbol, offset)
                          : fprintf(out, "<%s> ", symbol)
                 : fprintf(out, "- ");
    at = pad(out, at, 52);
    at += fprintf(out, "%0*" PRIx64 " ", 2 * record->length, record->word);
    at = pad(out, at, 70);
    disassemble(world, record, text);
    at += fprintf(out, "%s", text->bytes);
    if (record->recorder->count)
        pad(out, at, 106);
    for (size_t i = 0; i < record->recorder->count; i++) {
        const struct effect *effect = &record->recorder->effects[i];
        fputs(i ? " " : " | ", out);
        if (effect->kind == EFFECT_LOAD || effect->kind == EFFECT_STORE)
            fprintf(out, "%s%u[0x%" PRIx64 "]", effect->kind == EFFECT_LOAD ? "load" : "store",
                    effect->size, effect->address);
        else
            fputs(register_name(effect), out);
        fprintf(out, "=0x%" PRIx64, effect->value);
    }
    fputc('\n', out);
}

static void expect_json(struct world *world, const struct trace_record *record, struct text *text)
{
    FILE *out = world->expected;
    uint64_t offset;
    const char *symbol = symbol_of(record->pc, &offset);

    fprintf(out, "{\"sequence\":%" PRIu64 ",\"pc\":\"0x%" PRIx64 "\",", record->sequence,
            record->pc);
    if (symbol)
        fprintf(out, "\"symbol\":\"%s\",\"offset\":\"0x%" PRIx64 "\",", symbol, offset);
    disassemble(world, record, text);
    fprintf(out, "\"encoding\":\"0x%0*" PRIx64 "\",\"disassembly\":\"%s\",\"effects\":[",
            2 * record->length, record->word, text->bytes);
    for (size_t i = 0; i < record->recorder->count; i++) {
        const struct effect *effect = &record->recorder->effects[i];
        fputs(i ? "," : "", out);
        if (effect->kind == EFFECT_LOAD || effect->kind == EFFECT_STORE)
            fprintf(out, "{\"%s\":\"0x%" PRIx64 "\",\"size\":%u",
                    effect->kind == EFFECT_LOAD ? "load" : "store", effect->address, effect->size);
        else
            fprintf(out, "{\"register\":\"%s\"", register_name(effect));
        fprintf(out, ",\"value\":\"0x%" PRIx64 "\"}", effect->value);
    }
    fputs("]}\n", out);
}

/* Registers by number, x before f, each once; then loads, then stores. */
static void expect_spike(struct world *world, const struct trace_record *record, struct text *text)
{
    FILE *out = world->expected;
    const struct recorder *recorder = record->recorder;

    (void)text;
    fprintf(out, "core   0: 0 0x%016" PRIx64 " (0x%0*" PRIx64 ")", record->pc, 2 * record->length,
            record->word);
    for (unsigned key = 0; key < 64; key++) {
        const struct effect *last = NULL;
        for (size_t i = 0; i < recorder->count; i++)
            if (recorder->effects[i].kind == EFFECT_REGISTER &&
                recorder->effects[i].file == (key % 2 ? ISA_FILE_F : ISA_FILE_X) &&
                recorder->effects[i].number == key / 2)
                last = &recorder->effects[i];
        if (last)
            fprintf(out, " %c%-2u 0x%016" PRIx64, key % 2 ? 'f' : 'x', key / 2, last->value);
    }
    for (size_t i = 0; i < recorder->count; i++)
        if (recorder->effects[i].kind == EFFECT_LOAD)
            fprintf(out, " mem 0x%016" PRIx64, recorder->effects[i].address);
    for (size_t i = 0; i < recorder->count; i++)
        if (recorder->effects[i].kind == EFFECT_STORE)
            fprintf(out, " mem 0x%016" PRIx64 " 0x%0*" PRIx64, recorder->effects[i].address,
                    2 * recorder->effects[i].size, recorder->effects[i].value);
    fputc('\n', out);
}

typedef void expect_function(struct world *world, const struct trace_record *record,
                             struct text *text);

static void check(enum trace_format format, expect_function *expect)
{
    struct world world;
    struct recorder recorder = {0};
    struct text text = TEXT_INIT;

    begin(&world, format);
    for (unsigned i = 0; i < LINES; i++) {
        struct trace_record record;
        /* The first lines from 0, the next across 10^8, the last with numbers that jump up. */
        uint64_t sequence = i < LINES / 4    ? i
                            : i < LINES - 16 ? UINT64_C(100000000) - LINES / 2 + i
                                             : UINT64_MAX >> (LINES - i);
        random_record(&world, &record, sequence);
        random_effects(&world, &recorder);
        record.recorder = &recorder;
        trace_instruction(&world.trace, &record);
        expect(&world, &record, &text);
    }
    end(&world, format != TRACE_SPIKE);
    text_free(&text);
    recorder_free(&recorder);
}

/* ---- lines from a log ---- */

/* A block of steps at the places from `place` on. */
struct block {
    uint32_t place;
    unsigned count;
};

/* Makes a block of random steps, at a place that is 1 more than a multiple of `distance`. */
static struct block random_block(struct world *world, struct log_steps *steps, struct arena *arena,
                                 unsigned distance)
{
    struct recorder recorder = {0};
    struct block block = {.count = 1 + (unsigned)(random_number(world) % 6)};

    while (steps->count % distance > 1)
        log_steps_add(steps, arena, 0);
    block.place = log_steps_add(steps, arena, block.count);
    for (unsigned i = 0; i < block.count; i++) {
        struct trace_record record;
        random_record(world, &record, 0);
        do
            random_effects(world, &recorder);
        while (!log_step_learn(&steps->items[block.place + i],
                               &(struct ttrace_record){.pc = record.pc,
                                                       .word = record.word,
                                                       .length = (uint8_t)record.length},
                               recorder.effects, recorder.count));
    }
    recorder_free(&recorder);
    return block;
}

/* Traces the first `count` steps of the block from a log with random values. */
static void trace_block(struct world *world, const struct log_steps *steps,
                        const struct block *block, uint64_t sequence, unsigned count)
{
    struct recorder recorder = {0};
    struct text text = TEXT_INIT;
    uint64_t log[1 + 6 * LOG_WORDS] = {block->place};
    const uint64_t *at = &log[1];

    for (unsigned i = 1; i < sizeof log / sizeof *log; i++)
        log[i] = random_value(world);
    trace_log(&world->trace, steps, &(struct trace_start){.sequence = sequence}, count, log,
              &recorder);
    for (unsigned i = 0; i < count; i++) {
        const struct log_step *step = &steps->items[block->place + i];
        at = log_take(step, at, &recorder);
        const struct trace_record record = {.sequence = sequence + i,
                                            .pc = step->pc,
                                            .word = step->word,
                                            .length = step->length,
                                            .recorder = &recorder};
        expect_text(world, &record, &text);
    }
    text_free(&text);
    recorder_free(&recorder);
}

/* Blocks of which each is executed several times, also in part, and is then forgotten, so that
 * other blocks get its places; once with places so far from each other that they share the slots of
 * a table. */
static void test_log(void **state)
{
    enum { BLOCKS = 8, ROUNDS = 40, RUNS = 50, FAR = 1 << 16 };
    struct world world;

    (void)state;
    begin(&world, TRACE_TEXT);
    struct log_steps steps = {0};
    struct arena arena = {0};
    uint64_t sequence = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct block blocks[BLOCKS];
        for (unsigned i = 0; i < BLOCKS; i++)
            blocks[i] = random_block(&world, &steps, &arena, round == 1 ? FAR : 1);
        if (round == ROUNDS / 2)
            sequence = UINT64_C(100000000) - RUNS;
        for (unsigned i = 0; i < RUNS; i++) {
            const struct block *block = &blocks[random_number(&world) % BLOCKS];
            unsigned count = 1 + (unsigned)(random_number(&world) % block->count);
            trace_block(&world, &steps, block, sequence, count);
            sequence += count;
        }
        log_steps_forget(&steps);
    }
    end(&world, true);
    arena_free(&arena);
}

static void test_text(void **state)
{
    (void)state;
    check(TRACE_TEXT, expect_text);
}

static void test_json(void **state)
{
    (void)state;
    check(TRACE_JSON, expect_json);
}

static void test_spike(void **state)
{
    (void)state;
    check(TRACE_SPIKE, expect_spike);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_spike),
        cmocka_unit_test(test_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
