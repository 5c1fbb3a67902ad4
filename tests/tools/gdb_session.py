"""Runs a program in temu under gdb-multiarch, with the commands in the `GDB:` lines of a test file.

gdb_session.py [--unix SOCKET] [--prefix GDB] TEST PROGRAM [ARGUMENT...] -- TEMU [OPTION...]

Prints gdb's output, then temu's standard output, its standard error and its exit status. `{port}` in a command is the port on which temu
listens; without such a command the session begins with `target remote`. `{line WORD}` is the number of the line of the test that ends
with `# WORD`."""
import argparse
import re
import subprocess
import sys



def commands_of(test, prefix):
    found = [match[1] for match in re.finditer(r"\b" + prefix + r": ?(.*)", open(test).read())]
    assert found, f"{test}: no {prefix}: lines"
    return found


def with_line(test, command):
    def number(match):
        lines = [at for at, line in enumerate(open(test), 1) if line.endswith(f"# {match[1]}\n")]
        assert len(lines) == 1, f"{test}: {len(lines)} lines end in '# {match[1]}'"
        return str(lines[0])

    return re.sub(r"{line (\w+)}", number, command)


def main():
    at = sys.argv.index("--")
    parser = argparse.ArgumentParser()
    parser.add_argument("--unix")
    parser.add_argument("--prefix", default="GDB")
    parser.add_argument("test")
    parser.add_argument("program", nargs="+")
    options = parser.parse_args(sys.argv[1:at])
    temu = subprocess.Popen(sys.argv[at + 1:] + ["--gdb", options.unix or "0"] + options.program,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        first = temu.stderr.readline()
        place = re.fullmatch(r"temu: gdb: listening on (.*)\n", first)
        assert place, f"temu says: {first}{temu.stderr.read()}"
        commands = [with_line(options.test, command) for command in commands_of(options.test, options.prefix)]
        if not any("{port}" in command for command in commands):
            commands.insert(0, "target remote {port}")
        words = ["gdb-multiarch", "-nx", "-batch", "-ex", "set pagination off", "-ex", "set width 0", options.program[0]]
        for command in commands:
            words += ["-ex", command.replace("{port}", place[1])]
        gdb = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(gdb.stdout, end="")
        output, errors = temu.communicate()
    finally:
        temu.kill()
    print(f"--- stdout\n{output}--- stderr\n{errors}--- status {temu.returncode}")


main()
