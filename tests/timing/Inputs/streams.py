#!/usr/bin/env python3
"""Random streams of instructions through lib/timing and through the model that counts beat by beat: streams.py PROGRAM COUNT [SEED]"""

import math
import random
import subprocess
import sys

import beats

WALKS = ["none", "begin", "take", "look"]


def draw_settings(rng):
    window = rng.choice([2, 3, 4, 8, 16, 64])
    return beats.Settings(
        window=window,
        branch=rng.randint(1, 5),
        queue=rng.randint(1, min(window, 6)),
        storage=rng.randint(1, min(window, 6)),
        order=rng.choice(["fifo", "oldest"]),
        granule=rng.choice([1, 1, 4, 32]),
        resources=(1, rng.randint(1, 3), 1),
        ahead=rng.randint(1, 5),
        locate=rng.randint(1, 4),
        rows=4,
    )


def draw_instruction(rng, settings, active, kind):
    one = beats.Instruction()
    registers = range(1, 6)
    if rng.random() < kind:
        one.unit = rng.choice([0, 0, 1, 1, 1, 2])
        one.reads = rng.sample(registers, rng.randint(0, 2))
        if one.unit == 2 and rng.random() < 0.5:
            one.writes = rng.sample(registers, 1)
        one.cycles = rng.randint(1, 40)
        one.occupancy = rng.randint(1, one.cycles)
        one.ranges = [(rng.randint(0, 60), rng.randint(0, 12), rng.random() < 0.5) for _ in range(rng.randint(0, 3))]
        one.trapped = rng.random() < 0.03
        one.fence = rng.random() < 0.05
        return one
    one.reads = rng.sample(registers, rng.randint(0, 2))
    one.writes = rng.sample(registers, rng.randint(0, 1))
    one.cls = rng.choice([0, 0, 0, 1, 2])
    one.cycles = (1, 20, 6)[one.cls] if rng.random() < 0.8 else rng.randint(1, 8)
    one.occupancy = (1, one.cycles, rng.randint(1, 4))[one.cls]
    pick = rng.random()
    if pick < 0.05:
        one.fence = True
    elif pick < 0.2:
        one.ranges = [(rng.randint(0, 60), rng.choice([1, 4, 8]), rng.random() < 0.5)]
    elif pick < 0.35:
        row = rng.randrange(settings.rows)
        if row not in active or rng.random() < 0.15:
            one.walk, one.row, one.delay = "begin", row, 1 + settings.locate + rng.choice([0, 0, 0, 5])
            # A nest ends: no more addresses are located. A program takes no more than there are.
            one.addresses = rng.choice([0, 0, rng.randint(1, 6)])
            active[row] = one.addresses or math.inf
        elif active[row] > 0:
            one.walk, one.row = rng.choice(["take", "take", "take", "look"]), row
            active[row] -= one.walk == "take"
    one.taken = rng.random() < 0.1
    return one


def text(program, settings):
    values = [settings.window, settings.branch, settings.queue, settings.storage, int(settings.order == "oldest"), settings.granule, *settings.resources]
    lines = ["set " + " ".join(map(str, [*values, settings.ahead, settings.locate, settings.rows]))]
    for one in program:
        fields = [one.unit + 1, one.cls, int(one.fence), int(one.trapped), int(one.taken), WALKS.index(one.walk), one.row, one.delay, one.addresses]
        fields += [one.cycles, one.occupancy, len(one.reads), *one.reads, len(one.writes), *one.writes, len(one.ranges)]
        for address, length, write in one.ranges:
            fields += [address, length, int(write)]
        lines.append("add " + " ".join(map(str, fields)))
    return "\n".join(lines) + "\nend\n"


def expect(program, settings):
    machine = beats.Machine(program, settings).run()
    lines = []
    for i, times in enumerate(machine.times):
        lines.append(f"{i}: " + " ".join(str(times.get(stage, "-")) for stage in "FDQPSXMEC"))
    assert machine.issued + sum(machine.stalls.values()) <= machine.cycles
    for unit in machine.units:
        assert sum(unit.values()) == machine.cycles
    lines.append(f"cycles {machine.cycles} issued {machine.issued}")
    lines.append(" ".join(f"{name} {machine.stalls[name]}" for name in beats.STALLS))
    lines += [" ".join(f"{name} {unit[name]}" for name in beats.STATES) for unit in machine.units]
    lines.append("waits " + " ".join(str(count) for count in machine.waits.values()))
    return lines + ["end"]


def main():
    program, count = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    cases = []
    for case in range(count):
        rng = random.Random(seed + case)
        settings = draw_settings(rng)
        active = {}
        kind = rng.choice([0.1, 0.4, 0.8])
        cases.append(([draw_instruction(rng, settings, active, kind) for _ in range(rng.randint(1, 40))], settings))
    found = subprocess.run([program], input="".join(text(*case) for case in cases), stdout=subprocess.PIPE, text=True, check=True).stdout.split("end\n")
    for number, case in enumerate(cases):
        wanted, got = expect(*case), found[number].splitlines() + ["end"]
        if wanted != got:
            line = next((i for i, pair in enumerate(zip(wanted, got)) if pair[0] != pair[1]), min(len(wanted), len(got)))
            print(f"stream {seed + number}: line {line}: expected {wanted[line:line + 1]}, found {got[line:line + 1]}")
            print(case[1])
            for i, one in enumerate(case[0][: line + 1]):
                print(i, one, "|", wanted[i], "|", got[i])
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
