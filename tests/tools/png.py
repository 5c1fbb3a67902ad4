"""Reads images, for tests that look at what a browser shows."""

import itertools
import struct
import sys
import zlib


def average(row, above):
    left = 0
    for value, up in zip(row, above):
        left = value + (left + up) // 2 & 255
        yield left


def nearest(row, above):
    left = corner = 0
    for value, up in zip(row, above):
        to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
        left = value + (left if to_left <= to_up and to_left <= to_corner else up if to_up <= to_corner else corner) & 255
        corner = up
        yield left


# What restores the bytes of a row in one color, from the row and the one above, by the number of the filter.
FILTERS = (lambda row, above: row, lambda row, above: (value & 255 for value in itertools.accumulate(row)),
           lambda row, above: (value + up & 255 for value, up in zip(row, above)), average, nearest)


def read_png(path):
    """Returns the rows of an image, each a list of colors."""
    data, at, packed = open(path, "rb").read(), 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, _, depth, form = struct.unpack(">IIBB", body[:10])
        if kind == b"IDAT":
            packed += body
        at += 12 + length
    if depth != 8 or form not in (2, 6):
        sys.exit(f"png.py: error: {path}: {depth} bits, color type {form}")
    size = 3 if form == 2 else 4
    raw, rows, before = zlib.decompress(packed), [], bytes(width * size)
    for start in range(0, len(raw), width * size + 1):
        row = bytearray(raw[start + 1:start + 1 + width * size])
        for color in range(size):
            row[color::size] = bytes(FILTERS[raw[start]](row[color::size], before[color::size]))
        rows.append(list(zip(*(row[color::size] for color in range(3)))))
        before = row
    return rows
