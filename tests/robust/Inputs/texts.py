"""Malformed YAML and traces: python3 texts.py BUILD DIRECTORY. Each must give the message named here, with its position."""
import os
import subprocess
import sys

BUILD, DIRECTORY = sys.argv[1:3]
COMMON = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../isa/common.yaml")
EXTENSION = "extension: {name: q, version: '1.0', summary: s}\n"
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(20))

# For isagen and for temu --machine: the file, and the messages of the two (None: it is valid).
YAML = {
    "anchors that multiply": (BOMB, ":1:4: error: YAML anchors", ":1:1: error: unknown section 'a'"),
    "an anchor of itself": ("a: &a [*a]\n", ":1:4: error: YAML anchors", ":1:1: error: unknown section 'a'"),
    "an alias of nothing": ("a: *b\n", ":1:4: error: YAML anchors", ":1:4: error: malformed YAML"),
    "a tag": ("a: !!int 5\n", ":1:4: error: YAML anchors", ":1:1: error: unknown section 'a'"),
    "NUL": ("a: b\n\0c: d\n", ":2:1: error: malformed YAML: control characters", ": error: malformed YAML: control characters"),
    "an escaped NUL": ('matrix: {lanes: "1\\0"}\n', ":1:17: error: a NUL", ":1:17: error: matrix.lanes"),
    "Latin 1": (b"a: \xe9\n", ":1:1: error: malformed YAML: in", ":1:1: error: malformed YAML: in"),
    "tabs": ("matrix:\n\tlanes: 1\n", ":2:1: error: malformed YAML", ":2:1: error: malformed YAML"),
    "a large scalar": ("a: " + "x" * 1000000 + "\n", ":1:1: error: unknown key 'a'", " bytes; a machine file has at most 16384"),
    "open brackets": ("[" * 100000, ": error: nested too deeply", " bytes; a machine file has at most 16384"),
    "brackets": ("a: " + "[" * 5000 + "]" * 5000 + "\n", ": error: nested too deeply", ":1:1: error: unknown section 'a'"),
    "a staircase": ("".join(" " * i + "a:\n" for i in range(150)), ": error: nested too deeply", ":1:1: error: unknown section 'a'"),
    "a key twice": ("matrix: {lanes: 1, lanes: 2}\n", ":1:20: error: 'lanes' appears twice", ":1:20: error: matrix.lanes is given twice"),
    "two documents": (EXTENSION + "---\nb: c\n", ":2:1: error: a second YAML document", ":3:1: error: found a second document"),
    "a list": ("- a\n", ":1:1: error: the file is a list", ":1:1: error: a machine file: found a list"),
    "a word": ("hello\n", ":1:1: error: the file is a single value", ":1:1: error: a machine file: found a single value"),
    "a key that is a list": ("? [a, b]\n: c\n", ":1:3: error: the key is not a plain text", ":1:3: error: unknown section"),
    "another version": ("%YAML 9.9\n---\na: b\n", ":1:1: error: malformed YAML: found incompatible", ":1:1: error: malformed YAML: found incompatible"),
    "an open quote": ("a: 'b\n", ":2:1: error: malformed YAML", ":2:1: error: malformed YAML"),
    "binary": (bytes(range(256)) * 10, ":1:1: error: malformed YAML", ": error: malformed YAML"),
    "a byte order mark": (b"\xef\xbb\xbfmatrix: {lanes: 8}\nsparse: {rows: 8}\n", ":2:1: error: unknown key 'sparse'", None),
    "nothing but a comment": ("# nothing\n", ":1:1: error: the file is empty", None),
    "nothing": ("", ":1:1: error: the file is empty", None),
}
TEXT = "# tensor-trace 1 text program=0000000000000000 entry=0x10000 isa=0000000000000000 machine=0000000000000000\n"
LINE = "       0 0x0000000000010000 <_start>                00000513          li a0,0                              | a0=0x0\n"
SPIKE = "core   0: 0 0x0000000000010000 (0x00000513) x10 0x0000000000000000\n"
# For tdiff with itself.
TRACES = {
    "nothing": ("", ": error: is empty"),
    "blank lines": ("\n\n", ": error: is not a trace"),
    "a header and nothing else": (TEXT, ": error: has no instructions"),
    "two headers": (TEXT + TEXT + LINE, ":2:1: error: found '# tensor-trace 1', expected a sequence number"),
    "half a header": (TEXT[:20], ": error: "),
    "another version": (TEXT.replace(" 1 ", " 9 ") + LINE, ":1: error: this is version 9"),
    "no newline at the end": (TEXT + LINE + LINE.rstrip(), ":3: error: the file ends in the middle of this line"),
    "a blank line": (TEXT + LINE + "\n" + LINE, ":3:1: error: the line ends"),
    "binary": (bytes(range(256)) * 10, ": error: is not a trace"),
    "binary after the header": (TEXT.encode() + bytes(range(256)) * 10 + b"\n", ":2:1: error: found"),
    "a long line": (TEXT + "x" * 5000000 + "\n", ":2:1: error: found 'xxxxxxxxxxxxxxxx', expected a sequence number"),
    "json too deep": ('{"a":' * 100000 + "\n", ": error: found"),
    "json cut off": ('{"format":"tensor-tr\n', ":1:"),
    "Spike's log cut off": (SPIKE + SPIKE[:30] + "\n", ":2:"),
    "Spike's log with other text": (SPIKE + "warning: x\n", ":2:1: error: found 'warning: x', expected 'core'"),
    "good text": (TEXT + LINE, None),
    "good log": (SPIKE, None),
}
# For tdiff with a good trace: effects are read where the traces differ.
OTHERS = {
    "a number too long": (TEXT + LINE.replace("a0=0x0", "a0=0x" + "f" * 17), ":2:113: error: found"),
    "an effect without a value": (TEXT + LINE.replace("=0x0", ""), ":2:110: error: found 'a0', expected an effect"),
    "no disassembly": (TEXT + LINE[:60] + "\n", ":2:61: error: the line ends, expected the disassembly"),
}
bad = 0


def check(what, command, data, expected, status):
    global bad
    with open("a.in", "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())
    result = subprocess.run([os.path.join(BUILD, command[0]), *command[1:]], stdin=subprocess.DEVNULL, capture_output=True,
                            env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))
    good = result.returncode == 0 if expected is None else result.returncode == status and f"a.in{expected}" in result.stderr.decode(errors="replace")
    if expected and expected.startswith(" bytes"):
        good = result.returncode == status and expected.encode() in result.stderr
    if expected and expected.startswith(": error"):
        good = result.returncode == status and b"a.in:" in result.stderr and expected[1:].encode() in result.stderr
    if not good:
        bad += 1
        print(f"BAD: {command[0]}, {what}: status {result.returncode}, expected {expected!r}; {result.stderr[:500]!r}")


def main():
    os.makedirs(DIRECTORY, exist_ok=True)
    os.chdir(DIRECTORY)
    for what, (data, isagen, temu) in YAML.items():
        check(what, ["isagen", "--check", COMMON, "a.in"], data, isagen, 1)
        check(what, ["temu", "--machine=a.in", "--dump-machine"], data, temu, 1)
    for what, (data, expected) in TRACES.items():
        check(what, ["tdiff", "a.in", "a.in"], data, expected, 2)
    with open("good.in", "w") as file:
        file.write(TEXT + LINE)
    for what, (data, expected) in OTHERS.items():
        check(what, ["tdiff", "good.in", "a.in"], data, expected, 2)
        check(what, ["tdiff", "a.in", "good.in"], data, expected, 2)
    print(f"{2 * len(YAML) + len(TRACES) + 2 * len(OTHERS)} texts, {bad} BAD")


main()
