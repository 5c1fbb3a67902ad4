"""A model of the barrel, written from the words of docs/threads.md: contexts, turns, roles and bundles, over a few instructions.

A program is a list of instructions, each a tuple of the mnemonic and its operands; a branch has the number of instructions that it
skips (negative: it goes back). Every instruction has four bytes."""

import struct

TEXT, DATA, WORDS = 0x10000, 0x20000, 32
MASK = (1 << 64) - 1
# The instructions of the auxiliary pipeline, and those that go alone.
AUXILIARY = {"fadd.s", "fmul.s", "fmv.w.x", "fmv.x.w", "f32v4wdot", "f32v4wmac"}
ALONE = {"trun", "trunall", "texit", "tsync", "tbar", "tstat", "wput", "csrr", "csrwi", "ecall"}
BRANCHES = {"beq", "bne"}


def signed(value, bits=64):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def to_float(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def from_float(value):
    if value != value:
        return 0x7FC00000
    try:
        return struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError:
        return 0x7F800000 if value > 0 else 0xFF800000


def add(a, b):
    return from_float(to_float(a) + to_float(b))


def multiply(a, b):
    x, y = to_float(a), to_float(b)
    if (x == 0 and abs(y) == float("inf")) or (y == 0 and abs(x) == float("inf")):
        return 0x7FC00000
    return from_float(x * y)


def group(first):
    return [f"f{int(first[1:]) + i}" for i in range(4)]


class Thread:
    def __init__(self, name):
        self.name, self.state, self.released = name, "idle", False
        self.x, self.f, self.pc, self.retired, self.reserved, self.status = {}, {}, 0, 0, None, 0


class Fault(Exception):
    pass


class Wait(Exception):
    pass


class Barrel:
    """Runs a program. `lines` is the trace: turn, thread, pc and effects of each instruction that retired."""

    def __init__(self, program, words, workers, weights=32, pair=False):
        self.program, self.pair = program, pair
        self.memory = bytearray(struct.pack(f"<{WORDS}I", *words))
        self.supervisor = Thread("sup")
        self.supervisor.pc, self.supervisor.state = TEXT, "running"
        self.workers = [Thread(f"w{n}") for n in range(workers)]
        self.weights, self.exits = [0] * weights, 1
        self.turn, self.lines, self.ended, self.cause = 0, [], False, None
        self.synchronizing = False

    # ---- turns ----

    def active(self):
        return [worker for worker in self.workers if worker.state in ("running", "barrier")]

    def run(self, limit=20000):
        while not self.ended and len(self.lines) < limit:
            worker = self.workers[self.turn % len(self.workers)]
            thread = worker if worker.state in ("running", "barrier") else self.supervisor
            self.take_turn(thread)
            self.turn += 1

    def take_turn(self, thread):
        if thread.state == "barrier" or (thread is self.supervisor and self.synchronizing and self.active()):
            return
        first = self.at(thread)
        retired = thread.retired
        self.step(thread)
        if self.pair and not self.ended and thread.retired == retired + 1 and thread.state == "running" and pairs(first, self.at(thread)):
            self.step(thread)

    def at(self, thread):
        index = (thread.pc - TEXT) // 4
        return self.program[index] if 0 <= index < len(self.program) else ("none",)

    def step(self, thread):
        pc, self.effects, self.next = thread.pc, [], thread.pc + 4
        instruction = self.at(thread)
        try:
            self.execute(thread, *instruction)
        except Wait:
            return
        except Fault as fault:
            self.cause, self.ended = fault.args, True
            return
        self.lines.append((self.turn, thread.name, pc, self.effects))
        thread.retired += 1
        if thread.state != "idle":
            thread.pc = self.next

    # ---- instructions ----

    def read(self, thread, register):
        return thread.x.get(register, 0)

    def write(self, thread, register, value):
        value &= MASK
        if register != "zero":
            thread.x[register] = value
            self.effects.append(f"{register}=0x{value:x}")

    def write_float(self, thread, register, bits):
        thread.f[register] = bits
        self.effects.append(f"{FLOAT_NAMES[int(register[1:])]}=0xffffffff{bits:08x}")

    def load(self, address, size):
        offset = address - DATA
        return int.from_bytes(self.memory[offset:offset + size], "little")

    def store(self, thread, address, size, value):
        value &= (1 << 8 * size) - 1
        self.memory[address - DATA:address - DATA + size] = value.to_bytes(size, "little")
        self.effects.append(f"store{size}[0x{address:x}]=0x{value:x}")
        for other in [self.supervisor, *self.workers]:
            if other is not thread and other.reserved and other.reserved[0] // 8 == address // 8:
                other.reserved = None

    def role(self, thread, supervisor):
        if (thread is self.supervisor) != supervisor:
            raise Fault(2)

    def weight(self, index):
        if index >= len(self.weights):
            raise Fault(25, index)
        return self.weights[index]

    def dot(self, thread, first, values):
        products = [multiply(self.weights[first + j], thread.f.get(values[j], 0)) for j in range(4)]
        return add(add(products[0], products[1]), add(products[2], products[3]))

    def start(self, number, entry, argument):
        worker = self.workers[number]
        self.workers[number] = fresh = Thread(worker.name)
        fresh.pc, fresh.state, fresh.status = entry, "running", worker.status
        fresh.x = {"a0": argument & MASK, "a1": number, "gp": self.read(self.supervisor, "gp")}
        self.effects += [f"worker[{number}].pc=0x{entry:x}", f"worker[{number}].a0=0x{argument & MASK:x}"]

    def check_start(self, number):
        if number >= len(self.workers) or self.workers[number] in self.active():
            raise Fault(25, number)

    def release(self):
        if any(worker.state == "running" for worker in self.workers):
            return
        for worker in self.workers:
            if worker.state == "barrier":
                worker.state, worker.released = "running", True

    def value(self, thread, operand):
        return operand if isinstance(operand, int) else self.read(thread, operand)

    def execute(self, thread, name, *o):
        get, put = self.read, self.write
        if name == "lui":
            put(thread, o[0], signed(o[1] << 12, 32))
        elif name == "addi":
            put(thread, o[0], get(thread, o[1]) + o[2])
        elif name == "add":
            put(thread, o[0], get(thread, o[1]) + get(thread, o[2]))
        elif name == "xor":
            put(thread, o[0], get(thread, o[1]) ^ get(thread, o[2]))
        elif name == "mul":
            put(thread, o[0], get(thread, o[1]) * get(thread, o[2]))
        elif name in ("lw", "ld", "lbu"):
            size = {"lw": 4, "ld": 8, "lbu": 1}[name]
            value = self.load(get(thread, "s0") + o[1], size)
            put(thread, o[0], signed(value, 32) if name == "lw" else value)
        elif name in ("sw", "sd", "sb"):
            self.store(thread, get(thread, "s0") + o[1], {"sw": 4, "sd": 8, "sb": 1}[name], get(thread, o[0]))
        elif name == "amoadd.w":
            address = get(thread, "s1")
            old = signed(self.load(address, 4), 32)
            self.store(thread, address, 4, old + get(thread, o[1]))
            put(thread, o[0], old)
        elif name == "lr.w":
            address = get(thread, "s1")
            value = signed(self.load(address, 4), 32)
            thread.reserved = (address, value)
            put(thread, o[0], value)
        elif name == "sc.w":
            address = get(thread, "s1")
            held = thread.reserved and thread.reserved[0] == address and signed(self.load(address, 4), 32) == thread.reserved[1]
            thread.reserved = None
            if held:
                self.store(thread, address, 4, get(thread, o[1]))
            put(thread, o[0], 0 if held else 1)
        elif name in BRANCHES:
            if (get(thread, o[0]) == get(thread, o[1])) == (name == "beq"):
                self.next = thread.pc + 4 * (o[2] + 1)
        elif name == "fadd.s":
            self.write_float(thread, o[0], add(thread.f.get(o[1], 0), thread.f.get(o[2], 0)))
        elif name == "fmul.s":
            self.write_float(thread, o[0], multiply(thread.f.get(o[1], 0), thread.f.get(o[2], 0)))
        elif name == "fmv.w.x":
            self.write_float(thread, o[0], get(thread, o[1]) & 0xFFFFFFFF)
        elif name == "fmv.x.w":
            put(thread, o[0], signed(thread.f.get(o[1], 0), 32))
        elif name == "csrr":
            put(thread, o[0], {"tself": 0 if thread is self.supervisor else self.workers.index(thread) + 1, "tworkers": len(self.workers),
                               "cycle": self.turn, "instret": thread.retired, "texits": self.exits}[o[1]])
        elif name == "csrwi":
            self.exits = o[1]
        elif name == "wput":
            self.role(thread, True)
            self.weight(o[0])
            self.weights[o[0]] = thread.f.get(o[1], 0)
            self.effects.append(f"weight{o[0]}=0x{self.weights[o[0]]:x}")
        elif name == "wget":
            self.write_float(thread, o[0], self.weight(o[1]))
        elif name == "f32v4wdot":
            if 4 * o[2] + 3 >= len(self.weights):
                raise Fault(25, o[2])
            self.write_float(thread, o[0], self.dot(thread, 4 * o[2], group(o[1])))
        elif name == "f32v4wmac":
            if 16 * o[2] + 15 >= len(self.weights):
                raise Fault(25, o[2])
            sums = [add(thread.f.get(register, 0), self.dot(thread, 16 * o[2] + 4 * i, group(o[1]))) for i, register in enumerate(group(o[0]))]
            for register, value in zip(group(o[0]), sums):
                self.write_float(thread, register, value)
        elif name == "trun":
            self.role(thread, True)
            number, entry = self.value(thread, o[0]), get(thread, o[1])
            self.check_start(number)
            if entry % 2:
                raise Fault(25, entry)
            self.start(number, entry, get(thread, o[2]))
        elif name == "trunall":
            self.role(thread, True)
            for number in range(len(self.workers)):
                self.check_start(number)
            if get(thread, o[0]) % 2:
                raise Fault(25, get(thread, o[0]))
            for number in range(len(self.workers)):
                self.start(number, get(thread, o[0]), get(thread, o[1]) + number * self.value(thread, o[2]))
        elif name == "texit":
            self.role(thread, False)
            thread.state, thread.status = "idle", get(thread, o[0])
            self.exits = self.exits | 2 if thread.status else self.exits & ~1
            self.effects.append(f"exits=0x{self.exits:x}")
            self.release()
        elif name == "tsync":
            self.role(thread, True)
            self.synchronizing = bool(self.active())
            if self.synchronizing:
                raise Wait()
        elif name == "tbar":
            self.role(thread, False)
            if not thread.released:
                thread.state = "barrier"
                self.release()
            if not thread.released:
                raise Wait()
            thread.released = False
        elif name == "tstat":
            self.role(thread, True)
            number = self.value(thread, o[1])
            if number >= len(self.workers):
                raise Fault(25, number)
            if o[2] > 4:
                raise Fault(25, o[2])
            worker = self.workers[number]
            put(thread, o[0], [["idle", "running", "barrier", "faulted"].index(worker.state), worker.status, 0, 0, 0][o[2]])
        elif name == "ecall":
            self.ended = True
        else:
            raise Fault(2)


FLOAT_NAMES = [*(f"ft{i}" for i in range(8)), "fs0", "fs1", *(f"fa{i}" for i in range(8)), *(f"fs{i}" for i in range(2, 12)),
               *(f"ft{i}" for i in range(8, 12))]


def accesses(instruction):
    """The registers that an instruction reads, and those that it writes."""
    name, *o = instruction
    named = {register for register in o if isinstance(register, str)}
    if name in ("sw", "sd", "sb"):
        return named | {"s0"}, set()
    if name in BRANCHES:
        return named, set()
    if name in ("lw", "ld", "lbu"):
        return {"s0"}, {o[0]}
    if name == "lr.w":
        return {"s1"}, {o[0]}
    if name in ("amoadd.w", "sc.w"):
        return {"s1", o[1]}, {o[0]}
    if name == "f32v4wdot":
        return set(group(o[1])), {o[0]}
    if name == "f32v4wmac":
        return set(group(o[0])) | set(group(o[1])), set(group(o[0]))
    if name in ("wget", "lui"):
        return set(), {o[0]}
    return set(o[1:]) & named, {o[0]}


def pairs(first, second):
    """May the two share a turn?"""
    if first[0] in ALONE or second[0] in ALONE or "none" in (first[0], second[0]) or first[0] in BRANCHES:
        return False
    if (first[0] in AUXILIARY) == (second[0] in AUXILIARY):
        return False
    written = accesses(first)[1] - {"zero"}
    reads, writes = accesses(second)
    return not written & (reads | writes)


def text_of(instruction):
    """The instruction as assembly."""
    name, *o = instruction
    if name in ("lw", "ld", "lbu", "sw", "sd", "sb"):
        return f"{name} {o[0]}, {o[1]}(s0)"
    if name == "lr.w":
        return f"{name} {o[0]}, (s1)"
    if name in ("amoadd.w", "sc.w"):
        return f"{name} {o[0]}, {o[1]}, (s1)"
    if name in BRANCHES:
        return f"{name} {o[0]}, {o[1]}, . + {4 * (o[2] + 1)}" if o[2] >= 0 else f"{name} {o[0]}, {o[1]}, . - {-4 * (o[2] + 1)}"
    if name == "csrwi":
        return f"csrwi texits, {o[1]}"
    if name == "f32v4wdot":
        return f"{name} {o[0]}, {o[1]}:{group(o[1])[3]}, {o[2]}"
    if name == "f32v4wmac":
        return f"{name} {o[0]}:{group(o[0])[3]}, {o[1]}:{group(o[1])[3]}, {o[2]}"
    return " ".join([name, ", ".join(str(operand) for operand in o)])


def source_of(program, words):
    lines = ["    .option norvc", "    .globl _start", "    .text", "_start:", *(f"    {text_of(instruction)}" for instruction in program)]
    return "\n".join([*lines, "    .data", f"    .word {', '.join(str(word) for word in words)}", ""])
