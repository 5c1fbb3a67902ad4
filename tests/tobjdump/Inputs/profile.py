#!/usr/bin/env python3
"""profile.py TRACE PLAIN ANNOTATED MOVED: the counts in an annotated disassembly are those of a trace as JSON, whose addresses are MOVED further on, and the
rest is the plain disassembly."""

import collections
import json
import re
import sys

with open(sys.argv[1], encoding="ascii") as file:
    counts = collections.Counter(int(record["pc"], 16) for record in map(json.loads, file) if "pc" in record)
with open(sys.argv[2], encoding="utf-8") as file:
    plain = [line for line in file.read().splitlines() if line]
moved, rest, seen = int(sys.argv[4], 16), [], 0
with open(sys.argv[3], encoding="utf-8") as file:
    for line in file.read().splitlines():
        match = re.match(r"(.{14}) (( *[0-9a-f]+):\t.*)$", line)
        if match:
            count = int(match[1]) if match[1].strip() else 0
            assert count == counts[int(match[3], 16) + moved], line
            seen += count > 0
        if line and line.strip() != "Ir":
            rest.append(match[2] if match else line)
assert rest == plain, next((a, b) for a, b in zip(rest, plain) if a != b)
assert seen == len(counts)
print(seen, "instructions have the counts of the trace")
