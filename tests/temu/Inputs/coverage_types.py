#!/usr/bin/env python3
"""coverage_types.py make SEED FILE.s: writes a program whose instructions have inputs of types that state says.
coverage_types.py check SEED INFO OPERANDS: compares the bins of these inputs with a model."""

import random
import sys

ROUNDS, TABLES, CONFIGURATIONS = 24, 9, 3
# Bits of exponent and fraction, and whether there is infinity; integers have no exponent.
FLOATS = {"f32": (8, 23, True), "f16": (5, 10, True), "bf16": (8, 7, True), "e4m3": (4, 3, False), "e5m2": (5, 2, True)}
INTEGERS = {"i8": 8, "i32": 32}
CODES = ["f32", "f16", "bf16", "e4m3", "e5m2", "i8", "i32"]


def width(kind):
    return INTEGERS.get(kind) or 1 + sum(FLOATS[kind][:2])


def value_bin(kind, bits):
    if kind in INTEGERS:
        least = 1 << INTEGERS[kind] - 1
        return {0: "zero", least: "the least number", least - 1: "the greatest number"}.get(bits, "another number")
    exponent_bits, fraction_bits, has_infinity = FLOATS[kind]
    exponent, fraction = bits >> fraction_bits & (1 << exponent_bits) - 1, bits & (1 << fraction_bits) - 1
    if exponent == 0:
        return "a subnormal number" if fraction else "zero"
    if exponent == (1 << exponent_bits) - 1:
        if not has_infinity:
            return "NaN" if fraction == (1 << fraction_bits) - 1 else "a normal number"
        return "NaN" if fraction else "infinity"
    return "a normal number"


def special(kind, generator):
    """A value that is often in a rare bin."""
    bits = generator.getrandbits(width(kind))
    if kind in INTEGERS:
        return generator.choice([0, 1 << INTEGERS[kind] - 1, (1 << INTEGERS[kind] - 1) - 1, bits, bits])
    exponent_bits, fraction_bits, _ = FLOATS[kind]
    high, low = ((1 << exponent_bits) - 1) << fraction_bits, (1 << fraction_bits) - 1
    return generator.choice([0, 1 << exponent_bits + fraction_bits, bits & low, high, high | low, bits, bits])


def rounds(seed):
    """Yields the format of the histogram's values with the values, and the configuration, table and vector of the update."""
    generator = random.Random(seed)
    types = [[generator.randrange(len(CODES)) for _ in range(TABLES)] for _ in range(CONFIGURATIONS)]
    for number in range(ROUNDS):
        form = generator.randrange(2)
        pool = [special(["e4m3", "e5m2"][form], generator) for _ in range(3)]
        configuration, table = number * CONFIGURATIONS // ROUNDS, generator.randrange(TABLES)
        kind = CODES[types[configuration][table]]
        vector = [special(kind, generator) for _ in range(generator.randrange(1, 4))]
        yield form, [generator.choice(pool) for _ in range(16)], types[configuration], configuration, table, vector


def make(seed):
    code, data = [".globl _start", "_start:"], [".data", ".balign 8"]
    last = None
    for number, (form, values, types, configuration, table, vector) in enumerate(rounds(seed)):
        if configuration != last:
            last = configuration
            code += [f"la a0, network{configuration}", "sconf a0"]
            data += [".balign 8", f"network{configuration}: .byte 0, 0", ".half 1, 1, 1", f".word {TABLES}, 0, 0, {TABLES}"]
            for place, kind in enumerate(types):
                data += [f".dword table{configuration}_{place}", f".word 1, 1, {kind}, 4, 0, 4"]
            for place in range(TABLES):
                data += [".balign 8", f"table{configuration}_{place}: .zero 16"]
        code += [f"csrwi tf8, {form}", f"la a0, values{number}"] + [f"flw f{12 + i}, {4 * i}(a0)" for i in range(4)]
        code += ["f8v16hist f8:f11, f12:f15", f"la a0, vector{number}", f"la a1, request{number}", "supdate a0, a1, 1"]
        kind = CODES[types[table]]
        size = {8: ".byte", 16: ".half", 32: ".word"}[width(kind)]
        data += [".balign 8", f"values{number}: .byte " + ", ".join(map(str, values))]
        data += [".balign 8", f"vector{number}: {size} " + ", ".join(map(str, vector))]
        data += [".balign 8", f"request{number}: .word {table}, 0, {len(vector)}, 0"]
    # An update without requests has no type, and counts in no bin.
    code += ["supdate a0, a1, 0", "li a0, 0", "li a7, 93", "ecall"]
    return "\n".join(code + data) + "\n"


def expected(seed):
    counts = {}
    for form, values, types, _, table, vector in rounds(seed):
        kinds = ["e4m3", "e5m2"][form], CODES[types[table]]
        for name, kind, elements in (("f8v16hist fs", kinds[0], values), ("supdate src", kinds[1], vector)):
            for found in {value_bin(kind, bits) for bits in elements}:
                key = f"{name}: as {kind} has {found}"
                counts[key] = counts.get(key, 0) + 1
    return counts


def check(seed, info, operands):
    with open(operands, encoding="utf-8") as file:
        names = file.read().splitlines()
    counts, inside = {}, False
    with open(info, encoding="utf-8") as file:
        for line in file:
            if line.startswith("SF:"):
                inside = line.rstrip().endswith("/tensor-operands.txt")
            elif inside and line.startswith("DA:"):
                number, count = line[3:].split(",")[:2]
                if ": as " in names[int(number) - 1]:
                    counts[names[int(number) - 1]] = int(count)
    model = expected(seed)
    assert set(model) <= set(counts), set(model) - set(counts)
    for name, count in counts.items():
        assert count == model.get(name, 0), f"{name}: {count}, expected {model.get(name, 0)}"
    tried = [name for name in counts if model.get(name)]
    print(f"{len(counts)} bins agree, {len(tried)} of them with counts")


if sys.argv[1] == "make":
    with open(sys.argv[3], "w", encoding="utf-8") as output:
        output.write(make(int(sys.argv[2])))
else:
    check(int(sys.argv[2]), sys.argv[3], sys.argv[4])
