"""encodings.py NAME: writes NAME.16.s and NAME.32.s with instruction words of 16 and 32 bits, legal or not.

The words of 32 bits exclude the custom opcodes, and instructions of extensions that only GNU objdump knows.
"""
import random
import sys

LOAD_FP, STORE_FP, CUSTOM = 0x01, 0x09, (0x02, 0x0a, 0x16, 0x1e)
MISC_MEM, OP_IMM, OP_IMM_32, AMO, OP, OP_32, OP_FP, VECTOR, JALR, SYSTEM = 0x03, 0x04, 0x06, 0x0b, 0x0c, 0x0e, 0x14, 0x15, 0x19, 0x1c
MADD = (0x10, 0x11, 0x12, 0x13)
INTERESTING = (0, 1, 2, 3, 5, 8, 10, 31)


def is_elsewhere(word):
    """Is the encoding, or one like it, of an extension that the machine does not have?"""
    opcode, funct3, funct7 = word >> 2 & 31, word >> 12 & 7, word >> 25
    if opcode in CUSTOM or opcode == VECTOR or opcode & 7 == 7:
        return True
    if opcode in (LOAD_FP, STORE_FP):
        return funct3 not in (2, 3)
    if opcode == MISC_MEM:
        return funct3 > 1
    if opcode in MADD:
        return funct7 & 3 > 1
    if opcode == OP_FP:  # half and quad precision, Zfa; conversions to double ignore no rounding mode in binutils
        return (funct7 & 3 > 1 or (word >> 20 & 31) > 3 and funct7 >> 2 in (8, 0x18, 0x1a, 0x1c, 0x1e)
                or funct7 >> 2 in (8, 0x1a) and funct3 != 7 or funct7 >> 2 in (4, 5, 0x14) and funct3 > 2)
    if opcode in (OP, OP_32):
        return funct7 not in (0, 1, 0x20) or funct7 == 0x20 and funct3 not in (0, 5) or opcode == OP_32 and funct3 in (2, 3, 6)
    if opcode in (OP_IMM, OP_IMM_32):
        return funct3 in (1, 5) and funct7 & 0x5e != 0
    if opcode == AMO:
        return funct3 not in (2, 3)
    if opcode == JALR:  # whose `#` address objdump takes from gp or tp, even where an earlier instruction says what is in it
        return word >> 15 & 31 in (3, 4)
    return opcode == SYSTEM and funct3 in (0, 4)


def words():
    choice = random.Random(1)
    for opcode in range(32):
        for funct in range(1 << 10):
            for index in range(3):
                registers = [choice.choice(INTERESTING) if index else choice.randrange(32) for _ in range(3)]
                rd, rs1, rs2 = registers
                yield funct >> 3 << 25 | rs2 << 20 | rs1 << 15 | (funct & 7) << 12 | rd << 7 | opcode << 2 | 3
    for _ in range(20000):
        yield choice.getrandbits(32) | 3
    for csr in range(1 << 12):
        for funct3 in (1, 2, 3, 5, 6, 7):
            yield csr << 20 | choice.choice((0, 5)) << 15 | funct3 << 12 | choice.choice((0, 5)) << 7 | SYSTEM << 2 | 3
    for word in (0x73, 0x100073, 0x200073, 0x30200073, 0x10500073, 0x8330000f, 0x0ff0000f, 0x0100000f, 0x100f):
        yield word


def write(name, directive, numbers):
    with open(name, "w", encoding="ascii") as stream:
        stream.write(".text\n.globl start\nstart:\n")
        stream.writelines(f"{directive} {number:#x}\n" for number in numbers)


write(sys.argv[1] + ".16.s", ".insn 2,", (word for word in range(1, 1 << 16) if word & 3 != 3))
write(sys.argv[1] + ".32.s", ".insn 4,", (word for word in words() if not is_elsewhere(word)))
