"""Prints for how much of a guest's memory the host may give large pages, with each argument of the
guest: large_pages.py TEMU PROGRAM ARGUMENT..."""
import os
import re
import subprocess
import sys


def large_bytes(pid):
    total = size = 0
    with open(f"/proc/{pid}/smaps") as maps:
        for line in maps:
            match = re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line)
            if match:
                size = int(match[2], 16) - int(match[1], 16)
            elif line.startswith("VmFlags:") and "hg" in line.split():
                total += size
    return total


def main():
    for argument in sys.argv[3:]:
        guest = subprocess.Popen(
            [*sys.argv[1:3], argument], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        guest.stdout.readline()
        total = large_bytes(guest.pid)
        guest.communicate("\n")
        if os.path.exists("/sys/kernel/mm/transparent_hugepage"):
            print(f"{argument}: {round(total / 2**20)} MiB")
        else:
            print("no large pages")


main()
