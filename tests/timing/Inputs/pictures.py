#!/usr/bin/env python3
"""Reads the pictures of one run and compares them with the table: pictures.py NAME"""

import re
import sys

name = sys.argv[1]
table = {}
for line in open(name + ".text", encoding="utf-8"):
    if line[0] != "#":
        fields = line.split("|")[1].split()
        table[int(line.split()[0])] = dict(zip("FDQPSXMEC", fields))


def fail(message):
    sys.exit(f"pictures.py: error: {message}")


# Kanata 0004: every command has its fields, ids count from 0, an instruction ends after its last stage.
lines = open(name + ".kanata", encoding="utf-8").read().splitlines()
if lines[0] != "Kanata\t0004" or lines[1] != "C=\t0":
    fail(f"the header is {lines[:2]}")
cycle, alive, found, retired = 0, {}, {}, 0
for line in lines[2:]:
    command, *fields = line.split("\t")
    if command == "C":
        if int(fields[0]) < 1:
            fail(f"'{line}' goes back")
        cycle += int(fields[0])
        continue
    number = int(fields[0])
    if command == "I":
        if number != len(found) or fields[2] != "0":
            fail(f"'{line}': expected id {len(found)} of thread 0")
        alive[number] = int(fields[1])
        found[int(fields[1])] = {}
        continue
    if number not in alive:
        fail(f"'{line}' is about an instruction that is not in flight")
    if command == "S":
        if fields[1] != "0":
            fail(f"'{line}': expected lane 0")
        found[alive[number]][fields[2]] = str(cycle)
    elif command == "L":
        if fields[1] not in "01":
            fail(f"'{line}': expected type 0 or 1")
    elif command == "W":
        if int(fields[1]) >= number or fields[2] != "0":
            fail(f"'{line}': expected an older producer")
    elif command == "R":
        if int(found[alive[number]]["C"]) != cycle - 1 or fields[2] != "0":
            fail(f"'{line}' in cycle {cycle}: expected the cycle after C")
        del alive[number]
        retired += 1
    else:
        fail(f"unknown command '{line}'")
if alive or retired != len(table):
    fail(f"{retired} instructions retire of {len(table)}")
for sequence, stages in table.items():
    for stage, at in stages.items():
        if found[sequence].get(stage, at if stage == "E" else "-") != at:
            fail(f"instruction {sequence} is in {stage} at {found[sequence].get(stage)} in Kanata, at {at} in the table")

# VCD: times grow, variables are declared, and the instructions that commit are those of the table.
names, now, commits, entries = {}, -1, [], {}
for line in open(name + ".vcd", encoding="utf-8"):
    word = line.split()
    if word[0] == "$var":
        names[word[3]] = word[4]
    elif line[0] == "#":
        if int(line[1:]) < now or (int(line[1:]) == now and now != 0):
            fail(f"VCD: time {line.strip()} after {now}")
        now = int(line[1:])
    elif line[0] == "b":
        value, code = line[1:].split()
        if code not in names:
            fail(f"VCD: '{line.strip()}' has an unknown variable")
        if names[code] == "C_sequence" and value != "x":
            commits.append((now, int(value, 2)))
        entries.setdefault(names[code], []).append(value)
last = {}
for sequence, stages in table.items():
    last[int(stages["C"])] = sequence  # of several that commit in a cycle the last one is shown
if sorted(commits) != sorted((cycle, sequence) for cycle, sequence in last.items()):
    fail("VCD: the instructions that commit are not those of the table")
if "matrix_busy" not in entries or "1" not in entries["dma_busy"]:
    fail("VCD: the units are never busy")

# SVG and HTML: a bar for each stage, with the text that is shown under the pointer; nothing from elsewhere.
for suffix in ("svg", "html"):
    text = open(f"{name}.{suffix}", encoding="utf-8").read()
    rows = set(re.findall(r"<title>[^<]*\n(\d+) [0-9a-f]+ [^<]*</title>", text))
    if len(rows) != 200:
        fail(f"{suffix}: {len(rows)} instructions; expected 200")
    if re.search(r"(src|href)=", text) or "first 200 of 3000" not in text:
        fail(f"{suffix}: refers to something else, or does not say what is left out")
    if not {f">{unit}</text>" for unit in ("matrix", "dma", "sparse")} <= set(re.findall(r">\w+</text>", text)):
        fail(f"{suffix}: a unit has no lane")
