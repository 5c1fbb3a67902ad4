"""Writes ELF files that a careless loader trips over, and runs temu on each: python3 bad_elf.py TEMU DIRECTORY.

Every file must give a message and status 1; a few are merely odd and must run. Prints one line for each."""
import os
import struct
import subprocess
import sys

NEEDED = struct.pack("<4Q", 1, 0, 0, 0)  # DT_NEEDED, DT_NULL
EXIT = struct.pack("<3I", 0x05D00893, 0x00000513, 0x00000073)  # a7 = 93, a0 = 0, ecall
R, W, X = 4, 2, 1


def segment(address=0x10000, filesz=None, memsz=None, flags=R | X, offset=0, kind=1, alignment=4096):
    return dict(alignment=alignment, address=address, filesz=filesz, memsz=memsz, flags=flags, offset=offset, kind=kind)


def elf(segments, entry=None, machine=243, kind=2, elf_class=2, data=1, flags=0, phentsize=56, phnum=None, phoff=64):
    header = 64 + 56 * len(segments)
    body = EXIT
    size = header + len(body)
    entry = 0x10000 + header if entry is None else entry
    out = b"\x7fELF" + bytes([elf_class, data, 1]) + bytes(9)
    out += struct.pack("<HHIQQQIHHHHHH", kind, machine, 1, entry, phoff, 0, flags, 64, phentsize,
                       len(segments) if phnum is None else phnum, 64, 0, 0)
    for s in segments:
        filesz = size if s["filesz"] is None else s["filesz"]
        memsz = filesz if s["memsz"] is None else s["memsz"]
        out += struct.pack("<IIQQQQQQ", s["kind"], s["flags"], s["offset"], s["address"], s["address"], filesz, memsz, s["alignment"])
    return out + body


good = elf([segment()])
big = 1 << 63
cases = {
    "good": good,
    "writable code": elf([segment(flags=R | W | X)]),
    "empty segment": elf([segment(), segment(address=0x20000, filesz=0, memsz=0)]),
    "last page": elf([segment(), segment(address=0xFFFFF000, filesz=0, memsz=0x1000, flags=R | W)]),
    "in the scratchpad": elf([segment(), segment(address=0x400FF000, filesz=0, memsz=0x1000, flags=R | W)]),
    "nothing": b"",
    "magic alone": good[:4],
    "half a header": good[:40],
    "no segments": elf([], entry=0x10000),
    "no loadable segment": elf([segment(kind=4)]),
    "no interpreter": elf([segment(), segment(kind=3, filesz=0)]),
    "interpreter without end": elf([segment(), segment(kind=3, offset=1, filesz=4)]),
    "interpreter": elf([segment(), segment(kind=3, offset=1, filesz=8)]),
    "object": elf([segment()], kind=1),
    "shared": elf([segment(address=0)], entry=0, kind=3),
    "needs a library": elf([segment(address=0), segment(kind=2, offset=0x0B0, filesz=32)], entry=0xB0, kind=3)[:0xB0] + NEEDED,
    "moved": elf([segment(address=0)], entry=0x78, kind=3),
    "moved down": elf([segment(address=0x7FFFF000)], entry=0x7FFFF078, kind=3),
    "moved to its alignment": elf([segment(address=0, alignment=1 << 24)], entry=0x78, kind=3),
    "moved with a senseless alignment": elf([segment(address=0, alignment=12345)], entry=0x78, kind=3),
    "moved across the end": elf([segment(address=0), segment(address=0xFFFF0000, filesz=0, memsz=1, flags=R)], entry=0x78, kind=3),
    "moved around the end": elf([segment(address=0), segment(address=(1 << 64) - 4096, filesz=0, memsz=8192, flags=R)], entry=0x78, kind=3),
    "moved, with alignment beyond the end": elf([segment(address=0, alignment=1 << 31)], entry=0x78, kind=3),
    "moved, interpreter": elf([segment(address=0), segment(kind=3, filesz=0)], entry=0xB0, kind=3),
    "core": elf([segment()], kind=4),
    "x86-64": elf([segment()], machine=62),
    "32 bits": elf([segment()], elf_class=1),
    "big-endian": elf([segment()], data=2),
    "RVE": elf([segment()], flags=8),
    "null page": elf([segment(address=0x800)]),
    "address 0": elf([segment(address=0)]),
    "beyond the end": elf([segment(), segment(address=1 << 32, filesz=0, memsz=1, flags=R)]),
    "across the end": elf([segment(), segment(address=0xFFFFF000, filesz=0, memsz=0x1001, flags=R)]),
    "wraps": elf([segment(), segment(address=(1 << 64) - 4096, filesz=0, memsz=8192, flags=R)]),
    "huge": elf([segment(), segment(address=0x20000, filesz=0, memsz=big, flags=R)]),
    "largest size": elf([segment(), segment(address=0x20000, filesz=0, memsz=(1 << 64) - 1, flags=R)]),
    "more than the memory": elf([segment(), segment(address=0x80000000, filesz=0, memsz=0x60000000, flags=R)]),
    "overlap": elf([segment(), segment(address=0x10040, filesz=0, memsz=16, flags=R)]),
    "across the scratchpad's start": elf([segment(), segment(address=0x3FFFF000, filesz=0, memsz=0x2000, flags=R)]),
    "around the scratchpad": elf([segment(), segment(address=0x3FFFF000, filesz=0, memsz=0x200000, flags=R)]),
    "file size over memory size": elf([segment(memsz=16)]),
    "segment beyond the file": elf([segment(filesz=1 << 20)]),
    "offset beyond the file": elf([segment(offset=big)]),
    "offset and size that wrap": elf([segment(offset=(1 << 64) - 8, filesz=16)]),
    "entry outside": elf([segment()], entry=0x90000),
    "entry beyond": elf([segment()], entry=(1 << 64) - 2),
    "entry misaligned": elf([segment()], entry=0x10079),
    "entry in data": elf([segment(flags=R | W)]),
    "header entry size": elf([segment()], phentsize=32),
    "header count": elf([segment()], phnum=60000),
    "header offset": elf([segment()], phoff=big),
    "header offset wraps": elf([segment()], phoff=(1 << 64) - 8),
}
runs = ["good", "writable code", "empty segment", "last page", "in the scratchpad",
        "moved", "moved down", "moved to its alignment", "moved with a senseless alignment", "moved, with alignment beyond the end"]

temu, directory = sys.argv[1:]
failed = False
for name, content in cases.items():
    path = os.path.join(directory, "bad.elf")
    with open(path, "wb") as file:
        file.write(content)
    result = subprocess.run([temu, path], capture_output=True, text=True)
    message = result.stderr.replace(path, "FILE").split("\n")[0]
    expected = 0 if name in runs else 1
    fine = result.returncode == expected and (expected == 0 or "error:" in message) and result.stdout == ""
    failed |= not fine
    print(f"{'ok' if fine else 'BAD'}: {name}: {result.returncode}: {message}")

# Every byte of the headers, one at a time: any status, but no crash of the emulator and no hang.
for index in range(120):
    for value in (0, 1, 0x7F, 0x80, 0xFF):
        content = bytearray(cases["good"])
        content[index] = value
        with open(path, "wb") as file:
            file.write(content)
        status = subprocess.run([temu, "--max-insns=1000", path], capture_output=True).returncode
        if status < 0 or status not in (0, 1, 125, 132, 139):
            print(f"BAD: byte {index} = {value:#x}: status {status}")
            failed = True
print("failed" if failed else "all good")
