"""A single step takes no interrupt, although one is due; the next `continue` takes it.

RUN: %tasm -o %t.o %S/Inputs/pending_interrupt.s && %tld -Ttext=0x80000000 -o %t %t.o
RUN: %python %s %temu %t
"""
import sys

from gdb_client import Session

PC = 32
temu, program = sys.argv[1:]
session = Session(temu, program)


def pc():
    return int.from_bytes(bytes.fromhex(session.ask(f"p{PC:x}")), "little")


# The program enables the interrupt with its eighth instruction, and has three nops after it.
start = pc()
for _ in range(8):
    assert session.ask("s").startswith("T05")
enabled = pc()
for offset in (2, 4, 6):
    assert session.ask("s").startswith("T05")
    assert pc() == enabled + offset, hex(pc())
handler = start + 0x40
assert session.ask(f"Z0,{handler:x},2") == "OK"
assert session.ask("c").startswith("T05")
assert pc() == handler, hex(pc())
session.send("k")
session.end()
