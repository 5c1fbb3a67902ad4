#!/usr/bin/env python3
"""The floors of the house: floors.py BUILD [TREE]

Checks two things and exits 1 if one is wrong:
  - A file includes headers of its own floor or of a floor below, never of one above (FLOORS, docs/design.md). Tools share nothing but lib/.
  - The files of a tool form no circle: following the symbols of the object files in BUILD from user to definition never leads back.
"""

import collections
import os
import re
import subprocess
import sys

# From the ground up; the first pattern that matches a file decides. machine.[ch] is where the parts are put together.
FLOORS = [
    ("lib", r"lib/"),
    ("what units, traces and the core share", r"emu/trap\.|emu/float/"),
    ("units, trace, picture", r"emu/(units|trace|picture)/"),
    ("core", r"emu/(decode|observe|profile|races|reference|workers)/|emu/(?!temu\.|options\.|run_files\.)[^/]+$"),
    ("native, user, bare", r"emu/(native/(?!stencils/)|user/|bare/)"),
    ("execute", r"emu/(body|execute|native/stencils)/"),
    ("gdb, report, timing", r"emu/(gdb|report|timing)/"),
    ("temu", r"emu/(temu|options|run_files)\."),
]
MACHINE = r"emu/machine\.[ch]$"
# Tools, and what each may include besides its own folder and lib/. The first pattern that matches a file names its tool.
TOOLS = [
    (r"asm/tobjdump/", r"(?!)"),
    (r"asm/", r"asm/(?!tobjdump/)"),
    (r"ld/", r"(?!)"),
    (r"isa/isagen/", r"(?!)"),
    (r"emu/tdiff/", r"emu/trap\.h$|emu/trace/(format|replay)\.h$"),
    (r"emu/ttrace/", r"emu/trap\.h$|emu/(trace|picture)/"),
    (r"emu/", r"(?!)"),
    (r"lib/", r"(?!)"),
]
# Names have values and values have names: the only circle.
CIRCLES = {frozenset({"asm/evaluate", "asm/expression", "asm/section", "asm/symbol"})}
SOURCE = re.compile(r"\.(c|h|inc|l|y)$")
INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.M)


def tool_of(name):
    return next(((own, others) for own, others in TOOLS if re.match(own, name)), None)


def floor_of(name):
    return next((number for number, (_, pattern) in enumerate(FLOORS) if re.match(pattern, name)), None)


def complain_about(name, header):
    """Returns what is wrong with an include, or None."""
    own, others = tool_of(name)
    if not re.match(own, header) and not header.startswith("lib/") and not re.match(others, header):
        return f"'{header}' belongs to another tool"
    if own == "emu/" and re.match(r"emu/(tdiff|ttrace)/", header):
        return f"'{header}' belongs to another tool"
    here, there = floor_of(name), floor_of(header)
    if own != "emu/" or here is None or there is None or re.match(MACHINE, name):
        return None
    if there > here:
        return f"'{header}' (floor of {FLOORS[there][0]}) is above this file (floor of {FLOORS[here][0]})"
    return None


def sources(tree):
    for top in ("asm", "emu", "isa", "ld", "lib"):
        for directory, _, names in os.walk(os.path.join(tree, top)):
            for name in sorted(names):
                if SOURCE.search(name):
                    yield os.path.relpath(os.path.join(directory, name), tree)


def check_includes(tree):
    wrong = 0
    for name in sources(tree):
        with open(os.path.join(tree, name), encoding="utf-8") as file:
            text = file.read()
        for match in INCLUDE.finditer(text):
            complaint = os.path.exists(os.path.join(tree, match[1])) and complain_about(name, match[1])
            if complaint:
                line = text.count("\n", 0, match.start(1)) + 1
                print(f"{name}:{line}: error: {complaint}; move what is needed down, or the include up")
                wrong += 1
    return wrong


def symbols(build):
    """Returns, for each object, the symbols that it defines and those that it needs."""
    defined, needed = collections.defaultdict(set), collections.defaultdict(set)
    paths = [os.path.join(directory, name) for directory, _, names in os.walk(build) for name in names if name.endswith(".o")]
    paths = [path for path in paths if tool_of(os.path.relpath(path, build))]
    output = subprocess.run(["nm", "-P", "-A", *paths], capture_output=True, encoding="utf-8", check=True).stdout if paths else ""
    for line in output.splitlines():
        path, symbol, kind = line.split()[:3]
        module = os.path.relpath(path[:-len(".o:")], build)
        if kind in "TDBRVWC":
            defined[module].add(symbol)
        elif kind == "U":
            needed[module].add(symbol)
    return defined, needed


def arrows(build):
    """Returns, for each object, the objects of the same tool whose symbols it needs."""
    defined, needed = symbols(build)
    owners = {}
    for module, names in defined.items():
        for name in names:
            owners.setdefault((tool_of(module), name), module)
    return {module: sorted({owners[tool_of(module), name] for name in names if (tool_of(module), name) in owners} - {module})
            for module, names in sorted((module, needed[module]) for module in {*defined, *needed})}


def circles(graph):
    """Returns the strongly connected components of more than one node, by Tarjan's algorithm."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph[node]:
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            component = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(component) > 1:
                found.append(component)

    for node in graph:
        if node not in index:
            visit(node)
    return found


def check_circles(build):
    wrong = 0
    graph = arrows(build)
    for component in circles(graph):
        if frozenset(component) in CIRCLES:
            continue
        wrong += 1
        print(f"error: these files form a circle: {', '.join(sorted(component))}")
        for module in sorted(component):
            print(f"    {module} needs {', '.join(other for other in graph[module] if other in component)}")
    return wrong, len(graph)


def main():
    build, tree = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "."
    sys.setrecursionlimit(10000)
    wrong = check_includes(tree)
    in_circles, objects = check_circles(build)
    if not objects:
        print(f"error: there are no objects in {build}; build the tools first")
    return bool(wrong or in_circles or not objects)


sys.exit(main())
