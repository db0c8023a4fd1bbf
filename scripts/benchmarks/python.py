"""Measures the Python package: from 20 million requests to figures, and what a call adds to the command.

    scripts/bench python

Prints one row for each figure as CSV, and on standard error the wall-clock and the processor time of the parts: reading
Parquet into records, the command on these records, and the whole call. The requests follow Zipf's law over a million
objects; files are in the page cache. The figure is that of LRU at 5 % of the bytes. The best of some runs counts.
"""

import csv
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(PROJECT / "Sources" / "Python"))
sys.dont_write_bytecode = True
REQUESTS, OBJECTS, RUNS, CALLS = int(os.environ.get("CACHEREPLAY_BENCH_REQUESTS", 20_000_000)), 1_000_000, 3, 20


def timed(work):
    """The least wall-clock time of some runs, and the processor time of this process and its children in that run."""

    def processor():
        usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(usage.ru_utime + usage.ru_stime for usage in usages)

    found = []
    for _ in range(RUNS):
        start, before = time.perf_counter(), processor()
        work()
        found.append((time.perf_counter() - start, processor() - before))
    return min(found)


def main():
    os.environ["CACHEREPLAY"] = os.path.abspath(sys.argv[1])
    import numpy
    import pandas
    import pyarrow
    import pyarrow.parquet

    import cachereplay

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["benchmark", "metric", "unit", "ours", "peer_name", "peer", "ratio"])

    def row(benchmark, metric, unit, ours, goal, *, is_rate):
        ratio = ours / goal if is_rate else goal / ours
        writer.writerow([benchmark, metric, unit, f"{ours:.3f}", "the bar set for it", f"{goal:.3f}", f"{ratio:.2f}"])
        sys.stdout.flush()

    random = numpy.random.default_rng(1)
    keys = random.zipf(1.2, REQUESTS) % OBJECTS
    frame = pandas.DataFrame({
        "timestamp": numpy.arange(REQUESTS) // 1000, "obj_id": keys * 2654435761, "obj_size": 100 * (1 + keys % 1000)})
    del keys
    with tempfile.TemporaryDirectory(prefix="cachereplay-python-bench-") as folder:
        path = Path(folder) / "requests.parquet"
        table = pyarrow.Table.from_pandas(frame, preserve_index=False)
        pyarrow.parquet.write_table(table, path)
        del table
        file = cachereplay.parquet.read(path)
        records = Path(folder) / "requests.oracleGeneral"

        def read():
            descriptor = os.memfd_create("requests")
            assert file.write_records(descriptor)
            os.close(descriptor)

        descriptor = os.open(records, os.O_RDWR | os.O_CREAT)
        file.write_records(descriptor)
        os.close(descriptor)
        what = f"{REQUESTS / 1e6:g} million requests, lru at 5%"
        parts = {
            "Parquet to records": read,
            "the command on the records": lambda: cachereplay.simulate(records, "lru", "5%"),
            "from Parquet to the figures": lambda: cachereplay.simulate(path, "lru", "5%"),
            "from a DataFrame to the figures": lambda: cachereplay.simulate(frame, "lru", "5%"),
        }
        for name, work in parts.items():
            wall, processor = timed(work)
            print(f"{name}: {wall:.2f} s, {processor:.2f} s of processors", file=sys.stderr)
            row(what, name, "1/s", REQUESTS / wall, 10_000_000, is_rate=True)
            # Other work on the machine hardly counts here.
            row(what, f"{name}, by processor time", "1/s", REQUESTS / processor, 10_000_000, is_rate=True)

        small = frame[:5000]
        csv_file = Path(folder) / "small.csv"
        small.to_csv(csv_file, index=False)
        command = [os.environ["CACHEREPLAY"], "simulate", str(csv_file), "--policy", "lru", "--capacity", "5%", "--json"]
        added = []
        for _ in range(CALLS):
            start = time.perf_counter()
            subprocess.run(command, capture_output=True, check=True)
            middle = time.perf_counter()
            cachereplay.simulate(small, "lru", "5%").pandas()
            added.append((time.perf_counter() - middle) - (middle - start))
        row("simulate on a DataFrame of 5,000 requests", "what a call adds to the command, median", "s",
            max(1e-6, statistics.median(added)), 0.05, is_rate=False)
    return 0


if __name__ == "__main__":
    sys.exit(main())
