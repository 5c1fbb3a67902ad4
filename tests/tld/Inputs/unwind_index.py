"""unwind_index.py PROGRAM: .eh_frame_hdr has the functions that readelf finds in .eh_frame, in order."""
import re
import struct
import subprocess
import sys


def readelf(option):
    return subprocess.run(["riscv64-linux-gnu-readelf", option, sys.argv[1]], check=True, capture_output=True, text=True).stdout


section = re.search(r"\.eh_frame_hdr +\S+ +(\w+) (\w+) (\w+)", readelf("-SW"))
address, offset, size = (int(word, 16) for word in section.groups())
frames = int(re.search(r"\.eh_frame +\S+ +(\w+)", readelf("-SW")).group(1), 16)
data = open(sys.argv[1], "rb").read()[offset:offset + size]
version, *encodings, pointer, count = struct.unpack_from("<BBBBiI", data)
entries = [struct.unpack_from("<ii", data, 12 + 8 * i) for i in range(count)]
found = sorted((int(pc, 16) - address, int(at, 16) + frames - address)
               for at, pc in re.findall(r"^(\w+) \w+ \w+ FDE cie=\w+ pc=(\w+)\.\.", readelf("-wf"), re.M))
if version != 1 or encodings != [0x1B, 3, 0x3B] or pointer + address + 4 != frames or size != 12 + 8 * count:
    sys.exit(f"header: {data[:12].hex()}")
if not count or entries != found:
    sys.exit(f"{count} entries, {len(found)} functions; {set(entries) ^ set(found)}")
