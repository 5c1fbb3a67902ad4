"""retype.py OBJECT OLD=NEW…: changes the types of an object's relocations, for types that the assembler does not write."""
import struct
import sys

name, changes = sys.argv[1], dict(map(int, word.split("=")) for word in sys.argv[2:])
data = bytearray(open(name, "rb").read())
offset, count = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<H", data, 60)[0]
for index in range(count):
    section = struct.unpack_from("<IIQQQQIIQQ", data, offset + 64 * index)
    if section[1] != 4:  # SHT_RELA
        continue
    for at in range(section[4], section[4] + section[5], 24):
        (kind,) = struct.unpack_from("<I", data, at + 8)
        struct.pack_into("<I", data, at + 8, changes.get(kind, kind))
open(name, "wb").write(data)
