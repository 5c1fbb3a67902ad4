/* The layers of LeNet-5 of tests/kernels/cnn_layer.s in plain C: bias and rectification once for
 * each square, as there.
 *
 * COMPARE: out:4704 f32 2^-20
 * RUN: %python %tools/instruction_counts.py --build %build --check cnn_layer
 */
#include "scalar.h"

enum { SIZE = 32, KERNEL = 5, FILTERS = 6, POOLED = (SIZE - KERNEL + 1) / 2 };

INCLUDE(float, data, "cnn_layer.bin");
float out[FILTERS][POOLED][POOLED];

/* `filter` is a column of the filters: a place in the window is FILTERS further than the one
 * before. */
static float window(const float *image, const float *filter)
{
    float sum = 0;

    for (int r = 0; r < KERNEL; r++, image += SIZE)
        for (int s = 0; s < KERNEL; s++, filter += FILTERS)
            sum += *filter * image[s];
    return sum;
}

static void kernel(void)
{
    const float *bias = data + SIZE * SIZE;

    for (int f = 0; f < FILTERS; f++)
        for (int y = 0; y < POOLED; y++)
            for (int x = 0; x < POOLED; x++) {
                const float *place = data + 2 * y * SIZE + 2 * x, *filter = bias + FILTERS + f;
                float above = __builtin_fmaxf(window(place, filter), window(place + 1, filter));
                float below =
                    __builtin_fmaxf(window(place + SIZE, filter), window(place + SIZE + 1, filter));
                out[f][y][x] = __builtin_fmaxf(__builtin_fmaxf(above, below) + bias[f], 0);
            }
}
