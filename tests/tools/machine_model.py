"""A model of the machine's arithmetic, written from docs/machine.md and not from the emulator: f32, the matrix unit, the histogram unit. It also has
the pseudo-random numbers that kernels and their models share.

All f32 arithmetic is an operation on doubles, rounded to f32. For + - * / and the square root of f32 operands this gives the correctly
rounded f32 result, because a double has more than twice the bits of an f32.
"""

import ctypes
import math
import struct


# ---- f32 ----

def f32(value):
    """Returns a double rounded to f32, to nearest even, with overflow to infinity."""
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
    """Checks that `found` is close to the mathematical value."""
    if not abs(found - exact) <= tolerance * max(1.0, abs(exact)):
        raise Different(f"{what}: the f32 computation gives {found!r}, the mathematical value is {exact!r}")


class Different(Exception):
    pass


# ---- the matrix unit ----

def adder_tree(values):
    """Returns the sum by a balanced binary tree in lane order, neighbors first."""
    while len(values) > 1:
        values = [f32(a + b) for a, b in zip(values[::2], values[1::2])]
    return values[0]


def dot(left, right, lanes):
    """Returns the result of a slave: segments of `lanes` products are summed by the tree and added to the accumulator."""
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


# ---- pseudo-random numbers, the input of some kernels ----

def random_words(seed):
    """Yields the sequence x → 1664525·x + 1013904223 modulo 2^32, beginning after the seed."""
    while True:
        seed = (seed * 1664525 + 1013904223) & 0xFFFFFFFF
        yield seed


def random_matrix(numbers, rows, columns):
    """Returns a matrix of values from -1 to 1: a word as a signed number, rounded to f32, times 2^-31, which is exact."""
    def value():
        word = next(numbers)
        return f32(word - (1 << 32) if word >> 31 else word) / 2.0**31
    return [[value() for _ in range(columns)] for _ in range(rows)]


# ---- scalar functions of kernels ----

def exponential(x):
    """Returns exp(x) as mlp.s and include/tensor.inc compute it, operation by operation."""
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


def tanh(x):
    e = exponential(-f32(x + x))
    return f32(f32(1.0 - e) / f32(1.0 + e))
