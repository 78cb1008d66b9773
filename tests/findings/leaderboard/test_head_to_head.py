"""Who beat whom: counted by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm, t
from statsmodels.stats.proportion import proportion_confint

from core.findings.judgements.selection import Selection
from core.findings.leaderboard import head_to_head, leaderboard
from core.findings.leaderboard.settings import RankSettings
from core.importing import importer
from core.records import Dataset
from core.statistics.uncertainty import critical_value
from core.store import Store

VOTES = """item,left,right,text_a,text_b,winner,judge,prob_a
q1,x,y,x1,y1,a,Ada,
q1,y,x,y1,x1,b,Ada,
q2,x,y,x2,y2,tie,Ada,
q2,y,z,y2,z2,a,Ada,
q3,z,x,z3,x3,both_bad,Ben,0.5
q3,x,z,x3,z3,,Ben,
"""
SETTINGS = RankSettings("win-ratio", bootstrap=0)


@pytest.fixture(scope="module")
def voted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder = tmp_path_factory.mktemp("voted")
    with Store(folder / "s.sqlite3") as store:
        load(store, folder, VOTES)
        yield store


def load(store: Store, folder: Path, votes: str) -> None:
    (folder / "votes.csv").write_text(votes)
    assert importer.load(store, [folder / "votes.csv"], Dataset("d")).skipped == []


def test_counts_by_hand(voted: Store) -> None:
    """Of one item, Wilson's interval of one answer: 1 of 1 is 21% to 100% (Wilson 1927)."""
    every = head_to_head.matches(voted, Selection("d"), SETTINGS)
    rows = every.set_index(["system", "opponent"])
    assert rows[["wins", "ties", "losses", "share"]].T.to_dict("list") == {
        ("x", "y"): [2, 1, 0, 2.5 / 3], ("y", "x"): [0, 1, 2, 0.5 / 3],
        ("y", "z"): [1, 0, 0, 1.0], ("z", "y"): [0, 0, 1, 0.0],
        ("x", "z"): [0, 1, 0, 0.5], ("z", "x"): [0, 1, 0, 0.5],
    }  # fmt: skip
    assert rows.loc[("y", "z"), ["low", "high"]].tolist() == pytest.approx([0.2065, 1], abs=1e-4)
    assert rows.loc[("z", "y"), ["low", "high"]].tolist() == pytest.approx([0, 0.7935], abs=1e-4)
    counts = ["wins", "ties", "losses"]
    board = leaderboard(voted, Selection("d"), SETTINGS).rows.set_index("system")
    assert every.groupby("system")[counts].sum().to_dict() == board[counts].to_dict()
    settings = RankSettings("win-ratio", ties="drop", bootstrap=0)
    rows = head_to_head.matches(voted, Selection("d"), settings)
    assert rows["ties"].sum() == 0
    pairs = rows["system"] + rows["opponent"]
    assert set(pairs) == {"xy", "yx", "yz", "zy"}


def test_both_bad_is_no_tie_in_a_record(voted: Store) -> None:
    """As answered, by hand; x and z were both bad once, and once nobody answered."""
    rows = head_to_head.records(voted, Selection("d"))
    told = rows.set_index(["system", "opponent"])[[*head_to_head.FOR_A, "judgements"]]
    assert told.T.to_dict("list") == {
        ("x", "y"): [2, 1, 0, 0, 3], ("y", "x"): [0, 1, 0, 2, 3],
        ("y", "z"): [1, 0, 0, 0, 1], ("z", "y"): [0, 0, 0, 1, 1],
        ("x", "z"): [0, 0, 1, 0, 1], ("z", "x"): [0, 0, 1, 0, 1],
    }  # fmt: skip
    of_systems = head_to_head.sum_by_system(rows).set_index("system")
    assert of_systems.loc["y"].tolist() == [1, 1, 0, 2, 4]


def test_the_comparisons_of_a_system_with_who_answered(voted: Store) -> None:
    """Both orders of q1 are one pair of texts; of z's view of y, y's win is a loss."""
    rows = head_to_head.comparisons(voted, Selection("d"), "y", "x")
    columns = ["item", "opponent", "wins", "ties", "both_bad", "losses", "judgements", "judges"]
    assert rows[columns].to_numpy().tolist() == [
        ["q1", "x", 0, 0, 0, 2, 2, ("Ada",)],
        ["q2", "x", 0, 1, 0, 0, 1, ("Ada",)],
    ]
    pairs = rows[["generation", "other"]].to_numpy().tolist()
    texts = [voted.texts.pair_texts(*pair)[1:] for pair in pairs]
    assert texts == [("y1", "x1"), ("y2", "x2")], "its own text first, whichever was shown first"
    every = head_to_head.comparisons(voted, Selection("d"), "z")
    losses = every[["item", "opponent", "both_bad", "losses"]].to_numpy().tolist()
    assert losses == [["q2", "y", 0, 1], ["q3", "x", 1, 0]]
    assert head_to_head.comparisons(voted, Selection("d", judges=("Ben",)), "y", "x").empty


def test_cells_hold_at_every_look_where_ranks_do(store: Store, tmp_path: Path) -> None:
    """70 of 100 items: Wilson's interval at the confidence of the boundary, 1.96 or more errors."""
    rows = [f"n{i},x,w,x,w,{'ab'[i >= 70]},Ada," for i in range(100)]
    load(store, tmp_path, "\n".join([VOTES.splitlines()[0], *rows]))
    once, always = (
        head_to_head.matches(store, Selection("d"), replace(SETTINGS, resolve=resolve))
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
