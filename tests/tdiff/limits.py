"""Traces that would need much memory are refused with a message that names the limit, in little memory; --limit raises it.

RUN: rm -rf %t && mkdir %t && %python %s %tdiff %t | FileCheck %s
CHECK: line: 2 <stdin>:2: error: cannot read this line: it is longer than 16 MiB; --limit=32 reads lines of twice the length
CHECK: compressed: 2 {{.*}}/line.zst:2: error: cannot read this line: it is longer than 16 MiB
CHECK: header: 2 {{.*}}/header.zst:1: error: cannot read this line: it is longer than 16 MiB
CHECK: effects: 2 {{.*}}/effects:2: error: cannot read this line: it has more than 262144 effects; --limit=32 reads lines of twice as many
CHECK: window: 2 {{.*}}/window.zst: error: its compressed frames need a window of more than 16 MiB; compress it without --long, or give --limit=128
CHECK: shorter: 1 first difference at instruction 0:
CHECK: --limit: 1 first difference at instruction 0:
CHECK: --limit for a window: 0
CHECK: bad: 2 tdiff: error: option '--limit=0': found '0', expected a number from 1 to 1024
"""
import os
import subprocess
import sys

TDIFF, BASE = sys.argv[1:3]
MIB = 1 << 20
MEMORY = 160 * MIB
HEADER = b"# tensor-trace 1 text program=0000000000000000 entry=0x10000 isa=0000000000000000 machine=0000000000000000\n"
LINE = b"       0 0x0000000000010000 <_start>                00000513          li a0,0                              |"

# Runs a command from a small process, because the memory of the parent counts for its child.
MEASURE = """
import os, resource, sys
status = os.spawnv(os.P_WAIT, sys.argv[2], sys.argv[2:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, file=open(sys.argv[1], "w"))
sys.exit(status)
"""


def path(name):
    return os.path.join(BASE, name)


def write(name, *parts):
    with open(path(name), "wb") as file:
        for part in parts:
            file.write(part)


def compress(name, parts, *options):
    """Writes parts through a pipe, so that zstd does not know the size."""
    with open(path(name), "wb") as file, subprocess.Popen(["zstd", "-q", *options], stdin=subprocess.PIPE, stdout=file) as zstd:
        for part in parts:
            zstd.stdin.write(part)


def check(what, *arguments, stdin=None):
    """Runs tdiff and prints its status and the first line of its output."""
    with open(stdin or os.devnull, "rb") as file:
        result = subprocess.run([sys.executable, "-c", MEASURE, path("memory"), TDIFF, *arguments], stdin=file, capture_output=True, check=False)
    lines = (result.stderr + result.stdout).decode(errors="replace").splitlines() or [""]
    print(f"{what}: {result.returncode} {lines[0][:300]}")
    with open(path("memory"), encoding="ascii") as memory:
        used = int(memory.read())
    if "--limit" not in what and used > MEMORY and not ASAN:
        print(f"{what}: used {used // MIB} MiB")


with open(TDIFF, "rb") as program:
    ASAN = b"__asan_init" in program.read()

effect = b" store8[0x20000]=0x0"
write("one", HEADER, LINE, b" a0=0x0\n")
write("line", HEADER, LINE, b" " * (200 * MIB), b"\n")
compress("line.zst", [HEADER, LINE] + [b" " * MIB] * 200 + [b" a0=0x1\n"])
compress("header.zst", [HEADER[:-1]] + [b" " * MIB] * 200 + [b"\n"])
write("effects", HEADER, LINE, b" a0=0x1" * 300000, b"\n")
compress("window.zst", [HEADER] + [LINE + b" a0=0x0\n"] * (MIB // 4), "--long=27")
write("window", *[HEADER] + [LINE + b" a0=0x0\n"] * (MIB // 4))
write("shorter", HEADER, LINE, effect * 200000, b"\n")

check("line", "-", path("one"), stdin=path("line"))
check("compressed", path("one"), path("line.zst"))
check("header", path("header.zst"), path("one"))
check("effects", path("one"), path("effects"))
check("window", path("window"), path("window.zst"))
check("shorter", path("one"), path("shorter"))
check("--limit", "--limit=32", path("one"), path("effects"))
check("--limit for a window", "--limit=128", path("window"), path("window.zst"))
check("bad", "--limit=0", path("one"), path("one"))
for name in os.listdir(BASE):
    os.remove(path(name))
