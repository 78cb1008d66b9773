"""The leader's lead over time: against the leaderboard that holds at every look."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, lead_over_time, leaderboard
from core.importing import importer
from core.records import Dataset, TandemError
from core.reporting import draw_finding
from core.store import Store
from tests.findings.leaderboard.test_tie_treatments import voted


def load_votes(store: Store, folder: Path, chance: float, votes: int = 300, seed: int = 0) -> None:
    """Three systems; x wins each vote with this chance, y and z are even; two votes an item."""
    rng = np.random.default_rng(seed)
    rows = ["item,system_a,system_b,winner"]
    for number in range(votes):
        one, other = [("x", "y"), ("x", "z"), ("y", "z")][number % 3]
        won = rng.random() < (0.5 if one == "y" else chance)
        rows.append(f"{number // 2},{one},{other},{'ab'[not won]}")
    path = folder / "votes.csv"
    path.write_text("\n".join(rows))
    importer.load(store, [path], Dataset("d"))


@pytest.mark.parametrize("method", ["win-ratio", "bradley-terry"])
@pytest.mark.parametrize(("chance", "clear"), [(0.75, True), (0.53, False)])
def test_the_last_look_is_the_leaderboards(
    store: Store, tmp_path: Path, method: str, chance: float, clear: bool
) -> None:
    load_votes(store, tmp_path, chance)
    found = lead_over_time(store, Selection("d"), RankSettings(method))
    board = leaderboard(store, Selection("d"), RankSettings(method, resolve="always")).rows
    first, second = board.iloc[0], board.iloc[1]
    assert (found.facts["leader"], found.facts["second"]) == (first["system"], second["system"])
    last = found.rows.iloc[-1]
    assert last["votes"] == 300
    assert last["lead"] == pytest.approx(first["rating"] - second["rating"])
    assert (last["lead_low"] > 0) == (second["system"] not in first["tied_with"]) == clear
    assert (found.facts["clear_since"] is not None) == clear
    assert last["lead_low"] < last["lead"] < last["lead_high"]
    assert len(found.rows) <= 100
    assert json.loads(json.dumps(found.document()))["rows"][-1]["votes"] == 300


def test_a_look_in_between_is_that_of_a_study_that_had_stopped_there(
    store: Store, tmp_path: Path
) -> None:
    """The votes up to the look, in a data set of their own, by the same leaderboard."""
    load_votes(store, tmp_path, 0.75, 100)
    found = lead_over_time(store, Selection("d"), RankSettings("win-ratio"))
    leader, second = found.facts["leader"], found.facts["second"]
    look = found.rows[found.rows["votes"] == 60].iloc[0]
    with Store(tmp_path / "stopped.sqlite3") as stopped:
        load_votes(stopped, tmp_path, 0.75, 60)
        settings = RankSettings("win-ratio", resolve="always")
        board = leaderboard(stopped, Selection("d"), settings).rows.set_index("system")
    lead = board.loc[leader, "rating"] - board.loc[second, "rating"]
    assert look["lead"] == pytest.approx(lead)
    assert (look["lead_low"] > 0) == (second not in board.loc[leader, "tied_with"])


@pytest.mark.parametrize("method", ["win-ratio", "bradley-terry"])
def test_before_ten_items_of_both_there_is_no_band(
    store: Store, tmp_path: Path, method: str
) -> None:
    """Two votes an item, each system in two of three: ten items have x and y after 20 votes and
    no more. The bounds of Student's t would be infinite or of 10,000 points there.
    """
    load_votes(store, tmp_path, 0.65, 120)
    found = lead_over_time(store, Selection("d"), RankSettings(method))
    rows = found.rows[found.rows["lead"].notna()]
    ends = rows[["lead_low", "lead_high"]]
    assert ends[rows["votes"] < 14].isna().all(axis=None)
    assert ends[rows["votes"] >= 40].notna().all(axis=None)
    assert np.isfinite(ends.dropna().to_numpy()).all()
    assert ends.abs().max(axis=None) < (1 if method == "win-ratio" else 3000)
    assert found.document()["rows"][0]["lead_low"] is None


def test_a_study_of_few_items_says_what_it_lacks(store: Store, tmp_path: Path) -> None:
    load_votes(store, tmp_path, 0.9, 12)
    found = lead_over_time(store, Selection("d"), RankSettings("win-ratio"))
    assert found.rows["lead_low"].isna().all()
    assert "10 items" in found.facts["sentence"]
    assert found.facts["clear_since"] is None
    assert draw_finding(found).to_dict()["layer"]


def test_the_picture_has_a_band_a_line_and_a_zero(store: Store, tmp_path: Path) -> None:
    load_votes(store, tmp_path, 0.75)
    for method in ("win-ratio", "bradley-terry"):
        found = lead_over_time(store, Selection("d"), RankSettings(method))
        chart = draw_finding(found).to_dict()
        marks = [layer["mark"]["type"] for layer in chart["layer"]]
        assert marks == ["area", "rule", "line"]
        low, high = chart["layer"][-1]["encoding"]["y"]["scale"]["domain"]
        assert low < 0 < high
        assert "whenever" in json.dumps(chart["title"])


def test_what_has_no_lead_is_refused_with_the_way_out(store: Store, tmp_path: Path) -> None:
    voted(store, tmp_path, [("x", "y", "a", 3), ("z", "w", "a", 3)])
    with pytest.raises(TandemError, match=r"\belo\b.*\bwin-ratio\b"):
        lead_over_time(store, Selection("d"), RankSettings("elo"))
    with pytest.raises(TandemError, match=r"\btogether\b.*\bleave\b"):
        lead_over_time(store, Selection("d"), RankSettings(resolve="together"))
    with pytest.raises(TandemError, match=r"\bno comparison links\b"):
        lead_over_time(store, Selection("d"), RankSettings("bradley-terry"))
