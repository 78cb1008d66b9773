from __future__ import annotations

import re

import pandas as pd
import pytest

from core.findings.judgements import define_population
from core.records import TandemError
from tests.sentence_facts import find_sentences


def given(judges: int, items: int, *, together: bool) -> tuple[pd.Series, pd.Series]:
    """Items and judges of comparisons: every judge of every item, or each item of one judge."""
    rows = [
        (f"i{item}", f"j{judge}")
        for item in range(items)
        for judge in range(judges)
        if together or item % judges == judge
    ]
    item, judge = zip(*rows, strict=True)
    return pd.Series(item), pd.Series(judge)


@pytest.mark.parametrize(
    ("judges", "together", "over", "speaks"),
    [
        (3, True, "both", "new judges"),
        (2, True, "items", "these judges only"),
        (1, True, "items", "this judge only"),
        (5, False, "items", "these judges only"),
    ],
)
def test_three_judges_of_the_same_items_are_drawn_anew(
    judges: int, together: bool, over: str, speaks: str
) -> None:
    found = define_population("", *given(judges, 12, together=together))
    assert found.scope == over
    assert re.search(rf"\b{speaks}\b.*\bnew items\b", found.notes()[0])


@pytest.mark.parametrize(("judges", "rough"), [(3, True), (4, True), (5, False)])
def test_few_judges_drawn_anew_are_said(judges: int, rough: bool) -> None:
    notes = define_population("both", *given(judges, 12, together=True)).notes()[1:]
    assert len(notes) == rough
    assert len(find_sentences(notes, rf"\b{judges} judges\b.*\brough\b")) == rough


def test_fewer_than_ten_items_are_said() -> None:
    [note] = define_population("items", *given(1, 9, together=True)).notes()[1:]
    assert re.search(r"\b9 items\b.*\brough\b", note)


def test_two_judges_say_nothing_of_a_third() -> None:
    with pytest.raises(TandemError, match=r"\bthree judges\b.*\b2 judges\b"):
        define_population("both", *given(2, 12, together=True))
    found = define_population("judgements", *given(2, 12, together=True))
    assert (found.items, found.judges) == (None, None)
