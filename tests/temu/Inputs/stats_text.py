"""stats_text.py TEXT JSON: the statistics in both formats hold the same numbers; prints how many."""
import json
import re
import sys

KINDS = ("memory_read", "memory_written", "scratchpad_read", "scratchpad_written")
text = open(sys.argv[1], encoding="ascii").read().split("\n")
found = json.load(open(sys.argv[2], encoding="ascii"))
assert list(found) == ["instructions", "classes", "mnemonics", "memory", "bytes", "units", "links"]
parts = {"by class": "classes", "by instruction": "mnemonics", "memory": "memory", "tensor units": "units"}
part, compared = None, 0
for line in text:
    words = line.split()
    if line.startswith("instructions "):
        assert int(words[1]) == found["instructions"]
    elif line and not line.startswith(" "):
        part = "bytes" if line.startswith("bytes by class") else parts[line]
    elif part == "bytes" and line:
        assert [int(word) for word in words[1:]] == [found["bytes"][words[0]][kind] for kind in KINDS], line
        compared += 4
    elif line:
        name, number = re.fullmatch(r"  (.*?) +(\d+)(?:  +[\d.]+%)?", line).groups()
        place = found[part]
        if part == "units":
            unit, name = name.split(": ")
            place = place[unit]
        assert place[name if part == "mnemonics" else re.sub(r"\W+", "_", name)] == int(number), line
        compared += 1
print(f"{compared} numbers are the same in both")
