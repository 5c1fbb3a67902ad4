#include "lib/diag.h"
#include "lib/map.h"
#include "lib/text.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_LIMIT   50
#define REPEATED_AS_ONE 100 /* repeated errors that count as one for the limit */
#define LONGEST_LINE    400 /* bytes of a source line that are shown */
#define LONGEST_ORIGIN  8   /* expansions and includes that are shown */

static FILE *stream_of(const struct diag *diag)
{
    return diag->stream ? diag->stream : stderr;
}

/* ---- color ---- */

/* The looks of gcc's and clang's messages, as terminals understand them (ECMA-48, 8.3.117). */
#define BOLD    "1"
#define ERROR   "1;31"
#define WARNING "1;35"
#define NOTE    "1;36"
#define CARET   "1;32"

static bool is_colored(const struct diag *diag)
{
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");

    if (diag->color != DIAG_COLOR_AUTO)
        return diag->color == DIAG_COLOR_YES;
    return !(none && *none) && terminal && strcmp(terminal, "dumb") != 0 &&
           isatty(fileno(stream_of(diag)));
}

static void begin_color(const struct diag *diag, const char *color)
{
    if (is_colored(diag))
        fprintf(stream_of(diag), "\033[%sm", color);
}

static void end_color(const struct diag *diag)
{
    if (is_colored(diag))
        fputs("\033[0m", stream_of(diag));
}

static void print_kind(const struct diag *diag, const char *kind)
{
    bool is_error = strcmp(kind, "error") == 0, is_note = strcmp(kind, "note") == 0;

    begin_color(diag, is_error ? ERROR : is_note ? NOTE : WARNING);
    fprintf(stream_of(diag), "%s: ", kind);
    end_color(diag);
}

/* ---- messages ---- */

static void print_tool(const struct diag *diag)
{
    begin_color(diag, BOLD);
    fprintf(stream_of(diag), "%s: ", diag->tool);
    end_color(diag);
}

static void print_place(const struct diag *diag, const struct position *at)
{
    FILE *stream = stream_of(diag);
    const char *name = at ? at->name ? at->name : at->file ? at->file->name : NULL : NULL;

    if (!name) {
        print_tool(diag);
        return;
    }
    struct text visible = TEXT_INIT;

    text_append_visible(&visible, name);
    begin_color(diag, BOLD);
    fprintf(stream, "%s:", visible.bytes);
    text_free(&visible);
    if (at->line)
        fprintf(stream, "%u:", at->line);
    if (at->line && at->column)
        fprintf(stream, "%u:", at->column);
    end_color(diag);
    fputc(' ', stream);
}

/* Returns the bytes of line `number` (from 1) without its newline, or NULL if the text has no such
 * line. */
static const char *find_line(const struct diag_file *file, unsigned number, size_t *length)
{
    const char *line = file->bytes, *end = file->bytes + file->length;

    while (--number) {
        line = memchr(line, '\n', (size_t)(end - line));
        if (!line)
            return NULL;
        line++;
    }
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    *length = (size_t)((newline ? newline : end) - line);
    return line;
}

static void print_source(const struct diag *diag, const struct position *at)
{
    if (!at || !at->file || !at->file->bytes || !at->line)
        return;
    FILE *stream = stream_of(diag);
    size_t length;
    const char *line = find_line(at->file, at->file_line ? at->file_line : at->line, &length);
    if (!line)
        return;
    if (length > LONGEST_LINE)
        length = LONGEST_LINE;
    fputs("    ", stream);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)line[i];
        if (c == '\t' || (c >= 0x20 && c != 0x7f))
            fputc(c, stream);
        else if (c != '\r')
            fputc('?', stream);
    }
    fputc('\n', stream);
    if (!at->column || at->column > length + 1)
        return;
    fputs("    ", stream);
    for (size_t i = 0; i + 1 < at->column; i++) {
        unsigned char c = (unsigned char)line[i];
        if ((c & 0xc0) != 0x80) /* continuation bytes of UTF-8 take no column */
            fputc(c == '\t' ? '\t' : ' ', stream);
    }
    begin_color(diag, CARET);
    fputc('^', stream);
    for (unsigned i = 1; i < at->length && at->column + i <= length; i++)
        if (((unsigned char)line[at->column - 1 + i] & 0xc0) != 0x80)
            fputc('~', stream);
    end_color(diag);
    fputc('\n', stream);
}

/* Shows where the text at this position came from: macro expansions and includes. Of a long chain
 * only the innermost and the outermost are shown. */
static void print_origin(const struct diag *diag, const struct position *at)
{
    unsigned length = 0, place = 0;

    for (const struct position *from = at; from && from->from; from = from->from)
        length++;
    for (; at && at->from; at = at->from, place++) {
        if (length > LONGEST_ORIGIN && place == LONGEST_ORIGIN - 1) {
            print_tool(diag);
            print_kind(diag, "note");
            fprintf(stream_of(diag), "%u more of these\n", length - LONGEST_ORIGIN);
        }
        if (place >= LONGEST_ORIGIN - 1 && place < length - 1)
            continue;
        print_place(diag, at->from);
        print_kind(diag, "note");
        fprintf(stream_of(diag), "%s\n", at->from_what ? at->from_what : "from here");
    }
}

static void print(struct diag *diag, const struct position *at, const char *kind,
                  const char *format, va_list arguments)
{
    struct text message = TEXT_INIT, visible = TEXT_INIT;

    text_vformat(&message, format, arguments);
    text_append_visible(&visible, message.bytes);
    print_place(diag, at);
    print_kind(diag, kind);
    fprintf(stream_of(diag), "%s\n", visible.bytes);
    text_free(&message);
    text_free(&visible);
    print_source(diag, at);
    if (strcmp(kind, "note") != 0)
        print_origin(diag, at);
}

static uint64_t hash_place(const struct position *at, uint64_t seed)
{
    const unsigned numbers[] = {at->line, at->column, at->file_line};
    const char *name = at->name ? at->name : at->file ? at->file->name : "";

    return hash_bytes(name, strlen(name), hash_bytes(numbers, sizeof numbers, seed));
}

/* Was the same message about the same expanded text shown before? Only a repetition has a text
 * more than once at one place. */
static bool is_repeated(struct diag *diag, const struct position *at, const char *format,
                        va_list arguments)
{
    unsigned size = sizeof diag->shown / sizeof *diag->shown;
    struct text message = TEXT_INIT;

    if (!at || !at->from)
        return false;
    text_vformat(&message, format, arguments);
    uint64_t hash = hash_text(message.bytes, message.length);
    text_free(&message);
    for (; at; at = at->from)
        hash = hash_place(at, hash);
    for (unsigned i = 0; i < diag->shown_count && i < size; i++)
        if (diag->shown[i] == hash)
            return true;
    diag->shown[diag->shown_count++ % size] = hash;
    return false;
}

static unsigned limit_of(const struct diag *diag)
{
    return diag->limit ? diag->limit : DEFAULT_LIMIT;
}

void diag_error(struct diag *diag, const struct position *at, const char *format, ...)
{
    bool was_full = diag_full(diag);

    diag->errors++;
    if (diag->quiet) {
        diag->hidden = true;
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    diag->hidden = is_repeated(diag, at, format, arguments);
    va_end(arguments);
    diag->repeated += diag->hidden;
    if (diag_full(diag) && !was_full) {
        print_tool(diag);
        print_kind(diag, "error");
        fprintf(stream_of(diag), "more than %u errors; the rest is not shown\n", limit_of(diag));
    }
    diag->hidden |= diag_full(diag);
    if (diag->hidden)
        return;
    va_start(arguments, format);
    print(diag, at, "error", format, arguments);
    va_end(arguments);
}

void diag_warning(struct diag *diag, const struct position *at, const char *format, ...)
{
    diag->hidden = diag->no_warnings;
    if (diag->hidden)
        return;
    if (diag->quiet) {
        diag->errors++;
        diag->hidden = true;
        return;
    }
    diag->warnings++;
    va_list arguments;
    va_start(arguments, format);
    diag->hidden = is_repeated(diag, at, format, arguments);
    va_end(arguments);
    if (diag->hidden)
        return;
    va_start(arguments, format);
    print(diag, at, "warning", format, arguments);
    va_end(arguments);
}

void diag_note(struct diag *diag, const struct position *at, const char *format, ...)
{
    if (diag->hidden)
        return;
    va_list arguments;
    va_start(arguments, format);
    print(diag, at, "note", format, arguments);
    va_end(arguments);
}

bool diag_failed(const struct diag *diag)
{
    return diag->errors > 0 || (diag->fatal_warnings && diag->warnings > 0);
}

bool diag_full(const struct diag *diag)
{
    return diag->errors - diag->repeated + diag->repeated / REPEATED_AS_ONE > limit_of(diag);
}

void diag_bug(const char *file, int line, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fprintf(stderr, "%s:%d: internal error: ", file, line);
    vfprintf(stderr, format, arguments);
    fputs("\nThis is a bug in the tool, not in your input; please report it.\n", stderr);
    va_end(arguments);
    abort();
}

void diag_description_mistake(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs("error in the ISA description: ", stderr);
    vfprintf(stderr, format, arguments);
    fputs("\nCorrect the description, and build the tools with it.\n", stderr);
    va_end(arguments);
    exit(EXIT_FAILURE);
}

/* ---- suggestions ---- */

#define LONGEST_WORD 64

static unsigned least(unsigned a, unsigned b, unsigned c)
{
    unsigned ab = a < b ? a : b;

    return ab < c ? ab : c;
}

/* Edits (insert, delete, replace, swap of neighbors) from a to b; UINT_MAX for long words. */
static unsigned edit_distance(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b);

    if (la > LONGEST_WORD || lb > LONGEST_WORD)
        return UINT_MAX;
    unsigned rows[3][LONGEST_WORD + 1];
    unsigned *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= lb; j++)
        last[j] = (unsigned)j;
    for (size_t i = 1; i <= la; i++) {
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= lb; j++) {
            now[j] = least(last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], before[j - 2] + 1, now[j]);
        }
        unsigned *oldest = before;
        before = last;
        last = now;
        now = oldest;
    }
    return last[lb];
}

void suggest_init(struct suggestion *suggestion, const char *word)
{
    *suggestion = (struct suggestion){.word = word};
}

void suggest_add(struct suggestion *suggestion, const char *candidate)
{
    unsigned length = (unsigned)strlen(suggestion->word);
    unsigned distance = edit_distance(suggestion->word, candidate);

    if (distance > 1 + length / 4)
        return;
    for (unsigned i = 0; i < suggestion->count; i++)
        if (strcmp(suggestion->best[i], candidate) == 0)
            return;
    unsigned place = suggestion->count;
    while (place > 0 && suggestion->distance[place - 1] > distance)
        place--;
    if (place == 3)
        return;
    for (unsigned i = suggestion->count < 3 ? suggestion->count : 2; i > place; i--) {
        suggestion->best[i] = suggestion->best[i - 1];
        suggestion->distance[i] = suggestion->distance[i - 1];
    }
    suggestion->best[place] = candidate;
    suggestion->distance[place] = distance;
    if (suggestion->count < 3)
        suggestion->count++;
}

const char *suggest_text(struct suggestion *suggestion)
{
    const char *const *best = suggestion->best;

    switch (suggestion->count) {
    case 0:
        return NULL;
    case 1:
        snprintf(suggestion->text, sizeof suggestion->text, "'%s'", best[0]);
        break;
    case 2:
        snprintf(suggestion->text, sizeof suggestion->text, "'%s' or '%s'", best[0], best[1]);
        break;
    default:
        snprintf(suggestion->text, sizeof suggestion->text, "'%s', '%s' or '%s'", best[0], best[1],
                 best[2]);
    }
    return suggestion->text;
}
