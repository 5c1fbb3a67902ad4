"""Models of the kernels that are parts of a transformer, and the data that they include: see reference.py and networks.py."""

import math

from machine_model import exponential, f32, mm, mmv, near, pack_f32, random_matrix, random_words


def pack_matrix(matrix):
    return b"".join(map(pack_f32, matrix))


def multiply(a, b):
    """Returns the product of two matrices in double precision."""
    columns = list(zip(*b))
    return [[math.fsum(map(float.__mul__, row, column)) for column in columns] for row in a]


def near_matrix(found, exact, tolerance, what):
    for r, rows in enumerate(zip(found, exact)):
        for c, (value, wanted) in enumerate(zip(*rows)):
            near(value, wanted, tolerance, f"{what}, element {r}, {c}")


# ---- layer_norm.s ----

LAYER_NORM = (8, 64)
EPSILON = 1e-5


def layer_norm_parameters():
    """Returns rows of mean 0, 1, 2… and growing spread, a gain from 0 to 2, and a shift from -1 to 1."""
    rows, width = LAYER_NORM
    numbers = random_words(64)
    matrix = [[f32(r + value * (r + 1) / 4) for value in row] for r, row in enumerate(random_matrix(numbers, rows, width))]
    gain = [f32(1 + value) for value in random_matrix(numbers, 1, width)[0]]
    return matrix, gain, random_matrix(numbers, 1, width)[0]


def layer_norm_data():
    matrix, gain, shift = layer_norm_parameters()
    return pack_matrix(matrix + [gain, shift])


def layer_norm(arguments):
    matrix, gain, shift = layer_norm_parameters()
    rows, width = LAYER_NORM
    part = 1.0 / width
    centering = [[(r == c) - part if c < width else 0.0 for c in range(width + 1)] for r in range(width)]
    centered = mm(matrix, centering, arguments.lanes)
    for row in centered:
        squares = mmv([row[:width]], row[:width], arguments.lanes)[0]
        inverse = f32(1.0 / f32(math.sqrt(f32(f32(squares * part) + f32(EPSILON)))))
        row[:] = [f32(value * inverse) for value in row[:width]] + [1.0]
    affine = [[gain[r] if r == c else 0.0 for c in range(width)] for r in range(width)] + [shift]
    out = mm(centered, affine, arguments.lanes)

    exact = []
    for row in matrix:
        mean = math.fsum(row) / width
        deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in row) / width + EPSILON)
        exact.append([(value - mean) / deviation * g + s for value, g, s in zip(row, gain, shift)])
    near_matrix(out, exact, 2e-5, "normalized")
    return [pack_matrix(out)]


# ---- softmax_attention.s ----

ATTENTION = (8, 24, 32)


def attention_parameters():
    """Returns the data; the last query is long enough for scores in the hundreds."""
    queries, keys, width = ATTENTION
    numbers = random_words(824)
    query = random_matrix(numbers, queries, width)
    query[-1] = [value * 512 for value in query[-1]]
    return query, random_matrix(numbers, width, keys), random_matrix(numbers, keys, width)


def softmax_attention_data():
    return b"".join(map(pack_matrix, attention_parameters()))


def softmax_attention(arguments):
    queries, keys, values = attention_parameters()
    scale = f32(1 / math.sqrt(ATTENTION[2]))
    scores = [[f32(value * scale) for value in row] for row in mm(queries, keys, arguments.lanes)]
    weights = [[exponential(f32(value - max(row))) for value in row] for row in scores]
    sums = mmv(weights, [1.0] * ATTENTION[1], arguments.lanes)
    inverses = [f32(1.0 / value) for value in sums]
    weights = [[f32(value * inverse) for value in row] for row, inverse in zip(weights, inverses)]
    out = mm(weights, values, arguments.lanes)

    exact = [[value / math.sqrt(ATTENTION[2]) for value in row] for row in multiply(queries, keys)]
    assert max(map(max, exact)) > 100
    exact = [[math.exp(value - max(row)) for value in row] for row in exact]
    exact = [[value / math.fsum(row) for value in row] for row in exact]
    near_matrix(weights, exact, 1e-4, "weights")
    near_matrix(out, multiply(exact, values), 1e-4, "attention")
    return [pack_matrix(weights), pack_matrix(out)]


KERNELS = {function.__name__: function for function in (layer_norm, softmax_attention)}
DATA = {function.__name__: function for function in (layer_norm_data, softmax_attention_data)}
