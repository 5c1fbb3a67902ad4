"""line_table.py ROWS UNITS: assembly with a line table of that many rows, which that many units of debug information share."""
import sys

ROWS, UNITS = map(int, sys.argv[1:])
UNIT = """
    .4byte 31f - 30f
30: .2byte 4
    .4byte 0
    .byte 8, 1
    .4byte 0
    .8byte 0, 0x10000
31:
"""
print(""".text
_start: nop
.section .debug_abbrev, "", @progbits
    .byte 1, 0x11, 0, 0x10, 0x17, 0x11, 1, 0x12, 7, 0, 0, 0
.section .debug_info, "", @progbits
""" + UNIT * UNITS + """
.section .debug_line, "", @progbits
    .4byte 21f - 20f
20: .2byte 4
    .4byte 23f - 22f
22: .byte 1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0
    .asciz "a.c"
    .byte 0, 0, 0, 0
23: .byte 0, 9, 2
    .8byte 0""")
# A special opcode: the next row is one byte and one line further.
print(f"    .fill {ROWS}, 1, 14 + 15\n    .byte 2, 4, 0, 1, 1\n21:")
