"""same_bytes.py TLD FLAG… -- SOURCE…: compiles C sources, links them with tld and GNU ld at the same addresses, and compares the bytes of every
section that is loaded. What the sources use and do not define becomes a number.

.eh_frame is left out: GNU ld merges equal common records. Debug sections are compared where they have no merged strings."""
import os
import subprocess
import sys
import tempfile

PREFIX = "riscv64-linux-gnu-"
COMPILE = [PREFIX + "gcc", "-march=rv64imafd", "-mabi=lp64d", "-std=gnu11", "-D_GNU_SOURCE", "-fno-merge-constants", "-fno-pie",
           "-fno-stack-protector", "-ffp-contract=off", "-w", "-c"]
ADDRESSES = {".text": 0x100000, ".rodata": 0x800000, ".data": 0x900000, ".data.rel.ro": 0xa00000, ".sdata": 0xb00000,
             ".sbss": 0xc00000, ".bss": 0xd00000, ".got": 0xf00000, ".init_array": 0xe00000, ".eh_frame": 0x700000,
             ".srodata": 0xb80000, ".data.rel.ro.local": 0xa80000}
SKIPPED = {".eh_frame", ".got", ".comment", ".riscv.attributes", ".debug_str", ".debug_line_str", ".debug_info", ".debug_line",
           ".debug_str_offsets", ".debug_macro"}


def tool(name, *arguments):
    return subprocess.run([PREFIX + name, *arguments], check=True, capture_output=True, text=True).stdout


def sections(program):
    """name → bytes."""
    found, data = {}, open(program, "rb").read()
    for line in tool("readelf", "-SW", program).splitlines():
        if not line.startswith("  [") or "PROGBITS" not in line:
            continue
        name, _, _, offset, size = line[3:].split("]", 1)[1].split()[:5]
        if name not in SKIPPED:
            found[name] = data[int(offset, 16):int(offset, 16) + int(size, 16)]
    return found


def undefined(objects):
    used, defined = set(), set()
    for line in tool("nm", *objects).splitlines():
        words = line.split()
        if len(words) == 2 and words[0] in "Uw":
            used.add(words[1])
        elif len(words) == 3:
            defined.add(words[2])
    return sorted(used - defined - {"_GLOBAL_OFFSET_TABLE_"})


def main():
    tld, rest = sys.argv[1], sys.argv[2:]
    flags, sources = rest[:rest.index("--")], rest[rest.index("--") + 1:]
    with tempfile.TemporaryDirectory() as directory:
        objects = []
        for number, source in enumerate(sources):
            objects.append(os.path.join(directory, f"{number}.o"))
            subprocess.run([*COMPILE, *flags, "-o", objects[-1], source], check=True)
        options = ["--no-relax", "-e", "0x100000"]
        options += [f"--section-start={name}={address:x}" for name, address in ADDRESSES.items()]
        for number, name in enumerate(undefined(objects)):
            options += ["--defsym", f"{name}={0x200000 + 8 * number:#x}"]
        ours, theirs = os.path.join(directory, "ours"), os.path.join(directory, "theirs")
        subprocess.run([tld, "-w", *options, "-o", ours, *objects], check=True)
        subprocess.run([PREFIX + "ld", *options, "-o", theirs, *objects], check=True)
        a, b = sections(ours), sections(theirs)
        if ".text" not in a or a.keys() != b.keys():
            sys.exit(f"sections: tld {sorted(a)}, GNU ld {sorted(b)}")
        for name in a:
            if a[name] != b[name]:
                at = next((i for i, (x, y) in enumerate(zip(a[name], b[name])) if x != y), min(len(a[name]), len(b[name])))
                sys.exit(f"{name}: {len(a[name])} and {len(b[name])} bytes, the first difference at 0x{at:x}: "
                         f"tld {a[name][at:at + 16].hex()}, GNU ld {b[name][at:at + 16].hex()}")
        print(f"{sum(map(len, a.values()))} bytes equal in {len(a)} sections")


main()
