"""accessors.py ROOT: the accessors of the description that the emulator itself defines, its definitions, and those that
docs/isa-format.md explains are the same."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])


def read(name):
    return (root / name).read_text(encoding="utf-8")


def defined(name):
    """The macros of the file with names in small letters, with their arguments, that end a `do` or an expression of a body."""
    part = read(name).split("the accessors of ")[1]
    macros = re.findall(r"^#define ([a-z_]+)\(([^)]*)\)", part, re.M)
    return {macro: len([word for word in arguments.split(",") if word.strip()]) for macro, arguments in macros if macro != "check_element"}


lists = ("isa/common.yaml", "isa/xbarrel.yaml")
section = "".join(re.search(r"^accessors:\n((?:  .*\n)+)", read(name), re.M).group(1) for name in lists)
called, variables, direct, definitions, time, only_time, in_csrs = {}, set(), set(), {}, {}, set(), set()
for name, rest in re.findall(r"^  (\w+): *\{(.*)\}$", section, re.M):
    arguments = re.search(r"arguments: \{([^}]*)\}", rest)
    if "timing: " in rest:
        time[name] = len([word for word in arguments.group(1).split(",") if word.strip()])
    if "timing: only" in rest:
        only_time.add(name)
    elif "definitions: true" in rest:
        definitions[name] = len([word for word in arguments.group(1).split(",") if word.strip()])
    elif arguments:
        called[name] = len([word for word in arguments.group(1).split(",") if word.strip()])
    else:
        variables.add(name)
    if "csrs: true" in rest:
        in_csrs.add(name)
    if "direct: true" in rest:
        direct.add(name)
print(f"{len(called)} called, {len(definitions)} of definitions, {len(only_time)} of time, {len(variables)} others")

shared = defined("emu/body/body.h")
for name, found in (("emu/body/whole.h", {**defined("emu/body/whole.h"), **shared}),):
    for accessor, count in called.items():
        if found.get(accessor) != count:
            print(f"{name} does not define '{accessor}' with {count} arguments")
    for accessor in found.keys() - called.keys():
        print(f"{' and '.join(lists)} do not list '{accessor}' of {name}")
in_direct = {*defined("emu/body/leave.h"), *shared} - {"trap"}  # which the others use
for accessor in sorted(in_direct ^ (direct & called.keys())):
    print(f"'{accessor}' is in {'emu/body/leave.h' if accessor in in_direct else 'isa/common.yaml'} only")
state = defined("emu/state_code.h")
for accessor, count in definitions.items():
    if {**defined("emu/reference/reference.c"), **state}.get(accessor) != count:
        print(f"emu/reference/reference.c does not define '{accessor}' with {count} arguments")
for accessor in sorted({*state, "set"} ^ in_csrs):
    print(f"'{accessor}' is in {'isa/common.yaml' if accessor in in_csrs else 'emu/state_code.h'} only")
found = defined("lib/timing/time.c")
for accessor in sorted(time.keys() | found.keys()):
    if found.get(accessor) != time.get(accessor):
        print(f"'{accessor}' of time is not the same in lib/timing/time.c and isa/common.yaml")

page = read("docs/isa-format.md")
for accessor in called.keys() | variables | definitions.keys() | only_time:
    if accessor not in ("hart", "machine") and not re.search(rf"^\| .*`{accessor}\b", page, re.M):
        print(f"docs/isa-format.md does not explain '{accessor}'")
print("compared")
