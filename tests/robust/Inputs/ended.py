"""ended.py BUILD DIRECTORY: signals to a tool that has begun an output. A FIFO as second output holds it at that point."""
import os
import signal
import subprocess
import sys
import time

build, directory = sys.argv[1:]
tasm, tld, temu = (os.path.join(build, tool) for tool in ("tasm", "tld", "temu"))
# Whoever runs the tests may have them ignored.
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
    signal.signal(number, signal.SIG_DFL)
os.makedirs(directory)
os.chdir(directory)
with open("a.s", "w", encoding="ascii") as source:
    source.write(".globl _start\n_start: nop\n")
subprocess.run([tasm, "-o", "a.o", "a.s"], check=True)
subprocess.run([tld, "-o", "a", "a.o"], check=True)
os.mkfifo("fifo")
before = sorted(os.listdir("."))
COMMANDS = {"a.o": [tasm, "-o", "a.o", "--MD", "fifo", "a.s"], "a": [tld, "-o", "a", "-Map=fifo", "a.o"]}


def hold(command):
    """Starts the tool, and waits until it has a temporary file."""
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    while len(os.listdir(".")) == len(before) and process.poll() is None:
        os.sched_yield()
    return process


def read(path):
    with open(path, "rb") as file:
        return file.read()


for output, command in COMMANDS.items():
    old = read(output)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        process = hold(command)
        process.send_signal(number)
        process.communicate()
        if process.returncode != -number or sorted(os.listdir(".")) != before or read(output) != old:
            print("BAD:", command, number, process.returncode, os.listdir("."))


def check(good, *what):
    if not good:
        print("BAD:", *what, sorted(os.listdir(".")))


# A killed run cannot clean up. The next one does, even if another target of that name is being written at the same time.
for output, command in COMMANDS.items():
    old = read(output)
    first = hold(command)
    second = subprocess.Popen(command, stderr=subprocess.PIPE)
    # The second run may find the file of the first before that has locked it, and removes it then; the first takes another name.
    end = time.monotonic() + 60
    while len(os.listdir(".")) != len(before) + 2 and second.poll() is None and time.monotonic() < end:
        os.sched_yield()
    check(len(os.listdir(".")) == len(before) + 2, "two runs have two temporary files")
    first.kill()
    first.communicate()
    check(read(output) == old, "killed:", command)
    subprocess.run(command[:3] + command[-1:], check=True)
    check(len(os.listdir(".")) == len(before) + 1 and read(output) == old, "the next run:", command)
    second.terminate()
    second.communicate()
    check(sorted(os.listdir(".")) == before, "after the second run:", command)

# Those of several killed runs go together.
for number in range(3):
    with open(f"a.o.unfinished{number}", "wb"):
        pass
subprocess.run([tasm, "-o", "a.o", "a.s"], check=True)
check(sorted(os.listdir(".")) == before, "after several killed runs")

# A trace that is being written leaves the old one alone.
with open("loop.s", "w", encoding="ascii") as source:
    source.write(".globl _start\n_start: j _start\n")
subprocess.run([tasm, "-o", "loop.o", "loop.s"], check=True)
subprocess.run([tld, "-o", "loop", "loop.o"], check=True)
subprocess.run([temu, "--trace=trace", "--max-insns=100", "loop"], check=False, stderr=subprocess.DEVNULL)
old, before = read("trace"), sorted(os.listdir("."))
process = hold([temu, "--trace=trace", "loop"])
temporary = set(os.listdir(".")).difference(before).pop()
while os.stat(temporary).st_size < 1 << 20:
    os.sched_yield()
process.kill()
process.communicate()
check(read("trace") == old, "the trace of a killed run")
subprocess.run([temu, "--trace=trace", "--max-insns=100", "loop"], check=False, stderr=subprocess.DEVNULL)
check(read("trace") == old and sorted(os.listdir(".")) == before, "the trace of the next run")
# What looks like a temporary file and is not a file of ours stays.
os.mkdir("trace.unfinished0")
os.symlink("a.s", "trace.unfinished1")
subprocess.run([temu, "--trace=trace", "--max-insns=100", "loop"], check=False, stderr=subprocess.DEVNULL)
check(read("trace") == old and sorted(os.listdir(".")) == sorted(before + ["trace.unfinished0", "trace.unfinished1"]), "others' files")
print("all ended")
