"""Follows a trace while its run waits, lets the run go on or kills it, and compares with a direct trace: follow.py TEMU TTRACE PROGRAM"""

import pathlib
import subprocess
import sys
import time

SEGMENT = 1 << 17


def start(temu, program):
    """Returns the process of a run that is recorded, when its file exists."""
    path = pathlib.Path("run.ttrace")
    path.unlink(missing_ok=True)
    process = subprocess.Popen([temu, f"--trace={path}", program], stdin=subprocess.PIPE)
    while not path.exists():
        time.sleep(0.01)
    return process


def main():
    temu, ttrace, program = sys.argv[1:]
    subprocess.run([temu, "--trace=direct", program], input=b"ab", check=True)
    direct = pathlib.Path("direct").read_bytes()

    run = start(temu, program)
    follower = subprocess.Popen([ttrace, "convert", "--to=text", "--follow", "run.ttrace"], stdout=subprocess.PIPE)
    greps = subprocess.Popen([ttrace, "grep", "--follow", "run.ttrace", "addi? "], stdout=subprocess.PIPE)
    early = [follower.stdout.readline() for _ in range(SEGMENT)]
    found = [greps.stdout.readline() for _ in range(SEGMENT // 8)]
    print("the run waits:", run.poll() is None, "and the follower:", follower.poll() is None)
    run.communicate(b"ab")
    rest = follower.stdout.read()
    print("followed:", b"".join(early) + rest == direct, follower.wait())
    found = b"".join(found) + greps.stdout.read()
    whole = subprocess.run([ttrace, "grep", "--limit=1000000000", "run.ttrace", "addi? "], capture_output=True, check=True).stdout
    print("found:", found == whole, greps.wait())

    run = start(temu, program)
    converted = subprocess.CompletedProcess([], 1, b"", b"")
    while converted.stdout.count(b"\n") < SEGMENT:
        time.sleep(0.1)
        converted = subprocess.run([ttrace, "convert", "--to=text", "run.ttrace"], capture_output=True, check=False)
    run.kill()
    run.communicate()
    converted = subprocess.run([ttrace, "convert", "--to=text", "run.ttrace"], capture_output=True, check=False)
    lines = converted.stdout.count(b"\n")
    print("killed:", direct.startswith(converted.stdout), lines >= SEGMENT, converted.returncode, b"interrupted" in converted.stderr)


main()
