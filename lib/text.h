/* A string that grows, for building lines of output. A zero-initialized text is empty and valid.
 * `bytes` is NUL-terminated once something has been added. When there is no memory left, the tool
 * ends with a message, as in arena.h. */
#ifndef LIB_TEXT_H
#define LIB_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    char *bytes;
    size_t length, capacity;
};

#define TEXT_INIT                                                                                  \
    {                                                                                              \
        0                                                                                          \
    }

void text_append(struct text *text, const char *string);
void text_append_bytes(struct text *text, const void *bytes, size_t length);
static inline void text_append_char(struct text *text, char c);
void text_format(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vformat(struct text *text, const char *format, va_list arguments);
/* Appends a string that came from a file, so that it cannot control a terminal: a control character
 * is written as ^ and a letter, as GNU objdump writes it, and one of U+0080 to U+009F as its bytes
 * in UTF-8, <0xc29b>. */
void text_append_visible(struct text *text, const char *string);
/* The same for bytes among which may be a NUL. */
void text_append_visible_bytes(struct text *text, const void *bytes, size_t length);
/* The same as text_format with %0*lx and %ld, but several times as fast. */
void text_append_hex(struct text *text, uint64_t value, unsigned digits);
void text_append_decimal(struct text *text, int64_t value);
void text_append_blanks(struct text *text, size_t count);
/* Appends blanks up to column `column` (counted from the last newline); none if the text is there
 * already. */
void text_pad(struct text *text, size_t column);
/* Makes room for `more` bytes after the text. */
void text_reserve(struct text *text, size_t more);
void text_clear(struct text *text); /* keeps the memory */
void text_free(struct text *text);

/* The values of hexadecimal digits + 1, and 0 for other bytes. A table, because the branches of
 * comparisons are hard to predict. */
extern const unsigned char text_hex_digits[256];

/* Characters of ASCII, whatever the locale: the value of a hexadecimal digit, or -1; and blanks,
 * which separate words within a line. */
static inline int text_hex_digit(char c)
{
    return text_hex_digits[(unsigned char)c] - 1;
}

static inline bool text_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

/* For writers that cannot check every byte: returns a place for at least `more` bytes after the
 * text, to be written directly. text_extend then adds the bytes before `end` to the text. */
static inline char *text_room(struct text *text, size_t more)
{
    if (__builtin_expect(text->capacity - text->length <= more, 0))
        text_reserve(text, more);
    return text->bytes + text->length;
}

static inline void text_extend(struct text *text, char *end)
{
    text->length = (size_t)(end - text->bytes);
    *end = 0;
}

/* The same for a writer that has got to `at` and has not told text_extend yet. */
static inline char *text_room_at(struct text *text, char *at, size_t more)
{
    if (__builtin_expect((size_t)(text->bytes + text->capacity - at) > more, 1))
        return at;
    text_extend(text, at);
    return text_room(text, more);
}

static inline void text_append_char(struct text *text, char c)
{
    char *at = text_room(text, 1);

    *at = c;
    text_extend(text, at + 1);
}

#endif
