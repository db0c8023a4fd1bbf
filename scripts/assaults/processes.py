"""Processes of the program under test: started with limits, watched, and ended with all their descendants."""

import os
import resource
import shlex
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

DESCRIPTORS = 1024  # the soft limit of open files
LARGEST_FILE = 2 << 30  # bytes that a process may write to one file
LARGEST_SPACE = 16 << 30  # bytes of address space; a process that needs more would harm the machine


@dataclass
class Ended:
    """How a process ended, and what it printed."""

    command: str
    code: int  # the exit code, or the negative number of the signal
    output: bytes
    errors: bytes
    seconds: float
    timed_out: bool = False

    @property
    def said(self):
        """The text of standard error."""
        return self.errors.decode(errors="replace")


class Process:
    """A process in a session of its own, so that its descendants can be found after its end.

    Standard output and standard error go to files in `logs`, unless `streams` replaces them.
    """

    count = 0

    def __init__(
        self, arguments, folder, environment, logs, limits=None, user=None, streams=None, closed=(), prefix=()
    ):
        Process.count += 1
        self.command = shlex.join([*prefix, *map(os.fsdecode, arguments)])
        self.started = time.monotonic()
        self.ended = None
        self.output, self.errors = logs / f"{Process.count}.out", logs / f"{Process.count}.err"
        standard = {
            resource.RLIMIT_FSIZE: LARGEST_FILE,
            resource.RLIMIT_AS: LARGEST_SPACE,
            resource.RLIMIT_CORE: 0,
            resource.RLIMIT_NOFILE: DESCRIPTORS,
        }
        limits = standard | (limits or {})

        def prepare():
            for name, value in limits.items():
                resource.setrlimit(name, (value, value))
            for descriptor in closed:
                os.close(descriptor)

        identity = {} if user is None else {"user": user, "group": user, "extra_groups": []}
        with open(self.output, "wb") as output, open(self.errors, "wb") as errors:
            given = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": errors} | (streams or {})
            self.popen = subprocess.Popen(
                [*prefix, *arguments],
                cwd=folder,
                env=environment,
                start_new_session=True,
                preexec_fn=prepare,
                **given,
                **identity,
            )
        self.id = self.popen.pid
        REGISTER.add(self)

    def poll(self):
        """Returns how the process ended, or None if it still runs."""
        if self.ended is None:
            reaped, status = os.waitpid(self.id, os.WNOHANG)
            if reaped:
                self.popen.returncode = os.waitstatus_to_exitcode(status)
                seconds = time.monotonic() - self.started
                self.ended = Ended(self.command, self.popen.returncode, head(self.output), head(self.errors), seconds)
        return self.ended

    def wait(self, seconds):
        """Waits for the end of the process. After `seconds` it is killed, and counts as timed out."""
        limit = time.monotonic() + seconds
        pause = 0.001
        while self.poll() is None:
            if time.monotonic() > limit:
                self.send(signal.SIGKILL)
                while self.poll() is None:
                    time.sleep(0.01)
                self.ended.timed_out = True
                break
            time.sleep(pause)
            pause = min(pause * 1.5, 0.05)
        return self.ended

    def send(self, number):
        """Sends a signal to the process, unless it has ended."""
        if self.poll() is None:
            os.kill(self.id, number)

    def catches(self, number):
        """Whether the process has a handler for a signal, which it sets when its program begins."""
        try:
            status = Path(f"/proc/{self.id}/status").read_text()
        except OSError:
            return False
        mask = next((line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:")), "0")
        return bool(int(mask, 16) >> (number - 1) & 1)

    def relatives(self):
        """The ids of the processes of the session, without the first one."""
        return [id for id in session_members(self.id) if id != self.id]

    def resident(self):
        """The bytes of resident memory, or 0 after the end."""
        return resident(self.id)

    def end(self):
        """Kills the process and everything that it started."""
        for id in session_members(self.id):
            try:
                os.kill(id, signal.SIGCONT)
                os.kill(id, signal.SIGKILL)
            except ProcessLookupError:
                pass
        while self.poll() is None:
            time.sleep(0.005)
        REGISTER.discard(self)


REGISTER = set()  # the processes that may still run


def end_all():
    """Ends every process that was started here."""
    for process in list(REGISTER):
        process.end()


def session_members(session):
    """The ids of the live processes of a session."""
    members = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            fields = status_fields(entry)
            if fields and int(fields[3]) == session and fields[0] != "Z":
                members.append(int(entry))
    return members


def status_fields(id):
    """The fields of /proc/ID/stat from the state on: state, parent, group, session …; None after the end."""
    try:
        text = Path(f"/proc/{id}/stat").read_text(errors="replace")
    except OSError:
        return None
    return text.rpartition(")")[2].split()


def arguments_of(id):
    """The command line of a process; empty after its end."""
    try:
        return Path(f"/proc/{id}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return []


def resident(id):
    """The bytes of resident memory of a process, or 0 after its end."""
    try:
        return int(Path(f"/proc/{id}/statm").read_text().split()[1]) * resource.getpagesize()
    except (OSError, IndexError):
        return 0


def head(path, limit=4 << 20):
    """The first bytes of a file."""
    try:
        with open(path, "rb") as file:
            return file.read(limit)
    except OSError:
        return b""
