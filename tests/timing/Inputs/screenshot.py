#!/usr/bin/env python3
"""Looks at the pictures with a browser: screenshot.py CHROMIUM NAME takes screenshots of NAME.svg and NAME.html, and zooms the page."""

import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

chromium, name = sys.argv[1:]


def fail(message):
    sys.exit(f"screenshot.py: error: {message}")


def browse(page, *options):
    with tempfile.TemporaryDirectory() as profile:
        command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}",
                   "--window-size=1700,800", *options, "file://" + os.path.abspath(page)]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True, timeout=120).stdout


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
        fail(f"{path}: {depth} bits, color type {form}")
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


# What the picture says is what the eye sees: most of the lane of the matrix unit is vermilion (raw), the rest blue (at work).
for suffix in ("svg", "html"):
    browse(f"{name}.{suffix}", f"--screenshot={os.path.abspath(name)}.{suffix}.png")
    rows = read_png(f"{name}.{suffix}.png")
    text = open(f"{name}.{suffix}", encoding="utf-8").read()
    bars = [(float(x), float(y), float(w)) for x, y, w, title in re.findall(
        r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" [^>]*fill="#d55e00"><title>(raw)', text)]
    if not bars:
        fail(f"{suffix}: no instruction waits")
    lane = min(y for _, y, _ in bars)
    shown = max(rows, key=lambda row: row.count((0xd5, 0x5e, 0x00)))
    wide = sum(w for _, y, w in bars if y == lane)
    if not 0.5 * wide < shown.count((0xd5, 0x5e, 0x00)):
        fail(f"{suffix}: {shown.count((0xd5, 0x5e, 0x00))} pixels of a row say raw; expected about {wide}")
    if sum(row.count((0x00, 0x72, 0xb2)) for row in rows) < 1000:
        fail(f"{suffix}: no unit is at work")

# The page zooms by a script of its own: + makes the picture larger, - makes it smaller.
page = open(f"{name}.html", encoding="utf-8").read()
width = float(re.search(r'<svg [^>]*width="([\d.]+)"', page)[1])
for key, factor in (("+", 1.25), ("-", 0.8)):
    with open(f"{name}.zoom.html", "w", encoding="utf-8") as file:
        file.write(page.replace("</body>", f"<script>dispatchEvent(new KeyboardEvent('keydown', {{key: '{key}'}}));</script></body>"))
    found = float(re.search(r'<svg [^>]*width="([\d.]+)"', browse(f"{name}.zoom.html", "--dump-dom"))[1])
    if abs(found - width * factor) > 1:
        fail(f"'{key}' makes the picture {found} wide; expected {width * factor}")
