"""Checks that a page of tdiff is well-formed and needs no other file, and prints what it shows."""

import html.parser
import sys

EMPTY = {"meta", "br"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.rows, self.cells, self.causes = [], [], None, []
        self.differs, self.sections = False, 0

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        assert not {"src", "href", "srcset", "data"} & set(attributes), (tag, attributes)
        assert tag not in ("b", "wrong", "link", "img", "iframe"), tag
        if tag == "br" and self.cells:
            self.cells[-1] += " "
        if tag in EMPTY:
            return
        self.open.append(tag)
        self.sections += tag == "section"
        if tag == "tr":
            self.cells, self.differs = [], attributes.get("class") == "differs"
            self.heading = False
        elif tag in ("td", "th"):
            self.cells.append("")
            self.heading |= tag == "th"
        elif tag == "li":
            self.causes.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, (self.getpos(), tag)
        if tag == "tr":
            in_section = "section" in self.open
            if self.differs or not in_section or len(self.cells) == (2 if self.heading else 4):
                self.rows.append((self.heading, in_section, " | ".join(self.cells) if in_section else " ".join(self.cells)))
            self.cells = None

    def handle_data(self, data):
        assert "http" not in data and "url(" not in data
        if "li" in self.open:
            self.causes[-1] += data
        elif self.cells and self.open[-1] != "tr":
            self.cells[-1] += data


page = Page()
with open(sys.argv[1], encoding="utf-8") as file:
    page.feed(file.read())
page.close()
assert not page.open
print(f"{page.sections} differences")
parts = [row for row in page.rows if row[1] or not row[0]]
tables = [row for row in parts if not (row[2].count(" | ") == 3)]
lanes = [row for row in parts if row[2].count(" | ") == 3]
for heading, section, text in tables + [row for row in lanes if not row[0]]:
    print(text)
for cause in page.causes:
    print(f"cause: {cause}")
