#!/usr/bin/env python3
"""dump_state.py TEMU PROGRAM..., where machine.yaml is: stops each program after random numbers of instructions and at its end. The dump of the
state must be the same in every tier and by the definitions, and be what the trace of these instructions leaves; the counters must be those of
--stats, and the digests of memory those of the bytes that --dump writes."""
import hashlib
import json
import random
import re
import subprocess
import sys

WAYS = ["--tier=interp", "--tier=auto", "--tier=translate", "--tier=optimize", "--reference"]
TRACE_NAMES = {"dimensions": "dims", "rows": "unit_rows", "columns": "unit_columns"}


def dump(temu, way, limit, program, *options):
    words = [temu, "--machine=machine.yaml", way, *([f"--max-insns={limit}"] if limit else []), *options, program]
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def follow(state, trace):
    """Carries out the effects of a trace on the state at the beginning of the program."""
    registers = {name: file for file in state["registers"].values() for name in file}
    for line in trace.splitlines()[1:]:
        for effect in json.loads(line).get("effects", []):
            if "register" in effect and effect["register"] in registers:
                registers[effect["register"]][effect["register"]] = effect["value"]
            match = re.fullmatch(r"(\w+)\.(\w+)(?:\[(\d+)\])?(?:\[(\d+)\])?", effect.get("state", ""))
            if match:
                place, key = state["units"][match[1]], TRACE_NAMES.get(match[2], match[2])
                for index in match.groups()[2:]:
                    if index is not None:
                        place, key = place[key], int(index)
                if isinstance(key, int) or key in place:  # a counter is not there
                    place[key] = effect["value"]


def check_memory(temu, limit, program, state):
    for number, area in enumerate(state["memory"]):
        name = f"memory{number}"
        subprocess.run([temu, "--machine=machine.yaml", *([f"--max-insns={limit}"] if limit else []), f"--dump={area['address']}:{area['bytes']}={name}", program],
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(name, "rb") as file:
            if hashlib.sha1(file.read()).hexdigest() != area["sha1"]:
                sys.exit(f"{program}: after {limit}: the digest of {area} is not that of the bytes there")


def check(temu, program):
    whole = json.loads(dump(temu, WAYS[0], None, program, "--dump-state=-"))
    limits = [None, *(random.randrange(1, whole["instructions"]) for _ in range(4))]
    start = dump(temu, WAYS[0], 1, program, "--dump-state=-")
    for limit in limits:
        texts = [dump(temu, way, limit, program, "--dump-state=-") for way in WAYS]
        for way, text in zip(WAYS, texts):
            if text != texts[0]:
                sys.exit(f"{program}: after {limit}: {way} leaves another state than {WAYS[0]}")
        found, followed = json.loads(texts[0]), json.loads(start)
        follow(followed, dump(temu, WAYS[0], limit, program, "--trace=/dev/stdout", "--trace-format=json").decode())
        for part in "registers", "units":
            if found[part] != followed[part]:
                sys.exit(f"{program}: after {limit}: the {part} are not those of the trace")
        stats = json.loads(dump(temu, WAYS[0], limit, program, "--stats=/dev/stdout", "--stats-format=json"))
        if found["counters"] != stats["units"]:
            sys.exit(f"{program}: after {limit}: the counters are not those of --stats")
    check_memory(temu, limits[-1], program, found)


def main():
    temu, programs = sys.argv[1], sys.argv[2:]
    random.seed(13)
    for program in programs:
        check(temu, program)
    print(f"{len(programs)} programs leave the same state in every way")


main()
