"""Compares what threads have of their own, registers, CSRs and rows of the traversal unit, as `ttrace at` and `who` tell it with the text
trace: threads.py TTRACE TRACE TEXT TIMES"""

import random
import re
import subprocess
import sys

LINE = re.compile(r"^ *(\d+) +(?:\d+ )?((?:sup|w|t)\d*) ")
OWN = re.compile(r"^((?:ra|sp|gp|tp|[ats][0-9]+|f[ats][0-9]+|fflags|frm|traversal\.init[][0-9]*))=(0x[0-9a-f]+)$")
START = re.compile(r"^worker\[(\d+)\]\.(\w+)=(0x[0-9a-f]+)$")


def main():
    ttrace, trace, text, times = sys.argv[1:]
    chance = random.Random(1)

    def ask(command, *words):
        return subprocess.run([ttrace, command, *words], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout.splitlines()

    steps = []
    with open(text, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                match = LINE.match(line)
                thread = match[2] if match else "t1"    # before there is a second thread
                steps.append((thread, line.split(None, 1)[0], line.rpartition(" | ")[2] if " | " in line else ""))
    threads, right = set(), [0, 0, 0]
    values, writers, before = {}, {}, 0

    def write(name, value, sequence):
        values[name], writers[name] = value, sequence

    def start(thread, name, value, sequence, caller):
        """All that a worker has of its own is that of its caller, or 0, in f registers an f32, but what the start says."""
        if name == "pc" and caller:
            for own in [own for own in values if own.startswith(f"{caller}.")]:
                write(f"{thread}.{own.split('.', 1)[1]}", values[own], sequence)
        elif name == "pc":
            for own in [own for own in values if own.startswith(f"{thread}.")] + [f"{thread}.fflags", f"{thread}.s11", f"{thread}.fs11"]:
                write(own, "0xffffffff00000000" if re.match(r"\w+\.f[ats]\d", own) else "0x0", sequence)
        else:
            write(f"{thread}.{name}", value, sequence)

    for time in sorted(chance.randrange(len(steps) // 2, len(steps)) for _ in range(int(times))):
        for thread, sequence, effects in steps[before:time]:
            effects = effects.split()
            for effect in effects:
                if match := OWN.match(effect):
                    write(f"{thread}.{match[1]}", match[2], sequence)
                elif match := START.match(effect):
                    start(f"w{match[1]}", match[2], match[3], sequence, thread if effects[-1].startswith("trap=") else None)
        before = time
        answers = dict(line.split("=") for line in ask("at", trace, steps[time][1]) if "=" in line and not line.startswith("before"))
        right[0] += all(answers.get(name, "0x0" if ".traversal" in name else "unknown") == value for name, value in values.items())
        threads |= {name.split(".")[0] for name in answers if "." in name}
        others = sorted(name for name in values if re.search(r"\.(fflags|frm|traversal)", name))
        name = chance.choice(others if others and chance.random() < 0.5 else sorted(values))
        right[1] += ask("who", "--depth=0", trace, f"{name}@{steps[time][1]}")[0].startswith(f"{name}: {writers[name]} ")
        right[2] += ask("at", trace, f"{name}@{steps[time][1]}")[0].split()[0] == f"{name.split('.', 1)[1]}={values[name]}"
    print(f"{len({thread for thread, *_ in steps} & threads) > 2} {right[0]} times, {right[1]} writers, {right[2]} values as in the text")


main()
