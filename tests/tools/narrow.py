"""Models of the kernels in narrow element types, and the data that they include: see reference.py and networks.py."""

import itertools
import math
import struct

from machine_model import dot, f32, histogram, mm, near, pack_f32, pack_u32, random_matrix, random_words


def transposed(matrix):
    return [list(row) for row in zip(*matrix)]


# ---- int8_mlp.s ----

INT8_SIZES = (64, 48, 32, 10)
INT8_BATCH = 8
CONSTANTS = [1] + 15 * [127]


def saturated(value):
    """Converts as mcvt.i8.f32: to nearest even, as Python rounds."""
    return max(-128, min(127, round(value)))


def pack_i8(matrix):
    return b"".join(struct.pack(f"<{len(row)}b", *row) for row in matrix)


def constant_weights(bias):
    """Returns weights from -127 to 127 whose products with CONSTANTS sum to `bias`."""
    units = (bias + 63) % 127 - 63
    rest, weights = (bias - units) // 127, []
    for _ in CONSTANTS[1:]:
        weights.append(max(-127, min(127, rest)))
        rest -= weights[-1]
    assert rest == 0, "a bias out of the constants' range"
    return [units] + weights


def float_network():
    """Returns the batch, each layer's biases and weights (rows of outputs), and the activations in double precision."""
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


def quantized_network():
    """Returns the scales of the sums, the batch with its constants, the weights (rows of inputs) with theirs, and the biases. A step is a power of two, or is
    calibrated by the largest value of the float network."""
    layers, activations = float_network()
    step, zero = 1 / 127, 0  # x = step * (q - zero)
    batch = [[saturated(value / step) for value in row] + CONSTANTS for row in activations[0]]
    scales, matrices, biases = [], [], []
    for (bias, weights), values in zip(layers, activations[1:]):
        last = len(bias) == INT8_SIZES[-1]
        unit = step / 127  # the step of a sum, since the step of the weights is 1/127
        next_step = max(map(max, values)) / 255
        scale = f32(unit if last else unit / next_step)
        whole = [[saturated(value * 127) for value in row] for row in weights]
        sums = [round(b / unit) - zero * sum(row) - (0 if last else round(128 / scale)) for b, row in zip(bias, whole)]
        columns = [row + constant_weights(b) for b, row in zip(sums, whole)]
        if not last:  # columns that produce the constants for the next layer
            inputs = len(whole[0])
            columns.append([0] * inputs + constant_weights(round(1 / scale)))
            columns += [[0] * inputs + [0] + 15 * [127] for _ in CONSTANTS[1:]]
        scales.append(scale)
        matrices.append(transposed(columns))
        biases.append(sums)
        step, zero = next_step, -128
    return scales, batch, matrices, biases


def int8_mlp_data():
    scales, batch, matrices, biases = quantized_network()
    return (pack_f32(scales + [0.0]) + pack_i8(batch) + b"".join(map(pack_i8, matrices))
            + b"".join(struct.pack(f"<{len(row)}i", *row) for row in biases))


def int8_mlp(arguments):
    del arguments
    scales, values, matrices, _ = quantized_network()
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


# ---- mixed_precision.s ----

TRAINING_BATCH, TRAINING_IN, TRAINING_HIDDEN, TRAINING_OUT = TRAINING_SIZES = (16, 16, 16, 8)
TRAINING_STEPS, TRAINING_OUTLIER = 12, 8  # the second batch from this step on
LEARNING_RATE = 1.0
BINS = (0x3C7C0000, 0x3C740000, 0x07FC0000, 0x03FC0000)  # infinities and NaNs; 2^14 and more; subnormals; zeros


def bits_of_f16(value):
    if math.isnan(value):
        return 0x7E00
    try:
        return struct.unpack("<H", struct.pack("<e", value))[0]
    except OverflowError:  # values that round to 2^16 or more
        return 0x7C00 if value > 0 else 0xFC00


def f16(matrix):
    """Converts as mcvt.f16.f32: to nearest even, with overflow to infinity."""
    return [[struct.unpack("<e", struct.pack("<H", bits_of_f16(value)))[0] for value in row] for row in matrix]


def training_parameters():
    """Returns two batches of inputs (f16) and targets, and the weights of both layers. The targets of the second batch are 8 times too large."""
    batch, inputs, hidden, outputs = TRAINING_SIZES
    numbers = random_words(16)
    batches = []
    for size in (1, 8):
        x = f16(random_matrix(numbers, batch, inputs))
        batches.append((x, [[value * size for value in row] for row in random_matrix(numbers, batch, outputs)]))
    first, second = (random_matrix(numbers, *shape) for shape in ((inputs, hidden), (hidden, outputs)))
    return batches, [[value / 2 for value in row] for row in first], [[value / 2 for value in row] for row in second]


def mixed_precision_data():
    batches, first, second = training_parameters()
    data = b"".join(struct.pack("<16e", *row) for x, _ in batches for row in x)
    return data + b"".join(map(pack_f32, [row for _, t in batches for row in t] + first + second))


def in_f32(function, *matrices):
    return [[f32(function(*values)) for values in zip(*rows)] for rows in zip(*matrices)]


def rectified(value):
    return value if value > 0 else 0.0


def gradients(x, targets, first, second, factor, lanes):
    """Computes forward and backward with f16 products. Returns the sum of squared errors, and the transposed gradients of the weights in f16."""
    first, second = f16(first), f16(second)
    hidden = [[rectified(value) for value in row] for row in mm(x, first, lanes)]
    error = transposed(in_f32(float.__sub__, mm(f16(hidden), second, lanes), targets))
    flat = [value for row in error for value in row]
    out = f16(in_f32(lambda value: value * factor, error))
    back = in_f32(lambda value, on: value if on else 0.0, mm(second, out, lanes), transposed(hidden))
    return dot(flat, flat, lanes), f16(mm(f16(back), x, lanes)), f16(mm(out, f16(hidden), lanes))


def exact_training(rates):
    """Returns the weights of the same training in double precision, without a scale. A step whose rate is 0 is left out."""
    batches, first, second = training_parameters()
    for step, rate in enumerate(rates):
        x, targets = batches[step >= TRAINING_OUTLIER]
        hidden = [[rectified(sum(map(float.__mul__, row, column))) for column in zip(*first)] for row in x]
        error = [[2 / 128 * (sum(map(float.__mul__, row, column)) - t) for column, t in zip(zip(*second), ts)]
                 for row, ts in zip(hidden, targets)]
        back = [[sum(map(float.__mul__, row, w)) if h else 0.0 for w, h in zip(second, hs)] for row, hs in zip(error, hidden)]
        first = [[w - rate * sum(map(float.__mul__, a, b)) for w, b in zip(row, zip(*back))] for row, a in zip(first, zip(*x))]
        second = [[w - rate * sum(map(float.__mul__, a, b)) for w, b in zip(row, zip(*error))] for row, a in zip(second, zip(*hidden))]
    return first, second


def mixed_precision(arguments):
    batches, first, second = training_parameters()
    scale = 2.0**(20 if arguments.first is None else arguments.first)
    losses, scales, counts, rates = [], [], [], []
    for step in range(TRAINING_STEPS):
        x, targets = batches[step >= TRAINING_OUTLIER]
        loss, d_first, d_second = gradients(x, targets, first, second, f32(scale * 2 / 128), arguments.lanes)
        values = [bits_of_f16(value) for row in d_first + d_second for value in row]
        count = [bits & 0x3FFFF for bits in histogram(BINS, values, 5, 10)]
        losses.append(loss)
        scales.append(scale)
        counts += count
        rates.append(0 if count[0] else LEARNING_RATE)
        if count[0]:
            scale /= 2
            continue
        factor = f32(LEARNING_RATE / scale)
        first, second = (transposed(in_f32(lambda w, d: w - f32(d * factor), transposed(w), d)) for w, d in ((first, d_first), (second, d_second)))
        if count[1] * 64 > len(values):
            scale /= 2
        elif count[1] == 0:
            scale *= 2
    for found, exact in zip(first + second, [row for weights in exact_training(rates) for row in weights]):
        for value, wanted in zip(found, exact):
            near(value, wanted, 2e-3, "a weight after training")
    assert losses[TRAINING_OUTLIER - 1] < losses[0] / 2, "nothing was learned"
    return [pack_f32(losses), pack_f32(scales), pack_u32(counts), b"".join(map(pack_f32, first + second))]


KERNELS = {function.__name__: function for function in (int8_mlp, mixed_precision)}
DATA = {function.__name__: function for function in (int8_mlp_data, mixed_precision_data)}
