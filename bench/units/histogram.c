/* Counts a block of f32 values into four bins by exponent and sign: with the histogram unit, or in
 * plain C that follows its specification. The block stays in the L1 cache. All repeats have the
 * same result, so with bit 1 of the variant the host counts only once, to find the output of a long
 * run quickly. */
#include "unit.h"

enum { VALUES = 4096, PASSES = 16 };

static float values[VALUES];

/* Exponents to 126 of any sign; from 1 of any sign; [127, 129) positive; [120, 124) negative. */
static const uint32_t empty_bins[4] = {126u << 18, 1u << 18 | 15u << 26,
                                       127u << 18 | 2u << 26 | 2u << 30,
                                       120u << 18 | 4u << 26 | 3u << 30};

#ifdef __riscv
/* histogram_loop.s: counts `count` values, a multiple of four. */
void histogram_loop(uint32_t bins[4], const float *values, unsigned long count);
#else
static int counts_in(uint32_t bin, uint32_t value)
{
    uint32_t exponent = value >> 23 & 0xff, threshold = bin >> 18 & 0xff, range = bin >> 26 & 15,
             sign = bin >> 30;

    if ((bin & 0x3ffff) == 0x3ffff || (sign == 2 && value >> 31) || (sign == 3 && !(value >> 31)))
        return 0;
    return range == 0 ? exponent <= threshold
                      : exponent >= threshold && (range == 15 || exponent < threshold + range);
}

static void histogram_loop(uint32_t bins[4], const float *from, unsigned long count)
{
    for (unsigned long i = 0; i < count; i++) {
        union {
            float value;
            uint32_t bits;
        } word = {from[i]};
        for (int j = 0; j < 4; j++)
            bins[j] += (uint32_t)counts_in(bins[j], word.bits);
    }
}
#endif

static void fill(uint32_t state)
{
    for (unsigned i = 0; i < VALUES; i++) {
        union {
            uint32_t bits;
            float value;
        } word = {(draw(&state) & 0x807fff) << 8 | (112 + draw(&state) % 20) << 23};
        values[i] = word.value;
    }
}

static uint32_t count_all(void)
{
    uint32_t bins[4], sum = 0;

    for (int i = 0; i < 4; i++)
        bins[i] = empty_bins[i];
    for (int pass = 0; pass < PASSES; pass++)
        histogram_loop(bins, values, VALUES);
    for (int i = 0; i < 4; i++)
        sum = mix(sum, bins[i]);
    return sum;
}

uint32_t workload(unsigned variant)
{
    static int ready;

    if (!ready++)
        fill((variant & 1) + 1);
#ifndef __riscv
    static uint32_t once;
    if (variant & 2)
        return once ? once : (once = count_all());
#endif
    return count_all();
}
