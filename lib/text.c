#include "lib/text.h"

#include "lib/digits.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const unsigned char text_hex_digits[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

void text_reserve(struct text *text, size_t more)
{
    size_t needed = text->length + more + 1;

    if (needed <= text->capacity)
        return;
    size_t capacity = text->capacity ? text->capacity : 128;
    while (capacity < needed)
        capacity *= 2;
    char *bytes = realloc(text->bytes, capacity);
    if (!bytes) {
        fprintf(stderr, "error: the host has no memory left (%zu bytes asked for)\n", capacity);
        exit(1);
    }
    text->bytes = bytes;
    text->capacity = capacity;
}

void text_append_bytes(struct text *text, const void *bytes, size_t length)
{
    char *at = text_room(text, length);

    if (length)
        memcpy(at, bytes, length);
    text_extend(text, at + length);
}

void text_append(struct text *text, const char *string)
{
    text_append_bytes(text, string, strlen(string));
}

void text_vformat(struct text *text, const char *format, va_list arguments)
{
    va_list again;

    va_copy(again, arguments);
    size_t room = text->capacity - text->length;
    int length = vsnprintf(room ? text->bytes + text->length : NULL, room, format, arguments);
    if ((size_t)length >= room) {
        text_reserve(text, (size_t)length);
        vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
    }
    va_end(again);
    text->length += (size_t)length;
}

void text_format(struct text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    text_vformat(text, format, arguments);
    va_end(arguments);
}

void text_append_visible_bytes(struct text *text, const void *bytes, size_t length)
{
    const char *string = bytes, *plain = string; /* start of what is not written yet */
    const char *end = string + length;

    for (; string < end; string++) {
        unsigned char c = (unsigned char)*string;
        unsigned char next = string + 1 < end ? (unsigned char)string[1] : 0;
        bool is_long = c == 0xc2 && next >= 0x80 && next < 0xa0;
        if (c >= 0x20 && c != 0x7f && !is_long)
            continue;
        text_append_bytes(text, plain, (size_t)(string - plain));
        if (is_long) {
            text_format(text, "<0x%02x%02x>", c, next);
            string++;
        } else {
            text_append_char(text, '^');
            text_append_char(text, (char)(c ^ 0x40));
        }
        plain = string + 1;
    }
    text_append_bytes(text, plain, (size_t)(end - plain));
}

void text_append_visible(struct text *text, const char *string)
{
    text_append_visible_bytes(text, string, strlen(string));
}

void text_append_hex(struct text *text, uint64_t value, unsigned digits)
{
    unsigned needed = hex_length(value);

    text_extend(text,
                put_digits(text_room(text, HEX_ROOM), value, needed > digits ? needed : digits));
}

void text_append_decimal(struct text *text, int64_t value)
{
    char number[DECIMAL_ROOM], *const end = number + sizeof number;
    const char *start = put_decimal_before(end, value < 0 ? -(uint64_t)value : (uint64_t)value);

    if (value < 0)
        text_append_char(text, '-');
    text_append_bytes(text, start, (size_t)(end - start));
}

void text_append_blanks(struct text *text, size_t count)
{
    char *at = text_room(text, count);

    memset(at, ' ', count);
    text_extend(text, at + count);
}

void text_pad(struct text *text, size_t column)
{
    size_t line = text->length;

    while (line > 0 && text->bytes[line - 1] != '\n')
        line--;
    if (text->length - line < column)
        text_append_blanks(text, column - (text->length - line));
}

void text_clear(struct text *text)
{
    text->length = 0;
    if (text->bytes)
        text->bytes[0] = 0;
}

void text_free(struct text *text)
{
    free(text->bytes);
    *text = (struct text)TEXT_INIT;
}
