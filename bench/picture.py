"""Draws a measurement as SVG: a row for each of our runs, from 1× to its speed as a ratio to that of the fastest peer, on a logarithmic axis. The picture
follows the reader's light or dark scheme."""

import math
from html import escape

from report import PROGRAM, Summary, number, ours

WIDTH, LABELS, VALUES, ROW, TOP = 960, 340, 220, 18, 62
STYLE = """
  svg { background: #ffffff; font: 12px sans-serif }
  text { fill: #1f2328 } .faint { fill: #59636e } .axis { stroke: #d1d9e0 } .one { stroke: #59636e }
  .faster { fill: #1a7f37 } .slower { fill: #bc4c00 } .title { font-weight: bold }
  @media (prefers-color-scheme: dark) {
    svg { background: #0d1117 } text { fill: #f0f6fc } .faint { fill: #9198a1 } .axis { stroke: #3d444d } .one { stroke: #9198a1 }
    .faster { fill: #3fb950 } .slower { fill: #db6d28 }
  }
"""


def baseline(result):
    """Returns the run that ratios refer to: the fastest peer, or the first run that is context where there is no peer."""
    return result.peer() or next((name for name in result.case.context if name in result.figures), None)


def ratios(result):
    """Yields (our run, ratio to the baseline) of a result."""
    base = baseline(result)
    if not base:
        return
    for run in result.case.runs:
        if ours(run.name) and not run.aside:
            yield run.name, result.figures[run.name].rate / result.figures[base].rate


class Axis:
    """A logarithmic axis that covers 1 and all of `values` with some room, and has ticks at 1, 2 and 5 of each decade."""

    def __init__(self, values):
        logarithms = [math.log10(value) for value in (1, *values)]
        self.low, self.high = min(logarithms) - 0.05, max(logarithms) + 0.05

    def place(self, ratio):
        return LABELS + (math.log10(ratio) - self.low) / (self.high - self.low) * (WIDTH - LABELS - VALUES)

    def ticks(self):
        decades = range(math.floor(self.low), math.ceil(self.high) + 1)
        # Made from digits, because 10.0 ** -2 * 5 is not 0.05.
        ticks = [float(f"{first}e{power}") for power in decades for first in (1, 2, 5)]
        return [tick for tick in ticks if self.low <= math.log10(tick) <= self.high]


def row(axis, y, name, ratio, base):
    """Returns the elements of one row."""
    left, right = sorted((axis.place(1), axis.place(ratio)))
    return [f'<text x="{LABELS - 8}" y="{y + 12}" text-anchor="end">{escape(name)}</text>',
             f'<rect class="{"faster" if ratio >= 1 else "slower"}" x="{left:.1f}" y="{y + 2}" width="{max(right - left, 1):.1f}" height="{ROW - 5}"/>',
             f'<text x="{WIDTH - VALUES + 8}" y="{y + 12}">{number(ratio)} × {escape(base)}</text>']


def groups(results):
    """Returns (title, rows of (name, ratio), baseline): the programs of others together, with their mean, then each other case."""
    summary = Summary(results)
    found = []
    if summary.ratios:
        rows = [(result.case.title, ratio) for ratio, result in reversed(summary.ratios)]
        found.append(("programs, from a cold start", [("geometric mean", summary.mean()), *rows], "QEMU user"))
    return found + [(result.case.title, rows, baseline(result)) for result in results
                    if not result.case.name.startswith(PROGRAM) and (rows := list(ratios(result)))]


def draw(results, host):
    """Returns the text of the picture."""
    shown = groups(results)
    axis = Axis([ratio for _, rows, _ in shown for _, ratio in rows])
    y, body = TOP, []
    for title, rows, base in shown:
        body.append(f'<text class="title" x="8" y="{y + 13}">{escape(title)}</text>')
        y += ROW
        for name, ratio in rows:
            body += row(axis, y, name, ratio, base)
            y += ROW
        y += 6
    grid = []
    for tick in axis.ticks():
        x = axis.place(tick)
        grid.append(f'<line class="{"one" if tick == 1 else "axis"}" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 6}" y2="{y}"/>')
        grid.append(f'<text class="faint" x="{x:.1f}" y="{TOP - 10}" text-anchor="middle">{tick:g}×</text>')
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + 10}" width="{WIDTH}" height="{y + 10}" role="img">',
                      "<title>Speed as a ratio to the fastest peer</title>", f"<style>{STYLE}</style>",
                      '<text class="title" x="8" y="18">Speed as a ratio to the fastest peer (right: faster)</text>',
                      f'<text class="faint" x="8" y="36">{escape(host["processor"])}, {host["cores"]} cores</text>', *grid, *body, "</svg>", ""])


def write(path, results, host):
    with open(path, "w", encoding="utf-8") as file:
        file.write(draw(results, host))
