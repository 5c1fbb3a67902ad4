#!/usr/bin/env python3
"""Random machines stand in for RTL: calibrate.py TDIFF TEMU KERNELS OTHERS SEED…

KERNELS is a folder of linked kernels and their plan, OTHERS has programs of another kind. For each seed, a machine with random settings of
time writes the cycle files of the kernels; tdiff --calibrate sees nothing else. Each program of OTHERS has to take as many cycles on the
machine that it found as on the random one."""

import os
import random
import re
import subprocess
import sys

tdiff, temu, kernels, others, *seeds = sys.argv[1:]


def settings():
    """Returns name, bounds or words of each setting of time."""
    text = subprocess.run([temu, "--dump-machine"], capture_output=True, text=True, check=True).stdout
    group, found, inside = None, [], False
    for line in text.splitlines():
        if not line.startswith(" "):
            inside = line == "timing:"
        elif inside and line.endswith(":"):
            group = line.strip()[:-1]
        elif inside:
            if not line.startswith("    "):
                group = None
            name = line.split(":")[0].strip()
            found.append((f"{group}.{name}" if group else name, line.rsplit(": ", 1)[1]))
    return found


def random_value(generator, name, bounds, machine):
    match = re.match(r"(\d+) to (\d+)(, a power of two)?$", bounds)
    if not match:
        return generator.choice(re.split(r", | or ", bounds))
    low, high = int(match[1]), int(match[2])
    if match[3]:
        return 1 << generator.randint(low.bit_length() - 1, high.bit_length() - 1)
    if name in ("queue", "storage"):
        high = min(high, machine["window"])
    if name.startswith("classes"):
        high = 50
    if generator.random() < 0.5:
        high = min(high, 4 * max(low, 8))  # sizes that are built
    return generator.randint(low, high)


def write_machine(name, machine):
    with open(name, "w", encoding="utf-8") as file:
        groups = {}
        file.write("timing:\n")
        for key, value in machine.items():
            group, _, leaf = key.rpartition(".")
            groups.setdefault(group, []).append(f"{leaf}: {value}")
        for entry in groups.pop("", []):
            file.write(f"  {entry}\n")
        for group, entries in groups.items():
            file.write(f"  {group}: {{{', '.join(entries)}}}\n")


def commits(machine, program):
    """Returns the cycle in which each instruction commits."""
    result = subprocess.run([temu, "--machine", machine, "--pipeline=/dev/stdout", "--max-insns=200000", program], capture_output=True,
                            text=True, check=False)
    cycles = []
    for line in result.stdout.splitlines():
        if "|" in line and not line.startswith("#"):
            cycles.append(int(line.split("|")[1].split()[-1]))
    return cycles


bad = 0
for seed in seeds:
    generator, machine = random.Random(int(seed)), {}
    for name, bounds in settings():
        machine[name] = random_value(generator, name, bounds, machine)
    write_machine("rtl.yaml", machine)
    for kernel in sorted(os.listdir(kernels)):
        path = os.path.join(kernels, kernel)
        if not os.access(path, os.X_OK):
            continue
        start = generator.randrange(1000)  # a simulation begins at any cycle
        with open(path + ".csv", "w", encoding="utf-8") as file:
            file.write("sequence,cycle\n")
            file.writelines(f"{number},{cycle + start}\n" for number, cycle in enumerate(commits("rtl.yaml", path)))
    result = subprocess.run([tdiff, f"--calibrate={kernels}"], capture_output=True, text=True, check=False)
    if result.returncode:
        print(f"seed {seed}: exit {result.returncode}\n{result.stderr}{machine}")
        bad += 1
        continue
    with open("fitted.yaml", "w", encoding="utf-8") as file:
        file.write(result.stdout)
    different = [other for other in sorted(os.listdir(others))
                 if commits("rtl.yaml", os.path.join(others, other)) != commits("fitted.yaml", os.path.join(others, other))]
    apart = re.findall(r"^ *(\w+): (\S+)  # cannot be told apart: (.*)$", result.stdout, re.M)
    print(f"seed {seed}: {len(different)} programs differ {' '.join(different)}; cannot be told apart: "
          f"{'; '.join(f'{name} {values}' for name, _, values in apart)}")
    if different:
        print(machine)
        print(result.stdout)
    bad += bool(different)
    # Without workers there are no instructions of the class `barrel`.
    if re.search(r"^ *(?!barrel:)\w+: .*not measured", result.stdout, re.M):
        bad += 1
sys.exit(bad != 0)
