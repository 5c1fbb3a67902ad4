/* Compilers use a small part of the grammar. Scanning their statements by tables and parsing them
 * by a stack takes most of the time of a statement, so they are read here by recursive descent. The
 * result is the same in every field, because messages point at these places. Under the address
 * sanitizer each statement is parsed by the grammar, too, and compared (statement.c). */
#include "asm/plain.h"
#include "asm/scan.h"
#include "asm/tasm.h"

struct reader {
    struct assembler *as;
    const struct statement *statement;
    struct parsed *parsed;
    const char *next; /* in the text, which ends with a NUL */
};

static unsigned offset_of(const struct reader *reader, const char *place)
{
    return (unsigned)(place - reader->statement->text);
}

static void skip_blanks(struct reader *reader)
{
    while (cut_class(*reader->next) & CUT_BLANK)
        reader->next++;
}

static bool take(struct reader *reader, char c)
{
    if (*reader->next != c)
        return false;
    reader->next++;
    return true;
}

/* Reads a word at the next byte; NULL if there is none. */
static struct word *read_word(struct reader *reader)
{
    const struct statement *statement = reader->statement;
    const char *start = reader->next, *end = start;

    if (*start >= '0' && *start <= '9')
        return NULL;
    while (cut_class(*end) & CUT_IN_WORD)
        end++;
    if (end == start)
        return NULL;
    reader->next = end;
    if (statement->word && start == statement->text + statement->word_offset)
        return statement->word;
    return word_get(&reader->as->words, start, (size_t)(end - start));
}

static struct expression *leaf(struct reader *reader, enum expression_kind kind, const char *start)
{
    return expression_new(reader->as, reader->statement, kind, offset_of(reader, start),
                          (unsigned)(reader->next - start));
}

const char *plain_number(const char *text, uint64_t *number)
{
    enum { MOST_DIGITS = 18, MOST_HEX_DIGITS = 16 };
    const char *start = text;
    int digit;

    *number = 0;
    if (text[0] == '0' && (text[1] | 0x20) == 'x') {
        for (start = text += 2; (digit = text_hex_digit(*text)) >= 0; text++)
            *number = *number << 4 | (uint64_t)digit;
        if (text - start > MOST_HEX_DIGITS)
            return NULL;
    } else {
        for (; *text >= '0' && *text <= '9' && text - start < MOST_DIGITS; text++)
            *number = *number * 10 + (uint64_t)(*text - '0');
        if (*start == '0' && text - start > 1)
            return NULL;
    }
    return text == start || cut_class(*text) & CUT_IN_WORD ? NULL : text;
}

static struct expression *read_number(struct reader *reader)
{
    uint64_t number;
    const char *start = reader->next, *end = plain_number(start, &number);

    if (!end)
        return NULL;
    reader->next = end;
    struct expression *expression = leaf(reader, EXPRESSION_CONSTANT, start);
    expression->constant = number;
    return expression;
}

/* Reads a name, a number or a number with a minus sign. */
static struct expression *read_operand(struct reader *reader)
{
    const char *start = reader->next;

    if (take(reader, '-')) {
        struct expression *number = read_number(reader);
        return number ? expression_unary(reader->as, reader->statement, OPERATION_NEGATE, number,
                                         offset_of(reader, start))
                      : NULL;
    }
    struct word *word = read_word(reader);
    if (!word)
        return read_number(reader);
    bool is_dot = word->length == 1 && word->name[0] == '.';
    struct expression *name = leaf(reader, is_dot ? EXPRESSION_DOT : EXPRESSION_NAME, start);
    name->name = word->name;
    name->word = word;
    return name;
}

/* Reads an operand, or the sum or difference of two. */
static struct expression *read_sum(struct reader *reader)
{
    struct expression *left = read_operand(reader);
    enum operation operation = OPERATION_ADD;

    if (!left)
        return NULL;
    skip_blanks(reader);
    if (take(reader, '-'))
        operation = OPERATION_SUBTRACT;
    else if (!take(reader, '+'))
        return left;
    skip_blanks(reader);
    struct expression *right = read_operand(reader);
    if (!right)
        return NULL;
    skip_blanks(reader);
    return expression_binary(reader->as, reader->statement, operation, left, right);
}

/* Reads `(…)`, and returns the sum in it. */
static struct expression *read_inside(struct reader *reader)
{
    if (!take(reader, '('))
        return NULL;
    skip_blanks(reader);
    struct expression *inside = read_sum(reader);
    return inside && take(reader, ')') ? inside : NULL;
}

/* Reads `(…)` as an expression of its own. */
static struct expression *read_parenthesized(struct reader *reader)
{
    const char *start = reader->next;
    struct expression *inside = read_inside(reader);

    if (!inside)
        return NULL;
    inside->parenthesized = true;
    inside->offset = offset_of(reader, start);
    inside->length = (unsigned)(reader->next - start);
    return inside;
}

/* Reads `%operator(…)`. */
static struct expression *read_relocated(struct reader *reader)
{
    const char *start = reader->next++;
    struct word *word = read_word(reader);

    if (!word)
        return NULL;
    skip_blanks(reader);
    struct expression *inside = read_inside(reader);
    if (!inside)
        return NULL;
    struct expression *relocated = leaf(reader, EXPRESSION_RELOCATED, start);
    relocated->name = word->name;
    relocated->left = inside;
    return relocated;
}

/* Returns a new item; NULL if there is no room. */
static struct item *add_item(struct reader *reader, enum item_kind kind, unsigned offset,
                             unsigned length)
{
    struct parsed *parsed = reader->parsed;

    if (parsed->item_count == PLAIN_ITEMS)
        return NULL;
    struct item *item = &parsed->items[parsed->item_count++];
    *item = (struct item){.kind = kind, .offset = offset, .length = length};
    return item;
}

/* Adds an item to the last argument, and skips the blanks after it. */
static struct item *add_to_argument(struct reader *reader, enum item_kind kind, unsigned offset,
                                    unsigned length)
{
    struct parsed *parsed = reader->parsed;
    struct argument *argument = &parsed->arguments[parsed->argument_count - 1];
    struct item *item = add_item(reader, kind, offset, length);

    if (!item)
        return NULL;
    if (!argument->count++)
        argument->offset = offset;
    argument->length = offset + length - argument->offset;
    skip_blanks(reader);
    return item;
}

static bool add_expression(struct reader *reader, struct expression *expression)
{
    struct item *item = expression ? add_to_argument(reader, ITEM_EXPRESSION, expression->offset,
                                                     expression->length)
                                   : NULL;

    if (item)
        item->expression = expression;
    return item;
}

static bool read_type(struct reader *reader)
{
    const char *start = reader->next++;
    const struct word *word = read_word(reader);
    struct item *item = word ? add_to_argument(reader, ITEM_TYPE, offset_of(reader, start),
                                               (unsigned)(reader->next - start))
                             : NULL;

    if (item)
        item->type = word->name;
    return item;
}

/* Returns the end of the string that begins here, after its closing quote; NULL if it has none. */
static const char *string_end(const char *text)
{
    for (text++; *text != '"'; text++)
        if (!*text || (*text == '\\' && !*++text))
            return NULL;
    return text + 1;
}

/* Reads a string that is the whole argument. */
static bool read_string(struct reader *reader)
{
    const char *start = reader->next, *end = string_end(start);
    size_t length, bad;

    if (!end)
        return false;
    char *bytes = arena_alloc(reader->as->scratch, (size_t)(end - start));
    if (!scan_unescape(start + 1, (size_t)(end - start) - 2, bytes, &length, &bad))
        return false;
    reader->next = end;
    struct item *item =
        add_to_argument(reader, ITEM_STRING, offset_of(reader, start), (unsigned)(end - start));
    if (!item)
        return false;
    item->string.bytes = bytes;
    item->string.length = length;
    return true;
}

/* Reads one argument: `@type`, a string, or values and what may follow them in parentheses. */
static bool read_argument(struct reader *reader)
{
    struct parsed *parsed = reader->parsed;

    if (parsed->argument_count == PLAIN_ARGUMENTS)
        return false;
    parsed->arguments[parsed->argument_count++] =
        (struct argument){.items = parsed->items + parsed->item_count};
    if (*reader->next == '@')
        return read_type(reader);
    if (*reader->next == '"')
        return read_string(reader);
    if (*reader->next == '(')
        return add_expression(reader, read_parenthesized(reader));
    if (!add_expression(reader, *reader->next == '%' ? read_relocated(reader) : read_sum(reader)))
        return false;
    while (cut_class(*reader->next) & CUT_IN_WORD)
        if (!add_expression(reader, read_sum(reader)))
            return false;
    return *reader->next != '(' || add_expression(reader, read_parenthesized(reader));
}

static bool read_arguments(struct reader *reader)
{
    while (read_argument(reader)) {
        const char *comma = reader->next;
        if (!take(reader, ','))
            return true;
        struct item *item = add_item(reader, ITEM_PUNCTUATION, offset_of(reader, comma), 1);
        if (!item)
            return false;
        item->punctuation = ',';
        skip_blanks(reader);
    }
    return false;
}

/* Reads labels, and then the word of the operation if there is one. */
static bool read_labels(struct reader *reader)
{
    struct parsed *parsed = reader->parsed;

    for (;;) {
        skip_blanks(reader);
        const char *start = reader->next;
        struct word *word = read_word(reader);
        unsigned offset = offset_of(reader, start), length = (unsigned)(reader->next - start);
        if (!word)
            return true;
        skip_blanks(reader);
        if (!take(reader, ':')) {
            parsed->kind = OPERATION_NAMED;
            parsed->word = word;
            parsed->name = word->name;
            parsed->name_offset = offset;
            parsed->name_length = length;
            return true;
        }
        if (parsed->label_count == PLAIN_LABELS)
            return false;
        parsed->labels[parsed->label_count++] =
            (struct label){.word = word, .offset = offset, .length = length};
    }
}

bool plain_parse(struct assembler *as, const struct statement *statement, struct parsed *parsed)
{
    struct reader reader = {
        .as = as, .statement = statement, .parsed = parsed, .next = statement->text};
    const char *end = statement->text + statement->length;

    *parsed = (struct parsed){.statement = statement,
                              .labels = as->plain.labels,
                              .items = as->plain.items,
                              .arguments = as->plain.arguments};
    statement->text[statement->length] = '\0';
    return read_labels(&reader) &&
           (reader.next == end || (parsed->word && read_arguments(&reader))) && reader.next == end;
}
