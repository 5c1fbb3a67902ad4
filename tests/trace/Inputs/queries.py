"""Compares answers of ttrace with the text trace and with memory: queries.py TTRACE TRACE TEXT SYMBOL=DUMP…"""

import random
import re
import subprocess
import sys

REGISTER = re.compile(r"^((?:ra|sp|gp|tp|[ats][0-9]+|f[ats][0-9]+))=(0x[0-9a-f]+)$")
STORE = re.compile(r"^store(\d)\[(0x[0-9a-f]+)\]=|^write\[(0x[0-9a-f]+)\+(0x[0-9a-f]+)\]")
LOAD = re.compile(r"^load(\d)\[(0x[0-9a-f]+)\]=|^read\[(0x[0-9a-f]+)\+(0x[0-9a-f]+)\]")


def touches(match, place):
    """Returns whether the effect, a match of STORE or LOAD, includes the byte."""
    start, size = (int(match[2], 16), int(match[1])) if match[1] else (int(match[3], 16), int(match[4], 16))
    return start <= place < start + size


def main():
    ttrace, trace, text, *dumps = sys.argv[1:]
    chance = random.Random(1)

    def ask(command, *words):
        return subprocess.run([ttrace, command, *words], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout.splitlines()

    for dump in dumps:
        symbol, name = dump.split("=")
        with open(name, "rb") as file:
            content = file.read()
        lines = ask("at", trace, f"{symbol}:u8[{len(content)}]@1000000000")
        if lines == [f"{symbol}:u8[{len(content)}] = {list(content)}"]:
            print(f"{symbol}: memory as dumped")
    with open(text, encoding="utf-8") as file:
        steps = [line.rstrip("\n").partition(" | ")[2].split() for line in file if not line.startswith("#")]

    def writes(effect, name):
        match = STORE.match(effect)
        if not isinstance(name, int) or not match:
            return effect.startswith(f"{name}=")
        return touches(match, name)

    def last(name, end):
        return next((at for at in range(end - 1, -1, -1) if any(writes(effect, name) for effect in steps[at])), None)

    same = [0, 0, 0, 0]
    for _ in range(60):
        time = chance.randrange(1, len(steps))
        values = dict(match.groups() for step in steps[:time] for effect in step if (match := REGISTER.match(effect)))
        answers = dict(line.split("=") for line in ask("at", trace, str(time)) if "=" in line and not line.startswith("before"))
        same[0] += all(answers[name] == value for name, value in values.items())
        name = chance.choice(sorted(values))
        found = ask("who", "--depth=0", trace, f"{name}@{time}")[0]
        same[1] += found.startswith(f"{name}: {last(name, time)} ")
    print(f"{same[0]} times: registers as in the text")
    print(f"{same[1]} registers: last writers as in the text")
    places = [(int(match[2] or match[3], 16)) for step in steps for effect in step if (match := STORE.match(effect))]
    for _ in range(40):
        time, place = chance.randrange(1, len(steps)), chance.choice(places)
        found, expected = ask("who", "--depth=0", trace, f"{place:#x}@{time}")[0].split(": ", 1)[1], last(place, time)
        same[2] += found.startswith(f"{expected} ") if expected is not None else found.startswith(("not written", "before the first"))
    print(f"{same[2]} addresses: last writers as in the text")
    reads = [(at, match) for at, step in enumerate(steps) for effect in step if (match := LOAD.match(effect))]
    for _ in range(40):
        place = int((found := chance.choice(reads)[1])[2] or found[3], 16) + chance.randrange(-2, 3)
        expected = [at for at, match in reads if touches(match, place)]
        same[3] += [int(line.split()[0]) for line in ask("reads", "--limit=1000000", trace, f"{place:#x}")] == expected
    print(f"{same[3]} addresses: readers as in the text")


main()
