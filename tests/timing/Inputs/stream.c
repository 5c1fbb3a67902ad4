/* Runs streams of instructions through lib/timing/pipeline.h. The input has a line for each
 * setting, `set` and its values, then a line for each instruction, and `end`, which prints the
 * times. Each stream also runs without an observer, where the pipeline does less, and must count
 * the same. */
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

/* A stream with an observer and without. */
struct stream {
    struct pipeline *observed, *quiet;
    struct pipeline_site observed_site, quiet_site; /* of all instructions */
};

static void read_settings(struct stream *stream)
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
    *stream = (struct stream){pipeline_new(&settings), pipeline_new(&settings), {0}, {0}};
    if (!stream->observed || !stream->quiet)
        exit(2);
    pipeline_observe(stream->observed, show, NULL);
}

static unsigned read_registers(uint16_t *registers)
{
    unsigned count = (unsigned)number();

    for (unsigned i = 0; i < count; i++)
        registers[i] = (uint16_t)number();
    return count;
}

static void read_instruction(struct stream *stream)
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
    instruction.site = &stream->observed_site;
    uint64_t left = pipeline_add(stream->observed, &instruction);
    instruction.site = &stream->quiet_site;
    if (pipeline_add(stream->quiet, &instruction) != left)
        printf("without an observer it leaves D in another cycle\n");
    if (!is_taken)
        return;
    pipeline_turn(stream->observed);
    pipeline_turn(stream->quiet);
}

static void finish(struct stream *stream)
{
    struct pipeline_counters counters = pipeline_finish(stream->observed),
                             others = pipeline_finish(stream->quiet);

    if (memcmp(&counters, &others, sizeof counters) != 0 ||
        memcmp(&stream->observed_site, &stream->quiet_site, sizeof stream->quiet_site) != 0)
        printf("the counts without an observer differ\n");
    printf("cycles %" PRIu64 " issued %" PRIu64 "\n", counters.cycles, counters.issued);
    for (unsigned i = 0; i < STALL_COUNT; i++)
        printf("%s %" PRIu64 "%s", pipeline_stall_names[i], counters.stalls[i],
               i + 1 < STALL_COUNT ? " " : "\n");
    for (unsigned unit = 0; unit < 3; unit++)
        for (unsigned i = 0; i < UNIT_STATES; i++)
            printf("%s %" PRIu64 "%s", pipeline_state_names[i], counters.units[unit][i],
                   i + 1 < UNIT_STATES ? " " : "\n");
    printf("waits");
    for (unsigned i = UNIT_RAW; i <= UNIT_ORDER; i++)
        printf(" %" PRIu64, stream->observed_site.waits[i]);
    printf("\nend\n");
    pipeline_free(stream->observed);
    pipeline_free(stream->quiet);
}

int main(void)
{
    struct stream stream = {0};
    char word[16];

    while (scanf("%15s", word) == 1) {
        if (strcmp(word, "set") == 0)
            read_settings(&stream);
        else if (strcmp(word, "add") == 0)
            read_instruction(&stream);
        else
            finish(&stream);
    }
    return 0;
}
