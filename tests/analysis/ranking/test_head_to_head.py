"""Who beat whom: counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.analysis.judgements.selection import Selection
from core.analysis.ranking import head_to_head, leaderboard
from core.analysis.ranking.leaderboard import RankSettings
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


def test_the_texts_behind_a_cell(voted: Store) -> None:
    found = head_to_head.behind(voted, Selection("d"), "y", "x")
    assert found[["item", "text_a", "text_b", "outcome", "judge"]].to_numpy().tolist() == [
        ["q1", "x1", "y1", "a", "Ada"], ["q1", "y1", "x1", "b", "Ada"], ["q2", "x2", "y2", "tie", "Ada"],
    ]  # fmt: skip
    assert found["all"].tolist() == [3, 3, 3]
    assert len(head_to_head.behind(voted, Selection("d"), "y", "x", most=2)) == 2
    assert head_to_head.behind(voted, Selection("d", judges=("Ben",)), "y", "x").empty


def test_what_a_judges_answers_allow(voted: Store) -> None:
    """Ada has no probabilities and one pair in both orders; Ben's second order has no answer."""
    traits = voted.judgement_frames.judge_traits("d").set_index("judge")
    assert traits[["kind", "probabilities", "both_orders"]].T.to_dict("list") == {
        "Ada": ["human", False, True], "Ben": ["human", True, False],
    }  # fmt: skip
