"""Models of the kernels that are layers of neural networks, and the data that they include: see reference.py.

Each model computes the bits of the kernel's results (machine_model.py has the units), and the mathematical values in double precision.
"""

import itertools
import math

from machine_model import dot, exponential, f32, mmv, near, pack_f32, random_matrix, random_words, sigmoid, tanh


def random_layer(numbers, inputs, outputs):
    """Returns biases, and weights in rows of outputs, scaled so that sums are small."""
    scale = 2.0 ** -round(math.log2(math.sqrt(inputs)) - 2)
    bias = random_matrix(numbers, 1, outputs)[0]
    return bias, [[value * scale for value in row] for row in random_matrix(numbers, outputs, inputs)]


def pack_layer(layer):
    bias, weights = layer
    return pack_f32(bias) + b"".join(map(pack_f32, weights))


# ---- mlp.s, autoencoder.s ----

MLP = (2016, (64, 150, 150, 14))
AUTOENCODER = (320, (320, 200, 100, 50, 10))


def perceptron_parameters(seed, sizes):
    """Returns the input vector, then each layer's bias and weights, in the order of the file that the kernel includes."""
    numbers = random_words(seed)
    vector = random_matrix(numbers, 1, sizes[0])[0]
    return vector, [random_layer(numbers, inputs, outputs) for inputs, outputs in zip(sizes, sizes[1:])]


def perceptron_data(seed, sizes):
    vector, layers = perceptron_parameters(seed, sizes)
    return pack_f32(vector) + b"".join(map(pack_layer, layers))


def perceptron(seed, sizes, lanes):
    """Computes layers of sigmoid(bias + weights * in)."""
    vector, layers = perceptron_parameters(seed, sizes)
    exact = vector
    for bias, weights in layers:
        products = mmv(weights, vector, lanes)
        vector = [sigmoid(f32(b + p)) for b, p in zip(bias, products)]
        exact = [1 / (1 + math.exp(-b - sum(map(float.__mul__, row, exact)))) for b, row in zip(bias, weights)]
    for found, value in zip(vector, exact):
        near(found, value, 1e-5, "output of the network")
    return [pack_f32(vector)]


# ---- conv2d.s ----

CONV2D = (3, 12, 3, 8)  # channels, size of the image, size of a filter, filters


def conv2d_parameters():
    channels, size, kernel, filters = CONV2D
    numbers = random_words(12)
    image = [random_matrix(numbers, size, size) for _ in range(channels)]
    return image, [[random_matrix(numbers, kernel, kernel) for _ in range(channels)] for _ in range(filters)]


def conv2d_data():
    image, filters = conv2d_parameters()
    return b"".join(pack_f32(line) for plane in [*image, *itertools.chain(*filters)] for line in plane)


def conv2d(arguments):
    """Computes the definition: each output is a product of a filter and its window, whose elements outside the image are 0."""
    channels, size, kernel, _ = CONV2D
    image, filters = conv2d_parameters()
    out = []
    pad, stride = arguments.pad, arguments.stride
    places = range(-pad, size + pad - kernel + 1, stride)
    taps = list(itertools.product(range(channels), range(kernel), range(kernel)))
    for one in filters:
        weights = [one[c][i][j] for c, i, j in taps]
        for top, left in itertools.product(places, places):
            window = [image[c][top + i][left + j] if 0 <= top + i < size and 0 <= left + j < size else 0.0 for c, i, j in taps]
            out.append(dot(weights, window, arguments.lanes))
            near(out[-1], math.fsum(map(float.__mul__, weights, window)), 1e-5, "output of the convolution")
    return [pack_f32(out)]


# ---- cnn_layer.s ----

CNN_LAYER = (32, 5, 6)  # size of the image, size of a filter, filters


def cnn_layer_parameters():
    size, kernel, filters = CNN_LAYER
    numbers = random_words(1998)
    return random_matrix(numbers, size, size), *random_layer(numbers, kernel * kernel, filters)


def cnn_layer_data():
    image, bias, weights = cnn_layer_parameters()
    return b"".join(map(pack_f32, [*image, bias, *zip(*weights)]))


def cnn_layer(arguments):
    """Computes convolution, bias and rectification at every position, then the maximum of each square."""
    size, kernel, _ = CNN_LAYER
    image, bias, weights = cnn_layer_parameters()
    places = list(itertools.product(range(size - kernel + 1), repeat=2))
    windows = {(y, x): [value for line in image[y:y + kernel] for value in line[x:x + kernel]] for y, x in places}
    out = []
    for b, row in zip(bias, weights):
        values = {}
        for place, window in windows.items():
            values[place] = max(0.0, f32(dot(window, row, arguments.lanes) + b))
            near(values[place], max(0.0, b + math.fsum(map(float.__mul__, window, row))), 1e-5, "output of the layer")
        out += [max(values[y + i, x + j] for i in (0, 1) for j in (0, 1)) for y, x in places if y % 2 == x % 2 == 0]
    return [pack_f32(out)]


# ---- lstm.s ----

LSTM = (3, 26, 93, 61)  # steps, inputs, cells, outputs


def lstm_parameters():
    steps, inputs, cells, outputs = LSTM
    numbers = random_words(1997)
    return random_matrix(numbers, steps, inputs), random_layer(numbers, inputs + cells, 4 * cells), random_layer(numbers, cells, outputs)


def lstm_data():
    inputs, gates, outputs = lstm_parameters()
    return b"".join(map(pack_f32, inputs)) + pack_layer(gates) + pack_layer(outputs)


def lstm(arguments):
    count = LSTM[2]
    inputs, (bias, weights), (output_bias, output_weights) = lstm_parameters()
    cells, hidden = [0.0] * count, [0.0] * count
    exact_cells, exact_hidden = cells, hidden
    for x in inputs:
        gates = [f32(p + b) for p, b in zip(mmv(weights, x + hidden, arguments.lanes), bias)]
        i, f, g, o = (gates[count * k:count * (k + 1)] for k in range(4))
        cells = [f32(f32(sigmoid(f[k]) * cells[k]) + f32(sigmoid(i[k]) * tanh(g[k]))) for k in range(count)]
        hidden = [f32(sigmoid(o[k]) * tanh(cells[k])) for k in range(count)]

        gates = [b + math.fsum(map(float.__mul__, row, x + exact_hidden)) for row, b in zip(weights, bias)]
        i, f, o = ([1 / (1 + math.exp(-gates[count * k + j])) for j in range(count)] for k in (0, 1, 3))
        exact_cells = [f[k] * exact_cells[k] + i[k] * math.tanh(gates[2 * count + k]) for k in range(count)]
        exact_hidden = [o[k] * math.tanh(exact_cells[k]) for k in range(count)]
    for found, value in zip(cells + hidden, exact_cells + exact_hidden):
        near(found, value, 1e-5, "state of the cell")
    return [pack_f32(cells), pack_f32(hidden),
            pack_f32([f32(b + p) for b, p in zip(output_bias, mmv(output_weights, hidden, arguments.lanes))])]


# ---- activations.s ----

ENDS = (0.0, -0.0, math.inf, -math.inf, 100.0, -100.0, 2.0**-149, 80.0)


def activations_matrix():
    matrix = [[8 * value for value in line] for line in random_matrix(random_words(3), 12, 20)]
    matrix[3][5:13] = ENDS
    return matrix


def activations_data():
    return b"".join(map(pack_f32, activations_matrix()))


def activations(_):
    matrix = activations_matrix()
    tile = [value for line in matrix[3:9] for value in line[5:13]]
    out = [[function(value) for value in tile] for function in (exponential, lambda value: max(0.0, value), sigmoid, tanh)]
    for x, *found in zip(tile, *out):
        near(found[0] / math.exp(min(max(x, -80), 80)), 1, 1e-6, f"exp({x})")
        near(found[2], 1 / (1 + math.exp(-max(x, -700))), 1e-6, f"sigmoid({x})")
        near(found[3], math.tanh(x), 1e-6, f"tanh({x})")
    for number in range(6):
        matrix[3 + number][5:13] = out[3][8 * number:8 * number + 8]
    return [b"".join(map(pack_f32, out)), b"".join(map(pack_f32, matrix))]


KERNELS = {
    "mlp": lambda arguments: perceptron(*MLP, arguments.lanes),
    "autoencoder": lambda arguments: perceptron(*AUTOENCODER, arguments.lanes),
    "conv2d": conv2d,
    "cnn_layer": cnn_layer,
    "lstm": lstm,
    "activations": activations,
}
DATA = {
    "mlp_data": lambda: perceptron_data(*MLP),
    "autoencoder_data": lambda: perceptron_data(*AUTOENCODER),
    "conv2d_data": conv2d_data,
    "cnn_layer_data": cnn_layer_data,
    "lstm_data": lstm_data,
    "activations_data": activations_data,
}
