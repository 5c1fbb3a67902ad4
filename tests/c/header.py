"""Each function of tensor.h produces its instruction, with the operands in their places, as registers and as small immediates.

RUN: %python %s %gcc %tobjdump %tasm %build/gen/tensor.h %t
"""
import re
import subprocess
import sys

gcc, tobjdump, tasm, header, base = sys.argv[1:]
text = open(header).read()
found = re.findall(r"/\* [^`]*`([^`\n]*)`\n.*\*/\nstatic inline (\w+) tensor_(\w+)\((.*)\)\n", text)
assert len(found) == text.count("static inline") and len(found) > 30, len(found)


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def expected(syntax, result, parameters, immediate):
    """The operands as the psABI passes them: integers in a0, a1…, floats in fa0."""
    place = {}
    integers = 0
    for number, (kind, name) in enumerate(parameters):
        if "[" in name:
            place[name[:name.index("[")]] = "ft0:ft3" if kind == "uint32_t" else "ft4:ft7"
        elif kind in ("float", "double"):
            place[name] = "fa0"
        else:
            place[name] = str(immediate + number) if immediate is not None and takes_immediate(name) else f"a{integers}"
            integers += 1
    mnemonic, _, names = syntax.partition(" ")
    rest = {"uint64_t": "a0", "float": "fa0", "double": "fa0", "void": None}[result]
    return mnemonic + "\t" + ",".join(place.get(name, rest) for name in names.split(", ")) if names else mnemonic


def takes_immediate(name):
    return name in immediates


source = ['#include "tensor.h"']
wanted = {}
for syntax, result, name, declared in found:
    parameters = [re.fullmatch(r"(.*?) ?(\w+(?:\[\d+\])?)", part).groups() for part in declared.split(", ") if part != "void"]
    body = re.search(rf"tensor_{name}\(.*?\n}}\n", text, re.S)[0]
    immediates = set(re.findall(r'"rK"\((\w+)\)', body))
    arguments = [match[match.index("]") + 1:] if "]" in match else match for match in (p[1].split("[")[0] for p in parameters)]
    source.append(f"{result} by_register_{name}({declared}) {{ return tensor_{name}({', '.join(arguments)}); }}")
    wanted[f"by_register_{name}"] = expected(syntax, result, parameters, None)
    if immediates:
        constants = [str(26 + number) if argument in immediates else argument for number, argument in enumerate(arguments)]
        source.append(f"{result} by_constant_{name}({declared}) {{ return tensor_{name}({', '.join(constants)}); }}")
        wanted[f"by_constant_{name}"] = expected(syntax, result, parameters, 26)
open(base + ".c", "w").write("\n".join(source) + "\n")

for level in ("-O2", "-O0", "-Os"):
    run(gcc, "-march=rv64imafd", "-mabi=lp64d", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-std=gnu11", level, "-I", header[:header.rindex("/")],
        "-c", "-o", base + ".o", base + ".c")
    listing = run(tobjdump, "-d", base + ".o")
    functions = dict(re.findall(r"<(\w+)>:\n(.*?)(?:\n\n|\Z)", listing, re.S))
    for name, instruction in wanted.items():
        mnemonic = instruction.split("\t")[0]
        lines = [line.split("\t", 2)[2] for line in functions[name].splitlines() if f"\t{mnemonic}\t" in line + "\t"]
        assert len(lines) == 1 or level == "-O0", (level, name, functions[name])
        if level == "-O2":
            assert lines[0] == instruction, (name, lines[0], instruction)
    if level == "-O0":
        # Not inlined: each function stands once, and is called.
        for syntax, _, name, _ in found:
            assert re.search(rf"\t{re.escape(syntax.split(' ')[0])}\s", functions[f"tensor_{name}"] + "\n"), name
print(len(found), "functions")

# tasm assembles the compiler's output to the same words.
run(gcc, "-march=rv64imafd", "-mabi=lp64d", "-O2", "-I", header[:header.rindex("/")], "-S", "-o", base + ".s", base + ".c")
run(gcc, "-march=rv64imafd", "-mabi=lp64d", "-c", "-o", base + ".gas.o", base + ".s")
run(tasm, "-o", base + ".tasm.o", base + ".s")
assert run(tobjdump, "-d", base + ".gas.o").split("\n", 2)[2] == run(tobjdump, "-d", base + ".tasm.o").split("\n", 2)[2]
