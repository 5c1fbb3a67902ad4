#!/usr/bin/env python3
"""tiers.py TEMU [OPTION...] PROGRAM [ARGUMENT...]: runs a program with each tier (interp, auto, translate, optimize) and compares exit status and
all output. With --insns N,N... (as the first option), it also compares runs that are stopped after that number of instructions."""
import subprocess
import sys


def run(temu, options, words):
    result = subprocess.run([temu, *options, *words], stdin=subprocess.DEVNULL, capture_output=True)
    return result.returncode, result.stdout, result.stderr


def compare(temu, options, words):
    expected = run(temu, ["--tier=interp", *options], words)
    for tier in "auto", "translate", "optimize":
        found = run(temu, [f"--tier={tier}", *options], words)
        for what, wanted, got in zip(("status", "output", "errors"), expected, found):
            if wanted != got:
                sys.exit(f"{' '.join([*options, *words])}: {what} with --tier={tier} is {got!r}, interpreted it is {wanted!r}")


def main():
    temu, words = sys.argv[1], sys.argv[2:]
    counts = []
    if words[0] == "--insns":
        counts, words = words[1].split(","), words[2:]
    compare(temu, [], words)
    for count in counts:
        compare(temu, [f"--max-insns={count}"], words)
    print("the tiers agree")


main()
