"""Reports a measurement as tables for the terminal, as JSON, and as the page docs/performance.md."""

import dataclasses
import json
import statistics

import measure


TIMES = {"wall": "time", "cpu": "CPU time"}
OTHER = {"wall": "cpu", "cpu": "wall"}
PROGRAM = "program-"    # the names of the cases of others' programs begin with it
UNSTEADY = 0.25    # a run is unsteady when its greatest and least time differ by more than this part of the median


class Result:
    """A case with its samples, and their figures by the clock or by processor time."""

    def __init__(self, case, samples, by):
        self.case, self.samples, self.by = case, samples, by
        self.figures = {run.name: measure.figure(run, samples[run.name], by) for run in case.runs}
        self.other_figures = {run.name: measure.figure(run, samples[run.name], OTHER[by]) for run in case.runs}
        self.verdicts = measure.judge(case, self.figures)

    def peer(self):
        """Returns the run that ratios refer to: the fastest that is neither ours nor context, or None."""
        names = [run.name for run in self.case.runs if not ours(run.name) and run.name not in self.case.context]
        return max(names, key=lambda name: self.figures[name].rate) if names else None


def ours(name):
    return name.split(",")[0].split()[0] in ("temu", "tdiff", "tasm", "tld", "tobjdump", "ttrace")


def number(value):
    """Returns the value with three significant digits, without an exponent."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 0.01 or not value else f"{value:.2g}"


def duration(seconds):
    return f"{number(seconds)} s" if seconds >= 1 else f"{number(seconds * 1e3)} ms"


def size(count):
    return f"{number(count / 1e6)} MB"


def quantity(verdict, value):
    """Returns a value in the terms of a verdict: a ratio, where there is a peer."""
    if verdict.peer:
        return f"{number(value)} ×"
    return {"time": duration, "memory": size, "speed": lambda rate: f"{number(rate / 1e6)} million/s"}[verdict.expectation.quantity](value)


def comparison(verdict):
    """Returns what was measured, in words: 'temu: 0.23 × QEMU user'."""
    expectation = verdict.expectation
    what = "" if expectation.quantity == "speed" else expectation.quantity + " "
    return f"{expectation.ours}: {what}{quantity(verdict, verdict.value)}{' ' + verdict.peer if verdict.peer else ''}"


def judgement(verdict):
    """Returns the comparison with what is expected: 'temu: 0.23 × QEMU user (expected at least 0.2 ×)'."""
    least, most = verdict.expectation.least, verdict.expectation.most
    limit = f"at least {quantity(verdict, least)}" if least is not None else f"at most {quantity(verdict, most)}"
    return f"{comparison(verdict)} ({'' if verdict.met else 'MISSED: '}expected {limit})"


def rows(result):
    """Yields the lines of the table: name, rate, time, spread, the other time, memory, ratio to the fastest peer."""
    peer = result.peer()
    for run in result.case.runs:
        figure = result.figures[run.name]
        ratio = number(figure.rate / result.figures[peer].rate) + " ×" if peer and not run.aside else ""
        yield (run.name, number(figure.rate * result.case.factor), duration(figure.median), f"{duration(figure.least)} – {duration(figure.greatest)}",
               duration(result.other_figures[run.name].median), size(figure.memory), ratio)


def columns(result):
    peer = result.peer()
    return ("", result.case.unit, TIMES[result.by], "spread", TIMES[OTHER[result.by]], "memory", f"to {peer}" if peer else "")


class Summary:
    """The speed of temu as a ratio to QEMU user over all cases that are programs: `ratios` has (ratio, result), the slowest first."""

    def __init__(self, results):
        self.ratios = sorted(((result.figures["temu"].rate / result.figures["QEMU user"].rate, result) for result in results
                              if result.case.is_program and {"temu", "QEMU user"} <= result.figures.keys()), key=lambda pair: pair[0])

    def mean(self):
        return statistics.geometric_mean(ratio for ratio, _ in self.ratios)

    def rows(self):
        """Yields (what, ratio, time of temu, time of QEMU): the mean, the worst case, then each program, the best first."""
        if not self.ratios:
            return
        yield f"geometric mean of {len(self.ratios)} programs", f"{number(self.mean())} ×", "", ""
        for i, (ratio, result) in enumerate([self.ratios[0], *reversed(self.ratios)]):
            yield (("worst case: " if i == 0 else "") + result.case.title, f"{number(ratio)} ×",
                   *(duration(result.figures[name].median) for name in ("temu", "QEMU user")))


SUMMARY = ("programs, from a cold start", "speed to QEMU user", "temu", "QEMU user")


def aligned(lines):
    """Yields the lines as text in columns, the first of which is aligned to the left."""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        yield "  " + "  ".join(cell.ljust(width) if i == 0 else cell.rjust(width) for i, (cell, width) in enumerate(zip(line, widths))).rstrip()


def how(arguments):
    """Returns how the figures were taken, in words."""
    scaled = f", {arguments.scale:g} of the usual work" if arguments.scale != 1 else ""
    return f"{arguments.rounds} {'rounds' if arguments.rounds > 1 else 'round'}, times of the {'clock' if arguments.by == 'wall' else 'processor'}{scaled}"


def heading(host, arguments):
    versions = ", ".join(f"{name} {found}" for name, found in host["versions"].items())
    lines = [f"{host['processor']}, {host['cores']} cores, {host['system']}", versions, how(arguments)]
    if host["load"] > 0.5 and arguments.by == "wall":
        lines.append(f"The machine is busy (load {host['load']}), so times of the clock mean little; --by=cpu is disturbed less.")
    return "\n".join(lines)


def table(result):
    lines = [columns(result), *rows(result)]
    text = [f"\n{result.case.name}: {result.case.title}", *aligned(lines)]
    text += ["  " + note for note in result.case.notes]
    return "\n".join(text + ["  " + judgement(verdict) for verdict in result.verdicts])


def closing(results, missing, seconds):
    verdicts = [(result.case.name, verdict) for result in results for verdict in result.verdicts]
    summary = list(Summary(results).rows())
    lines = ["", *aligned([SUMMARY, *summary])] if summary else []
    lines += ["", f"{sum(verdict.met for _, verdict in verdicts)} of {len(verdicts)} expectations met, {sum(len(result.case.runs) for result in results)} runs in {seconds:.0f} s; all outputs right"]
    lines += [f"  {name}: {judgement(verdict)}" for name, verdict in verdicts if not verdict.met]
    unsteady = [f"{result.case.name}: {name}" for result in results for name, figure in result.figures.items()
                if figure.greatest - figure.least > UNSTEADY * figure.median]
    if unsteady:
        lines.append(f"times differ by more than {UNSTEADY:.0%} between rounds, so the ratios are uncertain: {'; '.join(unsteady)}")
    if missing:
        lines.append("not installed, left out: " + ", ".join(sorted(missing)))
    return "\n".join(lines)


def write_json(path, results, host, arguments):
    document = {"machine": host, "rounds": arguments.rounds, "by": arguments.by, "scale": arguments.scale, "cases": [{
        "name": result.case.name, "title": result.case.title, "unit": result.case.unit,
        "runs": [{"name": run.name, "ours": ours(run.name), "work": run.work, "rate": result.figures[run.name].rate * result.case.factor,
                  "samples": [dataclasses.asdict(sample) for sample in result.samples[run.name]]} for run in result.case.runs],
        "expectations": [{**dataclasses.asdict(verdict.expectation), "value": verdict.value, "peer": verdict.peer, "met": verdict.met}
                         for verdict in result.verdicts],
    } for result in results]}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1, ensure_ascii=False)
        file.write("\n")


# A measurement replaces the parts of the page between these lines, and after the last one.
FIRST = "<!-- `make bench OPTIONS=--docs` writes what is between these two lines -->"
END = "<!-- end -->"
MARK = "<!-- `make bench OPTIONS=--docs` writes the rest of this page -->"


def markdown(line):
    return "| " + " | ".join(line) + " |"


def first_page(results, host, arguments, left_out):
    """Yields the lines at the top of the page: programs beside QEMU."""
    summary = Summary(results)
    lines = list(summary.rows())
    yield ""
    if lines:
        yield (f"**Programs run {number(summary.mean())} times as fast as under QEMU user {host['versions'].get('QEMU', '')} (geometric mean of {len(summary.ratios)}); "
               f"the worst case is {number(summary.ratios[0][0])} times.**")
        yield from ["", markdown(SUMMARY), markdown(["---", "--:", "--:", "--:"])]
        for what, ratio, *times in lines[:2]:
            yield markdown((f"**{what}**", f"**{ratio}**", *times))
        yield from map(markdown, lines[2:])
        yield ""
    yield f"Whole runs, from start to exit, by the {'clock' if arguments.by == 'wall' else 'processor'}, on {host['processor']}; each starts with an empty home directory."
    if left_out:
        yield f"Not available here, and not in the mean: {', '.join(left_out)}."
    yield ""


def page(results, host, arguments):
    """Yields the lines of the page after the mark."""
    yield ""
    yield f"Measured on {host['processor']}, {host['cores']} cores, {host['system']}, with {', '.join(f'{name} {found}' for name, found in host['versions'].items())}."
    yield f"Medians of {how(arguments)}; load {host['load']} at the start."
    yield ""
    yield "![Speed as a ratio to the fastest peer](performance.svg)"
    for result in results:
        if result.case.name.startswith(PROGRAM):
            continue
        yield from ["", f"## {result.case.name}: {result.case.title}", "", markdown(columns(result)), markdown(["---"] * len(columns(result)))]
        yield from map(markdown, rows(result))
        if result.verdicts or result.case.notes:
            yield ""
        yield from (f"- {line}" for line in [*(comparison(verdict) for verdict in result.verdicts), *result.case.notes])
    yield ""


def write_page(path, results, host, arguments, left_out=()):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for mark in (FIRST, END, MARK):
        if mark + "\n" not in text:
            raise SystemExit(f"bench: error: {path} has no line '{mark}'")
    before, _, text = text.partition(FIRST + "\n")
    middle = text.partition(END + "\n")[2].partition(MARK + "\n")[0]
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + FIRST + "\n" + "\n".join(first_page(results, host, arguments, left_out)) + "\n" + END + "\n" +
                   middle + MARK + "\n" + "\n".join(page(results, host, arguments)))
