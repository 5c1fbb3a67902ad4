"""The runner of `make bench`: wrong results, expectations, reports. The programs are made up and have known outputs, costs and faults; no figure of a real
program is tested.

RUN: %python %s %root %build %t
"""
import json
import os
import random
import shutil
import subprocess
import sys
import types
import unittest
import xml.etree.ElementTree

root, build, base = sys.argv[1:]
sys.path.insert(0, os.path.join(root, "bench"))
import cases
import inputs
import machine
import measure
import others
import picture
import programs
import report
from measure import Case, Expectation, Figure, Missing, Run, Sample, Wrong

shutil.rmtree(base, ignore_errors=True)
os.makedirs(base)
LAUNCHER = os.path.join(build, "bench", "launch")
BENCH = [sys.executable, os.path.join(root, "bench", "bench.py")]


def launch(script, **options):
    return measure.launch(LAUNCHER, Run("made up", ["sh", "-c", script], 1, **options))


def made_up(rates, expectations, context=()):
    """A Result of runs that do `rate` units in one second, with 1 MB for each letter of their names."""
    case = Case("name", "a title with < and &", "units", 1, [Run(name, [], rate) for name, rate in rates.items()], expectations, context)
    return report.Result(case, {name: [Sample(1.0, 1.0, len(name) * 1000000)] for name in rates}, "wall")


HOST = {"processor": "made-up <processor>", "cores": 2, "system": "Linux", "load": 0.0, "versions": {"gcc": "1.0"}}
ARGUMENTS = types.SimpleNamespace(rounds=3, by="wall", scale=1.0)


def program(name, temu, qemu):
    """A Result of a program of others that takes these times."""
    case = Case(report.PROGRAM + name, name, "runs/s", 1, [Run("temu", [], 1), Run("QEMU user", [], 1)], is_program=True)
    return report.Result(case, {"temu": [Sample(temu, temu, 1)], "QEMU user": [Sample(qemu, qemu, 1)]}, "wall")


class Launching(unittest.TestCase):
    def test_right_output_is_accepted(self):
        sample = launch("echo right", expect=b"right\n")
        self.assertGreater(sample.wall, 0)

    def test_wrong_output_is_an_error(self):
        for script in ("echo wrong", "echo right; echo more", "true"):
            with self.assertRaisesRegex(Wrong, "made up: printed .*, not b'right"):
                launch(script, expect=b"right\n")

    def test_failure_is_an_error_even_with_the_right_output(self):
        with self.assertRaisesRegex(Wrong, "exit status 3, not 0"):
            launch("echo right; exit 3", expect=b"right\n")
        with self.assertRaisesRegex(Wrong, "exit status 137, not 0"):
            launch("kill -KILL $$")
        with self.assertRaisesRegex(Wrong, "cannot be started"):
            measure.launch(LAUNCHER, Run("made up", ["/does/not/exist"], 1))

    def test_what_a_check_says_is_an_error(self):
        launch("true", check=lambda: None)
        with self.assertRaisesRegex(Wrong, "made up: the file is damaged"):
            launch("true", check=lambda: "the file is damaged")

    def test_all_starts_are_counted_and_the_first_failure_ends_them(self):
        file = os.path.join(base, "starts")
        launch(f"echo start >>{file}", count=7)
        with open(file, encoding="ascii") as text:
            self.assertEqual(text.read(), "start\n" * 7)
        with self.assertRaisesRegex(Wrong, "exit status 4"):
            launch(f"echo start >>{file}; [ $(wc -l <{file}) -lt 9 ] || exit 4", count=7)
        with open(file, encoding="ascii") as text:
            self.assertEqual(len(text.readlines()), 9)

    def test_costs_are_those_of_the_program(self):
        script = "import sys, time; time.sleep(0.2); end = time.process_time() + 0.1\nwhile time.process_time() < end: pass\nx = bytearray(64 << 20)"
        sample = measure.launch(LAUNCHER, Run("made up", [sys.executable, "-c", script], 1))
        self.assertGreater(sample.wall, 0.3)
        self.assertGreater(sample.cpu, 0.1)
        self.assertGreater(sample.memory, 64 << 20)
        # Not those of this interpreter, which starts the launcher.
        self.assertLess(launch("true").memory, 8 << 20)

    def test_a_cache_is_empty_each_time(self):
        for _ in range(2):
            launch('[ -d "$CACHE" ] && [ -z "$(ls "$CACHE")" ] && : >"$CACHE/used"', fresh="CACHE")
        launch('[ "$SAID" = yes ]', environment={"SAID": "yes"})

    def test_a_program_reads_its_input(self):
        file = os.path.join(base, "input")
        inputs.write(file, "what is read\n")
        launch("cat", input=file, expect=b"what is read\n")
        launch("cat", expect=b"")

    def test_large_files_go_away(self):
        file = os.path.join(base, "large")
        for script in (f": >{file}", f": >{file}; exit 1"):
            try:
                measure.measure(Case("name", "title", "units", 1, [Run("a", ["sh", "-c", script], 1)], files=[file]), 1, LAUNCHER)
            except Wrong:
                pass
            self.assertFalse(os.path.exists(file))

    def test_runs_take_turns(self):
        file = os.path.join(base, "turns")
        runs = [Run(name, ["sh", "-c", f"echo {name} >>{file}"], 1) for name in "abc"]
        samples = measure.measure(Case("name", "title", "units", 1, runs), 3, LAUNCHER)
        with open(file, encoding="ascii") as text:
            self.assertEqual(text.read().split(), "a b c b c a c a b".split())
        self.assertEqual([len(samples[name]) for name in "abc"], [3, 3, 3])


class Judging(unittest.TestCase):
    def test_figures_are_medians(self):
        samples = [Sample(3.0, 1.0, 10), Sample(1.0, 4.0, 30), Sample(2.0, 2.0, 20)]
        self.assertEqual(measure.figure(Run("a", [], 10), samples, "wall"), Figure(2.0, 1.0, 3.0, 5.0, 20))
        self.assertEqual(measure.figure(Run("a", [], 10), samples, "cpu"), Figure(2.0, 1.0, 4.0, 5.0, 20))

    def verdict(self, rates, expectation):
        verdicts = made_up(rates, [expectation]).verdicts
        self.assertEqual(len(verdicts), 1)
        return verdicts[0]

    def test_the_best_peer_counts(self):
        expectation = Expectation("temu", ("slow", "fast", "not there"), least=0.5)
        for rate, met in ((9, True), (5, True), (4.9, False)):
            found = self.verdict({"temu": rate, "slow": 1, "fast": 10}, expectation)
            self.assertEqual((found.peer, found.met), ("fast", met))
            self.assertAlmostEqual(found.value, rate / 10)

    def test_expectations_without_peers(self):
        self.assertTrue(self.verdict({"temu": 12}, Expectation("temu", least=12)).met)
        self.assertFalse(self.verdict({"temu": 12}, Expectation("temu", least=13)).met)
        self.assertTrue(self.verdict({"temu": 1}, Expectation("temu", most=1.0, quantity="time")).met)
        self.assertFalse(self.verdict({"temu": 1}, Expectation("temu", most=0.9, quantity="time")).met)

    def test_less_memory_is_better(self):
        expectation = Expectation("temu", ("two", "longer"), most=1, quantity="memory")
        found = self.verdict({"temu": 1, "two": 1, "longer": 1}, expectation)
        self.assertEqual((found.peer, found.met), ("two", False))

    def test_what_was_not_measured_is_not_judged(self):
        self.assertEqual(made_up({"temu": 1, "peer": 1}, [Expectation("tld", ("peer",), least=1), Expectation("temu", ("lld",), least=1)]).verdicts, [])

    def test_ratios_are_to_the_fastest_peer(self):
        self.assertEqual(made_up({"temu": 9, "tdiff": 9, "a": 1, "b": 2, "native": 5}, [], ("native",)).peer(), "b")
        self.assertIsNone(made_up({"temu": 9}, []).peer())


class Reporting(unittest.TestCase):
    results = [made_up({"temu": 4, "peer <&>": 2}, [Expectation("temu", ("peer <&>",), least=1)]),
               made_up({"temu, interpreter": 1, "QEMU": 7}, [Expectation("temu, interpreter", ("QEMU",), least=0.2)])]

    def test_table_and_verdicts(self):
        text = report.table(self.results[0])
        self.assertIn("temu: 2 × peer <&> (expected at least 1 ×)", text)
        self.assertIn("name: temu, interpreter: 0.143 × QEMU (MISSED: expected at least 0.2 ×)", report.closing(self.results, {"Unicorn"}, 1))
        self.assertIn("1 of 2 expectations met", report.closing(self.results, set(), 1))
        self.assertIn("left out: Unicorn", report.closing(self.results, {"Unicorn"}, 1))

    def test_unsteady_times_are_said(self):
        case = Case("name", "title", "units", 1, [Run("temu", [], 1), Run("steady", [], 1)])
        samples = {"temu": [Sample(1.0, 1.0, 1), Sample(1.3, 1.0, 1)], "steady": [Sample(1.0, 1.0, 1), Sample(1.1, 1.0, 1)]}
        self.assertRegex(report.closing([report.Result(case, samples, "wall")], set(), 1), "between rounds.*: name: temu$")
        self.assertNotIn("between rounds", report.closing([report.Result(case, samples, "cpu")], set(), 1))

    def test_numbers(self):
        self.assertEqual([report.number(value) for value in (0, 0.00123, 0.0345, 1.5, 12.34, 123.4, 12345.6)],
                         ["0", "0.0012", "0.0345", "1.5", "12.3", "123", "12,346"])

    def test_picture_is_xml_with_a_row_for_each_of_our_runs(self):
        text = picture.draw(self.results, HOST)
        tree = xml.etree.ElementTree.fromstring(text)
        rows = [element for element in tree if element.tag.endswith("rect")]
        self.assertEqual([row.get("class") for row in rows], ["faster", "slower"])
        axis = picture.Axis([2, 1 / 7])
        self.assertAlmostEqual(float(rows[0].get("x")), axis.place(1), 0)
        self.assertAlmostEqual(float(rows[0].get("width")), axis.place(2) - axis.place(1), 0)
        self.assertAlmostEqual(float(rows[1].get("x")), axis.place(1 / 7), 0)
        self.assertIn("prefers-color-scheme: dark", text)

    def test_programs_have_a_mean_and_a_worst_case_first(self):
        results = [program("slow", 4.0, 2.0), *self.results, program("fast", 1.0, 8.0)]
        rows = list(report.Summary(results).rows())
        self.assertEqual([row[:2] for row in rows], [("geometric mean of 2 programs", "2 ×"), ("worst case: slow", "0.5 ×"), ("fast", "8 ×"), ("slow", "0.5 ×")])
        self.assertEqual(rows[1][2:], ("4 s", "2 s"))
        text = report.closing(results, set(), 1)
        self.assertRegex(text, r"^\n  programs, from a cold start .*\n  geometric mean of 2 programs +2 ×\n  worst case: slow +0.5 × +4 s +2 s\n  fast ")
        self.assertNotIn("geometric", report.closing(self.results, set(), 1))
        drawn = picture.draw(results, HOST)
        self.assertLess(drawn.index("geometric mean"), drawn.index("temu, interpreter"))
        self.assertEqual(drawn.count(">slow<"), 1)

    def test_page_keeps_its_text_between_the_marks(self):
        path = os.path.join(base, "page.md")
        inputs.write(path, f"# Title\n{report.FIRST}\nold mean\n{report.END}\ntext\n{report.MARK}\nold figures\n")
        report.write_page(path, [*self.results, program("slow", 4.0, 2.0), program("fast", 1.0, 8.0)], HOST, ARGUMENTS, ["program-none"])
        with open(path, encoding="utf-8") as file:
            page = file.read()
        self.assertTrue(page.startswith(f"# Title\n{report.FIRST}\n\n**Programs run 2 times as fast as under QEMU user"))
        self.assertIn("| **geometric mean of 2 programs** | **2 ×** |  |  |\n| **worst case: slow** | **0.5 ×** | 4 s | 2 s |\n| fast | 8 × | 1 s | 8 s |\n", page)
        self.assertIn("not in the mean: program-none.", page)
        self.assertIn(f"\n{report.END}\ntext\n{report.MARK}\n\nMeasured on made-up", page)
        self.assertNotRegex(page, "old (mean|figures)|## program-")
        self.assertIn("| temu | 4 | 1 s | 1 s – 1 s | 1 s | 4 MB | 2 × |\n| peer", page)
        self.assertIn("- temu: 2 × peer <&>\n", page)
        with self.assertRaises(SystemExit):
            inputs.write(path, "# No mark\n")
            report.write_page(path, self.results, HOST, ARGUMENTS)

    def test_machine_is_named(self):
        host = machine.describe()
        self.assertTrue(host["processor"] and host["versions"]["riscv64 gcc"] and host["versions"]["GNU binutils"])
        self.assertIsNone(machine.version(["/does/not/exist"], "x"))


class Inputs(unittest.TestCase):
    def setUp(self):
        self.kept = {name: getattr(inputs, name) for name in ("PIECES", "FUNCTIONS", "COPIES", "TEMPLATES", "OBJECTS")}
        inputs.PIECES, inputs.FUNCTIONS, inputs.COPIES, inputs.TEMPLATES, inputs.OBJECTS = 2, 8, {"216k": 1, "860k": 3}, 3, 30
        self.tools = cases.Tools(build)
        self.tools.bench = os.path.join(base, "bench")
        os.makedirs(self.tools.bench, exist_ok=True)

    def tearDown(self):
        for name, value in self.kept.items():
            setattr(inputs, name, value)

    def judge(self, case):
        """Whether the checks of all runs accept what the tools make, and notice damage."""
        for run in case.runs:
            subprocess.run(run.command, check=True, capture_output=True)
            self.assertIsNone(run.check())
        return case.runs[0]

    def test_assembly_is_the_same_each_time_and_makes_programs(self):
        self.assertEqual(inputs.piece_source(1), inputs.piece_source(1))
        self.assertNotEqual(inputs.piece_source(1), inputs.piece_source(2).replace("p02_", "p01_"))
        run = self.judge(cases.assembly_case(self.tools, "assemble-860k"))
        target = run.command[run.command.index("-o") + 1]
        directory = os.path.dirname(target)
        wrong = inputs.read(f"{directory}/860k.s").replace("\txor\t", "\tor\t")
        inputs.write(f"{base}/wrong.s", wrong)
        subprocess.run([self.tools.tasm, "-o", target, f"{base}/wrong.s"], check=True)
        self.assertIn("the program of its object prints", run.check())
        self.assertEqual(inputs.assembly(directory, "860k"), 3 * inputs.assembly(directory, "216k"))

    def test_objects_make_a_program(self):
        run = self.judge(cases.link_case(self.tools, "link"))
        output = run.command[run.command.index("-o") + 1]
        shutil.copy(os.path.join(build, "bench", "fib.riscv"), output)
        self.assertIn("its program prints", run.check())


class Whole(unittest.TestCase):
    def bench(self, *options):
        return subprocess.run([*BENCH, *options], capture_output=True, text=True, check=False)

    def fake(self, script):
        """A build directory whose temu is a shell script; `$real` is the real one."""
        directory = os.path.join(base, f"fake{random.random()}")
        os.makedirs(directory)
        for name in os.listdir(build):
            if name not in ("temu", "bench.json", "bench.svg"):
                os.symlink(os.path.join(build, name), os.path.join(directory, name))
        with open(os.path.join(directory, "temu"), "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\nreal={build}/temu\n{script}\n")
        os.chmod(os.path.join(directory, "temu"), 0o755)
        return directory

    def test_files(self):
        result = self.bench("--build", build, "--output", base, "--only", "start,fib", "--rounds", "1", "--scale", "0.002", "--by=cpu")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("all outputs right", result.stdout)
        with open(os.path.join(base, "bench.json"), encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual([case["name"] for case in document["cases"]], ["start", "start-libc", "fib"])
        runs = {run["name"]: run for run in document["cases"][2]["runs"]}
        self.assertIn("QEMU user", runs)
        self.assertTrue(all(len(run["samples"]) == 1 and run["work"] > 0 for run in runs.values()))
        xml.etree.ElementTree.parse(os.path.join(base, "bench.svg"))

    def test_a_wrong_result_fails_loudly_and_leaves_no_figures(self):
        for script, message in (('case "$*" in *--stats*|--help) exec $real "$@";; esac; echo 12345678', r"error: fib: temu.*: printed b'12345678\\n', not b'"),
                                ('case "$*" in *--stats*|--help) exec $real "$@";; esac; $real "$@"; exit 5', "error: fib: temu.*: exit status 5, not 0")):
            directory = self.fake(script)
            result = self.bench("--build", directory, "--only", "fib", "--rounds", "1", "--scale", "0.002")
            self.assertEqual(result.returncode, 1)
            self.assertRegex(result.stderr, message)
            self.assertFalse(os.path.exists(os.path.join(directory, "bench.json")))

    def test_a_tool_that_is_not_there_is_said(self):
        directory = self.fake("")
        os.unlink(os.path.join(directory, "temu"))
        result = self.bench("--build", directory, "--only", "fib")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, "^bench: error: fib: .*temu'")

    def test_tiers_are_measured_where_there_are_any(self):
        script = 'case "$1" in --help) echo "  --tier=TIER"; exit;; --tier=interp|--tier=auto) shift;; esac; '
        script += 'exec $real "$@"'
        directory = self.fake(script)
        case = cases.emulator_case(cases.Tools(directory, 0.002), "fib")
        self.assertEqual([run.command[1] for run in case.runs[:2]], ["--tier=interp", "--tier=auto"])
        self.assertEqual([run.name for run in case.runs[:3]], ["temu, interpreter", "temu", "QEMU user"])
        self.assertEqual([run.fresh for run in case.runs[:3]], ["HOME", "HOME", None])

    def test_a_missing_peer_is_left_out(self):
        tools = cases.Tools(build, 0.002)
        present = tools.peer
        tools.peer = lambda name: tools.missing.add(name) if name == "unicorn" else present(name)
        case = cases.emulator_case(tools, "fib")
        self.assertNotIn("Unicorn", [run.name for run in case.runs])
        self.assertEqual(tools.missing, {"unicorn"})

    def build_programs(self, *names, **environment):
        """Builds programs of others into a directory of its own. Returns that directory and what was printed."""
        directory = os.path.join(base, f"programs{random.random()}")
        command = [sys.executable, os.path.join(root, "bench", "programs.py"), "--build", directory, *names]
        result = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        return directory, result.stderr

    def with_apt_get(self, script):
        """Returns a PATH whose apt-get is a shell script."""
        directory = os.path.join(base, f"apt{random.random()}")
        os.makedirs(directory)
        inputs.write(os.path.join(directory, "apt-get"), f"#!/bin/sh\n{script}\n")
        os.chmod(os.path.join(directory, "apt-get"), 0o755)
        return f"{directory}:{os.environ['PATH']}"

    @unittest.skipUnless(os.path.exists(programs.KEYRING), "sources are fetched with the keyring of Debian")
    def test_a_program_of_others_is_built_from_its_source(self):
        source = os.path.join(base, "sample", "bzip2-1")
        os.makedirs(source)
        for name in ("blocksort", "huffman", "crctable", "randtable", "compress", "decompress", "bzlib"):
            inputs.write(os.path.join(source, f"{name}.c"), "")
        inputs.write(os.path.join(source, "bzip2.c"), "#include <stdio.h>\nint main(void)\n{\n    puts(\"made up\");\n}\n")
        archive = os.path.join(base, "bzip2_1.orig.tar.gz")
        subprocess.run(["tar", "-czf", archive, "-C", os.path.dirname(source), "bzip2-1"], check=True)
        path = self.with_apt_get(f'case "$*" in *source*bzip2/bookworm) cp {archive} .;; *update) ;; *) exit 1;; esac')
        directory, said = self.build_programs("bzip2", PATH=path)
        self.assertEqual(said, "")
        tools = cases.Tools(build)
        tools.bench = os.path.join(directory, "bench")
        case = others.program_case(tools, "program-bzip2")
        self.assertEqual([run.name for run in case.runs], ["temu", "QEMU user"])
        self.assertTrue(all(run.expect == b"made up\n" and run.fresh == "HOME" for run in case.runs))
        self.assertGreater(os.path.getsize(case.runs[0].input), 1 << 20)
        with self.assertRaisesRegex(Missing, "'lua' is not built"):
            others.program_case(tools, "program-lua")

    def test_a_source_that_cannot_be_fetched_is_left_out(self):
        directory, said = self.build_programs("lua", "zstd", PATH=self.with_apt_get("echo no network; exit 100"))
        for name in ("lua", "zstd"):
            self.assertRegex(said, rf"bench: {name} is left out: ('apt-get' failed \(.*\): no network|apt-get and debian-archive-keyring)")
        self.assertEqual([name for name in os.listdir(os.path.join(directory, "bench", "programs")) if name.endswith(".riscv")], [])
        directory = self.fake('exec $real "$@"')
        os.unlink(os.path.join(directory, "bench"))
        os.makedirs(os.path.join(directory, "bench"))
        os.symlink(LAUNCHER, os.path.join(directory, "bench", "launch"))
        result = self.bench("--build", directory, "--only", "program-lua", "--rounds", "1")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("program-lua: left out: the program 'lua' is not built", result.stdout)

    def test_options(self):
        self.assertEqual(self.bench("--list").stdout.split(), [*others.CASES, *(name for name in cases.CASES if name != "assemble-10m")])
        self.assertEqual(self.bench("--list", "--only", "program").stdout.split(), list(others.CASES))
        self.assertEqual(self.bench("--list", "--only", "assemble").stdout.split(), ["assemble-216k", "assemble-860k"])
        self.assertEqual(self.bench("--list", "--only", "assemble-10m").stdout.split(), ["assemble-10m"])
        self.assertEqual(self.bench("--list", "--only", "product,fib").stdout.split(), ["product-inexact", "product-exact", "fib"])
        for options, message in ((["--only", "nothing"], "no case 'nothing'; there are program-lua, "), (["--rounds", "0"], "must be positive"),
                                 (["--docs", "--only", "fib"], "--docs describes all cases")):
            result = self.bench(*options)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(message, result.stderr)


unittest.main(argv=["runner"])
