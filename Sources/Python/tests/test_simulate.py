"""Requests in memory give the figures of the same CSV file."""

import datetime
import decimal
import json
import os
import re
import subprocess
import sys
import warnings

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import cachereplay
from conftest import without_rates

POLICIES = ["lru", "sieve", "s3fifo"]


def kinds(columns):
    """The same requests in every kind that is read."""
    frame = pandas.DataFrame(columns)
    texts = frame.assign(key="image-" + frame.key.astype(str))
    structured = np.zeros(len(frame), [("time", "<u4"), ("id", "<u8"), ("size", "<u4"), ("next", "<i8")])
    structured["time"], structured["id"], structured["size"] = frame.time, frame.key, frame["size"]
    return {
        "pandas": frame,
        "pandas, 32 bits": frame.astype({"time": "int32", "key": "uint32", "size": "int32"}),
        "pandas, nullable": frame.convert_dtypes(),
        "pandas, Arrow": frame.convert_dtypes(dtype_backend="pyarrow"),
        "pandas, floats": frame.astype({"size": float, "time": float}),
        "pandas, texts": texts,
        "pandas, categories": texts.astype({"key": "category"}),
        "pandas, dates": frame.assign(time=pandas.to_datetime(frame.time, unit="s")),
        "pandas, dates with a zone": frame.assign(time=pandas.to_datetime(frame.time, unit="s", utc=True)),
        "pandas, durations": frame.assign(time=pandas.to_timedelta(frame.time, unit="s")),
        "pandas, milliseconds": frame.assign(time=frame.time * 1000).rename(columns={"time": "time_ms"}),
        "polars": polars.from_pandas(frame),
        "polars, texts": polars.from_pandas(texts),
        "polars, categories": polars.from_pandas(texts.astype({"key": "category"})),
        "arrow": pyarrow.Table.from_pandas(frame),
        "arrow, batch": pyarrow.RecordBatch.from_pandas(frame),
        "arrow, texts": pyarrow.Table.from_pandas(texts),
        "arrow, chunks": pyarrow.concat_tables([pyarrow.Table.from_pandas(frame[:99]),
                                                pyarrow.Table.from_pandas(frame[99:])]),
        "array": frame.to_numpy(),
        "array of records": frame.to_records(index=False),
        "oracleGeneral": structured,
        "dictionary": columns,
        "dictionary of lists": {name: values.tolist() for name, values in columns.items()},
        "sizes as objects": frame.assign(size=frame["size"].astype(object)),
        "sizes as texts": frame.assign(size=frame["size"].astype(str)),
        "times as objects": frame.assign(time=[decimal.Decimal(time) for time in frame.time.tolist()]),
        "dates as texts": frame.assign(time=pandas.to_datetime(frame.time, unit="s").astype(str).str.replace(
            " ", "T") + "Z"),
        "dates as objects": frame.assign(time=pandas.Series(
            [datetime.datetime.fromtimestamp(time, datetime.timezone.utc) for time in frame.time.tolist()],
            dtype=object)),
        "dates without a zone": frame.assign(time=pandas.Series(
            [datetime.datetime(2026, 1, 1) + datetime.timedelta(seconds=time) for time in frame.time.tolist()],
            dtype=object)),
        "keys below zero": frame.assign(key=-frame.key),
    }  # fmt: skip


@pytest.fixture(scope="module")
def expected(csv_file, printed):
    return printed("simulate", csv_file, "--policy", ",".join(POLICIES), "--capacity", "1%,5%,20KB", "--warmup", "100s")


@pytest.mark.parametrize("kind", kinds({"time": np.arange(3), "key": np.arange(3), "size": np.arange(3)}))
def test_every_kind_has_the_figures_of_the_file(kind, columns, expected):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = cachereplay.simulate(kinds(columns)[kind], POLICIES, "1%,5%,20KB", warmup="100s")
    assert without_rates(found.json) == expected


def test_paths_are_read_by_the_command(csv_file, expected):
    for path in [csv_file, str(csv_file)]:
        found = cachereplay.simulate(path, POLICIES, "1%,5%,20KB", warmup="100s")
        assert without_rates(found.json) == expected


def test_the_table_is_the_same_in_pandas_arrow_and_polars(columns):
    found = cachereplay.simulate(columns, "lru,fifo", "20KB,40KB")
    frame = found.pandas()
    assert list(frame.columns)[:6] == ["trace", "policy", "capacity", "unit", "requests", "misses"]
    assert list(frame.policy) == ["lru", "lru", "fifo", "fifo"] and set(frame.requests) == {5000}
    assert pandas.api.types.is_integer_dtype(frame.misses) and pandas.api.types.is_float_dtype(frame.miss_ratio)
    assert found.arrow().to_pylist() == found.rows() == found.polars().to_dicts()
    assert frame.to_dict("records") == found.rows() and len(found) == 4


def test_the_curve_is_that_of_the_command(columns, csv_file, printed):
    found = cachereplay.curve(columns, points=10)
    shares = ",".join(f"{100 * 0.001 ** (1 - place / 9):.4f}%" for place in range(10))
    assert without_rates(found.json) == printed("simulate", csv_file, "--curve", "--capacity", shares)
    frame = found.pandas()
    assert len(frame) == 10 and frame.miss_ratio.is_monotonic_decreasing
    # Every object of the trace fits at the end.
    assert frame.miss_ratio.iloc[-1] == len(np.unique(columns["key"])) / 5000


def test_a_curve_of_several_policies_is_drawn(columns):
    pytest.importorskip("matplotlib").use("Agg")
    found = cachereplay.curve(columns, "lru,sieve", points=5)
    axes = found.plot()
    assert [line.get_label() for line in axes.get_lines()] == ["lru", "sieve"]
    assert all(len(line.get_xdata()) == 5 for line in axes.get_lines())


def test_tables_of_options(columns):
    found = cachereplay.simulate(columns, "lru", "20KB", curve=True, bounds=True)
    assert found.tables == ["misses", "curve", "least_misses"]
    bound, misses = found.rows("least_misses")[0], found.rows("misses")[0]
    assert 400 >= len(np.unique(columns["key"])) <= bound["least_misses"] <= misses["misses"]
    parts = cachereplay.simulate(columns, "lru", 20_000, every=1000).pandas("over_time")
    assert len(parts) == 5 and parts.misses.sum() == misses["misses"]
    with pytest.raises(KeyError, match="there is no table 'curves'; this result has misses"):
        cachereplay.simulate(columns, "lru", "20KB").rows("curves")


def test_several_traces_have_names(columns, csv_file):
    half = {name: values[:2500] for name, values in columns.items()}
    found = cachereplay.simulate({"whole": columns, "half": half}, "lru", "20KB").pandas()
    assert dict(zip(found.trace, found.requests)) == {"whole": 5000, "half": 2500}
    frames = {"whole": pandas.DataFrame(columns), "half": polars.DataFrame(half), "file": csv_file}
    found = cachereplay.simulate(frames, "lru", "20KB").pandas()
    assert dict(zip(found.trace, found.requests)) == {"whole": 5000, "half": 2500, "file": 5000}
    with pytest.raises(cachereplay.NoInputError, match="^nowhere.csv: no such file$"):
        cachereplay.simulate({"a": "nowhere.csv"}, "lru", "20KB")
    with pytest.raises(cachereplay.BadDataError, match=f"^{csv_file}:1: there is no column 'x'"):
        cachereplay.simulate({"a": csv_file}, "lru", "20KB", key_column="x")
    found = cachereplay.simulate([columns, half], "lru", "20KB").pandas()
    assert list(found.trace) == ["requests", "requests-2"]


def test_columns_are_named(columns):
    frame = pandas.DataFrame(columns).rename(columns={"key": "picture", "size": "weight", "time": "when"})
    names = {"key_column": "picture", "size_column": "weight", "time_column": "when"}
    assert cachereplay.simulate(frame, "lru", "20KB", **names).rows()[0]["misses"] == (
        cachereplay.simulate(columns, "lru", "20KB").rows()[0]["misses"])


def test_requests_without_sizes_or_times(columns, command, tmp_path):
    path = tmp_path / "requests.csv"
    path.write_text("key\n" + "".join(f"{key}\n" for key in columns["key"]))
    status, output, errors = command("simulate", path, "--policy", "lru", "--capacity", "50 objects", "--json")
    keys_only = columns["key"]
    with pytest.warns(cachereplay.CacheReplayWarning) as warned:
        found = cachereplay.simulate(keys_only, "lru", "50 objects")
    assert without_rates(found.json) == without_rates(json.loads(output))
    # The command names options, and Python the arguments.
    said = [str(warning.message).replace("_column", "-column").replace("pass ", "pass --") for warning in warned]
    assert said == [line.replace(str(path), "requests") for line in errors.splitlines()]
    assert warned[0].filename == __file__


@pytest.mark.parametrize("sizes", [[0, 5, 0, 9], [None, 5, None, 9], [2**33, 7, 2**33, 5], [3, 4, 8, 9]])
def test_unusual_sizes_have_the_figures_of_the_file(sizes, command, tmp_path):
    path = tmp_path / "requests.csv"
    texts = ["" if size is None else size for size in sizes]
    path.write_text("time,key,size\n" + "".join(f"{row}.25,{row % 2},{size}\n" for row, size in enumerate(texts)))
    status, output, errors = command("simulate", path, "--policy", "lru", "--capacity", "20B", "--json")
    assert status == 0, errors
    frame = pandas.DataFrame({"time": np.arange(4) + 0.25, "key": [0, 1, 0, 1], "size": sizes})
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        found = cachereplay.simulate(frame, "lru", "20B")
    assert without_rates(found.json) == without_rates(json.loads(output))
    assert [str(one.message) for one in warned] == [
        line.replace(str(path), "requests") for line in errors.splitlines()]


def test_requests_in_parts_of_seconds_keep_their_times(columns, csv_file):
    tenths = dict(columns, time=np.arange(5000) / 10)
    found = cachereplay.simulate(tenths, "lru", "20KB", every="50s").pandas("over_time")
    assert list(found.requests) == [500] * 10


def test_nothing_is_left_behind(columns, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    cachereplay.simulate(columns, "lru", "20KB", every=100)
    with pytest.raises(cachereplay.CacheReplayError):
        cachereplay.simulate(columns, "nopolicy", "20KB")
    assert list(tmp_path.iterdir()) == []


def test_folders_of_killed_processes_are_removed(columns, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    program = (
        "import cachereplay, os, signal\n"
        "from cachereplay import _traces\n"
        "session = _traces.Session(_traces._scratch_folder())\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n")
    killed = subprocess.run([sys.executable, "-c", program], check=False)
    assert killed.returncode == -9
    left, = tmp_path.iterdir()
    assert re.fullmatch(r"cachereplay-python-[0-9]+-0", left.name) and left.stat().st_mode & 0o777 == 0o700
    own, other = tmp_path / f"cachereplay-python-{os.getpid()}-7", tmp_path / "cachereplay-python-mine"
    for folder in own, other:
        folder.mkdir()
    cachereplay.simulate(columns, "lru", "20KB")
    assert sorted(tmp_path.iterdir()) == sorted([own, other])
