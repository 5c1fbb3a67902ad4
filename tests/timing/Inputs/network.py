#!/usr/bin/env python3
"""Networks of the sparse unit, and their cycles from the words of docs/timing.md, section 5: network.py TASM TLD TEMU COUNT"""

import random
import subprocess
import sys

tasm, tld, temu, count = *sys.argv[1:4], int(sys.argv[4])


def leg(at, size, torus):
    """Links to 0, and the next position."""
    return (size - at, (at + 1) % size) if torus and size - at < at else (at, at - 1)


class Network:
    def __init__(self, rng):
        self.rows, self.columns, self.k = rng.randint(1, 5), rng.randint(1, 5), rng.randint(1, 3)
        self.torus, self.merge = rng.random() < 0.5, rng.random() < 0.3
        self.values = rng.choice([1, 8, 16, 40])
        self.elements = [[rng.choice([0, 1, 2, 5]) for _ in range(self.columns)] for _ in range(self.rows)]
        self.elements[0][0] += 1
        self.hop, self.link, self.fetch = rng.randint(1, 3), rng.choice([16, 64, 100]), rng.randint(1, 3)
        self.away = rng.random() < 0.5

    def distance(self, unit):
        return leg(unit[0], self.rows, self.torus)[0] + leg(unit[1], self.columns, self.torus)[0]

    def parent(self, unit):
        if unit[1]:
            return (unit[0], leg(unit[1], self.columns, self.torus)[1])
        return (leg(unit[0], self.rows, self.torus)[1], 0)

    def way(self, unit):
        """The units from this one to the first one."""
        way = [unit]
        while way[-1] != (0, 0):
            way.append(self.parent(way[-1]))
        return way

    def work(self, unit):
        return self.fetch * -(-self.elements[unit[0]][unit[1]] // self.k)

    def crossing(self, values):
        return self.hop + -(-values * 4 // self.link)

    def units(self):
        return [(r, c) for r in range(self.rows) for c in range(self.columns) if self.elements[r][c]]

    def packets(self):
        """Moves the packets cycle by cycle."""
        units = self.units()
        way = {u: self.way(u)[::-1] if self.away else self.way(u) for u in units}
        at = {u: 0 for u in units}
        ready = {u: 0 if self.away else self.distance(u) * self.hop + self.work(u) for u in units}
        free, last, cycle = {}, 0, 0
        while units:
            for u in sorted(units, key=lambda u: (ready[u], -self.distance(u), u)):
                if ready[u] > cycle:
                    continue
                if at[u] == len(way[u]) - 1:
                    last = max(last, ready[u] + (self.work(u) + self.distance(u) * self.hop if self.away else 0))
                    units.remove(u)
                    continue
                link = (way[u][at[u]], way[u][at[u] + 1])
                if free.get(link, 0) <= cycle:
                    ready[u] = free[link] = cycle + self.crossing(self.elements[u[0]][u[1]] * self.values)
                    at[u] += 1
            cycle += 1
        return last

    def fragments(self):
        below = {}  # values on the link of a unit
        for u in self.units():
            for node in self.way(u):
                below[node] = below.get(node, 0) + self.elements[u[0]][u[1]] * self.values
        if self.away:
            arrival = {(0, 0): 0}
            for u in sorted(below, key=self.distance):
                if u != (0, 0):
                    arrival[u] = arrival[self.parent(u)] + self.crossing(below[u])
            return max(arrival[u] + self.work(u) + self.distance(u) * self.hop for u in self.units())
        ready = {}
        for u in sorted(below, key=self.distance, reverse=True):
            own = self.distance(u) * self.hop + self.work(u) if self.elements[u[0]][u[1]] else 0
            ready[u] = max([own] + [ready[v] + self.crossing(below[v]) for v in below if v != (0, 0) and self.parent(v) == u])
        return ready[0, 0]

    def assembly(self):
        words = [f".byte {int(self.torus)}, {int(self.merge)}", f".half {self.rows}, {self.columns}, {self.k}", f".word {self.rows}, 0"]
        words += [f".word {', '.join(str(r) for r in range(self.rows + 1))}", ".balign 8"]
        for r, row in enumerate(self.elements):
            firsts = [sum(row[:c]) for c in range(self.columns + 1)]
            words += [f".quad table{r}", f".word 1, {self.values}, 0, {firsts[-1]}, {', '.join(map(str, firsts))}", ".balign 8"]
        total = sum(map(sum, self.elements)) * self.values
        requests = [r for r in range(self.rows) if sum(self.elements[r])]
        operation = "supdate a2, a1, " if self.away else "sgather a3, a2, a1, "
        operands = f"a1, {len(requests)}" if self.away else f"{len(requests)}"
        text = [".globl _start", "_start:", "la a0, descriptor", "la a1, requests", "la a2, dense", "sconf a0"]
        text += [f"supdate a2, {operands}" if self.away else operation + operands, "csrr s0, scycles", "li a0, 0", "li a7, 93", "ecall", ".data", ".balign 8"]
        text += ["descriptor:", *words, "requests:"] + [f".word {r}, 0, {sum(self.elements[r])}, 0" for r in requests]
        text += [f"table{r}: .fill {sum(row) * self.values}, 4, 0x3f8ccccd" for r, row in enumerate(self.elements)]
        return "\n".join([*text, f"dense: .fill {total}, 4, 0x3f8ccccd"]) + "\n", total * 4


def run(network):
    """Returns the cycles of the network that temu has, and scycles."""
    source, size = network.assembly()
    open("n.s", "w").write(source)
    open("n.yaml", "w").write(f"timing: {{sparse: {{hop: {network.hop}, link: {network.link}, fetch: {network.fetch}}}}}\n")
    subprocess.run([tasm, "-o", "n.o", "n.s"], check=True)
    subprocess.run([tld, "-o", "n", "n.o"], check=True)
    subprocess.run([temu, "--machine=./n.yaml", "--pipeline=n.table", "--dump-state=n.state", "n"], check=True)
    line = next(line for line in open("n.table") if " sgather" in line or " supdate" in line)
    fields = line.split("|")[1].split()
    state = open("n.state").read()
    return int(fields[7]) - int(fields[6]) - 4 - -(-size // 64), int(state.split('"scycles": "')[1].split('"')[0], 16)


golden = Network(random.Random(0))
golden.rows = golden.columns = 4
golden.torus = golden.merge = golden.away = False
golden.k, golden.values, golden.elements, golden.hop, golden.link, golden.fetch = 1, 8, [[2] * 4] * 4, 1, 64, 1
assert run(golden) == (28, 20), run(golden)
assert golden.packets() == 28

for number in range(count):
    network = Network(random.Random(number))
    cycles, counted = run(network)
    expected = network.fragments() if network.merge else network.packets()
    assert cycles == expected, (number, vars(network), cycles, expected)
    if (network.hop, network.link, network.fetch) == (1, 64, 1):
        assert cycles >= counted, (number, vars(network), cycles, counted)
