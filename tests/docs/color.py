"""Messages are colored on a terminal, unless NO_COLOR is set or TERM says that it has no colors; --color overrides that, for every tool.

RUN: %python %s %tasm %tld %tobjdump %temu %tdiff %ttrace %isagen | FileCheck --implicit-check-not={{.}} %s
CHECK: 7 tools
"""
import os
import pty
import subprocess
import sys

COLOR = b"\033["


def messages(tool, options, terminal, **variables):
    """Runs the tool with an option that it does not have and returns what it prints to standard error."""
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
    command = [tool, *options, "--no-such-option"]
    if not terminal:
        return subprocess.run(command, env=environment | variables, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, check=False).stderr
    main, other = pty.openpty()
    subprocess.run(command, env=environment | variables, stderr=other, stdout=subprocess.DEVNULL, check=False)
    os.close(other)
    output = b""
    try:
        while more := os.read(main, 4096):
            output += more
    except OSError:  # the end, on Linux
        pass
    os.close(main)
    return output


def strip(output):
    """Removes colors and the terminal's carriage returns."""
    parts = output.replace(b"\r", b"").split(COLOR)
    return parts[0] + b"".join(part.split(b"m", 1)[1] for part in parts[1:])


for program in sys.argv[1:]:
    name = os.path.basename(program)
    plain = messages(program, [], False, TERM="xterm")
    for expected, what, output in [
            (False, "a file", plain),
            (True, "a terminal", messages(program, [], True, TERM="xterm")),
            (False, "NO_COLOR", messages(program, [], True, TERM="xterm", NO_COLOR="1")),
            (True, "an empty NO_COLOR", messages(program, [], True, TERM="xterm", NO_COLOR="")),
            (False, "TERM=dumb", messages(program, [], True, TERM="dumb")),
            (False, "no TERM", messages(program, [], True)),
            (True, "--color=yes", messages(program, ["--color=yes"], False, NO_COLOR="1")),
            (True, "--color=auto", messages(program, ["--color", "auto"], True, TERM="xterm")),
            (False, "--color=no", messages(program, ["--color=no"], True, TERM="xterm"))]:
        if (COLOR in output) != expected or strip(output) != plain or not plain:
            print(name, what, output)
    refused = subprocess.run([program, "--color=maybe"], capture_output=True, check=False)
    if not refused.returncode or b"error: option '--color': found 'maybe', expected auto, yes or no" not in refused.stderr:
        print(name, refused)
    # tobjdump's -h prints section headers, as objdump's does.
    usage = subprocess.run([program, "-h" if name != "tobjdump" else "--help"], capture_output=True, check=False)
    if usage.returncode or not usage.stdout.startswith(b"Usage: " + name.encode()):
        print(name, usage)
print(len(sys.argv) - 1, "tools")
