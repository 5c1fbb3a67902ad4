"""Compares tasm with GNU as on gcc's output for many C sources.

corpus.py TASM GAS GCC DIRECTORY LINES SOURCE…: compiles each source at -O0, -O2 and -Os, unless GCC says at which level, assembles the result with
both, and prints the first difference of each pair of objects. Of more than ten sources, each is compiled at one of these levels, in turn: what takes
long is the compiler. Exits 1 if there is a difference, or if fewer than LINES lines were compared.
The arguments TASM, GAS and GCC are commands as in a shell.
"""

import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from compare_objects import compare


def run(command, *arguments):
    return subprocess.run(shlex.split(command) + list(arguments), capture_output=True, text=True)


def check(task):
    """Returns the number of lines compared, and the differences. A source that gcc cannot compile (host headers) has no lines."""
    tasm, gas, gcc, directory, source, level = task
    base = os.path.join(directory, source.replace("/", "_") + level)
    if run(gcc, level, "-S", source, "-o", base + ".s").returncode:
        return 0, None
    for command, suffix in ((tasm, ".o"), (gas, ".gas.o")):
        result = run(command, base + ".s", "-o", base + suffix)
        if result.returncode:
            return 0, f"{source} {level}: {result.stderr}"
    differences, (sections, _, _) = compare(base + ".o", base + ".gas.o")
    with open(base + ".s", encoding="utf-8") as text:
        lines = sum(1 for _ in text)
    for suffix in (".s", ".o", ".gas.o"):
        os.unlink(base + suffix)
    if differences or not sections:
        return lines, f"{source} {level}: {differences[0] if differences else 'nothing was compared'}"
    return lines, None


def main():
    tasm, gas, gcc, directory, least = sys.argv[1:6]
    os.makedirs(directory, exist_ok=True)
    sources = sys.argv[6:]
    levels = [word for word in shlex.split(gcc) if re.fullmatch("-O.", word)] or ["-O0", "-O2", "-Os"]
    levels = [[level] for level in levels] if len(sources) > 10 else [levels]
    tasks = [(tasm, gas, gcc, directory, source, level) for i, source in enumerate(sources) for level in levels[i % len(levels)]]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(check, tasks))
    lines = sum(count for count, _ in results)
    wrong = [text for _, text in results if text]
    for text in wrong:
        print(text)
    compiled = sum(1 for count, _ in results if count)
    print(f"{compiled} of {len(tasks)} compilations, {lines} lines, {len(wrong)} differ")
    sys.exit(bool(wrong) or lines < int(least))


main()
