# All pairs of these instructions: tasm accepts a bundle exactly where a model in this test does, which is written from the rule. Each has its pipeline (- goes alone, < is of the
# main pipeline but never first), the registers that it reads, and those that it writes.
#
# RUN: %python %s %tasm %t
import itertools
import re
import subprocess
import sys

INSTRUCTIONS = [
    ("add a0, a1, a2", "main", "a1 a2", "a0"),
    ("c.add a0, a1", "main", "a0 a1", "a0"),
    ("addi a0, a0, 1", "main", "a0", "a0"),
    ("add zero, a0, a1", "main", "a0 a1", ""),
    ("mul a3, a0, a1", "main", "a0 a1", "a3"),
    ("div a3, a0, a1", "main", "a0 a1", "a3"),
    ("lw a0, 0(a1)", "main", "a1", "a0"),
    ("flw fa0, 0(a1)", "main", "a1", "fa0"),
    ("c.fld fa0, 0(a1)", "main", "a1", "fa0"),
    ("fsw fa0, 0(a1)", "main", "a1 fa0", ""),
    ("sd a0, 0(a1)", "main", "a0 a1", ""),
    ("amoadd.w a0, a2, (a1)", "main", "a1 a2", "a0"),
    ("lui a0, 5", "main", "", "a0"),
    ("beq a0, a1, .", "<", "a0 a1", ""),
    ("j .", "<", "", ""),
    ("jal ra, .", "<", "", "ra"),
    ("jr a0", "<", "a0", ""),
    ("ecall", "-", "", ""),
    ("fence", "-", "", ""),
    ("csrr a0, instret", "-", "", "a0"),
    ("frcsr a0", "-", "", "a0"),
    ("fadd.s fa0, fa1, fa2", "auxiliary", "fa1 fa2", "fa0"),
    ("fmadd.d fa2, fa0, fa1, fa2", "auxiliary", "fa0 fa1 fa2", "fa2"),
    ("fdiv.s fa0, fa0, fa1", "auxiliary", "fa0 fa1", "fa0"),
    ("fsqrt.d fa1, fa0", "auxiliary", "fa0", "fa1"),
    ("fcvt.s.w fa0, a0", "auxiliary", "a0", "fa0"),
    ("fmv.x.w a0, fa0", "auxiliary", "fa0", "a0"),
    ("feq.s a1, fa0, fa1", "auxiliary", "fa0 fa1", "a1"),
    ("fmv.x.w zero, fa0", "auxiliary", "fa0", ""),
    ("f32v4hist f8:f11, f12:f15", "auxiliary", "fs0 fs1 fa0 fa1 fa2 fa3 fa4 fa5", "fs0 fs1 fa0 fa1"),
    ("dma.ld a0, a1, a2", "-", "a0 a1 a2", ""),
    ("mm.f32 a0, a1, a2, 16, a3, 16", "-", "a0 a1 a2 a3", ""),
    ("tset.init 0, 1, a0", "-", "a0", ""),
]


def can_pair(first, second):
    if first[1] in "-<" or second[1] == "-":
        return False
    if (first[1] == "auxiliary") == (second[1] == "auxiliary"):
        return False
    return not set(first[3].split()) & set(second[2].split() + second[3].split())


tasm, out = sys.argv[1:]
pairs = 0
for number, first in enumerate(INSTRUCTIONS):
    with open(f"{out}.s", "w") as file:
        for second in INSTRUCTIONS:
            file.write(f"{{ {first[0]} ; {second[0]} }}\n")
    errors = subprocess.run([tasm, f"{out}.s", "-o", f"{out}.o"], capture_output=True, text=True).stderr
    refused = {int(line) for line in re.findall(r":(\d+):\d+: error:", errors)}
    for line, second in enumerate(INSTRUCTIONS, 1):
        if (line not in refused) != can_pair(first, second):
            sys.exit(f"{first[0]} ; {second[0]}: expected {can_pair(first, second)}\n{errors}")
        pairs += line not in refused
print(pairs, "pairs")
