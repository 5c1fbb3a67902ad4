#!/usr/bin/env python3
"""Random programs on random barrels, against the model: random_barrels.py TASM TLD TEMU COUNT [SEED]

Each instruction has to retire in the same turn, by the same thread and with the same effects."""

import random
import re
import subprocess
import sys

from barrel import DATA, TEXT, WORDS, Barrel, source_of

X = ["t0", "t1", "t2", "a2", "a3", "a4"]
F = [f"f{i}" for i in range(16)]


def draw_body(rng, length, is_worker):
    """A straight piece of code with short branches forward."""
    body = []
    for left in range(length, 0, -1):
        kind = rng.random()
        x, y, z = (rng.choice(X) for _ in range(3))
        f, g, h = (rng.choice(F) for _ in range(3))
        if kind < 0.25:
            body.append(rng.choice([("addi", x, y, rng.randint(-2048, 2047)), ("add", x, y, z), ("xor", x, y, z), ("mul", x, y, z)]))
        elif kind < 0.42:
            name, size = rng.choice([("lw", 4), ("ld", 8), ("lbu", 1), ("sw", 4), ("sd", 8), ("sb", 1)])
            body.append((name, x, rng.randrange(0, 4 * WORDS, size)))
        elif kind < 0.52:
            body.append(rng.choice([("amoadd.w", x, y), ("lr.w", x), ("sc.w", x, y), ("sc.w", x, y)]))
        elif kind < 0.60 and left > 4:
            body.append((rng.choice(["beq", "bne"]), x, y, rng.randint(0, 3)))
        elif kind < 0.80:
            body.append(rng.choice([("fadd.s", f, g, h), ("fmul.s", f, g, h), ("fmv.w.x", f, x), ("fmv.x.w", x, f), ("wget", f, rng.randrange(32)),
                                    ("f32v4wdot", f, rng.choice(["f0", "f4", "f8"]), rng.randrange(8)),
                                    ("f32v4wmac", "f12", rng.choice(["f0", "f4", "f8"]), rng.randrange(2))]))
        elif kind < 0.87:
            body.append(("csrr", x, rng.choice(["tself", "tworkers", "cycle", "instret"])))
        elif is_worker:
            body.append(("tbar",) if kind < 0.95 else ("addi", x, y, 1))
        else:
            body.append(rng.choice([("tstat", x, rng.randrange(2), rng.randrange(2)), ("wput", rng.randrange(32), f), ("csrr", x, "texits"),
                                    ("csrwi", "texits", rng.randrange(4))]))
    return body


def draw_program(rng, workers):
    prologue = [("lui", "s0", DATA >> 12), ("addi", "s1", "s0", 4 * rng.randrange(WORDS))]
    pieces = []
    for _ in range(rng.randint(1, 3)):
        # A worker: it sets its registers, does its work once or in a loop, and ends.
        body = draw_body(rng, rng.randint(2, 14), True)
        loop = [("addi", "s2", "zero", rng.randint(1, 3)), *body, ("addi", "s2", "s2", -1), ("bne", "s2", "zero", -len(body) - 2)]
        pieces.append([*prologue, *(loop if rng.random() < 0.5 else body), ("texit", rng.choice(["zero", *X]))])
    entries = [("lui", "s4", 0)] * len(pieces)
    main = list(prologue) + entries + [("fmv.w.x", register, "zero") for register in F] # what a program begins with is not 0.0
    for _ in range(rng.randint(1, 3)):
        main += draw_body(rng, rng.randint(0, 6), False)
        if rng.random() < 0.6:
            main.append(("trunall", f"s{4 + rng.randrange(len(pieces))}", rng.choice(X), rng.choice([0, 4, 8])))
        else:
            for number in rng.sample(range(workers), rng.randint(1, workers)):
                main.append(("trun", number, f"s{4 + rng.randrange(len(pieces))}", rng.choice(X)))
                main += draw_body(rng, rng.randint(0, 2), False)
        main += draw_body(rng, rng.randint(0, 10), False) + [("tsync",)]
    if rng.random() < 0.15: # a mistake, which ends the program
        main.insert(rng.randrange(len(prologue) + len(entries) + len(F), len(main)), rng.choice(
            [("texit", "t0"), ("tbar",), ("trun", 70, "s4", "t0"), ("tstat", "t0", 70, 0), ("tstat", "t0", 0, 5), ("wput", 40, "f0"),
             ("wget", "f0", 32), ("f32v4wdot", "f0", "f4", 8), ("f32v4wmac", "f0", "f4", 2)]))
    main += [("addi", "a7", "zero", 93), ("addi", "a0", "zero", 0), ("ecall",)]
    place, offsets = len(main), []
    for piece in pieces:
        offsets.append(4 * place)
        place += len(piece)
    for i, offset in enumerate(offsets): # the entries are near the beginning of the text
        main[len(prologue) + i] = ("addi", f"s{4 + i}", "s3", offset)
    return [("lui", "s3", TEXT >> 12), *(relocated(instruction) for instruction in main), *(i for piece in pieces for i in piece)]


def relocated(instruction):
    """The lui at the beginning moves all code by one instruction."""
    return (*instruction[:3], instruction[3] + 4) if instruction[:1] == ("addi",) and instruction[2] == "s3" else instruction


def trace_of(text):
    lines = []
    for line in text.splitlines():
        match = re.match(r" *\d+ +(\d+) (sup|w\d+) +0x([0-9a-f]+) [^|]*(?:\| (.*))?$", line)
        if match:
            lines.append((int(match[1]), match[2], int(match[3], 16), (match[4] or "").split()))
    return lines


def check(tasm, tld, temu, seed):
    rng = random.Random(seed)
    workers, pair = rng.randint(1, 6), rng.random() < 0.4
    program = draw_program(rng, workers)
    words = [rng.getrandbits(32) if rng.random() < 0.3 else rng.randint(0, 9) for _ in range(WORDS)]
    model = Barrel(program, words, workers, 32, pair)
    model.run()
    with open("p.s", "w", encoding="utf-8") as file:
        file.write(source_of(program, words))
    with open("m.yaml", "w", encoding="utf-8") as file:
        file.write(f"barrel: {{workers: {workers}, pair: {'yes' if pair else 'no'}}}\n")
    subprocess.run([tasm, "-o", "p.o", "p.s"], check=True)
    subprocess.run([tld, f"--section-start=.text={TEXT:#x}", f"--section-start=.data={DATA:#x}", "-o", "p", "p.o"], check=True)
    for options in ([], ["--tier=interp"]):
        run = subprocess.run([temu, "--machine=./m.yaml", "--max-insns=20000", "--trace=p.trace", "--dump-state=p.state", *options, "p"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        lines = trace_of(open("p.trace", encoding="utf-8").read())
        expected = list(model.lines)
        if model.cause: # the last line is that of the exception
            assert run.returncode == 132, (seed, run.returncode, model.cause)
            trap = lines.pop()
            assert any(effect.startswith(f"trap={model.cause[0]}:") for effect in trap[3]), (seed, trap, model.cause)
        else:
            assert run.returncode == 0, (seed, run.returncode, run.stderr)
        for one, other in zip(lines, expected):
            assert one[:3] == other[:3] and all(effect in one[3] for effect in other[3]), (seed, one, other)
        assert len(lines) == len(expected), (seed, len(lines), len(expected))
        # The same without a trace, by the memory that is left.
        run = subprocess.run([temu, "--machine=./m.yaml", f"--print={DATA:#x}:u32[{WORDS}]", *options, "p"], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, check=False)
        if not model.cause:
            values = [int(value) for value in re.findall(r"\b\d+\b", run.stdout.decode().split("=")[-1])]
            assert values[-WORDS:] == [int.from_bytes(model.memory[4 * i:4 * i + 4], "little") for i in range(WORDS)], (seed, run.stdout)
    # The state at any instruction does not depend on how the turns are executed.
    for limit in [rng.randint(1, len(model.lines) + 1)] * (seed % 2):
        states = []
        for options in (["--trace=/dev/null"], [], ["--tier=interp"], ["--host-threads=1", "--reference"]):
            run = subprocess.run([temu, "--machine=./m.yaml", f"--max-insns={limit}", "--dump-state=p.state", *options, "p"], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, check=False)
            states.append((run.returncode, run.stderr, open("p.state", encoding="utf-8").read()))
        assert all(state == states[0] for state in states), (seed, limit, *states)
    return len(expected)


def main():
    tasm, tld, temu, count = *sys.argv[1:4], int(sys.argv[4])
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else 0
    total = sum(check(tasm, tld, temu, seed + i) for i in range(count))
    print(f"{count} programs, {total} instructions")


main()
