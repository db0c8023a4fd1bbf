"""Arguments of Python as options of the command."""

from __future__ import annotations

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
