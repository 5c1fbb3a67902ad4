"""Makes the inputs of the assembler, linker and disassembler measurements. They are compiled with gcc -O2 from C that is generated here, so that they have
the mix of instructions, directives and labels of a real build. The C depends on fixed seeds only.

A program consists of PIECES of C, each compiled once. Their assembly is concatenated as often as a size needs, with the symbols of each copy renamed. The
result is a whole program, with the frame of the other workloads (workloads/start.c): it can be linked and run, and its checksum shows whether the
assembler or linker under measurement did its work.
"""

import os
import random
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
GCC = ("riscv64-linux-gnu-gcc", "-O2", "-march=rv64gc", "-mabi=lp64d", "-ffreestanding", "-ffp-contract=off", "-fno-math-errno", "-w")

PIECES, FUNCTIONS = 12, 126
COPIES = {"216k": 1, "860k": 4, "10m": 46}
TEMPLATES, OBJECTS = 20, 2000

HEAD = """#include <stdint.h>
struct {p}record {{ struct {p}record *next; uint32_t key; uint16_t kind, flags; double weight; int64_t total; }};
static uint32_t {p}words[64]; static double {p}reals[32]; static struct {p}record {p}records[16];
static const char *const {p}names[] = {{"alpha", "beta-{p}", "gamma", "delta", "epsilon-{p}", "zeta", "eta", "theta"}};
uint32_t {p}counter = 1;
"""

# Statements of a function with `uint32_t a, b; uint64_t w; double d; int i` and the data of its piece. Each terminates and may be repeated.
STATEMENTS = (
    "for (i = 0; i < {n}; i++) {p}words[(a + i) & 63] += b ^ (uint32_t)i * {k}u;",
    "for (i = 0; i < {n}; i++) if ({p}words[i & 63] & {m}) a += {p}words[(i + {n}) & 63]; else b ^= a >> {s};",
    "switch (a % 9) {{ case 0: b += {k}; break; case 1: b ^= a << 3; break; case 2: w += b; break; case 3: a -= {n}; break; case 4: b = ~b; break; "
    "case 5: w ^= {k}; break; case 6: a *= 5; break; case 7: w >>= 1; break; default: b += {m}; }}",
    "w = w * {k}ull + (a ^ (uint64_t)b << {s}); a = (uint32_t)(w >> 32); b += (uint32_t)w;",
    "if (a > {k}u && b < 0x80000000u) {{ a ^= b; w += a; }} else if ((a & {m}) == {n}) b = a / {n}; else a = b % {k}u;",
    "d = d * 0.5 + (double)(a & {m}); {p}reals[b & 31] += d / ({n} + {p}reals[a & 31] * {p}reals[a & 31]); if (d > {k}.0) d -= {k}.0;",
    "{p}records[a & 15].key += b; {p}records[b & 15].total -= w; {p}records[(a + b) & 15].kind ^= (uint16_t)a; {p}records[a & 15].weight += {n}.25;",
    "for (struct {p}record *r = {p}records; r < {p}records + 16; r++) if (r->key > a) {{ r->flags |= {n}; w += r->total; }} else r->key++;",
    "for (const char *c = {p}names[a & 7]; *c; c++) b = b * 33 ^ (uint32_t)*c;",
    "{p}counter += a; b -= {p}counter; w ^= (uint64_t){p}counter << {s};",
    "a = (a << {s} | a >> (32 - {s})) ^ (b & {k}u); b += a; a -= w & 0xff ? {n} : {k};",
    "{{ uint32_t t[8]; for (i = 0; i < 8; i++) t[i] = a * (uint32_t)i + b; for (i = 7; i > 0; i--) if (t[i] < t[i - 1]) {{ uint32_t u = t[i]; "
    "t[i] = t[i - 1]; t[i - 1] = u; }} a += t[{n} & 7]; b ^= t[0]; }}",
)


class Failed(Exception):
    """Raised when an input cannot be made."""


def statement(draw, prefix):
    return "    " + draw.choice(STATEMENTS).format(p=prefix, n=draw.randrange(3, 29), k=draw.randrange(200, 70000), m=draw.randrange(1, 255),
                                                   s=draw.randrange(1, 31))


def function(draw, prefix, name, calls):
    """Returns a function `uint32_t name(uint32_t a, uint32_t b)` that has each of `calls` among its statements."""
    lines = [statement(draw, prefix) for _ in range(draw.randrange(3, 9))]
    for call in calls:
        lines.insert(draw.randrange(len(lines) + 1), f"    a ^= {call};")
    return "\n".join([f"__attribute__((noinline)) uint32_t {name}(uint32_t a, uint32_t b)", "{", "    uint64_t w = a; double d = 1.5; int i;",
                      *lines, "    return a + b + (uint32_t)w + (uint32_t)(int64_t)d;", "}"])


def piece_source(number):
    """Returns the C of one piece, `pNN_piece(a)`, of FUNCTIONS functions. One in three calls an earlier function that calls none."""
    draw, prefix = random.Random(number), f"p{number:02d}_"
    parts, leaves = [HEAD.format(p=prefix)], []
    for i in range(FUNCTIONS):
        calls = [f"{draw.choice(leaves)}(b, a)"] if leaves and draw.randrange(3) == 0 else []
        parts.append(function(draw, prefix, f"{prefix}f{i}", calls))
        if not calls:
            leaves.append(f"{prefix}f{i}")
    calls = "".join(f"    a += {prefix}f{i}(a, {i});\n" for i in range(FUNCTIONS))
    parts.append(f"uint32_t {prefix}piece(uint32_t a)\n{{\n{calls}    return a;\n}}")
    return "\n".join(parts) + "\n"


def template_source(number):
    """Returns the C of one object of the link: a few functions, and `tNN_enter(a, depth)`, which calls them and the `enter` of three other objects."""
    draw, prefix = random.Random(1000 + number), f"t{number:02d}_"
    parts = [HEAD.format(p=prefix)]
    parts += [f"extern uint32_t {other}enter(uint32_t, uint32_t), {other}counter;" for other in ("first_", "second_", "third_")]
    parts += [function(draw, prefix, f"{prefix}f{i}", []) for i in range(draw.randrange(4, 12))]
    inner = "".join(f"    a += {prefix}f{i}(a, depth);\n" for i in range(len(parts) - 4))
    outer = "".join(f"    a ^= {other}enter(a, depth - 1) + {other}counter++;\n" for other in ("first_", "second_", "third_"))
    parts.append(f"uint32_t {prefix}enter(uint32_t a, uint32_t depth)\n{{\n    if (!depth)\n        return a;\n{inner}{outer}    return a;\n}}")
    return "\n".join(parts) + "\n"


def main_source(names, call):
    """Returns the C of `workload`, which calls all of `names`."""
    declarations = "".join(f"extern uint32_t {name}();\n" for name in names)
    calls = "".join(f"    a = a * 31 + {call.format(name)};\n" for name in names)
    return f"#include <stdint.h>\n{declarations}uint32_t workload(unsigned a)\n{{\n{calls}    return a;\n}}\n"


def run(*command, **options):
    result = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if result.returncode:
        raise Failed(f"{' '.join(command[:6])} …: {result.stderr[:2000]}")
    return result.stdout


def write(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def compile_all(directory, sources):
    """Compiles {name: C} to NAME.s in the directory, two at a time."""
    def compile_one(name):
        write(f"{directory}/{name}.c", sources[name])
        run(*GCC, "-S", "-o", f"{directory}/{name}.s", f"{directory}/{name}.c")
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(compile_one, sources))


def object_of(directory, name, source):
    """Compiles C, given as text or as the absolute path of a file, to NAME.o and returns its path."""
    if not os.path.isabs(source):
        write(f"{directory}/{name}.c", source)
        source = f"{directory}/{name}.c"
    run(*GCC, "-c", "-o", f"{directory}/{name}.o", source)
    return f"{directory}/{name}.o"


def fresh(directory):
    """Returns whether the inputs in this directory have to be made. Once made, they have a stamp beside them: the text of this file."""
    os.makedirs(directory, exist_ok=True)
    stamp = os.path.join(directory, "made-by")
    return not (os.path.exists(stamp) and read(stamp) == read(__file__))


def stamp(directory):
    write(os.path.join(directory, "made-by"), read(__file__))


def copy_of(text, number, copy):
    """Returns the assembly of piece `number` with unique names: of local labels, which every piece has, and of all symbols except in the first copy.
    It has no .attribute, which may come only once in an object and which llvm-mc 14 reads in older versions only."""
    text = re.sub(r"(?m)^\t\.attribute .*\n", "", text)
    text = re.sub(r"\.L(?=\w)", f".L{copy}_{number}_", text)
    return re.sub(r"\bp(\d\d)_", rf"p\1c{copy}_", text) if copy else text


def assembly(directory, size):
    """Makes SIZE.s, and SIZE.main.o and start.o, which complete its object to a program. Returns the number of lines."""
    if fresh(directory):
        compile_all(directory, {f"piece{i}": piece_source(i) for i in range(PIECES)})
        object_of(directory, "start", f"{HERE}/workloads/start.c")
        stamp(directory)
    name = f"{directory}/{size}"
    if fresh(name):
        pieces = [read(f"{directory}/piece{i}.s") for i in range(PIECES)]
        write(f"{name}.s", "".join(copy_of(text, i, copy) for copy in range(COPIES[size]) for i, text in enumerate(pieces)))
        names = [f"p{i:02d}{f'c{copy}' if copy else ''}_piece" for copy in range(COPIES[size]) for i in range(PIECES)]
        object_of(directory, f"{size}.main", main_source(names, "{}(a)"))
        stamp(name)
    with open(f"{name}.s", "rb") as file:
        return sum(1 for _ in file)


def objects(directory):
    """Makes the objects of a program: OBJECTS parts, main.o and start.o. Returns their names."""
    names = [f"{directory}/o{i:04d}.o" for i in range(OBJECTS)] + [f"{directory}/main.o", f"{directory}/start.o"]
    if not fresh(directory):
        return names
    compile_all(directory, {f"template{i}": template_source(i) for i in range(TEMPLATES)})
    templates = [read(f"{directory}/template{i}.s") for i in range(TEMPLATES)]

    def assemble(i):
        others = {"first": (i + 1) % OBJECTS, "second": (i * 7 + 3) % OBJECTS, "third": (i * 31 + 1000) % OBJECTS, f"t{i % TEMPLATES:02d}": i}
        text = re.sub(r"\b(" + "|".join(others) + r")_", lambda found: f"o{others[found[1]]:04d}_", templates[i % TEMPLATES])
        run("riscv64-linux-gnu-as", "-march=rv64gc", "-o", names[i], "-", input=text)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(assemble, range(OBJECTS)))
    object_of(directory, "main", main_source([f"o{i:04d}_enter" for i in range(OBJECTS)], "{}(a, 2)"))
    object_of(directory, "start", f"{HERE}/workloads/start.c")
    stamp(directory)
    return names
