"""share_offset.py OBJECT SECTION: moves the contents of a section of the object to where its table of symbol names begins, one byte of it."""
import struct
import sys

HEADER = "<IIQQQQIIQQ"  # of a section: name, type, flags, address, offset, size, link, …
SYMBOLS = 2

name, wanted = sys.argv[1:]
with open(name, "rb") as file:
    data = bytearray(file.read())
at = struct.unpack_from("<Q", data, 40)[0]
count, names = struct.unpack_from("<HH", data, 60)
sections = [list(struct.unpack_from(HEADER, data, at + 64 * i)) for i in range(count)]


def section_name(section):
    start = sections[names][4] + section[0]
    return data[start:data.index(0, start)].decode()


strings = next(section[6] for section in sections if section[1] == SYMBOLS)
index = next(i for i, section in enumerate(sections) if section_name(section) == wanted)
assert index < strings, "the section has to come first"
sections[index][4:6] = sections[strings][4], 1
struct.pack_into(HEADER, data, at + 64 * index, *sections[index])
with open(name, "wb") as file:
    file.write(data)
