"""isa_format.py ROOT ISAGEN: each key that isagen takes is in its section of docs/isa-format.md, in an example, and in a bad case.

An example is a YAML block of the documentation or a description in the tree. A bad case is a file of tests/isagen/bad with an error
at the value of the key. The page names every accessor of isa/common.yaml and every section, too.
"""
import pathlib
import re
import subprocess
import sys

import yaml

# The arrays of keys in isa/isagen, in the order in which they are there: what an entry of each is, and the heading in the reference.
TABLES = {
    "accessors.c": ["accessors"], "aliases.c": ["aliases"], "architecture.c": ["name", "architecture"], "compressed.c": ["compressed"],
    "csr_names.c": ["csr_names"], "csrs.c": ["csrs"], "declarations.c": ["extension", "registers", "enums", "classes"],
    "elements.c": ["elements"], "functions.c": ["functions"], "insn.c": ["insn"], "instructions.c": ["constraints", "instructions", "relax"],
    "relocations.c": ["relocations"], "roles.c": ["inputs"], "state.c": ["state", "counters"], "trap_causes.c": ["traps", "traps"],
    "units.c": ["settings", "constraints", "units"],
}
HEADINGS = {"extension": "A file", "name": "architecture", "relax": "instructions", "constraints": "instructions", "inputs": "instructions", "state": "units",
            "counters": "units", "settings": "units", "operands": "operands (operand types)"}
# Any text is a value of these.
TEXTS = "summary description message".split()
# Any value of the right shape is good, which tests/isagen/bad/wrong_kind_*.yaml check for all keys.
FREE = {("extension", "source"): "a text", ("instructions", "source"): "a text",
        ("compressed", "source"): "a text", ("csrs", "source"): "a text", ("units", "source"): "a text",
        ("traps", "value"): "a text", ("units", "settle"): "a function that the linker finds",
        ("extension", "abi"): "a text", ("name", "version"): "of any form", ("state", "trace"): "a text", ("counters", "stats"): "a text"}


def accepted(root):
    """The keys: pairs of a table and a key."""
    keys = []
    for source in sorted((root / "isa/isagen").glob("*.c")):
        arrays = re.findall(r"\b(?:reason_)?keys\[\] = \{([^}]*)\}", source.read_text(encoding="utf-8"))
        names = TABLES.get(source.name, [])
        if len(arrays) != len(names):
            sys.exit(f"{source.name}: error: {len(arrays)} arrays of keys; expected {len(names)}, as in TABLES of isa_format.py")
        keys += [(name, key) for name, array in zip(names, arrays) for key in re.findall(r'"(\w+)!?"', array)]
    table = (root / "isa/isagen/operand_types.c").read_text(encoding="utf-8")
    kinds = re.findall(r'\{"[\w-]+",\s*ISA_\w+,\s*\{([^}]*)\}\}', table) + re.findall(r"keys\[16\] = \{([^}]*)\}", table)
    return dict.fromkeys(keys + [("operands", key) for kind in kinds for key in re.findall(r'"(\w+)!?"', kind)])


def key_at(path):
    """The table and the key that a path in a file leads to; or None."""
    section = path[0]
    inner = {"units": ("settings", "state", "counters", "constraints"), "instructions": ("constraints", "inputs")}.get(section, ())
    if section == "extension" and len(path) > 1:
        return section, path[1]
    if section == "architecture":
        return ("name", path[3]) if len(path) > 3 and path[1] == "names" else (section, path[1]) if len(path) > 1 else None
    if len(path) > 4 and path[2] in inner:
        return path[2], path[4]
    if section == "instructions" and len(path) > 3 and path[2] == "relax":
        return "relax", path[3]
    return (section, path[2]) if len(path) > 2 else None


def nodes(node, path=()):
    """All paths in a tree, with the position where the value begins and ends."""
    if isinstance(node, yaml.MappingNode):
        children = [(key.value, value) for key, value in node.value]
    else:
        children = [(str(i), value) for i, value in enumerate(node.value)] if isinstance(node, yaml.SequenceNode) else []
    for key, value in children:
        yield (*path, key), value
        yield from nodes(value, (*path, key))


def compose(text):
    try:
        return yaml.compose(text, Loader=yaml.CSafeLoader)
    except yaml.YAMLError:
        return None


def blocks(text):
    return re.findall(r"^```yaml\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def in_examples(root):
    texts = [path.read_text(encoding="utf-8") for folder in ("isa", "tests/isagen", "tests/adding/Inputs") for path in (root / folder).glob("*.yaml")]
    texts += [block for path in (root / "docs").glob("*.md") for block in blocks(path.read_text(encoding="utf-8"))]
    return {key_at(path) for text in texts for path, _ in nodes(compose(text) or yaml.compose("a"))}


def in_bad_cases(root, isagen):
    found = set()
    isa = sorted(str(path) for path in (root / "isa").glob("*.yaml"))
    for case in sorted((root / "tests/isagen/bad").glob("*.yaml")):
        text = case.read_text(encoding="utf-8")
        run = re.search(r"# RUN: not %isagen --check (.*?) 2>&1", text)
        tree = compose(text)
        if not run or not tree:
            continue
        words = run[1].replace("%isa_all", " ".join(isa)).replace("%isa_common", f"{root}/isa/common.yaml").replace("%root", str(root))
        words = words.replace("%s", str(case)).split()
        errors = subprocess.run([isagen, "--check", *words], capture_output=True, text=True, errors="replace", check=False).stderr
        places = [(int(line) - 1, int(column) - 1) for line, column in re.findall(rf"{case.name}:(\d+):(\d+): error:", errors)]
        for path, value in nodes(tree):
            begin, end = (value.start_mark.line, value.start_mark.column), (value.end_mark.line, value.end_mark.column)
            if any(begin <= place < end for place in places):
                found.add(key_at(path))
    return found


def main():
    root, isagen = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    page = (root / "docs/isa-format.md").read_text(encoding="utf-8")
    parts = dict(re.findall(r"^## ([^\n]*)\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE))
    keys, examples, bad = accepted(root), in_examples(root), in_bad_cases(root, isagen)
    problems = []
    for table, key in keys:
        if not re.search(rf"(?<!\w){key}(?!\w)", parts.get("A file" if key == "needs" else HEADINGS.get(table, table), "")):
            problems.append(f"{table}: {key}: not in the reference")
        if (table, key) not in examples:
            problems.append(f"{table}: {key}: in no example")
        if key not in TEXTS and (table, key) not in FREE and (table, key) not in bad:
            problems.append(f"{table}: {key}: in no bad case")
    problems += [f"{table}: {key}: has a bad case; remove it from FREE" for table, key in FREE if (table, key) in bad]
    accessors = list(yaml.safe_load((root / "isa/common.yaml").read_text(encoding="utf-8"))["accessors"])
    sections = re.search(r"sections\[\] = \{(.*?)NULL", (root / "isa/isagen/spec.c").read_text(encoding="utf-8"), re.DOTALL)[1]
    words = accessors + re.findall(r'"(\w+)"', sections)
    problems += [f"{word}: not in the reference" for word in words if not re.search(rf"(?<!\w){word}(?!\w)", page)]
    print("\n".join(problems) or f"{len(keys)} keys and {len(words)} words, all there")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
