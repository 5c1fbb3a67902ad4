/* See stats.h. */
#include "emu/stats.h"
#include <inttypes.h>
#include <stdlib.h>

void stats_init(struct stats *stats, struct arena *arena)
{
    *stats = (struct stats){
        .instructions = arena_array(arena, isa_instruction_count, sizeof *stats->instructions)};
}

void stats_count(struct stats *stats, const struct isa_instruction *instruction,
                 const struct recorder *recorder)
{
    stats->instructions[instruction->id]++;
    for (size_t i = 0; i < recorder->count; i++) {
        const struct effect *effect = &recorder->effects[i];
        switch (effect->kind) {
        case EFFECT_LOAD:
            stats->loads++;
            stats->load_bytes += effect->size;
            break;
        case EFFECT_STORE:
            stats->stores++;
            stats->store_bytes += effect->size;
            break;
        case EFFECT_RANGE_READ:
            stats->unit_read_bytes += effect->length;
            break;
        case EFFECT_RANGE_WRITE:
            stats->unit_write_bytes += effect->length;
            break;
        default:
            break;
        }
    }
}

struct count {
    const char *name;
    uint64_t value;
};

static int compare_counts(const void *left, const void *right)
{
    const struct count *a = left, *b = right;

    if (a->value != b->value)
        return a->value < b->value ? 1 : -1;
    return strcmp(a->name, b->name);
}

static void print_count(FILE *stream, const char *name, uint64_t value, uint64_t total)
{
    fprintf(stream, "  %-24s %15" PRIu64 "  %6.2f%%\n", name, value,
            total ? 100.0 * (double)value / (double)total : 0);
}

static void print_classes(const struct stats *stats, uint64_t total, FILE *stream)
{
    fputs("by class\n", stream);
    for (size_t i = 0; i < isa_class_count; i++) {
        uint64_t count = 0;
        for (size_t id = 0; id < isa_instruction_count; id++)
            if (isa_instructions[id].timing == &isa_classes[i])
                count += stats->instructions[id];
        if (count)
            print_count(stream, isa_classes[i].name, count, total);
    }
}

static void print_instructions(const struct stats *stats, uint64_t total, struct arena *arena,
                               FILE *stream)
{
    struct count *counts = arena_array(arena, isa_instruction_count, sizeof *counts);

    for (size_t id = 0; id < isa_instruction_count; id++)
        counts[id] = (struct count){isa_instructions[id].mnemonic, stats->instructions[id]};
    qsort(counts, isa_instruction_count, sizeof *counts, compare_counts);
    fputs("by instruction\n", stream);
    for (size_t i = 0; i < isa_instruction_count && counts[i].value; i++)
        print_count(stream, counts[i].name, counts[i].value, total);
}

static void print_activity(const struct activity *list, size_t count, FILE *stream)
{
    for (size_t i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s: %s", list[i].unit, list[i].name);
        fprintf(stream, "  %-28s %11" PRIu64 "\n", name, list[i].value);
    }
}

static void print_units(const struct machine *machine, FILE *stream)
{
    struct activity list[ACTIVITY_MAXIMUM];

    fputs("tensor units\n", stream);
    print_activity(list, matrix_activity(&machine->matrix, list), stream);
    print_activity(list, dma_activity(&machine->dma, list), stream);
    print_activity(list, traversal_activity(&machine->traversal, list), stream);
    print_activity(list, histogram_activity(&machine->histogram, list), stream);
}

void stats_print(const struct stats *stats, const struct machine *machine, struct arena *arena,
                 FILE *stream)
{
    uint64_t total = 0;

    for (size_t id = 0; id < isa_instruction_count; id++)
        total += stats->instructions[id];
    fprintf(stream, "instructions               %15" PRIu64 "\n", total);
    print_classes(stats, total, stream);
    print_instructions(stats, total, arena, stream);
    fprintf(stream,
            "memory\n"
            "  %-24s %15" PRIu64 "\n  %-24s %15" PRIu64 "\n  %-24s %15" PRIu64 "\n"
            "  %-24s %15" PRIu64 "\n  %-24s %15" PRIu64 "\n  %-24s %15" PRIu64 "\n",
            "loads", stats->loads, "bytes loaded", stats->load_bytes, "stores", stats->stores,
            "bytes stored", stats->store_bytes, "range bytes read", stats->unit_read_bytes,
            "range bytes written", stats->unit_write_bytes);
    print_units(machine, stream);
}
