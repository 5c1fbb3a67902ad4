/* See time_report.h. The two formats have the same numbers; text leaves out causes that are 0. */
#include "emu/timing/time_report.h"

#include "emu/machine.h"
#include "emu/workers/workers.h"
#include "lib/disasm.h"
#include "lib/quote.h"
#include "lib/source.h"
#include <inttypes.h>
#include <stdlib.h>

struct time_report {
    const struct feed *feed;
    const struct machine *machine;
    const struct program *program;
    struct source *source;
    FILE *stream;
    struct site **sites; /* longest first */
    size_t site_count;
    struct text text;
};

/* ---- numbers that follow from the counters ---- */

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

/* Returns the bytes that DMA has moved. */
static uint64_t moved_by(const struct machine *machine)
{
    return machine->dma.bytes_loaded + machine->dma.bytes_stored;
}

/* Returns the bytes that have crossed links. */
static uint64_t linked_by(const struct machine *machine)
{
    return machine->sparse.state.compressed_bytes;
}

/* Returns the products that the lanes can compute in a cycle. */
static double lanes_of(const struct machine *machine)
{
    return (double)machine->config.matrix_lanes * (double)machine->config.matrix_slaves;
}

/* Returns the most products in a cycle that the lanes and main memory allow. */
static double roof_of(const struct time_report *report)
{
    const struct feed *feed = report->feed;
    double lanes = lanes_of(report->machine);
    uint64_t moved = moved_by(report->machine);
    double memory =
        ratio((double)feed->products, (double)moved) * (double)report->machine->config.dma_bytes;

    return moved && memory < lanes ? memory : lanes;
}

static uint64_t time_of(const struct site *site)
{
    return site->counts.decode_cycles > site->counts.unit_cycles ? site->counts.decode_cycles
                                                                 : site->counts.unit_cycles;
}

static int compare_sites(const void *a, const void *b)
{
    const struct site *left = *(struct site *const *)a, *right = *(struct site *const *)b;

    if (time_of(left) != time_of(right))
        return time_of(left) < time_of(right) ? 1 : -1;
    return left->at.pc != right->at.pc
               ? (left->at.pc > right->at.pc ? 1 : -1)
               : (left->at.word > right->at.word) - (left->at.word < right->at.word);
}

static void list_sites(struct time_report *report)
{
    const struct map *all = &report->feed->sites.all;

    report->sites = calloc(all->count + 1, sizeof *report->sites);
    for (size_t i = 0; report->sites && i < all->count; i++) {
        struct site *site = all->entries[i].value;
        if (site->counts.count)
            report->sites[report->site_count++] = site;
    }
    if (report->sites)
        qsort(report->sites, report->site_count, sizeof *report->sites, compare_sites);
}

/* Returns the cycles after the last instruction left D. */
static uint64_t drain_of(const struct pipeline_counters *counters)
{
    uint64_t drain = counters->cycles - counters->issued;

    for (unsigned i = 0; i < STALL_ALL; i++)
        drain -= counters->stalls[i];
    return drain;
}

/* The place `<symbol+0x4>` of an address, or the address. */
static const char *place_text(struct time_report *report, uint64_t pc)
{
    const struct elf_symbol *symbol = symbolizer_find(&report->program->symbols, pc);

    report->text.length = 0;
    if (symbol) {
        disasm_name(&report->text, symbol->name);
        if (pc != symbol->raw.st_value)
            text_format(&report->text, "+0x%" PRIx64, pc - symbol->raw.st_value);
    } else {
        text_format(&report->text, "0x%" PRIx64, pc);
    }
    text_append_char(&report->text, '\0');
    return report->text.bytes;
}

static const char *boundary_text(struct time_report *report, uint64_t pc, const char *otherwise)
{
    return pc ? place_text(report, pc) : otherwise;
}

static const char *line_text(struct time_report *report, uint64_t pc)
{
    report->text.length = 0;
    source_append(report->source, &report->text, pc);
    text_append_char(&report->text, '\0');
    return report->text.bytes;
}

static const char *code_text(struct time_report *report, const struct site *site)
{
    const struct disasm disasm = {.symbols = &report->program->symbols};

    report->text.length = 0;
    disasm_instruction(&disasm, &report->text, site->at.pc, site->at.word, site->at.length);
    text_append_char(&report->text, '\0');
    for (char *at = report->text.bytes; *at; at++)
        if (*at == '\t')
            *at = ' ';
    return report->text.bytes;
}

/* ---- text ---- */

static void print_parts(FILE *stream, const char *const *names, const uint64_t *values,
                        unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (values[i])
            fprintf(stream, " %s %" PRIu64, names[i], values[i]);
}

static void print_front_end(FILE *stream, const struct pipeline_counters *counters)
{
    fprintf(stream, "front end: issued %" PRIu64, counters->issued);
    print_parts(stream, pipeline_stall_names, counters->stalls, STALL_ALL);
    if (drain_of(counters))
        fprintf(stream, " drain %" PRIu64, drain_of(counters));
    fputc('\n', stream);
}

static void print_unit(struct time_report *report, const struct pipeline_counters *counters,
                       size_t unit)
{
    fprintf(report->stream, "%s:", time_units[unit].name);
    print_parts(report->stream, pipeline_state_names, counters->units[unit], UNIT_STATES);
    fputc('\n', report->stream);
}

static void print_port(FILE *stream, const char *unit, const char *name, uint64_t bytes,
                       uint64_t cycles)
{
    if (bytes)
        fprintf(stream, "%s %s: %" PRIu64 " bytes, %.2f a cycle\n", unit, name, bytes,
                ratio((double)bytes, (double)cycles));
}

/* The turns of each thread of a barrel that had any. */
static void print_threads(struct time_report *report)
{
    const struct feed *feed = report->feed;

    for (unsigned i = 0; i < feed->threads; i++) {
        const struct pipeline_thread_counts *counts = pipeline_thread(feed->pipeline, i);
        if (!counts->instructions)
            continue;
        fprintf(report->stream, "%s: %" PRIu64 " instructions, issued %" PRIu64,
                workers_name(report->machine, i), counts->instructions, counts->issued);
        print_parts(report->stream, pipeline_stall_names, counts->stalls, STALL_ALL);
        fputc('\n', report->stream);
    }
}

static void print_totals(struct time_report *report)
{
    const struct feed *feed = report->feed;
    const struct pipeline_counters *counters = &feed->counters;
    double cycles = (double)counters->cycles, lanes = lanes_of(report->machine);
    FILE *stream = report->stream;

    fprintf(stream, "timing\n%" PRIu64 " cycles, %" PRIu64 " instructions, IPC %.3f\n",
            counters->cycles, counters->instructions,
            ratio((double)counters->instructions, cycles));
    print_front_end(stream, counters);
    print_threads(report);
    for (size_t i = 0; i < time_unit_count; i++)
        print_unit(report, counters, i);
    fprintf(stream, "instruction queue: mean %.2f, most %" PRIu64 "\n",
            ratio((double)counters->queue_cycles, cycles), counters->queue_most);
    fprintf(stream, "storage queue: mean %.2f, most %" PRIu64 "\n",
            ratio((double)counters->storage_cycles, cycles), counters->storage_most);
    for (size_t i = 0; i < time_unit_count; i++) {
        print_port(stream, time_units[i].name, "read", feed->ports[i].read, counters->cycles);
        print_port(stream, time_units[i].name, "write", feed->ports[i].written, counters->cycles);
    }
    print_port(stream, "main", "memory", moved_by(report->machine), counters->cycles);
    print_port(stream, "sparse", "links", linked_by(report->machine), counters->cycles);
    if (!feed->products)
        return;
    fprintf(stream, "lanes: %.1f %% (%" PRIu64 " products)\n",
            100 * ratio((double)feed->products, cycles * lanes), feed->products);
    fprintf(stream, "roofline: %.2f products a cycle, %.1f %% of it reached", roof_of(report),
            100 * ratio((double)feed->products, cycles * roof_of(report)));
    if (moved_by(report->machine))
        fprintf(stream, "; %.2f products for a byte of DMA",
                (double)feed->products / (double)moved_by(report->machine));
    fputc('\n', stream);
}

static void print_regions(struct time_report *report)
{
    for (size_t i = 0; i < report->feed->region_count; i++) {
        const struct region *region = &report->feed->regions[i];
        fprintf(report->stream, "region %s", boundary_text(report, region->from, "(start)"));
        fprintf(report->stream, " to %s: %" PRIu64 " cycles, %" PRIu64 " instructions",
                boundary_text(report, region->to, "(end)"), region->counters.cycles,
                region->counters.instructions);
        if (region->count > 1)
            fprintf(report->stream, " in %" PRIu64 " times", region->count);
        fputs("\n  ", report->stream);
        print_front_end(report->stream, &region->counters);
    }
}

static void print_site(struct time_report *report, const struct site *site)
{
    FILE *stream = report->stream;
    const struct pipeline_site *counts = &site->counts;

    fprintf(stream, "%16" PRIx64 " %-24s", site->at.pc, place_text(report, site->at.pc));
    fprintf(stream, " %-36s", code_text(report, site));
    fprintf(stream, " %10" PRIu64 " %10" PRIu64 " %10" PRIu64, counts->count, counts->decode_cycles,
            counts->unit_cycles);
    if (site->products)
        fprintf(stream, " lanes %.1f %%",
                100 * ratio((double)site->products,
                            (double)counts->unit_cycles * lanes_of(report->machine)));
    print_parts(stream, pipeline_stall_names, counts->stalls, STALL_COUNT);
    print_parts(stream, pipeline_state_names, counts->waits, UNIT_STATES);
    if (counts->storage_full)
        fprintf(stream, " storage-full %" PRIu64, counts->storage_full);
    const char *line = line_text(report, site->at.pc);
    if (*line)
        fprintf(stream, " # %s", line);
    fputc('\n', stream);
}

static struct time_report start(const struct feed *feed, const struct machine *machine,
                                const struct program *program, FILE *stream)
{
    struct time_report report = {
        .feed = feed,
        .machine = machine,
        .program = program,
        .source = source_open(&program->image, program->moved),
        .stream = stream,
    };

    list_sites(&report);
    return report;
}

static void finish(struct time_report *report)
{
    free(report->sites);
    text_free(&report->text);
    source_close(report->source);
}

void time_report_text(const struct feed *feed, const struct machine *machine,
                      const struct program *program, FILE *stream)
{
    struct time_report report = start(feed, machine, program, stream);

    print_totals(&report);
    print_regions(&report);
    fprintf(stream, "%16s %-24s %-36s %10s %10s %10s stalls\n", "pc", "place", "instruction",
            "count", "in D", "in M");
    for (size_t i = 0; i < report.site_count; i++)
        print_site(&report, report.sites[i]);
    finish(&report);
}

/* ---- JSON ---- */

static void put_parts(FILE *stream, const char *const *names, const uint64_t *values,
                      unsigned count, const char *before)
{
    for (unsigned i = 0; i < count; i++)
        fprintf(stream, "%s\"%s\": %" PRIu64, i ? ", " : before, names[i], values[i]);
}

/* The turns of each thread of a barrel that had any. */
static void put_threads(struct time_report *report)
{
    const struct feed *feed = report->feed;
    const char *before = "";

    if (!feed->threads)
        return;
    fputs("\"threads\": {", report->stream);
    for (unsigned i = 0; i < feed->threads; i++) {
        const struct pipeline_thread_counts *counts = pipeline_thread(feed->pipeline, i);
        if (!counts->instructions)
            continue;
        fprintf(report->stream, "%s\"%s\": {\"instructions\": %" PRIu64 ", \"issued\": %" PRIu64,
                before, workers_name(report->machine, i), counts->instructions, counts->issued);
        put_parts(report->stream, pipeline_stall_names, counts->stalls, STALL_ALL, ", ");
        fputc('}', report->stream);
        before = ", ";
    }
    fputs("}, ", report->stream);
}

static void put_front_end(FILE *stream, const struct pipeline_counters *counters, bool is_barrel)
{
    fprintf(stream, "\"front_end\": {\"issued\": %" PRIu64, counters->issued);
    put_parts(stream, pipeline_stall_names, counters->stalls, is_barrel ? STALL_ALL : STALL_COUNT,
              ", ");
    fprintf(stream, ", \"drain\": %" PRIu64 "}", drain_of(counters));
}

static void put_units(FILE *stream, const struct pipeline_counters *counters)
{
    fputs("\"units\": {", stream);
    for (size_t i = 0; i < time_unit_count; i++) {
        fprintf(stream, "%s\"%s\": {", i ? ", " : "", time_units[i].name);
        put_parts(stream, pipeline_state_names, counters->units[i], UNIT_STATES, "");
        fputc('}', stream);
    }
    fputc('}', stream);
}

static void put_port(FILE *stream, const char *name, uint64_t bytes, uint64_t cycles,
                     const char *end)
{
    fprintf(stream, "\"%s\": {\"bytes\": %" PRIu64 ", \"bytes_per_cycle\": %.6f}%s", name, bytes,
            ratio((double)bytes, (double)cycles), end);
}

static void put_totals(struct time_report *report)
{
    const struct feed *feed = report->feed;
    const struct pipeline_counters *counters = &feed->counters;
    double cycles = (double)counters->cycles, lanes = lanes_of(report->machine);
    uint64_t moved = moved_by(report->machine);
    FILE *stream = report->stream;

    fprintf(stream, "\"cycles\": %" PRIu64 ", \"instructions\": %" PRIu64 ", \"ipc\": %.6f, ",
            counters->cycles, counters->instructions,
            ratio((double)counters->instructions, cycles));
    put_front_end(stream, counters, feed->threads);
    fputs(", ", stream);
    put_threads(report);
    put_units(stream, counters);
    fprintf(stream,
            ", \"queues\": {\"instruction\": {\"mean\": %.6f, \"most\": %" PRIu64
            "}, \"storage\": {\"mean\": %.6f, \"most\": %" PRIu64 "}}",
            ratio((double)counters->queue_cycles, cycles), counters->queue_most,
            ratio((double)counters->storage_cycles, cycles), counters->storage_most);
    fputs(", \"ports\": {", stream);
    for (size_t i = 0; i < time_unit_count; i++) {
        fprintf(stream, "\"%s\": {", time_units[i].name);
        put_port(stream, "read", feed->ports[i].read, counters->cycles, ", ");
        put_port(stream, "write", feed->ports[i].written, counters->cycles, "}, ");
    }
    put_port(stream, "main_memory", moved, counters->cycles, ", ");
    put_port(stream, "links", linked_by(report->machine), counters->cycles, "}");
    fprintf(stream,
            ", \"lanes\": {\"products\": %" PRIu64
            ", \"share\": %.6f}, \"roofline\": {\"products_per_cycle\": %.6f, "
            "\"products_per_byte\": %.6f, \"share\": %.6f}",
            feed->products, ratio((double)feed->products, cycles * lanes), roof_of(report),
            ratio((double)feed->products, (double)moved),
            ratio((double)feed->products, cycles * roof_of(report)));
}

static void put_regions(struct time_report *report)
{
    FILE *stream = report->stream;

    fputs(", \"regions\": [", stream);
    for (size_t i = 0; i < report->feed->region_count; i++) {
        const struct region *region = &report->feed->regions[i];
        fprintf(stream, "%s{\"from\": ", i ? ", " : "");
        quote_json_to(stream, boundary_text(report, region->from, ""));
        fputs(", \"to\": ", stream);
        quote_json_to(stream, boundary_text(report, region->to, ""));
        fprintf(stream,
                ", \"times\": %" PRIu64 ", \"cycles\": %" PRIu64 ", \"instructions\": %" PRIu64
                ", ",
                region->count, region->counters.cycles, region->counters.instructions);
        put_front_end(stream, &region->counters, report->feed->threads);
        fputs(", ", stream);
        put_units(stream, &region->counters);
        fputc('}', stream);
    }
    fputc(']', stream);
}

static void put_site(struct time_report *report, const struct site *site)
{
    FILE *stream = report->stream;
    const struct pipeline_site *counts = &site->counts;

    fprintf(stream, "{\"pc\": %" PRIu64 ", \"symbol\": ", site->at.pc);
    quote_json_to(stream, place_text(report, site->at.pc));
    fputs(", \"line\": ", stream);
    quote_json_to(stream, line_text(report, site->at.pc));
    fputs(", \"instruction\": ", stream);
    quote_json_to(stream, code_text(report, site));
    fprintf(stream,
            ", \"count\": %" PRIu64 ", \"decode\": %" PRIu64 ", \"unit\": %" PRIu64
            ", \"products\": %" PRIu64 ", \"lanes\": %.6f, \"stalls\": {",
            counts->count, counts->decode_cycles, counts->unit_cycles, site->products,
            ratio((double)site->products, (double)counts->unit_cycles * lanes_of(report->machine)));
    put_parts(stream, pipeline_stall_names, counts->stalls, STALL_COUNT, "");
    fprintf(stream, ", \"storage-full\": %" PRIu64 "}, \"waits\": {", counts->storage_full);
    put_parts(stream, pipeline_state_names, counts->waits, UNIT_STATES, "");
    fputs("}}", stream);
}

void time_report_json(const struct feed *feed, const struct machine *machine,
                      const struct program *program, FILE *stream)
{
    struct time_report report = start(feed, machine, program, stream);

    fputc('{', stream);
    put_totals(&report);
    put_regions(&report);
    fputs(", \"sites\": [", stream);
    for (size_t i = 0; i < report.site_count; i++) {
        if (i)
            fputs(", ", stream);
        put_site(&report, report.sites[i]);
    }
    fputs("]}\n", stream);
    finish(&report);
}
