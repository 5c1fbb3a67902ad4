/* The lossless trace (docs/ttrace-format.md): hands the records to the encoder of lib/trace/, and
 * its blocks to the compressing writer. */
#include "emu/trace/write.h"
#include "lib/arena.h"
#include "lib/map.h"
#include "lib/source.h"
#include "lib/trace/ttrace_write.h"

#include <string.h>

enum { SOURCES_LIMIT = 1 << 24 }; /* bytes of sources that a trace has at most */

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
        .trap_cause = record->trap ? record->trap->cause : 0,
        .trap_value = record->trap ? record->trap->value : 0,
        .recorder = record->recorder,
    };

    ttrace_writer_add(trace->lossless, &lossless);
    return true;
}

static void write_end(struct trace *trace)
{
    ttrace_writer_end(trace->lossless);
    trace->lossless = NULL;
}

const struct trace_syntax trace_lossless_syntax = {
    .header = write_header,
    .label = no_label,
    .line = write_record,
    .end = write_end,
};
