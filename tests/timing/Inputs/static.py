#!/usr/bin/env python3
"""Random straight-line programs on random machines: the cycles that tobjdump finds without execution are those of temu.
static.py TASM TLD TOBJDUMP TEMU DIRECTORY COUNT [SEED]"""

import os
import random
import re
import subprocess
import sys

SPM = 0x40000000
TEMPORARIES = ["t0", "t1", "t2", "t3", "t4", "t5"]
FLOATS = ["fa0", "fa1", "fa2", "fa3"]


def draw_machine(rng):
    window = rng.choice([2, 4, 8, 64])
    dma = f"{{engines: {rng.randint(1, 4)}, latency: {rng.randint(0, 120)}, row: {rng.randint(0, 4)}, bytes: {rng.choice([8, 16, 64])}, overlap: {rng.choice([0, 50])}}}"
    matrix = f"{{fill: {rng.randint(0, 6)}, read: {rng.choice([8, 64])}, write: {rng.choice([8, 64])}, right: {rng.choice(['local', 'load'])}}}"
    own = f"window: {window}, queue: {rng.randint(1, min(window, 4))}, storage: {rng.randint(1, min(window, 4))}"
    rest = f"order: {rng.choice(['fifo', 'oldest'])}, granule: {rng.choice([1, 16, 64])}, branch: {rng.randint(1, 4)}"
    classes = f"{{load: {rng.randint(1, 5)}, multiply: {rng.randint(1, 4)}, divide: {rng.randint(1, 30)}}}"
    traversal = f"{{ahead: {rng.randint(1, 5)}, locate: {rng.randint(1, 4)}}}"
    units = f"matrix: {{lanes: {rng.choice([4, 16])}, slaves: {rng.choice([8, 32])}}}"
    return f"{units}\ntiming: {{{own}, {rest}, dma: {dma}, matrix: {matrix}, classes: {classes}, traversal: {traversal}}}\n"


def draw_tensor(rng):
    """A tensor instruction whose shape is known: immediates, or registers with constants."""
    lines = []

    def operand(value, register):
        if value < 128 and rng.random() < 0.5:
            return str(value)
        lines.append(f"li {register}, {value}")
        return register

    place = [SPM + 1024 * rng.randrange(6) + 64 * rng.randrange(4) for _ in range(3)]
    address = [operand(value, register) for value, register in zip(place, ["a0", "a1", "a2"])]
    pick = rng.randrange(7)
    m, k, n = (rng.randrange(0, 9) for _ in range(3))
    sizes = [operand(value, register) for value, register in zip((m, k, n), ["a3", "a4", "a5"])]
    kind = rng.choice(["f32", "f16", "i8"])
    if pick == 0:
        lines.append(f"mm.{kind} {address[0]}, {address[1]}, {address[2]}, {', '.join(sizes)}")
    elif pick == 1:
        lines.append(f"mmv.{kind} {address[0]}, {sizes[0]}, {address[1]}, {address[2]}, {sizes[1]}")
    elif pick == 2:
        lines.append(f"mms.f32 {address[0]}, {address[1]}, {sizes[0]}, {rng.choice(FLOATS)}")
    elif pick == 3:
        lines.append(f"mcvt.f32.i8 {address[0]}, {address[1]}, {sizes[0]}")
    elif pick == 4:
        lines += [f"addi s2, s0, {rng.randrange(512)}", f"dma.{rng.choice(['ld', 'st'])} {address[0]}, s2, {operand(rng.randrange(200), 'a6')}"]
    else:
        lines += [f"addi s2, s0, {rng.randrange(512)}", f"dma.{rng.choice(['ld2', 'st2'])} {address[0]}, s2, {sizes[0]}, {sizes[1]}, {operand(rng.randrange(100), 'a7')}"]
    return lines


def draw_scalar(rng):
    a, b, c = (rng.choice(TEMPORARIES) for _ in range(3))
    f, g, h = (rng.choice(FLOATS) for _ in range(3))
    return [rng.choice([f"add {a}, {b}, {c}", f"addi {a}, {b}, {rng.randint(-99, 99)}", f"mul {a}, {b}, {c}", f"div {a}, {b}, {c}", f"xor {a}, {b}, {c}",
                        f"ld {a}, {8 * rng.randrange(64)}(s0)", f"sd {a}, {8 * rng.randrange(64)}(s0)", f"lw {a}, {4 * rng.randrange(64)}(s1)", f"sw {a}, {4 * rng.randrange(64)}(s1)",
                        f"fadd.s {f}, {g}, {h}", f"fdiv.s {f}, {g}, {h}", f"flw {f}, {4 * rng.randrange(64)}(s0)", f"fsw {f}, {4 * rng.randrange(64)}(s1)",
                        "fence", f"slli {a}, {b}, {rng.randrange(8)}", "tflw fa1, 0", "tnext t1, 1", "tinit 0"])]


def draw_program(rng):
    lines = ["la s0, memory", f"li s1, {SPM}", "tset.step 0, 0, 4", "li s3, 4000", "tset.end 0, 0, s3", "la s4, memory + 32768", "tbase 0, s4", "tinit 0"]
    lines += ["tset.step 1, 0, 8", "tset.end 1, 0, s3", "tbase 1, s4", "tinit 1"]
    for _ in range(rng.randint(1, 25)):
        lines += draw_tensor(rng) if rng.random() < 0.5 else draw_scalar(rng)
    lines += ["li a0, 0", "li a7, 93", "ecall"]
    return "    .globl _start\n_start:\n" + "".join(f"    {line}\n" for line in lines) + "    .bss\n    .balign 64\nmemory: .zero 65536\n"


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout


def executed(text):
    """D, the start, E and C of each instruction of temu --pipeline."""
    rows = []
    for line in text.splitlines():
        columns = line.split("|")
        if len(columns) < 2 or not columns[0].split() or not columns[0].split()[0].isdigit():
            continue
        _, d, _, _, _, x, m, e, c = columns[1].split()
        rows.append((columns[0].split()[1], d, m if x == "-" else x, e, c))
    return rows


def main():
    tasm, tld, tobjdump, temu, directory, count = sys.argv[1:7]
    os.chdir(directory)
    for seed in range(int(count)):
        rng = random.Random(seed + (int(sys.argv[7]) if len(sys.argv) > 7 else 0))
        with open("machine.yaml", "w") as file:
            file.write(draw_machine(rng))
        with open("program.s", "w") as file:
            file.write(draw_program(rng))
        run(tasm, "-o", "program.o", "program.s")
        run(tld, "-o", "program", "program.o")
        report = run(temu, "--machine=./machine.yaml", "--timing", "--pipeline=pipeline.txt", "program")
        static = run(tobjdump, "--timing", "--machine=./machine.yaml", "program")
        with open("pipeline.txt") as file:
            wanted = executed(file.read())
        found = [tuple([row[4], *row[:4]]) for row in re.findall(r"^  [* ] +(\S+) +(\S+) +(\S+) +(\S+) +([0-9a-f]+)  ", static, re.M)]
        cycles = re.search(r"^(\d+) cycles", report, re.M)[1], re.search(r" (\d+) cycles$", static, re.M)[1]
        if wanted != found or cycles[0] != cycles[1] or not wanted or "assumed" in static:
            row = next((i for i, pair in enumerate(zip(wanted, found)) if pair[0] != pair[1]), min(len(wanted), len(found)))
            print(f"seed {seed}: {cycles} cycles; instruction {row}: executed {wanted[row:row + 1]}, found {found[row:row + 1]}; see {directory}")
            return 1
        # The critical chain begins with the first instruction and ends with the one that finishes last.
        starred = [i for i, line in enumerate(re.findall(r"^  ([* ]) +\S+ +\S+ +\S+ +\S+ +[0-9a-f]+  ", static, re.M)) if line == "*"]
        if starred[0] != 0 or int(found[starred[-1]][3]) != max(int(row[3]) for row in found if row[3] != "-"):
            print(f"seed {seed}: the chain does not end with what finishes last; see {directory}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
