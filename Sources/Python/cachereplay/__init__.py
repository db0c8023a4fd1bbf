"""CacheReplay from Python: simulate cache policies and replay sessions, on files and on data frames.

    import cachereplay, pandas
    requests = pandas.read_csv("requests.csv")
    cachereplay.curve(requests, "lru,s3fifo").plot()
"""

from importlib.metadata import PackageNotFoundError, version

from . import parquet, trace
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
from ._plugins import build_plugin, include
from ._policies import Policy
from ._replay import advise, explain, replay
from ._results import Curve, Result
from ._simulate import curve, simulate

try:
    #: The version of the wheel, which is that of the program in it.
    __version__ = version("cachereplay")
except PackageNotFoundError:  # The source tree.
    __version__ = "development"

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
    "Policy",
    "Result",
    "UsageError",
    "advise",
    "build_plugin",
    "curve",
    "explain",
    "include",
    "parquet",
    "replay",
    "simulate",
    "trace",
]
