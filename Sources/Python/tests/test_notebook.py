"""The notebook runs from a DataFrame to a finding, the lines of the pages work, and a call costs little."""

import json
import re
import statistics
import subprocess
import time
from pathlib import Path

import numpy as np
import pandas
import pytest

import cachereplay
from cachereplay._command import program
from conftest import ROOT

PYTHON = Path(__file__).resolve().parents[1]
PAGES = [PYTHON / "README.md", ROOT / "Sources/CacheReplayCommand/CacheReplayCommand.docc/Python.md"]


@pytest.fixture
def pyplot():
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def test_the_notebook_goes_from_a_frame_to_a_finding(pyplot, capsys):
    path = PYTHON / "notebooks" / "from-dataframe-to-finding.ipynb"
    notebook = json.loads(path.read_text())
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(not cell.get("outputs") for cell in notebook["cells"]), "commit the notebook without outputs"
    names = {}
    for cell in cells:
        exec(compile(cell, path.name, "exec"), names)
    assert len(names["curve"].pandas()) == 40 and len(pyplot.get_fignums()) == 1
    assert names["table"].shape == (5, 3) and names["table"].idxmin().eq("belady").all()
    own = names["own"].groupby("policy").misses.apply(list)
    assert own["lru"] == own["MyLRU"]
    assert capsys.readouterr().out.startswith("* S3-FIFO and W-TinyLFU tie on requests, ")


@pytest.mark.filterwarnings("ignore::cachereplay.CacheReplayWarning")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_lines_of_a_page_work(page, pyplot, columns, tmp_path, monkeypatch):
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    assert blocks
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Traces").symlink_to(ROOT / "Traces")
    (tmp_path / "second_chance.c").symlink_to(ROOT / "Examples" / "Plugin" / "second_chance.c")
    frame = pandas.DataFrame(columns)
    frame.to_csv("requests.csv", index=False)
    renamed = frame.rename(columns={"time": "timestamp", "key": "obj_id", "size": "obj_size"})
    renamed.assign(op="get").to_parquet("requests.parquet")
    names = {}
    for block in blocks:
        exec(compile(block, page.name, "exec"), names)


def test_a_call_costs_little_more_than_the_command(columns, csv_file, capsys):
    """Prints the difference. It is not asserted: other work can take the processor meanwhile."""
    arguments = [program(), "simulate", str(csv_file), "--policy", "lru", "--capacity", "20KB", "--json"]

    def seconds(call):
        start = time.perf_counter()
        call()
        return time.perf_counter() - start

    frame = pandas.DataFrame(columns)
    added = []
    for _ in range(10):
        command = seconds(lambda: subprocess.run(arguments, capture_output=True, check=True))
        added.append(seconds(lambda: cachereplay.simulate(frame, "lru", "20KB").pandas()) - command)
    with capsys.disabled():
        print(f"\na call of simulate with 5,000 requests adds {1000 * statistics.median(added):.1f} ms", end=" ")
    assert np.isfinite(added).all()
