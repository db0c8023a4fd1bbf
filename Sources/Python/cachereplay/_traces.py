"""Hands traces to the command: files by their paths, and requests in memory without a file on disk."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from ._command import Output, need, run
from ._errors import BadDataError, CacheReplayWarning, NoInputError, UsageError

if TYPE_CHECKING:
    from . import _encode

#: A trace: the path of a file in any format of the command or in Parquet, a pandas or Polars frame, an Arrow table, a
#: NumPy array, or a mapping of names to columns.
Trace = Union[str, "os.PathLike[str]", Any]
#: One trace, several, or several with their names.
Traces = Union[Trace, Sequence[Trace], Mapping[str, Trace]]


class Session:
    """The traces of one call of the command, and a private folder for its files. Use it as `with session(…)`."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        #: The arguments that name the traces.
        self.arguments: list[str] = []
        self._descriptors: list[int] = []
        self._names: dict[str, str] = {}
        self._paths = 0
        self._in_memory: list[str] = []
        #: The names of the traces; of a file, without its folder and endings.
        self.names: list[str] = []
        #: Where the command must find a wrong value.
        self.refused: list[str] = []

    def run(self, command: Sequence[str], options: Sequence[str]) -> Output:
        """Runs the command on the traces.

        Raises:
            CacheReplayError: With the sentence of the command.
        """
        # With --, a name may begin with a hyphen.
        arguments = [*command, *options, "--", *self.arguments]
        output = run(arguments, descriptors=self._descriptors, names=self._names, in_memory=self._in_memory)
        if self.refused:
            raise BadDataError(f"{self.refused[0]}: a value is wrong, which the command does not say", 65)
        return output

    def output(self, name: str = "results") -> str:
        """Returns a path in the private folder."""
        return os.path.join(self.folder, name)

    def rename(self, path: str, name: str) -> None:
        """Lets a name stand for a path in texts of the command."""
        self._names[path] = name

    def options_of_files(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the options about columns for files of the user's; those of tables are applied already.

        Raises:
            UsageError: If they were for both.
        """
        given = {name: value for name, value in columns.items() if value is not None}
        if not given or not self._paths:
            return {}
        if self._in_memory:
            raise UsageError(f"{', '.join(given)}: name the columns of files and of tables in calls of their own.", 64)
        return given

    def add_path(self, path: str, name: str | None) -> None:
        """Adds a file of the user's, to which a name can be given."""
        if path == "-":
            raise UsageError("A trace from Python is a path or requests in memory, not standard input ('-').", 64)
        self._paths += 1
        file = os.path.basename(path)
        if name is not None and os.path.isfile(path):
            # The command takes the name of a trace from that of its file, and the format from the ending.
            link = os.path.join(self.folder, name + file[len(file.split(".")[0]) :])
            os.symlink(os.path.abspath(path), link)
            self._names[link] = path
            path = link
        self.names.append(name or file.split(".")[0])
        self.arguments.append(path)

    def add_requests(self, name: str, write: Callable[[int], str]) -> None:
        """Adds requests in memory.

        Args:
            name: The name of the trace.
            write: Writes them into a file of a descriptor, and returns the ending of the format.
        """
        if sys.platform == "linux":
            descriptor = os.memfd_create("cachereplay")
            self._descriptors.append(descriptor)
            # The ending names the format, and the rest of the name the trace.
            path = os.path.join(self.folder, f"{name}.{write(descriptor)}")
            os.symlink(f"/proc/self/fd/{descriptor}", path)
        else:  # A file in the private folder.
            part = os.path.join(self.folder, f"{name}.part")
            descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                path = os.path.join(self.folder, f"{name}.{write(descriptor)}")
            finally:
                os.close(descriptor)
            os.rename(part, path)
        self._names[path] = name
        self.names.append(name)
        self._in_memory.append(name)
        self.arguments.append(path)

    def close(self) -> None:
        for descriptor in self._descriptors:
            os.close(descriptor)
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def session(traces: Traces, *, keeps_keys: bool, columns: Mapping[str, Any] | None = None) -> Iterator[Session]:
    """Prepares traces for the command, and removes what it made at the end.

    Args:
        traces: The traces.
        keeps_keys: Whether results have keys. Otherwise numbers stand for texts, which is faster.
        columns: The options key_column, time_column, size_column and time_unit.
    """
    made = Session(_scratch_folder())
    try:
        for name, trace in _named(traces):
            _add(made, name, trace, keeps_keys, {k: v for k, v in (columns or {}).items() if v is not None})
        if not made.arguments:
            raise UsageError("There is no trace; name a file, or give a DataFrame.", 64)
        yield made
    finally:
        made.close()


#: Names of scratch folders, with the process and a number, as those of the command.
_SCRATCH = re.compile(r"cachereplay-python-([0-9]+)-[0-9]+")
_cleaned: set[str] = set()


def _scratch_folder() -> str:
    """Creates a private folder. The first one in a process removes those of processes that were killed."""
    parent = tempfile.gettempdir()
    if parent not in _cleaned:
        _cleaned.add(parent)
        _remove_abandoned(parent)
    for number in itertools.count():
        path = os.path.join(parent, f"cachereplay-python-{os.getpid()}-{number}")
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, 0o700)
            return path
    raise AssertionError


def _remove_abandoned(parent: str) -> None:
    with contextlib.suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            match = _SCRATCH.fullmatch(entry.name)
            if match and entry.is_dir(follow_symlinks=False) and _is_gone(int(match[1])):
                shutil.rmtree(entry.path, ignore_errors=True)


def _is_gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def _named(traces: Traces) -> Iterator[tuple[str | None, Trace]]:
    if _is_path(traces):
        yield None, traces
        return
    from . import _columns

    from . import parquet

    if _columns.is_table(traces):
        yield "requests", traces
    elif isinstance(traces, parquet.Requests):
        yield Path(traces.path).stem, traces
    elif isinstance(traces, Mapping):
        yield from ((_checked(name), trace) for name, trace in traces.items())
    elif isinstance(traces, Sequence):
        number = 0
        for trace in traces:
            number += 0 if _is_path(trace) else 1
            yield (None if _is_path(trace) else "requests" if number == 1 else f"requests-{number}"), trace
    else:
        raise _unknown(traces)


def _unknown(trace: object) -> BadDataError:
    return BadDataError(
        f"A trace is a {type(trace).__name__}; expected a path, a pandas or Polars DataFrame, an Arrow table, a NumPy "
        "array, or a dictionary of columns.",
        65,
    )


def _checked(name: Any) -> str:
    if not isinstance(name, str) or not name or "/" in name or "\0" in name or name.startswith("."):
        raise UsageError(f"The name of a trace is {name!r}; expected a text without '/' and a dot in front.", 64)
    return name


def _is_path(trace: object) -> bool:
    return isinstance(trace, str) or hasattr(trace, "__fspath__")


def _add(made: Session, name: str | None, trace: Trace, keeps_keys: bool, columns: dict[str, Any]) -> None:
    if _is_path(trace):
        path = os.fspath(trace)
        if path.lower().endswith((".parquet", ".pq")):
            need("pyarrow", f"{path}")
            from . import parquet

            if not os.path.exists(path):
                raise NoInputError(f"{path}: no such file", 66)
            trace = parquet.read(path, **columns)
            name = name or Path(path).stem
        else:
            made.add_path(path, name)
            return
    from . import parquet

    name = name or "requests"
    told: list[str] = []

    def write(descriptor: int) -> str:
        if isinstance(trace, parquet.Requests):
            if trace.write_records(descriptor):
                return "oracleGeneral"
            os.ftruncate(descriptor, 0)
        encoded = _encoded(trace, name, keeps_keys, columns)
        told.extend(encoded.warnings)
        if encoded.refused is not None:
            made.refused.append(f"{name}:{encoded.refused + 2}")
        with os.fdopen(os.dup(descriptor), "wb", buffering=0) as file:
            encoded.write(file)
        return encoded.ending

    made.add_requests(name, write)
    for warning in told:
        warnings.warn(f"{name}: warning: {warning}", CacheReplayWarning, stacklevel=5)


def _encoded(trace: Trace, name: str, keeps_keys: bool, columns: dict[str, Any]) -> _encode.Encoded:
    """Returns requests in memory, or of a Parquet file, as bytes of a format that the command reads."""
    from . import _columns, _encode, parquet

    if isinstance(trace, parquet.Requests):
        return trace.encoded(name, keeps_keys=keeps_keys)
    if not _columns.is_table(trace):
        raise _unknown(trace)
    choice = _columns.Choice(
        columns.get("key_column"), columns.get("time_column"), columns.get("size_column"), columns.get("time_unit")
    )
    if getattr(trace, "dtype", None) == _encode.ORACLE_GENERAL:
        # The names of the fields of libCacheSim's records.
        choice = _columns.Choice(unit="s")
    return _encode.encode(_columns.read(trace, name, choice), name, keeps_keys=keeps_keys)
