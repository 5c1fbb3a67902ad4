/* Zero compression (JP7187635B2, claims 7 and 14; unit 310): the form of values on a link.
 *
 * The bitmap has the first value in the lowest bit of its first byte. Both ends know the number of
 * values, so the size of a packet tells its form.
 *
 * The work is done in blocks of eight values, which share a byte of the bitmap. Values that do not
 * fill a byte, because a run begins or ends in it, are handled one by one. */
#include "emu/units/sparse_parts.h"

#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

enum { BLOCK = 8 };

#define ONES  UINT64_C(0x0101010101010101)
#define LANES UINT64_C(0x0706050403020100)

/* These functions are compiled once for each size. */
#define SIZED static inline __attribute__((always_inline))

SIZED uint64_t load(const unsigned char *at, unsigned size)
{
    uint64_t value = 0;

    memcpy(&value, at, size);
    return value;
}

/* Returns a bit for each of the eight values from `at` on that is not 0. */
SIZED unsigned nonzero_of(const unsigned char *at, unsigned size)
{
    unsigned bits = 0;

    if (size == 1) {
        uint64_t low = 0x7f * ONES, bytes = load(at, BLOCK);
        bytes = ((bytes & low) + low) | bytes;
        return (unsigned)((bytes >> 7 & ONES) * UINT64_C(0x0102040810204080) >> 56);
    }
    for (unsigned i = 0; i < BLOCK; i++)
        bits |= (unsigned)(load(at + i * size, size) != 0) << i;
    return bits;
}

/* Returns eight bytes: byte i is the number of bits up to bit i that are set. */
static inline uint64_t ranks_of(unsigned bits)
{
    uint64_t bytes = bits * ONES & UINT64_C(0x8040201008040201);

    bytes = (bytes + 0x7f * ONES) >> 7 & ONES;
    return bytes * ONES;
}

/* Sets the bits of a run's values, the first of which is number `bit`, and copies those that are
 * not 0 to `out`. Returns the end of `out`. */
SIZED unsigned char *squeeze_sized(unsigned char *out, unsigned char *bitmap, uint64_t bit,
                                   const struct sparse_run *run, unsigned size)
{
    const unsigned char *at = run->at, *end = at + run->count * size;

    while (at < end) {
        unsigned step = 1, bits;
        if (bit % BLOCK == 0 && at + BLOCK * size <= end) {
            step = BLOCK;
            bits = nonzero_of(at, size);
            bitmap[bit / BLOCK] = (unsigned char)bits;
            uint64_t ranks = ranks_of(bits);
            memcpy(out, at, size);
            for (unsigned i = 1; i < BLOCK; i++)
                memcpy(out + (ranks >> 8 * (i - 1) & 0xff) * size, at + i * size, size);
            out += (ranks >> 56) * size;
        } else {
            bits = load(at, size) != 0;
            if (bit % BLOCK == 0)
                bitmap[bit / BLOCK] = 0;
            bitmap[bit / BLOCK] |= (unsigned char)(bits << bit % BLOCK);
            memcpy(out, at, size);
            out += bits * size;
        }
        at += step * size;
        bit += step;
    }
    return out;
}

/* The inverse of squeeze_sized. Returns the end of the values that were used. */
SIZED const unsigned char *spread_sized(const unsigned char *in, const unsigned char *bitmap,
                                        uint64_t bit, const struct sparse_run *run, unsigned size)
{
    unsigned char *to = run->at;
    uint64_t left = run->count;

    while (left > 0) {
        unsigned bits = bitmap[bit / BLOCK] >> bit % BLOCK, step = 1;
        if (bit % BLOCK == 0 && left >= BLOCK) {
            step = BLOCK;
            uint64_t ranks = ranks_of(bits);
            for (unsigned i = 0; i < BLOCK; i++) {
                uint64_t value = load(in + (ranks << 8 >> 8 * i & 0xff) * size, size);
                value &= -(uint64_t)(bits >> i & 1);
                memcpy(to + i * size, &value, size);
            }
            in += (ranks >> 56) * size;
        } else {
            uint64_t value = load(in, size) & -(uint64_t)(bits & 1);
            memcpy(to, &value, size);
            in += (bits & 1) * size;
        }
        to += step * size;
        bit += step;
        left -= step;
    }
    return in;
}

#ifdef __x86_64__
/* The same for whole blocks of values of four bytes. Eight bytes, one for each bit, become eight
 * lanes. */
#define TARGET __attribute__((target("avx2,bmi2")))

TARGET static inline uint64_t mask_of(unsigned bits)
{
    return _pdep_u64(bits, ONES) * 0xff;
}

TARGET static inline __m256i permute(const unsigned char *at, uint64_t order)
{
    return _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)at),
                                       _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)order)));
}

TARGET static unsigned char *squeeze_words(unsigned char *out, unsigned char *bitmap,
                                           const unsigned char *at, uint64_t blocks)
{
    for (uint64_t i = 0; i < blocks; i++, at += 4 * BLOCK) {
        __m256i zeros =
            _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)at), _mm256_setzero_si256());
        unsigned bits = ~(unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(zeros)) & 0xff;
        __m256i values = permute(at, _pext_u64(LANES, mask_of(bits)));
        _mm256_storeu_si256((__m256i *)out, values);
        bitmap[i] = (unsigned char)bits;
        out += 4 * __builtin_popcount(bits);
    }
    return out;
}

TARGET static const unsigned char *spread_words(const unsigned char *in,
                                                const unsigned char *bitmap, unsigned char *to,
                                                uint64_t blocks)
{
    for (uint64_t i = 0; i < blocks; i++, to += 4 * BLOCK) {
        uint64_t mask = mask_of(bitmap[i]);
        __m256i values = permute(in, _pdep_u64(LANES, mask));
        __m256i kept = _mm256_cvtepi8_epi32(_mm_cvtsi64_si128((long long)mask));
        _mm256_storeu_si256((__m256i *)to, _mm256_and_si256(values, kept));
        in += 4 * __builtin_popcount(bitmap[i]);
    }
    return in;
}

static uint64_t word_blocks(uint64_t bit, const struct sparse_run *run)
{
    bool suits = run->size == 4 && bit % BLOCK == 0 && __builtin_cpu_supports("avx2") &&
                 __builtin_cpu_supports("bmi2");

    return suits ? run->count / BLOCK : 0;
}
#else
#define word_blocks(bit, run)             0
#define squeeze_words(out, bitmap, at, n) (out)
#define spread_words(in, bitmap, to, n)   (in)
#endif

#define FOR_SIZE(size, function, ...)                                                              \
    ((size) == 1   ? function(__VA_ARGS__, 1)                                                      \
     : (size) == 2 ? function(__VA_ARGS__, 2)                                                      \
     : (size) == 4 ? function(__VA_ARGS__, 4)                                                      \
                   : function(__VA_ARGS__, size))

static unsigned char *squeeze(unsigned char *out, unsigned char *bitmap, uint64_t bit,
                              const struct sparse_run *run)
{
    uint64_t blocks = word_blocks(bit, run), values = BLOCK * blocks;
    const struct sparse_run rest = {run->at + values * run->size, run->count - values, run->size};

    out = squeeze_words(out, bitmap + bit / BLOCK, run->at, blocks);
    return FOR_SIZE(run->size, squeeze_sized, out, bitmap, bit + values, &rest);
}

static const unsigned char *spread(const unsigned char *in, const unsigned char *bitmap,
                                   uint64_t bit, const struct sparse_run *run)
{
    uint64_t blocks = word_blocks(bit, run), values = BLOCK * blocks;
    const struct sparse_run rest = {run->at + values * run->size, run->count - values, run->size};

    in = spread_words(in, bitmap + bit / BLOCK, run->at, blocks);
    return FOR_SIZE(run->size, spread_sized, in, bitmap, bit + values, &rest);
}

static uint64_t bitmap_bytes(uint64_t values)
{
    return values / BLOCK + (values % BLOCK != 0);
}

static uint64_t count_values(const struct sparse_run *runs, uint32_t count)
{
    uint64_t values = 0;

    for (uint32_t i = 0; i < count; i++)
        values += runs[i].count;
    return values;
}

/* The last block writes or reads up to a block of four bytes each more than there is. */
uint64_t sparse_packet_limit(uint64_t values, uint64_t bytes)
{
    return bitmap_bytes(values) + bytes + 4 * BLOCK;
}

uint64_t sparse_pack(unsigned char *packet, const struct sparse_run *runs, uint32_t count,
                     uint64_t bytes)
{
    unsigned char *out = packet + bitmap_bytes(count_values(runs, count));
    uint64_t bit = 0;

    for (uint32_t i = 0; i < count; bit += runs[i++].count)
        out = squeeze(out, packet, bit, &runs[i]);
    if ((uint64_t)(out - packet) < bytes)
        return (uint64_t)(out - packet);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(packet, runs[i].at, runs[i].count * runs[i].size);
        packet += runs[i].count * runs[i].size;
    }
    return bytes;
}

void sparse_unpack(const unsigned char *packet, uint64_t size, const struct sparse_run *runs,
                   uint32_t count, uint64_t bytes)
{
    const unsigned char *in = packet + bitmap_bytes(count_values(runs, count));
    uint64_t bit = 0;

    if (size < bytes) {
        for (uint32_t i = 0; i < count; bit += runs[i++].count)
            in = spread(in, packet, bit, &runs[i]);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        memcpy(runs[i].at, packet, runs[i].count * runs[i].size);
        packet += runs[i].count * runs[i].size;
    }
}
