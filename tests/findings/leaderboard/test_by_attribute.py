"""Leaderboards of several attributes whose ranks hold at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, leaderboard, rank_by_attribute
from core.importing import importer
from core.records import Dataset
from core.reporting import ReportScope, compile_report
from core.store import Store
from tests.sentence_facts import find_sentences


@pytest.fixture
def voted(store: Store, tmp_path: Path) -> Store:
    """x is ahead of y on style in about 7 of 10 items; on sense there is nothing between them."""
    rng, lines = np.random.default_rng(0), ["item,left,right,winner,judge,attribute"]
    for i in range(40):
        for attribute, p in (("style", 0.7), ("sense", 0.5)):
            lines.append(f"i{i},x,y,{'ba'[int(rng.random() < p)]},Ada,{attribute}")
    (tmp_path / "v.csv").write_text("\n".join(lines))
    importer.load(store, [tmp_path / "v.csv"], Dataset("d"))
    return store


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


def test_one_attribute_is_one_board(voted: Store) -> None:
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
