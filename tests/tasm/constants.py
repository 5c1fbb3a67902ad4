# li of many constants gives the same instructions as GNU as.
# RUN: %python %s > %t.s
# RUN: %tasm %t.s -o %t.o
# RUN: %gas -march=rv64gc -misa-spec=20191213 %t.s -o %t.gas.o
# RUN: %python %tools/compare_objects.py %t.o %t.gas.o
import random

random.seed(5)
values = set()
for bit in range(64):
    for distance in (-2, -1, 0, 1, 2, 0x7FF, 0x800, 0x801):
        values |= {(1 << bit) + distance, distance - (1 << bit)}
for _ in range(2000):
    value = random.getrandbits(random.randrange(1, 65))
    values |= {value, -value, value & random.getrandbits(64), value << random.randrange(64)}
wrapped = sorted({(value + (1 << 63)) % (1 << 64) - (1 << 63) for value in values})
for value in wrapped:
    print(f"\tli a{value % 8}, {value}")
print("\tli t0, 0xffffffffffffffff\n\tli t1, 0x8000000000000000")
