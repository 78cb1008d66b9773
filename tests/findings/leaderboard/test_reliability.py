"""Reliabilities of a leaderboard: of a published study, and at every door."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from core.findings.judgements import Finding, Selection
from core.findings.leaderboard import RankSettings, leaderboard, rank_by_attribute, rank_votes
from core.importing import importer
from core.records import Dataset
from core.reporting import ReportScope, compile_report
from core.store import Store
from tests.findings.leaderboard.test_deciding import voted as voted  # two systems
from tests.findings.leaderboard.test_deciding import votes as votes

RIGOUR = Path("tests/statistics/sangwin2021_rigour.csv")
"""24 students judge 13 proofs; see the file beside it."""


@pytest.fixture
def judged(store: Store, tmp_path: Path) -> Store:
    table = tmp_path / "rigour.csv"
    named = pd.read_csv(RIGOUR).rename(columns={"won": "winner", "lost": "loser"})
    for side in ("winner", "loser"):
        named[side] = "proof " + named[side].astype(str)
    named.to_csv(table, index=False)
    importer.load(store, [table], Dataset("d"))
    return store


def find_note(found: Finding) -> str:
    [note] = [note for note in found.notes if "reliability" in note]
    return note


def test_a_published_study_has_its_published_reliabilities(judged: Store) -> None:
    """.948 and, of halves of the 24 students, a median of .906 (sd of a split .044)."""
    found = leaderboard(judged, Selection("d"), RankSettings("bradley-terry"))
    assert found.facts["separation_reliability"] == pytest.approx(0.948, abs=0.015)
    halves = found.facts["split_half"]
    assert (halves["of"], halves["parts"]) == ("judge", 24)
    assert halves["reliability"] == pytest.approx(0.906, abs=0.02)
    note = find_note(found)
    assert f"{halves['reliability']:.2f}" in note
    assert "earlier answers" in note
    again = leaderboard(judged, Selection("d"), RankSettings("bradley-terry"))
    assert again.facts["split_half"] == halves, "by the seed"


def test_report_and_notebook_say_it(judged: Store) -> None:
    note = find_note(leaderboard(judged, Selection("d"), RankSettings()))
    report = compile_report(judged, ReportScope(Selection("d")))
    [board] = [one for one in report.sections if one.title.startswith("Leaderboard by")]
    assert note in board.foot
    shown = leaderboard(judged, Selection("d"), RankSettings())._repr_html_()
    assert "Split-half" in shown


def test_of_files_and_of_each_attribute(judged: Store, tmp_path: Path) -> None:
    """Counts keep no judges, and each of these votes is an item by itself."""
    counted = rank_votes([tmp_path / "rigour.csv"], Selection(""), RankSettings("bradley-terry"))
    assert counted.facts["separation_reliability"] == pytest.approx(0.948, abs=0.015)
    assert counted.facts["split_half"] is None
    whole = rank_by_attribute(judged, Selection("d"), RankSettings())
    assert "reliability" in find_note(whole)


def test_two_systems_have_no_halves_and_few_say_little(voted: Store) -> None:
    found = leaderboard(voted, Selection("d"), RankSettings())
    assert found.facts["split_half"] is None
    assert "says little" in find_note(found)


def test_where_it_is_not_known_nothing_is_said(judged: Store) -> None:
    """Without intervals, and in an order."""
    for settings in (RankSettings(bootstrap=0), RankSettings("elo")):
        found = leaderboard(judged, Selection("d"), settings)
        assert found.facts["split_half"] is None
        assert not any("Split-half" in note for note in found.notes)
