"""Campaigns, their scenarios and cases, the checks that all of them share, and the table of outcomes."""

import os
import random
import re
import shutil
import signal
import time
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

from . import processes

PROJECT = Path(__file__).resolve().parent.parent.parent
PATIENCE = 60  # seconds after which a command counts as hung
CRASH = re.compile(
    rb"Fatal error|Crash:|Traceback|Precondition failed|Assertion failed|Illegal instruction|Unexpectedly found nil"
)


class Defect(Exception):
    """The program did what it must not do."""


class Skipped(Exception):
    """The case cannot run on this machine."""


@dataclass
class Scenario:
    """A kind of case. Its function receives a `Case`, and raises `Defect` or `Skipped`."""

    name: str
    attack: object
    seconds: float  # an estimate of the time of a case
    once: bool  # whether all cases are equal, so that one is enough
    count: int = 0
    skipped: str = ""
    defects: list = field(default_factory=list)

    @property
    def outcome(self):
        if self.defects:
            numbers = [str(number) for number, _ in self.defects]
            return f"DEFECT: case {', '.join(numbers[:5])}" + (f" and {len(numbers) - 5} more" if numbers[5:] else "")
        if self.count:
            return "ok"
        return f"skipped: {self.skipped or 'no time left'}"


class Campaign:
    """A list of scenarios. Case N is of scenario N modulo their number, and draws from seed, campaign and N only."""

    def __init__(self, name):
        self.name = name
        self.scenarios = []

    def scenario(self, name, seconds=2.0, once=False):
        """Adds the decorated function as a scenario."""

        def add(attack):
            self.scenarios.append(Scenario(name, attack, seconds, once))
            return attack

        return add

    def run(self, assault, seconds):
        """Runs cases in order until the time is over. Long cases that do not fit are left out."""
        end = time.monotonic() + seconds
        number = 0
        idle = 0
        while idle < len(self.scenarios):
            scenario = self.scenarios[number % len(self.scenarios)]
            is_done = number >= len(self.scenarios) and (scenario.once or scenario.skipped)
            if is_done or time.monotonic() + scenario.seconds > end:
                idle += 1
            else:
                idle = 0
                self.attempt(assault, number)
            number += 1

    def attempt(self, assault, number):
        """Runs one case, and records its outcome in its scenario, which is returned."""
        scenario = self.scenarios[number % len(self.scenarios)]
        case = Case(assault, self.name, number)
        keep = False
        try:
            scenario.attack(case)
            case.finish()
            scenario.count += 1
        except Skipped as reason:
            scenario.skipped = str(reason)
        except Exception as error:
            scenario.count += 1
            scenario.defects.append((number, str(error)))
            keep = assault.keep
            case.report(scenario, error)
        finally:
            case.end(keep)
        return scenario


class Assault:
    """What all cases share: the binary, the scratch folder, the seed, and results that are made once."""

    def __init__(self, binary, scratch, seed, seconds, keep, can_mount):
        self.binary, self.scratch, self.seed, self.seconds = binary, scratch, seed, seconds
        self.keep, self.can_mount = keep, can_mount
        self.is_root = os.geteuid() == 0
        self.made = {}
        self.codes = documented_codes()


class Case:
    """One attack, in a folder of its own. Every random choice comes from `random`."""

    def __init__(self, assault, campaign, number):
        self.assault, self.campaign, self.number = assault, campaign, number
        self.random = random.Random(f"{assault.seed}/{campaign}/{number}")
        self.folder = assault.scratch / f"{campaign}-{number}"
        self.work, self.tmp, self.logs = self.folder / "work", self.folder / "tmp", self.folder / "logs"
        for folder in (self.work, self.tmp, self.logs, self.folder / "home"):
            folder.mkdir(parents=True)
        self.processes = []
        self.sockets = []

    def shared(self, name, make):
        """Returns a folder that several cases read, and the seconds that `make` took to fill it at the first call.

        `make` receives the folder, and a random number generator that does not depend on the case.
        """
        made = self.assault.made
        if name not in made:
            folder = self.assault.scratch / "shared" / name
            folder.mkdir(parents=True)
            started = time.monotonic()
            try:
                make(folder, random.Random(f"{self.assault.seed}/shared/{name}"))
            except BaseException:
                remove(folder)
                raise
            made[name] = folder, time.monotonic() - started
        return made[name]

    # Commands

    def start(self, *arguments, environment=None, **options):
        """Starts the program in the case's folder."""
        variables = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": str(self.folder / "home"),
            "LC_ALL": "C.UTF-8",
            "TMPDIR": str(self.tmp),
            "XDG_CACHE_HOME": str(self.folder / "home"),
            "SWIFT_BACKTRACE": "enable=no",
        } | (environment or {})
        process = processes.Process(
            [str(self.assault.binary), *map(as_argument, arguments)],
            options.pop("folder", self.work),
            variables,
            self.logs,
            **options,
        )
        self.processes.append(process)
        return process

    def run(self, *arguments, expect=None, seconds=PATIENCE, **options):
        """Runs the program to its end. `expect` is a set of exit codes; None allows every documented one."""
        ended = self.start(*arguments, **options).wait(seconds)
        self.judge(ended, expect)
        return ended

    def succeed(self, *arguments, **options):
        """Runs the program, which must exit with 0."""
        return self.run(*arguments, expect={0}, **options)

    # Checks

    def check(self, condition, message):
        """Raises a defect unless the condition holds."""
        if not condition:
            raise Defect(message)

    def judge(self, ended, expect=None):
        """Checks that a command ended in a documented way, and said why."""
        said = ended.said.strip()
        shown = said[:600] or "(nothing on standard error)"
        self.check(not ended.timed_out, f"hung for {ended.seconds:.0f} s: {ended.command}\n{shown}")
        code = ended.code
        if code < 0:
            raise Defect(f"ended by {signal.Signals(-code).name}: {ended.command}\n{shown}")
        self.check(not CRASH.search(ended.errors), f"crash: {ended.command}\n{shown}")
        self.check("Error Domain=" not in said, f"an error of a library as a message: {ended.command}\n{shown}")
        allowed = self.assault.codes if expect is None else expect
        self.check(code in allowed, f"exit code {code} instead of {sorted(allowed)}: {ended.command}\n{shown}")
        self.check(code in (0, 1) or code > 128 or said, f"exit code {code} without a message: {ended.command}")
        # The shell that starts a program names it as it is.
        errors = re.sub(rb"(?m)^/bin/sh: .*$", b"", ended.errors)
        for stream, text in (("output", ended.output), ("errors", errors)):
            found = control_characters(text)
            self.check(not found, f"control characters {found} in the {stream} of: {ended.command}")

    def no_survivors(self, process, seconds=10):
        """Checks that no descendant of an ended process lives on."""
        limit = time.monotonic() + seconds
        while rest := process.relatives():
            if time.monotonic() > limit:
                shown = [b" ".join(processes.arguments_of(id)).decode(errors="replace")[:160] for id in rest]
                raise Defect(f"orphans {seconds} s after the end of {process.command}: {shown}")
            time.sleep(0.02)

    def no_leftovers(self, *folders):
        """Checks that no temporary file is left in the scratch folder and in the given folders."""
        found = [str(path) for path in self.tmp.iterdir() if path.name.startswith("cachereplay")]
        for folder in folders:
            found += [str(path) for path in Path(folder).rglob(".*") if is_temporary(path.name)]
        self.check(not found, f"leftovers: {found[:8]}")

    def finish(self):
        """Checks after every case that nothing runs any more that should have ended."""
        for process in self.processes:
            if process.poll() is not None:
                self.no_survivors(process)

    # The end

    def report(self, scenario, error):
        """Prints a defect, and the commands that repeat it."""
        kind = "" if isinstance(error, Defect) else f"{type(error).__name__}: "
        lines = [
            f"DEFECT {self.campaign}, {scenario.name}, case {self.number}: {kind}{printable(str(error))}",
            f"  again: {self.assault.again} {self.campaign} --seed {self.assault.seed} --case {self.number} --keep",
        ]
        if self.assault.keep:
            lines.append(f"  folder: {self.folder}")
        lines += [f"  command: {printable(process.command)[:2000]}" for process in self.processes[-3:]]
        print("\n".join(lines) + "\n", end="", flush=True)

    def end(self, keep):
        """Ends every process of the case, and removes its folder."""
        for socket in self.sockets:
            socket.close()
        for process in self.processes:
            process.end()
        self.processes.clear()
        if not keep:
            remove(self.folder)


def is_temporary(name):
    """Whether a name in a results folder belongs to a running process."""
    return name.startswith((".unfinished-", ".run-", ".cell-"))


def as_argument(value):
    """An argument as bytes or text."""
    return value if isinstance(value, bytes) else str(value)


def remove(folder):
    """Removes a folder, also one without permissions."""

    def retry(function, path, _):
        try:
            os.chmod(os.path.dirname(path), 0o700)
            os.chmod(path, 0o700)
            function(path)
        except OSError:
            pass

    shutil.rmtree(folder, onerror=retry)


def documented_codes():
    """The exit codes of the documentation page of the command."""
    page = PROJECT / "Sources/CacheReplayCommand/CacheReplayCommand.docc/CacheReplayCommand.md"
    rows = re.findall(r"^\| ([0-9, ]+) \|", page.read_text(), re.MULTILINE)
    return {int(code) for row in rows for code in row.split(",")}


def control_characters(text):
    """The control and formatting characters of a text for people that can change what a terminal shows."""
    decoded = text.decode(errors="replace")
    found = {
        f"U+{ord(character):04X}"
        for character in set(decoded)
        if unicodedata.category(character) == "Cc"
        and character not in "\n\t\r"
        or 0x202A <= ord(character) <= 0x202E
        or 0x2066 <= ord(character) <= 0x2069
    }
    # A carriage return is allowed at the end of a line only, as in CSV.
    if re.search(r"\r(?!\n)", decoded):
        found.add("U+000D")
    return sorted(found)


def printable(text):
    """A text without characters that a terminal interprets."""
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape", "replace").decode() for c in text)


def table(campaigns):
    """The table of outcomes: campaign, case, count, outcome."""
    rows = [("campaign", "case", "count", "outcome")]
    rows += [(c.name, s.name, f"{s.count:,}", s.outcome) for c in campaigns for s in c.scenarios]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    line = "{:<%d}  {:<%d}  {:>%d}  {}" % tuple(widths)
    lines = [line.format(*row) for row in rows]
    lines.insert(1, line.format(*("-" * width for width in widths), "-------"))
    return "\n".join(lines)
