"""Replays, explanations, advice and statistics are those of the command."""

import json

import pandas
import polars
import pytest

import cachereplay
from conftest import ROOT, without_rates

SESSION = ROOT / "Traces" / "stress-flicks.jsonl"
CACHES = ["kingfisher-8", "lru(20MB)"]


@pytest.fixture(scope="module")
def replayed():
    return cachereplay.replay(SESSION, CACHES, timing="modelled")


def test_a_replay_has_the_rows_and_the_sentences_of_the_command(replayed, printed, tmp_path):
    arguments = ["--cache", CACHES[0], "--cache", CACHES[1], "--timing", "modelled", "--no-charts"]
    expected = printed("replay", SESSION, *arguments, "--output", tmp_path / "o")
    assert without_rates(replayed.json) == expected
    assert replayed.findings == [one["text"] for one in expected["conclusions"]] and replayed.findings
    table = pandas.read_csv(tmp_path / "o" / "summary.csv")
    frame = replayed.pandas()
    assert list(frame.cache) == list(table.cache) == CACHES and replayed.tables[0] == "results"
    for column in ["requests", "memory_hits", "blank_ratio", "memory_peak_bytes", "origin_bytes"]:
        assert list(frame[column]) == list(table[column])
    assert len(replayed.pandas("latency")) == len(pandas.read_csv(tmp_path / "o" / "latency.csv"))


def test_the_tables_of_a_replay_are_read_by_polars_and_arrow(replayed):
    for name in replayed.tables:
        rows = replayed.rows(name)
        assert replayed.polars(name).height == len(rows) == replayed.arrow(name).num_rows, name
    best = replayed.polars().sort("blank_ratio").select("cache").item(0, 0)
    assert best == "kingfisher-8"
    assert isinstance(replayed.polars()["blank_ratio"].dtype, polars.Float64)


def test_many_sessions_have_figures_of_users():
    found = cachereplay.replay(ROOT / "Traces" / "people-feed.tar.xz", ["lru(20MB)", "nuke-13"], timing="modelled")
    assert found.tables[:3] == ["figures", "pairs", "latencies"] and found.findings
    figures = found.pandas()
    assert set(figures.cache) == {"lru(20MB)", "nuke-13"} and figures["mean.value"].notna().any()
    assert found.polars("pairs").height == len(found.json["pairs"])


def test_results_are_kept_where_the_caller_says(tmp_path):
    found = cachereplay.replay(SESSION, {"small": "lru(2MB)"}, timing="instant", output=tmp_path / "o",
                               more=["--no-charts"])
    assert list(found.pandas().cache) == ["small"]
    assert list(pandas.read_csv(tmp_path / "o" / "summary.csv").cache) == ["small"]
    with pytest.raises(cachereplay.OutputError, match="--force"):
        cachereplay.replay(SESSION, "lru(2MB)", timing="instant", output=tmp_path / "o")


def test_an_explanation_has_the_figures_of_the_command(printed):
    found = cachereplay.explain(SESSION, "kingfisher-8")
    expected = printed("explain", SESSION, "--cache", "kingfisher-8")
    assert found.json == expected
    causes = found.pandas("causes")
    assert causes[causes.tier == "memory"].requests.sum() == expected[0]["requests"] - expected[0]["memory_hits"]
    assert found.pandas().loc[0, "least_blank.ms"] == expected[0]["least_blank"]["ms"]
    assert "two rows prefetched" in set(found.polars("changes")["name"])


def test_advice_has_the_findings_of_the_command(printed):
    arguments = {"memory": "64MB", "caches": ["nuke-13", "kingfisher-8"]}
    found = cachereplay.advise(SESSION, **arguments)
    expected = printed("advise", SESSION, "--memory", "64MB", "--for", "nuke-13,kingfisher-8")
    assert found.json == expected and found.findings[0] == expected["findings"][0]["text"]
    assert set(found.pandas().cache) == {"nuke-13", "kingfisher-8"}
    assert len(found.pandas("levers")) == len(expected["levers"])


@pytest.mark.filterwarnings("ignore:.*fewer than 10 requests per object")
def test_statistics(printed, command, csv_file, columns):
    sessions = [SESSION, ROOT / "Traces" / "photo-feed.jsonl"]
    found = cachereplay.trace.info(sessions)
    assert found.json == printed("trace", "info", *sessions)
    frame = found.pandas()
    assert list(frame.trace) == ["stress-flicks", "photo-feed"] and list(frame.requests) == [1641, 857]
    assert frame["events.scroll"][0] == 858
    assert list(cachereplay.trace.info(ROOT / "Traces" / "people-feed.tar.xz").pandas().trace)[-1] == "56"
    of_file = json.loads(command("trace", "info", csv_file, "--json")[1])
    of_frame = cachereplay.trace.info(pandas.DataFrame(columns)).json
    assert of_frame | {"format": "csv"} == of_file
    assert cachereplay.trace.info(columns).pandas("working_set").requests.sum() == 5000


def test_requests_are_replayed(columns, csv_file, printed, tmp_path):
    texts = pandas.DataFrame(columns).assign(key=["picture-%d" % key for key in columns["key"]])
    found = cachereplay.replay(texts, "lru(20KB)", timing="instant")
    expected = printed("replay", csv_file, "--cache", "lru(20KB)", "--timing", "instant", "--no-charts", "--output",
                       tmp_path / "o")
    assert without_rates(found.json) == expected
    worst = cachereplay.explain(texts, "lru(20KB)", timing="instant").pandas("worst_keys")
    assert all(key.startswith("picture-") for key in worst.get("key", []))


def test_keys_below_zero_keep_their_texts():
    frame = pandas.DataFrame({"time": range(6), "key": [-5, 7, -6, -5, 7, -6], "size": 10})
    worst = cachereplay.explain(frame, "memory: lru(10B); disk: none", timing="modelled").pandas("worst_keys")
    assert set(worst.key) <= {"-5", "7", "-6"} and len(worst) > 0


def test_wrong_caches_have_the_sentence_of_the_command(command, tmp_path):
    status, _, errors = command("replay", SESSION, "--cache", "kingfisher-9", "--output", tmp_path / "o")
    with pytest.raises(cachereplay.CacheReplayError) as raised:
        cachereplay.replay(SESSION, "kingfisher-9")
    assert str(raised.value) == errors.strip().removeprefix("cachereplay: ") and raised.value.status == status
    with pytest.raises(cachereplay.UsageError, match="A cache is a int; expected a specification"):
        cachereplay.replay(SESSION, [5])
