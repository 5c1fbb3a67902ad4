#!/usr/bin/env python3
"""soak.py TEMU DIRECTORY [--csmith N] [--rewriting N] [--barrels N] [--cuts N] [--unit FOLDER] [--tests FOLDER] [--seed N] [--jobs N]: compares the tiers of temu on random programs.

--csmith programs are written by csmith and compiled by gcc with -O0 to -O3; their output and status must be those of qemu-riscv64.
--rewriting programs are loops of random instructions that overwrite their own code and sometimes fault; without a fault their output must be
that of qemu-riscv64. Of every program, the output, the status and the state at the end (--dump-state) must be the same in all tiers, and so
must be the states after --cuts random numbers of instructions.
--barrels programs have the threads of a barrel go round loops (tests/threads/Inputs/barrel_loops.py).
--tests: the folder of the tests' files. Each program in it is run with at most 20 million instructions. One that does not run alike twice is skipped.
--unit: the folder of executor_test and random_program_test, which run random words with as many programs as --rewriting.

What fails stays in DIRECTORY. The last line is `N passed, N failed`; where csmith is missing, its programs are skipped, which is said."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys

TIERS = "interp", "auto", "translate", "optimize"
LIMIT = 10  # seconds of processor time that a program may take in qemu; others are not used
PATIENCE = 600  # seconds until a run of temu counts as hanging
GCC = "riscv64-linux-gnu-gcc"
ARCHITECTURES = "rv64gc", "rv64gc_zba_zbb_zbs"


class Failure(Exception):
    """Two runs differ."""


class Unusable(Exception):
    """A program that takes too long."""


class Skipped(Exception):
    """A program that cannot be compared."""


def run(words, limit=PATIENCE, **how):
    try:
        result = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=limit, **how)
    except subprocess.TimeoutExpired as error:
        raise Unusable(f"{' '.join(words)} takes more than {limit} seconds") from error
    return result.returncode, result.stdout, result.stderr


def run_limited(words, **how):
    """Runs a command that may use LIMIT seconds of processor time, however slow the host is."""
    result = run(["prlimit", f"--cpu={LIMIT}", *words], **how)
    if result[0] in (-signal.SIGXCPU, -signal.SIGKILL):
        raise Unusable(f"{' '.join(words)} uses more than {LIMIT} seconds")
    return result


def run_tier(temu, tier, program, state, *options):
    """Returns status, output, messages and state at the end."""
    words = [temu, f"--tier={tier}", f"--dump-state={state}", *options, program]
    try:
        result = run(words)
    except Unusable as error:
        raise Failure(str(error)) from error
    if result[0] < 0:
        raise Failure(f"{' '.join(words)} ends by signal {-result[0]}")
    with open(state, encoding="utf-8") as file:
        return *result, file.read()


def compare_tiers(temu, program, *options):
    """Runs the program in each tier. Returns what all of them give."""
    expected = run_tier(temu, TIERS[0], program, program + ".state", *options)
    for tier in TIERS[1:]:
        found = run_tier(temu, tier, program, program + ".state", *options)
        for what, wanted, got in zip(("status", "output", "messages", "state"), expected, found):
            if wanted != got:
                raise Failure(f"{temu} {' '.join(options)} {program}: {what} with --tier={tier} is not that with --tier={TIERS[0]}")
    return expected


def check_program(temu, program, cuts, draw, oracle):
    """Compares everything of a program. `oracle`: status and output, or None where qemu cannot say."""
    status, output, _, state = compare_tiers(temu, program)
    if oracle and (status, output) != oracle:
        raise Failure(f"{program}: status and output are {status} {output!r}, under qemu-riscv64 {oracle[0]} {oracle[1]!r}")
    whole = json.loads(state)["instructions"]
    for _ in range(cuts):
        compare_tiers(temu, program, f"--max-insns={draw.randrange(1, max(whole, 2))}")


# ---- programs of csmith ----

def check_csmith(options, seed, number):
    program = os.path.join(options.directory, f"csmith{seed}")
    source = program + ".c"
    march = ARCHITECTURES[number // 4 % len(ARCHITECTURES)]
    kind = ["--float"] if number % 3 == 2 else []
    status, text, _ = run_limited([options.csmith_program, "--seed", str(seed), *kind], cwd=options.directory)  # it writes a file there
    if status:
        raise Unusable("csmith gives up")
    with open(source, "wb") as file:
        file.write(text)
    status, _, messages = run([GCC, f"-O{number % 4}", f"-march={march}", "-w", "-static", "-I/usr/include/csmith", "-o", program, source])
    if status:
        raise Failure(f"{source}: {messages.decode(errors='replace')}")
    oracle = run_limited(["qemu-riscv64", program])[:2]
    check_program(options.temu, program, options.cuts, random.Random(seed), oracle)


# ---- programs that overwrite their code ----

POOL = ["t0", "t1", "t2", "t3", "t4", "t5", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "s2", "s3", "s4", "s5", "s6", "s11", "sp", "gp", "tp"]
FLOATS = ["ft0", "ft1", "fa0", "fa1", "fa2", "fs0", "fs1"]
THREE = "add sub and or xor sll srl sra slt sltu addw subw sllw srlw sraw mul mulh mulhu mulhsu div divu rem remu mulw divw remw divuw remuw".split()
THREE += "sh1add sh2add sh3add add.uw sh1add.uw andn orn xnor min max minu maxu rol ror rolw bclr bset binv bext".split()
UNARY = "clz ctz cpop clzw ctzw cpopw sext.b sext.h zext.h rev8 orc.b".split()
ATOMICS = [name + size for name in ("amoadd", "amoswap", "amoxor", "amomax", "amominu") for size in (".w", ".d")]
TWO = "addi andi ori xori slti sltiu addiw".split()
FLOAT_THREE = [name + size for name in ("fadd", "fsub", "fmul", "fdiv", "fmin", "fmax", "fsgnj", "fsgnjn", "fsgnjx") for size in (".d", ".s")]
LOADS, STORES = "lb lh lw ld lbu lhu lwu".split(), "sb sh sw sd".split()
BRANCHES = "beq bne blt bge bltu bgeu".split()
SLOTS, FUNCTIONS, WORDS = 3, 4, 12  # in each function; functions; instructions that may be written


def draw_instruction(draw):
    """Returns a random instruction without effects on control."""
    x, y, z = (draw.choice(POOL) for _ in range(3))
    f, g, h = (draw.choice(FLOATS) for _ in range(3))
    kind = draw.randrange(16)
    if kind < 5:
        return f"{draw.choice(THREE)} {x}, {y}, {z}"
    if kind < 8:
        return f"{draw.choice(TWO)} {x}, {y}, {draw.randrange(-2048, 2048)}"
    if kind < 9:
        return draw.choice([f"slli {x}, {y}, {draw.randrange(64)}", f"srai {x}, {y}, {draw.randrange(64)}", f"srliw {x}, {y}, {draw.randrange(32)}",
                            f"{draw.choice(UNARY)} {x}, {y}", f"{draw.choice(ATOMICS)} {x}, {y}, (s0)"])
    if kind < 11:
        return f"{draw.choice(LOADS)} {x}, {draw.randrange(-1024, 1024)}(s0)"
    if kind < 13:
        return f"{draw.choice(STORES)} {x}, {draw.randrange(-1024, 1024)}(s0)"
    if kind < 14:
        return f"{draw.choice(FLOAT_THREE)} {f}, {g}, {h}"
    return draw.choice([f"fcvt.d.l {f}, {x}", f"fcvt.l.d {x}, {f}, rtz", f"fmv.x.d {x}, {f}", f"fcvt.d.w {f}, {x}", f"fld {f}, {8 * draw.randrange(-64, 64)}(s0)",
                        f"fsd {f}, {8 * draw.randrange(-64, 64)}(s0)", f"feq.d {x}, {f}, {g}", f"flt.d {x}, {f}, {g}", f"csrr {x}, fflags", f"lui {x}, {draw.randrange(1 << 20)}"])


def draw_block(draw, name, count):
    """Returns instructions with branches that lead forward."""
    lines, open_labels = [], []
    for i in range(count):
        if draw.randrange(7) == 0:
            label = f"{name}_{i}"
            lines.append(f"{draw.choice(BRANCHES)} {draw.choice(POOL)}, {draw.choice(POOL)}, {label}")
            open_labels.append((i + draw.randrange(1, 6), label))
        lines.append(draw_instruction(draw))
        lines += [f"{label}:" for at, label in open_labels if at == i]
    return lines + [f"{label}:" for at, label in open_labels if at >= count]


def draw_patch(draw):
    """Writes an instruction over one of a function: two halves, one word, or two words."""
    function, slot = draw.randrange(FUNCTIONS), draw.randrange(SLOTS)
    lines = [f"lwu t6, {4 * draw.randrange(WORDS)}(s8)"]
    place = f"function{function}_{slot}"
    if draw.randrange(4) == 0:
        lines += [f"la s9, {place}", "sh t6, 0(s9)", "srli t6, t6, 16", "sh t6, 2(s9)"]
    else:
        lines += [f"la s9, {place}", "sw t6, 0(s9)"]
    return lines + ["fence.i"]


def draw_fault(draw, name):
    """An instruction that faults in one iteration."""
    bad = draw.choice(["ld a0, 8(zero)", "sd a0, 8(zero)", ".4byte 0", "li a0, 1 << 40; lw a1, 0(a0)", "la a0, _start; li a1, 1 << 44; add a0, a0, a1; jr a0",
                       "li a0, -8; sd a1, 0(a0)", "ebreak", "csrr a0, mstatus", "la a0, read_only; sw a1, 0(a0)", "li a0, 0x7ffffff8; ld a1, 0(a0)",
                       "la a0, end; ld a1, -4(a0)", "la a0, end; sd a1, -4(a0)", "la a0, end; sh a1, -1(a0)", "la a0, end; fld fa0, -7(a0)"])
    return [f"li t6, {draw.randrange(1, 60)}", f"bne s10, t6, {name}", *bad.split("; "), f"{name}:"]


def write_rewriting(draw, name):
    """Returns the source of a program, and whether it faults."""
    faults = draw.randrange(3) == 0
    lines = ["        .globl _start", "        .option norelax", "        .option arch, +zba, +zbb, +zbs", "        .text", "_start:"]
    lines += [f"li {each}, {draw.choice([draw.getrandbits(64), draw.randrange(-9, 9), draw.getrandbits(draw.randrange(1, 64))])}" for each in POOL]
    lines += [f"fmv.d.x {each}, {draw.choice(POOL)}" for each in FLOATS]
    lines += ["la s0, buffer", "la s7, functions", "la s8, words", f"li s10, {draw.randrange(60, 300)}", "loop:"]
    at = draw.randrange(8)
    for part in range(8):
        lines += draw_block(draw, f"block{part}", draw.randrange(1, 14))
        choice = draw.randrange(4)
        if choice == 0:
            lines += [f"andi t6, s10, {draw.choice([1, 3, 15])}", f"bnez t6, skip{part}", *draw_patch(draw), f"skip{part}:"]
        function = draw.randrange(FUNCTIONS)
        if choice == 1:
            lines += [f"la s9, function{function}", "jalr s9"]
        elif choice == 2:
            lines += ["andi s9, s10, 3", "slli s9, s9, 3", "add s9, s9, s7", "ld s9, 0(s9)", "jalr s9"]
        else:
            lines += [f"call function{function}"]
        if faults and part == at:
            lines += draw_fault(draw, "no_fault")
    lines += ["addi s10, s10, -1", "bnez s10, loop", "la s0, result"]
    lines += [f"sd {each}, {8 * i}(s0)" for i, each in enumerate(POOL)]
    lines += [f"fsd {each}, {8 * (len(POOL) + i)}(s0)" for i, each in enumerate(FLOATS)]
    lines += ["csrr t0, fcsr", f"sd t0, {8 * (len(POOL) + len(FLOATS))}(s0)", "li a0, 1", "mv a1, s0", "li a2, 8192",
              "li a7, 64", "ecall", f"li a0, {draw.randrange(256)}", "li a7, 93", "ecall"]
    # Functions on pages of their own or together, so that a store drops others' code, too.
    lines += ['.section .changes, "awx"', ".option norvc"]
    for function in range(FUNCTIONS):
        if draw.randrange(2):
            lines += [".balign 4096"]
        lines += [f"function{function}:"]
        for slot in range(SLOTS):
            lines += draw_block(draw, f"inner{function}_{slot}", draw.randrange(4)) + [".balign 4", f"function{function}_{slot}: {draw_instruction(draw)}"]
        lines += ["ret"]
    lines += [".section .rodata", ".balign 8", "words:"] + [draw_instruction(draw) for _ in range(WORDS)] + ["read_only: .dword 0", "functions:"]
    lines += [f".dword function{function}" for function in range(FUNCTIONS)]
    # The buffer is on both sides of a page's end, and nothing is behind its second page.
    lines += [".data", ".balign 4096", "result: .zero 4096", "buffer: .zero 4096", "end:"]
    return "\n".join(lines) + "\n"


def check_rewriting(options, seed, _):
    draw = random.Random(seed)
    program = os.path.join(options.directory, f"rewriting{seed}")
    with open(program + ".s", "w", encoding="utf-8") as file:
        file.write(write_rewriting(draw, program))
    tools = os.path.dirname(options.temu)
    for words in ([os.path.join(tools, "tasm"), "-o", program + ".o", program + ".s"], [os.path.join(tools, "tld"), "-o", program, program + ".o"]):
        status, _, messages = run(words)
        if status:
            raise Failure(f"{' '.join(words)}: {messages.decode(errors='replace')}")
    status, output, _ = run_limited(["qemu-riscv64", program])
    # A signal ends qemu itself; temu says 128 and its number.
    check_program(options.temu, program, options.cuts, draw, (128 - status if status < 0 else status, output))


# ---- threads of a barrel ----

BARREL_LOOPS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../threads/Inputs/barrel_loops.py")


def check_barrel(options, seed, _):
    tools = os.path.dirname(options.temu)
    status, _, messages = run([sys.executable, BARREL_LOOPS, os.path.join(tools, "tasm"), os.path.join(tools, "tld"), options.temu, "1", str(seed)], cwd=options.directory)
    if status:
        raise Failure(messages.decode(errors="replace").splitlines()[-1])


# ---- random words ----

UNIT_TESTS = "executor_test", "random_program_test"


def check_unit(options, _, number):
    """Runs a unit test with other programs than `make check` does."""
    name = UNIT_TESTS[number]
    environment = dict(os.environ, RANDOM_SEED=str(1000 * options.seed), RANDOM_PROGRAMS=str(options.rewriting))
    result = subprocess.run([os.path.join(options.unit, name)], env=environment, stdin=subprocess.DEVNULL, capture_output=True)
    if result.returncode or b"FAILED" in result.stderr + result.stdout:
        text = (result.stdout + result.stderr).decode(errors="replace")
        raise Failure(f"RANDOM_SEED={environment['RANDOM_SEED']} RANDOM_PROGRAMS={options.rewriting} {options.unit}/{name}:\n{text}")


# ---- the programs of the tests ----

RISC_V, EXECUTABLE, SHARED = 243, 2, 3


def find_programs(folder):
    """Returns the RISC-V programs in the folder, each once."""
    found = {}
    for directory, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(directory, name)
            if os.path.islink(path) or not os.path.isfile(path):
                continue
            with open(path, "rb") as file:
                head = file.read(20)
                if head[:5] == b"\x7fELF\x02" and int.from_bytes(head[18:20], "little") == RISC_V and head[16] in (EXECUTABLE, SHARED):
                    found.setdefault(hashlib.sha1(head + file.read()).digest(), path)
    return sorted(found.values())


def check_tests(options, _, number):
    program = os.path.join(options.directory, f"tests{number}")
    shutil.copyfile(options.found[number], program)
    bound = "--max-insns=20000000"
    try:
        first, second = (run([options.temu, "--tier=interp", bound, "--timeout=60", f"--dump-state={program}.state", program]) for _ in range(2))
    except Unusable as error:
        raise Skipped from error
    if first != second or first[0] in (1, 124) or not os.path.exists(program + ".state"):
        raise Skipped
    try:
        compare_tiers(options.temu, program, bound)
    except Failure as error:
        raise Failure(f"{options.found[number]}: {error}") from error


# ---- all of them ----

def remove_files(options, stem):
    for name in os.listdir(options.directory):
        if name.split(".")[0] == stem:
            os.remove(os.path.join(options.directory, name))


def check_case(options, check, number, count):
    """Returns whether the case is skipped, and the complaint about it, or None. A random program that takes too long is replaced."""
    kind = check.__name__[len("check_"):]
    for seed in range(options.seed + number, options.seed + number + 20 * count, count):
        try:
            check(options, seed, number)
        except Unusable:
            remove_files(options, f"{kind}{seed}")
            continue
        except Failure as error:
            return False, f"{kind} {seed}: {error}"
        except Skipped:
            remove_files(options, f"{kind}{number}")
            return True, None
        remove_files(options, f"{kind}{number if check is check_tests else seed}")
        return False, None
    return False, f"no usable program with the seeds {options.seed + number}, {options.seed + number + count} and so on"


def main():
    parser = argparse.ArgumentParser(description="Compares the tiers of temu on random programs.")
    parser.add_argument("temu", type=os.path.abspath)
    parser.add_argument("directory", type=os.path.abspath)
    parser.add_argument("--unit")
    parser.add_argument("--tests")
    for name, usual in ("csmith", 0), ("rewriting", 0), ("barrels", 0), ("cuts", 2), ("seed", 1), ("jobs", len(os.sched_getaffinity(0))):
        parser.add_argument(f"--{name}", type=int, default=usual)
    options = parser.parse_args()
    options.csmith_program = shutil.which("csmith")
    os.makedirs(options.directory, exist_ok=True)
    if options.csmith and not options.csmith_program:
        print("csmith is not installed: its programs are skipped")
        options.csmith = 0
    options.found = find_programs(options.tests) if options.tests else []
    parts = (check_unit, len(UNIT_TESTS) if options.unit else 0), (check_tests, len(options.found)), (check_rewriting, options.rewriting), (check_barrel, options.barrels), (check_csmith, options.csmith)
    cases = [(check, number, count) for check, count in parts for number in range(count)]
    failed = skipped = 0
    with concurrent.futures.ThreadPoolExecutor(max(options.jobs, 1)) as pool:
        for done, (is_skipped, complaint) in enumerate(pool.map(lambda case: check_case(options, *case), cases), 1):
            failed += complaint is not None
            skipped += is_skipped
            if complaint:
                print(f"FAIL: {complaint}", flush=True)
            if done % 50 == 0:
                print(f"  SOAK\t{done} of {len(cases)}" + (f", {failed} failed" if failed else ""), flush=True)
    print(f"{len(cases) - failed - skipped} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


sys.exit(main())
