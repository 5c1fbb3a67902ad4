"""Inputs that cannot be read and outputs that cannot be written, for every tool: python3 io.py BUILD DIRECTORY.

Each case must end with the tool's error status and a message that names the file, and keep the old file unchanged.
Prints one line for each tool, and a line with BAD for each case that fails."""
import glob
import os
import resource
import shutil
import signal
import subprocess
import sys

BUILD, DIRECTORY = (os.path.abspath(path) for path in sys.argv[1:3])
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PROGRAM = ".globl _start\n_start: li a0, 0\nli a7, 93\necall\n.data\n.globl data\ndata: .word 1\n"
# Root may read everything, so the case of an unreadable file would not fail.
UNPRIVILEGED = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
OLD = b"what was here before\n"

# Command lines with one input, IN; the file that is valid in its place.
INPUTS = {
    "tasm": [("a.s", ["-o", "o", "IN"]), ("a.s", ["-o", "o", "includes.s"])],
    "tld": [("a.o", ["-o", "o", "IN"]), ("a.o", ["-o", "o", "a.o", "IN"])],
    "tobjdump": [("a.o", ["-d", "IN"])],
    "temu": [("a", ["IN"]), ("machine.yaml", ["--machine=IN", "a"]), ("data", ["--load=data=IN", "a"])],
    "tdiff": [("a.trace", ["IN", "a.trace"]), ("a.trace", ["a.trace", "IN"]), ("a", ["--elf=IN", "a.trace", "a.trace"])],
    "isagen": [("a.yaml", ["--check", "IN"])],
}
# Command lines with one output, OUT.
OUTPUTS = {
    "tasm": [["-o", "OUT", "a.s"], ["-o", "o", "--MD", "OUT", "a.s"]],
    "tld": [["-o", "OUT", "a.o"], ["-o", "o", "-Map=OUT", "a.o"]],
    "tobjdump": [],
    "temu": [["--trace=OUT", "a"], ["--trace=OUT", "--trace-format=json", "a"], ["--dump=data:4=OUT", "a"]],
    "tdiff": [],
    "isagen": [],
}
# Command lines that write to standard output.
WRITERS = {
    "tasm": [],
    "tld": [["-M", "-o", "o", "a.o"], ["-o", "o", "--print-memory-usage", "a.o"]],
    "tobjdump": [["-d", "-s", "-x", "a"], ["-s"] + ["a"] * 100],
    "temu": [["--dump-machine"], ["--print=data:u32", "a"]],
    "tdiff": [["a.trace", "b.trace"]],
    "isagen": [],
}
# A closed pipe ends those whose output people read.
READ = ["tobjdump", "tdiff"]
bad = 0


def path(name):
    return os.path.join(DIRECTORY, name)


def write(name, data):
    with open(path(name), "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def contents(name):
    with open(path(name), "rb") as file:
        return file.read()


def run(tool, arguments, prefix=(), limit=None, **streams):
    def limit_files():
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    streams.setdefault("stdin", subprocess.DEVNULL)
    streams.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([*prefix, os.path.join(BUILD, tool), *arguments], cwd=DIRECTORY, stderr=subprocess.PIPE,
                          preexec_fn=limit_files, env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"), **streams)


def trouble(tool):
    return 2 if tool == "tdiff" else 1


def complain(tool, what, result, why):
    global bad
    bad += 1
    print(f"BAD: {tool}, {what}: {why}; status {result.returncode}, messages {result.stderr.decode(errors='replace')!r}")


def expect_error(tool, what, result, name):
    """The tool's error status and a message that names the file, and no new file."""
    if result.returncode != trouble(tool):
        complain(tool, what, result, f"expected status {trouble(tool)}")
    elif b"error: " not in result.stderr or name.encode() not in result.stderr:
        complain(tool, what, result, f"expected an error that names '{name}'")
    left = set(os.listdir(DIRECTORY)) - files
    if left:
        complain(tool, what, result, f"left behind {sorted(left)}")
        for name in left:
            os.remove(path(name))


def prepare():
    global files
    shutil.rmtree(DIRECTORY, ignore_errors=True)
    os.makedirs(DIRECTORY)
    write("a.s", PROGRAM)
    write("b.s", PROGRAM.replace("a0, 0", "a0, 1"))
    write("includes.s", '.include "IN"\n')
    write("data", "1234")
    write("empty", "")
    write("old", OLD)
    for name in "ab":
        for command in (["tasm", "-o", name + ".o", name + ".s"], ["tld", "-o", name, name + ".o"], ["temu", f"--trace={name}.trace", name]):
            run(command[0], command[1:])
    write("machine.yaml", run("temu", ["--dump-machine"]).stdout)
    shutil.copy(os.path.join(ROOT, "isa/common.yaml"), path("a.yaml"))
    os.mkdir(path("directory"))
    os.mkdir(path("read-only"))
    os.chmod(path("read-only"), 0o555)
    write("unreadable", "x")
    os.chmod(path("unreadable"), 0)
    os.symlink("loop", path("loop"))
    os.symlink("nothing", path("dangling"))
    files = set(os.listdir(DIRECTORY))


def try_inputs(tool):
    count = 0
    for good, arguments in INPUTS[tool]:
        def replaced(name):
            return [argument.replace("IN", name) for argument in arguments]
        for name in ("nothing", "directory", "unreadable", "a.s/below", "loop", "dangling", "/proc/self/mem", ""):
            write("includes.s", f'.include "{name}"\n')
            expect_error(tool, f"input '{name}' of {arguments}", run(tool, replaced(name), UNPRIVILEGED if name == "unreadable" else []),
                         name)
            count += 1
        # Empty: nothing to assemble, to configure or to load, and no object, program, trace or description.
        write("includes.s", '.include "empty"\n')
        result = run(tool, replaced("empty"))
        if tool == "tasm" or good in ("machine.yaml", "data"):
            if result.returncode != 0:
                complain(tool, f"empty input of {arguments}", result, "expected success")
            if tool == "tasm":
                os.remove(path("o"))
        else:
            expect_error(tool, f"empty input of {arguments}", result, "empty")
        count += 1
    return count


def try_outputs(tool):
    count = 0
    for arguments in OUTPUTS[tool]:
        def into(name, **how):
            write("o", OLD)
            files.add("o")
            result = run(tool, [argument.replace("OUT", name) for argument in arguments], **how)
            files.discard("o")
            os.remove(path("o"))
            return result
        for name in ("nothing/o", "directory", "a.s/o", "loop", "/dev/full", ""):
            expect_error(tool, f"output '{name}' of {arguments}", into(name), name)
        expect_error(tool, f"read-only directory for {arguments}", into("read-only/o", prefix=UNPRIVILEGED), "read-only/o")
        # A full disk: the old file is kept.
        # Of two outputs, the limit is reached first in the one called o.
        expect_error(tool, f"full disk for {arguments}", into("old", limit=2), "o" if "o" in arguments else "old")
        if contents("old") != OLD:
            print(f"BAD: {tool} {arguments}: the old file is gone")
            write("old", OLD)
        count += 8
    return count


def try_generator():
    """isagen's output is a directory."""
    description = sorted(glob.glob(os.path.join(ROOT, "isa/*.yaml")))
    names = ("nothing", "a.s", "loop", "/dev/full", "", "read-only", "directory")
    for name in names:
        result = run("isagen", ["-o", name, *description], UNPRIVILEGED, 2 if name == "directory" else None)
        expect_error("isagen", f"output directory '{name}'", result, name)
    if os.listdir(path("directory")):
        complain("isagen", "full disk", result, f"left behind {os.listdir(path('directory'))}")
    return len(names)


def closed_pipe():
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def try_streams(tool):
    count = 0
    for arguments in WRITERS[tool] + [["--help"], ["--version"]]:
        for what in ("full disk", "closed pipe", "closed"):
            stream = os.open("/dev/full", os.O_WRONLY) if what == "full disk" else closed_pipe()
            prefix = ["sh", "-c", 'exec "$0" "$@" >&-'] if what == "closed" else []
            result = run(tool, arguments, prefix, stdout=stream)
            os.close(stream)
            if "-o" in arguments and os.path.exists(path("o")):
                os.remove(path("o"))
            if what == "closed pipe" and tool in READ and "-o" not in arguments:
                if result.returncode != -signal.SIGPIPE or b"error" in result.stderr:
                    complain(tool, f"{what} for {arguments}", result, "expected SIGPIPE and no error")
            else:
                expect_error(tool, f"{what} for {arguments}", result, "<stdout>")
            count += 1
    return count


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    prepare()
    for tool in INPUTS:
        print(f"{tool}: {try_inputs(tool)} inputs, {try_generator() if tool == 'isagen' else try_outputs(tool)} outputs, {try_streams(tool)} streams")
    print("all good" if not bad else f"{bad} BAD")


main()
