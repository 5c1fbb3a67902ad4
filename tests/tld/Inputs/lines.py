"""lines.py OURS THEIRS FUNCTION…: two links of the same objects give every byte of the functions the same line of the source, and
unwind records that start where the functions do: line tables and unwind tables have moved along with the code."""
import subprocess
import sys


def run(*command, text=None):
    return subprocess.run(command, check=True, capture_output=True, text=True, input=text).stdout


def functions(program):
    rows = [line.split() for line in run("riscv64-linux-gnu-nm", "-S", program).splitlines()]
    return {words[3]: (int(words[0], 16), int(words[1], 16)) for words in rows if len(words) == 4}


def lines(program, start, size):
    addresses = "\n".join(hex(at) for at in range(start, start + size, 2))
    return run("riscv64-linux-gnu-addr2line", "-s", "-e", program, text=addresses).splitlines()


def main():
    programs, names = sys.argv[1:3], sys.argv[3:]
    symbols = [functions(program) for program in programs]
    frames = [run("riscv64-linux-gnu-readelf", "--debug-dump=frames", program) for program in programs]
    for name in names:
        ours, theirs = (lines(program, *table[name]) for program, table in zip(programs, symbols))
        if ours != theirs or all(text.startswith("??") for text in ours):
            sys.exit(f"{name}: lines differ: {ours} and {theirs}")
        for table, text in zip(symbols, frames):
            start, size = table[name]
            if f"pc={start:016x}..{start + size:016x}" not in text:
                sys.exit(f"{name}: no unwind record covers {start:#x} and {size} bytes")
    print(f"the same lines for {len(names)} functions")


main()
