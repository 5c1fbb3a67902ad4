#!/usr/bin/env python3
"""The kernels of tests/kernels computed a second time, from the words of the machine description and not from the emulator.

Usage: reference.py KERNEL [option…] DUMP…

Each DUMP is what `temu --dump SYMBOL:LENGTH=DUMP` wrote. It has to hold the same bytes as the computation here, which in turn has to
agree with what the kernel is for (a sigmoid, an eigenvalue, a matrix product), worked out in double precision. Exit 0 when everything
is equal, else 1 with the first values that differ.

All f32 arithmetic is a double operation rounded to f32: for + - * / and the square root of f32 operands that is the correctly
rounded f32 result, because a double has more than twice the bits of an f32.
"""

import argparse
import ctypes
import itertools
import math
import struct
import sys


# ---- f32 ----

def f32(value):
    """A double rounded to f32, to nearest even, overflow to infinity."""
    return ctypes.c_float(value).value


def f32_of_bits(bits):
    return struct.unpack("<f", struct.pack("<I", bits & 0xFFFFFFFF))[0]


def bits_of_f32(value):
    return 0x7FC00000 if math.isnan(value) else struct.unpack("<I", struct.pack("<f", value))[0]


def pack_f32(values):
    return b"".join(struct.pack("<I", bits_of_f32(value)) for value in values)


def pack_u32(values):
    return struct.pack(f"<{len(values)}I", *values)


def pack_u64(values):
    return struct.pack(f"<{len(values)}Q", *values)


def near(found, exact, tolerance, what):
    """The kernel does what it is for: `found` is close to the mathematical value."""
    if not abs(found - exact) <= tolerance * max(1.0, abs(exact)):
        raise Different(f"{what}: the f32 computation gives {found!r}, the mathematical value is {exact!r}")


class Different(Exception):
    pass


# ---- the matrix unit ----

def adder_tree(values):
    """Balanced binary tree in lane order: neighbours first."""
    while len(values) > 1:
        values = [f32(a + b) for a, b in zip(values[::2], values[1::2])]
    return values[0]


def dot(left, right, lanes):
    """What a slave computes: segments of `lanes` products, each summed by the tree, then added to the accumulator."""
    accumulator = 0.0
    for start in range(0, len(left), lanes):
        products = [f32(a * b) for a, b in zip(left[start:start + lanes], right[start:start + lanes])]
        products += [0.0] * (lanes - len(products))
        accumulator = f32(accumulator + adder_tree(products))
    return accumulator


def mmv(matrix, vector, lanes):
    return [dot(row, vector, lanes) for row in matrix]


def mm(a, b, lanes):
    columns = list(zip(*b))
    return [[dot(row, column, lanes) for column in columns] for row in a]


# ---- the histogram unit ----

def histogram(bins, values, exponent_bits, fraction_bits):
    """Counts raw values of 1 + exponent_bits + fraction_bits bits into four 32-bit bins."""
    bins = list(bins)
    for value in values:
        sign = value >> (exponent_bits + fraction_bits)
        exponent = value >> fraction_bits & ((1 << exponent_bits) - 1)
        fraction = value & ((1 << fraction_bits) - 1)
        for number, state in enumerate(bins):
            count, threshold = state & 0x3FFFF, state >> 18 & 0xFF
            reach, sign_choice = state >> 26 & 0xF, state >> 30
            if count == 0x3FFFF or sign_choice == 2 and sign or sign_choice == 3 and not sign:
                continue
            if exponent_bits < 8 and threshold == 255:
                hit = exponent == 0 and (fraction == 0) == (reach == 0)
            elif reach == 0:
                hit = exponent <= threshold
            elif reach == 15:
                hit = exponent >= threshold
            else:
                hit = threshold <= exponent < threshold + reach
            bins[number] += hit
    return bins


# ---- the pseudo-random numbers that some kernels make their input from ----

def random_words(seed):
    """The low half of x → 1664525·x + 1013904223 modulo 2^32, the first one after the seed first."""
    while True:
        seed = (seed * 1664525 + 1013904223) & 0xFFFFFFFF
        yield seed


def random_matrix(numbers, rows, columns):
    """Values from -1 to 1: a word as a signed number, rounded to f32, times 2^-31 (exact)."""
    def value():
        word = next(numbers)
        return f32(word - (1 << 32) if word >> 31 else word) / 2.0**31
    return [[value() for _ in range(columns)] for _ in range(rows)]


# ---- mlp.s ----

MLP_SIZES = (64, 150, 150, 14)


def exponential(x):
    """exp(x) as mlp.s computes it, operation by operation."""
    x = min(max(x, -80.0), 80.0)
    n = round(f32(x * f32(1.4426950408889634)))  # Python rounds halves to even, as rne does
    high = 0.693145751953125  # 15 bits of ln 2
    r = f32(x - f32(n * high))
    r = f32(r - f32(n * f32(math.log(2) - high)))
    p = f32(1.0 / 720)
    for coefficient in (1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0):
        p = f32(f32(p * r) + f32(coefficient))
    return f32(p * 2.0**n)


def sigmoid(x):
    return f32(1.0 / f32(1.0 + exponential(-x)))


def mlp_parameters():
    """The input vector, then each layer's bias and weights (rows of outputs), in the order of the file that mlp.s includes."""
    numbers = random_words(2016)
    vector = random_matrix(numbers, 1, MLP_SIZES[0])[0]
    layers = []
    for inputs, outputs in zip(MLP_SIZES, MLP_SIZES[1:]):
        scale = 2.0 ** -round(math.log2(math.sqrt(inputs)) - 2)  # keeps the sums within a few units
        bias = random_matrix(numbers, 1, outputs)[0]
        weights = [[value * scale for value in row] for row in random_matrix(numbers, outputs, inputs)]
        layers.append((bias, weights))
    return vector, layers


def mlp_data(arguments):
    """Writes the parameters that mlp.s includes; not a check."""
    vector, layers = mlp_parameters()
    with open(arguments.dump[0], "wb") as file:
        file.write(pack_f32(vector))
        for bias, weights in layers:
            file.write(pack_f32(bias) + b"".join(map(pack_f32, weights)))


def mlp(arguments):
    vector, layers = mlp_parameters()
    exact = vector
    for bias, weights in layers:
        products = mmv(weights, vector, arguments.lanes)
        vector = [sigmoid(f32(b + p)) for b, p in zip(bias, products)]
        exact = [1 / (1 + math.exp(-b - sum(map(float.__mul__, row, exact)))) for b, row in zip(bias, weights)]
    for found, value in zip(vector, exact):
        near(found, value, 1e-5, "output of the network")
    return [pack_f32(vector)]


# ---- transpose.s ----

def transpose(arguments):
    matrix = [[17 * (7 * r + c) for c in range(7)] for r in range(5)]
    channels, height, width = 3, 4, 5
    image = bytes((c * height + h) * width + w for h, w, c in itertools.product(range(height), range(width), range(channels)))
    return [pack_u32([matrix[r][c] for c in range(7) for r in range(5)]), image]


# ---- matmul_tiled.s ----

def matmul_tiled(arguments):
    rows, inner, columns, tile = 20, 21, 18, arguments.tile
    numbers = random_words(1)
    a = random_matrix(numbers, rows, inner)
    b = random_matrix(numbers, inner, columns)
    result = [[0.0] * columns for _ in range(rows)]
    for start in range(0, inner, tile):
        part = mm([row[start:start + tile] for row in a], b[start:start + tile], arguments.lanes)
        result = [[f32(x + y) for x, y in zip(*pair)] for pair in zip(result, part)]
    for r, c in itertools.product(range(rows), range(columns)):
        near(result[r][c], math.fsum(a[r][i] * b[i][c] for i in range(inner)), 1e-5, f"element {r}, {c}")
    return [b"".join(map(pack_f32, result))]


# ---- gradient_histogram.s ----

HALVES = (0.0, -0.0, 1.0, -1.0, 0.5, -0.99951171875, 65504.0, -65504.0, 2.0**-24, -1023 * 2.0**-24, 2.0**-14, math.inf, -math.inf,
          math.nan, 1.0 + 2.0**-11, 0.1)


def gradient(word):
    """A gradient from a random word: its sign and fraction, and three nibbles that add up to a bell-shaped exponent."""
    nibbles = (word >> 8 & 15) + (word >> 16 & 15) + (word >> 24 & 15)
    return word & 0x807FFFFF | (80 + nibbles) << 23


def gradient_histogram(arguments):
    """The scale is halved while more than 1 in 64 gradients overflow f16, and doubled while none does."""
    numbers = random_words(7)
    gradients = [gradient(next(numbers)) for _ in range(256)]
    scale, history, bins = 2.0**arguments.first, [], []
    for _ in range(32):
        scaled = [bits_of_f32(f32(f32_of_bits(g) * scale)) for g in gradients]
        bins = histogram([0x3E3C0000, 0x01C00000, 0x80000000 | 0x03FC0000, 0xC0000000 | 0x03FC0000], scaled, 8, 23)
        over = bins[0] & 0x3FFFF
        history.append(scale)
        values = [abs(f32_of_bits(bits)) for bits in scaled]
        assert over == sum(value >= 65536 for value in values)
        assert bins[1] & 0x3FFFF == sum(value < 2.0**-14 for value in values)
        if over * 64 > len(gradients):
            scale /= 2
        elif over == 0:
            scale *= 2
        else:
            break
    else:
        raise Different("the loss scale does not settle")
    raw = struct.unpack(f"<{len(HALVES)}H", struct.pack(f"<{len(HALVES)}e", *HALVES))
    half_bins = histogram([0x03FC0000, 0x07FC0000, 0x3C7C0000, 0x3C3C0000], raw, 5, 10)
    assert half_bins[0] & 0x3FFFF == sum(value == 0 for value in HALVES)
    assert half_bins[1] & 0x3FFFF == sum(0 < abs(value) < 2.0**-14 for value in HALVES)
    assert half_bins[2] & 0x3FFFF == sum(not math.isfinite(value) for value in HALVES)
    return [pack_u64([len(history)]) + pack_f32(history) + bytes(4 * (32 - len(history))), pack_u32(bins), pack_u32(half_bins)]


# ---- power_method.s ----

def power_method(arguments):
    size = 20
    matrix = [[float(min(r, c) + 1) for c in range(size)] for r in range(size)]
    vector, eigenvalue, steps = [1.0] * size, 0.0, 0
    while steps < 64:
        steps += 1
        product = mmv(matrix, vector, arguments.lanes)
        previous, eigenvalue = eigenvalue, f32(math.sqrt(dot(product, product, arguments.lanes)))
        inverse = f32(1.0 / eigenvalue)
        vector = [f32(value * inverse) for value in product]
        if abs(f32(eigenvalue - previous)) <= f32(eigenvalue * 2.0**-22):
            break
    # The matrix min(r, c) is the inverse of the second difference, whose eigenvalues have a closed form.
    angle = math.pi / (2 * (2 * size + 1))
    near(eigenvalue, 1 / (4 * math.sin(angle) ** 2), 1e-6, "the eigenvalue")
    largest = [math.sin(2 * angle * (i + 1)) for i in range(size)]
    length = math.sqrt(sum(value * value for value in largest))
    for found, value in zip(vector, largest):
        near(found, value / length, 1e-5, "the eigenvector")
    return [pack_f32([eigenvalue]) + pack_u32([steps]), pack_f32(vector)]


# ---- comparing ----

def compare(name, expected, found, width):
    """The first few units of `width` bytes that differ."""
    if len(expected) != len(found):
        raise Different(f"{name}: {len(found)} bytes, expected {len(expected)}")
    wrong = [i for i in range(0, len(expected), width) if expected[i:i + width] != found[i:i + width]]
    for i in wrong[:5]:
        words = [int.from_bytes(data[i:i + width], "little") for data in (found, expected)]
        print(f"{name}: element {i // width} is {words[0]:#0{2 + 2 * width}x}, expected {words[1]:#0{2 + 2 * width}x}")
    if wrong:
        raise Different(f"{name}: {len(wrong)} of {len(expected) // width} elements differ")


KERNELS = {function.__name__: function for function in (mlp, transpose, matmul_tiled, gradient_histogram, power_method)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernel", choices=[*KERNELS, "mlp_data"])
    parser.add_argument("--lanes", type=int, default=16, help="W of the matrix unit")
    parser.add_argument("--tile", type=int, default=8, help="tile of matmul_tiled")
    parser.add_argument("--first", type=int, default=26, help="binary logarithm of gradient_histogram's first scale")
    parser.add_argument("dump", nargs="+", help="what temu --dump wrote, in the kernel's order")
    arguments = parser.parse_args()
    if arguments.kernel == "mlp_data":
        return mlp_data(arguments)
    try:
        expected = KERNELS[arguments.kernel](arguments)
        if len(expected) != len(arguments.dump):
            raise Different(f"{len(arguments.dump)} dumps given, {arguments.kernel} has {len(expected)}")
        for name, data in zip(arguments.dump, expected):
            with open(name, "rb") as file:
                compare(name, data, file.read(), 4)
    except (Different, OSError) as error:
        return f"{arguments.kernel}: {error}"


if __name__ == "__main__":
    sys.exit(main())
