"""compress.py OBJECT OUTPUT [damage|huge|method]: compresses .debug_info by zstd, or breaks it as asked."""
import struct
import subprocess
import sys


def main():
    with open(sys.argv[1], "rb") as file:
        data = bytearray(file.read())
    how = sys.argv[3] if len(sys.argv) > 3 else None
    (headers,) = struct.unpack_from("<Q", data, 0x28)
    count, names = struct.unpack_from("<HH", data, 0x3C)
    fields = [list(struct.unpack_from("<IIQQQQIIQQ", data, headers + 64 * i)) for i in range(count)]
    for i, section in enumerate(fields):
        name = fields[names][4] + section[0]
        if data[name : data.index(0, name)] != b".debug_info":
            continue
        contents = bytes(data[section[4] : section[4] + section[5]])
        packed = subprocess.run(["zstd", "-q", "-c", "--content-size", f"--stream-size={len(contents)}"], input=contents, stdout=subprocess.PIPE, check=True).stdout
        if how == "damage":
            packed = packed[:-9]
        size = 1 << 48 if how == "huge" else len(contents)
        new = struct.pack("<IIQQ", 77 if how == "method" else 2, 0, size, section[8]) + packed
        while len(data) % 8:
            data.append(0)
        section[2] |= 0x800
        section[4], section[5], section[8] = len(data), len(new), 8
        data += new
        struct.pack_into("<IIQQQQIIQQ", data, headers + 64 * i, *section)
    with open(sys.argv[2], "wb") as file:
        file.write(data)


main()
