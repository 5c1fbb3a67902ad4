/* See view.h: the records of a page.
 *
 * Records with the same instruction and the same kinds of effects have a form, and what differs
 * between them are values: the numbers of each effect, and for each register and range that was
 * read, how many records before wrote it last (0: before the first). A value is predicted to grow
 * by as much as it did the last time that the form occurred in the chunk, and the error is written
 * as a number of LEB128. */
#include "emu/ttrace/inputs.h"
#include "emu/ttrace/shadow.h"
#include "emu/ttrace/view.h"
#include "isa_ids.h"
#include "lib/bytes.h"
#include "lib/leb128.h"
#include "lib/map.h"
#include "lib/output.h"
#include "lib/timing/time.h"
#include "lib/trace/thread_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST_READ = 1 << 20,   /* bytes of a range whose contents are kept when it is read */
    POOL = 1 << 20,           /* bytes of contents in a part, or more for one that is longer */
    CONTENTS_LIMIT = 1 << 26, /* bytes of contents in the page */
    FUNCTIONS_LIMIT = 65535,
};

/* Bytes that units read, at most, whose contents are looked for: it takes seconds. */
#define READ_LIMIT (UINT64_C(1) << 32)

struct thread_writers {
    uint32_t registers[ISA_FILE_COUNT][ISA_REGISTER_LIMIT];
};

struct site {
    uint64_t pc, word;
    unsigned function;
    int unit;
};

struct form {
    uint32_t site;
    struct inputs inputs; /* the registers among them */
    uint64_t chunk;       /* plus 1, in which the predictions are valid */
    size_t slots;
    uint64_t *last, *stride;
};

struct content {
    uint32_t part, at, length;
};

struct view_records {
    struct ttrace_tool *tool;
    FILE *page;
    struct arena arena;
    struct map sites, forms, names, functions, contents, sources;
    struct form *form_items;
    struct site *site_items;
    size_t form_capacity, site_capacity;
    struct content *content_items;
    size_t content_count, content_capacity, contents_length;
    uint32_t pool_part;
    uint64_t bytes_read; /* whose contents were looked for */
    struct text json_sites, json_forms, json_start;
    struct text key, order, breaks, values, pool;
    struct shadow shadow;
    struct map threads;
    struct thread_writers *writers; /* of the thread `thread` */
    uint32_t thread;
    uint64_t count, sequence; /* records so far; the sequence number that is expected */
    size_t slot;              /* of the form, that is next */
};

/* ---- who wrote what ---- */

static struct thread_writers *thread_writers(struct view_records *records, uint32_t thread)
{
    struct map_entry *entry = map_entry(&records->threads, (const char *)&thread, sizeof thread);

    if (!entry->value)
        entry->value = arena_new(&records->arena, struct thread_writers);
    return entry->value;
}

/* ---- sites ---- */

/* Returns the number of the name in the map, from 1 on. */
static unsigned number_of(struct map *map, const char *name, size_t length)
{
    struct map_entry *entry = map_entry(map, name, length);

    if (!entry->value)
        entry->value = (void *)(uintptr_t)map->count;
    return (unsigned)(uintptr_t)entry->value;
}

/* Appends the number of the source file and the line. */
static void describe_line(struct view_records *records, uint64_t pc)
{
    struct text line = TEXT_INIT;
    const char *colon;

    if (source_append(records->tool->source, &line, pc) && (colon = strrchr(line.bytes, ':')))
        text_format(&records->json_sites, ",%u,%ld",
                    number_of(&records->sources, line.bytes, (size_t)(colon - line.bytes)),
                    strtol(colon + 1, NULL, 10));
    else
        text_append(&records->json_sites, ",0,0");
    text_free(&line);
}

/* Describes a site as [pc, word, length, disassembly, function, offset, source, line, unit, flags].
 */
static void describe_site(struct view_records *records, struct site *site,
                          const struct ttrace_record *record)
{
    struct ttrace_tool *tool = records->tool;
    struct text *json = &records->json_sites, code = TEXT_INIT;
    const struct elf_symbol *symbol =
        tool->has_program ? symbolizer_find(&tool->symbols, record->pc) : NULL;
    const struct isa_instruction *instruction =
        record->length ? isa_decode(record->word, record->length) : NULL;
    const struct time_unit *unit =
        instruction && !instruction->expansion ? time_unit_of(instruction->id) : NULL;

    *site = (struct site){.pc = record->pc, .word = record->word};
    site->unit = unit ? (int)(unit - time_units) : -1;
    if (symbol && records->functions.count < FUNCTIONS_LIMIT)
        site->function = number_of(&records->functions, symbol->name, strlen(symbol->name));
    if (record->flags & TTRACE_INTERRUPT)
        text_append(&code, "(interrupt)");
    else if (record->length == 0)
        text_append(&code, "(no instruction)");
    else
        disasm_instruction(&tool->disasm, &code, record->pc, record->word, record->length);
    for (char *tab = code.bytes; (tab = strchr(tab, '\t'));)
        *tab = ' ';
    text_format(json, "%s\n[\"%" PRIx64 "\",\"%" PRIx64 "\",%u,", json->length ? "," : "",
                record->pc, record->word, record->length);
    view_string(json, code.bytes, code.length);
    text_format(json, ",%u,%" PRIu64, site->function,
                site->function ? record->pc - symbol->raw.st_value : 0);
    describe_line(records, record->pc);
    text_format(json, ",%d,%u]", site->unit, record->flags);
    text_free(&code);
}

static uint32_t find_site(struct view_records *records, const struct ttrace_record *record)
{
    const uint64_t key[] = {record->pc, record->word, record->length,
                            record->flags & (TTRACE_INTERRUPT | TTRACE_TRAP)};
    size_t count = records->sites.count;
    unsigned number = number_of(&records->sites, (const char *)key, sizeof key) - 1;

    if (number == count) {
        records->site_items = arena_grow(&records->arena, records->site_items, count,
                                         &records->site_capacity, sizeof *records->site_items);
        describe_site(records, &records->site_items[number], record);
    }
    return number;
}

/* ---- forms ---- */

static void key_add(struct text *key, uint64_t part)
{
    text_append_bytes(key, &part, sizeof part);
}

/* Returns the shape of an effect, as far as it belongs to the form. */
static uint64_t shape_of(const struct effect *effect)
{
    uint64_t shape = ttrace_shape(effect);

    if (effect->kind == EFFECT_STATE || effect->kind == EFFECT_HOP)
        return effect->kind;
    return shape;
}

static void make_key(struct view_records *records, uint32_t site,
                     const struct ttrace_record *record)
{
    struct text *key = &records->key;

    text_clear(key);
    key_add(key, site);
    key_add(key, record->flags | (uint64_t)record->privilege << 8);
    key_add(key, record->trap_cause);
    for (size_t i = 0; i < record->recorder->count; i++) {
        const struct effect *effect = &record->recorder->effects[i];
        key_add(key, shape_of(effect));
        if (effect->kind == EFFECT_REGISTER)
            key_add(key, effect->length);
        if (effect->kind == EFFECT_STATE || effect->kind == EFFECT_HOP) {
            key_add(key,
                    number_of(&records->names, effect_unit(effect), strlen(effect_unit(effect))));
            key_add(key, number_of(&records->names, effect->name, strlen(effect->name)));
        }
    }
}

/* Returns how many values an effect has. */
static size_t slots_of(const struct effect *effect)
{
    static const uint8_t slots[] = {
        [EFFECT_CSR] = 1,        [EFFECT_PRIVILEGE] = 1,   [EFFECT_LOAD] = 3,  [EFFECT_STORE] = 2,
        [EFFECT_RANGE_READ] = 4, [EFFECT_RANGE_WRITE] = 3, [EFFECT_STATE] = 3, [EFFECT_HOP] = 5};

    return effect->kind == EFFECT_REGISTER ? (effect->length ? effect->length : 1)
                                           : slots[effect->kind];
}

/* Describes an effect as [kind, size, file, number], or with more for a register of several words
 * and for states. */
static void describe_effect(struct view_records *records, const struct effect *effect)
{
    struct text *json = &records->json_forms;

    text_format(json, "[%d,%u,%u,%u", effect->kind, effect->size, effect->file,
                effect->kind == EFFECT_STATE || effect->kind == EFFECT_HOP ? 0 : effect->number);
    if (effect->kind == EFFECT_REGISTER && effect->length)
        text_format(json, ",%" PRIu64, effect->length);
    if (effect->kind == EFFECT_STATE || effect->kind == EFFECT_HOP)
        text_format(json, ",%u,%u",
                    number_of(&records->names, effect_unit(effect), strlen(effect_unit(effect))),
                    number_of(&records->names, effect->name, strlen(effect->name)));
    text_append_char(json, ']');
}

/* Describes a form as [site, [registers that are read: [file, number]], [effects], cause of the
 * exception or -1, privilege level]. */
static void describe_form(struct view_records *records, struct form *form, uint32_t site,
                          const struct ttrace_record *record)
{
    struct text *json = &records->json_forms;
    struct inputs all;
    bool has_trap = record->flags & TTRACE_TRAP;

    inputs_find(&all, record);
    *form = (struct form){.site = site, .slots = has_trap};
    text_format(json, "%s\n[%" PRIu32 ",[", json->length ? "," : "", site);
    for (unsigned i = 0; i < all.count; i++) {
        if (all.places[i].kind != PLACE_REGISTER)
            continue;
        text_format(json, "%s[%u,%u]", form->inputs.count ? "," : "", all.places[i].file,
                    all.places[i].number);
        form->inputs.places[form->inputs.count++] = all.places[i];
    }
    form->slots += form->inputs.count;
    text_append(json, "],[");
    for (size_t i = 0; i < record->recorder->count; i++) {
        if (i)
            text_append_char(json, ',');
        describe_effect(records, &record->recorder->effects[i]);
        form->slots += slots_of(&record->recorder->effects[i]);
    }
    text_format(json, "],%" PRId64 ",%u]", has_trap ? (int64_t)record->trap_cause : -1,
                record->privilege);
    form->last = arena_array(&records->arena, form->slots, sizeof *form->last);
    form->stride = arena_array(&records->arena, form->slots, sizeof *form->stride);
}

static struct form *find_form(struct view_records *records, uint32_t site,
                              const struct ttrace_record *record)
{
    size_t count = records->forms.count;
    unsigned number;

    make_key(records, site, record);
    number = number_of(&records->forms, records->key.bytes, records->key.length) - 1;
    if (number == count) {
        records->form_items = arena_grow(&records->arena, records->form_items, count,
                                         &records->form_capacity, sizeof *records->form_items);
        describe_form(records, &records->form_items[number], site, record);
    }
    return &records->form_items[number];
}

/* ---- values ---- */

static void put_value(struct view_records *records, struct form *form, uint64_t value)
{
    size_t slot = records->slot++;
    uint64_t stride = value - form->last[slot];
    char *room = text_room(&records->values, LEB128_LIMIT);

    room += leb128_put_unsigned((unsigned char *)room, ttrace_zigzag(stride - form->stride[slot]));
    text_extend(&records->values, room);
    form->last[slot] = value;
    form->stride[slot] = stride;
}

/* Writes how many records ago the writer was; 0: before the first. */
static void put_writer(struct view_records *records, struct form *form, uint32_t writer)
{
    put_value(records, form, writer ? records->count + 1 - writer : 0);
}

static void flush_pool(struct view_records *records)
{
    char name[24];

    if (records->pool.length == 0)
        return;
    snprintf(name, sizeof name, "d%" PRIu32, records->pool_part++);
    view_part(records->page, name, &records->pool);
}

/* Returns the number of the content, from 1; 0: it is unknown, or the page has too much. */
static uint64_t find_content(struct view_records *records, const unsigned char *bytes,
                             size_t length, uint64_t digest)
{
    const uint64_t key[] = {digest, length};
    size_t count = records->contents.count;

    if (length == 0 || length + records->contents_length > CONTENTS_LIMIT)
        return (uintptr_t)map_get_bytes(&records->contents, (const char *)key, sizeof key);
    unsigned number = number_of(&records->contents, (const char *)key, sizeof key);
    if (number <= count)
        return number;
    records->content_items = arena_grow(&records->arena, records->content_items, count,
                                        &records->content_capacity, sizeof(struct content));
    records->content_items[count] =
        (struct content){records->pool_part, (uint32_t)records->pool.length, (uint32_t)length};
    records->contents_length += length;
    text_append_bytes(&records->pool, bytes, length);
    if (records->pool.length >= POOL)
        flush_pool(records);
    return number;
}

/* Returns the number of what a range had when it was read. */
static uint64_t content_read(struct view_records *records, const struct effect *effect)
{
    struct text bytes = TEXT_INIT;
    uint64_t number = 0;

    if (effect->length > LONGEST_READ || records->bytes_read > READ_LIMIT)
        return 0;
    records->bytes_read += effect->length;
    if (shadow_read(&records->shadow, effect->address, effect->length, &bytes) && bytes.length)
        number = find_content(records, (const unsigned char *)bytes.bytes, bytes.length,
                              hash_bytes(bytes.bytes, bytes.length, 0));
    text_free(&bytes);
    return number;
}

static void put_effect(struct view_records *records, struct form *form,
                       const struct recorder *recorder, const struct effect *effect)
{
    const uint64_t *words;
    unsigned count;

    switch (effect->kind) {
    case EFFECT_REGISTER:
        words = recorder_words(recorder, effect, &count);
        for (unsigned i = 0; i < count; i++)
            put_value(records, form, words[i]);
        return;
    case EFFECT_CSR:
    case EFFECT_PRIVILEGE:
        break;
    case EFFECT_LOAD:
    case EFFECT_STORE:
        put_value(records, form, effect->address);
        break;
    case EFFECT_RANGE_READ:
    case EFFECT_RANGE_WRITE:
        put_value(records, form, effect->address);
        put_value(records, form, effect->length);
        put_value(records, form,
                  effect->kind == EFFECT_RANGE_READ
                      ? content_read(records, effect)
                      : find_content(records, recorder->bytes + effect->bytes_at,
                                     effect->bytes_length, effect->value));
        break;
    case EFFECT_HOP:
    case EFFECT_STATE:
        put_value(records, form, effect->number);
        put_value(records, form, (uint64_t)effect->dimension);
        if (effect->kind == EFFECT_HOP) {
            put_value(records, form, effect->address);
            put_value(records, form, effect->length);
        }
        break;
    }
    if (effect->kind != EFFECT_RANGE_READ && effect->kind != EFFECT_RANGE_WRITE)
        put_value(records, form, effect->value);
    if (effect->kind == EFFECT_LOAD || effect->kind == EFFECT_RANGE_READ)
        put_writer(records, form,
                   shadow_last_writer(&records->shadow, effect->address, effect->length));
}

/* Takes what an effect of the start of a thread gave it. The first one stands for all registers, or
 * in a thread that a call made for none: it has those of the caller. */
static void take_thread(struct view_records *records, const struct ttrace_record *record,
                        const struct effect *effect, uint32_t writer)
{
    struct thread_writers *started = thread_writers(records, thread_started(effect));
    const struct isa_register_name *name = isa_find_register(effect->name);

    if (name) {
        started->registers[name->file - isa_register_files][name->number] = writer;
    } else if (thread_begins(effect) && record->flags & TTRACE_TRAP) {
        *started = *records->writers;
    } else if (thread_begins(effect)) {
        for (size_t file = 0; file < isa_register_file_count; file++)
            for (unsigned i = 0; i < isa_register_files[file].count; i++)
                started->registers[file][i] = writer;
    }
}

/* Takes what the effect wrote. A writer of 0 is the start. */
static void take_write(struct view_records *records, const struct ttrace_record *record,
                       const struct effect *effect, uint32_t writer)
{
    const struct recorder *recorder = record->recorder;
    const unsigned char *bytes = NULL;
    unsigned char stored[8];

    if (effect->kind == EFFECT_REGISTER) {
        records->writers->registers[effect->file][effect->number] = writer;
        return;
    }
    if (thread_started(effect))
        take_thread(records, record, effect, writer);
    if (effect->kind == EFFECT_STORE) {
        bytes_put(stored, effect->value, sizeof stored);
        bytes = stored;
    } else if (effect->kind != EFFECT_RANGE_WRITE) {
        return;
    } else if (effect->bytes_length == effect->length) {
        bytes = recorder->bytes + effect->bytes_at;
    }
    shadow_write(&records->shadow, effect->address, effect->length, writer, bytes);
}

/* ---- the records ---- */

/* The start: the values of registers, and memory. */
static void take_start(struct view_records *records, const struct ttrace_record *record)
{
    struct text *json = &records->json_start;
    unsigned count;

    for (size_t i = 0; i < record->recorder->count; i++) {
        const struct effect *effect = &record->recorder->effects[i];
        take_write(records, record, effect, 0);
        if (effect->kind != EFFECT_REGISTER)
            continue;
        const uint64_t *words = recorder_words(record->recorder, effect, &count);
        text_format(json, "%s\"%u:%u\":\"", json->length ? "," : "", effect->file, effect->number);
        text_format(json, "%" PRIx64, words[count - 1]);
        for (unsigned word = count - 1; word-- > 0;)
            text_format(json, "%016" PRIx64, words[word]);
        text_append_char(json, '"');
    }
}

static void end_chunk(struct view_records *records)
{
    uint64_t chunk = (records->count - 1) / VIEW_CHUNK;
    char name[24];

    text_append_bytes(&records->order, records->breaks.bytes, records->breaks.length);
    text_clear(&records->breaks);
    snprintf(name, sizeof name, "s%" PRIu64, chunk);
    view_part(records->page, name, &records->order);
    snprintf(name, sizeof name, "v%" PRIu64, chunk);
    view_part(records->page, name, &records->values);
}

/* Notes where the sequence number or the thread is not the expected one, or a chunk begins. */
static void note_break(struct view_records *records, const struct ttrace_record *record)
{
    uint64_t index = records->count % VIEW_CHUNK;

    if (index && record->sequence == records->sequence && record->thread == records->thread)
        return;
    view_word(&records->breaks, (uint32_t)index);
    view_word(&records->breaks, (uint32_t)record->sequence);
    view_word(&records->breaks, (uint32_t)(record->sequence >> 32));
    view_word(&records->breaks, record->thread);
    if (record->thread != records->thread)
        records->writers = thread_writers(records, record->thread);
    records->thread = record->thread;
}

uint32_t view_records_add(struct view_records *records, const struct ttrace_record *record)
{
    const struct recorder *recorder = record->recorder;

    if (record->flags & TTRACE_START) {
        take_start(records, record);
        return 0;
    }
    uint32_t site = find_site(records, record);
    struct form *form = find_form(records, site, record);
    note_break(records, record);
    uint64_t chunk = records->count / VIEW_CHUNK + 1;
    if (form->chunk != chunk) {
        memset(form->last, 0, form->slots * sizeof *form->last);
        memset(form->stride, 0, form->slots * sizeof *form->stride);
        form->chunk = chunk;
    }
    view_word(&records->order, (uint32_t)(form - records->form_items));
    records->slot = 0;
    for (unsigned i = 0; i < form->inputs.count; i++) {
        const struct place *place = &form->inputs.places[i];
        put_writer(records, form, records->writers->registers[place->file][place->number]);
    }
    for (size_t i = 0; i < recorder->count; i++)
        put_effect(records, form, recorder, &recorder->effects[i]);
    if (record->flags & TTRACE_TRAP)
        put_value(records, form, record->trap_value);
    for (size_t i = 0; i < recorder->count; i++)
        take_write(records, record, &recorder->effects[i], (uint32_t)records->count + 1);
    records->sequence = record->sequence + 1;
    records->count++;
    if (records->count % VIEW_CHUNK == 0)
        end_chunk(records);
    return site;
}

struct view_records *view_records_new(struct ttrace_tool *tool, FILE *page)
{
    struct view_records *records = calloc(1, sizeof *records);

    if (!records)
        output_end("ttrace: error: out of memory\n");
    records->tool = tool;
    records->page = page;
    struct map *const maps[] = {&records->sites,     &records->forms,    &records->names,
                                &records->functions, &records->contents, &records->sources,
                                &records->threads};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        map_init(maps[i], &records->arena);
    records->writers = thread_writers(records, 0);
    return records;
}

unsigned view_function(const struct view_records *records, uint32_t site)
{
    return records->site_items[site].function;
}

int view_unit(const struct view_records *records, uint32_t site)
{
    return records->site_items[site].unit;
}

static void put_names(struct text *json, const char *name, const struct map *map)
{
    text_format(json, ",\n\"%s\":[", name);
    for (size_t i = 0; i < map->count; i++) {
        text_append(json, i ? "," : "");
        view_string(json, map->entries[i].key, map->entries[i].key_length);
    }
    text_append_char(json, ']');
}

/* Appends the text of each source, or null. */
static void put_sources(const struct view_records *records, struct text *json)
{
    const struct ttrace *trace = &records->tool->trace;

    put_names(json, "sourceNames", &records->sources);
    text_append(json, ",\n\"sources\":[");
    for (size_t i = 0; i < records->sources.count; i++) {
        const struct map_entry *entry = &records->sources.entries[i];
        const struct ttrace_source *found = NULL;
        for (size_t at = 0; at < trace->source_count && !found; at++)
            if (strlen(trace->sources[at].name) == entry->key_length &&
                memcmp(trace->sources[at].name, entry->key, entry->key_length) == 0)
                found = &trace->sources[at];
        text_append(json, i ? "," : "");
        if (found)
            view_string(json, found->bytes, found->length);
        else
            text_append(json, "null");
    }
    text_append_char(json, ']');
}

void view_records_end(struct view_records *records, struct text *json)
{
    struct text table = TEXT_INIT;

    if (records->count % VIEW_CHUNK)
        end_chunk(records);
    flush_pool(records);
    for (size_t i = 0; i < records->contents.count; i++) {
        view_word(&table, records->content_items[i].part);
        view_word(&table, records->content_items[i].at);
        view_word(&table, records->content_items[i].length);
    }
    view_part(records->page, "contents", &table);
    text_free(&table);
    text_format(json, ",\n\"count\":%" PRIu64 ",\"chunk\":%d", records->count, VIEW_CHUNK);
    text_format(json, ",\"isBarrel\":%s", records->tool->trace.workers ? "true" : "false");
    text_format(json, ",\n\"sites\":[%s]",
                records->json_sites.length ? records->json_sites.bytes : "");
    text_format(json, ",\n\"forms\":[%s]",
                records->json_forms.length ? records->json_forms.bytes : "");
    text_format(json, ",\n\"start\":{%s}",
                records->json_start.length ? records->json_start.bytes : "");
    put_names(json, "names", &records->names);
    put_names(json, "functions", &records->functions);
    put_sources(records, json);
    shadow_free(&records->shadow);
    struct text *const texts[] = {&records->json_sites, &records->json_forms, &records->json_start,
                                  &records->key,        &records->order,      &records->breaks,
                                  &records->values,     &records->pool};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        text_free(texts[i]);
    arena_free(&records->arena);
    free(records);
}
