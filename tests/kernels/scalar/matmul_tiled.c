/* The product of matrices of tests/kernels/matmul_tiled.s in plain C, without tiles: nothing is
 * gained by them here.
 *
 * COMPARE: c:1440 f32 2^-20
 * RUN: %python %tools/instruction_counts.py --build %build --check matmul_tiled
 */
#include "scalar.h"

enum { M = 20, K = 21, N = 18 };

float c[M][N];
static float data[M * K + K * N];

FILL
{
    uint32_t state = 1;

    for (int i = 0; i < M * K + K * N; i++)
        data[i] = (float)(int32_t)random_word(&state) * 0x1p-31f;
}

static void kernel(void)
{
    fill();
    const float(*a)[K] = (const float(*)[K])data, (*b)[N] = (const float(*)[N])(data + M * K);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < K; k++)
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
}
