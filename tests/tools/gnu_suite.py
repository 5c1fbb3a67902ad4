"""Runs GNU's tests of gas and ld for RISC-V with other tools in place of gas and ld.

    gnu_suite.py gas|ld --page DOCS.md --work DIR --as COMMAND --ld COMMAND [NAME...]

The tests are read from Debian's package binutils-source. A test is a file NAME.d:
a header with the options of the tools, then regular expressions for the lines that a dump of the result prints
(binutils/testsuite/lib/binutils-common.exp has the rules). The tests that riscv.exp and ld-riscv-elf.exp write in
Tcl (ifunc, weak references, gp) are read from there.

Four classes of tests are left out: 32-bit targets, big-endian ones, extensions that isa/ does not describe, and shared
libraries and programs that need a dynamic linker, which tld does not make. Every other test has to pass, unless the table of the page names it with a reason; a test named there that passes is an error.
"""
import argparse
import glob
import os
import re
import shlex
import subprocess
import sys
import tarfile

# Dumps of the version that the suites are of, whatever tests/tools/gnu_names.py does.
GNU = "/usr/bin/riscv64-linux-gnu-"
TARGET = "riscv64-unknown-linux-gnu"
SUITES = {"gas": "gas/testsuite/gas/riscv", "ld": "ld/testsuite/ld-riscv-elf"}
EMULATION = {"[riscv_choose_ilp32_emul]": "elf32lriscv", "[riscv_choose_lp64_emul]": "elf64lriscv"}

# Extensions in an architecture string, or options, that isa/ does not describe: 32-bit targets, vectors, quad
# precision, floats in x registers, the hypervisor, most of the scalar cryptography, other vendors' and privileged ones.
NOT_CLAIMED = [
    (r"rv32|ilp32|elf32|\b32\b", "a 32-bit target"),
    (r"-mbig-endian|elf64b|elf32b", "a big-endian target"),
    (r"rv64[a-z]*[qvh]|rv64[a-z0-9]*_(v|zv)|zve|zvl", "an extension that isa/ does not describe"),
    (r"_z[fdhq]inx|zfinx|zqinx|zhinx", "an extension that isa/ does not describe"),
    (r"_zbk[cx]|zk[nrst]|_zk\b", "an extension that isa/ does not describe"),
    (r"_xthead|_h\b|svinval|smstateen|ssstateen", "an extension that isa/ does not describe"),
    (r"(^|\s)(-shared|-pie|--shared|--pie|tmpdir/\S*\.so)\b", "a kind of output that docs/decisions.md names as a limit"),
]


class Test:
    """A .d file: the options in its header, its sources, and the expected lines."""

    def __init__(self, path, base=None):
        self.folder = os.path.dirname(path)
        self.name = base or os.path.basename(path)[:-2]
        self.header, self.sources = {}, []
        lines = read(path)
        count = 0
        for line in lines:
            match = re.match(r"#([a-z_]+):\s*(.*)$", line)
            if match and match[1] == "source":
                self.sources.append(match[2])
            elif match:
                self.header[match[1]] = f"{self.header.get(match[1], '')} {match[2]}".strip()
            elif not line.startswith("#") or line in ("#...", "#pass"):
                break
            count += 1
        self.expected = lines[count:]
        self.sources = self.sources or [self.name + ".s"]
        if "dump" in self.header:
            self.expected = read(os.path.join(self.folder, self.header["dump"]))
        self.dumps = [(tool, self.header[tool], self.expected) for tool in ("objdump", "readelf", "nm") if tool in self.header]

    def options(self, tool):
        text = self.header.get(tool, "")
        for call, emulation in EMULATION.items():
            text = text.replace(call, emulation)
        return text

    def extensions(self):
        """Returns the names of more than a letter in -march."""
        return {name for arch in re.findall(r"-march=(\S+)", self.options("as")) for name in re.findall(r"_(z[a-z]+)", arch)}

    def not_claimed(self):
        """Returns the reason for leaving the test out, or None."""
        target = self.header.get("target")
        if target and not target.startswith("[") and not any(fits(word) for word in target.split()):
            return "another target"
        if any(fits(word) for word in f"{self.header.get('notarget', '')} {self.header.get('skip', '')}".split()):
            return "another target"
        texts = [self.options("as"), self.options("ld"), *self.sources]
        for source in self.sources:
            path = os.path.join(self.folder, source.split()[0])
            if os.path.exists(path):
                texts += [line for line in read(path) if re.match(r"\s*\.(option\s+arch|attribute\s+arch)", line)]
        for pattern, reason in NOT_CLAIMED:
            if any(re.search(pattern, text) for text in texts):
                return reason
        return None


def described():
    """Returns the names of the extensions that isa/ describes."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "isa")
    text = "\n".join(line for path in glob.glob(os.path.join(folder, "*.yaml")) for line in read(path))
    return set(re.findall(r"^extension: \{name: (\w+)", text, re.M))


def read(path):
    with open(path, encoding="latin1") as file:
        return file.read().split("\n")


def fits(pattern):
    return re.fullmatch(pattern.replace(".", r"\.").replace("*", ".*").replace("?", "."), TARGET) is not None


def tcl(pattern):
    """Translates a regular expression of Tcl to Python."""
    for name, characters in {"space": r"\s", "alpha": "A-Za-z", "xdigit": "0-9a-fA-F", "digit": "0-9", "alnum": "0-9A-Za-z"}.items():
        pattern = pattern.replace(f"[:{name}:]", characters)
    return pattern.replace(r"\m", r"\b").replace(r"\M", r"\b")


def difference(output, expected):
    """Returns the first line that does not match, or None; #failif inverts this (regexp_diff of binutils-common.exp)."""
    if "#failif" in expected:
        found = difference(output, [line for line in expected if line != "#failif"])
        return None if found else "the output matches, expected that it does not"
    lines = iter([line for line in output.split("\n") if line.strip()])
    skipping = False
    for pattern in [pattern for pattern in expected if pattern]:
        if pattern == "#pass":
            return None
        if pattern.startswith("#"):
            skipping = skipping or pattern == "#..."
            continue
        negated, pattern = pattern.startswith("!"), pattern.removeprefix("!")
        for line in lines:
            if (re.search(f"^{tcl(pattern)}$", line) is not None) != negated:
                break
            if not skipping:
                return f"found    {line}\n        expected {pattern}"
        else:
            return f"the output ends, expected {pattern}"
        skipping = False
    rest = next(lines, None)
    return None if rest is None or skipping else f"found    {rest}\n        expected the end of the output"


def run(command, folder):
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout.decode("latin1"), done.stderr.decode("latin1")


def build(test, tools, work):
    """Returns the file that the test examines and the messages, or (None, exit status, messages) when a tool fails."""
    objects, messages = [], ""
    for number, source in enumerate(test.sources):
        name, *options = shlex.split(source)
        objects.append(os.path.join(work, f"{test.name}{number}.o"))
        command = [*tools["as"], *options, *shlex.split(test.options("as")), "-I" + test.folder, "-o", objects[-1], os.path.join(test.folder, name)]
        status, output, errors = run(command, work)
        messages += output + errors
        if status:
            return None, status, messages
    if "ld" not in test.header:
        return objects[-1], 0, messages
    result = os.path.join(work, test.name)
    status, output, errors = run([*tools["ld"], *shlex.split(test.options("ld")), "-L" + test.folder, "-o", result, *objects], test.folder)
    return (None if status else result), status, messages + output + errors


def failure(test, tools, work):
    """Returns the failure of the test, or None."""
    result, status, messages = build(test, tools, work)
    if "error" in test.header or "error_output" in test.header:
        if status == 1 and messages:
            return None
        return f"expected an error, found exit status {status}: {messages[:300]}"
    if status:
        return f"exit status {status}: {messages[:300]}"
    if ("warning" in test.header or "warning_output" in test.header) and "warning" not in messages.lower():
        return "expected a warning, found none"
    for tool, options, expected in test.dumps:
        _, output, _ = run([GNU + tool, *shlex.split(options), result], test.folder)
        found = difference(output, expected)
        if found:
            return found
    return None


def linked(folder, name, assembler, linker, source, dumps):
    """Returns a test that ld-riscv-elf.exp describes by run_ld_link_tests."""
    test = Test.__new__(Test)
    test.folder, test.name, test.sources = folder, name, [source]
    test.header = {"as": assembler, "ld": linker}
    test.dumps = [(*dump.rsplit(" ", 1)[0].split(" ", 1), read(os.path.join(folder, dump.rsplit(" ", 1)[1]))) for dump in dumps]
    return test


def tests_in_tcl(folder):
    script = "\n".join(read(os.path.join(folder, "ld-riscv-elf.exp")))
    for name, kind in re.findall(r'run_dump_test_ifunc "([^"]*)" rv64 (\w+)', script):
        options = {"exe": "", "pie": "-pie", "pic": "-shared"}[kind]
        yield linked(folder, f"{name}-{kind}", "-march=rv64i -mabi=lp64 -defsym __64_bit__=1", f"-z nocombreloc {options} -melf64lriscv",
                     name + ".s", [f"readelf -rW {name}-{kind}.rd", f"objdump -dw {name}.d"])
    yield linked(folder, "weakref64", "-march=rv64i -mabi=lp64", "-T weakref.ld -melf64lriscv", "weakref64.s", ["objdump -d weakref64.d"])
    yield linked(folder, "gp-test", "-march=rv64gc -mabi=lp64", "-melf64lriscv", "gp-test.s", ["readelf --syms gp-test.sd"])
    yield linked(folder, "gp-test-lib", "-march=rv64gc -mabi=lp64 -fpic", "-melf64lriscv -shared", "gp-test.s", ["readelf --syms gp-test-lib.sd"])


def unpack(work):
    archives = sorted(glob.glob("/usr/src/binutils/binutils-*.tar.xz"))
    if not archives:
        sys.exit("the package binutils-source is not installed")
    if not os.path.isdir(os.path.join(work, "suite")):
        with tarfile.open(archives[-1]) as archive:
            for member in archive:
                inside = member.name.split("/", 1)[-1]
                if member.isfile() and inside.startswith(tuple(SUITES.values())):
                    member.name = inside
                    archive.extract(member, os.path.join(work, "new"))
        os.rename(os.path.join(work, "new"), os.path.join(work, "suite"))
    return os.path.join(work, "suite")


def version():
    """Returns that of the suites."""
    return re.search(r"binutils-(\d+\.\d+)", sorted(glob.glob("/usr/src/binutils/binutils-*.tar.xz"))[-1])[1]


def excused(page, suite):
    """Returns the tests of the suite that the page's tables name: | suite | `name` | reason |, or | suite version | `name` | reason |."""
    text = "\n".join(read(page))
    return {name for names in re.findall(rf"^\| {suite}(?: {re.escape(version())})? \| (.*?) \| \S", text, re.M) for name in re.findall(r"`([^`]*)`", names)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("--as", required=True)
    parser.add_argument("--ld", required=True)
    parser.add_argument("--page", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    work = os.path.abspath(arguments.work)
    os.makedirs(work, exist_ok=True)
    folder = os.path.join(unpack(work), SUITES[arguments.suite])
    tools = {"as": shlex.split(getattr(arguments, "as")), "ld": shlex.split(arguments.ld)}
    # A .d file without a source is the expectation of a test that is written in Tcl.
    tests = [Test(path) for path in sorted(glob.glob(os.path.join(folder, "*.d")))]
    tests = [test for test in tests if all(os.path.exists(os.path.join(folder, source.split()[0])) for source in test.sources) and test.header]
    if arguments.suite == "ld":
        tests += tests_in_tcl(folder)
    known = excused(arguments.page, arguments.suite)
    passed, wrong, left_out = set(), {}, 0
    for test in tests:
        if arguments.names and test.name not in arguments.names:
            continue
        if test.not_claimed():
            left_out += 1
            continue
        found = failure(test, tools, work)
        if found is None:
            passed.add(test.name)
        elif test.name not in known and test.extensions() - described():
            left_out += 1
        else:
            wrong[test.name] = found
    for name in sorted(wrong.keys() - known):
        print(f"{name}: {wrong[name]}")
    for name in sorted(known & passed):
        print(f"{name}: passes, but {arguments.page} says that it does not")
    print(f"{arguments.suite}: {len(passed)} passed, {len(wrong.keys() - known)} failed, {len(wrong.keys() & known)} known, {left_out} left out")
    sys.exit(bool(wrong.keys() - known or known & passed or not passed))


if __name__ == "__main__":
    main()
