"""Arguments of Python as options of the command."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ._errors import UsageError


def options(values: Mapping[str, Any]) -> list[str]:
    """Returns options: `ignore_size=True` is --ignore-size, and `warmup="10%"` is --warmup=10%.

    None and False are left out. A list repeats its option.
    """
    result: list[str] = []
    for name, value in values.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            result.append(option)
        elif isinstance(value, (list, tuple)):
            for item in value:
                result += [option, str(item)]
        else:
            # With =, a value may begin with a hyphen.
            result.append(f"{option}={value}")
    return result


def joined(value: str | int | Sequence[str | int] | None, unit: str = "") -> str | None:
    """Returns a list for an option, separated by commas. Whole numbers get `unit`."""
    if value is None:
        return None
    if isinstance(value, (str, int)):
        value = [value]
    texts = [f"{item}{unit}" if isinstance(item, int) else str(item) for item in value]
    if not texts:
        raise UsageError("A list is empty; leave the argument out, or give at least one value.", 64)
    return ",".join(texts)


def listed(value: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None) -> list[str]:
    """Returns the values of an option that can be repeated: one text or path, several, or none."""
    if value is None:
        return []
    if isinstance(value, (str, os.PathLike)):
        value = [value]
    return [os.fspath(item) for item in value]


def columns_of(
    key_column: str | None, time_column: str | None, size_column: str | None, time_unit: str | None
) -> dict[str, str | None]:
    """Returns the options that name the columns of tables and CSV files."""
    return {
        "key_column": key_column, "time_column": time_column, "size_column": size_column, "time_unit": time_unit,
    }  # fmt: skip
