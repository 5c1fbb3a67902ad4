/* Most lines of a compiler's output are a label, an instruction that is known (recall.h, head.h), a
 * number, a string, or the address of a symbol; many lines of sources that people write are
 * conditions, or left out by them. These are executed here straight from the text of the source:
 * without a copy, a position, tokens or an expression that is released again. All others are left
 * to the parsers, as are all of these where something else watches or may change their meaning: a
 * listing, a bundle, a section without contents, a message.
 *
 * A statement is taken only if it ends with its line and has no error, and nothing is changed
 * before that is known. Labels are statements of their own. */
#include "asm/quick.h"
#include "asm/directive/directive.h"
#include <string.h>

struct quick {
    struct assembler *as;
    struct source *source;
    const struct section *section;
    bool data; /* data may follow without a mapping symbol */
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

/* Appends numbers or strings. */
static bool read_list(struct quick *quick, const struct directive *directive, const char *text)
{
    enum { MOST_BYTES = 512 };
    unsigned char bytes[MOST_BYTES];
    const char *end;
    size_t length = directive_encode(directive, text, bytes, sizeof bytes, &end);

    if (!length || *end != '\n')
        return false;
    memcpy(section_append(quick->as, length, NULL), bytes, length);
    return next_line(quick, end);
}

/* Appends the address of a symbol that is not equated. */
static bool read_address(struct quick *quick, const char *text, unsigned size)
{
    struct assembler *as = quick->as;
    const char *end = word_end(text), *newline = cut_blanks(end);

    if (*newline != '\n' || (*text >= '0' && *text <= '9') || (*text == '.' && end - text < 2))
        return false;
    struct word *word = word_get(&as->words, text, (size_t)(end - text));
    struct symbol *symbol = symbol_of(as, word);
    if (symbol->kind == SYMBOL_EQUATED)
        return false;
    symbol->named = true;
    struct position at = source_place(quick->source, text);
    at.length = (unsigned)(end - text);
    section_append(as, size, NULL);
    section_address(as, size, symbol, NULL, &at);
    return next_line(quick, newline);
}

static bool read_condition(struct quick *quick, const struct meaning *meaning, const char *start,
                           const char *text)
{
    const char *newline = cut_plain(text, quick->source->end), *end = newline;

    if (*newline != '\n')
        return false;
    while (cut_class(end[-1]) & CUT_BLANK)
        end--;
    struct position at = source_place(quick->source, start);
    at.length = (unsigned)(end - start);
    if (end < text) /* no argument */
        text = end;
    return condition_quick(quick->as, meaning, text, end, &at) && next_line(quick, newline);
}

static bool read_directive(struct quick *quick, const char *start, const char *end)
{
    struct assembler *as = quick->as;
    const struct word *word = word_get(&as->words, start, (size_t)(end - start));
    const struct meaning *meaning = word->meaning;
    const struct directive *directive = meaning ? meaning->directive : NULL;
    const char *text = cut_blanks(end);

    if (meaning && meaning->condition)
        return read_condition(quick, meaning, start, text);
    if (!directive || text == end || word_works_on_text(meaning) || !quick->data)
        return false;
    return cut_class(*text) & CUT_IN_WORD && (*text < '0' || *text > '9') &&
                   directive_list_kind(directive) == LIST_INTEGERS
               ? read_address(quick, text, (unsigned)directive->parameter)
               : read_list(quick, directive, text);
}

/* Assembles an instruction whose last operand is a symbol. */
static bool read_head(struct quick *quick, const char *text, const char *end)
{
    struct assembler *as = quick->as;
    const char *name = end;

    while (name > text && cut_class(name[-1]) & CUT_IN_WORD)
        name--;
    if (name == end || name == text || (*name >= '0' && *name <= '9'))
        return false;
    const struct head *head = head_find(as, text, (size_t)(name - text));
    struct word *word = head ? word_get(&as->words, name, (size_t)(end - name)) : NULL;
    if (!word || !head_takes(word))
        return false;
    struct position at = source_place(quick->source, text);
    at.length = (unsigned)(end - text);
    head_append(as, head, word, &at, (unsigned)(name - text));
    return true;
}

static bool read_instruction(struct quick *quick, const char *text, const char *end)
{
    const struct assembler *as = quick->as;
    const char *newline = cut_plain(end, quick->source->end);

    if (*newline != '\n' || quick->section->content != CONTENT_CODE)
        return false;
    for (end = newline; cut_class(end[-1]) & CUT_BLANK; end--)
        ;
    const struct recalled *recalled = recall_find(as, text, (size_t)(end - text));
    if (recalled)
        recall_append(quick->as, NULL, recalled);
    else if (!read_head(quick, text, end))
        return false;
    return next_line(quick, newline);
}

static bool read_statement(struct quick *quick)
{
    const char *text = cut_blanks(quick->source->next);

    if (*text == '\n')
        return next_line(quick, text);
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

    if (*end == ':' || *text == '#')
        return false;
    if (*text == '.') {
        const struct word *word = word_get(&quick->as->words, text, (size_t)(end - text));
        if (word->meaning && word->meaning->condition)
            return read_condition(quick, word->meaning, text, cut_blanks(end));
        for (const char *c = text; c < end; c++)
            if (*c >= 'A' && *c <= 'Z') /* perhaps .ENDIF */
                return false;
    }
    end = cut_blanks(end);
    const char *newline = *end == ':' ? end : cut_plain(end, source->end);
    if (*newline == '#')
        newline = memchr(newline, '\n', (size_t)(source->end - newline));
    return *newline == '\n' && next_line(quick, newline);
}

void quick_read(struct assembler *as)
{
    enum { LONGEST_LINE = 1 << 10 }; /* more than the bytes of any statement here */
    struct source *source = as->input.top;

    if (!source || !source->has_lines || source->has_nul || as->listing.wanted ||
        as->bundle.is_open || as->options.debug_lines)
        return;
    struct section *section = as->sections.current.section;
    struct quick quick = {as, source, section,
                          !section_is_code(section) || section->content == CONTENT_DATA};
    if (!section_has_contents(section) || section->absolute)
        return;
    while (source->next < source->end &&
           as->sections.bytes < SECTION_CONTENTS_LIMIT - LONGEST_LINE &&
           (condition_is_active(as) ? read_statement(&quick) : skip_line(&quick)))
        ;
}
