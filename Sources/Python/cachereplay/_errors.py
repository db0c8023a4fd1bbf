"""The exceptions of the package. Their texts are the sentences of the command."""

from __future__ import annotations

#: The end of the warning of the command about times that fall, and the remedy.
UNSORTED = "requests are before that of a preceding request; they are raised to it"
SORT = "Sort the rows by their times first."


class CacheReplayError(Exception):
    """The command refused its input or failed.

    Attributes:
        status: The exit code of the command; negative for a signal that ended it, and 0 if it did not run.
    """

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class UsageError(CacheReplayError, ValueError):
    """An argument is wrong or missing (exit code 64)."""


class BadDataError(CacheReplayError, ValueError):
    """A trace, a policy or another input cannot be read, or its values are wrong (exit code 65)."""


class NoInputError(CacheReplayError, FileNotFoundError):
    """A file does not exist (exit code 66)."""

    def __str__(self) -> str:
        return str(self.args[0])


class MissingToolError(CacheReplayError, ImportError):
    """A package or a program is missing (exit code 69). The text names the remedy."""


class OutputError(CacheReplayError, OSError):
    """An output cannot be created or written (exit codes 73 and 74)."""

    def __str__(self) -> str:
        return str(self.args[0])


class CacheEndedError(CacheReplayError):
    """A cache of one's own ended or did not answer (exit code 70)."""


class EndedError(CacheReplayError):
    """A signal ended the command."""


class CacheReplayWarning(UserWarning):
    """A warning of the command about its input."""


_BY_STATUS: dict[int, type[CacheReplayError]] = {
    64: UsageError,
    65: BadDataError,
    66: NoInputError,
    69: MissingToolError,
    70: CacheEndedError,
    73: OutputError,
    74: OutputError,
}


def error(status: int, message: str) -> CacheReplayError:
    """Returns the exception for an exit code."""
    if status < 0 or status in (129, 130, 143):
        return EndedError(message, status)
    return _BY_STATUS.get(status, CacheReplayError)(message, status)
