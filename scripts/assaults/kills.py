"""Kills every command that writes with SIGKILL at random moments, repeats it, and compares with an unkilled run."""

import os
import re
import shutil
import signal
import time

from . import clients, results, samples
from .harness import Campaign, Skipped

campaign = Campaign("kills")

CACHES = [part for cache in samples.CACHES for part in ("--cache", cache)]
REPLAY = ["replay", "feed.jsonl", "grid.jsonl", *CACHES]


def inputs(folder, random):
    """Makes the traces and settings that the commands read."""
    samples.write_session(folder / "feed.jsonl", random, requests=400, title="Feed")
    samples.write_session(folder / "grid.jsonl", random, requests=300, objects=80, title="Grid")
    (folder / "requests.oracleGeneral").write_bytes(samples.requests(200_000, random))
    samples.pictures(folder / "pictures", 12)


def survives(case, name, arguments, output, again=(), columns=None, is_measured=False):
    """Kills a command up to three times, lets it end, and compares its output with that of an unkilled run.

    - `arguments`: the command, in which OUTPUT stands for the file or folder that it writes.
    - `again`: what is added after a kill, such as --resume.
    - `columns`: see `results.same`.
    """
    folder, _ = case.shared("kill-inputs", inputs)

    def filled(output, *added):
        return [output if part == "OUTPUT" else part for part in arguments] + list(added)

    def make(reference, _):
        case.succeed(*filled(reference / output), folder=folder)

    reference, seconds = case.shared(f"kill-{name}", make)
    made = case.work / output
    for _ in range(case.random.randint(1, 3)):
        added = again if made.exists() else ()
        process = case.start(*filled(made, *added), folder=folder)
        time.sleep(case.random.random() * seconds)
        victim = process.id
        if case.random.random() < 0.2 and (children := process.relatives()):
            victim = case.random.choice(children)
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            pass
        ended = process.wait(60)
        case.check(not ended.timed_out, f"hung after the end of a child: {ended.command}")
        case.no_survivors(process)
        if victim != process.id and ended.code != -signal.SIGKILL:
            case.judge(ended)
        if made.is_dir():
            results.whole(made)
        elif made.exists():
            results.same(reference / output, made)
    case.succeed(*filled(made, *(again if made.exists() else ())), folder=folder)
    results.same(reference / output, made, columns)
    case.no_leftovers(case.work)


@campaign.scenario("replay, modelled", seconds=5)
def replay_modelled(case):
    jobs = str(case.random.randint(1, 4))
    arguments = [*REPLAY, "--timing", "modelled", "--repeat", "2", "--jobs", jobs, "--no-charts", "-q", "--output"]
    survives(case, "replay-modelled", [*arguments, "OUTPUT"], "out", ["--resume"])


@campaign.scenario("replay, instant, with requests", seconds=4)
def replay_requests(case):
    arguments = [*REPLAY, "--timing", "instant", "--requests", "csv", "--no-charts", "-q", "--output", "OUTPUT"]
    survives(case, "replay-requests", arguments, "out", ["--resume"])


@campaign.scenario("replay, measured", seconds=6)
def replay_measured(case):
    arguments = [*REPLAY, "--no-charts", "-q", "--jobs", "2", "--output", "OUTPUT"]
    survives(case, "replay-measured", arguments, "out", ["--resume"], results.IDENTITY)


@campaign.scenario("replay with charts", seconds=12)
def replay_charts(case):
    arguments = ["replay", "grid.jsonl", "--cache", "lru(30%)", "--timing", "modelled", "-q", "--output", "OUTPUT"]
    survives(case, "replay-charts", arguments, "out", ["--resume"])


@campaign.scenario("simulate", seconds=3)
def simulate(case):
    command = "simulate requests.oracleGeneral feed.jsonl --policy lru,sieve,lirs,w-tinylfu,belady --ignore-size"
    arguments = f"{command} --capacity 1%,5%,20%,50% --curve --no-charts -q --output OUTPUT".split()
    survives(case, "simulate", arguments, "out", ["--resume"], results.SIMULATED)


@campaign.scenario("trace convert", seconds=2)
def convert(case):
    name = case.random.choice(["out.jsonl", "out.csv", "out.csv.gz", "out.jsonl.zst", "out.oracleGeneral.bin"])
    survives(case, f"convert-{name}", ["trace", "convert", "--quiet", "requests.oracleGeneral", "OUTPUT"], name)


@campaign.scenario("trace anonymize", seconds=2)
def anonymize(case):
    name = case.random.choice(["out.jsonl", "out.crtrace", "out.csv.gz"])
    arguments = ["trace", "anonymize", "--quiet", "feed.jsonl", "--salt", "7f1e", "--output", "OUTPUT"]
    survives(case, f"anonymize-{name}", arguments, name)


@campaign.scenario("trace compile", seconds=1)
def compile(case):
    source = case.random.choice(["requests.oracleGeneral", "feed.jsonl"])
    survives(case, f"compile-{source}", ["trace", "compile", "--quiet", source, "OUTPUT"], "out.crtrace")


@campaign.scenario("trace synthesize", seconds=2)
def synthesize(case):
    arguments = ["trace", "synthesize", "--requests", "500000", "--output", "OUTPUT"]
    survives(case, "synthesize", arguments, "out.oracleGeneral.bin")


@campaign.scenario("chart", seconds=10)
def chart(case):
    def make(folder, random):
        trace = samples.write_session(folder / "feed.jsonl", random)
        case.succeed("replay", trace, "--cache", "lru(30%)", "--timing", "modelled", "-q", "--output", folder / "out")

    reference, seconds = case.shared("kill-chart", make)
    made = case.work / "out"
    shutil.copytree(reference / "out", made)
    shutil.rmtree(made / "charts")
    process = case.start("chart", made)
    time.sleep(case.random.random() * seconds)
    process.send(signal.SIGKILL)
    process.wait(10)
    case.no_survivors(process)
    results.whole(made)
    case.succeed("chart", made)
    results.same(reference / "out", made)
    case.no_leftovers(case.work)


@campaign.scenario("calibrate", seconds=10)
def calibrate(case):
    """The file of costs is whole or missing, and the next start removes what the killed process left."""
    folder, _ = case.shared("kill-inputs", inputs)
    made = case.work / "costs.yaml"
    process = case.start("calibrate", "--output", made, folder / "feed.jsonl")
    time.sleep(case.random.random() * 8)
    process.send(signal.SIGKILL)
    process.wait(10)
    case.no_survivors(process)
    if made.exists():
        case.succeed(
            "replay",
            folder / "feed.jsonl",
            "--cache",
            "lru(30%)",
            "--timing",
            "modelled",
            "--no-charts",
            "--costs",
            made,
            "--output",
            case.work / "out",
        )
    second = case.start("calibrate", "--output", case.work / "second.yaml", folder / "feed.jsonl")
    # It removes what was left before it makes its own folder.
    limit = time.monotonic() + 20
    while second.poll() is None and time.monotonic() < limit:
        if any(case.tmp.glob(f"cachereplay-calibrate-{second.id}-*")):
            break
        time.sleep(0.01)
    second.send(signal.SIGINT)
    case.judge(second.wait(20), {0, 130})
    case.no_leftovers(case.work)


@campaign.scenario("record gallery", seconds=3)
def record_gallery(case):
    """A killed gallery leaves a valid trace with every event whose report it has accepted."""
    folder, _ = case.shared("kill-inputs", inputs)
    trace = case.work / "session.jsonl"
    gallery = clients.gallery(case, folder / "pictures", trace)
    report = {"client": "killclient", "batches": [{"visit": "killvisit1", "sequence": 1, "events": []}]}
    case.check(gallery.post("/hello", report)[0] == 200, "the gallery refuses a visit")
    end = time.monotonic() + case.random.random() * 1.5
    accepted = 0
    while time.monotonic() < end:
        number = case.random.randrange(12)
        status, body = gallery.get(f"/full/{number}?c=killclient")
        case.check(status == 200 and body.startswith(b"\x89PNG"), f"image {number} is not served: {status}")
        moment = int(gallery.get("/clock")[1])
        kind = "appear" if accepted % 2 == 0 else "scroll"
        event = {"t": moment, "e": kind}
        event |= (
            {"n": number, "variant": "full"} if kind == "appear" else {"phase": "dragged", "offset": 5, "velocity": 2}
        )
        batch = {"visit": "killvisit1", "sequence": accepted + 2, "events": [event]}
        accepted += gallery.post("/events", {"client": "killclient", "batches": [batch]})[0] == 204
    gallery.process.send(signal.SIGKILL)
    gallery.process.wait(10)
    recorded_events(case, trace, "appear", (accepted + 1) // 2)
    recorded_events(case, trace, "scroll", accepted // 2)


def recorded_events(case, trace, kind, least):
    """Checks that a recording is valid, and holds at least a number of events."""
    case.succeed("validate", "--syntax", trace)
    found = len(re.findall(rf'"e":"{kind}"', trace.read_text()))
    case.check(found >= least, f"the recording has {found} events '{kind}', and at least {least} were acknowledged")


@campaign.scenario("thumbnails of the gallery", seconds=6)
def thumbnails(case):
    """After a kill while thumbnails are made, the next start serves all of them whole."""
    if not shutil.which("vipsthumbnail"):
        raise Skipped("vipsthumbnail is not installed")
    folder = samples.pictures(case.work / "pictures", 40)
    process = case.start("record", "gallery", folder, "--output", case.work / "first.jsonl")
    time.sleep(case.random.random())
    process.send(signal.SIGKILL)
    process.wait(10)
    case.no_survivors(process)
    gallery = clients.Server(case, "record", "gallery", folder, "--output", case.work / "second.jsonl")
    for number in range(40):
        status, body = gallery.get(f"/thumb/{number}")
        is_whole = body.endswith((b"IEND\xaeB`\x82", b"\xff\xd9")) or body.startswith(b"RIFF")
        case.check(status == 200 and is_whole, f"thumbnail {number}: status {status}, {len(body)} bytes")
    gallery.process.send(signal.SIGINT)
    case.judge(gallery.process.wait(20), {0, 130})
    rest = [path.name for path in (case.folder / "home").rglob(".*")]
    case.check(not rest, f"leftovers in the folder of thumbnails: {rest[:5]}")
