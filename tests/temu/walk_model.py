"""Walks through several rows at once, in loops: random programs against a model that reads machine.md, 3 word by word.
RUN: %python %s %tasm %tld %temu %t

Rows of one to five dimensions, up, down and with repeats, over many pages; in a loop they take turns, with loads and stores of some sizes, and now and
then something else looks at a row. The last loop ends in a fault: past the end, or where dimension 1 steps to an address that is misaligned or not mapped.
"""
import random
import subprocess
import sys

WORDS = 1 << 16
MASK = (1 << 64) - 1
LOADS = {"tlwu": (4, False), "tlw": (4, True), "tlhu": (2, False), "tlb": (1, True), "tld": (8, False)}
ENDS = {"past": 4, "misaligned": 11, "unmapped": 11}    # and the signals


class Row:
    """As in the specification: `offset` is also the loop counter, a repeat is no part of the address."""

    def __init__(self, base, dimensions):
        self.base, self.dimensions, self.done = base, dimensions, False
        self.restart()

    def restart(self):
        self.offset = [init for init, _, _, _ in self.dimensions]
        self.done = False

    def locate(self):
        return self.base + sum(offset for offset, (_, _, _, repeat) in zip(self.offset, self.dimensions) if not repeat)

    def iterate(self):
        for number, (init, step, end, _) in enumerate(self.dimensions):
            self.offset[number] += step
            if self.offset[number] < end if step > 0 else self.offset[number] > end:
                return number
            self.offset[number] = init
        self.done = True
        return len(self.dimensions)

    def remaining(self):
        """Elements that a walk from here has."""
        saved, count = (self.offset[:], self.done), 0
        while not self.done:
            self.iterate()
            count += 1
        self.offset, self.done = saved
        return count


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.memory = bytearray()
        for i in range(WORDS):
            self.memory += (i * 0x9e3779b1 & 0xffffffff).to_bytes(4, "little")
        self.lines = [".globl _start, sums", "_start:", "la s0, data", "la s1, sums", "li t0, 0", f"li t1, {WORDS}", "li t2, 0x9e3779b1", "mv t3, s0",
                      "0: mul t4, t0, t2", "sw t4, 0(t3)", "addi t3, t3, 4", "addi t0, t0, 1", "bne t0, t1, 0b", "li s2, 0", "li s3, 31"]
        self.hash, self.sums, self.rows = 0, [], [None] * 4

    def emit(self, *lines):
        self.lines += lines

    def take(self, value):
        self.hash = (self.hash * 31 + value) & MASK

    # ---- setting up ----

    def set_row(self, number, sizes):
        """A random row whose elements are all within the data; sizes: the number of each dimension's elements."""
        low = high = 0
        dimensions = []
        for dimension, count in enumerate(sizes):
            if self.random.random() < 0.2:
                dimensions.append((0, 1, count, True))
                continue
            step = 8 * self.random.choice((1, 1, 2, 3, 17, 100)) * self.random.choice((1, 1, -1)) * (1 if dimension == 0 else 9)
            init = 8 * self.random.randrange(-3, 4)
            low += min(init, init + step * (count - 1))
            high += max(init, init + step * (count - 1))
            slack = self.random.randrange(abs(step)) * (1 if step > 0 else -1)
            dimensions.append((init, step, init + step * count - slack, False))
        if high - low >= 4 * WORDS - 16:
            self.set_row(number, sizes)
            return
        self.make_row(number, 8 * self.random.randrange((-low + 7) // 8, (4 * WORDS - high) // 8), dimensions)

    def make_row(self, number, base, dimensions):
        self.rows[number] = Row(base, dimensions)
        self.emit(f"tclear {number}", f"li t0, {base}", "add t0, s0, t0", f"tbase {number}, t0")
        for dimension, (init, step, end, repeat) in enumerate(dimensions):
            if repeat:
                self.emit(f"li t0, {end}", f"tset.repeat {number}, {dimension}, t0")
                continue
            for name, value in ("init", init), ("step", step), ("end", end):
                self.emit(f"li t0, {value}", f"tset.{name} {number}, {dimension}, t0")
        self.emit(f"tinit {number}")

    # ---- one instruction in the program and in the model ----

    def access(self, name, row):
        if name == "tsw":
            return [f"tsw s2, {row}"]
        return [f"{name} t1, {row}", *(["sub t1, t1, s0"] if name in ("tnext", "tloc") else []), "mul s2, s2, s3", "add s2, s2, t1"]

    def model(self, name, number):
        row = self.rows[number]
        at = row.locate()
        if name == "tdone":
            self.take(row.done)
        elif name == "tloc":
            self.take(at)
        elif name == "titer":
            self.take(row.iterate())
        elif name == "tnext":
            self.take(at)
            row.iterate()
        elif name == "tsw":
            self.memory[at:at + 4] = (self.hash & 0xffffffff).to_bytes(4, "little")
            row.iterate()
        else:
            size, signed = LOADS[name]
            self.take(int.from_bytes(self.memory[at:at + size], "little", signed=signed) & MASK)
            row.iterate()

    # ---- loops ----

    def loop(self):
        """Some rows side by side, until one of them is near its end."""
        numbers = self.random.sample(range(4), self.random.choice((1, 2, 2, 3)))
        body = [(self.random.choice(("tlwu", "tlwu", "tlw", "tlhu", "tlb", "tld", "tsw", "tnext")), number) for number in numbers for _ in range(self.random.choice((1, 1, 2)))]
        self.random.shuffle(body)
        rare = [(self.random.choice(("tloc", "tdone", "titer", "tlwu")), self.random.randrange(4)) for _ in range(self.random.randrange(3))]
        for number, row in enumerate(self.rows):
            if row.remaining() < 100:
                row.restart()
                self.emit(f"tinit {number}")
        if self.random.random() < 0.5:    # where the next lines begin, or the lines after that; the one at hand goes on
            row = self.rows[numbers[0]]
            dimension = self.random.randrange(len(row.dimensions))
            init, step, end, repeat = row.dimensions[dimension]
            init += step * self.random.choice((1, 1, 0.5))
            if not repeat and init % 8 == 0 and (init < end if step > 0 else init > end):
                row.dimensions[dimension] = (int(init), step, end, repeat)
                self.emit(f"li t0, {int(init)}", f"tset.init {numbers[0]}, {dimension}, t0")
        uses = [sum(number == n for _, n in body) + sum(number == n for _, n in rare) for number in range(4)]
        rounds = min(row.remaining() // use for row, use in zip(self.rows, uses) if use)
        rounds = min(rounds, 2500)
        self.emit(f"li s4, {rounds}", "1:", *(line for name, row in body for line in self.access(name, row)), "andi t1, s4, 63", "bnez t1, 2f",
                  *(line for name, row in rare for line in self.access(name, row)), "2: addi s4, s4, -1", "bnez s4, 1b", f"sd s2, {8 * len(self.sums)}(s1)")
        for left in range(rounds, 0, -1):
            for name, number in body + (rare if left % 64 == 0 else []):
                self.model(name, number)
        self.sums.append(self.hash)

    def fault(self, how):
        """Row 0 goes on for ever beside row 1, which faults."""
        self.make_row(0, 64, [(0, 4, 5 * 4, False), (0, 20, 60, False), (0, 1, 1 << 40, True)])
        step = {"past": 1024, "misaligned": 1026, "unmapped": 1 << 35}[how]
        count = self.random.randrange(2, 40)
        self.make_row(1, 128, [(0, 4, 4 * count, False), (0, step, step * 3, False)])
        at = 8 * len(self.sums)
        self.emit("1:", *self.access("tlwu", 0), f"sd s2, {at}(s1)", *self.access("tlw", 1), f"sd s2, {at}(s1)", "j 1b")
        while True:
            self.model("tlwu", 0)
            address = self.rows[1].locate()
            if self.rows[1].done or address % 4 or address > 4 * WORDS:
                break
            self.model("tlw", 1)
        self.sums.append(self.hash)

    def text(self):
        return "\n".join(self.lines + [".bss", ".balign 8", f"sums: .zero {8 * len(self.sums)}", ".zero 2040", f"data: .zero {4 * WORDS}", ""])


def run(seed, how, tasm, tld, temu, name):
    program = Program(seed)
    for number, sizes in enumerate(((40, 50), (7, 13, 11), (1500,), (1, 33, 40) if seed % 2 else (3, 4, 5, 2, 40))):
        program.set_row(number, sizes)
    for _ in range(10):
        program.loop()
    program.fault(how)
    with open(f"{name}.s", "w", encoding="ascii") as file:
        file.write(program.text())
    subprocess.run([tasm, "-o", f"{name}.o", f"{name}.s"], check=True)
    subprocess.run([tld, "-o", name, f"{name}.o"], check=True)
    expected = "".join(f"{value:016x} " for value in program.sums).split()
    for tier in "interp", "translate", "optimize":
        result = subprocess.run([temu, f"--tier={tier}", "--print", f"sums:u64[{len(program.sums)}]:hex", name], capture_output=True, text=True, check=False)
        found = [word for word in result.stdout.replace("0x", " ").replace(",", " ").replace("]", " ").split() if len(word) == 16]
        if found != expected or result.returncode not in (-ENDS[how], 128 + ENDS[how]):
            sys.exit(f"seed {seed}, {how}, {tier}: status {result.returncode}, sums {found}, expected {expected}\n{result.stdout}{result.stderr}")


def main():
    first, last = map(int, sys.argv[5:7]) if len(sys.argv) > 5 else (0, 4)    # more of them when asked for
    for seed in range(first, last):
        run(seed, list(ENDS)[seed % 3], *sys.argv[1:5])
    print("as the model says")


main()
