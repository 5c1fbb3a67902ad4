# Random expressions have the values, relocations and errors that they have with GNU as. What differs is left out:
# - A number that does not fit, and a division by zero, are errors in tasm and warnings in GNU as, which also takes -255 for a byte.
# - GNU as compares any address with any number, and finds them unequal. tasm refuses that, as the linker can make them equal.
# - GNU as refuses the difference of addresses of two sections if it adds the value of a name, but not if it adds a number. tasm takes both.
# - GNU as refuses an addend of more than 32 bits in .word, of which the linker uses the low bits.
# - GNU as makes relocations of the difference of a name and itself. tasm makes a number.
# - GNU as makes a number of the distance of labels in code if the expression has names that follow, and relocations else. tasm makes relocations.
# RUN: %python %s %tasm '%gas -march=rv64gc -misa-spec=20191213' %tools/compare_objects.py %t %soak{60|400}
import random
import re
import subprocess
import sys

tasm, gas, compare, base = sys.argv[1], sys.argv[2].split(), sys.argv[3], sys.argv[4]
FILES, LINES = int(sys.argv[5]), 40  # tasm reports 50 errors
random.seed(11)

NUMBERS = ["0", "1", "2", "7", "255", "0x10", "65535", "0x7fffffff", "0x80000000", "0xffffffffffffffff", "63", "017", "0b101", "'a"]
BEFORE = """.option norelax
.text
code: nop
code_end: nop
.data
one = 1
.equ minus, -1
.set large, 0x123456789
1: .byte 1
near: .byte 2, 3
.equ same, near
.equ later, far + 8
.equ distance, near_end - near
near_end:
"""
AFTER = "far: .byte 1\n1: .byte 1\n.equ late, 4\n"
OPERATORS = "+ - * / % << >> | & ^ == != < > <= >= && ||".split()
DIRECTIVES = [".byte", ".half", ".word", ".dword"]


def number():
    return random.choice(NUMBERS) if random.random() < 0.8 else random.choice(["one", "minus", "large", "distance", "late"])


def numeric(depth):
    """An expression of numbers, names of numbers and distances."""
    kind = random.random()
    if not depth or kind < 0.3:
        return number()
    if kind < 0.4:
        return random.choice("-~") + numeric(depth - 1)
    if kind < 0.6:
        return f"({numeric(depth - 1)})"
    if kind < 0.7:
        return random.choice(["(near_end - near)", "(near - 1b)", "(same - near)", "(. - near)"])
    return numeric(depth - 1) + random.choice(["", " "]) + random.choice(OPERATORS) + " " + numeric(depth - 1)


def address(depth):
    """An address, or the difference of two, and numbers of few bits."""
    text = random.choice(["near", "far", "code", "code_end", "absent", "1b", "1f", "same", "later", "."])
    if random.random() < 0.3:
        other = random.choice([name for name in ("near", "code", "absent", "far", "1b") if name != text])
        return f"{text} - {other}" + random.choice(["", " + 3", " - 0x10 * 2"])
    for _ in range(depth):
        text += random.choice([" + ", " - "]) + random.choice(["1", "one", "distance", "late", f"({numeric(2)} & 0xff)", "(near - 1b)", "(same - near) * 2"])
    return f"({text})" if random.random() < 0.2 else text


def line():
    if random.random() < 0.6:
        return f"{random.choice(DIRECTIVES)} {numeric(random.randrange(1, 5))}"
    return f"{random.choice(['.dword', '.dword', '.word'])} {address(random.randrange(3))}"


def assemble(command, lines, output):
    """Returns the messages of the lines that have errors."""
    with open(base + ".s", "w", encoding="ascii") as source:
        source.write(BEFORE + "\n".join(lines) + "\n" + AFTER)
    run = subprocess.run([*command, "-o", output, base + ".s"], capture_output=True, encoding="utf-8", check=False)
    first = BEFORE.count("\n") + 1
    found = re.findall(r"^[^:]*:(\d+):(?:\d+:)? (?:[Ee]rror:|Warning: (?:value .* truncated|division by zero))(.*)", run.stderr, re.MULTILINE)
    bad = {int(number) - first: message for number, message in found}
    assert bad or not run.returncode, run.stderr
    return bad


failures = compared = 0
for _ in range(FILES):
    lines = [line() for _ in range(LINES)]
    while True:
        ours, theirs = assemble([tasm], lines, base + ".o"), assemble(gas, lines, base + ".gas.o")
        for i in sorted(ours.keys() ^ theirs.keys()):
            if "does not fit" in ours.get(i, ""):
                continue
            failures += 1
            print(f"only {'tasm' if i in ours else 'GNU as'} refuses: {lines[i] if 0 <= i < len(lines) else i}")
        if not ours and not theirs:
            break
        lines = [text for i, text in enumerate(lines) if i not in ours and i not in theirs]
    compared += len(lines)
    if subprocess.run([sys.executable, compare, base + ".o", base + ".gas.o"], check=False).returncode:
        failures += 1
        print("\n".join(lines))
        print("---")
print(f"{compared} expressions have the same values")
sys.exit(bool(failures) or compared < FILES * LINES // 2)
