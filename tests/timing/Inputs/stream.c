/* Runs streams of instructions through lib/timing/pipeline.h. The input has a line for each
 * setting, `set` and its values, then a line for each instruction, and `end`, which prints the
 * times. */
#include "lib/timing/pipeline.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t number(void)
{
    uint64_t value = 0;

    if (scanf("%" SCNu64, &value) != 1)
        exit(2);
    return value;
}

static void stage(uint64_t cycle)
{
    if (cycle == PIPELINE_NEVER)
        printf(" -");
    else
        printf(" %" PRIu64, cycle);
}

static void show(void *context, const struct pipeline_record *record)
{
    (void)context;
    printf("%" PRIu64 ":", record->sequence);
    stage(record->f);
    stage(record->d);
    stage(record->q);
    stage(record->p);
    stage(record->s);
    stage(record->x);
    stage(record->m);
    stage(record->e);
    stage(record->c);
    printf("\n");
}

static struct pipeline *read_settings(bool is_quiet)
{
    struct pipeline_settings settings = {.register_count = 8, .class_count = 3, .unit_count = 3};

    settings.window = number();
    settings.branch = number();
    settings.queue = number();
    settings.storage = number();
    settings.oldest = number();
    settings.granule = number();
    for (unsigned i = 0; i < 3; i++)
        settings.resources[i] = number();
    settings.walk.ahead = number();
    settings.walk.locate = number();
    settings.walk.rows = (unsigned)number();
    struct pipeline *pipeline = pipeline_new(&settings);
    if (!pipeline)
        exit(2);
    if (!is_quiet)
        pipeline_observe(pipeline, show, NULL);
    return pipeline;
}

static unsigned read_registers(uint16_t *registers)
{
    unsigned count = (unsigned)number();

    for (unsigned i = 0; i < count; i++)
        registers[i] = (uint16_t)number();
    return count;
}

static void read_instruction(struct pipeline *pipeline)
{
    uint16_t reads[8], writes[8];
    struct range ranges[16];
    struct pipeline_instruction instruction = {.reads = reads, .writes = writes, .ranges = ranges};

    instruction.unit = (int)number() - 1;
    instruction.class = (unsigned)number();
    instruction.is_fence = number();
    instruction.has_trapped = number();
    bool is_taken = number();
    instruction.walk = (enum walk_use)number();
    instruction.row = (unsigned)number();
    instruction.walk_delay = number();
    instruction.walk_addresses = number();
    instruction.cycles = number();
    instruction.occupancy = number();
    instruction.read_count = read_registers(reads);
    instruction.write_count = read_registers(writes);
    instruction.range_count = number();
    for (size_t i = 0; i < instruction.range_count; i++) {
        ranges[i].address = number();
        ranges[i].length = number();
        ranges[i].is_write = number();
    }
    pipeline_add(pipeline, &instruction);
    if (is_taken)
        pipeline_turn(pipeline);
}

static void finish(struct pipeline *pipeline)
{
    struct pipeline_counters counters = pipeline_finish(pipeline);

    printf("cycles %" PRIu64 " issued %" PRIu64 "\n", counters.cycles, counters.issued);
    for (unsigned i = 0; i < STALL_COUNT; i++)
        printf("%s %" PRIu64 "%s", pipeline_stall_names[i], counters.stalls[i],
               i + 1 < STALL_COUNT ? " " : "\n");
    for (unsigned unit = 0; unit < 3; unit++)
        for (unsigned i = 0; i < UNIT_STATES; i++)
            printf("%s %" PRIu64 "%s", pipeline_state_names[i], counters.units[unit][i],
                   i + 1 < UNIT_STATES ? " " : "\n");
    printf("end\n");
    pipeline_free(pipeline);
}

int main(void)
{
    struct pipeline *pipeline = NULL;
    char word[16];

    while (scanf("%15s", word) == 1) {
        if (strcmp(word, "set") == 0)
            pipeline = read_settings(false);
        else if (strcmp(word, "add") == 0)
            read_instruction(pipeline);
        else
            finish(pipeline);
    }
    return 0;
}
