/* The convolution of tests/kernels/conv2d.s in plain C: the image is copied into a frame of zeros,
 * too, so that no loop asks for its edge.
 *
 * COMPARE: out:4608 f32 2^-20
 * RUN: %python %tools/instruction_counts.py --build %build --check conv2d
 */
#include "scalar.h"

enum { CHANNELS = 3, SIZE = 12, KERNEL = 3, FILTERS = 8, PADDED = SIZE + 2 };

INCLUDE(float, data, "conv2d.bin");
float out[FILTERS][SIZE][SIZE];
static float padded[CHANNELS][PADDED][PADDED];

static float window(const float (*filter)[KERNEL][KERNEL], int y, int x)
{
    float sum = 0;

    for (int c = 0; c < CHANNELS; c++)
        for (int i = 0; i < KERNEL; i++)
            for (int j = 0; j < KERNEL; j++)
                sum += filter[c][i][j] * padded[c][y + i][x + j];
    return sum;
}

static void kernel(void)
{
    const float(*image)[SIZE][SIZE] = (const float(*)[SIZE][SIZE])data;
    const float(*filters)[CHANNELS][KERNEL][KERNEL] =
        (const float(*)[CHANNELS][KERNEL][KERNEL])(data + CHANNELS * SIZE * SIZE);

    for (int c = 0; c < CHANNELS; c++)
        for (int y = 0; y < SIZE; y++)
            for (int x = 0; x < SIZE; x++)
                padded[c][y + 1][x + 1] = image[c][y][x];
    for (int f = 0; f < FILTERS; f++)
        for (int y = 0; y < SIZE; y++)
            for (int x = 0; x < SIZE; x++)
                out[f][y][x] = window(filters[f], y, x);
}
