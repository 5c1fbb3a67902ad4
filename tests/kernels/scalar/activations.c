/* The activations of tests/kernels/activations.s in plain C.
 *
 * COMPARE: out:768 f32 2^-20
 * RUN: %python %tools/instruction_counts.py --build %build --check activations
 */
#include "scalar.h"

enum { LINES = 6, COLUMNS = 8, STRIDE = 20 };

INCLUDE(float, data, "activations.bin");
float out[4][LINES][COLUMNS];
static float matrix[12 * STRIDE];

static void kernel(void)
{
    for (int y = 0; y < LINES; y++)
        for (int x = 0; x < COLUMNS; x++) {
            float value = data[(3 + y) * STRIDE + 5 + x];
            out[0][y][x] = exponential(value);
            out[1][y][x] = value > 0 ? value : 0;
            out[2][y][x] = sigmoid(value);
            matrix[(3 + y) * STRIDE + 5 + x] = out[3][y][x] = hyperbolic_tangent(value);
        }
}
