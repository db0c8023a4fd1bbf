"""Counts the hits and misses of policies."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Sequence
from typing import Any, Union

from ._options import joined, options
from ._results import Curve, Result, Row
from ._traces import Traces, session

#: Policies as the command reads them: "lru", "s3fifo(small: 0.2)", or several separated by commas.
Policies = Union[str, Sequence[str]]
#: Capacities: "20MB", "5%", "100 objects", "auto", whole numbers of bytes, or several of them.
Capacities = Union[str, int, Sequence[Union[str, int]]]

_MISSES = [
    "trace", "policy", "capacity", "unit", "requests", "misses", "request_bytes", "miss_bytes", "miss_ratio",
    "byte_miss_ratio", "requests_per_s",
]  # fmt: skip
_CURVE = ["trace", "policy", "capacity", "unit", "miss_ratio", "byte_miss_ratio", "exact"]
_TABLES = {"rows": "misses", "curve": "curve", "sample_errors": "sample_errors", "least_misses": "least_misses"}


def simulate(
    trace: Traces,
    policy: Policies | None = None,
    capacity: Capacities | None = None,
    *,
    ignore_size: bool = False,
    cost: str | None = None,
    sizes: str | None = None,
    curve: bool = False,
    bounds: bool = False,
    sample: float | str | None = None,
    sample_size: int | None = None,
    check_sample: bool = False,
    skip: int | None = None,
    first: int | None = None,
    warmup: int | str | None = None,
    every: int | str | None = None,
    jobs: int | None = None,
    plugin: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    key_column: str | None = None,
    time_column: str | None = None,
    size_column: str | None = None,
    time_unit: str | None = None,
    more: Sequence[str] = (),
) -> Result:
    """Counts the hits and misses of policies on traces, without tiers and without time, as `cachereplay simulate` does.

    Args:
        trace: A path, a DataFrame, an Arrow table, an array, or several of them.
        policy: Policies, such as "lru,s3fifo" or ["lru", "s3fifo"].
        capacity: Capacities, such as "1%,10%", or numbers of bytes.
        plugin: Shared libraries with policies in C; see `build_plugin`.
        key_column, time_column, size_column, time_unit: The columns of tables and CSV files, where their names do not
            say it.
        more: Further options of the command.

    The other arguments are the options of the command. The result has the table `misses`, and those that were asked
    for: `curve`, `least_misses`, `sample_errors`, `over_time`.

    Raises:
        CacheReplayError: With the sentence of the command.
    """
    columns = {
        "key_column": key_column, "time_column": time_column, "size_column": size_column, "time_unit": time_unit,
    }  # fmt: skip
    if isinstance(plugin, (str, os.PathLike)):
        plugin = [plugin]
    with session(trace, keeps_keys=False, columns=columns) as made:
        given = {
            "policy": joined(policy), "capacity": joined(capacity, "B"), "ignore_size": ignore_size, "cost": cost,
            "sizes": sizes, "curve": curve, "bounds": bounds, "sample": sample, "sample_size": sample_size,
            "check_sample": check_sample, "skip": skip, "first": first, "warmup": warmup, "every": every, "jobs": jobs,
            "plugin": [os.fspath(library) for library in plugin or []],
            **made.options_of_files(columns),
        }  # fmt: skip
        if every is not None:
            given |= {"output": made.output(), "no_charts": True}
        output = made.run(["simulate"], [*options(given), "--json", *more])
        found = json.loads(output.text)
        lists = found if isinstance(found, dict) else {"rows": found}
        tables = {table: _ordered(lists[name]) for name, table in _TABLES.items() if lists.get(name) or name == "rows"}
        if not tables["misses"] and len(tables) > 1:
            del tables["misses"]
        if every is not None:
            tables["over_time"] = _read_csv(os.path.join(made.output(), "miss_ratio_over_time.csv"))
    return Result(found, tables, notes=output.notes)


def curve(
    trace: Traces,
    policy: Policies = "lru",
    *,
    points: int = 40,
    smallest: float = 0.001,
    **arguments: Any,
) -> Curve:
    """Returns miss ratios at many capacities, evenly spaced on a logarithmic scale up to the whole trace.

    For LRU alone, one pass gives the whole curve; each other policy is simulated at each capacity.

    Args:
        trace: As for `simulate`.
        policy: Policies, as for `simulate`.
        points: The number of capacities.
        smallest: The smallest capacity, as a share of the bytes of the trace.
        arguments: Further arguments of `simulate`, such as `sample` or `ignore_size`.

    Raises:
        CacheReplayError: With the sentence of the command.
    """
    if "capacity" in arguments:
        capacity = arguments.pop("capacity")
    else:
        shares = [100 * smallest ** (1 - index / max(1, points - 1)) for index in range(max(2, points))]
        capacity = [f"{share:.4f}%" for share in shares]
    is_lru = isinstance(policy, str) and policy.strip().lower() == "lru" or policy == ["lru"]
    takes_curve = is_lru and not {"warmup", "skip", "plugin"} & arguments.keys()
    if takes_curve:
        found = simulate(trace, None, capacity, curve=True, **arguments)
        rows = found.rows("curve")
    else:
        found = simulate(trace, policy, capacity, **arguments)
        rows = found.rows("misses")
    return Curve(found.json, {"curve": rows}, notes=found.notes)


def _ordered(rows: list[Row]) -> list[Row]:
    """Returns rows with their columns in the order of the CSV files."""
    order = {name: place for place, name in enumerate(_MISSES if rows and "misses" in rows[0] else _CURVE)}
    names = sorted({name for row in rows for name in row}, key=lambda name: (order.get(name, len(order)), name))
    return [{name: row.get(name) for name in names} for row in rows]


def _read_csv(path: str) -> list[Row]:
    """Reads a CSV file of the command, with numbers as numbers and empty fields as None."""
    with open(path, newline="", encoding="utf-8") as file:
        return [{name: _value(name, text) for name, text in row.items()} for row in csv.DictReader(file)]


_TEXTS = {"trace", "policy", "cache", "unit", "key", "name"}


def _value(name: str, text: str) -> Any:
    if name in _TEXTS:
        return text
    if text == "":
        return None
    readers: list[Callable[[str], Any]] = [int, float]
    for read in readers:
        try:
            return read(text)
        except ValueError:
            continue
    return text
