"""Rewrites a lossless trace with times: rewrite.py names|late|workers IN OUT.

names: the lists of causes of stalls, states of units, and units begin with names that nobody knows, and the others are in the opposite order.
late: all instructions are in F for 2^30 cycles.
workers: the barrel has one worker.
"""

import subprocess
import sys

LIST = 32  # names in a list, at most
COLUMNS = 19
D, STALLS, WAITS, UNITS, PASSES = 2, 11, 12, 13, 18


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, length):
        self.at += length
        return self.data[self.at - length:self.at]

    def number(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def left(self):
        return self.at < len(self.data)


def number(value):
    data = b""
    while value > 0x7F:
        data += bytes([value & 0x7F | 0x80])
        value >>= 7
    return data + bytes([value])


def zstd(data, *options):
    return subprocess.run(["zstd", "-qc", *options], input=data, stdout=subprocess.PIPE, check=True).stdout


def renumber(byte):
    return LIST + 1 - byte if byte else 0


def other_passes(column):
    column, data = Bytes(column), b""
    while column.left():
        count = column.number()
        data += number(count)
        for _ in range(count):
            data += number(column.number()) + number(column.number()) + bytes([renumber(column.take(1)[0])])
    return data


def change(contents, what):
    block = Bytes(contents)
    first, count = block.number(), block.number()
    lists = [[block.take(block.number()) for _ in range(block.number())] for _ in range(3)]
    lengths = [block.number() for _ in range(COLUMNS)]
    columns = [block.take(length) for length in lengths]
    if what == "late":
        columns[D] = number((1 << 31) + 1) * count
    if what == "names":
        lists = [[b"unknown%d" % i for i in range(LIST - len(names))] + names[::-1] for names in lists]
        for i in STALLS, WAITS, UNITS:
            columns[i] = bytes(map(renumber, columns[i]))
        columns[PASSES] = other_passes(columns[PASSES])
    data = number(first) + number(count)
    for names in lists:
        data += number(len(names)) + b"".join(number(len(name)) + name for name in names)
    return data + b"".join(number(len(column)) for column in columns) + b"".join(columns)


def main():
    what, source, target = sys.argv[1:]
    with open(source, "rb") as file:
        stream = Bytes(zstd(file.read(), "-d"))
    with open(target, "wb") as file:
        while stream.left():
            kind = stream.take(1)
            contents = stream.take(stream.number())
            if kind == b"T":
                contents = change(contents, what)
            if what == "workers" and kind == b"H":
                contents = contents[:-1] + b"\1"
            block = kind + number(len(contents)) + contents
            file.write(zstd(block, f"--stream-size={len(block)}"))


main()
