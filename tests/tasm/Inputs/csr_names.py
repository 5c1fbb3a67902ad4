"""csr_names.py FILE: prints an instruction for each name of a CSR in the description's section `csr_names`."""
import re
import sys

text = open(sys.argv[1]).read()
for name, number, rest in re.findall(r'"?([a-z0-9#]+)"?: (\[?0x[0-9A-F]+)([^\]},]*(?:, \d+, \d+\])?)', text):
    first, last = ([int(part) for part in re.findall(r"\d+", rest)] or [0, 0])[:2]
    for index in range(first, last + 1):
        print(f"\tcsrr a0, {name.replace('#', str(index))}")
