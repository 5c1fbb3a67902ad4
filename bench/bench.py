#!/usr/bin/env python3
"""bench.py --build DIR [options]: measures the tools beside others of their kind, and prints medians, spread and ratios.

The programs of a case do the same work. They run in turn, round after round, and each output is checked every time; a wrong one ends the measurement
with exit status 1 and the name of the run. Times are of the clock, or with --by=cpu of the processor (user and system), which a busy machine disturbs
less. Each case has expectations, ratios to other tools that show a loss of speed.
"""

import argparse
import fnmatch
import os
import sys
import time

import cases
import inputs
import machine
import measure
import others
import picture
import report

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = {**others.CASES, **cases.CASES}


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", help="directory of the tools and of bench-programs (default: build)")
    parser.add_argument("--output", metavar="DIR", help="directory for bench.json and bench.svg (default: the build directory)")
    parser.add_argument("--only", metavar="CASES", help="cases to measure, separated by commas; * and ? match as in file names (default: all but assemble-10m)")
    parser.add_argument("--rounds", type=int, default=5, help="number of times that each program runs (default: 5)")
    parser.add_argument("--by", choices=("wall", "cpu"), default="wall", help="time that ratios are made of: of the clock or of the processor (default: wall)")
    parser.add_argument("--scale", type=float, default=1.0, help="factor for the work of the long runs (default: 1)")
    parser.add_argument("--docs", action="store_true", help="also write docs/performance.md and docs/performance.svg; needs all cases")
    parser.add_argument("--list", action="store_true", help="print the names of the cases and exit")
    arguments = parser.parse_args()
    if arguments.rounds < 1 or arguments.scale <= 0:
        parser.error("--rounds and --scale must be positive")
    return arguments


def select(patterns):
    """Returns the names of the cases that a list of patterns selects; exits when a pattern selects none."""
    if not patterns:
        return [name for name in CASES if name not in cases.EXTRA]
    names = []
    for pattern in patterns.split(","):
        # The first part of a name selects all cases of that kind: product, matrix.
        found = [name for name in CASES
                 if name == pattern or (name not in cases.EXTRA and (fnmatch.fnmatch(name, pattern) or name.startswith(pattern + "-")))]
        if not found:
            sys.exit(f"bench: error: no case '{pattern}'; there are {', '.join(CASES)}")
        names += [name for name in found if name not in names]
    return names


def main():
    arguments = options()
    names = select(arguments.only)
    if arguments.list:
        print("\n".join(names))
        return 0
    if arguments.docs and arguments.only:
        sys.exit("bench: error: --docs describes all cases; leave out --only")
    tools = cases.Tools(os.path.abspath(arguments.build), arguments.scale)
    host = machine.describe()
    print(report.heading(host, arguments))
    results, left_out, start = [], [], time.monotonic()
    for name in names:
        try:
            case = CASES[name](tools, name)
            results.append(report.Result(case, measure.measure(case, arguments.rounds, tools.launcher), arguments.by))
        except measure.Missing as missing:
            left_out.append(name)
            print(f"\n{name}: left out: {missing}", flush=True)
            continue
        except (measure.Wrong, inputs.Failed, OSError) as wrong:
            sys.exit(f"bench: error: {name}: {wrong}")
        except KeyboardInterrupt:
            sys.exit(130)
        print(report.table(results[-1]), flush=True)
    print(report.closing(results, tools.missing, time.monotonic() - start))
    output = arguments.output or tools.build
    report.write_json(os.path.join(output, "bench.json"), results, host, arguments)
    picture.write(os.path.join(output, "bench.svg"), results, host)
    if arguments.docs:
        report.write_page(os.path.join(HERE, "..", "docs", "performance.md"), results, host, arguments, left_out)
        picture.write(os.path.join(HERE, "..", "docs", "performance.svg"), results, host)
    return 0


if __name__ == "__main__":
    sys.exit(main())
