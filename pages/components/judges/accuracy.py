"""The section Accuracy: how often single answers are right, by scores, gold labels or people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd

from core.findings.accuracy import REFERENCES, list_references
from core.findings.chart import OF_ACCURACY
from core.findings.judgements import Finding, Selection, label_rows, list_selected_comparers
from pages.components.shared.filters import comparers_of
from pages.components.shared.finding import FindingFigure, FindingSection, Table, declare_table
from pages.components.shared.frame import Study
from pages.components.shared.settings import Offered


def _sort_rows(result: Finding, judges: Sequence[str] = ()) -> pd.DataFrame:
    rows = label_rows(result.rows).sort_values("accuracy", ascending=False)
    return rows[rows["judge"].isin(judges)] if judges else rows


def _find_judges(study: Study) -> pd.DataFrame:
    judges = comparers_of(study, "Accuracy")
    if judges.empty:
        return judges
    return list_selected_comparers(study.store, Selection(study.dataset))


def _offer_references(study: Study) -> Mapping[str, Offered]:
    there = list_references(study.store, Selection(study.dataset))
    return {"against": {name: REFERENCES[name] for name in there}}


ACCURACY = FindingSection(
    "accuracy",
    (
        FindingFigure(
            "accuracy", OF_ACCURACY.title,
            _sort_rows,
            lambda result, rows: partial(OF_ACCURACY.draw, rows, result.facts),
            lambda result, rows: result.interval,
        ),
    ),
    _find_judges,
    (
        Table("Each judge", _sort_rows, lambda result: result.columns),
        declare_table("Means over prompts", "averages"),
        declare_table("Judges held against the best", "differences"),
    ),
    offer=_offer_references,
    order=lambda result: list(dict.fromkeys(_sort_rows(result)["judge"])),
    ways_on={"judge": "Run a judge", "data": "Import scores", "agreement": "Agreement"},
)  # fmt: skip
