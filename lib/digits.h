/* Numbers as text, straight into memory: for output of which there is so much that printf would
 * take longer than all else. Each put_ function returns the end of what it wrote, and adds no NUL;
 * the caller has made room. */
#ifndef LIB_DIGITS_H
#define LIB_DIGITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    HEX_ROOM = 18,     /* bytes that put_hex may touch; put_digits two less */
    DECIMAL_ROOM = 20, /* digits of a number */
};

/* Eight hexadecimal digits, the first in the lowest byte: each nibble gets a byte, the bytes are
 * put in order, and those above 9 move on from ':' to 'a'. */
static inline uint64_t hex_digits(uint32_t value)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t digits = value;

    digits = (digits << 16 | digits) & UINT64_C(0x0000ffff0000ffff);
    digits = (digits << 8 | digits) & UINT64_C(0x00ff00ff00ff00ff);
    digits = (digits << 4 | digits) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    digits = __builtin_bswap64(digits);
    return digits + '0' * ones + ((digits + 6 * ones) >> 4 & ones) * ('a' - '0' - 10);
}

/* The lowest `digits` (1 to 16) digits of the value. */
static inline char *put_digits(char *at, uint64_t value, unsigned digits)
{
    value <<= 64 - 4 * digits;
    const uint64_t high = hex_digits((uint32_t)(value >> 32)), low = hex_digits((uint32_t)value);
    memcpy(at, &high, sizeof high);
    memcpy(at + sizeof high, &low, sizeof low);
    return at + digits;
}

/* How many digits the value has without leading zeros. */
static inline unsigned hex_length(uint64_t value)
{
    return (67 - (unsigned)__builtin_clzll(value | 1)) / 4;
}

/* 0x and the digits of the value, at least `digits` of them. */
static inline char *put_hex(char *at, uint64_t value, unsigned digits)
{
    const unsigned needed = hex_length(value);

    memcpy(at, "0x", 2);
    return put_digits(at + 2, value, needed > digits ? needed : digits);
}

/* Decimal digits that end before `end`; returns where they begin. Two at a time: a division takes
 * longer than the rest. */
static inline char *put_decimal_before(char *end, uint64_t value)
{
    for (; value >= 100; value /= 100) {
        const unsigned pair = (unsigned)(value % 100);
        *--end = (char)('0' + pair % 10);
        *--end = (char)('0' + pair / 10);
    }
    *--end = (char)('0' + value % 10);
    if (value >= 10)
        *--end = (char)('0' + value / 10);
    return end;
}

static inline char *put_bytes(char *at, const void *bytes, size_t length)
{
    memcpy(at, bytes, length);
    return at + length;
}

/* Names are short: no call. */
static inline char *put_string(char *at, const char *string)
{
    while (*string)
        *at++ = *string++;
    return at;
}

#endif
