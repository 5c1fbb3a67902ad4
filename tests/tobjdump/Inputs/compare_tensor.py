"""compare_tensor.py GNU OURS: two disassemblies of a tensor program. They must agree but for the text of encodings that GNU objdump
does not know, and there must be some of these."""
import re
import sys

UNKNOWN = re.compile(r"\t\.[48]byte\t0x[0-9a-f]+$")
gnu, ours = (open(name).read().splitlines() for name in sys.argv[1:])
known = tensor = 0
if len(gnu) != len(ours):
    sys.exit(f"{len(gnu)} lines of GNU objdump, {len(ours)} of ours")
for theirs, line in zip(gnu, ours):
    unknown = UNKNOWN.search(theirs)
    if unknown and line != theirs and line.startswith(theirs[:unknown.start()] + "\t"):
        tensor += 1
    elif line == theirs:
        known += 1
    else:
        sys.exit(f"GNU:  {theirs}\nours: {line}")
print(f"{known} lines the same, {tensor} tensor instructions")
