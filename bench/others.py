"""The cases of programs that others wrote (programs.py builds them): temu against QEMU user, from a cold start."""

import dataclasses
import math
import os
import random
import struct

import cases
import programs
import report
from measure import Case, Missing, Run

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scripts")


@dataclasses.dataclass
class Work:
    """One program at work: its arguments, in which {scripts} and {inputs} are directories, and the file that it reads from standard input."""
    title: str
    program: str
    arguments: str
    reads: str | None = None


# QEMU runs the first six for half a second to three seconds, the others for 0.05 to 0.3 s.
WORK = {
    "lua": Work("Lua 5.4: tables, strings, sorting", "lua", "{scripts}/work.lua"),
    "zstd": Work("zstd: compression of text", "zstd", "-c -q -9", "text"),
    "bzip2": Work("bzip2: compression of text", "bzip2", "-c", "text"),
    "sqlite": Work("SQLite: a database in memory", "sqlite", "-batch :memory:", "work.sql"),
    "quickjs": Work("QuickJS: objects, strings, sorting", "quickjs", "{scripts}/work.js"),
    "awk": Work("awk: words of a text", "awk", "-f {scripts}/work.awk", "text"),
    "bodies": Work("Lua 5.4: five bodies, in f64", "lua", "{scripts}/bodies.lua"),
    "mujs": Work("MuJS: the work of QuickJS", "mujs", "{scripts}/work.js"),
    "brotli": Work("brotli: compression of text", "brotli", "-c -q 5", "some"),
    "lz4": Work("lz4: compression of text", "lz4", "-c -q", "text"),
    "unzstd": Work("zstd: decompression", "zstd", "-d -c -q", "text.zst"),
    "fft": Work("KISS FFT: transforms in f64", "kissfft", "-n 16384", "signal"),
    "svm": Work("LIBSVM: training in f64", "svm", "-q {inputs}/points /dev/stdout"),
    "lame": Work("LAME: a second of sound to MP3", "lame", "--quiet -r -s 44.1 -m m - -", "sound"),
    "sort": Work("busybox sort", "busybox", "sort -k 2", "some"),
    "sha256": Work("busybox sha256sum", "busybox", "sha256sum", "text"),
    "gzip": Work("busybox gzip", "busybox", "gzip -c", "some"),
    "shell": Work("busybox ash: arithmetic and patterns", "busybox", "ash {scripts}/work.sh"),
    "bc": Work("busybox bc: pi with 250 digits", "busybox", "bc -q {scripts}/work.bc"),
    "sed": Work("busybox sed: substitutions", "busybox", "sed -e s/[aeiou]*n\\([a-z]\\)/<\\1>/g", "some"),
    "grep": Work("busybox grep: a regular expression", "busybox", "grep -c -E (an|in)[a-z]+(e|o)s?[^a-z]", "text"),
}


# ---- inputs, which depend on fixed seeds only ----

def text(size):
    """Returns lines of made-up words whose frequencies fall as those of a language do."""
    draw = random.Random(size)
    syllables = [first + vowel + last for first in "bdfgklmnprst" for vowel in "aeiou" for last in ("", "n", "s", "r", "ing")]
    words = ["".join(draw.choices(syllables, k=draw.choice((1, 1, 2, 2, 3)))) for _ in range(6000)]
    chosen = draw.choices(words, [1 / (rank + 3) for rank in range(len(words))], k=size // 5)
    lines, at = [], 0
    while at < len(chosen):
        step = draw.randrange(6, 15)
        lines.append(" ".join(chosen[at:at + step]).capitalize() + draw.choice((".", ".", ",", "?")))
        at += step
    return ("\n".join(lines)[:size] + "\n").encode()


def signal():
    """Returns complex numbers in f64."""
    return b"".join(struct.pack("<2d", math.sin(i * 0.01) + math.sin(i * 0.37), 0) for i in range(40 * 16384))


def points():
    """Returns points of two classes that overlap, as LIBSVM reads them."""
    draw, lines = random.Random(7), []
    for i in range(1200):
        side = 1 if i % 2 else -1
        lines.append(f"{side:+d} " + " ".join(f"{k}:{draw.gauss(side * 0.4, 1):.4f}" for k in range(1, 13)))
    return ("\n".join(lines) + "\n").encode()


def sound():
    """Returns samples of 16 bits: two tones that rise."""
    return b"".join(struct.pack("<h", int(9000 * math.sin(i * i * 1e-6) + 6000 * math.sin(i * 0.031))) for i in range(44100))


INPUTS = {"text": lambda: text(3000000), "some": lambda: text(600000), "signal": signal, "points": points, "sound": sound}


def make_input(tools, name):
    """Returns the path of an input, which is made when it is asked for first."""
    if name.startswith("work."):
        return os.path.join(SCRIPTS, name)
    path = tools.program(f"programs/inputs/{name}")
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        plain = name.removesuffix(".zst")
        content = INPUTS[plain]() if plain == name else cases.output_of("zstd", "-q", "-c", "-6", make_input(tools, plain))
        with open(path + ".part", "wb") as file:
            file.write(content)
        os.rename(path + ".part", path)
    return path


# ---- cases ----

def program_case(tools, name):
    work = WORK[name.removeprefix(report.PROGRAM)]
    program = tools.program(f"programs/{work.program}.riscv")
    if not os.path.exists(program):
        raise Missing(f"the program '{work.program}' is not built ({programs.PROGRAMS[work.program].package} of Debian's sources): `make bench-programs` tells why")
    emulator = tools.peer("qemu-riscv64")
    if not emulator:
        raise Missing("QEMU user is not installed")
    inputs = tools.program("programs/inputs")
    words = [word.format(scripts=SCRIPTS, inputs=inputs) for word in work.arguments.split()]
    for word in words:
        if os.path.dirname(word) == inputs:
            make_input(tools, os.path.basename(word))
    stdin = make_input(tools, work.reads) if work.reads else os.devnull
    with open(stdin, "rb") as file:
        expect = cases.output_of(emulator, program, *words, stdin=file)
    if not expect:
        raise Missing("the program prints nothing")
    runs = [Run("temu", [tools.temu, "--root=/", program, *words], 1, expect, fresh="HOME", input=stdin),
            Run("QEMU user", [emulator, program, *words], 1, expect, fresh="HOME", input=stdin)]
    return Case(name, work.title, "runs/s", 1, runs, is_program=True)


CASES = {f"{report.PROGRAM}{name}": program_case for name in WORK}
