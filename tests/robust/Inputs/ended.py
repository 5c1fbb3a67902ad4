"""ended.py BUILD DIRECTORY: signals to a tool that has begun an output. A FIFO as second output holds it at that point."""
import os
import signal
import subprocess
import sys

build, directory = sys.argv[1:]
tasm, tld = os.path.join(build, "tasm"), os.path.join(build, "tld")
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
print("all ended")
