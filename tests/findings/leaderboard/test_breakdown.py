"""Leaderboards side by side: of several attributes, whose ranks hold at once, and of subsets."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, breakdown, leaderboard, rank_by_attribute
from core.importing import importer
from core.records import Dataset, TandemError
from core.reporting import ReportScope, compile_report
from core.store import Store
from tests.sentence_facts import find_sentences, list_figures


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


SETTINGS = RankSettings("win-ratio", bootstrap=20)


@pytest.fixture
def parted(store: Store, tmp_path: Path) -> Store:
    """x wins all of 40 items in `en` and a quarter of 40 in `ko`; `short` has three items."""
    rows = ["item,subset,left,right,text_a,text_b,winner,judge"]
    for subset, items, wins in (("en", 40, 40), ("ko", 40, 10), ("short", 3, 0)):
        for i in range(items):
            winner = "a" if i < wins else "b"
            rows.append(f"{subset}{i},{subset},x,y,x {i} {subset},y {i} {subset},{winner},Ada")
    (tmp_path / "votes.csv").write_text("\n".join(rows))
    assert importer.load(store, [tmp_path / "votes.csv"], Dataset("d")).skipped == []
    return store


def test_each_subset_has_its_board_and_its_leader(parted: Store) -> None:
    result = breakdown.breakdown(parted, Selection("d"), SETTINGS)
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


def test_nobody_leads_where_no_part_has_enough(parted: Store) -> None:
    of_few = Selection("d", items=("en0", "en1", "ko0"))
    said = breakdown.describe_breakdown(breakdown.breakdown(parted, of_few, SETTINGS))
    assert re.match(r"No subset\b.*\b30 answers\b", said)
    with pytest.raises(TandemError, match=r"\bnothing\b.*\bby subset"):
        breakdown.breakdown(parted, Selection("d", judges=("nobody",)), SETTINGS)
