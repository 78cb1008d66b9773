"""What stands under the figures of a report: notes, counts, the signature, what was promised."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from core.findings.judgements import Finding, Selection, describe_difference, find_closest
from core.findings.people import promises
from core.rendering.charts import MOST_ROWS
from pages.components.shared.filters import choose_selection, comparers_of
from pages.components.shared.frame import Study, ways_on
from pages.components.shared.notice import lead, several, small

WIDEST = 270  # pixels of a column of judges' names: the figures beside them stay in sight
MOST_NOTES = 8
AT_ONCE = 50_000  # judgements beyond which reading single answers waits to be asked for


def concluded(
    study: Study,
    what: str,
    compute: Callable[[Study, Selection], Finding],
    sentence: Callable[[Finding], str],
) -> tuple[Selection, Finding] | None:
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


def show_compared(differences: pd.DataFrame, does: str) -> None:
    """A sentence for each attribute: the judge farthest ahead, and who comes closest."""
    attributes = list(dict.fromkeys(differences["attribute"]))
    for attribute in attributes[:MOST_NOTES]:
        row = find_closest(differences, attribute=attribute)
        if row is not None:
            named = f"{attribute}: " if len(attributes) > 1 else ""
            small(f"{named}{describe_difference(row, does)}")


def foot(result: Finding, intervals: str, answers: str = "judgement", about: str = "") -> None:
    """What stands under a figure: what a reader must know, how many it is of, how it was made.
    `answers` are what it stands on, `about` what they are about where that is not plain.
    """
    for note in result.notes[:MOST_NOTES]:
        small(note)
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in result.unanswered.items())
    used = f"Based on {several(result.judgements, answers)}{about}"
    small(f"{used}; unanswered: {reasons or 'none'}. {intervals}")
    signature(result.signature)


def signature(text: str) -> None:
    """The settings that reproduce a figure, to be copied."""
    st.code(text, language=None, wrap_lines=True)


def show_kept_promises(study: Study) -> None:
    """A sentence for each campaign of which something was promised: kept, or changed and when."""
    for sentence in promises(study.store, Selection(study.dataset)).facts["sentences"]:
        small(sentence)
