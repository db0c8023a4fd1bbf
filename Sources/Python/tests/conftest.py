"""Requests that the tests share, and the program on them as CSV."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
for place in (".build/release/cachereplay", ".build/debug/cachereplay"):
    if "CACHEREPLAY" not in os.environ and (ROOT / place).exists():
        os.environ["CACHEREPLAY"] = str(ROOT / place)


@pytest.fixture(scope="session")
def columns():
    """5,000 requests for 400 objects, whose sizes do not change, in whole seconds."""
    random = np.random.default_rng(7)
    key = random.zipf(1.3, 5000) % 400
    return {"time": np.arange(5000) // 10, "key": key, "size": 100 + (key * 7919) % 5000}


@pytest.fixture(scope="session")
def csv_file(columns, tmp_path_factory):
    """The requests as a CSV file with the name that tables have in results."""
    path = tmp_path_factory.mktemp("csv") / "requests.csv"
    rows = zip(*(values.tolist() for values in columns.values()))
    path.write_text("time,key,size\n" + "".join(f"{time},{key},{size}\n" for time, key, size in rows))
    return path


@pytest.fixture(scope="session")
def command():
    """Runs the program, and returns its exit code, its output and its errors."""
    from cachereplay._command import program

    def run(*arguments):
        done = subprocess.run([program(), *map(str, arguments)], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture(scope="session")
def printed(command):
    """Returns what the program prints as JSON, without the rates that differ from run to run."""

    def run(*arguments):
        status, output, errors = command(*arguments, "--json")
        assert status == 0, errors
        return without_rates(json.loads(output))

    return run


def without_rates(value):
    if isinstance(value, list):
        return [without_rates(item) for item in value]
    if isinstance(value, dict):
        return {key: without_rates(item) for key, item in value.items() if key not in ("requests_per_s", "wall_s")}
    return value


@pytest.fixture
def sentence(command, tmp_path):
    """Returns the sentence with which the program refuses a CSV file of the name `requests`."""

    def of(text, *arguments):
        path = tmp_path / "requests.csv"
        path.write_text(text)
        status, _, errors = command("simulate", path, *(arguments or ("--policy", "lru", "--capacity", "100B")))
        assert status != 0
        return errors.strip().removeprefix("cachereplay: ").replace(str(path), "requests")

    return of
