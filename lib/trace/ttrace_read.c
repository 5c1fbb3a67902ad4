/* See ttrace_read.h. */
#include "lib/trace/ttrace_read.h"
#include "isa_ids.h"
#include "lib/file.h"
#include "lib/leb128.h"
#include "lib/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
    END_SIZE = 12,          /* most bytes in the last block */
    BLOCK_LIMIT = 1 << 30,  /* most bytes in a block */
    SITE_SIZE = 5,          /* least bytes of a site */
    EFFECTS_LIMIT = 1 << 24 /* of a record */
};

/* Bytes that are still to be read. */
struct bytes {
    const unsigned char *at, *end;
};

struct site {
    uint64_t pc, word, trap_cause;
    uint8_t length, privilege, flags, count;
    int64_t next;
    uint64_t shapes[TTRACE_SHORT];
    uint64_t last[TTRACE_SLOTS], stride[TTRACE_SLOTS];
};

struct content {
    const unsigned char *bytes;
    size_t length;
    uint64_t hash;
};

struct ttrace_cursors {
    unsigned char *block;
    size_t block_capacity;
    struct bytes columns[TTRACE_COLUMNS];
    struct site *sites;
    size_t site_count, defined;
    int64_t last;
    uint64_t run;   /* sites still to be predicted before `after` */
    uint64_t after; /* the site after these */
    bool has_after;
    uint64_t left, sequence, index;
    uint64_t break_index, break_distance, break_thread, break_turn;
    bool has_break;
    struct ttrace_turns turns;
    struct content *contents;
    size_t content_count, content_capacity;
    struct arena arena;
    char **names;
    size_t name_count, name_capacity;
};

static bool damaged(struct ttrace *trace, const unsigned char *at, const char *why)
{
    struct position whole = {.name = trace->file.name};

    diag_error(trace->diag, &whole, "the trace is damaged at byte %llu: %s; record it again",
               (unsigned long long)(at - (const unsigned char *)trace->file.bytes), why);
    return false;
}

static size_t left_in(const struct bytes *bytes)
{
    return (size_t)(bytes->end - bytes->at);
}

static bool get(struct bytes *bytes, uint64_t *value)
{
    return leb128_get_unsigned(&bytes->at, bytes->end, value);
}

static bool get_byte(struct bytes *bytes, uint8_t *value)
{
    if (bytes->at == bytes->end)
        return false;
    *value = *bytes->at++;
    return true;
}

/* Takes `length` bytes. */
static const unsigned char *take(struct bytes *bytes, uint64_t length)
{
    const unsigned char *taken = bytes->at;

    if (length > left_in(bytes))
        return NULL;
    bytes->at += length;
    return taken;
}

/* Takes a length and as many bytes. */
static const unsigned char *take_string(struct bytes *bytes, uint64_t *length)
{
    return get(bytes, length) ? take(bytes, *length) : NULL;
}

/* ---- blocks ---- */

/* Decompresses a frame into `block`, which has its size. Sets `contents` to what follows the kind
 * and the length. */
static bool unpack(struct ttrace *trace, const unsigned char *frame, size_t length,
                   unsigned char *block, size_t size, enum ttrace_block kind,
                   struct bytes *contents)
{
    size_t got = ZSTD_decompress(block, size, frame, length);
    uint64_t inside;

    if (ZSTD_isError(got))
        return damaged(trace, frame, ZSTD_getErrorName(got));
    *contents = (struct bytes){block + 1, block + got};
    if (got < 2 || block[0] != kind || !get(contents, &inside) || inside != left_in(contents))
        return damaged(trace, frame, "a block has another kind or length than expected");
    return true;
}

static bool read_runs(struct ttrace *trace, struct bytes *bytes, struct ttrace_runs *runs)
{
    uint64_t count, end = 0, distance;

    if (!get(bytes, &count))
        return false;
    runs->is_everything = count == 0;
    if (count == 0)
        return true;
    runs->count = count - 1;
    if (runs->count > left_in(bytes) / 2)
        return false;
    runs->runs = arena_array(trace->arena, runs->count, sizeof *runs->runs);
    for (size_t i = 0; i < runs->count; i++) {
        struct ttrace_run *run = &runs->runs[i];
        if (!get(bytes, &distance) || !get(bytes, &run->count))
            return false;
        run->first = end + distance;
        end = run->first + run->count;
        if (run->first < distance || end < run->first)
            return false;
    }
    return true;
}

static bool read_registers(struct ttrace *trace, struct bytes *bytes,
                           struct ttrace_segment *segment)
{
    uint64_t count, file, number;

    if (!get(bytes, &count) || count > left_in(bytes) / 4)
        return false;
    segment->registers = arena_array(trace->arena, count, sizeof *segment->registers);
    segment->register_count = count;
    for (size_t i = 0; i < count; i++) {
        struct ttrace_known *known = &segment->registers[i];
        if (!get(bytes, &file) || !get(bytes, &number) || file >= isa_register_file_count ||
            number >= isa_register_files[file].count || !get(bytes, &known->when))
            return false;
        known->file = (uint32_t)file;
        known->number = (uint32_t)number;
        for (unsigned word = 0; word < isa_register_files[file].words; word++)
            if (!get(bytes, &known->words[word]))
                return false;
    }
    return true;
}

static bool read_values(struct ttrace *trace, struct bytes *bytes, bool are_states,
                        struct ttrace_known **list, size_t *list_count)
{
    uint64_t count, number = 0, length;

    if (!get(bytes, &count) || count > left_in(bytes) / 3)
        return false;
    *list = arena_array(trace->arena, count, sizeof **list);
    *list_count = count;
    for (size_t i = 0; i < count; i++) {
        struct ttrace_known *known = &(*list)[i];
        const unsigned char *name = are_states ? take_string(bytes, &length) : NULL;
        if (are_states ? !name : !get(bytes, &number))
            return false;
        if (name)
            known->name = arena_copy(trace->arena, (const char *)name, length);
        known->number = (uint32_t)number;
        if (!get(bytes, &known->when) || !get(bytes, &known->words[0]))
            return false;
    }
    return true;
}

static bool read_index(struct ttrace *trace, struct bytes *bytes, struct ttrace_segment *segment)
{
    return get(bytes, &segment->first_record) && get(bytes, &segment->record_count) &&
           get(bytes, &segment->first) && get(bytes, &segment->last) &&
           segment->first_record == trace->record_count && segment->record_count > 0 &&
           segment->record_count <= TTRACE_SEGMENT && read_runs(trace, bytes, &segment->read) &&
           read_runs(trace, bytes, &segment->written) && read_registers(trace, bytes, segment) &&
           read_values(trace, bytes, false, &segment->csrs, &segment->csr_count) &&
           read_values(trace, bytes, true, &segment->states, &segment->state_count);
}

static bool read_sources(struct ttrace *trace, struct bytes *bytes)
{
    uint64_t count, name_length, length;

    if (!get(bytes, &count) || count > left_in(bytes) / 2)
        return false;
    trace->sources = arena_array(trace->arena, count, sizeof *trace->sources);
    trace->source_count = count;
    for (size_t i = 0; i < count; i++) {
        const unsigned char *name = take_string(bytes, &name_length);
        const unsigned char *text = name ? take_string(bytes, &length) : NULL;
        if (!text)
            return false;
        trace->sources[i] = (struct ttrace_source){
            .name = arena_copy(trace->arena, (const char *)name, name_length),
            .bytes = (const char *)text,
            .length = length,
        };
    }
    return true;
}

static bool read_header(struct ttrace *trace, const unsigned char *frame, struct bytes *bytes)
{
    static const char magic[] = "ttrace";
    struct position whole = {.name = trace->file.name};
    const unsigned char *found = take(bytes, sizeof magic - 1), *isa, *program;
    uint64_t version, length;

    if (!found || memcmp(found, magic, sizeof magic - 1) != 0 || !get(bytes, &version)) {
        diag_error(trace->diag, &whole,
                   "found another file, expected a trace of temu "
                   "--trace=FILE.ttrace");
        return false;
    }
    if (version != TTRACE_VERSION) {
        diag_error(trace->diag, &whole,
                   "found version %llu of the format, expected %d; record the trace again",
                   (unsigned long long)version, TTRACE_VERSION);
        return false;
    }
    isa = take_string(bytes, &length);
    if (!isa)
        return damaged(trace, frame, "the header ends early");
    trace->isa = arena_copy(trace->arena, (const char *)isa, length);
    if (!get(bytes, &trace->machine) || !get(bytes, &trace->moved))
        return damaged(trace, frame, "the header ends early");
    program = take_string(bytes, &length);
    if (!program)
        return damaged(trace, frame, "the header ends early");
    trace->program = (const char *)program;
    trace->program_length = length;
    if (!read_sources(trace, bytes))
        return damaged(trace, frame, "a source ends early");
    uint64_t workers = 0;
    if (left_in(bytes) && (!get(bytes, &workers) || workers > TTRACE_WORKERS))
        return damaged(trace, frame, "the barrel is impossible");
    trace->workers = (unsigned)workers;
    return true;
}

/* A frame of the file. */
struct frame {
    const unsigned char *bytes;
    size_t length, size; /* compressed, decompressed */
};

enum found { FOUND_FRAME, FOUND_NONE, FOUND_DAMAGE };

/* Finds the frame at `at`. The end of the file in a frame is where the run was interrupted. */
static enum found find_frame(struct ttrace *trace, const unsigned char *at, struct frame *frame)
{
    const unsigned char *end = (const unsigned char *)trace->file.bytes + trace->file.length;
    size_t length = at < end ? ZSTD_findFrameCompressedSize(at, (size_t)(end - at)) : 0;

    if (at == end)
        return FOUND_NONE;
    if (ZSTD_isError(length)) {
        if (ZSTD_getErrorCode(length) == ZSTD_error_srcSize_wrong)
            return FOUND_NONE;
        damaged(trace, at, ZSTD_getErrorName(length));
        return FOUND_DAMAGE;
    }
    unsigned long long size = ZSTD_getFrameContentSize(at, (size_t)(end - at));
    if (size > BLOCK_LIMIT) { /* also an unknown size */
        damaged(trace, at, "the size of a block is unknown or more than 1 GiB");
        return FOUND_DAMAGE;
    }
    *frame = (struct frame){at, length, (size_t)size};
    return FOUND_FRAME;
}

/* ---- times ---- */

static void *resize(void *array, size_t count, size_t size)
{
    array = reallocarray(array, count ? count : 1, size);
    if (!array) {
        fputs("error: out of memory while a trace was read\n", stderr);
        exit(1);
    }
    return array;
}

/* The columns of a block of times. */
struct ttrace_columns {
    struct bytes items[TTRACE_TIME_COLUMNS];
};

static bool read_time_names(struct ttrace *trace, struct bytes *bytes)
{
    struct ttrace_time_names *names = &trace->time_names;
    uint64_t count, length;

    for (unsigned i = 0; i < TTRACE_NAMES; i++) {
        if (!get(bytes, &count) || count > TTRACE_NAMES_LIMIT)
            return false;
        names->counts[i] = (unsigned)count;
        for (uint64_t at = 0; at < count; at++) {
            const unsigned char *name = take_string(bytes, &length);
            if (!name)
                return false;
            names->names[i][at] = arena_copy(trace->arena, (const char *)name, length);
        }
    }
    return true;
}

static bool read_times(struct ttrace *trace, struct bytes *bytes, struct ttrace_timed *timed,
                       struct ttrace_columns *columns)
{
    uint64_t lengths[TTRACE_TIME_COLUMNS];

    if (!get(bytes, &timed->first) || !get(bytes, &timed->count) || timed->count == 0 ||
        !read_time_names(trace, bytes))
        return false;
    for (unsigned i = 0; i < TTRACE_TIME_COLUMNS; i++)
        if (!get(bytes, &lengths[i]))
            return false;
    for (unsigned i = 0; i < TTRACE_TIME_COLUMNS; i++) {
        const unsigned char *column = take(bytes, lengths[i]);
        if (!column || lengths[i] < timed->count)
            return false;
        columns->items[i] = (struct bytes){column, column + lengths[i]};
    }
    return left_in(bytes) == 0;
}

/* Decompresses a frame of times. Returns the block, which the caller frees, or NULL after a
 * diagnostic. */
static unsigned char *load_times(struct ttrace *trace, struct ttrace_timed *timed,
                                 struct ttrace_columns *columns)
{
    unsigned char *block = resize(NULL, timed->size, 1);
    struct bytes contents;

    if (unpack(trace, timed->bytes, timed->length, block, timed->size, TTRACE_TIMES, &contents) &&
        (read_times(trace, &contents, timed, columns) ||
         damaged(trace, timed->bytes, "the times are impossible")))
        return block;
    free(block);
    return NULL;
}

static bool add_times(struct ttrace *trace, const struct frame *frame)
{
    struct ttrace_timed timed = {
        .bytes = frame->bytes, .length = frame->length, .size = frame->size};
    struct ttrace_columns columns;
    unsigned char *block = load_times(trace, &timed, &columns);

    if (!block)
        return false;
    free(block);
    trace->timed = arena_grow(trace->arena, trace->timed, trace->timed_count,
                              &trace->timed_capacity, sizeof *trace->timed);
    trace->timed[trace->timed_count++] = timed;
    return true;
}

static bool read_conflicts(struct ttrace_clock *clock, struct ttrace_time *time)
{
    struct bytes *column = &clock->columns->items[TTRACE_TIME_CONFLICTS];
    uint64_t count;

    if (!get(column, &count) || count > TTRACE_CONFLICTS)
        return false;
    for (uint64_t i = 0; i < count; i++)
        if (!get(column, &clock->conflicts[i]))
            return false;
    time->conflicts = clock->conflicts;
    time->conflict_count = (unsigned)count;
    return true;
}

static bool read_time(struct ttrace_clock *clock, struct ttrace_time *time)
{
    const struct ttrace_time_names *names = &clock->trace->time_names;
    struct bytes *columns = clock->columns->items;
    uint64_t distance, start, cycle;

    if (!get(&columns[TTRACE_TIME_RECORDS], &distance) ||
        !get(&columns[TTRACE_TIME_STAGES], &start))
        return false;
    clock->record += distance;
    clock->cycle += ttrace_unzigzag(start);
    time->record = clock->record;
    time->cycles[TTRACE_F] = clock->cycle;
    for (unsigned i = TTRACE_F + 1; i < TTRACE_STAGES; i++) {
        if (!get(&columns[TTRACE_TIME_STAGES + i], &cycle))
            return false;
        time->cycles[i] = cycle ? clock->cycle + ttrace_unzigzag(cycle - 1) : TTRACE_NEVER;
    }
    return get_byte(&columns[TTRACE_TIME_STALLS], &time->stall) &&
           get_byte(&columns[TTRACE_TIME_WAITS], &time->wait) &&
           get_byte(&columns[TTRACE_TIME_UNITS], &time->unit) &&
           get(&columns[TTRACE_TIME_BLOCKERS], &time->blocker) && read_conflicts(clock, time) &&
           get_byte(&columns[TTRACE_TIME_ROWS], &time->row) &&
           get(&columns[TTRACE_TIME_LOCATED], &time->located) &&
           time->stall <= names->counts[TTRACE_STALL_NAMES] &&
           time->wait <= names->counts[TTRACE_WAIT_NAMES] &&
           time->unit <= names->counts[TTRACE_UNIT_NAMES];
}

bool ttrace_clock_next(struct ttrace_clock *clock, struct ttrace *trace, struct ttrace_time *time)
{
    clock->trace = trace;
    while (clock->left == 0) {
        free(clock->block);
        clock->block = NULL;
        if (clock->failed || clock->next == trace->timed_count)
            return false;
        if (!clock->columns)
            clock->columns = resize(NULL, 1, sizeof *clock->columns);
        struct ttrace_timed *timed = &trace->timed[clock->next++];
        clock->block = load_times(trace, timed, clock->columns);
        clock->failed = !clock->block;
        clock->left = timed->count;
        clock->record = timed->first;
        clock->cycle = 0;
        if (clock->failed)
            return false;
    }
    clock->left--;
    if (read_time(clock, time))
        return true;
    clock->left = 0;
    clock->failed = true;
    return damaged(trace, trace->timed[clock->next - 1].bytes, "a time is impossible");
}

void ttrace_clock_free(struct ttrace_clock *clock)
{
    free(clock->block);
    free(clock->columns);
}

/* Is the frame a block of times? The first bytes of its contents say so. */
static bool is_times(const struct frame *frame)
{
    ZSTD_DStream *stream = ZSTD_createDStream();
    unsigned char first = 0;
    ZSTD_inBuffer in = {frame->bytes, frame->length, 0};
    ZSTD_outBuffer out = {&first, 1, 0};

    if (!stream)
        return false;
    while (out.pos == 0 && in.pos < in.size)
        if (ZSTD_isError(ZSTD_decompressStream(stream, &out, &in)))
            break;
    ZSTD_freeDStream(stream);
    return first == TTRACE_TIMES;
}

/* Adds the segment of a frame of records and a frame of its index. */
static bool add_segment(struct ttrace *trace, const struct frame *records,
                        const struct frame *index)
{
    struct ttrace_segment segment = {.bytes = records->bytes, .length = records->length};
    struct bytes contents;
    unsigned char *block = arena_alloc(trace->arena, index->size + 1);

    if (!unpack(trace, index->bytes, index->length, block, index->size, TTRACE_INDEX, &contents))
        return false;
    if (!read_index(trace, &contents, &segment))
        return damaged(trace, index->bytes, "an index has impossible contents");
    trace->segments = arena_grow(trace->arena, trace->segments, trace->segment_count,
                                 &trace->segment_capacity, sizeof *trace->segments);
    trace->segments[trace->segment_count++] = segment;
    trace->record_count += segment.record_count;
    return true;
}

static bool read_segments(struct ttrace *trace, const unsigned char *at)
{
    struct frame records, index;
    unsigned char end[END_SIZE];
    struct bytes contents;
    enum found found;

    while ((found = find_frame(trace, at, &records)) == FOUND_FRAME) {
        at = records.bytes + records.length;
        if (records.size <= END_SIZE) {
            if (!unpack(trace, records.bytes, records.length, end, records.size, TTRACE_END,
                        &contents))
                return false;
            trace->is_complete = true;
            return true;
        }
        if (is_times(&records)) {
            if (!add_times(trace, &records))
                return false;
            continue;
        }
        found = find_frame(trace, at, &index);
        if (found != FOUND_FRAME)
            break;
        if (!add_segment(trace, &records, &index))
            return false;
        at = index.bytes + index.length;
    }
    return found != FOUND_DAMAGE;
}

bool ttrace_open(struct ttrace *trace, struct arena *arena, struct diag *diag, const char *name)
{
    static const unsigned char zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
    struct frame header;
    struct bytes contents;
    bool mapped;

    *trace = (struct ttrace){.arena = arena, .diag = diag};
    if (!file_map(arena, diag, NULL, name, &trace->file, &mapped))
        return false;
    const unsigned char *at = (const unsigned char *)trace->file.bytes;
    struct position whole = {.name = trace->file.name};
    if (trace->file.length < sizeof zstd || memcmp(at, zstd, sizeof zstd) != 0) {
        diag_error(diag, &whole,
                   "found another file, expected a trace of temu "
                   "--trace=FILE.ttrace");
        return false;
    }
    enum found found = find_frame(trace, at, &header);
    if (found == FOUND_NONE)
        return damaged(trace, at, "the header is incomplete");
    if (found == FOUND_DAMAGE)
        return false;
    unsigned char *block = arena_alloc(arena, header.size + 1);
    size_t got = ZSTD_decompress(block, header.size, header.bytes, header.length);
    if (!ZSTD_isError(got) && (got < 2 || block[0] != TTRACE_HEADER)) {
        diag_error(diag, &whole,
                   "found another file, expected a trace of temu "
                   "--trace=FILE.ttrace");
        return false;
    }
    return unpack(trace, header.bytes, header.length, block, header.size, TTRACE_HEADER,
                  &contents) &&
           read_header(trace, header.bytes, &contents) &&
           read_segments(trace, header.bytes + header.length);
}

/* ---- segments ---- */

static bool fail(struct ttrace_decoder *decoder, const char *why)
{
    decoder->failed = true;
    return damaged(decoder->trace, decoder->segment->bytes, why);
}

static bool read_columns(struct ttrace_cursors *cursors, struct bytes *contents,
                         const struct ttrace_segment *segment)
{
    uint64_t count, sites, lengths[TTRACE_COLUMNS];

    if (!get(contents, &count) || count != segment->record_count ||
        !get(contents, &cursors->sequence) || !get(contents, &sites))
        return false;
    for (unsigned i = 0; i < TTRACE_COLUMNS; i++)
        if (!get(contents, &lengths[i]))
            return false;
    for (unsigned i = 0; i < TTRACE_COLUMNS; i++) {
        const unsigned char *column = take(contents, lengths[i]);
        if (!column)
            return false;
        cursors->columns[i] = (struct bytes){column, column + lengths[i]};
    }
    cursors->left = count;
    cursors->sequence--;
    cursors->site_count = sites;
    return left_in(contents) == 0 && sites <= lengths[TTRACE_SITES] / SITE_SIZE;
}

static bool read_site(struct bytes *bytes, struct site *site)
{
    if (!get(bytes, &site->pc) || !get(bytes, &site->word) || !get_byte(bytes, &site->length) ||
        !get_byte(bytes, &site->privilege) || !get_byte(bytes, &site->flags))
        return false;
    if (site->flags & (TTRACE_TRAP | TTRACE_INTERRUPT) && !get(bytes, &site->trap_cause))
        return false;
    site->next = -1;
    if (site->length > 8 || site->length % 2)
        return false;
    if (site->flags & TTRACE_LONG)
        return true;
    if (!get_byte(bytes, &site->count) || site->count > TTRACE_SHORT)
        return false;
    for (unsigned i = 0; i < site->count; i++)
        if (!get(bytes, &site->shapes[i]))
            return false;
    return true;
}

/* Can an effect of a short record have this shape? */
static bool is_shape(uint64_t shape)
{
    unsigned kind = shape & 0xff, size = shape >> 8 & 0xff, file = shape >> 16 & 0xff;
    uint64_t number = shape >> 32;

    if (kind == EFFECT_REGISTER)
        return file < isa_register_file_count && number < isa_register_files[file].count;
    if (kind == EFFECT_LOAD || kind == EFFECT_STORE)
        return size >= 1 && size <= 8;
    return kind == EFFECT_CSR || kind == EFFECT_PRIVILEGE;
}

static bool read_sites(struct ttrace_cursors *cursors)
{
    cursors->sites = resize(cursors->sites, cursors->site_count, sizeof *cursors->sites);
    for (size_t i = 0; i < cursors->site_count; i++) {
        struct site *site = &cursors->sites[i];
        memset(site, 0, sizeof *site);
        if (!read_site(&cursors->columns[TTRACE_SITES], site))
            return false;
        for (unsigned shape = 0; shape < site->count; shape++)
            if (!is_shape(site->shapes[shape]))
                return false;
    }
    return true;
}

/* Reads where the next break is. */
static void next_break(struct ttrace_cursors *cursors)
{
    struct bytes *bytes = &cursors->columns[TTRACE_BREAKS];

    cursors->has_break = get(bytes, &cursors->break_index) &&
                         get(bytes, &cursors->break_distance) &&
                         get(bytes, &cursors->break_thread) &&
                         (!cursors->turns.workers || get(bytes, &cursors->break_turn));
}

/* Reads how many sites are predicted, and which comes then. */
static void next_order(struct ttrace_cursors *cursors)
{
    struct bytes *bytes = &cursors->columns[TTRACE_ORDER];

    cursors->has_after = get(bytes, &cursors->run) && get(bytes, &cursors->after);
}

bool ttrace_load(struct ttrace_decoder *decoder, struct ttrace *trace,
                 const struct ttrace_segment *segment)
{
    struct bytes contents;

    decoder->trace = trace;
    decoder->segment = segment;
    decoder->number = segment->first_record;
    decoder->failed = false;
    if (!decoder->cursors) {
        decoder->cursors = resize(NULL, 1, sizeof *decoder->cursors);
        memset(decoder->cursors, 0, sizeof *decoder->cursors);
    }
    struct ttrace_cursors *cursors = decoder->cursors;
    size_t size = (size_t)ZSTD_getFrameContentSize(segment->bytes, segment->length);
    if (size > cursors->block_capacity) {
        cursors->block = resize(cursors->block, size, 1);
        cursors->block_capacity = size;
    }
    cursors->content_count = cursors->name_count = 0;
    cursors->last = -1;
    cursors->index = 0;
    cursors->turns.workers = trace->workers;
    ttrace_turns_begin(&cursors->turns);
    arena_reset(&cursors->arena);
    cursors->names = NULL;
    cursors->name_capacity = 0;
    if (!unpack(trace, segment->bytes, segment->length, cursors->block, size, TTRACE_RECORDS,
                &contents)) {
        decoder->failed = true;
        return false;
    }
    if (!read_columns(cursors, &contents, segment) || !read_sites(cursors))
        return fail(decoder, "a segment has impossible columns");
    next_break(cursors);
    next_order(cursors);
    return true;
}

size_t ttrace_site_count(const struct ttrace_decoder *decoder)
{
    return decoder->cursors->site_count;
}

void ttrace_site(const struct ttrace_decoder *decoder, size_t number, struct ttrace_record *record)
{
    const struct site *site = &decoder->cursors->sites[number];

    *record = (struct ttrace_record){.pc = site->pc,
                                     .word = site->word,
                                     .length = site->length,
                                     .privilege = site->privilege,
                                     .flags = site->flags & (uint8_t)~TTRACE_LONG,
                                     .trap_cause = site->trap_cause};
}

void ttrace_decoder_free(struct ttrace_decoder *decoder)
{
    if (decoder->cursors) {
        free(decoder->cursors->block);
        free(decoder->cursors->sites);
        free(decoder->cursors->contents);
        arena_free(&decoder->cursors->arena);
        free(decoder->cursors);
    }
    recorder_free(&decoder->recorder);
    *decoder = (struct ttrace_decoder){0};
}

/* ---- long records ---- */

static const char *read_name(struct ttrace_cursors *cursors, struct bytes *bytes)
{
    uint64_t number, length;

    if (!get(bytes, &number) || number > cursors->name_count)
        return NULL;
    if (number)
        return cursors->names[number - 1];
    const unsigned char *name = take_string(bytes, &length);
    if (!name)
        return NULL;
    cursors->names = arena_grow(&cursors->arena, cursors->names, cursors->name_count,
                                &cursors->name_capacity, sizeof *cursors->names);
    return cursors->names[cursors->name_count++] =
               arena_copy(&cursors->arena, (const char *)name, length);
}

/* Reads which bytes were written, and their digest. */
static bool read_content(struct ttrace_decoder *decoder, struct bytes *bytes, struct effect *effect)
{
    struct ttrace_cursors *cursors = decoder->cursors;
    uint64_t length, number;

    if (!get(bytes, &length))
        return false;
    if (length == 0) {
        effect->value = hash_bytes(NULL, 0, 0);
        return true;
    }
    if (!get(bytes, &number) || number > cursors->content_count)
        return false;
    if (number == 0) {
        const unsigned char *fresh = take(&cursors->columns[TTRACE_BYTES], length);
        if (!fresh)
            return false;
        if (cursors->content_count == cursors->content_capacity) {
            cursors->content_capacity = 2 * cursors->content_capacity + 64;
            cursors->contents =
                resize(cursors->contents, cursors->content_capacity, sizeof *cursors->contents);
        }
        cursors->contents[cursors->content_count++] =
            (struct content){fresh, length, hash_bytes(fresh, length, 0)};
        number = cursors->content_count;
    }
    const struct content *content = &cursors->contents[number - 1];
    if (content->length != length)
        return false;
    effect->value = content->hash;
    recorder_keep_bytes(&decoder->recorder, effect, content->bytes, length);
    return true;
}

static bool read_number(struct bytes *bytes, uint32_t *number)
{
    uint64_t value;

    if (!get(bytes, &value) || value > UINT32_MAX)
        return false;
    *number = (uint32_t)value;
    return true;
}

static bool read_register(struct ttrace_decoder *decoder, struct bytes *bytes)
{
    uint64_t file, number, count, words[ISA_WORDS_LIMIT];

    if (!get(bytes, &file) || !get(bytes, &number) || !get(bytes, &count) ||
        file >= isa_register_file_count || number >= isa_register_files[file].count ||
        count > isa_register_files[file].words)
        return false;
    for (unsigned i = 0; i < (count ? count : 1); i++)
        if (!get(bytes, &words[i]))
            return false;
    if (count)
        recorder_add_words(&decoder->recorder, (unsigned)file, (unsigned)number, words,
                           (unsigned)count);
    else
        recorder_add_register(&decoder->recorder, (unsigned)file, (unsigned)number, words[0]);
    return true;
}

static bool read_state(struct ttrace_cursors *cursors, struct bytes *bytes, struct effect *effect)
{
    uint64_t number, dimension;

    effect->unit = read_name(cursors, bytes);
    effect->name = effect->unit ? read_name(cursors, bytes) : NULL;
    if (!effect->name || !get(bytes, &number) || !get(bytes, &dimension))
        return false;
    if (!*effect->unit)
        effect->unit = NULL;
    effect->number = (uint32_t)number - (effect->kind == EFFECT_STATE);
    effect->dimension = (int32_t)dimension - 1;
    if (effect->kind == EFFECT_HOP &&
        (!get(bytes, &effect->address) || !get(bytes, &effect->length)))
        return false;
    return get(bytes, &effect->value);
}

static bool read_effect(struct ttrace_decoder *decoder, struct bytes *bytes)
{
    uint8_t kind;

    if (!get_byte(bytes, &kind) || kind > EFFECT_HOP)
        return false;
    if (kind == EFFECT_REGISTER)
        return read_register(decoder, bytes);
    struct effect *effect = recorder_add(&decoder->recorder, (enum effect_kind)kind);
    switch (effect->kind) {
    case EFFECT_CSR:
        return read_number(bytes, &effect->number) && get(bytes, &effect->value);
    case EFFECT_PRIVILEGE:
        return get(bytes, &effect->value);
    case EFFECT_LOAD:
    case EFFECT_STORE:
        if (!get_byte(bytes, &effect->size) || effect->size < 1 || effect->size > 8)
            return false;
        effect->length = effect->size;
        return get(bytes, &effect->address) && get(bytes, &effect->value);
    case EFFECT_RANGE_READ:
        return get(bytes, &effect->address) && get(bytes, &effect->length);
    case EFFECT_RANGE_WRITE:
        return get(bytes, &effect->address) && get(bytes, &effect->length) &&
               read_content(decoder, bytes, effect);
    default:
        return read_state(decoder->cursors, bytes, effect);
    }
}

static bool read_long(struct ttrace_decoder *decoder, struct ttrace_record *record)
{
    struct bytes *bytes = &decoder->cursors->columns[TTRACE_EFFECTS];
    uint64_t count;

    if (!get(bytes, &count) || count > EFFECTS_LIMIT)
        return false;
    for (uint64_t i = 0; i < count; i++)
        if (!read_effect(decoder, bytes))
            return false;
    return !(record->flags & TTRACE_TRAP) || get(bytes, &record->trap_value);
}

/* ---- short records ---- */

static bool read_value(struct ttrace_cursors *cursors, struct site *site, unsigned slot,
                       const struct effect *load, uint64_t *value)
{
    struct bytes *values = &cursors->columns[TTRACE_VALUES];
    uint64_t coded = 0;
    uint8_t tag;

    if (!get_byte(&cursors->columns[TTRACE_TAGS], &tag))
        return false;
    if (tag == TAG_STRIDE) {
        site->last[slot] += site->stride[slot];
    } else if (tag <= 8) {
        const unsigned char *bytes = take(values, tag);
        if (!bytes)
            return false;
        for (unsigned i = 0; i < tag; i++)
            coded |= (uint64_t)bytes[i] << 8 * i;
        site->stride[slot] = ttrace_unzigzag(coded);
        site->last[slot] += site->stride[slot];
    } else if (tag <= TAG_BOXED && tag != TAG_SAME) {
        if (!load)
            return false;
        site->last[slot] = ttrace_extend(tag, load->value, load->size);
    } else if (tag != TAG_SAME) {
        return false;
    }
    *value = site->last[slot];
    return true;
}

static bool read_short(struct ttrace_decoder *decoder, struct site *site,
                       struct ttrace_record *record)
{
    struct ttrace_cursors *cursors = decoder->cursors;
    struct effect load;
    bool has_load = false;
    unsigned slot = 0;

    for (unsigned i = 0; i < site->count; i++) {
        uint64_t shape = site->shapes[i];
        struct effect *effect = recorder_add(&decoder->recorder, (enum effect_kind)(shape & 0xff));
        effect->size = (uint8_t)(shape >> 8);
        effect->file = (uint8_t)(shape >> 16);
        effect->number = (uint32_t)(shape >> 32);
        if (ttrace_has_address(effect->kind)) {
            effect->length = effect->size;
            if (!read_value(cursors, site, slot++, NULL, &effect->address))
                return false;
        }
        if (!read_value(cursors, site, slot++,
                        effect->kind == EFFECT_REGISTER && has_load ? &load : NULL, &effect->value))
            return false;
        if (effect->kind == EFFECT_LOAD) {
            load = *effect;
            has_load = true;
        }
    }
    return !(record->flags & TTRACE_TRAP) ||
           read_value(cursors, site, slot, NULL, &record->trap_value);
}

/* Returns the site of the next record, or NULL. */
static struct site *next_site(struct ttrace_cursors *cursors)
{
    int64_t next;

    if (cursors->run || !cursors->has_after) {
        next = cursors->last < 0 ? -1 : cursors->sites[cursors->last].next;
        cursors->run -= cursors->run != 0;
    } else {
        if (cursors->after >= cursors->site_count)
            return NULL;
        next = (int64_t)cursors->after;
        if (cursors->last >= 0)
            cursors->sites[cursors->last].next = next;
        next_order(cursors);
    }
    cursors->last = next;
    return next < 0 ? NULL : &cursors->sites[next];
}

bool ttrace_next(struct ttrace_decoder *decoder, struct ttrace_record *record)
{
    struct ttrace_cursors *cursors = decoder->cursors;

    if (decoder->failed || cursors->left == 0)
        return false;
    struct site *site = next_site(cursors);
    if (!site)
        return fail(decoder, "a record has no instruction");
    decoder->site = (size_t)(site - cursors->sites);
    uint64_t turn = cursors->turns.turn;
    cursors->sequence++;
    ttrace_turns_go_on(&cursors->turns);
    if (cursors->has_break && cursors->break_index == cursors->index) {
        cursors->sequence += ttrace_unzigzag(cursors->break_distance) - 1;
        ttrace_turns_set(&cursors->turns, (uint32_t)cursors->break_thread,
                         turn + ttrace_unzigzag(cursors->break_turn));
        next_break(cursors);
    }
    recorder_clear(&decoder->recorder);
    decoder->recorder.keeps_bytes = true;
    *record = (struct ttrace_record){.sequence = cursors->sequence,
                                     .pc = site->pc,
                                     .word = site->word,
                                     .length = site->length,
                                     .privilege = site->privilege,
                                     .flags = site->flags & (uint8_t)~TTRACE_LONG,
                                     .thread = cursors->turns.thread,
                                     .turn = cursors->turns.turn,
                                     .trap_cause = site->trap_cause,
                                     .recorder = &decoder->recorder};
    if (site->flags & TTRACE_LONG ? !read_long(decoder, record)
                                  : !read_short(decoder, site, record))
        return fail(decoder, "the effects of a record are impossible");
    cursors->left--;
    cursors->index++;
    decoder->number++;
    return true;
}

bool ttrace_runs_touch(const struct ttrace_runs *runs, uint64_t address, uint64_t length)
{
    uint64_t first = address >> TTRACE_GRANULE_BITS;
    uint64_t last = (address + (length ? length - 1 : 0)) >> TTRACE_GRANULE_BITS;
    size_t low = 0, high = runs->count;

    if (runs->is_everything)
        return true;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (runs->runs[middle].first + runs->runs[middle].count <= first)
            low = middle + 1;
        else
            high = middle;
    }
    return low < runs->count && runs->runs[low].first <= last;
}
