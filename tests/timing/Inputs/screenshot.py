#!/usr/bin/env python3
"""Looks at the pictures with a browser: screenshot.py CHROMIUM NAME takes screenshots of NAME.svg and NAME.html, and zooms the page."""

import os
import re
import subprocess
import sys
import tempfile

from png import read_png

chromium, name = sys.argv[1:]


def fail(message):
    sys.exit(f"screenshot.py: error: {message}")


def browse(page, *options):
    with tempfile.TemporaryDirectory() as profile:
        command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}",
                   "--window-size=1700,800", *options, "file://" + os.path.abspath(page)]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout


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
PRESS = """<script>
document.body.dataset.widths = [...'+--'].map(key => {
  dispatchEvent(new KeyboardEvent('keydown', {key}));
  return document.querySelector('svg').getAttribute('width');
});
</script></body>"""
with open(f"{name}.zoom.html", "w", encoding="utf-8") as file:
    file.write(page.replace("</body>", PRESS))
widths = re.search(r'data-widths="([\d.,]+)"', browse(f"{name}.zoom.html", "--dump-dom"))[1]
for key, found, factor in zip("+--", map(float, widths.split(",")), (1.25, 1, 0.8), strict=True):
    if abs(found - width * factor) > 1:
        fail(f"'{key}' makes the picture {found} wide; expected {width * factor}")
