/* The file of a lossless trace: the part of its reader (ttrace_read.h) that finds the blocks, and
 * reads the header and the indexes. */
#include "lib/file.h"
#include "lib/trace/ttrace_block.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
    END_SIZE = 12,         /* most bytes in the last block */
    BLOCK_LIMIT = 1 << 30, /* most bytes in a block */
};

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
                           struct ttrace_known **registers, size_t *register_count)
{
    uint64_t count, file, number;

    if (!get(bytes, &count) || count > left_in(bytes) / 4)
        return false;
    *registers = arena_array(trace->arena, count, sizeof **registers);
    *register_count = count;
    for (size_t i = 0; i < count; i++) {
        struct ttrace_known *known = &(*registers)[i];
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

static bool read_threads(struct ttrace *trace, struct bytes *bytes, struct ttrace_segment *segment)
{
    uint64_t count, number;

    if (!get(bytes, &count) || count > left_in(bytes) / 2)
        return false;
    segment->threads = arena_array(trace->arena, count, sizeof *segment->threads);
    segment->thread_count = count;
    for (size_t i = 0; i < count; i++) {
        struct ttrace_thread *thread = &segment->threads[i];
        if (!get(bytes, &number) || number == 0 || number > UINT32_MAX ||
            !read_registers(trace, bytes, &thread->registers, &thread->register_count))
            return false;
        thread->thread = (uint32_t)number;
    }
    return true;
}

static bool read_index(struct ttrace *trace, struct bytes *bytes, struct ttrace_segment *segment)
{
    return get(bytes, &segment->first_record) && get(bytes, &segment->record_count) &&
           get(bytes, &segment->first) && get(bytes, &segment->last) &&
           segment->first_record == trace->record_count && segment->record_count > 0 &&
           segment->record_count <= TTRACE_SEGMENT && read_runs(trace, bytes, &segment->read) &&
           read_runs(trace, bytes, &segment->written) &&
           read_registers(trace, bytes, &segment->registers, &segment->register_count) &&
           read_values(trace, bytes, false, &segment->csrs, &segment->csr_count) &&
           read_values(trace, bytes, true, &segment->states, &segment->state_count) &&
           read_threads(trace, bytes, segment) && left_in(bytes) == 0;
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

static void report_other_file(struct diag *diag, const struct position *file)
{
    diag_error(diag, file, "not a lossless trace; expected a file of temu --trace=FILE.ttrace");
}

static bool read_header(struct ttrace *trace, const unsigned char *frame, struct bytes *bytes)
{
    static const char magic[] = "ttrace";
    struct position whole = {.name = trace->file.name};
    const unsigned char *found = take(bytes, sizeof magic - 1), *isa, *program;
    uint64_t version, length;

    if (!found || memcmp(found, magic, sizeof magic - 1) != 0 || !get(bytes, &version)) {
        report_other_file(trace->diag, &whole);
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
        return block_damaged(trace, frame, "the header ends early");
    trace->isa = arena_copy(trace->arena, (const char *)isa, length);
    if (!get(bytes, &trace->machine) || !get(bytes, &trace->moved))
        return block_damaged(trace, frame, "the header ends early");
    program = take_string(bytes, &length);
    if (!program)
        return block_damaged(trace, frame, "the header ends early");
    trace->program = (const char *)program;
    trace->program_length = length;
    if (!read_sources(trace, bytes))
        return block_damaged(trace, frame, "a source ends early");
    uint64_t workers = 0;
    if (left_in(bytes) && (!get(bytes, &workers) || workers > TTRACE_WORKERS))
        return block_damaged(trace, frame, "the barrel is impossible");
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
        block_damaged(trace, at, ZSTD_getErrorName(length));
        return FOUND_DAMAGE;
    }
    unsigned long long size = ZSTD_getFrameContentSize(at, (size_t)(end - at));
    if (size > BLOCK_LIMIT) { /* also an unknown size */
        block_damaged(trace, at, "the size of a block is unknown or more than 1 GiB");
        return FOUND_DAMAGE;
    }
    *frame = (struct frame){at, length, (size_t)size};
    return FOUND_FRAME;
}

static bool add_times(struct ttrace *trace, const struct frame *frame)
{
    struct ttrace_timed timed = {
        .bytes = frame->bytes, .length = frame->length, .size = frame->size};
    struct ttrace_columns columns;
    unsigned char *block = clock_load(trace, &timed, &columns);

    if (!block)
        return false;
    free(block);
    trace->timed = arena_grow(trace->arena, trace->timed, trace->timed_count,
                              &trace->timed_capacity, sizeof *trace->timed);
    trace->timed[trace->timed_count++] = timed;
    return true;
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

    if (!block_unpack(trace, index->bytes, index->length, block, index->size, TTRACE_INDEX,
                      &contents))
        return false;
    if (!read_index(trace, &contents, &segment))
        return block_damaged(trace, index->bytes, "an index has impossible contents");
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
            if (!block_unpack(trace, records.bytes, records.length, end, records.size, TTRACE_END,
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
        report_other_file(diag, &whole);
        return false;
    }
    enum found found = find_frame(trace, at, &header);
    if (found == FOUND_NONE)
        return block_damaged(trace, at, "the header is incomplete");
    if (found == FOUND_DAMAGE)
        return false;
    unsigned char *block = arena_alloc(arena, header.size + 1);
    size_t got = ZSTD_decompress(block, header.size, header.bytes, header.length);
    if (!ZSTD_isError(got) && (got < 2 || block[0] != TTRACE_HEADER)) {
        report_other_file(diag, &whole);
        return false;
    }
    return block_unpack(trace, header.bytes, header.length, block, header.size, TTRACE_HEADER,
                        &contents) &&
           read_header(trace, header.bytes, &contents) &&
           read_segments(trace, header.bytes + header.length);
}

const struct ttrace_known *ttrace_thread_registers(const struct ttrace *trace,
                                                   const struct ttrace_segment *segment,
                                                   uint32_t thread, size_t *count)
{
    for (;; segment--) {
        for (size_t i = 0; i < segment->thread_count; i++) {
            if (segment->threads[i].thread != thread)
                continue;
            *count = segment->threads[i].register_count;
            return segment->threads[i].registers;
        }
        if (segment->thread_count == 0 && thread == 1) {
            *count = segment->register_count;
            return segment->registers;
        }
        if (segment == trace->segments || segment->thread_count == 0)
            break;
    }
    *count = 0;
    return NULL;
}

bool ttrace_has_threads(const struct ttrace *trace)
{
    for (size_t i = 0; i < trace->segment_count; i++)
        if (trace->segments[i].thread_count)
            return true;
    return false;
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
