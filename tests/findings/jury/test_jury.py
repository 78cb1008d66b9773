"""What is said of a jury where its judges copy each other, or are never in doubt."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from core.findings.judgements import Selection
from core.findings.jury import jury
from core.findings.leaderboard import RankSettings
from core.records import Kind, TandemError
from core.store import Store
from tests.findings.combine.studies import SYSTEMS, add, begin, points, said, vote
from tests.study import DATASET, fill

SETTINGS = RankSettings(method="jury", bootstrap=0)


def test_copies_are_as_right_as_the_best_of_them(store: Store) -> None:
    begin(store)
    said(store, "other")  # the answers of `model`, whose name is as long
    [sentence] = jury(store, Selection(DATASET, judges=("llm",)), SETTINGS).facts["sentences"]
    assert re.search(r"\bas right as\b.*\bbest single\b", sentence)
    assert "nan" not in sentence


def test_no_judge_is_blamed_where_all_are_one_sided(store: Store) -> None:
    fill(store, items=5, systems=SYSTEMS)
    pairs = list(combinations(SYSTEMS, 2))
    for judge in ("one", "two", "three"):
        won = points(1.0)
        add(store, [vote(i, a, b, judge, won, Kind.LLM) for i in range(5) for a, b in pairs])
    with pytest.raises(TandemError, match=r"\bone-sided\b.*\bleft out: use\b"):
        jury(store, Selection(DATASET, judges=("llm",)), SETTINGS)
