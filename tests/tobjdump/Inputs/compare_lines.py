"""compare_lines.py GNU OURS: two disassemblies of one file. They must agree, except where only one of the two tools knows the meaning:

- encodings that GNU objdump prints as a number: those of the custom opcodes and of 64 bits, which are our tensor instructions, and
  reserved forms of FENCE and FENCE.I, and in later versions conversions that are exact but name a rounding mode;
- CSRs that only one of the two has a name for;
- c.addi16sp with an immediate of 0, which is reserved;
- an instruction that the end of the section cuts, and what follows it: later versions than 2.40 show what is left as data.

They leave out sections without contents, so those are not compared.

It prints the number of lines that are the same, and the number of differences of each kind.
"""
import re
import sys

UNKNOWN = re.compile(r"\t\.[48]byte\t0x([0-9a-f]+)$")
CSR = re.compile(r"\t([0-9a-f]{8}) {10}\t(csr\w+)\t(.*)$")
CUSTOM = (0x0b, 0x2b, 0x5b, 0x7b, 0x3f)
MISC_MEM = 0x0f
RESERVED_ADD = re.compile(r"\t6101 +\t(add\t(sp|x2),(sp|x2)|c\.addi16sp\t(sp|x2)),0( #.*)?$")


CUT = re.compile(r"^ *[0-9a-f]+:\t(?=.*Address 0x[0-9a-f]+ is out of bounds\.$)", re.MULTILINE)
SECTION = re.compile(r"^(?=Disassembly of section )", re.MULTILINE)
EMPTY = re.compile(r"^Disassembly of section \.t?bss:\n\n(?:(?!Disassembly).*\n)*", re.MULTILINE)


def is_csr_name(theirs, ours):
    a, b = CSR.search(theirs), CSR.search(ours)
    if not a or not b or a[1] != b[1] or a[2] != b[2]:
        return False
    number = hex(int(a[1], 16) >> 20)
    different = [(x, y) for x, y in zip(a[3].split(","), b[3].split(",")) if x != y]
    return len(different) == 1 and number in different[0]


def kind(theirs, ours):
    if theirs == ours:
        return "same"
    unknown = UNKNOWN.search(theirs)
    if unknown and ours.startswith(theirs[:unknown.start()] + "\t"):
        opcode = int(unknown[1], 16) & 0x7f
        if opcode in CUSTOM:
            return "tensor"
        if opcode == MISC_MEM and "\tfence" in ours:
            return "fence"
        if re.search(r"\tfcvt\.d\.[swu]+\t.*,(rtz|rdn|rup|rmm)$", ours):
            return "exact"
    if is_csr_name(theirs, ours):
        return "csr"
    if RESERVED_ADD.search(theirs) and ours.endswith("\t.2byte\t0x6101"):
        return "reserved"
    sys.exit(f"GNU:  {theirs}\nours: {ours}")


def sections(name):
    with open(name, encoding="latin1") as file:
        return SECTION.split(EMPTY.sub("", file.read()))


def lines(section, cut):
    """Returns the lines of a section, up to that of the instruction at the address `cut` if there is one."""
    return section[: section.index("\n" + cut[0])].splitlines() if cut else section.splitlines()


counts = dict.fromkeys(("same", "tensor", "fence", "exact", "csr", "reserved"), 0)
gnu, ours = map(sections, sys.argv[1:])
if len(gnu) != len(ours):
    sys.exit(f"{len(gnu)} sections of GNU objdump, {len(ours)} of ours")
for their_section, our_section in zip(gnu, ours):
    cut = CUT.search(our_section)
    their_lines, our_lines = lines(their_section, cut), lines(our_section, cut)
    for theirs, line in zip(their_lines, our_lines):
        counts[kind(theirs, line)] += 1
    if len(their_lines) != len(our_lines):
        sys.exit(f"{len(their_lines)} lines of GNU objdump, {len(our_lines)} of ours: {our_lines[0]}")
print(f"{counts['same']} lines the same, {counts['tensor']} tensor instructions, {counts['fence']} fences, {counts['exact']} exact conversions, {counts['csr']} CSRs, "
      f"{counts['reserved']} reserved")
