"""Runs in gdb: stops temu after a while in native code, and looks around."""
import os
import signal
import threading
import time

import gdb


def stop():
    time.sleep(2)
    os.kill(gdb.selected_inferior().pid, signal.SIGINT)


gdb.execute("set pagination off")
gdb.execute("set confirm off")
came = []
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
print("files went:", sum("in-memory" in (each or "") for each in came) > len(files))
gdb.execute("kill")
