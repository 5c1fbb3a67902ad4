"""Code is padded as GNU as pads it under norelax: a zero at an odd address, then a compressed nop where needed, with and without extension c.

RUN: %python %s %tasm %gas %gobjcopy %t | FileCheck %s
CHECK: {{[0-9]+}} sources, 0 different
"""
import itertools
import subprocess
import sys

DATA = ["", "nop", ".byte 1", ".2byte 1", ".byte 1, 2, 3", ".option rvc\nc.nop\n.option norvc", "nop\n.byte 1", "nop\n.2byte 1"]
ALIGN = [".balign 8", ".p2align 4", ".p2align 3,,7", ".option norvc\n.balign 16", ".option rvc\n.balign 16"]
AFTER = ["", "nop", ".option norvc\nnop"]


def assemble(command, objcopy, source, name):
    subprocess.run(command + ["-o", name + ".o", "-"], input=source, text=True, check=True)
    subprocess.run([objcopy, "-O", "binary", "-j", ".text", name + ".o", name], check=True)
    with open(name, "rb") as file:
        return file.read()


def main():
    tasm, gas, objcopy, name = sys.argv[1:]
    count = different = 0
    for march, parts in itertools.product(("rv64g", "rv64gc"), itertools.product(DATA, ALIGN, AFTER)):
        source = "\n".join((".option norelax",) + parts) + "\n"
        ours = assemble([tasm, "-march=" + march], objcopy, source, name)
        theirs = assemble([gas, "-march=" + march], objcopy, source, name)
        count += 1
        if ours != theirs:
            different += 1
            print(f"{march} {source!r}: ours {ours.hex()}, GNU as {theirs.hex()}")
    print(f"{count} sources, {different} different")


main()
