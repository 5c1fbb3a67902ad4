#!/usr/bin/env python3
"""Compares the pictures of a barrel with its trace and with the report: barrel_pictures.py NAME

Reads NAME.trace, NAME.json (the report), NAME.text, NAME.kanata, NAME.vcd, NAME.decoded (of Perfetto) and NAME.svg."""

import collections
import json
import re
import sys

from perfetto_text import parse

name = sys.argv[1]


def fail(message):
    sys.exit(f"barrel_pictures.py: error: {message}")


def lines_of(suffix):
    return open(f"{name}.{suffix}", encoding="utf-8").read().splitlines()


def compare(what, found, expected):
    for key in sorted(found.keys() | expected.keys(), key=str):
        if found.get(key) != expected.get(key):
            fail(f"{what}: {key} is {found.get(key)}; expected {expected.get(key)}")


# The table: the turns of instructions are those of the trace, each other turn is one bubble, and the counts are those of the report.
traced = {}
for line in lines_of("trace"):
    if line[0] not in "#-":
        sequence, turn, thread = line.split()[:3]
        traced[int(sequence)] = (int(turn), thread)
table, bubbles, commits = {}, {}, {}
for line in lines_of("text"):
    bubble = re.fullmatch(r"# turn (\d+) of (\w+) passes: ([\w-]+)", line)
    if bubble:
        if int(bubble[1]) in bubbles:
            fail(f"turn {bubble[1]} passes twice")
        bubbles[int(bubble[1])] = (bubble[2], bubble[3])
    elif line[0] != "#":
        words, cycles = line.split("|")[0].split(), dict(zip("FDQPSXMEC", line.split("|")[1].split()))
        first = cycles["X"] if cycles["X"] != "-" else cycles["Q"]
        table[int(words[0])] = (int(first), words[3])
        commits[int(words[0])] = int(cycles["C"])
compare("the table", table, traced)
turns = {turn for turn, _ in table.values()}
if turns & bubbles.keys() or turns | bubbles.keys() != set(range(max(turns) + 1)):
    fail("a turn has both an instruction and a bubble, or neither")
report = json.loads("\n".join(lines_of("json")))
counts = collections.Counter(bubbles.values())
compare("the report", counts, {(thread, cause): count for thread, parts in report["threads"].items()
                               for cause, count in parts.items() if cause not in ("instructions", "issued") and count})

# Kanata: the id of the thread, and its name in the label.
threads = list(report["threads"])
cycle, found, retired = 0, {}, {}
for line in lines_of("kanata")[2:]:
    command, *fields = line.split("\t")
    if command == "C":
        cycle += int(fields[0])
    elif command == "I":
        found[int(fields[1])] = (cycle, threads[int(fields[2])])
    elif command == "L" and fields[1] == "0" and not fields[2].startswith(threads_name := found[int(fields[0])][1] + " "):
        fail(f"Kanata: '{line}' does not begin with {threads_name}")
    elif command == "R":
        retired[int(fields[0])] = cycle - 1
compare("Kanata", found, table)
compare("Kanata, C", retired, commits)

# VCD: in each cycle, the thread with an instruction, and the thread with a bubble.
names, values, now, found, passed, causes = {}, {}, None, {}, {}, {}


def note_cycle(until):
    for thread in threads:
        for at in range(now, until):
            if values.get(thread + "_valid"):
                found[at] = (values[thread + "_sequence"], thread)
            if values.get(thread + "_bubble"):
                passed[at] = (thread, causes[values[thread + "_bubble"]])


for line in lines_of("vcd"):
    word = line.split()
    if word[0] == "$var":
        names[word[3]] = word[4]
    elif word[0] == "$comment":
        causes = {int(number): cause for number, cause in zip(word[2::2], word[3::2])}
    elif line[0] == "#":
        if now is not None:
            note_cycle(int(line[1:]))
        now = int(line[1:])
    elif line[0] == "b" and "x" not in word[0]:
        values[names[word[1]]] = int(word[0][1:], 2)
    elif line[0] in "01":
        values[names[line[1:]]] = int(line[0])
compare("VCD", found, {turn: (sequence, thread) for sequence, (turn, thread) in table.items()})  # of a bundle, the second one
compare("VCD, bubbles", passed, bubbles)

# Perfetto: a track for each thread.
tracks, begun, found, passed = {}, {}, {}, {}
for packet in parse(iter(lines_of("decoded")))["packet"]:
    if "track_descriptor" in packet:
        tracks[packet["track_descriptor"][0]["uuid"][0]] = packet["track_descriptor"][0].get("name", ["temu"])[0].split()[0]
        continue
    event, at = packet["track_event"][0], packet["timestamp"][0]
    thread = tracks[event["track_uuid"][0]]
    if thread not in threads:
        continue
    if event["type"][0] == "TYPE_SLICE_END":
        if begun.pop(event["track_uuid"][0], None) != at - 1:
            fail(f"Perfetto: a slice of {thread} that ends in {at} is not one turn long")
        continue
    begun[event["track_uuid"][0]] = at
    if event["categories"] == ["run"]:
        notes = {note["name"][0]: note for note in event["debug_annotations"]}
        found[notes["sequence"]["uint_value"][0]] = (at, thread)
    else:
        passed[at] = (thread, event["name"][0])
compare("Perfetto", found, table)
compare("Perfetto, bubbles", passed, bubbles)

# SVG: the runs of bubbles, and a cell for each turn.
text = "\n".join(lines_of("svg"))
found = collections.Counter()
for cause, count, thread in re.findall(r"<title>([\w-]+): (\d+) turns of (\w+) from \d+ to \d+ pass</title>", text):
    found[thread, cause] += int(count)
compare("SVG", found, counts)
if [label for label in re.findall(r">(\w+)</text>", text) if label in threads][:len(threads)] != threads:
    fail("SVG: a thread has no lane")
