"""Measures how the cost of each command grows with its input: the processor time per event at 10^4, 10^5, 10^6 events.

    scripts/bench growth [--largest] [--only SUBJECT]... [--sizes 10000,100000]

Prints one row for each subject and size as CSV, and a table on standard error. A subject is flat if no size costs more
than 1.5 times as much per event as a smaller one. Exits with 1 if a subject is not flat whose objects are the same at
all sizes. The subjects "new objects" fetch new objects in a tenth of all requests, so that their tables outgrow the
caches of the processor; their growth is printed, and not judged.

The time is the processor time of the process (user and system), so that other work on the machine hardly counts. The
time of the same command on a small input is subtracted: it is that of the start. The least of several runs counts.
"""

import argparse
import csv
import json
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

LIMIT = 1.5
SIZES = [10_000, 100_000, 1_000_000]
LARGEST = 10_000_000
RESOLUTION = 0.005  # seconds of processor time that cannot be told from the start
SMALL = 100  # events of the run whose time is that of the start


class Failure(Exception):
    """The program did not do what is measured."""


OBJECTS = 400


def session(path, events, *, stays=False, objects=OBJECTS):
    """A session of about so many events. Cells disappear after 20 others, or never. A tenth of the requests are for new
    objects, until there are as many as `objects` says (None: without end); of the others, half are for recent objects,
    and half for any."""
    random_numbers = random.Random(events)
    requests = int(events / (1.1 if stays else 2.1))
    with open(path, "w") as file:
        file.write(json.dumps({"cachereplay_trace": 1, "synthetic": True}) + "\n")
        known, visible, shown = 0, [], set()
        for number in range(requests):
            time = number * 50_000
            chosen = known
            if known == objects or number % 10 and known > 40:
                recent = random_numbers.random() < 0.5
                chosen = known - 1 - random_numbers.randrange(40 if recent else known)
            while chosen in shown and not stays:
                chosen = random_numbers.randrange(known) if known == objects else known
            if chosen == known:
                known += 1
                file.write(
                    f'{{"e":"object","o":{chosen},"key":"https://pictures.test/{chosen}.jpg",'
                    f'"bytes":{20_000 + chosen % 977},"width":320,"height":240}}\n'
                    f'{{"t":{time},"e":"fetch","o":{chosen},"status":200,"bytes":{20_000 + chosen % 977},'
                    f'"ttfb_us":20000,"transfer_us":8000}}\n'
                )
            file.write(f'{{"t":{time},"e":"appear","o":{chosen}}}\n')
            if stays:
                continue
            visible.append(chosen)
            shown.add(chosen)
            if len(visible) > 20:
                gone = visible.pop(0)
                shown.remove(gone)
                file.write(f'{{"t":{time + 1},"e":"disappear","o":{gone}}}\n')


def requests(path, count):
    """An oracleGeneral trace: records of 24 bytes. The population is the same at all sizes, so the caches of the
    processor are no part of the growth."""
    random_numbers = random.Random(count)
    population = [random_numbers.paretovariate(0.9) for _ in range(5_000)]
    chosen = random_numbers.choices(range(len(population)), population, k=count)
    pack = struct.Struct("<IQIq").pack
    with open(path, "wb") as file:
        for first in range(0, count, 100_000):
            part = chosen[first : first + 100_000]
            file.write(b"".join(pack((first + i) // 1000, object, 1_000, -2) for i, object in enumerate(part)))


class Subject:
    """A command whose input can have any number of events."""

    def __init__(self, name, events, prepare, command, *, most=LARGEST, expect=0, work=None, judged=True):
        self.name, self.events, self.prepare, self.command = name, events, prepare, command
        self.most, self.expect, self.work, self.judged = most, expect, work, judged


def replay_runs(folder, count):
    """Two shards of a replay of so many runs: 100 caches on small traces."""
    caches = min(100, count)
    text = "".join(f"  c{n}: lru({n + 1}kB)\n" for n in range(caches))
    (folder / "caches.yaml").write_text(f"caches:\n{text}")
    (folder / "traces").mkdir()
    for number in range(max(2, count // caches)):
        session(folder / "traces" / f"t{number:06}.jsonl", 40)
    for shard in (1, 2):
        run(
            folder,
            ["replay", "traces", "--config", "caches.yaml", "--timing", "instant", "--no-charts", "-q", "--timeline"]
            + ["none", "--shard", f"{shard}/2", "-o", f"part{shard}"],
        )


def simulation_rows(folder, count):
    """Two shards of a simulation of so many rows: 1,000 capacities of several policies on small traces."""
    capacities = ",".join(f"{n + 1} objects" for n in range(min(1_000, count)))
    names = [f"t{n}.jsonl" for n in range(max(1, count // 1_000))]
    for name in names:
        session(folder / name, 40)
    for shard in (1, 2):
        run(
            folder,
            ["simulate", *names, "--policy", "lru", "--ignore-size", "--capacity", capacities, "--no-charts", "-q"]
            + ["--shard", f"{shard}/2", "-o", f"part{shard}"],
        )


def budgets(folder, count):
    """Results of one run, and a YAML file of so many limits."""
    session(folder / "feed.jsonl", 100)
    run(folder, ["replay", "feed.jsonl", "--cache", "lru(1MB)", "--timing", "instant", "--no-charts", "-q", "-o", "r"])
    (folder / "budgets.yaml").write_text("budgets:\n" + "".join(f'  - "failed<{n + 1}"\n' for n in range(count)))


def long_text(folder, count):
    """A YAML file with one text of so many bytes."""
    (folder / "long.yaml").write_text(f"caches:\n  a: {'x' * count}\n")
    session(folder / "feed.jsonl", 100)


def advised(output):
    """The number of replays that a search needed."""
    found = re.search(r"([\d,]+)\s+replays", output)
    if not found:
        raise Failure(f"advise does not say how many replays it made: {output[-300:]}")
    return int(found[1].replace(",", ""))


MODELLED = ["--timing", "modelled", "--no-charts", "-q", "--force", "-o", "out"]
SUBJECTS = [
    Subject(
        "replay", "events of a session", lambda f, n: session(f / "s.jsonl", n),
        ["replay", "s.jsonl", "--cache", "memory: lru(2MB); disk: lru(6MB)", *MODELLED],
    ),
    Subject(
        "replay, new objects", "events of a session", lambda f, n: session(f / "s.jsonl", n, objects=None),
        ["replay", "s.jsonl", "--cache", "memory: lru(20MB); disk: lru(100MB)", *MODELLED], judged=False,
    ),
    Subject(
        "replay, cells that stay", "events of a session", lambda f, n: session(f / "s.jsonl", n, stays=True),
        ["replay", "s.jsonl", "--cache", "lru(2MB)", *MODELLED],
    ),
    Subject(
        "replay, cells that stay, new objects", "events of a session",
        lambda f, n: session(f / "s.jsonl", n, stays=True, objects=None),
        ["replay", "s.jsonl", "--cache", "lru(100MB)", *MODELLED], judged=False,
    ),
    Subject(
        "replay, fleet of cells that stay", "events of ten sessions",
        lambda f, n: [session(f / f"s{part}.jsonl", n // 10, stays=True, objects=None) for part in range(10)],
        ["replay", *(f"s{part}.jsonl" for part in range(10)), "--cache", "lru(100MB)", *MODELLED],
    ),
    Subject(
        "explain", "events of a session", lambda f, n: session(f / "s.jsonl", n),
        ["explain", "s.jsonl", "--cache", "lru(2MB)", "-q"],
    ),
    Subject(
        "explain, new objects", "events of a session", lambda f, n: session(f / "s.jsonl", n, objects=None),
        ["explain", "s.jsonl", "--cache", "lru(20MB)", "-q"], judged=False,
    ),
    Subject(
        "simulate", "requests", lambda f, n: requests(f / "r.oracleGeneral", n),
        ["simulate", "r.oracleGeneral", "--policy", "lru,sieve,s3fifo,lirs,w-tinylfu,gdsf", "--ignore-size", "--capacity",
         "100 objects,1000 objects", "--no-charts", "-q"],
    ),
    Subject(
        "simulate --curve", "requests", lambda f, n: requests(f / "r.oracleGeneral", n),
        ["simulate", "r.oracleGeneral", "--curve", "--ignore-size", "--no-charts", "-q"],
    ),
    Subject(
        "advise", "events of a session in each replay", lambda f, n: session(f / "s.jsonl", n),
        ["advise", "s.jsonl", "--memory", "64MB", "--for", "nuke-13", "--no-charts"], most=1_000_000, work=advised,
    ),
    Subject(
        "advise, new objects", "events of a session in each replay",
        lambda f, n: session(f / "s.jsonl", n, objects=None),
        ["advise", "s.jsonl", "--memory", "64MB", "--for", "nuke-13", "--no-charts"], most=1_000_000, work=advised,
        judged=False,
    ),
    Subject(
        "merge of replays", "runs", replay_runs, ["merge", "part1", "part2", "--no-charts", "-q", "--force", "-o", "out"],
        most=10_000,
    ),
    Subject(
        "merge of simulations", "rows", simulation_rows,
        ["merge", "part1", "part2", "--no-charts", "-q", "--force", "-o", "out"], most=100_000,
    ),
    Subject(
        "YAML", "lines", budgets, ["compare", "r", "--budgets", "budgets.yaml", "-q"], most=1_000_000,
    ),
    Subject(
        "YAML, one text", "bytes of a text, which is refused", long_text,
        ["replay", "feed.jsonl", "--config", "long.yaml", *MODELLED], expect=65,
    ),
]
# Their events are runs or rows, of which each stands for a whole replay or simulation.
FEWER = {"merge of replays": 100, "merge of simulations": 10}

BINARY = None


def run(folder, arguments, expect=0):
    """Runs the program, and returns its processor time in seconds and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(
        [BINARY, *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace"
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode != expect:
        raise Failure(f"exit code {ended.returncode} of {' '.join(arguments)[:200]}\n{ended.stderr[-500:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, ended.stdout


def measured(subject, count, scratch, runs):
    """The least processor time of several runs, and the work that each event stands for."""
    folder = scratch / "work"
    folder.mkdir()
    try:
        subject.prepare(folder, count)
        results = [run(folder, subject.command, subject.expect) for _ in range(runs)]
        work = subject.work(results[0][1]) if subject.work else 1
        return min(seconds for seconds, _ in results), work
    finally:
        shutil.rmtree(folder)


def rows(subject, sizes, scratch):
    """The microseconds per event at each size."""
    fewer = FEWER.get(subject.name, 1)
    start, base = measured(subject, SMALL, scratch, 5)
    found = []
    for size in sizes:
        count = size // fewer
        if count > subject.most or count <= SMALL:
            continue
        seconds, work = measured(subject, count, scratch, 5 if size <= 10_000 else 3 if size <= 100_000 else 1)
        # The small run has events too, which are part of its time.
        events = count * work - SMALL * base
        found.append((count, max(RESOLUTION, seconds - start) / events * 1e6))
    return found


def growth(found):
    """The largest ratio of the cost at a size to that at a smaller one."""
    costs = [cost for _, cost in found]
    return max((other / one for place, one in enumerate(costs) for other in costs[place + 1 :]), default=1.0)


def main():
    global BINARY
    parser = argparse.ArgumentParser(prog="scripts/bench growth", description=__doc__.splitlines()[0])
    parser.add_argument("binary", help="the program to measure")
    parser.add_argument("--largest", action="store_true", help="also 10,000,000 events; needs 10 GB in TMPDIR")
    parser.add_argument("--only", action="append", help="a subject, by its name; repeat for more")
    parser.add_argument("--sizes", help="the sizes instead, separated by commas")
    options = parser.parse_args()
    BINARY = os.path.abspath(options.binary)
    known = [subject.name for subject in SUBJECTS]
    for name in options.only or []:
        if name not in known:
            parser.error(f"--only {name}: the subjects are {'; '.join(known)}")
    sizes = [int(size) for size in options.sizes.split(",")] if options.sizes else SIZES + [LARGEST] * options.largest
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["subject", "events_are", "events", "us_per_event", "growth", "flat"])
    growing = []
    print(f"{'subject':<38}{'growth':>8}  microseconds per event", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="cachereplay-growth-") as scratch:
        for subject in SUBJECTS:
            if options.only and subject.name not in options.only:
                continue
            try:
                found = rows(subject, sizes, Path(scratch))
            except Failure as failure:
                print(f"{subject.name:<38}  FAILED: {failure}", file=sys.stderr)
                growing.append(subject.name)
                continue
            factor = growth(found)
            is_flat = factor <= LIMIT
            if not is_flat and subject.judged:
                growing.append(subject.name)
            for count, cost in found:
                flat = "yes" if is_flat else "no"
                writer.writerow([subject.name, subject.events, count, f"{cost:.4f}", f"{factor:.2f}", flat])
            sys.stdout.flush()
            shown = ", ".join(f"{cost:.3f} at {count:,}" for count, cost in found)
            mark = "" if is_flat else "  GROWS" if subject.judged else "  grows with its objects"
            print(f"{subject.name:<38}{factor:>8.2f}  {shown}{mark}", file=sys.stderr, flush=True)
    if growing:
        print(f"scripts/bench growth: not flat within a factor of {LIMIT}: {'; '.join(growing)}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
