"""Prints the features of a gdb target description: name, registers, the first and the last one."""
import sys
import xml.etree.ElementTree

names = []
for feature in xml.etree.ElementTree.parse(sys.argv[1]).getroot().iter("feature"):
    registers = [register.get("name") for register in feature.iter("reg")]
    print(feature.get("name"), len(registers), registers[0], registers[-1])
    names += registers
print("unique", len(set(names)) == len(names))
