"""The instructions of the extensions beyond rv64gc give the results, and raise the flags, that qemu finds; those that qemu 7.2 does not have, and ctzw, which it
has wrong, are compared with a model that is written here from the specification. A later qemu that has all of them (10 or above) must find what the model does. Operands are random, with special values of each format among them. Each
instruction is executed interpreted and translated.

RUN: %python %s %tasm %tld %temu %t %qemu | FileCheck %s
CHECK: {{[0-9][0-9][0-9][0-9][0-9]+}} results by qemu, {{[0-9][0-9][0-9][0-9][0-9]+}} by the model, 0 different
"""
import math
import random
import re
import struct
import subprocess
import sys
from fractions import Fraction

ROUNDINGS = "rne rtz rdn rup rmm".split()
QEMU = ("add.uw sh1add sh2add sh3add sh1add.uw sh2add.uw sh3add.uw andn orn xnor max maxu min minu rol rolw ror rorw clmul clmulh clmulr "
        "bclr bext binv bset pack packh packw:x,x,x clz ctz cpop clzw cpopw sext.b sext.h zext.h orc.b rev8 brev8:x,x "
        "slli.uw rori bclri bexti binvi bseti:x,x,63 slli.uw rori bclri bexti binvi bseti:x,x,5 slli.uw rori bclri bexti:x,x,0 "
        "roriw:x,x,31 roriw:x,x,7 roriw:x,x,0 "
        "fmv.x.h:x,h fmv.h.x:h,x fcvt.s.h:s,h fcvt.d.h:d,h fcvt.h.s:h,s,r fcvt.h.d:h,d,r fmadd.h fmsub.h fnmsub.h fnmadd.h:h,h,h,h,r "
        "fadd.h fsub.h fmul.h fdiv.h:h,h,h,r fsqrt.h:h,h,r fsgnj.h fsgnjn.h fsgnjx.h fmin.h fmax.h:h,h,h feq.h flt.h fle.h:x,h,h fclass.h:x,h "
        "fcvt.w.h fcvt.wu.h fcvt.l.h fcvt.lu.h:x,h,r fcvt.h.w fcvt.h.wu fcvt.h.l fcvt.h.lu:h,x,r")
MODEL = ("ctzw:x,x czero.eqz czero.nez:x,x,x mop.r.0 mop.r.31:x,x mop.rr.0 mop.rr.7:x,x,x "
         "c.lbu.0 c.lbu.3 c.lhu.0 c.lhu.2 c.lh.0 c.lh.2:m c.zext.b c.sext.b c.zext.h c.sext.h c.zext.w c.not:u c.mul:b "
         + " ".join(f"fminm.{t} fmaxm.{t}:{t},{t},{t} fleq.{t} fltq.{t}:x,{t},{t} fround.{t} froundnx.{t}:{t},{t},r" for t in "hsd")
         + " fcvtmod.w.d:x,d,rtz")
COUNT = 260  # operands of each instruction
FORMATS = {"h": ("e", 5, 10), "s": ("f", 8, 23), "d": ("d", 11, 52)}
WIDTH = {"h": 16, "s": 32, "d": 64}
MASK = (1 << 64) - 1
NX, NV = 1, 16


# ---- operands ----

def special(kind, rng):
    """The bits of a number of the format, often of an unusual one."""
    _, exponent, fraction = FORMATS[kind]
    top = (1 << exponent) - 1
    bias = top >> 1
    sign = rng.randrange(2) << (exponent + fraction)
    choice = rng.randrange(10)
    if choice == 0:
        return sign | rng.choice((0, 1, (1 << fraction) - 1, 1 << fraction, (top << fraction) - 1, top << fraction, top << fraction | 1,
                                  top << fraction | 1 << (fraction - 1), bias << fraction))
    if choice == 1:
        return sign | rng.getrandbits(fraction)
    if choice < 6:  # near the integers
        return sign | min(top, bias + rng.randrange(-3, min(70, top - bias))) << fraction | rng.getrandbits(fraction) & -(1 << rng.randrange(fraction + 1))
    return sign | rng.getrandbits(exponent + fraction)


def value(kind, rng):
    if kind == "x":
        return rng.choice((0, 1, MASK, 1 << 63, (1 << 63) - 1, 0x80000000, 0xffffffff, rng.getrandbits(64), rng.getrandbits(64), rng.getrandbits(64),
                           rng.getrandbits(rng.randrange(1, 65)), (-rng.getrandbits(12)) & MASK))
    bits = special(kind, rng)
    box = MASK << WIDTH[kind] & MASK
    return bits | (box if rng.randrange(16) else rng.getrandbits(64) & box)


# ---- programs ----

def expand(text):
    """(mnemonic, operand kinds)"""
    for mnemonics, kinds in re.findall(r"([\w. ]+):(\S+)", text):
        for mnemonic in mnemonics.split():
            for rounding in ROUNDINGS if kinds.endswith("r") else [""]:
                yield mnemonic, kinds.split(",")[:-1] + [rounding] if rounding else kinds.split(",")


def instruction(mnemonic, kinds):
    """The code of one instruction over operands in a1 to a3, or fa1 to fa3; the result goes to a0."""
    if kinds == ["m"]:
        mnemonic, offset = mnemonic.rsplit(".", 1)
        return ["sd a1, 8(s1)", "addi a5, s1, 8", f"{mnemonic} a0, {offset}(a5)"]
    if kinds == ["u"]:
        return ["mv a0, a1", f"{mnemonic} a0"]
    if kinds == ["b"]:
        return ["mv a0, a1", f"{mnemonic} a0, a2"]
    registers = [("a" if kind == "x" else "fa") + str(i) if len(kind) == 1 and kind.isalpha() else kind for i, kind in enumerate(kinds)]
    lines = [f"fmv.d.x fa{i}, a{i}" for i, kind in enumerate(kinds) if i and kind in FORMATS]
    lines.append(f"{mnemonic} {', '.join(registers)}")
    return lines + ["fmv.x.d a0, fa0"] * (kinds[0] in FORMATS)


def program(cases, rng):
    """Text of the program, and the operands of each case."""
    text, data, operands = [".globl _start", "_start: la s0, inputs", "la s1, outputs"], [], []
    for number, (mnemonic, kinds) in enumerate(cases):
        sources = {"m": "x", "u": "x", "b": "xx"}.get(kinds[0], None) or [k for k in kinds[1:] if k in "xhsd"]
        rows = [[value(kind, rng) for kind in sources] + [0] * (3 - len(sources)) for _ in range(COUNT)]
        operands.append(rows)
        data += [f".dword {', '.join(map(str, row))}" for row in rows]
        text += [f"li s2, {COUNT}", f"case{number}: ld a1, 0(s0)", "ld a2, 8(s0)", "ld a3, 16(s0)", "fsflagsi 0", "li a0, 0",
                 *instruction(mnemonic, kinds), "frflags a4", "sd a0, 0(s1)", "sd a4, 8(s1)", "addi s0, s0, 24", "addi s1, s1, 16",
                 "addi s2, s2, -1", f"bnez s2, case{number}"]
    size = 16 * COUNT * len(cases)
    text += ["li a0, 1", "la a1, outputs", f"li a2, {size}", "li a7, 64", "ecall", "li a0, 0", "li a7, 93", "ecall"]
    return "\n".join(text + [".data", ".balign 8", "inputs:"] + data + [".bss", ".balign 8", f"outputs: .skip {size + 16}"]) + "\n", operands


def build(tasm, tld, name, text):
    with open(name + ".s", "w") as file:
        file.write(text)
    march = "rv64gc_zba_zbb_zbc_zbs_zbkb_zicond_zfa_zfh_zimop_zcb"
    subprocess.run([tasm, "-march=" + march, "-o", name + ".o", name + ".s"], check=True)
    subprocess.run([tld, "-o", name, name + ".o"], check=True)


def run(command):
    output = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    return list(struct.iter_unpack("<QQ", output))


def knows_all(qemu):
    version = subprocess.run([qemu, "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout
    return int(re.search(r"version (\d+)", version)[1]) >= 10


# ---- the model ----

def unbox(kind, register):
    width = WIDTH[kind]
    boxed = register >> width == MASK >> width
    _, exponent, fraction = FORMATS[kind]
    return register & ((1 << width) - 1) if boxed else ((1 << exponent) - 1) << fraction | 1 << (fraction - 1)


def box(kind, bits):
    return bits | MASK << WIDTH[kind] & MASK


def number(kind, bits):
    """An encoding as an exact number; 'nan' 'snan' for NaN, an infinite float for infinity."""
    _, exponent, fraction = FORMATS[kind]
    top, mantissa = bits >> fraction & ((1 << exponent) - 1), bits & ((1 << fraction) - 1)
    sign = -1 if bits >> (exponent + fraction) else 1
    if top == (1 << exponent) - 1:
        return sign * math.inf if not mantissa else "nan" if mantissa >> (fraction - 1) else "snan"
    scale = Fraction(2) ** (max(top, 1) - ((1 << (exponent - 1)) - 1) - fraction)
    return sign * (mantissa + ((1 << fraction) if top else 0)) * scale


def encode(kind, integer, sign):
    """The bits of an integer that the format holds."""
    letter = FORMATS[kind][0]
    bits = int.from_bytes(struct.pack("<" + letter, abs(integer)), "little")
    return bits | sign << (WIDTH[kind] - 1)


def round_to_integer(x, mode):
    low, half = math.floor(x), Fraction(1, 2)
    if x == low:
        return low
    up = {"rne": x - low > half or (x - low == half and low % 2 == 1), "rtz": x < 0, "rdn": False, "rup": True,
          "rmm": x - low > half or (x - low == half and x > 0)}[mode]
    return low + up


def ordinal(kind, bits):
    """Orders numbers, with -0 before +0."""
    top = 1 << (WIDTH[kind] - 1)
    return -(bits - top) - 1 if bits & top else bits


def model_float(mnemonic, kinds, row):
    name, kind = mnemonic.rsplit(".", 1)
    canonical = unbox(kind, 0 if kind != "d" else 0x7ff8 << 48)
    a, b = unbox(kind, row[0]), unbox(kind, row[1])
    x, y = number(kind, a), number(kind, b)
    if name == "fcvtmod.w":
        if isinstance(x, str) or abs(x) == math.inf:
            return 0, NV
        integer = math.trunc(x)
        low = (integer + (1 << 31)) % (1 << 32) - (1 << 31)
        return low & MASK, NV if integer != low else NX if integer != x else 0
    if name in ("fround", "froundnx"):
        if isinstance(x, str):
            return box(kind, canonical), NV if x == "snan" else 0
        if abs(x) == math.inf:
            return box(kind, a), 0
        integer = round_to_integer(x, kinds[2])
        return box(kind, encode(kind, integer, a >> (WIDTH[kind] - 1))), NX if name == "froundnx" and integer != x else 0
    nan = isinstance(x, str) or isinstance(y, str)
    flags = NV if "snan" in (x, y) else 0
    if name in ("fleq", "fltq"):
        return int(not nan and (x <= y if name == "fleq" else x < y)), flags
    pick = (min if name == "fminm" else max)(a, b, key=lambda bits: ordinal(kind, bits))
    return box(kind, canonical if nan else pick), flags


def extend(bits, width):
    return (bits & (1 << width) - 1 ^ 1 << width - 1) - (1 << width - 1) & MASK


def model(mnemonic, kinds, row):
    """(result, flags) from the words of the specification."""
    a, b = row[0], row[1]
    if mnemonic.startswith("czero"):
        return (0 if (b == 0) == mnemonic.endswith("eqz") else a), 0
    if mnemonic.startswith("mop"):
        return 0, 0
    if mnemonic.startswith("c.l"):
        name, offset = mnemonic.rsplit(".", 1)
        part = a >> 8 * int(offset)
        return {"c.lbu": part & 0xff, "c.lhu": part & 0xffff, "c.lh": extend(part, 16)}[name], 0
    plain = {"ctzw": min(32, ((a | 1 << 32) & -(a | 1 << 32)).bit_length() - 1), "c.zext.b": a & 0xff, "c.sext.b": extend(a, 8), "c.zext.h": a & 0xffff, "c.sext.h": extend(a, 16), "c.zext.w": a & 0xffffffff, "c.not": ~a & MASK,
             "c.mul": a * b & MASK}
    return (plain[mnemonic], 0) if mnemonic in plain else model_float(mnemonic, kinds, row)


def main():
    tasm, tld, temu, name, qemu = sys.argv[1:]
    rng = random.Random(7)
    counts, different = [], 0
    for text in QEMU, MODEL:
        cases = list(expand(text))
        source, operands = program(cases, rng)
        build(tasm, tld, name, source)
        results = [run([temu, f"--tier={tier}", name]) for tier in ("interp", "translate", "optimize")]
        if text is QEMU:
            expected = run([qemu, "-cpu", "rv64,zba=true,zbb=true,zbc=true,zbs=true,zbkb=true,Zfh=true", name])
        else:
            expected = [model(mnemonic, kinds, row) for (mnemonic, kinds), rows in zip(cases, operands) for row in rows]
            if knows_all(qemu):
                results.append(run([qemu, "-cpu", "max", name]))
        counts.append(len(expected))
        for tier, found in zip(("interpreted", "translated", "optimized", "qemu"), results):
            for i, (ours, theirs) in enumerate(zip(found, expected, strict=True)):
                if ours != theirs:
                    different += 1
                    if different <= 20:
                        mnemonic, kinds = cases[i // COUNT]
                        row = [hex(v) for v in operands[i // COUNT][i % COUNT]]
                        print(f"{mnemonic} {kinds} {row}, {tier}: {[hex(v) for v in ours]} instead of {[hex(v) for v in theirs]}")
    print(f"{counts[0]} results by qemu, {counts[1]} by the model, {different} different")


main()
