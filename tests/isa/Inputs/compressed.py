"""Prints a program of random compressed instructions: blocks that load all registers, run some words and write the registers out.

The words are drawn from all encodings of 16 bits that change registers or memory without jumping; sp and s0 point into a buffer
for the loads and stores that a block begins with. tp stays."""
import random
import sys

random.seed(int(sys.argv[1]))
BLOCKS, WORDS, TP = 300, 24, 4


def is_memory(word):
    return word & 3 in (0, 2) and word >> 13 not in (0, 4)


def is_fit(word):
    quadrant, funct3 = word & 3, word >> 13
    rd, rs2 = word >> 7 & 31, word >> 2 & 31
    if quadrant == 3 or word == 0:
        return False
    if quadrant == 1 and funct3 >= 5:
        return False  # j, beqz, bnez
    if quadrant == 2 and funct3 == 4 and rs2 == 0:
        return False  # jr, jalr, ebreak
    if quadrant == 0:
        return funct3 not in (0, 4) or (funct3 == 0 and word >> 5 != 0)
    if quadrant == 1 and funct3 == 3 and not word & 0x107C:
        return False  # lui, addi16sp by 0: reserved
    if quadrant == 1 and funct3 == 1 and rd == 0:
        return False  # addiw zero
    if quadrant == 1 and funct3 == 4 and word & 0x0C00 == 0x0C00 and word & 0x1040 == 0x1040:
        return False  # reserved
    if quadrant == 2 and funct3 in (2, 3) and rd == 0:
        return False  # lwsp, ldsp zero
    is_store = quadrant == 2 and funct3 in (5, 6, 7)
    return is_store or rd != TP


def draw(memory):
    while True:
        word = random.randrange(1 << 16)
        if memory and word & 3 == 0:
            word = word & ~0x380 | 0  # base s0
        if is_fit(word) and is_memory(word) == memory and (word & 3 != 0 or memory or word >> 13 == 0):
            return word


values = [random.choice((random.getrandbits(64), random.getrandbits(6), (1 << 64) - random.getrandbits(31) - 1)) for _ in range(64)]
print(".option norelax\n.data\n.balign 16\nvalues:")
for value in values:
    print(f"\t.dword {value:#x}")
print("buffer: .space 1024\nout: .space 1024\n.text\n.globl _start\n_start:\n.option norvc")
for block in range(BLOCKS):
    print("\tlla tp, values")
    shift = random.randrange(32)
    for register in range(32):
        print(f"\tfld f{register}, {8 * (register + shift)}(tp)")
        if register not in (0, TP):
            print(f"\tld x{register}, {8 * (register + shift)}(tp)")
    print("\taddi sp, tp, 512\n\taddi s0, tp, 768")
    # A load may change a base, and does so last.
    words = [word for word in (draw(True) for _ in range(12)) if not (word & 3 == 2 and word >> 7 & 31 in (2, 8) and word >> 13 in (2, 3)) and not (word & 3 == 0 and word >> 2 & 7 == 0 and word >> 13 in (2, 3))]
    words += [draw(False) for _ in range(WORDS)]
    if len(words) % 2:
        words.append(1)
    print("\t.insn 2, " + "\n\t.insn 2, ".join(f"{word:#06x}" for word in words))
    print("\tlla tp, out")
    for register in range(32):
        print(f"\tfsd f{register}, {256 + 8 * register}(tp)\n\tsd x{register}, {8 * register}(tp)")
    print("\tli a0, 1\n\tlla a1, buffer\n\tli a2, 1536\n\tli a7, 64\n\tecall")
print("\tli a0, 0\n\tli a7, 93\n\tecall")
