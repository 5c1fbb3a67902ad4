/* The encoder 320-200-100-50-10 of tests/kernels/autoencoder.s in plain C.
 *
 * COMPARE: code:40 f32 2^-20
 * RUN: %python %tools/instruction_counts.py --build %build --check autoencoder
 */
#include "scalar.h"

INCLUDE(float, parameters, "autoencoder.bin");
float code[10];

static void kernel(void)
{
    static float first[200], second[100], third[50];
    const float *next = sigmoid_layer(first, 200, parameters + 320, parameters, 320);

    next = sigmoid_layer(second, 100, next, first, 200);
    next = sigmoid_layer(third, 50, next, second, 100);
    sigmoid_layer(code, 10, next, third, 50);
}
