"""What `rank` says first: weak links, one-sided systems, changing systems, deciding ties."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from core.findings.judgements import Selection
from core.findings.leaderboard import RankSettings, leaderboard
from core.importing import importer
from core.records import Dataset
from core.store import Store
from tests.findings.leaderboard.test_tie_treatments import LOPSIDED, voted


def pools(joined: int) -> list[tuple[str, str, str, int]]:
    """Two pools of three, each pair won and lost ten times, and a beats d as often as said."""
    even = [
        (*pair, winner, 5)
        for pool in ("abc", "def")
        for one, other in zip(pool, pool[1:] + pool[0], strict=True)
        for pair in ((one, other), (other, one))
        for winner in "ab"
    ]
    return [*even, ("a", "d", "a", joined)]


def first_notes(store: Store, method: str = "") -> list[str]:
    return leaderboard(store, Selection("d"), RankSettings(method)).notes[:2]


def is_among(notes: list[str], pattern: str) -> bool:
    return any(re.search(pattern, note) for note in notes)


@pytest.mark.parametrize("joined", [3, 30])
def test_pools_that_few_votes_join(store: Store, tmp_path: Path, joined: int) -> None:
    """Three coins that fall alike tell nothing (p = .25); thirty do."""
    voted(store, tmp_path, pools(joined))
    result = leaderboard(store, Selection("d"), RankSettings())
    few = joined == 3
    assert is_among(result.notes[:2], r"\b3 comparisons\b.*\ba, b and c\b") is few
    assert (result.facts["separation_reliability"] is None) is few
    ranks = result.rows.set_index("system")
    assert bool(ranks.loc["a", "rank_high"] == 6) is few
    assert ("d" in ranks.loc["a", "tied_with"]) is few


def test_a_system_that_was_shown_first(store: Store, tmp_path: Path) -> None:
    """Whoever stands first wins 70%: so does x, that always stood there."""
    both = [(*sides, winner, times) for sides in (("y", "z"), ("z", "y"))
            for winner, times in (("a", 7), ("b", 3))]  # fmt: skip
    always = [("x", other, winner, times) for other in "yz"
              for winner, times in (("a", 14), ("b", 6))]  # fmt: skip
    voted(store, tmp_path, [*both, *always])
    said = r"^x was shown first in 40 of 40\b"
    assert is_among(first_notes(store), said)
    term = RankSettings("bradley-terry", position_term=True)
    assert not is_among(leaderboard(store, Selection("d"), term).notes, said)


def test_systems_that_change_under_elo(store: Store, tmp_path: Path) -> None:
    """x wins 90% of the first hundred votes, and y of the last hundred."""
    rng = np.random.default_rng(4)
    winners = [("ab" if n < 100 else "ba")[int(rng.random() > 0.9)] for n in range(200)]
    sides = [("x", "y") if n % 2 else ("y", "x") for n in range(200)]
    lines = [
        f"i{n},{a},{b},{'ab'[(winner == 'a') != (a == 'x')]},Ada"
        for n, ((a, b), winner) in enumerate(zip(sides, winners, strict=True))
    ]
    (tmp_path / "v.csv").write_text("\n".join(["item,left,right,winner,judge", *lines]))
    assert importer.load(store, [tmp_path / "v.csv"], Dataset("d")).skipped == []
    assert is_among(first_notes(store, "elo"), r"\bbetter or worse over the votes\b")
    assert not is_among(first_notes(store, "bradley-terry"), r"\bover the votes\b")


def test_ties_that_decide_places(store: Store, tmp_path: Path) -> None:
    voted(store, tmp_path, LOPSIDED)
    assert is_among(first_notes(store), r"^If ties were left out, x\b")
