# lit configuration: every test file holds its input, its RUN: lines and its expectation.
# BUILD (the build directory) comes from tests/run.
import glob
import os
import re
import shutil
import subprocess
import sys
import time

import lit.formats

sys.path.append(os.path.join(os.path.dirname(__file__), "tools"))
import check_docs
import llvm

config.name = "toolchain"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".s", ".test", ".yaml", ".c", ".py"]
config.excludes = ["Inputs", "calibrate", "tools", "lit.cfg.py"]
config.test_source_root = os.path.dirname(__file__)

build = os.path.abspath(lit_config.params["build"])
config.test_exec_root = os.path.join(build, "tests", "lit")
tests = config.test_source_root
root = os.path.dirname(tests)

config.environment["PATH"] = ":".join((os.path.join(build, "tests", "bin"), os.path.dirname(llvm.oldest("bin/FileCheck")), os.environ["PATH"]))
config.environment["LC_ALL"] = "C"

# The tests are written for GNU's tools of version 2.40, and tests/tools/gnu_names.py brings what later ones print to its form.
GNU_VERSION = re.search(r"(\d+)\.(\d+)", subprocess.run(["riscv64-linux-gnu-objdump", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout)
LATER = tuple(map(int, GNU_VERSION.groups())) > (2, 40)
if LATER:
    GNU_NAMES = os.path.join(build, "tests", "gnu_names")
    os.makedirs(GNU_NAMES, exist_ok=True)
    for tool in ("objdump", "readelf"):
        check_docs.link(os.path.join(tests, "tools", "gnu_names.py"), os.path.join(GNU_NAMES, f"riscv64-linux-gnu-{tool}"))
    config.environment["PATH"] = GNU_NAMES + ":" + config.environment["PATH"]
else:
    config.available_features.add("debian-12")
# Later versions of GNU as do not know sfence.vm.
config.substitutions.append((r"%sfence_vm\b", os.path.join(tests, "tools", "sfence_vm.s") if LATER else ""))

# A sanitizer's report is a crash to `not`, never an expected error.
config.environment["ASAN_OPTIONS"] = "detect_leaks=0:abort_on_error=1"
config.environment["UBSAN_OPTIONS"] = "abort_on_error=1"
config.environment["PYTHONPATH"] = os.path.join(tests, "tools")
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"

# An architecture with every extension that the description has.
NAMES = [re.search(r"^extension: *{name: (\w+)", open(name, encoding="utf-8").read(), re.MULTILINE) for name in lit_config.params["isa"].split()]
NAMES = sorted({m[1] for m in NAMES if m} - set("imafdc"))
config.substitutions.append(("%every_extension\\b", "rv64imafdc_" + "_".join(NAMES)))

# The newest assembler of LLVM that is installed: extensions are ratified every year.
config.substitutions.append(("%llvm_mc\\b", llvm.newest("bin/llvm-mc")))

# A browser looks at pictures and pages where there is one.
if shutil.which("chromium"):
    config.available_features.add("chromium")

# Tools with all that tests and pages add from outside the tree: tables, units, register files, element types. Nothing in it overlaps. The first test
# that needs some of it in a run builds the tools, in a copy of the tree that has these files at the top, and from a copy of the build (tests/tools/build_once.sh),
# so that only what depends on these files is compiled again. A test that changes one of them copies the tree and the tools in turn. Native code is that of
# the additions and of RV64I, which their programs are in: it takes longest to compile. Other instructions are executed between it, without native code.
EXTENDED = os.path.join(build, "tests", "extended")
TREE = EXTENDED + ".tree"
EXTRA = ("xhash.yaml", "files.yaml", "formats.yaml", "pairs.yaml", "e3m4.yaml", "e2m1.yaml", "xsys.yaml", "xcomplex.yaml")
os.makedirs(TREE, exist_ok=True)
if check_docs.link_tree(root, TREE):
    shutil.rmtree(EXTENDED, ignore_errors=True)  # was built from the tree that this one is a copy of
for path in [path for name in EXTRA for path in glob.glob(os.path.join(tests, "*", "Inputs", name))]:
    check_docs.update_file(os.path.join(TREE, os.path.basename(path)), open(path, encoding="utf-8").read())
for page in glob.glob(os.path.join(root, "docs", "adding-*.md")):
    check_docs.files_of_page(page, EXTRA, TREE)
EXTENSIONS = f"CFLAGS=-O0 ISA_EXTRA='{' '.join(EXTRA)}' STENCIL_NAMES='rv64i {' '.join(name.removesuffix('.yaml') for name in EXTRA)} glue'"
BUILD_EXTENDED = f"make -s -j{len(os.sched_getaffinity(0))} BUILD={EXTENDED} {EXTENSIONS} all {EXTENDED}/tests/roundtrip"
RUN = f"{os.getpid()}.{time.time_ns()}"
config.substitutions.append((r"%make_extended\b", f"cd {TREE} && flock {EXTENDED}.lock {tests}/tools/build_once.sh {RUN} {build} {EXTENDED} {BUILD_EXTENDED}"))
config.substitutions.append((r"%extended_tree\b", TREE))
config.substitutions.append((r"%extensions\b", EXTENSIONS))
config.substitutions.append((r"%extended\b", EXTENDED))

# `make check` runs A of %soak{A|B}, and `make soak` B, which has more cases of the same kind.
SOAK = os.environ.get("SOAK")
config.substitutions.append((r"%soak\{([^|}]*)\|([^}]*)\}", llvm.Groups(r"\2" if SOAK else r"\1")))

# The address sanitizer reserves more address space than any limit.
config.substitutions.append((r"%limit_memory\b", ":" if build.endswith("/sanitize") else "ulimit -v"))
for tool in ("tasm", "tld", "tobjdump", "temu", "tdiff", "ttrace", "isagen"):
    config.substitutions.append((f"%{tool}\\b", os.path.join(build, tool)))
for name, program in {
    "gas": "riscv64-linux-gnu-as",
    "gld": "riscv64-linux-gnu-ld",
    "gobjdump": "riscv64-linux-gnu-objdump",
    "greadelf": "riscv64-linux-gnu-readelf",
    "gobjcopy": "riscv64-linux-gnu-objcopy",
    "gar": "riscv64-linux-gnu-ar",
    "gnm": "riscv64-linux-gnu-nm",
    "gcc": "riscv64-linux-gnu-gcc",
    "qemu_machine": "qemu-system-riscv64 -machine spike -nographic -bios none -kernel",
    "qemu": "qemu-riscv64",
    "gdb": "gdb-multiarch",
    "python": sys.executable,
    "build": build,
    "root": root,
    "tools": os.path.join(tests, "tools"),
    "isa_common": os.path.join(root, "isa", "common.yaml"),
    "isa_all": lit_config.params["isa"],
    "sparse_programs": os.environ.get("SPARSE_PROGRAMS", "400" if SOAK else "40"),
    "calibrate_seeds": os.environ.get("CALIBRATE_SEEDS", "1 2 3 4 5 6 7 8" if SOAK else "1"),
}.items():
    config.substitutions.append((f"%{name}\\b", program))
