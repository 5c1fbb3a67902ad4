"""mutate.py TOBJDUMP OBJECT SCRATCH: changes bytes of the object's headers, symbols and anywhere, and runs the tool on each."""
import random
import struct
import subprocess
import sys

tool, source, scratch = sys.argv[1:]
original = open(source, "rb").read()
headers = struct.unpack_from(*("<I", original, 32) if original[4] == 1 else ("<Q", original, 40))[0]  # ELF32, ELF64
choose = random.Random(2016)
refused = crashes = 0
COUNT = 300
for number in range(COUNT):
    changed = bytearray(original)
    for _ in range(choose.randint(1, 4)):
        start, end = choose.choice([(16, 64), (headers, len(original)), (headers, len(original)), (0, len(original))])
        changed[choose.randrange(start, end)] = choose.choice([0, 1, 0x7f, 0x80, 0xff, choose.randrange(256)])
    if number % 10 == 0:
        del changed[choose.randrange(len(changed)):]
    open(scratch, "wb").write(changed)
    option = choose.choice(["-d", "-dr", "-D", "-x", "-s", "-dz"])
    run = subprocess.run([tool, option, scratch], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    refused += run.returncode == 1
    if run.returncode not in (0, 1) or (run.returncode == 1) != (b": error: " in run.stderr):
        crashes += 1
        print(f"{option}: exit status {run.returncode}: {run.stderr[:300]!r}")
        open(f"{scratch}.{number}", "wb").write(changed)
print(f"{COUNT} files, {refused} refused, {crashes} crashes")
