"""links.py ROOT: the links of README.md and docs/*.md, and the paths that they name in backticks, lead to files of the tree;
each `machine.md, N` in a file of the tree names a section of docs/machine.md."""
import glob
import os
import re
import sys

root = sys.argv[1]
folders = ("asm", "bench", "docs", "emu", "include", "isa", "ld", "lib", "tests")
count, dead = 0, []


def read(path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


for page in ["README.md", *sorted(glob.glob("docs/*.md", root_dir=root))]:
    text = re.sub(r"^(```+).*?^\1$", "", read(page), flags=re.M | re.S)
    links = [os.path.join(os.path.dirname(page), link.split("#")[0]) for link in re.findall(r"\]\((?!#|https?:)([^)]+)\)", re.sub("`[^`]*`", "", text))]
    paths = re.findall(rf"`((?:{'|'.join(folders)})/[^` ]*)`", text)
    for path in links + [path for path in paths if "NAME" not in path and "…" not in path]:
        count += 1
        if not glob.glob(os.path.join(root, path)):
            dead.append(f"{page}: {path}")
print(f"{count} links and paths, " + (f"dead: {dead}" if dead else "all good"))

# The sections of each specification, and what refers to them: "machine.md, 2", "machine.md, section 1", "machine.md, 1 and 4".
pages = {os.path.basename(page): set(re.findall(r"(?m)^## (\d+)\. ", read(page))) for page in glob.glob("docs/*.md", root_dir=root)}
count, dead = 0, []
for folder in folders:
    for path in sorted(glob.glob(f"{folder}/**/*.*", root_dir=root, recursive=True)):
        if not os.path.isfile(os.path.join(root, path)) or path.endswith(".trace"):
            continue
        for page, first, second in re.findall(r"\b([a-z-]+\.md), (?:section )?(\d+)(?: and (\d+))?", read(path)):
            for section in filter(None, (first, second)):
                count += 1
                if section not in pages.get(page, ()):
                    dead.append(f"{path}: {page}, {section}")
print(f"{count} sections, " + (f"dead: {dead}" if dead else "all good"))
