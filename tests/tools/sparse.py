"""Models of the kernels of the sparse-to-dense unit, written from docs/machine.md: see reference.py."""

from machine_model import Different, f32, near, pack_f32, pack_u64


class Network:
    """The counters of an M x N mesh or torus of units with k fetch processors. `row_of(table)` and `column_of(table, element)` return the unit that
    serves an element, counted from 0; `element(table, number)` returns its values as a list of bytes objects."""

    def __init__(self, torus, rows, columns, fetchers, row_of, column_of, element):
        self.torus, self.rows, self.columns, self.fetchers = torus, rows, columns, fetchers
        self.row_of, self.column_of, self.element = row_of, column_of, element
        self.hops = self.cycles = self.bytes = self.compressed = 0

    def leg(self, place, size):
        return min(place, size - place) if self.torus else place

    def count(self, requests, reduce=None):
        """Counts a gather (or update) of requests (table, first, count); `reduce` makes one list of values from those of several elements."""
        units = {}
        for table, first, count in requests:
            shares = {}
            for number in range(first, first + count):
                shares.setdefault(self.column_of(table, number), []).append(self.element(table, number))
            for column, elements in shares.items():
                unit = units.setdefault((self.row_of(table), column), [0, []])
                unit[0] += len(elements)
                whole = reduce and len(elements) == count
                unit[1] += reduce(elements) if whole else [value for element in elements for value in element]
        self.hops += self.rows * self.columns - 1
        longest = 0
        for (row, column), (elements, values) in units.items():
            distance = self.leg(row, self.rows) + self.leg(column, self.columns)
            plain = sum(map(len, values))
            packet = min(plain, (len(values) + 7) // 8 + sum(len(value) for value in values if any(value)))
            self.hops += distance
            self.bytes += distance * plain
            self.compressed += distance * packet
            longest = max(longest, 2 * distance - -elements // self.fetchers + distance * -(-packet // 64))
        self.cycles += longest

    def counters(self):
        return pack_u64([self.hops, self.cycles, self.bytes, self.compressed])


# ---- sparse_example.s ----

def sparse_example(_arguments):
    """Tables 1, 2 and 1000 have one element each: the first in the upper row, the others in the lower row, all in the second column."""
    shapes = {1: 100 * 10, 2: 20 * 100, 1000: 3 * 3}
    vector = [0.0 if (i + 1) % 3 == 0 else float(i + 1) for i in range(sum(shapes.values()))]
    doubled = [2 * value for value in vector]
    starts = {1: 0, 2: 1000, 1000: 3000}
    held = vector

    def element(table, _number):
        return [pack_f32([value]) for value in held[starts[table]:starts[table] + shapes[table]]]

    network = Network(False, 2, 2, 4, lambda table: int(table >= 2), lambda table, number: 1, element)
    for held in (vector, doubled, doubled):     # gather, update, gather
        network.count([(table, 0, 1) for table in shapes])
    return [pack_f32(vector), pack_f32(doubled), network.counters()]


# ---- embedding_bag.s ----

def embedding_bag(_arguments):
    state, width = 11, 8

    def fraction():
        nonlocal state
        state = (1664525 * state + 1013904223) & 0xFFFFFFFF
        upper = state >> 16
        return (upper - 65536 if upper & 0x8000 else upper) / 32768

    tables = [[[fraction() for _ in range(width)] for _ in range(count)] for count in (64, 96, 32)]
    bags = [(0, 10, 3), (1, 14, 20), (2, 8, 1), (0, 25, 30), (1, 94, 2), (2, 20, 7)]
    targets = [[fraction() for _ in range(width)] for _ in bags]

    def mean(elements):
        sums = [0.0] * width
        for element in elements:
            sums = [f32(a + b) for a, b in zip(sums, element)]
        return [f32(value / len(elements)) for value in sums]

    def forward():
        return [mean(tables[table][first:first + count]) for table, first, count in bags]

    losses = []
    for _ in range(4):
        loss = 0.0
        for (table, first, count), out, target in zip(bags, forward(), targets):
            errors = [f32(a - b) for a, b in zip(out, target)]
            for error in errors:
                loss = f32(loss + f32(error * error))
            for element in tables[table][first:first + count]:
                element[:] = [f32(value - f32(error * 0.5)) for value, error in zip(element, errors)]
        losses.append(loss)
    # Every element of a bag moves by half of the bag's error, and so does the mean, so each step divides the loss by four.
    for before, after in zip(losses, losses[1:]):
        near(after / before, 0.25, 1e-5, "the fall of the loss")
    return [pack_f32(losses), b"".join(map(pack_f32, forward())), b"".join(pack_f32(element) for table in tables for element in table)]


# ---- sparse_network.s ----

def sparse_network(_arguments):
    tables, elements, width = 64, 64, 16
    memory = bytes(i % 127 + 1 if i % 4 == 3 else 0 for i in range(tables * elements * width))
    requests, state = [], 5
    for _ in range(200):
        state = (1664525 * state + 1013904223) & 0xFFFFFFFF
        first = state >> 16 & 63
        requests.append((state >> 8 & 63, first, min((state >> 24 & 7) + 1, elements - first)))

    def element(table, number):
        start = (table * elements + number) * width
        return [memory[i:i + 1] for i in range(start, start + width)]

    def add(several):
        return [sum(value[0] for value in values).to_bytes(4, "little") for values in zip(*several)]

    results = []
    for torus, size in ((True, 8), (False, 8), (True, 1)):
        network = Network(torus, size, size, 4, lambda table: table * size // tables, lambda table, number: number * size // elements, element)
        network.count(requests)
        network.count(requests, add)
        results.append(network.counters())
    if len(set(results)) != 3:
        raise Different("networks that cost the same compare nothing")
    dense = b"".join(b"".join(element(table, number)) for table, first, count in requests for number in range(first, first + count))
    sums = b"".join(b"".join(add([element(table, number) for number in range(first, first + count)])) for table, first, count in requests)
    return results + [dense.ljust(8 * width * len(requests), b"\0"), sums]


KERNELS = {function.__name__: function for function in (sparse_example, embedding_bag, sparse_network)}
DATA = {}
