"""Load: millions of events, thousands of caches and traces, sparse traces, and a long replay with flat memory.

Sizes grow with the time of the campaign, up to the full size from ten minutes on. The table names the sizes.
"""

import json
import statistics
import time

from . import processes, results, samples
from .harness import Campaign

campaign = Campaign("load")

FULL = 600  # seconds of the campaign from which sizes are full
DAY = 86_400_000_000  # microseconds


def share(case, whole, least):
    """The size for the time of the campaign, of which the whole stands for ten minutes; printed."""
    size = max(least, int(whole * min(1, case.assault.seconds / FULL)))
    print(f"  load: {size:,} of {whole:,}", flush=True)
    return size


def within(case, seconds, bytes, *arguments):
    """Runs a command, which must succeed within a time and within an amount of memory."""
    ended = case.succeed(*arguments, seconds=seconds)
    case.check(ended.peak < bytes, f"uses {ended.peak >> 20} MiB of {bytes >> 20}: {ended.command[:300]}")
    return ended


@campaign.scenario("sparse trace", seconds=1, once=True)
def sparse(case):
    """The cost of a replay follows the events, not the time between them: two requests, thirty days apart."""
    lines = [
        {"cachereplay_trace": 1, "synthetic": True},
        {"e": "object", "o": 0, "key": "a", "bytes": 500},
        {"t": 0, "e": "appear", "o": 0, "variant": "full"},
        {"t": 30 * DAY, "e": "appear", "o": 0, "variant": "full"},
    ]
    path = case.work / "sparse.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    output = case.work / "out"
    within(
        case,
        10,
        512 << 20,
        "replay",
        path,
        "--cache",
        samples.MEMORY_AND_DISK,
        "--timing",
        "modelled",
        "--output",
        output,
    )
    size = (output / "timeline.csv").stat().st_size
    case.check(size < 100_000, f"timeline.csv has {size:,} bytes")


@campaign.scenario("many events, simulated", seconds=4, once=True)
def events(case):
    """2,000,000 requests through five policies at three capacities."""
    count = share(case, 2_000_000, 100_000)
    path = case.work / "requests.oracleGeneral"
    path.write_bytes(samples.requests(count, case.random, objects=50_000))
    within(
        case,
        300,
        3 << 30,
        "simulate",
        path,
        "--policy",
        "lru,fifo,sieve,lirs,belady",
        "--ignore-size",
        "--capacity",
        "1%,10%,50%",
        "--no-charts",
        "--output",
        case.work / "out",
    )
    rows = results.rows(case.work / "out/miss_ratio.csv")
    case.check(len(rows) == 15, f"{len(rows)} rows instead of 15")
    case.check(all(int(row["requests"]) == count for row in rows), "rows do not have all requests")
    within(case, 300, 3 << 30, "trace", "info", path, "--format", "oracleGeneral")


@campaign.scenario("many events, replayed", seconds=6, once=True)
def session(case):
    """A session of 2,000,000 events, made from a model, through memory and disk."""
    count = share(case, 700_000, 10_000)
    path = case.work / "session.jsonl"
    within(case, 300, 4 << 30, "trace", "synthesize", "--requests", count, "--output", path)
    within(
        case,
        600,
        6 << 30,
        "replay",
        path,
        "--cache",
        samples.MEMORY_AND_DISK,
        "--timing",
        "modelled",
        "--no-charts",
        "--output",
        case.work / "out",
    )
    results.outcomes_add_up(case.work / "out/summary.csv")


@campaign.scenario("many caches", seconds=3, once=True)
def caches(case):
    """1,000 caches in one simulation."""
    count = share(case, 1_000, 200)
    path = samples.write_session(case.work / "session.jsonl", case.random)
    policies = ",".join(f"{case.random.choice(['lru', 'fifo', 'sieve', 'lfu'])}({n + 1}kB)" for n in range(count))
    within(case, 300, 2 << 30, "simulate", path, "--policy", policies, "--no-charts", "--output", case.work / "out")
    rows = results.rows(case.work / "out/miss_ratio.csv")
    case.check(len(rows) == count, f"{len(rows)} rows instead of {count}")


@campaign.scenario("many traces", seconds=5, once=True)
def traces(case):
    """10,000 small traces in one simulation, and a tenth of them in one replay."""
    count = share(case, 10_000, 300)
    text = samples.session(case.random, requests=10, objects=5)
    for number in range(count):
        (case.work / f"t{number}.jsonl").write_text(text)
    names = [f"t{number}.jsonl" for number in range(count)]
    within(
        case,
        600,
        2 << 30,
        "simulate",
        *names,
        "--policy",
        "lru",
        "--capacity",
        "50%",
        "--no-charts",
        "-q",
        "--output",
        "s",
    )
    rows = results.rows(case.work / "s/miss_ratio.csv")
    case.check(len(rows) == count, f"{len(rows)} rows instead of {count}")
    few = names[: max(20, count // 10)]
    within(
        case,
        600,
        2 << 30,
        "replay",
        *few,
        "--cache",
        "lru(50%)",
        "--timing",
        "instant",
        "--no-charts",
        "-q",
        "--output",
        "r",
    )
    rows = results.rows(case.work / "r/summary.csv")
    case.check(len(rows) == len(few), f"{len(rows)} rows instead of {len(few)}")


@campaign.scenario("long replay on a wall clock", seconds=8, once=True)
def wall(case):
    """The memory of a replay on a wall clock stays flat. The replay lasts half of the campaign's time."""
    seconds = max(6, case.assault.seconds * 0.5)
    interval = 20_000
    path = samples.write_session(
        case.work / "session.jsonl",
        case.random,
        objects=300,
        requests=int(seconds * 1_000_000 / interval),
        interval=interval,
        size=4_000,
    )
    print(f"  load: {seconds:.0f} seconds on a wall clock", flush=True)
    output = case.work / "out"
    process = case.start(
        "replay",
        path,
        "--cache",
        "memory: lru(10%); disk: lru(30%)",
        "--clock",
        "wall",
        "--no-charts",
        "-q",
        "--output",
        output,
    )
    used = []
    limit = time.monotonic() + seconds * 2 + 60
    while process.poll() is None and time.monotonic() < limit:
        used.append(sum(map(processes.resident, [process.id, *process.relatives()])))
        time.sleep(max(0.2, seconds / 400))
    case.judge(process.wait(1), {0})
    results.outcomes_add_up(output / "summary.csv")
    # The first quarter fills the caches.
    middle = used[len(used) // 4 : len(used) * 5 // 8]
    late = used[len(used) * 5 // 8 : -2] or middle
    growth = statistics.median(late) - statistics.median(middle)
    case.check(growth < 16 << 20, f"memory grows by {growth / 1e6:.0f} MB in the second half: {shape(used)}")


def shape(used):
    """Ten samples of resident memory, in MB."""
    return [round(value / 1e6) for value in used[:: max(1, len(used) // 10)]]
