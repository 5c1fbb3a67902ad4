"""Checks that every internal link of an HTML page has a heading to lead to."""
import re
import sys

page = open(sys.argv[1], encoding="utf-8").read()
anchors = set(re.findall(r'id="([^"]+)"', page))
links = re.findall(r'href="#([^"]+)"', page)
dead = [link for link in links if link not in anchors]
print(f"{len(links)} links, " + (f"dead: {dead}" if dead or not links else "all good"))
