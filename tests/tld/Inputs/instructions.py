"""instructions.py PROGRAM FUNCTION…: the instructions of the functions, one line each, without addresses.

instructions.py --compare OURS THEIRS: function by function, the mnemonics of two links of the same objects. Prints how many
functions are the same in percent, and fails if one of OURS has more instructions than that of THEIRS.
"""
import re
import subprocess
import sys


def functions(program):
    text = subprocess.run(["riscv64-linux-gnu-objdump", "-d", "--no-show-raw-insn", "-M", "no-aliases", program],
                          check=True, capture_output=True, text=True).stdout
    found, current = {}, None
    for line in text.splitlines():
        header = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        if header:
            current = found.setdefault(header.group(1), [])
        elif "\t" in line and current is not None and line.strip() != "...":
            current.append(line.split("\t")[1:])
    return found


def compare(ours, theirs):
    a, b = functions(ours), functions(theirs)
    names = [name for name in a if name in b and len(a[name]) > 1]
    longer = [f"{name}: {len(a[name])} instructions, expected {len(b[name])} at most" for name in names if len(a[name]) > len(b[name])]
    same = sum([words[0] for words in a[name]] == [words[0] for words in b[name]] for name in names)
    if longer or len(names) < 100:
        sys.exit("\n".join(longer) or "hardly any function was compared")
    print(f"the same: {same * 100 // len(names)} percent")


def main():
    if sys.argv[1] == "--compare":
        compare(sys.argv[2], sys.argv[3])
        return
    found = functions(sys.argv[1])
    for name in sys.argv[2:]:
        print(f"{name}:")
        for words in found[name]:
            print("   ", re.sub(r"\s+", " ", " ".join(words)).strip())


main()
