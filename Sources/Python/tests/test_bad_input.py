"""Wrong input is refused with the sentence of the command for the same CSV file."""

import os
import stat
import sys
import textwrap

import numpy as np
import pandas
import pytest

import cachereplay

FRAME = {"time": [0, 1, 2], "key": [5, 6, 5], "size": [10, 20, 10]}


def refused(error=cachereplay.BadDataError, frame=FRAME, policy="lru", capacity="100B", **columns):
    with pytest.raises(error) as raised:
        cachereplay.simulate(pandas.DataFrame(frame), policy, capacity, **columns)
    return str(raised.value)


@pytest.mark.parametrize(
    "column, values, texts",
    [
        ("size", [10, -20, 10], ["10", "-20", "10"]),
        ("size", [10, 2.5, 10], ["10", "2.5", "10"]),
        ("size", [10, "many", 10], ["10", "many", "10"]),
        ("size", [10, 2**50, 10], ["10", str(2**50), "10"]),
        ("size", [True, False, True], ["True", "False", "True"]),
        ("time", [0, -1, 2], ["0", "-1", "2"]),
        ("time", [0.5, 1e30, 2], ["0.5", "1e+30", "2.0"]),
        ("time", [0, "noon", 2], ["0", "noon", "2"]),
        ("time", [0, None, 2], ["0.0", "", "2.0"]),
        ("time", [0, 5 * 10**10, 2], ["0", "50000000000", "2"]),
        ("time", pandas.to_timedelta([0, -1, 2], unit="us"), ["0", "-1", "2"]),
        ("time", pandas.to_datetime([0, -1, 2], unit="us"), ["0", "-1", "2"]),
    ],
)
def test_a_wrong_value_has_the_sentence_and_the_line_of_the_command(column, values, texts, sentence):
    frame = FRAME | {column: values}
    as_text = {name: [str(value) for value in column] for name, column in FRAME.items()} | {column: texts}
    rows = "".join(",".join(row) + "\n" for row in zip(*as_text.values()))
    said = sentence("time,key,size\n" + rows)
    assert refused(frame=frame) == said
    assert said.startswith(("requests:2: expected the ", "requests:3: expected the "))


def test_unsorted_times_are_refused(command, tmp_path):
    frame = FRAME | {"time": [2, 0, 1]}
    path = tmp_path / "requests.csv"
    pandas.DataFrame(frame).to_csv(path, index=False)
    status, _, errors = command("simulate", path, "--policy", "lru", "--capacity", "100B")
    said = errors.strip().replace(str(path), "requests").replace(": warning: ", ": ")
    assert status == 0 and said == "requests: the times of 2 requests are before that of a preceding request; " + (
        "they are raised to it")
    assert refused(frame=frame) == said + ". Sort the rows by their times first."
    dates = ["2026-01-03T00:00:00Z", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]
    assert refused(frame=frame | {"time": dates}) == said + ". Sort the rows by their times first."


def test_no_column_of_keys(sentence):
    frame = {"time": [0], "weight": [1], "size": [3]}
    said = sentence("time,weight,size\n0,1,3\n")
    assert said.startswith("requests:1: no column has the name of a key")
    # The command names a line of the file and an option.
    said = said.replace("requests:1:", "requests:").replace("--key-column with", "key_column with")
    assert refused(frame=frame) == said
    assert refused(frame=frame, key_column="pictures").startswith("requests: there is no column 'pictures'; pass ")


def test_no_rows(sentence):
    assert refused(frame={"time": [], "key": [], "size": []}) == sentence("time,key,size\n")


def test_wrong_types():
    assert "the keys have the type bool" in refused(frame=FRAME | {"key": [True, False, True]})
    assert refused(frame=FRAME | {"key": [1.5, 2, 3]}) == "requests:2: the key is 1.5; expected whole numbers or " + (
        "texts as keys")
    assert refused(frame=FRAME | {"key": ["a", None, "b"]}) == "requests:3: expected the key, found nothing"
    assert "keys have the type list; expected whole" in refused(frame=FRAME | {"key": [[1], [2], [1]]})
    with pytest.raises(cachereplay.BadDataError, match="A trace is a int; expected a path"):
        cachereplay.simulate(5, "lru", "1MB")
    with pytest.raises(cachereplay.BadDataError, match="an array of shape .2, 2, 2."):
        cachereplay.simulate(np.zeros((2, 2, 2)), "lru", "1MB")


def test_wrong_arguments_have_the_sentence_of_the_command(sentence):
    good = "time,key,size\n0,5,10\n"
    for policy, capacity in [("lruu", "100B"), ("lru", "20"), ("lru(", "20B")]:
        said = sentence(good, "--policy", policy, "--capacity", capacity)
        assert refused(cachereplay.CacheReplayError, policy=policy, capacity=capacity) == said
    assert refused(cachereplay.UsageError, policy=None).startswith("No policy is given. Give --policy lru,fifo;")
    with pytest.raises(cachereplay.NoInputError, match="^nowhere.csv: no such file$"):
        cachereplay.simulate("nowhere.csv", "lru", "20B")


def program(folder, text):
    path = folder / "cachereplay"
    path.write_text("#!/bin/sh\n" + textwrap.dedent(text))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_a_killed_program(tmp_path, monkeypatch):
    monkeypatch.setenv("CACHEREPLAY", program(tmp_path, "kill -9 $$\n"))
    with pytest.raises(cachereplay.EndedError) as raised:
        cachereplay.simulate(FRAME, "lru", "20B")
    # The words of the command for its own processes.
    assert str(raised.value) == "its process ended with signal 9 (Killed): cachereplay simulate"
    assert raised.value.status == -9


def test_no_program(tmp_path, monkeypatch):
    monkeypatch.setenv("CACHEREPLAY", str(tmp_path / "nothing"))
    with pytest.raises(cachereplay.MissingToolError, match="nothing: cannot be started: No such file or directory"):
        cachereplay.simulate(FRAME, "lru", "20B")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CACHEREPLAY")
    if not os.path.exists(os.path.join(os.path.dirname(cachereplay.__file__), "bin", "cachereplay")):
        with pytest.raises(cachereplay.MissingToolError, match="Install the wheel that scripts/python builds"):
            cachereplay.simulate(FRAME, "lru", "20B")


def test_a_missing_package_is_named(monkeypatch):
    found = cachereplay.simulate(FRAME, "lru", "100B")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(cachereplay.MissingToolError, match="needs the package polars. Install it: pip install polars"):
        found.polars()
