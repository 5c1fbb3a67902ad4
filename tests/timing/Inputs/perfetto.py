#!/usr/bin/env python3
"""Reads a trace of Perfetto that protoc has decoded, and compares it with the table and with the arrows of Kanata:
perfetto.py NAME reads NAME.decoded, NAME.text and NAME.kanata."""

import sys

from perfetto_text import parse

name = sys.argv[1]


def fail(message):
    sys.exit(f"perfetto.py: error: {message}")


table, waits = {}, {}
for line in open(name + ".text", encoding="utf-8"):
    if line[0] != "#":
        parts = line.split("|")
        number = int(line.split()[0])
        table[number] = {stage: int(at) for stage, at in zip("FDQPSXMEC", parts[1].split()) if at != "-"}
        waits[number] = parts[2].strip() if len(parts) > 2 else ""

# Tracks are described before they are used, packets are in the order of the cycles, slices do not overlap.
tracks, parents, used, begun, now = {}, {}, {}, {}, 0
slices, counters, begins, ends = {}, {}, {}, {}
packets = parse(iter(open(name + ".decoded", encoding="utf-8")))["packet"]
if packets[0].get("sequence_flags") != [1] or any(packet["trusted_packet_sequence_id"] != [1] for packet in packets):
    fail("the packets are not of one sequence that begins with the first of them")
for packet in packets:
    if "track_descriptor" in packet:
        track = packet["track_descriptor"][0]
        uuid = track["uuid"][0]
        if uuid in tracks:
            fail(f"track {uuid} is described twice")
        if "parent_uuid" in track and track["parent_uuid"][0] not in tracks:
            fail(f"track {uuid}: its parent is not described")
        tracks[uuid] = track.get("name", ["temu"])[0]
        if "counter" in track:
            counters[tracks[uuid]] = []
        continue
    event, at = packet["track_event"][0], packet["timestamp"][0]
    if at < now:
        fail(f"cycle {at} after cycle {now}")
    now = at
    kind, uuid = event["type"][0], event["track_uuid"][0]
    if uuid not in tracks:
        fail(f"track {uuid} is not described")
    track = tracks[uuid]
    if kind == "TYPE_COUNTER":
        counters[track].append((at, event["counter_value"][0]))
    elif kind == "TYPE_SLICE_BEGIN":
        if uuid in begun:
            fail(f"two slices of {track} overlap in cycle {at}")
        notes = {note["name"][0]: note for note in event["debug_annotations"]}
        begun[uuid] = (at, notes["sequence"]["uint_value"][0], event)
    elif kind == "TYPE_SLICE_END":
        if uuid not in begun:
            fail(f"no slice of {track} ends in cycle {at}")
        start, sequence, first = begun.pop(uuid)
        if start >= at:
            fail(f"a slice of {track} in cycle {start} has no length")
        stage = track.split()[0] if "pipe" not in track else track.rstrip(" 0123456789")
        if first["categories"] == ["branch"]:
            stage = "branch"
        slices.setdefault(sequence, {})[stage] = (start, at, first["name"][0], first["categories"][0])
        for flow in first.get("flow_ids", []):
            begins[flow] = (sequence, start)
        for flow in first.get("terminating_flow_ids", []):
            ends[flow] = (sequence, start)
if begun:
    fail(f"slices of {[tracks[uuid] for uuid in begun]} do not end")

# The cycles are those of the table, and a name begins with the cause.
for sequence, times in table.items():
    shown = slices[sequence]
    expected = {"F": ("F", "D"), "D": ("D", "Q" if "Q" in times else "X")}
    if "X" in times:
        expected["X"] = ("X", "E")
    else:
        expected["Q"] = ("Q", "P")
        expected["P"] = ("P", "S" if "S" in times else "M")
        if "S" in times:
            expected["S"] = ("S", "M")
    for stage, (start, end) in expected.items():
        if shown[stage][:2] != (times[start], times[end]):
            fail(f"instruction {sequence} is in {stage} {shown[stage][:2]}; expected {times[start], times[end]}")
    units = {stage: part for stage, part in shown.items() if stage not in "FDXQPS" and stage != "branch"}
    if "M" in times:
        whole = sorted(part[:2] for part in units.values())
        if whole[0][0] != times["M"] or whole[-1][1] != times["E"] or (len(whole) > 1 and whole[0][1] != whole[1][0]):
            fail(f"instruction {sequence} is in its unit {whole}; expected {times['M'], times['E']}")
    causes = [cause.split(" of ")[0] for cause in waits[sequence].split(", ") if cause]
    for stage, (_, _, text, category) in shown.items():
        if category != "run" and (not text.startswith(category + ": ") or (stage in "DS" and category not in causes)):
            fail(f"instruction {sequence} in {stage}: '{text}' of category {category}; the table has {causes}")
        if stage == "S" and category == "run":
            fail(f"instruction {sequence} is in S without a cause")
    named = {category for _, _, _, category in shown.values()}
    for cause in causes:
        if cause not in named and (cause not in ("fill", "branch", "window") and "S" in shown):
            fail(f"instruction {sequence}: no slice has the cause {cause}")

# The counters: how many instructions are in the queues at the end of each cycle in which it changes.
for queue, leave in (("Q", "P"), ("S", "M")):
    changes = {}
    for times in table.values():
        if queue in times:
            changes[times[queue]] = changes.get(times[queue], 0) + 1
            changes[times[leave]] = changes.get(times[leave], 0) - 1
    count, expected = 0, []
    for at in sorted(changes):
        count += changes[at]
        if changes[at]:
            expected.append((at, count))
    if counters.get(queue + " entries", []) != expected:
        fail(f"the entries of {queue} are {counters.get(queue + ' entries')[:9]}…; expected {expected[:9]}…")

# A flow for each arrow of Kanata, from a slice to a later one.
ids, arrows = [], set()
for line in open(name + ".kanata", encoding="utf-8"):
    fields = line.split()
    if fields[0] == "I":
        ids.append(int(fields[2]))
    if fields[0] == "W":
        arrows.add((ids[int(fields[2])], ids[int(fields[1])]))
if begins.keys() != ends.keys():
    fail("flows do not begin and end once each")
flows = {(begins[flow][0], ends[flow][0]) for flow in begins}
if flows != arrows or len(flows) != len(begins):
    fail(f"flows {sorted(flows ^ arrows)[:9]} are in one picture only")
if any(begins[flow][1] >= ends[flow][1] for flow in begins):
    fail("a flow goes back in time")

print(f"{len(table)} instructions, {len(flows)} flows, tracks: {', '.join(sorted(set(tracks.values())))}")
for counter, values in sorted(counters.items()):
    if counter.startswith("FIFO"):
        print(f"{counter}: {' '.join(f'{value}@{at}' for at, value in values)}")
