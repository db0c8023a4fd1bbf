"""Faults that checks have found, each as a scenario with what is expected now."""

import csv
import gzip
import io
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tarfile
import time

from . import processes, results, samples
from .harness import PROJECT, Campaign, Skipped

campaign = Campaign("found")

LIMIT = 1 << 30  # bytes of memory for input that is refused or small


def session(case, name="session.jsonl", **options):
    return samples.write_session(case.work / name, case.random, **({"requests": 60, "objects": 20} | options))


def refused(case, *arguments, seconds=30, codes=None, **options):
    """Runs a command, which must refuse its input soon and in little memory."""
    ended = case.run(*arguments, seconds=seconds, **options)
    allowed = codes or case.assault.codes - {0, 1, 129, 130, 143}
    case.check(ended.code in allowed, f"exit code {ended.code} instead of {sorted(allowed)}: {ended.command[:400]}")
    case.check(ended.peak < LIMIT, f"uses {ended.peak >> 20} MiB: {ended.command[:400]}")
    return ended


# Names that run commands


@campaign.scenario("names that a shell or gnuplot would run", seconds=25, once=True)
def shell_names(case):
    """Every command that draws over a folder of such names: nothing is run, and charts are drawn."""
    marks = case.folder / "marks"
    marks.mkdir()
    octal = "".join(f"\\{byte:03o}" for byte in os.fsencode(marks))
    folder = case.work / "S"
    for number, start in enumerate(("<", "|", "<id > ", "|id > ", "`", "$(", "'", '"; system("')):
        target = f'$(printf "{octal}\\057{number}")' if " > " in start else f"touch $(printf '{octal}\\057{number}')"
        path = folder / f"{start}{target} #.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        samples.write_session(path, case.random, requests=30, objects=8)
    nested = folder / "anna" / "<id"
    nested.mkdir(parents=True)
    samples.write_session(nested / "monday.jsonl", case.random, requests=30, objects=8)
    names = [path for path in folder.rglob("*.jsonl")]
    caches = ["--cache", "lru(5kB)", "--cache", "<id=fifo(9kB)"]
    case.succeed("replay", "S", *caches, "--timing", "modelled", "-q", "-o", "r", seconds=120)
    case.succeed("explain", "S", "--cache", "lru(5kB)", "-q", "-o", "e", seconds=120)
    case.succeed("advise", "S", "--memory", "8MB", "--for", "nuke-13", "-q", "-o", "a", seconds=120)
    case.succeed("simulate", *names, "--policy", "lru", "--capacity", "20%,50%", "-q", "-o", "s", seconds=120)
    for number, path in enumerate(names):
        case.succeed("trace", "info", path, "-q", "-o", f"i{number}")
    (case.work / "caches.yaml").write_text("caches:\n  '<id': {memory: lru(5kB)}\n")
    case.succeed("gate", "caches.yaml", "caches.yaml", "S", "--timing", "instant", "-q", "-o", "g", seconds=120)
    case.succeed("history", "add", "r", "--commit", "<id")
    case.succeed("history", "page", "history.csv", "-o", "h.html")
    case.succeed("export", "history.csv", "--as", "otava", "-o", "otava")
    for name in ("r", "s", "e", "a", "g", "i0"):
        case.succeed("chart", name, "-q", "--dark", "--title", "<id", seconds=120)
    case.check(not list(marks.iterdir()), f"commands of names were run: {sorted(p.name for p in marks.iterdir())}")
    for script in case.work.rglob("*.gp"):
        # Labels and titles are only drawn.
        text = re.sub(r"\b(label|title) '(?:[^']|'')*'", "", script.read_text(errors="replace"))
        case.check("'<" not in text and "'|" not in text, f"{script.name} gives gnuplot a command")


# Shards


def simulated_shards(case):
    """Two shards of a simulation with nine rows."""
    for number in range(3):
        session(case, f"t{number}.jsonl")
    command = ["simulate", "t0.jsonl", "t1.jsonl", "t2.jsonl", "--policy", "lru", "--capacity", "5%,20%,50%"]
    for shard in (1, 2):
        case.succeed(*command, "--no-charts", "-q", "--shard", f"{shard}/2", "-o", f"part{shard}")


@campaign.scenario("merge of a shard with a torn row", seconds=3)
def torn_shard(case):
    """No row is lost silently."""
    simulated_shards(case)
    for part in ("part1", "part2"):
        path = case.work / part / "miss_ratio.csv"
        content = path.read_bytes()
        for cut in (1, 2, 30):
            path.write_bytes(content[:-cut])
            ended = case.run("merge", "part1", "part2", "--no-charts", "-q", "--force", "-o", "joined")
            if ended.code == 0:
                rows = results.rows(case.work / "joined/miss_ratio.csv")
                case.check(len(rows) == 9, f"{len(rows)} of 9 rows, and exit code 0, without {cut} bytes")
        path.write_bytes(content)


@campaign.scenario("merge of shards with wrong counts", seconds=3)
def counted_shards(case):
    for number in range(2):
        session(case, f"t{number}.jsonl")
    for shard in (1, 2):
        case.succeed(
            *("replay", "t0.jsonl", "t1.jsonl", "--cache", "lru(20%)", "--timing", "instant", "--no-charts", "-q"),
            *("--shard", f"{shard}/2", "-o", f"part{shard}"),
        )
    path = case.work / "part1/run.json"
    description = json.loads(path.read_text())
    numbers = [key for key, value in description["shard"].items() if isinstance(value, int)]
    for value in (0, -1, 999_999_999_999, 1 << 62):
        changed = json.loads(json.dumps(description))
        changed["shard"][case.random.choice(numbers)] = value
        path.write_text(json.dumps(changed))
        refused(case, "merge", "part1", "part2", "--no-charts", "-q", "--force", "-o", "joined")


@campaign.scenario("sparse file of runs", seconds=3, once=True)
def sparse_runs(case):
    """A file of 8 GB of holes is refused without reading it into memory."""
    session(case)
    case.succeed("replay", "session.jsonl", "--cache", "lru(20%)", "--timing", "instant", "--no-charts", "-q", "-o", "r")
    os.truncate(case.work / "r/runs.jsonl", 8 << 30)
    for command in (["chart", "r"], ["merge", "r", "-o", "joined"], ["compare", "r", "r"]):
        refused(case, *command, seconds=60)


# Caches of one's own

CLOSES = "import os, sys, time\nsys.stdin.readline()\nos.close(0); os.close(1)\ntime.sleep(1000)\n"
NEVER_READS = "import time\ntime.sleep(1000)\n"
SLOW_BYTES = "import sys, time\nwhile True:\n    sys.stdout.write('h'); sys.stdout.flush(); time.sleep(0.5)\n"
DIES = """import sys
for _ in range(20):
    print("miss" if sys.stdin.readline().startswith("get") else "ok\\t0", flush=True)
"""


def program(case, text):
    path = case.work / "own.py"
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(0o755)
    return path


def add_own(kind, text):
    @campaign.scenario(f"own cache that {kind}", seconds=45)
    def silent(case):
        """The replay ends it at its deadline, with a message; so does the probe."""
        path = program(case, text)
        session(case, objects=4)
        if kind == "never reads":
            # A pipe holds 64 kB.
            text_of = (case.work / "session.jsonl").read_text()
            (case.work / "session.jsonl").write_text(text_of.replace("pictures.test/", "pictures.test/" + "k" * 300_000))
        process = case.start("replay", "session.jsonl", "--cache", f"own={path}", "--timing", "instant", "--no-charts")
        ended = process.wait(100)
        case.check(not ended.timed_out, f"hung for {ended.seconds:.0f} s: {ended.command}")
        case.check(ended.code != 0 and ended.said.strip(), f"exit code {ended.code} without a message")
        case.no_survivors(process)
        process = case.start("probe", "nscache", "--class", str(path), "--timeout", "3")
        ended = process.wait(20)
        case.check(not ended.timed_out, "probe --timeout 3 hung for 20 s")
        case.no_survivors(process)

    @campaign.scenario(f"signals while an own cache {kind}", seconds=8)
    def signalled(case):
        """A signal to the replay's process alone ends both at once."""
        path = program(case, text)
        session(case)
        process = case.start("replay", "session.jsonl", "--cache", f"own={path}", "--timing", "instant", "--no-charts")
        time.sleep(1)
        number = case.random.choice([signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
        process.send(number)
        ended = process.wait(10)
        case.check(not ended.timed_out, f"a signal did not end the replay within 10 s: {ended.command}")
        case.no_survivors(process, seconds=5)


for own_kind, own_text in (("closes its streams", CLOSES), ("never reads", NEVER_READS), ("answers by bytes", SLOW_BYTES)):
    add_own(own_kind, own_text)


@campaign.scenario("own cache that dies", seconds=4)
def dying(case):
    """It is a failure with an exit code and a message, also with -q, and fails a gate."""
    path = program(case, DIES)
    session(case)
    ended = case.run("replay", "session.jsonl", "--cache", f"own={path}", "--timing", "instant", "--no-charts", "-q")
    case.check(ended.code != 0 and ended.said.strip(), f"exit code {ended.code}: {ended.said[:300]!r}")
    for name, text in (("good", "{memory: lru(20%)}"), ("bad", f"{{own: '{path}'}}")):
        (case.work / f"{name}.yaml").write_text(f"caches:\n  app: {text}\n")
    gate = case.run("gate", "good.yaml", "bad.yaml", "session.jsonl", "--timing", "instant", "-q", "-o", "g")
    case.check(gate.code != 0, "the gate lets a candidate pass that died")


# Sources


@campaign.scenario("archives for all commands that replay", seconds=4, once=True)
def archives(case):
    for number in range(2):
        session(case, f"t{number}.jsonl")
    with tarfile.open(case.work / "sessions.tar.gz", "w:gz") as archive:
        for number in range(2):
            archive.add(case.work / f"t{number}.jsonl", f"t{number}.jsonl")
    case.succeed("replay", "sessions.tar.gz", "--cache", "lru(20%)", "--timing", "instant", "--no-charts", "-o", "r")
    case.succeed("explain", "sessions.tar.gz", "--cache", "lru(20%)")
    case.succeed("advise", "sessions.tar.gz", "--memory", "8MB", "--for", "nuke-13", seconds=120)


@campaign.scenario("trace that does not fit in memory", seconds=12, once=True)
def large_trace(case):
    """The size is known before: a sentence names --stream, or the trace is read so."""
    block = samples.requests(10_000, case.random)
    with open(case.work / "large.oracleGeneral", "wb") as file:
        for _ in range(1_000):
            file.write(block)
    arguments = ["simulate", "large.oracleGeneral", "--policy", "lru", "--ignore-size", "--capacity", "100 objects"]
    ended = case.run(*arguments, "--no-charts", limits={resource.RLIMIT_AS: 400 << 20}, seconds=120)
    case.check(ended.code == 0 or "--stream" in ended.said, f"does not name --stream: {ended.said[:400]}")


@campaign.scenario("gzip bomb", seconds=12, once=True)
def bomb(case):
    with gzip.open(case.work / "bomb.jsonl.gz", "wb", compresslevel=9) as file:
        file.write(b'{"cachereplay_trace":1}\n')
        for _ in range(2_000):
            file.write(b" " * (1 << 20))
    for command in (["trace", "info", "bomb.jsonl.gz"], ["simulate", "bomb.jsonl.gz", "--policy", "lru(1MB)"]):
        ended = case.run(*command, limits={resource.RLIMIT_AS: 600 << 20}, seconds=120)
        case.check(ended.code == 0 or ended.said.strip(), f"ended with {ended.code} without a sentence")


# Files of others


@campaign.scenario("foreign files", seconds=6, once=True)
def foreign(case):
    """No command overwrites a file that it has not written."""
    session(case)
    case.succeed("replay", "session.jsonl", "--cache", "lru(20%)", "--timing", "instant", "--no-charts", "-q", "-o", "r")
    case.succeed("history", "add", "r", "--commit", "c1")
    before = (case.work / "history.csv").read_bytes()
    case.run("history", "page", "history.csv", "-o", "history.csv")
    case.check((case.work / "history.csv").read_bytes() == before, "history page has overwritten the history")
    (case.work / "caches.yaml").write_text("caches:\n  a: {memory: lru(20%)}\n")
    commands = {
        "requests.csv": ["explain", "session.jsonl", "--cache", "lru(20%)", "-q", "-o", "mine"],
        "verdict.md": ["gate", "caches.yaml", "caches.yaml", "session.jsonl", "--timing", "instant", "-q", "-o", "mine"],
        "trace.html": ["trace", "info", "session.jsonl", "-q", "-o", "mine"],
        "summary.csv": ["replay", "session.jsonl", "--cache", "lru(20%)", "--timing", "instant", "-q", "-o", "mine"],
        "advice.csv": ["advise", "session.jsonl", "--memory", "8MB", "--for", "nuke-13", "-q", "-o", "mine"],
    }
    for name, command in commands.items():
        folder = case.work / "mine"
        folder.mkdir()
        (folder / name).write_text("my own notes\n")
        case.run(*command, seconds=120)
        case.check((folder / name).read_text() == "my own notes\n", f"{command[0]} has overwritten {name}")
        shutil.rmtree(folder)


# Work that grows


@campaign.scenario("histories that are no files", seconds=3, once=True)
def histories(case):
    session(case)
    case.succeed("replay", "session.jsonl", "--cache", "lru(20%)", "--timing", "instant", "--no-charts", "-q", "-o", "r")
    os.mkfifo(case.work / "fifo")
    for target in ("fifo", "/dev/full", "/dev/zero", "."):
        refused(case, "history", "add", "r", "--commit", "c1", "--history", target, seconds=10)
    for source in ("fifo", "/dev/zero"):
        refused(case, "history", "page", source, "-o", "h.html", seconds=10)


@campaign.scenario("large YAML files", seconds=8, once=True)
def large_yaml(case):
    session(case)
    base = ["replay", "session.jsonl", "--timing", "instant", "--no-charts", "-q", "--config"]
    long = "x" * 20_000_000
    for text in (f"caches:\n  a: {long}\n", f'caches:\n  a: "{long}"\n', f"traces: [{long}]\n", f"{long}: 1\n"):
        (case.work / "long.yaml").write_text(text)
        refused(case, *base, "long.yaml", seconds=20)
    many = "".join(f"  c{n}: lru({n + 1}kB)\n" for n in range(20_000))
    (case.work / "many.yaml").write_text("caches:\n" + many)
    refused(case, *base, "many.yaml", seconds=30)
    (case.work / "aliases.yaml").write_text(
        "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{f'*{chr(97 + n)},' * 9}]\n" for n in range(9))
    )
    refused(case, *base, "aliases.yaml", seconds=20)


@campaign.scenario("patterns of users that try everything", seconds=3, once=True)
def patterns(case):
    name = "a" * 60 + "-b.jsonl"
    session(case, name)
    base = ["replay", name, "--cache", "lru(20%)", "--timing", "instant", "--no-charts", "-q", "--user-from"]
    for pattern in ("^(a+)+$", "(a|aa)+$", "(.*)*x(.*)*y", "((((a*)*)*)*)*c"):
        refused(case, *base, pattern, seconds=10)


@campaign.scenario("run that dies by a signal", seconds=4)
def killed_run(case):
    """A run that dies by SIGSEGV is an error, not an interrupt, and the message names the signal."""
    session(case, requests=2_000, objects=300)
    process = case.start("replay", "session.jsonl", "--cache", "memory: lru(10%); disk: lru(30%)", "--no-charts")
    limit = time.monotonic() + 20
    found = []
    while not found and process.poll() is None and time.monotonic() < limit:
        found = [id for id in process.relatives() if b"replay-run" in processes.arguments_of(id)]
        time.sleep(0.002)
    if not found:
        raise Skipped("the run was over")
    try:
        os.kill(found[0], signal.SIGSEGV)
    except ProcessLookupError:
        raise Skipped("the run was over") from None
    ended = process.wait(60)
    if ended.code == 0:
        raise Skipped("the run was over")
    case.judge(ended, case.assault.codes - {0, 1, 129, 130, 143})
    case.check("SIGSEGV" in ended.said or "signal 11" in ended.said, f"does not name the signal: {ended.said[:400]}")


@campaign.scenario("cost that grows faster than its input", seconds=40, once=True)
def growth(case):
    """From 2,000 to 50,000 events, no command costs more than three times as much per event."""
    script = PROJECT / "scripts/benchmarks/growth.py"
    command = [sys.executable, str(script), str(case.assault.binary), "--sizes", "2000,50000"]
    for subject in ("replay", "replay, cells that stay", "replay, fleet of cells that stay", "explain", "YAML"):
        command += ["--only", subject]
    ended = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"TMPDIR": str(case.tmp)})
    rows = list(csv.DictReader(io.StringIO(ended.stdout)))
    case.check(len({row["subject"] for row in rows}) == 5, f"not all subjects were measured: {ended.stderr[-600:]}")
    growing = {row["subject"]: row["growth"] for row in rows if float(row["growth"]) > 3}
    case.check(not growing, f"the cost per event grows: {growing}")
