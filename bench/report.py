"""What a measurement found, as tables for the terminal, as JSON, and as the page docs/performance.md."""

import dataclasses
import json

import measure


TIMES = {"wall": "time", "cpu": "CPU time"}
OTHER = {"wall": "cpu", "cpu": "wall"}
UNSTEADY = 0.25    # of the median, between the greatest and the least time of a run


class Result:
    """A case with its samples, and what they say by the clock or by processor time."""

    def __init__(self, case, samples, by):
        self.case, self.samples, self.by = case, samples, by
        self.figures = {run.name: measure.figure(run, samples[run.name], by) for run in case.runs}
        self.other_figures = {run.name: measure.figure(run, samples[run.name], OTHER[by]) for run in case.runs}
        self.verdicts = measure.judge(case, self.figures)

    def peer(self):
        """The run that ratios are made to: the fastest that is neither ours nor context, else none."""
        names = [run.name for run in self.case.runs if not ours(run.name) and run.name not in self.case.context]
        return max(names, key=lambda name: self.figures[name].rate) if names else None


def ours(name):
    return name.split(",")[0].split()[0] in ("temu", "tdiff", "tasm", "tld", "tobjdump")


def number(value):
    """Three significant digits, without an exponent."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value >= 0.01 or not value else f"{value:.2g}"


def duration(seconds):
    return f"{number(seconds)} s" if seconds >= 1 else f"{number(seconds * 1e3)} ms"


def size(count):
    return f"{number(count / 1e6)} MB"


def requirement(verdict):
    """A verdict in words: '0.23 × QEMU user (bar 0.2)'."""
    bar = verdict.bar
    show = {"time": duration, "memory": size, "speed": lambda rate: f"{number(rate / 1e6)} million/s"}[bar.quantity]
    what = "" if bar.quantity == "speed" else bar.quantity + " "
    if verdict.peer:
        show = lambda ratio: f"{number(ratio)} ×"
    limit = bar.least if bar.least is not None else bar.most
    goal = f", goal {show(bar.goal)}" if bar.goal is not None else ""
    sense = "at least" if bar.least is not None else "at most"
    state = "met" if verdict.met and verdict.reached else "bar met, goal not" if verdict.met else "BELOW"
    bar_text = f"{sense} {show(limit)}" if limit else "no bar"
    return f"{bar.ours}: {what}{show(verdict.value)}{' ' + verdict.peer if verdict.peer else ''} ({bar_text}{goal}): {state}"


def rows(result):
    """The lines of the table: name, rate, time, spread, the other time, memory, ratio to the fastest peer."""
    peer = result.peer()
    for run in result.case.runs:
        figure = result.figures[run.name]
        ratio = number(figure.rate / result.figures[peer].rate) + " ×" if peer and not run.aside else ""
        yield (run.name, number(figure.rate * result.case.factor), duration(figure.median), f"{duration(figure.least)} – {duration(figure.greatest)}",
               duration(result.other_figures[run.name].median), size(figure.memory), ratio)


def columns(result):
    peer = result.peer()
    return ("", result.case.unit, TIMES[result.by], "spread", TIMES[OTHER[result.by]], "memory", f"to {peer}" if peer else "")


def how(arguments):
    """How the figures were taken, in words."""
    scaled = f", {arguments.scale:g} of the usual work" if arguments.scale != 1 else ""
    return f"{arguments.rounds} {'rounds' if arguments.rounds > 1 else 'round'}, times of the {'clock' if arguments.by == 'wall' else 'processor'}{scaled}"


def heading(host, arguments):
    versions = ", ".join(f"{name} {found}" for name, found in host["versions"].items())
    lines = [f"{host['processor']}, {host['cores']} cores, {host['system']}", versions, how(arguments)]
    if host["load"] > 0.5 and arguments.by == "wall":
        lines.append(f"Others are at work here (load {host['load']}): times of the clock mean little; --by=cpu is less disturbed.")
    return "\n".join(lines)


def table(result):
    lines = [columns(result), *rows(result)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    text = [f"\n{result.case.name}: {result.case.title}"]
    for line in lines:
        text.append("  " + "  ".join(cell.ljust(width) if i == 0 else cell.rjust(width) for i, (cell, width) in enumerate(zip(line, widths))).rstrip())
    text += ["  " + note for note in result.case.notes]
    return "\n".join(text + ["  " + requirement(verdict) for verdict in result.verdicts])


def closing(results, missing, seconds):
    verdicts = [(result.case.name, verdict) for result in results for verdict in result.verdicts]
    lines = ["", f"{sum(verdict.met for _, verdict in verdicts)} of {len(verdicts)} bars met, {sum(len(result.case.runs) for result in results)} runs in {seconds:.0f} s; all outputs right"]
    lines += [f"  below: {name}: {requirement(verdict)}" for name, verdict in verdicts if not verdict.met]
    unsteady = [f"{result.case.name}: {name}" for result in results for name, figure in result.figures.items()
                if figure.greatest - figure.least > UNSTEADY * figure.median]
    if unsteady:
        lines.append(f"times differ by more than {UNSTEADY:.0%} between rounds, so that ratios may be off: {'; '.join(unsteady)}")
    if missing:
        lines.append("not there, left out: " + ", ".join(sorted(missing)))
    return "\n".join(lines)


def write_json(path, results, host, arguments):
    document = {"machine": host, "rounds": arguments.rounds, "by": arguments.by, "scale": arguments.scale, "cases": [{
        "name": result.case.name, "title": result.case.title, "unit": result.case.unit,
        "runs": [{"name": run.name, "ours": ours(run.name), "work": run.work, "rate": result.figures[run.name].rate * result.case.factor,
                  "samples": [dataclasses.asdict(sample) for sample in result.samples[run.name]]} for run in result.case.runs],
        "bars": [{**dataclasses.asdict(verdict.bar), "value": verdict.value, "peer": verdict.peer, "met": verdict.met, "reached": verdict.reached}
                 for verdict in result.verdicts],
    } for result in results]}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1, ensure_ascii=False)
        file.write("\n")


# Lines of the page before its figures; the rest of the page is made anew by each measurement.
MARK = "<!-- what follows is written by `make bench OPTIONS=--docs` -->"


def markdown(line):
    return "| " + " | ".join(line) + " |"


def page(results, host, arguments):
    """What follows the mark on the page."""
    yield ""
    yield f"Measured on {host['processor']}, {host['cores']} cores, {host['system']}, with {', '.join(f'{name} {found}' for name, found in host['versions'].items())}."
    yield f"Medians of {how(arguments)}; load {host['load']} at the start."
    yield ""
    yield "![Speed as a ratio to the fastest peer](performance.svg)"
    for result in results:
        yield from ["", f"## {result.case.name}: {result.case.title}", "", markdown(columns(result)), markdown(["---"] * len(columns(result)))]
        yield from map(markdown, rows(result))
        if result.verdicts or result.case.notes:
            yield ""
        yield from (f"- {line}" for line in [*(requirement(verdict) for verdict in result.verdicts), *result.case.notes])
    yield ""


def write_page(path, results, host, arguments):
    with open(path, encoding="utf-8") as file:
        before, mark, _ = file.read().partition(MARK + "\n")
    if not mark:
        raise SystemExit(f"bench: error: {path} has no line '{MARK}'")
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + mark + "\n".join(page(results, host, arguments)))
