"""interrupted.py TEMU PROGRAM MACHINE: sends signals to temu while PROGRAM runs (interrupted.s), always after an event: a line that the
program or temu has written. Prints what is wrong and the number of runs."""
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import time

temu, program, machine = sys.argv[1:]
trace, stats, state = program + ".trace", program + ".stats", program + ".state"
PLACE = rf"{re.escape(program)}: stopped by (SIG[A-Z]+) at 0x[0-9a-f]+ <(\w+)(\+0x[0-9a-f]+)?>"
COUNTS = r"[0-9.]+ s, [0-9]+ instructions \([0-9.]+ million a second\), at 0x[0-9a-f]+"
PROGRESS = rf"temu: {re.escape(program)}: {COUNTS} <(\w+)"
runs = 0
# Whoever runs the tests may have them ignored.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
    signal.signal(number, signal.SIG_DFL)


def expect(good, *what):
    if not good:
        print("BAD:", *what)


def start(behavior, *options, **streams):
    """Starts temu, and waits for the first line of the program."""
    global runs
    runs += 1
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    # temu ends with this script, whose end would leave it running for ever.
    process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", temu, *options, program, behavior], **streams)
    if streams["stdout"] == subprocess.PIPE:
        expect(process.stdout.readline() == b"ready\n", behavior, options, "did not start")
    return process


def arrive(process, where):
    """Asks for progress until the program is at a place."""
    while True:
        process.send_signal(signal.SIGUSR1)
        found = re.fullmatch(PROGRESS + r".*\n", process.stderr.readline().decode())
        expect(found, "progress:", where)
        if found and found[1] == where:
            break


def finish(process, number, *where):
    """Waits for the end of temu, at one of these places, or where the program writes its first line."""
    output, errors = process.communicate()
    found = re.search(PLACE, errors.decode())
    expect(found and found[1] == signal.Signals(number).name and found[2] in (*where, "put"), number, where, errors)
    expect(process.returncode == 128 + number, number, where, process.returncode, errors)
    return output.decode(), errors.decode()


def outputs_are_complete(number):
    for path in (trace, stats, state):
        if os.path.exists(path):
            os.remove(path)
    process = start("loop", "--trace=" + trace, "--stats=" + stats, "--dump-state=" + state, "--print=count:u64")
    arrive(process, "loop")
    process.send_signal(number)
    output, _ = finish(process, number, "loop")
    count = int(re.search(r"count:u64 = (\d+)", output)[1])
    with open(trace, encoding="ascii") as file:
        lines = file.read().splitlines()[1:]
    with open(stats, encoding="ascii") as file:
        instructions = int(re.search(r"^instructions +(\d+)$", file.read(), re.M)[1])
    expect(len(lines) == instructions and count <= instructions, number, len(lines), instructions, count)
    # The trace and the state are those of a run which is limited to so many instructions.
    limited = [f"--max-insns={instructions}", f"--trace={trace}.limited", f"--dump-state={state}.limited"]
    subprocess.run([temu, *limited, program, "loop"], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for path in (trace, state):
        with open(path, "rb") as a, open(path + ".limited", "rb") as b:
            expect(a.read() == b.read(), number, path, "differs from that of --max-insns")


def each_wait_ends():
    for behavior, where in (("loop", "loop"), ("read", "read"), ("write", "write"), ("matrix", "product")):
        for options in (["--tier=interp"], ["--tier=auto"], ["--timeout=100000"]):
            process = start(behavior, "--machine=" + machine, *options)
            if behavior != "matrix":
                arrive(process, where)
            process.send_signal(signal.SIGINT)
            finish(process, signal.SIGINT, where, "_start" if behavior == "matrix" else where)


def ignored_signals_stay_ignored():
    process = start("loop", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    process.send_signal(signal.SIGHUP)
    arrive(process, "loop")
    process.send_signal(signal.SIGTERM)
    finish(process, signal.SIGTERM, "loop")


def a_second_signal_ends_at_once():
    # The trace goes to a pipe that nobody reads, so the first signal cannot end the run.
    reader, writer = os.pipe()
    process = start("loop", f"--trace=/dev/fd/{writer}", pass_fds=[writer])
    while select.select([], [writer], [], 0)[1]:
        os.sched_yield()
    os.close(writer)
    process.send_signal(signal.SIGTERM)
    while process.poll() is None:
        process.send_signal(signal.SIGTERM)
        os.sched_yield()
    expect(process.returncode == -signal.SIGTERM, "second signal:", process.returncode)
    os.close(reader)


def two_signals_at_once_are_one():
    # timeout(1) sends its signal to the process and to its group.
    for pause in range(0, 40, 2): # so that it comes at any time up to the end of the report
        process = start("loop", f"--stats={stats}")
        arrive(process, "loop")
        process.send_signal(signal.SIGINT)
        time.sleep(pause * 50e-6)
        process.send_signal(signal.SIGINT)
        finish(process, signal.SIGINT, "loop")


def progress_on_request():
    for behavior in ("loop", "read"):
        for options in ([], ["--progress=no"]):
            process = start(behavior, *options)
            arrive(process, behavior)
            process.send_signal(signal.SIGINT)
            finish(process, signal.SIGINT, behavior)


def progress_by_itself():
    process = start("loop", "--progress=yes")
    expect(re.match(PROGRESS, process.stderr.readline().decode()), "--progress=yes shows nothing")
    process.send_signal(signal.SIGINT)
    finish(process, signal.SIGINT, "loop")


def read_until(terminal, pattern):
    """Reads from the terminal until the pattern is found, and returns everything."""
    text = ""
    while not re.search(pattern, text):
        text += os.read(terminal, 4096).decode()
    return text


def progress_on_a_terminal():
    terminal, side = pty.openpty()
    environment = {**os.environ, "TERM": "vt100"}
    process = start("loop", stderr=side, env=environment)
    text = read_until(terminal, r"\r[^\r]*\r[^\r]*\x1b\[K")
    expect(re.match(r"\rtemu: [0-9.]+ s, [0-9]+ instructions \(", text) and "\n" not in text, "terminal:", repr(text))
    process.send_signal(signal.SIGINT)
    process.wait()
    text = read_until(terminal, r"stopped by SIGINT.*\n")
    expect(re.search(r"\r\x1b\[Ktemu: .*: stopped by SIGINT", text), "the line stays:", repr(text))
    # A program that has written part of a line keeps the terminal; after the newline the progress comes back.
    process = start("prompt", "--tier=interp", stdout=side, stderr=side, env=environment)
    text = read_until(terminal, r"first\r\n")
    text += read_until(terminal, r"million")
    expect(re.search(r"^ready\r\n(\r[^\r\n]*\x1b\[K)*(\r\x1b\[K)?first\r\n", text), "the terminal is shared badly:", repr(text))
    process.send_signal(signal.SIGINT)
    process.wait()
    read_until(terminal, r"stopped by SIGINT.*\n")
    os.close(side)
    os.close(terminal)


def with_a_debugger():
    for command in (None, b"$c#63"):
        process = subprocess.Popen([temu, "--gdb=0", program, "loop"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        port = int(process.stderr.readline().decode().rsplit(":", 1)[1])
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(b"+$?#3f")
            while b"#" not in client.recv(4096):
                pass
            if command:
                client.sendall(b"+" + command)
                process.stdout.readline()
            process.send_signal(signal.SIGTERM)
            received = b""
            while select.select([client], [], [])[0]:
                piece = client.recv(4096)
                if not piece:
                    break
                received += piece
            expect(not command or b"X0f" in received, "gdb is not told:", received)
        finish(process, signal.SIGTERM, "_start", "loop" if command else "_start")


for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    outputs_are_complete(each)
each_wait_ends()
ignored_signals_stay_ignored()
a_second_signal_ends_at_once()
two_signals_at_once_are_one()
progress_on_request()
progress_by_itself()
progress_on_a_terminal()
with_a_debugger()
print(f"{runs} runs")
