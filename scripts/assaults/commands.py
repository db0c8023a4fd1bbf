"""Every command and every option: used as documented, and with hostile values.

`commands.json` has, for each command, the arguments of a good use (`base`), and for each option the arguments that use
it, which follow those. Options in `replaced` have all arguments of a use. A use of an option in `refused` may end with
any documented exit code: it needs what the case does not have. `HelpTests` compares the list with the help.
"""

import json
import shutil
from pathlib import Path

from . import samples
from .harness import PROJECT, Campaign

campaign = Campaign("commands")

COMMANDS = json.loads((Path(__file__).parent / "commands.json").read_text())
# Options that say how a trace is read. Their first argument is another trace.
INPUT = [
    *("format", "page", "content", "match", "max-bad-lines"),
    *("time-column", "key-column", "size-column", "delimiter", "time-unit"),
]
# A list that a finger moves by 300 points.
SCROLLED = """{"cachereplay_trace": 1}
{"e": "object", "o": 0, "key": "https://images.test/1.jpg", "bytes": 1000}
{"t": 0, "e": "appear", "o": 0}
{"t": 1000000, "e": "scroll", "phase": "dragged", "offset": 0, "velocity": 0}
{"t": 1200000, "e": "scroll", "phase": "at_rest", "offset": 300, "velocity": 0}
{"t": 2000000, "e": "disappear", "o": 0}
"""
SECONDS = {"calibrate": 60, "probe nscache": 15, "gate": 15}  # of commands that need more time than others
HOSTILE = [
    *(b"", b" ", b"-", b"-1", b"0", b"1e400", b"nan", b"inf", b"9" * 400, b"x" * 100_000, b"18446744073709551616"),
    *(b"%s%n", b"\xff\xfe", b"\x1b[31m", "‮gnp.exe".encode(), b"a\nb", b"../../../etc/passwd", b"/dev/null", b"/"),
    *(b"/dev/full", b"1..99999999999", b"(" * 5_000, b"lru(" * 100, b"*" * 200, b"'\"`$(id)", b"|id", b"<id", b"=1+1"),
]


def inputs(folder, random):
    """Makes the files that the uses of options name."""
    samples.write_session(folder / "session.jsonl", random, requests=80, objects=20)
    (folder / "scrolled.jsonl").write_text(SCROLLED)
    (folder / "requests.oracleGeneral").write_bytes(samples.requests(2_000, random))
    line = '10.0.0.1 - - [01/Jan/2026:00:00:{:02} +0000] "GET /{}.png HTTP/1.1" 200 {} "-" "-"\n'
    (folder / "access.log").write_text("".join(line.format(n, n % 7, 900 + n) for n in range(40)))
    (folder / "columns.csv").write_text("".join(f"{n},k{n % 5},{100 + n}\n" for n in range(40)))
    (folder / "page.har").write_bytes(samples.HAR)
    (folder / "caches.yaml").write_text("caches:\n  a: {memory: lru(20%)}\n")
    (folder / "budgets.yaml").write_text("budgets: ['failed<1000000']\n")
    (folder / "costs.yaml").write_text(samples.COSTS)
    (folder / "people.yaml").write_text("pause: 5\n")
    samples.pictures(folder / "pictures", 3)


def prepared(case):
    """Copies the files into the folder of the case, and makes results there."""

    def make(folder, random):
        inputs(folder, random)
        replay = ["replay", "session.jsonl", "--cache", "lru(20%)", "--timing", "modelled", "--no-charts", "-q"]
        case.succeed(*replay, "-o", "finished", folder=folder)
        (folder / "two").mkdir()
        for name in ("a", "b"):
            shutil.copy(folder / "session.jsonl", folder / "two" / f"{name}.jsonl")
        for shard in (1, 2):
            part = ["replay", "two", *replay[2:], "--shard", f"{shard}/2", "-o", f"part{shard}"]
            case.succeed(*part, folder=folder)
        case.succeed("history", "add", "finished", "--commit", "c1", folder=folder)

    folder, _ = case.shared("commands-inputs", make)
    shutil.copytree(folder, case.work, dirs_exist_ok=True)


def use(name, option):
    """The arguments of the documented use of an option."""
    command = COMMANDS[name]
    given = command["options"][option]
    if option in command["replaced"]:
        return given
    base = command["base"]
    if option in INPUT and not given[0].startswith("-"):
        return [given[0], *base[1:], *given[1:]]
    return [*base, *given]


def add(name):
    command = COMMANDS[name]

    @campaign.scenario(f"{name}: each option", seconds=SECONDS.get(name, 2 + len(command["options"]) * 0.3), once=True)
    def documented(case):
        prepared(case)
        case.run(*name.split(), *command["base"], expect={0, 1})
        for option in command["options"]:
            may_refuse = option in command["refused"] or option in INPUT
            case.run(*name.split(), *use(name, option), expect=None if may_refuse else {0, 1})

    values = [option for option, given in command["options"].items() if f"--{option}" in given[:-1] + [""]]
    if not values:
        return

    @campaign.scenario(f"{name}: hostile values", seconds=4)
    def hostile(case):
        """Each is used as the name or the text that it is, or refused; nothing hangs, crashes or fills the memory."""
        prepared(case)
        for _ in range(5):
            option = case.random.choice(values)
            arguments = use(name, option)
            place = len(arguments) - 1 - arguments[::-1].index(f"--{option}")
            if place + 1 >= len(arguments):
                continue
            value = case.random.choice(HOSTILE)
            changed = [*arguments[:place], f"--{option}=".encode() + value, *arguments[place + 2 :]]
            ended = case.run(*name.split(), *changed)
            case.check(ended.peak < 1 << 30, f"uses {ended.peak >> 20} MiB: {ended.command[:300]}")


for command_name in COMMANDS:
    add(command_name)


@campaign.scenario("list of commands and options", seconds=1, once=True)
def complete(case):
    """The list has every command and option of the help."""
    ended = case.succeed("--experimental-dump-help")
    known = dict(described(json.loads(ended.output)["command"]))
    listed = {name: set(command["options"]) for name, command in COMMANDS.items()}
    page = (PROJECT / "scripts/assaults/commands.json").name
    case.check(known == listed, f"{page} differs from the help in: {sorted(differences(known, listed))[:10]}")


def described(command, path=()):
    """The commands without subcommands, with the names of their options."""
    path = (*path, command["commandName"])
    below = [sub for sub in command.get("subcommands", []) if sub["commandName"] != "help"]
    if not below and command.get("shouldDisplay", True):
        named = [argument for argument in command.get("arguments", []) if argument["kind"] != "positional"]
        first = [next(n["name"] for n in a["names"] if n["kind"].startswith("long")) for a in named]
        yield " ".join(path[1:]), set(first) - {"help", "version"}
    for sub in below:
        yield from described(sub, path)


def differences(known, listed):
    """The options that only one of two lists has."""
    for name in known.keys() | listed.keys():
        for option in known.get(name, {"the command"}) ^ listed.get(name, {"the command"}):
            yield f"{name} {option}"
