"""Finds the program and runs it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ._errors import SORT, UNSORTED, BadDataError, CacheReplayWarning, MissingToolError, error


def program() -> str:
    """Returns the path of the program: that of the environment variable CACHEREPLAY, of this package, or on PATH."""
    named = os.environ.get("CACHEREPLAY")
    if named:
        return named
    packaged = Path(__file__).parent / "bin" / "cachereplay"
    if os.access(packaged, os.X_OK):
        return str(packaged)
    found = shutil.which("cachereplay")
    if found:
        return found
    raise MissingToolError(
        "There is no program cachereplay. Install the wheel that scripts/python builds, put cachereplay on PATH, or "
        "set CACHEREPLAY to its path.",
        69,
    )


class Output:
    """What the program printed."""

    def __init__(self, text: str, notes: list[str]) -> None:
        self.text = text
        #: The lines of standard error.
        self.notes = notes


def run(
    arguments: Sequence[str],
    *,
    descriptors: Iterable[int] = (),
    names: Mapping[str, str] | None = None,
    in_memory: Iterable[str] = (),
) -> Output:
    """Runs the program to its end.

    Args:
        arguments: The subcommand and its arguments.
        descriptors: File descriptors that the program inherits.
        names: Paths that the user does not know, with the names that stand for them in texts.
        in_memory: The names of requests in memory, whose times must not fall.

    Raises:
        CacheReplayError: With the sentence that the program printed.
    """
    path = program()
    try:
        child = subprocess.Popen(
            [path, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=tuple(descriptors),
        )
    except OSError as failure:
        raise MissingToolError(f"{path}: cannot be started: {failure.strerror}.", 69) from None
    try:
        printed, said = child.communicate()
    except BaseException:
        child.terminate()
        child.wait()
        raise
    text = _renamed(printed.decode("utf-8", "replace"), names)
    notes = _renamed(said.decode("utf-8", "replace"), names).splitlines()
    if child.returncode != 0:
        raise error(child.returncode, _reason(child.returncode, notes, arguments))
    _warn(notes, set(in_memory))
    return Output(text, notes)


def _renamed(text: str, names: Mapping[str, str] | None) -> str:
    for path, name in (names or {}).items():
        text = text.replace(path, name)
    return text


def _reason(status: int, notes: list[str], arguments: Sequence[str]) -> str:
    """Returns what the program said about its failure, without its name."""
    prefixes = ("cachereplay: ", "Error: ")
    for number, line in enumerate(notes):
        prefix = next((prefix for prefix in prefixes if line.startswith(prefix)), None)
        if prefix:
            rest = [other for other in notes[number + 1 :] if not other.startswith(("Usage:", "  See '"))]
            return "\n".join([line[len(prefix) :], *rest]).rstrip()
    if status < 0:
        return f"its process ended with {_signal(-status)}: cachereplay {arguments[0]}"
    return "\n".join(notes).strip() or f"its process ended with exit code {status}: cachereplay {arguments[0]}"


def _signal(number: int) -> str:
    return f"signal {number} ({signal.strsignal(number) or 'unknown'})"


#: What the command says about the format in which requests in memory are handed over; the package warns itself.
_OF_FORMATS = "the format has no times"


def _warn(notes: list[str], in_memory: set[str]) -> None:
    for line in notes:
        name, mark, said = line.partition(": warning: ")
        if not mark or said.startswith(_OF_FORMATS):
            continue
        # Most falling times are found before the program runs, but not those that are texts of dates.
        if name in in_memory and said.endswith(UNSORTED):
            raise BadDataError(f"{name}: {said}. {SORT}", 65)
        warnings.warn(line, CacheReplayWarning, stacklevel=_depth())


def _depth() -> int:
    """Returns how many calls are between a warning and the caller of this package."""
    import sys

    depth, frame = 1, sys._getframe(1)
    folder = os.path.dirname(__file__)
    while frame is not None and frame.f_code.co_filename.startswith(folder):
        depth, frame = depth + 1, frame.f_back  # type: ignore[assignment]
    return depth - 1


def need(module: str, purpose: str) -> Any:
    """Imports an optional package.

    Raises:
        MissingToolError: With the command that installs it.
    """
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.split(".")[0]
        message = f"{purpose} needs the package {package}. Install it: pip install {package}"
        raise MissingToolError(message, 69) from None
