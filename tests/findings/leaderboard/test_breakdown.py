"""Leaderboards side by side: of several attributes, whose ranks hold at once, and of subsets."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm, t
from statsmodels.stats.proportion import proportion_confint

from core.findings.judgements import Selection
from core.findings.leaderboard import (
    RankSettings,
    breakdown,
    describe_breakdown,
    head_to_head,
    leaderboard,
    rank_by_attribute,
)
from core.records import TandemError
from core.reporting import ReportScope, compile_report
from core.statistics.uncertainty import critical_value
from core.store import Store
from tests.findings.tables import load
from tests.sentence_facts import find_sentences, list_figures


@pytest.fixture
def voted(store: Store) -> Store:
    """x is ahead of y on style in about 7 of 10 items; on sense there is nothing between them."""
    rng, lines = np.random.default_rng(0), ["item,left,right,winner,judge,attribute"]
    for i in range(40):
        for attribute, p in (("style", 0.7), ("sense", 0.5)):
            lines.append(f"i{i},x,y,{'ba'[int(rng.random() < p)]},Ada,{attribute}")
    return load(store, lines)


def test_each_attribute_and_all_together(voted: Store) -> None:
    """The ratings are those of each board by itself; only ranks allow for there being three."""
    settings = RankSettings()
    every = rank_by_attribute(voted, Selection("d"), settings)
    assert every.facts["attributes"] == ["sense", "style"]
    assert every.facts["ranks_hold_for"] == {"systems": 2, "boards": 3}
    assert find_sentences(every.notes, r"^Ranks\b.*\b2 systems on 2 attributes\b.*\bat once\b")
    assert every.signature.endswith("|by:attribute")
    for name in (None, "sense", "style"):
        alone = leaderboard(voted, Selection("d", attribute=name), settings)
        assert alone.facts["ranks_hold_for"] == {"systems": 2, "boards": 1}
        same = every.rows["attribute"].isna() if name is None else every.rows["attribute"] == name
        rows = every.rows[same].set_index("system")
        by_name = alone.rows.set_index("system").loc[rows.index]
        columns = ["rating", "low", "high", "judgements"]
        np.testing.assert_allclose(rows[columns].astype(float), by_name[columns].astype(float))
        wide, narrow = (one["rank_high"] - one["rank_low"] for one in (rows, by_name))
        assert (wide >= narrow).all()
    # One attribute is one board.
    one = rank_by_attribute(voted, Selection("d", attribute="style"), RankSettings())
    assert one.rows["attribute"].tolist() == ["style", "style"]
    assert one.facts["ranks_hold_for"]["boards"] == 1
    assert not [note for note in one.notes if note.startswith("Ranks by attribute")]


@pytest.mark.parametrize("resolve", ["together", "pairwise", "always"])
def test_a_report_by_attribute_says_what_rank_by_attribute_says(voted: Store, resolve: str) -> None:
    """Its ranks hold on the three boards at once, too."""
    settings = RankSettings(resolve=resolve)
    every = rank_by_attribute(voted, Selection("d"), settings).rows.set_index("system")
    report = compile_report(voted, ReportScope(Selection("d"), settings))
    for name in ("sense", "style"):
        part = report.document()[f"leaderboard-human-{name}"]
        assert part["ranks_hold_for"] == {"systems": 2, "boards": 3}
        expected = every[every["attribute"] == name]
        for row in part["rows"]:
            for column in ("rating", "low", "high", "rank_low", "rank_high"):
                assert row[column] == pytest.approx(expected.loc[row["system"], column])
    [board] = [one for one in report.sections if one.title.startswith("Leaderboard")]
    said = any("2 systems on 2 attributes" in note for note in board.foot)
    assert said == (resolve != "pairwise")


SETTINGS = RankSettings("win-ratio", bootstrap=20)


@pytest.fixture
def parted(store: Store) -> Store:
    """x wins all of 40 items in `en` and a quarter of 40 in `ko`; `short` has three items."""
    rows = ["item,subset,left,right,text_a,text_b,winner,judge"]
    for subset, items, wins in (("en", 40, 40), ("ko", 40, 10), ("short", 3, 0)):
        for i in range(items):
            winner = "a" if i < wins else "b"
            rows.append(f"{subset}{i},{subset},x,y,x {i} {subset},y {i} {subset},{winner},Ada")
    return load(store, rows)


def test_each_subset_has_its_board_and_its_leader(parted: Store) -> None:
    result = breakdown(parted, Selection("d"), SETTINGS)
    x = result.rows[result.rows["system"] == "x"].set_index("subset")
    assert x["rating"].to_dict() == {"en": 1.0, "ko": 0.25, "short": 0.0}
    assert x["judgements"].to_dict() == {"en": 40, "ko": 40, "short": 3}
    parts = result.tables["parts"].set_index("subset")
    assert parts["leaders"].to_dict() == {"en": ("x",), "ko": ("y",), "short": ()}
    assert parts["clear"].to_dict() == {"en": True, "ko": True, "short": False}
    said = describe_breakdown(result)
    assert said.startswith("x leads in 1 of 2 ")
    assert "y in ko" in said
    assert list_figures(said) == [1, 2, 1]
    assert "|attribute:all|" in result.signature
    assert "|by:subset|" in result.signature
    # Nobody leads where no part has enough.
    of_few = Selection("d", items=("en0", "en1", "ko0"))
    said = describe_breakdown(breakdown(parted, of_few, SETTINGS))
    assert re.match(r"No subset\b.*\b30 answers\b", said)
    with pytest.raises(TandemError, match=r"\bnothing\b.*\bby subset"):
        breakdown(parted, Selection("d", judges=("nobody",)), SETTINGS)


# ---- Who beat whom: counted by hand


VOTES = """item,left,right,text_a,text_b,winner,judge,prob_a
q1,x,y,x1,y1,a,Ada,
q1,y,x,y1,x1,b,Ada,
q2,x,y,x2,y2,tie,Ada,
q2,y,z,y2,z2,a,Ada,
q3,z,x,z3,x3,both_bad,Ben,0.5
q3,x,z,x3,z3,,Ben,
"""
BY_WINS = RankSettings("win-ratio", bootstrap=0)


@pytest.fixture(scope="module")
def met() -> Store:
    return load(Store(":memory:"), VOTES)


def test_counts_by_hand(met: Store) -> None:
    """Of one item, Wilson's interval of one answer: 1 of 1 is 21% to 100% (Wilson 1927)."""
    every = head_to_head.matches(met, Selection("d"), BY_WINS)
    rows = every.set_index(["system", "opponent"])
    assert rows[["wins", "ties", "losses", "share"]].T.to_dict("list") == {
        ("x", "y"): [2, 1, 0, 2.5 / 3], ("y", "x"): [0, 1, 2, 0.5 / 3],
        ("y", "z"): [1, 0, 0, 1.0], ("z", "y"): [0, 0, 1, 0.0],
        ("x", "z"): [0, 1, 0, 0.5], ("z", "x"): [0, 1, 0, 0.5],
    }  # fmt: skip
    assert rows.loc[("y", "z"), ["low", "high"]].tolist() == pytest.approx([0.2065, 1], abs=1e-4)
    assert rows.loc[("z", "y"), ["low", "high"]].tolist() == pytest.approx([0, 0.7935], abs=1e-4)
    counts = ["wins", "ties", "losses"]
    board = leaderboard(met, Selection("d"), BY_WINS).rows.set_index("system")
    assert every.groupby("system")[counts].sum().to_dict() == board[counts].to_dict()
    settings = RankSettings("win-ratio", ties="drop", bootstrap=0)
    rows = head_to_head.matches(met, Selection("d"), settings)
    assert rows["ties"].sum() == 0
    pairs = rows["system"] + rows["opponent"]
    assert set(pairs) == {"xy", "yx", "yz", "zy"}


def test_both_bad_is_no_tie_in_a_record(met: Store) -> None:
    """As answered, by hand; x and z were both bad once, and once nobody answered."""
    rows = head_to_head.records(met, Selection("d"))
    told = rows.set_index(["system", "opponent"])[[*head_to_head.FOR_A, "judgements"]]
    assert told.T.to_dict("list") == {
        ("x", "y"): [2, 1, 0, 0, 3], ("y", "x"): [0, 1, 0, 2, 3],
        ("y", "z"): [1, 0, 0, 0, 1], ("z", "y"): [0, 0, 0, 1, 1],
        ("x", "z"): [0, 0, 1, 0, 1], ("z", "x"): [0, 0, 1, 0, 1],
    }  # fmt: skip
    of_systems = head_to_head.sum_by_system(rows).set_index("system")
    assert of_systems.loc["y"].tolist() == [1, 1, 0, 2, 4]


def test_the_comparisons_of_a_system_with_who_answered(met: Store) -> None:
    """Both orders of q1 are one pair of texts; of z's view of y, y's win is a loss."""
    rows = head_to_head.comparisons(met, Selection("d"), "y", "x")
    columns = ["item", "opponent", "wins", "ties", "both_bad", "losses", "judgements", "judges"]
    assert rows[columns].to_numpy().tolist() == [
        ["q1", "x", 0, 0, 0, 2, 2, ("Ada",)],
        ["q2", "x", 0, 1, 0, 0, 1, ("Ada",)],
    ]
    pairs = rows[["generation", "other"]].to_numpy().tolist()
    texts = [met.texts.pair_texts(*pair)[1:] for pair in pairs]
    assert texts == [("y1", "x1"), ("y2", "x2")], "its own text first, whichever was shown first"
    every = head_to_head.comparisons(met, Selection("d"), "z")
    losses = every[["item", "opponent", "both_bad", "losses"]].to_numpy().tolist()
    assert losses == [["q2", "y", 0, 1], ["q3", "x", 1, 0]]
    assert head_to_head.comparisons(met, Selection("d", judges=("Ben",)), "y", "x").empty


def test_cells_hold_at_every_look_where_ranks_do(store: Store) -> None:
    """70 of 100 items: Wilson's interval at the confidence of the boundary, 1.96 or more errors."""
    rows = [f"n{i},x,w,x,w,{'ab'[i >= 70]},Ada," for i in range(100)]
    load(store, [VOTES.splitlines()[0], *rows])
    once, always = (
        head_to_head.matches(store, Selection("d"), replace(BY_WINS, resolve=resolve))
        .set_index(["system", "opponent"])
        .loc[("x", "w")]
        for resolve in ("together", "always")
    )
    answers = 0.25 / (0.7 * 0.3 / 99)  # worth so many at one half
    confidence = 1 - 2 * norm.sf(critical_value(np.array(answers), np.array(0.05)))
    for row, level in ((once, 0.95), (always, float(confidence))):
        few = (norm.ppf((1 + level) / 2) / t.ppf((1 + level) / 2, 99)) ** 2
        low, high = proportion_confint(70 * few * 0.99, 100 * few * 0.99, 1 - level, "wilson")
        assert (row["low"], row["high"]) == pytest.approx((low, high), abs=1e-3)
    assert always["low"] < once["low"]
