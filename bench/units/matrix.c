/* Products of square matrices. The variant is 8·side + type: 0 f32, 1 f16, 2 bf16, 3 e4m3, 4 i8.
 * The checksum is that of the last product. The host's plain version computes only one product,
 * since it is slow and all products are the same. */
#include "unit.h"

enum type { F32, F16, BF16, E4M3, I8 };
enum { LARGEST = 1024 };

/* Returns one element of the product, another one each time: summing all of them would take longer
 * than a small product does. */
static unsigned probe(unsigned count)
{
    static unsigned place;

    place += 7919;
    return place % count;
}

#ifdef __riscv

static union {
    float floats[UNIT_PERIOD];
    signed char bytes[UNIT_PERIOD];
} period;

/* Writes the operand with this number into the scratchpad in its type; `spare` has room for it as
 * f32. */
static void fill(char *operand, char *spare, unsigned number, unsigned count, enum type type)
{
    for (unsigned i = 0; i < UNIT_PERIOD && i < count; i++)
        if (type == I8)
            period.bytes[i] = (signed char)unit_value(number, i);
        else
            period.floats[i] = (float)unit_value(number, i);
    unit_fill(type == F32 || type == I8 ? operand : spare, &period, count, type == I8 ? 1 : 4);
    if (type == F16)
        tensor_mcvt_f16_f32((uint64_t)operand, (uint64_t)spare, count);
    else if (type == BF16)
        tensor_mcvt_bf16_f32((uint64_t)operand, (uint64_t)spare, count);
    else if (type == E4M3)
        tensor_mcvt_e4m3_f32((uint64_t)operand, (uint64_t)spare, count);
}

static void multiply(char *out, const char *left, const char *right, unsigned side, enum type type)
{
    uint64_t c = (uint64_t)out, a = (uint64_t)left, b = (uint64_t)right;

    switch (type) {
    case F32:
        tensor_mm_f32(c, a, b, side, side, side);
        break;
    case F16:
        tensor_mm_f16(c, a, b, side, side, side);
        break;
    case BF16:
        tensor_mm_bf16(c, a, b, side, side, side);
        break;
    case E4M3:
        tensor_mm_e4m3(c, a, b, side, side, side);
        break;
    default:
        tensor_mm_i8(c, a, b, side, side, side);
        break;
    }
}

uint32_t workload(unsigned variant)
{
    static int ready;
    unsigned side = variant >> 3, count = side * side;
    enum type type = variant & 7;
    char *out = unit_scratchpad() + 64, *left = out + 4 * count, *right = left + 4 * count;

    if (!ready++) {
        fill(left, out, 1, count, type);
        fill(right, out, 2, count, type);
    }
    multiply(out, left, right, side, type);
    return unit_sum((float *)out + probe(count), 1, type != I8);
}

#else

static float left[LARGEST * LARGEST], right[LARGEST * LARGEST], out[LARGEST * LARGEST];

static void fill(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        left[i] = (float)unit_value(1, i);
        right[i] = (float)unit_value(2, i);
    }
}

#ifdef OPENBLAS
#include <cblas.h>

static void multiply(unsigned side, int again)
{
    (void)again;
    int n = (int)side;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0f, left, n, right, n, 0.0f,
                out, n);
}
#else
static void multiply(unsigned side, int again)
{
    if (again)
        return;
    for (unsigned i = 0; i < side; i++)
        for (unsigned k = 0; k < side; k++)
            for (unsigned j = 0; j < side; j++)
                out[i * side + j] += left[i * side + k] * right[k * side + j];
}
#endif

uint32_t workload(unsigned variant)
{
    static int ready;
    unsigned side = variant >> 3;

    if (side > LARGEST)
        return 0;
    if (!ready)
        fill(side * side);
    multiply(side, ready++);
    return unit_sum(out + probe(side * side), 1, 1);
}

#endif
