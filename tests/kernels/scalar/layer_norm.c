/* The layer normalization of tests/kernels/layer_norm.s in plain C, from its formula.
 *
 * COMPARE: out:2048 f32 2^-17
 * RUN: %python %tools/instruction_counts.py --build %build --check layer_norm
 */
#include "scalar.h"

enum { ROWS = 8, WIDTH = 64 };

INCLUDE(float, parameters, "layer_norm.bin");
float out[ROWS][WIDTH];

static void kernel(void)
{
    const float *gain = parameters + ROWS * WIDTH, *shift = gain + WIDTH;

    for (int r = 0; r < ROWS; r++) {
        const float *in = parameters + r * WIDTH;
        float sum = 0, squares = 0;
        for (int j = 0; j < WIDTH; j++)
            sum += in[j];
        float mean = sum / WIDTH;
        for (int j = 0; j < WIDTH; j++) {
            float centered = in[j] - mean;
            squares += centered * centered;
        }
        float inverse = 1 / __builtin_sqrtf(squares / WIDTH + 1e-5f);
        for (int j = 0; j < WIDTH; j++)
            out[r][j] = (in[j] - mean) * inverse * gain[j] + shift[j];
    }
}
