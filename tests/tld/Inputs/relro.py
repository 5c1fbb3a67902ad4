"""relro.py PROGRAM: the segment GNU_RELRO ends on a page, in the middle of a segment that can be written, and no section lies across its end."""
import struct
import sys

data = open(sys.argv[1], "rb").read()
phoff, shoff = struct.unpack_from("<QQ", data, 32)
phsize, phnum, shsize, shnum = struct.unpack_from("<HHHH", data, 54)
segments = [struct.unpack_from("<IIQQQQQQ", data, phoff + i * phsize) for i in range(phnum)]
sections = [struct.unpack_from("<IIQQQQ", data, shoff + i * shsize) for i in range(shnum)]
(relro,) = [s for s in segments if s[0] == 0x6474E552]
start, end = relro[3], relro[3] + relro[6]
if end % 4096 or not any(s[0] == 1 and s[1] & 2 and s[3] <= start and end <= s[3] + s[6] for s in segments):
    sys.exit(f"relro {start:#x}..{end:#x}")
for _, _, flags, address, _, size in sections:
    if flags & 2 and not flags & 0x400 and address < end < address + size:
        sys.exit(f"a section at {address:#x} lies across the end {end:#x}")
