/* The perceptron 64-150-150-14 of tests/kernels/mlp.s in plain C.
 *
 * COMPARE: output:56 f32 2^-20
 * RUN: %python %tools/instruction_counts.py --build %build --check mlp
 */
#include "scalar.h"

INCLUDE(float, parameters, "mlp.bin");
float output[14];

static void kernel(void)
{
    static float first[150], second[150];
    const float *next = sigmoid_layer(first, 150, parameters + 64, parameters, 64);

    next = sigmoid_layer(second, 150, next, first, 150);
    sigmoid_layer(output, 14, next, second, 150);
}
