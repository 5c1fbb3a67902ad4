#!/usr/bin/env python3
"""Computes the results of the kernels in tests/kernels a second time, from the text of docs/machine.md and not with the emulator.

Usage: reference.py KERNEL [option…] DUMP…

Each DUMP is a file that `temu --dump SYMBOL:LENGTH=DUMP` wrote. It has to have the same bytes as the computation here, which in turn has to
agree with the mathematical result (a sigmoid, an eigenvalue, a matrix product) in double precision. Exits 0 when everything
is equal, else 1 with the first values that differ.

`reference.py NAME_data FILE` writes the data that a kernel includes.
"""

import argparse
import itertools
import math
import struct
import sys

import narrow
import networks
import sparse
import transformer
from machine_model import (Different, bits_of_f32, dot, f32, f32_of_bits, histogram, mm, mmv, near, pack_f32, pack_u32, pack_u64,
                           random_matrix, random_words)


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
    """Returns a gradient from a random word: its sign and fraction, and three nibbles that add up to a bell-shaped exponent."""
    nibbles = (word >> 8 & 15) + (word >> 16 & 15) + (word >> 24 & 15)
    return word & 0x807FFFFF | (80 + nibbles) << 23


def gradient_histogram(arguments):
    """Halves the scale while more than 1 in 64 gradients overflow f16, and doubles it while none does."""
    numbers = random_words(7)
    gradients = [gradient(next(numbers)) for _ in range(256)]
    scale, history, bins = 2.0**(26 if arguments.first is None else arguments.first), [], []
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
    """Returns the first few units of `width` bytes that differ."""
    if len(expected) != len(found):
        raise Different(f"{name}: {len(found)} bytes, expected {len(expected)}")
    wrong = [i for i in range(0, len(expected), width) if expected[i:i + width] != found[i:i + width]]
    for i in wrong[:5]:
        words = [int.from_bytes(data[i:i + width], "little") for data in (found, expected)]
        print(f"{name}: element {i // width} is {words[0]:#0{2 + 2 * width}x}, expected {words[1]:#0{2 + 2 * width}x}")
    if wrong:
        raise Different(f"{name}: {len(wrong)} of {len(expected) // width} elements differ")


KERNELS = {function.__name__: function for function in (transpose, matmul_tiled, gradient_histogram, power_method)}
DATA = {}
for module in (networks, narrow, sparse, transformer):
    KERNELS |= module.KERNELS
    DATA |= module.DATA


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernel", choices=[*KERNELS, *DATA])
    parser.add_argument("--lanes", type=int, default=16, help="W of the matrix unit")
    parser.add_argument("--tile", type=int, default=8, help="tile of matmul_tiled")
    parser.add_argument("--first", type=int, help="binary logarithm of the first scale: gradient_histogram 26, mixed_precision 20")
    parser.add_argument("--pad", type=int, default=1, help="zeros around the image of conv2d")
    parser.add_argument("--stride", type=int, default=1, help="stride of conv2d")
    parser.add_argument("dump", nargs="+", help="files that temu --dump wrote, in the order of the kernel")
    arguments = parser.parse_args()
    try:
        if arguments.kernel in DATA:
            with open(arguments.dump[0], "wb") as file:
                file.write(DATA[arguments.kernel]())
            return 0
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
