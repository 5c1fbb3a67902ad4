#!/usr/bin/env python3
"""stencil_fields.py FOLDER: checks the fields for registers of the stencils in FOLDER/stencils.inc.

Sets the fields as the copier does, to the registers that they were compiled for and to others, and compares what objdump says: each register of
an operand, and nothing else, must have changed. A stencil in which objdump finds RCX or RDX, where temporaries are, must say so. So
objdump judges the decoders of emu/native/stencils/. The floating-point register of the result may be that of another operand, so stencils
must not read that one after they have written the result."""

import bisect
import os
import re
import shutil
import subprocess
import sys
import tempfile

ARM_FORM = 3  # the first form of holes on aarch64 (enum hole_form)
# How objdump names the registers of x86-64: by number, in 64, 32, 16 and 8 bits.
LOW = {3: ("rbx", "ebx", "bx", "bl"), 7: ("rdi", "edi", "di", "dil")}
CHOICES = {"x86": [{8: 11, 9: 14, 10: 15, 11: 12}, {8: 3, 9: 7, 10: 8, 11: 9}], "arm": [{24: 5, 25: 29, 26: 15, 27: 27}, {24: 26, 25: 24, 26: 10, 27: 27}]}
OBJDUMP = {"x86": ("objdump", "i386:x86-64"), "arm": ("aarch64-linux-gnu-objdump", "aarch64")}


def read_tables(name):
    """Returns the code and the tables of stencils, holes and fields, of numbers. Stencils may share code; here each has its own."""
    tables = {"CODE": "", "ROWS": "", "GROUPS": "", "SPANS": "", "HOLES": "", "FIELDS": ""}
    with open(name, encoding="utf-8") as file:
        parts = re.split(r"^STENCIL_([A-Z]+)(?:\([\w, ]+\))?(?: {)?$", file.read(), flags=re.M)[1:]
    for key, text in zip(parts[::2], parts[1::2]):
        tables[key] += text
    shared = bytes(int(number, 8) for number in re.findall(r"\\(\d+)", tables["CODE"]))
    rows, holes, fields = ([[int(number) for number in re.findall(r"(?<=[ {])-?\d+", line)] for line in tables[key].splitlines() if "," in line]
                           for key in ("ROWS", "HOLES", "FIELDS"))
    stencils = [list(row) for row in dict.fromkeys(map(tuple, rows))]
    code = bytearray()
    for stencil in stencils:
        start, size = stencil[0], stencil[3] + stencil[4]
        stencil[0] = len(code)
        code += shared[start : start + size]
    return code, stencils, holes, fields


def patch(host, code, stencils, fields, numbers):
    patched = bytearray(code)
    first_operand = min(numbers)
    for start, _, first, _, _, _, count, _, _ in stencils:
        for at, back, shift, bit, operand in fields[first : first + count]:
            number = numbers[first_operand + operand]
            if host == "arm":
                word = int.from_bytes(patched[start + at : start + at + 4], "little")
                patched[start + at : start + at + 4] = (word ^ number << shift).to_bytes(4, "little")
                continue
            patched[start + at] ^= (number & 7) << shift
            patched[start + at - back] ^= number >> 3 << bit
    return bytes(patched)


def disassemble(host, code):
    program, machine = OBJDUMP[host]
    with tempfile.NamedTemporaryFile() as file:
        file.write(code)
        file.flush()
        output = subprocess.run([program, "-D", "-b", "binary", "-m", machine, "-w", "--no-show-raw-insn", file.name], check=True,
                                capture_output=True, text=True).stdout
    # A prefix without bits is not part of the instruction.
    return [re.sub(" +", " ", re.sub(r"\trex ", "\t", line)) for line in output.splitlines() if re.match(r" *[0-9a-f]+:", line)]


def renamed(host, line, numbers):
    def x86(match):
        number, width = numbers.get(int(match[1]), int(match[1])), "dwb".find(match[2]) + 1 if match[2] else 0
        return "%" + LOW[number][width] if number in LOW else f"%r{number}{match[2]}"

    def arm(match):
        return f"{match[1]}{numbers.get(int(match[2]), int(match[2]))}"

    def vector(match):
        return f"%xmm{numbers.get(int(match[1]), int(match[1]))}"

    line = re.sub(r"%xmm(\d+)\b", vector, line)
    return re.sub(r"%r(\d+)([dwb]?)\b", x86, line) if host == "x86" else re.sub(r"\b([xwvqdshb])(\d+)\b(?!:)", arm, line)


# By number: what names the registers of temporaries in objdump's output, and what changes them without a name.
TEMPORARIES = {1: re.compile(r"%(rcx|ecx|cx|cl|ch)\b"), 2: re.compile(r"%(rdx|edx|dx|dl|dh)\b|\t(cqto|cltd|cwtd)|\ti?(mul|div)[lqw] +[^,]+$")}


def check_uses(name, lines, rows):
    """Does each stencil say which of the registers of temporaries it uses?"""
    at = [int(line.split(":")[0], 16) for line in lines]
    good, found = True, {number: 0 for number in TEMPORARIES}
    for start, _, _, hot, cold, _, _, uses, _ in rows:
        for line in lines[bisect.bisect_left(at, start) : bisect.bisect_left(at, start + hot + cold)]:
            for number, pattern in TEMPORARIES.items():
                if not pattern.search(line):
                    continue
                found[number] += 1
                if not uses >> number & 1:
                    print(f"{name}: the stencil at {start:#x} does not say that it uses register {number}: {line!r}")
                    good = False
    saying = [sum(row[7] >> number & 1 for row in rows) for number in TEMPORARIES]
    return good and all(found.values()) and all(count < len(rows) * 3 / 4 for count in saying)


# What writes the floating-point register of operand 0 in objdump's output, what names those of others, and a jump without a condition.
RESULT = {"x86": re.compile(r"\t(?!v?u?comis|v?ptest).*%xmm8$"), "arm": re.compile(r"\t(?!st|fcmp|fccmp)\S+\t[vqdshb]24\b")}
OTHERS = {"x86": re.compile(r"%xmm(9|1[01])\b"), "arm": re.compile(r"\b[vqdshb]2[567]\b")}
JUMP = {"x86": re.compile(r"\tjmp"), "arm": re.compile(r"\tb\t")}


def check_results(name, host, lines, rows):
    """Does each stencil read its floating-point operands before it writes its result?"""
    starts = {start for row in rows for start in (row[0], row[0] + row[3])}  # of hot and cold parts
    written, good, found = False, True, 0
    for line in lines:
        if int(line.split(":")[0], 16) in starts:
            written = False
        if written and OTHERS[host].search(line):
            print(f"{name}: an operand is read after the result was written: {line!r}")
            good = False
        written = (written or bool(RESULT[host].search(line))) and not JUMP[host].search(line)
        found += written
    return good and found > 0


def check(name):
    code, stencils, holes, fields = read_tables(name)
    host = "arm" if max(hole[2] for hole in holes) >= ARM_FORM else "x86"
    if not shutil.which(OBJDUMP[host][0]):
        print(f"{name}: not checked: there is no {OBJDUMP[host][0]}")
        return True
    compiled = {number: number for number in CHOICES[host][0]}
    before = disassemble(host, patch(host, code, stencils, fields, compiled))
    good = len(stencils) > 500 and len(fields) > 500 and (host == "arm" or check_uses(name, before, stencils))
    good = check_results(name, host, before, stencils) and good
    for numbers in CHOICES[host]:
        after = disassemble(host, patch(host, code, stencils, fields, numbers))
        for old, new in zip(before, after):
            if renamed(host, old, numbers) != new:
                print(f"{name}: {old!r} became {new!r}")
                good = False
        good = good and len(before) == len(after)
    print(f"{name}: {len(stencils)} stencils, {len(fields)} fields, {'right' if good else 'wrong'}")
    return good


sys.exit(not check(os.path.join(sys.argv[1], "stencils.inc")))
