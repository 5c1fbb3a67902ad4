"""Prints the examples of the manual as assembly. With a second argument `base`, only those of rv64gc."""
import sys

BASE = "i m a f d c zicsr zifencei".split()
base = sys.argv[2:] == ["base"]
extension = ""
lines = iter(open(sys.argv[1], encoding="utf-8").read().split("\n"))
for line in lines:
    if line.startswith("## "):
        extension = line.split(":")[0].removeprefix("## Extension ")
    if line != "Example:" or (base and extension not in BASE):
        continue
    assert next(lines) == "" and next(lines) == "```"
    while (line := next(lines)) != "```":
        print("\t" + line)
