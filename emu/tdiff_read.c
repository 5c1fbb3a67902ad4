/* Traces as files: which format, which header, one record after the other. A line that does not
 * parse, or that ends with the file instead of a newline, is an error: a comparison that passes
 * over what it cannot read would prove nothing. */
#include "emu/tdiff.h"
#include "emu/trace_write.h"
#include "isa_ids.h"

#include "lib/file.h"
#include "lib/isa.h"
#include "lib/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- cursor ---- */

bool cursor_skip(struct cursor *cursor, const char *literal)
{
    size_t length = strlen(literal);

    if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, literal, length) != 0)
        return false;
    cursor->at += length;
    return true;
}

void cursor_blanks(struct cursor *cursor)
{
    while (cursor->at < cursor->end && *cursor->at == ' ')
        cursor->at++;
}

bool cursor_decimal(struct cursor *cursor, uint64_t *value)
{
    const char *at = cursor->at;
    uint64_t number = 0;

    for (; at < cursor->end && *at >= '0' && *at <= '9'; at++) {
        unsigned digit = (unsigned)(*at - '0');
        if (number > (UINT64_MAX - digit) / 10)
            return false;
        number = number * 10 + digit;
    }
    if (at == cursor->at)
        return false;
    cursor->at = at;
    *value = number;
    return true;
}

bool cursor_hex(struct cursor *cursor, uint64_t *value, unsigned *digits)
{
    const char *at = cursor->at;
    uint64_t number = 0;

    for (; at < cursor->end && text_hex_digit(*at) >= 0; at++) {
        if (at - cursor->at >= 16)
            return false;
        number = number << 4 | (unsigned)text_hex_digit(*at);
    }
    if (at == cursor->at)
        return false;
    if (digits)
        *digits = (unsigned)(at - cursor->at);
    cursor->at = at;
    *value = number;
    return true;
}

bool cursor_0x(struct cursor *cursor, uint64_t *value, unsigned *digits)
{
    struct cursor digits_at = *cursor;

    if (!cursor_skip(&digits_at, "0x") || !cursor_hex(&digits_at, value, digits))
        return false;
    cursor->at = digits_at.at;
    return true;
}

bool cursor_fail(struct cursor *cursor, const char *expected)
{
    if (!cursor->expected)
        cursor->expected = expected;
    return false;
}

bool cursor_copy(struct cursor *cursor, const char *end, char *target, size_t size)
{
    size_t length = (size_t)(end - cursor->at);
    bool fits = length < size;

    if (!fits)
        length = size - 1;
    memcpy(target, cursor->at, length);
    target[length] = 0;
    cursor->at = end;
    return fits;
}

/* ---- records ---- */

struct change *record_add(struct record *record, enum change_kind kind)
{
    struct change *change;

    if (record->count == record->capacity) {
        size_t capacity = record->capacity ? 2 * record->capacity : 16;
        struct change *changes = reallocarray(record->changes, capacity, sizeof *changes);
        if (!changes) {
            fputs("tdiff: error: the host has no memory left\n", stderr);
            exit(2);
        }
        record->changes = changes;
        record->capacity = capacity;
    }
    change = &record->changes[record->count++];
    *change = (struct change){.kind = kind};
    return change;
}

enum change_kind change_of_file(const struct isa_register_file *file)
{
    return file == &isa_register_files[ISA_FILE_X] ? CHANGE_X : CHANGE_F;
}

struct change *record_add_named(struct record *record, const char *name)
{
    const struct isa_register_name *found = isa_find_register(name);
    struct change *change;

    if (found) {
        change = record_add(record, change_of_file(found->file));
        name = found->file->names[found->number];
    } else {
        change = record_add(record, strpbrk(name, ".[") ? CHANGE_STATE : CHANGE_CSR);
    }
    snprintf(change->name, sizeof change->name, "%s", name);
    return change;
}

/* ---- lines ---- */

static bool detect(struct tdiff *tdiff, struct trace_input *input)
{
    struct cursor cursor = {.at = input->file.bytes, .end = input->file.bytes + input->file.length};
    struct position whole = {.name = input->file.name};

    if (cursor_skip(&cursor, "# tensor-trace"))
        input->kind = TRACE_KIND_TEXT;
    else if (cursor_skip(&cursor, "{"))
        input->kind = TRACE_KIND_JSON;
    else if (cursor_skip(&cursor, "core "))
        input->kind = TRACE_KIND_SPIKE;
    else if (input->file.length == 0)
        diag_error(&tdiff->diag, &whole, "is empty: expected a trace");
    else
        diag_error(
            &tdiff->diag, &whole,
            "is not a trace: expected '# tensor-trace' (text), '{' (json) or 'core ' (Spike's "
            "commit log) at the start");
    return !diag_failed(&tdiff->diag);
}

/* The end of a line that some editor or transfer has ended with CR LF. */
static const char *without_return(const char *start, const char *end)
{
    return end > start && end[-1] == '\r' ? end - 1 : end;
}

/* The next line; false at the end of the file. A line without a newline is reported. */
static enum read_result next_line(struct tdiff *tdiff, struct trace_input *input,
                                  struct cursor *cursor)
{
    const char *start = input->file.bytes + input->at;
    size_t left = input->file.length - input->at;
    const char *newline = left ? memchr(start, '\n', left) : NULL;

    if (left == 0)
        return READ_END;
    input->line++;
    if (!newline) {
        struct position at = {.file = &input->file, .line = (unsigned)input->line};
        diag_error(&tdiff->diag, &at,
                   "the file ends within this line: the trace is not complete, write it again");
        return READ_ERROR;
    }
    *cursor = (struct cursor){.at = start, .end = without_return(start, newline)};
    input->at += (size_t)(newline - start) + 1;
    return READ_RECORD;
}

static void report_line(struct tdiff *tdiff, const struct trace_input *input,
                        const struct cursor *cursor, const char *start)
{
    struct position at = {.file = &input->file,
                          .line = (unsigned)input->line,
                          .column = (unsigned)(cursor->at - start) + 1,
                          .length = 1};
    int length = cursor->end - cursor->at > 16 ? 16 : (int)(cursor->end - cursor->at);

    if (length == 0)
        diag_error(&tdiff->diag, &at, "the line ends, expected %s", cursor->expected);
    else
        diag_error(&tdiff->diag, &at, "found '%.*s', expected %s", length, cursor->at,
                   cursor->expected);
}

static bool read_header(struct tdiff *tdiff, struct trace_input *input)
{
    struct cursor cursor;
    struct position at = {.file = &input->file, .line = 1};
    uint64_t version = 0;
    bool good;

    if (input->kind == TRACE_KIND_SPIKE)
        return true;
    if (next_line(tdiff, input, &cursor) != READ_RECORD)
        return false;
    good = input->kind == TRACE_KIND_TEXT ? text_parse_header(&cursor, &input->header, &version)
                                          : json_parse_header(&cursor, &input->header, &version);
    if (!good) {
        report_line(tdiff, input, &cursor, input->file.bytes);
        return false;
    }
    if (version != TRACE_VERSION)
        diag_error(&tdiff->diag, &at,
                   "this is version %llu of the trace format; this tdiff reads version %d",
                   (unsigned long long)version, TRACE_VERSION);
    return version == TRACE_VERSION;
}

bool trace_input_open(struct tdiff *tdiff, struct trace_input *input, const char *name)
{
    *input = (struct trace_input){0};
    return file_read(&tdiff->arena, &tdiff->diag, NULL, name, &input->file) &&
           detect(tdiff, input) && read_header(tdiff, input);
}

static bool parse_line(const struct trace_input *input, struct cursor *cursor,
                       struct record *record, bool *skip)
{
    *skip = false;
    record->count = 0;
    record->length = 0;
    record->word = 0;
    record->symbol[0] = 0;
    switch (input->kind) {
    case TRACE_KIND_TEXT:
        return text_parse(cursor, record);
    case TRACE_KIND_JSON:
        return json_parse(cursor, record);
    case TRACE_KIND_SPIKE:
        return spike_parse(cursor, record, skip);
    }
    return false;
}

enum read_result trace_input_next(struct tdiff *tdiff, struct trace_input *input,
                                  struct record *record)
{
    struct cursor cursor;
    bool skip = true;

    while (skip) {
        enum read_result result = next_line(tdiff, input, &cursor);
        const char *start = cursor.at;
        if (result != READ_RECORD)
            return result;
        record->line = input->line;
        record->sequence = input->records;
        record->start = (size_t)(cursor.at - input->file.bytes);
        record->end = (size_t)(cursor.end - input->file.bytes);
        if (!parse_line(input, &cursor, record, &skip)) {
            report_line(tdiff, input, &cursor, start);
            return READ_ERROR;
        }
    }
    input->records++;
    return READ_RECORD;
}

void trace_input_reread(const struct trace_input *input, size_t line, size_t start, size_t end,
                        struct record *record)
{
    const char *bytes = input->file.bytes;
    struct cursor cursor = {.at = bytes + start, .end = without_return(bytes + start, bytes + end)};
    bool skip;

    record->line = line;
    record->start = start;
    record->end = end;
    if (!parse_line(input, &cursor, record, &skip) || skip)
        record->count = 0; /* the header, or a line that is passed over */
}
