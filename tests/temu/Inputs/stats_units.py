"""stats_units.py BUILD DIRECTORY: programs of tensor instructions at random, whose numbers are counted here as they are written, from the
words of machine.md; temu --stats-format=json must count the same. Prints how many numbers were compared."""
import json
import os
import random
import subprocess
import sys

BUILD, DIRECTORY = sys.argv[1:]
SPM, SPM_SIZE, WINDOW = 0x40000000, 1 << 20, 4096
FULL = 262143
BYTES = {"f32": 4, "f16": 2, "bf16": 2, "e4m3": 1, "e5m2": 1, "i8": 1, "i32": 4}
UNITS = ("matrix", "dma", "traversal", "histogram", "sparse")
MEMORY = ("memory_read", "memory_written", "scratchpad_read", "scratchpad_written")


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.text, self.data = [], []
        self.expected = {}
        self.nests = 0

    def count(self, *path, by=1):
        self.expected[path] = self.expected.get(path, 0) + by

    def moved(self, unit, **counts):
        for kind, number in counts.items():
            self.count("bytes", unit, kind, by=number)

    def instruction(self, unit, mnemonic, *operands):
        """A tensor instruction; the operands go through registers."""
        registers = [f"a{i}" if not isinstance(value, str) else value for i, value in enumerate(operands)]
        self.text += [f"li a{i}, {value}" for i, value in enumerate(operands) if not isinstance(value, str)]
        self.text.append(f"{mnemonic} {', '.join(registers)}")
        self.count("classes", unit)
        self.count("mnemonics", mnemonic)

    def spm(self, length, alignment=4):
        return SPM + WINDOW + self.random.randrange((SPM_SIZE - WINDOW - length) // alignment) * alignment


def dma(p):
    size = p.random.randrange(1, 500)
    loads = p.random.random() < 0.5
    rows = p.random.choice((0, 0, 2, 3, 7))
    p.text.append(f"la t0, buffer+{p.random.randrange(1000)}")
    if rows:
        p.instruction("dma", "dma.ld2" if loads else "dma.st2", p.spm(size * rows, 1), "t0", rows, size, size + p.random.randrange(50))
    else:
        p.instruction("dma", "dma.ld" if loads else "dma.st", p.spm(size, 1), "t0", size)
    size *= rows or 1
    p.count("units", "dma", "transfers")
    p.count("units", "dma", "bytes_loaded" if loads else "bytes_stored", by=size)
    if loads:
        p.moved("dma", memory_read=size, scratchpad_written=size)
    else:
        p.moved("dma", memory_written=size, scratchpad_read=size)


def product(p):
    kind = p.random.choice(("mmv", "vmm", "mm"))
    element = p.random.choice(("f32", "f16", "bf16", "e4m3", "e5m2", "i8"))
    m, k, n = (p.random.randrange(1, 20) for _ in range(3))
    m, n = (1 if kind == "vmm" else m), (1 if kind == "mmv" else n)
    out, left, right = p.spm(4 * m * n), p.spm(BYTES[element] * m * k), p.spm(BYTES[element] * k * n)
    if kind == "mmv":
        p.instruction("matrix", f"mmv.{element}", out, m, left, right, k)
    elif kind == "vmm":
        p.instruction("matrix", f"vmm.{element}", out, n, left, k, right)
    else:
        p.instruction("matrix", f"mm.{element}", out, left, right, m, k, n)
    p.count("units", "matrix", "instructions")
    p.count("units", "matrix", "multiply_adds", by=m * k * n)
    p.count("units", "matrix", f"multiply_adds_{element}", by=m * k * n)
    p.moved("matrix", scratchpad_read=BYTES[element] * (m * k + k * n), scratchpad_written=4 * m * n)


def elementwise(p):
    size = p.random.randrange(1, 300)
    element, source = p.random.sample(("f32", "f16", "bf16", "e4m3", "e5m2", "i8"), 2)
    p.count("units", "matrix", "instructions")
    if p.random.random() < 0.5:
        p.instruction("matrix", f"mms.{element}", p.spm(4 * size), p.spm(4 * size), size, "t1" if element == "i8" else "fa0")
        p.count("units", "matrix", "scalings", by=size)
        source = element
    else:
        p.instruction("matrix", f"mcvt.{element}.{source}", p.spm(4 * size), p.spm(4 * size), size)
        p.count("units", "matrix", "conversions", by=size)
    p.moved("matrix", scratchpad_read=BYTES[source] * size, scratchpad_written=BYTES[element] * size)


def walk(p):
    kinds = [1] * p.random.randrange(2) + [0] * p.random.randrange(1, 3) + [2] * p.random.randrange(2)
    words, walked = [f".word {len(kinds)}, 0"], []
    for kind in kinds:
        counts = [p.random.randrange(1, 5) for _ in range(p.random.randrange(1, 4))]
        where, base = p.random.choice((("memory", "buffer"), ("scratchpad", "window")))
        words.append(f".byte {kind}, {len(counts)}; .half 4; .word 1; .dword {base}")
        words += [f".dword 0, {count}, 0" for count in counts]
        elements = 1
        for count in counts:
            elements *= count
        inside = elements
        for count in counts:  # a dimension wraps once for each pass over it
            inside //= count
            p.count("units", "traversal", "dimension_wraps", by=inside)
        p.count("units", "traversal", "arrays_exhausted")
        walked += [where] * elements
    p.data += [f"nest{p.nests}:", *words]
    p.text.append(f"la t0, nest{p.nests}")
    p.nests += 1
    p.instruction("traversal", "tnest", 0, "t0")
    p.moved("traversal", memory_read=8 + sum(16 if ".byte" in word else 24 for word in words[1:]))
    for where in walked:
        kind = p.random.choice(("tnext", "tlw", "tlb", "tflw", "tsw", "tsb"))
        p.text.append(f"{kind} {'fa1' if kind == 'tflw' else 't2'}, 0")
        unit = "store" if kind[1] == "s" else "traversal" if kind == "tnext" else "load"
        p.count("classes", unit)
        p.count("mnemonics", kind)
        size = 0 if kind == "tnext" else 1 if kind[2] == "b" else 4
        if kind[1] == "s":
            p.count("memory", "stores")
            p.count("memory", "bytes_stored", by=size)
            p.moved(unit, **{where + "_written": size})
        elif size:
            p.count("memory", "loads")
            p.count("memory", "bytes_loaded", by=size)
            p.moved(unit, **{where + "_read": size})
    p.count("units", "traversal", "elements_walked", by=len(walked))
    p.count("units", "traversal", "nests_set_up")


def histogram(p):
    bits, exponents, mantissas, mnemonic = p.random.choice(
        ((32, 256, 1 << 23, "f32v4hist"), (16, 32, 1 << 10, "f16v8hist"), (8, 16, 8, "f8v16hist")))
    words = [p.random.choice((0, p.random.getrandbits(32), p.random.getrandbits(32))) for _ in range(4)]
    for i in range(4):
        signc, span, threshold = p.random.randrange(4), p.random.randrange(16), p.random.choice((0, 5, 15, 127, 255))
        count = p.random.choice((0, 7, FULL - 2, FULL - 1, FULL))
        start, was_full = signc << 30 | span << 26 | threshold << 18 | count, count == FULL
        for position in range(0, 128, bits):
            value = words[position // 32] >> position % 32 & ((1 << bits) - 1)
            mantissa, exponent, sign = value % mantissas, value // mantissas % exponents, value // mantissas // exponents
            wanted = (exponent <= threshold if span == 0 else exponent >= threshold if span == 15 else
                      threshold <= exponent < threshold + span)
            if bits < 32 and threshold == 255:
                wanted = exponent == 0 and (mantissa == 0 if span == 0 else mantissa != 0)
            if not wanted or (signc == 2 and sign) or (signc == 3 and not sign):
                continue
            p.count("units", "histogram", "values_lost" if count == FULL else "values_counted")
            count += count < FULL
        p.count("units", "histogram", "bins_saturated", by=count == FULL and not was_full)
        p.text += [f"li t2, {start}", f"fmv.w.x f{8 + i}, t2", f"li t2, {words[i]}", f"fmv.w.x f{12 + i}, t2"]
    p.count("units", "histogram", "values_tried", by=128 // bits)
    p.text.append(f"{mnemonic} f8:f11, f12:f15")
    p.count("classes", "histogram")
    p.count("mnemonics", mnemonic)


def partition(p, total, parts):
    """Where each of the parts begins, and the total."""
    return [0, *sorted(p.random.randrange(total + 1) for _ in range(parts - 1)), total]


def owner(starts, index):
    return next(i for i in range(len(starts) - 1) if starts[i] <= index < starts[i + 1])


def sparse(p):
    torus, m, n, k = p.random.randrange(2), p.random.randrange(1, 5), p.random.randrange(1, 5), p.random.randrange(1, 4)
    tables = [(p.random.randrange(1, 4), p.random.randrange(1, 20), p.random.randrange(1, 9)) for _ in range(3)]  # rows, cols, elements
    rows, name = partition(p, len(tables), m), f"net{p.nests}"
    p.nests += 1
    columns, contents = [partition(p, elements, n) for _, _, elements in tables], []
    p.data += [".balign 8", f"{name}: .byte {torus}, 0; .half {m}, {n}, {k}; .word 3, 0", ".word " + ", ".join(map(str, rows)), ".balign 8"]
    for i, (height, width, elements) in enumerate(tables):
        contents.append([p.random.choice((0, 0, 1)) for _ in range(height * width * elements)])
        p.data += [f".dword {name}_{i}; .word {height}, {width}, 5, {elements}", ".word " + ", ".join(map(str, columns[i])), ".balign 8"]
    p.data.append(f"{name}_end:")
    p.data += [f"{name}_{i}: .byte {', '.join(map(str, content))}" for i, content in enumerate(contents)]
    requests = []
    for _ in range(p.random.randrange(1, 6)):
        table = p.random.randrange(3)
        first = p.random.randrange(tables[table][2])
        requests.append((table, first, p.random.randrange(1, tables[table][2] - first + 1)))
    p.data += [".balign 4", f"{name}_requests:", *(f".word {table}, {first}, {count}, 0" for table, first, count in requests)]
    units = {}
    for table, first, count in requests:
        size = tables[table][0] * tables[table][1]
        for element in range(first, first + count):
            unit = units.setdefault((owner(rows, table), owner(columns[table], element)), [0, []])
            unit[0] += 1
            unit[1] += contents[table][element * size:(element + 1) * size]
    ways = lambda at, among: min(at, among - at) if torus else at  # noqa: E731
    cycles = []
    for (row, column), (elements, values) in units.items():
        distance = ways(row, m) + ways(column, n)
        packet = min(len(values), -(-len(values) // 8) + sum(map(bool, values)))
        p.count("units", "sparse", "hops", by=distance)
        p.count("units", "sparse", "link_bytes", by=distance * len(values))
        p.count("units", "sparse", "compressed_bytes", by=distance * packet)
        p.count("units", "sparse", "elements", by=elements)
        p.count("units", "sparse", "dense_values", by=len(values))
        cycles.append(2 * distance + -(-elements // k) + distance * -(-packet // 64))
    p.count("units", "sparse", "hops", by=m * n - 1)
    p.count("units", "sparse", "network_cycles", by=max(cycles))
    p.count("units", "sparse", "gathers")
    p.count("units", "sparse", "requests", by=len(requests))
    values = sum(len(values) for _, values in units.values())
    descriptor = 16 + (4 * (m + 1) + 7) // 8 * 8 + 3 * (24 + (4 * (n + 1) + 7) // 8 * 8)
    p.moved("sparse", memory_read=descriptor + 16 * len(requests) + values, scratchpad_written=values)
    p.text.append(f"la t0, {name}")
    p.instruction("sparse", "sconf", "t0")
    p.text.append(f"la t0, {name}_requests")
    p.instruction("sparse", "sgather", "t1", p.spm(values), "t0", len(requests))


def compare(p, found):
    """How many numbers are the same; all that are there must be expected."""
    for name in ("bytes", "compressed_bytes"):  # of all links together
        assert sum(link[name] for link in found["links"]) == found["units"]["sparse"][name.replace("bytes", "link_bytes") if name == "bytes" else name]
    compared = 0
    for unit, counters in found["units"].items():
        for name, value in counters.items():
            assert value == p.expected.get(("units", unit, name), 0), (unit, name, value, p.expected.get(("units", unit, name), 0))
            compared += 1
    for unit in UNITS:
        for kind in MEMORY:
            assert found["bytes"][unit][kind] == p.expected.get(("bytes", unit, kind), 0), (unit, kind, found["bytes"][unit], p.expected)
            compared += 1
    for path, value in p.expected.items():
        place = found
        for key in path:
            place = place.get(key, 0 if key == path[-1] else {})
        assert place == value, (path, place, value)
        compared += 1
    total = found["instructions"]
    assert total == sum(found["classes"].values()) == sum(found["mnemonics"].values())
    ranges = {way: sum(p.expected.get(("bytes", unit, where + way), 0) for unit in UNITS
                       for where in ("memory_", "scratchpad_")) for way in ("read", "written")}
    memory = found["memory"]
    assert memory["range_bytes_read"] == ranges["read"]
    assert memory["range_bytes_written"] == ranges["written"]
    return compared + 4


def run(seed):
    p = Program(seed)
    for _ in range(40):
        p.random.choice((dma, product, elementwise, walk, histogram, sparse))(p)
    name = os.path.join(DIRECTORY, "units")
    with open(name + ".s", "w", encoding="ascii") as file:
        file.write("\n".join([".globl _start", "_start:", *p.text, "li a0, 0", "li a7, 93", "ecall", ".data", *p.data, ".balign 8", "buffer: .zero 8192",
                              '.section .spm.data, "aw"', f"window: .zero {WINDOW}", ""]))
    for command in (["tasm", "-o", name + ".o", name + ".s"], ["tld", "-o", name, name + ".o"],
                    ["temu", f"--stats={name}.json", "--stats-format=json", name]):
        subprocess.run([os.path.join(BUILD, command[0]), *command[1:]], check=True)
    with open(name + ".json", encoding="ascii") as file:
        text = file.read()
    assert text.count("\n") == 1 and text.endswith("\n")
    return compare(p, json.loads(text))


os.makedirs(DIRECTORY, exist_ok=True)
print(f"{sum(run(seed) for seed in range(6))} numbers agree")
