#!/usr/bin/env python3
"""The dialect of docs/style.md, as far as clang-format does not know it: dialect.py FILE…

Prints FILE:LINE: error: MESSAGE for each place and exits 1 if there is one.
"""

import re
import sys

SCALAR = r"(?:unsigned|signed|int|long|short|char|bool|float|double|size_t|ssize_t|u?int\d+_t|Elf64_\w+)"
RULES = [
    (re.compile(r"!\s*(?:str|strn|strcase|strncase|mem)cmp\("), "compare the result with 0: 'strcmp(a, b) == 0'"),
    (re.compile(rf"^\s+const {SCALAR}(?: {SCALAR})* \w+ = "), "a scalar local does not carry 'const'"),
]
DECLARATION = re.compile(r"^    (?:const |static |struct |enum |union )*[a-z]\w*(?: [a-z]\w*)*\s+\**\w+(?:\[[^\]]*\])*(?: =|;|,)")
STATEMENT = re.compile(r"^    (?:return|goto|if|for|while|do|switch|case|break|continue)\b")


def blank_line_missing(lines):
    """Lines that follow the declarations at the top of a function without a blank line between."""
    inside = False
    for number, line in enumerate(lines):
        if line == "{":
            inside = True
        elif inside and DECLARATION.match(line) and not STATEMENT.match(line):
            following = number + 1
            # A declaration of several lines ends with its semicolon.
            while not lines[following - 1].rstrip().endswith(";") and following < len(lines):
                following += 1
            if following < len(lines) and STATEMENT.match(lines[following]):
                yield following + 1
                inside = False
        elif inside and (not line.strip() or line == "}"):
            inside = False
        elif inside and STATEMENT.match(line):
            inside = False


def main():
    found = False
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            lines = file.read().split("\n")
        for number, line in enumerate(lines, 1):
            for rule, message in RULES:
                if rule.search(line):
                    print(f"{name}:{number}: error: {message}")
                    found = True
        for number in blank_line_missing(lines):
            print(f"{name}:{number}: error: a blank line follows the declarations at the top of a function")
            found = True
    return found


sys.exit(main())
