"""Watchpoints on memory that tensor units touch: the program stops at the instruction and reports the first byte that it touched.

RUN: %tasm -o %t.o %S/Inputs/tensors.s && %tld -o %t %t.o
RUN: %temu %t
RUN: %python %s %temu %t
"""
import re
import subprocess
import sys

from gdb_client import Session

temu, program = sys.argv[1:]
symbols = {line.split()[2]: int(line.split()[0], 16) for line in
           subprocess.run(["riscv64-linux-gnu-nm", program], check=True, capture_output=True, text=True).stdout.splitlines()}
KINDS = {"write": (2, "watch"), "read": (3, "rwatch"), "access": (4, "awatch")}

# Address, length and kind of the watchpoint; the label at which the program starts; the instruction that stops, and the first byte that it touched.
MET = [
    ("c", 16, "write", "at_product", "at_product", "c"),
    ("c+15", 1, "write", "at_product", "at_product", "c+15"),
    ("c-3", 4, "access", "at_product", "at_product", "b+13"),  # the right operand ends there
    ("c-3", 4, "write", "at_product", "at_product", "c"),
    ("a", 4, "read", "at_product", "at_product", "a"),
    ("a+12", 100, "read", "at_product", "at_product", "a+12"),
    ("b+7", 1, "read", "at_product", "at_product", "b+7"),
    ("a", 48, "access", "at_product", "at_product", "a"),
    ("c+4", 8, "write", "at_vector", "at_vector", "c+4"),
    ("c+8", 8, "write", "at_vector", "at_load", "c+8"),  # two values only
    ("b+8", 8, "read", "at_vector", "at_scale", "b+8"),
    ("a+8", 1, "write", "at_scale", "at_scale", "a+8"),
    ("a+8", 1, "read", "at_convert", "at_convert", "a+8"),
    ("b+7", 2, "write", "at_convert", "at_convert", "b+7"),
    ("b+8", 8, "write", "at_convert", "at_load_tile", "b+8"),  # bf16 takes half of it
    ("main+15", 4, "read", "at_load", "at_load", "main+15"),
    ("main+16", 16, "read", "at_load", None, None),  # after the moved bytes
    ("c", 1, "write", "at_load", "at_load", "c"),
    ("main+11", 8, "write", "at_store", "at_store", "main+11"),
    ("a+4", 1, "read", "at_store", "at_store", "a+4"),
    ("main+33", 1, "read", "at_load_tile", "at_load_tile", "main+33"),
    ("b", 1, "write", "at_load_tile", "at_load_tile", "b"),
    ("main+39", 8, "write", "at_store_tile", "at_store_tile", "main+39"),
    ("c+12", 1, "read", "at_store_tile", "at_store_tile", "c+12"),
    ("descriptor+8", 1, "read", "at_nest", "at_nest", "descriptor+8"),
    ("a+3", 1, "read", "at_nest", "at_element", "a+3"),
    ("a+4", 4, "read", "at_nest", "at_element_float", "a+4"),
    ("a+4", 8, "write", "at_nest", "at_element_store", "a+8"),
    ("a+9", 2, "access", "at_nest", "at_element_store", "a+9"),
    ("a+12", 4, "write", "at_nest", "at_element_float_store", "a+12"),
    ("main+8", 24, "write", "at_store_tile", None, None),  # between the rows
    ("main+8", 24, "read", "at_load_tile", None, None),
    ("a", 16, "write", "at_product", "at_scale", "a"),
    ("a", 8, "write", "at_convert", None, None),
    ("descriptor", 48, "write", "_start", None, None),
]


def value(expression):
    name, sign, offset = re.fullmatch(r"(\w+)([+-]?)(\d*)", expression).groups()
    return symbols[name] + (int(sign + offset) if sign else 0)


def run(place, length, kind, start, stop, touched):
    number, word = KINDS[kind]
    session = Session(temu, program)
    if start != "_start":
        assert session.ask(f"Z0,{symbols[start]:x},4") == "OK"
        assert session.ask("c").startswith("T05")
        assert session.ask(f"z0,{symbols[start]:x},4") == "OK"
    assert session.ask(f"Z{number},{value(place):x},{length:x}") == "OK"
    reply = session.ask("c")
    if not stop:
        assert reply == "W00", (place, length, kind, start, reply)
        session.end()
        return
    assert reply[0] == "T", (place, length, kind, start, reply)
    pc = int.from_bytes(bytes.fromhex(re.search(r";20:(\w+);", reply)[1]), "little")
    assert pc == symbols[stop], (place, length, kind, start, reply)
    assert reply.endswith(f";{word}:{value(touched):x};"), (place, length, kind, start, reply)
    assert session.ask(f"z{number},{value(place):x},{length:x}") == "OK"
    # The effects are there already; the step that gdb takes next only advances the pc.
    retired = session.monitor("insns")
    session.ask("s")
    length = 8 if int(session.ask(f"m{pc:x},1"), 16) & 0x7f == 0x3f else 4
    assert int.from_bytes(bytes.fromhex(session.ask("p20")), "little") == pc + length and session.monitor("insns") == retired
    assert session.ask("c") == "W00"
    session.end()


for case in MET:
    run(*case)
