# Instructions with registers and numbers are assembled straight from their text, also where the mnemonic and the shape
# occurred before with other values, other options or a macro of that name. The code must be that of GNU as, and that of
# a text with blanks before the commas, which the parser reads. (An addition of 0, a copy of register zero and a jump
# to a register without an offset are not among them: GNU as compresses some of their forms differently.)
# RUN: %python %s > %t.s
# RUN: %tasm %t.s -o %t.o
# RUN: %tobjdump -d %t.o | tail -n +4 > %t.text
# RUN: sed 's/,/ ,/g' %t.s > %t.parsed.s
# RUN: %tasm %t.parsed.s -o %t.parsed.o
# RUN: %tobjdump -d %t.parsed.o | tail -n +4 | diff %t.text -
# RUN: %gas -march=rv64gc -misa-spec=20191213 %t.s -o %t.gas.o
# RUN: %tobjdump -d %t.gas.o | tail -n +4 | diff %t.text -
# Values that do not fit, in shapes that are known.
# RUN: not %tasm --defsym BAD=1 %t.s -o %t.o 2>&1 | FileCheck %s
# CHECK: error: operand 3 of 'addi': {{.*}}found 2048
# CHECK: error: operand 2 of 'ld': {{.*}}found -2049
# CHECK: error: operand 3 of 'slliw': {{.*}}found 32
# CHECK: error: operand 2 of 'add':
# CHECK: error: operand 1 of 'ld':
# CHECK-NOT: error
import random

random.seed(9)
X = ["zero", "ra", "sp", "gp", "t0", "s0", "fp", "s1", "a0", "a1", "a5", "s2", "t6", "x8", "x31"]
F = ["ft0", "fs0", "fs1", "fa0", "fa5", "ft11", "f8", "f31"]
SMALL = [-2048, -513, -512, -496, -33, -32, -17, -16, -1, 0, 1, 4, 8, 15, 16, 31, 32, 63, 64, 124, 128, 248, 252, 256, 496, 504, 508, 512, 1020, 1024, 2047]
SHIFT = [1, 2, 31, 32, 33, 63]
SHIFT32 = [0, 1, 2, 30, 31]
LARGE = [0, 1, -1, 31, 32, 2047, 2048, -2048, -2049, 4096, 0x12345, 0x7FFFFFFF, -0x80000000, 0x80000000, 0x123456789ABCDEF0]
DISTANCE = [number for number in SMALL if number]
UPPER = [1, 2, 31, 32, 0x7FFFF, 0xFFFE0, 0xFFFFF]
SHAPES = {
    "x,x,small": "addi addiw slti sltiu xori ori andi and or xor addw slt sltu",
    "x,x,distance": "add",
    "x,x,shift": "slli srli srai sll srl sra",
    "x,x,shift32": "slliw srliw sraiw sllw srlw sraw",
    "x,x,x": "add sub sll slt sltu xor srl sra or and addw subw sllw srlw sraw mul mulh mulhu mulhsu div divu rem remu mulw divw remuw",
    "x,other": "mv",
    "x,x": "neg negw not seqz snez sltz sgtz sext.w sext.b sext.h zext.b zext.h zext.w",
    "x,small(x)": "lb lbu lh lhu lw lwu ld sb sh sw sd jalr",
    "x,(x)": "lb lbu lh lhu lw lwu ld sb sh sw sd jalr",
    "f,small(x)": "flw fld fsw fsd",
    "f,(x)": "flw fld fsw fsd",
    "x,large": "li",
    "x,upper": "lui auipc",
    "x": "jr jalr rdcycle rdtime frflags",
    "": "nop ret ecall ebreak fence.i unimp",
    "f,f,f": "fadd.d fsub.s fmul.d fdiv.s fmin.d fmax.s fsgnj.d",
    "f,f,f,f": "fmadd.d fmsub.s fnmadd.d",
    "f,f": "fmv.d fmv.s fneg.d fabs.s fsqrt.d fcvt.s.d fcvt.d.s",
    "x,f,f": "feq.d flt.s fle.d fgt.d",
    "x,f": "fmv.x.d fmv.x.w fcvt.w.d fcvt.lu.s fclass.d",
    "f,x": "fmv.d.x fmv.w.x fcvt.d.w fcvt.s.lu",
}
KINDS = {"x": X, "other": X[1:], "f": F, "small": SMALL, "distance": DISTANCE, "shift": SHIFT, "shift32": SHIFT32, "large": LARGE, "upper": UPPER}
CHOICES = [(shape, mnemonic) for shape, mnemonics in SHAPES.items() for mnemonic in mnemonics.split()]


def value(kind):
    chosen = random.choice(KINDS[kind])
    if isinstance(chosen, int) and chosen >= 0 and random.random() < 0.1:
        return hex(chosen)
    return str(chosen)


def operands(shape):
    text, word = "", ""
    for character in shape + "\n":
        if character.isalnum():
            word += character
            continue
        text += value(word) if word else ""
        text += character
        word = ""
    return text.strip()


def instructions(count):
    for _ in range(count):
        shape, mnemonic = random.choice(CHOICES)
        if shape.startswith("x,x,s") and random.random() < 0.3: # often the same register twice
            register = random.choice(X)
            print(f"\t{mnemonic}\t{register},{register},{value(shape.split(',')[2])}")
        else:
            print(f"\t{mnemonic}\t{operands(shape)}".rstrip() + random.choice(["", "", "", " # a comment", "  "]))


print("\t.text")
instructions(5000)
for option in ("norvc", "rvc", "norelax", "relax"):
    print(f"\t.option {option}")
    instructions(300)
print("\t.macro addi x, y, z\n\tnop\n\t.endm\n\taddi\ta0,a0,1\n\t.purgem addi\n\taddi\ta0,a0,1")
for section in range(3): # the first instruction of a section, and those after data
    print(f'\t.section .text.f{section},"ax"')
    instructions(3)
    print("\t.word 1")
    instructions(3)
print("\t.text\n\t.ifdef BAD")
print("\taddi\ta0,a0,2048\n\tld\ta0,-2049(sp)\n\tslliw\ta0,a0,32\n\tadd\ta0,fa0,a0\n\tld\tfa0,0(a0)\n\t.endif")
