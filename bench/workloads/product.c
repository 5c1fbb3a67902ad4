/* The product of two 256×256 matrices of f32, in plain loops, with a rounded product and a rounded
 * sum for each pair.
 *
 * The data of variant 0 make the sums inexact; the first sum sets the inexact flag. In variant 1
 * all values are small integers, every operation is exact and no flag is ever set, so an emulator
 * has to check each operation. The flags are part of the checksum. fused.c does the same with fused
 * multiply-adds. */
#include "workload.h"

enum { SIDE = 256 };

static float a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];

static float multiply_add(float x, float y, float sum)
{
#ifdef FUSED
    return __builtin_fmaf(x, y, sum);
#else
    return x * y + sum;
#endif
}

static void fill(float matrix[SIDE][SIDE], unsigned exact, uint32_t state)
{
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            int32_t value = (int32_t)(draw(&state) & 0xffff);
            matrix[i][j] =
                exact ? (float)((value & 15) - 8) : (float)(value - 32768) / 65536.0f + 0x1p-20f;
        }
}

uint32_t workload(unsigned variant)
{
    fill(a, variant, 1);
    fill(b, variant, 2);
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < SIDE; j++)
            c[i][j] = 0;
        for (int k = 0; k < SIDE; k++)
            for (int j = 0; j < SIDE; j++)
                c[i][j] = multiply_add(a[i][k], b[k][j], c[i][j]);
    }
    uint32_t sum = floating_flags();
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            union {
                float value;
                uint32_t bits;
            } word = {c[i][j]};
            sum = mix(sum, word.bits);
        }
    return sum;
}
