"""Statistics of traces, and traces as compiled files."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from ._errors import OutputError, UsageError
from ._options import columns_of, options
from ._replay import flat
from ._results import Result
from ._traces import Trace, Traces, session


def info(
    trace: Traces,
    *,
    key_column: str | None = None,
    time_column: str | None = None,
    size_column: str | None = None,
    time_unit: str | None = None,
    more: Sequence[str] = (),
) -> Result:
    """Returns the counts and the statistics of traces, as `cachereplay trace info` does.

    The table `traces` has a row for each trace, whose name is its number if it comes from a folder or an archive.
    Names of nested figures are joined by a dot, such as `popularity.zipf_exponent`. The table `working_set` has the
    windows over time.

    Raises:
        CacheReplayError: With the sentence of the command.
    """
    columns = {
        "key_column": key_column, "time_column": time_column, "size_column": size_column, "time_unit": time_unit,
    }  # fmt: skip
    with session(trace, keeps_keys=False, columns=columns) as made:
        output = made.run(["trace", "info"], [*options(made.options_of_files(columns)), "--json", *more])
        names = made.names
    found = json.loads(output.text)
    all_of = found if isinstance(found, list) else [found]
    if len(names) != len(all_of):
        # The command does not name the traces of folders, archives, patterns and lists.
        names = [str(number + 1) for number in range(len(all_of))]
    rows, windows = [], []
    for name, one in zip(names, all_of, strict=True):
        rows.append({"trace": name} | flat(one))
        windows += [{"trace": name} | window for window in (one.get("working_set") or {}).get("windows", [])]
    return Result(found, {"traces": rows, "working_set": windows}, notes=output.notes)


def write(
    trace: Trace,
    path: str | os.PathLike[str],
    *,
    key_column: str | None = None,
    time_column: str | None = None,
    size_column: str | None = None,
    time_unit: str | None = None,
    more: Sequence[str] = (),
) -> Path:
    """Writes a trace as a compiled file, as `cachereplay trace compile` does.

    A compiled file loads at once whatever its size, and is a trace for every function of this package and every
    command. It has the keys of the trace. The file appears when it is complete, and replaces one of that name.

    Args:
        trace: One trace: requests in memory, or the path of a file in any format.
        path: The file to write; its name ends in .crtrace.

    Returns:
        The path of the file.

    Raises:
        UsageError: If the name has another ending, or if there are several traces.
        BadDataError: If the trace cannot be read, or if times of requests in memory fall.
        OutputError: If the file cannot be written.
    """
    target = Path(path)
    if target.suffix.lower() != ".crtrace":
        raise UsageError(f"The name of a compiled trace is {str(target)!r}; expected one that ends in .crtrace.", 64)
    columns = columns_of(key_column, time_column, size_column, time_unit)
    # The command finds falling times of texts when it has written the file, which must not replace another one then.
    # A later command removes a file of this name if its process is gone.
    unfinished = target.with_name(f".unfinished-{os.getpid()}-{target.name}")
    with session(trace, keeps_keys=True, columns=columns) as made:
        if len(made.arguments) != 1:
            raise UsageError(f"There are {len(made.arguments)} traces; write each to a file of its own.", 64)
        made.rename(str(unfinished), str(target))
        given = [*options(made.options_of_files(columns)), *more]
        made.arguments.append(str(unfinished))
        try:
            made.run(["trace", "compile"], given)
            os.replace(unfinished, target)
        except OSError as failure:
            if isinstance(failure, OutputError) or failure.errno is None:
                raise
            raise OutputError(f"{target}: cannot be created: {failure.strerror}; name another file.", 73) from None
        finally:
            unfinished.unlink(missing_ok=True)
    return target
