"""Statistics of traces."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ._options import options
from ._replay import flat
from ._results import Result
from ._traces import Traces, session


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
