/* Lists of numbers, also with operators, and strings, which most data consist of, are encoded
 * without parsing them. */
#include "asm/directive/directive.h"
#include "asm/scan.h"
#include "lib/bytes.h"
#include "lib/float_text.h"
#include "lib/leb128.h"
#include <string.h>

static const char *skip_blanks(const char *text)
{
    while (cut_class(*text) & CUT_BLANK)
        text++;
    return text;
}

/* Returns the end of a number that may have a minus sign; NULL if the text is not such a number. */
static const char *read_number(const char *text, uint64_t *number)
{
    bool negative = *text == '-';

    text = plain_number(text + negative, number);
    *number = negative ? -*number : *number;
    return text;
}

/* Reads numbers with operators. What has names, or more than `room` unary operators, parentheses
 * and binary operators, is left to the parser, which reports what is wrong. */
struct reader {
    const char *next;
    unsigned room;
};

static bool read_constant(struct reader *reader, unsigned least, uint64_t *value);

static bool read_operand(struct reader *reader, uint64_t *value)
{
    char c = *reader->next;

    if (c >= '0' && c <= '9') {
        reader->next = plain_number(reader->next, value);
        return reader->next;
    }
    if ((c != '(' && c != '-' && c != '~' && c != '!') || !reader->room)
        return false;
    reader->room--;
    reader->next = skip_blanks(reader->next + 1);
    if (c == '(')
        return read_constant(reader, 0, value) && *reader->next++ == ')';
    if (!read_operand(reader, value))
        return false;
    *value = c == '-' ? 0 - *value : c == '~' ? ~*value : !*value;
    return true;
}

/* Reads an expression, as plain.c does, to its value, and the blanks after it. */
static bool read_constant(struct reader *reader, unsigned least, uint64_t *value)
{
    const struct binary *binary;
    uint64_t right;

    if (!read_operand(reader, value))
        return false;
    reader->next = skip_blanks(reader->next);
    while ((binary = plain_operator(reader->next)) && binary->strength > least) {
        if (!reader->room)
            return false;
        reader->room--;
        reader->next = skip_blanks(reader->next + (binary->text[1] ? 2 : 1));
        if (!read_constant(reader, binary->strength, &right) ||
            !expression_calculate(binary->operation, *value, right, value))
            return false;
    }
    return true;
}

/* Returns the end of a number or of an expression of numbers; NULL if the text is neither. */
static const char *read_integer(const char *text, uint64_t *number)
{
    struct reader reader = {.next = text, .room = 64};
    const char *end = read_number(text, number);

    if (end && (*end == ',' || *end == '\n'))
        return end;
    return read_constant(&reader, 0, number) ? reader.next : NULL;
}

/* Reads a decimal floating-point number that may have a minus sign. NULL for all others, among them
 * those that the type cannot hold, and those that the grammar does not accept. */
static const char *read_float(const char *text, enum float_format format, uint64_t *bits)
{
    unsigned flags = 0;
    bool negative = *text == '-';

    text += negative;
    bool begins = *text == '0' ? text[1] == '.' || !(cut_class(text[1]) & CUT_IN_WORD)
                               : *text == '.' || (*text >= '1' && *text <= '9');
    text = begins ? float_parse(format, text, bits, &flags) : NULL;
    if (!text || flags & FLOAT_OF)
        return NULL;
    *bits |= (uint64_t)negative << (float_width(format) - 1);
    return text;
}

/* Where the next element is encoded. */
struct encoder {
    const char *text; /* of the element; then the character after it */
    unsigned char *next, *end;
};

static bool encode_bits(struct encoder *encoder, const char *end, uint64_t bits, unsigned size)
{
    if (!end || (size_t)(encoder->end - encoder->next) < size)
        return false;
    bytes_put(encoder->next, bits, size);
    encoder->next += size;
    encoder->text = end;
    return true;
}

static bool encode_integer(struct encoder *encoder, unsigned size)
{
    uint64_t number;
    const char *end = read_integer(encoder->text, &number);

    return end && directive_fits(number, size) && encode_bits(encoder, end, number, size);
}

static bool encode_element(struct encoder *encoder, const struct isa_element *element)
{
    uint64_t bits = 0;

    if (!element->exponent)
        return encode_integer(encoder, element->bytes);
    const char *end = read_float(encoder->text, (enum float_format)element->format, &bits);
    return encode_bits(encoder, end, bits, element->bytes);
}

static bool encode_leb128(struct encoder *encoder, bool is_signed)
{
    uint64_t number;
    const char *end = read_number(encoder->text, &number);

    if (!end || encoder->end - encoder->next < LEB128_LIMIT)
        return false;
    encoder->next += is_signed ? leb128_put_signed(encoder->next, (int64_t)number)
                               : leb128_put_unsigned(encoder->next, number);
    encoder->text = end;
    return true;
}

/* Returns the closing quote of a string on one line; NULL if it has none. */
static const char *closing_quote(const char *text)
{
    for (; *text != '"'; text++)
        if (!*text || *text == '\n' || (*text == '\\' && (!*++text || *text == '\n')))
            return NULL;
    return text;
}

static bool encode_string(struct encoder *encoder, bool ends_with_nul)
{
    const char *start = encoder->text + 1;
    const char *end = *encoder->text == '"' ? closing_quote(start) : NULL;
    size_t count, bad;

    if (!end || (size_t)(encoder->end - encoder->next) < (size_t)(end - start) + 1 ||
        !scan_unescape(start, (size_t)(end - start), (char *)encoder->next, &count, &bad))
        return false;
    encoder->next += count;
    if (ends_with_nul)
        *encoder->next++ = '\0';
    encoder->text = end + 1;
    return true;
}

static bool encode_one(struct encoder *encoder, const struct directive *directive,
                       enum list_kind kind)
{
    switch (kind) {
    case LIST_INTEGERS:
        return encode_integer(encoder, (unsigned)directive->parameter);
    case LIST_ELEMENTS:
        return encode_element(encoder, &isa_elements[directive->parameter]);
    case LIST_UNSIGNED_LEB128:
    case LIST_SIGNED_LEB128:
        return encode_leb128(encoder, kind == LIST_SIGNED_LEB128);
    case LIST_STRINGS:
        return encode_string(encoder, directive->parameter);
    case LIST_NONE:
        break;
    }
    return false;
}

size_t directive_encode(const struct directive *directive, const char *text, unsigned char *bytes,
                        size_t room, const char **end)
{
    struct encoder encoder = {.next = bytes, .end = bytes + room};
    enum list_kind kind = directive_list_kind(directive);

    do {
        encoder.text = skip_blanks(text);
        if (!encode_one(&encoder, directive, kind))
            return 0;
        text = skip_blanks(encoder.text);
    } while (*text++ == ',');
    *end = text - 1;
    return **end && **end != '\n' ? 0 : (size_t)(encoder.next - bytes);
}

static bool has_labels(const struct statement *statement)
{
    return skip_blanks(statement->text) < statement->text + statement->word_offset;
}

bool directive_list(struct assembler *as, const struct statement *statement,
                    const struct directive *directive)
{
    const char *text = statement->text + statement->word_offset + statement->word_length,
               *end = statement->text + statement->length, *last;

    enum { MOST_FOR_ONE_CHARACTER = 4 }; /* bytes of `.quad 1,2`: 8 for a digit and a comma */
    if (!directive_list_kind(directive) || has_labels(statement) ||
        !section_has_contents(as->sections.current.section))
        return false;
    size_t room = ((size_t)(end - text) + 4) * MOST_FOR_ONE_CHARACTER;
    statement->text[statement->length] = '\0';
    unsigned char *bytes = arena_alloc(as->scratch, room);
    size_t length = directive_encode(directive, text, bytes, room, &last);
    if (!length || last != end || length > SECTION_CONTENTS_LIMIT - as->sections.bytes)
        return false;
    arena_shorten(as->scratch, bytes, room, length);
    as->at = statement->at;
    section_content(as, CONTENT_DATA);
    memcpy(section_append(as, length, statement->at), bytes, length);
    return true;
}
