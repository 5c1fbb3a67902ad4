#!/usr/bin/env python3
"""element_model.py BUILD TOOLS WORK YAML…: compares the element types of a build with a model that is made from the keys of the YAML files and
from the words of docs/machine.md and docs/isa-format.md: conversions between all pairs of types, products, scaled vectors, gathered sums, data
directives and --print. Numbers are exact (fractions.Fraction); f32 sums and products are those of tests/tools/machine_model.py."""
import fractions
import functools
import math
import os
import random
import re
import subprocess
import sys

BUILD, TOOLS, WORK = sys.argv[1:4]
sys.path.insert(0, TOOLS)
import machine_model  # noqa: E402

Fraction = fractions.Fraction
ZERO = Fraction(0)
LANES = 16
PAGE = 1 << 19  # the second half of the scratchpad


@functools.cache
def power(exponent):
    return Fraction(2) ** exponent


class Type:
    """A type, from the keys of its entry."""

    def __init__(self, name, keys):
        self.name = name
        self.bits = int(keys["bits"])
        self.exponent, self.fraction = int(keys.get("exponent", 0)), int(keys.get("fraction", 0))
        self.bias = int(keys.get("bias", 2 ** (self.exponent - 1) - 1 if self.exponent else 0))
        self.infinity = keys.get("infinity", "true") == "true"
        self.nan = keys.get("nan", "ieee" if self.infinity else "last")
        self.code = int(keys["code"]) if "code" in keys else None
        self.print = keys.get("print", "value")
        self.directives = re.findall(r"[.\w]+", keys.get("directive", ""))
        self.signed = keys.get("signed", "true") == "true"
        self.bytes = next(size for size in (1, 2, 4, 8) if 8 * size >= self.bits)
        if self.exponent:
            self.last = 2 ** (self.bits - 1) - 1
            self.top = (2 ** self.exponent - 1) << self.fraction  # the largest exponent, fraction 0
            self.largest = {"ieee": self.top - 1, "last": self.last - 1, "none": self.last}[self.nan]
            self.canonical = {"ieee": self.top | 1 << (self.fraction - 1) if self.fraction else 0, "last": self.last, "none": self.last}[self.nan]

    def magnitude(self, encoding):
        """The number of a positive encoding, if all were finite."""
        field, fraction = encoding >> self.fraction, encoding & ((1 << self.fraction) - 1)
        significand = fraction if field == 0 else fraction | 1 << self.fraction
        return significand * power(max(field, 1) - self.bias - self.fraction)

    @functools.cache
    def value(self, encoding):
        """Returns (is negative, number), where the number may be "inf" or "nan"; bits above those of the type do not matter."""
        encoding &= 2 ** self.bits - 1
        if not self.exponent:
            if self.signed and encoding >> (self.bits - 1):
                encoding -= 2 ** self.bits
            return encoding < 0, Fraction(encoding)
        negative, encoding = encoding >> (self.bits - 1) == 1, encoding & self.last
        if encoding <= self.largest:
            return negative, -self.magnitude(encoding) if negative else self.magnitude(encoding)
        return negative, "inf" if self.infinity and encoding == self.top else "nan"

    def special(self, negative, number):
        """Infinity, or what is too large; and NaN."""
        if number == "nan":
            return self.canonical
        if self.infinity:
            return self.top | negative << (self.bits - 1)
        return self.canonical if self.nan == "last" else self.largest | negative << (self.bits - 1)

    def encode(self, negative, number):
        """Rounds to nearest even."""
        if not self.exponent:
            return self.encode_integer(negative, number)
        if isinstance(number, str):
            return self.special(negative, number)
        number = abs(number)
        exponent = 1 - self.bias  # of the smallest normal number
        if number >= power(exponent):
            exponent = number.numerator.bit_length() - number.denominator.bit_length()
            exponent -= number < power(exponent)
        significand = round(number * power(self.fraction - exponent))  # to even
        encoding = significand + ((exponent + self.bias - 1) << self.fraction)
        if encoding > self.largest:
            return self.special(negative, "inf")
        return encoding | negative << (self.bits - 1)

    def encode_integer(self, negative, number):
        least, greatest = (-2 ** (self.bits - 1), 2 ** (self.bits - 1) - 1) if self.signed else (0, 2 ** self.bits - 1)
        if number == "nan":
            return 0
        rounded = (least if negative else greatest) if number == "inf" else min(max(round(number), least), greatest)
        return rounded % 2 ** self.bits

    def pack(self, encodings):
        return b"".join(encoding.to_bytes(self.bytes, "little") for encoding in encodings)

    @functools.cache
    def float(self, encoding):
        """The number as a Python float, which is exact."""
        negative, number = self.value(encoding)
        if isinstance(number, str):
            return math.copysign(math.inf, -negative) if number == "inf" else math.nan
        return -0.0 if negative and not number else float(number)

    def any(self):
        """A random encoding, with garbage above the bits of the type."""
        return random.randrange(2 ** (8 * self.bytes))

    @functools.cached_property
    def one(self):
        return self.encode(False, Fraction(1)) & self.last

    def finite(self):
        """A random number that is not far from 1, if there is one."""
        near = random.randrange(max(0, self.one - (3 << self.fraction)), min(self.largest, self.one + (3 << self.fraction)) + 1)
        return near | random.randrange(2) << (self.bits - 1)


def read_types(names):
    types = []
    for name in names:
        with open(name, encoding="utf-8") as file:
            section = re.search(r"^elements:\n((?:(?:  .*|#.*)?\n)*)", file.read(), re.M)
        for line in section[1].splitlines() if section else []:
            entry = re.match(r"  (\w+): +\{(.*)\}$", line)
            if entry:
                types.append(Type(entry[1], dict(re.findall(r"(\w+): (\[[^]]*\]|\"[^\"]*\"|[^,]*)", entry[2]))))
    return types


# ---- one program with all operations ----

class Program:
    """Operations on the scratchpad, each of which copies its inputs there and its output back."""

    def __init__(self):
        self.data, self.code, self.expected, self.size = b"", [], [], 0

    def put(self, contents):
        self.data += bytes(-len(self.data) % 8)
        place = len(self.data)
        self.data += contents
        return place

    def copy_in(self, offset, contents):
        self.code.append(f"copy dma.ld, {offset}, input+{self.put(contents)}, {len(contents)}")

    def copy_out(self, offset, expected, what):
        self.code.append(f"copy dma.st, {offset}, output+{self.size}, {len(expected)}")
        self.expected.append((self.size, expected, what))
        self.size += len(expected)

    def run(self, option):
        base = f"{WORK}/model"
        with open(f"{base}.bin", "wb") as file:
            file.write(self.data)
        with open(f"{base}.s", "w", encoding="utf-8") as file:
            file.write(HEAD + "\n".join(self.code) + TAIL.format(base=base, size=self.size))
        command(f"{BUILD}/tasm", "-o", f"{base}.o", f"{base}.s")
        command(f"{BUILD}/tld", "-o", base, f"{base}.o")
        command(f"{BUILD}/temu", option, "--dump", f"output:{self.size}={base}.out", base)
        with open(f"{base}.out", "rb") as file:
            found = file.read()
        for place, expected, what in self.expected:
            compare(f"{what} with {option}", expected, found[place:place + len(expected)])


HEAD = """
    .macro copy operation, offset, memory, bytes
    li      a0, 0x40000000 + \\offset
    la      a1, \\memory
    li      a2, \\bytes
    \\operation a0, a1, a2
    .endm
    .macro addresses a, b, c
    li      a0, 0x40000000 + \\a
    li      a1, 0x40000000 + \\b
    li      a2, 0x40000000 + \\c
    .endm
    .globl  _start
_start:
"""
TAIL = """
    li      a0, 0
    li      a7, 93
    ecall
    .data
    .balign 8
input:
    .incbin "{base}.bin"
    .balign 8
output:
    .zero   {size}
"""


def command(*words):
    result = subprocess.run(words, capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"{' '.join(words)}: {result.stderr}")
    return result.stdout


def compare(what, expected, found):
    if found != expected:
        place = next(i for i, (a, b) in enumerate(zip(expected, found)) if a != b)
        sys.exit(f"{what}: byte {place} is {found[place]:#x}, expected {expected[place]:#x}")


def interesting(source, target):
    """Encodings of the source: all of a small type; else its ends, random ones, and those at the places where the target rounds to another number."""
    if source.bits <= 8:
        return list(range(256))
    places = [0, 1, 2 ** source.bits - 1, 2 ** (source.bits - 1), 2 ** (source.bits - 1) - 1]
    places += [source.any() for _ in range(80)]
    if source.exponent:
        places += [source.largest, source.largest + 1, source.canonical]
    for _ in range(80):
        if target.exponent:
            encoding = random.choice((random.randrange(target.largest + 1), target.largest, random.randrange(min(target.largest, 4) + 1)))
            half = (target.magnitude(encoding) + target.magnitude(encoding + 1)) / 2
        else:
            half = Fraction(random.choice((random.randrange(-140, 140), 2 ** 31 - 1))) + Fraction(1, 2)
        negative = random.random() < 0.5
        encoding = source.encode(negative, -half if negative else half)
        places += [(encoding + step) % 2 ** source.bits for step in (-1, 0, 1)]
    return places


def conversions(program, targets, sources):
    count = 0
    for target in targets:
        for source in sources:
            if target is source:
                continue
            inputs = interesting(source, target)
            expected = target.pack(target.encode(*source.value(encoding)) for encoding in inputs)
            program.copy_in(0, source.pack(inputs))
            program.code.append(f"addresses {PAGE}, 0, 0\nli a3, {len(inputs)}\nmcvt.{target.name}.{source.name} a0, a1, a3")
            program.copy_out(PAGE, expected, f"mcvt.{target.name}.{source.name}")
            count += len(inputs)
    return count


def matrix(element, pick, rows, columns):
    return [[pick() for _ in range(columns)] for _ in range(rows)]


def products(program, element, pick, shape):
    m, k, n = shape
    left, right = matrix(element, pick, m, k), matrix(element, pick, k, n)
    numbers = [[[element.float(encoding) for encoding in row] for row in operand] for operand in (left, right)]
    result = machine_model.mm(*numbers, LANES)
    program.copy_in(0, element.pack(sum(left, [])))
    program.copy_in(PAGE // 2, element.pack(sum(right, [])))
    operation = f"mm.{element.name} a0, a1, a2, {m}, a3, {n}" if n != 1 else f"mmv.{element.name} a0, {m}, a1, a2, a3"
    if m == 1:
        operation = f"vmm.{element.name} a0, {n}, a1, a3, a2"
    program.code.append(f"addresses {PAGE}, 0, {PAGE // 2}\nli a3, {k}\n{operation}")
    program.copy_out(PAGE, machine_model.pack_f32(sum(result, [])), f"{operation} of k={k}")


def scaled(program, element, f32, pick):
    scalar = f32.any() if random.random() < 0.3 else f32.encode(False, Fraction(random.randrange(1, 400), random.randrange(1, 400)))
    inputs = [pick() for _ in range(300)]
    factor = f32.float(scalar)
    expected = []
    for encoding in inputs:
        bits = machine_model.bits_of_f32(machine_model.f32(element.float(encoding) * factor))
        expected.append(element.encode(*f32.value(bits)))
    program.copy_in(0, element.pack(inputs))
    program.code.append(f"la a0, input+{program.put(f32.pack([scalar]))}\nflw fa0, (a0)\n"
                        f"addresses {PAGE}, 0, 0\nli a3, {len(inputs)}\nmms.{element.name} a0, a1, a3, fa0")
    program.copy_out(PAGE, element.pack(expected), f"mms.{element.name}")


def gathered(program, element):
    """A table of 6 elements of 5 values; the sum of elements 1 to 4."""
    values = [element.finite() for _ in range(30)]
    table = program.put(element.pack(values))
    descriptor = program.put(bytes([0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0]) + (1 << 32).to_bytes(8, "little") + bytes(8) +
                             b"".join(word.to_bytes(4, "little") for word in (1, 5, element.code, 6, 0, 6)))
    request = program.put(b"".join(word.to_bytes(4, "little") for word in (0, 1, 4, 0)))
    sums = [0.0] * 5
    for row in range(1, 5):
        sums = [machine_model.f32(total + element.float(value)) for total, value in zip(sums, values[5 * row:5 * row + 5])]
    program.code.append(f"la a0, input+{descriptor}\nla a1, input+{table}\nsd a1, 24(a0)\nsconf a0\nla a1, input+{request}\n"
                        f"li a0, 0x40000000 + {PAGE}\nsgather.sum a2, a0, a1, 1")
    program.copy_out(PAGE, machine_model.pack_f32(sums), f"sgather.sum of {element.name}")


# ---- text ----

def constants(element):
    """Texts of numbers, and the numbers."""
    rows = [("0", False, ZERO), ("-0", True, ZERO)]
    rows += [("inf", False, "inf"), ("-inf", True, "inf")]
    for _ in range(60):
        encoding = random.randrange(element.largest + 1)
        half = (element.magnitude(encoding) + element.magnitude(encoding + 1)) / 2
        digits = random.randrange(1, 10 ** random.randrange(1, 9))
        scale = int(math.log10(half)) - random.randrange(9)
        rows.append((f"{digits}e{scale}", False, digits * Fraction(10) ** scale))
        mantissa = random.randrange(2 ** 20)
        rows.append((f"-0x{mantissa:x}p{scale}", True, mantissa * Fraction(2) ** scale))
        shift = half.denominator.bit_length() - 1  # a power of two
        for step in (-1, 0, 1):  # a bit below, at, and above the middle of two numbers
            rows.append((f"0x{(half.numerator << 70) + step:x}p{-shift - 70}", False, half + Fraction(step, 2 ** (shift + 70))))
    return rows


def directives(element):
    rows = constants(element)
    name = f"{WORK}/data"
    with open(f"{name}.s", "w", encoding="utf-8") as file:
        for directive in element.directives[:1]:
            file.writelines(f"{directive} {text}\n" for text, _, _ in rows)
    command(f"{BUILD}/tasm", "-o", f"{name}.o", f"{name}.s")
    command("riscv64-linux-gnu-objcopy", "-O", "binary", "-j", ".text", f"{name}.o", f"{name}.bin")
    with open(f"{name}.bin", "rb") as file:
        found = file.read()
    sign = element.bits - 1
    for index, (text, negative, number) in enumerate(rows):
        expected = element.encode(False, abs(number) if number != "inf" else number) & ~(1 << sign) | negative << sign
        got = found[index * element.bytes:(index + 1) * element.bytes]
        compare(f"{element.directives[0]} {text}", element.pack([expected]), got)
    return len(rows)


def read_number(text):
    """A number as --print shows it."""
    if "0x" not in text:
        return Fraction(text)
    whole = re.fullmatch(r"-?0x([01])(?:\.([0-9a-f]+))?p([+-]\d+)", text)
    digits = whole[2] or ""
    magnitude = int(whole[1] + digits, 16) * Fraction(2) ** (int(whole[3]) - 4 * len(digits))
    return -magnitude if text[0] == "-" else magnitude


def printed(element):
    encodings = list(range(2 ** element.bits)) if element.bits <= 8 else [element.any() % 2 ** element.bits for _ in range(400)]
    name = f"{WORK}/print"
    with open(f"{name}.in", "wb") as file:
        file.write(element.pack(encodings))
    with open(f"{name}.s", "w", encoding="utf-8") as file:
        file.write(f'.globl _start\n_start: li a0, 0\nli a7, 93\necall\n.data\n.balign 8\nvalues: .incbin "{name}.in"\n')
    command(f"{BUILD}/tasm", "-o", f"{name}.o", f"{name}.s")
    command(f"{BUILD}/tld", "-o", name, f"{name}.o")
    forms = {"": element.print, ":value": "value", ":hex": "hex", ":hexfloat": "hexfloat"}
    for form, kind in forms.items():
        text = command(f"{BUILD}/temu", "--print", f"values:{element.name}[{len(encodings)}]{form}", name)
        words = re.search(r"\[([^[]*)\]$", text.strip())[1].split(", ")
        for encoding, word in zip(encodings, words, strict=True):
            check_printed(element, encoding, word, kind)
    return len(encodings)


def check_printed(element, encoding, word, kind):
    negative, number = element.value(encoding)
    if kind == "hex":
        good = int(word, 16) == encoding and len(word) == 2 + (element.bits + 3) // 4
    elif number == "nan":
        good = word == ("nan" if encoding == element.canonical else f"nan:{encoding:#x}")
    elif number == "inf":
        good = word == ("-inf" if negative else "inf")
    elif kind == "hexfloat":
        good = read_number(word) == number and negative == (word[0] == "-")
    else:
        good = element.encode(negative, read_number(word)) == encoding and negative == (word[0] == "-")
    if not good:
        sys.exit(f"--print of {element.name} {encoding:#x} ({kind}): {word}, the number is {number}")


def main():
    os.makedirs(WORK, exist_ok=True)
    random.seed(20)
    types = read_types(sys.argv[4:])
    floats = [element for element in types if element.exponent and element.code is not None]
    named = {element.name: element for element in types}
    program = Program()
    converted = conversions(program, [*floats, named["i8"]], [*floats, named["i8"], named["i32"]])
    for element in floats:
        for shape in ((3, 37, 5), (40, 70, 1), (1, 33, 19), (2, 16, 2), (17, 3, 17)):
            products(program, element, element.finite, shape)
            products(program, element, element.any, shape)
        scaled(program, element, named["f32"], element.finite)
        scaled(program, element, named["f32"], element.any)
        gathered(program, element)
    for option in ("--tier=interp", "--tier=translate", "--reference"):
        program.run(option)
    texts = sum(directives(element) for element in types if element.exponent and element.directives)
    prints = sum(printed(element) for element in types if element.exponent)
    print(f"{len(floats)} floats: {converted} conversions, {texts} constants, {prints} numbers printed")


main()
