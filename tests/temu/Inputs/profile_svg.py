#!/usr/bin/env python3
"""profile_svg.py SVG FOLDED [CHROMIUM]: compares a flame graph with folded stacks, and enlarges a function in a browser."""

import collections
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

SPACE = "{http://www.w3.org/2000/svg}"


def frames_of(root):
    return [(group.get("id"), group.get("data-n"), int(group.get("data-x")), int(group.get("data-w")), int(group.get("data-d")),
             group.find(SPACE + "rect"), group) for group in root.iter(SPACE + "g")]


def chains_of(frames):
    """Returns the cost with callees of each chain of calls."""
    chains, stack = {}, []
    for _, name, start, width, depth, _, _ in frames:
        stack[depth:] = [(name, start, start + width)]
        assert len(stack) == depth + 1, "a frame without a caller"
        if depth:
            assert stack[-2][1] <= start and start + width <= stack[-2][2], "a frame is outside its caller's"
        chains[";".join(name for name, _, _ in stack[1:])] = width
    return chains


def main():
    root = tree.parse(sys.argv[1]).getroot()
    frames = frames_of(root)
    expected = collections.Counter()
    with open(sys.argv[2], encoding="ascii") as file:
        for line in file:
            chain, cost = line.rsplit(" ", 1)
            words = chain.split(";")
            for count in range(len(words) + 1):
                expected[";".join(words[:count])] += int(cost)
    chains = chains_of(frames)
    for chain, cost in chains.items():
        assert expected[chain] == cost, f"{chain}: {cost}, expected {expected[chain]}"
    missing = [chain for chain in expected if chain not in chains and expected[chain] * 1000 > expected[""]]
    assert not missing, missing
    for _, _, _, width, _, rect, _ in frames:
        assert abs(float(rect.get("width")) / 1180 - width / expected[""]) < 0.001
    print(f"{len(frames)} frames agree")
    if len(sys.argv) == 3:
        return
    name, start, width = next((frame[0], frame[2], frame[3]) for frame in frames if frame[1] == "fibonacci")
    with tempfile.TemporaryDirectory() as profile:
        page = subprocess.run([sys.argv[3], "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--dump-dom",
                               f"file://{os.path.abspath(sys.argv[1])}#{name}"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, check=True).stdout
    for _, _, begin, size, _, rect, group in frames_of(tree.fromstring(page)):
        inside = begin >= start and begin + size <= start + width
        outside = begin >= start + width or begin + size <= start
        assert "none" in group.get("style", "") if outside else "none" not in group.get("style", ""), "which frames are shown"
        if inside:
            assert abs(float(rect.get("width")) - min(size / width, 1) * 1180) < 0.1
    print("a function fills the picture")


main()
