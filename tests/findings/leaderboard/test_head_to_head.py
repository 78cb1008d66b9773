"""Who beat whom: counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.findings.judgements.selection import Selection
from core.findings.leaderboard import head_to_head, leaderboard
from core.findings.leaderboard.compute import RankSettings
from core.importing import importer
from core.records import Dataset
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


@pytest.fixture
def voted(store: Store, tmp_path: Path) -> Store:
    (tmp_path / "votes.csv").write_text(VOTES)
    assert importer.load(store, [tmp_path / "votes.csv"], Dataset("d")).skipped == []
    return store


def test_counts_by_hand(voted: Store) -> None:
    rows = head_to_head.matches(voted, Selection("d"), SETTINGS).set_index(["system", "opponent"])
    assert rows[["wins", "ties", "losses", "share"]].T.to_dict("list") == {
        ("x", "y"): [2, 1, 0, 2.5 / 3], ("y", "x"): [0, 1, 2, 0.5 / 3],
        ("y", "z"): [1, 0, 0, 1.0], ("z", "y"): [0, 0, 1, 0.0],
        ("x", "z"): [0, 1, 0, 0.5], ("z", "x"): [0, 1, 0, 0.5],
    }  # fmt: skip


def test_they_sum_to_the_leaderboard(voted: Store) -> None:
    rows = (
        head_to_head.matches(voted, Selection("d"), SETTINGS)
        .groupby("system")[["wins", "ties", "losses"]]
        .sum()
    )
    board = leaderboard(voted, Selection("d"), SETTINGS).rows.set_index("system")
    assert rows.to_dict() == board[["wins", "ties", "losses"]].to_dict()


def test_without_ties_when_they_are_dropped(voted: Store) -> None:
    rows = head_to_head.matches(
        voted, Selection("d"), RankSettings("win-ratio", ties="drop", bootstrap=0)
    )
    assert rows["ties"].sum() == 0
    assert set(zip(rows["system"], rows["opponent"], strict=True)) == {
        ("x", "y"),
        ("y", "x"),
        ("y", "z"),
        ("z", "y"),
    }


def test_the_share_of_a_cell_has_the_interval_of_its_items(voted: Store) -> None:
    """Of one item, Wilson's interval of one answer: 1 of 1 is 21% to 100% (Wilson 1927)."""
    rows = head_to_head.matches(voted, Selection("d"), SETTINGS).set_index(["system", "opponent"])
    assert rows.loc[("y", "z"), ["low", "high"]].tolist() == pytest.approx([0.2065, 1], abs=1e-4)
    assert rows.loc[("z", "y"), ["low", "high"]].tolist() == pytest.approx([0, 0.7935], abs=1e-4)


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
    texts = [
        voted.datasets.pair_texts(*pair)[1:]
        for pair in rows[["generation", "other"]].to_numpy().tolist()
    ]
    assert texts == [("y1", "x1"), ("y2", "x2")], "its own text first, whichever was shown first"
    every = head_to_head.comparisons(voted, Selection("d"), "z")
    assert every[["item", "opponent", "both_bad", "losses"]].to_numpy().tolist() == [
        ["q2", "y", 0, 1],
        ["q3", "x", 1, 0],
    ]
    assert head_to_head.comparisons(voted, Selection("d", judges=("Ben",)), "y", "x").empty
