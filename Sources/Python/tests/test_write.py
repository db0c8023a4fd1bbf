"""Requests in memory as compiled files."""

import os

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import cachereplay
from conftest import ROOT, without_rates

SIZES = "1%,5%,20KB"


@pytest.fixture(scope="module")
def compiled(csv_file, command, tmp_path_factory):
    """The bytes that the command compiles of the CSV file."""
    path = tmp_path_factory.mktemp("compiled") / "requests.crtrace"
    status, _, errors = command("trace", "compile", csv_file, path)
    assert status == 0, errors
    return path.read_bytes()


KINDS = {"pandas": pandas.DataFrame, "polars": polars.DataFrame, "arrow": pyarrow.table, "dictionary": dict}


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_columns_become_the_file_of_the_command(make, columns, compiled, csv_file, printed, tmp_path):
    path = tmp_path / "requests.crtrace"
    path.write_text("old")
    assert cachereplay.trace.write(make(columns), path) == path
    assert path.read_bytes() == compiled
    assert os.listdir(tmp_path) == ["requests.crtrace"]
    found = cachereplay.simulate(path, "lru,sieve", SIZES)
    assert without_rates(found.json) == printed("simulate", csv_file, "--policy", "lru,sieve", "--capacity", SIZES)


@pytest.mark.parametrize("make", [pandas.DataFrame, polars.DataFrame], ids=["pandas", "polars"])
def test_texts_as_keys_and_missing_sizes_are_kept(make, command, tmp_path):
    frame = make({"time": [0, 1, 2, 3], "key": ["a", "b,c", "a", "é"], "size": [5, None, 5, 7]})
    with pytest.warns(cachereplay.CacheReplayWarning, match="1 of 3 objects have no size; each counts as .* 7 bytes"):
        path = cachereplay.trace.write(frame, str(tmp_path / "a.crtrace"))
    status, _, errors = command("trace", "convert", path, tmp_path / "a.csv")
    assert status == 0, errors
    assert (tmp_path / "a.csv").read_text() == (
        'time_us,key,size\n0,a,5\n1000000,"b,c",\n2000000,a,5\n3000000,é,7\n')


def test_columns_are_named_and_arrays_are_written(columns, compiled, tmp_path):
    frame = pandas.DataFrame({"picture": columns["key"], "when": columns["time"] * 1000, "size": columns["size"]})
    names = {"key_column": "picture", "time_column": "when", "time_unit": "ms"}
    assert cachereplay.trace.write(frame, tmp_path / "a.crtrace", **names).read_bytes() == compiled
    array = np.stack([columns["time"], columns["key"], columns["size"]], axis=1)
    assert cachereplay.trace.write(array, tmp_path / "b.crtrace").read_bytes() == compiled


def test_files_are_compiled(columns, compiled, csv_file, tmp_path):
    assert cachereplay.trace.write(csv_file, tmp_path / "a.crtrace").read_bytes() == compiled
    parquet = tmp_path / "a.parquet"
    pandas.DataFrame(columns).to_parquet(parquet)
    assert cachereplay.trace.write(parquet, tmp_path / "b.crtrace").read_bytes() == compiled


def test_a_compiled_file_is_a_trace_everywhere(columns, tmp_path):
    path = cachereplay.trace.write(pandas.DataFrame(columns), tmp_path / "week.crtrace")
    curves = [cachereplay.curve(trace, points=5).pandas().miss_ratio.tolist() for trace in (path, columns)]
    assert curves[0] == curves[1]
    assert cachereplay.trace.info(path).pandas().requests.tolist() == [5000]
    named = cachereplay.simulate({"monday": path, "frame": columns}, "lru", "20KB").pandas()
    assert named.trace.tolist() == ["monday", "frame"] and named.misses.nunique() == 1
    listed = cachereplay.simulate([path, columns], "lru", "20KB").pandas()
    assert listed.trace.tolist() == ["week", "requests"] and listed.misses.nunique() == 1
    session = cachereplay.trace.write(ROOT / "Traces" / "stress-flicks.jsonl", tmp_path / "stress-flicks.crtrace")
    for call in (cachereplay.replay, cachereplay.explain):
        source = call(ROOT / "Traces" / "stress-flicks.jsonl", "nuke-13", timing="modelled")
        found = call(session, "nuke-13", timing="modelled")
        assert len(found) > 0 and without_places(found) == without_places(source)


def without_places(found):
    """Returns the rows without the paths of the traces and what depends on the machine."""
    apart = ("path", "file", "source", "fingerprint", "wall", "cpu", "rss", "process")
    return [{k: v for k, v in row.items() if not any(part in k for part in apart)} for row in found.rows()]


def test_wrong_calls_are_refused_and_leave_the_file(columns, tmp_path):
    path = tmp_path / "a.crtrace"
    path.write_text("old")
    with pytest.raises(cachereplay.UsageError, match="expected one that ends in .crtrace"):
        cachereplay.trace.write(columns, tmp_path / "a.csv")
    with pytest.raises(cachereplay.UsageError, match="There are 2 traces; write each to a file of its own"):
        cachereplay.trace.write([columns, columns], path)
    dates = ["2026-01-03T00:00:00Z", "2026-01-01T00:00:00Z"]
    for times in ([2, 1], dates):
        with pytest.raises(cachereplay.BadDataError, match="Sort the rows by their times first"):
            cachereplay.trace.write(pandas.DataFrame({"time": times, "key": [1, 2], "size": [1, 1]}), path)
    with pytest.raises(cachereplay.BadDataError, match="^requests:3: expected the "):
        cachereplay.trace.write({"time": [0, 1], "key": [1, 2], "size": [1, -1]}, path)
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["a.crtrace"]
    with pytest.raises(cachereplay.NoInputError, match="^nowhere.csv: no such file$"):
        cachereplay.trace.write("nowhere.csv", path)
    with pytest.raises(cachereplay.OutputError, match=f"^{tmp_path}/none/a.crtrace: "):
        cachereplay.trace.write(columns, tmp_path / "none" / "a.crtrace")
    (tmp_path / "b.crtrace").mkdir()
    with pytest.raises(cachereplay.OutputError, match=f"^{tmp_path}/b.crtrace: cannot be created: "):
        cachereplay.trace.write(columns, tmp_path / "b.crtrace")
