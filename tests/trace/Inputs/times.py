"""Compares the times in a lossless trace with --pipeline: times.py TEMU READERS PROGRAM…

A PROGRAM may have options of temu before it. READERS is the directory of the reader in Python.
"""

import re
import subprocess
import sys

temu, readers, *programs = sys.argv[1:]
sys.path.insert(0, readers)
reader = __import__("ttrace")


def from_picture(line):
    """Returns pc, cycles, causes and blocker of a line of the picture."""
    left, cycles, waits = (line.rstrip("\n") + " | ").split(" | ")[:3]
    sequence, pc = left.split()[:2]
    stages = {stage: int(cycle) for stage, cycle in zip(reader.STAGES, cycles.split()) if cycle != "-"}
    blocker = re.search(r" of (\d+)$", waits)
    causes = re.sub(r" of \d+$", "", waits).split(", ") if waits else []
    return int(pc, 16), stages, causes, int(sequence) - int(blocker[1]) if blocker else 0


def from_trace(record, time):
    stages = {stage: cycle for stage, cycle in time.cycles.items() if stage != "pipe"}
    return record.pc, stages, [cause for cause in (time.stall, time.wait) if cause], time.blocker


for program in programs:
    words = program.split()
    name = words[-1]
    subprocess.run([temu, "--timing", f"--pipeline={name}.pipeline", f"--trace={name}.ttrace", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=False)
    trace = reader.open(name + ".ttrace")
    records = list(trace)
    times = [from_trace(records[time.record - 1], time) for time in trace.times()]
    with open(name + ".pipeline", encoding="utf-8") as file:
        picture = [from_picture(line) for line in file if not line.startswith("#")]
    for i, (ours, other) in enumerate(zip(times, picture)):
        if ours != other:
            sys.exit(f"times.py: error: {program}: instruction {i} has {ours} in the trace, expected {other}")
    if len(times) != len(picture) or not times:
        sys.exit(f"times.py: error: {program}: {len(times)} instructions have times, expected {len(picture)}")
    print(program + ": the times are those of --pipeline")
