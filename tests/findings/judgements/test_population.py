from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t

from core.findings.judgements import Selection, define_population
from core.findings.leaderboard import RankSettings, leaderboard
from core.records import TandemError
from core.store import Store
from tests.findings.people.voting import say
from tests.sentence_facts import find_sentences
from tests.study import DATASET, fill


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


def test_five_judges_of_the_same_items_are_drawn_anew() -> None:
    for judges, together, over, speaks in (
        (5, True, "both", "new judges"),
        (4, True, "items", "these four judges only"),
        (1, True, "items", "this judge only"),
        (12, False, "items", "these 12 judges only"),
    ):
        found = define_population("", *given(judges, 12, together=together))
        assert found.scope == over
        assert re.search(rf"\b{speaks}\b.*\bnew items\b", found.notes()[0])


def test_few_judges_drawn_anew_and_few_items_are_said() -> None:
    for judges, rough in ((3, True), (4, True), (5, False)):
        notes = define_population("both", *given(judges, 12, together=True)).notes()[1:]
        assert len(notes) == rough
        assert len(find_sentences(notes, rf"\b{judges} judges\b.*\brough\b")) == rough
    [note] = define_population("items", *given(1, 9, together=True)).notes()[1:]
    assert re.search(r"\b9 items\b.*\brough\b", note)


def test_two_judges_say_nothing_of_a_third() -> None:
    with pytest.raises(TandemError, match=r"\bthree judges\b.*\b2 judges\b"):
        define_population("both", *given(2, 12, together=True))
    found = define_population("judgements", *given(2, 12, together=True))
    assert (found.items, found.judges) == (None, None)


def wilson(share: float, number: float) -> float:
    """Half the width of Wilson's interval."""
    z = norm.ppf(0.975)
    spread = share * (1 - share) / number + z**2 / (4 * number**2)
    return float(z * np.sqrt(spread) / (1 + z**2 / number))


@pytest.mark.parametrize(("judges", "over"), [(3, "items"), (4, "items"), (6, "both")])
def test_the_default_interval_is_as_wide_as_by_a_plain_bootstrap(
    study: Store, judges: int, over: str
) -> None:
    """Judges who differ: drawn anew with numpy, items alone, or items and judges (the variances by
    items and by judges, less that by both; Satterthwaite's degrees of freedom).
    """
    rng = np.random.default_rng(5)
    chance = np.linspace(0.45, 0.85, judges)[:, None] + rng.normal(0, 0.1, 60)
    won = (rng.random((judges, 60)) < chance).astype(float)
    fill(study, items=60, systems=("alpha", "beta"))
    with study.transaction():
        for judge, item in np.ndindex(won.shape):
            said = "ba"[int(won[judge, item])]
            say(study, f"p{judge}", f"i{item}", ("alpha", "beta"), said)
    board = leaderboard(study, Selection(DATASET), RankSettings("win-ratio", bootstrap=1000))
    row = board.rows.set_index("system").loc["alpha"]
    assert (board.facts["over"], row["rating"]) == (over, pytest.approx(won.mean()))
    assert board.facts["annotators"] == (judges if over == "items" else None)

    def spread(values: np.ndarray) -> float:
        drawn = values[rng.integers(len(values), size=(20_000, len(values)))].mean(axis=1)
        return float(drawn.var() * len(values) / (len(values) - 1))

    of_items, of_judges = spread(won.mean(axis=0)), spread(won.mean(axis=1))
    of_both = spread(won.ravel())
    variance, freedom = of_items, 59.0
    if over == "both":
        variance = of_items + of_judges - of_both
        freedom = variance**2 / ((variance - of_judges) ** 2 / 59 + of_judges**2 / (judges - 1))
    few = (norm.ppf(0.975) / t.ppf(0.975, freedom)) ** 2
    number = won.mean() * (1 - won.mean()) / variance * few
    half = wilson(won.mean(), min(number, won.size))  # never surer than of independent answers
    assert (row["high"] - row["low"]) / 2 == pytest.approx(half, rel=0.12)
