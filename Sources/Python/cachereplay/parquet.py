"""Requests from Parquet files, with the columns of Pelikan's cachesim: timestamp, obj_id, obj_size.

A file goes from pyarrow to the command row group by row group, without a file between. Further columns, such as
next_access_vtime, op and ttl, are not read: the next access follows from the requests, and every row is a request.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from . import _columns, _encode
from ._command import need
from ._errors import BadDataError, NoInputError


def read(
    path: str | os.PathLike[str],
    *,
    ops: Sequence[str | int] | None = None,
    key_column: str | None = None,
    time_column: str | None = None,
    size_column: str | None = None,
    time_unit: str | None = None,
) -> Requests:
    """Opens a Parquet file whose requests `simulate` and the other functions read.

    A path that ends in .parquet can be given to them directly; this function is for the options.

    Args:
        path: The file.
        ops: Keep only rows whose column `op` has one of these values, such as ["get"]. By default, every row is a
            request.
        key_column, time_column, size_column, time_unit: As for `simulate`.

    Raises:
        NoInputError: If there is no such file.
        BadDataError: If it is not Parquet, is encrypted, lacks a column, or has columns of nested types.
    """
    name = os.fspath(path)
    file = _opened(name)
    choice = _columns.Choice(key_column, time_column, size_column, time_unit)
    return Requests(name, file, choice, ops)


def _opened(path: str) -> Any:
    pyarrow, parquet = need("pyarrow", path), need("pyarrow.parquet", path)
    try:
        return parquet.ParquetFile(path, memory_map=True)
    except FileNotFoundError:
        raise NoInputError(f"{path}: no such file", 66) from None
    except (pyarrow.ArrowException, OSError) as error:
        raise _refusal(path, error) from None


def _refusal(path: str, error: BaseException) -> BadDataError:
    text = str(error).strip()
    if "encrypt" in text.lower() or "decrypt" in text.lower():
        return BadDataError(
            f"{path}: is encrypted. Decrypt it with pyarrow.parquet.read_table(decryption_properties=…), and give "
            "the table.",
            65,
        )
    return BadDataError(f"{path}: cannot be read as Parquet: {text.splitlines()[0] if text else error}", 65)


#: The rows that are converted at a time: few enough for the caches of a processor.
ROWS = 1 << 16


class Requests:
    """The requests of a Parquet file, which are read when a command needs them."""

    def __init__(self, path: str, file: Any, choice: _columns.Choice, ops: Sequence[str | int] | None) -> None:
        self.path = path
        self._file = file
        self._ops = ops
        schema = file.schema_arrow
        # Arrow's schema has the columns in the order of the file, and no rows.
        self._plan = _columns.plan(list(schema.names), path, choice)
        self._check(schema)

    def _check(self, schema: Any) -> None:
        types = need("pyarrow", self.path).types
        if self._plan.size is None:
            raise self._lacks("size", _columns.SIZE_NAMES)
        if self._plan.time is None:
            raise self._lacks("time", _columns.TIME_NAMES)
        for place in [self._plan.key, self._plan.time, self._plan.size]:
            field = schema.field(place)
            if types.is_nested(field.type):
                raise _columns.nested(self.path, field.name, str(field.type))
        if self._ops is not None and "op" not in schema.names:
            raise BadDataError(f"{self.path}: there is no column 'op'; leave ops out", 65)

    def _lacks(self, what: str, names: tuple[str, ...]) -> BadDataError:
        return BadDataError(
            f"{self.path}: no column has the name of a {what} ({', '.join(names)}); pass {what}_column with one of: "
            + ", ".join(self._file.schema_arrow.names),
            65,
        )

    def __len__(self) -> int:
        return int(self._file.metadata.num_rows)

    def __repr__(self) -> str:
        return f"{self.path}: {len(self)} rows"

    def write_records(self, descriptor: int) -> bool:
        """Writes records of oracleGeneral into an empty file, and returns whether the values of all rows fit.

        Threads read row groups, and write each to its place.
        """
        types = need("pyarrow", self.path).types
        fields = [self._file.schema_arrow.field(name).type for name in self._names()]
        if self._ops is not None or self._plan.unit not in (None, "s") or not all(map(types.is_integer, fields)):
            return False
        metadata = self._file.metadata
        counts = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
        starts = [sum(counts[:group]) for group in range(len(counts))]
        if not starts or not len(self):
            return False
        threads = min(len(starts), os.cpu_count() or 1)
        spans: list[tuple[int, int] | None] = [None] * len(starts)

        def write(thread: int) -> None:
            # Two threads must not read one ParquetFile.
            file = _opened(self.path)
            for group in range(thread, len(starts), threads):
                spans[group] = self._write_group(file, group, starts[group], descriptor)
                if spans[group] is None:
                    return

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(write, range(threads)))
        last = 0
        for span in spans:
            if span is None or span[0] < last:
                return False
            last = span[1]
        return True

    def encoded(self, name: str, *, keeps_keys: bool) -> _encode.Encoded:
        """Returns the requests as bytes of a format that the command reads, whatever the types of the columns are.

        Raises:
            BadDataError: With the sentence about the first value that is wrong.
        """
        return _encode.encode(self._columns(), name, keeps_keys=keeps_keys)

    def _names(self) -> list[str]:
        names = self._file.schema_arrow.names
        return [names[place] for place in [self._plan.key, self._plan.time, self._plan.size] if place is not None]

    def _columns(self) -> _columns.Columns:
        """Reads all rows, of whatever types."""
        names = self._names()
        table = self._read(lambda: self._file.read(columns=[*names, *(["op"] if self._ops is not None else [])]))
        if self._ops is not None:
            compute = need("pyarrow.compute", self.path)
            pyarrow = need("pyarrow", self.path)
            values = pyarrow.array(list(self._ops)).cast(table.column("op").type)
            table = table.filter(compute.is_in(table.column("op"), value_set=values))
        key, time, size = (_columns.series(table.column(name), self.path) for name in names)
        return _columns.Columns(key, time, size, self._plan.unit)

    def _read(self, read: Any) -> Any:
        pyarrow = need("pyarrow", self.path)
        try:
            return read()
        except (pyarrow.ArrowException, OSError) as error:
            raise _refusal(self.path, error) from None

    def _write_group(self, file: Any, group: int, start: int, descriptor: int) -> tuple[int, int] | None:
        """Writes the records of a row group, of which `start` are before it.

        Returns the first and the last time, or None if a value does not fit.
        """
        names = self._names()
        table = self._read(lambda: file.read_row_group(group, columns=names, use_threads=False))
        if any(table.column(name).null_count for name in names):
            return None
        records = np.zeros(min(ROWS, max(1, table.num_rows)), _encode.ORACLE_GENERAL)
        records["next"] = -1
        first, last = None, 0
        for batch in table.to_batches(max_chunksize=ROWS):
            key, time, size = (batch.column(name).to_numpy() for name in names)
            if not len(key):
                continue
            if not _fit(time, size) or int(time[0]) < last:
                return None
            first, last = int(time[0]) if first is None else first, int(time[-1])
            part = records[: len(key)]
            part["id"] = key.view(np.uint64) if key.dtype == np.int64 else key
            part["time"] = time
            part["size"] = size
            _write(descriptor, part.view(np.uint8).data, start * records.itemsize)
            start += len(key)
        return (0 if first is None else first), last


def _write(descriptor: int, data: memoryview, offset: int) -> None:
    while data:
        written = os.pwrite(descriptor, data, offset)
        data, offset = data[written:], offset + written


def _fit(time: Any, size: Any) -> bool:
    """Returns whether times are rising whole seconds of 32 bits, and sizes have 32 bits and are above 0."""
    return (
        int(time[0]) >= 0
        and int(time[-1]) < 2**32
        and 0 < int(size.min())
        and int(size.max()) < 2**32
        and not bool((time[1:] < time[:-1]).any())
    )
