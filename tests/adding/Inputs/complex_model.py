#!/usr/bin/env python3
"""complex_model.py BUILD WORK: compares the instructions of docs/adding-complex-numbers.md, and the text of pairs, with exact fractions that are rounded
once for each operation. BUILD has the tools, WORK is for files."""
import itertools
import random
import re
import subprocess
import sys
from fractions import Fraction

BUILD, WORK = sys.argv[1:3]
PLACES, LONGEST = 4, 64
ZERO = Fraction(0)
PART = r"(?:nan(?::0x[0-9a-f]+)?|inf|0x[^p]*p[+-]\d+|\d[\d.]*(?:e[+-]\d+)?)"  # of a printed number


class Float:
    """A format of IEEE 754. A number is (negative, magnitude), and the magnitude a fraction, "inf" or "nan"."""

    def __init__(self, exponent, fraction):
        self.fraction, self.bias = fraction, 2 ** (exponent - 1) - 1
        self.bits = 1 + exponent + fraction
        self.infinity = (2 ** exponent - 1) << fraction
        self.nan = self.infinity | 1 << (fraction - 1)
        self.lowest = 1 - self.bias - fraction
        self.unit = Fraction(2) ** self.lowest

    def magnitude(self, bits):
        exponent, significand = bits >> self.fraction, bits % 2 ** self.fraction
        if exponent:
            significand += 2 ** self.fraction
        return significand * Fraction(2) ** (max(exponent, 1) - 1 + self.lowest)

    def decode(self, bits):
        negative, rest = bool(bits >> self.bits - 1), bits % 2 ** (self.bits - 1)
        return negative, self.magnitude(rest) if rest < self.infinity else "inf" if rest == self.infinity else "nan"

    def encode(self, number):
        negative, magnitude = number
        if magnitude == "nan":
            return self.nan
        encoding = self.infinity
        if magnitude != "inf":
            units = magnitude / self.unit
            above = max(0, int(units).bit_length() - self.fraction - 1)  # exponents above the lowest one
            encoding = min(encoding, round(units / 2 ** above) + (above << self.fraction))  # to even
        return encoding | negative << self.bits - 1


F16, F32 = Float(5, 10), Float(8, 23)


def rounded(number):
    return F32.decode(F32.encode(number))


def product(a, b):
    negative, magnitudes = a[0] != b[0], (a[1], b[1])
    if "nan" in magnitudes or ("inf" in magnitudes and ZERO in magnitudes):
        return False, "nan"
    return rounded((negative, "inf" if "inf" in magnitudes else a[1] * b[1]))


def total(a, b):
    magnitudes = (a[1], b[1])
    if "nan" in magnitudes or (magnitudes == ("inf", "inf") and a[0] != b[0]):
        return False, "nan"
    if "inf" in magnitudes:
        return a if a[1] == "inf" else b
    exact = (-a[1] if a[0] else a[1]) + (-b[1] if b[0] else b[1])
    return rounded((exact < 0 if exact else a[0] and b[0], abs(exact)))


def minus(a):
    return not a[0], a[1]


def complex_product(a, b):
    return (total(product(a[0], b[0]), minus(product(a[1], b[1]))), total(product(a[0], b[1]), product(a[1], b[0])))


def complex_sum(a, b):
    return total(a[0], b[0]), total(a[1], b[1])


def encode(kind, pair):
    return kind.encode(pair[0]) | kind.encode(pair[1]) << kind.bits


def decode(kind, bits):
    return kind.decode(bits % 2 ** kind.bits), kind.decode(bits >> kind.bits)


def any_part(kind):
    special = (0, 1, kind.infinity, kind.infinity - 1, kind.nan, kind.infinity + 1, 2 ** kind.fraction, kind.bias << kind.fraction)
    if random.random() < 0.1:
        bits = random.choice(special)
    elif random.random() < 0.2:
        bits = random.randrange(2 ** (kind.bits - 1))
    else:  # numbers whose sums and products round, cancel and seldom overflow
        bits = (kind.bias + random.randrange(-8, 8)) << kind.fraction | random.randrange(2 ** kind.fraction)
    return bits | random.randrange(2) << kind.bits - 1


def any_pair(kind):
    return any_part(kind) | any_part(kind) << kind.bits


class Program:
    """Instructions with their data, and what the memory must be after them: `memory` has all bytes of the label `data`."""

    def __init__(self):
        self.code, self.memory, self.start = [], bytearray(), bytearray()
        self.totals, self.products = [(F32.decode(0),) * 2 for _ in range(PLACES)], 0

    def put(self, kind, values):
        """Appends a vector and returns its offset."""
        place, size = len(self.memory), 2 * kind.bits // 8
        contents = b"".join(value.to_bytes(size, "little") for value in values)
        contents += bytes(-len(contents) % 8)
        self.memory += contents
        self.start += contents
        return place

    def vector(self, place, count):
        return [int.from_bytes(self.memory[place + 4 * i:place + 4 * i + 4], "little") for i in range(count)]

    def load(self, number, bits):
        self.code.append(f"set a0, {self.put(F32, [bits])}\nz.load z{number}, (a0)")

    def store(self, number, bits):
        place = self.put(F32, [0])
        self.memory[place:place + 8] = bits.to_bytes(8, "little")
        self.code.append(f"set a0, {place}\nz.store z{number}, (a0)")

    def conjugate(self):
        bits = any_pair(F32)
        self.load(1, bits)
        self.code.append("z.conj z2, z1")
        self.store(2, bits ^ 1 << 63)

    def multiply(self):
        place, left, right = random.randrange(PLACES), any_pair(F32), any_pair(F32)
        self.load(3, left)
        self.load(4, right)
        self.code.append(f"z.mac {place}, z3, z4")
        self.totals[place] = complex_sum(self.totals[place], complex_product(decode(F32, left), decode(F32, right)))
        self.products += 1

    def read(self):
        place = random.randrange(PLACES)
        self.code.append(f"z.read z5, {place}")
        self.store(5, encode(F32, self.totals[place]))
        self.totals[place] = (F32.decode(0),) * 2

    def dot(self):
        count = random.choice((0, 1, 2, 3, 7, LONGEST))
        left, right = (self.put(F16, [any_pair(F16) for _ in range(count)]) for _ in range(2))
        result = (F32.decode(0),) * 2
        for a, b in zip(self.vector(left, count), self.vector(right, count)):
            conjugate, other = decode(F16, a ^ 1 << 31), decode(F16, b)
            result = complex_sum(result, complex_product([quiet(part) for part in conjugate], [quiet(part) for part in other]))
        self.code.append(f"set a0, {left}\nset a1, {right}\nli a2, {count}\nz.dot z6, a0, a1, a2")
        self.store(6, encode(F32, result))
        self.products += count

    def scale(self):
        """The vectors may overlap: all elements are read before one is written."""
        count, shift = random.choice((0, 1, 2, 5, LONGEST)), random.choice((0, 4, 8, 400))
        source = self.put(F16, [any_pair(F16) for _ in range(count + 101)])
        factor = any_pair(F32)
        self.load(7, factor)
        target = source + shift
        inputs = self.vector(source, count)
        for i, value in enumerate(inputs):
            result = encode(F16, complex_product(decode(F16, value), decode(F32, factor)))
            self.memory[target + 4 * i:target + 4 * i + 4] = result.to_bytes(4, "little")
        self.code.append(f"set a0, {target}\nset a1, {source}\nli a2, {count}\nz.scale a0, a1, z7, a2")
        self.products += count

    def run(self):
        base = f"{WORK}/model"
        with open(f"{base}.in", "wb") as file:
            file.write(self.start)
        with open(f"{base}.s", "w", encoding="utf-8") as file:
            file.write(".macro set register, offset\nla \\register, data + \\offset\n.endm\n.globl _start\n_start:\n" + "\n".join(self.code) +
                       f'\ncsrr s0, zproducts\nli a0, 0\nli a7, 93\necall\n.data\n.balign 8\ndata: .incbin "{base}.in"\n')
        command("tasm", "-o", f"{base}.o", f"{base}.s")
        command("tld", "-o", base, f"{base}.o")
        states = set()
        for option in ("--tier=interp", "--tier=auto", "--tier=translate", "--reference"):
            printed = command("temu", option, f"--dump=data:{len(self.memory)}={base}.out", "--print=s0:u64", f"--dump-state={base}.json", base)
            with open(f"{base}.out", "rb") as file:
                found = file.read()
            wrong = [place for place in range(0, len(found), 4) if found[place:place + 4] != self.memory[place:place + 4]]
            if wrong or printed != f"s0:u64 = {self.products}\n":
                sys.exit(f"{option}: {printed}word at {wrong[:1]}: {found[wrong[0]:wrong[0] + 4].hex()}, expected {self.memory[wrong[0]:wrong[0] + 4].hex()}")
            with open(f"{base}.json", "rb") as file:
                states.add(file.read())
        if len(states) > 1:
            sys.exit("the states of the ways to run it differ")


def quiet(number):
    """A NaN that was converted is the canonical one, which has no sign."""
    return (False, "nan") if number[1] == "nan" else number


def command(tool, *words):
    result = subprocess.run([f"{BUILD}/{tool}", *words], capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"{tool} {' '.join(words)}: {result.stderr}")
    return result.stdout


def read_part(text):
    if text.lstrip("+-") == "inf":
        return text[0] == "-", "inf"
    if "nan" in text:
        return False, "nan"
    if "0x" in text:
        whole = re.fullmatch(r"[+-]?0x([01])(?:\.([0-9a-f]+))?p([+-]\d+)", text)
        digits = whole[2] or ""
        return text[0] == "-", int(whole[1] + digits, 16) * Fraction(2) ** (int(whole[3]) - 4 * len(digits))
    return text[0] == "-", abs(Fraction(text))


def texts():
    """What --print writes is read by the directive as the same number, and by this model as the number that it is."""
    name, count = f"{WORK}/text", 0
    for kind, element in ((F16, "c32"), (F32, "c64")):
        numbers = [any_pair(kind) for _ in range(500)]
        with open(f"{name}.in", "wb") as file:
            file.write(b"".join(number.to_bytes(kind.bits // 4, "little") for number in numbers))
        forms = {}
        with open(f"{name}.s", "w", encoding="utf-8") as file:
            file.write(f'.globl _start\n_start: li a0, 0\nli a7, 93\necall\n.data\n.balign 8\nvalues: .incbin "{name}.in"\n')
        command("tasm", "-o", f"{name}.o", f"{name}.s")
        command("tld", "-o", name, f"{name}.o")
        for form in ("", ":hexfloat"):
            text = command("temu", f"--print=values:{element}[{len(numbers)}]{form}", name)
            forms[form] = [re.fullmatch(rf"(-?{PART})([+-]{PART})i", word) for word in text.strip().split(" = ")[1].strip("[]").split(", ")]
            for number, words in zip(numbers, forms[form], strict=True):
                wanted = [quiet(part) for part in decode(kind, number)]
                found = [kind.decode(kind.encode(quiet(read_part(word)))) for word in words.groups()]
                if wanted != [quiet(part) for part in found]:
                    sys.exit(f"--print of {element} {number:#x}{form}: {words[0]}")
        finite = [(number, words) for number, words in zip(numbers, forms[""]) if "n" not in words[0]]
        with open(f"{name}.s", "w", encoding="utf-8") as file:
            file.writelines(f".{element} {words[1]}, {words[2]}\n" for _, words in finite)
        command("tasm", "-o", f"{name}.o", f"{name}.s")
        subprocess.run(["riscv64-linux-gnu-objcopy", "-O", "binary", "-j", ".text", f"{name}.o", f"{name}.bin"], check=True)
        with open(f"{name}.bin", "rb") as file:
            if file.read() != b"".join(number.to_bytes(kind.bits // 4, "little") for number, _ in finite):
                sys.exit(f".{element}: not the numbers that --print showed")
        count += len(numbers)
    return count


def main():
    random.seed(64)
    program = Program()
    kinds = [program.conjugate, program.multiply, program.read, program.dot, program.scale]
    weights = (1, 8, 3, 2, 2)
    for kind in itertools.chain(kinds, random.choices(kinds, weights, k=1500)):
        kind()
    program.run()
    print(f"{program.products} products, {texts()} texts of numbers")


main()
