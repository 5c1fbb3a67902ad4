#!/usr/bin/env python3
"""coverage.py INFO GCOV: compares a tracefile with what gcov counted for the same program on the host."""

import re
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    lines = {int(line): int(count) for line, count in re.findall(r"^DA:(\d+),(\d+)$", text, re.M)}
    functions = {name: int(count) for count, name in re.findall(r"^FNDA:(\d+),(\w+)$", text, re.M)}
    with open(sys.argv[2], encoding="utf-8") as file:
        text = file.read()
    expected = {int(line): 0 if count.startswith("#") else int(count.rstrip("*"))
                for count, line in re.findall(r"^ *(\d+\*?|#####): *(\d+):", text, re.M)}
    both = sorted(set(lines) & set(expected))
    assert len(both) >= 0.7 * len(expected), set(lines) ^ set(expected)
    for line in both:
        assert lines[line] == expected[line], f"line {line}: {lines[line]}, expected {expected[line]}"
    calls = {name: int(count) for name, count in re.findall(r"^function (\w+) called (\d+)", text, re.M)}
    assert {name: functions.get(name) for name in calls} == calls, (functions, calls)
    print(f"{len(both)} lines and {len(calls)} functions agree")


main()
