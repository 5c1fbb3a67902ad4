"""Reads damaged lossless traces: hostile.py TTRACE FILE TIMES. A file may be read or refused with a message, but ttrace may not crash.

Bytes are changed in the blocks, which are compressed again, so that checksums do not protect the reader.
"""

import random
import subprocess
import sys

MAGIC = b"\x28\xb5\x2f\xfd"


def zstd(data, *options):
    return subprocess.run(["zstd", "-qc", *options], input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout


def blocks(data):
    """Returns the decompressed blocks."""
    stream, found = zstd(data, "-d"), []
    while stream:
        length = shift = 0
        at = 1
        while True:
            byte = stream[at]
            length |= (byte & 0x7F) << shift
            shift += 7
            at += 1
            if byte < 0x80:
                break
        found.append(stream[:at + length])
        stream = stream[at + length:]
    return found


def main():
    ttrace, name, times = sys.argv[1:]
    with open(name, "rb") as file:
        whole = file.read()
    chance, parts, count = random.Random(1), blocks(whole), 0
    header = b"".join(zstd(part, f"--stream-size={len(part)}") for part in parts[:1])
    for number in range(int(times)):
        if number < 20:
            data = whole[:chance.randrange(len(whole))]
        else:
            changed = [bytearray(part) for part in parts[1:]]
            for _ in range(chance.choice((1, 1, 3))):
                block = chance.choice(changed[:2] if number % 2 else changed[:-1])
                block[chance.randrange(1 if number % 9 == 0 else 3, len(block))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
            data = header + b"".join(zstd(bytes(part), f"--stream-size={len(part)}") for part in changed)
        with open("hostile", "wb") as file:
            file.write(data)
        for command in ["convert", "--to=json"], ["view"]:
            result = subprocess.run([ttrace, *command, "hostile"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
            if result.returncode not in (0, 1) or (result.returncode == 1 and b"error: " not in result.stderr):
                sys.exit(f"{command[0]}: status {result.returncode}: {result.stderr.decode(errors='replace')}")
        count += 1
    print(count, "damaged files, each read or refused")


main()
