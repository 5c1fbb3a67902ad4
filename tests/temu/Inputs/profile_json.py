#!/usr/bin/env python3
"""profile_json.py JSON CALLGRIND: both profiles of a run with --timing have the same costs."""

import json
import re
import sys

COSTS = ("instructions", "cycles", "bytes_read", "bytes_written", "multiply_adds")

with open(sys.argv[1], encoding="ascii") as file:
    found = json.load(file)
places, calls, call = {}, [], None
with open(sys.argv[2], encoding="ascii") as file:
    for line in file:
        words = line.split()
        if line.startswith("calls="):
            call = int(words[0][6:])
        elif re.match("0x", line) and call is not None:
            calls.append((words[0], call, [int(word) for word in words[2:]]))
            call = None
        elif re.match("0x", line):
            places[words[0]] = [int(word) for word in words[2:]]
        elif line.startswith("summary:"):
            assert [int(word) for word in words[1:]] == [found["total"][key] for key in COSTS]
assert places == {place["address"]: [place[key] for key in COSTS] for place in found["places"]}
assert sorted(calls) == sorted((call["site"], call["calls"], [call["total"][key] for key in COSTS]) for call in found["calls"])
for parts in (found["places"], found["lines"], [function["self"] for function in found["functions"]]):
    for key in COSTS:
        assert sum(part[key] for part in parts) == found["total"][key], key
print(len(places), "instructions and", len(calls), "calls are the same")
