/* The lossless trace (docs/ttrace-format.md): hands the records to the encoder of lib/trace/, and
 * its blocks to the compressing writer. */
#include "emu/trace/write.h"
#include "lib/arena.h"
#include "lib/map.h"
#include "lib/output.h"
#include "lib/source.h"
#include "lib/trace/ttrace_write.h"

#include <stdlib.h>
#include <string.h>

enum { SOURCES_LIMIT = 1 << 24 }; /* bytes of sources that a trace has at most */

/* Times are known when an instruction commits: mostly after the record is written, and before it
 * for one that commits at once. The numbers of records that wait for times are in a ring. */
struct trace_times {
    struct waiting {
        uint64_t timed, record;
    } * ring;
    size_t capacity, first, count; /* capacity: a power of 2 */
    bool has_early;                /* the times of an instruction whose record comes next */
    uint64_t early_timed;
    struct ttrace_time early;
    const struct ttrace_time_names *names;
};

struct sources {
    struct text text;
    uint64_t count;
    struct arena arena;
    struct map names;
};

/* Adds a source file, if it can be read. */
static void add_source(void *context, const char *name)
{
    struct sources *sources = context;
    struct map_entry *entry = map_entry(&sources->names, name, strlen(name));
    FILE *file = entry->value ? NULL : fopen(name, "rb");
    struct text bytes = TEXT_INIT;
    size_t got = 1;

    entry->value = sources;
    if (!file)
        return;
    while (got && bytes.length + sources->text.length < SOURCES_LIMIT) {
        char *room = text_room(&bytes, BUFSIZ);
        got = fread(room, 1, BUFSIZ, file);
        text_extend(&bytes, room + got);
    }
    if (!ferror(file) && got == 0) {
        ttrace_put_number(&sources->text, strlen(name));
        text_append(&sources->text, name);
        ttrace_put_number(&sources->text, bytes.length);
        text_append_bytes(&sources->text, bytes.bytes, bytes.length);
        sources->count++;
    }
    fclose(file);
    text_free(&bytes);
}

static void put_block(void *context, struct text *block)
{
    struct trace *trace = context;

    trace_sink_put(&trace->sink, block);
    text_clear(block);
}

static void write_header(struct trace *trace)
{
    const struct elf_file *file = trace->program.file;
    struct sources sources = {0};

    map_init(&sources.names, &sources.arena);

    if (file) {
        const struct diag_file image = {
            .name = file->name, .bytes = (const char *)file->bytes, .length = file->length};
        struct source *source = source_open(&image, 0);
        source_each_file(source, add_source, &sources);
        source_close(source);
    }
    const struct ttrace_about about = {
        .isa = isa_fingerprint,
        .machine = trace->program.machine,
        .moved = trace->program.moved,
        .program = file ? file->bytes : NULL,
        .program_length = file ? file->length : 0,
        .sources = &sources.text,
        .source_count = sources.count,
        .workers = trace->program.workers,
    };
    trace->lossless = ttrace_writer_new(&about, put_block, trace);
    text_free(&sources.text);
    arena_free(&sources.arena);
    if (trace->program.start) {
        const struct ttrace_record start = {.flags = TTRACE_START,
                                            .recorder = trace->program.start};
        ttrace_writer_add(trace->lossless, &start);
    }
}

static void no_label(struct text *text, const struct isa_register_file *file, unsigned number)
{
    (void)text;
    (void)file;
    (void)number;
}

static struct trace_times *times_of(struct trace *trace)
{
    if (!trace->times)
        trace->times = calloc(1, sizeof *trace->times);
    if (!trace->times)
        output_end("temu: error: out of memory\n");
    return trace->times;
}

/* Removes the first record of the ring. Returns its number. */
static uint64_t take_waiting(struct trace_times *times)
{
    uint64_t record = times->ring[times->first].record;

    times->first = (times->first + 1) & (times->capacity - 1);
    times->count--;
    return record;
}

/* The record with this number waits for its times, unless they are there. */
static void await_time(struct trace *trace, uint64_t timed, uint64_t number)
{
    struct trace_times *times = times_of(trace);

    if (times->has_early && times->early_timed == timed) {
        times->early.record = number;
        ttrace_writer_add_time(trace->lossless, &times->early, times->names);
        times->has_early = false;
        return;
    }
    if (times->count == times->capacity) {
        size_t capacity = times->capacity ? 2 * times->capacity : 1024;
        struct waiting *ring = reallocarray(NULL, capacity, sizeof *ring);
        if (!ring)
            output_end("temu: error: out of memory\n");
        for (size_t i = 0; i < times->count; i++)
            ring[i] = times->ring[(times->first + i) & (times->capacity - 1)];
        free(times->ring);
        times->ring = ring;
        times->first = 0;
        times->capacity = capacity;
    }
    times->ring[(times->first + times->count++) & (times->capacity - 1)] =
        (struct waiting){timed, number};
}

void trace_directly(struct trace *trace, const struct ttrace_record *record, uint64_t timed)
{
    uint64_t number = ttrace_writer_add(trace->lossless, record);

    if (timed)
        await_time(trace, timed, number);
}

static bool write_record(struct trace *trace, const struct trace_record *record)
{
    const struct ttrace_record lossless = {
        .sequence = record->sequence,
        .pc = record->pc,
        .word = record->word,
        .length = (uint8_t)record->length,
        .privilege = (uint8_t)record->privilege,
        .flags = (uint8_t)((record->bare ? TTRACE_BARE : 0) | (record->trap ? TTRACE_TRAP : 0) |
                           (record->is_interrupt ? TTRACE_INTERRUPT : 0)),
        .thread = record->thread,
        .turn = record->turn,
        .trap_cause = record->trap ? record->trap->cause : 0,
        .trap_value = record->trap ? record->trap->value : 0,
        .recorder = record->recorder,
    };

    trace_directly(trace, &lossless, record->timed);
    return true;
}

void trace_time(struct trace *trace, uint64_t timed, const struct ttrace_time *time,
                const struct ttrace_time_names *names)
{
    struct trace_times *times = times_of(trace);
    struct ttrace_time written = *time;

    times->names = names;
    while (times->count && times->ring[times->first].timed < timed)
        take_waiting(times);
    if (times->count && times->ring[times->first].timed == timed) {
        written.record = take_waiting(times);
        ttrace_writer_add_time(trace->lossless, &written, names);
        return;
    }
    times->has_early = true;
    times->early_timed = timed;
    times->early = written;
}

void trace_passes(struct trace *trace, const struct ttrace_pass *passes, size_t count,
                  const struct ttrace_time_names *names)
{
    ttrace_writer_add_passes(trace->lossless, passes, count, names);
}

static void write_end(struct trace *trace)
{
    ttrace_writer_end(trace->lossless);
    trace->lossless = NULL;
    if (trace->times)
        free(trace->times->ring);
    free(trace->times);
    trace->times = NULL;
}

const struct trace_syntax trace_lossless_syntax = {
    .header = write_header,
    .label = no_label,
    .line = write_record,
    .end = write_end,
};
