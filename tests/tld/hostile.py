# Damaged objects, archives and linker scripts: tld reports the error and exits 1, or links them (some damage is harmless); it never crashes, hangs or leaves
# an output file behind after an error. The damage is the same in every run. COUNT=… in the environment does more of it.
#
# RUN: rm -rf %t && mkdir %t && %gas -g -march=rv64gc -o %t/a.o %S/Inputs/hostile.s && %gas -march=rv64imafd -o %t/b.o %S/Inputs/hostile_other.s
# RUN: cp %S/Inputs/hostile.ld %t/script.ld
# RUN: %gar rcs %t/lib.a %t/b.o && %python %s %tld %t | FileCheck %s
# CHECK: every damaged file was refused or linked
import os
import random
import struct
import subprocess
import sys

TLD, DIRECTORY = sys.argv[1], sys.argv[2]
COUNT = int(os.environ.get("COUNT", "250"))
# A sanitizer's report must not look like tld's own exit status.
ENVIRONMENT = dict(os.environ, ASAN_OPTIONS="detect_leaks=0:exitcode=77", UBSAN_OPTIONS="exitcode=77")
INTERESTING = [0, 1, 2, 0x7f, 0x80, 0xff]
WIDE = [0, 1, 7, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff,
        0xfffffffffffffff0, 1 << 40, 1 << 32]


def path(name):
    return os.path.join(DIRECTORY, name)


def structures(data):
    """Ranges of bytes that decide: ELF header, section headers, symbols, relocations, groups, attributes, notes, unwind tables."""
    header = struct.unpack_from("<HHIQQQIHHHHHH", data, 16)
    offset, size, count = header[5], header[10], header[11]
    ranges = [(0, 64), (offset, offset + size * count)]
    for index in range(count):
        fields = struct.unpack_from("<IIQQQQIIQQ", data, offset + index * size)
        if fields[1] in (2, 4, 17, 7, 0x70000003) or index < 12 and fields[1] == 1:
            ranges.append((fields[4], fields[4] + fields[5]))
    return [r for r in ranges if r[1] > r[0]]


def damage(data, source, ranges):
    data = bytearray(data)
    for _ in range(source.choice([1, 1, 1, 2, 4])):
        start, end = source.choice(ranges)
        at = source.randrange(start, end)
        kind = source.randrange(5)
        if kind == 0:
            data[at] = source.choice(INTERESTING)
        elif kind == 1:
            data[at] ^= 1 << source.randrange(8)
        elif kind == 2:
            at &= ~3
            data[at:at + 4] = struct.pack("<I", source.choice(WIDE) & 0xffffffff)
        elif kind == 3:
            at &= ~7
            data[at:at + 8] = struct.pack("<Q", source.choice(WIDE))
        else:
            del data[source.randrange(len(data)):]
            return bytes(data)
    return bytes(data)


WORDS = [b"{", b"}", b"(", b")", b";", b":", b"=", b">", b"AT>", b"/*", b"*", b'"', b",", b"?", b"0", b"-1", b"0x7fffffffffffffff",
         b"0xffffffffffffffff", b".", b". = ", b"ALIGN(", b"ASSERT(0, ", b"SIZEOF(.text)", b"INCLUDE script.ld", b"SORT(", b"KEEP(", b"RAM",
         b".text", b"/DISCARD/ : { *(.text*) }", b"INPUT(", b"GROUP ( script.ld )", b"STARTUP(a.o)", b"AS_NEEDED (", b"ONLY_IF_RO", b"LOG2CEIL(", b"SEGMENT_START(", b"BYTE(", b" / 0", b" << 64", b"\x80", b"((((" * 3000, b"1+" * 3000, b"{ {", b"MEMORY { RAM"]


def damage_script(data, source):
    for _ in range(source.choice([1, 1, 2, 3])):
        at, end = sorted(source.choices(range(len(data)), k=2))
        end = source.choice([at, at + 1, min(end, at + 20)])
        data = data[:at] + source.choice(WORDS + [b""]) + data[end:]
    return data


def check(files, what):
    output = path("out")
    command = [TLD, "-o", output]
    if what.endswith("0"):
        command.append("--gc-sections")
    elif what[-1] in "159" and "-T" not in files:
        command.append("-r")
    elif what.endswith("2"):
        command.append("--eh-frame-hdr")
    result = subprocess.run(command + files, capture_output=True, env=ENVIRONMENT)
    present = os.path.exists(output)
    if present:
        os.remove(output)
    if result.returncode not in (0, 1):
        sys.exit(f"{what}: exit status {result.returncode}\n{result.stderr.decode(errors='replace')}")
    if result.returncode == 1 and (present or b"error: " not in result.stderr):
        sys.exit(f"{what}: exit status 1, output file {present}, messages {result.stderr!r}")
    if result.returncode == 0 and not present:
        sys.exit(f"{what}: exit status 0 without an output file")
    return result.returncode


def main():
    source = random.Random(2)
    objects, archive = open(path("a.o"), "rb").read(), open(path("lib.a"), "rb").read()
    script, refused = open(path("script.ld"), "rb").read(), [0, 0, 0]
    assert check(["-T", path("script.ld"), path("a.o"), path("lib.a")], "script as it is") == 0
    assert check([path("a.o"), path("lib.a")], "as it is") == 0
    for number in range(COUNT):
        with open(path("damaged.o"), "wb") as file:
            file.write(damage(objects, source, structures(objects)))
        refused[0] += check([path("damaged.o"), path("lib.a")], f"object {number}")
        with open(path("damaged.a"), "wb") as file:
            file.write(damage(archive, source, [(0, 300), (0, len(archive))]))
        refused[1] += check([path("a.o"), path("damaged.a")], f"archive {number}")
        with open(path("damaged.ld"), "wb") as file:
            file.write(damage_script(script, source))
        refused[2] += check(["-T", path("damaged.ld"), path("a.o"), path("lib.a")], f"script {number}")
    assert COUNT < 100 or min(refused) > COUNT // 10, "hardly anything was refused"
    print("every damaged file was refused or linked")


main()
