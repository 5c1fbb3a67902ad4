"""Programs that misbehave: python3 guests.py BUILD DIRECTORY. Each must end as Linux would end it, and must not crash temu."""
import os
import subprocess
import sys

BUILD, DIRECTORY = sys.argv[1:3]
ILL, TRAP, ABRT, BUS, SEGV = (128 + number for number in (4, 5, 6, 7, 11))
EBADF, EFAULT, EINVAL, ENOMEM, ENOSYS = 9, 14, 22, 12, 38
TIMEOUT = 124
EXIT = "neg a0, a0\nli a7, 93\necall\n"  # with the error number of the last system call


def system_call(number, *arguments):
    return "".join(f"li a{i}, {value}\n" for i, value in enumerate(arguments)) + f"li a7, {number}\necall\n"


def fails(number, *arguments):
    return system_call(number, *arguments) + EXIT


def mmap(address, length, protection=3, flags=0x22):
    return system_call(222, address, length, protection, flags, -1, 0) + "li t0, -4096\nbltu a0, t0, 1f\n" + EXIT + "1: li a0, 0\n" + EXIT


PROGRAMS = {
    # jumps
    "to an odd half word": ("la t0, _start + 2\njr t0", ILL),
    "to an unmapped page": ("li t0, 0x50000000\njr t0", SEGV),
    "beyond the address space": ("li t0, 0x7ffffffffffffffc\njr t0", SEGV),
    "to the last word": ("li t0, -4\njr t0", SEGV),
    "to zero": ("jr x0", SEGV),
    "into the scratchpad": ("li t0, 0x40000000\nli t1, 0x13\nsw t1, 0(t0)\njr t0", SEGV),
    "into data": ("la t0, data\njr t0", SEGV),
    "into the stack": ("jr sp", SEGV),
    "behind the end": ("nop", ILL),
    "into itself for ever": ("1: j 1b", TIMEOUT),
    "system calls for ever": ("1: li a7, 172\necall\nj 1b", TIMEOUT),
    # stack
    "endless recursion": ("1: addi sp, sp, -16\nsd ra, 8(sp)\ncall 1b", SEGV),
    "large frames": ("1: lui t0, 16\nsub sp, sp, t0\nsd ra, 8(sp)\ncall 1b", SEGV),
    # system calls with bad pointers and lengths
    "read to nowhere": (fails(63, 0, 16, 100), EFAULT),
    "read to code": ("la a1, _start\nli a0, 0\nli a2, 100\nli a7, 63\necall\n" + EXIT, EFAULT),
    "read of all memory": (fails(63, 0, 0x20000, (1 << 63) - 1), EFAULT),
    "write from the end": (fails(64, 1, -8, 100), EFAULT),
    "write of all memory": (fails(64, 1, 0x20000, -1), EFAULT),
    "writev from nowhere": (fails(66, 1, 8, 3), EFAULT),
    "writev of too many": (fails(66, 1, 0x20000, 0x7fffffff), EINVAL),
    "writev of -1": (fails(66, 1, 0x20000, -1), EINVAL),
    "clock to nowhere": (fails(113, 0, -8), EFAULT),
    "fstat to nowhere": (fails(80, 1, -8), EFAULT),
    "uname to nowhere": (fails(160, -8), EFAULT),
    "random bytes to nowhere": (fails(278, -8, 100, 0), EFAULT),
    "openat of nowhere": (fails(56, -100, -1, 0), EFAULT),
    "no such call": (fails(-1), ENOSYS),
    "signal 99": (fails(129, 2, 99), EINVAL),
    "abort": (system_call(131, 2, 2, 6), ABRT),
    # memory
    "brk far away": (system_call(214, -1 << 63) + "mv s0, a0\n" + system_call(214, 0) + "sub a0, a0, s0\n" + EXIT, 0),
    "brk down": (system_call(214, 4096) + "la t0, data\nlw a0, 0(t0)\n" + EXIT, 0),
    "mmap of nothing": (mmap(0, 0), EINVAL),
    "mmap of -1": (mmap(0, -1), ENOMEM),
    "mmap of 2^62": (mmap(0, 1 << 62), ENOMEM),
    "mmap of the last page": (mmap(-4096, 4096, 3, 0x32), EINVAL),
    "mmap over the scratchpad": (mmap(0x40000000, 4096, 3, 0x32), EINVAL),
    "mmap at an odd address": (mmap(1, 4096, 3, 0x32), EINVAL),
    "mmap of no file": (mmap(0, 4096, 3, 0), EBADF),
    "mmap until it ends": ("1: " + system_call(222, 0, 1 << 28, 3, 0x22, -1, 0) + "bgez a0, 1b\n" + EXIT, ENOMEM),
    "munmap of all": (fails(215, 0, -1), EINVAL),
    "munmap of the code": ("la a0, _start\nli t0, -4096\nand a0, a0, t0\nli a1, 4096\nli a7, 215\necall", SEGV),
    "mprotect of the code": ("la a0, _start\nli t0, -4096\nand a0, a0, t0\nli a1, 4096\nli a2, 0\nli a7, 226\necall", SEGV),
    "munmap of the stack": ("li t0, -4096\nand a0, sp, t0\nli a1, 4096\nli a7, 215\necall\nsd x0, 0(sp)", SEGV),
    # tensor units
    "a product of 2^192": ("li a0, 0x40000000\nli a1, -1\nmm.f32 a0, a0, a0, a1, a1, a1", ILL),
    "a product whose size wraps": ("li a0, 0x40000000\nli a1, 1 << 32\nmm.f32 a0, a0, a0, a1, a1, a1", ILL),
    "a transfer of all memory": ("li a0, 0x40000000\nli a1, -1\ndma.ld a0, a0, a1", SEGV),
    "a tile of 2^64 rows": ("li a0, 0x40000000\nli a1, -1\nli a2, 1\ndma.ld2 a0, a0, a1, a2, x0", SEGV),
    "a tile of empty rows": ("li a0, 0x40000000\nli a1, -1\ndma.ld2 a0, a0, a1, x0, a1\nli a0, 0\n" + EXIT, 0),
    "a nest in no memory": ("li a0, 0x50000000\ntnest 0, a0", SEGV),
    # encodings
    "zeros": (".word 0, 0", ILL),
    "ones": (".word -1, -1", ILL),
    "a breakpoint": ("ebreak", TRAP),
    "a write to a read-only CSR": ("csrw cycle, a0", ILL),
}
# The executors with and without observation have separate code for all of this.
MODES = [[], ["--stats"]]


def main():
    bad = 0
    os.makedirs(DIRECTORY, exist_ok=True)
    os.chdir(DIRECTORY)
    for name, (text, status) in PROGRAMS.items():
        with open("a.s", "w") as file:
            file.write(f"\t.globl _start\n_start:\n{text}\n\t.data\ndata: .dword 0\n")
        for command in (["tasm", "-o", "a.o", "a.s"], ["tld", "-o", "a", "a.o"]):
            subprocess.run([os.path.join(BUILD, command[0]), *command[1:]], check=True)
        for mode in MODES:
            limit = ["--timeout=1"] if status == TIMEOUT else []
            result = subprocess.run([os.path.join(BUILD, "temu"), *limit, *mode, "a"], stdin=subprocess.DEVNULL,
                                    capture_output=True, env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))
            silent = status >= 124 and b"temu: a: " not in result.stderr
            if result.returncode != status or silent or b"Sanitizer" in result.stderr:
                bad += 1
                print(f"BAD: {name} {mode}: status {result.returncode}, expected {status}; {result.stderr.decode(errors='replace')}")
    print(f"{len(PROGRAMS)} programs, {bad} BAD")


main()
