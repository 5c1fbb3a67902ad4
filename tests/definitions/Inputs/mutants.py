"""mutants.py BUILD ROOT YAML...: builds the comparison of definitions and fast functions with some of them altered. It has to find each difference.

The mutants of a group are in one program: no instruction of one is altered by another one."""
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

# file, what is there once or more (the first is altered), what replaces it, the mnemonics that have to differ
MUTANTS = [
    [("isa/xmat.yaml", "sum(S, lane[2 * l], lane[2 * l + 1])", "sum(S, lane[l], lane[l + width])", "mm."),
     ("isa/xtrav.yaml", "step > 0 ? next < end : next > end", "step > 0 ? next <= end : next > end", "t"),
     ("isa/xhist.yaml", "exponent < threshold + range", "exponent < (threshold + range) % 256", "f32v4hist"),
     ("isa/xsparse.yaml", "ready += 1 + link_time(compressed[at])", "ready += link_time(compressed[at])", "s")],
    [("isa/xmat.yaml", "accumulator = sum(S, accumulator, lane[0]);", "accumulator = lane[0];", "vmm.i8"),
     ("isa/xtrav.yaml", "kind == 1 ? 0 : kind == 0 ? 1 : 2", "kind == 1 ? 0 : kind == 0 ? 2 : 1", "tnest")],
    [("isa/xmat.yaml", "scratchpad_input(S, src, elements_of(S, size, 1));", "scratchpad_input(S, src, size - 1);", "mcvt.f32.f16"),
     ("isa/xtrav.yaml", "if (!get(repeat, row, dim))", "if (true)", "t"),
     ("isa/xmat.yaml", "count(matrix, scalings, size);", "count(matrix, scalings, 1);", "mms.bf16"),
     ("isa/xmat.yaml", "rows > row_bytes ? rows : row_bytes", "rows", "dma.ld2")],
    [("emu/units/traversal.c", "iterate(unit, port, current);", "iterate(unit, port, current) + iterate(unit, port, current);", "t"),
     ("emu/units/histogram.c", "THRESHOLD_SPECIAL  255", "THRESHOLD_SPECIAL  254", "f8v16hist"),
     ("emu/units/dma.c", "tile->mem + row * tile->stride", "tile->mem + row * (tile->stride | 1)", "dma.st2"),
     ("emu/units/matrix.c", "return unit->result;", "return operands[0]->host;", "mmv.f32"),
     ("emu/units/sparse_pack.c", "return (uint64_t)(out - packet);", "return (uint64_t)(out - packet) + 1;", "s"),
     ("emu/units/element.c", "return saturate(to, value.sign, UINT64_MAX);", "return 0;", "mcvt.i8.f16")],
    [("emu/reference/exact.c", "whole % 2 == 1", "whole % 2 == 0", "mcvt.e4m3.f16")],
]
FLAGS = "-O0 -std=gnu11 -D_GNU_SOURCE -ffp-contract=off -fno-math-errno -fno-strict-aliasing -fno-pie".split()


def run(*command):
    return subprocess.run(command, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)


class Builder:
    def __init__(self, build, root, yaml):
        self.build, self.root, self.yaml = pathlib.Path(build), pathlib.Path(root), yaml
        self.test = None

    def compile(self, source, output, generated):
        command = ["cc", *FLAGS, f"-I{generated}", f"-I{self.root}", f"-I{self.build}/gen", "-c", "-o", str(output), str(source)]
        done = run(*command)
        assert done.returncode == 0, done.stderr
        return str(output)

    def altered_objects(self, folder, texts):
        """Compiles what the altered files, which are YAML or C, change. `texts`: by the name of the file."""
        altered = {self.root / name: folder / pathlib.Path(name).name for name in texts}
        for name, text in texts.items():
            altered[self.root / name].write_text(text, encoding="utf-8")
        objects = [self.compile(source, source.with_suffix(".o"), self.build / "gen") for source in altered.values() if source.suffix == ".c"]
        files = [str(altered.get(pathlib.Path(file), file)) for file in self.yaml]
        if files != self.yaml:
            generated = folder / "gen"
            generated.mkdir()
            done = run(str(self.build / "isagen"), "-o", str(generated), *files)
            assert done.returncode == 0, done.stderr
            objects.append(self.compile(self.root / "emu/reference/reference.c", folder / "reference.o", generated))
        assert len(objects) == sum(name.endswith(".c") for name in texts) + any(name.endswith(".yaml") for name in texts), f"of {list(texts)} only {objects}"
        return objects

    def compile_test(self, folder):
        self.test = self.compile(self.root / "tests/definitions/definitions.c", pathlib.Path(folder) / "test.o", self.build / "gen")

    def check(self, group):
        """Returns the complaints about a group of mutants."""
        texts = {}
        for name, there, instead, _ in group:
            text = texts.get(name) or (self.root / name).read_text(encoding="utf-8")
            if there not in text:
                return [f"{name} does not have '{there}'"]
            texts[name] = text.replace(there, instead, 1)
        with tempfile.TemporaryDirectory() as made:
            folder = pathlib.Path(made)
            program = folder / "definitions"
            # An object takes the place of the one in the archive, of which nothing is needed then.
            done = run("cc", "-no-pie", "-o", str(program), self.test, *self.altered_objects(folder, texts), str(self.build / "tests/unit.a"),
                       *"-lelf -ldw -lyaml -lzstd -lprotobuf-c -lm".split())
            assert done.returncode == 0, done.stderr
            complaints = []
            for name, _, instead, mnemonic in group:
                done = run(str(program), "20000", mnemonic)
                if done.returncode == 0 or "no difference" in done.stdout:
                    complaints.append(f"{mnemonic} is the same with '{instead}' in {name}: {done.stdout}{done.stderr}")
        return complaints


def main():
    builder = Builder(sys.argv[1], sys.argv[2], sys.argv[3:])
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        builder.compile_test(folder)
        wrong = [complaint for complaints in pool.map(builder.check, MUTANTS) for complaint in complaints]
    count = sum(len(group) for group in MUTANTS)
    print(*wrong, f"{count} mutants, {count - len(wrong)} found", sep="\n")
    return bool(wrong)


sys.exit(main())
