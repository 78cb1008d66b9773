from __future__ import annotations

import pandas as pd
import pytest

from core.findings.judgements import define_population
from core.records import TandemError


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
        (3, True, "both", "new judges like these, on new items"),
        (2, True, "items", "these judges only, on new items"),
        (1, True, "items", "this judge only, on new items"),
        (5, False, "items", "these judges only, on new items"),
    ],
)
def test_three_judges_of_the_same_items_are_drawn_anew(
    judges: int, together: bool, over: str, speaks: str
) -> None:
    found = define_population("", *given(judges, 12, together=together))
    assert found.over == over
    assert found.notes()[0] == f"Intervals hold for {speaks}."


@pytest.mark.parametrize(("judges", "rough"), [(3, True), (4, True), (5, False)])
def test_few_judges_drawn_anew_are_said(judges: int, rough: bool) -> None:
    notes = define_population("both", *given(judges, 12, together=True)).notes()[1:]
    assert (
        notes
        == [
            f"Only {judges} judges: they tell little about how judges differ, so intervals for new "
            "ones are rough."
        ]
        * rough
    )


def test_fewer_than_ten_items_are_said() -> None:
    assert define_population("items", *given(1, 9, together=True)).notes()[1:] == [
        "Only 9 items: intervals of so few are rough. Ten are a start."
    ]


def test_two_judges_say_nothing_of_a_third() -> None:
    with pytest.raises(TandemError, match="needs three judges or more, and there are 2 judges"):
        define_population("both", *given(2, 12, together=True))
    found = define_population("judgements", *given(2, 12, together=True))
    assert (found.items, found.judges) == (None, None)
