"""The cases: which programs are measured against which. Each function makes a case of its group, when the case is asked for, since its inputs take time to make."""

import functools
import os
import re
import shutil
import subprocess

import inputs
from measure import Case, Expectation, Run, Wrong, launch

HERE = os.path.dirname(os.path.abspath(__file__))


class Tools:
    """The paths of the programs, and which of them are missing. `scale` multiplies the work of the long runs."""

    def __init__(self, build, scale=1.0):
        self.build, self.bench, self.scale = build, os.path.join(build, "bench"), scale
        for name in ("tasm", "tld", "tobjdump", "temu", "tdiff", "ttrace"):
            setattr(self, name, os.path.join(build, name))
        self.launcher = os.path.join(self.bench, "launch")
        self.missing = set()

    def program(self, name):
        """Returns the path of a program that `make bench-programs` makes."""
        return os.path.join(self.bench, name)

    def peer(self, name):
        """Returns the path of a program, or None and remembers it as missing."""
        found = self.program(name) if os.path.exists(self.program(name)) else shutil.which(name)
        if not found:
            self.missing.add(name)
        return found

    @functools.cached_property
    def help(self):
        return subprocess.run([self.temu, "--help"], capture_output=True, text=True, check=True).stdout

    def option(self, name):
        """Returns whether temu has an option."""
        return name in self.help

    def repeats(self, count):
        return max(1, round(count * self.scale))


def output_of(*command, stdin=subprocess.DEVNULL):
    """Returns the standard output of the command; raises Wrong if it fails."""
    result = subprocess.run([str(word) for word in command], stdin=stdin, capture_output=True, check=False)
    if result.returncode:
        raise Wrong(f"exit status {result.returncode}: {' '.join(map(str, command))}\n{result.stderr.decode(errors='replace')[:1000]}")
    return result.stdout


# The output of a program of the host. Several runs have to print the same, so it is kept.
known_output = functools.cache(output_of)


def tiers(tools):
    """Returns the names of the tiers of temu, and the options that choose them; the interpreter comes first."""
    if tools.option("--tier"):
        return {"temu, interpreter": ["--tier=interp"], "temu": ["--tier=auto"]}
    return {"temu, interpreter": []}


# ---- programs ----

# Title, repeats that keep qemu busy for two seconds, variant, and the expected speed of the interpreter and of native code as parts of qemu's.
PROGRAMS = {
    "integer": ("integer work: list, matrix, state machine, CRC", 10000, 0, 0.20, 1.2),
    "sieve": ("sieve", 480, 0, None, 1.5),
    "product-inexact": ("f32 product 256³, inexact data", 6, 0, 2, 10),
    "product-exact": ("f32 product 256³, exact data", 4, 1, 2, 10),
    "fused-inexact": ("f32 product 256³, fused, inexact data", 7, 0, 2, 4),
    "fused-exact": ("f32 product 256³, fused, exact data", 4, 1, 2, 4),
    "table": ("hash table of numbers", 4000, 0, None, 1.3),
    "copy": ("copy of words", 5500, 0, None, 2),
    "fib": ("recursive Fibonacci", 540, 0, 0.6, 3),
    "orbit": ("f64 with division and square root", 2500, 0, None, None),
    "words": ("hash table and strings with the C library", 320, 0, None, None),
}
# The parts of that work that slower emulators do.
INTERPRETER, UNICORN = 0.25, 0.01


def executed(tools, program, repeats, variant):
    """Returns the number of instructions that a run of the program executes."""
    text = output_of(tools.temu, "--stats-format=json", "--stats=/dev/stdout", program, repeats, variant)
    return int(re.search(rb'"instructions":(\d+)', text)[1])


def instructions(tools, program, variant):
    """Returns a function from repeats to the number of instructions that the program executes. It is linear, but for a few instructions that read the number of repeats."""
    one, two, three = (executed(tools, program, repeats, variant) for repeats in (1, 2, 3))
    if abs((three - two) - (two - one)) > 0.002 * (two - one):
        raise Wrong(f"{program}: repeats do not execute the same number of instructions: {one}, {two}, {three}")
    return lambda repeats: one + (repeats - 1) * (three - one) / 2


def emulator_case(tools, name):
    title, full, variant, interpreter, translated = PROGRAMS[name]
    source = name.split("-")[0]
    program, native = tools.program(f"{source}.riscv"), tools.program(f"{source}.native")
    count = instructions(tools, program, variant)
    runs = []

    def add(label, command, part, **options):
        repeats = tools.repeats(full * part)
        runs.append(Run(label, [*command, str(repeats), str(variant)], count(repeats), known_output(native, repeats, variant), **options))

    for label, options in tiers(tools).items():
        add(label, [tools.temu, *options, program], INTERPRETER if "interpreter" in label else 1, fresh="HOME")
    if tools.peer("qemu-riscv64"):
        add("QEMU user", [tools.peer("qemu-riscv64"), program], 1)
    # Unicorn cannot run the C library. It runs one product only, since it takes long.
    if name not in ("words", "product-exact", "fused-inexact", "fused-exact") and tools.peer("unicorn"):
        add("Unicorn", [tools.peer("unicorn"), program], UNICORN)
    add("native", [native], 1)
    expectations = []
    if interpreter:
        expectations.append(Expectation("temu, interpreter", ("QEMU user",), least=interpreter))
    if translated:
        expectations.append(Expectation("temu", ("QEMU user",), least=translated))
    if name == "integer":
        expectations.append(Expectation("temu", most=8e6, quantity="memory"))
    return Case(name, title, "MIPS", 1e-6, runs, expectations, ("native",), is_program=name == "integer")


# ---- threads ----

SORTS = 2000    # arrays that the threads sort


def threads_case(tools, name):
    """Makes the case of a program with one and with two threads of Linux, which do the same work."""
    program, native, repeats = tools.program("threads.riscv"), tools.program("threads.native"), tools.repeats(SORTS)
    expect = known_output(native, 1, repeats)
    runs = []
    for label, threads in (("one thread", 1), ("two threads", 2)):
        runs.append(Run(f"temu, {label}", [tools.temu, program, str(threads), str(repeats)], executed(tools, program, threads, repeats), expect, fresh="HOME"))
        if tools.peer("qemu-riscv64"):
            runs.append(Run(f"QEMU user, {label}", [tools.peer("qemu-riscv64"), program, str(threads), str(repeats)], runs[-1].work, expect))
    return Case(name, "threads of Linux", "MIPS", 1e-6, runs, [Expectation("temu, two threads", ("temu, one thread",), least=0.9)])


def barrel_case(tools, name):
    """Makes the case of six workers of a barrel and of one thread without a barrel."""
    machine = [f"--machine={os.path.join(HERE, 'threads', 'barrel.yaml')}"]
    programs = {"one thread": ([], tools.program("barrel-one.riscv")), "six workers": (machine, tools.program("barrel.riscv"))}
    runs = []
    for tier, options in tiers(tools).items():
        for label, (extra, program) in programs.items():
            text = output_of(tools.temu, *extra, "--stats-format=json", "--stats=/dev/stdout", program)
            work = int(re.search(rb'"instructions":(\d+)', text)[1])
            runs.append(Run(f"{tier}, {label}", [tools.temu, *options, *extra, program], work, b"", fresh="HOME"))
    runs.append(Run("temu --timing, six workers", [tools.temu, "--timing", *machine, program], work, b"", fresh="HOME"))
    return Case(name, "threads of a barrel", "MIPS", 1e-6, runs, [Expectation("temu, interpreter, six workers", ("temu, interpreter, one thread",), least=0.55),
                                                                  Expectation("temu, six workers", ("temu, interpreter, six workers",), least=2),
                                                                  Expectation("temu --timing, six workers", ("temu, interpreter, six workers",), least=2)])


# ---- tensor units ----

TYPES = {"f32": 0, "f16": 1, "bf16": 2, "e4m3": 3, "i8": 4}
# The number of products of each size in a run of about half a second.
SIDES = {64: 90000, 128: 12000, 256: 1600, 512: 200, 1024: 26}
SKYLAKE = "OpenBLAS, SkylakeX"
# Restricts a run to one processor, and so to one thread.
ONE_THREAD = ("taskset", "--cpu-list", str(max(os.sched_getaffinity(0))))


def on_units(tools, program, repeats, variant):
    return [tools.temu, f"--machine={HERE}/machine.yaml", tools.program(f"{program}.riscv"), str(repeats), str(variant)]


def expected_product(tools, repeats, side):
    """Returns what all products of this side print. It does not depend on the type, since the values are small integers."""
    return known_output(tools.program("matrix.native"), repeats, 8 * side)


def product_run(tools, label, side, kind, one_thread=True, part=1):
    repeats = tools.repeats(SIDES[side] * part)
    variant = 8 * side + TYPES[kind]
    command = [*(ONE_THREAD if one_thread else ()), *on_units(tools, "matrix", repeats, variant)]
    return Run(label, command, repeats * 2.0 * side ** 3, expected_product(tools, repeats, side))


def matrix_case(tools, name):
    side = int(name.split("-")[1])
    runs = [product_run(tools, "temu f32", side, "f32")]
    expectations = [Expectation("temu f32", ("OpenBLAS", SKYLAKE), least=0.95), Expectation("temu f32", ("peak, unfused",), least=0.85)]
    if tools.peer("matrix.openblas"):
        repeats, variant = tools.repeats(SIDES[side]), 8 * side
        expect = expected_product(tools, repeats, side)
        command = [tools.program("matrix.openblas"), str(repeats), str(variant)]
        for label, core in (("OpenBLAS", {}), (SKYLAKE, {"OPENBLAS_CORETYPE": "SKYLAKEX"})):
            if not core or "avx512f" in cpu_flags():
                runs.append(Run(label, [*ONE_THREAD, *command], repeats * 2.0 * side ** 3, expect, environment={"OPENBLAS_NUM_THREADS": "1", **core}))
    steps = tools.repeats(60)
    runs.append(Run("peak, unfused", [tools.program("peak"), str(steps)], steps * 768e6, b"%d\n" % (steps * 192000000)))
    if side >= 512 and len(os.sched_getaffinity(0)) > 1:
        runs.append(product_run(tools, "temu f32, all processors", side, "f32", one_thread=False))
    if side == 1024:
        runs.append(product_run(tools, "temu f32, 512³", 512, "f32"))
        runs[-1].aside = True
        expectations = [Expectation("temu f32", ("temu f32, 512³",), least=0.85)]
    else:
        for kind, least in (("f16", 0.8), ("bf16", 0.8), ("e4m3", 0.8), ("i8", 2)):
            runs.append(product_run(tools, f"temu {kind}", side, kind))
            expectations.append(Expectation(f"temu {kind}", ("temu f32",), least=least))
    return Case(name, f"matrix unit, {side}³", "GFLOP/s", 1e-9, runs, expectations, ("peak, unfused",))


def vector_case(tools, name):
    side = 4096
    repeats = tools.repeats(40)
    expect = known_output(tools.program("vector.native"), repeats, side)
    work = repeats * 4.0 * side * side
    return Case(name, f"matrix unit, {side}×{side} matrix by vector", "GB/s", 1e-9, [
        Run("temu", on_units(tools, "vector", repeats, side), work, expect),
        Run("native read", [tools.program("vector.native"), str(repeats), str(side)], work, expect),
    ], [Expectation("temu", ("native read",), least=0.8)], ("native read",), ["Memory bandwidth is the speed at which one thread of the host reads in plain vector C."])


# Repeats that keep native code busy for two seconds, and the part of them that the interpreter does.
UNIT_REPEATS = {"histogram": (52000, 0.04), "traversal": (100000, 0.05)}


def unit_case(tools, name):
    """Makes the cases of histogram and traversal: a loop of scalar and tensor instructions in every tier."""
    histogram = name == "histogram"
    elements = 4096 * 16 if histogram else 16 * 32 * 64
    repeats, native = tools.repeats(UNIT_REPEATS[name][0]), tools.program(f"{name}.native")
    runs, expectations = [], []

    def add(label, options, part, variant):
        count = max(1, round(repeats * part))
        command = on_units(tools, name, count, variant)
        # All repeats have the same result, so the host's plain C, which is slow, counts one (bench/units/histogram.c).
        runs.append(Run(label, [command[0], *options, *command[1:]], count * elements, known_output(native, count, variant | 2 if histogram else variant), fresh="HOME"))

    for label, options in tiers(tools).items():
        part = UNIT_REPEATS[name][1] if "interpreter" in label else 1
        if histogram:
            add(label, options, part, 1)
            continue
        for suffix, variant in (", row", 1), (", two rows", 2), (", pointer", 0):
            add(label + suffix, options, part, variant)
    if histogram:
        expectations.append(Expectation("temu", least=1e9))
    else:
        expectations.extend(Expectation(f"temu, {rows}", ("temu, pointer",), least=1 / 1.3) for rows in ("row", "two rows"))
    command = [native, str(tools.repeats(2000)), "1"]
    runs.append(Run("native C", command, tools.repeats(2000) * elements, output_of(*command)))
    title = "histogram unit, f32v4hist in a loop" if histogram else "traversal unit, loads through rows and through a pointer"
    return Case(name, title, "million values/s", 1e-6, runs, expectations, ("native C",))


@functools.cache
def cpu_flags():
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            return frozenset(re.search(r"(?m)^(?:flags|Features)\s*:(.*)", file.read())[1].split())
    except (OSError, TypeError):
        return frozenset()


# ---- start-up ----

def start_case(tools, name):
    hosted = name == "start-libc"
    source = "words" if hosted else "fib"
    program, native = tools.program(f"{source}.riscv"), tools.program(f"{source}.native")
    expect, count = b"00000000\n", tools.repeats(100)
    runs = [Run("temu", [tools.temu, program, "0"], 1, expect, count=count, fresh="HOME")]
    if tools.peer("qemu-riscv64"):
        runs.append(Run("QEMU user", [tools.peer("qemu-riscv64"), program, "0"], 1, expect, count=count))
    if not hosted and tools.peer("unicorn"):
        runs.append(Run("Unicorn", [tools.peer("unicorn"), program, "0"], 1, expect, count=count))
    runs.append(Run("native", [native, "0"], 1, expect, count=count))
    expectations = [Expectation("temu", ("QEMU user",), most=1.0, quantity="time")]
    if not hosted:
        expectations = [Expectation("temu", most=1.5e-3, quantity="time"), Expectation("temu", most=5e6, quantity="memory")]
    return Case(name, "start and exit, " + ("with the C library" if hosted else "alone"), "starts/s", 1, runs, expectations, ("native",))


# ---- code that is executed a few times ----

TRANSLATION = 100e-9    # most seconds for an instruction that is executed at least once, its share of the start and of all its executions included


def distinct(tools, program, *arguments):
    """Returns how many instructions of the program a run executes at least once."""
    file = tools.program("distinct.trace")
    output_of(tools.temu, f"--trace={file}", program, *arguments)
    try:
        with open(file, encoding="utf-8") as trace:
            return len({line.split(None, 2)[1] for line in trace if not line.startswith("#")})
    finally:
        os.unlink(file)


def translation_case(tools, name):
    """Makes the case of a large program that executes most of its code a few times."""
    directory = tools.program("assembly")
    inputs.assembly(directory, "216k")
    program = f"{directory}/translated"
    output_of(*GNU_AS, "-o", f"{program}.o", f"{directory}/216k.s")
    output_of(*GNU_LD, "-o", program, f"{program}.o", f"{directory}/216k.main.o", f"{directory}/start.o")
    peer, work = tools.peer("qemu-riscv64"), distinct(tools, program, 1)
    expect = output_of(peer or tools.temu, program, 1)
    runs = [Run("temu", [tools.temu, program, "1"], work, expect, fresh="HOME")]
    runs.append(Run("temu, all code translated", [tools.temu, "--tier=translate", program, "1"], work, expect, fresh="HOME", aside=True))
    if peer:
        runs.append(Run("QEMU user", [peer, program, "1"], work, expect))
    return Case(name, f"executing {work:,} instructions of a program a few times", "million instructions/s", 1e-6, runs,
                [Expectation("temu", least=1 / TRANSLATION)])


# ---- traces ----

TRACED = 10            # repeats of the integer work that are traced
QUERIED = 250          # repeats of the integer work that are recorded for questions: 100 million instructions
LOSSLESS_BYTES = 3     # most bytes an instruction in a lossless trace of integer code
FORMATS = {"text": ".text", "spike": ".spike", "json": ".json"}


def lines_of(path):
    """Returns the number of lines in a file, which may be compressed."""
    with subprocess.Popen(["zstdcat", path] if path.endswith(".zst") else ["cat", path], stdout=subprocess.PIPE) as reader:
        count = sum(part.count(b"\n") for part in iter(lambda: reader.stdout.read(1 << 20), b""))
    return -1 if reader.returncode else count


def lossless_run(tools, program, repeats, files):
    """Makes the run that records a lossless trace, which has to be small."""
    file = tools.program("trace.ttrace")
    files.append(file)
    count = executed(tools, program, repeats, 0)

    def check():
        size = os.path.getsize(file) / count
        return None if size <= LOSSLESS_BYTES else f"{size:.2f} bytes an instruction, expected at most {LOSSLESS_BYTES}"
    return Run("temu ttrace", [tools.temu, f"--trace={file}", program, str(repeats), "0"], count, known_output(tools.program("integer.native"), repeats, 0), check)


def query_case(tools, name):
    """Makes the case of questions about a recorded run of the integer work."""
    program, file = tools.program("integer.riscv"), tools.program("query.ttrace")
    repeats = tools.repeats(QUERIED)
    output_of(tools.temu, f"--trace={file}", program, str(repeats), "0")
    count = executed(tools, program, repeats, 0)
    questions = {"who": ["left[3]"], "at": [str(count * 9 // 10)], "reads": ["left"], "grep": ["no such instruction"]}
    runs = [Run(f"ttrace {query}", [tools.ttrace, query, file, *words], 1) for query, words in questions.items()]
    return Case(name, f"questions about a trace of {count / 1e6:.0f} million instructions", "questions/s", 1, runs,
                [Expectation(run.name, most=1.0, quantity="time") for run in runs], files=[file])


def trace_case(tools, name):
    program = tools.program("integer.riscv")
    repeats = tools.repeats(TRACED)
    count = executed(tools, program, repeats, 0)
    expect = known_output(tools.program("integer.native"), repeats, 0)

    files = [log := tools.program("trace.qemu")]

    def trace_run(label, style, suffix, more):
        file = tools.program("trace" + suffix)
        files.append(file)

        def check():
            lines = lines_of(file)
            return None if lines == count + more else f"{lines} lines for {count} instructions"
        return Run(label, [tools.temu, f"--trace={file}", f"--trace-format={style}", program, str(repeats), "0"], count, expect, check)

    # A trace has one line more than instructions, its header. Spike's log has no header, and no lines for the two system calls, which do not commit.
    runs = [trace_run(f"temu {style}", style, suffix, -2 if style == "spike" else 1) for style, suffix in FORMATS.items()]
    expectations = [Expectation("temu text", least=20e6), Expectation("temu spike", least=12e6)]
    if tools.option("FILE.zst") and tools.peer("zstdcat"):
        runs.append(trace_run("temu text, compressed", "text", ".text.zst", 1))
    runs.append(lossless_run(tools, program, tools.repeats(10 * TRACED), files))
    expectations.append(Expectation("temu ttrace", least=40e6))
    if tools.peer("qemu-riscv64"):
        few = max(1, repeats // 20)
        # The name of the option up to QEMU 8.0, and that of later versions.
        one = next(name for name in ("-one-insn-per-tb", "-singlestep") if name.encode() in output_of(tools.peer("qemu-riscv64"), "--help"))
        runs.append(Run("QEMU user, log", [tools.peer("qemu-riscv64"), one, "-d", "exec,cpu,nochain", "-D", log, program, str(few), "0"],
                        executed(tools, program, few, 0), known_output(tools.program("integer.native"), few, 0)))
        expectations.append(Expectation("temu text", ("QEMU user, log",), least=1))
    return Case(name, "trace with register values to a file", "million instructions/s", 1e-6, runs, expectations, files=files)


# ---- timing ----

TIMED = {"integer": 250, "product": 1, "sieve": 7, "fib": 15}  # repeats
SILENT = ["--timing", "--timing-file=/dev/null"]


def timing_case(tools, name):
    """Makes the case of scalar code with --timing."""
    runs = []
    for source, repeats in TIMED.items():
        repeats = tools.repeats(repeats)
        program = tools.program(f"{source}.riscv")
        runs.append(Run(f"temu --timing, {source}", [tools.temu, *SILENT, program, str(repeats), "0"],
                        executed(tools, program, repeats, 0), known_output(tools.program(f"{source}.native"), repeats, 0)))
    return Case(name, "timing of scalar code", "million instructions/s", 1e-6, runs, [Expectation(run.name, least=20e6) for run in runs])


def timed_matrix_case(tools, name):
    """Makes the case of products with and without --timing. Around each product are about 70 scalar instructions, and the operands are filled by scalar
    instructions; many products make the latter a small part."""
    runs, expectations = [], []
    for side, part in ((64, 1), (128, 3), (256, 3)):
        plain = product_run(tools, f"temu, {side}³", side, "f32", part=part)
        timed = product_run(tools, f"temu --timing, {side}³", side, "f32", part=part)
        at = timed.command.index(tools.temu) + 1
        timed.command[at:at] = SILENT
        runs += [plain, timed]
        expectations.append(Expectation(timed.name, (plain.name,), least=0.9 if side > 64 else 0.6))
    return Case(name, "timing of the matrix unit", "GFLOP/s", 1e-9, runs, expectations)


def reads_compressed(tools):
    """Returns whether tdiff reads compressed traces."""
    return ".zst" in output_of(tools.tdiff, "--help").decode()


def tdiff_case(tools, name):
    program, runs, files = tools.program("integer.riscv"), [], []

    def add(label, suffixes, part=1.0):
        """Compares two traces of one run, in the formats of the suffixes."""
        repeats = tools.repeats(TRACED * part)
        pair = [tools.program(f"tdiff-{len(files)}-{side}{suffix}") for side, suffix in zip("ab", suffixes)]
        for file in pair:
            output_of(tools.temu, f"--trace={file}", f"--trace-format={file.split('.')[-1].replace('zst', 'text')}", program, repeats, 0)
        files.extend(pair)
        runs.append(Run(label, [tools.tdiff, *pair], executed(tools, program, repeats, 0)))

    for style, suffix in FORMATS.items():
        add(f"tdiff {style}", (suffix, suffix))
    add("tdiff text with json", (".text", ".json"), 0.2)
    if tools.option("FILE.zst") and reads_compressed(tools):
        add("tdiff text, compressed", (".text.zst", ".text.zst"))
    expectations = [Expectation("tdiff text", least=20e6), Expectation("tdiff spike", least=20e6)]
    return Case(name, "comparison of two equal traces", "million records/s", 1e-6, runs, expectations, files=files)


# ---- assembler, linker, disassembler ----

GNU_AS, GNU_LD, GNU_OBJDUMP = ["riscv64-linux-gnu-as", "-march=rv64gc"], ["riscv64-linux-gnu-ld"], ["riscv64-linux-gnu-objdump"]
LLVM_MC = ["-filetype=obj", "-triple=riscv64", "-mattr=+m,+a,+f,+d,+c,+relax", "-target-abi=lp64d"]


def linked_and_run(tools, objects, expect, output):
    """Returns a check that GNU ld links the objects to a program that prints what is expected."""
    def check():
        output_of(*GNU_LD, "-o", output, *objects)
        found = output_of(tools.temu, output, 3)
        return None if found == expect else f"the program of its object prints {found!r}, not {expect!r}"
    return check


def assembly_case(tools, name):
    directory, size = tools.program("assembly"), name.split("-")[1]
    lines, runs, files = {}, [], []

    def add(label, command, size):
        """Adds a run that assembles the lines of a size. The program that GNU as makes of them tells what theirs has to print."""
        source, main, start = f"{directory}/{size}.s", f"{directory}/{size}.main.o", f"{directory}/start.o"
        if size not in lines:
            lines[size] = inputs.assembly(directory, size)
            reference = f"{directory}/reference"
            output_of(*GNU_AS, "-o", f"{reference}.o", source)
            output_of(*GNU_LD, "-o", reference, f"{reference}.o", main, start)
            expected[size] = output_of(tools.peer("qemu-riscv64") or tools.temu, reference, 3)
        output = f"{directory}/{label.replace(' ', '-')}"
        files.extend((f"{output}.o", f"{output}.program"))
        runs.append(Run(label, [*command, "-o", f"{output}.o", source], lines[size], aside="," in label,
                        check=linked_and_run(tools, [f"{output}.o", main, start], expected[size], f"{output}.program")))

    expected = {}
    add("tasm", [tools.tasm, "-march=rv64gc"], size)
    expectations = []
    if size != "216k":
        add("tasm, 216k lines", [tools.tasm, "-march=rv64gc"], "216k")
        expectations.append(Expectation("tasm", ("tasm, 216k lines",), least=4 / 4.2))
    if size != "10m":
        add("GNU as", GNU_AS, size)
        if tools.peer("llvm-mc-14"):
            add("llvm-mc", [tools.peer("llvm-mc-14"), *LLVM_MC], size)
        expectations.append(Expectation("tasm", ("GNU as",), most=1, quantity="memory"))
    if size == "216k":
        expectations.insert(0, Expectation("tasm", ("GNU as", "llvm-mc"), least=4))
    return Case(name, f"assembling {lines[size]:,} lines of gcc's output", "million lines/s", 1e-6, runs, expectations, files=files)


def link_case(tools, name):
    directory = tools.program("objects")
    objects = inputs.objects(directory)
    output_of(*GNU_LD, "-o", f"{directory}/reference", *objects)
    expect = output_of(tools.peer("qemu-riscv64") or tools.temu, f"{directory}/reference", 2)
    runs = []

    def add(label, *linker):
        output = f"{directory}/{label.replace(' ', '-')}.program"

        def check():
            found = output_of(tools.temu, output, 2)
            return None if found == expect else f"its program prints {found!r}, not {expect!r}"
        runs.append(Run(label, [*linker, "-o", output, *objects], len(objects), check=check))

    add("tld", tools.tld)
    add("GNU ld", *GNU_LD)
    if tools.peer("ld.lld-14"):
        add("lld", tools.peer("ld.lld-14"))
    if tools.peer("mold"):
        add("mold", tools.peer("mold"), "-m", "elf64lriscv", "--no-fork")
    return Case(name, f"linking {len(objects):,} objects", "objects/s", 1, runs, [
        Expectation("tld", ("GNU ld",), least=3), Expectation("tld", ("lld",), least=2), Expectation("tld", ("mold",), least=1),
        Expectation("tld", ("GNU ld",), most=1, quantity="memory"),
    ], notes=["lld 14 does not relax; the others do. mold stays one process, so that its memory is measured."])


def disassembly_case(tools, name):
    directory = tools.program("assembly")
    lines = inputs.assembly(directory, "216k")
    program = f"{directory}/disassembled"
    output_of(*GNU_AS, "-o", f"{program}.o", f"{directory}/216k.s")
    output_of(*GNU_LD, "-o", program, f"{program}.o", f"{directory}/216k.main.o", f"{directory}/start.o")
    reference = output_of(*GNU_OBJDUMP, "-d", program)
    runs = [Run("tobjdump", [tools.tobjdump, "-d", program], lines, reference),
            Run("GNU objdump", [*GNU_OBJDUMP, "-d", program], lines, reference)]
    if tools.peer("llvm-objdump-14"):
        runs.append(Run("llvm-objdump", [tools.peer("llvm-objdump-14"), "-d", program], lines))
    return Case(name, "disassembling the program of these lines", "million lines/s", 1e-6, runs, [Expectation("tobjdump", ("GNU objdump",), least=3)])


CASES = {
    **{name: emulator_case for name in PROGRAMS},
    **{f"matrix-{side}": matrix_case for side in SIDES},
    "vector": vector_case,
    "threads": threads_case,
    "barrel": barrel_case,
    "histogram": unit_case,
    "traversal": unit_case,
    "trace": trace_case,
    "ttrace": query_case,
    "timing": timing_case,
    "timing-matrix": timed_matrix_case,
    "tdiff": tdiff_case,
    "start": start_case,
    "start-libc": start_case,
    "translation": translation_case,
    "assemble-216k": assembly_case,
    "assemble-860k": assembly_case,
    "assemble-10m": assembly_case,
    "link": link_case,
    "disassemble": disassembly_case,
}
# Cases that are measured only when they are named.
EXTRA = ("assemble-10m",)
