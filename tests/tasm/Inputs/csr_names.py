"""csr_names.py FILE [VERSION]: prints an instruction for each name of a CSR in the description's section `csr_names`, without
the names that the privileged architecture had only before this version."""
import re
import sys

text = open(sys.argv[1]).read()
if len(sys.argv) > 2:
    text = re.sub(rf'- before: "{sys.argv[2]}"\n *names:\n *{{[^}}]*}}', "", text)
for name, number, rest in re.findall(r'"?([a-z0-9#]+)"?: (\[?0x[0-9A-F]+)([^\]},]*(?:, \d+, \d+\])?)', text):
    first, last = ([int(part) for part in re.findall(r"\d+", rest)] or [0, 0])[:2]
    for index in range(first, last + 1):
        print(f"\tcsrr a0, {name.replace('#', str(index))}")
