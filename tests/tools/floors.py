#!/usr/bin/env python3
"""The floors of the house: floors.py BUILD [TREE]

Checks three things and exits 1 if one is wrong:
  - A file includes headers of its own floor or of a floor below, never of one above (FLOORS, docs/design.md). Tools share nothing but lib/.
  - The rooms form no circle by what they include. A room is a folder; in asm/, emu/ and ld/ themselves, it is a file with its header.
  - The files of a tool form no circle, and its rooms neither: following the symbols of the object files in BUILD from user to definition never leads back.
"""

import collections
import os
import re
import subprocess
import sys

# From the ground up; the first pattern that matches a file decides.
FLOORS = [
    ("lib", r"lib/"),
    ("what units, traces and the core share", r"emu/trap\.|emu/float/"),
    ("units, trace, picture", r"emu/(units|trace|picture)/"),
    ("core", r"emu/(decode|memory|observe|profile|races|reference|workers)/|emu/(?!(temu|options|prepare|results|run_files)\.)[^/]+$"),
    ("native, user, bare", r"emu/(native/(?!stencils/)|user/|bare/)"),
    ("execute", r"emu/(body|execute|native/stencils)/"),
    ("gdb, report, timing", r"emu/(gdb|report|timing)/"),
    ("temu", r"emu/(temu|options|prepare|results|run_files)\."),
]
# Where the parts of a tool are put together: these files may include all of them.
WHOLE = r"(asm/tasm|emu/machine)\.[ch]$"
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
    if own != "emu/" or here is None or there is None or re.match(WHOLE, name):
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


def includes(tree):
    """Yields each include of a file of the tree: the file, the line, and the header."""
    for name in sources(tree):
        with open(os.path.join(tree, name), encoding="utf-8") as file:
            text = file.read()
        for match in INCLUDE.finditer(text):
            if os.path.exists(os.path.join(tree, match[1])):
                yield name, text.count("\n", 0, match.start(1)) + 1, match[1]


def check_includes(tree):
    wrong = 0
    for name, line, header in includes(tree):
        complaint = complain_about(name, header)
        if complaint:
            print(f"{name}:{line}: error: {complaint}; move what is needed down, or the include up")
            wrong += 1
    return wrong


def room_of(name):
    folder = os.path.dirname(name)
    return os.path.splitext(name)[0] if folder in ("asm", "emu", "ld") else folder


def check_rooms(tree):
    reasons = collections.defaultdict(dict)
    for name, line, header in includes(tree):
        if room_of(name) != room_of(header) and not re.match(WHOLE, name):
            reasons[room_of(name)].setdefault(room_of(header), f"{name}:{line} includes '{header}'")
    rooms = {*reasons, *(other for others in reasons.values() for other in others)}
    wrong = circles({room: sorted(reasons[room]) for room in sorted(rooms)})
    for component in wrong:
        print(f"error: these rooms form a circle: {', '.join(sorted(component))}")
        for room in sorted(component):
            for other in sorted({*reasons[room]} & {*component}):
                print(f"    {reasons[room][other]}")
    return len(wrong)


def is_module(build, tree, path):
    """Is it the object of a source of a tool? That of a source that has gone is not."""
    name = os.path.relpath(path, build)
    return tool_of(name) and os.path.exists(os.path.join(tree, name[:-len("o")] + "c"))


def symbols(build, tree):
    """Returns, for each object, the symbols that it defines and those that it needs."""
    defined, needed = collections.defaultdict(set), collections.defaultdict(set)
    paths = [os.path.join(directory, name) for directory, _, names in os.walk(build) for name in names if name.endswith(".o")]
    paths = [path for path in paths if is_module(build, tree, path)]
    output = subprocess.run(["nm", "-P", "-A", *paths], capture_output=True, encoding="utf-8", check=True).stdout if paths else ""
    for line in output.splitlines():
        path, symbol, kind = line.split()[:3]
        module = os.path.relpath(path[:-len(".o:")], build)
        if kind in "TDBRVWC":
            defined[module].add(symbol)
        elif kind == "U":
            needed[module].add(symbol)
    return defined, needed


def arrows(build, tree):
    """Returns, for each object, the objects of the same tool whose symbols it needs."""
    defined, needed = symbols(build, tree)
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


def rooms_of(graph):
    """Returns the graph of the rooms that the files of this graph are in."""
    rooms = collections.defaultdict(set)
    for module, others in graph.items():
        rooms[room_of(module)] |= {room_of(other) for other in others} - {room_of(module)}
    return {room: sorted(others) for room, others in sorted(rooms.items())}


def complain_about_circles(graph, kind):
    found = [component for component in circles(graph) if frozenset(component) not in CIRCLES]
    for component in found:
        print(f"error: these {kind} form a circle: {', '.join(sorted(component))}")
        for node in sorted(component):
            print(f"    {node} needs {', '.join(other for other in graph[node] if other in component)}")
    return len(found)


def check_circles(build, tree):
    graph = arrows(build, tree)
    return complain_about_circles(graph, "files") or complain_about_circles(rooms_of(graph), "rooms"), len(graph)


def main():
    build, tree = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "."
    sys.setrecursionlimit(10000)
    wrong = check_includes(tree) + check_rooms(tree)
    in_circles, objects = check_circles(build, tree)
    if not objects:
        print(f"error: there are no objects in {build}; build the tools first")
    return bool(wrong or in_circles or not objects)


sys.exit(main())
