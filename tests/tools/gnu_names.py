#!/usr/bin/python3
"""Stands for GNU objdump or readelf of a version after 2.40, whose name it has: runs the tool and prints the names that version 2.40 prints, and so do ours.

Later versions write immediate forms as `addi a0,a0,1` (2.40: `add a0,a0,1`), unknown words as `.insn 4, 0xffffffdb` (2.40: `.4byte`), and also name the
extensions that are in `a`, `zaamo` and `zalrsc`, in attributes and mapping symbols. tests/lit.cfg.py puts it before the tool in PATH where the tool is later than 2.40.
"""

import os
import re
import subprocess
import sys

# In a line of a disassembly: address, encoding, mnemonic.
IMMEDIATE_FORM = re.compile(rb"^( *[0-9a-f]+:\t(?:[0-9a-f ]+\t)?)(add|sll|srl|sra|and|or|xor|ror|bclr|bext|binv|bset|csrr?[wsc])i(w?)(?=\t)", re.M)
UNKNOWN = re.compile(rb"^( *[0-9a-f]+:\t[0-9a-f ]+\t)\.insn\t(\d+), 0x([0-9a-f]+)$", re.M)
CONTAINED = re.compile(rb"(_a\dp\d\w*)_zaamo1p0_zalrsc1p0")


def data(match):
    size, value = int(match[2]), int(match[3], 16)
    if size in (2, 4, 8):
        return match[1] + b".%dbyte\t%#x" % (size, value)
    return match[1] + b".byte\t" + b", ".join(b"0x%02x" % byte for byte in value.to_bytes(size, "little"))


def main():
    own = os.path.dirname(os.path.abspath(sys.argv[0]))
    tool = next(path for folder in os.environ["PATH"].split(":") if folder != own
                and os.access(path := os.path.join(folder, os.path.basename(sys.argv[0])), os.X_OK))
    done = subprocess.run([tool, *sys.argv[1:]], stdout=subprocess.PIPE)
    if tool.endswith("readelf"):
        text = CONTAINED.sub(rb"\1", done.stdout)
    else:
        text = UNKNOWN.sub(data, done.stdout)
        if not any("no-aliases" in argument for argument in sys.argv):
            text = IMMEDIATE_FORM.sub(rb"\1\2\3", text)
    sys.stdout.buffer.write(text)
    sys.exit(done.returncode)


main()
