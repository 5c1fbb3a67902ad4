"""links.py ROOT: the links of README.md and docs/*.md, and the paths that they name in backticks, lead to files of the tree."""
import glob
import os
import re
import sys

root = sys.argv[1]
folders = "asm|docs|emu|include|isa|ld|lib|tests"
count, dead = 0, []
for page in ["README.md", *sorted(glob.glob("docs/*.md", root_dir=root))]:
    with open(os.path.join(root, page), encoding="utf-8") as file:
        text = re.sub(r"^(```+).*?^\1$", "", file.read(), flags=re.M | re.S)
    links = [os.path.join(os.path.dirname(page), link.split("#")[0]) for link in re.findall(r"\]\((?!#|https?:)([^)]+)\)", re.sub("`[^`]*`", "", text))]
    paths = re.findall(rf"`((?:{folders})/[^` ]*)`", text)
    for path in links + [path for path in paths if "NAME" not in path and "…" not in path]:
        count += 1
        if not glob.glob(os.path.join(root, path)):
            dead.append(f"{page}: {path}")
print(f"{count} links and paths, " + (f"dead: {dead}" if dead else "all good"))
