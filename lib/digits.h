/* Numbers as text, written directly into memory, for output so large that printf would take most of
 * the time. Each put_ function returns the end of what it wrote and adds no NUL. The caller
 * provides the room. */
#ifndef LIB_DIGITS_H
#define LIB_DIGITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    HEX_ROOM = 18,     /* bytes that put_hex may touch; the others touch two less */
    DECIMAL_ROOM = 20, /* digits of a number */
};

typedef int8_t digits_16 __attribute__((vector_size(16)));
typedef uint64_t digits_2 __attribute__((vector_size(16)));

/* Writes sixteen hexadecimal digits. All are made at once: each nibble becomes a byte, the most
 * significant one first, and values above 9 are moved from ':' to 'a'. */
static inline void put_nibbles(char *at, uint64_t value)
{
    uint64_t nibbles = UINT64_C(0x0f0f0f0f0f0f0f0f);
    uint64_t bytes = __builtin_bswap64(value);
    const digits_16 high = (digits_16)(digits_2){bytes >> 4 & nibbles};
    const digits_16 low = (digits_16)(digits_2){bytes & nibbles};
    digits_16 all =
        __builtin_shufflevector(high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);

    all += '0';
    all += (all > '9') & ('a' - '0' - 10);
    memcpy(at, &all, sizeof all);
}

/* Writes the lowest `digits` (1 to 16) hexadecimal digits of the value. */
static inline char *put_digits(char *at, uint64_t value, unsigned digits)
{
    put_nibbles(at, value << (64 - 4 * digits));
    return at + digits;
}

/* Returns the number of the highest bit that is 1; of 0, that of the lowest bit. */
static inline unsigned highest_bit(uint64_t value)
{
    return 63 ^ (unsigned)__builtin_clzll(value | 1);
}

/* Returns how many hexadecimal digits the value has without leading zeros. */
static inline unsigned hex_length(uint64_t value)
{
    return highest_bit(value) / 4 + 1;
}

/* Writes 0x and the digits of the value, at least `digits` of them. */
static inline char *put_hex(char *at, uint64_t value, unsigned digits)
{
    unsigned needed = hex_length(value);

    memcpy(at, "0x", 2);
    return put_digits(at + 2, value, needed > digits ? needed : digits);
}

/* Writes the hexadecimal digits of a value of `count` words, the lowest one first, without leading
 * zeros. */
static inline char *put_words(char *at, const uint64_t *words, unsigned count)
{
    while (count > 1 && !words[count - 1])
        count--;
    at = put_digits(at, words[count - 1], hex_length(words[count - 1]));
    while (--count)
        at = put_digits(at, words[count - 1], 16);
    return at;
}

/* Writes decimal digits that end before `end`, and returns where they begin. Two digits at a time:
 * the division takes longer than everything else. */
static inline char *put_decimal_before(char *end, uint64_t value)
{
    for (; value >= 100; value /= 100) {
        unsigned pair = (unsigned)(value % 100);
        *--end = (char)('0' + pair % 10);
        *--end = (char)('0' + pair / 10);
    }
    *--end = (char)('0' + value % 10);
    if (value >= 10)
        *--end = (char)('0' + value / 10);
    return end;
}

static inline char *put_decimal(char *at, uint64_t value)
{
    char digits[DECIMAL_ROOM], *const end = digits + sizeof digits;
    const char *first = put_decimal_before(end, value);

    memcpy(at, first, (size_t)(end - first));
    return at + (end - first);
}

static inline char *put_bytes(char *at, const void *bytes, size_t length)
{
    memcpy(at, bytes, length);
    return at + length;
}
/* Writes a string literal. */
#define put_literal(at, literal) put_bytes((at), "" literal, sizeof(literal) - 1)

/* Copies bytes of variable length without a call, in pieces of PIECE bytes. It reads and writes up
 * to the next multiple of PIECE on both sides. */
enum { PIECE = 32 };
static inline char *put_pieces(char *at, const char *bytes, size_t length)
{
    for (size_t done = 0; done < length; done += PIECE)
        memcpy(at + done, bytes + done, PIECE);
    return at + length;
}

/* Writes a short string, such as a name, without a call. */
static inline char *put_string(char *at, const char *string)
{
    while (*string)
        *at++ = *string++;
    return at;
}

#endif
