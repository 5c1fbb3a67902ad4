#!/usr/bin/env python3
"""Spelling of the project's English: spelling.py WORDS FILE…

Checks comments, messages and pages with hunspell's American dictionary and the project's own words in WORDS, one a line. Prints
FILE:LINE: WORD for each word that neither knows, and exits 1 if there is one. A word of WORDS that no file has is an error, too.

Names of code are no English: what stands between backquotes or single quotes, and words with a digit, an underscore or a capital
letter inside, are left out.
"""

import io
import re
import subprocess
import sys
import tokenize

WORD = re.compile(r"(?<![\w.$%@/\\&#'-])[A-Za-z]?[a-z]{3,}(?:n't)?(?![\w(@])(?!\.\w)(?!/)")
QUOTED = re.compile(r"`[^`]*`|'[^' ]*'|\"[^\"]*\"|<[^>]*>|\]\([^)]*\)|https?:\S+|--?[a-z][\w-]*|\S+=\S+|\S*\.(?:c|h|s|o|md|py|yaml|test|inc|txt|sh)\b")
BLOCK_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)+'", re.S)
DIRECTIVE = re.compile(r"\b(RUN|REQUIRES|[A-Z][A-Z-]*):")


def blank(text):
    """The same number of lines without anything on them."""
    return "\n" * text.count("\n")


def c_text(text):
    """Comments, and string literals that are sentences: they have two words and more."""
    parts, end = [], 0
    for match in BLOCK_COMMENT.finditer(text):
        found = match[0]
        parts.append(blank(text[end:match.start()]) + " ")
        sentence = found[0] == '"' and len(re.findall(r"[a-z]{2,} [a-z]{2,}", found)) > 1
        parts.append(found if found[0] == "/" else re.sub(r"%[-+ #0-9.*]*[a-zA-Z]+|\\.", " ", found[1:-1]) if sentence else " ")
        end = match.end()
    return "".join(parts)


def markdown_text(text):
    return re.sub(r"^```.*?^```", lambda match: blank(match[0]), re.sub(r"<!--.*?-->", lambda match: blank(match[0]), text, flags=re.S), flags=re.S | re.M)


def man_text(text):
    text = re.sub(r"^\.nf.*?^\.fi|^\.EX.*?^\.EE", lambda match: blank(match[0]), text, flags=re.S | re.M)
    text = re.sub(r"^\.(B|I|BR|IR|RB|BI|IB|RI|TH|SH|TP|de|ds|so)\b.*|^'.*", "", text, flags=re.M)
    return re.sub(r"\\f[BI].*?\\f[RP]|\\.", " ", text)


def hash_text(text):
    """Comments from # to the end of the line."""
    return "\n".join(line[line.index("#"):] if re.search(r"(^|\s)#", line) else "" for line in text.split("\n"))


def yaml_text(text):
    said = r"^\s*-?\s*(?:description|summary|title|text|note|operation|message|doc):\s*(.*)"
    return "\n".join(re.sub(r"^[^#]*", "", line) if re.search(r"(^|\s)#", line) else (re.match(said, line) or [0, ""])[1] for line in text.split("\n"))


def python_text(text):
    lines = [""] * (text.count("\n") + 2)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or token.type == tokenize.STRING and token.string.startswith('"""'):
            for offset, line in enumerate(token.string.split("\n")):
                lines[token.start[0] - 1 + offset] += line + " "
    return "\n".join(lines)


def prose(name, text):
    ending = name.rsplit(".", 1)[-1]
    if ending in ("c", "h", "inc", "l", "y", "cc") and not name.endswith("tensor.inc"):
        return c_text(text)
    if ending in ("s", "test", "ld"):
        return "\n".join("" if DIRECTIVE.search(line) else line for line in hash_text(text).split("\n"))
    return {"md": markdown_text, "1": man_text, "yaml": yaml_text, "py": python_text}.get(ending, hash_text)(text)


def words_of(name):
    with open(name, encoding="utf-8") as file:
        text = prose(name, file.read())
    for number, line in enumerate(text.split("\n"), 1):
        for word in WORD.findall(QUOTED.sub(" ", line)):
            yield number, word


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        own = set(file.read().split())
    places = {}
    for name in sys.argv[2:]:
        for number, word in words_of(name):
            places.setdefault(word, f"{name}:{number}")
    result = subprocess.run(["hunspell", "-d", "en_US", "-l"], input="\n".join(places), capture_output=True, encoding="utf-8", check=True)
    unknown = [word for word in result.stdout.split() if not {word, word.lower()} & own and not re.fullmatch('[a-f]+', word)]
    for word in unknown:
        print(f"{places.get(word, '?')}: error: '{word}' is not in the dictionary; correct it, or add it to {sys.argv[1]}")
    seen = {word for word in places} | {word.lower() for word in places}
    unused = sorted(own - seen)
    for word in unused:
        print(f"{sys.argv[1]}: error: no file has the word '{word}'; remove it")
    return bool(unknown or unused)


sys.exit(main())
