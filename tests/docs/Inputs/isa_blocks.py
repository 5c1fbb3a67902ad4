"""isa_blocks.py ROOT ISAGEN WORK: each YAML block of docs/isa-format.md is a description that isagen takes.

A block may repeat what isa/*.yaml has, which it replaces here; only errors in the block count. A block that begins with blanks is a part
of an entry, and one with a section that is `…` shows where sections are: these are not checked."""
import functools
import pathlib
import re
import subprocess
import sys

import yaml

root, isagen, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])
# What an example needs that no file in the tree has.
NEEDED = """extension: {name: xdoc, version: "1", summary: example}
registers:
  acc: {summary: test, width: 512, count: 4, numeric: acc}
units:
  systolic: {summary: test, settings: {rows: {type: number, default: 4, summary: test}}}
"""


def compose(text):
    return yaml.compose(text, Loader=yaml.CSafeLoader)


@functools.cache
def description(path):
    """Returns the sections of a description, and the text that takes part where none of them is in the example."""
    tree = compose(path.read_text(encoding="utf-8"))
    return {key.value for key, _ in tree.value}, serialize(tree)


def serialize(node):
    return yaml.serialize(node, Dumper=yaml.CSafeDumper, allow_unicode=True, width=1 << 20)


def replace(section, example):
    """Takes from a section what the example has, too."""
    if isinstance(section, yaml.MappingNode):
        names = {key.value for key, _ in example.value}
        kept = []
        for key, value in section.value:
            # A group of CSRs stands for its members, and an architecture for its names.
            if key.value == "names" and key.value in names:
                replace(value, dict((k.value, v) for k, v in example.value)["names"])
            elif key.value in names:
                continue
            kept.append((key, value))
        section.value = kept
    else:
        texts = {serialize(item) for item in example.value}
        section.value = [item for item in section.value if serialize(item) not in texts]


def check(number, example):
    sections = {key.value: value for key, value in example.value}
    names = []
    for path in sorted((root / "isa").glob("*.yaml")):
        keys, text = description(path)
        if keys & sections.keys():
            tree = compose(text)
            for key, value in tree.value:
                if key.value in sections:
                    replace(value, sections[key.value])
            tree.value = [(key, value) for key, value in tree.value if value.value]
            text = serialize(tree)
        (work / path.name).write_text(text, encoding="utf-8")
        names.append(path.name)
    needed = compose(NEEDED)
    needed.value = [(key, value) for key, value in needed.value if key.value not in sections]
    (work / "needed.yaml").write_text(serialize(needed), encoding="utf-8")
    example.value += compose(NEEDED).value[:1] if "extension" not in sections else []
    (work / "example.yaml").write_text(serialize(example), encoding="utf-8")
    result = subprocess.run([isagen, "--check", *names, "needed.yaml", "example.yaml"], cwd=work, capture_output=True, text=True, check=False)
    return [f"docs/isa-format.md:{number}: {line}" for line in result.stderr.splitlines() if line.startswith("example.yaml:") and "error" in line or "more than" in line]


work.mkdir(parents=True, exist_ok=True)
page = (root / "docs/isa-format.md").read_text(encoding="utf-8")
count, problems = 0, []
for match in re.finditer(r"^```yaml\n(.*?)^```", page, re.DOTALL | re.MULTILINE):
    if match[1].startswith(" ") or re.search(r"^\w+: …", match[1], re.MULTILINE):
        continue
    count += 1
    problems += check(page.count("\n", 0, match.start()) + 1, compose(match[1]))
print("\n".join(problems) or f"{count} blocks, all good")
sys.exit(bool(problems))
