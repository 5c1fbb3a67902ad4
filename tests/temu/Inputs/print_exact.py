"""print_exact.py BUILD DIRECTORY: what --print shows of every 8- and 16-bit value, and of wider ones at bounds and at random, against exact
fractions: the bits come back from the decimal, no shorter decimal would do, and it is the nearest of its length. Prints how many."""
import functools
import os
import random
import re
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

BUILD, DIRECTORY = sys.argv[1:]
# Bits, bits of the fraction, bias, has infinities, encoding of the canonical NaN.
FLOATS = {"e4m3": (8, 3, 7, False, 0x7F), "e5m2": (8, 2, 15, True, 0x7E), "f16": (16, 10, 15, True, 0x7E00),
          "bf16": (16, 7, 127, True, 0x7FC0), "f32": (32, 23, 127, True, 0x7FC00000), "f64": (64, 52, 1023, True, 0x7FF8 << 48)}
SMALL = 1 << 24  # integers below it are written as such
INTEGERS = {f"{kind}{bits}": (kind, bits) for kind in "iu" for bits in (8, 16, 32, 64)}


@functools.lru_cache(16)
def magnitude(name, bits):
    """The value of a finite magnitude's bits."""
    _, fraction_bits, bias, _, _ = FLOATS[name]
    exponent, fraction = bits >> fraction_bits, bits & ((1 << fraction_bits) - 1)
    if exponent:
        fraction |= 1 << fraction_bits
    else:
        exponent = 1
    power = exponent - bias - fraction_bits
    return Fraction(fraction << power) if power >= 0 else Fraction(fraction, 1 << -power)


def largest(name):
    width, fraction_bits, _, infinities, _ = FLOATS[name]
    top = (1 << (width - 1)) - 1  # all ones: a NaN
    return top - (1 << fraction_bits) if infinities else top - 1


def interval(name, bits):
    """What rounds to these bits: the least and the largest, and whether they do themselves (to even)."""
    value = magnitude(name, bits)
    below = magnitude(name, bits - 1)
    above = magnitude(name, bits + 1)  # of the largest too: as if the exponents went on
    return (value + below) / 2, (value + above) / 2, bits % 2 == 0


def within(least, most, closed, value):
    return least <= value <= most if closed else least < value < most


def check_decimal(name, bits, text):
    """The text of a finite magnitude that is not 0."""
    value, (least, most, closed) = magnitude(name, bits), interval(name, bits)
    if value < SMALL and value.denominator == 1:
        return text == str(value.numerator)
    shown = Decimal(text).normalize().as_tuple()
    if re.sub(r"e.*|[.]", "", text).lstrip("0") != "".join(map(str, shown.digits)).lstrip("0"):
        return False  # zeros that say nothing
    # All as integers: in multiples of a fraction that divides these numbers and one in the last place of the decimal.
    parts = max(number.denominator for number in (value, least, most)) * 10 ** max(0, -shown.exponent)
    value, least, most = (number.numerator * (parts // number.denominator) for number in (value, least, most))
    unit = parts * 10 ** shown.exponent if shown.exponent >= 0 else parts // 10 ** -shown.exponent
    number = int("".join(map(str, shown.digits))) * unit
    if not within(least, most, closed, number):
        return False
    # No decimal of one digit less, with its first digit at this place or the next: the multiples of `larger` around the interval.
    for larger in (10 * unit, 100 * unit):
        first = -(-least // larger) * larger
        if len(shown.digits) > 1 and any(within(least, most, closed, first + i * larger) for i in (0, 1)) and first > 0:
            return False
    # Of those with as many digits, the nearest.
    below = value // unit * unit
    return all(abs(other - value) >= abs(number - value) or not within(least, most, closed, other) for other in (below, below + unit))


def check_hexadecimal(name, bits, text):
    match = re.fullmatch(r"0x1(?:\.([0-9a-f]*[1-9a-f]))?p([+-]\d+)", text)
    digits = match.group(1) or ""
    return Fraction(int("1" + digits, 16), 16 ** len(digits)) * Fraction(2) ** int(match.group(2)) == magnitude(name, bits)


def check_float(name, bits, text, check):
    width, _, _, infinities, nan = FLOATS[name]
    sign, size = bits >> (width - 1), bits & ((1 << (width - 1)) - 1)
    if infinities and size == largest(name) + 1:
        return text == "-inf" * sign + "inf" * (1 - sign)
    if size > largest(name):
        return text == ("nan" if bits == nan else f"nan:{bits:#x}")
    if size == 0:
        return text in (("-0", "-0x0p+0") if sign else ("0", "0x0p+0")) and ("x" in text) == (check is check_hexadecimal)
    return text.startswith("-") == bool(sign) and check(name, size, text.lstrip("-"))


def patterns(name, width):
    """Bits to try."""
    if width <= 16:
        return list(range(1 << width))
    numbers = random.Random(name)
    sign = 1 << (width - 1)
    if name in FLOATS:
        fraction_bits = FLOATS[name][1]
        exponents = range(1 << (width - 1 - fraction_bits))
        near = [exponent << fraction_bits for exponent in numbers.sample(exponents, min(300, len(exponents)))]
    else:
        near = [1 << bit for bit in range(width)]
    bounds = [0, 1, 2, sign - 1, sign, sign + 1, (1 << width) - 1]
    edges = [(bits + step) & ((1 << width) - 1) for bits in near for step in (-1, 0, 1)]
    return bounds + edges + [numbers.getrandbits(width) for _ in range(500)] + [bits | sign for bits in edges[:100]]


def run(values, forms):
    """The elements that --print shows for each form, by type and form."""
    name = os.path.join(DIRECTORY, "exact")
    text = [".globl _start", "_start: li a0, 0", "li a7, 93", "ecall", ".data", ".balign 8"]
    options = []
    for kind, (width, bits) in values.items():
        with open(f"{name}.{kind}", "wb") as file:
            file.write(b"".join(value.to_bytes(width // 8, "little") for value in bits))
        text += [".balign 8", f'v_{kind}: .incbin "{name}.{kind}"']
        options += [f"--print=v_{kind}:{kind}[{len(bits)}]{form}" for form in forms if form != ":hexfloat" or kind in FLOATS]
    with open(name + ".s", "w", encoding="ascii") as file:
        file.write("\n".join(text) + "\n")
    subprocess.run([os.path.join(BUILD, "tasm"), "-o", name + ".o", name + ".s"], check=True)
    subprocess.run([os.path.join(BUILD, "tld"), "-o", name, name + ".o"], check=True)
    lines = subprocess.run([os.path.join(BUILD, "temu"), *options, name], check=True, capture_output=True, encoding="ascii").stdout
    for option, line in zip(options, lines.strip().split("\n"), strict=True):
        _, kind, form = re.fullmatch(r"--print=(v_\w+):(\w+)\[\d+\](:\w+)?", option).groups()
        yield kind, form, re.fullmatch(r"\S+ = \[(.*)\]", line).group(1).split(", ")


def check_all():
    widths = {**{name: layout[0] for name, layout in FLOATS.items()}, **{name: bits for name, (_, bits) in INTEGERS.items()}}
    values = {name: (width, patterns(name, width)) for name, width in widths.items()}
    compared = 0
    for kind, form, elements in run(values, ("", ":hex", ":hexfloat")):
        width, bits = values[kind]
        shown = dict(zip(bits, elements, strict=True))
        for value, text in shown.items():
            positive = shown.get(value - (1 << (width - 1)))
            if form == ":hex":
                good = text == f"0x{value:0{width // 4}x}"
            elif kind in FLOATS and positive and "nan" not in positive:
                good = text == "-" + positive
            elif kind in FLOATS:
                good = check_float(kind, value, text, check_hexadecimal if form else check_decimal)
            else:
                good = text == str(value - (value >> (width - 1) << width if kind[0] == "i" else 0))
            assert good, (kind, form, hex(value), text)
            compared += 1
    return compared


os.makedirs(DIRECTORY, exist_ok=True)
print(f"{check_all()} elements are right")
