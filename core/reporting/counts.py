"""The subject of a report in figures: the data, and how many answers each judge gave."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import pandas as pd

from ..exporting import hide
from ..findings.judgements import describe
from ..frames import get_schema
from ..labels import KINDS, wording
from ..records import Outcome
from ..rendering import COUNT, SHARE, Column, Place, declare_rows
from .material import Material
from .parts import Section, lay_table

HOLDS = {
    name: "texts" if name == "generations" else name
    for name in ("items", "systems", "generations", "attributes", "scores", "judgements")
}
"""What of a data set is counted, and what people call it."""
SIZE = tuple(Column(name, name, COUNT) for name in HOLDS.values())
QUESTIONS = (
    Column("attribute", "attribute"),
    Column("question", "question"),
    Column("guideline", "guideline", place=Place.FILES),
)
ANSWERS = (
    Column("judge", "judge", names_people=True),
    Column("kind", "kind"),
    Column("asked", "asked", COUNT),
    Column("answered", "answered", COUNT),
    Column("unanswered", "unanswered", SHARE, "Of those asked"),
    Column("ties", "ties", SHARE, "Of those answered"),
)
QuestionRows = Annotated[pd.DataFrame, declare_rows(QUESTIONS)]
AnswerShares = Annotated[pd.DataFrame, declare_rows(ANSWERS)]


def report_counts(material: Material) -> Iterator[Section]:
    """The data set, its questions, and the judges with what they left unanswered."""
    size = pd.DataFrame([{column: material.dataset_summary[of] for of, column in HOLDS.items()}])
    tables = [
        lay_table("data", "What the data set holds.", size, SIZE),
        lay_table("attributes", "What was asked.", _questions(material), QUESTIONS),
    ]
    judges = answers(material)
    if len(judges):
        caption = "Who compared, and what has no answer."
        tables.append(lay_table("judges", caption, judges, ANSWERS))
    yield Section("Data", "", (), tables, [material.source] if material.source else [])


def _questions(material: Material) -> QuestionRows:
    _, noun = material.store.datasets.nouns(material.dataset)
    every = material.store.datasets.attributes(material.dataset)
    compared = material.attributes or [one.name for one in every]
    rows = [
        {"attribute": one.name, "question": wording(one, noun), "guideline": one.guideline}
        for one in every
        if one.name in compared
    ]
    return get_schema(QuestionRows).make(rows)


def answers(material: Material) -> AnswerShares:
    """Count how often each judge of the report was asked and has answered."""
    outcomes = describe.describe(material.store, material.selection).tables["outcomes"]
    counts = outcomes.groupby("judge", sort=False)[[*Outcome, "failed"]].sum().reset_index()
    answered = counts[list(Outcome)].sum(axis=1)
    asked = answered + counts["failed"]
    kinds = material.judges.drop_duplicates("judge").set_index("judge")["kind"].map(KINDS)
    frame = pd.DataFrame(
        {
            "judge": counts["judge"],
            "kind": counts["judge"].map(kinds),
            "asked": asked,
            "answered": answered,
            "unanswered": counts["failed"] / asked,
            "ties": counts[[Outcome.TIE.value, Outcome.BOTH_BAD.value]].sum(axis=1) / answered,
        }
    )
    return hide(frame, material.pseudonyms, ANSWERS)
