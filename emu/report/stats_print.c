/* Prints the statistics, as text for people or as JSON for programs. */
#include "emu/profile/stats.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

/* What a unit did in a run. A name with a comma ("multiply-adds, f16") is a part of the count whose
 * name is before the comma. The text format leaves out parts that are 0; JSON has all of them. */
struct unit_count {
    const char *unit, *name;
    uint64_t value;
};

/* Lists the counts of all units. Returns how many there are. */
static size_t list_units(struct machine *machine, struct unit_count list[UNITS_COUNTERS])
{
    size_t count = 0;

#define UNITS_LIST
#include "units.inc"
#undef UNITS_LIST
    return count;
}

static uint64_t count_all(const struct stats *stats)
{
    uint64_t total = 0;

    for (size_t id = 0; id < isa_instruction_count; id++)
        total += stats->instructions[id];
    return total;
}

static uint64_t count_class(const struct stats *stats, const struct isa_class *class)
{
    uint64_t count = 0;

    for (size_t id = 0; id < isa_instruction_count; id++)
        if (isa_instructions[id].timing == class)
            count += stats->instructions[id];
    return count;
}

struct count {
    const char *name;
    uint64_t value;
};

enum { MEMORY_COUNTS = 6, TRAFFIC_COUNTS = 4 };

static void list_memory(const struct stats *stats, struct count list[MEMORY_COUNTS])
{
    list[0] = (struct count){"loads", stats->loads};
    list[1] = (struct count){"bytes loaded", stats->load_bytes};
    list[2] = (struct count){"stores", stats->stores};
    list[3] = (struct count){"bytes stored", stats->store_bytes};
    list[4] = (struct count){"range bytes read", stats->unit_read_bytes};
    list[5] = (struct count){"range bytes written", stats->unit_write_bytes};
}

static void list_traffic(const struct traffic *traffic, struct count list[TRAFFIC_COUNTS])
{
    list[0] = (struct count){"memory read", traffic->memory_read};
    list[1] = (struct count){"memory written", traffic->memory_written};
    list[2] = (struct count){"scratchpad read", traffic->scratchpad_read};
    list[3] = (struct count){"scratchpad written", traffic->scratchpad_written};
}

/* ---- text ---- */

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
        uint64_t count = count_class(stats, &isa_classes[i]);
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

static void print_memory(const struct stats *stats, FILE *stream)
{
    struct count counts[MEMORY_COUNTS];

    list_memory(stats, counts);
    fputs("memory\n", stream);
    for (size_t i = 0; i < MEMORY_COUNTS; i++)
        fprintf(stream, "  %-24s %15" PRIu64 "\n", counts[i].name, counts[i].value);
}

/* Prints a table of the classes that moved any bytes. */
static void print_traffic(const struct stats *stats, FILE *stream)
{
    struct count counts[TRAFFIC_COUNTS];

    list_traffic(&stats->traffic[0], counts);
    fprintf(stream, "%-16s", "bytes by class");
    for (size_t i = 0; i < TRAFFIC_COUNTS; i++)
        fprintf(stream, " %18s", counts[i].name);
    fputc('\n', stream);
    for (size_t class = 0; class < isa_class_count; class ++) {
        uint64_t all = 0;
        list_traffic(&stats->traffic[class], counts);
        for (size_t i = 0; i < TRAFFIC_COUNTS; i++)
            all |= counts[i].value;
        if (!all)
            continue;
        fprintf(stream, "  %-14s", isa_classes[class].name);
        for (size_t i = 0; i < TRAFFIC_COUNTS; i++)
            fprintf(stream, " %18" PRIu64, counts[i].value);
        fputc('\n', stream);
    }
}

static void print_units(struct machine *machine, FILE *stream)
{
    struct unit_count list[UNITS_COUNTERS];
    size_t count = list_units(machine, list);

    fputs("tensor units\n", stream);
    for (size_t i = 0; i < count; i++) {
        char name[64];
        if (list[i].value == 0 && strchr(list[i].name, ',')) /* a part */
            continue;
        snprintf(name, sizeof name, "%s: %s", list[i].unit, list[i].name);
        fprintf(stream, "  %-28s %11" PRIu64 "\n", name, list[i].value);
    }
}

/* Prints a table of the links that packets crossed. */
static void print_links(struct machine *machine, FILE *stream)
{
    const struct sparse_link *links;
    size_t count = sparse_links(&machine->sparse, &links);

    if (count == 0)
        return;
    fprintf(stream, "%-28s %18s %18s\n", "links of the sparse unit", "bytes", "compressed bytes");
    for (size_t i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "%" PRIu32 ",%" PRIu32 " > %" PRIu32 ",%" PRIu32,
                 links[i].from.row, links[i].from.column, links[i].to.row, links[i].to.column);
        fprintf(stream, "  %-26s %18" PRIu64 " %18" PRIu64 "\n", name, links[i].load.bytes,
                links[i].load.compressed_bytes);
    }
}

void stats_print(const struct stats *stats, struct machine *machine, struct arena *arena,
                 FILE *stream)
{
    uint64_t total = count_all(stats);

    fprintf(stream, "instructions               %15" PRIu64 "\n", total);
    print_classes(stats, total, stream);
    print_instructions(stats, total, arena, stream);
    print_memory(stats, stream);
    print_traffic(stats, stream);
    print_units(machine, stream);
    print_links(machine, stream);
}

/* ---- JSON ---- */

/* Prints `"multiply_adds_f32":5`, after a comma if it is not the first. Each run of characters
 * other than letters and digits in the name becomes one underscore. */
static void write_member(FILE *stream, bool first, const char *name, uint64_t value)
{
    fputs(first ? "\"" : ",\"", stream);
    for (; *name; name++)
        if (isalnum((unsigned char)*name))
            fputc(*name, stream);
        else if (isalnum((unsigned char)name[1]))
            fputc('_', stream);
    fprintf(stream, "\":%" PRIu64, value);
}

static void write_members(FILE *stream, const struct count *counts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        write_member(stream, i == 0, counts[i].name, counts[i].value);
    fputc('}', stream);
}

/* Prints the instructions that were executed. Their mnemonics are the names, with dots. */
static void write_instructions(const struct stats *stats, FILE *stream)
{
    bool first = true;

    fputs(",\"mnemonics\":{", stream);
    for (size_t id = 0; id < isa_instruction_count; id++) {
        if (!stats->instructions[id])
            continue;
        fprintf(stream, "%s\"%s\":%" PRIu64, first ? "" : ",", isa_instructions[id].mnemonic,
                stats->instructions[id]);
        first = false;
    }
    fputc('}', stream);
}

static void write_traffic(const struct stats *stats, FILE *stream)
{
    struct count counts[TRAFFIC_COUNTS];

    fputs(",\"bytes\":{", stream);
    for (size_t class = 0; class < isa_class_count; class ++) {
        list_traffic(&stats->traffic[class], counts);
        fprintf(stream, "%s\"%s\":{", class ? "," : "", isa_classes[class].name);
        write_members(stream, counts, TRAFFIC_COUNTS);
    }
    fputc('}', stream);
}

void stats_print_units_json(struct machine *machine, FILE *stream)
{
    struct unit_count list[UNITS_COUNTERS];
    size_t count = list_units(machine, list);

    fputc('{', stream);
    for (size_t i = 0; i < count; i++) {
        bool first = i == 0 || strcmp(list[i - 1].unit, list[i].unit) != 0;
        if (first)
            fprintf(stream, "%s\"%s\":{", i ? "}," : "", list[i].unit);
        write_member(stream, first, list[i].name, list[i].value);
    }
    fputs("}}", stream);
}

/* The places are written as in traces. */
static void write_links(struct machine *machine, FILE *stream)
{
    const struct sparse_link *links;
    size_t count = sparse_links(&machine->sparse, &links);

    fputs(",\"links\":[", stream);
    for (size_t i = 0; i < count; i++)
        fprintf(stream,
                "%s{\"unit\":\"sparse\",\"from\":\"%" PRIu32 ",%" PRIu32 "\",\"to\":\"%" PRIu32
                ",%" PRIu32 "\",\"bytes\":%" PRIu64 ",\"compressed_bytes\":%" PRIu64 "}",
                i ? "," : "", links[i].from.row, links[i].from.column, links[i].to.row,
                links[i].to.column, links[i].load.bytes, links[i].load.compressed_bytes);
    fputc(']', stream);
}

void stats_print_json(const struct stats *stats, struct machine *machine, FILE *stream)
{
    struct count memory[MEMORY_COUNTS];

    fprintf(stream, "{\"instructions\":%" PRIu64 ",\"classes\":{", count_all(stats));
    for (size_t i = 0; i < isa_class_count; i++)
        write_member(stream, i == 0, isa_classes[i].name, count_class(stats, &isa_classes[i]));
    fputc('}', stream);
    write_instructions(stats, stream);
    fputs(",\"memory\":{", stream);
    list_memory(stats, memory);
    write_members(stream, memory, MEMORY_COUNTS);
    write_traffic(stats, stream);
    fputs(",\"units\":", stream);
    stats_print_units_json(machine, stream);
    write_links(machine, stream);
    fputs("}\n", stream);
}
