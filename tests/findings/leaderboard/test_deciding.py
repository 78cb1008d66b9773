"""The votes without which another system leads, of a store and of files; reliabilities of a leaderboard."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

from core.findings.judgements import Finding, Selection
from core.findings.leaderboard import (
    RankSettings,
    headline,
    leaderboard,
    rank_by_attribute,
    rank_votes,
)
from core.reporting import ReportScope, compile_report
from core.store import Store
from tests.findings.tables import load


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    """x beats y on 21 of 40 items: without three of these votes y leads."""
    lines = ["item,left,right,winner,judge"]
    lines += [f"i{i},x,y,{'a' if i < 21 else 'b'},Ada" for i in range(40)]
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(lines))
    return path


@pytest.fixture
def voted(store: Store, votes: Path) -> Store:
    return load(store, votes.read_text())


def test_the_votes_are_listed(voted: Store) -> None:
    """21 to 19: without 2 the leader has 19 of 38, which is level, so it takes 3."""
    found = leaderboard(voted, Selection("d"), RankSettings(bootstrap=0))
    assert found.facts["deciding_votes"] == {"votes": 3, "of": 40, "leader": "x", "instead": "y"}
    rows = found.tables["deciding"]
    assert rows["better"].tolist() == ["x"] * 3
    assert rows["judge"].tolist() == ["Ada"] * 3
    frame = voted.judgement_frames.load_all("d").set_index("judgement")
    assert frame.loc[rows["judgement"], "outcome"].tolist() == ["a"] * 3
    assert found.document()["deciding"][0]["system_a"] == "x"
    assert re.search(r"\b3 human votes\b[^.]*\bof 40, y\b", headline.headline(found))
    elo = leaderboard(voted, Selection("d"), RankSettings(method="elo", bootstrap=0))
    assert elo.facts["deciding_votes"] is None
    assert elo.tables["deciding"].empty
    assert "would lead" not in headline.headline(elo)


def test_counted_votes_have_no_judge_and_a_number(votes: Path) -> None:
    found = rank_votes([votes], Selection(""), RankSettings(bootstrap=0))
    assert found.facts["deciding_votes"]["votes"] == 3
    assert found.tables["deciding"]["votes"].sum() == 3
    assert found.tables["deciding"]["judge"].isna().all()


PROBABLE = "item,left,right,winner,prob_a,judge,kind,order_known"


def test_after_a_correction_no_number_is_given(store: Store) -> None:
    load(store, [PROBABLE, *(f"i{i},x,y,a,0.{i + 2},gpt,llm,1" for i in range(7))])
    settings = RankSettings("win-ratio", debias="threshold", bootstrap=0)
    found = leaderboard(store, Selection("d", judges=("llm",)), settings)
    assert found.facts["deciding_votes"] is None
    assert found.tables["deciding"].empty


RIGOUR = Path("tests/statistics/sangwin2021_rigour.csv")
"""24 students judge 13 proofs; see the file beside it."""


@pytest.fixture
def judged(store: Store, tmp_path: Path) -> Store:
    named = pd.read_csv(RIGOUR).rename(columns={"won": "winner", "lost": "loser"})
    for side in ("winner", "loser"):
        named[side] = "proof " + named[side].astype(str)
    named.to_csv(tmp_path / "rigour.csv", index=False)
    return load(store, named)


def find_note(found: Finding) -> str:
    [note] = [note for note in found.notes if "reliability" in note]
    return note


def test_a_published_study_has_its_published_reliabilities(judged: Store) -> None:
    """.948 and, of halves of the 24 students, a median of .906 (sd of a split .044)."""
    found = leaderboard(judged, Selection("d"), RankSettings("bradley-terry"))
    assert found.facts["separation_reliability"] == pytest.approx(0.948, abs=0.012)
    halves = found.facts["split_half"]
    assert (halves["of"], halves["parts"]) == ("judge", 24)
    assert halves["reliability"] == pytest.approx(0.906, abs=0.01)
    note = find_note(found)
    assert f"{halves['reliability']:.2f}" in note
    assert "earlier answers" in note
    again = leaderboard(judged, Selection("d"), RankSettings("bradley-terry"))
    assert again.facts["split_half"] == halves, "by the seed"


def test_report_and_notebook_say_it(judged: Store) -> None:
    found = leaderboard(judged, Selection("d"), RankSettings())
    report = compile_report(judged, ReportScope(Selection("d")))
    [board] = [one for one in report.sections if one.title.startswith("Leaderboard by")]
    assert find_note(found) in board.foot
    assert "Split-half" in found._repr_html_()


def test_of_files_and_of_each_attribute(judged: Store, tmp_path: Path) -> None:
    """Counts keep no judges, and each of these votes is an item by itself."""
    counted = rank_votes([tmp_path / "rigour.csv"], Selection(""), RankSettings("bradley-terry"))
    assert counted.facts["separation_reliability"] == pytest.approx(0.948, abs=0.012)
    assert counted.facts["split_half"] is None
    whole = rank_by_attribute(judged, Selection("d"), RankSettings())
    assert "reliability" in find_note(whole)
    # Where it is not known, without intervals and in an order, nothing is said.
    for settings in (RankSettings(bootstrap=0), RankSettings("elo")):
        found = leaderboard(judged, Selection("d"), settings)
        assert found.facts["split_half"] is None
        assert not any("Split-half" in note for note in found.notes)


def test_two_systems_have_no_halves_and_few_say_little(voted: Store) -> None:
    found = leaderboard(voted, Selection("d"), RankSettings())
    assert found.facts["split_half"] is None
    assert "says little" in find_note(found)
