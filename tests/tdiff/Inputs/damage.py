"""damage.py TDIFF GOOD OTHER BAD: writes GOOD with one changed bit to BAD, for many bits in turn, and compares BAD with OTHER, which is the
same trace as GOOD, and with itself. tdiff must report that BAD is damaged, and neither a difference nor a malformed line."""
import subprocess
import sys

damaged_message = ": error: the compressed trace is damaged before byte "
tdiff, good, other, bad = sys.argv[1:]
whole = open(good, "rb").read()
for number in range(24):
    at = 16 + number * (len(whole) - 32) // 24
    damaged = bytearray(whole)
    damaged[at] ^= 1 << number % 8
    open(bad, "wb").write(damaged)
    for first, second in (bad, other), (other, bad), (bad, bad):
        result = subprocess.run([tdiff, first, second], capture_output=True, text=True)
        messages = result.stderr.splitlines()
        if result.returncode != 2 or result.stdout or not messages or not all(damaged_message in line for line in messages):
            sys.exit(f"bit {number % 8} of byte {at}, {first} {second}: {result}")
