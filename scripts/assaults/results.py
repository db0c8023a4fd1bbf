"""Checks of what the program wrote: whole files, and equal figures."""

import csv
import html.parser
import io
import json
import xml.etree.ElementTree
from pathlib import Path

from .harness import Defect, is_temporary

# Columns that do not depend on measured times.
IDENTITY = ["trace", "cache", "repeat", "requests"]
SIMULATED = ["trace", "policy", "capacity", "unit", "requests", "misses", "miss_bytes", "miss_ratio", "byte_miss_ratio"]
VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
OPTIONAL = {"body", "dd", "dt", "li", "p", "tbody", "td", "tfoot", "th", "thead", "tr"}  # end tags that may be left out


def same(reference, made, columns=None):
    """Checks that two outputs have the same files and figures.

    - `columns`: of CSV files, compare only these; None for whole files.
    """
    if reference.is_file():
        if reference.read_bytes() != made.read_bytes():
            raise Defect(f"{made.name} differs from that of a run without faults")
        return
    expected, found = files(reference), files(made)
    if set(expected) != set(found):
        raise Defect(
            f"files differ: missing {sorted(set(expected) - set(found))[:5]}, "
            f"unexpected {sorted(set(found) - set(expected))[:5]}"
        )
    for name, path in expected.items():
        if not name.endswith((".csv", ".gp")) or columns and "/" in name:
            continue
        if columns and name.endswith(".csv"):
            equal = selected(path, columns) == selected(found[name], columns)
        else:
            equal = path.read_bytes() == found[name].read_bytes()
        if not equal:
            raise Defect(f"{name} differs from that of a run without faults")
    whole(made)


def selected(path, columns):
    """The values of some columns of a CSV file, in order, each combination once."""
    with open(path, newline="") as file:
        rows = csv.DictReader(file)
        return list(dict.fromkeys(tuple(row[column] for column in columns if column in row) for row in rows))


def files(folder):
    """The files of a folder by their relative names, without those of running processes."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    relative = [(path.relative_to(folder), path) for path in paths]
    return {str(name): path for name, path in relative if not any(is_temporary(part) for part in name.parts)}


def whole(folder):
    """Checks that no file of a results folder is torn. The last line of a CSV file may be, until the next start."""
    for name, path in files(folder).items():
        content = path.read_bytes()
        try:
            if name.endswith(".json"):
                json.loads(content)
            elif name.endswith(".svg"):
                xml.etree.ElementTree.fromstring(content)
            elif name.endswith(".png") and not content.endswith(b"IEND\xaeB`\x82"):
                raise ValueError("no end")
            elif name.endswith(".html"):
                page(content.decode())
        except (ValueError, xml.etree.ElementTree.ParseError) as error:
            raise Defect(f"{name} is torn or malformed: {error}") from None


def page(text):
    """Checks that every element of an HTML page is closed, in order, except where HTML allows to leave that out."""

    class Parser(html.parser.HTMLParser):
        def handle_starttag(self, tag, attributes):
            if tag not in VOID:
                elements.append(tag)

        def handle_startendtag(self, tag, attributes):
            pass

        def handle_endtag(self, tag):
            while elements and elements[-1] != tag and elements[-1] in OPTIONAL:
                elements.pop()
            if not elements or elements.pop() != tag:
                raise ValueError(f"</{tag}> at {self.getpos()} closes nothing")

    elements = []
    parser = Parser()
    parser.feed(text)
    parser.close()
    if not text.rstrip().endswith("</html>") or elements:
        raise ValueError(f"elements that are not closed: {elements[:5] or 'html'}")


def rows(path):
    """The rows of a CSV file."""
    return list(csv.DictReader(io.StringIO(Path(path).read_bytes().decode(), newline="")))


def outcomes_add_up(summary):
    """Checks that each request of a summary.csv has exactly one outcome, and that no picture was wrong."""
    kinds = ["memory_hits", "disk_hits", "origin_fetches", "coalesced", "deferred", "cancelled", "failed"]
    for row in rows(summary):
        if int(row["wrong"]):
            raise Defect(f"{row['wrong']} wrong pictures of {row['requests']} requests: {row['cache']}")
        if sum(int(row[kind]) for kind in kinds) != int(row["requests"]):
            raise Defect(f"outcomes do not add up to the requests: {row}")
