/* The cell 26-93-61 of tests/kernels/lstm.s in plain C.
 *
 * COMPARE: cells:372 f32 2^-20
 * COMPARE: h:372 f32 2^-20
 * COMPARE: out:244 f32 2^-20
 * RUN: %python %tools/instruction_counts.py --build %build --check lstm
 */
#include "scalar.h"

enum {
    STEPS = 3,
    INPUTS = 26,
    CELLS = 93,
    OUTPUTS = 61,
    GATES = 4 * CELLS,
    WIDTH = INPUTS + CELLS
};

INCLUDE(float, data, "lstm.bin");
/* The inputs of a step, and after them the hidden state. */
static float vector[WIDTH];
float cells[CELLS], h[CELLS], out[OUTPUTS];

static void step(const float *bias, const float *weights)
{
    static float gates[GATES];

    for (int gate = 0; gate < GATES; gate++)
        gates[gate] = neuron(bias[gate], weights + gate * WIDTH, vector, WIDTH);
    for (int k = 0; k < CELLS; k++) {
        cells[k] = sigmoid(gates[CELLS + k]) * cells[k] +
                   sigmoid(gates[k]) * hyperbolic_tangent(gates[2 * CELLS + k]);
        h[k] = vector[INPUTS + k] = sigmoid(gates[3 * CELLS + k]) * hyperbolic_tangent(cells[k]);
    }
}

static void kernel(void)
{
    const float *bias = data + STEPS * INPUTS, *output_bias = bias + GATES * (1 + WIDTH);

    for (int t = 0; t < STEPS; t++) {
        for (int i = 0; i < INPUTS; i++)
            vector[i] = data[t * INPUTS + i];
        step(bias, bias + GATES);
    }
    for (int i = 0; i < OUTPUTS; i++)
        out[i] = neuron(output_bias[i], output_bias + OUTPUTS + i * CELLS, h, CELLS);
}
