"""Models of the kernels in narrow element types, and the data that they include: see reference.py and networks.py."""

import itertools
import math
import struct

from machine_model import f32, near, pack_f32, random_matrix, random_words


def transposed(matrix):
    return [list(row) for row in zip(*matrix)]


# ---- int8_mlp.s ----

INT8_SIZES = (64, 48, 32, 10)
INT8_BATCH = 8
CONSTANTS = [1] + 15 * [127]


def saturated(value):
    """mcvt.i8.f32: to nearest even, which is how Python rounds."""
    return max(-128, min(127, round(value)))


def pack_i8(matrix):
    return b"".join(struct.pack(f"<{len(row)}b", *row) for row in matrix)


def constant_weights(bias):
    """Weights, from -127 to 127, with which CONSTANTS make `bias`."""
    units = (bias + 63) % 127 - 63
    rest, weights = (bias - units) // 127, []
    for _ in CONSTANTS[1:]:
        weights.append(max(-127, min(127, rest)))
        rest -= weights[-1]
    assert rest == 0, "a bias out of the constants' range"
    return [units] + weights


def float_network():
    """The batch, then each layer's biases and weights (rows of outputs), and the activations in double precision."""
    numbers = random_words(8)
    batch = random_matrix(numbers, INT8_BATCH, INT8_SIZES[0])
    layers, activations = [], [batch]
    for inputs, outputs in zip(INT8_SIZES, INT8_SIZES[1:]):
        weights = random_matrix(numbers, outputs, inputs)
        bias = [value / 2 for value in random_matrix(numbers, 1, outputs)[0]]
        layers.append((bias, weights))
        sums = [[b + math.fsum(map(float.__mul__, row, x)) for b, row in zip(bias, weights)] for x in activations[-1]]
        last = outputs == INT8_SIZES[-1]
        activations.append(sums if last else [[max(0.0, value) for value in row] for row in sums])
    return layers, activations


def quantised_network():
    """Scales of the sums, the batch with its constants, weights (rows of inputs) with theirs, biases. All steps are powers of two or what the
    largest value of the float network asks for: calibration."""
    layers, activations = float_network()
    step, zero = 1 / 127, 0  # x = step * (q - zero)
    batch = [[saturated(value / step) for value in row] + CONSTANTS for row in activations[0]]
    scales, matrices, biases = [], [], []
    for (bias, weights), values in zip(layers, activations[1:]):
        last = len(bias) == INT8_SIZES[-1]
        unit = step / 127  # of a sum, as the weights' step is 1/127
        next_step = max(map(max, values)) / 255
        scale = f32(unit if last else unit / next_step)
        whole = [[saturated(value * 127) for value in row] for row in weights]
        sums = [round(b / unit) - zero * sum(row) - (0 if last else round(128 / scale)) for b, row in zip(bias, whole)]
        columns = [row + constant_weights(b) for b, row in zip(sums, whole)]
        if not last:  # columns that make the constants again
            inputs = len(whole[0])
            columns.append([0] * inputs + constant_weights(round(1 / scale)))
            columns += [[0] * inputs + [0] + 15 * [127] for _ in CONSTANTS[1:]]
        scales.append(scale)
        matrices.append(transposed(columns))
        biases.append(sums)
        step, zero = next_step, -128
    return scales, batch, matrices, biases


def int8_mlp_data():
    scales, batch, matrices, biases = quantised_network()
    return (pack_f32(scales + [0.0]) + pack_i8(batch) + b"".join(map(pack_i8, matrices))
            + b"".join(struct.pack(f"<{len(row)}i", *row) for row in biases))


def int8_mlp(arguments):
    del arguments
    scales, values, matrices, _ = quantised_network()
    out = []
    for scale, matrix in zip(scales, matrices):
        columns = transposed(matrix)
        sums = [[sum(map(int.__mul__, row, column)) for column in columns] for row in values]
        assert all(abs(value) < 1 << 24 for row in sums for value in row)
        scaled = [[f32(value * scale) for value in row] for row in sums]
        values = [[saturated(value) for value in row] for row in scaled]
        out.append(pack_i8(values))
        assert len(out) == len(scales) or all(row[-len(CONSTANTS):] == CONSTANTS for row in values)
    classes = [row.index(max(row)) for row in scaled]

    exact = float_network()[1][-1]
    largest = max(max(map(abs, row)) for row in exact)
    for r, c in itertools.product(range(INT8_BATCH), range(INT8_SIZES[-1])):
        near(scaled[r][c] / largest, exact[r][c] / largest, 0.05, f"logit {r}, {c}")
    assert classes == [row.index(max(row)) for row in exact], "another class than in double precision"
    return out[:2] + [b"".join(map(pack_f32, scaled)), bytes(classes)]


KERNELS = {function.__name__: function for function in (int8_mlp,)}
DATA = {function.__name__: function for function in (int8_mlp_data,)}
