"""The pipeline of docs/timing.md, beat by beat: a loop over the cycles that does in each what the page says, stage by stage from the back.

It is written from the page and shares no idea with lib/timing: no event, no threshold, no closed form. It is slow.
"""

import dataclasses

STALLS = ["fill", "branch", "window", "operand", "waw", "war", "unit", "fence", "memory", "traversal", "queue-full"]
STATES = ["busy", "raw", "waw", "war", "order", "queue", "empty"]


@dataclasses.dataclass
class Instruction:
    reads: list = dataclasses.field(default_factory=list)
    writes: list = dataclasses.field(default_factory=list)
    unit: int = -1
    cls: int = 0
    fence: bool = False
    trapped: bool = False
    taken: bool = False
    walk: str = "none"  # begin, take, look
    row: int = 0
    delay: int = 0
    addresses: int = 0
    cycles: int = 1
    occupancy: int = 1
    ranges: list = dataclasses.field(default_factory=list)  # (address, length, is_write)


@dataclasses.dataclass
class Settings:
    window: int = 64
    branch: int = 2
    queue: int = 24
    storage: int = 32
    order: str = "fifo"
    granule: int = 1
    resources: tuple = (1, 1, 1)
    ahead: int = 4
    locate: int = 2
    rows: int = 8


class Machine:
    def __init__(self, program, settings):
        self.program, self.settings = program, settings
        count = len(program)
        self.times = [{} for _ in range(count)]  # stage: cycle
        self.read = [set() for _ in range(count)]  # registers that an entry of Q has read
        self.last_read = [None] * count
        self.fetch, self.decode = None, None
        self.fetched = self.committed = 0
        self.q, self.p, self.s = [], None, []
        self.engines = [[0] * number for number in settings.resources]
        self.classes = {}
        self.stalls = {name: 0 for name in STALLS}
        self.issued = 0
        self.units = [{name: 0 for name in STATES} for _ in settings.resources]
        self.walks = {}
        self.turn = -1
        self.written = {}  # register: sequence numbers of its writers that left D
        self.storage_full = 0
        self.waits = {"raw": 0, "waw": 0, "war": 0, "order": 0}  # cycles of the entries of S

    # ---- questions ----
    def finished(self, i, cycle):
        return "E" in self.times[i] and self.times[i]["E"] <= cycle

    def usable(self, register, cycle):
        writers = self.written.get(register)
        return not writers or self.finished(writers[-1], cycle)

    def older_units(self, i, cycle):
        return [k for k in range(i) if self.program[k].unit >= 0 and not self.finished(k, cycle)]

    def overlap(self, a, b, kind_a, kind_b):
        granule = self.settings.granule
        for address, length, write in self.program[a].ranges:
            if write != kind_a or not length:
                continue
            first, last = address // granule, (address + length - 1) // granule
            for address_b, length_b, write_b in self.program[b].ranges:
                if write_b == kind_b and length_b and first <= (address_b + length_b - 1) // granule and address_b // granule <= last:
                    return True
        return False

    def conflict(self, i, cycle):
        """The name of the first conflict of i with an older instruction of a unit that is not finished."""
        older = self.older_units(i, cycle)
        for name, mine, theirs in (("raw", False, True), ("waw", True, True), ("war", True, False)):
            if any(self.overlap(i, k, mine, theirs) for k in older):
                return name
        return None

    def engine(self, unit, cycle):
        return next((k for k, free in enumerate(self.engines[unit]) if free <= cycle), None)

    def start(self, i, cycle):
        instruction = self.program[i]
        self.times[i]["M"], self.times[i]["E"] = cycle, cycle + instruction.cycles
        self.engines[instruction.unit][self.engine(instruction.unit, cycle)] = cycle + instruction.occupancy

    # ---- the stages, from the back ----
    def commit(self, cycle):
        while self.committed < self.fetched and self.finished(self.committed, cycle):
            self.times[self.committed]["C"] = cycle
            self.committed += 1

    def storage_to_unit(self, cycle):
        for i in self.s[:1] if self.settings.order == "fifo" else self.s:
            unit = self.program[i].unit
            if not self.conflict(i, cycle) and self.engine(unit, cycle) is not None:
                self.start(i, cycle)
                self.s.remove(i)
                return unit
        return None

    def dependency_unit(self, cycle, sent):
        i = self.p
        if i is None:
            return
        if self.program[i].trapped:
            self.p = None
        elif not self.conflict(i, cycle) and self.engine(self.program[i].unit, cycle) is not None and sent != self.program[i].unit:
            self.start(i, cycle)
            self.p = None
        elif len(self.s) < self.settings.storage:
            self.times[i]["S"] = cycle
            self.s.append(i)
            self.p = None
        else:
            self.storage_full += 1

    def queue_to_p(self, cycle):
        if self.q and self.p is None:
            head = self.q[0]
            if self.last_read[head] is not None and self.last_read[head] < cycle and self.times[head]["Q"] < cycle:
                self.q.pop(0)
                self.p = head
                self.times[head]["P"] = cycle
                if self.program[head].trapped:
                    self.times[head]["E"] = cycle + 1

    def queue_reads(self, cycle):
        for i in self.q:
            for register in set(self.program[i].reads) - self.read[i]:
                writers = [k for k in self.written.get(register, []) if k < i]
                if not writers or self.finished(writers[-1], cycle):
                    self.read[i].add(register)
            if self.last_read[i] is None and self.read[i] == set(self.program[i].reads):
                self.last_read[i] = cycle

    def stall(self, i, cycle):
        """Why i stays in D, or None."""
        instruction = self.program[i]
        if instruction.unit >= 0 and instruction.fence and self.older_units(i, cycle):
            return "fence"
        if instruction.unit >= 0:
            return None if len(self.q) < self.settings.queue else "queue-full"
        if not all(self.usable(register, cycle) for register in instruction.reads):
            return "operand"
        for register in instruction.writes:
            writer = self.written.get(register, [None])[-1]
            if writer is not None and ("E" not in self.times[writer] or cycle + instruction.cycles < self.times[writer]["E"]):
                return "waw"
        if any(register in self.program[k].reads and register not in self.read_before[k] for k in self.q for register in instruction.writes):
            return "war"
        if self.classes.get(instruction.cls, 0) > cycle:
            return "unit"
        if instruction.fence and self.older_units(i, cycle):
            return "fence"
        if instruction.ranges and self.conflict(i, cycle):
            return "memory"
        if instruction.walk in ("take", "look"):
            walk = self.walks.get(instruction.row)
            if walk is None or not walk["ready"] or walk["ready"][0] > cycle:
                return "traversal"
        return None

    def decode_stage(self, cycle):
        if self.decode is None:
            return False
        i = self.decode
        if self.times[i]["D"] >= cycle:
            return False
        cause = self.stall(i, cycle)
        if cause:
            self.stalls[cause] += 1
            return True
        instruction = self.program[i]
        if instruction.unit >= 0:
            self.times[i]["Q"] = cycle
            self.q.append(i)
        else:
            self.times[i]["X"], self.times[i]["E"] = cycle, cycle + instruction.cycles
            self.classes[instruction.cls] = cycle + instruction.occupancy
            if instruction.walk == "take":
                self.walks[instruction.row]["ready"].pop(0)
            elif instruction.walk == "begin":
                start = cycle + instruction.delay - self.settings.locate
                self.walks[instruction.row] = {"start": start, "ready": [], "left": instruction.addresses or float("inf")}
        for register in instruction.writes:
            self.written.setdefault(register, []).append(i)
        self.issued += 1
        self.decode = None
        return True

    def fetch_stage(self, cycle):
        # F to D
        if self.fetch is not None and self.decode is None and self.times[self.fetch]["F"] < cycle:
            inside = sum(1 for k in range(self.fetch) if "C" not in self.times[k])
            if inside < self.settings.window:
                self.decode = self.fetch
                self.times[self.decode]["D"] = cycle
                self.fetch = None
        # into F
        i = self.fetched
        if self.fetch is None and i < len(self.program):
            if i > 0:
                before = self.program[i - 1]
                if before.taken or before.trapped:
                    stage = self.times[i - 1].get("P" if before.unit >= 0 and before.trapped else "X" if before.unit < 0 else "Q")
                    if stage is None or cycle < stage - 1 + self.settings.branch:
                        return
            self.fetch = i
            self.times[i]["F"] = cycle
            self.fetched += 1

    def locate(self, cycle):
        rows = [(self.turn + 1 + k) % self.settings.rows for k in range(self.settings.rows)]
        for row in rows:
            walk = self.walks.get(row)
            if walk and walk["start"] <= cycle and len(walk["ready"]) < self.settings.ahead and walk["left"] > 0:
                walk["ready"].append(cycle + self.settings.locate)
                walk["left"] -= 1
                self.turn = row
                return

    def count_units(self, cycle):
        for i in self.s:
            self.waits[self.conflict(i, cycle) or "order"] += 1
        for number, unit in enumerate(self.units):
            mine = [i for i in range(self.fetched) if self.program[i].unit == number]
            if any("M" in self.times[i] and self.times[i]["M"] <= cycle < self.times[i]["E"] for i in mine):
                unit["busy"] += 1
                continue
            waiting = [i for i in mine if i in self.s or (i == self.p and not self.program[i].trapped)]
            if waiting:
                unit[self.conflict(min(waiting), cycle) or "order"] += 1
            elif any(i in self.q for i in mine):
                unit["queue"] += 1
            else:
                unit["empty"] += 1

    def run(self):
        cycle = 0
        while self.committed < len(self.program):
            self.commit(cycle)
            if self.committed == len(self.program):
                break
            self.read_before = [set(registers) for registers in self.read]
            sent = self.storage_to_unit(cycle)
            self.dependency_unit(cycle, sent)
            self.queue_to_p(cycle)
            self.count_units(cycle)
            self.locate(cycle)
            had_work = self.decode_stage(cycle)
            if not had_work and (self.decode is not None or self.fetched < len(self.program) or self.fetch is not None):
                # The next instruction was not in D in the cycle before: it was in F and could not go on, or it was not fetched.
                waited = self.fetch is not None and self.times[self.fetch]["F"] < cycle - 1
                self.stalls["window" if waited else "fill" if self.issued == 0 else "branch"] += 1
            self.queue_reads(cycle)
            self.fetch_stage(cycle)
            cycle += 1
        self.cycles = cycle
        return self
