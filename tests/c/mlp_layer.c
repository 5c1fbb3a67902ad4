/* A layer of a network in C, out = max(0, weights * in + bias), on the matrix and traversal units;
 * then the distribution of the exponents of the outputs, on the histogram unit. gcc needs no patch,
 * tld links, and the scratchpad is a section.
 *
 * The same layer is computed a second time in plain C that follows docs/machine.md: products are
 * summed in a balanced tree of 16 lanes, and its sums are added to an accumulator. The exit status
 * is 0 when all bits are equal.
 *
 * RUN: %gcc -march=rv64imafd -mabi=lp64d -O2 -ffp-contract=off -ffreestanding -Wall -Werror -I %build/gen -c -o %t.o %s
 * RUN: %tld -o %t %t.o
 * RUN: %temu --print 'result:f32' %t | FileCheck %s
 * RUN: %tobjdump -d %t | FileCheck %s --check-prefix=CODE
 * RUN: %gcc -march=rv64imafd -mabi=lp64d -O0 -ffp-contract=off -ffreestanding -I %build/gen -c -o %t.o %s && %tld -o %t %t.o && %temu %t
 * RUN: %gcc -march=rv64imafd -mabi=lp64d -Os -ffp-contract=off -ffreestanding -I %build/gen -c -o %t.o %s && %gld -o %t %t.o --section-start=.spm=0x40000000 && %temu %t
 *
 * CHECK: result:f32[6] = [5.9158993, 0, 6.508377, 1.1460958, 7.782492, 0]
 * CODE-DAG: dma.ld
 * CODE-DAG: mmv.f32
 * CODE-DAG: tset.repeat 1,1,6
 * CODE-DAG: tflw
 * CODE-DAG: tfsw
 * CODE-DAG: f32v4hist ft0:ft3,ft4:ft7
 */
#include "tensor.h"

enum { INPUTS = 40, OUTPUTS = 6, LANES = 16 };

/* In main memory. */
static float weights[OUTPUTS][INPUTS], input[INPUTS], bias[OUTPUTS];
float result[OUTPUTS];

/* In the scratchpad. */
#define SCRATCHPAD __attribute__((section(".spm")))
SCRATCHPAD static float spm_weights[OUTPUTS][INPUTS], spm_input[INPUTS], spm_output[OUTPUTS];

static uint64_t address(const volatile void *pointer)
{
    return (uint64_t)pointer;
}

/* A row of the traversal unit that walks an array of floats once. */
static void walk(uint64_t row, const void *array, uint64_t count)
{
    tensor_tclear(row);
    tensor_tbase(row, address(array));
    tensor_tset_init(row, 0, 0);
    tensor_tset_step(row, 0, sizeof(float));
    tensor_tset_end(row, 0, count * sizeof(float));
    tensor_tinit(row);
}

static void layer(void)
{
    tensor_dma_ld(address(spm_weights), address(weights), sizeof weights);
    tensor_dma_ld(address(spm_input), address(input), sizeof input);
    tensor_mmv_f32(address(spm_output), OUTPUTS, address(spm_weights), address(spm_input), INPUTS);
    walk(0, spm_output, OUTPUTS);
    walk(1, bias, OUTPUTS);
    walk(2, result, OUTPUTS);
    do {
        float sum = tensor_tflw(0) + tensor_tflw(1);
        tensor_tfsw(sum > 0 ? sum : 0, 2);
    } while (!tensor_tdone(2));
}

/* ---- the same in plain C ---- */

static float tree(const float *row, const float *values, int count)
{
    float lanes[LANES];

    for (int i = 0; i < LANES; i++)
        lanes[i] = i < count ? row[i] * values[i] : 0;
    for (int width = LANES / 2; width > 0; width /= 2)
        for (int i = 0; i < width; i++)
            lanes[i] = lanes[2 * i] + lanes[2 * i + 1];
    return lanes[0];
}

static float neuron(int output)
{
    float sum = 0;

    for (int at = 0; at < INPUTS; at += LANES)
        sum += tree(&weights[output][at], &input[at], INPUTS - at);
    sum += bias[output];
    return sum > 0 ? sum : 0;
}

/* How many of four values have an exponent field up to, and from 127 on: at least 1. */
static int check_histogram(void)
{
    const uint32_t values[4] = {0x3f800000, 0x40490fdb, 0x3e99999a, 0};
    uint32_t bins[4] = {126u << 18, 127u << 18 | 15u << 26, 0x3ffff | 126u << 18,
                        255u << 18 | 2u << 30};

    tensor_f32v4hist(bins, values);
    return (bins[0] & 0x3ffff) == 2 && (bins[1] & 0x3ffff) == 2 && (bins[2] & 0x3ffff) == 0x3ffff &&
           (bins[3] & 0x3ffff) == 4;
}

/* A dimension that repeats: the array is walked six times. */
static int check_walk(void)
{
    float sum = 0, wanted = 0;

    walk(1, bias, OUTPUTS);
    tensor_tset_repeat(1, 1, OUTPUTS);
    tensor_tinit(1);
    for (int i = 0; i < OUTPUTS; i++)
        for (int k = 0; k < OUTPUTS; k++)
            wanted += bias[k];
    while (!tensor_tdone(1))
        sum += *(float *)tensor_tnext(1);
    return sum == wanted;
}

static int run(void)
{
    uint32_t state = 1;

    for (int i = 0; i < OUTPUTS * INPUTS; i++)
        weights[i / INPUTS][i % INPUTS] =
            (int32_t)(state = state * 1664525 + 1013904223) * 0x1p-31f;
    for (int i = 0; i < INPUTS; i++)
        input[i] = (int32_t)(state = state * 1664525 + 1013904223) * 0x1p-30f;
    for (int i = 0; i < OUTPUTS; i++)
        bias[i] = (float)i / 7;
    layer();
    for (int i = 0; i < OUTPUTS; i++)
        if (result[i] != neuron(i))
            return 1 + i;
    return check_histogram() ? check_walk() ? 0 : 20 : 21;
}

void *memcpy(void *to, const void *from, unsigned long n)
{
    for (unsigned long i = 0; i < n; i++)
        ((volatile char *)to)[i] = ((const char *)from)[i];
    return to;
}

void _start(void)
{
    register long a7 __asm__("a7"), a0 __asm__("a0");
    __asm__ volatile(".option push\n.option norelax\nla gp, __global_pointer$\n.option pop");
    int status = run();
    a7 = 93;
    a0 = status;
    __asm__ volatile("ecall" : : "r"(a0), "r"(a7));
    __builtin_unreachable();
}
