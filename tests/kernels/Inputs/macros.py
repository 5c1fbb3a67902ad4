"""macros.py ROOT: every macro of include/tensor.inc is used, by a kernel or by a macro that a kernel uses, and what kernels use is on its page."""
import glob
import os
import re
import sys

root = sys.argv[1]


def code(name):
    with open(name, encoding="utf-8") as file:
        return "\n".join(line.split("#")[0] for line in file)


library = code(os.path.join(root, "include", "tensor.inc"))
bodies = {name: body for name, body in re.findall(r"^ +\.macro +(\w+)(.*?)^ +\.endm", library, re.M | re.S)}
kernels = "\n".join(code(name) for name in sorted(glob.glob(os.path.join(root, "tests", "kernels", "*.s"))))
used, waiting = set(), [name for name in bodies if re.search(rf"\b{name}\b", kernels)]
named = set(waiting)
while waiting:
    name = waiting.pop()
    used.add(name)
    waiting += [other for other in bodies if other not in used and re.search(rf"\b{other}\b", bodies[name])]
with open(os.path.join(root, "docs", "kernels.md"), encoding="utf-8") as file:
    page = file.read()
print(f"{len(bodies)} macros, unused: {sorted(set(bodies) - used)}, "
      f"used by kernels and not on the page: {sorted(name for name in named if not re.search(rf'`{name}[ `]', page))}")
