"""Runs programs side by side, checks what they put out, and keeps what they cost."""

import dataclasses
import os
import re
import statistics
import subprocess
import tempfile


class Wrong(Exception):
    """A run's output or exit status is not what it has to be: no number of it means anything."""


@dataclasses.dataclass
class Run:
    """One program under measurement. `work` is how many units of the case's work one start of it does. Its standard output has to be `expect`,
    where that is not None; then `check`, if there is one, is called and returns what is wrong with the files it left, or None. `count` starts
    are measured together, for those too short to be measured alone. `fresh` is the name of a variable of the environment that names an empty
    directory, a new one each time: a cache. A run `aside` does other work than the peers: it is there for a bar, and has no ratio to them."""
    name: str
    command: list
    work: float
    expect: bytes | None = None
    check: object = None
    count: int = 1
    environment: dict = dataclasses.field(default_factory=dict)
    fresh: str | None = None
    aside: bool = False


@dataclasses.dataclass
class Bar:
    """What run `ours` has to reach: `least` times the quantity of the best of `over` (or, without `over`, `least` of it), or no more than `most`. `goal` is
    what it should reach. Quantities are "speed" (work in a second) and "memory" (peak, bytes), and "time" (seconds of one start)."""
    ours: str
    over: tuple = ()
    least: float | None = None
    most: float | None = None
    goal: float | None = None
    quantity: str = "speed"


@dataclasses.dataclass
class Case:
    """Programs that do the same work. `unit` is what the work is counted in, with the factor that makes it: ("MIPS", 1e-6) for instructions."""
    name: str
    title: str
    unit: str
    factor: float
    runs: list
    bars: list = dataclasses.field(default_factory=list)
    context: tuple = ()    # runs that are neither ours nor peers
    notes: list = dataclasses.field(default_factory=list)
    files: list = dataclasses.field(default_factory=list)    # large ones, which are removed when all is measured


@dataclasses.dataclass
class Sample:
    """What one start cost: seconds of the clock, seconds of all processors (the program's and the kernel's for it), peak memory in bytes."""
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
        result = subprocess.run([launcher, str(run.count), "/dev/null", output, *run.command], capture_output=True, text=True, errors="replace",
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
    """All runs of the case in turn, `rounds` times; each round begins with another run, so that none is always the one after a certain other. Returns
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
    """What a run's samples say, by the clock or by processor time: the median, least and greatest time of one start, work in a second by the
    median, and the median peak of memory."""
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
    """What became of a bar: the value found, in the bar's terms (a ratio, where there are peers), and the best peer."""
    bar: Bar
    value: float
    peer: str | None
    met: bool
    reached: bool    # the goal, or the bar where there is none


QUANTITY = {"speed": lambda figure: figure.rate, "time": lambda figure: figure.median, "memory": lambda figure: figure.memory}


def judge(case, figures):
    """The Verdicts of all bars of the case whose runs, or at least one of whose peers, were measured."""
    verdicts = []
    for bar in case.bars:
        quantity = QUANTITY[bar.quantity]
        peers = [name for name in bar.over if name in figures]
        if bar.ours not in figures or (bar.over and not peers):
            continue
        best = max if bar.quantity == "speed" else min
        peer = best(peers, key=lambda name: quantity(figures[name])) if peers else None
        value = quantity(figures[bar.ours]) / (quantity(figures[peer]) if peer else 1)
        within = (lambda limit: value >= limit) if bar.least is not None else (lambda limit: value <= limit)
        met = within(bar.least if bar.least is not None else bar.most)
        verdicts.append(Verdict(bar, value, peer, met, met if bar.goal is None else within(bar.goal)))
    return verdicts
