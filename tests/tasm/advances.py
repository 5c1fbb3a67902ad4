"""Distances in code are sizes in call frame information, while branches in this code become shorter in hundreds of rounds.
The object is that of GNU as, whichever rounds visit these sizes again.

RUN: %python %s > %t.s && %tasm -march=rv64gc %t.s -o %t.o && %gas -march=rv64gc -misa-spec=20191213 %t.s -o %t.gas.o
RUN: %python %tools/compare_objects.py %t.o %t.gas.o
"""
import random

COUNT = 6000
draw = random.Random(1)

print(".option norelax")
for i in range(COUNT):
    reach = draw.choice((1, 3, 5, 20, 60, 120))
    print(f"""label{i}:
    .cfi_startproc
    beqz a0, label{min(COUNT - 1, i + reach)}
    .rept {draw.choice((10, 14, 60))}
    add a0, a1, a2
    .endr
    beqz a1, label{min(COUNT - 1, i + reach // 2)}
    .cfi_def_cfa_offset 16
    add a0, a1, a2
    .cfi_def_cfa_offset 0
    .cfi_endproc""")
