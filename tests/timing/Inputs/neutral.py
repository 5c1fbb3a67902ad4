#!/usr/bin/env python3
"""Runs all kernels with and without --timing: neutral.py ROOT TASM TLD TEMU"""

import glob
import json
import os
import re
import subprocess
import sys

root, tasm, tld, temu = sys.argv[1:]
machines = {"default": "", "narrow": "timing: {window: 4, queue: 1, storage: 1, branch: 7, dma: {latency: 9, engines: 3}}",
            "oldest": "timing: {order: oldest, granule: 64, storage: 3, traversal: {ahead: 1, locate: 5}, matrix: {right: load, write: 8}}"}
for name, text in machines.items():
    with open(name + ".yaml", "w", encoding="utf-8") as file:
        file.write(text or "{}")


def run(*options):
    return subprocess.run([temu, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def state(name):
    """The state at the end, without the counters that --timing changes."""
    return [line for line in open(name, encoding="utf-8") if not re.match(r' *"m?(cycle|hpmcounter\d+)":', line)]


count = 0
for source in sorted(glob.glob(os.path.join(root, "tests/kernels/*.s"))):
    name = os.path.basename(source)[:-2]
    if subprocess.run([tasm, "-I", os.path.dirname(source), "-I", os.path.join(root, "include"), "-o", "k.o", source], stderr=subprocess.DEVNULL, check=False).returncode:
        continue
    if subprocess.run([tld, "-o", "k", "k.o"], stderr=subprocess.DEVNULL, check=False).returncode:
        continue
    for machine in machines:
        option = f"--machine=./{machine}.yaml"
        plain = run(option, "--trace=plain.trace", "--dump-state=plain.state", "k")
        timed = run(option, "--timing=json", "--timing-file=report", "--trace=timed.trace", "--dump-state=timed.state", "k")
        alone = run(option, "--timing=json", "--timing-file=alone", "--dump-state=alone.state", "k")
        for run_of, kind in ((timed, "timed"), (alone, "alone")):
            assert (plain.stdout, plain.stderr, plain.returncode) == (run_of.stdout, run_of.stderr, run_of.returncode), (name, machine, run_of.stderr)
            assert state("plain.state") == state(kind + ".state"), (name, machine, kind, "the state differs")
        assert open("plain.trace").read() == open("timed.trace").read(), (name, machine, "the trace differs")
        report = json.load(open("report", encoding="utf-8"))
        assert report == json.load(open("alone", encoding="utf-8")), (name, machine, "the report depends on the trace")
        assert sum(report["front_end"].values()) == report["cycles"], (name, machine)
        for unit, parts in report["units"].items():
            assert sum(parts.values()) == report["cycles"], (name, machine, unit)
        assert sum(site["count"] for site in report["sites"]) == report["instructions"] == report["front_end"]["issued"], (name, machine)
        assert 0 <= report["lanes"]["share"] <= 1 and all(0 <= site["lanes"] <= 1 for site in report["sites"]), (name, machine)
        count += 1
assert count >= 24, count
