"""Pairs worth reading, counted by hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from core.findings.agreement import describe_split, list_splits
from core.findings.judgements import Selection
from core.store import Store
from tests.findings.agreement.test_agreement import VOTES, load

SPLIT = [
    tuple(line.split("|"))
    for line in """q5|z|x|Dee|human|a|
q6|x|y|Ada|human|a|
q6|y|x|Ben|human|a|
q6|x|y|Cy|human|b|
q6|x|y|Dee|human|a|
q6|x|z|Ada|human|a|
q6|x|z|Ben|human|b|
q7|x|y|baseline:one|baseline|a|
q7|x|y|baseline:two|baseline|b|""".splitlines()
]


def read(store: Store, **of: Any) -> list[tuple[str, str, str, str, int, int]]:
    rows = list_splits(store, Selection("d"), **of)
    columns = ["item", "system_1", "system_2", "group", "first", "second"]
    return list(rows[columns].itertuples(index=False, name=None))


def test_judges_are_split_where_no_people_are(store: Store, tmp_path: Path) -> None:
    load(store, tmp_path, VOTES)  # of q4 one contradicts itself, and one finds neither good
    assert read(store) == [("q3", "x", "y", "judges", 2, 1)]
    [row] = [row for _, row in list_splits(store, Selection("d")).iterrows()]
    assert re.fullmatch(r"judges\b.*\b2 to 1", describe_split(row))


def test_people_come_first_and_each_item_once(store: Store, tmp_path: Path) -> None:
    load(store, tmp_path, [*VOTES, *SPLIT])
    assert read(store) == [
        ("q6", "x", "y", "people", 2, 2),
        ("q5", "x", "z", "people", 1, 1),
        ("q3", "x", "y", "judges", 2, 1),
    ], "what a rule prefers splits nobody"
    assert len(read(store, most=1)) == 1


def test_nothing_is_split_where_nobody_else_has_answered(store: Store, tmp_path: Path) -> None:
    load(store, tmp_path, SPLIT[-2:])
    assert read(store) == [], "rules alone"
    load(store, tmp_path, [("q1", "x", "y", "Ada", "human", "a", "")])
    assert read(store) == [], "one person"
