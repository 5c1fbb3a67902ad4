"""Reads images, for tests that look at what a browser shows."""

import struct
import sys
import zlib


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
        filtering, row = raw[start], bytearray(raw[start + 1:start + 1 + width * size])
        for i, value in enumerate(row):
            left = row[i - size] if i >= size else 0
            up, corner = before[i], before[i - size] if i >= size else 0
            if filtering == 1:
                value += left
            elif filtering == 2:
                value += up
            elif filtering == 3:
                value += (left + up) // 2
            elif filtering == 4:
                guess = left + up - corner
                distances = abs(guess - left), abs(guess - up), abs(guess - corner)
                value += (left, up, corner)[distances.index(min(distances))]
            row[i] = value & 255
        rows.append([tuple(row[i:i + 3]) for i in range(0, len(row), size)])
        before = row
    return rows
