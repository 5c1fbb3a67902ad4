/* Statements from files and expansions.
 *
 * Problem: GNU syntax is line-oriented, but `;`, comments of two kinds, strings and line markers of
 * the C preprocessor cut across lines; and the text of an expansion is not in any file. Every
 * statement is copied out with its comments blanked, so that byte i of the copy is column i of the
 * line. An expansion's lines are numbered as the lines of the body they come from, but shown as
 * expanded.
 *
 * Invariant: a source on the stack is unfinished, or will be popped by the next input_next(). Depth
 * and the numbers of bytes and lines expanded are limited, so that recursion and runaway repetition
 * end with an error before the host's memory or the user's patience does. */
#include "asm/input.h"
#include "asm/tasm.h"
#include "lib/file.h"
#include <string.h>

enum { DEPTH_LIMIT = 200 };
static const unsigned long expansion_limit = 1ul << 28, line_limit = 1ul << 21;

/* What bytes are to the search for the end of a statement and of its first word. */
enum { STOPS = 1, IN_WORD = 2, BLANK = 4 };
static const unsigned char classes[256] = {
    ['\n'] = STOPS,  [';'] = STOPS,           ['#'] = STOPS,           ['"'] = STOPS,
    ['\''] = STOPS,  ['/'] = STOPS, /* maybe of a comment */
    [' '] = BLANK,   ['\t'] = BLANK,          ['\r'] = BLANK,          ['\f'] = BLANK,
    ['\v'] = BLANK,  ['a' ... 'z'] = IN_WORD, ['A' ... 'Z'] = IN_WORD, ['0' ... '9'] = IN_WORD,
    ['_'] = IN_WORD, ['.'] = IN_WORD,         ['$'] = IN_WORD,         [0x80 ... 0xff] = IN_WORD,
};

static unsigned class_of(char c)
{
    return classes[(unsigned char)c];
}

static struct source *push(struct assembler *as, enum source_kind kind,
                           const struct diag_file *text, const struct position *from,
                           const char *from_what)
{
    struct source *below = as->input.top;

    if (below && below->depth + 1 >= DEPTH_LIMIT) {
        diag_error(
            as->diag, from,
            "macros and includes nest more than %d deep: one seems to use itself without end",
            DEPTH_LIMIT);
        input_stop(as);
        return NULL;
    }
    struct source *source = arena_new(as->arena, struct source);
    *source = (struct source){
        .kind = kind,
        .text = text,
        .next = text->bytes,
        .line_start = text->bytes,
        .end = text->bytes + text->length,
        .file_line = 1,
        .from = from,
        .from_what = from_what,
        .has_nul = memchr(text->bytes, '\0', text->length) != NULL,
        .condition_depth = as->conditions.count,
        .depth = below ? below->depth + 1 : 0,
        .below = below,
    };
    as->input.top = source;
    return source;
}

static unsigned long count_lines(const char *text, size_t length)
{
    const char *end = text + length;
    unsigned long lines = 1;

    while ((text = memchr(text, '\n', (size_t)(end - text)))) {
        text++;
        lines++;
    }
    return lines;
}

/* Adds to a count; false if it passes the limit. */
static bool add_within(unsigned long *total, unsigned long limit, unsigned long each,
                       unsigned long count)
{
    unsigned long sum;

    if (__builtin_mul_overflow(each, count, &sum) || sum > limit - *total)
        return false;
    *total += sum;
    return true;
}

/* Counts text that the sources produce without the user having typed it; false, and the end, when
 * it is too much. */
static bool spend(struct assembler *as, const char *text, size_t length, unsigned long count,
                  const struct position *from)
{
    static const char *const what = "macros, repetitions and includes expand to more than";
    bool bytes = add_within(&as->input.expanded_bytes, expansion_limit, length + 1, count);

    if (bytes &&
        add_within(&as->input.expanded_lines, line_limit, count_lines(text, length), count))
        return true;
    if (bytes)
        diag_error(as->diag, from, "%s %lu lines", what, line_limit);
    else
        diag_error(as->diag, from, "%s %lu MiB of text", what, expansion_limit >> 20);
    input_stop(as);
    return false;
}

/* A byte order mark would become a part of the first word. */
static bool check_encoding(struct assembler *as, const struct diag_file *text)
{
    static const struct {
        const char *mark, *message;
    } marks[] = {
        {"\xef\xbb\xbf", "the file begins with a byte order mark; save it as UTF-8 without one"},
        {"\xff\xfe", "the file is UTF-16; expected ASCII or UTF-8"},
        {"\xfe\xff", "the file is UTF-16; expected ASCII or UTF-8"},
    };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t length = strlen(marks[i].mark);
        if (text->length < length || memcmp(text->bytes, marks[i].mark, length) != 0)
            continue;
        struct position at = {.name = text->name, .line = 1, .column = 1};
        diag_error(as->diag, &at, "%s", marks[i].message);
        return false;
    }
    return true;
}

bool input_push_file(struct assembler *as, const char *name, const struct position *from)
{
    struct diag_file *text = arena_new(as->arena, struct diag_file);

    if (!file_read(as->arena, as->diag, from, name, text))
        return false;
    word_list_add(as, &as->dependencies, name);
    if (!check_encoding(as, text))
        return false;
    if (from && !spend(as, text->bytes, text->length, 1, from))
        return false;
    if (!push(as, SOURCE_FILE, text, from, "included"))
        return false;
    listing_file(as);
    return true;
}

void input_push_text(struct assembler *as, enum source_kind kind, const struct body *origin,
                     const char *text, size_t length, unsigned period, unsigned long count,
                     const struct position *from, const char *from_what)
{
    if (!count || !spend(as, text, length, count, from))
        return;
    struct diag_file *file = arena_new(as->arena, struct diag_file);
    *file = (struct diag_file){.name = origin->name, .bytes = text, .length = length};
    struct source *source = push(as, kind, file, from, from_what);
    if (!source)
        return;
    source->line_shift = (long)origin->line - 1;
    source->period = period;
    source->repeats = count - 1;
}

/* `# 12 "file.c" flags`, as the C preprocessor writes it; `line` is the text behind the `#`. */
static bool line_marker(struct assembler *as, struct source *source, const char *line,
                        const char *end)
{
    while (line < end && text_is_blank(*line))
        line++;
    unsigned long number = 0;
    const char *digits = line;
    for (; line < end && *line >= '0' && *line <= '9' && number < 1u << 30; line++)
        number = number * 10 + (unsigned long)(*line - '0');
    if (line == digits)
        return false;
    while (line < end && text_is_blank(*line))
        line++;
    if (line == end || *line++ != '"')
        return false;
    const char *name = line;
    while (line < end && *line != '"')
        line++;
    if (line == end)
        return false;
    source->name = arena_copy(as->arena, name, (size_t)(line - name));
    source->line_shift =
        (long)number - (long)source->file_line - 1; /* it speaks of the next line */
    return true;
}

static struct position *source_position(struct assembler *as, const struct source *source,
                                        const char *start, const char *line_start)
{
    struct position *at = arena_new(as->scratch, struct position);
    unsigned line = source->file_line;

    if (source->period)
        line = (line - 1) % source->period + 1;
    *at = (struct position){
        .file = source->text,
        .name = source->name,
        .line = (unsigned)((long)line + source->line_shift),
        .column = (unsigned)(start - line_start) + 1,
        .file_line = source->file_line,
        .from = source->from,
        .from_what = source->from_what,
    };
    as->input.at = at;
    as->input.kept = NULL;
    return at;
}

const struct position *position_new(struct assembler *as, struct position at)
{
    struct position *copy = arena_new(as->arena, struct position);

    *copy = at;
    return copy;
}

const struct position *position_keep(struct assembler *as, const struct position *at)
{
    if (!at || at != as->input.at)
        return at;
    if (!as->input.kept)
        as->input.kept = position_new(as, *at);
    return as->input.kept;
}

/* Reading one statement: where we are, and the copy. */
struct cutter {
    struct assembler *as;
    struct source *source;
    const char *next;
    struct text *copy;
    const struct position *at;
};

static void cut_copy(struct cutter *cutter, size_t count)
{
    text_append_bytes(cutter->copy, cutter->next, count);
    cutter->next += count;
}

static void cut_string(struct cutter *cutter)
{
    const char *end = cutter->source->end;

    cut_copy(cutter, 1);
    while (cutter->next < end && *cutter->next != '"' && *cutter->next != '\n') {
        if (*cutter->next == '\\' && cutter->next + 1 < end && cutter->next[1] != '\n')
            cut_copy(cutter, 1);
        cut_copy(cutter, 1);
    }
    if (cutter->next < end && *cutter->next == '"')
        cut_copy(cutter, 1);
}

static void cut_character(struct cutter *cutter)
{
    const char *end = cutter->source->end;

    cut_copy(cutter, 1);
    if (cutter->next + 1 < end && *cutter->next == '\\' && cutter->next[1] != '\n')
        cut_copy(cutter, 1);
    if (cutter->next < end && *cutter->next != '\n')
        cut_copy(cutter, 1);
}

/* A comment becomes blanks; one that spans lines joins them, as in GNU as. */
static void cut_comment(struct cutter *cutter)
{
    const char *end = cutter->source->end, *start = cutter->next;
    unsigned lines = 0;

    for (cutter->next += 2; cutter->next < end; cutter->next++) {
        if (*cutter->next == '*' && cutter->next + 1 < end && cutter->next[1] == '/') {
            cutter->next += 2;
            break;
        }
        if (*cutter->next == '\n')
            lines++;
    }
    if (cutter->next >= end && (end - start < 4 || end[-1] != '/' || end[-2] != '*')) {
        struct position at = *cutter->at;
        at.column += (unsigned)cutter->copy->length;
        at.length = 2;
        diag_error(cutter->as->diag, &at, "unterminated comment: '*/' is missing");
    }
    cutter->source->file_line += lines;
    for (size_t width = lines ? 1 : (size_t)(cutter->next - start); width; width--)
        text_append_char(cutter->copy, ' ');
}

/* Up to where something else than plain text stands. */
static const char *plain_end(const char *text, const char *end)
{
    while (text < end && !(class_of(*text) & STOPS))
        text++;
    return text;
}

/* Copies up to the end of the statement. */
static void cut_statement(struct cutter *cutter)
{
    const char *end = cutter->source->end;

    for (;;) {
        cut_copy(cutter, (size_t)(plain_end(cutter->next, end) - cutter->next));
        if (cutter->next == end || *cutter->next == '\n' || *cutter->next == ';')
            return;
        if (*cutter->next == '#')
            while (cutter->next < end && *cutter->next != '\n')
                cutter->next++;
        else if (*cutter->next == '"')
            cut_string(cutter);
        else if (*cutter->next == '\'')
            cut_character(cutter);
        else if (cutter->next + 1 < end && cutter->next[1] == '*')
            cut_comment(cutter);
        else
            cut_copy(cutter, 1);
    }
}

/* Steps over what separates statements; a line marker is obeyed. */
static void skip_separators(struct assembler *as, struct source *source)
{
    bool line_start = source->next == source->line_start;

    for (; source->next < source->end; source->next++) {
        char c = *source->next;
        if (c == '\n') {
            source->file_line++;
            source->line_start = source->next + 1;
            line_start = true;
        } else if (c == '#') {
            const char *newline = memchr(source->next, '\n', (size_t)(source->end - source->next));
            const char *end = newline ? newline : source->end;
            if (line_start)
                line_marker(as, source, source->next + 1, end);
            source->next = end - 1;
        } else if (c == ';') {
            line_start = false;
        } else if (!(class_of(c) & BLANK)) {
            return;
        }
    }
}

/* Mnemonics, directives and macros may be written in capitals; a name that is assigned to is
 * itself. */
static void lower_word(struct statement *statement)
{
    char *word = statement->text + statement->word_offset, *after = word + statement->word_length;

    while (class_of(*after) & BLANK)
        after++;
    for (size_t i = 0; *after != '=' && i < statement->word_length; i++)
        if (word[i] >= 'A' && word[i] <= 'Z')
            word[i] = (char)(word[i] | 0x20);
}

void statement_prepare(struct assembler *as, struct statement *statement)
{
    statement_find_word(statement);
    lower_word(statement);
    statement->word =
        word_find(&as->words, statement->text + statement->word_offset, statement->word_length);
}

static void report_nul(struct assembler *as, const struct statement *statement)
{
    const char *nul = memchr(statement->text, '\0', statement->length);
    struct position place =
        statement_place(statement, nul ? (size_t)(nul - statement->text) : 0, 1);

    if (nul)
        diag_error(as->diag, &place, "NUL byte in the source: this is no text file");
}

/* Makes the statement of this text; false if it is empty. */
static bool finish_statement(struct assembler *as, const char *text, size_t length,
                             struct position *at, struct statement *statement)
{
    while (length && class_of(text[length - 1]) & BLANK)
        length--;
    if (!length)
        return false;
    at->length = (unsigned)length;
    *statement = (struct statement){
        .text = arena_alloc(as->scratch, length + 3), .length = length, .at = at};
    memcpy(statement->text, text, length);
    if (as->input.top->has_nul)
        report_nul(as, statement);
    return true;
}

/* Cuts the next statement out of its source, up to its terminator. Most are plain text. */
static bool cut_next(struct assembler *as, struct source *source, struct statement *statement)
{
    struct position *at = source_position(as, source, source->next, source->line_start);
    const char *text = source->next, *end = plain_end(text, source->end);

    source->statement_line = source->file_line;
    if (end == source->end || *end == '\n' || *end == ';') {
        source->next = end;
        return finish_statement(as, text, (size_t)(end - text), at, statement);
    }
    struct cutter cutter = {
        .as = as, .source = source, .next = text, .at = at, .copy = &as->input.copy};
    text_clear(cutter.copy);
    cut_statement(&cutter);
    source->next = cutter.next;
    return finish_statement(as, cutter.copy->bytes, cutter.copy->length, at, statement);
}

/* The next non-empty statement of the source; false at its end. */
static bool source_next(struct assembler *as, struct source *source, struct statement *statement)
{
    for (;;) {
        skip_separators(as, source);
        if (source->next >= source->end || diag_full(as->diag))
            return false;
        bool found = cut_next(as, source, statement);
        if (source->next < source->end && *source->next++ == '\n') {
            source->file_line++;
            source->line_start = source->next;
        }
        if (found)
            return true;
    }
}

bool input_next(struct assembler *as, struct statement *statement)
{
    while (as->input.top && !diag_full(as->diag)) {
        struct source *source = as->input.top;
        if (source_next(as, source, statement))
            return true;
        if (as->input.top != source)
            continue;
        condition_end_source(as, source->condition_depth);
        if (source->repeats) {
            source->repeats--;
            source->next = source->line_start = source->text->bytes;
            source->file_line = 1;
        } else {
            as->input.top = source->below;
        }
    }
    return false;
}

/* Printed line of the source's next byte. */
static unsigned next_line(const struct source *source)
{
    unsigned line = source->file_line;

    if (source->period)
        line = (line - 1) % source->period + 1;
    return (unsigned)((long)line + source->line_shift);
}

bool input_capture(struct assembler *as, const struct position *opener, const char *what,
                   bool (*opens)(const char *word), bool (*closes)(const char *word),
                   struct body *body)
{
    struct source *source = as->input.top;

    *body = (struct body){.text = source->next,
                          .name = source->name ? source->name : source->text->name,
                          .line = next_line(source)};
    unsigned depth = 1;
    for (;;) {
        const char *end = source->next;
        struct statement statement;
        if (!source_next(as, source, &statement)) {
            diag_error(as->diag, opener, "unterminated %s: its closing directive is missing", what);
            return false;
        }
        char word[16];
        statement_prepare(as, &statement);
        if (!statement.word_length || statement.word_length >= sizeof word)
            continue;
        memcpy(word, statement.text + statement.word_offset, statement.word_length);
        word[statement.word_length] = '\0';
        if (opens(word))
            depth++;
        else if (closes(word) && !--depth) {
            body->length = (size_t)(end - body->text);
            return true;
        }
    }
}

void input_set_line(struct assembler *as, unsigned number)
{
    struct source *source = as->input.top;
    bool next = source->next == source->line_start; /* the statement was the last of its line */

    source->line_shift = (long)number - (long)source->file_line - !next;
}

bool input_exit_macro(struct assembler *as)
{
    struct source *source = as->input.top;

    while (source && source->kind == SOURCE_REPEAT)
        source = source->below;
    if (!source || source->kind != SOURCE_MACRO)
        return false;
    condition_unwind(as, source->condition_depth);
    as->input.top = source->below;
    return true;
}

void input_stop(struct assembler *as)
{
    as->input.top = NULL;
    as->ended = true;
    condition_unwind(as, 0);
}

struct position statement_place(const struct statement *statement, size_t offset, size_t length)
{
    struct position at = *statement->at;

    at.column += (unsigned)offset;
    at.length = length ? (unsigned)length : 1;
    return at;
}

void statement_find_word(struct statement *statement)
{
    const char *text = statement->text, *word, *end, *after;

    for (;; text = after + 1) {
        while (class_of(*text) & BLANK)
            text++;
        word = text;
        while (class_of(*text) & IN_WORD)
            text++;
        end = after = text;
        while (class_of(*after) & BLANK)
            after++;
        if (end == word || *after != ':')
            break;
    }
    statement->word_offset = (size_t)(word - statement->text);
    statement->word_length = (size_t)(end - word);
}
