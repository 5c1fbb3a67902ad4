"""Models of the kernels that are layers of neural networks, and the data that they include: see reference.py.

Each model computes the bits that the kernel has to leave (machine_model.py has the units), and the mathematical value in double precision
beside them.
"""

import math

from machine_model import f32, mmv, near, pack_f32, random_matrix, random_words, sigmoid


def random_layer(numbers, inputs, outputs):
    """Biases, and weights in rows of outputs, scaled so that sums stay within a few units."""
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
    """The input vector, then each layer's bias and weights, in the order of the file that the kernel includes."""
    numbers = random_words(seed)
    vector = random_matrix(numbers, 1, sizes[0])[0]
    return vector, [random_layer(numbers, inputs, outputs) for inputs, outputs in zip(sizes, sizes[1:])]


def perceptron_data(seed, sizes):
    vector, layers = perceptron_parameters(seed, sizes)
    return pack_f32(vector) + b"".join(map(pack_layer, layers))


def perceptron(seed, sizes, lanes):
    """Layers of sigmoid(bias + weights * in)."""
    vector, layers = perceptron_parameters(seed, sizes)
    exact = vector
    for bias, weights in layers:
        products = mmv(weights, vector, lanes)
        vector = [sigmoid(f32(b + p)) for b, p in zip(bias, products)]
        exact = [1 / (1 + math.exp(-b - sum(map(float.__mul__, row, exact)))) for b, row in zip(bias, weights)]
    for found, value in zip(vector, exact):
        near(found, value, 1e-5, "output of the network")
    return [pack_f32(vector)]


KERNELS = {
    "mlp": lambda arguments: perceptron(*MLP, arguments.lanes),
    "autoencoder": lambda arguments: perceptron(*AUTOENCODER, arguments.lanes),
}
DATA = {
    "mlp_data": lambda: perceptron_data(*MLP),
    "autoencoder_data": lambda: perceptron_data(*AUTOENCODER),
}
