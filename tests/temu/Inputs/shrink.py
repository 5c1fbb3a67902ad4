"""Runs a copy of `program`, which waits for a byte; `cut`: truncates it meanwhile. shrink.py STATUS keep|cut TEMU [OPTION ...]"""
import os
import shutil
import subprocess
import sys

expected, what, *temu = sys.argv[1:]
shutil.copy("program", "copy")
run = subprocess.Popen([*temu, "copy"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
assert run.stdout.read(1) == b"r"
if what == "cut":
    os.truncate("copy", 4096)
messages = run.communicate(b"x")[1].decode()
copies = b"__asan_init" in open(temu[0], "rb").read()  # as it does under the sanitizer
status = 42 if copies else int(expected)
assert run.returncode == status, (run.returncode, messages)
assert ("was truncated" in messages) == (status == 1), messages
