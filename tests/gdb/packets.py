"""The gdb stub with input that gdb would not send: malformed, overlong, hostile packets, lost connections.

RUN: %gas -march=rv64g -o %t.o %S/Inputs/loop.s && %gld -o %t %t.o
RUN: %python %s %temu %t %t.trace
"""
import os
import random
import socket
import sys
import time

from gdb_client import Gone, Session

temu, program, trace = sys.argv[1:]
LIMIT = 0x4000


def little(value):
    return value.to_bytes(8, "little").hex()


def register(session, number):
    return int.from_bytes(bytes.fromhex(session.ask(f"p{number:x}")), "little")


def test_framing():
    session = Session(temu, program)
    session.raw(b"+-garbage\x03\0")
    session.raw(b"$?#00")
    assert session.byte() == b"-"
    session.raw(b"$?#zz")
    assert session.byte() == b"-"
    assert session.ask("?").startswith("T05")
    # The end of a packet is lost: the next packet is served.
    session.raw(b"$m0,")
    assert session.ask("?").startswith("T05")
    session.raw(b"$#00")
    assert session.byte() == b"+" and session.receive() == ""
    assert session.ask(b"m" + b"1" * (LIMIT - 1)) == "E16"
    for length in (LIMIT + 1, LIMIT + 2, 10 * LIMIT):
        assert session.ask(b"m" * length) == "E4a", length
    assert session.ask(b"X10000,1:}") == "E4a"
    # A refused reply is sent again, a limited number of times.
    session.raw(b"$qC#b4")
    assert session.byte() == b"+"
    for _ in range(3):
        answer = b"".join(session.byte() for _ in range(7))
        assert answer == b"$QC1#c5", answer
        session.raw(b"-")
    assert session.receive() == "QC1"
    assert session.ask("QStartNoAckMode") == "OK"
    session.acknowledge = False
    session.raw(b"$?#00")
    assert session.receive() == "E4a"
    assert session.ask("?").startswith("T05")
    session.send("k")
    assert session.end() == (137, f"temu: {program}: ended by SIGKILL\n")


def test_endless_refusal():
    session = Session(temu, program)
    session.raw(b"$qC#b4" + b"-" * 100)
    status, errors = session.end()
    assert status == 1 and "connection was lost" in errors, errors


def test_arguments():
    session = Session(temu, program)
    pc = register(session, 32)
    for packet in ("m", "m,", "m0", "m0,", "m0,0", "m10000,1x", "m11111111111111111,1", "M10000,1", "M10000,1:", "M10000,1:0",
                   "M10000,1:0g", "M10000,2:00", "M10000,ffffffffffffffff:00", "X10000,8:", "X10000,ffffffff:a", "p", "pg",
                   "pffffffff", "p100000000", "p1ffffffffffffffff", "P", "P1", "P1=", "P1=00", "P1=" + "0" * 18, "P20=" + little(1),
                   "P3e8=" + little(0) + "0", "G", "G00", "G" + "zz" * 520, "Z", "Z0", "Z0,", "Z0,0", "Z2,0,0", "Z2,8,ffffffffffffffff",
                   "Z0,0,4;X1,0", "c1", "cx", "C", "Cx", "C0;", "C0;1", "s1", "Sg", "vCont;", "vCont;x", "vCont;c:", "vCont;c:x",
                   "vCont;c:5", "vCont;C", "vCont;c:1:1", "vCont", "qXfer:features:read:target.xml:", "qXfer:features:read:target.xml:0",
                   "qXfer:features:read:target.xml:ffffffffffffffff,1", "qRcmd,1", "qRcmd,zz", "H", "Hg5", "T", "T2", "T1x"):
        reply = session.ask(packet)
        assert reply[:1] == "E", (packet, reply)
    for packet in ("", "!", "A", "q", "Q", "v", "vX", "qXfer:", "qXfer:memory-map:read::0,1", "Z5,0,4", "Zff,0,4", "R00", "B", "vMustReplyEmpty",
                   "\0", "\xff", "qCRC:0,1"):
        assert session.ask(packet.encode("latin1")) == "", packet
    assert session.ask("qXfer:features:read:other.xml:0,10") == "E00"
    assert session.ask("m0,4") == "E0e" and session.ask("mfffffffffffffffe,8") == "E0e" and session.ask("M0,1:00") == "E0e"
    assert register(session, 32) == pc
    # The reply has as many bytes as are mapped and fit.
    page = pc & ~0xfff
    assert len(session.ask(f"m{page:x},ffffffffffffffff")) <= LIMIT
    assert len(session.ask(f"m{(symbols['buffer'] | 0xfff) - 7:x},10")) == 16
    session.send("k")
    session.end()


def test_points():
    session = Session(temu, program)
    for i in range(1024):
        assert session.ask(f"Z{i % 5},{0x20000 + 8 * i:x},4") == "OK"
    assert session.ask("Z0,30000,4") == "E1c"
    assert session.ask("Z0,20000,4") == "OK"
    assert session.ask("z0,99999,4") == "OK"
    for i in range(1024):
        assert session.ask(f"z{i % 5},{0x20000 + 8 * i:x},4") == "OK"
    assert session.ask("Z0,30000,4") == "OK"
    session.send("k")
    session.end()


def test_registers_and_memory():
    session = Session(temu, program)
    assert "swbreak+" in session.ask("qSupported:swbreak+;hwbreak+")
    xml, offset = "", 0
    while True:
        part = session.ask(f"qXfer:features:read:target.xml:{offset:x},3e7")
        xml += part[1:]
        offset += len(part) - 1
        if part[0] == "l":
            break
    assert xml.startswith("<?xml") and xml.endswith("</target>\n") and 'name="row7_dim7_repeat"' in xml
    values = session.ask("g")
    assert len(values) == 65 * 16
    pc = register(session, 32)
    assert session.ask("G" + little(7) * 32 + little(pc) + little(9) * 32) == "OK"
    assert session.ask("g") == little(0) + little(7) * 31 + little(pc) + little(9) * 32
    assert session.ask(f"P5={little(2 ** 64 - 1)}") == "OK" and register(session, 5) == 2 ** 64 - 1
    # Code can be written: the next instruction becomes li a0, 3.
    code = bytes.fromhex("13053000")
    assert session.ask(f"M{pc:x},4:{code.hex()}") == "OK"
    stop = session.ask("s")
    assert stop.startswith("T05") and register(session, 10) == 3 and register(session, 32) == pc + 4
    assert session.ask(f"X{pc:x},0:") == "OK"
    assert session.ask(b"X%x,4:" % pc + b"}\x03}\x04}]}\x0a") == "OK"
    assert session.ask(f"m{pc:x},4") == "23247d2a"
    # A step at a breakpoint executes its instruction; continuing at one stops at once.
    assert session.ask(f"Z0,{pc:x},4") == "OK"
    assert session.ask(f"M{pc:x},4:{code.hex()}") == "OK"
    assert session.ask(f"c{pc:x}").endswith("swbreak:;") and register(session, 32) == pc
    assert session.ask(f"z0,{pc:x},4") == "OK"
    assert session.ask(f"Z1,{pc + 4:x},4") == "OK"
    assert session.ask("vCont;c:1").endswith("hwbreak:;")
    assert session.ask("vCont;s:5;s:-1").startswith("T05")
    session.send("k")
    session.end()


def test_interrupt():
    session = Session(temu, program)
    for _ in range(3):
        session.send("c")
        session.raw(b"\x03")
        assert session.receive().startswith("T02")
    assert session.ask("Z0,4,4") == "OK"
    session.send("c")
    session.raw(b"\x03")
    assert session.receive().startswith("T02")
    assert session.ask("C02") == "X02"
    assert session.end() == (130, f"temu: {program}: ended by SIGINT\n")
    # An interrupt of a system call that waits.
    session = Session(temu, program)
    assert session.ask(f"P20={little(symbols['reading'])}") == "OK"
    session.send("c")
    session.raw(b"\x03")
    stop = session.receive()
    assert stop.startswith("T02"), stop
    session.send("c")
    session.process.stdin.write("x")
    session.process.stdin.flush()
    assert session.receive() == "W01"
    assert session.end() == (1, "")


def test_range():
    """vCont;r steps as long as the pc is in the range."""
    session = Session(temu, program)
    assert session.ask("vCont?") == "vCont;c;C;s;S;r"
    start = symbols["_start"]
    for bad in ("vCont;r", "vCont;r1", "vCont;r1,", "vCont;r8,4", "vCont;r0,8x", "vCont;r0,8:9"):
        assert session.ask(bad).startswith("E"), bad
    assert session.ask(f"vCont;r{start:x},{start + 4:x}:1").startswith("T05")
    assert register(session, 32) == start + 4
    # An empty range is one step. Only an interrupt or a breakpoint ends the loop after it.
    assert session.ask(f"vCont;r{start:x},{start:x}").startswith("T05")
    assert register(session, 32) == start + 8
    for pause in (0, 0.05):
        before = register(session, 5)
        session.send(f"vCont;r{start + 4:x},{start + 12:x}")
        time.sleep(pause)
        session.raw(b"\x03")
        assert session.receive().startswith("T02")
        assert register(session, 5) > before and register(session, 32) in (start + 4, start + 8)
    assert session.ask(f"Z0,{start + 4:x},4") == "OK"
    assert session.ask(f"vCont;r{start + 4:x},{start + 12:x}").startswith("T05")
    assert register(session, 32) == start + 4
    assert session.ask("vCont;s").startswith("T05")
    assert register(session, 32) == start + 8
    session.send("k")
    session.end()


def test_faults():
    for symbol, stop, end, status in (("illegal", "T04", "X04", 132), ("null", "T0b", "X0b", 139), ("breakpoint", "T05", "X05", 133)):
        session = Session(temu, program)
        assert session.ask(f"P20={little(symbols[symbol])}") == "OK"
        assert session.ask("c").startswith(stop)
        assert register(session, 32) == symbols[symbol + "_at"], symbol
        assert session.ask("c").startswith(stop)
        assert session.ask("C" + stop[1:3]) == end
        code, errors = session.end()
        assert code == status and "pc " in errors, (code, errors)


def test_monitor():
    session = Session(temu, program, "--trace=" + os.path.dirname(trace))
    assert "trace on [FILE]" in session.monitor("help")
    assert "not a monitor command" in session.monitor("frobnicate")
    assert "not a monitor command" in session.monitor("")
    assert "at most" in session.monitor("x" * 2000)
    assert "expected" in session.monitor("trace on")
    assert "there is no trace" in session.monitor("trace off")
    for file in ("/nonexistent/file", trace, "..", ".", "../file", "x/"):
        assert "expected" in session.monitor("trace on " + file), file
    link = trace + ".link"
    os.path.lexists(link) or os.symlink("/nonexistent/file", link)
    assert "not a regular file" in session.monitor("trace on " + os.path.basename(link))
    assert "error" in session.monitor("trace on " + "x" * 300)
    assert "statistics are off" in session.monitor("stats")
    assert "tracing" in session.monitor("  trace  on  " + os.path.basename(trace) + "  ")
    session.monitor("stats on")
    for _ in range(3):
        session.ask("s")
    assert session.monitor("insns") == "3\n"
    assert "complete" in session.monitor("trace off")
    assert sum(not line.startswith("#") for line in open(trace)) == 3
    assert "tracing" in session.monitor("trace on " + os.path.basename(trace) + ".json")
    assert "complete" in session.monitor("trace off")
    assert open(trace + ".json").read().startswith("{"), "the name chooses the format"
    assert "3" in session.monitor("stats").splitlines()[0]
    session.monitor("stats off")
    session.ask("s")
    session.send("k")
    session.end()


def test_trace_place():
    """The client writes only where --trace allows it."""
    session = Session(temu, program)
    assert "without --trace" in session.monitor("trace on " + trace)
    assert "without --trace" in session.monitor("trace on")
    session.send("k")
    session.end()
    session = Session(temu, program, "--trace=" + trace, "--trace-format=json")
    assert "is not the file of --trace" in session.monitor("trace on " + trace + ".2")
    session.ask("s")
    assert "complete" in session.monitor("trace off")
    assert "tracing" in session.monitor("trace on")
    session.ask("s")
    session.ask("s")
    session.monitor("trace off")
    assert open(trace).read().count('"sequence":') == 2
    assert "tracing" in session.monitor("trace on " + trace)
    session.send("k")
    session.end()
    session = Session(temu, program, "--trace=" + os.path.dirname(program))
    assert "would replace the program" in session.monitor("trace on " + os.path.basename(program))
    session.send("k")
    session.end()


def test_strangers():
    """A client that does not begin as a debugger does is dropped, and the next one is served."""
    session = Session(temu, program)
    place = session.socket.getpeername()
    for first in (b"GET / HTTP/1.1\r\n\r\n$m0,4#fd", b"\x16\x03\x01", b"\0$k#6b", b"#$k#6b", b"k"):
        session.raw(first)
        try:
            assert session.socket.recv(100) == b""
        except ConnectionResetError:
            pass
        session.socket.close()
        session.socket = socket.create_connection(place)
        line = session.process.stderr.readline()
        assert line == ("temu: gdb: dropped a client whose first byte was 0x%02x; a debugger begins with '+', '-', '$' or Ctrl-C\n"
                        % first[0]), line
    session.raw(b"+")
    assert session.ask("?").startswith("T05")
    session.send("k")
    session.end()


def test_limits():
    session = Session(temu, program, "--max-insns", "1000")
    assert session.ask("c") == "X18"
    status, errors = session.end()
    assert status == 125 and "after --max-insns 1000" in errors
    session = Session(temu, program, "--timeout", "1")
    assert session.ask("c") == "X0e"
    assert session.end()[0] == 124
    start = symbols["_start"]
    for limit, stop, status in (("--max-insns=5000", "X18", 125), ("--timeout=1", "X0e", 124)):
        session = Session(temu, program, limit)
        assert session.ask(f"vCont;r{start:x},{start + 12:x}") == stop
        assert session.end()[0] == status


def test_lost():
    lost = "temu: error: gdb: the connection was lost, so the program was ended; use 'detach' to let it continue\n"
    for before in (b"", b"$", b"$m0,4#", b"$m0,4#f", b"$m0,4#fd", b"$vCont;c#a8", b"$c#63$c#63"):
        session = Session(temu, program)
        session.raw(before)
        status, errors = session.end()
        assert (status, errors) == (1, lost), (before, status, errors)


def test_detach():
    session = Session(temu, program)
    assert session.ask(f"P20={little(symbols['leave'])}") == "OK"
    assert session.ask("Z0,%x,4" % symbols["leave"]) == "OK"
    assert session.ask("D;1") == "OK"
    assert session.end() == (3, "")


def test_noise():
    """Random packets, well framed or not: each is answered or refused, and the session still works afterwards."""
    generator = random.Random(1)
    starts = ["m", "M", "X", "p", "P", "g", "G", "Z0", "z2", "H", "T", "q", "Q", "v", "vCont;", "qRcmd,", "qXfer:features:read:target.xml:",
              "qSupported", "?", "Z4,"]
    for _ in range(8):
        session = Session(temu, program)
        for _ in range(200):
            payload = generator.choice(starts).encode() + bytes(generator.choice(b"0123456789abcdef,:;=}xyz\0\xff")
                                                               for _ in range(generator.randrange(30)))
            payload = payload.replace(b"QStartNoAckMode", b"").replace(b"vKill", b"")
            if payload.startswith(b"vCont;") and payload[6:7] in b"cCsS}":
                continue
            session.send(payload)
            while (reply := session.receive())[:1] == "O" and reply != "OK":
                pass
        assert session.ask("?").startswith("T05")
        session.raw(bytes(generator.randrange(256) for _ in range(2000)).replace(b"$", b""))
        session.send("qC")
        assert session.receive() == "QC1"
        session.end()


def read_symbols():
    import subprocess
    lines = subprocess.run(["riscv64-linux-gnu-nm", program], check=True, capture_output=True, text=True).stdout.splitlines()
    return {line.split()[2]: int(line.split()[0], 16) for line in lines}


symbols = read_symbols()
for name, test in list(globals().items()):
    if name.startswith("test_"):
        try:
            test()
        except Gone:
            sys.exit(f"{name}: the connection was closed")
        print(name)
