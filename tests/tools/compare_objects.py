"""Compares two relocatable ELF64 files as a linker sees them: sections, relocations, symbols.

compare_objects.py OURS THEIRS: prints each difference and exits 1, or prints how much was compared and exits 0.
It ignores the note of the ISA, mapping symbols, the names of local labels (but not their places), the order of symbols, and the
alignment and presence of empty sections. Where versions of GNU as differ, tasm does what one of them does, and what the other one writes
is brought to that form first:
- GNU as 2.44 also names extensions that another one contains (`zaamo` and `zalrsc`, which are in `a`) in the attributes,
- pads code with nops at the end of a section, where 2.40 has zeros,
- lets the linker relax an address that is loaded from the GOT,
- and begins call frames with DW_CFA_def_cfa sp, 0, where 2.40 has DW_CFA_def_cfa_register sp.
"""

import bisect
import functools
import re
import struct
import sys

# Relocation types: those after which GNU as does not know distances, and pairs that compute a distance (psABI, "Relocations").
MOVES = frozenset({16, 17, 18, 19, 23, 26, 29, 32, 43})
SET_AND_SUBTRACT = [[53, 52], [54, 37], [55, 38], [56, 39]]
BRANCHES = {16, 17, 44, 45}
LEB128_PAIR = [60, 61]
GOT_HI20, RELAX = 20, 51
ATTRIBUTES, EXECUTABLE = 0x70000003, 4
# Extensions that are part of another one, which is named before them.
CONTAINED = re.compile(rb"(_a\dp\d\S*)_zaamo1p0_zalrsc1p0")
FILLING = (b"\0", b"\x01\0", b"\x13\0\0\0")


def skip_leb128(data, at):
    while data[at] & 0x80:
        at += 1
    return at + 1


def first_instruction(cie):
    """Returns where the instructions of a common record begin."""
    augmentation = cie[9 : cie.index(b"\0", 9)]
    at = 10 + len(augmentation) + (2 if cie[8] >= 4 else 0)
    at = skip_leb128(cie, skip_leb128(cie, at))
    at = at + 1 if cie[8] == 1 else skip_leb128(cie, at)
    return skip_leb128(cie, at) + cie[at] if augmentation.startswith(b"z") else at


def filled(start, rest, alignment):
    """Returns start and rest with as many zeros at the end as the alignment asks for: `rest` may end with one that another start needed."""
    excess = (len(start) + len(rest)) % alignment
    if not excess:
        return start + rest
    return start + (rest[:-excess] if len(rest) >= excess and not any(rest[-excess:]) else rest + bytes(alignment - excess))


def with_offsets(data, name):
    """Returns call frames with the first instruction that GNU as 2.44 writes, and the places of the records before and after that."""
    result, places = bytearray(), {0: 0}
    common, alignment = (0, 4) if name == ".eh_frame" else (0xFFFFFFFF, 8)
    at = 0
    while at < len(data):
        length, link = struct.unpack_from("<II", data, at)
        record = data[at : at + 4 + length]
        places[at] = len(result)
        if link == common:
            start = first_instruction(record)
            if record[start : start + 2] == b"\x0d\x02":
                record = filled(record[:start] + b"\x0c\x02\0", record[start + 2 :], alignment)
        elif name == ".eh_frame":
            record = record[:4] + struct.pack("<I", len(result) + 4 - places[at + 4 - link]) + record[8:]
        at += 4 + length
        # The last record also fills the section, after its instructions.
        if at == len(data):
            start = 17 + record[16] if name == ".eh_frame" else 24
            record = filled(result + record[:start], record[start:], 8)[len(result) :]
        result += struct.pack("<I", len(record) - 4) + record[4:]
    return bytes(result), (list(places), list(places.values()))


def without_contained(data):
    """Returns the attributes without the extensions that are part of another one, and with the lengths of what is left."""
    shorter = CONTAINED.sub(rb"\1", data)
    lengths = [struct.unpack_from("<I", data, at)[0] - len(data) + len(shorter) for at in (1, 12)]
    return shorter[:1] + struct.pack("<I", lengths[0]) + shorter[5:12] + struct.pack("<I", lengths[1]) + shorter[16:]


def with_zeros(data, align):
    """Returns code with zeros for the nops that it may have at the end, up to the alignment."""
    start, fits = len(data), {len(data)}
    for at in range(len(data) - 1, max(len(data) - align, -1), -1):
        if at < start - len(FILLING[-1]):
            break
        if any(data.startswith(piece, at) and at + len(piece) in fits for piece in FILLING):
            fits.add(at)
            start = at
    return data[:start] + bytes(len(data) - start)


class Object:
    def __init__(self, name, by_gas=False):
        self.data = open(name, "rb").read()
        shoff, = struct.unpack_from("<Q", self.data, 40)
        self.flags, = struct.unpack_from("<I", self.data, 48)
        size, count, names = struct.unpack_from("<HHH", self.data, 58)
        self.headers = [struct.unpack_from("<IIQQQQIIQQ", self.data, shoff + i * size) for i in range(count)]
        self.changed, self.places = {}, {}
        self.names = [self.string(names, header[0]) for header in self.headers]
        self.bring_to_one_form(by_gas)
        self.symbols = self.read_symbols()

    def bytes(self, index):
        header = self.headers[index]
        if index in self.changed:
            return self.changed[index]
        return b"" if header[1] == 8 else self.data[header[4] : header[4] + header[5]]

    def bring_to_one_form(self, by_gas):
        for i, header in enumerate(self.headers):
            data = self.bytes(i)
            if header[1] == 1 and header[2] & EXECUTABLE:
                self.changed[i] = with_zeros(data, header[8])
            elif header[1] == ATTRIBUTES and by_gas:
                self.changed[i] = without_contained(data)
            elif by_gas and self.names[i] in (".eh_frame", ".debug_frame"):
                self.changed[i], self.places[self.names[i]] = with_offsets(data, self.names[i])

    def moved(self, section, where):
        """Returns the place in the section as it was brought to that form."""
        old, new = self.places.get(section, ((0,), (0,)))
        record = max(bisect.bisect_right(old, where) - 1, 0)
        return new[record] + where - old[record]

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
                name, section = self.string(header[6], name), self.section_name(section)
                symbols.append((name, info >> 4, info & 15, other, section, self.moved(section, value), size))
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
                kind, place = info & 0xFFFFFFFF, self.place(info >> 32)
                where = self.moved(self.names[i].removeprefix(".rela"), where)
                if kind != RELAX or not entries or entries[-1][:2] != (where, GOT_HI20):
                    entries.append((where, kind, place, addend))
            found.setdefault(self.names[i], []).extend(entries)
        return found

    @functools.cache
    def raw_relocations(self, section):
        """Returns the place, type and symbol of each relocation."""
        found = []
        for i, header in enumerate(self.headers):
            if header[1] == 4 and self.names[i] == section:
                for where, info, _ in struct.iter_unpack("<QQq", self.bytes(i)):
                    found.append((self.moved(section.removeprefix(".rela"), where), info & 0xFFFFFFFF, self.symbols[info >> 32]))
        return found

    @functools.cache
    def places_of(self, section, kinds):
        """Returns where the section has relocations of these types, in order."""
        return sorted(where for where, kind, _ in self.raw_relocations(".rela" + section) if kind in kinds)

    def is_fixed(self, pair, moves):
        """Returns whether no relocation of these types is between the symbols of the pair."""
        (_, _, to), (_, _, start) = pair
        places = self.places_of(to[4], moves)
        first = bisect.bisect_left(places, start[5])
        return to[4] == start[4] and (first == len(places) or places[first] >= to[5])

    def contents(self):
        found = {}
        for i, header in enumerate(self.headers):
            name = self.names[i]
            if header[1] in (0, 2, 3, 4, 17) or header[5] == 0 or name == ".note.tensor.isa":
                continue
            size = len(self.changed[i]) if i in self.changed else header[5]
            found.setdefault(name, []).append((header[1], header[2], size, header[9], header[8], self.bytes(i)))
        return found

    def linker_symbols(self):
        return {s for s in self.symbols if s[2] != 3 and not s[0].startswith((".L", "$x", "$d")) and s[0]}


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


def drop_fixed(ours, theirs):
    """Returns the relocations of both without redundant ones. GNU as writes the distance of two labels as a pair of relocations although nothing between
    them can move: in call frames where a piece of its memory ends, every few thousand bytes; since version 2.41, as LEB128. tasm and older versions have relocations for branches to
    labels of the assembler's own without relaxation; where GNU as has none, its code has the same distance, or the sections are not equal."""
    mine, other = ours.relocations(), theirs.relocations()
    for name, entries in other.items():
        places = {entry[0] for entry in mine.get(name, [])}
        pairs = {}
        for entry in theirs.raw_relocations(name):
            pairs.setdefault(entry[0], []).append(entry)
        is_frames, redundant = name in (".rela.eh_frame", ".rela.debug_frame"), set()
        for where, pair in pairs.items():
            kinds = [entry[1] for entry in pair]
            is_step = is_frames and kinds in SET_AND_SUBTRACT and theirs.is_fixed(pair, MOVES)
            if where not in places and (is_step or kinds == LEB128_PAIR and theirs.is_fixed(pair, MOVES - BRANCHES)):
                redundant.add(where)
        entries[:] = [entry for entry in entries if entry[0] not in redundant]
    for name, entries in mine.items():
        places = {entry[0] for entry in other.get(name, [])}
        own = name.removeprefix(".rela") + "+"
        entries[:] = [entry for entry in entries if entry[0] in places or entry[1] not in BRANCHES or not entry[2].startswith(own)]
    return mine, other


def compare(ours_name, theirs_name):
    """Returns the differences, and the number of sections, relocations and symbols that were compared."""
    ours, theirs = Object(ours_name), Object(theirs_name, by_gas=True)
    mine, other = drop_fixed(ours, theirs)
    differences = compare_maps("section", ours.contents(), theirs.contents(), show_section)
    differences += compare_maps("relocations", mine, other, show_relocation)
    symbols, their_symbols = ours.linker_symbols(), theirs.linker_symbols()
    differences += [f"symbol only in ours: {s}" for s in sorted(symbols - their_symbols)]
    differences += [f"symbol only in theirs: {s}" for s in sorted(their_symbols - symbols)]
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
