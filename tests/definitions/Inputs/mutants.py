"""mutants.py BUILD ROOT YAML...: builds the comparison of definitions and fast functions with one of them altered, for each line of MUTANTS. It has to find
the difference each time."""
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

# file, what is there once or more (the first is altered), what replaces it, the mnemonics that have to differ
MUTANTS = [
    ("isa/xmat.yaml", "sum(S, lane[2 * l], lane[2 * l + 1])", "sum(S, lane[l], lane[l + width])", "mm."),
    ("isa/xmat.yaml", "accumulator = sum(S, accumulator, lane[0]);", "accumulator = lane[0];", "vmm.i8"),
    ("isa/xmat.yaml", "scratchpad_input(S, src, elements_of(S, size, 1));", "scratchpad_input(S, src, size - 1);", "mcvt.f32.f16"),
    ("isa/xmat.yaml", "count(matrix, scalings, size);", "count(matrix, scalings, 1);", "mms.bf16"),
    ("isa/xmat.yaml", "rows > row_bytes ? rows : row_bytes", "rows", "dma.ld2"),
    ("isa/xtrav.yaml", "step > 0 ? next < end : next > end", "step > 0 ? next <= end : next > end", "t"),
    ("isa/xtrav.yaml", "kind == 1 ? 0 : kind == 0 ? 1 : 2", "kind == 1 ? 0 : kind == 0 ? 2 : 1", "tnest"),
    ("isa/xtrav.yaml", "if (!get(repeat, row, dim))", "if (true)", "t"),
    ("isa/xhist.yaml", "exponent < threshold + range", "exponent < (threshold + range) % 256", "f32v4hist"),
    ("emu/units/traversal.c", "iterate(unit, port, current);", "iterate(unit, port, current) + iterate(unit, port, current);", "t"),
    ("emu/units/histogram.c", "THRESHOLD_SPECIAL  255", "THRESHOLD_SPECIAL  254", "f8v16hist"),
    ("emu/units/dma.c", "tile->mem + row * tile->stride", "tile->mem + row * (tile->stride | 1)", "dma.st2"),
    ("emu/units/matrix.c", "return unit->result;", "return operands[0]->host;", "mmv.f32"),
    ("emu/units/element.c", "return saturate(to, value.sign, UINT64_MAX);", "return 0;", "mcvt.i8.f16"),
    ("isa/xsparse.yaml", "ready += 1 + link_time(compressed[at])", "ready += link_time(compressed[at])", "s"),
    ("emu/units/sparse_pack.c", "return (uint64_t)(out - packet);", "return (uint64_t)(out - packet) + 1;", "s"),
    ("emu/exact.c", "whole % 2 == 1", "whole % 2 == 0", "mcvt.e4m3.f16"),
]
FLAGS = "-O0 -std=gnu11 -D_GNU_SOURCE -ffp-contract=off -fno-math-errno -fno-strict-aliasing -fno-pie".split()


def run(*command):
    return subprocess.run(command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)


class Builder:
    def __init__(self, build, root, yaml):
        self.build, self.root, self.yaml = pathlib.Path(build), pathlib.Path(root), yaml
        objects = [*self.build.glob("emu/**/*.o"), *self.build.glob("lib/**/*.o"), self.build / "gen/isa_tables.o", self.build / "gen/perfetto.pb-c.o", *self.build.glob("gen/whole_*.o"), *self.build.glob("gen/direct_*.o"), *self.build.glob("gen/turn_*.o"), *self.build.glob("gen/recorded_*.o")]
        self.test = None
        self.objects = [name for name in objects if name.name not in ("temu.o",) and not {"tdiff", "ttrace", "stencils"} & set(name.parts)]

    def compile(self, source, output, generated):
        command = ["cc", *FLAGS, f"-I{generated}", f"-I{self.root}", f"-I{self.build}/gen", "-c", "-o", str(output), str(source)]
        done = run(*command)
        assert done.returncode == 0, done.stderr
        return output

    def altered_object(self, folder, name, text):
        """Compiles what the altered file, which is YAML or C, changes; returns the object and the one that it replaces."""
        source = folder / pathlib.Path(name).name
        source.write_text(text, encoding="utf-8")
        if source.suffix == ".c":
            return self.compile(source, folder / "altered.o", self.build / "gen"), self.build / pathlib.Path(name).with_suffix(".o")
        generated = folder / "gen"
        generated.mkdir()
        files = [str(source) if pathlib.Path(file) == self.root / name else file for file in self.yaml]
        assert str(source) in files, f"{name} is not one of {self.yaml}"
        done = run(str(self.build / "isagen"), "-o", str(generated), *files)
        assert done.returncode == 0, done.stderr
        return self.compile(self.root / "emu/reference.c", folder / "altered.o", generated), self.build / "emu/reference.o"

    def compile_test(self, folder):
        self.test = self.compile(self.root / "tests/definitions/definitions.c", pathlib.Path(folder) / "test.o", self.build / "gen")

    def check(self, mutant):
        name, there, instead, mnemonic = mutant
        text = (self.root / name).read_text(encoding="utf-8")
        if there not in text:
            return f"{name} does not have '{there}'"
        with tempfile.TemporaryDirectory() as made:
            folder = pathlib.Path(made)
            new, old = self.altered_object(folder, name, text.replace(there, instead, 1))
            program = folder / "definitions"
            objects = [str(item) for item in self.objects if item != old]
            done = run("cc", "-no-pie", "-rdynamic", "-Wl,--strip-debug", "-o", str(program), str(self.test), str(new), *objects, *"-lelf -ldw -lyaml -lzstd -lprotobuf-c -lm".split())
            assert done.returncode == 0, done.stderr
            done = run(str(program), "20000", mnemonic)
        if done.returncode == 0 or "no difference" in done.stdout:
            return f"{mnemonic} is the same with '{instead}' in {name}: {done.stdout}{done.stderr}"
        return None


def main():
    builder = Builder(sys.argv[1], sys.argv[2], sys.argv[3:])
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        builder.compile_test(folder)
        wrong = [result for result in pool.map(builder.check, MUTANTS) if result]
    print(*wrong, f"{len(MUTANTS)} mutants, {len(MUTANTS) - len(wrong)} found", sep="\n")
    return bool(wrong)


sys.exit(main())
