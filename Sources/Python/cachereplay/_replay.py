"""Replays sessions through caches, explains their misses, and advises."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

from ._errors import CacheReplayError, UsageError
from ._options import columns_of, joined, listed, options
from ._policies import Host, MakesPolicy, Policy
from ._results import Result, Row
from ._traces import Session, Traces, session

#: A cache: a preset such as "kingfisher-8", a specification such as "memory: lru(20MB)", or what makes a Policy.
Cache = Union[str, MakesPolicy]
#: One cache, several, or several with their names.
Caches = Union[Cache, Sequence[Cache], Mapping[str, Cache]]


def replay(
    trace: Traces,
    cache: Caches,
    *,
    timing: str | None = None,
    network: str | Sequence[str] | None = None,
    sweep: str | Sequence[str] | None = None,
    repeat: int | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    plugin: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    output: str | os.PathLike[str] | None = None,
    force: bool = False,
    key_column: str | None = None,
    time_column: str | None = None,
    size_column: str | None = None,
    time_unit: str | None = None,
    more: Sequence[str] = (),
) -> Result:
    """Replays traces through caches, as `cachereplay replay` does.

    Args:
        trace: The paths of recorded sessions, or requests in memory.
        cache: Caches: presets, specifications, classes of `Policy`, or a dictionary of names and caches.
        timing: "measured", "modelled" or "instant"; by default that of the command. Policies in Python need one of the
            last two.
        plugin: Shared libraries with policies in C; see `build_plugin`.
        output: A folder that keeps the results and gets the charts; by default none is left.
        more: Further options of the command.

    The other arguments are the options of the command. The result has the tables `results` (a row for each trace and
    cache), `summary`, `latency` and, for few runs, `timeline`, as in the CSV files. Of more than 20 sessions, the
    tables `figures`, `pairs` and `latencies` are about users.

    Raises:
        CacheReplayError: With the sentence of the command.
        Exception: What a policy in Python raised.
    """
    columns = columns_of(key_column, time_column, size_column, time_unit)
    with session(trace, keeps_keys=True, columns=columns) as made:
        folder = made.output() if output is None else os.fspath(output)
        given = {
            "timing": timing, "network": listed(network), "sweep": listed(sweep), "repeat": repeat, "seed": seed,
            "jobs": jobs, "plugin": listed(plugin), "output": folder,
            "force": force, "no_charts": output is None, "json": True,
            **made.options_of_files(columns),
        }  # fmt: skip
        text, notes = _run(made, ["replay"], cache, [*options(given), *more])
        found = json.loads(text)
        # "figures", "pairs" and "latencies" are those of more than 20 sessions.
        lists = [name for name in ["results", "figures", "pairs", "latencies", "notes"] if _is_table(found.get(name))]
        tables = {name: [flat(row) for row in found[name]] for name in lists}
        for name in ["summary", "latency", "timeline"]:
            path = os.path.join(folder, f"{name}.csv")
            if os.path.exists(path):
                tables[name] = read_csv(path)
    findings = [one if isinstance(one, str) else one["text"] for one in found.get("conclusions", [])]
    return Result(found, tables, findings, notes)


def explain(
    trace: Traces,
    cache: Caches,
    *,
    timing: str | None = None,
    network: str | None = None,
    top: int | None = None,
    seed: int | None = None,
    key_column: str | None = None,
    time_column: str | None = None,
    size_column: str | None = None,
    time_unit: str | None = None,
    more: Sequence[str] = (),
) -> Result:
    """Says why requests were no hits, and what blank cells waited for, as `cachereplay explain` does.

    The result has the tables `explanations`, `causes`, `waits`, `changes`, `worst_keys` and `worst_moments`.

    Raises:
        CacheReplayError: With the sentence of the command.
        Exception: What a policy in Python raised.
    """
    columns = columns_of(key_column, time_column, size_column, time_unit)
    with session(trace, keeps_keys=True, columns=columns) as made:
        given = {
            "timing": timing, "network": network, "top": top, "seed": seed, "json": True,
            **made.options_of_files(columns),
        }  # fmt: skip
        text, notes = _run(made, ["explain"], cache, [*options(given), *more])
    found = json.loads(text)
    lists = ["causes", "waits", "changes", "worst_keys", "worst_moments"]
    tables: dict[str, list[Row]] = {"explanations": []}
    for one in found:
        who = {"trace": one["trace"], "cache": one["cache"]}
        tables["explanations"].append(who | flat({k: v for k, v in one.items() if not isinstance(v, list)}))
        for name in lists:
            tables.setdefault(name, []).extend(who | row for row in one.get(name, []))
    return Result(found, tables, notes=notes)


def advise(
    trace: Traces,
    *,
    memory: str | int | None = None,
    caches: str | Sequence[str] | None = None,
    keep: str | None = None,
    platform: str | None = None,
    objective: str | None = None,
    disk: str | int | None = None,
    network: str | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    more: Sequence[str] = (),
) -> Result:
    """Says which cache to use or keep, what to change, and which limit is enough, as `cachereplay advise` does.

    Args:
        caches: The caches to compare, which the command calls --for.

    The other arguments are the options of the command. `findings` of the result has the answer, and the tables are
    `rows` (a cache each), `levers`, `points` and `settings`.

    Raises:
        CacheReplayError: With the sentence of the command.
    """
    with session(trace, keeps_keys=True) as made:
        given = {
            "memory": joined(memory, "B"), "for": joined(caches), "keep": keep, "platform": platform,
            "objective": objective, "disk": joined(disk, "B"), "network": network, "seed": seed, "jobs": jobs,
            "json": True,
        }  # fmt: skip
        output = made.run(["advise"], [*options(given), *more])
    found = json.loads(output.text)
    tables = {name: found.get(name, []) for name in ["rows", "levers", "points", "settings"]}
    return Result(found, tables, [finding["text"] for finding in found["findings"]], output.notes)


def _is_table(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _named(caches: Caches) -> list[tuple[str | None, Cache]]:
    if isinstance(caches, str) or callable(caches):
        return [(None, caches)]
    if isinstance(caches, Mapping):
        return list(caches.items())
    if isinstance(caches, Policy) or not isinstance(caches, Sequence):
        raise UsageError(
            f"A cache is a {type(caches).__name__}; expected a specification, or a class or function that makes a "
            "Policy for each run.",
            64,
        )
    return [(None, cache) for cache in caches]


def _run(made: Session, command: list[str], caches: Caches, given: list[str]) -> tuple[str, list[str]]:
    """Runs a command on caches, of which some may be policies in Python."""
    host = Host(made.folder)
    try:
        for name, cache in _named(caches):
            if callable(cache):
                name = name or getattr(cache, "__name__", None) or type(cache).__name__
                program = host.add(cache)
                made.rename(program, name)
                given += ["--cache", f"{name}=own: {_quoted(program)}"]
            elif isinstance(cache, str):
                given += ["--cache", cache if name is None else f"{name}={cache}"]
            else:
                _named(cache)
        try:
            output = made.run(command, given)
        except CacheReplayError:
            if host.failure is not None:
                raise host.failure from None
            raise
        if host.failure is not None:
            raise host.failure
    finally:
        host.close()
    return output.text, output.notes


def _quoted(path: str) -> str:
    if not path.replace("/", "").replace("-", "").replace("_", "").replace(".", "").isalnum():
        raise UsageError(f"{path}: set TMPDIR to a folder whose name has letters and digits only.", 64)
    return path


def flat(value: Mapping[str, Any], prefix: str = "") -> Row:
    """Returns a dictionary of dictionaries as one, with the names joined by a dot. Lists are left out."""
    row: Row = {}
    for name, item in value.items():
        if isinstance(item, Mapping):
            row |= flat(item, f"{prefix}{name}.")
        elif not isinstance(item, list):
            row[prefix + name] = item
    return row


_TEXTS = {"trace", "policy", "cache", "unit", "key", "name", "network", "base_cache", "swept", "user"}


def read_csv(path: str) -> list[Row]:
    """Reads a CSV file of the command, with numbers as numbers and empty fields as None."""
    import csv

    with open(path, newline="", encoding="utf-8") as file:
        return [{name: _value(name, text) for name, text in row.items()} for row in csv.DictReader(file)]


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
