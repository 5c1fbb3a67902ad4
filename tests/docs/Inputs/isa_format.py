"""isa_format.py ROOT: docs/isa-format.md names every key that isagen takes and every accessor that a body may use."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
page = (root / "docs/isa-format.md").read_text(encoding="utf-8")
words = {}
for source in sorted((root / "isa/isagen").glob("*.c")):
    for table in re.findall(r"\bkeys\[\] = \{([^}]*)\}", source.read_text(encoding="utf-8")):
        words.update((word, source.name) for word in re.findall(r'"(\w+)!?"', table))
for name in ("body.h", "body_whole.h"):
    macros = re.findall(r"^#define ([a-z_]+)\(", (root / "emu" / name).read_text(encoding="utf-8"), re.M)
    words.update((word, name) for word in macros if word != "check_element")
absent = [f"{word} ({place})" for word, place in words.items() if not re.search(rf"(?<!\w){word}(?!\w)", page)]
print(f"{len(words)} words, absent: {absent}" if absent else f"{len(words)} words, all there")
