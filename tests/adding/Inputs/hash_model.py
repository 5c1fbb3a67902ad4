#!/usr/bin/env python3
"""hash_model.py OUTPUT: compares the registers that hash.s leaves, as temu prints them, with a model of xhash.yaml."""
import re
import sys

MASK = 2**32 - 1


def rotate(value, by):
    return (value << by | value >> (32 - by)) & MASK


def mix(block, other, by):
    result, state = [], 0
    for old, word in zip(block, other):
        state = rotate(state ^ rotate(word, by), 13) * 0x5BD1E995 & MASK
        state ^= state >> 15
        result.append(old ^ state)
    return result


data = [0x01020304 * 3] * 32
h0 = mix(data, data, 3)
h1 = mix(data, h0, 7)
expected = {"h0": h0, "h1": h1, "b63": [64], "b11": [bin(0x1234).count("1")]}
with open(sys.argv[1], encoding="utf-8") as file:
    found = {name: [int(word) for word in re.findall(r"\d+", words)] for name, words in re.findall(r"(\w+):u\d+.* = (.*)", file.read())}
assert found == expected, (found, expected)
