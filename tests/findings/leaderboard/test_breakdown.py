"""Leaderboards side by side: counted by hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, breakdown
from core.importing import importer
from core.records import Dataset, TandemError
from core.store import Store
from tests.sentence_facts import list_figures

SETTINGS = RankSettings("win-ratio", bootstrap=20)


@pytest.fixture
def voted(store: Store, tmp_path: Path) -> Store:
    """x wins all of 40 items in `en` and a quarter of 40 in `ko`; `short` has three items."""
    rows = ["item,subset,left,right,text_a,text_b,winner,judge"]
    for subset, items, wins in (("en", 40, 40), ("ko", 40, 10), ("short", 3, 0)):
        for i in range(items):
            winner = "a" if i < wins else "b"
            rows.append(f"{subset}{i},{subset},x,y,x {i} {subset},y {i} {subset},{winner},Ada")
    (tmp_path / "votes.csv").write_text("\n".join(rows))
    assert importer.load(store, [tmp_path / "votes.csv"], Dataset("d")).skipped == []
    return store


def test_each_subset_has_its_board_and_its_leader(voted: Store) -> None:
    result = breakdown.breakdown(voted, Selection("d"), SETTINGS)
    x = result.rows[result.rows["system"] == "x"].set_index("subset")
    assert x["rating"].to_dict() == {"en": 1.0, "ko": 0.25, "short": 0.0}
    assert x["judgements"].to_dict() == {"en": 40, "ko": 40, "short": 3}
    parts = result.tables["parts"].set_index("subset")
    assert parts["leaders"].to_dict() == {"en": ("x",), "ko": ("y",), "short": ()}
    assert parts["clear"].to_dict() == {"en": True, "ko": True, "short": False}
    said = breakdown.describe_breakdown(result)
    assert said.startswith("x leads in 1 of 2 ")
    assert "y in ko" in said
    assert list_figures(said) == [1, 2, 1]
    assert "|attribute:all|" in result.signature
    assert "|by:subset|" in result.signature


def test_nobody_leads_where_no_part_has_enough(voted: Store) -> None:
    of_few = Selection("d", items=("en0", "en1", "ko0"))
    said = breakdown.describe_breakdown(breakdown.breakdown(voted, of_few, SETTINGS))
    assert re.match(r"No subset\b.*\b30 answers\b", said)
    with pytest.raises(TandemError, match=r"\bnothing\b.*\bby subset"):
        breakdown.breakdown(voted, Selection("d", judges=("nobody",)), SETTINGS)
