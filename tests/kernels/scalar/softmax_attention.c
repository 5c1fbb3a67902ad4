/* The attention of tests/kernels/softmax_attention.s in plain C. A score of hundreds is right to
 * 2^-16, and so is its exponential.
 *
 * COMPARE: weights:768 f32 2^-15
 * COMPARE: out:1024 f32 2^-15
 * RUN: %python %tools/instruction_counts.py --build %build --check softmax_attention
 */
#include "scalar.h"

enum { QUERIES = 8, KEYS = 24, WIDTH = 32 };

INCLUDE(float, parameters, "softmax_attention.bin");
float weights[QUERIES][KEYS], out[QUERIES][WIDTH];

/* The weights of a query. */
static void weigh(float *row, const float *query, const float *keys)
{
    float largest = -3.4e38f, sum = 0;

    for (int k = 0; k < KEYS; k++) {
        float score = 0;
        for (int j = 0; j < WIDTH; j++)
            score += query[j] * keys[j * KEYS + k];
        row[k] = score * 0.17677669529663687f; /* 1 / sqrt(WIDTH) */
        largest = __builtin_fmaxf(largest, row[k]);
    }
    for (int k = 0; k < KEYS; k++) {
        row[k] = exponential(row[k] - largest);
        sum += row[k];
    }
    float inverse = 1 / sum;
    for (int k = 0; k < KEYS; k++)
        row[k] *= inverse;
}

static void kernel(void)
{
    const float *keys = parameters + QUERIES * WIDTH, *values = keys + WIDTH * KEYS;

    for (int q = 0; q < QUERIES; q++) {
        weigh(weights[q], parameters + q * WIDTH, keys);
        for (int j = 0; j < WIDTH; j++) {
            float sum = 0;
            for (int k = 0; k < KEYS; k++)
                sum += weights[q][k] * values[k * WIDTH + j];
            out[q][j] = sum;
        }
    }
}
