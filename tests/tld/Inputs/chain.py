"""chain.py N GAP: assembly of N functions that each call one 1 MiB further on, less GAP bytes: whether a call is near depends on whether those
between are. The program counts its calls and exits with 42 when there were N."""
import sys

n, gap = int(sys.argv[1]), int(sys.argv[2])
print("    .globl _start\n_start:\n    li s0, 0\n    j f0")
for i in range(n):
    print(f"f{i}:\n    addi s0, s0, 1\n    tail g{i}")
print(f"    .skip {(1 << 20) - gap}")
for i in range(n):
    print(f"g{i}:\n    tail {'f%d' % (i + 1) if i + 1 < n else 'done'}")
print(f"done:\n    li t0, {n}\n    li a0, 1\n    bne s0, t0, 1f\n    li a0, 42\n1:  li a7, 93\n    ecall")
