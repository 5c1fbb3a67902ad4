/* See view.h: the parts of the page. */
#include "emu/ttrace/view.h"
#include "lib/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

enum { LEVEL = 6 };

static void put_base64(FILE *page, const unsigned char *bytes, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < length; i += 3) {
        uint32_t group = (uint32_t)bytes[i] << 16;
        group |= i + 1 < length ? (uint32_t)bytes[i + 1] << 8 : 0;
        group |= i + 2 < length ? (uint32_t)bytes[i + 2] : 0;
        putc(digits[group >> 18], page);
        putc(digits[group >> 12 & 63], page);
        putc(i + 1 < length ? digits[group >> 6 & 63] : '=', page);
        putc(i + 2 < length ? digits[group & 63] : '=', page);
    }
}

void view_part(FILE *page, const char *name, struct text *bytes)
{
    uLongf length = compressBound(bytes->length);
    unsigned char *compressed = malloc(length);

    if (!compressed || compress2(compressed, &length, (const unsigned char *)bytes->bytes,
                                 bytes->length, LEVEL) != Z_OK)
        output_end("ttrace: error: out of memory\n");
    fprintf(page, "<script type=\"text/plain\" id=\"part-%s\">", name);
    put_base64(page, compressed, length);
    fputs("</script>\n", page);
    free(compressed);
    text_clear(bytes);
}

void view_string(struct text *text, const char *string, size_t length)
{
    text_append_char(text, '"');
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)string[i];
        if (c < ' ' || c == '"' || c == '\\')
            text_format(text, "\\u%04x", c);
        else
            text_append_char(text, (char)c);
    }
    text_append_char(text, '"');
}

void view_short(struct text *text, unsigned number)
{
    text_append_char(text, (char)number);
    text_append_char(text, (char)(number >> 8));
}

void view_word(struct text *text, uint32_t number)
{
    view_short(text, number);
    view_short(text, number >> 16);
}
