"""literals.py ROOT: no C outside generated code lists what isa/*.yaml describes.

A string literal in C that is a mnemonic of a tensor unit, an element type, a unit, a setting, a counter, state, a trap or an accessor
is an error, and so is a comparison of a trap's cause with a number. ALLOWED has the words that have another meaning in a file, with
that meaning. A permission that no literal needs is an error, too.
"""
import pathlib
import re
import sys

import yaml

FOLDERS = "asm ld emu isa lib include".split()
GRAMMAR = "the grammar of the description: a key of a section, a kind or a word of it"
TYPES = "integers that a body of the description is compiled with"
TRACE = "the format of traces: a word before an address, a register or a fault"
CLASS = "a timing class"
CAUSE = "why the pipeline waits (timing.md, 6), or a key of its report"

ALLOWED = {
    "asm/directive/insn.c": {"bytes": "English, in a message"},
    "asm/directive/listing.c": {"columns": "English, in a message"},
    "asm/tobjdump/options.c": {"timing": "an option of the command line"},
    "asm/tobjdump/timing.c": dict.fromkeys("memory order queue window".split(), CAUSE),
    "asm/evaluate.c": {"add": "English: kind of an expression"},
    "asm/frame.c": {"number": "English, in a message"},
    "asm/parser.y": {"number": "English: name of a token"},
    "ld/apply.c": {"offset": "English, in a message"},
    "ld/layout.c": {"end": "the symbol of linkers"},
    "ld/map_file.c": {"scratchpad": "a region of memory in the map, as GNU ld prints MEMORY"},
    "ld/option_table.c": {"output": "an option of the command line"},
    # What the emulator has in C and the description does not say: whose state each thread has, whose a trace names alone, and which unit walks.
    "isa/isagen/emit_reads.c": dict.fromkeys("traversal histogram barrel".split(), "a unit that the emulator knows"),
    "isa/isagen/emit_timing.c": {"traversal": "a unit that the emulator knows"},
    "ld/script/script.y": {"number": "English: name of a token"},
    "ld/tld.c": {"tld": "the name of the program"},
    "lib/isa_note.c": {"instructions": "English, in a message"},
    "lib/timing/time.c": {"cycles": "a key of an instruction in the description, in a message"},
    "lib/output.c": {"write": "a system call, in a message"},
    "lib/machine/config_read.c": {"setting": "English, in a message"},
    "emu/decode/records.c": {"store": CLASS},
    "emu/native/stencils/form_arm.h": {"memory": "what assembly may change, for the compiler"},
    "emu/options.c": {"load": "an option of the command line", "timing": "an option of the command line", "bare": "an environment of programs"},
    "emu/report/inspect.c": {"load": "an option of the command line"},
    "emu/report/stats_print.c": {"bytes": "English, above a column"},
    "emu/results.c": {"instructions": "English, in a message"},
    "emu/tdiff/cycles.c": {"instructions": "English, above a column", "cycles": "English, above a column"},
    "emu/tdiff/effects_describe.c": dict.fromkeys("read trap write".split(), TRACE),
    "lib/trace/thread_name.c": {"pc": TRACE},
    "emu/tdiff/json.c": dict.fromkeys("hop load offset pc read size store trap write".split(), TRACE),
    "emu/tdiff/report.c": dict.fromkeys("load store trap".split(), TRACE),
    "emu/tdiff/tdiff.c": dict.fromkeys("load store trap".split(), TRACE) | {"cycles": "an option of the command line"},
    "emu/tdiff/text.c": dict.fromkeys("load store".split(), TRACE),
    "emu/ttrace/query.c": dict.fromkeys("load read store write".split(), TRACE),
    "emu/ttrace/ttrace.c": {"convert": "a command of ttrace"},
    "emu/units/matrix_avx2.c": {"memory": "what assembly may change, for the compiler"},
    "emu/units/matrix_avx512.c": {"memory": "what assembly may change, for the compiler"},
    "emu/units/sparse_fetch.c": {"fetch": "an event of the unit in the trace"},
    "emu/workers/instructions.c": dict.fromkeys("exits pc".split(), TRACE),
    "emu/workers/workers.c": {"pc": TRACE},
    "emu/picture/perfetto.c": {"branch": CAUSE, "pc": TRACE},
    "emu/picture/svg.c": dict.fromkeys("done memory traversal order".split(), CAUSE),
    "emu/timing/time_report.c": dict.fromkeys("memory read write sparse pc count".split(), CAUSE),
    "lib/trace/value_type.c": {"i32": "the type of a product whose type no operand says"},
    "lib/timing/pipeline.c": dict.fromkeys("fill branch memory traversal order queue window".split(), CAUSE),
    "isa/isagen/roles.c": dict.fromkeys("input output row size step".split(), "a key of instructions"),
    "isa/isagen/timing.c": {"row": "the operand of a walk"},
    "emu/user/table.c": dict.fromkeys("read write".split(), "a system call"),
    "isa/isagen/operand_types.c": dict.fromkeys("u8 u16 u32 u64 f16 f32 f64".split(), "what a body sees of a register of RISC-V"),
    "isa/isagen/state.c": dict.fromkeys("u8 u16 u32 u64".split(), TYPES),
    "isa/isagen/types.c": dict.fromkeys("u8 u16 u32 u64 element array".split(), TYPES),
    "isa/isagen/declarations.c": dict.fromkeys("pc trap load store".split(), TRACE),
    "isa/isagen/elements.c": {"pair": "a key of the description"},
    "isa/isagen/emit_values.c": {"pc": "the program counter"},
    "isa/isagen/unit_names.c": dict.fromkeys("memory bare counts workers".split(), "names of the emulator, which units may not have"),
    "isa/isagen/gdb.c": {"pc": "the program counter, as gdb calls it"},
}
# Words of isagen's grammar, in any of its files. Words that are there by chance, such as types, are above.
WORDS = ("base block branch bytes count counter cycles elements instructions jump kind latency load maximum minimum number order read set"
         " setting store timing trap values write").split()


def names_of(root):
    """What the description names -> what it is."""
    names = {}
    for path in sorted((root / "isa").glob("*.yaml")):
        described = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        extension = (described.get("extension") or {}).get("name", "")
        if extension.startswith("x"):
            for mnemonic in described.get("instructions") or {}:
                names[mnemonic] = names[mnemonic.split(".")[0]] = "mnemonic"
        for section, what in (("elements", "element type"), ("accessors", "accessor"), ("traps", "trap")):
            names.update(dict.fromkeys(described.get(section) or {}, what))
        for unit, keys in (described.get("units") or {}).items():
            names[unit] = "unit"
            for section, what in (("settings", "setting"), ("counters", "counter"), ("state", "state")):
                for name in keys.get(section) or {}:
                    names[name] = names[f"{unit}.{name}"] = what
    return names


def without_comments(text):
    """The text with its comments blank, and its strings as they are."""
    token = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'|/\*.*?\*/|//[^\n]*', re.DOTALL)
    return token.sub(lambda match: re.sub(r"[^\n]", " ", match[0]) if match[0][0] == "/" else match[0], text)


def is_allowed(name, word):
    return word in ALLOWED.get(name, {}) or (name.startswith("isa/isagen/") and word in WORDS)


def main():
    root = pathlib.Path(sys.argv[1])
    names = names_of(root)
    literals, errors, used = 0, [], set()
    for path in sorted(path for folder in FOLDERS for path in (root / folder).rglob("*.[chly]")):
        name = path.relative_to(root).as_posix()
        text = without_comments(path.read_text(encoding="utf-8"))
        for match in re.finditer(r'"((?:[^"\\\n]|\\.)*)"', text):
            literals += 1
            word = match[1]
            place = f"{name}:{text.count(chr(10), 0, match.start()) + 1}"
            if word not in names:
                continue
            used.update({(name, word), ("isa/isagen/", word)} if word not in ALLOWED.get(name, {}) else {(name, word)})
            if not is_allowed(name, word):
                errors.append(f"{place}: error: the literal \"{word}\" is a name of the description ({names[word]}); take it from a table of isagen")
        for match in re.finditer(r"\bcause\s*(?:[=!]=|=(?!=)|[<>]=?)\s*(\d+)|\bcase (\d+):[^\n]*\bcause", text):
            place = f"{name}:{text.count(chr(10), 0, match.start()) + 1}"
            errors.append(f"{place}: error: the number of a cause, {match[1] or match[2]}; expected CAUSE_…")
        for match in re.finditer(r"\bswitch \([^\n]*\bcause\b[^\n]*\) \{(.*?)\n\}", text, re.DOTALL):
            for case in re.finditer(r"\bcase (\d+)", match[1]):
                place = f"{name}:{text.count(chr(10), 0, match.start(1) + case.start()) + 1}"
                errors.append(f"{place}: error: the number of a cause, {case[1]}; expected CAUSE_…")
    if len(sys.argv) == 2:
        allowed = [(name, word) for name, words in ALLOWED.items() for word in words] + [("isa/isagen/", word) for word in WORDS]
        errors += [f"literals.py: error: {name} has no \"{word}\" that is a name; remove it" for name, word in allowed if (name, word) not in used]
    print("\n".join(errors) or f"{literals} literals, {len(names)} names, no list of these in C")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
