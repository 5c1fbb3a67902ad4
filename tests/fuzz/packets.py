"""Damaged gdb sessions: python3 packets.py TEMU PROGRAM [--count N] [--first N]

A session of gdb itself is recorded through a relay. Then case number i takes one of its packets, damages it with random numbers
that depend only on i, and sends it after the packets before it; Ctrl-C and a valid packet follow at once. The run fails, and prints
the case, when temu
  - is killed by a signal, or prints a report of a sanitizer,
  - does not answer the valid packet,
  - closes the connection without a reply that says so."""
import argparse
import os
import random
import re
import selectors
import socket
import subprocess
import sys

from gdb_client import Gone, Session

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mutate import BUG  # noqa: E402

CASES_A_SESSION = 40
LIMIT = 0x4000
COMMANDS = """break *(&_start + 8)
continue
stepi
info registers
print $tlanes
x/4i $pc
set var *(long *)&buffer = 0x7d24232a
watch *(long *)&buffer
rwatch *(int *)&buffer
awatch *(char *)&buffer
hbreak reading
delete 1
set $t0 = 7
set $pc = &_start
next
print *(char (*)[64])&buffer
find /b &_start, +64, 0x73
monitor insns
monitor stats on
next
monitor stats
tbreak breakpoint_at
jump *breakpoint
continue
info registers csr
kill
""".splitlines()
NUMBERS = [b"", b"0", b"1", b"4", b"20", b"21", b"41", b"fff", b"1000", b"2000", b"3fff", b"4000", b"4001", b"3fffffff", b"40000000", b"400ffffc",
           b"400fffff", b"40100000", b"7fffffff", b"fffffff0", b"ffffffff", b"100000000", b"7fffffffffffffff", b"8000000000000000",
           b"fffffffffffffff8", b"ffffffffffffffff", b"10000000000000000", b"0" * 40 + b"8", b"-1", b"-2", b"x", b"0x10"]
HEX = re.compile(rb"[0-9a-f]+")


def relay(client, server):
    """Moves bytes both ways until one side is closed. Returns what the client sent."""
    said = b""
    selector = selectors.DefaultSelector()
    selector.register(client, selectors.EVENT_READ, server)
    selector.register(server, selectors.EVENT_READ, client)
    while True:
        for key, _ in selector.select():
            data = key.fileobj.recv(65536)
            if not data:
                return said
            if key.fileobj is client:
                said += data
            key.data.sendall(data)


def record(temu, program):
    """Returns the payloads that gdb sends in a session."""
    listener = socket.create_server(("127.0.0.1", 0))
    session = Session(temu, program)
    options = [option for command in COMMANDS for option in ("-ex", command)]
    gdb = subprocess.Popen(["gdb-multiarch", "-nx", "-batch", program, "-ex", f"target remote 127.0.0.1:{listener.getsockname()[1]}", *options],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    client, _ = listener.accept()
    said = relay(client, session.socket)
    client.close()
    session.end()
    gdb.communicate()
    return list(dict.fromkeys(re.findall(rb"\$([^#]*)#..", said, re.S)))


def choose(packets):
    """Chooses the packets to damage: not the end of the session, and only some of the many registers. Adds packets that this gdb does not send."""
    assert any(payload.startswith(b"vKill") for payload in packets)
    packets = [payload for payload in packets if not payload.startswith((b"QStart", b"vKill"))]
    registers = [payload for payload in packets if payload.startswith(b"p")]
    packets = [payload for payload in packets if payload not in registers or registers.index(payload) % 16 == 0]
    for start in (b"vCont;c", b"Z0,", b"Z1,", b"Z2,", b"Z3,", b"Z4,", b"z0,", b"X", b"g", b"m", b"p", b"P", b"H", b"qRcmd,", b"qXfer:"):
        assert any(payload.startswith(start) for payload in packets), start
    pc = int(next(payload for payload in packets if payload.startswith(b"Z0,")).split(b",")[1], 16)
    return packets + [b"vCont;s:1;c", b"vCont;S05:1", b"vCont;C0b", b"vCont;r%x,%x:1" % (pc, pc + 12), b"vCont;r0,ffffffffffffffff", b"s", b"S0b",
                      b"c%x" % pc, b"C05;%x" % pc, b"M%x,8:%s" % (pc, b"13" * 8), b"G" + b"%016x" % (pc << 32) * 65, b"T1", b"z4,%x,1" % pc,
                      b"Z2,0,ffffffffffffffff", b"Z4,3ffffff0,20", b"X%x,2:}\x03}]" % pc]


# ---- damage ----

def number(payload, draw):
    """Replaces a number: lengths, addresses, counts, registers."""
    places = list(HEX.finditer(payload))
    if not places:
        return payload + draw.choice(NUMBERS)
    place = draw.choice(places)
    return payload[:place.start()] + draw.choice(NUMBERS) + payload[place.end():]


def truncate(payload, draw):
    return payload[:draw.randrange(len(payload) + 1)]


def repeat(payload, draw):
    at = draw.randrange(len(payload) + 1)
    return payload[:at] + payload[at:at + draw.choice([1, 2, 8])] * draw.choice([2, 3, 50, LIMIT]) + payload[at:]


def flip(payload, draw):
    at = draw.randrange(len(payload))
    return payload[:at] + bytes([payload[at] ^ 1 << draw.randrange(8)]) + payload[at + 1:]


def separator(payload, draw):
    places = [i for i, byte in enumerate(payload) if byte in b",:;=+"] or [0]
    at = draw.choice(places)
    return payload[:at] + draw.choice([b"", b",", b":", b";", b"=", b"?", b",,", b";;", b":-1", b":0", b":2"]) + payload[at + 1:]


def insert(payload, draw):
    """Inserts escapes, run lengths (which only a stub may send), or bytes that are not text."""
    at = draw.randrange(len(payload) + 1)
    return payload[:at] + draw.choice([b"}", b"}\x03", b"}\x04", b"}}", b"*", b"0*~", b"*\x1d", b"\0", b"\x03", b"\x80", b"\xff", b"%s%n"]) + payload[at:]


def letter(payload, draw):
    return draw.choice([b"c", b"s", b"C", b"S", b"g", b"G", b"m", b"M", b"X", b"p", b"P", b"Z0", b"Z1", b"Z2", b"Z3", b"Z4", b"z2", b"vCont;c", b"vCont;s",
                        b"vCont;r", b"vCont;C", b"H", b"T", b"q", b"Q", b"v", b"k"]) + payload[draw.choice([0, 1, 2]):]


def several(payload, draw):
    for _ in range(draw.randrange(2, 5)):
        payload = draw.choice(DAMAGE)(payload or b"m", draw)
    return payload


DAMAGE = [number, number, number, truncate, repeat, flip, separator, insert, letter]


def frame(payload):
    payload = re.sub(rb"[#$]", lambda match: b"}" + bytes([match[0][0] ^ 0x20]), payload)
    return b"$%s#%02x" % (payload, sum(payload) % 256)


def damage_frame(packet, draw):
    """Returns what arrives when bytes are lost or repeated."""
    return draw.choice([
        lambda: packet[:draw.randrange(len(packet))],
        lambda: packet[:-2] + b"zz",
        lambda: packet[:-1] + draw.choice([b"0", b"f"]),
        lambda: packet[1:],
        lambda: b"$" + packet,
        lambda: packet[:draw.randrange(len(packet))] + packet,
        lambda: packet + packet,
        lambda: packet[:len(packet) // 2] + b"\x03" + packet[len(packet) // 2:],
        lambda: b"\x03+-\0" + packet + b"-",
    ])()


# ---- cases ----

def exchange(session, data, replies):
    """Sends the data, Ctrl-C and a packet that always has an answer. Appends all replies before that one to the list.

    Ctrl-C is sent three times, because an unfinished packet takes the first two as its checksum."""
    session.raw(data + 3 * b"\x03" + frame(b"qC"))
    while True:
        while session.byte() != b"$":
            pass
        reply = b""
        while (byte := session.byte()) != b"#":
            reply += byte
        session.byte(), session.byte()
        if reply == b"QC1":
            return
        replies.append(reply)


def may_end(case, replies):
    return b"$k" in case.data or b"vKill" in case.data or any(reply[:1] in (b"W", b"X") for reply in replies)


class Case:
    def __init__(self, packets, index):
        draw = random.Random(f"packets {index}")
        self.index = index
        payload = draw.choice(DAMAGE + [several])(draw.choice(packets), draw)
        if payload[:1] == b"D":  # the program would continue without a client, for ever
            payload = b"d" + payload[1:]
        self.data = frame(payload)
        if draw.randrange(5) == 0:
            self.data = damage_frame(self.data, draw)


def begin(temu, program, packets, index):
    """Starts a session and sends some of its packets, with or without QStartNoAckMode."""
    draw = random.Random(f"session {index}")
    session = Session(temu, program)
    if draw.randrange(2):
        exchange(session, frame(b"QStartNoAckMode"), [])
    for payload in packets[:draw.randrange(len(packets))]:
        if payload[:1] in b"SC" or payload[:7] in (b"vCont;S", b"vCont;C"):
            continue  # a signal may end the program
        exchange(session, frame(payload), [])
    return session


def finish(session, case):
    status, errors = session.end()
    if status < 0 or BUG.search(errors.encode()):
        sys.exit(f"case {case.index}: {case.data!r}: status {status}\n{errors}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("temu")
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=5 * int(os.environ.get("FUZZ", "200")))
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    packets = choose(record(options.temu, options.program))
    session, sessions, ends = None, 0, 0
    for index in range(options.first, options.first + options.count):
        if not session or index % CASES_A_SESSION == 0:
            if session:
                finish(session, case)
            session = begin(options.temu, options.program, packets, index)
            sessions += 1
        case = Case(packets, index)
        replies = []
        try:
            exchange(session, case.data, replies)
        except TimeoutError:
            session.process.kill()
            sys.exit(f"case {index}: {case.data!r}: no answer")
        except (Gone, ConnectionError):
            finish(session, case)
            if not may_end(case, replies):
                sys.exit(f"case {index}: {case.data!r}: gone without a word")
            session, ends = None, ends + 1
    if session:
        finish(session, case)
    print(f"{len(packets)} packets, {options.count} cases, {sessions} sessions, {ends} ended early")


main()
