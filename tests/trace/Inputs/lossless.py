"""Compares what ttrace makes of a lossless trace with what temu writes: lossless.py TEMU TTRACE READER PROGRAM…

A PROGRAM may have options of temu before it.
"""

import re
import subprocess
import sys

CSR = re.compile(r"^(?!load|store|read|write|trap|interrupt)([a-z][a-z0-9]*)=")
REGISTER = re.compile(r"^(zero|ra|sp|gp|tp|[ats][0-9]+|f[ats][0-9]+)=")


def run(*command, output=None):
    with open(output, "wb") if output else open("/dev/null", "wb") as file:
        subprocess.run(command, stdout=file, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=False)


def without_columns(line):
    """Returns a line of the text format as the Python reader prints it."""
    left, bar, effects = line.rstrip("\n").partition(" | ")
    sequence, pc, _, word = left.split()[:4]
    effects = [CSR.sub("csr=", effect) if not REGISTER.match(effect) else effect for effect in effects.split()] if bar else []
    return " ".join([sequence, pc, word, *effects])


def main():
    temu, ttrace, reader, *programs = sys.argv[1:]
    for program in programs:
        words = program.split()
        name, same = words[-1], []
        run(temu, f"--trace={name}.ttrace", *words)
        for form in "text", "json", "spike":
            run(temu, f"--trace={name}.{form}", f"--trace-format={form}", *words)
            run(ttrace, "convert", f"--to={form}", f"{name}.ttrace", output="converted")
            with open(f"{name}.{form}", "rb") as ours, open("converted", "rb") as converted:
                content = ours.read()
                if content and content == converted.read():
                    same.append(form)
        run(sys.executable, reader, f"{name}.ttrace", output="python")
        with open(f"{name}.text", encoding="utf-8") as text, open("python", encoding="utf-8") as python:
            if [without_columns(line) for line in text if not line.startswith("#")] == [line.rstrip("\n") for line in python]:
                same.append("python")
        print(program + ":", *same)


main()
