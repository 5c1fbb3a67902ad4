/* See ttrace_write.h. The cost of a record is what counts here: a program runs at the speed of
 * ttrace_writer_add. */
#include "lib/trace/ttrace_write.h"
#include "lib/trace/ttrace_site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = 1 << 15,
    BLOCK_SLOTS = 1 << 14,
    /* Most bytes of tags and values: the columns have room for them from the beginning. */
    TAGS_LIMIT = TTRACE_SEGMENT * TTRACE_SLOTS,
    VALUES_LIMIT = TTRACE_SEGMENT_BYTES + (CHECKED + 1) * TTRACE_SLOTS * 8,
};

static _Noreturn void end_without_memory(void)
{
    fputs("error: out of memory while the trace was written\n", stderr);
    exit(1);
}

static void *new_array(size_t count, size_t size)
{
    void *array = calloc(count, size);

    if (!array)
        end_without_memory();
    return array;
}

/* Hands over a block of this kind. `contents` is emptied. */
static void put_block(struct ttrace_writer *writer, enum ttrace_block kind, struct text *contents)
{
    struct text block = TEXT_INIT;

    text_append_char(&block, (char)kind);
    ttrace_put_number(&block, contents->length);
    text_append_bytes(&block, contents->bytes, contents->length);
    text_clear(contents);
    writer->put(writer->context, &block);
    text_free(&block);
}

static void put_string(struct text *text, const void *bytes, size_t length)
{
    ttrace_put_number(text, length);
    text_append_bytes(text, bytes, length);
}

/* Notes the registers that short records have written: those of a site as its last execution has
 * left them. This is once in a segment, because it would take time in each record. */
static void note_registers(struct ttrace_writer *writer)
{
    for (size_t i = 0; i < writer->site_count; i++) {
        const struct site *site = &writer->sites[i];
        const struct prediction *value = site->values;
        for (unsigned at = 0; at < site->count; at++, value++) {
            unsigned kind = ttrace_shape_kind(site->shapes[at]);
            value += ttrace_has_address(kind);
            if (kind != EFFECT_REGISTER)
                continue;
            index_note_register(&writer->index, ttrace_shape_file(site->shapes[at]),
                                ttrace_shape_number(site->shapes[at]), value->last, site->when);
        }
    }
}

static void put_index(struct ttrace_writer *writer)
{
    struct text text = TEXT_INIT;

    ttrace_put_number(&text, writer->total);
    ttrace_put_number(&text, writer->count);
    ttrace_put_number(&text, writer->first);
    ttrace_put_number(&text, writer->sequence);
    note_registers(writer);
    index_put(&writer->index, &text);
    put_block(writer, TTRACE_INDEX, &text);
    text_free(&text);
}

/* ---- segments ---- */

/* Gives the columns of tags and values their lengths. */
static void set_lengths(struct ttrace_writer *writer)
{
    text_extend(&writer->columns[TTRACE_TAGS], (char *)writer->cursor.tags);
    text_extend(&writer->columns[TTRACE_VALUES], (char *)writer->cursor.values);
}

static void begin_segment(struct ttrace_writer *writer)
{
    writer->total += writer->count;
    writer->count = writer->ordered = 0;
    writer->site_count = 0;
    writer->segment++;
    writer->last = NULL;
    ttrace_turns_begin(&writer->turns);
    writer->content_count = 0;
    writer->name_count = 0;
    memset(writer->slots, 0, SLOTS * sizeof *writer->slots);
    memset(writer->contents, 0, BLOCK_SLOTS * sizeof *writer->contents);
    arena_reset(&writer->names_arena);
    map_init(&writer->names, &writer->names_arena);
    for (unsigned i = 0; i < TTRACE_COLUMNS; i++)
        text_clear(&writer->columns[i]);
    writer->cursor.tags = (unsigned char *)text_room(&writer->columns[TTRACE_TAGS], TAGS_LIMIT);
    writer->cursor.values =
        (unsigned char *)text_room(&writer->columns[TTRACE_VALUES], VALUES_LIMIT);
}

static void end_segment(struct ttrace_writer *writer)
{
    struct text text = TEXT_INIT;

    if (writer->count == 0)
        return;
    set_lengths(writer);
    ttrace_put_number(&text, writer->count);
    ttrace_put_number(&text, writer->first);
    ttrace_put_number(&text, writer->site_count);
    for (unsigned i = 0; i < TTRACE_COLUMNS; i++)
        ttrace_put_number(&text, writer->columns[i].length);
    for (unsigned i = 0; i < TTRACE_COLUMNS; i++)
        text_append_bytes(&text, writer->columns[i].bytes, writer->columns[i].length);
    put_block(writer, TTRACE_RECORDS, &text);
    text_free(&text);
    put_index(writer);
    begin_segment(writer);
}

void ttrace_check_segment(struct ttrace_writer *writer)
{
    size_t bytes = 0;

    set_lengths(writer);
    for (unsigned i = 0; i < TTRACE_COLUMNS; i++)
        bytes += writer->columns[i].length;
    if (writer->count == TTRACE_SEGMENT || bytes > TTRACE_SEGMENT_BYTES)
        end_segment(writer);
}

struct ttrace_writer *ttrace_writer_new(const struct ttrace_about *about,
                                        void (*put)(void *context, struct text *block),
                                        void *context)
{
    struct ttrace_writer *writer = new_array(1, sizeof *writer);
    struct text header = TEXT_INIT;

    writer->put = put;
    writer->context = context;
    writer->turns.workers = about->workers;
    writer->sites = new_array(TTRACE_SEGMENT, sizeof *writer->sites);
    writer->slots = new_array(SLOTS, sizeof *writer->slots);
    writer->contents = new_array(BLOCK_SLOTS, sizeof *writer->contents);
    index_init(&writer->index);
    begin_segment(writer);
    text_append(&header, "ttrace");
    ttrace_put_number(&header, TTRACE_VERSION);
    put_string(&header, about->isa, strlen(about->isa));
    ttrace_put_number(&header, about->machine);
    ttrace_put_number(&header, about->moved);
    put_string(&header, about->program, about->program ? about->program_length : 0);
    ttrace_put_number(&header, about->source_count);
    if (about->source_count)
        text_append_bytes(&header, about->sources->bytes, about->sources->length);
    if (about->workers)
        ttrace_put_number(&header, about->workers);
    put_block(writer, TTRACE_HEADER, &header);
    text_free(&header);
    return writer;
}

/* ---- times ---- */

static void end_times(struct ttrace_writer *writer)
{
    struct times *times = &writer->times;
    struct text text = TEXT_INIT;

    if (times->count == 0)
        return;
    ttrace_put_number(&text, times->first);
    ttrace_put_number(&text, times->count);
    for (unsigned i = 0; i < TTRACE_NAMES; i++) {
        unsigned count = times->names->counts[i];
        ttrace_put_number(&text, count);
        for (unsigned at = 0; at < count; at++) {
            const char *name = times->names->names[i][at];
            put_string(&text, name, strlen(name));
        }
    }
    for (unsigned i = 0; i < TTRACE_TIME_COLUMNS; i++)
        ttrace_put_number(&text, times->columns[i].length);
    for (unsigned i = 0; i < TTRACE_TIME_COLUMNS; i++) {
        text_append_bytes(&text, times->columns[i].bytes, times->columns[i].length);
        text_clear(&times->columns[i]);
    }
    put_block(writer, TTRACE_TIMES, &text);
    text_free(&text);
    times->count = 0;
}

static void put_passes(struct times *times, const struct ttrace_time *time)
{
    struct text *column = &times->columns[TTRACE_TIME_PASSES];

    ttrace_put_number(column, time->pass_count);
    for (size_t i = 0; i < time->pass_count; i++) {
        const struct ttrace_pass *pass = &time->passes[i];
        ttrace_put_number(column, ttrace_zigzag(pass->turn - times->turn));
        ttrace_put_number(column, pass->thread);
        text_append_char(column, (char)pass->stall);
        times->turn = pass->turn;
    }
}

void ttrace_writer_add_time(struct ttrace_writer *writer, const struct ttrace_time *time,
                            const struct ttrace_time_names *names)
{
    struct times *times = &writer->times;
    uint64_t start = time->cycles[TTRACE_F];

    if (times->count == 0) {
        times->first = times->record = time->record;
        times->cycle = times->turn = 0;
        times->names = names;
    }
    ttrace_put_number(&times->columns[TTRACE_TIME_RECORDS], time->record - times->record);
    ttrace_put_number(&times->columns[TTRACE_TIME_STAGES], ttrace_zigzag(start - times->cycle));
    for (unsigned i = TTRACE_F + 1; i < TTRACE_STAGES; i++) {
        uint64_t cycle = time->cycles[i];
        ttrace_put_number(&times->columns[TTRACE_TIME_STAGES + i],
                          cycle == TTRACE_NEVER ? 0 : ttrace_zigzag(cycle - start) + 1);
    }
    text_append_char(&times->columns[TTRACE_TIME_STALLS], (char)time->stall);
    text_append_char(&times->columns[TTRACE_TIME_WAITS], (char)time->wait);
    text_append_char(&times->columns[TTRACE_TIME_UNITS], (char)time->unit);
    ttrace_put_number(&times->columns[TTRACE_TIME_BLOCKERS], time->blocker);
    ttrace_put_number(&times->columns[TTRACE_TIME_CONFLICTS], time->conflict_count);
    for (unsigned i = 0; i < time->conflict_count; i++)
        ttrace_put_number(&times->columns[TTRACE_TIME_CONFLICTS], time->conflicts[i]);
    text_append_char(&times->columns[TTRACE_TIME_ROWS], (char)time->row);
    ttrace_put_number(&times->columns[TTRACE_TIME_LOCATED], time->located);
    put_passes(times, time);
    times->record = time->record;
    times->cycle = start;
    if (++times->count == TTRACE_SEGMENT)
        end_times(writer);
}

void ttrace_writer_add_passes(struct ttrace_writer *writer, const struct ttrace_pass *passes,
                              size_t count, const struct ttrace_time_names *names)
{
    const struct ttrace_time time = {
        .record = record_when(writer) - 1,
        .cycles = {[0 ... TTRACE_STAGES - 1] = TTRACE_NEVER},
        .passes = passes,
        .pass_count = count,
    };

    ttrace_writer_add_time(writer, &time, names);
}

void ttrace_writer_end(struct ttrace_writer *writer)
{
    struct text end = TEXT_INIT;

    end_segment(writer);
    end_times(writer);
    ttrace_put_number(&end, writer->total);
    put_block(writer, TTRACE_END, &end);
    text_free(&end);
    for (unsigned i = 0; i < TTRACE_COLUMNS; i++)
        text_free(&writer->columns[i]);
    for (unsigned i = 0; i < TTRACE_TIME_COLUMNS; i++)
        text_free(&writer->times.columns[i]);
    free(writer->sites);
    free(writer->slots);
    free(writer->contents);
    free(writer->steps);
    index_free(&writer->index);
    arena_free(&writer->names_arena);
    free(writer);
}

/* ---- long records ---- */

/* Appends a name: its number in the segment plus 1, or 0 and the name. */
static void put_name(struct ttrace_writer *writer, struct text *text, const char *name)
{
    struct map_entry *entry = map_entry(&writer->names, name, strlen(name));

    if (entry->value) {
        ttrace_put_number(text, (uint64_t)(uintptr_t)entry->value);
        return;
    }
    entry->value = (void *)(uintptr_t)++writer->name_count;
    ttrace_put_number(text, 0);
    put_string(text, name, strlen(name));
}

/* Appends the number of the content plus 1, or 0 after adding it to the column of bytes. */
static void put_content(struct ttrace_writer *writer, struct text *text,
                        const struct recorder *recorder, const struct effect *effect)
{
    struct text *column = &writer->columns[TTRACE_BYTES];
    const unsigned char *bytes = recorder->bytes ? recorder->bytes + effect->bytes_at : NULL;
    struct content *content = &writer->contents[effect->value % BLOCK_SLOTS];

    ttrace_put_number(text, effect->bytes_length);
    if (effect->bytes_length == 0)
        return;
    if (content->number && content->length == effect->bytes_length &&
        content->hash == effect->value &&
        memcmp(column->bytes + content->at, bytes, content->length) == 0) {
        ttrace_put_number(text, content->number);
        return;
    }
    *content = (struct content){.hash = effect->value,
                                .at = column->length,
                                .length = effect->bytes_length,
                                .number = ++writer->content_count};
    ttrace_put_number(text, 0);
    text_append_bytes(column, bytes, effect->bytes_length);
}

static void put_effect(struct ttrace_writer *writer, struct text *text,
                       const struct recorder *recorder, const struct effect *effect)
{
    unsigned count;

    text_append_char(text, (char)effect->kind);
    switch (effect->kind) {
    case EFFECT_REGISTER: {
        const uint64_t *words = recorder_words(recorder, effect, &count);
        ttrace_put_number(text, effect->file);
        ttrace_put_number(text, effect->number);
        ttrace_put_number(text, effect->length);
        for (unsigned i = 0; i < count; i++)
            ttrace_put_number(text, words[i]);
        break;
    }
    case EFFECT_CSR:
        ttrace_put_number(text, effect->number);
        ttrace_put_number(text, effect->value);
        break;
    case EFFECT_PRIVILEGE:
        ttrace_put_number(text, effect->value);
        break;
    case EFFECT_LOAD:
    case EFFECT_STORE:
        ttrace_put_number(text, effect->size);
        ttrace_put_number(text, effect->address);
        ttrace_put_number(text, effect->value);
        break;
    case EFFECT_RANGE_READ:
        ttrace_put_number(text, effect->address);
        ttrace_put_number(text, effect->length);
        break;
    case EFFECT_RANGE_WRITE:
        ttrace_put_number(text, effect->address);
        ttrace_put_number(text, effect->length);
        put_content(writer, text, recorder, effect);
        break;
    case EFFECT_STATE:
        put_name(writer, text, effect_unit(effect));
        put_name(writer, text, effect->name);
        ttrace_put_number(text, effect->number + 1);
        ttrace_put_number(text, (uint64_t)(effect->dimension + 1));
        ttrace_put_number(text, effect->value);
        break;
    case EFFECT_HOP:
        put_name(writer, text, effect_unit(effect));
        put_name(writer, text, effect->name);
        ttrace_put_number(text, effect->number);
        ttrace_put_number(text, (uint64_t)(effect->dimension + 1));
        ttrace_put_number(text, effect->address);
        ttrace_put_number(text, effect->length);
        ttrace_put_number(text, effect->value);
        break;
    }
}

static void put_long(struct ttrace_writer *writer, const struct ttrace_record *record)
{
    struct text *text = &writer->columns[TTRACE_EFFECTS];
    const struct recorder *recorder = record->recorder;

    ttrace_put_number(text, recorder->count);
    for (size_t i = 0; i < recorder->count; i++) {
        put_effect(writer, text, recorder, &recorder->effects[i]);
        index_note(&writer->index, recorder, &recorder->effects[i], record_when(writer));
    }
    if (record->flags & TTRACE_TRAP)
        ttrace_put_number(text, record->trap_value);
}

/* ---- sites ---- */

static bool is_long(const struct recorder *recorder)
{
    if (!recorder)
        return false;
    if (recorder->count > TTRACE_SHORT)
        return true;
    for (size_t i = 0; i < recorder->count; i++)
        if (recorder->effects[i].kind > EFFECT_STORE || recorder->effects[i].is_wide)
            return true;
    return false;
}

/* What the records of a site have in common besides pc, encoding and effects. */
static inline uint32_t record_key(const struct ttrace_record *record)
{
    return record->length | (uint32_t)record->privilege << 8 | (uint32_t)record->flags << 16;
}

/* Is this record an execution of the site? */
static inline bool matches(const struct site *site, const struct ttrace_record *record)
{
    const struct recorder *recorder = record->recorder;

    if (site->pc != record->pc || site->word != record->word || site->key != record_key(record) ||
        (site->is_trap && site->trap_cause != record->trap_cause))
        return false;
    if (__builtin_expect(site->form == FORM_LONG, 0))
        return is_long(recorder);
    if (site->count != (recorder ? recorder->count : 0))
        return false;
    for (unsigned i = 0; i < site->count; i++)
        if (site->shapes[i] != ttrace_shape(&recorder->effects[i]))
            return false;
    return true;
}

/* Appends the definition of a new site. */
static void put_site(struct ttrace_writer *writer, const struct site *site,
                     const struct ttrace_record *record)
{
    struct text *text = &writer->columns[TTRACE_SITES];

    ttrace_put_number(text, site->pc);
    ttrace_put_number(text, site->word);
    text_append_char(text, (char)record->length);
    text_append_char(text, (char)record->privilege);
    text_append_char(text, (char)(record->flags | (site->form == FORM_LONG ? TTRACE_LONG : 0)));
    if (site->is_trap)
        ttrace_put_number(text, site->trap_cause);
    if (site->form == FORM_LONG)
        return;
    text_append_char(text, (char)site->count);
    for (unsigned i = 0; i < site->count; i++)
        ttrace_put_number(text, site->shapes[i]);
}

static enum site_form form_of(const struct site *site)
{
    unsigned first = ttrace_shape_kind(site->shapes[0]),
             second = ttrace_shape_kind(site->shapes[1]);

    if (site->is_trap || site->count > 2)
        return FORM_OTHER;
    if (site->count == 2)
        return first == EFFECT_LOAD && second == EFFECT_REGISTER ? FORM_LOADED : FORM_OTHER;
    if (site->count == 0)
        return FORM_NONE;
    return first == EFFECT_REGISTER ? FORM_REGISTER
           : first == EFFECT_STORE  ? FORM_STORE
                                    : FORM_OTHER;
}

static struct site *add_site(struct ttrace_writer *writer, const struct ttrace_record *record)
{
    const struct recorder *recorder = record->recorder;
    struct site **slot = &writer->slots[record->pc / 2 % SLOTS];
    struct site *site = &writer->sites[writer->site_count++];

    *site = (struct site){.pc = record->pc,
                          .word = record->word,
                          .key = record_key(record),
                          .is_trap = record->flags & (TTRACE_TRAP | TTRACE_INTERRUPT),
                          .trap_cause = record->trap_cause,
                          .chain = *slot};
    if (is_long(recorder)) {
        site->form = FORM_LONG;
    } else if (recorder) {
        site->count = (uint8_t)recorder->count;
        for (unsigned i = 0; i < site->count; i++)
            site->shapes[i] = ttrace_shape(&recorder->effects[i]);
        site->form = (uint8_t)form_of(site);
        site->size = (uint8_t)ttrace_shape_size(site->shapes[0]);
    }
    put_site(writer, site, record);
    return *slot = site;
}

static struct site *find_site(struct ttrace_writer *writer, const struct ttrace_record *record)
{
    for (struct site *site = writer->slots[record->pc / 2 % SLOTS]; site; site = site->chain)
        if (matches(site, record))
            return site;
    return add_site(writer, record);
}

void ttrace_put_order(struct ttrace_writer *writer, struct site *site, uint64_t number)
{
    ttrace_put_number(&writer->columns[TTRACE_ORDER], number - writer->ordered);
    ttrace_put_number(&writer->columns[TTRACE_ORDER], (uint64_t)(site - writer->sites));
    writer->ordered = number + 1;
    if (writer->last)
        writer->last->next = site;
}

/* Finds the site of a record that is not the expected one, and says which it is. */
static __attribute__((noinline)) struct site *other_site(struct ttrace_writer *writer,
                                                         const struct ttrace_record *record)
{
    struct site *found = find_site(writer, record);

    ttrace_put_order(writer, found, writer->count);
    return found;
}

static inline struct site *next_site(struct ttrace_writer *writer,
                                     const struct ttrace_record *record)
{
    struct site *site = writer->last ? writer->last->next : NULL;

    if (__builtin_expect(!site || !matches(site, record), 0))
        site = other_site(writer, record);
    return writer->last = site;
}

/* ---- values ---- */

const uint64_t *ttrace_put_other(struct ttrace_writer *writer, struct site *site,
                                 const uint64_t *words, bool is_first, uint64_t when)
{
    struct cursor *cursor = &writer->cursor;
    struct prediction *prediction = site->values;
    const uint64_t *load = NULL;
    unsigned size = 0;

    for (unsigned i = 0; i < site->count; i++) {
        uint64_t shape = site->shapes[i];
        unsigned kind = ttrace_shape_kind(shape);
        if (ttrace_has_address(kind)) {
            if (kind == EFFECT_LOAD) {
                load = words + 1;
                size = ttrace_shape_size(shape);
            }
            note_access(writer, prediction, kind, words[0], ttrace_shape_size(shape), is_first);
            put_access(cursor, prediction, words);
            prediction += 2;
            words += 2;
        } else if (kind == EFFECT_REGISTER && load) {
            put_loaded(cursor, prediction++, *words++, *load, size);
        } else {
            if (kind == EFFECT_CSR)
                index_note_csr(&writer->index, ttrace_shape_number(shape), *words, when);
            put_value(cursor, prediction++, *words++);
        }
    }
    if (site->key >> 16 & TTRACE_TRAP)
        put_value(cursor, prediction, *words++);
    return words;
}

/* Gathers the words of a short record and puts them. */
static inline void put_short(struct ttrace_writer *writer, struct site *site,
                             const struct ttrace_record *record)
{
    struct cursor cursor = writer->cursor;
    uint64_t gathered[TTRACE_SLOTS], *end = gathered;
    const uint64_t *words = gathered;

    if (site->form == FORM_REGISTER) {
        words = &record->recorder->effects->value;
    } else if (site->form != FORM_NONE) {
        for (unsigned i = 0; i < site->count; i++) {
            const struct effect *effect = &record->recorder->effects[i];
            *end = effect->address;
            end += ttrace_has_address(effect->kind);
            *end++ = effect->value;
        }
        *end = record->trap_value;
    }
    put_words(writer, &cursor, site, words, record_when(writer));
    writer->cursor = cursor;
}

/* Says where the sequence number, the thread or the turn is not the expected one. `turn` is that of
 * the record before. */
static void put_break(struct ttrace_writer *writer, const struct ttrace_record *record,
                      uint64_t turn)
{
    struct text *text = &writer->columns[TTRACE_BREAKS];

    ttrace_put_number(text, writer->count);
    ttrace_put_number(text, ttrace_zigzag(record->sequence - writer->sequence));
    ttrace_put_number(text, record->thread);
    if (writer->turns.workers)
        ttrace_put_number(text, ttrace_zigzag(record->turn - turn));
    ttrace_turns_set(&writer->turns, record->thread, record->turn);
}

static void note_thread(struct ttrace_writer *writer, const struct ttrace_record *record)
{
    if (!index_has_threads(&writer->index)) {
        note_registers(writer);
        index_begin_threads(&writer->index);
    }
    index_note_thread(&writer->index, record, record_when(writer));
}

uint64_t ttrace_writer_add(struct ttrace_writer *writer, const struct ttrace_record *record)
{
    uint64_t number = writer->total + writer->count;

    if (writer->count == 0) {
        writer->first = record->sequence;
        writer->sequence = record->sequence - 1;
    }
    uint64_t turn = writer->turns.turn;
    ttrace_turns_go_on(&writer->turns);
    if (record->sequence != writer->sequence + 1 || record->thread != writer->turns.thread ||
        (writer->turns.workers && record->turn != writer->turns.turn))
        put_break(writer, record, turn);
    writer->sequence = record->sequence;
    struct site *site = next_site(writer, record);
    if (__builtin_expect(site->form == FORM_LONG, 0))
        put_long(writer, record);
    else
        put_short(writer, site, record);
    if (__builtin_expect(record->thread != 0, 0))
        note_thread(writer, record);
    if (++writer->count % CHECKED == 0)
        ttrace_check_segment(writer);
    return number;
}
