/* The training in mixed precision of tests/kernels/mixed_precision.s in plain C. RV64GC has no f16:
 * a value of that precision is an f32 that `half` has rounded, so that products need no conversion.
 *
 * COMPARE: scales:48 bytes
 * COMPARE: counts:192 bytes
 * COMPARE: losses:48 f32 2^-20
 * COMPARE: first:1536 f32 2^-20
 * RUN: %python %tools/instruction_counts.py --build %build --check mixed_precision
 */
#include "scalar.h"

enum { STEPS = 12, OFF = 8, BATCH = 16, IN = 16, HIDDEN = 16, OUT = 8 };
enum { WEIGHTS = IN * HIDDEN + HIDDEN * OUT };

struct parameters {
    uint16_t inputs[2][BATCH][IN];
    float targets[2][BATCH][OUT];
    float initial[WEIGHTS];
};
INCLUDE(struct parameters, parameters, "mixed_precision.bin");
float losses[STEPS], scales[STEPS], first[WEIGHTS];
uint32_t counts[STEPS][4];

union word {
    uint32_t bits;
    float value;
};

/* To the nearest f16, even in ties. Below 2^-14 its values are 2^-24 apart, as those of f32 are
 * from 0.5 to 1. */
static inline float half(float value)
{
    union word word = {.value = value};
    uint32_t sign = word.bits & 0x80000000;

    word.bits &= 0x7fffffff;
    if (word.bits < 0x38800000) {
        word.value += 0.5f;
        word.value -= 0.5f;
    } else if (word.bits < 0x477ff000) {
        word.bits = (word.bits + 0xfff + (word.bits >> 13 & 1)) & 0xffffe000;
    } else {
        word.bits = word.bits > 0x7f800000 ? 0x7fc00000 : 0x7f800000;
    }
    word.bits |= sign;
    return word.value;
}

/* An f16 as f32. */
static inline float wide(uint16_t bits)
{
    union word word = {.bits = (uint32_t)(bits & 0x7fff) << 13};

    word.value *= 0x1p112f;
    word.bits |= (uint32_t)(bits & 0x8000) << 16;
    return word.value;
}

/* out = a * b; out is rows x columns, a is rows x inner, b is inner x columns. */
static void multiply(float *out, const float *a, const float *b, int rows, int inner, int columns)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            float sum = 0;
            for (int k = 0; k < inner; k++)
                sum += a[r * inner + k] * b[k * columns + c];
            *out++ = sum;
        }
}

static void round_all(float *out, const float *in, int count)
{
    for (int i = 0; i < count; i++)
        out[i] = half(in[i]);
}

/* Forward and backward; the gradients are transposed. Returns the sum of squared errors. */
static float differentiate(float *gradients, const uint16_t *inputs, const float *targets,
                           float factor)
{
    static float x[BATCH * IN], rounded[WEIGHTS], hidden[BATCH * HIDDEN],
        half_hidden[BATCH * HIDDEN];
    static float out[BATCH * OUT], error[OUT * BATCH], back[HIDDEN * BATCH];
    float squares = 0;

    for (int i = 0; i < BATCH * IN; i++)
        x[i] = wide(inputs[i]);
    round_all(rounded, first, WEIGHTS);
    const float *second = rounded + IN * HIDDEN;
    multiply(hidden, x, rounded, BATCH, IN, HIDDEN);
    for (int i = 0; i < BATCH * HIDDEN; i++) {
        hidden[i] = __builtin_fmaxf(hidden[i], 0);
        half_hidden[i] = half(hidden[i]);
    }
    multiply(out, half_hidden, second, BATCH, HIDDEN, OUT);
    for (int r = 0; r < BATCH; r++)
        for (int c = 0; c < OUT; c++) {
            float off = out[r * OUT + c] - targets[r * OUT + c];
            squares += off * off;
            error[c * BATCH + r] = half(off * factor);
        }
    multiply(back, second, error, HIDDEN, OUT, BATCH);
    for (int r = 0; r < BATCH; r++)
        for (int h = 0; h < HIDDEN; h++) {
            float *place = &back[h * BATCH + r];
            *place = hidden[r * HIDDEN + h] != 0 ? half(*place) : 0;
        }
    multiply(gradients, back, x, HIDDEN, BATCH, IN);
    multiply(gradients + IN * HIDDEN, error, half_hidden, OUT, BATCH, HIDDEN);
    round_all(gradients, gradients, WEIGHTS);
    return squares;
}

/* Infinite or no number, 2^14 and more, subnormal in f16, zero. */
static void count(uint32_t *bins, const float *gradients)
{
    for (int i = 0; i < WEIGHTS; i++) {
        const union word word = {.value = gradients[i]};
        uint32_t magnitude = word.bits & 0x7fffffff;
        bins[0] += magnitude >= 0x7f800000;
        bins[1] += magnitude >= (127 + 14) << 23;
        bins[2] += magnitude != 0 && magnitude < (127 - 14) << 23;
        bins[3] += magnitude == 0;
    }
}

/* The gradients lie by columns of the weights. */
static void update(float *weights, const float *gradients, int rows, int columns, float rate)
{
    for (int c = 0; c < columns; c++)
        for (int r = 0; r < rows; r++)
            weights[r * columns + c] -= *gradients++ * rate;
}

static void kernel(void)
{
    static float gradients[WEIGHTS];
    float scale = 0x1p20f;

    for (int i = 0; i < WEIGHTS; i++)
        first[i] = parameters->initial[i];
    for (int step = 0; step < STEPS; step++) {
        int batch = step >= OFF;
        uint32_t *bins = counts[step];
        scales[step] = scale;
        losses[step] = differentiate(gradients, parameters->inputs[batch][0],
                                     parameters->targets[batch][0], scale * 0.015625f);
        count(bins, gradients);
        if (bins[0] == 0) {
            update(first, gradients, IN, HIDDEN, 1 / scale);
            update(first + IN * HIDDEN, gradients + IN * HIDDEN, HIDDEN, OUT, 1 / scale);
        }
        if (bins[0] != 0 || bins[1] > WEIGHTS / 64)
            scale *= 0.5f;
        else if (bins[1] == 0)
            scale *= 2;
    }
}
