"""Win rates at equal length from a store: which comparisons count, against whom, and what is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, candidates, leaderboard
from core.findings.leaderboard.length_control import add_lengths
from core.findings.leaderboard.rating_input import prepare_comparisons
from core.importing import importer
from core.records import Dataset, TandemError
from core.store import Store

ITEMS = 30
LENGTHS = {"base": 200, "long": 400, "like": 200}
ASKED = RankSettings("length-controlled", bootstrap=30)


@pytest.fixture
def voted(store: Store, tmp_path: Path) -> Store:
    """Two systems against base on every item; `long` writes twice as much."""
    rng, texts, votes = (
        np.random.default_rng(0),
        ["item,system,text"],
        ["item,left,right,winner,judge"],
    )
    for i in range(ITEMS):
        for name, mean in LENGTHS.items():
            texts.append(f"i{i},{name},{'a' * int(mean + rng.integers(-50, 50))}")
        for name, share in (("long", 0.8), ("like", 0.4)):
            left, right = (name, "base") if i % 2 else ("base", name)
            votes.append(f"i{i},{left},{right},{'ab'[(rng.random() < share) != (i % 2)]},Ada")
    load(store, tmp_path, texts, votes)
    return store


def load(store: Store, folder: Path, *files: list[str]) -> None:
    for lines in files:
        path = folder / f"{len(list(folder.glob('*.csv')))}.csv"
        path.write_text("\n".join(lines))
        importer.load(store, [path], Dataset("d"))


def test_the_baseline_is_whom_all_met(voted: Store) -> None:
    result = leaderboard(voted, Selection("d"), ASKED)
    rows = result.rows.set_index("system")
    assert rows.loc["base", "rating"] == 0.5
    assert rows.loc["base", ["low", "high"]].isna().all()
    assert "|baseline:base|" in result.signature
    shares = leaderboard(voted, Selection("d"), RankSettings("win-ratio", bootstrap=0)).rows
    others = ["long", "like"]
    plain = shares.set_index("system").loc[others, "rating"].to_dict()
    assert rows.loc[others, "uncontrolled"].to_dict() == pytest.approx(plain, abs=5e-3)
    apart = (rows["rating"] - rows["uncontrolled"]).to_dict()
    assert rows["change"].to_dict() == pytest.approx(apart)
    assert (rows.loc[others, "low"] < rows.loc[others, "rating"]).all()
    assert any(note.startswith("Texts of long are longer nearly") for note in result.notes)
    assert not any("like" in note for note in result.notes)


def test_lengths_are_those_of_the_other_text_less_the_baseline(voted: Store) -> None:
    frame = prepare_comparisons(voted, Selection("d"), ASKED).frame
    texts = voted.datasets.generations("d").set_index("generation")["text"].str.len()
    for row in frame.itertuples():
        sides = {row.system_a: row.generation_a, row.system_b: row.generation_b}
        base = sides.pop("base")
        assert row.length == texts[next(iter(sides.values()))] - texts[base]
        assert row.baseline_first == (row.system_a == "base")


def test_comparisons_of_others_are_left_out_and_counted(voted: Store, tmp_path: Path) -> None:
    load(
        voted, tmp_path, ["item,left,right,winner,judge", "i0,long,like,a,Ada", "i1,new,base,a,Ada"]
    )
    with pytest.raises(TandemError, match="no system is in every comparison: say whose"):
        leaderboard(voted, Selection("d"), ASKED)
    named = RankSettings("length-controlled", baseline="base", bootstrap=0)
    result = leaderboard(voted, Selection("d"), named)
    assert "1 judgements are left out: they do not compare base." in result.notes
    assert any(note.startswith("1 judgements are left out: a text is") for note in result.notes)
    assert result.judgements == 2 * ITEMS


def test_what_cannot_be_answered(voted: Store) -> None:
    two = Selection("d", systems=("base", "long"))
    with pytest.raises(TandemError, match="several systems are in every comparison"):
        leaderboard(voted, two, ASKED)
    unknown = RankSettings("length-controlled", baseline="nobody", bootstrap=0)
    with pytest.raises(TandemError, match="baseline nobody: no judgement compares it; there are"):
        leaderboard(voted, Selection("d"), unknown)
    with pytest.raises(TandemError, match="baseline base belongs to length-controlled, not to elo"):
        RankSettings("elo", baseline="base")
    with pytest.raises(TandemError, match="learns from all items what length does"):
        candidates(voted, Selection("d"), ASKED)
    frame = prepare_comparisons(voted, Selection("d"), ASKED).frame
    alike = frame.assign(generation_b=frame["generation_a"])
    with pytest.raises(TandemError, match="needs texts of different lengths"):
        add_lengths(voted, "d", alike, "base")
