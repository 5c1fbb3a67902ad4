/* The stack of sources: files, and the texts that macros and repetitions expand to.
 *
 * A source stays on the stack until input_next() finds that it has no statement left. Limits on the
 * depth and on the output of expansions turn an endless recursion or repetition into an error,
 * before it uses up the memory of the host. */
#include "asm/input.h"
#include "asm/tasm.h"
#include "lib/file.h"
#include <string.h>

enum { DEPTH_LIMIT = 200 };
enum { MEMORY_OF_TEXT = 16 }; /* the memory of a run has up to so many times the size of its text */
static const unsigned long expansion_limit = 1ul << 28, line_limit = 1ul << 21;

static struct source *push(struct assembler *as, enum source_kind kind,
                           const struct diag_file *text, const struct position *from,
                           const char *from_what)
{
    struct source *below = as->input.top;

    if (below && below->depth + 1 >= DEPTH_LIMIT) {
        diag_error(as->diag, from,
                   "macros and includes nest more than %d deep: one of them seems to use itself "
                   "without end",
                   DEPTH_LIMIT);
        input_stop(as);
        return NULL;
    }
    struct source *source = as->input.spare;
    if (source)
        as->input.spare = source->below;
    else
        source = arena_new(as->arena, struct source);
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
        .has_lines = text->length && text->bytes[text->length - 1] == '\n',
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

/* Adds `count` times `each` to a total; false if that is above the limit. */
static bool add_within(unsigned long *total, unsigned long limit, unsigned long each,
                       unsigned long count)
{
    unsigned long sum;

    if (__builtin_mul_overflow(each, count, &sum) || sum > limit - *total)
        return false;
    *total += sum;
    return true;
}

/* Counts the text of expansions and includes. When it is too much, reports it, ends all sources,
 * and returns false. */
static bool count_expansion(struct assembler *as, const char *text, size_t length,
                            unsigned long count, const struct position *from)
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

/* Rejects a file that begins with a byte order mark, which would become part of its first word. */
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

bool input_push_file(struct assembler *as, const char *name, const char *path,
                     const struct position *from)
{
    struct diag_file *text = arena_new(as->arena, struct diag_file);
    bool mapped;

    if (!file_map(as->arena, as->diag, from, path, text, &mapped))
        return false;
    arena_expect(as->arena, MEMORY_OF_TEXT * text->length);
    if (path != name)
        text->name = name;
    strings_add(&as->dependencies, as->arena, path);
    if (!check_encoding(as, text))
        return false;
    if (from && !count_expansion(as, text->bytes, text->length, 1, from))
        return false;
    struct source *source = push(as, SOURCE_FILE, text, from, "included");
    if (!source)
        return false;
    source->mapped = mapped;
    listing_file(as);
    return true;
}

void input_push_text(struct assembler *as, enum source_kind kind, const struct body *origin,
                     const char *text, size_t length, unsigned period, unsigned long count,
                     const struct position *from, const char *from_what)
{
    if (!count || !count_expansion(as, text, length, count, from))
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
            if (source->mapped) /* only messages and bodies of macros read it again */
                file_release(source->text->bytes, source->text->length);
            as->input.top = source->below;
            if (source->kind != SOURCE_FILE) { /* the listing refers to files */
                source->below = as->input.spare;
                as->input.spare = source;
            }
        }
    }
    return false;
}

bool input_capture(struct assembler *as, const struct position *opener, const char *what,
                   bool (*opens)(const char *word), bool (*closes)(const char *word),
                   struct body *body)
{
    struct source *source = as->input.top;

    *body = (struct body){.text = source->next,
                          .name = source->name ? source->name : source->text->name,
                          .line = source_line(source)};
    unsigned depth = 1;
    for (;;) {
        const char *end = source->next;
        struct statement statement;
        if (!source_next(as, source, &statement)) {
            diag_error(as->diag, opener, "unterminated %s: its closing directive is missing", what);
            return false;
        }
        char word[16];
        statement_own(as, &statement);
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
    bool next = source->next == source->line_start; /* the statement was the last one of its line */

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
