"""The votes without which another system leads, of a store and of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, headline, leaderboard, rank_votes
from core.importing import importer
from core.records import Dataset
from core.store import Store


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
    importer.load(store, [votes], Dataset("d"))
    return store


def test_the_votes_are_listed(voted: Store) -> None:
    """21 to 19: without 2 the leader has 19 of 38, which is level, so it takes 3."""
    found = leaderboard(voted, Selection("d"), RankSettings(bootstrap=0))
    assert found.facts["deciding_votes"] == {"votes": 3, "of": 40, "leader": "x", "instead": "y"}
    rows = found.tables["deciding"]
    assert rows["better"].tolist() == ["x"] * 3
    assert rows["judge"].tolist() == ["Ada"] * 3
    frame = voted.judgement_frames.all("d").set_index("judgement")
    assert frame.loc[rows["judgement"], "outcome"].tolist() == ["a"] * 3
    assert found.document()["deciding"][0]["system_a"] == "x"
    assert "Without 3 human votes of 40, y would lead." in headline.headline(found)


def test_counted_votes_have_no_judge_and_a_number(votes: Path) -> None:
    found = rank_votes([votes], Selection(""), RankSettings(bootstrap=0))
    assert found.facts["deciding_votes"]["votes"] == 3
    assert found.tables["deciding"]["votes"].sum() == 3
    assert found.tables["deciding"]["judge"].isna().all()


def test_elo_has_none(voted: Store) -> None:
    found = leaderboard(voted, Selection("d"), RankSettings(method="elo", bootstrap=0))
    assert found.facts["deciding_votes"] is None
    assert found.tables["deciding"].empty
    assert "would lead" not in headline.headline(found)
