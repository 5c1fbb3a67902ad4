/* The search for the loss scale of tests/kernels/gradient_histogram.s in plain C. What a bin counts
 * is written out, which takes fewer instructions than to ask a bin for its range as the histogram
 * unit does.
 *
 * COMPARE: steps:8 bytes
 * COMPARE: history:128 bytes
 * COMPARE: bins:16 bytes
 * COMPARE: half_bins:16 bytes
 * RUN: %python %tools/instruction_counts.py --build %build --check gradient_histogram
 */
#include "scalar.h"

enum { COUNT = 256, LIMIT = 32, FIRST = 26 };

uint64_t steps;
float history[LIMIT];
uint32_t bins[4], half_bins[4];
static uint32_t gradients[COUNT];
static const uint16_t halves[16] = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x3800, 0xbbff, 0x7bff, 0xfbff,
                                    0x0001, 0x83ff, 0x0400, 0x7c00, 0xfc00, 0x7e00, 0x3c00, 0x2e66};

union word {
    uint32_t bits;
    float value;
};

FILL
{
    uint32_t state = 7;

    for (int i = 0; i < COUNT; i++) {
        uint32_t word = random_word(&state);
        gradients[i] = (word & 0x807fffff) |
                       (80 + (word >> 8 & 15) + (word >> 16 & 15) + (word >> 24 & 15)) << 23;
    }
}

/* Counts of the scaled gradients: too large for f16, subnormal there or less, positive, negative.
 */
static void count(float scale, uint32_t counts[4])
{
    uint32_t large = 0, small = 0, negative = 0;

    for (int i = 0; i < COUNT; i++) {
        union word word = {.bits = gradients[i]};
        word.value *= scale;
        uint32_t exponent = word.bits >> 23 & 255;
        large += exponent >= 127 + 16;
        small += exponent <= 127 - 15;
        negative += word.bits >> 31;
    }
    counts[0] = large;
    counts[1] = small;
    counts[2] = COUNT - negative;
    counts[3] = negative;
}

static void search(uint32_t counts[4])
{
    float scale = (float)(1 << FIRST);
    int tried = 0;

    for (;;) {
        history[tried++] = scale;
        count(scale, counts);
        if (tried == LIMIT || (counts[0] != 0 && counts[0] <= COUNT / 64))
            break;
        scale *= counts[0] == 0 ? 2 : 0.5f;
    }
    steps = (uint64_t)tried;
}

/* Zeros, subnormals, infinities and NaNs, magnitude 1 or more. */
static void count_halves(uint32_t counts[4])
{
    for (int i = 0; i < 16; i++) {
        uint32_t exponent = halves[i] >> 10 & 31, fraction = halves[i] & 1023;
        counts[0] += exponent == 0 && fraction == 0;
        counts[1] += exponent == 0 && fraction != 0;
        counts[2] += exponent == 31;
        counts[3] += exponent >= 15;
    }
}

static void kernel(void)
{
    /* The state of a bin without its count: threshold, range, sign. */
    static const uint32_t empty[4] = {0x3e3c0000, 0x01c00000, 0x83fc0000, 0xc3fc0000};
    static const uint32_t empty_half[4] = {0x03fc0000, 0x07fc0000, 0x3c7c0000, 0x3c3c0000};
    uint32_t counts[4], half_counts[4] = {0};
    fill();
    search(counts);
    count_halves(half_counts);
    for (int i = 0; i < 4; i++) {
        bins[i] = empty[i] | counts[i];
        half_bins[i] = empty_half[i] | half_counts[i];
    }
}
