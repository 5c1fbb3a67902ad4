#include "lib/sha1.h"

#include <stdint.h>
#include <string.h>

#define BLOCK 64

static uint32_t rotate(uint32_t value, int bits)
{
    return value << bits | value >> (32 - bits);
}

static uint32_t choose(int round, uint32_t b, uint32_t c, uint32_t d)
{
    if (round < 20)
        return (b & c) | (~b & d);
    if (round >= 40 && round < 60)
        return (b & c) | (b & d) | (c & d);
    return b ^ c ^ d;
}

static void add_block(uint32_t state[5], const unsigned char *block)
{
    static const uint32_t constants[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    uint32_t schedule[80], s[5];

    for (int i = 0; i < 16; i++)
        schedule[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                      (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 80; i++)
        schedule[i] =
            rotate(schedule[i - 3] ^ schedule[i - 8] ^ schedule[i - 14] ^ schedule[i - 16], 1);
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 80; i++) {
        uint32_t next =
            rotate(s[0], 5) + choose(i, s[1], s[2], s[3]) + s[4] + constants[i / 20] + schedule[i];
        s[4] = s[3];
        s[3] = s[2];
        s[2] = rotate(s[1], 30);
        s[1] = s[0];
        s[0] = next;
    }
    for (int i = 0; i < 5; i++)
        state[i] += s[i];
}

void sha1(const void *bytes, size_t length, unsigned char digest[SHA1_SIZE])
{
    uint32_t state[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    const unsigned char *next = bytes;
    size_t left = length;

    for (; left >= BLOCK; left -= BLOCK, next += BLOCK)
        add_block(state, next);
    unsigned char tail[2 * BLOCK] = {0};
    if (left)
        memcpy(tail, next, left);
    tail[left] = 0x80;
    size_t padded = left + 9 > BLOCK ? 2 * BLOCK : BLOCK;
    for (int i = 0; i < 8; i++)
        tail[padded - 1 - (size_t)i] = (unsigned char)((uint64_t)length * 8 >> (8 * i));
    for (size_t i = 0; i < padded; i += BLOCK)
        add_block(state, tail + i);
    for (int i = 0; i < SHA1_SIZE; i++)
        digest[i] = (unsigned char)(state[i / 4] >> (24 - 8 * (i % 4)));
}
