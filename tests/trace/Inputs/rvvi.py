"""rvvi.py RVVI JSON [BITS]: a trace in RVVI-TEXT keeps to the grammar of the format, and has the instructions, registers, CSRs and modes of the trace in JSON.

The grammar is that of RVVI-TEXT 0.1: elements of a key and tokens, comments in quotes, one line for each event. BITS is the expected ILEN."""
import functools
import json
import re
import sys

TOKENS = {"VENDOR": "sdd", "VERSION": "dd", "HART": "d", "RET": "hh", "TRAP": "hh", "X": "dh", "F": "dh", "C": "hh", "MODE": "d"}
PATTERN = {"s": r"[A-Za-z]\w*", "d": r"\d+", "h": r"[0-9a-f]+"}
VALUE = {"s": str, "d": int, "h": lambda token: int(token, 16)}
GRAMMAR = {key: re.compile(" ".join(map(PATTERN.get, kinds))) for key, kinds in TOKENS.items()}
COMMENT = re.compile(r"'[^']*'")


def elements(line):
    """Returns the elements of a line: tuples of key and values."""
    words, found = COMMENT.sub(" ", line).split(), []
    while words:
        key = words.pop(0)
        if key in ("PARAMS", "META"):
            count = int(words.pop(0)) * (2 if key == "PARAMS" else 1)
            assert len(words) >= count, line
            assert all(re.fullmatch(r"\w+", word) for word in words[:count]), line
            found.append((key, *words[:count]))
        else:
            count = len(TOKENS[key])
            assert GRAMMAR[key].fullmatch(" ".join(words[:count])), line
            found.append((key, *(VALUE[kind](word) for kind, word in zip(TOKENS[key], words))))
        words = words[count:]
    return found


@functools.cache
def register(name):
    """Returns the element of a register that has one: its letter and number."""
    if re.fullmatch(r"f[tas]\d+", name):
        temporaries = "ft0 ft1 ft2 ft3 ft4 ft5 ft6 ft7 fs0 fs1 fa0 fa1 fa2 fa3 fa4 fa5 fa6 fa7 fs2 fs3 fs4 fs5 fs6 fs7 fs8 fs9 fs10 fs11 ft8 ft9 ft10 ft11"
        return "F", temporaries.split().index(name)
    return "X", "zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6".split().index(name)


with open(sys.argv[1], encoding="utf-8") as file:
    lines = [elements(line) for line in file]
with open(sys.argv[2], encoding="utf-8") as file:
    records = [record for record in map(json.loads, file) if "pc" in record]
assert [line[0][0] for line in lines[:3]] == ["VERSION", "VENDOR", "PARAMS"] and lines[0][0] == ("VERSION", 0, 1), lines[:3]
parameters = dict(zip(lines[2][0][1::2], map(int, lines[2][0][2::2])))
assert parameters["XLEN"] == parameters["FLEN"] == 64 and parameters["RETIRE"] == 1, parameters
assert len(sys.argv) < 4 or parameters["ILEN"] == int(sys.argv[3]), parameters
harts, events = parameters["NHART"], []
for line in lines[3:]:
    if line[0][0] == "PARAMS":
        harts = int(line[0][2])
        continue
    assert line[0][0] != "HART" or line[0][1] < harts, line
    events.append([element for element in line if element[0] != "HART"])
assert len(events) == len(records), (len(events), len(records))
for event, record in zip(events, records):
    if record.get("disassembly") != "(interrupt)":
        kind, pc, word = event.pop(0)
        assert (kind == "TRAP") == ("trap" in record) and pc == int(record["pc"], 16) and word == int(record.get("encoding", "0"), 16), (event, record)
        assert event.pop(0)[0] == "MODE", record
        assert word < 1 << parameters["ILEN"], record
    expected, meta = [], 0
    for effect in record.get("effects", []):
        if "register" in effect:
            try:
                expected.append((*register(effect["register"]), int(effect["value"], 16)))
            except ValueError:
                meta += 1
        elif "csr" in effect:
            expected.append(("C", int(effect["value"], 16)))
        elif "state" in effect or "read" in effect or "write" in effect:
            meta += 1
    written = [(element[0], *element[2:]) if element[0] == "C" else element for element in event if element[0] != "META"]
    assert written == expected, (written, expected, record)
    assert sum(element[0] == "META" for element in event) == meta, (event, record)
print(len(events), "events")
