/* The perceptron in 8-bit integers of tests/kernels/int8_mlp.s in plain C: with biases instead of
 * the elements that carry them, and without the columns that carry those on.
 *
 * COMPARE: logits:320 bytes
 * COMPARE: classes:8 bytes
 * RUN: %python %tools/instruction_counts.py --build %build --check int8_mlp
 */
#include "scalar.h"

enum { BATCH = 8, CONSTANTS = 16, IN = 64, HIDDEN1 = 48, HIDDEN2 = 32, CLASSES = 10 };

struct parameters {
    float scale[4];
    int8_t batch[BATCH][IN + CONSTANTS];
    int8_t weights1[IN + CONSTANTS][HIDDEN1 + CONSTANTS];
    int8_t weights2[HIDDEN1 + CONSTANTS][HIDDEN2 + CONSTANTS];
    int8_t weights3[HIDDEN2 + CONSTANTS][CLASSES];
    int32_t bias1[HIDDEN1], bias2[HIDDEN2], bias3[CLASSES];
};
INCLUDE(struct parameters, parameters, "int8_mlp.bin");
float logits[BATCH][CLASSES];
uint8_t classes[BATCH];

/* scale * (bias + the inner product of `in` and a column of weights). */
static inline float sum(float scale, int32_t bias, const int8_t *in, int inputs,
                        const int8_t *column, int pitch)
{
    for (int i = 0; i < inputs; i++)
        bias += in[i] * column[i * pitch];
    return scale * (float)bias;
}

static inline int8_t saturate(float value)
{
    long whole = __builtin_lrintf(value);

    return (int8_t)(whole < -128 ? -128 : whole > 127 ? 127 : whole);
}

static void classify(int row)
{
    const struct parameters *p = parameters;
    int8_t hidden1[HIDDEN1], hidden2[HIDDEN2];

    for (int o = 0; o < HIDDEN1; o++)
        hidden1[o] = saturate(sum(p->scale[0], p->bias1[o], p->batch[row], IN, &p->weights1[0][o],
                                  HIDDEN1 + CONSTANTS));
    for (int o = 0; o < HIDDEN2; o++)
        hidden2[o] = saturate(sum(p->scale[1], p->bias2[o], hidden1, HIDDEN1, &p->weights2[0][o],
                                  HIDDEN2 + CONSTANTS));
    int largest = 0;
    for (int o = 0; o < CLASSES; o++) {
        logits[row][o] =
            sum(p->scale[2], p->bias3[o], hidden2, HIDDEN2, &p->weights3[0][o], CLASSES);
        if (logits[row][o] > logits[row][largest])
            largest = o;
    }
    classes[row] = (uint8_t)largest;
}

static void kernel(void)
{
    for (int row = 0; row < BATCH; row++)
        classify(row);
}
