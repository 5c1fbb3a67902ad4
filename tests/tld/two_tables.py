"""A section with two tables of relocations is an error, but when the first table is bad, only that is reported.

RUN: %tasm -march=rv64gc -o %t.o %S/Inputs/two_tables.s
RUN: %python %s %t.o %t.two 1 && not %tld -o %t.out %t.two 2>&1 | FileCheck --check-prefix=TWO --implicit-check-not=error: %s
RUN: %python %s %t.o %t.bad 250 && not %tld -o %t.out %t.bad 2>&1 | FileCheck --check-prefix=BAD --implicit-check-not=error: %s
TWO: error: section '.data' has two relocation sections, expected one
BAD: error: relocation type 250 is unknown to the ISA description
"""
import struct
import sys

source, target, first_type = sys.argv[1:]
with open(source, "rb") as file:
    data = bytearray(file.read())
start, = struct.unpack_from("<Q", data, 40)
size, count, _ = struct.unpack_from("<HHH", data, 58)
tables = [at for at in range(start, start + size * count, size) if struct.unpack_from("<I", data, at + 4) == (4,)]
first, second = tables
data[second + 44:second + 48] = data[first + 44:first + 48]  # sh_info: the section that the table is for
relocation, = struct.unpack_from("<Q", data, first + 24)
struct.pack_into("<I", data, relocation + 8, int(first_type))
with open(target, "wb") as file:
    file.write(data)
