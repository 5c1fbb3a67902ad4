"""rebuild.py ISAGEN BUILD WORK YAML...: which sources an edit of the description compiles again, by the dependencies of the objects in BUILD."""
import filecmp
import os
import pathlib
import re
import subprocess
import sys

isagen, build, work, *names = sys.argv[1:]
build, work = pathlib.Path(build), pathlib.Path(work)
root = pathlib.Path(__file__).resolve().parents[3]


def generate(directory, description):
    """Writes the files from copies of the description that have the same names."""
    for name, text in description.items():
        (work / "isa" / name).write_text(text, encoding="utf-8")
    (work / directory).mkdir()
    subprocess.run([isagen, "-o", directory, *(f"isa/{name}" for name in description)], cwd=work, check=True)


def compiled(directory):
    """Returns the sources whose objects depend on a file that differs."""
    after, before = work / directory, work / "gen"
    changed = {path.name for path in after.iterdir() if not (before / path.name).exists() or not filecmp.cmp(path, before / path.name, shallow=False)}
    sources = {name for name in changed if name.endswith(".c")}
    for rules in build.rglob("*.d"):
        path = rules.relative_to(build)
        if {"tests", "sanitize", "deb", "bench"} & set(path.parts):
            continue
        if path.parts[0] in ("asm", "emu", "isa", "ld", "lib") and not (root / path).with_suffix(".c").exists():
            continue  # of a source that is there no more
        needs = {os.path.basename(word) for word in re.findall(r"\S*/gen/\S+", rules.read_text(encoding="utf-8"))}
        if needs & changed:
            sources.add(rules.with_suffix(".c").name)
    return sorted(sources)


def edited(name, old, new):
    assert old in description[name], old
    return {**description, name: description[name].replace(old, new, 1)}


(work / "isa").mkdir(parents=True)
description = {os.path.basename(name): pathlib.Path(name).read_text(encoding="utf-8") for name in names}
generate("gen", description)
new = """extension: {name: xnew, version: "1.0", summary: a test}
instructions:
  new:
    summary: Sum
    encoding: {format: R, funct7: 100, funct3: 7, opcode: CUSTOM_3}
    operands: {rd: x_out, rs1: x, rs2: x}
    syntax: "rd, rs1, rs2"
    class: integer
    semantics: rd = rs1 + rs2;
    example: new a0, a1, a2
"""
for directory, changed in (
    ("scalar", edited("rv64i.yaml", "rd = rs1 + rs2;", "rd = rs2 + rs1;")),
    ("walk", edited("xtrav.yaml", "rd = walk_load(int8_t, row);", "rd = walk_load(int8_t, (row));")),
    ("instruction", {**description, "xnew.yaml": new}),
    ("vendor", {**description, "xmat.yaml": description["xmat.yaml"] + new.partition("instructions:\n")[2]}),
):
    generate(directory, changed)
    print(f"{directory}: {' '.join(compiled(directory))}.")
