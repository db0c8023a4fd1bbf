"""Damaged inputs of every kind: each is read, or refused with a documented exit code and a message that names it."""

import json
import resource
import shutil
import signal
import subprocess
import time

from . import results, samples
from .harness import PEAK, PROJECT, Campaign, Defect, Skipped

campaign = Campaign("fuzz")

PATIENCE = 20  # seconds for a small input
LIMITS = {resource.RLIMIT_FSIZE: 256 << 20}
NUMBERS = [
    b"0",
    b"-1",
    b"1e999",
    b"-1e308",
    b"NaN",
    b"Infinity",
    b"9223372036854775807",
    b"9223372036854775808",
    b"18446744073709551616",
    b"4294967296",
    b"2147483647",
    b"0x7fffffff",
    b"1.5",
    b"1e-320",
    b"00",
    b"",
    b"+1",
]
WORDS = [
    b"null",
    b"true",
    b"{}",
    b"[]",
    b'""',
    b"\\u0000",
    b"\\ud800",
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\r\n",
    b"\n\n",
    b"\x1b[31m",
    "\u202e".encode(),
    b"&amp;",
    b"]]>",
    b"'",
    b'"',
    b"\\",
    b"*",
    b"&a",
    b"!!int",
    b"%",
    b"{" * 300,
    b"[" * 300,
    b"(" * 300,
    b"a" * 70_000,
    b"../../../etc/passwd",
    b"/dev/zero",
]


def damaged(random, content, others=()):
    """Returns a damaged copy of some bytes: one to six changes."""
    content = bytearray(content)
    for _ in range(random.choice([1, 1, 2, 3, 6])):
        at = random.randrange(len(content) + 1)
        end = min(len(content), at + random.choice([1, 2, 4, 8, 40, 400]))
        kind = random.randrange(9)
        if kind == 0 and at < len(content):
            content[at] ^= 1 << random.randrange(8)
        elif kind == 1 and at < len(content):
            content[at] = random.choice([0, 0x7F, 0x80, 0xFF, random.randrange(256)])
        elif kind == 2:
            del content[at:]
        elif kind == 3:
            del content[at:end]
        elif kind == 4:
            content[at:at] = content[at:end] * random.choice([1, 2, 50])
        elif kind == 5:
            content[at:at] = random.choice(WORDS)
        elif kind == 6:
            content[at:at] = random.randbytes(random.choice([1, 8, 100]))
        elif kind == 7:
            replace_number(random, content)
        elif others:
            other = random.choice(others)
            content[at:end] = other[random.randrange(len(other) + 1) :][: random.choice([4, 40, 400])]
    return bytes(content)


def replace_number(random, content):
    """Replaces one of the decimal numbers of a text by an extreme one."""
    starts = [n for n, byte in enumerate(content) if 48 <= byte < 58 and (n == 0 or not 48 <= content[n - 1] < 58)]
    if starts:
        start = random.choice(starts)
        end = start
        while end < len(content) and 48 <= content[end] < 58:
            end += 1
        content[start:end] = random.choice(NUMBERS)


def read(case, *arguments, names, expect=None, **options):
    """Runs a command over damaged input."""
    options = {"limits": LIMITS} | options
    ended = case.start(*arguments, **options).wait(PATIENCE)
    case.judge(ended, expect, names)
    case.check(ended.peak < PEAK, f"uses {ended.peak >> 20} MiB: {ended.command}")
    return ended


# Traces


def seeds(case):
    """A folder with a small file of every format, each of which is read. A format without a file is a defect."""

    def make(folder, random):
        listed = json.loads(case.succeed("list", "formats", "--json").output)
        session = samples.session(random, objects=4, requests=6)
        contents = samples.FORMATS | {"jsonl": session.encode()}
        missing = {format["name"] for format in listed} - set(contents) - {"compiled"}
        case.check(not missing, f"scripts/assaults/samples.py has no sample of the formats {sorted(missing)}")
        for name, content in contents.items():
            (folder / name).write_bytes(content)
            case.succeed("trace", "info", folder / name, "--format", name)
        case.succeed("trace", "compile", "--quiet", folder / "jsonl", folder / "compiled")

    return case.shared("fuzz-seeds", make)[0]


def add_format(name):
    @campaign.scenario(f"trace {name}", seconds=0.4)
    def attack(case):
        folder = seeds(case)
        every = [path.read_bytes() for path in sorted(folder.iterdir())]
        content = damaged(case.random, (folder / name).read_bytes(), every)
        if case.random.random() < 0.1:
            content = damaged(case.random, samples.compressed(content))
        path = case.work / "damaged"
        path.write_bytes(content)
        format = ["--format", name] if case.random.random() < 0.8 else []
        command = case.random.choice(
            [
                ["trace", "info"],
                ["trace", "head"],
                ["validate", "--syntax"],
                ["trace", "convert"],
                ["trace", "compile"],
                ["simulate", "--policy", "lru,belady", "--capacity", "50%"],
                ["replay"],
                ["validate"],
                ["validate", "--cache", "lru(50%)"],
            ]
        )
        options = {
            "convert": ["out.csv"],
            "compile": ["out.crtrace"],
            "replay": ["--cache", "lru(50%)", "--timing", "modelled", "--no-charts", "--output", "out"],
        }.get(command[-1], [])
        read(case, *command, path, *options, *format, names=["damaged"])
        for output in ("out.csv", "out.crtrace"):
            if (case.work / output).exists():
                read(case, "trace", "info", case.work / output, expect={0}, names=[])


for format_name in ["compiled", "jsonl", *samples.FORMATS]:
    add_format(format_name)


@campaign.scenario("valid sessions", seconds=1)
def valid_sessions(case):
    """Sessions with unusual values are replayed with equal hits whether times are measured or take nothing."""
    random = case.random
    sides = [1, 2, 15, 64, 400, 5_000]
    samples.write_session(
        case.work / "session.jsonl",
        random,
        objects=random.choice([1, 5, 60]),
        requests=80,
        interval=random.choice([1, 1_000, 2_000_000]),
        size=random.choice([1, 200, 20_000, 300_000]),
        pixels=lambda: (random.choice(sides), random.choice(sides)),
    )
    caches = [part for cache in samples.CACHES[:3] for part in ("--cache", cache)]
    for output, timing in (("measured", []), ("modelled", ["--timing", "modelled"])):
        read(case, "replay", "session.jsonl", *caches, *timing, "--no-charts", "--output", output, names=[], expect={0})
        results.outcomes_add_up(case.work / output / "summary.csv")


# Settings


@campaign.scenario("YAML of replay --config", seconds=0.5)
def configuration(case):
    samples.write_session(case.work / "session.jsonl", case.random, requests=20)
    path = case.work / "damaged.yaml"
    path.write_bytes(damaged(case.random, samples.CONFIGURATION.encode(), [samples.COSTS.encode()]))
    read(
        case,
        "replay",
        "--config",
        path,
        "--timing",
        "instant",
        "--no-charts",
        "--output",
        case.work / "out",
        names=None,
    )


@campaign.scenario("YAML of replay --costs", seconds=0.3)
def costs(case):
    samples.write_session(case.work / "session.jsonl", case.random, requests=20)
    path = case.work / "damaged.yaml"
    path.write_bytes(damaged(case.random, samples.COSTS.encode()))
    read(
        case,
        "replay",
        "session.jsonl",
        "--cache",
        "lru(1MB)",
        "--costs",
        path,
        "--timing",
        "modelled",
        "--no-charts",
        "--output",
        case.work / "out",
        names=["damaged.yaml"],
    )


PROBE = """{"probe": 1, "cachereplay": "1.0", "class": "NSCache", "platform": {"name": "macOS", "version": "15.1",
"architecture": "arm64", "foundation": "Foundation"}, "sequences": 9, "operations": 90, "answers": 99, "repeated": 2,
"differing": 0, "over_limits": 0, "wrong": 0, "verdict": "identified", "best": "fifo", "models": [{"name": "lru",
"contradicted": 4, "shortest": {"limits": {"cost": 3, "count": 0}, "operations": ["put a 1"]}}]}
"""


@campaign.scenario("JSON of replay --nscache", seconds=0.3)
def nscache(case):
    samples.write_session(case.work / "session.jsonl", case.random, requests=20)
    path = case.work / "damaged.json"
    path.write_bytes(damaged(case.random, PROBE.encode()))
    read(
        case,
        "replay",
        "session.jsonl",
        "--cache",
        "kingfisher-8",
        "--nscache",
        path,
        "--timing",
        "instant",
        "--no-charts",
        "--output",
        case.work / "out",
        names=["damaged.json"],
    )


SPECIFICATIONS = [
    "memory: lru(20MB); disk: ttl(lru(500MB), lifetime: 7d); connections: 1",
    "kingfisher-8",
    "sdwebimage-5; ram: 4GB",
    "nscache(cost: 30%, model: corelibs)",
    "nscache(cost: 30%, count: 9, model: platform)",
    "urlcache(capacity: 1MB, model: platform)",
    "split(thumbnail: lru(100 objects), full: lru(5 objects))",
    "lecar(10%)",
    "lru-mad(10%, delay: 200ms)",
    "gdsf-mad(10%, delay: 1s)",
    "ttl(3l-cache(10%, batch: 90, objective: objects), lifetime: 7d)",
    "w-tinylfu(10%)",
    "ttl(split(thumbnail: lru, full: fifo(1kB)), lifetime: 7d)",
    "memory: none; disk: s3fifo(1MB)",
    "memory: lru(1MB); memoryOnBackground: 50%; layout: sqlite; retries: 3; retryDelay: 1s; retryFactor: 2",
]


def specification(case):
    """A damaged specification, as text that a command line can have."""
    chosen = case.random.choice(SPECIFICATIONS).encode()
    others = [text.encode() for text in SPECIFICATIONS]
    return damaged(case.random, chosen, others).replace(b"\0", b"")[:100_000]


@campaign.scenario("specification of replay --cache", seconds=0.5)
def cache(case):
    samples.write_session(case.work / "session.jsonl", case.random, requests=20)
    text = specification(case)
    read(
        case,
        "replay",
        "session.jsonl",
        b"--cache=" + text,
        "--timing",
        "instant",
        "--no-charts",
        "--output",
        "out",
        names=None,
    )


@campaign.scenario("specification of simulate --policy", seconds=0.3)
def policy(case):
    samples.write_session(case.work / "session.jsonl", case.random, requests=20)
    text = specification(case)
    capacity = damaged(case.random, b"5%,20MB,10 objects,auto").replace(b"\0", b"")[:1000]
    read(case, "simulate", "session.jsonl", b"--policy=" + text, b"--capacity=" + capacity, "--no-charts", names=None)


@campaign.scenario("option values", seconds=0.3)
def options(case):
    samples.write_session(case.work / "session.jsonl", case.random, requests=20)
    value = case.random.choice(NUMBERS + [damaged(case.random, b"10").replace(b"\0", b"")[:200]])
    command, option = case.random.choice(
        [
            (
                [
                    "replay",
                    "session.jsonl",
                    "--cache",
                    "lru(1MB)",
                    "--timing",
                    "instant",
                    "--no-charts",
                    "--output",
                    "out",
                ],
                o,
            )
            for o in ("--repeat", "--jobs", "--seed", "--network", "--format", "--requests")
        ]
        + [
            (
                [
                    "replay",
                    "session.jsonl",
                    "--cache",
                    "lru(1MB)",
                    "--no-charts",
                    "--clock",
                    "wall",
                    "--output",
                    "out",
                    "--timing",
                ],
                "",
            ),
            (["simulate", "session.jsonl", "--policy", "lru", "--capacity", "1MB"], "--sample"),
            (["simulate", "session.jsonl", "--policy", "lru", "--capacity", "1MB"], "--sample-size"),
            (["simulate", "session.jsonl", "--policy", "lru", "--capacity", "1MB"], "--jobs"),
            (["trace", "head", "session.jsonl"], "--count"),
            (["validate", "session.jsonl"], "--limit"),
            (
                ["trace", "synthesize", "--requests", "20"],
                case.random.choice(
                    [
                        "--exponent",
                        "--columns",
                        "--row-height",
                        "--dwell",
                        "--flick-speed",
                        "--first-byte",
                        "--bandwidth",
                        "--connections",
                        "--missing",
                        "--offline-every",
                        "--full-bytes",
                        "--full-spread",
                        "--deceleration",
                    ]
                ),
            ),
            (
                ["trace", "info", "session.jsonl"],
                case.random.choice(["--max-bad-lines", "--page", "--match", "--delimiter"]),
            ),
            (["compare", "out", "out"], "--allow"),
        ]
    )
    read(case, *command, *([option.encode() + b"=" + value] if option else [value or b"x"]), names=None)


# Results


def finished(case):
    """The results of a replay and of a simulation."""

    def make(folder, random):
        samples.write_session(folder / "session.jsonl", random, requests=60)
        case.succeed(*REPLAY, "--output", "replay", folder=folder)
        case.succeed(*SIMULATE, "--output", "simulate", folder=folder)

    return case.shared("fuzz-results", make)[0]


REPLAY = [
    "replay",
    "session.jsonl",
    "--cache",
    "lru(20%)",
    "--cache",
    "fifo(20%)",
    "--timing",
    "modelled",
    "--no-charts",
]
SIMULATE = ["simulate", "session.jsonl", "--policy", "lru,fifo", "--capacity", "10%,50%", "--curve", "--no-charts"]


@campaign.scenario("results folders", seconds=0.6)
def results_folder(case):
    """`chart`, `compare` and `--resume` read damaged results, or refuse them. Runs restore damaged CSV files."""
    folder = finished(case)
    kind = case.random.choice(["replay", "replay", "simulate"])
    shutil.copytree(folder / kind, case.work / "results")
    shutil.copy(folder / "session.jsonl", case.work)
    paths = [path for path in sorted((case.work / "results").rglob("*")) if path.suffix in (".json", ".csv")]
    path = case.random.choice(paths)
    path.write_bytes(damaged(case.random, path.read_bytes(), [other.read_bytes() for other in paths]))
    names = [path.name, "results"]
    resume = [*(REPLAY if kind == "replay" else SIMULATE), "--resume", "--output", "results"]
    command = case.random.choice(
        [
            ["chart", "results", "--pictures", "svg"],
            ["compare", folder / kind, "results"],
            resume,
            resume,
            ["compare", "results", folder / kind, "--as", case.random.choice(["json", "junit", "markdown"])],
        ]
    )
    ended = read(case, *command, names=names)
    if kind == "replay" and command == resume and path.suffix == ".csv" and ended.code == 0:
        for name in ("summary.csv", "latency.csv", "timeline.csv"):
            results.same(folder / kind / name, case.work / "results" / name)


@campaign.scenario("folders of charts", seconds=0.8)
def charted_folder(case):
    """`chart` draws damaged explanations, advice and pages of traces, or refuses them."""

    def make(folder, random):
        samples.write_session(folder / "session.jsonl", random, requests=60)
        quiet = ("--no-charts", "-q", "--output")
        case.succeed("explain", "session.jsonl", "--cache", "lru(20%)", *quiet, "explanation", folder=folder)
        asked = ("session.jsonl", "--memory", "8MB", "--for", "nuke-13")
        case.succeed("advise", *asked, *quiet, "advice", folder=folder, seconds=60)
        case.succeed("trace", "info", "session.jsonl", "-q", "--output", "trace", folder=folder)

    folder = case.shared("fuzz-charts", make)[0]
    kind, file = case.random.choice(
        [("explanation", "explanation.json"), ("advice", "advice.json"), ("trace", "charts.json")]
    )
    shutil.copytree(folder / kind, case.work / "results")
    path = case.work / "results" / file
    path.write_bytes(damaged(case.random, path.read_bytes()))
    read(case, "chart", "results", "--pictures", "svg", names=[file, "results"])


@campaign.scenario("folders of kept bodies", seconds=0.8)
def bodies(case):
    samples.write_session(case.work / "session.jsonl", case.random, requests=10, objects=4)
    folder = case.work / "bodies"
    folder.mkdir()
    index = b'{"key":"https://pictures.test/0.jpg","sha256":"' + b"0" * 64 + b'","bytes":5,"type":"image/png"}\n'
    for name in ("index.jsonl", "bodies.jsonl", "index.json"):
        (folder / name).write_bytes(damaged(case.random, index * 3))
    (folder / ("0" * 64)).write_bytes(case.random.randbytes(5))
    read(
        case,
        "replay",
        "session.jsonl",
        "--cache",
        "lru(1MB)",
        "--bodies",
        folder,
        "--no-charts",
        "--output",
        "out",
        names=["bodies", "session"],
    )


# Plugins

# For each misbehaviour: the function that is replaced, and its replacement. The rest is that of the example.
MISBEHAVIOURS = {
    "version 99": ("version", "uint32_t cachereplay_version(void) { return 99; }"),
    "no name": ("name", "const char *cachereplay_name(void) { return 0; }"),
    "escapes in its name": ("name", r'const char *cachereplay_name(void) { return "\x1b[31mred\x07"; }'),
    "name of a built-in policy": ("name", 'const char *cachereplay_name(void) { return "lru"; }'),
    "wrong parameters": (
        "version",
        "uint32_t cachereplay_version(void) { return CACHEREPLAY_PLUGIN_VERSION; }\n"
        r'const char *cachereplay_parameters(void) { return "a: 1, (((\xff"; }',
    ),
    "no policy": ("create", "void *cachereplay_create(const cachereplay_limits *l, const double *p) { return 0; }"),
    "no memory": ("reserve", "int cachereplay_reserve(void *p, uint64_t count) { return 1; }"),
    "holds everything": ("lookup", "int cachereplay_lookup(void *p, const cachereplay_access *a) { return 1; }"),
    "holds nothing": ("lookup", "int cachereplay_lookup(void *p, const cachereplay_access *a) { return 0; }"),
    "evicts what does not exist": (
        "admit",
        """
        int cachereplay_admit(void *p, const cachereplay_access *a, cachereplay_evict e, void *c) {
            e(c, UINT64_MAX); e(c, a->object + 1000000); return example_admit(p, a, e, c); }""",
    ),
    "evicts twice": (
        "admit",
        """
        static cachereplay_evict real; static void twice(void *c, uint64_t o) { real(c, o); real(c, o); }
        int cachereplay_admit(void *p, const cachereplay_access *a, cachereplay_evict e, void *c) {
            real = e; return example_admit(p, a, twice, c); }""",
    ),
    "never evicts": (
        "admit",
        """
        int cachereplay_admit(void *p, const cachereplay_access *a, cachereplay_evict e, void *c) { return 1; }""",
    ),
    "lacks a function": ("remove", ""),
    "segmentation fault": (
        "lookup",
        "int cachereplay_lookup(void *p, const cachereplay_access *a) " "{ return *(volatile int *)8; }",
    ),
    "abort": (
        "admit",
        "int cachereplay_admit(void *p, const cachereplay_access *a, cachereplay_evict e, void *c) " "{ abort(); }",
    ),
    "exit": (
        "admit",
        "int cachereplay_admit(void *p, const cachereplay_access *a, cachereplay_evict e, void *c) " "{ exit(0); }",
    ),
    "never returns": (
        "admit",
        "int cachereplay_admit(void *p, const cachereplay_access *a, cachereplay_evict e, void *c)" " { for (;;) ; }",
    ),
}
CRASHES = {"segmentation fault", "abort", "exit"}


def library(case, misbehaviour):
    """Compiles a plugin, and returns the path of its shared library."""
    compiler = shutil.which("cc") or shutil.which("clang")
    if not compiler:
        raise Skipped("there is no C compiler")
    function, replacement = MISBEHAVIOURS[misbehaviour]

    def make(folder, _):
        example = PROJECT / "Examples/Plugin/second_chance.c"
        text = f'#define cachereplay_{function} example_{function}\n#include "{example}"\n'
        (folder / "plugin.c").write_text(f"{text}#undef cachereplay_{function}\n{replacement}\n")
        command = [
            compiler,
            "-O1",
            "-w",
            "-shared",
            "-fPIC",
            "-I",
            str(PROJECT / "Sources/C/CPolicyPlugin"),
            "-o",
            "libplugin.so",
            "plugin.c",
        ]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise Skipped(f"the plugin cannot be compiled: {done.stderr[:200]}")

    return case.shared(f"plugin-{misbehaviour.replace(' ', '-')}", make)[0] / "libplugin.so"


def add_plugin(misbehaviour):
    @campaign.scenario(f"plugin: {misbehaviour}", seconds=1.5, once=True)
    def attack(case):
        path = library(case, misbehaviour)
        samples.write_session(case.work / "session.jsonl", case.random, requests=60)
        simulate = [
            "simulate",
            "session.jsonl",
            "--plugin",
            path,
            "--policy",
            "second-chance,fifo",
            "--capacity",
            "10%",
        ]
        replay = [
            "replay",
            "session.jsonl",
            "--plugin",
            path,
            "--cache",
            "second-chance(10%)",
            "--timing",
            "modelled",
            "--no-charts",
            "--output",
            "out",
        ]
        if misbehaviour == "never returns":
            for command in (simulate, replay):
                process = case.start(*command)
                time.sleep(0.5)
                process.send(signal.SIGINT)
                # The first signal asks for the end. A later one enforces it.
                time.sleep(1.5)
                if process.poll() is None:
                    process.send(signal.SIGINT)
                ended = process.wait(10)
                case.check(not ended.timed_out, f"SIGINT does not end it: {ended.command}")
                case.check(ended.code == 130, f"exit code {ended.code}: {ended.command}")
                case.no_survivors(process)
            return
        if misbehaviour not in CRASHES:
            ended = read(case, *simulate, names=["libplugin.so"])
            case.check(ended.code != 0 or misbehaviour == "holds nothing", f"exit code 0: {ended.command}")
        # A crash in native code ends its process, which is not that of the command.
        ended = read(case, *replay, names=["libplugin.so", "second-chance"])
        case.check(ended.code != 0 or misbehaviour == "holds nothing", f"exit code 0: {ended.command}")


for misbehaviour_name in MISBEHAVIOURS:
    add_plugin(misbehaviour_name)


@campaign.scenario("plugin: damaged library", seconds=0.5)
def damaged_library(case):
    """What is not a library is refused. Damaged machine code may end its process by a signal, as any native code."""
    content = library(case, "holds nothing").read_bytes()
    kind = case.random.choice(["cut", "text", "empty", "folder", "missing", "device"])
    path = case.work / "libdamaged.so"
    if kind == "cut":
        path.write_bytes(content[: case.random.randrange(64)])
    elif kind == "text":
        path.write_bytes(damaged(case.random, samples.CONFIGURATION.encode()))
    elif kind == "empty":
        path.touch()
    elif kind == "folder":
        path.mkdir()
    given = "/dev/null" if kind == "device" else path
    ended = read(case, "list", "policies", "--plugin", given, names=["libdamaged.so", "/dev/null"])
    if ended.code == 0:
        raise Defect(f"a library that is none ({kind}) is accepted: {ended.command}")
