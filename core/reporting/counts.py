"""What a report is about, in figures: the data, and how many answers each judge gave."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import pandas as pd

from core.exporting import hide
from core.findings.judgements import describe
from core.frames import Schema
from core.labels import KINDS, wording
from core.records import Outcome
from core.reporting import cells
from core.reporting.material import Material
from core.reporting.parts import Section, figure, table

QuestionRows = Annotated[pd.DataFrame, Schema({str: "attribute question guideline"})]
AnswerShares = Annotated[
    pd.DataFrame, Schema({str: "judge kind", int: "asked answered", float: "unanswered ties"})
]

HOLDS = {
    name: "texts" if name == "generations" else name
    for name in ("items", "systems", "generations", "attributes", "scores", "judgements")
}
"""What of a data set is counted, and what people call it."""


def counted(material: Material) -> Iterator[Section]:
    """The data set, its questions, and the judges with what they left unanswered."""
    size = pd.DataFrame([{column: material.about[of] for of, column in HOLDS.items()}])
    tables = [
        table("data", "What the data set holds.", size,
              {name.capitalize(): figure(cells.count, name) for name in HOLDS.values()}),
        table("attributes", "What was asked.", _questions(material),
              {"Attribute": "attribute", "Question": "question"}),
    ]  # fmt: skip
    judges = answers(material)
    if len(judges):
        tables.append(table("judges", "Who compared, and what has no answer.", judges, {
            "Judge": "judge", "Kind": "kind",
            "Asked": figure(cells.count, "asked"), "Answered": figure(cells.count, "answered"),
            "Unanswered": figure(cells.percent, "unanswered"),
            "Ties": figure(cells.percent, "ties"),
        }))  # fmt: skip
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
    return pd.DataFrame(rows)


def answers(material: Material) -> AnswerShares:
    """judge, kind, asked, answered, unanswered and ties (shares of these), of the judges that are
    meant.
    """
    outcomes = describe.describe(material.store, material.selection).frames["outcomes"]
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
    return hide(frame, material.pseudonyms)
