#include "lib/quote.h"

#include <string.h>

static bool continues(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* Returns the bytes of the character at the beginning of the string; 0: it is not well-formed. */
static size_t character_length(const char *string)
{
    unsigned char first = (unsigned char)string[0], second = (unsigned char)string[1];
    size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;

    if (length == 1)
        return 1;
    bool is_short = first < 0xc2 || (first == 0xe0 && second < 0xa0) ||
                    (first == 0xf0 && second < 0x90); /* fewer bytes would do */
    bool is_none = first > 0xf4 || (first == 0xf4 && second >= 0x90) ||
                   (first == 0xed && second >= 0xa0); /* above U+10FFFF, or half of a pair */
    if (is_short || is_none)
        return 0;
    for (size_t i = 1; i < length; i++)
        if (!continues(string[i]))
            return 0;
    return length;
}

/* Appends the character at the beginning of the string, or the replacement of its first byte.
 * Returns the bytes that it takes there, at most `most`. */
static size_t append_character(struct text *text, const char *string, size_t most)
{
    size_t length = character_length(string);

    if (length == 0 || length > most) {
        text_append(text, "\xef\xbf\xbd");
        return 1;
    }
    text_append_bytes(text, string, length);
    return length;
}

void quote_json(struct text *text, const char *string)
{
    text_append_char(text, '"');
    while (*string) {
        if (*string == '"' || *string == '\\')
            text_append_char(text, '\\');
        if ((unsigned char)*string < ' ' || *string == '\x7f')
            text_format(text, "\\u%04x", (unsigned)*string++);
        else
            string += append_character(text, string, SIZE_MAX);
    }
    text_append_char(text, '"');
}

void quote_xml(struct text *text, const char *string, size_t length)
{
    const char *end = string + strnlen(string, length);

    while (string < end) {
        const char *entity = *string == '<'   ? "&lt;"
                             : *string == '&' ? "&amp;"
                             : *string == '"' ? "&quot;"
                                              : NULL;
        bool is_control = (unsigned char)*string < ' ' && !strchr("\t\n\r", *string);
        if (entity || is_control) {
            text_append(text, entity ? entity : "\xef\xbf\xbd"); /* XML has no controls */
            string++;
        } else {
            string += append_character(text, string, (size_t)(end - string));
        }
    }
}

static void put(FILE *stream, struct text *text)
{
    fwrite(text->bytes, 1, text->length, stream);
    text_free(text);
}

void quote_json_to(FILE *stream, const char *string)
{
    struct text text = TEXT_INIT;

    quote_json(&text, string);
    put(stream, &text);
}

void quote_xml_to(FILE *stream, const char *string, size_t length)
{
    struct text text = TEXT_INIT;

    quote_xml(&text, string, length);
    if (text.length)
        put(stream, &text);
}

size_t quote_whole(const char *string, size_t length)
{
    size_t whole = strnlen(string, length);

    while (whole > 0 && continues(string[whole]))
        whole--;
    return whole;
}
