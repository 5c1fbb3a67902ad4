/* Lists of numbers, also with operators, and strings, which most data consist of, are encoded
 * without parsing them. */
#include "asm/constant.h"
#include "asm/directive/directive.h"
#include "asm/scan.h"
#include "lib/bytes.h"
#include "lib/float_text.h"
#include "lib/leb128.h"
#include <string.h>

/* Returns the end of a number that may have a minus sign; NULL if the text is not such a number. */
static const char *read_number(const char *text, uint64_t *number)
{
    bool negative = *text == '-';

    text = plain_number(text + negative, number);
    if (negative && *number > (uint64_t)INT64_MAX + 1)
        return NULL;
    *number = negative ? -*number : *number;
    return text;
}

/* Returns the end of a number or of an expression of numbers; NULL if the text is neither. */
static const char *read_integer(const char *text, uint64_t *number)
{
    const char *end = read_number(text, number);

    return end && (*end == ',' || *end == '\n') ? end : constant_read(NULL, text, number);
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
    const char *text;  /* of the element; then the character after it */
    const char *limit; /* up to where text may be read */
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

/* Finds the first of eight bytes of a string that may not stand for itself: a quote, a backslash or
 * a control character. Returns the top bit of that byte alone; 0 if there is none. */
static uint64_t find_stop(uint64_t eight)
{
    uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t quotes = eight ^ ones * '"', backslashes = eight ^ ones * '\\';
    uint64_t stops = ((quotes - ones) & ~quotes) | ((backslashes - ones) & ~backslashes) |
                     ((eight - ones * ' ') & ~eight);

    stops &= ones << 7;
    return stops & -stops; /* the bits above it may be wrong */
}

/* Copies bytes of a string that stand for themselves, eight at a time, as far as that is easy. The
 * bytes after them stay zero. */
static const char *copy_plain(const struct encoder *encoder, const char *text, unsigned char **next)
{
    uint64_t stop = 0;

    while (!stop && encoder->limit - text >= 8 && encoder->end - *next >= 8) {
        uint64_t eight = bytes_get(text, 8);
        stop = find_stop(eight);
        bytes_put(*next, eight & ((stop >> 7) - 1), 8);
        unsigned count = stop ? (unsigned)__builtin_ctzll(stop) / 8 : 8;
        *next += count;
        text += count;
    }
    return text;
}

/* Encodes a string on one line: runs of plain bytes, and escapes between them. */
static bool encode_string(struct encoder *encoder, bool ends_with_nul)
{
    const char *text = encoder->text;
    unsigned char *next = encoder->next;

    if (*text++ != '"')
        return false;
    while (text = copy_plain(encoder, text, &next), *text != '"') {
        if (!*text || *text == '\n' || next == encoder->end)
            return false;
        if (*text != '\\') {
            *next++ = (unsigned char)*text++;
            continue;
        }
        size_t used = text[1] && text[1] != '\n' ? scan_escape(text, SIZE_MAX, (char *)next) : 0;
        if (!used)
            return false;
        next++;
        text += used;
    }
    if (ends_with_nul && next == encoder->end)
        return false;
    if (ends_with_nul)
        *next++ = '\0';
    encoder->next = next;
    encoder->text = text + 1;
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

size_t directive_encode(const struct directive *directive, const char *text, const char *limit,
                        unsigned char *bytes, size_t room, const char **end)
{
    struct encoder encoder = {.limit = limit, .next = bytes, .end = bytes + room};
    enum list_kind kind = directive_list_kind(directive);

    do {
        encoder.text = cut_blanks(text);
        if (!encode_one(&encoder, directive, kind))
            return 0;
        text = cut_blanks(encoder.text);
    } while (*text++ == ',');
    *end = text - 1;
    bool ends = !**end || **end == '\n' || **end == '#';
    return ends ? (size_t)(encoder.next - bytes) : 0;
}

static bool has_labels(const struct statement *statement)
{
    return cut_blanks(statement->text) < statement->text + statement->word_offset;
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
    size_t length = directive_encode(directive, text, end, bytes, room, &last);
    if (!length || last != end || length > SECTION_CONTENTS_LIMIT - as->sections.bytes)
        return false;
    arena_shorten(as->scratch, bytes, room, length);
    as->at = statement->at;
    section_content(as, CONTENT_DATA);
    memcpy(section_append(as, length, statement->at), bytes, length);
    return true;
}
