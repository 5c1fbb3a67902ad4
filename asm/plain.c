/* Compilers use a small part of the grammar. Scanning their statements by tables and parsing them
 * by a stack takes most of the time of a statement, so they are read here by recursive descent. The
 * result is the same in every field, because messages point at these places. Under the address
 * sanitizer each statement is parsed by the grammar, too, and compared (parse.c). */
#include "asm/plain.h"
#include "asm/scan.h"
#include "asm/tasm.h"

struct reader {
    struct assembler *as;
    const struct statement *statement;
    struct parsed *parsed;
    const char *next; /* in the text, which ends with a NUL or a newline */
    unsigned depth;   /* of operands in operands */
};

enum { DEPTH = 32 };

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
    enum { MOST_DIGITS = 19, MOST_HEX_DIGITS = 16 };
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

static struct expression *read_expression(struct reader *reader, unsigned least);

/* Reads `1f` or `1b`. */
static struct expression *read_local(struct reader *reader)
{
    enum { MOST_DIGITS = 9 };
    const char *start = reader->next, *end = start;
    unsigned number = 0;

    for (; *end >= '0' && *end <= '9' && end - start < MOST_DIGITS; end++)
        number = number * 10 + (unsigned)(*end - '0');
    if ((*end != 'f' && *end != 'b') || cut_class(end[1]) & CUT_IN_WORD)
        return NULL;
    reader->next = end + 1;
    struct expression *expression = leaf(reader, EXPRESSION_LOCAL, start);
    expression->local.number = number;
    expression->local.forward = *end == 'f';
    return expression;
}

/* Reads a character in quotes without an escape. */
static struct expression *read_character(struct reader *reader)
{
    const char *start = reader->next;

    if (!start[1] || start[1] == '\\' || start[1] == '\n' || start[2] != '\'')
        return NULL;
    reader->next += 3;
    struct expression *expression = leaf(reader, EXPRESSION_CONSTANT, start);
    expression->constant = (unsigned char)start[1];
    return expression;
}

static struct expression *read_name(struct reader *reader)
{
    const char *start = reader->next;
    struct word *word = read_word(reader);

    if (!word)
        return NULL;
    bool is_dot = word->length == 1 && word->name[0] == '.';
    struct expression *name = leaf(reader, is_dot ? EXPRESSION_DOT : EXPRESSION_NAME, start);
    name->name = word->name;
    name->word = word;
    return name;
}

/* Reads `(…)`, and returns the expression in it. */
static struct expression *read_inside(struct reader *reader)
{
    if (!take(reader, '('))
        return NULL;
    skip_blanks(reader);
    struct expression *inside = read_expression(reader, 0);
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

static struct expression *read_operand(struct reader *reader);

static struct expression *read_unary(struct reader *reader, enum operation operation)
{
    unsigned offset = offset_of(reader, reader->next++);

    skip_blanks(reader);
    struct expression *operand = read_operand(reader);
    return operand ? expression_unary(reader->as, reader->statement, operation, operand, offset)
                   : NULL;
}

/* Reads an operand: an expression without binary operators, but in parentheses. */
static struct expression *read_operand(struct reader *reader)
{
    struct expression *operand = NULL;
    char c = *reader->next;

    if (++reader->depth > DEPTH)
        return NULL;
    if (c >= '0' && c <= '9') {
        operand = read_number(reader);
        operand = operand ? operand : read_local(reader);
    } else if (cut_class(c) & CUT_IN_WORD) {
        operand = read_name(reader);
    } else if (c == '-') {
        operand = read_unary(reader, OPERATION_NEGATE);
    } else if (c == '~') {
        operand = read_unary(reader, OPERATION_COMPLEMENT);
    } else if (c == '!') {
        operand = read_unary(reader, OPERATION_NOT);
    } else if (c == '(') {
        operand = read_parenthesized(reader);
    } else if (c == '%') {
        operand = read_relocated(reader);
    } else if (c == '\'') {
        operand = read_character(reader);
    }
    reader->depth--;
    return operand;
}

const struct binary *plain_operator(const char *text)
{
    static const struct binary operators[] = {
        {"+", 4, OPERATION_ADD},          {"-", 4, OPERATION_SUBTRACT},
        {"*", 6, OPERATION_MULTIPLY},     {"/", 6, OPERATION_DIVIDE},
        {"%", 6, OPERATION_REMAINDER},    {"<<", 6, OPERATION_SHIFT_LEFT},
        {">>", 6, OPERATION_SHIFT_RIGHT}, {"||", 1, OPERATION_OR_ELSE},
        {"&&", 2, OPERATION_AND_ALSO},    {"==", 3, OPERATION_EQUAL},
        {"!=", 3, OPERATION_UNEQUAL},     {"<>", 3, OPERATION_UNEQUAL},
        {"<=", 3, OPERATION_LESS_EQUAL},  {">=", 3, OPERATION_GREATER_EQUAL},
        {"<", 3, OPERATION_LESS},         {">", 3, OPERATION_GREATER},
        {"|", 5, OPERATION_OR},           {"&", 5, OPERATION_AND},
        {"^", 5, OPERATION_XOR},          {"!", 5, OPERATION_OR_NOT},
    };

    if (!*text || *text == ',' || *text == ')' || *text == '(' || *text == '\n' ||
        cut_class(*text) & CUT_IN_WORD)
        return NULL;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        const struct binary *binary = &operators[i];
        if (binary->text[0] == text[0] && (!binary->text[1] || binary->text[1] == text[1]))
            return binary;
    }
    return NULL;
}

/* Reads an expression whose binary operators, outside parentheses, are stronger than `least`, and
 * the blanks after it. All operators associate to the left. */
static struct expression *read_expression(struct reader *reader, unsigned least)
{
    struct expression *left = read_operand(reader);
    const struct binary *binary;

    if (!left)
        return NULL;
    skip_blanks(reader);
    while ((binary = plain_operator(reader->next)) && binary->strength > least) {
        reader->next += binary->text[1] ? 2 : 1;
        skip_blanks(reader);
        struct expression *right = read_expression(reader, binary->strength);
        if (!right)
            return NULL;
        left = expression_binary(reader->as, reader->statement, binary->operation, left, right);
    }
    return left;
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
    bool fits = expression && expression->depth <= EXPRESSION_DEPTH_LIMIT;
    struct item *item =
        fits ? add_to_argument(reader, ITEM_EXPRESSION, expression->offset, expression->length)
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

static bool ends_text(char c)
{
    return !c || c == '\n';
}

/* Returns the end of the string that begins here, after its closing quote; NULL if it has none. */
static const char *string_end(const char *text)
{
    for (text++; *text != '"'; text++)
        if (ends_text(*text) || (*text == '\\' && ends_text(*++text)))
            return NULL;
    return text + 1;
}

/* Reads a string that ends the argument. */
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

static bool begins_item(char c)
{
    return cut_class(c) & CUT_IN_WORD || c == '(' || c == '@' || c == '"';
}

/* Reads one argument: expressions, and perhaps a `@type` or a string after them, or alone. */
static bool read_argument(struct reader *reader)
{
    struct parsed *parsed = reader->parsed;

    if (parsed->argument_count == PLAIN_ARGUMENTS)
        return false;
    parsed->arguments[parsed->argument_count++] =
        (struct argument){.items = parsed->items + parsed->item_count};
    do {
        if (*reader->next == '@')
            return read_type(reader);
        if (*reader->next == '"')
            return read_string(reader);
        if (!add_expression(reader, read_expression(reader, 0)))
            return false;
    } while (begins_item(*reader->next));
    return true;
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

/* Reads the number of a local label; NULL if there is none, or it is too large. */
static bool read_label_number(struct reader *reader, unsigned *number)
{
    uint64_t value;
    const char *end = plain_number(reader->next, &value);

    if (!end || value > UINT32_MAX)
        return false;
    reader->next = end;
    *number = (unsigned)value;
    return true;
}

/* Reads labels, and then the word of the operation if there is one. */
static bool read_labels(struct reader *reader)
{
    struct parsed *parsed = reader->parsed;

    for (;;) {
        skip_blanks(reader);
        const char *start = reader->next;
        unsigned number = 0;
        struct word *word = read_word(reader);
        bool is_local = !word && read_label_number(reader, &number);
        unsigned offset = offset_of(reader, start), length = (unsigned)(reader->next - start);
        if (!word && !is_local)
            return true;
        skip_blanks(reader);
        if (!take(reader, ':')) {
            if (is_local)
                return false;
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
            (struct label){.word = word, .number = number, .offset = offset, .length = length};
    }
}

/* Reads `= value` after the word. */
static bool read_assignment(struct reader *reader)
{
    struct parsed *parsed = reader->parsed;

    parsed->kind = OPERATION_ASSIGNMENT;
    parsed->lazy = take(reader, '=');
    skip_blanks(reader);
    parsed->value = read_expression(reader, 0);
    return parsed->value && parsed->value->depth <= EXPRESSION_DEPTH_LIMIT;
}

static struct reader begin(struct assembler *as, const struct statement *statement, size_t offset,
                           struct parsed *parsed)
{
    *parsed = (struct parsed){.statement = statement,
                              .labels = as->plain.labels,
                              .items = as->plain.items,
                              .arguments = as->plain.arguments};
    return (struct reader){
        .as = as, .statement = statement, .parsed = parsed, .next = statement->text + offset};
}

bool plain_parse(struct assembler *as, const struct statement *statement, struct parsed *parsed)
{
    struct reader reader = begin(as, statement, 0, parsed);
    char *end = statement->text + statement->length;

    *end = '\0';
    if (!read_labels(&reader))
        return false;
    if (reader.next == end)
        return true;
    if (!parsed->word)
        return false;
    return (take(&reader, '=') ? read_assignment(&reader) : read_arguments(&reader)) &&
           reader.next == end;
}

bool plain_parse_arguments(struct assembler *as, const struct statement *statement, size_t offset,
                           struct parsed *parsed)
{
    struct reader reader = begin(as, statement, offset, parsed);
    const char *end = statement->text + statement->length;

    skip_blanks(&reader);
    return reader.next == end || (read_arguments(&reader) && reader.next == end);
}

static bool ends_statement(char c)
{
    return c == '\n' || c == '#';
}

const char *plain_parse_in_place(struct assembler *as, const struct statement *statement,
                                 size_t offset, struct parsed *parsed)
{
    struct reader reader = begin(as, statement, offset, parsed);

    skip_blanks(&reader);
    bool good =
        ends_statement(*reader.next) || (read_arguments(&reader) && ends_statement(*reader.next));
    return good ? reader.next : NULL;
}
