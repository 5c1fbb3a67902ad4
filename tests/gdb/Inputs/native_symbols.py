"""Runs in gdb: stops temu after a while in native code, and looks around."""
import os
import signal
import threading
import time

import gdb


def from_memory(names):
    return sum("in-memory" in (name or "") for name in names)


def stop():
    # A file goes where more have come than there may be at once.
    while has_symbols and from_memory(came) < 16:
        time.sleep(0.1)
    time.sleep(1)
    os.kill(gdb.selected_inferior().pid, signal.SIGINT)


gdb.execute("set pagination off")
gdb.execute("set confirm off")
came = []
has_symbols = "--native-symbols" in gdb.execute("show args", to_string=True)
gdb.events.new_objfile.connect(lambda event: came.append(event.new_objfile.filename))
# temu learns by this signal that the program writes where native code is from.
gdb.execute("handle SIGSEGV nostop noprint pass", to_string=True)
threading.Thread(target=stop).start()
gdb.execute("run")
for _ in range(1000):
    name = gdb.selected_frame().name()
    if name == "inner":
        break
    gdb.execute("stepi", to_string=True)
gdb.execute("backtrace")
gdb.execute("info symbol $pc")
files = [each for each in gdb.objfiles() if "in-memory" in (each.filename or "")]
print("few files:", 0 < len(files) < 16)
functions = gdb.execute("info functions ^[io][nu].*er$", to_string=True)
print("both functions:", " inner\n" in functions and " outer\n" in functions)
print("files went:", from_memory(came) > len(files))
gdb.execute("kill")
