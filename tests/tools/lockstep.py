"""Runs a program in temu and in qemu-riscv64, and compares pc and all x and f registers before every instruction.

usage: lockstep.py TEMU PROGRAM [--from SYMBOL] [--insns N] [--at-least N]

qemu logs its registers before each instruction (-one-insn-per-tb -d cpu,fpu,nochain); temu's trace has the changes of each instruction. Both are
read from pipes. The expected log of qemu is kept as text, in which an effect replaces one line, so an instruction costs one
comparison of strings.

The two start a program with different stacks. The initial sp is taken from qemu, so the program must set sp before it uses it
otherwise. With --from, the comparison starts when both reach the symbol for the first time, with the registers of qemu. For a
program of the C library that symbol is main: before it, the library asks the system for values that differ (path, thread number, random bytes) and
stores them in memory. (The length of the path decides how much it allocates, so the program runs from a short one.) If such a value reaches a register later, it is a difference. A
program that ends too early, or a log that ends before the other, is an error.
"""
import argparse
import fcntl
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import threading

X = ("zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6").split()
F = ("ft0 ft1 ft2 ft3 ft4 ft5 ft6 ft7 fs0 fs1 fa0 fa1 fa2 fa3 fa4 fa5 fa6 fa7 fs2 fs3 fs4 fs5 fs6 fs7 fs8 fs9 fs10 fs11 "
     "ft8 ft9 ft10 ft11").split()
NAMES = [f"x{i}/{name}" for i, name in enumerate(X)] + [f"f{i}/{name}" for i, name in enumerate(F)]
NUMBER = {name.encode(): i for i, name in enumerate(X)} | {name.encode(): 32 + i for i, name in enumerate(F)}
DIGITS = 16
PIPE = 1 << 20


class Registers:
    """The registers as text, four in each line, as qemu prints them."""

    def __init__(self):
        self.text, self.places = bytearray(), []
        for i, name in enumerate(NAMES):
            self.text += f" {name:<8} ".encode()
            self.places.append(len(self.text))
            self.text += b"0" * DIGITS + (b"\n" if i % 4 == 3 else b"")

    def set(self, number, value):
        place = self.places[number]
        self.text[place:place + DIGITS] = value

    def get(self, number):
        place = self.places[number]
        return bytes(self.text[place:place + DIGITS])


def states_of_qemu(log):
    """Yields (pc, text of the registers) before each instruction."""
    length = len(Registers().text)
    for line in log:
        if line.startswith(b" pc "):
            text = log.read(length)
            place = text.find(b" fcsr ")  # later versions than 7 print it between the registers
            if place >= 0:
                end = text.index(b"\n", place) + 1
                text = text[:place] + text[end:] + log.read(end - place)
            yield line.split()[1], text


def steps_of_temu(trace):
    """Yields (pc, [(register, value)…], line) of each instruction."""
    for line in trace:
        if line.startswith(b"#"):
            continue
        effects = []
        at = line.rfind(b" | ")
        if at >= 0:
            for effect in line[at + 3:].split():
                name, _, value = effect.partition(b"=0x")
                number = NUMBER.get(name)
                if number is not None:
                    effects.append((number, value.rjust(DIGITS, b"0")))
        start = line.index(b"0x") + 2
        yield line[start:start + 16], effects, line


def differences(expected, found):
    values = found.split()[1::2]
    return [f"{NAMES[i]}: temu {expected.get(i).decode()}, qemu {values[i].decode()}"
            for i in range(min(len(NAMES), len(values))) if values[i] != expected.get(i)] or ["unreadable log"]


def compare(trace, log, limit, start):
    """Returns the number of instructions compared; exits with a message at the first difference."""
    registers = Registers()
    states = states_of_qemu(log)
    if start:
        states = itertools.dropwhile(lambda state: state[0] != start, states)
    previous = b"(start)\n"
    count = 0
    for pc, effects, line in steps_of_temu(trace):
        state = next(states, None)
        if state is None:
            sys.exit(f"after {count} instructions qemu ended, temu goes on with: {line.decode()}")
        if count == 0 and start:
            for number, value in enumerate(state[1].split()[1::2]):
                registers.set(number, value)
        elif count == 0:
            registers.set(2, state[1].split()[5])
        if pc != state[0] or state[1] != registers.text:
            print(f"after {count} instructions, the last being: {previous.decode()}", end="", file=sys.stderr)
            if pc != state[0]:
                sys.exit(f"pc: temu {pc.decode()}, qemu {state[0].decode()}")
            sys.exit("\n".join(differences(registers, state[1])))
        for number, value in effects:
            registers.set(number, value)
        previous = line
        count += 1
        if count == limit:
            return count
    if next(states, None) is not None:
        sys.exit(f"after {count} instructions temu ended, qemu goes on")
    return count


def address_of(arguments):
    if not arguments.start:
        return None
    names = subprocess.run(["riscv64-linux-gnu-nm", arguments.program], capture_output=True, check=True).stdout
    return next(line.split()[0] for line in names.splitlines() if line.split()[-1] == arguments.start.encode())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("temu")
    parser.add_argument("program")
    parser.add_argument("--from", dest="start", help="compare from this symbol on")
    parser.add_argument("--insns", type=int, default=0, help="stop after this number of instructions")
    parser.add_argument("--at-least", type=int, default=1, help="comparing fewer instructions is an error")
    arguments = parser.parse_args()
    if not arguments.start:
        return run(arguments)
    with tempfile.TemporaryDirectory(dir="/tmp") as directory:
        arguments.program = shutil.copy(arguments.program, os.path.join(directory, "p"))
        run(arguments)


def run(arguments):
    read_trace, write_trace = os.pipe()
    read_log, write_log = os.pipe()
    fcntl.fcntl(write_log, fcntl.F_SETPIPE_SZ, PIPE)
    limit = [f"--trace-insns={arguments.insns}"] if arguments.insns else []
    if arguments.start:
        limit.append(f"--trace-from={arguments.start}")
    temu = subprocess.Popen([arguments.temu, f"--trace=/dev/fd/{write_trace}", *limit, arguments.program], pass_fds=[write_trace],
                            stdout=subprocess.PIPE)
    options = subprocess.run(["qemu-riscv64", "--help"], capture_output=True, text=True).stdout
    one = "-one-insn-per-tb" if "-one-insn-per-tb" in options else "-singlestep"  # its name up to QEMU 8.0
    qemu = subprocess.Popen(["qemu-riscv64", one, "-d", "cpu,fpu,nochain", "-D", f"/dev/fd/{write_log}", arguments.program],
                            pass_fds=[write_log], stdout=subprocess.PIPE)
    os.close(write_trace)
    os.close(write_log)
    outputs = {}
    readers = [threading.Thread(target=lambda p=p: outputs.update({p: p.stdout.read()})) for p in (temu, qemu)]
    for reader in readers:
        reader.start()
    try:
        with open(read_trace, "rb", buffering=1 << 16) as trace, open(read_log, "rb", buffering=PIPE) as log:
            count = compare(trace, log, arguments.insns, address_of(arguments))
        if not arguments.insns:
            statuses = temu.wait(), qemu.wait()
            for reader in readers:
                reader.join()
            if statuses[0] != statuses[1] or outputs[temu] != outputs[qemu]:
                sys.exit(f"status: temu {statuses[0]}, qemu {statuses[1]}; output equal: {outputs[temu] == outputs[qemu]}")
    finally:
        for process in (temu, qemu):
            process.kill()
            process.wait()
    if count < arguments.at_least:
        sys.exit(f"only {count} instructions were compared, expected {arguments.at_least}")
    print(f"{count} instructions agree, status {statuses[0] if not arguments.insns else '-'}")


main()
