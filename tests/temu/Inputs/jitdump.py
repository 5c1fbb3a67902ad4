#!/usr/bin/env python3
"""jitdump.py DUMP SOURCE: reads a file of perf's jitdump format, checks it, and prints whose source lines the code has.

Written from tools/perf/Documentation/jitdump-specification.txt of Linux."""
import os
import struct
import sys

LOAD, DEBUG_INFO, CLOSE = 0, 2, 3


def text(data, at):
    end = data.index(b"\0", at)
    return data[at:end].decode(), end + 1


def records(data, at):
    before = 0
    while at < len(data):
        kind, size, time = struct.unpack_from("<IIQ", data, at)
        assert size >= 16 and at + size <= len(data), (at, size)
        assert time >= before, "not in the order of time"
        before = time
        yield kind, data[at + 16:at + size]
        at += size
    assert at == len(data)


def read_lines(body):
    """Returns the address of the code, and the rows of address, file and line."""
    code, count = struct.unpack_from("<QQ", body)
    at, rows = 16, []
    for _ in range(count):
        address, line, _ = struct.unpack_from("<QII", body, at)
        name, at = text(body, at + 16)
        rows.append((address, name, line))
    assert at == len(body)
    return code, rows


def check_places(taken):
    taken.sort()
    assert all(first[1] <= second[0] for first, second in zip(taken, taken[1:])), "code overlaps"


def main():
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    magic, version, size, machine, _, process, time, flags = struct.unpack_from("<IIIIIIQQ", data)
    assert (magic, version, size, flags) == (0x4a695444, 1, 40, 0) and time > 0
    assert machine in (62, 183)  # x86-64, aarch64: not that of this script, where temu is emulated
    with open(sys.argv[2], encoding="utf-8") as file:
        source = file.readlines()
    functions, taken, pending, kinds = {}, [], {}, []
    for kind, body in records(data, size):
        kinds.append(kind)
        if kind == DEBUG_INFO:
            code, rows = read_lines(body)
            pending[code] = rows
        elif kind == LOAD:
            pid, thread, address, code, length, index = struct.unpack_from("<IIQQQQ", body)
            name, at = text(body, 40)
            assert pid == thread == process and address == code and index == kinds.count(LOAD) - 1
            assert len(body) == at + length, "the code has another size"
            assert any(body[at:])
            rows = pending.pop(code, [])
            assert all(code <= where < code + length for where, _, _ in rows)
            assert all(os.path.samefile(name, sys.argv[2]) for _, name, _ in rows)
            functions.setdefault(name, set()).update(line for _, _, line in rows)
            if name[0] == "[":  # the code that all code shares comes first: all before was forgotten
                check_places(taken)
                taken = []
            taken.append((code, code + length))
    assert not pending, "lines without code"
    assert kinds[-1] == CLOSE and kinds.count(CLOSE) == 1
    check_places(taken)
    print(len(kinds), "records in order, no code twice at one address")
    for name, lines in sorted(functions.items()):
        if lines:
            start = source.index(next(line for line in source if line.startswith(f"void {name}(")))
            end = source.index("}\n", start)
            assert start < min(lines) and max(lines) <= end + 1, (name, lines)
            print(f"{name}: its lines")
        elif name[0] != "[":
            print(f"{name}: no lines")


main()
