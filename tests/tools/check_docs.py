#!/usr/bin/env python3
"""check_docs.py [--build DIR] [--tree DIR] [--built] [--update] PAGE.md…: runs the commands of a page and checks what they print.

    ```console
    $ tasm -o first.o first.s
    $ temu first; echo $?
    7
    ```

In a `console` block a line that begins with `$ ` is a command (`> ` continues it), and the lines up to the next command are its output,
standard output and error together. `…` stands for any text inside a line, and alone on a line for any number of lines.

A block whose opening line has a second word (```asm first.s) is a file of that name. With `part` as a third word (```asm first.s part)
it is an excerpt: its lines have to be consecutive lines of that file, apart from indentation.

All commands of a page run in one bash, in order, in a temporary directory, with the build directory in front of PATH; so variables,
`cd` and `$?` work as they do for a reader. The directory is empty. With --tree it has links to the entries of that directory except build/, so that it
looks like a fresh checkout; with --built it also has the build directory as `build`, as after `make`. A command that fails without output is an
error, unless the next one uses `$?`. A page without any command is an error, too. --update replaces wrong output in the page by the output of the command: read `git diff` before
you commit it.
"""

import argparse
import contextlib
import os
import re
import subprocess
import sys
import tempfile

MARK = "\x01end of command\x01"


class Step:
    """A step of a page: `kind` is "command", "file" or "part", `text` is the command or the file's name, and `lines` are the output or the contents, which
    end before line `end` of the page."""

    def __init__(self, kind, text, place):
        self.kind, self.text, self.place, self.lines, self.end = kind, text, place, [], 0


def read_console(lines, place):
    """Returns the commands of one block."""
    steps = []
    for number, line in lines:
        if line.startswith("$ "):
            steps.append(Step("command", line[2:], f"{place}:{number}"))
        elif line.startswith("> ") and steps and not steps[-1].lines:
            steps[-1].text += "\n" + line[2:]
        elif steps:
            steps[-1].lines.append(line)
        else:
            raise ValueError(f"{place}:{number}: output before any command in a console block")
        steps[-1].end = number + 1
    return steps


def read_page(name):
    """Returns the steps of a page in order."""
    steps, block, opening = [], None, None
    with open(name, encoding="utf-8") as file:
        for number, line in enumerate(file.read().split("\n"), 1):
            if block is None:
                opening = re.fullmatch(r"(```+)(.*)", line)
                block = [] if opening else None
            elif line == opening.group(1):
                words = opening.group(2).split()
                if words == ["console"]:
                    steps += read_console(block, name)
                elif len(words) > 1:
                    step = Step("part" if words[2:] == ["part"] else "file", words[1], f"{name}:{number}")
                    step.lines = [text for _, text in block]
                    steps.append(step)
                block = None
            else:
                block.append((number, line))
    if block is not None:
        raise ValueError(f"{name}: a block is not closed")
    return steps


def pattern(lines):
    """Returns a regular expression that matches the output in the page."""
    parts = []
    for line in lines:
        if line.strip() == "…":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*?".join(map(re.escape, line.rstrip().split("…"))) + r"[ \t]*\n")
    return re.compile("".join(parts))


class Shell:
    """A bash process that runs the commands of a page one at a time."""

    def __init__(self, directory, build):
        environment = dict(os.environ, LC_ALL="C.UTF-8", HOME=directory)
        environment["PATH"] = os.path.abspath(build) + ":" + environment["PATH"]
        self.bash = subprocess.Popen(["bash", "--norc"], cwd=directory, env=environment, stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")

    def run(self, command):
        """Returns the output of the command and its exit status, which is also `$?` in the next command. The standard input is empty."""
        self.bash.stdin.write(f"{{ {command}\n}} </dev/null\nstatus__=$?; printf '\\n{MARK}%d\\n' $status__; (exit $status__)\n")
        self.bash.stdin.flush()
        output = ""
        for line in self.bash.stdout:
            if line.startswith(MARK):
                return output[:-1], int(line[len(MARK):])
            output += line
        raise ValueError(f"the shell ended; it printed:\n{output}")

    def close(self):
        self.bash.stdin.close()
        self.bash.wait()


def check_command(step, following, shell, fixes):
    """Runs a command and returns the complaint, or None. Adds the correct output to `fixes`."""
    output, status = shell.run(step.text)
    expected = "".join(line + "\n" for line in step.lines)
    if output and not output.endswith("\n"):
        output += "\n"
    if not pattern(step.lines).fullmatch(output):
        fixes.append((step.end - len(step.lines), step.end, output))
        return f"{step.place}: $ {step.text}\n--- the page says\n{expected}--- it prints (exit status {status})\n{output}---"
    if status and not output and not (following and "$?" in following.text):
        return f"{step.place}: $ {step.text}\n--- exit status {status}, and the page does not show it"
    return None


def check_part(step, directory):
    """Checks that an excerpt is in its file and returns the complaint, or None."""
    with open(os.path.join(directory, step.text), encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    wanted = [line.strip() for line in step.lines]
    if any(lines[i:i + len(wanted)] == wanted for i in range(len(lines))):
        return None
    return f"{step.place}: this excerpt is not in {step.text}"


def write_file(step, directory):
    """Writes a block to a new file."""
    with open(os.path.join(directory, step.text), "x", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in step.lines)


def update_file(path, text):
    """Writes the text to the file, unless it is there."""
    if not os.path.exists(path) or open(path, encoding="utf-8").read() != text:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def files_of_page(name, files, directory):
    """Writes these files of a page to the directory."""
    for step in read_page(name):
        if step.kind == "file" and step.text in files:
            update_file(os.path.join(directory, step.text), "".join(line + "\n" for line in step.lines))


def link(target, name):
    """Makes a link, unless it is there. Returns whether it led elsewhere, as in a checkout that was copied."""
    led_elsewhere = os.path.islink(name) and os.readlink(name) != target
    if led_elsewhere:
        os.remove(name)
    if not os.path.lexists(name):
        os.symlink(target, name)
    return led_elsewhere


def link_tree(tree, directory):
    """Makes links to the entries of a tree in the directory, which then looks like a fresh checkout. Returns whether they led to another tree."""
    entries = set(os.listdir(tree)) - {"build", ".git"}
    return any([link(os.path.join(os.path.abspath(tree), entry), os.path.join(directory, entry)) for entry in entries])


def apply_fixes(name, fixes):
    """Replaces lines of the page; `fixes` are (first, end, text) in the order of the page."""
    with open(name, encoding="utf-8") as file:
        lines = file.readlines()
    for first, end, text in reversed(fixes):
        lines[first - 1:end - 1] = [text]
    with open(name, "w", encoding="utf-8") as file:
        file.writelines(lines)


def check_steps(steps, build, tree, built=False, keep=None):
    """Returns all complaints about the steps of a page, and the fixes to it. They run in the new directory `keep`, or in a temporary one."""
    complaints, fixes = [], []
    if keep:
        os.mkdir(keep)
    with contextlib.nullcontext(keep) if keep else tempfile.TemporaryDirectory() as directory:
        if tree:
            link_tree(tree, directory)
        if built:
            os.symlink(os.path.abspath(build), os.path.join(directory, "build"))
        shell = Shell(directory, build)
        for step, following in zip(steps, [*steps[1:], None]):
            if step.kind == "command":
                complaints.append(check_command(step, following, shell, fixes))
            elif step.kind == "part":
                complaints.append(check_part(step, directory))
            else:
                write_file(step, directory)
        shell.close()
    return [text for text in complaints if text], fixes


def count_commands(steps):
    return sum(step.kind == "command" for step in steps)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", help="directory of the tools")
    parser.add_argument("--tree", help="a directory whose entries the page expects around it")
    parser.add_argument("--built", action="store_true", help="the page also expects the build directory")
    parser.add_argument("--keep", metavar="DIRECTORY", help="run the page in this new directory, and leave it there")
    parser.add_argument("--update", action="store_true", help="correct the page")
    parser.add_argument("page", nargs="+")
    arguments = parser.parse_args()
    failed = False
    for page in arguments.page:
        try:
            steps = read_page(page)
            commands = count_commands(steps)
            complaints, fixes = check_steps(steps, arguments.build, arguments.tree, arguments.built, arguments.keep)
            if arguments.update:
                apply_fixes(page, fixes)
        except (OSError, ValueError) as error:
            complaints, commands = [str(error)], 1
        if not commands:
            complaints.append(f"{page}: no command to check")
        for complaint in complaints:
            print(complaint)
        print(f"{page}: {commands} commands, {len(complaints)} wrong")
        failed |= bool(complaints)
    return failed


if __name__ == "__main__":
    sys.exit(main())
