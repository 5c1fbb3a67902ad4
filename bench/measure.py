"""Runs programs side by side, checks their output, and keeps what they cost."""

import dataclasses
import os
import re
import statistics
import subprocess
import tempfile


class Wrong(Exception):
    """The output or the exit status of a run is wrong, so its figures mean nothing."""


class Missing(Exception):
    """A case cannot be measured here, since a program is not available. It is left out."""


@dataclasses.dataclass
class Run:
    """One program under measurement. One start of it does `work` units of the case's work. Its standard output has to be `expect`, unless that is None.
    `check`, if there is one, is called after each start and returns what is wrong with the files that the program left, or None. `count` starts are
    measured together, since a short one cannot be measured alone. `fresh` names a variable of the environment that holds the path of an empty directory, a
    new one for each start: a cache. `input` is the file that the program reads from standard input. A run `aside` does other work than the peers: an expectation refers to it, and it has no ratio to them."""
    name: str
    command: list
    work: float
    expect: bytes | None = None
    check: object = None
    count: int = 1
    environment: dict = dataclasses.field(default_factory=dict)
    fresh: str | None = None
    input: str = os.devnull
    aside: bool = False


@dataclasses.dataclass
class Expectation:
    """What run `ours` is expected to reach: at least `least` times, or at most `most` times, the quantity of the best of the runs `over`. Without `over` the
    two are absolute values. Quantities are "speed" (work in a second), "memory" (peak, bytes) and "time" (seconds of one start)."""
    ours: str
    over: tuple = ()
    least: float | None = None
    most: float | None = None
    quantity: str = "speed"


@dataclasses.dataclass
class Case:
    """Programs that do the same work. `unit` is the name of the rate, and `factor` makes it from units of work in a second: ("MIPS", 1e-6) for instructions."""
    name: str
    title: str
    unit: str
    factor: float
    runs: list
    expectations: list = dataclasses.field(default_factory=list)
    context: tuple = ()    # runs that are neither ours nor peers
    notes: list = dataclasses.field(default_factory=list)
    is_program: bool = False    # counts in the mean of programs
    files: list = dataclasses.field(default_factory=list)    # large files, which are removed after the measurement


@dataclasses.dataclass
class Sample:
    """The cost of one start: seconds of the clock, seconds of all processors (user and system time), peak memory in bytes."""
    wall: float
    cpu: float
    memory: int


def excerpt(text):
    return repr(text[:200]) + ("…" if len(text) > 200 else "")


def launch(launcher, run):
    """Starts the run once, or as often as its `count`, and checks it. Returns the Sample of one start; raises Wrong."""
    with tempfile.TemporaryDirectory() as directory:
        output, environment = os.path.join(directory, "output"), {**os.environ, **run.environment}
        if run.fresh:
            environment[run.fresh] = os.path.join(directory, "fresh")
            os.mkdir(environment[run.fresh])
        result = subprocess.run([launcher, str(run.count), run.input, output, *run.command], capture_output=True, text=True, errors="replace",
                                env=environment, check=False)
        cost = re.fullmatch(r"wall (\d+) cpu (\d+) memory (\d+) status (\d+)\n", result.stdout)
        if result.returncode or not cost:
            raise Wrong(f"{run.name}: cannot be started: {result.stderr.strip()[:500]}")
        if int(cost[4]):
            raise Wrong(f"{run.name}: exit status {cost[4]}, not 0: {' '.join(run.command)}\n{result.stderr.strip()[:1000]}")
        if run.expect is not None:
            with open(output, "rb") as file:
                found = file.read()
            if found != run.expect:
                raise Wrong(f"{run.name}: printed {excerpt(found)}, not {excerpt(run.expect)}: {' '.join(run.command)}")
        wrong = run.check() if run.check else None
        if wrong:
            raise Wrong(f"{run.name}: {wrong}: {' '.join(run.command)}")
        return Sample(int(cost[1]) / 1e9 / run.count, int(cost[2]) / 1e6 / run.count, int(cost[3]) * 1024)


def measure(case, rounds, launcher):
    """Starts all runs of the case in turn, `rounds` times. Each round begins with another run, so that no run always follows the same one. Returns
    {name: [Sample, …]}."""
    samples = {run.name: [] for run in case.runs}
    try:
        for turn in range(rounds):
            start = turn % len(case.runs)
            for run in case.runs[start:] + case.runs[:start]:
                samples[run.name].append(launch(launcher, run))
    finally:
        for file in filter(os.path.exists, case.files):
            os.unlink(file)
    return samples


@dataclasses.dataclass
class Figure:
    """A summary of a run's samples, by the clock or by processor time: the median, least and greatest time of one start, the work in a second at the
    median, and the median of the peaks of memory."""
    median: float
    least: float
    greatest: float
    rate: float
    memory: float


def figure(run, samples, by):
    times = sorted(max(getattr(sample, by), 1e-9) for sample in samples)
    median = statistics.median(times)
    return Figure(median, times[0], times[-1], run.work / median, statistics.median(sample.memory for sample in samples))


@dataclasses.dataclass
class Verdict:
    """The outcome of an expectation: the value that was measured (a ratio, where there are peers), and the best peer."""
    expectation: Expectation
    value: float
    peer: str | None
    met: bool


QUANTITY = {"speed": lambda figure: figure.rate, "time": lambda figure: figure.median, "memory": lambda figure: figure.memory}


def judge(case, figures):
    """Returns the Verdicts of all expectations whose run, and at least one of whose peers, was measured."""
    verdicts = []
    for expectation in case.expectations:
        quantity = QUANTITY[expectation.quantity]
        peers = [name for name in expectation.over if name in figures]
        if expectation.ours not in figures or (expectation.over and not peers):
            continue
        best = max if expectation.quantity == "speed" else min
        peer = best(peers, key=lambda name: quantity(figures[name])) if peers else None
        value = quantity(figures[expectation.ours]) / (quantity(figures[peer]) if peer else 1)
        met = value >= expectation.least if expectation.least is not None else value <= expectation.most
        verdicts.append(Verdict(expectation, value, peer, met))
    return verdicts
