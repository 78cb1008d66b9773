"""May a judge take an annotator's place? The alternative annotator test of every judge."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Annotated, Any

import numpy as np
import pandas as pd

from ...labels import pluralize
from ...records import TandemError, option_ref
from ...rendering import declare_rows, list_names
from ...statistics import (
    CONTRADICTS,
    UNANSWERED,
    AnnotatorTest,
    ReplacementTerms,
    alternative_annotator,
    intervals,
)
from ...store import Store
from ..judgements import (
    JUDGED,
    Finding,
    Selection,
    code_families,
    count_verdicts,
    fill_sides,
    pooling_notes,
    select_answered,
    selection_notes,
    warn_of_unusable,
    write_signature,
)
from . import sentences
from .columns import ANNOTATORS, COLUMNS
from .settings import ReplaceSettings

TestedAnnotators = Annotated[pd.DataFrame, declare_rows(ANNOTATORS, is_part=True)]


def replacement(store: Store, selection: Selection, settings: ReplaceSettings) -> Finding:
    """Test whether each judge can replace an annotator (Calderon, Reichart & Dror 2025; see
    `core.statistics.alternative_annotator`), by attribute. See `fill_sides` for who
    it is about where nobody is named.

    The columns, and those of the table `annotators`, are declared in
    `core.findings.replacement.columns`. Facts: epsilon, ties, people, sentences.
    """
    selection, named = fill_sides(store, selection, settings.people)
    settings = replace(settings, people=named)
    whole = replace(selection, judges=(*selection.judges, *settings.people))
    frame, unanswered = select_answered(store, whole)
    given = count_verdicts(frame)
    person = given["judge"].isin(settings.people) | given["kind"].isin(settings.people)
    people, others = given[person], given[~person]
    if others.empty:
        raise TandemError(
            f"no judge but the annotators has answered here: run one, or choose with "
            f"{option_ref('judges')}"
        )
    terms = ReplacementTerms(settings.epsilon, settings.ties)
    parts = [
        _test_judge(of, people[people["attribute"] == of["attribute"].iloc[0]], terms)
        for _, of in others.groupby(JUDGED, sort=False)
    ]
    caution = warn_of_unusable(frame, "it takes nobody's place")
    tested = pd.DataFrame([row for row, _ in parts])
    rows = _judge_rows(tested, tested["judge"].isin(caution.unusable), terms)
    each = pd.concat([table for _, table in parts], ignore_index=True)
    facts: dict[str, Any] = {**asdict(settings), "people": list(settings.people)}
    facts |= caution._asdict()
    usable = rows[~rows["judge"].isin(caution.unusable)]
    facts["sentences"] = [*caution.cautions, *sentences.sentences(usable, each, terms)]
    return Finding(
        rows,
        write_signature(
            "replace",
            epsilon=f"{settings.epsilon:g}",
            ties=settings.ties,
            q=terms.level,
            people="+".join(settings.people),
            **selection.signature_values(),
        ),
        len(frame),
        unanswered,
        [
            *caution.cautions,
            *pooling_notes(frame),
            *selection_notes(store, whole),
            *_notes(rows, each, terms),
        ],
        facts,
        {"annotators": each},
        columns=COLUMNS,
        table_columns={"annotators": ANNOTATORS},
        picture="replacement",
    )


def _test_judge(
    judge: pd.DataFrame, people: pd.DataFrame, terms: ReplacementTerms
) -> tuple[dict[str, Any], pd.DataFrame]:
    """The verdicts of one judge against those of people, on one attribute."""
    names = people["judge"].unique()
    every = pd.concat([people, judge])
    unit, _ = pd.factorize(every["unit"])
    says = np.full(int(unit.max(initial=-1)) + 1, UNANSWERED, dtype=np.int64)
    says[unit[len(people) :]] = judge["verdict"].to_numpy()
    item = np.zeros(len(says), dtype=np.int64)
    item[unit] = code_families(every)
    tested = alternative_annotator(
        pd.factorize(people["judge"])[0].astype(np.int64), unit[: len(people)],
        people["verdict"].to_numpy(), says, item, terms,
    )  # fmt: skip
    head = judge.iloc[0]
    about = {"judge": head["judge"], "attribute": head["attribute"]}
    each = _list_annotators(tested, names).assign(**about)[list_names(ANNOTATORS)]
    used = (np.bincount(unit[: len(people)], minlength=len(says)) > 1) & (says != UNANSWERED)
    number = {
        "items": len(np.unique(item[used])),
        "pairs": int(used.sum()),
        "contradicts": int((says[used] == CONTRADICTS).sum()),
    }
    return {**about, "kind": head["kind"], **_figures(tested), **number}, each


def _list_annotators(tested: AnnotatorTest, names: Any) -> TestedAnnotators:
    return pd.DataFrame(
        {
            "annotator": names,
            "items": tested.items,
            "pairs": tested.units,
            "judge_ahead": tested.judge,
            "annotator_ahead": tested.person,
            **intervals.spread("advantage", (tested.advantage, tested.low, tested.high), ""),
            "p": tested.p,
            "adjusted": tested.adjusted,
            "won": tested.has_won,
            "tested": tested.is_tested,
        }
    )


_CONTRADICTION = {
    "category": "there it agrees with nobody. Where ties count as half agreement, so does this.",
    "half": "there it agrees by half with either text.",
}


def _figures(tested: AnnotatorTest) -> dict[str, Any]:
    number = int(tested.is_tested.sum())
    return {
        "won": int(tested.has_won.sum()),
        "annotators": number,
        "rate": tested.rate,
        "p": tested.p_value if number >= sentences.ANNOTATORS else np.nan,
        **intervals.spread("probability", tested.probability, ""),
    }


def _judge_rows(rows: pd.DataFrame, unusable: pd.Series, terms: ReplacementTerms) -> pd.DataFrame:
    """Add the verdicts. They hold for all testable rows together (Holm 1979); those `unusable` are
    not shown to do, whatever half a point for each contradiction comes to.
    """
    adjusted = intervals.holm(rows["p"].to_numpy(float))
    told = np.where(adjusted <= terms.level, "may replace", "not shown")
    verdict = np.where(np.isnan(adjusted), "cannot tell", told)
    verdict = np.where(unusable, "not shown", verdict)
    return rows.assign(adjusted=adjusted, verdict=verdict)[list_names(COLUMNS)]


def _notes(rows: pd.DataFrame, each: pd.DataFrame, terms: ReplacementTerms) -> list[str]:
    notes = []
    if each["tested"].any():
        notes.append("Intervals hold for these annotators only, on new items.")
    if (each["pairs"] > each["items"]).any():
        notes.append("Several pairs of one item are one observation, their mean.")
    told = rows[(rows["contradicts"] > 0) & (rows["verdict"] != "cannot tell")]
    for row in told.head(sentences.MOST).to_dict("records"):
        notes.append(
            f"{row['judge']} contradicts itself on {row['contradicts']:,} of "
            f"{pluralize(row['pairs'], 'pair')} ({row['attribute']}): {_CONTRADICTION[terms.ties]}"
        )
    few = each.loc[~each["tested"], "annotator"].nunique()
    if few and each["tested"].any():
        notes.append(
            f"Not tested: {pluralize(few, 'annotator')} with fewer than {terms.least} items that "
            "somebody else and the judge have answered, too."
        )
    return notes
