"""The text that protoc makes of a trace of Perfetto."""

import gc

# The dictionaries of a trace form no circles, and looking for some takes longer than reading it.
gc.disable()


def parse(lines):
    """Returns the fields of a message as a dictionary of lists."""
    fields = {}
    for line in lines:
        line = line.strip()
        if line == "}":
            return fields
        if line.endswith("{"):
            fields.setdefault(line[:-1].strip(), []).append(parse(lines))
        else:
            key, value = line.split(": ", 1)
            fields.setdefault(key, []).append(value.strip('"') if value[0] == '"' else int(value) if value.lstrip("-").isdigit() else value)
    return fields
