"""Leaderboards of votes in files are those of the same votes in a store."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, leaderboard, rank_by_attribute, rank_votes
from core.findings.leaderboard.columns import BOTH_BAD, COUNTS
from core.importing import Reading, Repeats, count, importer
from core.records import Dataset, TandemError
from core.store import Store
from tests.sentence_facts import find_sentences

EVERY = Reading(repeats=Repeats.ALL)
"""Made votes repeat: whoever answers again revises nothing."""

SAME = (
    "rating", "rank", "both_bad_low", "both_bad_high",
    *(column.name for column in (*COUNTS, *BOTH_BAD)),
)  # fmt: skip
WINNERS = ("model_a", "model_b", "tie", "tie (bothbad)", "", "what?")


def written(path: Path, rows: int = 3000, items: int = 40) -> Path:
    """Votes of people and a model on items that are each kind to some systems."""
    rng = np.random.default_rng(5)
    item, own = rng.integers(items, size=rows), rng.normal(0, 0.6, (items, 5))
    a = rng.integers(5, size=rows)
    b = (a + rng.integers(1, 5, size=rows)) % 5
    apart = own[item, a] - own[item, b] + (b - a) / 5
    won = (rng.random(rows) > 1 / (1 + np.exp(apart))).astype(int)
    winner = np.where(rng.random(rows) < 0.75, 1 - won, rng.integers(2, 6, size=rows))
    frame = pd.DataFrame({"model_a": [f"m{i}" for i in a], "model_b": [f"m{i}" for i in b]})
    frame["winner"], frame["question_id"] = np.array(WINNERS)[winner], item
    frame["judge"] = np.where(rng.random(rows) < 0.8, "ann", "gpt")
    frame["attribute"] = np.where(rng.random(rows) < 0.7, "style", "sense")
    frame["kind"] = np.where(frame["judge"] == "gpt", "llm", "human")
    frame.to_parquet(path)
    return path


@pytest.fixture(scope="module")
def votes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("votes") / "votes.parquet")


def stored_votes(path: Path) -> Store:
    """The same votes, imported."""
    store = Store(":memory:")
    importer.load(store, [path], Dataset("d"), EVERY)
    return store


@pytest.fixture(scope="module")
def stored(votes: Path) -> Store:
    return stored_votes(votes)


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines))
    return path


UNCOUNTED = ("Intervals hold", "Answers of", "Scale separation")


@pytest.mark.parametrize(
    ("chosen", "how"),
    [
        ({}, {"method": "win-ratio"}),
        ({}, {}),
        ({"attribute": "style"}, {"method": "macro-win-ratio"}),
        ({"judges": ("llm",)}, {"method": "bradley-terry", "ties": "model"}),
        ({"judges": ("ann", "llm")}, {"method": "bradley-terry", "ties": "drop"}),
        ({"systems": ("m0", "m1", "m2")}, {"method": "bradley-terry", "regularise": True}),
        ({"items": ("3", "5", "7")}, {"method": "win-ratio", "bootstrap": 0}),
        ({}, {"method": "bradley-terry", "position_term": True}),
    ],
)
def test_a_leaderboard_of_files_is_that_of_the_store(
    votes: Path, stored: Store, chosen: dict[str, Any], how: dict[str, Any]
) -> None:
    """Ratings and counts are the same; intervals but for the resamples, of which there are many."""
    settings = RankSettings(**{"bootstrap": 2000, "over": "items", **how})
    mine = rank_votes([votes], Selection("", **chosen), settings, reading=EVERY)
    theirs = leaderboard(stored, Selection("d", **chosen), settings)
    assert set(mine.rows) == set(theirs.rows)
    mine_rows, their_rows = (one.rows.set_index("system").sort_index() for one in (mine, theirs))
    for name in [name for name in SAME if name in their_rows]:
        both = (rows[name].to_numpy(float) for rows in (mine_rows, their_rows))
        np.testing.assert_allclose(*both, rtol=1e-7)
    if settings.bootstrap:
        width, their_width = (rows["high"] - rows["low"] for rows in (mine_rows, their_rows))
        np.testing.assert_allclose(width, their_width, rtol=0.1)
        for name in ("rank_low", "rank_high"):
            assert (mine_rows[name] - their_rows[name]).abs().max() <= 1
    assert (mine.judgements, mine.unanswered) == (theirs.judgements, theirs.unanswered)
    assert mine.signature == theirs.signature
    for name in ("method", "over", "items", "attributes", "kinds", "connected", "unbounded"):
        assert mine.facts[name] == theirs.facts[name], name
    for name in ("unevenness", "position_effect"):
        assert mine.facts[name] == pytest.approx(theirs.facts[name])
    # Whose votes they are, and which of them are repeated, is not counted.
    other = [note for note in theirs.notes if note not in mine.notes]
    assert [note for note in other if not note.startswith(UNCOUNTED)] == []
    if settings.bootstrap:
        separation = mine.facts["separation_reliability"]
        assert separation == pytest.approx(theirs.facts["separation_reliability"], abs=0.02)
        assert mine.facts["split_half"]["of"] == "item"


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("repeats", [Repeats.LAST, Repeats.FIRST])
@pytest.mark.parametrize("timed", [True, False])
def test_answers_given_again_count_as_an_import_counts_them(
    tmp_path: Path, ending: str, repeats: Repeats, timed: bool
) -> None:
    """2,500 votes of four people and a model over two files and few questions, half of them given
    again, with times that go back and forth; nothing is imported for it.
    """
    rng = np.random.default_rng(3)
    for name in ("one", "two"):
        a, b = rng.permuted([np.arange(4)] * 2500, axis=1)[:, :2].T
        frame = pd.DataFrame({"item": rng.integers(128, size=2500), "model_a": a, "model_b": b})
        frame["winner"] = rng.choice(WINNERS[:3], size=2500, p=[0.5, 0.3, 0.2])
        frame["judge"] = rng.choice(["ann", "bob", "eve", "gpt"], size=2500)
        frame["kind"] = np.where(frame["judge"] == "gpt", "llm", "human")
        frame["left"] = rng.integers(9, size=2500)  # of no field, as rows differ in it
        if timed:
            seconds = 1.7e9 + rng.permutation(2500)
            frame["created_at"] = np.where(rng.random(2500) < 0.9, seconds.astype(str), "")
        for column in ("item", "model_a", "model_b"):
            frame[column] = (column[:1] + frame[column].astype(str)).astype("category")
        path = tmp_path / f"{name}.{ending}"
        frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    reading = Reading(repeats=repeats, unused=("left",))
    counted = count([tmp_path], reading=reading)
    with Store(":memory:") as store:
        report = importer.load(store, [tmp_path], Dataset("d"), reading)
        stored = store.judgement_frames.load_all("d")
    keys = ["system_a", "system_b", "kind", "outcome"]
    mine = counted.votes.groupby(keys)["times"].sum()
    assert mine.to_dict() == stored.groupby(keys).size().to_dict()
    assert mine.sum() < 4500
    told = find_sentences(report.warnings, "given once more by the same person")
    assert len(told) == 2
    assert find_sentences(counted.notes, "given once more by the same person") == told


def test_of_a_row_with_several_answers_only_that_given_again_is_left_out(tmp_path: Path) -> None:
    """Ann answers about style twice, about sense once, and of four answers three count."""
    rows = ["i,x,y,a,,ann", "i,x,y,b,b,ann", "j,x,y,a,,ann"]
    path = write(tmp_path / "v.csv", "item,left,right,winner_style,winner_sense,judge", *rows)
    columns = {f"attribute:{name}": f"winner_{name}" for name in ("style", "sense")}
    reading = Reading(repeats=Repeats.FIRST, mapping=columns)
    found = rank_votes([path], Selection(""), RankSettings("win-ratio"), reading=reading)
    assert found.rows.set_index("system")["wins"].to_dict() == {"x": 2, "y": 1}


def test_each_attribute_and_all_together(votes: Path, stored: Store) -> None:
    settings = RankSettings(over="items")
    mine = rank_votes([votes], Selection(""), settings, reading=EVERY, by_attribute=True)
    theirs = rank_by_attribute(stored, Selection("d"), settings)
    rows = (board.rows.set_index(["attribute", "system"])["rating"] for board in (mine, theirs))
    ratings, expected = (of.to_dict() for of in rows)
    assert ratings == pytest.approx(expected)


def test_votes_without_items_are_each_about_their_own(tmp_path: Path) -> None:
    """A gamma variable of each outcome's count is all there is to draw: intervals are the same."""
    rows = [*["x,y,a"] * 30, *["y,x,a"] * 12, *["x,z,tie"] * 9, *["z,y,b"] * 7]
    path = write(tmp_path / "v.csv", "left,right,winner", *rows)
    theirs = leaderboard(stored_votes(path), Selection("d"), RankSettings())
    mine = rank_votes([path], Selection(""), RankSettings(), reading=EVERY)
    assert (mine.facts["items"], mine.facts["items_grouped"]) == (58, False)
    for name in ("rating", "low", "high", "rank_low", "rank_high"):
        both = (board.rows[name].to_numpy(float) for board in (mine, theirs))
        np.testing.assert_allclose(*both, rtol=1e-9)


def test_judges_of_one_row_share_its_item(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three who always agree: as wide as one, where each vote alone would be 1.7 times narrower."""
    rows = [",".join(["x", "y", *["ab"[row % 3 == 0]] * 3]) for row in range(400)]
    path = write(tmp_path / "v.csv", "left,right,winner:p,winner:q,winner:r", *rows)
    settings = RankSettings(method="bradley-terry", bootstrap=1000)
    theirs = leaderboard(stored_votes(path), Selection("d"), replace(settings, over="items"))
    for most in (2000, 150):
        monkeypatch.setattr("core.importing.vote_counts.MOST", most)
        mine = rank_votes([path], Selection(""), settings, reading=EVERY)
        assert mine.facts["items"] == theirs.facts["items"] == 400
        widths = [(board.rows["high"] - board.rows["low"]).mean() for board in (mine, theirs)]
        assert widths[0] == pytest.approx(widths[1], rel=0.15)


def test_only_items_of_the_votes_that_are_meant_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By hand; in groups by linear counting, whose error here is some 5%."""
    rows = [f"i{i % 300},x,z,{'ab'[i % 3 == 0]},ann,style" for i in range(600)]
    rows += [f"i{i % 12},x,y,{'ab'[i % 3 == 0]},bob,style" for i in range(60)]
    rows += [f"i{i},y,z,{'ab'[i % 2]},bob,sense" for i in range(300, 330)]
    path = write(tmp_path / "v.csv", "item,left,right,winner,judge,attribute", *rows)
    for most in (2000, 200):
        monkeypatch.setattr("core.importing.vote_counts.MOST", most)
        for selection, items in (
            (Selection("", systems=("x", "y")), 12),
            (Selection("", judges=("ann",)), 300),
            (Selection("", attribute="sense"), 30),
        ):
            found = rank_votes([path], selection, RankSettings(), reading=EVERY)
            assert found.facts["items"] == pytest.approx(items, rel=0.2 if most < 330 else 0)


def test_groups_of_items_give_the_intervals_of_items(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """2,000 items by themselves, and in 150 random groups: variances that differ by chance alone."""
    path = written(tmp_path / "v.parquet", rows=12_000, items=2000)
    settings = RankSettings(method="bradley-terry", bootstrap=1000)
    each = rank_votes([path], Selection(""), settings, reading=EVERY)
    assert not each.facts["items_grouped"]
    monkeypatch.setattr("core.importing.vote_counts.MOST", 150)
    grouped = rank_votes([path], Selection(""), settings, reading=EVERY)
    assert grouped.facts["items_grouped"]
    assert find_sentences(grouped.notes, r"\bintervals\b.*\b150 groups\b")
    widths = [(board.rows["high"] - board.rows["low"]).mean() for board in (each, grouped)]
    assert widths[1] == pytest.approx(widths[0], rel=0.12)
    assert list(grouped.rows["rating"]) == pytest.approx(list(each.rows["rating"]))


def test_position_is_told(tmp_path: Path) -> None:
    counts = {"x,y,a,1": 6, "y,x,a,1": 3, "x,y,b,1": 3, "x,y,tie,1": 4, "y,x,b,0": 9}
    rows = [row for row, times in counts.items() for _ in range(times)]
    path = write(tmp_path / "v.csv", "left,right,winner,order_known", *rows)
    result = rank_votes([path], Selection(""), RankSettings(), reading=EVERY)
    # By hand: 9 of 12 decisive answers in a known order went to the first, of 16 in all.
    assert result.facts["position"] == {
        "p_first": 0.75, "decisive": 12, "first_share": 9 / 16, "answers": 16,
    }  # fmt: skip
    with_term = RankSettings("bradley-terry", position_term=True)
    result = rank_votes([path], Selection(""), with_term, reading=EVERY)
    assert find_sentences(result.notes, r"\b9 judgements\b.*\border\b")


def test_position_is_of_the_votes_that_are_ranked(votes: Path) -> None:
    """Counted, or followed one by one."""
    chosen = Selection("", judges=("llm",))
    counted, followed = (
        rank_votes([votes], chosen, RankSettings(method, bootstrap=0), reading=EVERY)
        for method in ("bradley-terry", "elo")
    )
    assert counted.facts["position"] == followed.facts["position"]


def test_what_the_votes_cannot_tell_is_said(votes: Path) -> None:
    usual, chosen = RankSettings(), dict[str, Any]()
    for chosen, settings, match in (
        ({}, RankSettings("sep-elo", separability="rouge1"), "no rouge1 similarities"),
        ({}, RankSettings("average-probability"), "no probabilities"),
        ({"runs": (1,)}, usual, "run"),
        ({"judges": ("gold",)}, usual, "no votes by gold here: choose with .* human, llm"),
        ({"judges": ("zoe",)}, usual, "no votes by zoe here"),
        ({"attribute": "taste"}, usual, "unknown attribute 'taste'; there are sense, style"),
        ({"systems": ("m1", "m9")}, usual, "unknown system 'm9'; there are m0, m1"),
        ({"items": ("none",)}, usual, "there are no such votes"),
    ):
        with pytest.raises(TandemError, match=match) as refused:
            rank_votes([votes], Selection("", **chosen), settings, reading=EVERY)
        assert "\n" not in refused.value.sentence


FILLED = "Translate sentence {} into German, and keep to the style of the original. " * 2


@pytest.mark.parametrize("named", [True, False], ids=["family", "context"])
def test_items_that_repeat_something_count_as_one_in_intervals(tmp_path: Path, named: bool) -> None:
    """40 items of eight prompts, each answered alike five times, by a column for families or as
    filled templates: intervals are those of import, about sqrt(5) times as wide as of items.
    """
    lines = ["item,family,context,left,right,winner,judge"]
    for prompt in range(8):
        for n in range(5):
            filled = f"{chr(97 + prompt) * 9} {FILLED}".format(n, n)
            family, text = (f"p{prompt}", f"{prompt}-{n}") if named else ("", filled)
            lines.append(f'i{prompt}{n},{family},"{text}",x,y,{"ab"[prompt > 4]},Ada')
    path = write(tmp_path / "repeated.csv", *lines)
    by_wins = RankSettings("win-ratio", bootstrap=500)
    found, by_name, apart = (
        rank_votes([path], Selection("", families=how), by_wins)
        for how in ("found", "named", "none")
    )
    stored = leaderboard(stored_votes(path), Selection("d"), by_wins)
    assert_frame_equal(found.rows, stored.rows)
    width, of_items = (board.rows["high"] - board.rows["low"] for board in (found, apart))
    assert width.iloc[0] > 1.5 * of_items.iloc[0]
    assert any("40 items in 8 families" in note for note in found.notes)
    assert any("8 families" in note for note in by_name.notes) == named


@pytest.mark.parametrize("how", [{"over": "both"}, {"debias": "swap"}, {"method": "elo"}], ids=str)
def test_what_needs_each_vote_is_that_of_an_import(
    votes: Path, stored: Store, how: dict[str, Any]
) -> None:
    settings = RankSettings(**{"bootstrap": 50, **how})
    said, judges = list[Any](), ("human", "llm")
    for rank in (
        partial(rank_votes, [votes], Selection("", judges=judges), reading=EVERY),
        partial(leaderboard, stored, Selection("d", judges=judges)),
    ):
        try:
            said.append(rank(settings=settings).rows.to_dict("list"))
        except TandemError as refused:
            said.append(refused.sentence)
    assert said[0] == said[1]
