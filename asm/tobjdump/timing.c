/* --timing: how long each basic block takes on a machine, which instructions decide it, and what
 * limits it, without execution (docs/timing.md). A block is executed by the pipeline of
 * lib/timing/ alone, from an empty pipeline until its last instruction commits. */
#include "asm/tobjdump/blocks.h"

#include "standard_ids.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS = 64,       /* of a loop; the first half fills the pipeline */
    LEAST_ROUNDS = 4,  /* the same, of a long one */
    STEPS = 1 << 16,   /* of all rounds */
    BUSY_PERCENT = 90, /* of the cycles: the unit limits the block */
    CAUSES = 24,       /* of waiting; there are fewer */
};

/* One execution of an instruction of the block. */
struct step {
    const struct block_instruction *instruction;
    struct pipeline_record record;
    struct pipeline_instruction model;
    uint16_t reads[PIPELINE_OPERANDS], writes[PIPELINE_OPERANDS];
    unsigned assumed; /* operands */
    bool is_state_assumed;
    bool is_critical;
    size_t before;     /* the step that it waited for; SIZE_MAX: the first one */
    const char *cause; /* why */
};

struct run {
    const struct blocks *blocks;
    struct pipeline *pipeline;
    struct step *steps;
    size_t count, observed;
    uint64_t started; /* rows whose walk has begun in the block: a bit for each, up to 64 */
    bool has_state;   /* a formula has asked for the state of a unit */
};

/* ---- execution ---- */

/* The state of units is not known. */
struct no_state {
    struct time_state state;
    bool *is_asked;
};

static uint64_t read_nothing(const struct time_state *state, unsigned number,
                             const uint64_t *indices)
{
    (void)number;
    (void)indices;
    *((const struct no_state *)state)->is_asked = true;
    return 0;
}

static void observe(void *context, const struct pipeline_record *record)
{
    struct run *run = context;

    run->steps[run->observed].record = *record;
    run->steps[run->observed++].record.blockers = NULL;
}

/* Finds whether the walk of the row began in the block. One that began before has its addresses
 * located. */
static void follow_walk(struct run *run, struct pipeline_instruction *model)
{
    uint64_t bit = UINT64_C(1) << model->row % 64;

    if (model->walk == WALK_BEGIN)
        run->started |= bit;
    else if (!(run->started & bit))
        model->walk = WALK_NONE;
}

static void add_step(struct run *run, const struct block_instruction *instruction,
                     struct block_registers *registers)
{
    const struct blocks *blocks = run->blocks;
    struct step *step = &run->steps[run->count++];
    struct block_execution execution;
    bool is_asked = false;
    const struct no_state state = {{read_nothing}, &is_asked};

    *step = (struct step){.instruction = instruction, .before = SIZE_MAX};
    block_execute(blocks, instruction, registers, blocks->objdump->options.assumed, &execution);
    const struct isa_instruction *base = execution.word.instruction;
    step->model = execution.word.model;
    if (base && base->id == ISA_ID_ECALL) {
        timed_word_call(&step->model);
    } else if (base && !execution.value.is_fault) {
        const struct timed timed = {.config = blocks->config,
                                    .state = &state.state,
                                    .id = base->id,
                                    .operands = execution.value.operands,
                                    .bytes_read = execution.value.bytes_read,
                                    .bytes_written = execution.value.bytes_written};
        timed_word_execute(&execution.word, &step->model, &timed, 0);
        if (step->model.walk)
            follow_walk(run, &step->model);
    }
    step->assumed = execution.assumed;
    step->is_state_assumed = is_asked || (step->model.unit >= 0 && !execution.value.is_complete);
    memcpy(step->reads, step->model.reads, step->model.read_count * sizeof *step->reads);
    memcpy(step->writes, step->model.writes, step->model.write_count * sizeof *step->writes);
    step->model.reads = step->reads;
    step->model.writes = step->writes;
    step->model.ranges = execution.value.ranges;
    step->model.range_count = execution.value.range_count;
    pipeline_add(run->pipeline, &step->model);
    step->model.ranges = NULL;
}

/* Executes the block so many times, and returns the counters. */
static struct pipeline_counters execute(struct run *run, const struct block *block, size_t rounds)
{
    const struct pipeline_settings settings = timed_word_settings(run->blocks->config);
    struct block_registers registers = block->registers;

    run->steps = calloc(block->count * rounds, sizeof *run->steps);
    run->pipeline = pipeline_new(&settings);
    if (!run->steps || !run->pipeline) {
        fputs("tobjdump: error: out of memory\n", stderr);
        exit(1);
    }
    pipeline_observe(run->pipeline, observe, run);
    for (size_t round = 0; round < rounds; round++) {
        if (round)
            pipeline_turn(run->pipeline);
        for (size_t i = 0; i < block->count; i++)
            add_step(run, &run->blocks->instructions[block->first + i], &registers);
    }
    return pipeline_finish(run->pipeline);
}

static void release(struct run *run)
{
    pipeline_free(run->pipeline);
    free(run->steps);
}

/* ---- the critical chain ---- */

static uint64_t start_of(const struct step *step)
{
    return step->record.unit >= 0 ? step->record.m : step->record.x;
}

static uint64_t leave_of(const struct step *step)
{
    return step->record.unit >= 0 ? step->record.q : step->record.x;
}

static bool shares(const uint16_t *a, unsigned a_count, const uint16_t *b, unsigned b_count)
{
    for (unsigned i = 0; i < a_count; i++)
        for (unsigned k = 0; k < b_count; k++)
            if (a[i] == b[k])
                return true;
    return false;
}

static bool writes_operand(const struct step *older, const struct step *step)
{
    return shares(older->writes, older->model.write_count, step->reads, step->model.read_count);
}

/* May the younger step have waited for the older one, whose event came in this cycle? */
typedef bool is_cause(const struct step *older, const struct step *step, uint64_t cycle);

static bool is_finished(const struct step *older, const struct step *step, uint64_t cycle)
{
    return older->record.unit >= 0 && older->record.e == cycle && step->record.unit >= 0;
}

static bool is_free(const struct step *older, const struct step *step, uint64_t cycle)
{
    return older->record.unit == step->record.unit && older->record.unit >= 0 &&
           older->record.pipe == cycle;
}

static bool is_before(const struct step *older, const struct step *step, uint64_t cycle)
{
    return older->record.unit >= 0 && step->record.unit >= 0 &&
           (older->record.m == cycle || older->record.m + 1 == cycle);
}

static bool is_operand(const struct step *older, const struct step *step, uint64_t cycle)
{
    return writes_operand(older, step) && older->record.e == cycle;
}

static bool is_late_operand(const struct step *older, const struct step *step, uint64_t cycle)
{
    return writes_operand(older, step) && older->record.e + 1 == cycle;
}

static bool is_class(const struct step *older, const struct step *step, uint64_t cycle)
{
    return older->record.unit < 0 && older->model.class == step->model.class &&
           older->record.x + older->model.occupancy == cycle;
}

static bool is_waited(const struct step *older, const struct step *step, uint64_t cycle)
{
    (void)step;
    return older->record.unit >= 0 && older->record.e == cycle;
}

static bool is_staged(const struct step *older, const struct step *step, uint64_t cycle)
{
    (void)step;
    return older->record.unit >= 0 && (older->record.p == cycle || older->record.s == cycle);
}

static bool is_committed(const struct step *older, const struct step *step, uint64_t cycle)
{
    (void)step;
    return older->record.c == cycle;
}

static bool is_any(const struct step *older, const struct step *step, uint64_t cycle)
{
    (void)older;
    (void)step;
    (void)cycle;
    return true;
}

/* Makes the youngest older step for which it holds the one that was waited for. */
static bool blame(struct run *run, size_t index, is_cause *holds, uint64_t cycle, const char *cause)
{
    struct step *step = &run->steps[index];

    for (size_t i = index; i-- > 0 && index - i <= PIPELINE_WINDOW + 1;)
        if (holds(&run->steps[i], step, cycle)) {
            step->before = i;
            step->cause = cause;
            return true;
        }
    return false;
}

/* Finds for what a tensor instruction waited after it had left D. Returns false if it did not. */
static bool blame_unit(struct run *run, size_t index)
{
    const struct pipeline_record *record = &run->steps[index].record;
    const char *conflict =
        record->wait < UNIT_ORDER ? pipeline_state_names[record->wait] : "conflict";

    if (record->m > record->p + 1 && ((record->blocker != PIPELINE_NEVER &&
                                       blame(run, index, is_finished, record->m, conflict)) ||
                                      blame(run, index, is_free, record->m, "unit") ||
                                      blame(run, index, is_finished, record->m, conflict) ||
                                      blame(run, index, is_before, record->m, "order")))
        return true;
    return record->p > record->q + 1 && (blame(run, index, is_late_operand, record->p, "operand") ||
                                         blame(run, index, is_operand, record->p, "operand") ||
                                         blame(run, index, is_staged, record->p, "queue"));
}

/* Finds for what an instruction waited in D. */
static bool blame_decode(struct run *run, size_t index)
{
    const struct step *step = &run->steps[index];
    uint64_t left = leave_of(step);

    if (left <= step->record.d + 1)
        return false;
    return blame(run, index, is_operand, left, "operand") ||
           blame(run, index, is_class, left, "unit") ||
           (step->record.unit >= 0 && blame(run, index, is_staged, left, "queue-full")) ||
           blame(run, index, is_waited, left,
                 step->record.stall < STALL_ALL ? pipeline_stall_names[step->record.stall]
                                                : "memory");
}

static void find_chain(struct run *run)
{
    size_t index = 0;

    /* The first instruction that finishes last. */
    for (size_t i = 0; i < run->count; i++)
        if (run->steps[i].record.e > run->steps[index].record.e)
            index = i;
    for (;;) {
        struct step *step = &run->steps[index];
        bool is_blamed = (step->record.unit >= 0 && step->record.m != PIPELINE_NEVER &&
                          blame_unit(run, index)) ||
                         blame_decode(run, index);
        step->is_critical = true;
        if (!is_blamed && step->record.d > (index ? leave_of(step - 1) : 1))
            is_blamed = blame(run, index, is_committed, step->record.d, "window");
        if (!is_blamed && !blame(run, index, is_any, 0, "issue"))
            return;
        index = step->before;
    }
}

/* ---- what limits the block ---- */

/* Returns the unit that is busy longest for each of its resources, and in *cycles how long. */
static size_t busiest(const struct run *run, uint64_t *cycles)
{
    size_t most = 0;

    *cycles = 0;
    for (size_t unit = 0; unit < time_unit_count; unit++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < run->count; i++)
            if (run->steps[i].record.unit == (int)unit)
                sum += run->steps[i].model.occupancy;
        sum /= time_resources(&time_units[unit], run->blocks->config);
        if (sum > *cycles) {
            *cycles = sum;
            most = unit;
        }
    }
    return most;
}

/* Returns the cause that the chain waited for longest, and in *cycles how long. */
static const char *longest_cause(const struct run *run, uint64_t *cycles)
{
    struct {
        const char *cause;
        uint64_t cycles;
    } sums[CAUSES] = {{"issue", 0}};
    size_t most = 0;

    for (size_t i = 0; i < run->count; i++) {
        const struct step *step = &run->steps[i];
        size_t at = 0;
        if (!step->is_critical || !step->cause || start_of(step) == PIPELINE_NEVER)
            continue;
        while (at + 1 < CAUSES && sums[at].cause && strcmp(sums[at].cause, step->cause) != 0)
            at++;
        sums[at].cause = step->cause;
        sums[at].cycles += start_of(step) - start_of(&run->steps[step->before]);
        if (sums[at].cycles > sums[most].cycles)
            most = at;
    }
    *cycles = sums[most].cycles;
    return sums[most].cause;
}

static void print_limit(const struct run *run, const struct pipeline_counters *counters)
{
    struct text *out = &run->blocks->objdump->out;
    uint64_t busy, waited;
    size_t unit = busiest(run, &busy);
    const char *cause = longest_cause(run, &waited);

    text_append(out, "  limited by ");
    if (busy * 100 >= counters->cycles * BUSY_PERCENT)
        text_format(out, "%s: it works in %" PRIu64 " cycles\n", time_units[unit].name, busy);
    else if (strcmp(cause, "issue") == 0)
        text_append(out, "the front end: an instruction in each cycle\n");
    else
        text_format(out, "waits for '%s': %" PRIu64 " cycles of the chain\n", cause, waited);
}

/* ---- output ---- */

static void append_instruction(const struct run *run, struct text *out,
                               const struct block_instruction *instruction)
{
    const struct tobjdump_options *options = &run->blocks->objdump->options;
    const struct disasm disasm = {.no_aliases = options->no_aliases, .numeric = options->numeric};
    struct text text = TEXT_INIT;

    disasm_instruction(&disasm, &text, instruction->pc, instruction->word, instruction->length);
    text_append_char(&text, '\0');
    for (char *at = text.bytes; *at; at++)
        if (*at == '\t')
            *at = ' ';
    text_append(out, text.bytes);
    text_free(&text);
}

static void append_cycle(struct text *out, uint64_t cycle)
{
    if (cycle == PIPELINE_NEVER)
        text_append(out, "        -");
    else
        text_format(out, " %8" PRIu64, cycle);
}

static void print_step(const struct run *run, const struct step *step)
{
    struct text *out = &run->blocks->objdump->out;
    const struct pipeline_record *record = &step->record;

    text_append(out, step->is_critical ? "  *" : "   ");
    append_cycle(out, record->d);
    append_cycle(out, start_of(step));
    append_cycle(out, record->e);
    append_cycle(out, record->c);
    text_format(out, " %8" PRIx64 "  ", step->instruction->pc);
    append_instruction(run, out, step->instruction);
    if (step->is_critical && step->cause && strcmp(step->cause, "issue") != 0)
        text_format(out, "  # %s, after %" PRIx64, step->cause,
                    run->steps[step->before].instruction->pc);
    text_append_char(out, '\n');
}

static void print_assumptions(const struct run *run, const struct step *step)
{
    const struct block_instruction *instruction = step->instruction;
    const struct isa_instruction *decoded = isa_decode(instruction->word, instruction->length);
    struct tobjdump *objdump = run->blocks->objdump;
    uint64_t word = instruction->word;

    if (step->is_state_assumed)
        text_format(&objdump->out,
                    "  assumed: what the instruction at %" PRIx64 " finds in memory is empty\n",
                    instruction->pc);
    if (!step->assumed)
        return;
    decoded = isa_expand(decoded, &word);
    for (unsigned i = 0; i < decoded->operand_count; i++)
        if (step->assumed >> i & 1)
            text_format(&objdump->out,
                        "  assumed: '%s' of the instruction at %" PRIx64 " is %" PRIu64 "\n",
                        decoded->operands[i].name, instruction->pc, objdump->options.assumed);
}

/* Prints how many cycles a round of a loop takes when it has run for a while. */
static void print_loop(const struct blocks *blocks, const struct block *block)
{
    struct run run = {.blocks = blocks};
    size_t rounds = ROUNDS;

    while (rounds > LEAST_ROUNDS && rounds * block->count > STEPS)
        rounds /= 2;
    execute(&run, block, rounds);
    uint64_t end = run.steps[rounds * block->count - 1].record.c,
             middle = run.steps[rounds / 2 * block->count - 1].record.c;
    text_format(&blocks->objdump->out, "  loop: %.2f cycles in each round\n",
                (double)(end - middle) / (double)(rounds - rounds / 2));
    release(&run);
}

static void print_block(const struct blocks *blocks, size_t index)
{
    const struct block *block = &blocks->items[index];
    struct tobjdump *objdump = blocks->objdump;
    uint64_t pc = blocks->instructions[block->first].pc;
    struct run run = {.blocks = blocks};
    struct pipeline_counters counters = execute(&run, block, 1);

    find_chain(&run);
    text_append_char(&objdump->out, '\n');
    text_append_hex(&objdump->out, pc, objdump->digits);
    names_write(&objdump->names, &objdump->out, names_find(&objdump->names, pc, true), pc);
    text_format(&objdump->out, ": %zu instruction%s, %" PRIu64 " cycles\n", block->count,
                block->count == 1 ? "" : "s", counters.cycles);
    print_limit(&run, &counters);
    if (block->successor == index)
        print_loop(blocks, block);
    for (size_t i = 0; i < run.count; i++)
        print_assumptions(&run, &run.steps[i]);
    text_append(&objdump->out, "           D    start        E        C  address  instruction\n");
    for (size_t i = 0; i < run.count; i++)
        print_step(&run, &run.steps[i]);
    release(&run);
    tobjdump_flush_much(objdump);
}

void print_timing(struct tobjdump *objdump)
{
    const struct elf_file *file = &objdump->file;
    struct blocks blocks;

    names_init(&objdump->names, objdump);
    mappings_init(objdump);
    for (size_t i = 1; i < file->section_count; i++) {
        const struct elf_section *section = &file->sections[i];
        if (!section_is_selected(objdump, section) ||
            !(section_flags(objdump, section) & SECTION_CODE))
            continue;
        names_enter(&objdump->names, section);
        blocks_find(&blocks, objdump, objdump->options.machine, section);
        if (blocks.count == 0)
            continue;
        text_append(&objdump->out, "\nTiming of section ");
        disasm_name(&objdump->out, section->name);
        text_append(&objdump->out, ":\n");
        for (size_t k = 0; k < blocks.count; k++)
            print_block(&blocks, k);
    }
    tobjdump_flush(objdump);
}
