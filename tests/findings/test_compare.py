"""Is the new system better? Counted by hand, and held against simulations with known truth."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from core.findings.combine import CombineSettings, combine
from core.findings.compare import BETTER, TOGETHER, UNKNOWN, WORSE, CompareSettings, compare
from core.findings.judgements import Finding, Selection
from core.records import Generation, Item, Kind, TandemError
from core.store import Store
from tests.findings.people.voting import say, say_all
from tests.study import DATASET, fill

OLD, NEW = "alpha", "beta"
AB, BA = (OLD, NEW), (NEW, OLD)
HERE = Selection(DATASET, systems=AB)


def judge_items(
    store: Store, said: Iterable[tuple[str, str]], judge: str = "gpt", kind: Kind = Kind.LLM
) -> None:
    """What a judge says of i0, i1 ... with the old text first, and with the new one first."""
    for sides, ones in zip((AB, BA), zip(*said, strict=True), strict=True):
        say_all(store, judge, range(len(ones)), sides, ones.__getitem__, kind=kind)


@pytest.fixture
def two(store: Store) -> Store:
    fill(store, items=40, systems=AB)
    return store


WON, LOST, TURNED, TIED = ("b", "a"), ("a", "b"), ("a", "a"), ("tie", "tie")


def only(found: Finding) -> dict[str, Any]:
    assert len(found.rows) == 1
    return dict(found.rows.iloc[0])


def test_items_are_counted_by_hand(two: Store) -> None:
    """24 won, 8 lost, 6 that follow the order, 2 ties: (24 + 8 / 2) / 40 = .7. The other way round
    everything is its reverse.
    """
    judge_items(two, [WON] * 24 + [LOST] * 8 + [TURNED] * 6 + [TIED] * 2)
    found = compare(two, HERE)
    row = only(found)
    assert row["better"] == pytest.approx(0.7)
    assert (row["items"], row["won"], row["lost"]) == (40, 24, 8)
    assert row["contradicts"] == pytest.approx(6 / 40)
    assert (row["verdict"], found.facts["verdict"]) == (BETTER, BETTER)
    assert (found.facts["old"], found.facts["new"]) == (OLD, NEW)
    assert math.isnan(row["needed"])
    back = only(compare(two, HERE, CompareSettings(OLD)))
    assert (back["better"], back["low"]) == pytest.approx((1 - row["better"], 1 - row["high"]))
    assert (back["won"], back["lost"], back["verdict"]) == (8, 24, WORSE)


def test_decided_items_have_wilsons_interval(two: Store) -> None:
    judge_items(two, [WON] * 27 + [LOST] * 13)
    row = only(compare(two, HERE))
    low, high = proportion_confint(27, 40, method="wilson")
    assert (row["low"], row["high"]) == pytest.approx((low, high), abs=0.02)


def test_a_judge_that_follows_the_order_cannot_tell(two: Store) -> None:
    """It contradicts itself on 35 of 40 pairs; the other five it gives to the new system."""
    judge_items(two, [TURNED] * 35 + [WON] * 5)
    found = compare(two, HERE)
    assert found.facts["verdict"] == UNKNOWN
    assert found.facts["unusable"] == ["gpt"]
    assert math.isnan(found.rows["needed"].iloc[0])


def test_nine_items_tell_nothing_nor_does_a_judge_that_answered_nothing(two: Store) -> None:
    judge_items(two, [WON] * 9)
    assert compare(two, HERE).facts["verdict"] == UNKNOWN
    judge_items(two, [("", "")] * 12, "mute")
    mute = compare(two, HERE).rows.set_index("by").loc["mute"]
    assert (mute["items"], mute["unanswered"], mute["verdict"]) == (0, 24, UNKNOWN)


def test_what_was_not_answered_is_counted_and_no_tie(two: Store) -> None:
    """A pair that was asked in one order waits for the other."""
    judge_items(two, [WON] * 20 + [("", "")] * 10 + [("a", "")])
    found = compare(two, HERE)
    row = only(found)
    assert (row["better"], row["items"], row["won"], row["lost"]) == (1.0, 20, 20, 0)
    assert row["unanswered"] == found.unanswered["unparsed"] == 21


def test_a_baseline_says_nothing_unless_it_is_named(two: Store) -> None:
    judge_items(two, [WON] * 20, "baseline:longer", Kind.BASELINE)
    with pytest.raises(TandemError):
        compare(two, HERE)
    named = compare(two, replace(HERE, judges=("baseline:longer",)))
    assert named.facts["verdict"] == BETTER


def test_people_and_a_judge_are_combined(two: Store) -> None:
    """The first row is what `combine` gives the new system. A few votes do not outrank a judge."""
    judge_items(two, [WON] * 28 + [LOST] * 12)
    say(two, "Ada", "i0", AB, "b")
    assert compare(two, HERE).rows["by"].iloc[0] == "gpt"
    say_all(two, "Ada", range(2, 40, 2), AB, lambda i: "b" if i < 28 else "a")
    found = compare(two, HERE)
    assert found.rows["by"].tolist() == [f"people {TOGETHER}", "people", "gpt"]
    asked = CombineSettings(people=(Kind.HUMAN,), method="win-ratio")
    whole = combine(two, Selection(DATASET, judges=("gpt",), systems=AB), asked).rows
    new = whole.set_index("system").loc[NEW]
    first = found.rows.loc[0, ["better", "low", "high"]].tolist()
    assert first == pytest.approx(new[["combined", "combined_low", "combined_high"]].tolist())
    people = found.rows.iloc[1]
    assert (people["items"], people["won"], people["lost"]) == (20, 14, 6)


def test_the_surest_losses_are_read_first_then_contradictions(two: Store) -> None:
    judge_items(two, [WON] * 25 + [LOST] * 9 + [TURNED] * 6)
    read = compare(two, HERE).tables["read"]
    assert read["item"].tolist() == [f"i{i}" for i in (*range(25, 31), *range(34, 40))]
    first = read.iloc[0]
    assert first["prob_new"] == 0
    assert (first["old_text"], first["new_text"]) == ("alpha-25-0", "beta-25-0 beta-25-0")
    assert first["context"] == "The context of item 25."


def test_identical_texts_are_not_worth_reading(two: Store) -> None:
    with two.transaction():
        two.datasets.add_items(DATASET, [Item("same", "A context.")])
        same = [Generation("same", name, 0, "As it was.") for name in AB]
        two.datasets.add_generations(DATASET, same)
        for item, sides, said in (
            ("same", AB, "a"),
            ("same", BA, "a"),
            ("i0", AB, "a"),
            ("i0", BA, "b"),
        ):
            say(two, "gpt", item, sides, said, kind=Kind.LLM)
    assert compare(two, HERE).tables["read"]["item"].tolist() == ["i0"]


def test_which_system_is_new_is_not_guessed(two: Store) -> None:
    """Systems of votes come in the order of the first vote's sides. Of more, two are named."""
    judge_items(two, [WON] * 12)
    with pytest.raises(TandemError):
        compare(two, Selection(DATASET))
    assert compare(two, Selection(DATASET), CompareSettings(OLD)).facts["verdict"] == WORSE
    fill(two)
    for about, settings in ((Selection(DATASET), ()), (HERE, (CompareSettings("gamma"),))):
        with pytest.raises(TandemError):
            compare(two, about, *settings)
    assert compare(two, HERE).facts["new"] == NEW
    assert compare(two, Selection(DATASET, systems=BA)).facts["new"] == OLD


def test_so_many_items_would_tell_in_four_of_five_studies(two: Store) -> None:
    """Of a true share of 23 / 40, as many Bernoulli items as are said to be needed."""
    judge_items(two, [WON] * 23 + [LOST] * 17)
    needed = int(compare(two, HERE).rows["needed"].iloc[0])
    won = np.random.default_rng(5).binomial(needed, 23 / 40, 4000)
    low, _ = proportion_confint(won, needed, method="wilson")
    assert (low > 0.5).mean() == pytest.approx(0.8, abs=0.04)


@pytest.mark.parametrize("share", [0.5, 0.62])
def test_intervals_cover_a_known_share(store: Store, share: float) -> None:
    """200 studies of 60 items, each by a judge of its own."""
    rng = np.random.default_rng(11)
    fill(store, items=60, systems=AB)
    for study in range(200):
        said = [WON if won else LOST for won in rng.random(60) < share]
        judge_items(store, said, f"gpt-{study}")
    rows = compare(store, HERE).rows
    assert len(rows) == 200
    covered = ((rows["low"] <= share) & (share <= rows["high"])).mean()
    assert 0.92 <= covered <= 0.99
    wrong = (rows["verdict"] == WORSE).mean() + (rows["verdict"] == BETTER).mean() * (share == 0.5)
    assert wrong <= 0.08
