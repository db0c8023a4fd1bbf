"""Policies in Python and in C."""

import functools
import shutil
from collections import OrderedDict

import pandas
import pytest

import cachereplay
from conftest import ROOT, without_rates


class LRU(cachereplay.Policy):
    """Least recently used."""

    def __init__(self, limit):
        self.limit, self.held, self.sizes = limit, 0, OrderedDict()

    def lookup(self, key):
        if key not in self.sizes:
            return False
        self.sizes.move_to_end(key)
        return True

    def admit(self, key, size):
        self.remove(key)
        if size > self.limit:
            return
        self.sizes[key] = size
        self.held += size
        while self.held > self.limit:
            self.held -= self.sizes.popitem(last=False)[1]

    def remove(self, key):
        self.held -= self.sizes.pop(key, 0)

    def clear(self):
        self.sizes.clear()
        self.held = 0


@pytest.mark.parametrize("session", ["stress-flicks.jsonl", "photo-feed.jsonl"])
def test_lru_in_python_is_lru(session):
    trace = ROOT / "Traces" / session
    found = cachereplay.replay(trace, {"mine": functools.partial(LRU, 20_000_000), "lru": "lru(20MB)"},
                               timing="modelled", more=["--memory-warning-at", "every 20s"])
    mine, theirs = found.rows()
    assert mine["cache"] == "mine" and mine["cache_faults"] == 0
    # The command does not know what a program evicts, and a program has no limits that are not images.
    own = {"cache", "base_cache", "cache_faults", "memory_evictions", "memory_expirations", "image_memory_peak_bytes"}
    assert {k: v for k, v in mine.items() if k not in own} == {k: v for k, v in theirs.items() if k not in own}


def test_a_class_is_named_by_its_name_and_each_run_has_an_object(columns):
    made = []

    class Mine(LRU):
        def __init__(self):
            super().__init__(20_000)
            made.append(self)

    found = cachereplay.replay({"one": columns, "two": columns}, [Mine, "fifo(20KB)"], timing="instant")
    assert list(found.pandas().cache).count("Mine") == 2 and len(made) == 2
    hits = found.pandas().groupby("cache").memory_hits.unique()
    assert len(hits["Mine"]) == 1 and hits["Mine"][0] > 0


def test_simulate_takes_classes(columns):
    found = cachereplay.simulate(columns, ["lru", LRU, "fifo"], [20_000, 60_000]).pandas()
    assert list(found.policy) == ["lru", "lru", "LRU", "LRU", "fifo", "fifo"]
    figures = ["capacity", "unit", "requests", "misses", "miss_bytes", "miss_ratio"]
    pandas.testing.assert_frame_equal(found[found.policy == "LRU"][figures].reset_index(drop=True),
                                      found[found.policy == "lru"][figures].reset_index(drop=True))
    with pytest.raises(cachereplay.UsageError, match="A policy in Python needs capacities as whole numbers of bytes"):
        cachereplay.simulate(columns, LRU, "5%")


def test_keys_keep_their_characters():
    keys = ["a\tb", "line\nend", "back\\slash", "\\", "ü", "two\\\\"]
    seen = set()

    class Seeing(LRU):
        def lookup(self, key):
            seen.add(key)
            return super().lookup(key)

    frame = pandas.DataFrame({"time": range(12), "key": keys * 2, "size": 10})
    found = cachereplay.replay(frame, {"seeing": lambda: Seeing(1000)}, timing="instant").rows()[0]
    assert found["memory_hits"] == 6 and seen == set(keys)


def test_what_a_policy_raises_reaches_the_caller(columns):
    class Broken(LRU):
        def admit(self, key, size):
            raise ZeroDivisionError("in the policy")

    with pytest.raises(ZeroDivisionError, match="in the policy"):
        cachereplay.replay(columns, lambda: Broken(10), timing="instant")


def test_wrong_policies(columns):
    class Liar(LRU):
        def lookup(self, key):
            return True

    with pytest.raises(cachereplay.BadDataError, match="says that it holds '145', which it was not offered"):
        cachereplay.replay(columns, lambda: Liar(10), timing="instant")
    with pytest.raises(cachereplay.BadDataError, match="A cache is a dict; expected an object of a subclass of Policy"):
        cachereplay.replay(columns, dict, timing="instant")
    with pytest.raises(cachereplay.UsageError, match="A cache is a LRU; expected a specification, or a class"):
        cachereplay.replay(columns, LRU(10), timing="instant")
    # The sentence of the command.
    with pytest.raises(cachereplay.CacheReplayError, match="--timing modelled"):
        cachereplay.replay(columns, lambda: LRU(10))


@pytest.mark.parametrize("option", [
    {"cost": "encoded"}, {"sizes": "first"}, {"curve": True}, {"bounds": True}, {"sample": "50%"},
    {"warmup": "10%"}, {"ignore_size": True},
])
def test_what_a_policy_in_python_cannot_have_is_an_error(columns, option):
    with pytest.raises(cachereplay.UsageError, match=f"leave {next(iter(option))} out"):
        cachereplay.simulate(columns, LRU, [20_000], **option)


@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler")
def test_a_policy_in_c(columns, csv_file, printed, tmp_path):
    library = cachereplay.build_plugin(ROOT / "Examples" / "Plugin" / "second_chance.c", tmp_path / "second_chance.so")
    arguments = {"policy": "fifo,second-chance", "capacity": "20KB", "plugin": library}
    expected = printed("simulate", csv_file, *cachereplay._options.options(arguments))
    assert without_rates(cachereplay.simulate(columns, **arguments).json) == expected
    assert expected[0]["misses"] != expected[1]["misses"]
    broken = tmp_path / "broken.c"
    broken.write_text("int")
    with pytest.raises(cachereplay.BadDataError, match="broken.c: the compiler refuses it"):
        cachereplay.build_plugin(broken, tmp_path / "broken.so")
