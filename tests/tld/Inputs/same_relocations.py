"""Compares the relocations that two programs keep: same_relocations.py GNU OURS.

Sections come in another order, and GNU ld leaves R_RISCV_NONE for records of .eh_frame that it drops;
tld leaves nothing. Later versions than 2.40 leave some relocations with numbers of their own for what relaxation made. The relocations that a program applies itself (.rela.dyn) are not compared."""

import re
import subprocess
import sys


OWN = {"43": "R_RISCV_RVC_LUI", "44": "R_RISCV_GPREL_I", "45": "R_RISCV_GPREL_S", "46": "R_RISCV_TPREL_I", "47": "R_RISCV_TPREL_S"}


def kept(name):
    text = subprocess.run(["riscv64-linux-gnu-readelf", "-rW", name], check=True, capture_output=True, text=True)
    assert not text.stderr, text.stderr
    tables = {}
    for line in text.stdout.splitlines():
        heading = re.match(r"Relocation section '(\S+)'", line)
        if heading:
            table = tables.setdefault(heading[1], [])
        elif re.match(r"[0-9a-f]{16} ", line):
            offset, _, kind, *target = line.split()
            if kind == "unrecognized:":
                kind = OWN[target.pop(0)]
            if int(target[0], 16) == 0:  # an undefined weak symbol is near address 0 and near the pointer
                kind = kind.replace("GPREL", "LO12")
            if list(tables)[-1] != ".rela.eh_frame" or (kind, target) != ("R_RISCV_NONE", ["0"]):
                table.append((offset, kind, *target))
    return {name: table for name, table in tables.items() if table and name not in (".rela.dyn", ".rela.iplt")}


theirs, ours = kept(sys.argv[1]), kept(sys.argv[2])
assert theirs.keys() == ours.keys(), (theirs.keys(), ours.keys())
for name, table in theirs.items():
    for pair in zip(table, ours[name]):
        assert pair[0] == pair[1], (name, *pair)
    assert len(table) == len(ours[name]), name
print(sum(map(len, ours.values())))
