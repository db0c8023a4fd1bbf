"""Reads the columns of requests from data frames and arrays: key, time and size.

The rules for names and units are those of the command for CSV files (FileFormats.md, CSVFiles.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import BadDataError

KEY_NAMES = (
    "key", "id", "obj_id", "object_id", "object", "url", "uri", "path", "lbn", "lba", "block", "address",
    "hashed_path_query",
)  # fmt: skip
TIME_NAMES = ("time", "timestamp", "ts", "clock_time", "t", "date", "relative_unix")
SIZE_NAMES = ("size", "bytes", "obj_size", "object_size", "length", "content_length", "response_size")
UNITS = {"s": 1_000_000, "ms": 1_000, "us": 1, "ns": 0}


@dataclass
class Choice:
    """What the caller says about the columns, as the options of the command."""

    key: str | int | None = None
    time: str | int | None = None
    size: str | int | None = None
    unit: str | None = None


@dataclass
class Values:
    """A column.

    Attributes:
        values: The values; where `missing` is true, they mean nothing.
        missing: Which rows have no value; None if all have one.
        labels: The text of each value if the values are numbers of texts.
    """

    values: NDArray[Any]
    missing: NDArray[np.bool_] | None = None
    labels: NDArray[Any] | None = None


@dataclass
class Columns:
    """Requests as columns of equal length. `unit` is the unit of numbers for times, None if it is to be guessed."""

    key: Values
    time: Values | None
    size: Values | None
    unit: str | None

    def __len__(self) -> int:
        return len(self.key.values)


def is_table(source: object) -> bool:
    """Returns whether requests can be read from an object: an array, or what has columns."""
    if isinstance(source, (str, bytes)) or hasattr(source, "__fspath__"):
        return False
    return (
        isinstance(source, np.ndarray)
        or hasattr(source, "__dataframe__")
        or hasattr(source, "column_names")  # Arrow
        or hasattr(source, "to_numpy")  # series and arrays
        or (isinstance(source, Mapping) and all(_is_column(value) for value in source.values()))
    )


def _is_column(value: object) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim == 1 and not value.dtype.names
    return isinstance(value, list) or (hasattr(value, "to_numpy") and not hasattr(value, "columns"))


@dataclass
class Plan:
    """The places of the columns, and the unit of times that are numbers."""

    key: int
    time: int | None
    size: int | None
    unit: str | None


def plan(names: list[Any], name: str, choice: Choice) -> Plan:
    """Finds the columns by their names; of arrays without names, by their number.

    Raises:
        BadDataError: Without a column of keys, or if there is no column or unit of a given name.
    """
    key = _place(choice.key, names, KEY_NAMES, 0 if len(names) < 3 else 1, name, "key")
    time = _place(choice.time, names, TIME_NAMES, None if len(names) < 3 else 0, name, "time")
    size = _place(choice.size, names, SIZE_NAMES, {1: None, 2: 1}.get(len(names), 2), name, "size")
    if key is None:
        raise BadDataError(
            f"{name}: no column has the name of a key ({', '.join(KEY_NAMES)}); pass key_column with one of: "
            + ", ".join(str(column) for column in names),
            65,
        )
    unit = choice.unit or (_unit(_normalized(names[time])) if time is not None and _has_names(names) else None)
    if unit is not None and unit not in UNITS:
        raise BadDataError(f"{name}: the unit of the time is '{unit}'; expected s, ms, us or ns", 65)
    return Plan(key, time, size, unit)


def read(source: Any, name: str, choice: Choice) -> Columns:
    """Reads the columns of a pandas or Polars frame, an Arrow table, a NumPy array, or a mapping of columns.

    Raises:
        BadDataError: Without a column of keys, or if a column has a nested type.
    """
    names, column = _table(source, name)
    found = plan(names, name, choice)
    return Columns(
        key=column(found.key),
        time=None if found.time is None else column(found.time),
        size=None if found.size is None else column(found.size),
        unit=found.unit,
    )


def _has_names(names: list[Any]) -> bool:
    return bool(names) and isinstance(names[0], str)


def _table(source: Any, name: str) -> tuple[list[Any], Any]:
    """Returns the names of the columns, numbers if there are none, and a function that reads a column by its place."""
    if isinstance(source, np.ndarray):
        if source.dtype.names:
            fields = list(source.dtype.names)
            return fields, lambda place: array(source[fields[place]], name)
        if source.ndim == 1:
            return [0], lambda place: array(source, name)
        if source.ndim == 2 and source.shape[1] in (1, 2, 3):
            return list(range(source.shape[1])), lambda place: array(source[:, place], name)
        raise BadDataError(
            f"{name}: an array of shape {source.shape}; expected keys, rows of key and size, or rows of time, key and "
            "size",
            65,
        )
    if hasattr(source, "columns") and hasattr(source, "iloc"):  # pandas
        return list(source.columns), lambda place: series(source.iloc[:, place], name)
    if hasattr(source, "columns") and hasattr(source, "get_columns"):  # Polars
        return list(source.columns), lambda place: series(source.get_columns()[place], name)
    if hasattr(source, "column_names") or (hasattr(source, "schema") and hasattr(source, "column")):  # Arrow
        return list(source.schema.names), lambda place: series(source.column(place), name)
    if isinstance(source, Mapping):
        columns = list(source)
        return columns, lambda place: series(source[columns[place]], name)
    return [0], lambda place: series(source, name)


def _place(
    named: str | int | None,
    names: list[Any],
    candidates: tuple[str, ...],
    position: int | None,
    name: str,
    what: str,
) -> int | None:
    if named is not None:
        for place, column in enumerate(names):
            if column == named or _normalized(column) == _normalized(named):
                return place
        raise BadDataError(
            f"{name}: there is no column '{named}'; pass {what}_column with one of: "
            + ", ".join(str(column) for column in names),
            65,
        )
    if not _has_names(names):
        return position
    plain = [_normalized(column) for column in names]
    for candidate in candidates:
        for place, column in enumerate(plain):
            if column == candidate or _without_unit(column) == candidate:
                return place
    return None


def _normalized(column: Any) -> str:
    return str(column).strip().lower().lstrip("#").strip().replace(" ", "_").replace("-", "_")


def _unit(column: str) -> str | None:
    return next((unit for unit in UNITS if column.endswith("_" + unit)), None)


def _without_unit(column: str) -> str:
    unit = _unit(column)
    return column[: -len(unit) - 1] if unit else column


def series(source: Any, name: str) -> Values:
    """Reads a column of pandas, Polars or Arrow, or a list."""
    if isinstance(source, np.ndarray):
        return array(source, name)
    if hasattr(source, "combine_chunks") or hasattr(source, "null_count") and hasattr(source, "type"):
        return _arrow(source, name)
    if hasattr(source, "null_count"):
        return _polars(source, name)
    if hasattr(source, "isna"):
        return _pandas(source, name)
    if isinstance(source, list):
        if any(value is None for value in source):
            missing = np.array([value is None for value in source])
            return Values(np.array(source, dtype=object), missing)
        return array(np.array(source), name)
    return array(np.asarray(source), name)


def _pandas(source: Any, name: str) -> Values:
    if hasattr(source, "cat"):
        codes = source.cat.codes.to_numpy()
        labels = source.cat.categories.to_numpy()
        return Values(codes.astype(np.int64), _mask(codes < 0), labels)
    dtype = source.dtype
    if hasattr(dtype, "pyarrow_dtype"):
        return _arrow(source.array.__arrow_array__(), name)
    missing = _mask(source.isna().to_numpy())
    if getattr(dtype, "tz", None) is not None:
        source = source.dt.tz_convert("UTC").dt.tz_localize(None)
    elif not isinstance(dtype, np.dtype) and hasattr(dtype, "numpy_dtype"):  # Int64, boolean …
        return Values(source.to_numpy(dtype=dtype.numpy_dtype, na_value=0), missing)
    return Values(np.asarray(source.to_numpy()), missing)


def _polars(source: Any, name: str) -> Values:
    kind = str(source.dtype)
    if kind.startswith(("Struct", "List", "Array", "Object")):
        raise nested(name, source.name, kind)
    missing = _mask(source.is_null().to_numpy()) if source.null_count() else None
    if kind.startswith(("Categorical", "Enum")):
        kinds = source.drop_nulls().unique()
        numbers = kinds.to_physical().to_numpy()
        labels = np.empty(int(numbers.max()) + 1 if len(numbers) else 0, dtype=object)
        labels[numbers] = kinds.cast(str).to_numpy()
        return Values(source.to_physical().fill_null(0).to_numpy().astype(np.int64), missing, labels)
    if missing is not None:
        source = source.fill_null(strategy="zero") if source.dtype.is_numeric() else source
    return Values(source.to_numpy(), missing)


def _arrow(source: Any, name: str) -> Values:
    import pyarrow as pa

    if hasattr(source, "combine_chunks"):
        source = source.combine_chunks() if source.num_chunks != 1 else source.chunk(0)
    kind = source.type
    if pa.types.is_nested(kind):
        raise nested(name, None, str(kind))
    if pa.types.is_dictionary(kind):
        labels = source.dictionary.to_numpy(zero_copy_only=False)
        missing = _mask(source.is_null().to_numpy(zero_copy_only=False)) if source.null_count else None
        codes = source.indices.fill_null(0) if source.null_count else source.indices
        return Values(codes.to_numpy(zero_copy_only=False).astype(np.int64), missing, labels)
    missing = None
    if source.null_count:
        missing = _mask(source.is_null().to_numpy(zero_copy_only=False))
        if pa.types.is_integer(kind) or pa.types.is_floating(kind):
            source = source.fill_null(0)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        coded = source.dictionary_encode()
        return Values(
            coded.indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64),
            missing,
            coded.dictionary.to_numpy(zero_copy_only=False),
        )
    return Values(source.to_numpy(zero_copy_only=False), missing)


def array(values: NDArray[Any], name: str) -> Values:
    """Reads an array of NumPy. Numbers that are not numbers, and times that are no times, are missing."""
    if isinstance(values, np.ma.MaskedArray):
        # Not every release of NumPy has types for masked arrays.
        masked: Any = np.ma
        return Values(masked.filled(values, 0), _mask(masked.getmaskarray(values)))
    if values.dtype.kind == "f":
        return Values(values, _mask(np.isnan(values)))
    if values.dtype.kind in "mM":
        return Values(values, _mask(np.isnat(values)))
    if values.dtype.kind == "O":
        return Values(values, _mask(np.array([value is None or value != value for value in values], dtype=bool)))
    return Values(values)


def _mask(missing: Any) -> NDArray[np.bool_] | None:
    return missing if missing.any() else None


def nested(name: str, column: str | None, kind: str) -> BadDataError:
    """Returns the error for a column of lists or structures."""
    which = f"the column {column}" if column else "a column"
    return BadDataError(f"{name}: {which} has the nested type {kind}; expected numbers, texts or times", 65)
