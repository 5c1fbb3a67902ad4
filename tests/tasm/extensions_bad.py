"""What llvm-mc refuses of the extensions beyond rv64gc, tasm refuses, too: operands one beyond their limits, operands of another kind or number,
registers that a field does not hold, and each instruction without its extension.

RUN: %python %s %tasm %llvm_mc %t | FileCheck %s
CHECK: {{[0-9]+}} lines, 0 accepted by tasm, 0 accepted by llvm-mc; 0 refused with their extension
"""
import re
import subprocess
import sys

# By extension: lines that are wrong with it, and after the bar lines that are right with it and wrong without it.
LINES = {
    "zba": "slli.uw a0,a1,64; slli.uw a0,a1,-1; slli.uw a0,a1,a2; add.uw a0,a1; sh1add a0,a1,1; sh2add a0,a1; sh3add.uw a0,a1,a2,a3; sh1add fa0,a1,a2"
           " | add.uw a0,a1,a2; sh1add a0,a1,a2; sh2add a0,a1,a2; sh3add a0,a1,a2; sh1add.uw a0,a1,a2; slli.uw a0,a1,1",
    "zbb": "rori a0,a1,64; rori a0,a1,-1; roriw a0,a1,32; roriw a0,a1,-1; andn a0,a1,1; clz a0,1; clz a0,a1,a2; sext.b a0; max a0,a1; orc.b a0,1; rev8 a0,a1,a2"
           " | andn a0,a1,a2; orn a0,a1,a2; xnor a0,a1,a2; clz a0,a1; ctzw a0,a1; cpop a0,a1; max a0,a1,a2; rol a0,a1,a2; rori a0,a1,3; orc.b a0,a1; rev8 a0,a1",
    "zbc": "clmul a0,a1; clmulh a0,a1,1; clmulr a0,a1,a2,a3 | clmul a0,a1,a2; clmulh a0,a1,a2; clmulr a0,a1,a2",
    "zbs": "bclri a0,a1,64; bexti a0,a1,-1; binvi a0,a1,64; bseti a0,a1; bset a0,a1,64; bclr a0,a1; bext a0,1,a1"
           " | bclr a0,a1,a2; bext a0,a1,a2; binv a0,a1,a2; bset a0,a1,a2; bclri a0,a1,1; bseti a0,a1,63",
    "zbkb": "pack a0,a1; packh a0,a1,1; packw a0,a1,a2,a3; brev8 a0,1; rori a0,a1,64 | pack a0,a1,a2; packh a0,a1,a2; packw a0,a1,a2; brev8 a0,a1",
    "zicond": "czero.eqz a0,a1; czero.nez a0,a1,1; czero.eqz fa0,a1,a2 | czero.eqz a0,a1,a2; czero.nez a0,a1,a2",
    "zicbom": "cbo.clean a0,a1; cbo.flush 1(a0); cbo.inval 8(a0); cbo.clean | cbo.clean (a0); cbo.flush (a0); cbo.inval (a0)",
    "zicboz": "cbo.zero 1(a0); cbo.zero a0,a1; cbo.zero | cbo.zero (a0)",
    "zicbop": "prefetch.i 31(a0); prefetch.r -2049(a0); prefetch.w 2048(a0); prefetch.i 1(a0); prefetch.r -2080(a0); prefetch.i a0,32"
              " | prefetch.i 32(a0); prefetch.r (a0); prefetch.w -2048(a0)",
    "zihintntl": "ntl.p1 a0; ntl.all 1; ntl.s2; c.ntl.p1 a0 | ntl.p1; ntl.pall; ntl.s1; ntl.all; c.ntl.p1",
    "zawrs": "wrs.nto a0; wrs.sto 1; wrs | ",
    "zihintpause": "pause a0; pause 1 | ",
    "zfh": "flh fa0,2048(a0); fsh fa0,-2049(a0); flh a0,0(a0); fsh fa0,a0; fadd.h fa0,fa1,a2; fmadd.h fa0,fa1,fa2; fcvt.h.w fa0,fa1; fcvt.w.h fa0,fa1; fmv.x.h fa0,a1;"
           " fsqrt.h a0,fa1; fadd.h fa0,fa1,fa2,rxx; feq.h fa0,fa1,fa2; fclass.h fa0,fa1"
           " | fadd.h fa0,fa1,fa2; fsqrt.h fa0,fa1; fcvt.h.w fa0,a1; fcvt.h.l fa0,a1; fclass.h a0,fa1; fmin.h fa0,fa1,fa2; flh fa0,0(a0); fmv.h.x fa0,a0; fcvt.s.h fa0,fa1",
    "zfhmin": "fadd.h fa0,fa1,fa2; fmadd.h fa0,fa1,fa2,fa3; fsgnj.h fa0,fa1,fa2; fclass.h a0,fa1; fcvt.w.h a0,fa1; feq.h a0,fa1,fa2"
              " | flh fa0,0(a0); fsh fa0,0(a0); fmv.x.h a0,fa0; fcvt.h.s fa0,fa1; fcvt.d.h fa0,fa1",
    "zfa": "fli.s fa0,0.3; fli.s fa0,1; fli.d a0,1.0; fminm.s fa0,fa1; fmaxm.d fa0,fa1,a2; fround.s fa0,fa1,rxx; froundnx.d a0,fa1; fcvtmod.w.d a0,fa1; fcvtmod.w.d a0,fa1,rne;"
           " fleq.s fa0,fa1,fa2; fltq.d a0,fa1; fli.h fa0,1.0; fround.h fa0,fa1 | fli.s fa0,1.0; fminm.s fa0,fa1,fa2; fround.d fa0,fa1; fcvtmod.w.d a0,fa1,rtz; fleq.d a0,fa1,fa2",
    "zcb": "c.lbu a0,4(a1); c.lbu a0,-1(a1); c.lbu t0,0(a1); c.lhu a0,1(a1); c.lhu a0,4(a1); c.lh a0,1(a1); c.sb a0,4(a1); c.sh a0,3(a1); c.sh a0,0(t0); c.zext.b t0; c.not t0; c.mul a0,t0;"
           " c.sext.b a0; c.zext.h a0; c.zext.w a0 | c.lbu a0,0(a1); c.lhu a0,2(a1); c.sb a0,3(a1); c.sh a0,0(a1); c.zext.b a0; c.not a0",
    "zimop": "mop.r.32 a0,a1; mop.r.0 a0; mop.r.1 a0,1; mop.rr.8 a0,a1,a2; mop.rr.0 a0,a1; mop.rr.7 a0,a1,1 | mop.r.0 a0,a1; mop.r.31 a0,a1; mop.rr.0 a0,a1,a2; mop.rr.7 a0,a1,a2",
    "zcmop": "c.mop.0; c.mop.2; c.mop.17; c.mop.1 a0; c.mop.16 | c.mop.1; c.mop.15",
}


def accepted(command, line, name):
    return subprocess.run(command + ["-o", name], input=line + "\n", text=True, capture_output=True).returncode == 0


def not_refused(command, lines, name):
    """Returns the lines for which there is no error, in one run for all of them."""
    done = subprocess.run(command + ["-o", name], input="\n".join(lines) + "\n", text=True, capture_output=True)
    bad = set(map(int, re.findall(r"^<stdin>:(\d+):\d+: error:", done.stderr, re.M)))
    return [line for number, line in enumerate(lines, 1) if number not in bad]


def main():
    tasm, llvm, name = sys.argv[1:]
    count = ours = theirs = given = right = 0
    for extension, text in LINES.items():
        wrong, absent = ([line.strip() for line in part.split(";") if line.strip()] for part in text.split("|"))
        for line in absent:
            right += accepted([tasm, f"-march=rv64imafdc_{extension}", "-"], line, name)
            given += 1
        for lines, suffix in (wrong, extension), (absent, None):
            count += len(lines)
            march, mattr = "rv64imafdc", "+m,+a,+f,+d,+c"
            if suffix:
                march, mattr = f"{march}_{suffix}", f"{mattr},+{suffix}"
            for line in lines:
                if accepted([tasm, "-march=" + march, "-"], line, name):
                    ours += 1
                    print(f"tasm -march={march} accepts {line!r}")
            for line in not_refused([llvm, "-triple=riscv64", "-mattr=" + mattr, "-filetype=obj", "-"], lines, name):
                theirs += 1
                print(f"llvm-mc accepts {line!r} with {mattr}")
    print(f"{count} lines, {ours} accepted by tasm, {theirs} accepted by llvm-mc; {given - right} refused with their extension")


main()
