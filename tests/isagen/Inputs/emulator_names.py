#!/usr/bin/env python3
"""emulator_names.py ISAGEN ROOT WORK YAML…: every name that the emulator has where a unit with state has one is refused as the name of a
unit: the members of struct machine, and the tags of its structs that end like those of units."""
import os
import re
import subprocess
import sys

isagen, root, work, *description = sys.argv[1:]


def headers(folder):
    for path, _, names in os.walk(os.path.join(root, folder)):
        for name in names:
            if name.endswith(".h"):
                with open(os.path.join(path, name), encoding="utf-8") as file:
                    yield path, re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)


names = set()
for path, text in headers("emu"):
    found = re.search(r"^struct machine \{\n(.*?)^\};", text, re.S | re.M)
    if found:
        names |= set(re.findall(r"(\w+);", found.group(1)))
    if not path.endswith("units"):
        names |= set(re.findall(r"^struct (\w+)_(?:unit|state|settings) \{", text, re.M))
assert {"hart", "config", "deadline"} <= names, names

test = os.path.join(work, "names.yaml")
with open(test, "w", encoding="utf-8") as file:
    file.write('extension: {name: bad, version: "1", summary: test}\nunits:\n')
    for name in sorted(names):
        file.write(f"  {name}: {{summary: test, counters: {{steps: {{summary: test}}}}}}\n")
run = subprocess.run([isagen, "--check", *description, test], capture_output=True, text=True, check=False)
refused = set(re.findall(r"error: '(\w+)' is not a name for a unit with state", run.stderr))
refused |= set(re.findall(r"error: a second unit '(\w+)'", run.stderr))
print(f"{len(names)} names, accepted: {' '.join(sorted(names - refused)) or 'none'}")
