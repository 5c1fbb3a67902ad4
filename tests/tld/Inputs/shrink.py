"""Links large.o with other.o, which comes through a pipe; `cut`: cuts large.o short before. shrink.py TLD keep|cut"""
import os
import subprocess
import sys

tld, what = sys.argv[1:]
link = subprocess.Popen([tld, "large.o", "pipe", "-o", "program"], stderr=subprocess.PIPE, text=True)
other = open("other.o", "rb").read()
with open("pipe", "wb") as pipe:  # opens when the linker has come to it
    if what == "cut":
        os.truncate("large.o", 4096)
    pipe.write(other)
messages = link.communicate()[1]
copies = b"__asan_init" in open(tld, "rb").read()  # as it does under the sanitizer
expected = 1 if what == "cut" and not copies else 0
assert link.returncode == expected, (link.returncode, messages)
files = sorted(os.listdir("."))
if expected:
    assert "was truncated while it was read" in messages, messages
    assert files == ["large.o", "other.o", "pipe"], files
else:
    assert "program" in files and not messages, (files, messages)
    os.remove("program")
