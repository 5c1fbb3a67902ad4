"""Random programs over the register files of Inputs/files.yaml, run by each executor and compared with a model that is written from
the definitions of the instructions.

    model.py TASM TLD TEMU TDIFF DIRECTORY SEED

A program is a loop of random instructions, so that native code runs most of it, and then stores all registers. The traces are compared
write by write: the model knows the name and the value of each register that an instruction writes."""
import json
import os
import random
import re
import subprocess
import sys

ROUNDS, LENGTH = 40, 60
BITS = {"acc": 512, "p": 8, "big": 2048, "q": 24, "w": 128, "x": 64}
COUNTS = {"acc": 8, "p": 64, "big": 2, "q": 5, "w": 3}
NAMES = {
    "acc": ["sum"] + [f"acc{i}" for i in range(1, 8)],
    "p": [f"p{i}" for i in range(64)],
    "big": ["left", "right"],
    "q": [f"q{i}" for i in range(5)],
    "w": ["w0", "w1", "w2"],
}
X = ["a0", "a1", "a2", "a3", "a4", "a5"]
DATA = 4096


def split(value, bits, count):
    return [value >> bits * i & (1 << bits) - 1 for i in range(count)]


def join(parts, bits):
    return sum((part & (1 << bits) - 1) << bits * i for i, part in enumerate(parts))


class Machine:
    def __init__(self, data):
        self.files = {name: [0] * count for name, count in COUNTS.items()}
        self.files["x"] = [0] * len(X)
        self.memory = bytearray(data)
        self.writes = []  # (name, value) of the current instruction

    def read(self, file, number):
        return self.files[file][number]

    def write(self, file, number, value):
        value &= (1 << BITS[file]) - 1
        if file == "w" and number == 0:  # hard-wired
            return
        self.files[file][number] = value
        self.writes.append(((X if file == "x" else NAMES[file])[number], value))

    def words(self, file, number, bits):
        return split(self.read(file, number), bits, BITS[file] // bits)


class Draw:
    """Draws operands, and writes them in one of their spellings."""

    def __init__(self, rng):
        self.rng = rng

    def register(self, file, first=0, last=None, step=1):
        last = COUNTS[file] - 1 if last is None else last
        return self.rng.randrange(first, last + 1, step)

    def x(self):
        return self.rng.randrange(len(X))

    def name(self, file, number):
        numeric = f"{file}{number}"
        if file == "big" or self.rng.random() < 0.5:
            return NAMES[file][number]
        return "wide" if numeric == "w2" and self.rng.random() < 0.5 else numeric


def acc_load(d, m):
    a, at = d.register("acc"), d.rng.randrange(0, DATA - 64, 8)
    return f"li t1, {at}\n add t1, t1, s1\n acc.load {d.name('acc', a)}, (t1)", lambda: m.write(
        "acc", a, int.from_bytes(m.memory[at:at + 64], "little"))


def acc_store(d, m):
    a, at = d.register("acc"), d.rng.randrange(0, DATA - 64, 8)

    def run():
        m.memory[at:at + 64] = m.read("acc", a).to_bytes(64, "little")

    return f"li t1, {at}\n add t1, t1, s1\n acc.store {d.name('acc', a)}, (t1)", run


def acc_add(d, m):
    a, b, c = (d.register("acc") for _ in range(3))
    return f"acc.add {d.name('acc', a)}, {d.name('acc', b)}, {d.name('acc', c)}", lambda: m.write(
        "acc", a, join([x + y for x, y in zip(m.words("acc", b, 32), m.words("acc", c, 32))], 32))


def acc_permute(d, m):
    a, b, c = (d.register("acc") for _ in range(3))

    def run():
        values, places = m.words("acc", b, 8), m.words("acc", c, 8)
        m.write("acc", a, join([values[place % 64] for place in places], 8))

    return f"acc.permute {d.name('acc', a)}, {d.name('acc', b)}, {d.name('acc', c)}", run


def acc_negate(d, m):
    a = d.register("acc")
    return f"acc.negate {d.name('acc', a)}", lambda: m.write("acc", a, join([x ^ 0x8000 for x in m.words("acc", a, 16)], 16))


def acc_swap(d, m):
    a = d.register("acc", 0, 7, 2)

    def run():
        first, second = m.words("acc", a, 64), m.read("acc", a + 1)
        m.write("acc", a, second)
        m.write("acc", a + 1, join([x + i for i, x in enumerate(first)], 64))

    return f"acc.swap {d.name('acc', a)}:{d.name('acc', a + 1)}", run


def acc_rotate(d, m):
    a, b = d.register("acc", 0, 7, 2), d.register("p")

    def run():
        for k in range(2):
            words = m.words("acc", a + k, 64)
            m.write("acc", a + k, join([x << 8 * k + i + 1 | x >> 63 - 8 * k - i for i, x in enumerate(words)], 64))
        m.write("p", b, m.read("p", b) + 1)

    return f"acc.rotate {d.name('acc', a)}:{d.name('acc', a + 1)}, {d.name('p', b)}", run


def p_move(d, m):
    a, b = d.register("p", 32), d.rng.randrange(64)
    if d.rng.random() < 0.5:
        return f"p.move {d.name('p', a)}, {b}", lambda: m.write("p", a, b)
    return f"p.move {d.name('p', a)}, {d.name('p', b)}", lambda: m.write("p", a, m.read("p", b))


def p_add(d, m):
    a, b, c = (d.register("p") for _ in range(3))
    return f"p.add {d.name('p', a)}, {d.name('p', b)}, {d.name('p', c)}", lambda: m.write(
        "p", a, m.read("p", b) + m.read("p", c) + a)


def p_step(d, m):
    a = d.register("p", 0, 62)
    return f"p.step {d.name('p', a)}", lambda: m.write("p", a, m.read("p", a) + 200)


def p_turn(d, m):
    a = d.register("p", 0, 63, 4)

    def run():
        values = [m.read("p", a + i) for i in range(4)]
        for i in range(4):
            m.write("p", a + i, values[(i + 1) % 4])

    return f"p.turn {d.name('p', a)}:{d.name('p', a + 3)}", run


def p_get(d, m):
    x, b = d.x(), d.register("p")
    return f"p.get {X[x]}, {d.name('p', b)}", lambda: m.write("x", x, m.read("p", b))


def x_count(d, m):
    x, a = d.rng.choice([None, None, *range(len(X))]), d.register("p")

    def run():
        value = 1 if x is None else m.read("x", x) + 1
        if x is not None:
            m.write("x", x, value)
        m.write("p", a, value)

    return f"x.count {'zero' if x is None else X[x]}, {d.name('p', a)}", run


def q_set(d, m):
    a, x = d.register("q"), d.x()
    return f"q.set {d.name('q', a)}, {X[x]}", lambda: m.write("q", a, m.read("x", x))


def q_get(d, m):
    x, b = d.x(), d.register("q")
    return f"q.get {X[x]}, {d.name('q', b)}", lambda: m.write("x", x, m.read("q", b))


def q_multiply(d, m):
    a, b, c = d.register("q"), d.register("q"), d.register("q", 0, 3)
    return f"q.multiply {d.name('q', a)}, {d.name('q', b)}, {d.name('q', c)}", lambda: m.write(
        "q", a, m.read("q", b) * m.read("q", c))


def q_reverse(d, m):
    a = d.register("q")
    return f"q.reverse {d.name('q', a)}", lambda: m.write("q", a, join(m.words("q", a, 8)[::-1], 8))


def w_set(d, m):
    a, x, y = d.register("w"), d.x(), d.x()
    return f"w.set {d.name('w', a)}, {X[x]}, {X[y]}", lambda: m.write("w", a, m.read("x", x) | m.read("x", y) << 64)


def w_get(d, m):
    x, b, i = d.x(), d.register("w"), d.rng.randrange(2)
    return f"w.get {X[x]}, {d.name('w', b)}, {i}", lambda: m.write("x", x, m.words("w", b, 64)[i])


def w_count(d, m):
    a = d.register("w")
    return f"w.count {d.name('w', a)}", lambda: m.write("w", a, join([x + a + 1 for x in m.words("w", a, 32)], 32))


def big_fill(d, m):
    a, b = d.register("big"), d.register("acc")

    def run():
        values = m.words("acc", b, 64)
        m.write("big", a, join([values[(i + i // 8) % 8] for i in range(32)], 64))

    return f"big.fill {d.name('big', a)}, {d.name('acc', b)}", run


def big_fold(d, m):
    a, b = d.register("acc"), d.register("big")

    def run():
        value = [0] * 8
        for i, word in enumerate(m.words("big", b, 64)):
            value[i % 8] ^= word
        m.write("acc", a, join(value, 64))

    return f"big.fold {d.name('acc', a)}, {d.name('big', b)}", run


def big_mix(d, m):
    a = d.register("big")

    def run():
        values = m.words("big", a, 16)
        for i in range(127, 0, -1):
            values[i - 1] = (values[i - 1] + values[i]) & 0xffff
        m.write("big", a, join(values, 16))

    return f"big.mix {d.name('big', a)}", run


def scalar(d, m):
    x, y, z = d.x(), d.x(), d.x()
    return f"mul {X[x]}, {X[y]}, {X[z]}\n addi {X[x]}, {X[x]}, 77", None


KINDS = [acc_load, acc_store, acc_add, acc_permute, acc_negate, acc_swap, acc_rotate, p_move, p_add, p_step, p_turn, p_get, x_count, x_count, q_set, q_get,
         q_multiply, q_reverse, w_set, w_get, w_count, big_fill, big_fold, big_mix]


def store_all():
    """The instructions that store all registers after the data."""
    lines = [f"li t1, {DATA}", "add t1, t1, s1"]
    for name in NAMES["acc"]:
        lines += [f"acc.store {name}, (t1)", "addi t1, t1, 64"]
    for name in NAMES["big"]:
        lines += [f"big.store {name}, (t1)", "addi t1, t1, 256"]
    for name in NAMES["p"]:
        lines += [f"p.get t2, {name}", "sb t2, (t1)", "addi t1, t1, 1"]
    for name in NAMES["q"]:
        lines += [f"q.get t2, {name}", "sd t2, (t1)", "addi t1, t1, 8"]
    for name in NAMES["w"]:
        for i in range(2):
            lines += [f"w.get t2, {name}, {i}", "sd t2, (t1)", "addi t1, t1, 8"]
    for name in X:
        lines += [f"sd {name}, (t1)", "addi t1, t1, 8"]
    return lines


def stored(machine):
    data = bytes(machine.memory)
    for file, size in (("acc", 64), ("big", 256), ("p", 1), ("q", 8), ("w", 16), ("x", 8)):
        for value in machine.files[file]:
            data += value.to_bytes(size, "little")
    return data


def make(rng):
    """Returns the source, and the machine after the program, with the writes of each instruction of the files in order."""
    data = rng.randbytes(DATA)
    machine, draw = Machine(data), Draw(rng)
    start = [rng.getrandbits(64) for _ in X]
    machine.files["x"] = list(start)
    body = [kind(draw, machine) for kind in KINDS]
    body += [rng.choice(KINDS)(draw, machine) for _ in range(LENGTH - len(body))]
    rng.shuffle(body)
    source = [".globl _start", "_start:", "la s1, data"]
    source += [f"li {name}, {value:#x}" for name, value in zip(X, start)]
    source += [f"li s0, {ROUNDS}", "loop:"] + [text for text, _ in body] + ["addi s0, s0, -1", "bnez s0, loop"]
    source += store_all() + ["li a0, 0", "li a7, 93", "ecall", ".data", ".balign 8", "data:"]
    source += [".byte " + ", ".join(map(str, data[i:i + 64])) for i in range(0, DATA, 64)] + [".globl data", ".zero 4096"]
    log = []
    for _ in range(ROUNDS):
        for _, run in body:
            run()
            log.append(machine.writes)
            machine.writes = []
    return "\n".join(source) + "\n", machine, log


OURS = re.compile(r"^(acc|p|q|w|x|big)\.")


def from_text(path):
    """Returns the register writes of each instruction of ours in a text trace."""
    log = []
    for line in open(path):
        if line.startswith("#"):
            continue
        before, _, effects = line.partition(" | ")
        if OURS.match(before[70:]):
            log.append([(name, int(value, 16)) for name, value in re.findall(r" (\w+)=0x([0-9a-f]+)", " " + effects)])
    return log


def from_json(path):
    log = []
    for line in open(path):
        entry = json.loads(line)
        if OURS.match(entry.get("disassembly", "")):
            log.append([(e["register"], int(e["value"], 16)) for e in entry["effects"] if "register" in e])
    return log


def main():
    tasm, tld, temu, tdiff, directory, seed = sys.argv[1:]
    source, machine, log = make(random.Random(int(seed)))
    path = os.path.join(directory, f"program{seed}")
    with open(path + ".s", "w") as file:
        file.write(source)
    run = lambda *command: subprocess.run(command, check=True)
    run(tasm, "-o", path + ".o", path + ".s")
    run(tld, "-o", path, path + ".o")
    expected = stored(machine)
    for options in (["--tier=interp"], ["--reference"], ["--tier=translate", "--verbose"], ["--trace=" + path + ".text"],
                    ["--trace=" + path + ".json", "--trace-format=json"]):
        result = subprocess.run([temu, *options, f"--dump=data:{len(expected)}={path}.dump", path], check=True, stderr=subprocess.PIPE,
                                text=True)
        assert open(path + ".dump", "rb").read() == expected, f"seed {seed}: {options} differs from the model"
        if "--verbose" in options:
            assert "instructions native code" in result.stderr, result.stderr
    for name, reader in ((".text", from_text), (".json", from_json)):
        found = reader(path + name)
        found = found[:len(log)]
        for i, (ours, theirs) in enumerate(zip(log, found)):
            assert ours == theirs, f"seed {seed}: write {i} of {path + name} is {theirs}, expected {ours}"
        assert len(found) == len(log)
    run(tdiff, path + ".text", path + ".json")
    print("equal", len(log))


main()
