"""same_program.py TLD OPTION… -- OBJECT…: links the objects with tld and with GNU ld (given the same options), and compares.

The two programs must print the same and exit alike under qemu-riscv64; the sections that both have must be of one size, and
every symbol must stand at the same offset of the same section. (Addresses differ: tld gives read-only data a segment.)
With --no-relax among the options the comparison covers the code too; without it only the behavior, because GNU ld relaxes more.
"""
import os
import subprocess
import sys
import tempfile

PREFIX = "riscv64-linux-gnu-"
# What only one of the two defines, or what depends on addresses.
IGNORED = {"__global_pointer$", "_edata", "edata", "__bss_start", "_end", "end", "__BSS_END__", "__DATA_BEGIN__",
           "__SDATA_BEGIN__", "_GLOBAL_OFFSET_TABLE_", "etext", "_etext", "__etext"}


def tool(name, *arguments):
    return subprocess.run([PREFIX + name, *arguments], check=True, capture_output=True, text=True).stdout


def sections(program):
    """name → (address, size) of what is loaded; and the names by number."""
    table, numbers = {}, {}
    for line in tool("readelf", "-SW", program).splitlines():
        if not line.startswith("  [") or "NULL" in line or "[Nr]" in line:
            continue
        number, rest = line[3:].split("]", 1)
        words = rest.split()
        numbers[int(number)] = words[0]
        if "A" in words[6]:
            table[words[0]] = (int(words[2], 16), int(words[4], 16))
    return table, numbers


def symbols(program):
    """(name, type) → list of (section, offset, size)."""
    table, numbers = sections(program)
    found = {}
    for line in tool("readelf", "-sW", program).splitlines():
        words = line.split()
        if len(words) != 8 or not words[0][:-1].isdigit() or words[3] in ("SECTION", "FILE"):
            continue
        name = words[7]
        if name in IGNORED or name.startswith(".L") or words[6] == "UND":
            continue
        section = numbers[int(words[6])] if words[6].isdigit() else words[6]
        base = table[section][0] if section in table and words[3] != "TLS" else 0
        found.setdefault((name, words[3]), []).append((section, int(words[1], 16) - base, int(words[2], 0)))
    return {key: sorted(value) for key, value in found.items()}


def run(program):
    result = subprocess.run(["qemu-riscv64", program], capture_output=True)
    return result.returncode, result.stdout


def main():
    tld, rest = sys.argv[1], sys.argv[2:]
    options, objects = rest[:rest.index("--")], rest[rest.index("--") + 1:]
    with tempfile.TemporaryDirectory() as directory:
        ours, theirs = os.path.join(directory, "ours"), os.path.join(directory, "theirs")
        subprocess.run([tld, *options, "-o", ours, *objects], check=True)
        tool("ld", *options, "-o", theirs, *objects)
        if run(ours) != run(theirs):
            sys.exit(f"behavior differs: tld {run(ours)}, GNU ld {run(theirs)}")
        if "--no-relax" in options:
            a, b = sections(ours)[0], sections(theirs)[0]
            for name in sorted(set(a) & set(b) - {".got", ".bss"}):
                # GNU ld 2.44 leaves out zeros between the last record of one object and the first one of the next.
                if abs(a[name][1] - b[name][1]) >= (8 if name == ".eh_frame" else 1):
                    sys.exit(f"section {name}: tld {a[name][1]} bytes, GNU ld {b[name][1]}")
            a, b = symbols(ours), symbols(theirs)
            for key in sorted(set(a) | set(b)):
                if a.get(key) != b.get(key):
                    sys.exit(f"symbol {key}: tld {a.get(key)}, GNU ld {b.get(key)}")
            if not a:
                sys.exit("no symbol was compared")
        status, output = run(ours)
        sys.stdout.write(output.decode(errors="replace"))
        print(f"exit {status}")


main()
