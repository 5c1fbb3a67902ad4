/* Skips stretches that are the same in both traces, which is nearly all of most comparisons. They
 * are found by comparing bytes and then cut into lines. Each line is only checked to look like a
 * record of its format; the parser counts or reports any other line. */
#include "emu/tdiff/tdiff.h"

#include <string.h>

enum { STRIDE = 4096 };

/* Returns how many bytes are the same from the beginning. */
static size_t same_bytes(const char *a, const char *b, size_t length)
{
    size_t at = 0;

    while (length - at >= STRIDE && memcmp(a + at, b + at, STRIDE) == 0)
        at += STRIDE;
    for (uint64_t left, right; length - at >= sizeof left; at += sizeof left) {
        memcpy(&left, a + at, sizeof left);
        memcpy(&right, b + at, sizeof right);
        if (left != right)
            return at + (unsigned)__builtin_ctzll(left ^ right) / 8;
    }
    while (at < length && a[at] == b[at])
        at++;
    return at;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Does the line begin like ` 123 0x0000000000010078 `? */
static bool looks_like_text(const char *line, const char *end)
{
    while (line < end && *line == ' ')
        line++;
    const char *number = line;
    while (line < end && is_digit(*line))
        line++;
    return line > number && end - line > 20 && memcmp(line, " 0x", 3) == 0 && line[19] == ' ';
}

/* Is the line `{…}`? */
static bool looks_like_json(const char *line, const char *end)
{
    return end - line > 2 && line[0] == '{' && (end[-1] == '}' || end[-2] == '}');
}

/* Does the line begin like `core 0: 0 0x0000000000010078 (0x…)`? Other lines of Spike have no
 * privilege level. */
static bool looks_like_spike(const char *line, const char *end)
{
    return end - line > 36 && memcmp(line, "core ", 5) == 0 && is_digit(line[7]) &&
           memcmp(line + 8, ": ", 2) == 0 && is_digit(line[10]) &&
           memcmp(line + 11, " 0x", 3) == 0 && memcmp(line + 30, " (0x", 4) == 0;
}

static bool looks_like_record(enum trace_format format, const char *line, const char *end)
{
    switch (format) {
    case TRACE_TEXT:
        return looks_like_text(line, end);
    case TRACE_JSON:
        return looks_like_json(line, end);
    case TRACE_SPIKE:
        return looks_like_spike(line, end);
    case TRACE_RISCV_DV:
    case TRACE_RVVI:
    case TRACE_LOSSLESS: /* has no lines */
        break;
    }
    return false;
}

/* Counts the whole lines at the beginning of `bytes`, up to one that does not look like a record.
 * *length receives their length. Returns their number. */
static size_t count_lines(enum trace_format format, const char *bytes, size_t *length)
{
    const char *line = bytes, *end = bytes + *length, *newline;
    size_t count = 0;

    while (line < end && (newline = memchr(line, '\n', (size_t)(end - line))) &&
           looks_like_record(format, line, newline)) {
        line = newline + 1;
        count++;
    }
    *length = (size_t)(line - bytes);
    return count;
}

static void skip(struct trace_input *input, size_t lines, size_t length)
{
    input->at += length;
    input->line += lines;
    input->records += lines;
}

enum read_result trace_inputs_skip_same(struct tdiff *tdiff, struct trace_input *a,
                                        struct trace_input *b)
{
    if (a->format != b->format)
        return READ_RECORD;
    for (;;) {
        size_t left_a = a->end - a->at, left_b = b->end - b->at;
        size_t shorter = left_a < left_b ? left_a : left_b;
        const char *bytes = a->window + a->at;
        size_t same = same_bytes(bytes, b->window + b->at, shorter);
        size_t length = same;
        size_t lines = count_lines(a->format, bytes, &length);
        skip(a, lines, length);
        skip(b, lines, length);
        /* The traces differ here, or a line does not look like a record. */
        if (same < shorter || (length < same && memchr(bytes + length, '\n', same - length)))
            return READ_RECORD;
        enum read_result more = trace_inputs_fill_same(tdiff, a, b);
        if (more == READ_END)
            more = trace_input_fill(tdiff, left_a <= left_b ? a : b);
        if (more != READ_RECORD)
            return more == READ_END ? READ_RECORD : more;
    }
}
