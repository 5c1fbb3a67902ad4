"""Random code has the same layout as with GNU as: branches and jumps, forwards and backwards, whose reach depends on the sizes of others, among
alignments and spaces, in one subsection or several. Some programs are so large that GNU as needs hundreds of rounds.

RUN: %python %s %tasm %gas %gobjcopy %t %soak{24|400} | FileCheck %s
CHECK: {{^[1-9][0-9]+}} layouts, 0 different
"""
import random
import subprocess
import sys

from compare_objects import with_zeros


def code(seed):
    """The lines of a program."""
    draw = random.Random(seed)
    count = draw.choice((40, 400, 3000, 12000))
    labels, reach, gap = count // draw.choice((2, 3, 8)), draw.choice((3, 20, 100, 400)), draw.choice((4, 40, 800))
    alignments, aligned = draw.choice(((0,), (1, 2), (3, 4, 6))), draw.choice((0.02, 0.1, 1))
    odd_ones = draw.choice((0, 0, 1))  # fragments that every round has to visit
    placed = 0

    def target():
        return f"label{min(labels - 1, max(0, placed + round(draw.gauss(0, reach))))}"

    def register():
        return f"a{draw.randrange(6)}"

    statements = (
        (9, lambda: f"beq {register()}, {register()}, {target()}"),
        (6, lambda: f"beqz {register()}, {target()}"),
        (4, lambda: f"j {target()}"),
        (2, lambda: f"bnez t6, {target()}"),
        (aligned, lambda: f".p2align {draw.choice(alignments)}"),
        (2, lambda: f".zero {2 + 2 * draw.randrange(gap)}"),
        (2, lambda: "call elsewhere"),
        (2, lambda: "addi a0, a0, 1"),
        (2, lambda: f"add {register()}, {register()}, t4"),
        (1, lambda: "beqz a0, undefined"),
        (odd_ones, lambda: f".balign {draw.choice((4, 8, 32))}, , {draw.choice((2, 4, 10))}"),
        (odd_ones, lambda: f".subsection {draw.randrange(3)}"),
        (odd_ones, lambda: f"bne a0, a1, label{draw.randrange(placed)} + {2 * draw.randrange(5)}" if placed else "nop"),
    )
    weights = [weight for weight, _ in statements]
    for i in range(count):
        if i * labels >= placed * count:
            yield f"label{placed}:"
            placed += 1
        yield draw.choices(statements, weights)[0][1]()
    yield "ret"


def many_rounds(count):
    """Branches forwards, all of which become shorter, which moves those behind them too far to be judged in the same round."""
    draw = random.Random(count)
    for i in range(count):
        yield f"beqz a0, label{min(count - 1, i + draw.choice((1, 5, 20, 60, 120)))}"
        yield "add a0, a1, a2"
        yield f"label{i}:"


def many_subsections(count):
    """Subsections that are entered in random order, most of them several times, and branches between them."""
    draw = random.Random(count)
    for i in range(3 * count):
        yield f".subsection {draw.randrange(count)}"
        yield f"label{i}: addi a0, a0, {i % 1000}"
        yield f"bnez a1, label{draw.randrange(3 * count)}"
    yield ".text 0"


def text_of(assemble, objcopy, name, source):
    subprocess.run([*assemble, "-o", f"{name}.o", "-"], input=source, text=True, check=True)
    subprocess.run([objcopy, "-O", "binary", "-j", ".text", f"{name}.o", f"{name}.text"], check=True)
    with open(f"{name}.text", "rb") as file:
        return with_zeros(file.read(), 64)


def main():
    tasm, gas, objcopy, name, count = sys.argv[1:]
    programs = {f"seed {seed}": code(seed) for seed in range(int(count))} | {"many rounds": many_rounds(20000), "many subsections": many_subsections(600)}
    different = 0
    for i, (what, lines) in enumerate(programs.items()):
        source, relax = "\n".join(lines) + "\n", ["-mno-relax"] if i % 2 else []
        if text_of([tasm, *relax], objcopy, name, source) != text_of([gas, "-march=rv64gc", "-W", *relax], objcopy, name, source):
            different += 1
            print(f"{what}: the code differs from that of GNU as")
    print(f"{len(programs)} layouts, {different} different")


main()
