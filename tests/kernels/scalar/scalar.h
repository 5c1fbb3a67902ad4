/* What the scalar programs share. Each does in plain C what the tensor kernel of its name does, on
 * the same data, so that the instructions can be compared: tests/tools/instruction_counts.py,
 * docs/instruction-counts.md. A program is one function `kernel`; the line COMPARE of its file
 * names the results: symbol:bytes, type, and by how much they may differ where sums have another
 * order. */
#ifndef SCALAR_H
#define SCALAR_H

#include <stdint.h>

/* Data that the tensor kernel includes, too: an array in .rodata. */
#define INCLUDE(type, name, file)                                                                  \
    __asm__(".pushsection .rodata\n.balign 8\n.globl " #name "\n" #name ": .incbin \"" file        \
            "\"\n.popsection");                                                                    \
    extern const type name[]

static void kernel(void);

void _start(void)
{
    kernel();
    register long status __asm__("a0") = 0, call __asm__("a7") = 93;
    __asm__ volatile("ecall" : : "r"(status), "r"(call));
    __builtin_unreachable();
}

/* The pseudo-random words that kernels without a file of data begin with. */
static inline uint32_t random_word(uint32_t *state)
{
    return *state = *state * 1664525 + 1013904223;
}

/* A function `fill` makes the input, which is not counted. */
#define FILL static __attribute__((noipa)) void fill(void)

/* exp(x) and what is made of it, by the steps of include/tensor.inc. */
static inline float exponential(float x)
{
    x = __builtin_fminf(__builtin_fmaxf(x, -80), 80);
    int32_t n = __builtin_lrintf(x * 1.4426950408889634f);
    float r = x - (float)n * 0.693145751953125f - (float)n * 1.4286068203094173e-06f;
    float p = 0.001388888888888889f * r + 0.008333333333333333f;
    p = p * r + 0.041666666666666664f;
    p = p * r + 0.16666666666666666f;
    p = (p * r + 0.5f) * r + 1;
    p = p * r + 1;
    const union {
        uint32_t bits;
        float value;
    } power = {.bits = (uint32_t)(n + 127) << 23};
    return p * power.value;
}

static inline float sigmoid(float x)
{
    return 1 / (1 + exponential(-x));
}

static inline float hyperbolic_tangent(float x)
{
    float e = exponential(-(x + x));

    return (1 - e) / (1 + e);
}

/* bias + the inner product of a row of weights and a vector. */
static inline float neuron(float bias, const float *weights, const float *in, int inputs)
{
    float sum = 0;

    for (int i = 0; i < inputs; i++)
        sum += weights[i] * in[i];
    return bias + sum;
}

/* A layer of sigmoid neurons: `parameters` are the biases, and then the weights in rows of outputs.
 * Returns the address after them. */
static inline const float *sigmoid_layer(float *out, int outputs, const float *parameters,
                                         const float *in, int inputs)
{
    const float *weights = parameters + outputs;

    for (int i = 0; i < outputs; i++, weights += inputs)
        out[i] = sigmoid(neuron(parameters[i], weights, in, inputs));
    return weights;
}

#endif
