"""CacheReplay from Python: simulate cache policies and replay sessions, on files and on data frames.

    import cachereplay, pandas
    requests = pandas.read_csv("requests.csv")
    cachereplay.curve(requests, "lru,s3fifo").plot()
"""

from ._errors import (
    BadDataError,
    CacheEndedError,
    CacheReplayError,
    CacheReplayWarning,
    EndedError,
    MissingToolError,
    NoInputError,
    OutputError,
    UsageError,
)
from ._results import Curve, Result
from ._simulate import curve, simulate

__version__ = "0.1.0"
__all__ = [
    "BadDataError",
    "CacheEndedError",
    "CacheReplayError",
    "CacheReplayWarning",
    "Curve",
    "EndedError",
    "MissingToolError",
    "NoInputError",
    "OutputError",
    "Result",
    "UsageError",
    "curve",
    "simulate",
]
