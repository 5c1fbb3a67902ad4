"""Names the machine, the compilers and the peers of a measurement, without which its figures mean nothing."""

import os
import platform
import re
import subprocess

# The command that prints the version of each program, and the pattern that finds it in the output.
VERSIONS = {
    "gcc": (["gcc", "--version"], r"gcc .*?(\d+\.\d+\.\d+)"),
    "riscv64 gcc": (["riscv64-linux-gnu-gcc", "--version"], r"gcc .*?(\d+\.\d+\.\d+)"),
    "QEMU": (["qemu-riscv64", "--version"], r"version (\S+)"),
    "Unicorn": (["pkg-config", "--modversion", "unicorn"], r"(\S+)"),
    "OpenBLAS": (["pkg-config", "--modversion", "openblas"], r"(\S+)"),
    "GNU binutils": (["riscv64-linux-gnu-as", "--version"], r"(\d+\.\d+\S*)\n"),
    "llvm-mc": (["llvm-mc-14", "--version"], r"version (\S+)"),
    "lld": (["ld.lld-14", "--version"], r"LLD (\S+)"),
    "mold": (["mold", "--version"], r"mold (\S+)"),
}


def version(command, pattern):
    try:
        text = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return None
    found = re.search(pattern, text)
    return found[1] if found else None


def processor():
    """Returns the processor's name, with family and model where they are known."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            fields = dict(re.findall(r"(?m)^([^\t:]+?)\s*: (.*)$", file.read()))
    except OSError:
        fields = {}
    name = fields.get("model name") or platform.machine()
    detail = f", family {fields['cpu family']} model {fields['model']}" if "cpu family" in fields and "model" in fields else ""
    return name + detail


def describe():
    """Returns the processor, cores, system, load, and the versions of the programs that are installed."""
    versions = {name: version(*how) for name, how in VERSIONS.items()}
    return {"processor": processor(), "cores": len(os.sched_getaffinity(0)), "system": f"{platform.system()} {platform.machine()}",
            "load": round(os.getloadavg()[0], 1), "versions": {name: found for name, found in versions.items() if found}}
