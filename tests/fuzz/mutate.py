"""Damaged input for every tool: python3 mutate.py BUILD DIRECTORY KIND… [--count N] [--first N]

For each KIND the seeds are made once (assembled, linked, traced). Then case number i damages one of them with random numbers
that depend only on the kind and i, and runs the tools of that kind on it. The run fails, and keeps the input in DIRECTORY, when a tool
  - is killed by a signal, aborts, or prints a bug report of its own or of a sanitizer,
  - does not end within TIME, or needs more than MEMORY,
  - has an exit status that its manual does not name,
  - fails without a message, or with none that names a position,
  - leaves a file after an error, or none after success,
  - gives another result when it is run again (every REPEAT-th case)."""
import argparse
import glob
import os
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time

import mutations

TIME = 20  # seconds of processor time
MEMORY = 1 << 20  # KiB
REPEAT = 8
FAULTS = {128 + number for number in (signal.SIGILL, signal.SIGTRAP, signal.SIGSEGV, signal.SIGBUS, signal.SIGPIPE)}
BUG = re.compile(rb"Sanitizer|runtime error:|internal error|Assertion|stack smashing")
PLACE = re.compile(rb"^(?!(tasm|tld|tobjdump|temu|tdiff|isagen): )[^\n]+?: (error|warning|note): ", re.MULTILINE)
NAMES = re.compile(rb"error: .*(\bbad\b|'[^']+')")  # a message about two files, or about something made from several
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
ENVIRONMENT = dict(os.environ, ASAN_OPTIONS="detect_leaks=0", LC_ALL="C")


class Failure(Exception):
    pass


class Result:
    def __init__(self, status, output, errors, files):
        self.status, self.output, self.errors, self.files = status, output, errors, files


class World:
    """The tools, and a directory that has only the damaged input between two cases."""

    def __init__(self, build, directory):
        self.build, self.directory = os.path.abspath(build), os.path.abspath(directory)
        self.seeds = os.path.join(self.directory, "seeds")
        self.work = os.path.join(self.directory, "work")
        for path in (self.seeds, self.work):
            shutil.rmtree(path, ignore_errors=True)
            os.makedirs(path)
        self.runs = self.refused = 0

    def seed(self, name):
        return os.path.join(self.seeds, name)

    def path(self, name):
        return os.path.join(self.work, name)

    def make(self, *command):
        """Makes a seed, which must succeed."""
        subprocess.run([os.path.join(self.build, command[0]), *command[1:]], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, env=ENVIRONMENT)

    def put(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)

    def run(self, tool, arguments, outputs=(), statuses=(0, 1), guest=False):
        """Runs a tool in the directory and checks the result. `outputs`: files that exist after success, and only then."""
        self.runs += 1
        before = set(os.listdir(self.work))
        process = subprocess.Popen([os.path.join(self.build, tool), *arguments], cwd=self.work, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                                   stdout=open(self.seed("out"), "wb"), stderr=open(self.seed("err"), "wb"))
        status = self.wait(process, [tool, *arguments])
        output, errors = read(self.seed("out")), read(self.seed("err"))
        created = set(os.listdir(self.work)) - before
        files = {name: read(self.path(name)) for name in created}
        for name in created:
            os.remove(self.path(name))
        result = Result(status, output, errors, files)
        self.judge([tool, *arguments], result, outputs, statuses, guest)
        return result

    @staticmethod
    def wait(process, command):
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (TIME, TIME))
        pause = 0.0005
        while True:
            status = process.poll()
            if status is not None:
                return status
            if resident(process.pid) > MEMORY:
                process.kill()
                process.wait()
                raise Failure(f"{' '.join(command)}: more than {MEMORY} KiB of memory")
            time.sleep(pause)
            pause = min(pause * 1.5, 0.05)

    def judge(self, command, result, outputs, statuses, guest):
        what, errors = " ".join(command), result.errors.decode(errors="replace")[:2000]

        def check(good, complaint):
            if not good:
                raise Failure(f"{what}: {complaint}\nstatus {result.status}, standard error:\n{errors}")

        check(result.status >= 0, f"signal {-result.status}")
        check(not BUG.search(result.errors), "a bug report")
        check(guest or result.status in statuses, f"status {result.status} is not one of {statuses}")
        if guest and result.status in FAULTS:
            check(b"SIG" in result.errors, "a fault without a report")
        failed = result.status == max(statuses) and not guest
        if failed:
            self.refused += 1
            check(b"error: " in result.errors, "an error without a message")
            check(PLACE.search(result.errors) or NAMES.search(result.errors), "no message names a place")
            check(not result.files, f"left behind: {sorted(result.files)}")
        elif not guest:
            check(set(result.files) == set(outputs), f"files {sorted(result.files)}, expected {sorted(outputs)}")


def resident(pid):
    """Returns the memory of a process in KiB."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * resource.getpagesize() // 1024
    except (OSError, IndexError):
        return 0


def read(path):
    with open(path, "rb") as file:
        return file.read()


def same(first, second):
    return (first.status, first.output, first.errors, first.files) == (second.status, second.output, second.errors, second.files)


# ---- the kinds: make(world) makes the seeds; each has a name and runs its tools on a damaged one ----

class Assembly:
    family = mutations.TEXT

    def make(self, world):
        names = glob.glob(os.path.join(ROOT, "tests/kernels/*.s")) + 4 * [os.path.join(HERE, "Inputs/everything.s")]
        return [read(name) for name in sorted(names)]

    def run(self, world, data):
        world.put("bad.s", data)
        result = world.run("tasm", ["-o", "out.o", "bad.s"], ["out.o"])
        if result.status == 0:
            world.put("good.o", result.files["out.o"])
            if world.run("tobjdump", ["-d", "-r", "-t", "good.o"]).status:
                raise Failure("tobjdump refuses what tasm wrote")
            if len(result.files["out.o"]) < 1 << 20:
                world.run("tld", ["-o", "out", "good.o"], ["out"])
        yield result


class Description:
    """YAML of the instruction set: one of its files is damaged."""
    family = mutations.TEXT

    def make(self, world):
        self.common = os.path.join(ROOT, "isa/common.yaml")
        names = [os.path.join(ROOT, "tests/isagen/encodings.yaml")]
        names += [os.path.join(ROOT, "isa", name + ".yaml") for name in ("zifencei", "rv64m", "xhist")]
        names += [os.path.join(ROOT, name) for name in ("isa/machine.yaml", "isa/xtrav.yaml", "tests/adding/Inputs/pairs.yaml", "tests/isagen/bad/timing.yaml",
                                                        "tests/isagen/bad/traps_and_state.yaml", "tests/isagen/bad/wrong_values.yaml",
                                                        "tests/isagen/bad/unit_state.yaml", "tests/isagen/bad/fast.yaml")]
        return [b"#alone\n" + read(self.common)] + [read(name) for name in names]

    def run(self, world, data):
        world.put("bad.yaml", data)
        files = ["bad.yaml"] if data.startswith(b"#alone") else [self.common, "bad.yaml"]
        yield world.run("isagen", ["--check", *files])


class Machine:
    family = mutations.TEXT

    def make(self, world):
        world.make("tasm", "-o", world.seed("print.o"), os.path.join(HERE, "Inputs/print.s"))
        world.make("tld", "-o", world.seed("print"), world.seed("print.o"))
        dump = subprocess.run([os.path.join(world.build, "temu"), "--dump-machine"], check=True, capture_output=True).stdout
        return [dump]

    def run(self, world, data):
        world.put("bad.yaml", data)
        result = world.run("temu", ["--machine=bad.yaml", "--dump-machine"])
        if result.status == 0:
            world.run("temu", ["--machine=bad.yaml", "--max-insns=1000", world.seed("print")], guest=True)
        yield result


class Object:
    family = mutations.ELF

    def make(self, world):
        seeds = []
        for name in (os.path.join(HERE, "Inputs/everything.s"), os.path.join(ROOT, "tests/kernels/walk.s"),
                     os.path.join(ROOT, "tests/kernels/bins.s")):
            world.make("tasm", "-o", world.seed("seed.o"), name)
            seeds.append(read(world.seed("seed.o")))
        return seeds

    def run(self, world, data):
        world.put("bad.o", data)
        yield world.run("tld", ["-o", "out", "--gc-sections", "--defsym=function=0x10000", "bad.o"], ["out"])
        yield world.run("tld", ["-o", "out", "--no-relax", "--defsym=function=0x10000", "-Map=map", "bad.o"], ["out", "map"])
        yield world.run("tld", ["-r", "-o", "out", "bad.o"], ["out"])
        yield world.run("tobjdump", ["-x", "-s", "-d", "-r", "bad.o"])


class Archive:
    family = mutations.BINARY + [mutations.change_number] * 3

    def make(self, world):
        sources = {"main": ".globl _start\n_start: call first\n", "a_rather_long_name_first": ".globl first\nfirst: tail second\n",
                   "second": ".globl second\nsecond: ret\n", "z_never_needed": ".globl third\nthird: ret\n"}
        for name, text in sources.items():
            with open(world.seed(name + ".s"), "w") as file:
                file.write(text)
            world.make("tasm", "-o", world.seed(name + ".o"), world.seed(name + ".s"))
        members = [world.seed(name + ".o") for name in sources if name != "main"]
        subprocess.run(["riscv64-linux-gnu-ar", "rcsD", world.seed("lib.a"), *members], check=True)
        return [read(world.seed("lib.a"))]

    def run(self, world, data):
        world.put("bad.a", data)
        yield world.run("tld", ["-o", "out", world.seed("main.o"), "bad.a"], ["out"])
        yield world.run("tld", ["-o", "out", "--whole-archive", "bad.a"], ["out"])
        yield world.run("tobjdump", ["-a", "-h", "-S", "-l", "-t", "-r", "-s", "bad.a"])


class Debug:
    """DWARF from tasm and from gcc, in objects and in programs."""
    family = mutations.DEBUG

    def make(self, world):
        source, names = os.path.join(HERE, "Inputs/print.s"), [world.seed(name) for name in ("ours.o", "ours", "gcc.o", "gcc4.o")]
        world.make("tasm", "-g", "-o", names[0], source)
        world.make("tld", "-o", names[1], names[0])
        program = os.path.join(ROOT, "tests/tobjdump/Inputs/program.c")
        for name, options in ((names[2], ["-O2", "-g"]), (names[3], ["-O0", "-gdwarf-4", "-ffunction-sections"])):
            subprocess.run(["riscv64-linux-gnu-gcc", *options, "-c", "-o", name, program], check=True)
        return [read(name) for name in names]

    def run(self, world, data):
        world.put("bad", data)
        yield world.run("tobjdump", ["-S", "-l", "-r", "bad"])


class Dynamic:
    """Tables for a dynamic linker."""
    family = mutations.ELF

    def make(self, world):
        program, library = world.seed("program"), world.seed("library.so")
        with open(world.seed("library.map"), "w") as file:
            file.write("OLD { global: main; };\nNEW { global: square; } OLD;\n")
        source = os.path.join(ROOT, "tests/tobjdump/Inputs/hello.c")
        subprocess.run(["riscv64-linux-gnu-gcc", "-o", program, source], check=True)
        subprocess.run(["riscv64-linux-gnu-gcc", "-shared", "-fPIC", "-s", f"-Wl,--version-script={world.seed('library.map')}", "-o", library,
                        source], check=True)
        return [read(program), read(library)]

    def run(self, world, data):
        world.put("bad", data)
        yield world.run("tobjdump", ["-x", "-T", "-R", "-d", "-r", "bad"])


class Executable:
    family = mutations.ELF

    def make(self, world):
        seeds = []
        for name in (os.path.join(HERE, "Inputs/print.s"), os.path.join(ROOT, "tests/kernels/walk.s")):
            world.make("tasm", "-o", world.seed("seed.o"), name)
            world.make("tld", "-o", world.seed("seed"), world.seed("seed.o"))
            seeds.append(read(world.seed("seed")))
        return seeds

    def run(self, world, data):
        world.put("bad", data)
        yield world.run("temu", ["--max-insns=2000", "bad"], guest=True)
        yield world.run("temu", ["--max-insns=300", "--trace", "--stats", "bad"], guest=True)
        yield world.run("tobjdump", ["-x", "-s", "-D", "bad"])


class Trace:
    """A damaged trace, compressed or not, compared with the undamaged one and with itself."""
    family = mutations.TEXT + mutations.BINARY
    formats = ("text", "json", "spike")

    def make(self, world):
        Machine().make(world)
        seeds = []
        for format in self.formats:
            name = world.seed("trace." + format)
            world.make("temu", f"--trace={name}", f"--trace-format={format}", world.seed("print"))
            seeds.append(read(name))
        compressed = world.seed("trace.zst")
        world.make("temu", f"--trace={compressed}", world.seed("print"))
        return seeds + [read(compressed)]

    def run(self, world, data):
        world.put("bad", data)
        for format in self.formats:
            yield world.run("tdiff", [world.seed("trace." + format), "bad"], statuses=(0, 1, 2))
        yield world.run("tdiff", ["-C", "3", "bad", "bad"], statuses=(0, 1, 2))


class Descriptor:
    """A tnest descriptor in guest memory."""
    family = mutations.BINARY + [mutations.set_word] * 8

    def make(self, world):
        world.make("tasm", "-o", world.seed("nest.o"), os.path.join(HERE, "Inputs/nest.s"))
        world.make("tld", "-o", world.seed("nest"), world.seed("nest.o"))
        seeds = []
        for arrays in ([(1, 1, 4), (0, 3, 4), (2, 1, 8)], [(0, 8, 1)], [(0, 1, 2)] * 8):
            data = len(arrays).to_bytes(8, "little")
            for kind, dims, size in arrays:
                data += bytes([kind, dims]) + size.to_bytes(2, "little") + (dims & 1).to_bytes(4, "little")
                data += (0x20000).to_bytes(8, "little")
                for dim in range(dims):
                    data += b"".join(value.to_bytes(8, "little") for value in (dim, 2 + dim, 1))
            seeds.append(data)
        return seeds

    def run(self, world, data):
        yield run_descriptor(world, data, "nest")


def run_descriptor(world, data, program):
    """Runs a program on a damaged descriptor. It ends normally, or by a fault that a descriptor can cause."""
    world.put("bad", data[:4096])
    result = world.run("temu", ["--max-insns=2000", "--load=descriptor=bad", world.seed(program)], guest=True)
    if result.status not in (0, 125, 128 + signal.SIGILL, 128 + signal.SIGSEGV):
        raise Failure(f"a descriptor gives status {result.status}")
    if result.status == 128 + signal.SIGILL and b"tensor configuration fault" not in result.errors:
        raise Failure(f"a descriptor faults otherwise: {result.errors.decode(errors='replace')}")
    return result


class Sparse:
    """A descriptor of sconf in guest memory, and requests after it."""
    family = mutations.BINARY + [mutations.set_word] * 8

    def make(self, world):
        world.make("tasm", "-o", world.seed("sparse.o"), os.path.join(HERE, "Inputs/sparse.s"))
        world.make("tld", "-Tdata=0x20000", "-o", world.seed("sparse"), world.seed("sparse.o"))
        return [self.describe(0, 1, 1, 1, [(0, 8)]), self.describe(1, 2, 3, 2, [(2, 6), (2, 6), (2, 0), (2, 9)]), self.describe(0, 4, 1, 8, [(5, 7)] * 3)]

    @staticmethod
    def describe(topology, rows, columns, fetchers, tables):
        """Tables of (type, elements) of 2 x 3, a request to each of them, and another one to the first."""
        def partition(total, parts):
            data = b"".join(struct.pack("<I", total * i // parts) for i in range(parts + 1))
            return data + bytes(-len(data) % 8)

        data = struct.pack("<BBHHHII", topology, 0, rows, columns, fetchers, len(tables), 0) + partition(len(tables), rows)
        for number, (kind, elements) in enumerate(tables):
            data += struct.pack("<QIIII", 0x21000 + 0x100 * number, 2, 3, kind, elements) + partition(elements, columns)
        requests = [(number, elements // 2, elements - elements // 2, 0) for number, (_, elements) in enumerate(tables)] + [(0, 0, 1, 0)]
        return data.ljust(256, b"\0") + struct.pack("<4I", len(requests), 0, 0, 0) + b"".join(struct.pack("<4I", *request) for request in requests)

    def run(self, world, data):
        yield run_descriptor(world, data, "sparse")


KINDS = {"assembly": Assembly, "description": Description, "machine": Machine, "object": Object, "archive": Archive, "debug": Debug,
         "dynamic": Dynamic, "executable": Executable, "trace": Trace, "descriptor": Descriptor, "sparse": Sparse}


def run_case(world, kind, name, seeds, number):
    """Returns False after a failure, which is printed."""
    draw = random.Random(f"{name} {number}")
    data = mutations.damage(draw.choice(seeds), draw, kind.family)
    shutil.rmtree(world.work)
    os.mkdir(world.work)
    try:
        results = list(kind.run(world, data))
        if number % REPEAT == 0 and not all(map(same, results, kind.run(world, data))):
            raise Failure("the second run is not like the first")
        return True
    except Failure as failure:
        kept = os.path.join(world.directory, f"{name}-{number}")
        with open(kept, "wb") as file:
            file.write(data)
        print(f"{name} {number}, input kept in {kept}: {failure}", flush=True)
        return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("directory")
    parser.add_argument("kinds", nargs="+", choices=list(KINDS))
    parser.add_argument("--count", type=int, default=int(os.environ.get("FUZZ", "200")))
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    # A tool must not fill the disk.
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    failures = 0
    for name in options.kinds:
        world, kind = World(options.build, options.directory), KINDS[name]()
        seeds = kind.make(world)
        for number in range(options.first, options.first + options.count):
            failures += not run_case(world, kind, name, seeds, number)
        print(f"{name}: {options.count} inputs, {world.runs} runs, {world.refused} refused, {failures} failures", flush=True)
        if world.refused == 0 and name not in ("descriptor", "sparse"):
            sys.exit(f"{name}: nothing was refused; the damage does not reach the tools")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
