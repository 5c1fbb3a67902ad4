"""Prints what moves in a position-independent program: for each relocated word its section, its offset (none in the
GOT, whose order is free), and the section and offset that it points to. Words that name a symbol are resolved.
Usage: moved.py FILE"""
import struct
import sys

with open(sys.argv[1], "rb") as file:
    data = file.read()
(offset,) = struct.unpack_from("<Q", data, 0x28)
count, names = struct.unpack_from("<HH", data, 0x3C)
headers = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * 64) for i in range(count)]


def name(header):
    start = headers[names][4] + header[0]
    return data[start:data.index(b"\0", start)].decode()


sections = {name(header): header for header in headers}


def place(address):
    for header in headers[1:]:
        if header[2] & 2 and not header[2] & 0x400 and header[3] <= address < header[3] + header[5]:
            return name(header), address - header[3]
    return "", address


lines = []
table, symbols = sections[".rela.dyn"], sections[".dynsym"]
places = []
for i in range(0, table[5], 24):
    at, info, addend = struct.unpack_from("<QQq", data, table[4] + i)
    kind, symbol = info & 0xFFFFFFFF, info >> 32
    if kind == 0:
        continue
    if kind == 2:
        addend += struct.unpack_from("<Q", data, symbols[4] + symbol * 24 + 8)[0]
    places.append((kind != 3, at))
    where, distance = place(at)
    target, there = place(addend)
    lines.append("%s%s -> %s+0x%x" % (where, "" if where == ".got" else "+0x%x" % distance, target, there))
print("\n".join(sorted(lines)))
if "--sorted" in sys.argv and places != sorted(places):
    print("not sorted")
