#!/usr/bin/env python3
"""instruction_counts.py [--build DIR] [--check | --update] [KERNEL…]: counts the instructions of tensor kernels and of the same work in C.

For each KERNEL (default: all with a C file), it runs tests/kernels/KERNEL.s and tests/kernels/scalar/KERNEL.c in temu, the latter compiled with -O2 and with
-Os, and prints a row of docs/instruction-counts.md: the size of .text and the executed instructions of all three, and the ratios. The instructions of a function `fill`, which
makes pseudo-random input, are not counted. The results have to agree as the lines COMPARE of the C file say:

    COMPARE: SYMBOL:BYTES bytes          the same bytes
    COMPARE: SYMBOL:BYTES f32 2^-20      f32 values that differ by at most 2^-20, relative to the greater of 1 and the value

--check compares the rows with those on the page instead of printing them; another version of gcc than the page's may make up to a third more or less of the
code and of the executed instructions of C. --update writes them there. Without KERNEL, --check also finds rows of the page without a kernel. Exits 0 when everything agrees.
"""

import argparse
import glob
import os
import re
import struct
import subprocess
import sys
import tempfile

import reference

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KERNELS = os.path.join(ROOT, "tests", "kernels")
PAGE = os.path.join(ROOT, "docs", "instruction-counts.md")
# The flags after -ffreestanding allow fmax.s and fmin.s; they do not change the order of operations.
GCC = ("riscv64-linux-gnu-gcc", "-march=rv64gc", "-mabi=lp64d", "-ffreestanding", "-fno-math-errno", "-ffinite-math-only", "-fno-signed-zeros", 
       "-Wall", "-Wextra", "-Werror", "-c")


class Wrong(Exception):
    pass


def run(*command):
    """Returns the output of the command, with standard error at the end."""
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode:
        raise Wrong(f"{' '.join(command)}: exit status {found.returncode}\n{found.stdout}{found.stderr}")
    return found.stdout + found.stderr


class Program:
    """A linked program: the size of its code, the executed instructions outside `fill`, and the bytes of its results."""

    def __init__(self, build, stem, results):
        def tool(name, *arguments):
            return run(os.path.join(build, name), *arguments)
        tool("tld", "-o", stem, stem + ".o")
        self.size = int(re.search(r" \.text +([0-9a-f]+) ", tool("tobjdump", "-h", stem)).group(1), 16)
        names = [f"{stem}.{symbol}" for symbol, *_ in results]
        dumps = [f"--dump={symbol}:{size}={name}" for name, (symbol, size, *_) in zip(names, results)]
        statistics = tool("temu", "--stats", *dumps, stem)
        self.executed = int(re.search(r"^instructions +(\d+)$", statistics, re.M).group(1))
        if re.search(r" fill$", tool("tobjdump", "-t", stem), re.M):
            tool("temu", f"--trace={stem}.trace", stem)
            with open(stem + ".trace", encoding="utf-8") as file:
                self.executed -= sum("<fill>" in line or "<fill+" in line for line in file)
        self.results = []
        for name in names:
            with open(name, "rb") as file:
                self.results.append(file.read())


def read_results(name):
    """Returns the COMPARE lines of a C file as (symbol, bytes, type, tolerance)."""
    with open(name, encoding="utf-8") as file:
        lines = re.findall(r"COMPARE: (\w+):(\d+) (?:(bytes)|(f32) 2\^-(\d+))$", file.read(), re.M)
    if not lines:
        raise Wrong(f"{name}: no line COMPARE")
    return [(symbol, size, kind or f32, int(bits or 0)) for symbol, size, kind, f32, bits in lines]


def compare(what, result, found, expected):
    symbol, size, kind, bits = result
    if kind == "bytes":
        agree = found == expected
    else:
        pairs = list(zip(*(struct.unpack(f"<{len(data) // 4}f", data) for data in (found, expected))))
        agree = all(a == b or abs(a - b) <= 2.0**-bits * max(1.0, abs(b)) for a, b in pairs)  # false when one is a NaN
    if not agree or len(found) != len(expected) or len(found) != int(size):
        raise Wrong(f"{what}: {symbol} differs from the tensor kernel's")


def measure(kernel, build, directory):
    """Returns the row of a kernel."""
    source = os.path.join(KERNELS, "scalar", kernel + ".c")
    results = read_results(source)
    data = f"{kernel}_data"
    if data in reference.DATA:
        with open(os.path.join(directory, kernel + ".bin"), "wb") as file:
            file.write(reference.DATA[data]())
    stem = os.path.join(directory, kernel)
    run(os.path.join(build, "tasm"), "-I", os.path.join(ROOT, "include"), "-I", directory, "-o", stem + ".o", os.path.join(KERNELS, kernel + ".s"))
    tensor = Program(build, stem, results)
    columns = [f"`{kernel}`", tensor.size, tensor.executed]
    ratios = []
    for level in ("-O2", "-Os"):
        run(*GCC, level, f"-Wa,-I,{directory}", "-o", stem + level + ".o", source)
        scalar = Program(build, stem + level, results)
        for result, found, expected in zip(results, scalar.results, tensor.results):
            compare(f"{kernel} {level}", result, found, expected)
        columns += [scalar.size, scalar.executed]
        ratios.append(f"{scalar.executed / tensor.executed:.2f}")
    bits = [bits for _, _, kind, bits in results if kind != "bytes"]
    return "| " + " | ".join(map(str, columns + ratios + [f"within 2^-{min(bits)}" if bits else "equal"])) + " |"


def row_of(lines, kernel):
    return next((at for at, line in enumerate(lines) if line.startswith(f"| `{kernel}` |")), None)


def is_current(row, expected, same_gcc):
    """Returns whether a row is that of the page."""
    if same_gcc or row == expected:
        return row == expected
    found, known = ([cell.strip() for cell in text.strip("|").split("|")] for text in (row, expected))
    close = all(2 / 3 <= float(a) / float(b) <= 4 / 3 for a, b in zip(found[3:9], known[3:9]))
    return found[:3] == known[:3] and close and found[9:] == known[9:]


def check(lines, rows, whole):
    """Returns the mistakes in the page."""
    wrong = []
    version = run(GCC[0], "-dumpversion").strip()
    same_gcc = f" by gcc {version} " in " ".join(lines)
    for kernel, row in rows.items():
        at = row_of(lines, kernel)
        if at is None or not is_current(row, lines[at], same_gcc):
            wrong.append(f"{PAGE}: {'no row' if at is None else lines[at]}\n{kernel} is now:\n{row}")
    if whole:
        extra = [name for name in re.findall(r"^\| `(\w+)` \|", "\n".join(lines), re.M) if name not in rows]
        wrong += [f"{PAGE}: no kernel {name}" for name in extra]
    return wrong


def update(lines, rows):
    """Writes the rows: in place of old ones, and new ones in alphabetical order."""
    for kernel, row in rows.items():
        at = row_of(lines, kernel)
        if at is None:
            head = next(at for at, line in enumerate(lines) if line.startswith("| ---"))
            lines.insert(next(at for at in range(head + 1, len(lines) + 1) if at == len(lines) or not "| `" < lines[at] < row), row)
        else:
            lines[at] = row
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="directory of the tools")
    parser.add_argument("--check", action="store_true", help="compare with the page")
    parser.add_argument("--update", action="store_true", help="correct the page")
    parser.add_argument("kernel", nargs="*")
    arguments = parser.parse_args()
    known = sorted(os.path.basename(name)[:-2] for name in glob.glob(os.path.join(KERNELS, "scalar", "*.c")))
    unknown = [kernel for kernel in arguments.kernel if kernel not in known]
    if unknown:
        return f"no tests/kernels/scalar/{unknown[0]}.c; there are {', '.join(known)}"
    try:
        with tempfile.TemporaryDirectory() as directory:
            rows = {kernel: measure(kernel, arguments.build, directory) for kernel in arguments.kernel or known}
        if not arguments.check and not arguments.update:
            print("\n".join(rows.values()))
            return 0
        with open(PAGE, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (Wrong, OSError) as error:
        return str(error)
    if arguments.update:
        update(lines, rows)
        return 0
    return "\n".join(check(lines, rows, not arguments.kernel)) or 0


if __name__ == "__main__":
    sys.exit(main())
