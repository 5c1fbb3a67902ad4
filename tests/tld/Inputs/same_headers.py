"""same_headers.py TLD SCRIPT OBJECT…: the program headers that tld and GNU ld make by a linker script are the same, but for offsets in
the file, which are equal modulo the page. Prints them."""
import re
import subprocess
import sys

PREFIX = "riscv64-linux-gnu-"
PAGE = 0x1000


def headers(program):
    text = subprocess.run([PREFIX + "readelf", "-lW", program], check=True, capture_output=True, text=True).stdout
    lines, found = text.split("Program Headers:")[1].split("Section to Segment mapping")[0].splitlines(), []
    for line in lines:
        match = re.match(r" +(\S+) +(0x\w+) (0x\w+) (0x\w+) (0x\w+) (0x\w+) ([R ][W ][E ]) (\w+)", line)
        if match:
            kind, offset, *rest = match.groups()
            found.append([kind, int(offset, 16) % PAGE if int(rest[2], 16) else 0, *rest])
    return found, text.split("Section to Segment mapping")[1]


tld, script, objects = sys.argv[1], sys.argv[2], sys.argv[3:]
subprocess.run([tld, "-T", script, "-o", script + ".ours", *objects], check=True)
subprocess.run([PREFIX + "ld", "-T", script, "--no-warn-rwx-segments", "-o", script + ".theirs", *objects], check=True,
               stderr=subprocess.DEVNULL)  # it warns of what AT does
ours, theirs = headers(script + ".ours"), headers(script + ".theirs")
assert ours[0]
for mine, other in zip(ours[0], theirs[0]):
    if mine != other:
        sys.exit(f"tld {mine}, GNU ld {other}")
if ours != theirs:
    sys.exit(f"tld: {ours[1]}, GNU ld: {theirs[1]}")
print(len(ours[0]), "program headers")
