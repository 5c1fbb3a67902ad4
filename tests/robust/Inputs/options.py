"""Command lines with errors: python3 options.py BUILD DIRECTORY. Each must give the tool's error status and the message named here."""
import os
import subprocess
import sys

BUILD, DIRECTORY = sys.argv[1:3]
TOOLS = {"tasm": ["-o", "o", "a.s"], "tld": ["-o", "o", "a.o"], "tobjdump": ["-h", "a"], "temu": ["a"], "tdiff": ["t", "t"],
         "isagen": ["--check", "a.yaml"]}
# For every tool, before a valid command line.
EVERYWHERE = {
    "--nonsense": "unknown option '--nonsense'",
    "--vresion": "did you mean 'version'?",
    "--help=3": "option '--help=3' takes no argument",
    "-Q": "unknown option '-Q'",
    "--": None,
    "---": "unknown option '---'",
    "--=": "unknown option '--'",
}
NUMBER = "expected a number from 0 to "
COUNT = "expected a number from 1 to "
SIZE = "expected a number from 4096 to 1073741824"
MISTAKES = {
    "tasm": {
        "-o": "needs an argument", "--defsym=a": "expected NAME=VALUE", "--defsym==1": "expected NAME=VALUE", "--defsym=a=1+": "unexpected end",
        "--defsym=1=2": "unexpected '='", "--defsym=a=1;nop": "unexpected character ';'", "-mabi=ilp32": "unknown ABI 'ilp32'",
        "-march=rv32i": "expected 'rv64'", "-march=": "expected 'rv64'", "-march=rv64": "expected 'i' or 'g'", "-mfoo": "unknown option '-mfoo'",
        "-m": "needs an argument", "-I": "needs an argument", "--MD": "needs an argument", "-D": "needs an argument",
    },
    "tld": {
        "-Ttext=zz": "expected hexadecimal digits", "-Ttext=": "expected hexadecimal digits", "-Ttext=10000000000000000": "expected hexadecimal digits",
        "-Ttext=ffffffff00000000": "beyond the highest address", "-Ttext=1": "but its alignment is 0x2", "--section-start=.text": "expected SECTION=ADDRESS",
        "--section-start==5": "expected SECTION=ADDRESS", "--defsym=a": "expected '='", "--defsym=a=1/0": "division by zero",
        "--defsym=a=b": "symbol 'b' is not defined", "--defsym=a=a": "the definition of symbol 'a' depends on the symbol itself", "--defsym=a=((1": "expected an operator or ')'",
        "--defsym=5=a": "expected name", "-e0x": "expected a symbol or a number", "--spm-size=0": SIZE,
        "--spm-size=-1": SIZE, "--spm-size=99999999999999999999": SIZE, "-melf32": "expected elf64lriscv", "-lnone": "cannot find -lnone",
        "--end-group": "without --start-group", "--build-id=md5": "expected sha1, none or 0x and digits", "-L": "needs an argument",
    },
    "tobjdump": {
        "-j": "needs an argument", "-jnone": "section 'none' given with -j", "-Mfoo": "unknown disassembler option 'foo'", "-M,": "unknown disassembler option ''",
    },
    "temu": {
        "--max-insns=18446744073709551616": COUNT, "--max-insns=-1": COUNT, "--max-insns=1e9": COUNT, "--max-insns=0": COUNT,
        "--timeout=99999999999": COUNT, "--timeout=0": COUNT, "--host-threads=0": COUNT, "--host-threads=x": COUNT, "--host-threads=65": COUNT, "--print=": "expected SYMBOL:TYPE", "--print=data": "expected SYMBOL:TYPE",
        "--print=data:u32[": "is not a shape", "--print=data:u32[0]": "is not a shape", "--print=data:u32[-1]": "is not a shape",
        "--print=data:u32[4294967296,4294967296,4294967296]": "larger than the address space", "--print=data:u99": "unknown type 'u99'",
        "--print=none:u32": "'none' is neither a symbol", "--print=0:u32": "not all mapped", "--print=0xffffffffffffffff:u64[2]": "not all mapped",
        "--print=data:u32[1073741824]": "not all mapped", "--dump=data": "expected SYMBOL-or-ADDRESS:LENGTH=FILE", "--dump=data:-1=x": "is not a length",
        "--dump=data:4=": "expected SYMBOL-or-ADDRESS", "--dump=data:0xffffffffffffffff=x": "not all mapped", "--load=data": "expected SYMBOL-or-ADDRESS=FILE",
        "--load=0x0=a.s": "not all mapped", "--load=0xffffffff=a.s": "not all mapped", "--trace-insns=5": "without --trace",
        "--trace-format=x": "no such format", "--env=": "no such environment", "--root=/nonexistent": "No such file", "--root=a.s": "Not a directory",
    },
    "tdiff": {
        "-C-1": NUMBER, "-Cx": NUMBER, "-C99999999999999999999": NUMBER, "--ignore=zz": "is not a register, a CSR", "--ignore=,,": "is not a register, a CSR",
        "--ignore=x99": "is not a register, a CSR", "--elf=a.s": "not an ELF file", "t": "found 3 files, expected two",
    },
    "isagen": {"-o": "--check"},
}
bad = count = 0


def run(tool, arguments):
    return subprocess.run([os.path.join(BUILD, tool), *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))


def check(tool, arguments, expected):
    global bad, count
    count += 1
    before = set(os.listdir("."))
    result = run(tool, arguments)
    status = 0 if expected is None else 2 if tool == "tdiff" else 1
    left = set(os.listdir(".")) - before
    for name in left:
        os.remove(name)
    text = result.stderr.decode(errors="replace")
    if result.returncode != status or (expected and (expected not in text or "error: " not in text or left)):
        bad += 1
        print(f"BAD: {tool} {arguments}: status {result.returncode}, expected {expected!r}, left {left}; {text!r}")


def main():
    os.makedirs(DIRECTORY, exist_ok=True)
    os.chdir(DIRECTORY)
    for name in os.listdir("."):
        os.remove(name)
    with open("a.s", "w") as file:
        file.write(".globl _start\n_start: li a0, 0\nli a7, 93\necall\n.data\n.globl data\ndata: .word 1\n")
    for command in (["tasm", "-o", "a.o", "a.s"], ["tld", "-o", "a", "a.o"], ["temu", "--trace=t", "a"]):
        run(command[0], command[1:])
    with open("a.yaml", "w") as file, open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../isa/common.yaml")) as common:
        file.write(common.read())
    for tool, good in TOOLS.items():
        check(tool, good, None)
        for word, expected in EVERYWHERE.items():
            # After `--` there are no options, so it goes before the last operand.
            check(tool, good[:-1] + [word] + good[-1:] if word == "--" else [word] + good, expected)
        for word, expected in MISTAKES[tool].items():
            last = expected == "needs an argument"
            check(tool, good + [word] if last else [word] + good, expected)
    print(f"{count} command lines, {bad} BAD")


main()
