#!/usr/bin/env python3
"""check_man.py [--build DIR] [--tree DIR] PAGE.1…: checks the man pages of tools against the tools.

A page has to have the standard sections. The tags (.TP, .TQ) of its OPTIONS section have to name exactly the options that the tool's --help
lists, each with as many dashes; an option is written with `\\-`, so that it can be copied from the formatted page. The commands in the
.EX blocks of its EXAMPLES and DIAGNOSTICS sections, which are lines that begin with `$ ` as in check_docs.py, have to print the output in the page, where
`...` stands for any text. No section may explain a tag twice.
"""

import argparse
import os
import re
import subprocess
import sys

import check_docs

SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "ENVIRONMENT", "EXIT STATUS", "EXAMPLES", "DIAGNOSTICS", "SEE ALSO"]


def read_sections(name):
    """Returns {name of a section: its lines, each with its number}."""
    sections, lines = {}, []
    with open(name, encoding="ascii") as file:
        for number, line in enumerate(file.read().split("\n"), 1):
            heading = re.fullmatch(r'\.SH "?(.*?)"?', line)
            if heading:
                lines = sections.setdefault(heading.group(1), [])
            else:
                lines.append((number, line))
    return sections


def options_of_page(lines):
    """Returns the options that the tags name."""
    found, tag = set(), False
    for _, line in lines:
        if tag:
            text = re.sub(r"\\f(\[[^]]*\]|.)", "", line).replace('"', "")
            found.update(option.replace("\\-", "-")
                         for option in re.findall(r"(?<![\w-])\\-(?:\\-)?(?:[A-Za-z][A-Za-z0-9]*(?:\\-[A-Za-z0-9]+)*|[()])", text))
        tag = line in (".TP", ".TQ") or line.startswith(".TP ")
    return found


def repeated_tags(lines):
    """Returns the tags that a section has more than once."""
    tags = [line for (_, before), (_, line) in zip(lines, lines[1:]) if before == ".TP" or before.startswith(".TP ")]
    return sorted({tag for tag in tags if tags.count(tag) > 1})


def options_of_help(tool):
    """Returns the options that --help lists."""
    output = subprocess.run([tool, "--help"], capture_output=True, encoding="utf-8", check=True).stdout
    found = set()
    for line in output.split("\n"):
        if re.match(r"  -", line):
            words = re.split(r"\s{2,}", line.strip())[0]
            found.update(re.findall(r"(?:^|, )(--?(?:[A-Za-z][A-Za-z0-9-]*|[()]))", words))
    return found


def read_examples(lines, place):
    """Returns the steps in the lines of a section."""
    steps, block = [], None
    for number, line in lines:
        if line == ".EX":
            block = []
        elif line == ".EE":
            steps += check_docs.read_console(block, place) if block and block[0][1].startswith("$ ") else []
            block = None
        elif block is not None:
            text = line.replace("\\-", "-").replace("\\&", "").replace("\\(aq", "'").replace("\\e", "\\")
            block.append((number, text))
    for step in steps:
        step.lines = [line.replace("...", "…") for line in step.lines]
    return steps


def check_page(page, build, tree):
    """Returns all complaints about a page, and the number of its options and commands."""
    tool = os.path.splitext(os.path.basename(page))[0]
    sections = read_sections(page)
    complaints = [f"{page}: no section {section}" for section in SECTIONS if section not in sections]
    if complaints:
        return complaints, 0, 0
    complaints += [f"{page}: section {section} has the tag '{tag}' twice"
                   for section, lines in sections.items() for tag in repeated_tags(lines)]
    described, offered = options_of_page(sections["OPTIONS"]), options_of_help(os.path.join(build, tool))
    complaints += [f"{page}: {option} is in --help and not in OPTIONS" for option in sorted(offered - described)]
    complaints += [f"{page}: {option} is in OPTIONS and not in --help" for option in sorted(described - offered)]
    if not offered:
        complaints.append(f"{page}: {tool} --help lists no option")
    steps = read_examples(sections["EXAMPLES"] + sections["DIAGNOSTICS"], page)
    if not steps:
        complaints.append(f"{page}: no command in EXAMPLES")
    complaints += check_docs.check_steps(steps, build, tree)[0]
    return complaints, len(described), len(steps)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", help="directory of the tools")
    parser.add_argument("--tree", help="a directory whose entries the examples expect around them")
    parser.add_argument("page", nargs="+")
    arguments = parser.parse_args()
    failed = False
    for page in arguments.page:
        try:
            complaints, options, commands = check_page(page, arguments.build, arguments.tree)
        except (OSError, ValueError, subprocess.CalledProcessError) as error:
            complaints, options, commands = [f"{page}: {error}"], 0, 0
        for complaint in complaints:
            print(complaint)
        print(f"{os.path.basename(page)}: {options} options, {commands} commands, {len(complaints)} wrong")
        failed |= bool(complaints)
    return failed


if __name__ == "__main__":
    sys.exit(main())
