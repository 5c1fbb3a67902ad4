/* Multiplies a square matrix of f32, larger than the caches, by a vector: its speed is that of
 * reading memory. The variant is the side. The host's version in plain C sums the products of each
 * row with the compiler's vectors, as fast as it can read. */
#include "unit.h"

#ifdef __riscv

static float period[UNIT_PERIOD];

uint32_t workload(unsigned side)
{
    static int ready;
    float *vector = (float *)(unit_scratchpad() + 64), *out = vector + side, *matrix = out + side;

    if (!ready++) {
        for (unsigned i = 0; i < side; i++)
            vector[i] = (float)unit_value(1, i);
        for (unsigned i = 0; i < UNIT_PERIOD; i++)
            period[i] = (float)unit_value(2, i);
        unit_fill((char *)matrix, period, side * side, sizeof period[0]);
    }
    tensor_mmv_f32((uint64_t)out, side, (uint64_t)matrix, (uint64_t)vector, side);
    return unit_sum(out, side, 1);
}

#else

enum { LARGEST = 4096, LANES = 16, SUMS = 4 };
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));

static _Alignas(64) float matrix[LARGEST * LARGEST], vector[LARGEST], out[LARGEST];

/* `side` is a multiple of LANES·SUMS. */
static float row_sum(const float *row, unsigned side)
{
    lanes sums[SUMS] = {0};

    for (unsigned j = 0; j < side; j += LANES * SUMS)
        for (unsigned i = 0; i < SUMS; i++)
            sums[i] +=
                *(const lanes *)(row + j + i * LANES) * *(const lanes *)(vector + j + i * LANES);
    float sum = 0;
    for (unsigned i = 0; i < SUMS; i++)
        for (unsigned lane = 0; lane < LANES; lane++)
            sum += sums[i][lane];
    return sum;
}

uint32_t workload(unsigned side)
{
    static int ready;

    if (side > LARGEST || side % (LANES * SUMS))
        return 0;
    if (!ready++) {
        for (unsigned i = 0; i < side; i++)
            vector[i] = (float)unit_value(1, i);
        for (unsigned i = 0; i < side * side; i++)
            matrix[i] = (float)unit_value(2, i);
    }
    for (unsigned i = 0; i < side; i++)
        out[i] = row_sum(matrix + (unsigned long)i * side, side);
    return unit_sum(out, side, 1);
}

#endif
