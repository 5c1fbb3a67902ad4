"""Random networks of the sparse unit against a model that is written from the words of machine.md, 5.

    sparse_networks.py BUILD DIRECTORY PROGRAMS

Each program configures some networks of both shapes (mesh, torus) and both ways (packets, fragments that are merged), and runs all
instructions on each: rd, memory, the counters after every instruction, the links that the trace shows, and the bytes of each link in the
statistics are compared.
"""
import collections
import json
import os
import random
import struct
import subprocess
import sys

BUILD, DIRECTORY, PROGRAMS = sys.argv[1], sys.argv[2], int(sys.argv[3])
NETWORKS = 12  # of a program
TYPES = ("f32", "f16", "bf16", "e4m3", "e5m2", "i8", "i32")
SIZES = (4, 2, 2, 1, 1, 1, 4)
LAYOUT = {"f32": (8, 23), "f16": (5, 10), "bf16": (8, 7), "e4m3": (4, 3), "e5m2": (5, 2)}
NAN, INFINITY = float("nan"), float("inf")


# ---- values ----

def widen(kind, bits):
    """The value of an element."""
    if kind == "i8":
        return bits - 256 if bits >> 7 else bits
    if kind == "i32":
        return bits - (1 << 32) if bits >> 31 else bits
    exponent_bits, fraction_bits = LAYOUT[kind]
    fraction, exponent = bits % (1 << fraction_bits), bits >> fraction_bits & ((1 << exponent_bits) - 1)
    sign, bias, top = -1.0 if bits >> (exponent_bits + fraction_bits) else 1.0, (1 << exponent_bits - 1) - 1, (1 << exponent_bits) - 1
    if kind == "e4m3":
        if exponent == 15 and fraction == 7:
            return NAN
    elif exponent == top:
        return NAN if fraction else sign * INFINITY
    scale = max(exponent, 1) - bias - fraction_bits
    return sign * (fraction + (1 << fraction_bits if exponent else 0)) * 2.0 ** scale


def single(value):
    """Rounded to f32."""
    if value != value or value in (INFINITY, -INFINITY):
        return value
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return INFINITY if value > 0 else -INFINITY


def bits_of(value):
    """The bits of an f32 or i32."""
    if isinstance(value, int):
        return value % (1 << 32)
    return 0x7fc00000 if value != value else struct.unpack("<I", struct.pack("<f", value))[0]


def wrap(value):
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)


def rank(value):
    """-0 is less than +0."""
    return value, struct.pack("<d", value)[7] >> 7 == 0


def reduce(kind, how, values):
    """The bits of the reduction of some values in element order."""
    integer = kind[0] == "i"
    if not values:
        return 0
    if how in ("sum", "mean"):
        total = 0 if integer else 0.0
        for value in values:
            total = wrap(total + value) if integer else single(total + value)
        if how == "mean" and integer:
            total = abs(total) // len(values) * (-1 if total < 0 else 1)
        elif how == "mean":
            total = single(total / single(float(len(values))))
        return bits_of(total)
    if not integer and any(value != value for value in values):
        return bits_of(NAN)
    return bits_of((max if how == "max" else min)(values, key=rank))


# ---- the network ----

class Network:
    def __init__(self, rng, name):
        self.name, self.torus, self.way = name, rng.randrange(2), rng.randrange(2)
        self.m, self.n, self.k = rng.randrange(1, 7), rng.randrange(1, 7), rng.randrange(1, 5)
        self.type = rng.randrange(len(TYPES))
        self.kind, self.size = TYPES[self.type], SIZES[self.type]
        tables = rng.randrange(1, 6)
        self.rows = partition(rng, tables, self.m)
        self.tables = []
        zeros = rng.choice((0, 0.5, 0.95))
        for _ in range(tables):
            shape, elements = (rng.randrange(1, 5), rng.randrange(1, 5)), rng.randrange(0, 12)
            values = [[0 if rng.random() < zeros else rng.getrandbits(8 * self.size) for _ in range(shape[0] * shape[1])]
                      for _ in range(elements)]
            self.tables.append((shape, partition(rng, elements, self.n), values))
        self.requests = []
        for _ in range(rng.randrange(1, 7)):
            table = rng.randrange(tables)
            elements = len(self.tables[table][2])
            first = rng.randrange(elements + 1)
            self.requests.append((table, first, rng.randrange(elements - first + 1)))
        self.counters = [0, 0, 0, 0]  # shops, scycles, sbytes, szbytes
        self.hops = []  # of the last instruction: name, owner, from, to, bytes

    def toward(self, at, size):
        """The neighbor on the way to 0."""
        return (at + 1) % size if self.torus and size - at < at else at - 1

    def parent(self, unit):
        row, column = unit
        return (row, self.toward(column, self.n)) if column else (self.toward(row, self.m), 0)

    def way_of(self, unit):
        """The units from this one to the first."""
        way = [unit]
        while way[-1] != (0, 0):
            way.append(self.parent(way[-1]))
        return way

    def distance(self, unit):
        return len(self.way_of(unit)) - 1

    def units(self):
        return [(row, column) for row in range(self.m) for column in range(self.n)]

    def owner(self, table, element):
        return owner(self.rows, table), owner(self.tables[table][1], element)

    def work(self, how):
        """Of each unit: the number of elements, and the packet's values as (bits, bytes)."""
        work = {unit: [0, []] for unit in self.units()}
        for table, first, count in self.requests:
            values = self.tables[table][2]
            owners = {self.owner(table, element) for element in range(first, first + count)}
            for element in range(first, first + count):
                unit = work[self.owner(table, element)]
                unit[0] += 1
                if not how or len(owners) > 1:
                    unit[1] += [(bits, self.size) for bits in values[element]]
            if how and len(owners) == 1:
                work[owners.pop()][1] += [(bits, 4) for bits in self.reduced(how, table, first, count)]
        return work

    def reduced(self, how, table, first, count):
        shape, _, values = self.tables[table]
        positions = range(shape[0] * shape[1] if values else 0)
        return [reduce(self.kind, how, [widen(self.kind, values[element][i]) for element in range(first, first + count)]) for i in positions]

    def vector(self, how):
        """The dense vector as bytes, and its length in values."""
        out, length = bytearray(), 0
        for table, first, count in self.requests:
            if how:
                found = self.reduced(how, table, first, count)
            else:
                found = [bits for element in range(first, first + count) for bits in self.tables[table][2][element]]
            for bits in found:
                out += bits.to_bytes(4 if how else self.size, "little")
            length += len(found)
        return out, length

    def scatter(self, vector):
        at = 0
        for table, first, count in self.requests:
            for element in range(first, first + count):
                for i in range(len(self.tables[table][2][element])):
                    self.tables[table][2][element][i] = int.from_bytes(vector[at:at + self.size], "little")
                    at += self.size

    def cross(self, name, owned_by, unit, plain, packed):
        """A packet crosses the link between a unit and its parent."""
        ends = (unit, self.parent(unit)) if name == "answer" else (self.parent(unit), unit)
        self.hops.append((name, owned_by, *ends, packed))
        self.counters[0] += 1
        self.counters[2] += plain
        self.counters[3] += packed
        links[ends][0] += plain
        links[ends][1] += packed

    def count(self, how, name):
        """Counts an instruction of the kind "answer" or "update"."""
        work, self.hops = self.work(how), []
        self.counters[0] += self.m * self.n - 1
        self.counters[1] += (self.merge if self.way else self.packets)(work, name)

    def packets(self, work, name):
        cycles = [0]
        for unit, (elements, values) in work.items():
            plain, packed = sizes(values)
            if elements:
                d = self.distance(unit)
                for passed in self.way_of(unit)[:-1]:
                    self.cross(name, unit, passed, plain, packed)
                cycles.append(2 * d + -(-elements // self.k) + d * -(-packed // 64))
        return max(cycles)

    def merge(self, work, name):
        fragments = {unit: [] for unit in work}
        for unit, (_, values) in sorted(work.items()):  # in order of unit row, then column
            for passed in self.way_of(unit):
                fragments[passed] += values
        cycles = {}
        for unit, values in fragments.items():
            if unit != (0, 0) and values:
                plain, packed = sizes(values)
                self.cross(name, unit, unit, plain, packed)
                cycles[unit] = 1 + -(-packed // 64)

        def ready(unit):
            arrivals = [ready(sender) + cycles[sender] for sender in cycles if self.parent(sender) == unit]
            elements = work[unit][0]
            return max([0, *arrivals] + ([self.distance(unit) + -(-elements // self.k)] if elements else []))

        if name == "answer":
            return ready((0, 0))
        return max([0] + [sum(cycles[passed] for passed in self.way_of(unit)[:-1]) + -(-elements // self.k) + self.distance(unit)
                          for unit, (elements, _) in work.items() if elements])


def partition(rng, total, parts):
    return [0, *sorted(rng.randrange(total + 1) for _ in range(parts - 1)), total]


def owner(starts, index):
    return next(i for i in range(len(starts) - 1) if starts[i] <= index < starts[i + 1])


def sizes(values):
    plain = sum(size for _, size in values)
    return plain, min(plain, -(-len(values) // 8) + sum(size for bits, size in values if bits))


# ---- a program ----

def describe(network):
    name, lines = network.name, [".balign 8"]
    lines += [f"{name}: .byte {network.torus}, {network.way}; .half {network.m}, {network.n}, {network.k}; .word {len(network.tables)}, 0",
              ".word " + ", ".join(map(str, network.rows)), ".balign 8"]
    for i, (shape, columns, values) in enumerate(network.tables):
        lines += [f".dword {name}_{i}; .word {shape[0]}, {shape[1]}, {network.type}, {len(values)}",
                  ".word " + ", ".join(map(str, columns)), ".balign 8"]
    lines += [f"{name}_requests: .word " + ", ".join(f"{table}, {first}, {count}, 0" for table, first, count in network.requests)]
    for i, (_, _, values) in enumerate(network.tables):
        data = b"".join(bits.to_bytes(network.size, "little") for element in values for bits in element)
        lines += [".balign 4", f"{name}_{i}: .byte " + ", ".join(map(str, data or b"\0"))]
    return lines


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.text, self.data, self.expected, self.hops = [], [], bytearray(), []

    def result(self, data):
        """The program writes what it has found to s1, and the model says what that should be."""
        self.expected += data + bytes(-len(data) % 8)

    def instruction(self, network, text, how, name):
        network.count(how, name)
        self.hops.append(network.hops)
        self.text += [text, "sd a0, 0(s1)"]
        for i, csr in enumerate(("shops", "scycles", "sbytes", "szbytes")):
            self.text += [f"csrr t0, {csr}", f"sd t0, {8 * i + 8}(s1)"]
        self.text.append("addi s1, s1, 40")

    def gather(self, network, how):
        vector, length = network.vector(how)
        self.text.append("addi a1, s1, 40")
        self.instruction(network, f"sgather{'.' + how if how else ''} a0, a1, a2, {len(network.requests)}", how, "answer")
        self.result(struct.pack("<5Q", length, *network.counters))
        self.result(vector)
        self.text.append(f"addi s1, s1, {len(vector) + -len(vector) % 8}")

    def update(self, network):
        length = network.vector("")[1]
        vector = bytes(self.random.choice((0, 0, self.random.randrange(256))) for _ in range(length * network.size))
        name = f"{network.name}_vector{len(self.data)}"
        self.data += [".balign 8", f"{name}: .byte " + ", ".join(map(str, vector or b"\0"))]
        self.text += [f"la a1, {name}", "li a0, 7"]
        # What travels is the values of the vector, in the places of the elements.
        values, work, at = network.tables, network.work, 0
        sent = {unit: [0, []] for unit in network.units()}
        for table, first, count in network.requests:
            for element in range(first, first + count):
                unit = sent[network.owner(table, element)]
                unit[0] += 1
                for _ in values[table][2][element]:
                    unit[1].append((int.from_bytes(vector[at:at + network.size], "little"), network.size))
                    at += network.size
        network.work = lambda how: sent
        self.instruction(network, f"supdate a1, a2, {len(network.requests)}", "", "update")
        network.work = work
        network.scatter(vector)
        self.result(struct.pack("<5Q", 7, *network.counters))

    def network(self, network):
        self.data += describe(network)
        self.text += [f"la t0, {network.name}", "sconf t0", f"la a2, {network.name}_requests"]
        self.hops.append([])
        for _ in range(5):
            how = self.random.choice(("", "sum", "max", "min", "mean", "update"))
            if how == "update":
                self.update(network)
            else:
                self.gather(network, how)
        self.update(network)
        network.requests = [(table, 0, len(values)) for table, (_, _, values) in enumerate(network.tables)]
        self.data += [".balign 8", f"{network.name}_all: .word " +
                      ", ".join(f"{table}, {first}, {count}, 0" for table, first, count in network.requests)]
        self.text.append(f"la a2, {network.name}_all")
        self.gather(network, "")


def place(unit):
    return f"{unit[0] + 1},{unit[1] + 1}"


def check_trace(path, expected):
    """Packets and fragments on links, as far as they are known by the model: all of them, of each instruction in any order."""
    found = []
    with open(path, encoding="ascii") as file:
        for line in file:
            record = json.loads(line)
            hops = [effect for effect in record.get("effects", []) if "hop" in effect and "request" not in effect["hop"]]
            if hops:
                found.append(sorted((hop["hop"], hop["from"], hop["to"], int(hop["value"], 16)) for hop in hops))
    wanted = [sorted((f"sparse.{name}[{unit[0] + 1}][{unit[1] + 1}]", place(source), place(target), packed)
                     for name, unit, source, target, packed in hops) for hops in expected if hops]
    assert found == wanted, (found, wanted)
    return sum(map(len, wanted))


links = collections.defaultdict(lambda: [0, 0])  # (from, to): bytes, compressed bytes of the program


def run(seed):
    links.clear()
    program, path = Program(seed), os.path.join(DIRECTORY, "networks")
    for i in range(NETWORKS):
        program.network(Network(program.random, f"network{i}"))
    with open(path + ".s", "w", encoding="ascii") as file:
        file.write("\n".join([".globl _start, results", "_start: la s1, results", *program.text, "li a0, 0", "li a7, 93", "ecall", ".data",
                              *program.data, ".balign 8", f"results: .zero {len(program.expected)}", ""]))
    for command in (["tasm", "-o", path + ".o", path + ".s"], ["tld", "-o", path, path + ".o"],
                    run_with(program, path, f"--trace={path}.trace", "--trace-format=json", "--trace-units=sparse")):
        subprocess.run([os.path.join(BUILD, command[0]), *command[1:]], check=True)
    check_results(seed, program, path)
    traced = check_trace(path + ".trace", program.hops)
    command = run_with(program, path, "--reference")
    subprocess.run([os.path.join(BUILD, command[0]), *command[1:]], check=True)
    check_results(seed, program, path)
    return traced


def run_with(program, path, *options):
    return ["temu", f"--dump=results:{len(program.expected)}={path}.results", f"--stats={path}.json", "--stats-format=json", *options, path]


def check_results(seed, program, path):
    with open(path + ".results", "rb") as file:
        found = file.read()
    wrong = next((i for i in range(len(found)) if found[i] != program.expected[i]), None)
    assert wrong is None, f"seed {seed}: byte {wrong} of the results"
    with open(path + ".json", encoding="ascii") as file:
        listed = json.load(file)["links"]
    assert [(link["from"], link["to"], link["bytes"], link["compressed_bytes"]) for link in listed] == \
           [(place(source), place(target), *load) for (source, target), load in sorted(links.items()) if load[0]], seed


os.makedirs(DIRECTORY, exist_ok=True)
crossed = 0
for number in range(PROGRAMS):
    crossed += run(number)
print(f"{PROGRAMS * NETWORKS} networks agree, {crossed} links crossed")
