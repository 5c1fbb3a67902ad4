/* Cutting statements out of a source.
 *
 * The syntax of GNU as is line-oriented, but `;`, two kinds of comments, strings and the line
 * markers of the C preprocessor cut across lines. Each statement is copied with its comments
 * blanked, so that byte i of the copy is column i of the line. The text of an expansion is not in
 * any file: its lines have the numbers of the lines of the body that they come from, but are shown
 * as expanded. */
#include "asm/cut.h"
#include "asm/tasm.h"
#include <string.h>

const unsigned char cut_classes[256] = {
    ['\n'] = CUT_STOPS,          [';'] = CUT_STOPS,
    ['#'] = CUT_STOPS,           ['"'] = CUT_STOPS,
    ['\''] = CUT_STOPS,          ['/'] = CUT_STOPS, /* maybe of a comment */
    [' '] = CUT_BLANK,           ['\t'] = CUT_BLANK,
    ['\r'] = CUT_BLANK,          ['\f'] = CUT_BLANK,
    ['\v'] = CUT_BLANK,          ['a' ... 'z'] = CUT_IN_WORD,
    ['A' ... 'Z'] = CUT_IN_WORD, ['0' ... '9'] = CUT_IN_WORD,
    ['_'] = CUT_IN_WORD,         ['.'] = CUT_IN_WORD,
    ['$'] = CUT_IN_WORD,         [0x80 ... 0xff] = CUT_IN_WORD,
};

/* Applies a line marker of the C preprocessor, `# 12 "file.c" flags`; `line` is the text after the
 * `#`. */
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
    source->line_shift = (long)number - (long)source->file_line - 1; /* it numbers the next line */
    return true;
}

unsigned source_line(const struct source *source)
{
    unsigned line = source->file_line;

    if (source->period)
        line = (line - 1) % source->period + 1;
    return (unsigned)((long)line + source->line_shift);
}

struct position source_place(const struct source *source, const char *start)
{
    return (struct position){
        .file = source->text,
        .name = source->name,
        .line = source_line(source),
        .column = (unsigned)(start - source->line_start) + 1,
        .file_line = source->file_line,
        .from = source->from,
        .from_what = source->from_what,
    };
}

static struct position *source_position(struct assembler *as, const struct source *source,
                                        const char *start)
{
    struct position *at = arena_new(as->scratch, struct position);

    *at = source_place(source, start);
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

/* The state of reading one statement that is not plain text. */
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
    const char *end = cutter->source->end, *next = cutter->next + 1;

    while (next < end && *next != '"' && *next != '\n')
        next += *next == '\\' && next + 1 < end && next[1] != '\n' ? 2 : 1;
    if (next < end && *next == '"')
        next++;
    cut_copy(cutter, (size_t)(next - cutter->next));
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

/* Copies a comment as blanks. A comment that spans lines joins them, as in GNU as. */
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

const char *cut_plain(const char *text, const char *end)
{
    while (text < end && !(cut_class(*text) & CUT_STOPS))
        text++;
    return text;
}

/* Copies up to the end of the statement. */
static void cut_statement(struct cutter *cutter)
{
    const char *end = cutter->source->end;

    for (;;) {
        cut_copy(cutter, (size_t)(cut_plain(cutter->next, end) - cutter->next));
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

void source_skip(struct assembler *as, struct source *source)
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
        } else if (!(cut_class(c) & CUT_BLANK)) {
            return;
        }
    }
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
        while (cut_class(*text) & CUT_BLANK)
            text++;
        word = text;
        while (cut_class(*text) & CUT_IN_WORD)
            text++;
        end = after = text;
        while (cut_class(*after) & CUT_BLANK)
            after++;
        if (end == word || *after != ':')
            break;
    }
    statement->word_offset = (size_t)(word - statement->text);
    statement->word_length = (size_t)(end - word);
}

/* Changes the first word to lower case, because mnemonics, directives and macros may be written in
 * capitals. A name in an assignment stays as it is. */
static void lower_word(struct statement *statement)
{
    char *word = statement->text + statement->word_offset, *after = word + statement->word_length;

    while (cut_class(*after) & CUT_BLANK)
        after++;
    for (size_t i = 0; *after != '=' && i < statement->word_length; i++)
        if (word[i] >= 'A' && word[i] <= 'Z')
            word[i] = (char)(word[i] | 0x20);
}

void statement_own(struct assembler *as, struct statement *statement)
{
    char *copy = arena_alloc(as->scratch, statement->length + 3);

    memcpy(copy, statement->text, statement->length);
    statement->text = copy;
}

void statement_prepare(struct assembler *as, struct statement *statement)
{
    statement_find_word(statement);
    lower_word(statement);
    statement->word =
        word_get(&as->words, statement->text + statement->word_offset, statement->word_length);
}

static void report_nul(struct assembler *as, const struct statement *statement)
{
    const char *nul = memchr(statement->text, '\0', statement->length);
    struct position place =
        statement_place(statement, nul ? (size_t)(nul - statement->text) : 0, 1);

    if (nul)
        diag_error(as->diag, &place, "NUL byte in the source: this is not a text file");
}

/* Makes a statement of the text; false if the text is empty. */
static bool finish_statement(struct assembler *as, const char *text, size_t length,
                             struct position *at, struct statement *statement)
{
    while (length && cut_class(text[length - 1]) & CUT_BLANK)
        length--;
    if (!length)
        return false;
    at->length = (unsigned)length;
    *statement = (struct statement){.text = (char *)(uintptr_t)text, .length = length, .at = at};
    if (as->input.top->has_nul)
        report_nul(as, statement);
    return true;
}

void statement_begin(struct assembler *as, struct source *source, const char *start,
                     struct statement *statement)
{
    source->statement_line = source->file_line;
    *statement = (struct statement){.text = (char *)(uintptr_t)start,
                                    .at = source_position(as, source, start)};
}

void statement_end(struct statement *statement, const char *end)
{
    while (cut_class(end[-1]) & CUT_BLANK)
        end--;
    statement->length = (size_t)(end - statement->text);
    statement->at->length = (unsigned)statement->length;
}

/* Cuts the next statement out of its source, up to its separator. Plain text, the common case, is
 * taken without looking at each byte again. */
static bool cut_next(struct assembler *as, struct source *source, struct statement *statement)
{
    struct position *at = source_position(as, source, source->next);
    const char *text = source->next,
               *end = text == source->plain ? source->plain_end : cut_plain(text, source->end);

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

const char *source_peek(struct source *source, size_t *length)
{
    const char *text = source->next;

    while (text < source->end && cut_class(*text) & CUT_BLANK)
        text++;
    source->plain = text;
    source->plain_end = cut_plain(text, source->end);
    *length = (size_t)(source->plain_end - text);
    return text;
}

bool source_next(struct assembler *as, struct source *source, struct statement *statement)
{
    for (;;) {
        source_skip(as, source);
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
