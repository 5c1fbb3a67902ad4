/* Most lines of a compiler's output are a label, an instruction that is known (recall.h, head.h) or
 * has only registers and numbers (direct.h), a number, a string, the address of a symbol, or a row
 * of the line table; many lines of sources that people write are conditions, or left out by them.
 * These are executed here straight from the text of the source: without a copy, a position, tokens
 * or an expression that is released again. They are taken only if they have no error, and nothing
 * is changed before that is known.
 *
 * Other directives and instructions in the simple form of plain.h are parsed where they stand. What
 * does not end with its line is left to the grammar, and everything is where something else watches
 * or may change its meaning: a listing, a bundle, a section without contents. Labels are statements
 * of their own. */
#include "asm/quick.h"
#include "asm/directive/directive.h"
#include "asm/instruction/instruction.h"
#include "asm/parse.h"
#include "lib/bytes.h"
#include <string.h>

struct quick {
    struct assembler *as;
    struct source *source;
    const struct section *section;
    bool data;    /* data may follow without a mapping symbol */
    bool changed; /* a directive may have changed the above, or whether reading may go on */
};

static const char *word_end(const char *text)
{
    while (cut_class(*text) & CUT_IN_WORD)
        text++;
    return text;
}

/* Moves to the line after the newline. */
static bool next_line(struct quick *quick, const char *newline)
{
    struct source *source = quick->source;

    source->next = source->line_start = newline + 1;
    source->file_line++;
    return true;
}

/* Returns the newline at the text, or after a comment there; NULL if anything else comes first. */
static const char *line_end(const struct quick *quick, const char *text)
{
    if (*text == '#')
        text = memchr(text, '\n', (size_t)(quick->source->end - text));
    return *text == '\n' ? text : NULL;
}

static bool read_label(struct quick *quick, const char *text, const char *colon)
{
    struct assembler *as = quick->as;
    size_t length = (size_t)(colon - text);
    struct word *word = word_get(&as->words, text, length);

    if ((word->symbol && symbol_is_defined(word->symbol)) ||
        (colon[1] != '\n' && !(cut_class(colon[1]) & CUT_BLANK)))
        return false;
    struct position at = source_place(quick->source, text);
    at.length = (unsigned)length;
    symbol_define_label(as, symbol_of(as, word), &at);
    if (colon[1] == '\n')
        return next_line(quick, colon + 1);
    quick->source->next = colon + 1;
    return true;
}

/* Appends a number that is the whole list: by far the most frequent data. */
static bool read_number(struct quick *quick, const struct meaning *meaning, const char *text)
{
    uint64_t number;
    bool is_integer = meaning->list == LIST_INTEGERS;
    unsigned size = is_integer ? (unsigned)meaning->directive->parameter : 1;

    if (!is_integer && meaning->list != LIST_UNSIGNED_LEB128)
        return false;
    const char *end = plain_number(text, &number);
    if (!end || *end != '\n' || (is_integer ? !directive_fits(number, size) : number >= 0x80))
        return false;
    unsigned char *place = section_append(quick->as, size, NULL);
    if (size == 1)
        *place = (unsigned char)number;
    else
        bytes_put(place, number, size);
    return next_line(quick, end);
}

/* Appends numbers or strings. */
static bool read_list(struct quick *quick, const struct directive *directive, const char *text)
{
    enum { MOST_BYTES = 512 };
    unsigned char bytes[MOST_BYTES];
    const char *end;
    size_t length =
        directive_encode(directive, text, quick->source->end, bytes, sizeof bytes, &end);
    const char *newline = length ? line_end(quick, end) : NULL;

    if (!newline)
        return false;
    memcpy(section_append(quick->as, length, NULL), bytes, length);
    return next_line(quick, newline);
}

/* Is the word a name, and neither a number nor the location counter? */
static bool is_name(const char *text, const char *end)
{
    return end != text && (*text < '0' || *text > '9') && (*text != '.' || end - text > 1);
}

/* What follows the name in an address: a number that is added, or a name that is subtracted. */
struct second {
    uint64_t addend;
    const char *name, *end; /* of the name; NULL: a number */
};

/* Reads it. Returns its end, or the end of the first name if there is nothing; NULL if it is
 * anything else. */
static const char *read_second(const char *end, struct second *second)
{
    const char *sign = cut_blanks(end), *text = cut_blanks(sign + (*sign == '+' || *sign == '-'));

    *second = (struct second){0};
    if (text == sign)
        return end;
    if (*text >= '0' && *text <= '9') {
        const char *after = plain_number(text, &second->addend);
        second->addend = *sign == '-' ? 0 - second->addend : second->addend;
        return after;
    }
    second->name = text;
    second->end = word_end(text);
    return *sign == '-' && is_name(text, second->end) ? second->end : NULL;
}

/* Appends the address of a symbol, perhaps with an offset, or the distance of two, if they are not
 * equated. */
static bool read_address(struct quick *quick, const char *text, unsigned size)
{
    struct assembler *as = quick->as;
    struct second second;
    const char *first_end = word_end(text);
    const char *end = is_name(text, first_end) ? read_second(first_end, &second) : NULL;
    const char *newline = end ? line_end(quick, cut_blanks(end)) : NULL;

    if (!newline)
        return false;
    struct symbol *symbol = symbol_of(as, word_get(&as->words, text, (size_t)(first_end - text)));
    if (symbol->kind == SYMBOL_EQUATED)
        return false;
    struct symbol *subtract = NULL;
    if (second.name)
        subtract =
            symbol_of(as, word_get(&as->words, second.name, (size_t)(second.end - second.name)));
    if (subtract && (subtract == symbol || subtract->kind == SYMBOL_EQUATED))
        return false;
    symbol->named = true;
    if (subtract)
        subtract->named = true;
    struct position at = source_place(quick->source, text);
    at.length = (unsigned)(end - text);
    section_append(as, size, NULL);
    if (second.addend)
        section_sum(as, size, symbol, (int64_t)second.addend, &at);
    else
        section_address(as, size, symbol, subtract, &at);
    return next_line(quick, newline);
}

/* Parses a statement at the start of a line and executes it, if its word is that of a directive or
 * an instruction. */
static bool run(struct quick *quick, const char *start, struct word *word)
{
    struct assembler *as = quick->as;
    struct source *source = quick->source;
    const struct meaning *meaning = word->meaning;
    struct statement statement;
    struct parsed parsed;

    if (!meaning || word_works_on_text(meaning) || !(meaning->directive || meaning->forms) ||
        source->next != source->line_start)
        return false;
    statement_begin(as, source, start, &statement);
    statement.word = word;
    statement.word_length = word->length;
    const char *end = parse_in_place(as, &statement, &parsed);
    if (end) {
        next_line(quick, line_end(quick, end));
        as->at = statement.at;
        if (meaning->directive)
            directive_run(as, &parsed, meaning->directive);
        else
            instruction_assemble(as, &parsed);
        quick->changed = true;
    }
    as->at = as->input.at = NULL;
    arena_reset(as->scratch);
    return end;
}

static bool read_condition(struct quick *quick, const struct meaning *meaning, const char *start,
                           const char *text)
{
    const char *end = *text == '\n' ? text : cut_plain(text, quick->source->end);
    const char *newline = line_end(quick, end);

    if (!newline)
        return false;
    while (cut_class(end[-1]) & CUT_BLANK)
        end--;
    if (end < text) /* no argument */
        text = end;
    return condition_quick(quick->as, meaning, start, text, end) && next_line(quick, newline);
}

static bool read_location(struct quick *quick, const char *start, const char *text)
{
    const struct source *source = quick->source;
    struct position at = source_place(source, start);

    at.length = (unsigned)(text - start);
    const char *end =
        source->next == source->line_start ? lines_location_quick(quick->as, text, &at) : NULL;
    return end && next_line(quick, line_end(quick, end));
}

static bool read_directive(struct quick *quick, const char *start, const char *end)
{
    struct assembler *as = quick->as;
    struct word *word = word_get_short(&as->words, start, (size_t)(end - start));
    const struct meaning *meaning = word->meaning;
    const struct directive *directive = meaning ? meaning->directive : NULL;
    const char *text = cut_blanks(end);

    if (meaning && meaning->condition)
        return read_condition(quick, meaning, start, text);
    if (directive && meaning->list && text != end && quick->data &&
        (cut_class(*text) & CUT_IN_WORD && (*text < '0' || *text > '9') &&
                 meaning->list == LIST_INTEGERS
             ? read_address(quick, text, (unsigned)directive->parameter)
             : read_number(quick, meaning, text) || read_list(quick, directive, text)))
        return true;
    if (meaning && meaning->location && read_location(quick, start, text))
        return true;
    return run(quick, start, word);
}

/* Assembles an instruction whose last operand is a symbol, perhaps with `@plt` after it. */
static bool read_head(struct quick *quick, const char *text, const char *last)
{
    struct assembler *as = quick->as;
    bool plt = last - text > 4 && memcmp(last - 4, "@plt", 4) == 0;
    const char *end = plt ? last - 4 : last, *name = end;

    while (name > text && cut_class(name[-1]) & CUT_IN_WORD)
        name--;
    if (name == end || name == text || (*name >= '0' && *name <= '9'))
        return false;
    const struct head *head = head_find(as, text, (size_t)(name - text), plt);
    struct word *word = head ? word_get(&as->words, name, (size_t)(end - name)) : NULL;
    if (!word || !head_takes(word))
        return false;
    struct position at = source_place(quick->source, text);
    at.length = (unsigned)(last - text);
    head_append(as, head, word, &at, (unsigned)(name - text));
    return true;
}

static bool read_instruction(struct quick *quick, const char *text, const char *end)
{
    struct assembler *as = quick->as;
    const char *last = cut_plain(end, quick->source->end), *newline = line_end(quick, last);

    if (!newline)
        return false;
    while (cut_class(last[-1]) & CUT_BLANK)
        last--;
    bool known = quick->section->content == CONTENT_CODE;
    const struct recalled *recalled = known ? recall_find(as, text, (size_t)(last - text)) : NULL;
    if (recalled)
        recall_append(as, NULL, recalled);
    else if (!known || !read_head(quick, text, last)) {
        struct word *word = word_get_short(&as->words, text, (size_t)(end - text));
        if (!direct_assemble(as, word, text, (size_t)(last - text)))
            return run(quick, text, word);
    }
    return next_line(quick, newline);
}

static bool read_statement(struct quick *quick)
{
    const char *text = cut_blanks(quick->source->next);

    if (*text == '\n')
        return next_line(quick, text);
    if (*text == '#') {
        source_skip(quick->as, quick->source);
        return true;
    }
    const char *end = word_end(text);
    if (end == text || (*text >= '0' && *text <= '9'))
        return false;
    if (*end == ':')
        return read_label(quick, text, end);
    return *text == '.' ? read_directive(quick, text, end) : read_instruction(quick, text, end);
}

/* Skips a line in a branch that is left out, if it is plain text, or only a comment follows. */
static bool skip_line(struct quick *quick)
{
    const struct source *source = quick->source;
    const char *text = cut_blanks(source->next), *end = word_end(text);

    if (*text == '#') {
        source_skip(quick->as, quick->source);
        return true;
    }
    if (*end == ':')
        return false;
    if (*text == '.') {
        const struct word *word = word_get_short(&quick->as->words, text, (size_t)(end - text));
        if (word->meaning && word->meaning->condition)
            return read_condition(quick, word->meaning, text, cut_blanks(end));
        for (const char *c = text; c < end; c++)
            if (*c >= 'A' && *c <= 'Z') /* perhaps .ENDIF */
                return false;
    }
    end = cut_blanks(end);
    const char *newline = *end == ':' ? end : cut_plain(end, source->end);
    newline = line_end(quick, newline);
    return newline && next_line(quick, newline);
}

/* May statements be read? Then it prepares that. */
static bool begin(struct quick *quick, struct assembler *as)
{
    struct source *source = as->input.top;
    struct section *section = as->sections.current.section;

    if (!source || !source->has_lines || source->has_nul || as->listing.wanted ||
        as->bundle.is_open || as->options.debug_lines || as->ended || diag_full(as->diag) ||
        !section_has_contents(section) || section->absolute)
        return false;
    bool data = !section_is_code(section) || section->content == CONTENT_DATA;
    *quick = (struct quick){.as = as, .source = source, .section = section, .data = data};
    return true;
}

void quick_read(struct assembler *as)
{
    enum { LONGEST_LINE = 1 << 10 }; /* more than the bytes of a label, a list or an instruction */
    struct quick quick;

    do {
        if (!begin(&quick, as))
            return;
        const struct source *source = quick.source;
        while (!quick.changed && source->next < source->end &&
               as->sections.bytes < SECTION_CONTENTS_LIMIT - LONGEST_LINE &&
               (condition_is_active(&as->conditions) ? read_statement(&quick) : skip_line(&quick)))
            ;
    } while (quick.changed);
}
