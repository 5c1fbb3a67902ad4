/* The power method of tests/kernels/power_method.s in plain C.
 *
 * COMPARE: eigenvalue:4 f32 2^-20
 * COMPARE: vector:80 f32 2^-16
 * RUN: %python %tools/instruction_counts.py --build %build --check power_method
 */
#include "scalar.h"

enum { SIZE = 20, LIMIT = 64 };

float eigenvalue, vector[SIZE];

static float matrix[SIZE][SIZE];

FILL
{
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            matrix[i][j] = (float)((i < j ? i : j) + 1);
}

static void kernel(void)
{
    static float y[SIZE];

    fill();
    for (int i = 0; i < SIZE; i++)
        vector[i] = 1;
    float found = 0, previous;
    int steps = 0;
    do {
        float square = 0;
        for (int i = 0; i < SIZE; i++) {
            y[i] = neuron(0, matrix[i], vector, SIZE);
            square += y[i] * y[i];
        }
        previous = found;
        found = __builtin_sqrtf(square);
        float inverse = 1 / found;
        for (int i = 0; i < SIZE; i++)
            vector[i] = y[i] * inverse;
    } while (__builtin_fabsf(found - previous) > found * 0x1p-22f && ++steps < LIMIT);
    eigenvalue = found;
}
