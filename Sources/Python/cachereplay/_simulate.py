"""Counts the hits and misses of policies."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Union, cast

from ._errors import UsageError
from ._options import columns_of, joined, listed, options
from ._policies import Policy
from ._replay import read_csv, replay
from ._results import Curve, Result, Row
from ._traces import Traces, session

#: A policy in Python that `simulate` makes with a number of bytes.
MakesLimited = Callable[[int], Policy]
#: Policies as the command reads them: "lru", "s3fifo(small: 0.2)", or several separated by commas; or in Python.
Policies = Union[str, MakesLimited, Sequence[Union[str, MakesLimited]]]
#: Capacities: "20MB", "5%", "100 objects", "auto", whole numbers of bytes, or several of them.
Capacities = Union[str, int, Sequence[Union[str, int]]]

_MISSES = [
    "trace", "policy", "capacity", "unit", "requests", "misses", "request_bytes", "miss_bytes", "miss_ratio",
    "byte_miss_ratio", "requests_per_s",
]  # fmt: skip
_CURVE = ["trace", "policy", "capacity", "unit", "miss_ratio", "byte_miss_ratio", "exact"]
_TABLES = {"rows": "misses", "curve": "curve", "least_misses": "least_misses"}


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
    for: `curve`, `least_misses`, `over_time`.

    Raises:
        CacheReplayError: With the sentence of the command.
    """
    columns = columns_of(key_column, time_column, size_column, time_unit)
    if callable(policy) or policy is not None and any(callable(one) for one in policy):
        others = {
            "ignore_size": ignore_size, "cost": cost, "sizes": sizes, "curve": curve, "bounds": bounds,
            "sample": sample, "skip": skip, "first": first, "warmup": warmup, "every": every, "more": more,
        }  # fmt: skip
        refused = [name for name, value in others.items() if value]
        if refused:
            raise UsageError(
                f"A policy in Python is simulated on whole traces, with their sizes; leave {', '.join(refused)} out.",
                64,
            )
        policies: list[str | MakesLimited] = [policy] if callable(policy) else list(policy)
        return _simulate_python(trace, policies, capacity, listed(plugin), columns)
    with session(trace, keeps_keys=False, columns=columns) as made:
        given = {
            "policy": joined(cast("str | Sequence[str] | None", policy)), "capacity": joined(capacity, "B"),
            "ignore_size": ignore_size, "cost": cost,
            "sizes": sizes, "curve": curve, "bounds": bounds, "sample": sample, "skip": skip, "first": first,
            "warmup": warmup, "every": every, "jobs": jobs, "plugin": listed(plugin),
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
            tables["over_time"] = read_csv(os.path.join(made.output(), "miss_ratio_over_time.csv"))
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


def _simulate_python(
    trace: Traces,
    policies: list[str | MakesLimited],
    capacity: Capacities | None,
    plugin: list[str],
    columns: dict[str, Any],
) -> Result:
    """Simulates policies of which some are in Python: these are replayed without time, one after the other."""
    capacities = [capacity] if isinstance(capacity, int) else capacity
    if not capacities or isinstance(capacities, str) or not all(isinstance(one, int) for one in capacities):
        raise UsageError("A policy in Python needs capacities as whole numbers of bytes, such as [1_000_000].", 64)
    rows: list[Row] = []
    notes: list[str] = []
    for policy in policies:
        if isinstance(policy, str):
            found = simulate(trace, policy, capacity, plugin=plugin, **columns)
            rows += found.rows()
            notes += found.notes
            continue
        name = getattr(policy, "__name__", type(policy).__name__)
        limits = {f"{name} {limit}": partial(policy, int(limit)) for limit in capacities}
        replayed = replay(trace, limits, timing="instant", **columns)
        notes += replayed.notes
        rows += [_row_of_replay(row, name, int(row["cache"].rsplit(" ", 1)[1])) for row in replayed.rows()]
    return Result(rows, {"misses": rows}, notes=notes)


def _row_of_replay(row: Row, policy: str, capacity: int) -> Row:
    """Returns a row of a replay without time as one of a simulation. It does not have the bytes of all requests."""
    misses = row["requests"] - row["memory_hits"]
    byte_hits = row["byte_hit_ratio"]
    return {
        "trace": row["trace"], "policy": policy, "capacity": capacity, "unit": "bytes", "requests": row["requests"],
        "misses": misses, "request_bytes": None, "miss_bytes": row["origin_bytes"],
        "miss_ratio": misses / row["requests"], "byte_miss_ratio": None if byte_hits is None else 1 - byte_hits,
        "requests_per_s": None,
    }  # fmt: skip
