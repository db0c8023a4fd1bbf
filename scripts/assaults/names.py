"""Hostile names of traces, caches, keys, titles and folders: charts are drawn, pages well-formed, terminals safe."""

import csv
import io
import json
import os
import re

from . import results, samples
from .harness import Campaign, Skipped

campaign = Campaign("names")

NAMES = {
    "quotes": "a'b''c\"d",
    "only a quote": "'",
    "end of CDATA": "x]]>y<![CDATA[",
    "markup": "<script>alert(1)</script>&amp;<!--",
    "escape sequence": "a\x1b[31mred\x1b[0m",
    "bell and backspace": "a\x07b\x08c",
    "right to left": "a\u202egnp.exe\u2066",
    "line breaks": "first\nsecond\r\nthird",
    "255 bytes": "n" * 249,
    "leading dash": "-rf",
    "formula": "=cmd|' /C calc'!A0",
    "at and plus": "@SUM(1+1)*cmd",
    "emoji": "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea",
    "combining marks": "Z\u0351\u036b\u0343a\u0327\u0301",
    "backslashes and percents": "a\\n%s%n\\'{^2}_3@4&~",
    "spaces": "  a  ",
    "dots": "...",
    "comma and semicolon": "a,b;c: d",
    "zero width and BOM": "a\ufeffb\u200bc",
    "C1 control": "a\u009b31mb",
    "backquotes and dollars": "`id`$(id)${HOME}",
}


def charts_are_sound(case, folder, least):
    """Checks that charts were drawn, and that every file of a folder is well-formed."""
    drawn = list(folder.glob("charts/*.svg"))
    case.check(len(drawn) >= least, f"{len(drawn)} charts instead of {least} in {folder.name}")
    results.whole(folder)
    for path in drawn + list(folder.glob("*.html")):
        text = path.read_text()
        found = re.findall("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
        case.check(not found, f"control characters {found[:5]} in {path.name}")
        case.check("<script>alert" not in text, f"markup of a name in {path.name}")


def quoted(text):
    """The text as a double-quoted scalar of YAML."""
    parts = (c if c.isascii() and c.isprintable() and c not in '"\\' else f"\\U{ord(c):08x}" for c in text)
    return f'"{"".join(parts)}"'


def file_name(name):
    """A hostile name without the separator of paths."""
    return name.replace("/", "|")


def write_trace(case, path, name):
    """Writes a session whose title and keys have a hostile name."""
    text = samples.session(case.random, requests=30, objects=8, title=name)
    path.write_text(text.replace("https://pictures.test/3.jpg", json.dumps(name)[1:-1]))


def add_message(kind, name):
    @campaign.scenario(f"message: {kind}", seconds=0.5, once=True)
    def message(case):
        """Errors that quote a name are safe for a terminal."""
        write_trace(case, case.work / "session.jsonl", name)
        missing = f"./{file_name(name)}.missing"
        for command in (
            ["trace", "info", missing],
            ["simulate", missing, "--policy", "lru", "--capacity", "5%"],
            ["compare", missing, missing],
            ["chart", missing],
            ["origin", missing],
            ["replay", "session.jsonl", "--config", missing],
            ["record", "gallery", missing],
            ["replay", "session.jsonl", f"--cache={name}", "--output", "out"],
            ["simulate", "session.jsonl", f"--policy={name}"],
            ["list", "policies", f"--plugin={missing}"],
            ["replay", "session.jsonl", f"--format={name}", "--cache=lru(1MB)"],
        ):
            ended = case.run(*command)
            case.check(ended.code != 0, f"exit code 0: {ended.command}")


for message_kind, message_name in NAMES.items():
    add_message(message_kind, message_name)


@campaign.scenario("names that are not UTF-8", seconds=2, once=True)
def invalid_text(case):
    """Such files are read, or refused with a message."""
    name = b"a\xff\xfeb.jsonl"
    path = os.path.join(os.fsencode(case.work), name)
    try:
        with open(path, "w") as file:
            file.write(samples.session(case.random, requests=20))
    except OSError:
        raise Skipped("the file system refuses such names") from None
    for command in (
        ["trace", "info"],
        ["simulate", "--policy", "lru", "--capacity", "20%"],
        ["validate", "--syntax"],
        ["replay", "--cache", "lru(20%)", "--timing", "modelled", "--output", "out", "--no-charts"],
    ):
        case.run(*command, path)
    case.run("simulate", path, "--policy", "lru", "--capacity", "20%", b"--output=o\xffut")


@campaign.scenario("cells of CSV", seconds=1, once=True)
def cells(case):
    """Every name is one cell of RFC 4180, and reads back as itself."""
    for number, name in enumerate(NAMES.values()):
        samples.write_session(case.work / "session.jsonl", case.random, requests=10)
        (case.work / "caches.yaml").write_text(f"caches:\n  {quoted(name)}: {{memory: lru(20%)}}\n")
        output = case.work / f"out-{number}"
        case.succeed(
            "replay",
            "session.jsonl",
            "--config",
            "caches.yaml",
            "--timing",
            "instant",
            "--no-charts",
            "--output",
            output,
        )
        text = (output / "summary.csv").read_bytes().decode()
        lines = list(csv.reader(io.StringIO(text, newline="")))
        case.check({len(line) for line in lines} == {len(lines[0])}, f"rows of different lengths for {name!r}")
        case.check(lines[1][1] == name, f"{name!r} reads back as {lines[1][1]!r}")


def add_charts(kind, name):
    @campaign.scenario(f"trace: {kind}", seconds=3, once=True)
    def trace_name(case):
        file = file_name(name)
        path = case.work / f"{file}.jsonl"
        write_trace(case, path, name)
        given = f"./{path.name}"
        case.succeed("replay", given, "--cache", "lru(20%)", "--timing", "modelled", "--output", "out")
        charts_are_sound(case, case.work / "out", 5)
        found = results.rows(case.work / "out/summary.csv")[0]["trace"]
        case.check(found == file, f"the trace is {found!r} in summary.csv")
        case.succeed("simulate", given, "--policy", "lru", "--capacity", "20%,50%", "--output", "simulated")
        charts_are_sound(case, case.work / "simulated", 1)
        case.succeed("trace", "info", given, "--output", "info")
        results.whole(case.work / "info")
        case.succeed("trace", "head", given, "-n", "50")
        case.succeed("compare", "out", "out")

    @campaign.scenario(f"cache and folder: {kind}", seconds=2, once=True)
    def cache_name(case):
        write_trace(case, case.work / "session.jsonl", name)
        file = file_name(name)
        caches = f"caches:\n  {quoted(name)}: {{memory: lru(20%)}}\n  b: {{memory: fifo(9%)}}\n"
        (case.work / "caches.yaml").write_text(caches)
        output = f"./{file}" if not name.startswith(".") else f"{file}out"
        case.succeed("replay", "session.jsonl", "--config", "caches.yaml", "--timing", "modelled", "--output", output)
        charts_are_sound(case, case.work / output, 5)
        found = results.rows(case.work / output / "summary.csv")[0]["cache"]
        case.check(found == name, f"the cache is {found!r} in summary.csv")
        ended = case.succeed("compare", output, output, "--as", "junit")
        results.xml.etree.ElementTree.fromstring(ended.output)
        case.succeed("chart", output)
        charts_are_sound(case, case.work / output, 5)


for chart_kind, chart_name in NAMES.items():
    add_charts(chart_kind, chart_name)
