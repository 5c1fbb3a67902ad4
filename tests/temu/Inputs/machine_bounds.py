"""machine_bounds.py TEMU FILE: every setting of the machine at its bounds and one step beyond, as --dump-machine's comments have them; and
every setting is in the table of keys of the manual page. Prints how many settings there were."""
import re
import subprocess
import sys

temu, name, manual = sys.argv[1:]
LINE = re.compile(r"  +(\w+): (\S+) +# .*: (?:(\S+) to ([^\s,]+)(, a power of two)?(?:, in steps of (\S+))?|(\w+) or (\w+))$")
ROOM = {  # what else a bound needs
    "memory.size": "memory: {stack: 16K}\n",
    "scratchpad.base": "scratchpad: {size: 4K}\n",
    "timing.window": "timing: {queue: 1, storage: 1}\n",
    "timing.queue": "timing: {window: 1024}\n",
    "timing.storage": "timing: {window: 1024}\n",
}


def number(text):
    factor = 1024 ** (" KMG".index(text[-1])) if text[-1] in "KMG" else 1
    return int(text.rstrip("KMG"), 0) * factor


def indent(section):
    return "  " * len(section.split("."))


def run(section, key, value):
    """Exit status and messages with this setting; what else it needs comes from an earlier file."""
    other = ROOM.get(f"{section}.{key}", "{}\n")
    with open(name, "w", encoding="ascii") as file:
        file.write(other)
    with open(name + ".2", "w", encoding="ascii") as file:
        file.write("".join(f"{'  ' * depth}{word}:\n" for depth, word in enumerate(section.split("."))) + f"{indent(section)}{key}: {value}\n")
    result = subprocess.run([temu, "--machine", name, "--machine", name + ".2", "--dump-machine"], capture_output=True, encoding="utf-8")
    return result.returncode, result.stdout, result.stderr


def accepted(section, key, value, printed):
    status, output, errors = run(section, key, value)
    line = next((line for line in output.split("\n") if line.startswith(f"{indent(section)}{key}: ") and LINE.match(line).group(2) == printed), None)
    assert status == 0 and line and not errors, (section, key, value, status, output, errors)


def refused(section, key, value, reason):
    status, output, errors = run(section, key, value)
    place = f"{name}.2:{len(section.split('.')) + 1}:{len(indent(section) + key) + 3}: error: {section}.{key}: "
    assert status == 1 and not output and errors.startswith(place) and reason in errors, (section, key, value, status, errors)


def check(section, match):
    key, _, least, most, power, step, *words = match.groups()
    if words[0]:
        for word in words:
            accepted(section, key, word, word)
        refused(section, key, words[0].upper(), f"expected {words[0]} or {words[1]}")
        return
    low, high, step = number(least), number(most), number(step or "1")
    accepted(section, key, low, least)
    accepted(section, key, hex(high), most)
    for value in (low - 1, high + 1, 2 ** 64 - 1):
        if value < 0 or value >= 2 ** 64:
            refused(section, key, value, "expected a number")
        elif value > high or value < low:
            refused(section, key, value, f"is out of range; allowed are {least} to {most}")
    for value in (2 ** 64, "''", "1.5", "1T", "0x", "~"):
        refused(section, key, value, "expected a number")
    if step > 1:
        refused(section, key, low + 1, "is not a multiple of")
    if power:
        refused(section, key, high - 1, "is not a power of two")


page = open(manual, encoding="ascii").read()
page = page[page.index(".SH MACHINE FILE"):page.index(".SH MEMORY")]
count, section = 0, None
dump = subprocess.run([temu, "--dump-machine"], capture_output=True, encoding="utf-8", check=True).stdout
assert "\nextensions: [" in page
for line in re.sub(r"^extensions: \[[^]]*\]\n", "", dump, flags=re.MULTILINE).split("\n"):
    if re.fullmatch(r"\w+:", line):
        section = line[:-1]
        assert f"\n{section}:\n" in page, section
    elif re.fullmatch(r"  \w+:", line):
        section = section.split(".")[0] + "." + line.strip(" :")
    elif line and not line.startswith("#"):
        match = LINE.fullmatch(line)
        assert match, line
        group = "".join(rf"  {word}:\n(?:    .*\n)*?" for word in section.split(".")[1:])
        key = rf"\n{section.split('.')[0]}:\n(?:  .*\n)*?{group}{indent(section)}{match.group(1)}: "
        assert re.search(key, page), (section, match.group(1), "is not in the manual page")
        check(section, match)
        count += 1
print(f"{count} settings, all bounds hold")
