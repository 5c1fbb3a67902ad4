r"""The extension for Visual Studio Code: its files are JSON, and the grammar gives the right kind to every name of the assembler's tables.

RUN: rm -rf %t && mkdir -p %t && %isagen -o %t %isa_all && %python %s %t | FileCheck --match-full-lines --implicit-check-not={{.}} %s
CHECK: tensor-assembly colors .s .S .inc
CHECK: mnemonics: all
CHECK: loop: entity.name.function
CHECK: mmv.f32 keyword.operator.instruction.xmat
CHECK: a0 variable.language.register
CHECK: 1 constant.numeric
CHECK: # mm.f32 comment.line
CHECK: .word keyword.control.directive
CHECK: %hi support.function.relocation
CHECK: 0x1f constant.numeric
CHECK: "a\"b" string.quoted.double
CHECK: csrr keyword.operator.alias
CHECK: t0 variable.language.register
CHECK: frm support.variable.csr
CHECK: lr.w.aq keyword.operator.instruction.a
CHECK: t1 variable.language.register
CHECK: a2 variable.language.register
"""
import json
import os
import re
import sys


def load(name):
    with open(os.path.join(sys.argv[1], name), encoding="utf-8") as file:
        return json.load(file)


package, grammar, _ = load("package.json"), load("tensor.tmLanguage.json"), load("language-configuration.json")
language, rule = package["contributes"]["languages"][0], package["contributes"]["grammars"][0]
assert language["id"] == rule["language"] and rule["scopeName"] == grammar["scopeName"]
assert rule["path"] == "./tensor.tmLanguage.json" and language["configuration"] == "./language-configuration.json"
print(package["name"], "colors", *language["extensions"])

# A region (begin, end) within a line is one pattern here.
PATTERNS = [(pattern["name"].removesuffix(".tensor"),
             re.compile(pattern.get("match") or pattern["begin"] + r"(?:\\.|.)*?(?:" + pattern["end"] + ")")) for pattern in grammar["patterns"]]


def colors(line):
    """Yields the parts of a line that have a color, as TextMate finds them: the leftmost match, of these the first pattern."""
    at = 0
    while True:
        found = [(match.start(), order, match.group().strip(), name)
                 for order, (name, pattern) in enumerate(PATTERNS) if (match := pattern.search(line, at)) and match.end() > at]
        if not found:
            return
        _, order, text, name = min(found)
        at = PATTERNS[order][1].search(line, at).end()
        yield text, name


with open(os.path.join(sys.argv[1], "tensor.vim"), encoding="utf-8") as syntax:
    mnemonics = re.findall(r"^syntax keyword tensor(?:Instruction\w+|Alias) (\S+)$", syntax.read(), re.M)
wrong = [word for word in mnemonics for text, name in [next(colors("    " + word + " "), ("", ""))]
         if text != word or not name.startswith("keyword.operator.")]
print("mnemonics:", wrong or "all")
for sample in ("loop: mmv.f32 a0, 1 # mm.f32", ".word %hi(addition) + 0x1f", '  name "a\\"b"', "csrr t0, frm; lr.w.aq t1, (a2)"):
    for text, name in colors(sample):
        print(text, name)
