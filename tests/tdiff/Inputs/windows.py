"""Random pairs of long traces for tdiff. The expected first difference is found by comparing the lines as they are made."""
import os
import random
import subprocess
import sys

TDIFF, BASE = sys.argv[1:3]
PAIRS = int(sys.argv[3])
HEADER = "# tensor-trace 1 text program=0000000000000000 entry=0x10000 isa=0000000000000000 machine=0000000000000000\n"
CORE = "core   0: 0 0x%016x (0x00000513) x%-2d 0x%016x%s\n"
MEMORY = 48 << 20  # bytes; the traces of the last pair are larger
BLOCK, BLOCKS = 20000, 29


# Runs a command from a small process, because the memory of the parent counts for its child.
MEASURE = """
import os, resource, sys
status = os.spawnv(os.P_WAIT, sys.argv[2], sys.argv[2:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, file=open(sys.argv[1], "w"))
sys.exit(status)
"""


def text_line(number, register, value, more):
    return "%8d 0x%016x <_start>                00000513          li a0,0                              | %s=0x%x%s\n" % (
        number, 0x10000 + 4 * (number % 1000), "t1" if register == 6 else "a0", value, " store8[0x20000]=0x0" * more)


def spike_line(number, register, value, more):
    return CORE % (0x10000 + 4 * (number % 1000), register, value, " mem 0x0000000000020000 0x0000000000000000" * more)


def make(random, line, count, ignoring=0.9):
    """Returns the lines of the two traces, and the index of the first difference that is not ignored, or None. `ignoring` is the part that is ignored."""
    crlf = random.random() < 0.2
    differing = {random.randrange(count): random.random() < ignoring for _ in range(random.choice((0, 1, 50, count)))}
    first, second, expected = [], [], None
    for number in range(count):
        more = random.choice((0, 0, 0, 1, 7, 300 if random.random() < 0.02 else 2))
        value = random.getrandbits(random.randrange(1, 64))
        ignored = differing.get(number)
        register = 6 if ignored else 10
        first.append(line(number, register, value, more).encode())
        second.append(line(number, register, value + (ignored is not None), more).encode())
        if ignored is False and expected is None:
            expected = number
        if crlf:
            second[-1] = second[-1][:-1] + b"\r\n"
    return first, second, expected


def put(name, header, lines):
    with open(name, "wb") as file:
        file.write(header.encode() + b"".join(lines))


def make_long(random, line):
    """The same for traces that are larger than MEMORY: many lines that tdiff ignores, again and again, before the last ones."""
    repeated, other, _ = make(random, line, BLOCK, 1)
    first, second, expected = make(random, line, BLOCK)
    return repeated * BLOCKS + first, other * BLOCKS + second, None if expected is None else BLOCK * BLOCKS + expected


def run(a, b, pipe, measured):
    command = [TDIFF, "-C", "2", "--ignore=t1", a, "-" if pipe else b]
    stdin = subprocess.Popen(["cat", b], stdout=subprocess.PIPE).stdout if pipe else subprocess.DEVNULL
    if measured:
        command = [sys.executable, "-c", MEASURE, BASE + ".peak", *command]
    return subprocess.run(command, stdin=stdin, capture_output=True, text=True)


def main():
    bad = 0
    for seed in range(PAIRS):
        chance = random.Random(seed)
        is_text = seed % 2 == 0
        header, line = (HEADER, text_line) if is_text else ("", spike_line)
        last = seed == PAIRS - 1
        first, second, expected = make_long(chance, line) if last else make(chance, line, chance.choice((10, 5000, 9000)))
        cut = chance.random() < 0.3
        if cut:
            del second[chance.randrange(1, len(second)):]
            if expected is None or expected >= len(second):
                expected = len(second)
        a, b = BASE + ".a", BASE + ".b"
        put(a, header, first)
        put(b, header, second)
        result = run(a, b, chance.random() < 0.3, last)
        behind = len(header) > 0
        if expected is None:
            good = result.returncode == 0 and result.stdout == ""
        elif expected == len(second):
            good = result.returncode == 1 and f" ends after {expected} instructions" in result.stdout and f"at line {expected + 1 + behind}\n" in result.stdout
        else:
            good = result.returncode == 1 and result.stdout.startswith(f"first difference at instruction {expected}: {a}:{expected + 1 + behind}, ")
        if expected:
            good = good and "  " + first[expected - 1].decode().rstrip() + "\n- " + first[expected].decode().rstrip() in result.stdout
        if not good or result.stderr:
            bad += 1
            print(f"BAD: pair {seed}: expected {expected}; status {result.returncode}, {result.stdout[:300]!r}, {result.stderr[:300]!r}")
    peak = int(open(BASE + ".peak").read())
    if peak > MEMORY and "/sanitize/" not in TDIFF:  # the address sanitizer keeps what was freed
        bad += 1
        print(f"BAD: {peak} bytes of memory for traces of {os.path.getsize(a)}")
    print(f"{PAIRS} pairs, {bad} BAD")


main()
