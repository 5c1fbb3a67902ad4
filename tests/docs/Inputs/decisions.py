"""decisions.py ROOT: each entry of docs/decisions.md names, in its last column, tests that exist and that lit runs."""
import os
import re
import sys

root = sys.argv[1]
parts, count, wrong = [], 0, []
with open(os.path.join(root, "docs/decisions.md"), encoding="utf-8") as file:
    for number, line in enumerate(file, 1):
        parts += re.findall(r"^## (.*)", line)
        cells = line.strip().split(" | ")
        if not line.startswith("|") or cells[0] == "| subject" or cells[0].startswith("| ---"):
            if re.match(r"- (?!\[)", line):
                wrong.append(f"{number}: not in a table")
            continue
        count += 1
        tests = re.findall(r"`(tests/[^`]*)`", cells[-1])
        if len(cells) != 3 or not tests:
            wrong.append(f"{number}: names no test")
        for test in tests:
            if not os.path.isfile(os.path.join(root, test)):
                wrong.append(f"{number}: {test} does not exist")
            elif "/Inputs/" in test or "/tools/" in test or not re.search(r"\bRUN:|cmocka", open(os.path.join(root, test), encoding="utf-8").read()):
                wrong.append(f"{number}: {test} is not a test")
print(f"{'; '.join(parts)}: {count} entries, " + (f"wrong: {wrong}" if wrong else "all with a test"))
