"""Writes requests in a format that the command reads: binary records where their values fit, and CSV otherwise.

oracleGeneral has times in whole seconds, vscsi in microseconds, lcs no sizes. A value that none of them can hold is
written as CSV, so that the command itself says what is wrong with it.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ._columns import UNITS, Columns, Values
from ._errors import SORT, UNSORTED, BadDataError

#: Records of libCacheSim, 24 bytes. An array with this type is written as it is.
ORACLE_GENERAL = np.dtype([("time", "<u4"), ("id", "<u8"), ("size", "<u4"), ("next", "<i8")])
VSCSI = np.dtype(
    [
        ("serial", "<u4"), ("length", "<u4"), ("segments", "<u4"), ("command", "<u2"), ("version", "<u2"),
        ("block", "<u8"), ("time", "<u8"),
    ]
)  # fmt: skip
LCS = np.dtype([("id", "<u8")])
TIME_LIMIT = 2**53
SIZE_LIMIT = 2**40
CHUNK = 1 << 18


class Encoded:
    """Requests as bytes of a format.

    Attributes:
        ending: The ending of a file with these bytes, by which the command recognises the format.
        parts: The bytes, in parts.
        warnings: What the command says about a file without these columns.
        refused: The row that the command must refuse, if the bytes are this row alone.
    """

    def __init__(
        self, ending: str, parts: Iterator[Any], warnings: list[str], refused: int | None = None
    ) -> None:
        self.refused = refused
        self.ending = ending
        self.parts = parts
        self.warnings = warnings

    def write(self, file: BinaryIO) -> None:
        for part in self.parts:
            rest = memoryview(part)
            while rest:
                rest = rest[file.write(rest) :]


def encode(columns: Columns, name: str, *, keeps_keys: bool) -> Encoded:
    """Returns requests as bytes.

    Args:
        columns: The columns.
        name: The name of the requests in errors.
        keeps_keys: Whether texts of keys matter; otherwise their numbers stand for them.

    Raises:
        BadDataError: If times fall, or if a row has no key.
    """
    if len(columns) == 0:
        return Encoded("csv", iter([b"time,key,size\n"]), [])
    if columns.key.missing is not None:
        row = int(np.argmax(columns.key.missing))
        raise BadDataError(f"{name}:{row + 2}: expected the key, found nothing", 65)
    warnings: list[str] = []
    if columns.time is None:
        warnings.append("there is no time column: requests are assumed to be 1 ms apart; pass time_column")
    if columns.size is None:
        warnings.append("there is no size column: sizes are unknown; pass size_column")
    bad = _first_bad_row(columns)
    if bad is not None:
        return Encoded("csv", _rows(columns, bad, bad + 1, blank=bad), warnings, refused=bad)
    ids = _ids(columns.key, name)
    times, scale = _times(columns)
    if times is not None:
        _check_order(times, name)
    sizes = _sizes(columns)
    has_names = columns.key.labels is not None or columns.key.values.dtype.kind not in "iu"
    # A number below 0 has another text as an identifier without a sign.
    has_names = has_names or bool(keeps_keys and columns.key.values.dtype.kind == "i" and columns.key.values.min() < 0)
    is_plain = (columns.time is None or times is not None) and (columns.size is None or sizes is not None)
    if not is_plain or (keeps_keys and has_names) or (columns.size is None and times is not None):
        return Encoded("csv", _rows(columns, 0, len(columns)), [])
    if sizes is None:
        return Encoded("lcs", _lcs(ids), warnings)
    if times is not None and scale == 1_000_000 and int(times[-1]) < 2**32:
        return Encoded("oracleGeneral", _oracle(ids, times, sizes), warnings)
    return Encoded("vscsi", _vscsi(ids, times, scale, sizes), warnings)


def _first_bad_row(columns: Columns) -> int | None:
    """Returns the first row with a number or a date that the command refuses; None if there is none.

    Texts and other objects become CSV, and the command judges them there.
    """
    bad: list[NDArray[np.bool_]] = []
    size, time = columns.size, columns.time
    if size is not None and size.values.dtype.kind in "iuf" and not _all_within(size.values, SIZE_LIMIT):
        wrong = ~((size.values >= 0) & (size.values <= SIZE_LIMIT))
        if size.values.dtype.kind == "f":
            wrong |= size.values != np.floor(size.values)
        bad.append(wrong if size.missing is None else wrong & ~size.missing)
    if time is not None and time.missing is not None:
        bad.append(time.missing)
    elif time is not None and time.values.dtype.kind in "mM":
        bad.append(time.values < np.zeros(1, time.values.dtype))
    elif time is not None and time.values.dtype.kind in "iuf" and not _all_within(time.values, TIME_LIMIT // 1_000_000):
        # Beyond this, the unit decides.
        numbers = time.values.astype(np.float64)
        bad.append(~((numbers >= 0) & (numbers * _factors(numbers, columns.unit) <= TIME_LIMIT)))
    rows = [int(np.argmax(wrong)) for wrong in bad if wrong.any()]
    return min(rows) if rows else None


def _all_within(values: NDArray[Any], limit: int) -> bool:
    """Returns whether all values are whole numbers from 0 to `limit`."""
    return values.dtype.kind in "iu" and int(values.min()) >= 0 and int(values.max()) <= limit


def _check_order(times: NDArray[Any], name: str) -> None:
    if len(times) < 2 or not bool((times[1:] < times[:-1]).any()):
        return
    falls = int((times < np.maximum.accumulate(times)).sum())
    raise BadDataError(f"{name}: the times of {falls} {UNSORTED}. {SORT}", 65)


def _ids(key: Values, name: str) -> NDArray[np.uint64]:
    """Returns a number for each key."""
    values = key.values
    if values.dtype.kind == "b" or values.dtype.kind in "mMcV":
        raise BadDataError(f"{name}: the keys have the type {values.dtype}; expected whole numbers or texts", 65)
    if values.dtype.kind == "f":
        if not bool((values == np.floor(values)).all()):
            row = int(np.argmax(values != np.floor(values)))
            raise BadDataError(
                f"{name}:{row + 2}: the key is {values[row]}; expected whole numbers or texts as keys", 65
            )
        values = values.astype(np.int64)
    if values.dtype.kind == "u":
        return values.astype(np.uint64, copy=False)
    if values.dtype.kind == "i":
        return values.astype(np.int64, copy=False).view(np.uint64)
    try:
        import pandas

        codes = pandas.factorize(values)[0]
    except ImportError:
        codes = np.unique(values.astype(str), return_inverse=True)[1]
    except TypeError:
        kind = type(values[0]).__name__
        raise BadDataError(f"{name}: keys have the type {kind}; expected whole numbers or texts", 65) from None
    numbers: NDArray[np.uint64] = codes.astype(np.int64).view(np.uint64)
    return numbers


def _times(columns: Columns) -> tuple[NDArray[Any] | None, int]:
    """Returns times as whole numbers, and their unit in microseconds; None if there is no column of them.

    Texts of dates become CSV, and have no numbers here.
    """
    if columns.time is None:
        return None, 1000
    values = columns.time.values
    if values.dtype.kind in "mM":
        return _microsecond_counts(values), 1
    if values.dtype.kind in "iu":
        if columns.unit == "s" or (columns.unit is None and int(values.max()) < 10**11):
            return values, 1_000_000
        return _microseconds(values, columns.unit), 1
    if values.dtype.kind == "f":
        return _microseconds(values, columns.unit), 1
    return None, 0


def _microsecond_counts(values: NDArray[Any]) -> NDArray[np.int64]:
    """Returns dates or durations as whole microseconds."""
    counts: NDArray[np.int64] = np.ascontiguousarray(values).astype(f"{values.dtype.kind}8[us]").view(np.int64)
    return counts


def _microseconds(values: NDArray[Any], unit: str | None) -> NDArray[np.int64]:
    """Returns times in microseconds."""
    if unit is not None and values.dtype.kind in "iu":
        whole: NDArray[np.int64] = values.astype(np.int64)
        return whole // 1000 if unit == "ns" else whole * UNITS[unit]
    numbers = values.astype(np.float64)
    product = numbers * _factors(numbers, unit)
    rounded: NDArray[np.float64] = np.rint(product) if values.dtype.kind == "f" else np.floor(product)
    return rounded.astype(np.int64)


def _factors(numbers: NDArray[np.float64], unit: str | None) -> Any:
    """Returns the microseconds of a unit. Without a unit, each number says by its magnitude which one it has."""
    if unit is not None:
        return UNITS[unit] or 1e-3
    return np.select([numbers < 1e11, numbers < 1e14, numbers < 1e17], [1e6, 1e3, 1.0], 1e-3)


def _sizes(columns: Columns) -> NDArray[Any] | None:
    """Returns sizes that fit in 32 bits and are above 0; None if they need CSV."""
    if columns.size is None or columns.size.missing is not None:
        return None
    values = columns.size.values
    if values.dtype.kind not in "iuf":
        return None
    # Zeros mean that the size is unknown in CSV, and not in binary records.
    return values if len(values) and 0 < int(values.min()) and int(values.max()) < 2**32 else None


def _oracle(ids: NDArray[np.uint64], times: Any, sizes: NDArray[Any]) -> Iterator[Any]:
    for start in range(0, len(ids), CHUNK):
        end = min(start + CHUNK, len(ids))
        records = np.empty(end - start, ORACLE_GENERAL)
        records["time"] = times[start:end]
        records["id"] = ids[start:end]
        records["size"] = sizes[start:end]
        records["next"] = -1
        yield records.view(np.uint8).data


def _vscsi(ids: NDArray[np.uint64], times: Any, scale: int, sizes: NDArray[Any]) -> Iterator[Any]:
    for start in range(0, len(ids), CHUNK):
        end = min(start + CHUNK, len(ids))
        records = np.zeros(end - start, VSCSI)
        records["version"] = 0x100
        records["length"] = sizes[start:end]
        records["block"] = ids[start:end]
        records["time"] = np.arange(start, end, dtype=np.int64) * 1000 if times is None else times[start:end]
        if times is not None and scale != 1:
            records["time"] *= np.uint64(scale)
        yield records.view(np.uint8).data


def _lcs(ids: NDArray[np.uint64]) -> Iterator[Any]:
    header = bytearray(1024)
    magic = (0x123456789ABCDEF0).to_bytes(8, "little")
    header[0:8] = header[1016:1024] = magic
    header[8:10] = b"<Q"
    header[248] = 1
    header[1000:1004] = (1).to_bytes(4, "little")
    header[1004:1008] = (8).to_bytes(4, "little")
    yield bytes(header)
    yield np.ascontiguousarray(ids).view(np.uint8).data


def _rows(columns: Columns, start: int, end: int, blank: int = 0) -> Iterator[bytes]:
    """Writes rows of CSV. `blank` rows stand before them, so that an error names the line of its row."""
    header = [("key", columns.key)]
    if columns.time is not None:
        unit = columns.unit if columns.time.values.dtype.kind not in "mM" else "us"
        header.insert(0, (f"time_{unit}" if unit else "time", columns.time))
    if columns.size is not None:
        header.append(("size", columns.size))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([name for name, _ in header])
    if blank:
        text.write(os.linesep * blank)
    for first in range(start, end, CHUNK):
        last = min(first + CHUNK, end)
        writer.writerows(zip(*(_texts(name, column, first, last) for name, column in header), strict=True))
        yield text.getvalue().encode("utf-8", "surrogatepass")
        text.seek(0)
        text.truncate()


def _texts(name: str, column: Values, first: int, last: int) -> list[Any]:
    values = column.values[first:last]
    if values.dtype.kind in "mM":
        values = _microsecond_counts(values)
    if column.labels is not None:
        values = column.labels[values]
    elif values.dtype.kind == "f" and (name == "size" or name == "key"):
        filled = np.where(column.missing[first:last], 0, values) if column.missing is not None else values
        if bool((filled == np.floor(filled)).all()) and bool((np.abs(filled) < 2**53).all()):
            values = filled.astype(np.int64)
    texts = [_date(value) if hasattr(value, "isoformat") else value for value in values.tolist()]
    if column.missing is not None:
        flags: list[Any] = list(column.missing[first:last])
        texts = ["" if missing else text for text, missing in zip(texts, flags)]
    return texts


def _date(value: Any) -> str:
    """Returns a date as the command reads it; without a zone, it is one of UTC."""
    text = str(value.isoformat())
    return text if getattr(value, "tzinfo", None) is not None or "T" not in text else text + "Z"
