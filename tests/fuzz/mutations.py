"""Damage to inputs, drawn from a random.Random: the same seed gives the same damage.

Three families: bytes (any file), text (assembly, YAML, traces: lines and tokens) and ELF (fields of headers, section headers,
program headers, symbols and relocations). Each function takes and returns bytes."""
import re
import struct

NUMBERS = [b"0", b"1", b"-1", b"2", b"7", b"8", b"31", b"32", b"33", b"63", b"64", b"127", b"128", b"255", b"256", b"2047", b"2048", b"-2048",
           b"-2049", b"4095", b"4096", b"65535", b"65536", b"0x7fffffff", b"0x80000000", b"0xffffffff", b"0x100000000",
           b"0x7fffffffffffffff", b"0x8000000000000000", b"0xffffffffffffffff", b"-0x8000000000000000",
           b"99999999999999999999999999", b"1e400", b"0x", b"08", b"1.5"]
WORDS = [b"(", b")", b"((((", b"[", b"]", b"{", b"}", b",", b",,", b":", b";", b"#", b"\"", b"'", b"\\", b"-", b"+", b"~", b"*", b"/", b"%", b"<<", b">>",
         b"=", b"==", b"&", b"&x", b"*x", b"|", b"|-", b">", b"!", b"!!int", b"@", b"`", b"?", b"? ", b"- ", b"\t", b"\r", b"\0", b"\xef\xbb\xbf",
         b"\xff\xfe", b"\xc3", b"", b" ", b"\n", b"\n\n", b".", b"..", b"...", b"---", b"1f", b"1b", b"9f", b"\\@", b"\\()", b"\\a", b"$x", b"%hi(",
         b"%pcrel_lo(", b"nan", b"inf", b"null", b"true", b"/*", b"*/", b"//", b"\xc3\xa9", b"x0", b"f31", b"zero", b"{}", b"[]", b"{a: ", b"[a, "]
TOKEN = re.compile(rb"[A-Za-z_.$%\\@][\w.$]*|0[xX][0-9a-fA-F]+|\d+|\"[^\"\n]*\"|[^\w\s]")
NUMBER = re.compile(rb"-?\b(0[xX][0-9a-fA-F]+|\d+)\b")

BYTES = [0, 1, 2, 0x0A, 0x20, 0x7F, 0x80, 0xFE, 0xFF]
WIDE = [0, 1, 2, 3, 4, 7, 8, 0x0F, 0x10, 0x1F, 0x40, 0xFF, 0x100, 0xFFF, 0x1000, 0x7FFF, 0x8000, 0xFFF1, 0xFFF2, 0xFFFF, 0x10000, 0x7FFFFFFF,
        0x80000000, 0xFFFFFFFF, 0x100000000, 0x40000000, 0x400FFFFC, 1 << 40, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000,
        0xFFFFFFFFFFFFFFF8, 0xFFFFFFFFFFFFF000, 0xFFFFFFFFFFFFFFFF]


# ---- bytes ----

def flip_bit(data, draw):
    data = bytearray(data)
    data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    return bytes(data)


def set_byte(data, draw):
    data = bytearray(data)
    data[draw.randrange(len(data))] = draw.choice(BYTES)
    return bytes(data)


def set_word(data, draw):
    """Replaces a little-endian value of 2, 4 or 8 bytes at an aligned offset."""
    size = draw.choice([2, 4, 8])
    if len(data) < size:
        return data
    at = draw.randrange(len(data) - size + 1) // size * size
    value = draw.choice(WIDE + [len(data)]) & ((1 << 8 * size) - 1)
    return data[:at] + value.to_bytes(size, "little") + data[at + size:]


def truncate(data, draw):
    return data[:draw.randrange(len(data))]


def delete_range(data, draw):
    at = draw.randrange(len(data))
    return data[:at] + data[at + draw.choice([1, 2, 4, 8, 24, 64, 1000]):]


def repeat_range(data, draw):
    at = draw.randrange(len(data))
    return data[:at] + data[at:at + draw.choice([1, 4, 24, 64])] * draw.choice([2, 3, 100]) + data[at:]


def insert_bytes(data, draw):
    at = draw.randrange(len(data) + 1)
    return data[:at] + bytes(draw.choice(BYTES) for _ in range(draw.choice([1, 2, 4, 8]))) + data[at:]


BINARY = [flip_bit, flip_bit, set_byte, set_word, set_word, truncate, delete_range, repeat_range, insert_bytes]


# ---- text ----

def change_lines(data, draw):
    lines = data.split(b"\n")
    at, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    kind = draw.randrange(5)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(other, lines[at])
    elif kind == 2:
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == 3:
        lines[at] = lines[at] + lines[other]
    else:
        lines[at] = (b" " if draw.randrange(2) else b"\t") * draw.randrange(9) + lines[at].lstrip()
    return b"\n".join(lines)


def pick(pattern, data, draw):
    matches = list(pattern.finditer(data))
    return draw.choice(matches) if matches else None


def change_token(data, draw):
    token = pick(TOKEN, data, draw)
    if not token:
        return data
    kind = draw.randrange(6)
    if kind == 0:
        new = b""
    elif kind == 1:
        new = token[0] + b" " + token[0]
    elif kind == 2:
        new = pick(TOKEN, data, draw)[0]
    elif kind == 3:
        new = draw.choice(WORDS)
    elif kind == 4:
        new = token[0] + draw.choice(WORDS)
    else:
        new = token[0] * draw.choice([3, 300, 3000])
    return data[:token.start()] + new + data[token.end():]


def swap_tokens(data, draw):
    first, second = sorted((pick(TOKEN, data, draw), pick(TOKEN, data, draw)), key=lambda token: token.start() if token else -1)
    if not first or first.end() > second.start():
        return data
    return data[:first.start()] + second[0] + data[first.end():second.start()] + first[0] + data[second.end():]


def change_number(data, draw):
    number = pick(NUMBER, data, draw)
    return data[:number.start()] + draw.choice(NUMBERS) + data[number.end():] if number else data


TEXT = [change_lines, change_lines, change_token, change_token, change_token, swap_tokens, change_number, change_number, change_number,
        flip_bit, set_byte, truncate, delete_range]


# ---- ELF ----

def elf_fields(data):
    """Returns (offset, size) of every field of the headers and tables; [] when the file is too damaged to find them."""
    try:
        header = struct.unpack_from("<HHIQQQIHHHHHH", data, 16)
        fields = list(zip([16, 18, 20, 24, 32, 40, 48, 52, 54, 56, 58, 60, 62], [2, 2, 4, 8, 8, 8, 4, 2, 2, 2, 2, 2, 2]))
        for i in range(header[9]):
            fields += table(header[4] + 56 * i, [4, 4, 8, 8, 8, 8, 8, 8])
        for i in range(header[11]):
            at = header[5] + 64 * i
            fields += 2 * table(at, [4, 4, 8, 8, 8, 8, 4, 4, 8, 8])
            kind, = struct.unpack_from("<I", data, at + 4)
            offset, size = struct.unpack_from("<QQ", data, at + 24)
            size = min(size, len(data))
            if kind in (2, 11):
                for entry in range(size // 24):
                    fields += table(offset + 24 * entry, [4, 1, 1, 2, 8, 8])
            elif kind == 4:
                for entry in range(size // 24):
                    fields += table(offset + 24 * entry, [8, 4, 4, 8])
            elif kind == 6:
                fields += table(offset, [8] * (size // 8))
            elif kind == 0x6fffffff:
                fields += table(offset, [2] * (size // 2))
            elif kind in (7, 17, 0x70000003, 0x6ffffffd):
                fields += table(offset, [4] * (size // 4))
            elif kind == 0x6ffffffe:  # needed versions: halfwords and words
                fields += table(offset, [2] * (size // 2)) + 2 * table(offset, [4] * (size // 4))
        return [field for field in fields if field[0] + field[1] <= len(data)]
    except (struct.error, OverflowError):
        return []


def table(at, sizes):
    fields = []
    for size in sizes:
        fields.append((at, size))
        at += size
    return fields


def set_field(data, draw):
    fields = elf_fields(data)
    if not fields:
        return set_word(data, draw)
    at, size = draw.choice(fields)
    old = int.from_bytes(data[at:at + size], "little")
    values = WIDE + [old + 1, old - 1, old ^ 1, old * 2, len(data), len(data) - old, draw.randrange(64)]
    if draw.randrange(4) == 0:
        other = draw.choice([field for field in fields if field[1] == size])
        values = [int.from_bytes(data[other[0]:other[0] + size], "little")]
    return data[:at] + (draw.choice(values) & ((1 << 8 * size) - 1)).to_bytes(size, "little") + data[at + size:]


ELF = [set_field] * 8 + BINARY


def debug_sections(data):
    """Returns (offset, size) of the sections named .debug… and of their relocations; [] when none are found."""
    try:
        start, = struct.unpack_from("<Q", data, 40)
        count, strings = struct.unpack_from("<HH", data, 60)
        headers = [struct.unpack_from("<IIQQQQIIQQ", data, start + 64 * i) for i in range(count)]
        sections = [(header[4], header[5]) for header in headers
                    if b".debug" in data[headers[strings][4] + header[0]:][:12] and 0 < header[5] and header[4] + header[5] <= len(data)]
    except (struct.error, IndexError):
        return []
    return sections


def set_debug(data, draw):
    """Replaces a byte or a number of the debugging information or its relocations."""
    sections = debug_sections(data)
    if not sections:
        return set_word(data, draw)
    start, size = draw.choice(sections)
    at, width = start + draw.randrange(size), draw.choice([1, 1, 1, 2, 4, 8])
    return data[:at] + (draw.choice(WIDE + [draw.randrange(256)]) & ((1 << 8 * width) - 1)).to_bytes(width, "little") + data[at + width:]


DEBUG = [set_debug] * 12 + [set_field, truncate]


def damage(data, draw, family):
    """Makes one to four changes."""
    for _ in range(draw.choice([1, 1, 1, 2, 3, 4])):
        if data:
            data = draw.choice(family)(data, draw)
    return data
