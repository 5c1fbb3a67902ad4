#include "lib/sha1.h"

#include <stdint.h>
#include <string.h>

#define BLOCK 64

static uint32_t rotate(uint32_t value, int bits)
{
    return value << bits | value >> (32 - bits);
}

/* The word of a round. The last 16 words of the schedule are kept. */
static inline uint32_t word_of(uint32_t schedule[16], const unsigned char *block, int round)
{
    uint32_t *word = &schedule[round % 16];

    if (round < 16)
        *word = (uint32_t)block[4 * round] << 24 | (uint32_t)block[4 * round + 1] << 16 |
                (uint32_t)block[4 * round + 2] << 8 | block[4 * round + 3];
    else
        *word = rotate(schedule[(round - 3) % 16] ^ schedule[(round - 8) % 16] ^
                           schedule[(round - 14) % 16] ^ *word,
                       1);
    return *word;
}

/* One round. `chosen` is the function of b, c and d. */
static inline void turn(uint32_t s[5], uint32_t chosen, uint32_t constant, uint32_t word)
{
    uint32_t next = rotate(s[0], 5) + chosen + s[4] + constant + word;

    s[4] = s[3];
    s[3] = s[2];
    s[2] = rotate(s[1], 30);
    s[1] = s[0];
    s[0] = next;
}

/* The rounds are unrolled, so that the state and the schedule are in registers. */
static void add_block(uint32_t state[5], const unsigned char *block)
{
    uint32_t schedule[16], s[5];

    memcpy(s, state, sizeof s);
#pragma GCC unroll 20
    for (int i = 0; i < 20; i++)
        turn(s, s[3] ^ (s[1] & (s[2] ^ s[3])), 0x5a827999, word_of(schedule, block, i));
#pragma GCC unroll 20
    for (int i = 20; i < 40; i++)
        turn(s, s[1] ^ s[2] ^ s[3], 0x6ed9eba1, word_of(schedule, block, i));
#pragma GCC unroll 20
    for (int i = 40; i < 60; i++)
        turn(s, (s[1] & s[2]) | (s[3] & (s[1] | s[2])), 0x8f1bbcdc, word_of(schedule, block, i));
#pragma GCC unroll 20
    for (int i = 60; i < 80; i++)
        turn(s, s[1] ^ s[2] ^ s[3], 0xca62c1d6, word_of(schedule, block, i));
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
