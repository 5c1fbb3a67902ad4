#!/usr/bin/env python3
"""Times random programs of scalar code between instructions of units, block by block in the interpreter and in native code, and instruction by instruction: blocks.py TASM TLD TEMU COUNT

A picture of the pipeline needs the times of each instruction, so none is timed as a part of a block. The reports have to be equal."""

import random
import subprocess
import sys

tasm, tld, temu = sys.argv[1:4]
SEEDS = int(sys.argv[4])
TIERS = "interp", "auto", "translate", "optimize"
MACHINES = {"default": "{}", "narrow": "timing: {window: 4, queue: 2, storage: 2, branch: 7}", "slow": "timing: {window: 16, queue: 9, storage: 9, classes: {load: 9, divide: 15, float: 1}}"}
WORK = ["add {a}, {b}, {c}", "addi {a}, {b}, 5", "mul {a}, {b}, {c}", "div {a}, {b}, {c}", "remw {a}, {b}, {c}", "ld {a}, {o}(s0)", "sd {a}, {o}(s0)", "lw {a}, {o}(s0)",
        "fld f{i}, {o}(s0)", "fadd.d f{i}, f{j}, f{k}", "fdiv.d f{i}, f{j}, f{k}", "fsd f{i}, {o}(s0)", "fcvt.d.l f{i}, {a}", "amoadd.d {a}, {b}, (s0)", "fence", "nop",
        "frflags {a}", "csrsi fflags, {m}", "csrwi frm, {m}"]
RARE = ["csrr {a}, cycle", "csrr {a}, instret", "fence.i", "li t6, 1; sd zero, (t6)", "la t6, word{n}; lw t5, (t6); sw t5, (t6)", "la t6, word{n}; li t5, {w}; sh t5, (t6); fence.i"]
WAYS = ["bnez {a}, 1f; 1:", "beqz zero, 1f; 1:", "j 1f; 1:", "la t6, 1f; jr t6; 1:", "bgt {a}, {b}, 1f; addi {a}, {a}, 1; mul {b}, {b}, {a}; 1:", "call leaf{m}",
        "li t5, {t}; 1: addi t5, t5, -1; div {a}, {b}, t5; bnez t5, 1b", "li t5, {t}; 1: addi t5, t5, -1; andi t6, t5, 3; bnez t6, 2f; ld {a}, (s0); 2: add {a}, {a}, t5; bnez t5, 1b"]
UNITS = ["li t6, 0x40000000; mm.f32 t6, t6, t6, 8, {t}, 4", "li t6, 0x40000000; li t5, {t}; dma.ld t6, s0, t5", "li t6, 0x40000000; li t5, {t}; dma.st t6, s0, t5",
         "li t6, 0x40000000; ld {a}, {o}(t6)"]
NOP, INCREMENT = 0x0001, 0x0505  # c.nop; c.addi a0, 1


def fill(draw, text):
    registers = [f"a{i}" for i in range(1, 6)]
    return text.format(a=draw.choice(registers), b=draw.choice(registers), c=draw.choice(registers), i=draw.randrange(8), j=draw.randrange(8), k=draw.randrange(8),
                       o=draw.randrange(16) * 8, n=draw.randrange(4), m=draw.randrange(3), t=draw.randrange(2, 30), w=draw.choice((NOP, INCREMENT)))


def program(seed):
    """A loop over random code. Exceptions skip the instruction; in the bare environment a timer interrupts."""
    draw = random.Random(seed)
    lines = [".globl _start", "_start:", "la s0, data", "la t0, handler", "csrw mtvec, t0", "li t0, 0x6000", "csrs mstatus, t0", "li t0, 0x2004000", "li t1, 97", "sd t1, (t0)", "li t0, 128",
             "csrw mie, t0", "csrsi mstatus, 8", f"li s1, {draw.randrange(20, 60)}", "loop:"]
    for i in range(draw.randrange(20, 60)):
        if i % 8 == 0 and i < 32:
            lines.append(f"word{i // 8}: .2byte {NOP}, {NOP}")
        kind = draw.choices((WORK, RARE, WAYS, UNITS), (12, 1, 3, seed % 2))[0]
        lines.append(fill(draw, draw.choice(kind)))
    lines += ["addi s1, s1, -1", "beqz s1, end", "j loop", "end: la t0, tohost", "li t1, 1", "sd t1, (t0)", "j end"]
    for leaf in range(3):
        lines += [f"leaf{leaf}:"] + [fill(draw, draw.choice(WORK)) for _ in range(leaf * 3)] + ["ret"]
    lines += ["word3: .2byte 1, 1"] if "word3: " not in "\n".join(lines) else []
    lines += [f"word{i}: .2byte 1, 1" for i in range(3) if f"word{i}: " not in "\n".join(lines)]
    lines += [".balign 4", "handler: csrr s2, mcause", "bltz s2, 1f", "csrr s2, mepc", "lhu s3, (s2)", "andi s3, s3, 3", "addi s2, s2, 2", "addi s3, s3, -3", "bnez s3, 2f", "addi s2, s2, 2",
              "2: csrw mepc, s2", "mret", "1: li s3, 0x200bff8", "ld s2, (s3)", f"addi s2, s2, {draw.randrange(40, 200)}", "li s3, 0x2004000", "sd s2, (s3)", "mret"]
    lines += [".data", ".balign 64", "data: .dword 3, 5, 7, 0x4010000000000000, 0x3ff8000000000000, 9, 11, 13, 1, 2, 3, 4, 5, 6, 7, 8", ".globl tohost", ".balign 8", "tohost: .dword 0"]
    return "\n".join(lines) + "\n"


def run(*options):
    done = subprocess.run([temu, "--env=bare", "--timing=json", *options, "p"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return done.stdout, done.stderr, done.returncode


for name, text in MACHINES.items():
    with open(name + ".yaml", "w", encoding="utf-8") as file:
        file.write(text)
traps = 0
for seed in range(SEEDS):
    with open("p.s", "w", encoding="utf-8") as file:
        file.write(program(seed))
    subprocess.run([tasm, "-o", "p.o", "p.s"], check=True)
    subprocess.run([tld, "-N", "-Ttext=0x80000000", "-o", "p", "p.o"], check=True)
    for machine in MACHINES:
        for bounds in ([], ["--timing-from=loop"], ["--max-insns=777"]):
            single = run(f"--machine=./{machine}.yaml", *bounds, "--pipeline=picture", "--pipeline-format=text", "--trace-insns=1")
            for tier in TIERS:
                whole = run(f"--machine=./{machine}.yaml", f"--tier={tier}", *bounds)
                assert whole == single, (seed, machine, tier, bounds, whole[1][:300], single[1][:300])
            traps += "mret" in single[1]
assert traps == SEEDS * 3 * 3, traps
