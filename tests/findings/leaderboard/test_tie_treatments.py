"""Whether the order of systems hangs on how ties count: a study small enough to count by hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, leaderboard
from core.importing import importer
from core.records import Dataset, TandemError
from core.store import Store
from tests.sentence_facts import find_sentences


def voted(store: Store, folder: Path, votes: list[tuple[str, str, str, int]]) -> None:
    """(first, second, winner, how many times), each on an item of its own."""
    rows = [(a, b, winner) for a, b, winner, times in votes for _ in range(times)]
    lines = [f"i{n},{a},{b},{winner},Ada" for n, (a, b, winner) in enumerate(rows)]
    (folder / "v.csv").write_text("\n".join(["item,left,right,winner,judge", *lines]))
    assert importer.load(store, [folder / "v.csv"], Dataset("d")).skipped == []


def on_ties(store: Store, method: str, ties: str) -> list[str]:
    settings = RankSettings(method, ties=ties, bootstrap=0)
    notes = leaderboard(store, Selection("d"), settings).notes
    return [note for note in notes if note.startswith("If ties")]


LOPSIDED = [("x", "z", "a", 2), ("x", "z", "tie", 8), ("y", "z", "a", 6), ("y", "z", "b", 3)]
"""x: 2 wins and 8 ties, 60% with ties as halves, 100% without. y: 6 of 9, 67% either way."""


def test_who_would_change_places(store: Store, tmp_path: Path) -> None:
    # With these, x has 4 wins, 8 ties and a loss: 62%, or 80% without the ties.
    voted(store, tmp_path, [*LOPSIDED, ("x", "z", "b", 1), ("x", "z", "a", 2)])
    for method in ("win-ratio", "bradley-terry"):
        assert find_sentences(on_ties(store, method, "half"), r"\bleft out, x\b.*\babove y\b")
        assert find_sentences(on_ties(store, method, "drop"), r"\bhalf, y\b.*\babove x\b")


def test_several_pairs_are_counted(store: Store, tmp_path: Path) -> None:
    """w as y: x passes both."""
    voted(store, tmp_path, [*LOPSIDED, ("w", "z", "a", 7), ("w", "z", "b", 3)])
    [note] = on_ties(store, "win-ratio", "half")
    assert re.search(r"\bleft out, 2 pairs\b.*\bw and x\b", note)


def test_nothing_is_said_where_the_order_stays(store: Store, tmp_path: Path) -> None:
    """x beats y on all but ties; and without ties there is nothing to treat."""
    voted(store, tmp_path, [("x", "y", "a", 6), ("x", "y", "tie", 3), ("x", "y", "b", 1)])
    assert [on_ties(store, method, "half") for method in ("win-ratio", "elo", "bradley-terry")] == [
        [], [], [],
    ]  # fmt: skip


def test_how_well_the_model_of_ties_fits(store: Store, tmp_path: Path) -> None:
    """Of two systems the model says just what was seen: nu is ties / sqrt(wins * losses)."""
    voted(store, tmp_path, [("x", "y", "a", 12), ("x", "y", "tie", 6), ("x", "y", "b", 2)])
    settings = RankSettings("bradley-terry", ties="model", bootstrap=0)
    result = leaderboard(store, Selection("d"), settings)
    assert "|ties:model|" in result.signature
    assert result.facts["tie_fits"]["davidson"]["nu"] == pytest.approx(1.5**0.5, abs=1e-5)
    plain = leaderboard(store, Selection("d"), RankSettings("bradley-terry", bootstrap=0))
    assert plain.facts["tie_fits"] is None


def test_a_system_that_never_lost_is_told_beside_the_warning(store: Store, tmp_path: Path) -> None:
    voted(store, tmp_path, [("x", "y", "a", 5), ("y", "z", "a", 3), ("z", "y", "a", 2)])
    settings = RankSettings("bradley-terry", regularise=True, bootstrap=0)
    result = leaderboard(store, Selection("d"), settings)
    assert any(note.startswith("Some systems won or lost everything") for note in result.notes)
    assert any(note.startswith("Regularised strengths are as if") for note in result.notes)
    rows = result.rows.set_index("system")
    assert rows.loc["x", "regularised"] < rows.loc["x", "rating"], "drawn towards the mean"
    assert rows["regularised"].mean() == pytest.approx(1000)
    with pytest.raises(TandemError, match=r"^regularise\b.*\bbradley-terry\b.*\bnot to elo\b"):
        RankSettings("elo", regularise=True)
