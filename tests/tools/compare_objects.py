"""Compares two relocatable ELF64 files as a linker sees them: sections, relocations, symbols.

compare_objects.py OURS THEIRS: prints each difference and exits 1, or prints how much was compared and exits 0.
It ignores attributes and notes, mapping symbols, the names of local labels (but not their places), the order of symbols, and the
alignment and presence of empty sections.
"""

import struct
import sys

# Relocation types: those after which GNU as does not know distances, and pairs that compute a distance (psABI, "Relocations").
MOVES = {16, 17, 18, 19, 23, 26, 29, 32, 43}
SET_AND_SUBTRACT = [[53, 52], [54, 37], [55, 38], [56, 39]]


class Object:
    def __init__(self, name):
        self.data = open(name, "rb").read()
        shoff, = struct.unpack_from("<Q", self.data, 40)
        self.flags, = struct.unpack_from("<I", self.data, 48)
        size, count, names = struct.unpack_from("<HHH", self.data, 58)
        self.headers = [struct.unpack_from("<IIQQQQIIQQ", self.data, shoff + i * size) for i in range(count)]
        self.names = [self.string(names, header[0]) for header in self.headers]
        self.symbols = self.read_symbols()

    def bytes(self, index):
        header = self.headers[index]
        return b"" if header[1] == 8 else self.data[header[4] : header[4] + header[5]]

    def string(self, table, offset):
        data = self.bytes(table)
        return data[offset : data.index(b"\0", offset)].decode("latin-1")

    def section_name(self, index):
        special = {0: "UND", 0xFFF1: "ABS", 0xFFF2: "COM"}
        return special.get(index) or self.names[index]

    def read_symbols(self):
        symbols = []
        for i, header in enumerate(self.headers):
            if header[1] != 2:
                continue
            data = self.bytes(i)
            for offset in range(0, len(data), 24):
                name, info, other, section, value, size = struct.unpack_from("<IBBHQQ", data, offset)
                symbols.append((self.string(header[6], name), info >> 4, info & 15, other, self.section_name(section), value, size))
        return symbols

    def place(self, index):
        """Returns the symbol of a relocation: its name, or its place if the assembler made the name."""
        if not index:
            return "-"
        name, _, kind, _, section, value, _ = self.symbols[index]
        if kind == 3 or name.startswith(".L"):
            return f"{section}+{value:#x}"
        return name

    def relocations(self):
        found = {}
        for i, header in enumerate(self.headers):
            if header[1] != 4:
                continue
            data = self.bytes(i)
            entries = []
            for offset in range(0, len(data), 24):
                where, info, addend = struct.unpack_from("<QQq", data, offset)
                entries.append((where, info & 0xFFFFFFFF, self.place(info >> 32), addend))
            found.setdefault(self.names[i], []).extend(entries)
        return found

    def raw_relocations(self, section):
        """Returns the place, type and symbol of each relocation."""
        found = []
        for i, header in enumerate(self.headers):
            if header[1] == 4 and self.names[i] == section:
                for where, info, _ in struct.iter_unpack("<QQq", self.bytes(i)):
                    found.append((where, info & 0xFFFFFFFF, self.symbols[info >> 32]))
        return found

    def is_fixed(self, pair):
        """Returns whether a linker cannot change the size of the code between the symbols of the pair."""
        (_, _, to), (_, _, start) = pair
        return to[4] == start[4] and not any(
            start[5] <= where < to[5] and kind in MOVES for where, kind, _ in self.raw_relocations(".rela" + to[4])
        )

    def contents(self):
        found = {}
        for i, header in enumerate(self.headers):
            name = self.names[i]
            if header[1] in (0, 2, 3, 4, 17) or header[5] == 0 or name == ".note.tensor.isa":
                continue
            found.setdefault(name, []).append((header[1], header[2], header[5], header[9], header[8], self.bytes(i)))
        return found

    def linker_symbols(self):
        kept = [s for s in self.symbols if s[2] != 3 and not s[0].startswith((".L", "$x", "$d")) and s[0]]
        return sorted(kept)


def compare_maps(kind, ours, theirs, show):
    differences = []
    for name in sorted(set(ours) | set(theirs)):
        mine, other = ours.get(name, []), theirs.get(name, [])
        if mine == other:
            continue
        for a, b in zip(mine, other):
            if a != b:
                where = first_difference(a[-1], b[-1]) if kind == "section" else ""
                differences.append(f"{kind} {name}: ours {show(a)}, theirs {show(b)}{where}")
                break
        else:
            differences.append(f"{kind} {name}: ours {len(mine)}, theirs {len(other)}")
    return differences


def show_section(entry):
    kind, flags, size, entsize, align, data = entry
    return f"type {kind} flags {flags:#x} size {size} entsize {entsize} align {align}"


def first_difference(a, b):
    for offset, (left, right) in enumerate(zip(a, b)):
        if left != right:
            start = offset & ~3
            return f"; at {start:#x} ours {a[start:start + 16].hex()}, theirs {b[start:start + 16].hex()}"
    return ""


def show_relocation(entry):
    where, kind, symbol, addend = entry
    return f"{where:#x} type {kind} {symbol}{addend:+d}"


def drop_step_pairs(ours, theirs):
    """Removes redundant relocations from theirs. GNU as writes the distance of two labels in call frames as a pair of relocations where a piece of its
    memory ends, every few thousand bytes, although nothing between the labels can move."""
    mine, other = ours.relocations(), theirs.relocations()
    for name in (".rela.eh_frame", ".rela.debug_frame"):
        places = {entry[0] for entry in mine.get(name, [])}
        pairs = {}
        for entry in theirs.raw_relocations(name):
            pairs.setdefault(entry[0], []).append(entry)
        for where, pair in pairs.items():
            if where not in places and [e[1] for e in pair] in SET_AND_SUBTRACT and theirs.is_fixed(pair):
                other[name] = [entry for entry in other[name] if entry[0] != where]
    return mine, other


def compare(ours_name, theirs_name):
    """Returns the differences, and the number of sections, relocations and symbols that were compared."""
    ours, theirs = Object(ours_name), Object(theirs_name)
    mine, other = drop_step_pairs(ours, theirs)
    differences = compare_maps("section", ours.contents(), theirs.contents(), show_section)
    differences += compare_maps("relocations", mine, other, show_relocation)
    symbols, their_symbols = ours.linker_symbols(), theirs.linker_symbols()
    differences += [f"symbol only in ours: {s}" for s in symbols if s not in their_symbols]
    differences += [f"symbol only in theirs: {s}" for s in their_symbols if s not in symbols]
    if ours.flags != theirs.flags:
        differences.append(f"flags: ours {ours.flags:#x}, theirs {theirs.flags:#x}")
    counts = sum(len(v) for v in ours.contents().values()), sum(len(v) for v in mine.values()), len(symbols)
    return differences, counts


def main():
    differences, (sections, relocations, symbols) = compare(*sys.argv[1:])
    for difference in differences:
        print(difference)
    print(f"compared {sections} sections, {relocations} relocations, {symbols} symbols: {len(differences)} differences")
    sys.exit(bool(differences) or not (sections or symbols))


if __name__ == "__main__":
    main()
