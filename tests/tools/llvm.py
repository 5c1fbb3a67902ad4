"""Finds programs of LLVM, of which Debian has several versions that can be installed beside each other."""

import glob
import re


def _installed(names):
    """Returns the paths of these files in all versions, the oldest first; at least one path."""
    found = [path for name in names for path in glob.glob(f"/usr/lib/llvm-*/{name}")]
    return sorted(found, key=lambda path: int(re.search(r"llvm-(\d+)", path)[1])) or names


def oldest(*names):
    """Returns the path of a program in the oldest version that has it, under one of these names."""
    return _installed(names)[0]


def newest(*names):
    """Returns that in the newest version."""
    return _installed(names)[-1]


class Groups(str):
    r"""A replacement in lit's configuration that refers to groups, as \1: later versions of lit take the backslash for an ordinary character."""

    def replace(self, *_):
        return self
