"""Brings GNU objdump 2.40's disassembly to ours where the two differ on purpose.

binutils 2.40 writes `addi a0,a0,1` as `add a0,a0,1` (and so for all operations with an immediate, csrrwi included): the alias that
its assembler takes. tobjdump writes the instruction, as earlier and later binutils do. Of compressed instructions, of 4 digits, both
write the alias.
"""
import re
import sys

NAMES = {"add": "addi", "addw": "addiw", "and": "andi", "or": "ori", "xor": "xori", "sll": "slli", "srl": "srli",
         "sra": "srai", "sllw": "slliw", "srlw": "srliw", "sraw": "sraiw", "slt": "slti", "sltu": "sltiu",
         "csrrw": "csrrwi", "csrrs": "csrrsi", "csrrc": "csrrci"}
IMMEDIATE = re.compile(r"(?<!\t[0-9a-f]{4} {16})\t(\w+)\t(\w+,\w+,(?:-?\d+|0x[0-9a-f]+)(?: .*)?)$")


def normalize(line):
    match = IMMEDIATE.search(line)
    if match and match[1] in NAMES:
        return f"{line[:match.start()]}\t{NAMES[match[1]]}\t{match[2]}"
    return line


for line in sys.stdin.buffer.read().decode("latin1").splitlines():
    sys.stdout.buffer.write((normalize(line) + "\n").encode("latin1"))
