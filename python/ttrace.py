"""Reads the lossless traces of temu (docs/ttrace-format.md).

    import ttrace
    trace = ttrace.open("run.ttrace")
    for record in trace:
        print(record.sequence, hex(record.pc), record.effects)

As a program it prints one line for each record. It needs zstd(1).
"""

import collections
import subprocess
import sys

VERSION = 3
BARE, TRAP, INTERRUPT, LONG, START = 1, 2, 4, 8, 16
REGISTER, CSR, PRIVILEGE, LOAD, STORE, READ, WRITE, STATE, HOP = range(9)
SITES, ORDER, TAGS, VALUES, EFFECTS, BYTES, BREAKS = range(7)
SAME, SIGNED, UNSIGNED, BOXED = 9, 10, 11, 12
MASK = (1 << 64) - 1

Record = collections.namedtuple("Record", "sequence thread turn pc word length privilege flags effects trap")
# What has no meaning for an effect is None. `content` is what a tensor unit wrote; `value` of a wide register is one number.
Effect = collections.namedtuple("Effect", "kind file number size address length value unit name dimension content",
                                defaults=(None,) * 10)


STAGES = ["F", "D", "Q", "P", "S", "X", "M", "E", "C", "pipe"]
Time = collections.namedtuple("Time", "record cycles stall wait unit blocker passes")


class Damaged(Exception):
    """The bytes are not a trace."""


class Column:
    """Bytes that are read from the front."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def bytes(self, length):
        if length > len(self.data) - self.at:
            raise Damaged("the data ends early")
        self.at += length
        return self.data[self.at - length:self.at]

    def byte(self):
        return self.bytes(1)[0]

    def number(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value & MASK

    def string(self):
        return self.bytes(self.number())

    def is_empty(self):
        return self.at == len(self.data)


def unzigzag(value):
    return value >> 1 ^ (MASK if value & 1 else 0)


class Site:
    def __init__(self, column):
        self.pc, self.word = column.number(), column.number()
        self.length, self.privilege, self.flags = column.bytes(3)
        self.cause = column.number() if self.flags & (TRAP | INTERRUPT) else None
        shapes = [] if self.flags & LONG else [column.number() for _ in range(column.byte())]
        self.shapes = [(shape & 0xFF, shape >> 8 & 0xFF, shape >> 16 & 0xFF, shape >> 32) for shape in shapes]
        self.last, self.stride = [0] * 32, [0] * 32
        self.next = None


class Segment:
    """Decodes the records of one block."""

    def __init__(self, block, workers=0):
        self.workers = workers
        self.count, self.sequence = block.number(), block.number()
        sites = block.number()
        lengths = [block.number() for _ in range(7)]
        self.columns = [Column(block.bytes(length)) for length in lengths]
        self.sites = [Site(self.columns[SITES]) for _ in range(sites)]
        self.contents, self.names = [], []

    def order(self):
        """Yields the site of each record."""
        column, last, count = self.columns[ORDER], None, 0
        while not column.is_empty():
            run, after = column.number(), column.number()
            for _ in range(run):
                last = last.next
                yield last
            if last:
                last.next = self.sites[after]
            last = self.sites[after]
            yield last
            count += run + 1
        for _ in range(self.count - count):
            last = last.next
            yield last

    def value(self, site, slot, load=None):
        tag = self.columns[TAGS].byte()
        if tag in (SIGNED, UNSIGNED, BOXED):
            bits = 8 * load.size
            value = load.value & ((1 << bits) - 1)
            if tag == BOXED or (tag == SIGNED and value >> (bits - 1)):
                value |= MASK << bits & MASK
            site.last[slot] = value
        elif tag != SAME:
            if tag:
                site.stride[slot] = unzigzag(int.from_bytes(self.columns[VALUES].bytes(tag), "little"))
            site.last[slot] = site.last[slot] + site.stride[slot] & MASK
        return site.last[slot]

    def short(self, site):
        effects, slot, load = [], 0, None
        for kind, size, file, number in site.shapes:
            if kind in (LOAD, STORE):
                effect = Effect(kind, size=size, address=self.value(site, slot), value=self.value(site, slot + 1))
                slot += 2
                load = effect if kind == LOAD else load
            else:
                value = self.value(site, slot, load if kind == REGISTER else None)
                effect = Effect(kind, file=file, number=number, value=value)
                slot += 1
            effects.append(effect)
        return effects, self.value(site, slot) if site.flags & TRAP else None

    def name(self, column):
        number = column.number()
        if number == 0:
            self.names.append(column.string().decode())
        return self.names[number - 1]

    def content(self, column):
        length = column.number()
        if length == 0:
            return b""
        number = column.number()
        if number == 0:
            self.contents.append(self.columns[BYTES].bytes(length))
        return self.contents[number - 1]

    def long_effect(self, column):
        kind = column.byte()
        if kind == REGISTER:
            file, number, count = column.number(), column.number(), column.number()
            words = [column.number() for _ in range(count or 1)]
            return Effect(kind, file=file, number=number, value=sum(word << 64 * i for i, word in enumerate(words)))
        if kind == CSR:
            return Effect(kind, number=column.number(), value=column.number())
        if kind == PRIVILEGE:
            return Effect(kind, value=column.number())
        if kind in (LOAD, STORE):
            return Effect(kind, size=column.number(), address=column.number(), value=column.number())
        if kind == READ:
            return Effect(kind, address=column.number(), length=column.number())
        if kind == WRITE:
            return Effect(kind, address=column.number(), length=column.number(), content=self.content(column))
        if kind not in (STATE, HOP):
            raise Damaged(f"an effect has kind {kind}")
        unit, name, number, dimension = self.name(column), self.name(column), column.number(), column.number() - 1
        if kind == STATE:
            return Effect(kind, unit=unit, name=name, number=number - 1 if number else None, dimension=dimension, value=column.number())
        return Effect(kind, unit=unit, name=name, number=number, dimension=dimension, address=column.number(), length=column.number(),
                      value=column.number())

    def long(self, site):
        column = self.columns[EFFECTS]
        effects = [self.long_effect(column) for _ in range(column.number())]
        return effects, column.number() if site.flags & TRAP else None

    def records(self):
        breaks, sequence, thread, at = self.columns[BREAKS], self.sequence - 1, 0, None
        turn, slots = -1, [0] * self.workers
        for index, site in enumerate(self.order()):
            if at is None and not breaks.is_empty():
                at = breaks.number()
            if at == index:
                sequence = sequence + unzigzag(breaks.number()) & MASK
                thread, at = breaks.number(), None
                if self.workers:
                    turn = turn + unzigzag(breaks.number()) & MASK
                    slots[turn % self.workers] = thread
            else:
                sequence += 1
                if self.workers:
                    turn += 1
                    thread = slots[turn % self.workers]
            effects, value = self.long(site) if site.flags & LONG else self.short(site)
            trap = None if site.cause is None else (site.cause, value)
            yield Record(sequence, thread, turn if self.workers else None, site.pc, site.word, site.length, site.privilege, site.flags & ~LONG, effects, trap)


class Trace:
    """A trace: its header, and its records when it is iterated over."""

    def __init__(self, stream):
        self.data, self.is_complete = Column(stream), False
        kind, header = self.block()
        if kind != "H" or header.bytes(6) != b"ttrace":
            raise Damaged("this is not a trace")
        if header.number() != VERSION:
            raise Damaged("the version of the format is another one")
        self.isa, self.machine, self.moved = header.string().decode(), header.number(), header.number()
        self.program = header.string()
        self.sources = {header.string().decode(): header.string() for _ in range(header.number())}
        self.workers = 0 if header.is_empty() else header.number()

    def block(self):
        kind = chr(self.data.byte())
        return kind, Column(self.data.string())

    def __iter__(self):
        while not self.data.is_empty():
            try:
                kind, block = self.block()
            except Damaged:
                return  # the run was interrupted, and the last block is incomplete
            if kind == "R":
                yield from (record for record in Segment(block, self.workers).records() if not record.flags & START)
            self.is_complete = kind == "E"

    def times(self):
        """Yields the times of the records that have them, after the records: the number of the record among all, a dictionary of cycles by stage, why
        it waited in D and for its unit, the unit, how many instructions before it the one was that it waited for (0: none), and the turns of a
        barrel that passed before it: turn, thread (0 is the supervisor) and cause. Turns after the last record are in a time without cycles."""
        data = Column(self.data.data)
        while not data.is_empty():
            kind, block = chr(data.byte()), Column(data.string())
            if kind != "T":
                continue
            record, count = block.number(), block.number()
            names = [[None] + [block.string().decode() for _ in range(block.number())] for _ in range(3)]
            lengths = [block.number() for _ in range(9 + len(STAGES))]
            numbers, *stages, stalls, waits, units, blockers, _, _, _, passes = [Column(block.bytes(length)) for length in lengths]
            start = turn = 0
            for _ in range(count):
                record += numbers.number()
                start = start + unzigzag(stages[0].number()) & MASK
                others = [column.number() for column in stages[1:]]
                cycles = {stage: start + unzigzag(cycle - 1) & MASK for stage, cycle in zip(STAGES[1:], others) if cycle}
                cycles = cycles if start == MASK else {"F": start, **cycles}
                passed = []
                for _ in range(passes.number()):
                    turn = turn + unzigzag(passes.number()) & MASK
                    passed.append((turn, passes.number(), names[0][passes.byte()]))
                yield Time(record, cycles, *[names[i][column.byte()] for i, column in enumerate((stalls, waits, units))], blockers.number(), passed)


def open(name):
    """Returns the Trace in a file. One of a run that was interrupted has the records up to its last block."""
    run = subprocess.run(["zstd", "-dcq", name], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    message = run.stderr.decode(errors="replace").strip()
    if run.returncode and (not run.stdout or "premature end" not in message):
        raise Damaged(message)
    return Trace(run.stdout)


def fnv(data):
    digest = 0xCBF29CE484222325
    for byte in data:
        digest = (digest ^ byte) * 0x100000001B3 & MASK
    return digest


def show(effect, registers):
    """Returns an effect as the text format has it, but for the names of CSRs."""
    if effect.kind == REGISTER:
        return f"{registers[effect.file][effect.number]}={effect.value:#x}"
    if effect.kind in (CSR, PRIVILEGE):
        return f"csr={effect.value:#x}"
    if effect.kind in (LOAD, STORE):
        return f"{'load' if effect.kind == LOAD else 'store'}{effect.size}[{effect.address:#x}]={effect.value:#x}"
    if effect.kind == READ:
        return f"read[{effect.address:#x}+{effect.length:#x}]"
    if effect.kind == WRITE:
        return f"write[{effect.address:#x}+{effect.length:#x}]#{fnv(effect.content):016x}"
    row = "" if effect.number is None else f"[{effect.number}]"
    column = "" if effect.dimension < 0 else f"[{effect.dimension}]"
    ends = "" if effect.kind == STATE else ":{},{}>{},{}".format(effect.address >> 32, effect.address & 0xFFFFFFFF,
                                                                effect.length >> 32, effect.length & 0xFFFFFFFF)
    unit = effect.unit and effect.unit + "."
    return f"{unit}{effect.name}{row}{column}{ends}={effect.value:#x}"


X = "zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6".split()
F = ("ft0 ft1 ft2 ft3 ft4 ft5 ft6 ft7 fs0 fs1 fa0 fa1 fa2 fa3 fa4 fa5 fa6 fa7 fs2 fs3 fs4 fs5 fs6 fs7 fs8 fs9 fs10 fs11 "
     "ft8 ft9 ft10 ft11").split()


def main():
    for record in open(sys.argv[1]):
        effects = [show(effect, (X, F)) for effect in record.effects]
        if record.flags & INTERRUPT:
            effects.append(f"interrupt={record.trap[0]:#x}")
        elif record.trap:
            effects.append(f"trap={record.trap[0]}:{record.trap[1]:#x}")
        word = f"{record.word:0{2 * record.length}x}" if record.length else "-"
        print(record.sequence, f"{record.pc:#018x}", word, *effects)


if __name__ == "__main__":
    try:
        main()
    except Damaged as error:
        sys.exit(f"{sys.argv[1]}: error: {error}")
