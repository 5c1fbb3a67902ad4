#include "lib/sha1.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

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

#ifdef __x86_64__
#define SHA_CODE __attribute__((target("sha,sse4.1")))

/* Does the host have instructions for SHA-1? Not every compiler's __builtin_cpu_supports knows. */
static bool has_instructions(void)
{
    unsigned a, b, c, d;

    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA) &&
           __builtin_cpu_supports("sse4.1");
}

/* Four rounds. The function and the constant are those of rounds 20 * kind to 20 * kind + 19. */
SHA_CODE static inline __m128i four_turns(__m128i abcd, __m128i e, int kind)
{
    switch (kind) {
    case 0:
        return _mm_sha1rnds4_epu32(abcd, e, 0);
    case 1:
        return _mm_sha1rnds4_epu32(abcd, e, 1);
    case 2:
        return _mm_sha1rnds4_epu32(abcd, e, 2);
    default:
        return _mm_sha1rnds4_epu32(abcd, e, 3);
    }
}

/* The words of four rounds, the first one highest. */
SHA_CODE static inline __m128i words_of(__m128i schedule[4], const unsigned char *block, int four)
{
    const __m128i order = _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f);
    __m128i *words = &schedule[four % 4];

    if (four < 4)
        *words = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)block + four), order);
    else
        *words =
            _mm_sha1msg2_epu32(_mm_xor_si128(_mm_sha1msg1_epu32(*words, schedule[(four + 1) % 4]),
                                             schedule[(four + 2) % 4]),
                               schedule[(four + 3) % 4]);
    return *words;
}

/* The same as add_block, with the instructions. In a vector `a` is highest, in memory it is first.
 */
SHA_CODE static void add_block_fast(uint32_t state[5], const unsigned char *block)
{
    enum { REVERSED = 0x1b };
    const __m128i first = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), REVERSED);
    const __m128i first_e = _mm_set_epi32((int)state[4], 0, 0, 0);
    __m128i schedule[4], abcd = first, e = _mm_add_epi32(first_e, words_of(schedule, block, 0));

#pragma GCC unroll 20
    for (int four = 0; four < 20; four++) {
        __m128i before = abcd;
        abcd = four_turns(abcd, e, four / 5);
        e = _mm_sha1nexte_epu32(before, four < 19 ? words_of(schedule, block, four + 1) : first_e);
    }
    abcd = _mm_shuffle_epi32(_mm_add_epi32(abcd, first), REVERSED);
    _mm_storeu_si128((__m128i *)state, abcd);
    state[4] = (uint32_t)_mm_extract_epi32(e, 3);
}
#endif

typedef void block_adder(uint32_t state[5], const unsigned char *block);

static block_adder *choose(void)
{
#ifdef __x86_64__
    if (has_instructions())
        return add_block_fast;
#endif
    return add_block;
}

void sha1(const void *bytes, size_t length, unsigned char digest[SHA1_SIZE])
{
    uint32_t state[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    const unsigned char *next = bytes;
    size_t left = length;
    block_adder *add = choose();

    for (; left >= BLOCK; left -= BLOCK, next += BLOCK)
        add(state, next);
    unsigned char tail[2 * BLOCK] = {0};
    if (left)
        memcpy(tail, next, left);
    tail[left] = 0x80;
    size_t padded = left + 9 > BLOCK ? 2 * BLOCK : BLOCK;
    for (int i = 0; i < 8; i++)
        tail[padded - 1 - (size_t)i] = (unsigned char)((uint64_t)length * 8 >> (8 * i));
    for (size_t i = 0; i < padded; i += BLOCK)
        add(state, tail + i);
    for (int i = 0; i < SHA1_SIZE; i++)
        digest[i] = (unsigned char)(state[i / 4] >> (24 - 8 * (i % 4)));
}
