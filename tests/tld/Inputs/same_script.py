"""same_script.py TLD SCRIPT OBJECT…: what tld and GNU ld make of the objects by a linker script: the same addresses, load addresses and
sizes of sections, the same values of symbols, the same bytes to load."""
import os
import subprocess
import sys
import tempfile

PREFIX = "riscv64-linux-gnu-"


def tool(name, *arguments):
    return subprocess.run([PREFIX + name, *arguments], check=True, capture_output=True, text=True).stdout


def sections(program):
    """name → (size, address, load address) of what has room in memory."""
    lines = tool("objdump", "-h", "-w", program).splitlines()
    found = {}
    for line in lines:
        words = line.split()
        if len(words) > 6 and words[0].isdigit() and "ALLOC" in line and int(words[2], 16):
            found[words[1]] = tuple(int(word, 16) for word in words[2:5])
    return found


def symbols(program):
    lines = [line.split() for line in tool("nm", program).splitlines()]
    return {words[2]: int(words[0], 16) for words in lines if len(words) == 3 and not words[2].startswith((".L", "$"))}


def loaded(program, directory):
    image = os.path.join(directory, "image")
    tool("objcopy", "-O", "binary", program, image)
    return open(image, "rb").read()


def same(what, ours, theirs):
    if ours == theirs:
        return
    if isinstance(ours, dict):
        for key in sorted(set(ours) | set(theirs)):
            if ours.get(key) != theirs.get(key):
                print(f"{what} {key}: tld {[hex(v) for v in [ours.get(key, 0)]] if isinstance(ours.get(key), int) else ours.get(key)}, "
                      f"GNU ld {theirs.get(key)}")
    sys.exit(f"{what} differ")


def main():
    tld, script, objects = sys.argv[1], sys.argv[2], sys.argv[3:]
    with tempfile.TemporaryDirectory() as directory:
        ours, theirs = os.path.join(directory, "ours"), os.path.join(directory, "theirs")
        options = ["--no-relax", "-T", script]
        subprocess.run([tld, *options, "-o", ours, *objects], check=True)
        tool("ld", *options, "--no-warn-rwx-segments", "-o", theirs, *objects)
        same("sections", sections(ours), sections(theirs))
        same("symbols", symbols(ours), symbols(theirs))
        same("bytes", loaded(ours, directory), loaded(theirs, directory))
        assert sections(ours) and symbols(ours)
    print(f"same: {len(sections(ours)) if os.path.exists(ours) else 'sections, symbols and bytes'}")


main()
