"""realign.py OBJECT SECTION LOG2: gives a section header an alignment that no assembler would."""
import struct
import sys

name, wanted, alignment = sys.argv[1], sys.argv[2].encode(), 1 << int(sys.argv[3])
data = bytearray(open(name, "rb").read())
offset, (count, names) = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<HH", data, 60)
strings = struct.unpack_from("<Q", data, offset + 64 * names + 24)[0]
for index in range(count):
    start = strings + struct.unpack_from("<I", data, offset + 64 * index)[0]
    if data[start:data.index(0, start)] == wanted:
        struct.pack_into("<Q", data, offset + 64 * index + 48, alignment)
open(name, "wb").write(data)
