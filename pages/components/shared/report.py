"""What stands under the figures of a report: notes, counts and the signature."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from core.analysis.judgements import Result, Selection
from core.charts import MOST_ROWS
from core.labels import percent as percent  # of the sentences above the figures
from pages.components.shared.filters import choose_selection, comparers_of
from pages.components.shared.frame import Study, ways_on
from pages.components.shared.notice import lead, several, small

WIDEST = 270  # pixels of a column of judges' names: the figures beside them stay in sight
MOST_NOTES = 8
AT_ONCE = 50_000  # judgements beyond which reading single answers waits to be asked for


def concluded(
    study: Study,
    what: str,
    compute: Callable[[Study, Selection], Result],
    sentence: Callable[[Result], str],
) -> tuple[Selection, Result] | None:
    """What was chosen and computed, after the sentence that says what it means; None where nobody
    has judged.
    """
    judges = comparers_of(study, what)
    if judges.empty:
        return None
    selection = choose_selection(study, judges=judges)
    result = compute(study, selection)
    lead(sentence(result))
    if result.rows.empty or not result.judgements:
        ways_on(annotate="Annotate", judge="Run a judge")
    return selection, result


def beyond(rows: pd.DataFrame, where: str = "The table has them all") -> None:
    """That a chart of rows holds the first of them only."""
    if len(rows) > MOST_ROWS:
        small(f"The first {MOST_ROWS} of {len(rows)} rows. {where}.")


def whose(row: pd.Series) -> str:
    """The judge of a labelled row in a sentence, with its attribute where the label has it."""
    plain = row["label"] == row["judge"]
    return str(row["judge"] if plain else f"{row['judge']} ({row['attribute']})")


def compared(row: pd.Series, does: str) -> str:
    """Two judges on the same items: which of them `does` something more often, or that this cannot
    be told. `row` is one of a table `differences`.
    """
    same = f"On the same {several(row['items'], 'item')}"
    first, second = str(row["judge_1"]), str(row["judge_2"])
    low, high = (_points(row[name]) for name in ("low", "high"))
    points = _so_many(row["difference"])
    if pd.isna(row["low"]):
        if not row["difference"]:
            return f"{same}, {first} and {second} do not differ at all."
        return f"{same}, {first} and {second} differ by {points}; that has no interval."
    if row["low"] <= 0 <= row["high"]:
        apart = f"(difference {points}, 95% interval {low} to {high})"
        return f"{same}, {first} and {second} cannot be told apart {apart}."
    if row["high"] < 0:
        low, high = (_points(-row[name]) for name in ("high", "low"))
        points = _so_many(-row["difference"])
    often = f"{points} {'more' if row['low'] > 0 else 'less'} often"
    return f"{same}, {first} {does} {often} than {second} ({low} to {high} points)."


def _so_many(share: float) -> str:
    points = _points(share)
    return f"{points} point{'' if points in ('1', '-1') else 's'}"


def _points(share: float) -> str:
    """In percentage points, with a digit more where there is less than one."""
    points = 100 * share
    return f"{points:.1f}" if 0.05 <= abs(points) < 1 else f"{points + 0.0:.0f}"


def closest(differences: pd.DataFrame, judge: str = "", attribute: str = "") -> pd.Series | None:
    """The row of a table `differences` that holds the judge farthest ahead against who comes
    closest, of those with an interval if there are any; None where no two have answered the same
    items, or one only.
    """
    rows = differences[differences["difference"].notna() & (differences["items"] > 1)]
    for name, chosen in (("judge_1", judge), ("attribute", attribute)):
        rows = rows[rows[name] == chosen] if chosen else rows
    known = rows.dropna(subset="low")
    rows = known if len(known) else rows
    return None if rows.empty else rows.loc[rows["difference"].abs().idxmin()]


def show_compared(differences: pd.DataFrame, does: str) -> None:
    """A sentence for each attribute: the judge farthest ahead, and who comes closest."""
    attributes = list(dict.fromkeys(differences["attribute"]))
    for attribute in attributes[:MOST_NOTES]:
        row = closest(differences, attribute=attribute)
        if row is not None:
            named = f"{attribute}: " if len(attributes) > 1 else ""
            small(f"{named}{compared(row, does)}")


def foot(result: Result, intervals: str) -> None:
    """What stands under a figure: what a reader must know, how many it is of, how it was made."""
    for note in result.notes[:MOST_NOTES]:
        small(note)
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in result.unanswered.items())
    used = f"Based on {several(result.judgements, 'judgement')}"
    small(f"{used}; unanswered: {reasons or 'none'}. {intervals}")
    signature(result.signature)


def signature(text: str) -> None:
    """The settings that reproduce a figure, to be copied."""
    st.code(text, language=None, wrap_lines=True)
