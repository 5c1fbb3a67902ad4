#!/usr/bin/env python3
"""golden.py GOLDEN FOUND: compares a file with the stored one, and shows the difference. Exits 0 when they are equal, else 1.

With UPDATE_GOLDENS=1 in the environment FOUND replaces GOLDEN instead: read `git diff` before you commit it.

The header line of a trace has fingerprints of the program, the ISA and the machine, which change with unrelated edits of YAML files. They are removed
before a trace is stored or compared.
"""

import difflib
import os
import re
import sys


def read(name):
    with open(name, encoding="utf-8") as file:
        return re.sub(r"\A(# tensor-trace \S+ \S+).*", r"\1", file.read()).splitlines(keepends=True)


def main():
    if len(sys.argv) != 3:
        return __doc__
    golden, found = sys.argv[1:]
    lines = read(found)
    if not lines:
        return f"{found}: empty, nothing to compare"
    if os.environ.get("UPDATE_GOLDENS") == "1":
        with open(golden, "w", encoding="utf-8") as file:
            file.writelines(lines)
        return 0
    try:
        stored = read(golden)
    except FileNotFoundError:
        return f"{golden}: not there; UPDATE_GOLDENS=1 makes it"
    sys.stdout.writelines(difflib.unified_diff(stored, lines, golden, found))
    return stored != lines


if __name__ == "__main__":
    sys.exit(main())
