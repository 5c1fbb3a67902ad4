/* Reads a trace: finds its format, reads the header, then one record after the other. A line that
 * cannot be parsed, or that ends with the file instead of a newline, is an error, because a
 * comparison that skips what it cannot read proves nothing. Lines are read through a window that
 * moves over the trace. */
#include "emu/tdiff/tdiff.h"
#include "isa_ids.h"

#include "lib/isa.h"
#include "lib/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the window ---- */

/* Sizes of the window. It fits into the cache of a processor core, or has room for some frames of a
 * compressed trace. A line that is longer than the window makes it grow. Then it is filled
 * completely, because the whole line is searched again after each read. */
enum { WINDOW = 1 << 18, WINDOW_OF_FRAMES = 1 << 22 };
enum { MIB = 1 << 20, BYTES_OF_CHANGE = 64 /* in a line, at least on average */ };

static enum read_result fail_window(struct tdiff *tdiff, const struct trace_input *input,
                                    const char *why)
{
    struct position at = {.name = input->stream.name, .line = (unsigned)input->line + 1};

    diag_error(&tdiff->diag, &at, "cannot read this line: %s", why);
    return READ_ERROR;
}

static enum read_result fail_long_line(struct tdiff *tdiff, const struct trace_input *input)
{
    struct position at = {.name = input->stream.name, .line = (unsigned)input->line + 1};

    diag_error(&tdiff->diag, &at,
               "cannot read this line: it is longer than %u MiB; --limit=%u reads lines of twice "
               "the length",
               tdiff->limit, 2 * tdiff->limit);
    return READ_ERROR;
}

static size_t window_size(const struct trace_input *input)
{
    return input->stream.context ? WINDOW_OF_FRAMES : WINDOW;
}

/* Moves the unread bytes to the front and makes room for at least half a window after them. Returns
 * false when memory runs out. */
static bool make_room(const struct tdiff *tdiff, struct trace_input *input)
{
    size_t left = input->end - input->at;
    size_t most = (size_t)tdiff->limit * MIB + window_size(input);

    if (left)
        memmove(input->window, input->window + input->at, left);
    input->at = 0;
    input->end = left;
    if (input->capacity - left >= window_size(input) / 2)
        return true;
    size_t capacity = input->capacity ? 2 * input->capacity : window_size(input);
    if (capacity > most)
        capacity = most;
    char *window = realloc(input->window, capacity);
    if (!window)
        return false;
    input->window = window;
    input->capacity = capacity;
    return true;
}

enum read_result trace_input_fill(struct tdiff *tdiff, struct trace_input *input)
{
    size_t got, before;

    if (input->ended)
        return READ_END;
    if (input->end - input->at >= (size_t)tdiff->limit * MIB)
        return fail_long_line(tdiff, input);
    if (!make_room(tdiff, input))
        return fail_window(tdiff, input, "the host has no memory left");
    before = input->end;
    do {
        if (!trace_stream_read(&input->stream, input->window + input->end,
                               input->capacity - input->end, &got))
            return READ_ERROR;
        input->end += got;
    } while (got && input->end < input->capacity && input->capacity > window_size(input));
    input->ended = got == 0;
    return input->end > before ? READ_RECORD : READ_END;
}

enum read_result trace_inputs_fill_same(struct tdiff *tdiff, struct trace_input *a,
                                        struct trace_input *b)
{
    size_t got;

    if (a->at < a->end || b->at < b->end)
        return READ_END;
    if (!make_room(tdiff, a) || !make_room(tdiff, b))
        return fail_window(tdiff, a, "the host has no memory left");
    size_t room = a->capacity < b->capacity ? a->capacity : b->capacity;
    if (!trace_streams_read_same(&a->stream, &b->stream, a->window, room, &got))
        return READ_ERROR;
    memcpy(b->window, a->window, got);
    a->end = b->end = got;
    return got ? READ_RECORD : READ_END;
}

/* ---- lines ---- */

/* Returns the length without a CR at the end, which some editor or transfer may have added. */
static size_t without_return(const char *bytes, size_t length)
{
    return length && bytes[length - 1] == '\r' ? length - 1 : length;
}

/* Returns the position of a line for a diagnostic, which prints the line. */
static struct position position_of(const struct diag_file *file, const struct trace_line *line)
{
    return (struct position){.file = file, .line = (unsigned)line->number, .file_line = 1};
}

static struct diag_file file_of(const struct trace_input *input, const struct trace_line *line)
{
    return (struct diag_file){
        .name = input->stream.name, .bytes = line->bytes, .length = line->length};
}

enum read_result trace_input_line(struct tdiff *tdiff, struct trace_input *input,
                                  struct trace_line *line)
{
    const char *newline = NULL;
    size_t searched = 0;
    enum read_result more = READ_RECORD;

    for (;;) {
        const char *start = input->window + input->at;
        size_t left = input->end - input->at;
        newline = left > searched ? memchr(start + searched, '\n', left - searched) : NULL;
        *line = (struct trace_line){input->line + 1, start, left};
        if (newline)
            break;
        searched = left;
        more = trace_input_fill(tdiff, input);
        if (more == READ_ERROR || (more == READ_END && left == 0))
            return more;
        if (more == READ_END) {
            const struct diag_file file = file_of(input, line);
            const struct position at = position_of(&file, line);
            diag_error(&tdiff->diag, &at,
                       "the file ends in the middle of this line: the trace is incomplete, write "
                       "it again");
            return READ_ERROR;
        }
    }
    line->length = without_return(line->bytes, (size_t)(newline - line->bytes));
    input->at += (size_t)(newline - line->bytes) + 1;
    input->line++;
    return READ_RECORD;
}

static void report_line(struct tdiff *tdiff, struct trace_input *input,
                        const struct trace_line *line, const struct cursor *cursor)
{
    if (!trace_stream_verify(&input->stream))
        return;
    const struct diag_file file = file_of(input, line);
    struct position at = position_of(&file, line);
    int length = cursor->end - cursor->at > 16 ? 16 : (int)(cursor->end - cursor->at);

    at.column = (unsigned)(cursor->at - line->bytes) + 1;
    at.length = 1;
    if (length == 0)
        diag_error(&tdiff->diag, &at, "the line ends, expected %s", cursor->expected);
    else
        diag_error(&tdiff->diag, &at, "found '%.*s', expected %s", length, cursor->at,
                   cursor->expected);
}

/* ---- format and header ---- */

static bool detect(struct tdiff *tdiff, struct trace_input *input)
{
    static const char text[] = "# tensor-trace";
    struct position whole = {.name = input->stream.name};
    enum read_result more = READ_RECORD;

    while (more == READ_RECORD && input->end < sizeof text)
        more = trace_input_fill(tdiff, input);
    if (more == READ_ERROR)
        return false;
    struct cursor cursor = {.at = input->window, .end = input->window + input->end};
    if (cursor_skip(&cursor, text))
        input->format = TRACE_TEXT;
    else if (cursor_skip(&cursor, "{"))
        input->format = TRACE_JSON;
    else if (cursor_skip(&cursor, "core "))
        input->format = TRACE_SPIKE;
    else if (!trace_stream_verify(&input->stream))
        return false;
    else if (input->end == 0)
        diag_error(&tdiff->diag, &whole, "is empty: expected a trace");
    else
        diag_error(
            &tdiff->diag, &whole,
            "is not a trace: expected '# tensor-trace' (text), '{' (json) or 'core ' (Spike's "
            "commit log) at the start");
    return !diag_failed(&tdiff->diag);
}

static bool read_header(struct tdiff *tdiff, struct trace_input *input)
{
    struct trace_line line;
    uint64_t version = 0;
    bool good;

    if (input->format == TRACE_SPIKE)
        return true;
    if (trace_input_line(tdiff, input, &line) != READ_RECORD)
        return false;
    struct cursor cursor = {.at = line.bytes, .end = line.bytes + line.length};
    good = input->format == TRACE_TEXT ? text_parse_header(&cursor, &input->header, &version)
                                       : json_parse_header(&cursor, &input->header, &version);
    if (!good) {
        report_line(tdiff, input, &line, &cursor);
        return false;
    }
    const struct diag_file file = file_of(input, &line);
    const struct position at = position_of(&file, &line);
    if (version != TRACE_VERSION)
        diag_error(&tdiff->diag, &at,
                   "this is version %llu of the trace format; this tdiff reads version %d",
                   (unsigned long long)version, TRACE_VERSION);
    return version == TRACE_VERSION;
}

bool trace_input_open(struct tdiff *tdiff, struct trace_input *input, const char *name)
{
    *input = (struct trace_input){0};
    return trace_stream_open(&input->stream, &tdiff->diag, name, tdiff->limit) &&
           detect(tdiff, input) && read_header(tdiff, input);
}

bool trace_input_convert(struct tdiff *tdiff, struct trace_input *input, const char *name,
                         enum trace_format format)
{
    *input = (struct trace_input){.format = format};
    return trace_stream_convert(&input->stream, &tdiff->arena, &tdiff->diag, name, format) &&
           read_header(tdiff, input);
}

bool trace_input_rewind(struct tdiff *tdiff, struct trace_input *input)
{
    input->at = input->end = input->line = input->records = 0;
    input->ended = false;
    return trace_stream_rewind(&input->stream) && read_header(tdiff, input);
}

void trace_input_close(struct trace_input *input)
{
    trace_stream_close(&input->stream);
    free(input->window);
}

/* ---- the records ---- */

static bool parse_line(enum trace_format format, struct cursor *cursor, struct record *record,
                       bool *skip)
{
    *skip = false;
    record->count = 0;
    record->length = 0;
    record->word = 0;
    record->symbol[0] = 0;
    record->thread[0] = 0;
    record->has_turn = false;
    switch (format) {
    case TRACE_TEXT:
        return text_parse(cursor, record);
    case TRACE_JSON:
        return json_parse(cursor, record);
    case TRACE_SPIKE:
        return spike_parse(cursor, record, skip);
    case TRACE_RISCV_DV:
    case TRACE_RVVI:
    case TRACE_LOSSLESS: /* these are not read */
        break;
    }
    return false;
}

bool trace_input_parse(struct tdiff *tdiff, struct trace_input *input,
                       const struct trace_line *line, struct record *record, bool *skip)
{
    struct cursor cursor = {.at = line->bytes, .end = line->bytes + line->length};

    record->line = *line;
    record->sequence = input->records;
    record->most = (size_t)tdiff->limit * MIB / BYTES_OF_CHANGE;
    record->is_full = false;
    if (parse_line(input->format, &cursor, record, skip)) {
        if (!record->is_full)
            return true;
        const struct position at = {.name = input->stream.name, .line = (unsigned)line->number};
        diag_error(&tdiff->diag, &at,
                   "cannot read this line: it has more than %zu effects; --limit=%u reads lines of "
                   "twice as many",
                   record->most, 2 * tdiff->limit);
        return false;
    }
    report_line(tdiff, input, line, &cursor);
    return false;
}

void trace_input_thread(const struct trace_input *input, const struct trace_line *line, char *name)
{
    static const char key[] = "\"thread\":\"";
    struct cursor cursor = {.at = line->bytes, .end = line->bytes + line->length};
    struct record record = {0};
    uint64_t number;

    strcpy(name, "t1");
    if (input->format == TRACE_JSON) {
        const char *found = memmem(cursor.at, line->length, key, sizeof key - 1);
        const char *from = found ? found + sizeof key - 1 : cursor.end;
        const char *end = memchr(from, '"', (size_t)(cursor.end - from));
        cursor.at = from;
        if (end)
            cursor_copy(&cursor, end, name, THREAD_SIZE);
        return;
    }
    if (input->format == TRACE_SPIKE) {
        if (cursor_skip(&cursor, "core")) {
            cursor_blanks(&cursor);
            if (cursor_decimal(&cursor, &number))
                snprintf(name, THREAD_SIZE, "core %u", (unsigned)number);
        }
        return;
    }
    cursor_blanks(&cursor);
    if (cursor_decimal(&cursor, &number) && cursor_skip(&cursor, " "))
        text_parse_thread(&cursor, &record);
    if (record.thread[0])
        strcpy(name, record.thread);
}

bool trace_input_has_thread(const struct trace_input *input, const struct trace_line *line)
{
    char name[THREAD_SIZE];

    trace_input_thread(input, line, name);
    return strcmp(name, input->thread) == 0;
}

enum read_result trace_input_next(struct tdiff *tdiff, struct trace_input *input,
                                  struct record *record)
{
    bool skip = true;

    while (skip) {
        struct trace_line line;
        enum read_result result = trace_input_line(tdiff, input, &line);
        if (result != READ_RECORD)
            return result;
        if (input->thread && !trace_input_has_thread(input, &line))
            continue;
        if (!trace_input_parse(tdiff, input, &line, record, &skip))
            return READ_ERROR;
    }
    input->records++;
    return READ_RECORD;
}
