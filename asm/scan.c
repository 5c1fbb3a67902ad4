/* The values of tokens: numbers, strings, characters. A number of more than 64 bits is not
 * truncated: only .octa accepts it. */
#include "asm/scan.h"
#include "parser.h"
#include <stdarg.h>
#include <string.h>

int scan_operator(struct scan *scan, int token)
{
    scan->value_before = false;
    if (token == ':') /* the word was a label: the operation may still follow */
        scan->operation = false;
    return token;
}

int scan_value(struct scan *scan, int token)
{
    scan->value_before = true;
    return token;
}

int scan_error(struct scan *scan, const struct range *at, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    char message[256];
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    size_t length = at->end - at->start;
    struct position place = statement_place(scan->statement, at->start, length);
    diag_error(scan->as->diag, &place, "%s", message);
    scan->parsed->failed = true;
    return BAD;
}

int scan_unexpected(struct scan *scan, const struct range *at, unsigned char byte)
{
    if (byte == '\'')
        return scan_error(scan, at, "a character is missing after \"'\"");
    if (byte > ' ' && byte < 127)
        return scan_error(scan, at, "unexpected character '%c'", byte);
    return scan_error(scan, at, "unexpected byte 0x%02x", byte);
}

int scan_word(struct scan *scan, TASM_STYPE *token, const char *text, size_t length)
{
    const struct statement *statement = scan->statement;
    bool first = !scan->operation;
    bool known = statement->word && text == statement->text + statement->word_offset;

    token->word = known ? statement->word : word_get(&scan->as->words, text, length);
    scan->operation = true;
    return first ? scan_operator(scan, WORD) : scan_value(scan, WORD);
}

int scan_relocation_operator(struct scan *scan, TASM_STYPE *token, const char *text, size_t length)
{
    token->word = word_get(&scan->as->words, text, length);
    return scan_operator(scan, OPERATOR);
}

int scan_number(struct scan *scan, TASM_STYPE *token, const char *digits, int base,
                const struct range *at)
{
    uint64_t number = 0;
    bool big = false;

    for (const char *c = digits; *c && !strchr("uUlL", *c); c++) { /* up to a suffix of C: 1ULL */
        if (text_hex_digit(*c) >= base)
            return scan_error(scan, at, "digit '%c' in an octal number (it begins with 0)", *c);
        if (__builtin_mul_overflow(number, (uint64_t)base, &number) ||
            __builtin_add_overflow(number, (uint64_t)text_hex_digit(*c), &number))
            big = true;
    }
    token->number = number;
    return scan_value(scan, big ? BIG : NUMBER);
}

int scan_large_label(struct scan *scan, const struct range *at)
{
    return scan_error(scan, at, "local label '%.*s' is too large: the largest is %u",
                      (int)(at->end - at->start), scan->statement->text + at->start, UINT32_MAX);
}

int scan_local(struct scan *scan, TASM_STYPE *token, const char *digits, const struct range *at)
{
    uint64_t number = 0;
    const char *c = digits;

    for (; *c >= '0' && *c <= '9'; c++) {
        number = number * 10 + (uint64_t)(*c - '0');
        if (number > UINT32_MAX)
            return scan_large_label(scan, at);
    }
    token->local.number = (unsigned)number;
    token->local.forward = *c == 'f';
    return scan_value(scan, LOCAL);
}

int scan_dollar(struct scan *scan, TASM_STYPE *token, const char *digits, const struct range *at)
{
    int kind = scan_local(scan, token, digits, at);
    unsigned number = token->local.number;

    if (kind != LOCAL)
        return kind;
    token->number = number;
    return DOLLAR;
}

/* Reads the digits of a character's number after the backslash; returns the bytes with it. */
static size_t octal_escape(const char *text, size_t length, char *byte)
{
    enum { MOST = 4 };
    unsigned value = 0;
    size_t used = 1;

    for (; used < length && used < MOST && text[used] >= '0' && text[used] <= '7'; used++)
        value = value * 8 + (unsigned)(text[used] - '0');
    *byte = (char)value;
    return used;
}

/* The same for `x` and hexadecimal digits, of which the last two count. */
static size_t hex_escape(const char *text, size_t length, char *byte)
{
    unsigned value = 0;
    size_t used = 2;
    int digit;

    for (; used < length && (digit = text_hex_digit(text[used])) >= 0; used++)
        value = (value << 4 | (unsigned)digit) & 0xff;
    *byte = (char)value;
    return used > 2 ? used : 0;
}

size_t scan_escape(const char *text, size_t length, char *byte)
{
    static const char values[256] = {
        ['a'] = '\a', ['b'] = '\b', ['f'] = '\f',  ['n'] = '\n',  ['r'] = '\r',  ['t'] = '\t',
        ['v'] = '\v', ['"'] = '"',  ['\\'] = '\\', ['\''] = '\'', ['\n'] = '\n',
    };

    if (length < 2)
        return 0;
    if (text[1] >= '0' && text[1] <= '7')
        return octal_escape(text, length, byte);
    if (text[1] == 'x' || text[1] == 'X')
        return hex_escape(text, length, byte);
    *byte = values[(unsigned char)text[1]];
    return *byte ? 2 : 0;
}

bool scan_unescape(const char *text, size_t length, char *bytes, size_t *count, size_t *bad)
{
    *count = 0;
    for (size_t i = 0; i < length;) {
        if (text[i] != '\\') {
            bytes[(*count)++] = text[i++];
            continue;
        }
        size_t used = scan_escape(text + i, length - i, &bytes[*count]);
        if (!used) {
            *bad = i;
            return false;
        }
        i += used;
        ++*count;
    }
    return true;
}

int scan_string(struct scan *scan, TASM_STYPE *token, const char *text, size_t length,
                const struct range *at)
{
    char *bytes = arena_alloc(scan->as->scratch, length + 1);
    size_t bad;

    if (!scan_unescape(text, length, bytes, &token->string.length, &bad)) {
        struct range place = *at;
        place.start += 1 + (unsigned)bad;
        place.end = place.start + 2;
        return scan_error(scan, &place,
                          "unknown escape '\\%c' in a string; known: \\a \\b \\f \\n \\r \\t \\v "
                          "\\\\ \\\" \\' \\ooo \\xhh",
                          text[bad + 1]);
    }
    token->string.bytes = bytes;
    return scan_value(scan, STRING);
}

int scan_character(struct scan *scan, TASM_STYPE *token, const char *text, size_t length,
                   const struct range *at)
{
    char byte = text[1];

    if (byte == '\\' && !scan_escape(text + 1, length - 1, &byte))
        return scan_error(scan, at, "unknown escape '%.*s' in a character", (int)length - 1,
                          text + 1);
    token->number = (unsigned char)byte;
    return scan_value(scan, NUMBER);
}
