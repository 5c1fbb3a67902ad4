#!/usr/bin/env python3
"""The worked examples of docs/timing.md, section 5: examples.py TEMU"""

import json
import subprocess
import sys


def run(example, count, before, machine=None):
    """Returns the report and the table, without the `before` instructions before the example."""
    command = [sys.argv[1], "--timing=json", "--timing-file=report", "--pipeline=table", f"--max-insns={before + count}"]
    command += [f"--machine={machine}.yaml"] if machine else []
    subprocess.run([*command, example], stderr=subprocess.DEVNULL, check=False)
    with open("report", encoding="utf-8") as file:
        report = json.load(file)
    rows = []
    with open("table", encoding="utf-8") as file:
        for line in file:
            if line[0] != "#" and int(line.split()[0]) >= before:
                fields = line.split("|")[1].split()
                rows.append([None if field == "-" else int(field) - before for field in fields])
    front = report["front_end"]
    assert sum(front.values()) == report["cycles"], report
    for unit in report["units"].values():
        assert sum(unit.values()) == report["cycles"], report
    return report, rows


def same(found, expected):
    if found != expected:
        sys.exit(f"examples.py: error: found {found}; expected {expected}")


def spent(unit):
    return {name: cycles for name, cycles in unit.items() if cycles}


N = None
report, rows = run("1", 8, 7)
same(rows[0], [0, 1, N, N, N, 2, N, 3, 3])
same(rows[3:], [[3, 4, 5, 6, N, N, 7, 363, 363], [4, 5, 6, 7, 8, N, 363, 719, 719], [5, 6, 7, 8, 9, N, 719, 794, 794],
                [6, 7, 8, 9, 10, N, 794, 1150, 1150], [7, 8, N, N, N, 9, N, 10, 1150]])
same(report["cycles"], 1150 + 7)
same(spent(report["front_end"]), {"issued": 8 + 7, "fill": 2, "drain": 1140})
same(spent(report["units"]["matrix"]), {"busy": 75, "raw": 711, "empty": 364 + 7})
same(spent(report["units"]["dma"]), {"busy": 1068, "raw": 75, "order": 1, "empty": 6 + 7})

for machine, times in ((None, [(4, 25), (25, 40), (34, 43), (42, 54)]), ("oldest", [(4, 25), (27, 42), (19, 28), (42, 54)]),
                       ("storage", [(4, 25), (27, 42), (19, 28), (42, 54)])):
    report, rows = run("2", 4, 7, machine)
    same([(row[6], row[7]) for row in rows], times)
    same(spent(report["units"]["matrix"]), {"busy": 50, "order": 1, "empty": 3 + 7})
    full = sorted(site["stalls"]["storage-full"] for site in report["sites"])
    same([count for count in full if count], [7, 13] if machine == "storage" else [])

for machine, cycles, raw in (("fifo1", 1512, 844), ("oldest1", 995, 324), ("fifo2", 1115, 446), ("oldest2", 824, 162)):
    report, rows = run("3", 12, 16, machine)
    same((report["cycles"], report["units"]["matrix"]["raw"]), (cycles + 16, raw))

for machine, walk, add, cycles, stall in ((None, [5, 6, 7, 8, 9, 10], 13, 17, 2), ("ahead3", [5, 6, 7, 8, 9, 10], 13, 17, 2),
                                          ("ahead1", [5, 8, 11, 14, 17, 20], 23, 27, 12)):
    report, rows = run("4", 8, 4, machine)
    same([row[5] for row in rows], [2, *walk, add])
    same(report["cycles"], cycles + 4)
    same((report["front_end"]["traversal"], report["front_end"]["operand"]), (stall, 2))
