#!/usr/bin/env python3
"""tsweep: sweep.py TSWEEP TEMU, in a folder with the program `tiles`. Each number is compared with that of a run of temu."""

import csv
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as tree

tsweep, temu = sys.argv[1:3]
LISTS = {"matrix.lanes": ["4", "16"], "matrix.slaves": ["8", "16", "32"], "timing.dma.bytes": ["16", "64"], "timing.order": ["fifo", "oldest"]}
COST = "matrix.lanes * matrix.slaves + 4 * timing.dma.bytes + log2(timing.granule)"
SWEEP = f"run: tiles\nmachine: {{timing: {{granule: 4}}}}\nsettings: {{{', '.join(f'{key}: [{chr(44).join(values)}]' for key, values in LISTS.items())}}}\ncost: {COST}\n"


def check(holds, what):
    if not holds:
        sys.exit(f"sweep.py: {what}")


def write(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def run(*arguments, status=0):
    result = subprocess.run([tsweep, "--quiet", "--temu", os.path.abspath("counted"), *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    check(result.returncode == status, f"{arguments}: status {result.returncode}, expected {status}: {result.stdout}")
    return result.stdout


def runs():
    """How often temu was run since the last call."""
    count = len(read("runs").split()) if os.path.exists("runs") else 0
    write("runs", "")
    return count


def expected():
    """The points, by runs of temu without tsweep; the front by comparing all pairs."""
    rows = []
    for lanes, slaves, beat, order in itertools.product(*LISTS.values()):
        write("own.yaml", f"matrix: {{lanes: {lanes}, slaves: {slaves}}}\ntiming: {{granule: 4, order: {order}, dma: {{bytes: {beat}}}}}\n")
        said = subprocess.run([temu, "--machine=./own.yaml", "--timing=json", "tiles"], stderr=subprocess.PIPE, text=True, check=True).stderr
        rows.append(([lanes, slaves, beat, order], int(lanes) * int(slaves) + 4 * int(beat) + 2, json.loads(said)["cycles"]))
    front = [not any(other[1] <= row[1] and other[2] <= row[2] and other[1:] != row[1:] for other in rows) for row in rows]
    return [(*row, best) for row, best in zip(rows, front)]


def found(folder):
    with open(f"{folder}/result.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [([row[key] for key in LISTS], int(float(row["cost"])), int(row["cycles"]), row["pareto"] == "yes") for row in rows]


# A temu that is counted, and slow when SLOW is set.
write("counted", f'#!/bin/sh\ncase "$*" in *dump-machine*) ;; *) echo run >> "{os.path.abspath("runs")}"; sleep ${{SLOW:-0}};; esac\nexec "{temu}" "$@"\n')
os.chmod("counted", 0o755)
write("a.yaml", SWEEP)

# A whole sweep.
wanted = expected()
said = run("a.yaml")
check(said.startswith(f"24 points, {sum(row[3] for row in wanted)} on the front"), said)
check(found("a.sweep") == wanted, "the points differ from those of temu")
check(runs() == 24, "a point was not run once")
points = json.loads(read("a.sweep/result.json"))["points"]
check([(list(point["settings"].values()), point["cost"], point["cycles"], point["pareto"]) for point in points] == wanted, "JSON differs from CSV")
picture = tree.parse("a.sweep/result.svg").getroot()
dots = [dot for dot in picture.iter("{http://www.w3.org/2000/svg}circle") if len(dot)]
check(len(dots) == 24 and sum(dot.get("fill") == "#c0392b" for dot in dots) == sum(row[3] for row in wanted), "the picture has other points")

# Nothing is run again, but what is new; all is when the program changes.
run("a.yaml")
check(runs() == 0, "a finished sweep was run again")
write("a.yaml", SWEEP.replace("[8,16,32]", "[8,16,32,64]"))
run("a.yaml")
check(runs() == 8, "other points than the new ones were run")
write("a.yaml", SWEEP.replace("run: tiles", "run: [tiles, argument]"))
run("a.yaml")
check(runs() == 24, "the arguments do not matter")

# Parts at the same time give the same files as the whole.
write("a.yaml", SWEEP)
run("a.yaml", "-o", "whole")
parts = [subprocess.Popen([tsweep, "--quiet", "--temu", temu, "--array", f"{i}/5", "-o", "parts", "a.yaml"], stdout=subprocess.DEVNULL) for i in range(1, 6)]
check(all(part.wait() == 0 for part in parts), "a part failed")
for name in ("result.csv", "result.json", "result.svg"):
    check(read(f"whole/{name}") == read(f"parts/{name}"), f"{name} of the parts differs from that of the whole")

# Interrupted, it goes on where it was.
for number in (signal.SIGINT, signal.SIGTERM):
    runs()
    shutil.rmtree("cut", ignore_errors=True)
    command = [tsweep, "--quiet", "-j", "2", "--temu", os.path.abspath("counted"), "-o", "cut", "a.yaml"]
    child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "SLOW": "0.05"})
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (not os.path.isdir("cut/points") or len(os.listdir("cut/points")) < 5):
        time.sleep(0.01)
    child.send_signal(number)
    said = child.communicate()[1]
    done = [name for name in os.listdir("cut/points") if name.endswith(".json")]
    check(child.returncode == 130 and "the same command goes on" in said, f"interrupted: status {child.returncode}: {said}")
    check(5 <= len(done) < 24 and not os.path.exists("cut/result.csv"), f"{len(done)} points after the interruption")
    runs()
    run("-o", "cut", "a.yaml")
    check(runs() == 24 - len(done), "points were run again, or not at all")
    check(read("cut/result.csv") == read("whole/result.csv"), "the results after an interruption differ")

# A point that fails is told, and the others are kept.
write("b.yaml", SWEEP.replace("[16,64]", "[16,48]"))
said = run("b.yaml", status=1)
check(said.count("48 is not a power of two") == 12 and said.count("temu refuses the machine: ") == 12 and "machine.yaml" not in said and "12 points" in said, said)
write("one.yaml", "run: tiles\nsettings: {matrix.lanes: [16]}\ncost: 1\n")
check(run("one.yaml").startswith("1 point, 1 on the front: "), "a sweep of one point")

# Mistakes in the file.
for text, message in [
    ("run: tiles\ncost: 1\n", "b.yaml:1:1: error: 'settings' is missing; add it, as in 'settings: {matrix.lanes: [16, 32]}'"),
    ('run: tiles "a\nsettings: {matrix.lanes: [4]}\ncost: 1\n', "b.yaml:1:6: error: 'run' is not a command: no closing quotation; expected a program and its arguments"),
    (SWEEP.replace("timing.order", "timing.odrer"), "error: unknown setting 'timing.odrer'"),
    (SWEEP.replace("[8,16,32]", "8"), "error: 'matrix.slaves' is not a list of values"),
    (SWEEP.replace("[8,16,32]", "[8,8]"), "error: 'matrix.slaves' has a value twice"),
    (SWEEP.replace(COST, "matrix.lanse * 2"), "b.yaml:4:7: error: the cost has the unknown setting 'matrix.lanse'"),
    (SWEEP.replace(COST, "timing.order * 2"), "the cost has the setting 'timing.order', whose value 'fifo' is not a number"),
    (SWEEP.replace(COST, "__import__('os')"), "error: found '__import__('os')' in the cost"),
    (SWEEP.replace(COST, "1 / (matrix.lanes - 4)"), "the cost has no value for matrix.lanes=4"),
    (SWEEP.replace(COST, "1e200 ** matrix.lanes"), "timing.order=fifo: Numerical result out of range"),
    (SWEEP.replace(COST, "'matrix.lanes *'"), "error: malformed expression 'matrix.lanes *'"),
    (SWEEP.replace("run: tiles", "run: none"), "error: cannot read the program"),
    (SWEEP.replace("granule", "granlue"), "error: unknown setting 'timing.granlue'"),
    (SWEEP + "costs: 1\n", "b.yaml:5:1: error: unknown key 'costs'; expected run, machine, settings, cost"),
    ("run: [", "error: malformed YAML"),
    ("", "b.yaml: error: the file is empty"),
]:
    write("b.yaml", text)
    shutil.rmtree("b.sweep", ignore_errors=True)
    said = run("b.yaml", status=1)
    check(message in said and not os.path.exists("b.sweep/result.csv"), f"expected '{message}', found '{said}'")
check("expected I/N" in run("--array", "5/4", "a.yaml", status=2), "--array 5/4 was accepted")
check("cannot read none.yaml" in run("none.yaml", status=1), "a file that is not there was accepted")
