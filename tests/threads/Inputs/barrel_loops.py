"""Loops of the threads of a barrel, at random: the state after an exact number of instructions is the same in native code as in the interpreter.

Threads work in phase or not, on data of their own and on shared data, in loops in loops, with branches on data, calls, floating-point
numbers, CSRs, accesses that are not aligned, reservations and barriers. Some use walks, histograms and shared weights, or tensor instructions. Some end with a fault
of a thread, others change their code. The machine that executes one turn at a time, for a trace, has to agree, also on times,
and has to count the same for statistics and profiles, with times and without, as the one that counts blocks. What is traced of turns that are recorded has to be what
is traced of turns that are observed.

Usage: barrel_loops.py TASM TLD TEMU COUNT [SEED]"""

import random
import re
import subprocess
import sys

X = ["t1", "t2", "t3", "t4", "s2", "s3", "s5", "a6", "a2", "a3", "a4", "a5"]
MOST = 400000 # instructions of a run
ROWS = 3
F = ["fa0", "fa1", "fa2", "ft0", "ft1", "fs0"]


def row_setup(rng, row):
    """Returns what makes the row a walk through the memory of the thread, which comes to its end hardly ever."""
    size = rng.choice([1, 2, 4, 8])
    low = rng.randint(1, 6)
    lines = [f"tset.init {row}, 0, 0", f"tset.step {row}, 0, {size}", f"tset.end {row}, 0, {low * size}"]
    if rng.random() < 0.6:
        lines += [f"tset.init {row}, 1, 0", f"tset.step {row}, 1, 8", f"tset.end {row}, 1, {8 * rng.randint(1, 6)}"]
    dimension = 2 if len(lines) > 3 else 1
    many = "s11" if rng.random() < 0.1 else 127
    return [*lines, f"tset.repeat {row}, {dimension}, {many}", f"tset.repeat {row}, {dimension + 1}, 127", f"tbase {row}, s0", f"tinit {row}"]


def unit_operation(rng):
    """Returns instructions of the units, which keep state for each thread, or for all."""
    row, number = rng.randrange(ROWS), rng.choice(X)
    index = f"{row}" if rng.random() < 0.8 else "s4" # which is 1
    kind = rng.randrange(16)
    if kind < 5:
        return [f"{rng.choice(['tld', 'tlw', 'tlbu', 'tlh'])} {number}, {index}"]
    if kind < 8:
        return [f"{rng.choice(['tsd', 'tsw', 'tsb', 'tsh'])} {number}, {index}"]
    if kind == 8:
        return [f"{rng.choice(['tnext', 'titer', 'tloc', 'tdone'])} {number}, {index}"]
    if kind == 9:
        return rng.choice([[f"tinit {index}"], row_setup(rng, row), [f"tclear {ROWS}"], ["csrr a5, tself"], [f"tflw fa0, {index}"]])
    if kind == 10:
        return [rng.choice(["csrw tf8, zero", "andi a5, a1, 1\ncsrw tf8, a5", "csrr a5, tf8"])] if rng.random() < 0.2 else ["f8v16hist f28:f31, f4:f7"]
    if kind < 14:
        return [f"{rng.choice(['f32v4hist', 'f16v8hist', 'f8v16hist'])} f28:f31, {rng.choice(['f0:f3', 'f4:f7', 'f8:f11'])}"]
    if kind == 14:
        return [f"wget f{rng.randrange(12)}, {rng.randrange(32)}"]
    return [rng.choice([f"f32v4wdot f{rng.randrange(12)}, f12:f15, {rng.randrange(8)}", f"f32v4wmac f16:f19, f12:f15, {rng.randrange(2)}"])]


def tensor_operation(rng):
    """Returns an instruction that works on the scratchpad or on memory at once, or a scalar one that may have to wait for such an instruction."""
    return [rng.choice(["dma.ld sp, s0, 64", "dma.st sp, s0, 48", "dma.ld sp, s1, 16", "mm.f32 tp, sp, sp, 2, 2, 2", "fence",
                        f"lw {rng.choice(X)}, {4 * rng.randrange(48)}(sp)", f"sw {rng.choice(X)}, {4 * rng.randrange(48)}(sp)", f"ld {rng.choice(X)}, 8(s0)"])]


def operation(rng, program):
    """Returns an instruction that goes on with the next one. s0 is the thread's memory, s1 that of all. sp and tp are the thread's addresses in the scratchpad."""
    if program.has_tensors and rng.random() < 0.2:
        return tensor_operation(rng)
    if program.has_units and rng.random() < 0.3:
        return unit_operation(rng)
    d, a, b = rng.choice(X), rng.choice(X), rng.choice(X)
    kind = rng.randrange(14 if program.is_plain else 16)
    if kind < 6:
        return [f"{rng.choice(['add', 'sub', 'xor', 'and', 'or', 'mul', 'sltu', 'addw', 'sll', 'divu', 'remw', 'mulhu'])} {d}, {a}, {b}"]
    if kind < 8:
        return [f"{rng.choice(['addi', 'xori', 'slti', 'addiw'])} {d}, {a}, {rng.randint(-2048, 2047)}"]
    if kind < 11:
        base, size = rng.choice(["s0", "s0", "s1"]), rng.choice([1, 2, 4, 8])
        offset = rng.randrange(0, 128 // size) * size + (rng.random() < 0.02)
        name = {1: "b", 2: "h", 4: "w", 8: "d"}[size]
        return [rng.choice([f"l{name} {d}, {offset}({base})", f"s{name} {a}, {offset}({base})"])]
    if kind < 13:
        d, a, b = rng.choice(F), rng.choice(F), rng.choice(F)
        return [rng.choice([f"fadd.d {d}, {a}, {b}", f"fmul.d {d}, {a}, {b}", f"fsub.s {d}, {a}, {b}", f"fld {d}, {8 * rng.randrange(8)}(s0)",
                            f"fsd {a}, {8 * rng.randrange(8)}(s0)", f"fcvt.d.l {d}, {rng.choice(X)}", f"feq.d {rng.choice(X)}, {a}, {b}",
                            f"fmadd.d {d}, {a}, {b}, {d}", f"fcvt.w.d {rng.choice(X)}, {a}, rtz"])]
    if kind == 13:
        return [f"amoadd.d {d}, {a}, (s1)"] if rng.random() < 0.5 else [f"andi {d}, {a}, 63"]
    if kind == 14 and program.reserves:
        # Another thread ends the reservation, also where it stores the same value.
        return rng.choice([["sd zero, (s1)"], [f"lr.d {d}, (s1)", f"mv {a}, {d}", f"sc.d {d}, {rng.choice(['zero', d])}, (s1)"]])
    if kind == 15 and rng.random() < 0.5:
        return [rng.choice([f"rdcycle {d}", f"rdinstret {d}", f"rdtime {d}", f"csrr {d}, tself", f"frflags {d}", "fsflags zero", f"fscsr {d}, {a}",
                            f"fsrmi {rng.randrange(5)}", f"csrr {d}, tworkers"])]
    return rng.choice([[f"auipc {d}, {rng.randrange(16)}"], ["j 6f", "6:"]])


class Program:
    def __init__(self, rng):
        self.rng, self.labels, self.functions = rng, 0, []
        self.workers = rng.choice([1, 2, 2, 3, 4, 6, 6, 8, 13])
        self.reserves = rng.random() < 0.2
        self.is_plain = rng.random() < 0.4
        self.has_units = not self.is_plain and rng.random() < 0.6
        self.has_tensors = not self.is_plain and rng.random() < 0.4
        self.link = rng.choice(["t6", "t0"]) # with t0, the functions are called as profiles see it

    def label(self):
        self.labels += 1
        return f"l{self.labels}"

    def block(self, depth):
        rng, lines = self.rng, []
        for _ in range(rng.randint(1, 5)):
            kind = rng.random()
            if kind < 0.72 or depth == 0:
                for _ in range(rng.randint(1, 6)):
                    lines += operation(rng, self)
            elif kind < 0.84:
                over = self.label()
                condition = rng.choice([f"beqz {rng.choice(X)}", f"bltu {rng.choice(X)}, {rng.choice(X)}", f"bne {rng.choice(X)}, {rng.choice(X)}"])
                lines += [f"{condition}, {over}", *self.block(depth - 1), f"{over}:"]
            elif kind < 0.94:
                counter, again = f"s{5 + depth + 1}", self.label()
                count = rng.choice([f"li {counter}, {rng.randint(1, 40)}", f"andi {counter}, {rng.choice(X)}, 15", f"addi {counter}, a1, 3"])
                lines += [count, f"addi {counter}, {counter}, 1", f"{again}:", *self.block(depth - 1), f"addi {counter}, {counter}, -1", f"bnez {counter}, {again}"]
            else:
                name = self.label()
                self.functions += [f"{name}:", *[line for _ in range(3) for line in operation(rng, self)], rng.choice([f"jr {self.link}", f"jalr zero, 0({self.link})"])]
                lines.append(f"jal {self.link}, {name}")
        return lines

    def text(self):
        rng = self.rng
        rounds = rng.choice(["li s11, {}", "addi s11, a1, {}", "slli s11, a1, 1\naddi s11, s11, {}"]).format(rng.randint(20, 200))
        body = self.block(2)
        end = rng.choice(["texit a1", "texit a1", "tbar\ntexit zero"])
        patch = []
        if rng.random() < 0.15: # the immediate of an instruction of the loop changes each time, or is written again
            patch = ["la t5, patched", "lbu t0, 3(t5)", rng.choice(["xori t0, t0, 1", "xori t0, t0, 1", "nop"]), "sb t0, 3(t5)"]
        wild = ["li t0, 40", "bne s11, t0, 8f", "ld t0, -1(zero)", "8:"] if rng.random() < 0.1 else []
        begin = "\n".join(["addi a1, a1, 1", *(["nop"] * rng.choice([0, 0, 0, 1, 3]))])
        start = "trunall a0, zero, 1" if rng.random() < 0.7 else "\n".join(f"li t0, {n}\ntrun t0, a0, zero" for n in rng.sample(range(self.workers), rng.randint(1, self.workers)))
        own = "\n".join(f"li {x}, {rng.choice([0, 1, 3, 255, -1, 1 << 40, rng.randrange(1 << 32)])}" for x in X)
        floats = "\n".join(f"fcvt.d.l {f}, {x}" for f, x in zip(F, X))
        units = "\n".join(["li s4, 1", *[line for row in range(ROWS) for line in row_setup(rng, row)],
                           *[f"li t0, {rng.randrange(1 << 32) & ~0x3fff0 }\nfmv.w.x f{28 + i}, t0" for i in range(4)]]) if self.has_units else ""
        weights = "\n".join(f"li t0, {rng.choice([0x3f800000, 0xc1200000, rng.randrange(1 << 32)])}\nfmv.w.x f0, t0\nwput {w}, f0" for w in range(32)) if self.has_units else ""
        supervisor = "\n".join(["li a2, 300", "7: xor a3, a3, a2", "sd a3, 2000(s1)", "addi a2, a2, -1", "bnez a2, 7b"]) if rng.random() < 0.4 else ""
        return f"""
        .option norelax
        .section .work, "awx", @progbits
        .globl _start
_start: la s1, shared
        la a0, work
        li s2, 3
        {weights}
1:      {start}
        {supervisor}
        tsync
        addi s2, s2, -1
        bnez s2, 1b
        li a0, 0
        li a7, 93
        ecall
work:   {begin}
        la s1, shared
        slli s0, a1, 7
        la t0, memory
        add s0, s0, t0
        li sp, 0x40000000
        slli t0, a1, 8
        add sp, sp, t0
        addi tp, sp, 128
        {own}
        {floats}
        {units}
        {rounds}
again:
patched: addi a0, a0, 1
        {chr(10).join(wild)}
        {chr(10).join(body)}
        {chr(10).join(patch)}
        addi s11, s11, -1
        bnez s11, again
        {end}
        {chr(10).join(self.functions)}
        .bss
        .balign 4096
memory: .zero 4096 * 4
shared: .zero 4096
"""


def check(tools, seed):
    """Returns how many instructions became native code, without and with the model of time. Its files are barrel<seed>.*."""
    tasm, tld, temu = tools
    name = f"barrel{seed}"
    rng = random.Random(seed)
    program = Program(rng)
    with open(f"{name}.s", "w", encoding="utf-8") as file:
        file.write(program.text())
    with open(f"{name}.yaml", "w", encoding="utf-8") as file:
        pair = "yes" if rng.random() < 0.4 else "no"
        file.write(f"barrel: {{workers: {program.workers}, pair: {pair}}}\n")
        most = program.workers if rng.random() < 0.4 else 99 # up to this, no thread has to wait for results
        longest = {"load": rng.choice([1, 3, 9]), "multiply": rng.choice([3, 7]), "divide": rng.choice([2, 20]), "branch": rng.choice([1, 3]), "float": 4,
                   "atomic": 3, "float_divide": 20}
        classes = ", ".join(f"{name}: {min(latency, most)}" for name, latency in longest.items())
        branch = min(rng.choice([1, 2, 5]), max(most - 1, 1))
        file.write(f"timing: {{branch: {branch}, window: {rng.choice([2, 5, 64])}, queue: 2, storage: 2, classes: {{{classes}}}}}\n")
    subprocess.run([tasm, "-o", f"{name}.o", f"{name}.s"], check=True)
    subprocess.run([tld, "-o", name, f"{name}.o"], check=True)

    def state(limit, *options):
        command = [temu, f"--machine=./{name}.yaml", f"--max-insns={limit}", f"--dump-state={name}.state", "--verbose", *options, name]
        run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        made = re.search(rb"made (\d+) instructions native code", run.stderr)
        messages = [line for line in run.stderr.splitlines() if b"native code" not in line]
        with open(f"{name}.state", encoding="utf-8") as file:
            return (run.returncode, messages, file.read()), int(made.group(1)) if made else 0

    def counts(limit, *options):
        files = [f"{name}.stats", f"{name}.profile"]
        state(limit, f"--stats={files[0]}", f"--profile={files[1]}", "--profile-format=json", *options)
        return [open(file, encoding="utf-8").read() for file in files]

    def trace(limit, *options):
        state(limit, f"--trace={name}.trace", *options)
        with open(f"{name}.trace", encoding="utf-8") as file:
            return file.read()

    total = 0
    for limit in (MOST, *(int(MOST ** rng.uniform(0.3, 1)) for _ in range(3))):
        expected, _ = state(limit, "--tier=interp")
        for options in (["--tier=translate"], ["--tier=auto"], ["--stats=stats"], ["--stats=stats", "--trace=/dev/null"][: 2 if limit < MOST else 1]):
            found, made = state(limit, *options)
            total += made
            assert found == expected, f"seed {seed}: the state after {limit} instructions with {options} is not that with --tier=interp"
    limit = rng.randint(1, MOST // 10)
    timed = 0
    for options in ([], ["--timing-from=again"]):
        expected, _ = state(limit, "--timing=json", *options, "--trace=/dev/null")
        for more in ("--tier=interp", "--tier=auto", "--tier=translate", "--stats=stats"):
            found, made = state(limit, "--timing=json", *options, more)
            timed += made
            assert found == expected, f"seed {seed}: the times up to instruction {limit} with {options} and {more} are not those of turns that are observed"
    for options in ([], ["--timing=json"]):
        assert counts(limit, *options) == counts(limit, *options, "--trace=/dev/null"), \
            f"seed {seed}: statistics or profile up to instruction {limit} with {options} are not those of instructions that are observed one by one"
    assert trace(limit) == trace(limit, "--stats=stats"), f"seed {seed}: the trace up to instruction {limit} is not that of instructions that are observed one by one"
    return total, timed


def main():
    tools, count = sys.argv[1:4], int(sys.argv[4])
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else 0
    made, timed = map(sum, zip(*(check(tools, seed + i) for i in range(count))))
    assert count < 5 or made > 100 * count, f"{made} instructions became native code: most programs have loops that all threads go round"
    assert count < 5 or timed > 10 * count, f"{timed} instructions became native code with the model of time"
    print(f"{count} programs")


main()
