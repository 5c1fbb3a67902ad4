#!/usr/bin/env python3
"""profile.py PROGRAM TRACE CALLGRIND FOLDED: compares the profiles of a run with its trace as JSON.

The instructions are counted in the trace. The chain of calls is followed by what GNU objdump says of the instructions: this is a second
implementation, for programs without signals and longjmp."""

import collections
import json
import re
import subprocess
import sys


def read_trace(name):
    with open(name, encoding="ascii") as file:
        return [int(record["pc"], 16) for record in map(json.loads, file) if "pc" in record]


def read_callgrind(name):
    """Returns the instructions by address, and the calls by site and address of the callee."""
    costs, calls, call = collections.Counter(), collections.Counter(), None
    with open(name, encoding="ascii") as file:
        for line in file:
            words = line.split()
            if line.startswith("calls="):
                call = int(words[0][6:]), int(words[1], 16)
            elif line.startswith("0x") and call:
                calls[int(words[0], 16), call[1]] += call[0]
                call = None
            elif line.startswith("0x"):
                costs[int(words[0], 16)] += int(words[2])
    return costs, calls


def read_program(name):
    """Returns what jumps do, by address, and the functions as an ascending list."""
    kinds, functions = {}, {}
    text = subprocess.run(["riscv64-linux-gnu-objdump", "-d", "-Mno-aliases,numeric", name], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        match = re.match(r"\s+([0-9a-f]+):\s+([0-9a-f]+)\s+(\S+)\s*(\S*)", line)
        if match and re.match(r"(c\.)?j(al|alr|r)?$", match[3]):
            operands = match[4].split(",")
            mnemonic = match[3].removeprefix("c.")
            link = {"jal": operands[0], "jalr": operands[0] if len(operands) > 1 or match[3] == "jalr" else "x1", "j": "x0", "jr": "x0"}[mnemonic]
            base = re.search(r"x\d+", operands[-1]) if mnemonic != "jal" else None
            kind = "call" if link in ("x1", "x5") else "return" if base and base[0] in ("x1", "x5") else "jump"
            kinds[int(match[1], 16)] = kind, int(match[1], 16) + len(match[2]) // 2
    text = subprocess.run(["riscv64-linux-gnu-readelf", "-sW", name], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        words = line.split()
        if len(words) == 8 and (words[3] == "FUNC" or (words[3] == "NOTYPE" and words[4] == "GLOBAL")) and words[6] != "UND":
            functions.setdefault(int(words[1], 16), words[7])
    return kinds, functions


def follow(trace, kinds, functions):
    starts = sorted(functions)
    cache, stack, folded, calls = {}, [], collections.Counter(), collections.Counter()

    def function_of(address):
        if address not in cache:
            cache[address] = max(start for start in starts if start <= address)
        return cache[address]

    # A frame is a function, where it returns to, and where it was called. A function that is jumped to was called where the one that jumps was.
    before = None
    for pc in trace:
        kind, back = kinds.get(before, ("", 0))
        if kind == "call":
            stack.append([None, back, before])
        elif kind == "return":
            while len(stack) > 1 and stack[-1][1] != pc:
                stack.pop()
            stack.pop()
        if not stack:
            stack.append([None, 0, None])
        if stack[-1][0] != function_of(pc):
            stack[-1][0] = function_of(pc)
            calls[stack[-1][2], function_of(pc)] += 1
        folded[";".join(functions[frame[0]] for frame in stack)] += 1
        before = pc
    calls = {key: count for key, count in calls.items() if key[0]}
    return folded, calls


def main():
    program, trace, callgrind, folded_name = sys.argv[1:]
    trace = read_trace(trace)
    kinds, functions = read_program(program)
    costs, calls = read_callgrind(callgrind)
    assert costs == collections.Counter(trace), "instructions by address"
    folded, expected = follow(trace, kinds, functions)
    with open(folded_name, encoding="ascii") as file:
        given = {line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1]) for line in file}
    for chain in sorted(set(folded) | set(given)):
        assert folded[chain] == given.get(chain, 0), f"{chain}: {given.get(chain, 0)}, expected {folded[chain]}"
    for site, callee in expected:
        given, right = calls[site, callee], expected[site, callee]
        assert given == right, f"calls at {site:#x} of {callee:#x}: {given}, expected {right}"
    print(f"{len(costs)} instructions, {len(folded)} chains and {len(expected)} calls agree")


main()
