"""The CSRs of the target description are those of the ISA description that exist in the environment. Each can be read, and a write to a read-only one
fails.

RUN: %gas -march=rv64g -o %t.o %S/Inputs/loop.s && %gld -o %t %t.o && %tld -Ttext=0x80000000 -o %t.bare %t.o
RUN: %python %s %temu %t %t.bare %root/isa/*.yaml
"""
import re
import sys

from gdb_client import Session

temu, user, bare = sys.argv[1:4]


def described():
    """Returns number and access of each CSR in the YAML; an entry with `indices` stands for several. Those of state can only be read."""
    csrs = {}
    for path in sys.argv[4:]:
        text = open(path).read()
        csrs.update({name: (int(number, 16), "read-only") for name, number in re.findall(r"^ .*\bcsr: \{(\w+): (0x\w+)\}", text, re.M)})
        section = re.search(r"^csrs:\n((?:[ #].*\n|\n)*)", text, re.M)
        for name, body in re.findall(r"^  (\w+):\n((?:    .*\n|\n)+)", section[1] if section else "", re.M):
            keys = dict(re.findall(r"^    (\w+): *(.*)$", body, re.M))
            first, last = map(int, re.findall(r"\d+", keys.get("indices", "[0, 0]")))
            for index in range(first, last + 1):
                csrs[name + (str(index) if "indices" in keys else "")] = int(keys["number"], 16) + index - first, keys["access"]
    return csrs


def whole(session, annex):
    text = ""
    while True:
        part = session.ask(f"qXfer:features:read:{annex}:{len(text):x},fff")
        text += part[1:]
        if part[0] == "l":
            return text


def check(program, expected, *options):
    session = Session(temu, program, *options)
    names = {}
    for register in re.findall(r"<reg [^>]*>", whole(session, "target.xml")):
        attributes = dict(re.findall(r'([\w-]+)="([^"]*)"', register))
        if attributes.get("group") == "csr":
            names[attributes["name"]] = int(attributes["regnum"])
    assert set(names) == set(expected), set(names) ^ set(expected)
    for name, number in names.items():
        value = session.ask(f"p{number:x}")
        assert re.fullmatch("[0-9a-f]{16}", value), (name, value)
        reply = session.ask(f"P{number:x}={value}")
        assert reply == ("E16" if expected[name][1] == "read-only" else "OK"), (name, expected[name], reply)
    # A CSR that this environment does not have is not a register.
    assert session.ask("p%x" % (max(names.values()) + 10000)) == "E16"
    assert session.ask("?").startswith("T05")
    session.send("k")
    session.end()


csrs = described()
assert len(csrs) > 100 and {csrs[name] for name in ("fflags", "tspm", "pmpaddr15")} == {
    (0x001, "read-write"), (0xCC0, "read-only"), (0x3BF, "read-write")}
check(bare, csrs, "--env=bare")
# Mode is bits 9:8 of the number; in the user environment three counters can be read, and without workers there is no barrel.
barrel = {"texits", "tself", "tworkers"}
in_user = {name: csr for name, csr in csrs.items() if csr[0] >> 8 & 3 == 0 and not name.startswith("hpmcounter")}
check(user, {name: csr for name, csr in in_user.items() if name not in barrel})
machine = sys.argv[2] + ".yaml"
with open(machine, "w") as file:
    file.write("barrel: {workers: 1}\n")
check(user, in_user, "--machine", machine)
