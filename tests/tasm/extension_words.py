"""Instructions of the extensions beyond rv64gc have the bytes that LLVM's assembler, and where it knows them GNU as, gives them; and
tobjdump's text assembles to the same bytes; GNU objdump's text is the same where it knows the instruction. The operands are random, with the limits of each field among them. With --gas the oracle is GNU
as instead of llvm-mc, and instructions that it does not know are left out.

RUN: %python %s %tasm %tobjdump %llvm_mc llvm-objcopy %t | FileCheck %s
RUN: %python %s %tasm %tobjdump --gas %gas %gobjcopy %t | FileCheck --check-prefix=GNU %s
CHECK: {{[0-9][0-9][0-9][0-9]+}} lines, 0 bytes differ, 0 lines differ after disassembly
GNU: {{[0-9][0-9][0-9][0-9]+}} lines, 0 bytes differ, 0 lines differ after disassembly
"""
import random
import re
import subprocess
import sys

# Operands: x and f registers, t one of x that is not zero, c and g of compressed instructions, r a rounding mode, s and w shift amounts of 6 and 5 bits, o a signed offset of
# 12 bits, p one that is a multiple of 32, b h offsets of Zcb, k a constant of fli.
EXTENSIONS = {
    "zba": "add.uw sh1add sh2add sh3add sh1add.uw sh2add.uw sh3add.uw:x,x,x slli.uw:x,x,s zext.w:x,x",
    "zbb": "andn orn xnor max maxu min minu rol rolw ror rorw:x,x,x rori:x,x,s roriw:x,x,w ror:x,x,s rorw:x,x,w "
           "clz ctz cpop clzw ctzw cpopw sext.b sext.h zext.h orc.b rev8:x,x",
    "zbc": "clmul clmulh clmulr:x,x,x",
    "zbs": "bclr bext binv bset:x,x,x bclri bexti binvi bseti bclr bext binv bset:x,x,s",
    "zbkb": "andn orn xnor rol rolw ror rorw pack packh packw:x,x,x rori:x,x,s roriw:x,x,w brev8 rev8:x,x",
    "zicond": "czero.eqz czero.nez:x,x,x",
    "zicbom": "cbo.inval cbo.clean cbo.flush:(x)",
    "zicboz": "cbo.zero:(x)",
    "zicbop": "prefetch.i prefetch.r prefetch.w:p(x)",
    "zihintpause": "pause:",
    "zihintntl": "ntl.p1 ntl.pall ntl.s1 ntl.all c.ntl.p1 c.ntl.pall c.ntl.s1 c.ntl.all:",
    "zawrs": "wrs.nto wrs.sto:",
    "zfhmin": "flh fsh:f,o(x) fmv.x.h:x,f fmv.h.x:f,x fcvt.s.h fcvt.d.h:f,f fcvt.h.s fcvt.h.d:f,f fcvt.h.s fcvt.h.d:f,f,r",
    "zfh": "fmadd.h fmsub.h fnmsub.h fnmadd.h:f,f,f,f fmadd.h fmsub.h fnmsub.h fnmadd.h:f,f,f,f,r fadd.h fsub.h fmul.h fdiv.h:f,f,f "
           "fadd.h fsub.h fmul.h fdiv.h:f,f,f,r fsqrt.h:f,f fsqrt.h:f,f,r fsgnj.h fsgnjn.h fsgnjx.h fmin.h fmax.h:f,f,f feq.h flt.h fle.h:x,f,f "
           "fgt.h fge.h:x,f,f fclass.h:x,f fcvt.w.h fcvt.wu.h fcvt.l.h fcvt.lu.h:x,f fcvt.w.h fcvt.wu.h fcvt.l.h fcvt.lu.h:x,f,r "
           "fcvt.h.w fcvt.h.wu fcvt.h.l fcvt.h.lu:f,x fcvt.h.w fcvt.h.wu fcvt.h.l fcvt.h.lu:f,x,r fmv.h fneg.h fabs.h:f,f flh fsh:f,o(x) "
           "flh:f,symbol,t fsh:f,symbol,t",
    "zfa": " ".join(f"fli.{t}:f,k fminm.{t} fmaxm.{t}:f,f,f fround.{t} froundnx.{t}:f,f fround.{t} froundnx.{t}:f,f,r "
                    f"fleq.{t} fltq.{t} fgtq.{t} fgeq.{t}:x,f,f" for t in "sdh") + " fcvtmod.w.d:x,f,rtz",
    "zcb": "c.lbu:c,b(c) c.lhu c.lh:c,h(c) c.sb:c,b(c) c.sh:c,h(c) c.zext.b c.sext.b c.zext.h c.sext.h c.zext.w c.not:c c.mul:c,c "
           "lbu lhu lh lb sb sh:x,o(x) lbu sb:c,b(c) lhu lh sh:c,h(c) andi:g,255 sext.b sext.h zext.h zext.w zext.b not:g mul:x,x,x mul:g,c",
    "zimop": " ".join(f"mop.r.{n}" for n in range(32)) + ":x,x " + " ".join(f"mop.rr.{n}" for n in range(8)) + ":x,x,x",
    "zcmop": " ".join(f"c.mop.{n}" for n in range(1, 16, 2)) + ":",
}
# What each is assembled with.
WITH = {"zbkb": "", "zfa": "_zfh", "zcb": "_zba_zbb"}
UNKNOWN_TO_GAS = "zicond zihintntl zfa zcb zimop zcmop".split()
CONSTANTS = """-1.0 min 1.52587890625e-05 3.0517578125e-05 0.00390625 0.0078125 0.0625 0.125 0.25 0.3125 0.375 0.4375 0.5 0.625 0.75 0.875
1.0 1.25 1.5 1.75 2.0 2.5 3.0 4.0 8.0 16.0 128.0 256.0 32768.0 65536.0 inf nan""".split()
REPEAT = 24


def operand(letter, rng):
    choices = {
        "x": lambda: f"x{rng.randrange(32)}",
        "f": lambda: f"f{rng.randrange(32)}",
        "t": lambda: f"x{rng.randrange(1, 32)}",
        "c": lambda: f"x{rng.randrange(8, 16)}",
        "r": lambda: rng.choice("rne rtz rdn rup rmm dyn".split()),
        "s": lambda: rng.choice(("0", "63", str(rng.randrange(64)))),
        "w": lambda: rng.choice(("0", "31", str(rng.randrange(32)))),
        "o": lambda: str(rng.choice((-2048, 2047, rng.randrange(-2048, 2048)))),
        "p": lambda: str(32 * rng.choice((-64, 63, rng.randrange(-64, 64)))),
        "b": lambda: str(rng.randrange(4)),
        "h": lambda: str(2 * rng.randrange(2)),
        "k": lambda: rng.choice(CONSTANTS),
    }
    if letter == "g":  # the same register twice
        register = choices["c"]()
        return f"{register},{register}"
    return choices[letter]() if letter in choices else letter


def lines_of(extension, rng):
    lines = []
    for mnemonics, syntax in re.findall(r"([\w. ]+):(\S*)", EXTENSIONS[extension]):
        for mnemonic in mnemonics.split():
            for _ in range(REPEAT if syntax else 1):
                operands = re.sub(r"symbol|rtz|\d+|[a-z]", lambda m: operand(m[0], rng), syntax)
                lines.append(f"{mnemonic} {operands}".strip())
    return lines


def assemble(command, lines, name):
    with open(name + ".s", "w") as file:
        file.write(".option norelax\n" + "\n".join(lines) + "\n")
    subprocess.run([*command, "-o", name + ".o", name + ".s"], check=True)


def code(objcopy, name):
    subprocess.run([objcopy, "-O", "binary", "-j", ".text", name + ".o", name + ".bin"], check=True)
    with open(name + ".bin", "rb") as file:
        return file.read()


def compare_texts(objdump, gobjdump, name):
    ours, theirs = ([line.rstrip() for line in subprocess.run([tool, "-d", name], capture_output=True, text=True, check=True).stdout.splitlines()]
                    for tool in (objdump, gobjdump))
    different = [f"{one} instead of {other}" for one, other in zip(ours, theirs) if one != other]
    print("\n".join(different[:10]))
    return len(different)


def main():
    gnu = sys.argv[3] == "--gas"
    tasm, objdump, oracle, objcopy, name = sys.argv[1:3] + sys.argv[4 if gnu else 3:]
    rng = random.Random(12)
    total = different = changed = 0
    for extension in EXTENSIONS:
        if gnu and extension in UNKNOWN_TO_GAS:
            continue
        march = f"rv64gc_{extension}{WITH.get(extension, '')}"
        features = "+m,+a,+f,+d,+c," + ",".join(f"+{e}" for e in march[7:].split("_"))
        lines = lines_of(extension, rng)
        total += len(lines)
        assemble([tasm, "-march=" + march], lines, name + ".ours")
        assemble([oracle, "-march=" + march] if gnu
                 else [oracle, "-triple=riscv64", "-filetype=obj", "-mattr=" + features], lines, name + ".theirs")
        ours, theirs = code(objcopy, name + ".ours"), code(objcopy, name + ".theirs")
        if ours != theirs:
            different += 1
            for line in lines:
                assemble([tasm, "-march=" + march], [line], name + ".ours")
                assemble([oracle, "-march=" + march] if gnu
                         else [oracle, "-triple=riscv64", "-filetype=obj", "-mattr=" + features], [line], name + ".theirs")
                if code(objcopy, name + ".ours") != code(objcopy, name + ".theirs"):
                    print(f"{march}: {line}: {code(objcopy, name + '.ours').hex()} instead of {code(objcopy, name + '.theirs').hex()}")
            continue
        text = subprocess.run([objdump, "-d", "-M", "numeric", name + ".ours.o"], capture_output=True, text=True, check=True).stdout
        again = [m[2] for m in re.finditer(r"^ +[0-9a-f]+:\t([0-9a-f]+) +\t(.*?)( +#.*)?$", text, re.MULTILINE)]
        assemble([tasm, "-march=" + march], [re.sub(r"\t", " ", line) for line in again], name + ".again")
        if code(objcopy, name + ".again") != ours:
            changed += 1
            print(f"{march}: the disassembly is other code")
        if gnu:
            changed += compare_texts(objdump, objcopy.replace("objcopy", "objdump"), name + ".ours.o")
    print(f"{total} lines, {different} bytes differ, {changed} lines differ after disassembly")


main()
