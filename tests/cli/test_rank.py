"""Commands about what judgements come to: rank, correlate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.__main__ import main
from core.statistics.ratings import RATINGS
from tests.cli.asked import STATISTIC, Run, called, has, measure


def test_rank(run: Run) -> None:
    document = run("rank --method win-ratio --bootstrap 20")
    assert has(document, "connected rows", *STATISTIC)
    columns = "system rating low high rank_low rank_high wins losses ties judgements"
    assert all(has(row, columns) for row in document["rows"])
    # By hand, of each person and item: y beats x, y beats z, z and x tie.
    ratings = {row["system"]: row["rating"] for row in document["rows"]}
    assert ratings == {"y": 1.0, "z": 0.25, "x": 0.25}
    assert document["connected"] is True
    assert (document["judgements"], document["unanswered"]) == (36, {"skipped": 12})
    for method in ("win-ratio", "bradley-terry", "elo"):
        document = run(f"rank --method {method} --by candidate --judges Ada --subset odd")
        assert has(document, "connected rows", *STATISTIC)
        assert len(document["rows"]) == 9
        assert all(has(row, "item generation system rating wins") for row in document["rows"])


NEEDS = {"sep-elo": ("--separability", "rouge1"), "length-controlled": ("--baseline", "y")}


def test_rank_by_every_method(run: Run, target: Path, subtests: pytest.Subtests) -> None:
    measure(target)
    run("judge --judge baseline:embedding --pairs full")
    for method in RATINGS:
        judges = "--judges baseline:embedding --bootstrap 20"
        words = (f"rank --method {method} {judges}", *NEEDS.get(method, ()))
        with subtests.test(method):
            if method == "pairs":
                run("judge --judge baseline:embedding --pairs pairs-greedy")
            plain = run(*words)
            assert len(plain["rows"]) == 3
            defined = {"y"} if method == "length-controlled" else set()
            assert {row["system"] for row in plain["rows"] if row["low"] is None} == defined
            assert plain["position_effect"] is None
            if RATINGS[method].position_effect:
                assert isinstance(run(*words, "--position-term")["position_effect"], float)
            debiased = () if method == "pairs" else ("swap", "threshold")
            for how in debiased:
                assert f"|debias:{how}|" in run(*words, "--debias", how)["signature"]
            level = "system" if RATINGS[method].learns else "item"  # of all items at once
            correlate = f"correlate --method {method} --judges baseline:embedding --against human"
            swap = ("--debias", "swap") if debiased else ()
            correlated = run(f"{correlate} --level {level}", *NEEDS.get(method, ()), *swap)
            assert -1 <= correlated["spearman"] <= 1


def test_why_separability_changes_a_rating_is_told_whole(
    run: Run, target: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    measure(target)
    words = "rank --method sep-elo --separability rouge1 --bootstrap 20 --sep-threshold 0"
    why = {row["system"]: row["why"] for row in run(words)["rows"]}
    assert main(["--store", str(target), *words.split(), "--notes"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert all(f"{system}: {sentence}" in said for system, sentence in why.items())


def test_a_table_of_correlations(run: Run) -> None:
    run("judge", "--judge", "baseline:longer", "--pairs", "full")
    document = run("correlate", "--table", "win-ratio", "--against", "human", "--level", "item")
    assert has(document, "level", "rows", "averages", *STATISTIC)
    rows = {row["judge"]: row for row in document["rows"]}
    assert set(rows) == {"Ada", "Ben", "baseline:longer"}  # the metric's scores are people's, too
    assert (rows["baseline:longer"]["spearman"], rows["baseline:longer"]["judgements"]) == (1.0, 36)


def test_marks_that_failed_are_counted_beside_a_correlation(run: Run) -> None:
    run("judge", "--judge", "baseline:bleu")  # no item has a reference
    document = run("correlate --scores baseline:bleu --against human --level pool")
    assert set(document["unanswered"]) == {"no-reference"}
    assert document["unanswered"]["no-reference"] == document["missing"] == 18


def test_correlate(run: Run) -> None:
    numbers = "level spearman kendall pearson items undefined_items pair_accuracy pairs"
    for level in ("item", "system", "pool"):
        document = run("correlate", "--scores", "metric", "--against", "human", "--level", level)
        assert has(document, numbers, *STATISTIC)
        assert document["level"] == level
        assert document["constant"] == ("drop" if level == "item" else None)
    zero = run("correlate", "--scores", "metric", "--against", "human", "--level", "item", "--constant", "zero")  # fmt: skip
    assert (zero["constant"], zero["undefined_items"]) == ("zero", 0)
    # By hand: the longest text has the most points, and z > y > x in the human scores of every
    # item.
    run("judge", "--judge", "baseline:longer")
    by = "--method win-ratio --judges baseline:longer"
    document = run(f"correlate {by} --against human --level item")
    assert (document["spearman"], document["items"], document["judgements"]) == (1.0, 6, 36)


def test_rank_votes_in_files_without_a_store(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By hand: x wins the first two, and the others are ties: 3 points of 4, and 1."""
    (tmp_path / "one.csv").write_text("item,left,right,says\n1,x,y,L\n2,y,x,R\n")
    (tmp_path / "two.csv").write_text("item,left,right,says\n3,x,y,0\n4,x,y,0\n5,x,y,?\n")
    store = tmp_path / "none.sqlite3"
    words = ("rank", "--votes", f"{tmp_path}/*.csv", "--map", "winner=says", "--first-wins", "L")
    codes = ("--second-wins", "R", "--tie", "0", "--method", "win-ratio")
    status, out, err = called(capsys, store, *words, *codes, "--json")
    assert status == 0, err
    document = json.loads(out)
    assert {row["system"]: row["rating"] for row in document["rows"]} == {"x": 0.75, "y": 0.25}
    assert document["unanswered"] == {"unparsed": 1}
    assert document["position"]["p_first"] == 0.5  # of two, x first and x second
    assert any("--first-wins" in note for note in document["notes"])
    assert "⟦" not in out
    status, out, err = called(capsys, store, *words, *codes, "--by", "attribute")
    assert (status, "overall" in out) == (0, True), err
    assert not store.exists()


def test_rank_says_what_files_cannot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, sentence in [
        (("--votes", "none/*.parquet"), "no file matches 'none/*.parquet'"),
        (("--votes", "v.csv", "--dataset", "d"), "--dataset belongs to votes in a store"),
        (("--votes", "v.csv", "--by", "candidate"), "--by candidate belongs to votes in a store"),
        (("--votes", "v.csv", "--over-time"), "--over-time belongs to votes in a store"),
        (("--votes", "v.csv", "--method", "sep-elo"), "sep-elo"),
        (("--map", "winner=x"), "--map winner=x belongs to --votes: leave it out"),
    ]:
        status, out, err = called(capsys, tmp_path / "none.sqlite3", "rank", *words)
        assert (status, out) == (2, "")
        assert sentence in err
        assert err.count("\n") == 1
