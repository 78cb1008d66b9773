"""May a judge take an annotator's place? The alternative annotator test of every judge."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from core.findings.judgements import (
    JUDGED,
    Finding,
    Selection,
    exclusion_notes,
    judged,
    pooled,
    signature,
    verdicts,
)
from core.findings.together import replacement_sentences as sentences
from core.labels import several
from core.records import Kind, TandemError, setting
from core.statistics import (
    ALIGNMENT,
    CONTRADICTS,
    PASSES,
    UNANSWERED,
    Terms,
    Tested,
    alternative_annotator,
    intervals,
)
from core.store import Store

TIES = tuple(ALIGNMENT)
VERDICTS = ("may replace", "not shown", "cannot tell")

ROW = (
    "judge", "kind", "attribute", "verdict", "won", "annotators", "rate",
    "probability", "low", "high", "items", "pairs", "contradicts",
)  # fmt: skip
EACH = (
    "judge", "attribute", "annotator", "items", "pairs", "judge_ahead", "annotator_ahead",
    "advantage", "low", "high", "p", "adjusted", "won", "tested",
)  # fmt: skip


@dataclass(frozen=True)
class ReplaceSettings:
    """Whom a judge may replace, and on which terms: `people` are names or kinds of the annotators,
    also of raters who give marks; `epsilon` is what an annotator costs more than the judge, in
    shares of items; `ties` one of TIES.
    """

    people: tuple[str, ...] = (Kind.HUMAN.value,)
    epsilon: float = 0.1
    ties: str = "category"

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon < 1:
            raise TandemError(
                f"{setting('epsilon')} {self.epsilon:g} is not from 0 to 1: 0.2 suits experts, "
                "0.15 skilled annotators, 0.1 crowd workers"
            )
        if self.ties not in TIES:
            raise TandemError(
                f"unknown {setting('ties')} {self.ties!r}; there are {', '.join(TIES)}"
            )
        if not self.people:
            raise TandemError(f"name somebody with {setting('people')}, or leave it out")


def replacement(store: Store, selection: Selection, settings: ReplaceSettings) -> Finding:
    """Whether each judge does as well for the annotators as one of them does (Calderon, Reichart &
    Dror 2025; see `core.statistics.alternative_annotator`), by attribute. The judges are those of
    the selection, all models unless some are named.

    Rows ROW: verdict, one of VERDICTS; against how many of the `annotators` tested the judge won,
    and their share, the winning `rate`; probability, how often it does as well as an annotator or
    better, with low and high; on so many items and pairs of texts, on how many of which it
    contradicts itself. Table `annotators` EACH: how
    often the judge, and the annotator, is as good as the other or better in the eyes of the rest;
    the difference, `advantage`, with low and high; p, and `adjusted` for the number of annotators;
    whether the judge `won`, and whether it was `tested`: nobody is by fewer than 30 items. Facts:
    epsilon, ties, people, sentences.
    """
    judges = selection.judges or (Kind.LLM.value,)
    whole = replace(selection, judges=(*judges, *settings.people))
    frame, unanswered = judged(store, whole)
    given = verdicts(frame)
    person = given["judge"].isin(settings.people) | given["kind"].isin(settings.people)
    people, others = given[person], given[~person]
    if others.empty:
        raise TandemError(
            f"no judge but the annotators has answered here: run one, or choose with "
            f"{setting('judges')}"
        )
    terms = Terms(settings.epsilon, settings.ties)
    parts = [
        _against(of, people[people["attribute"] == of["attribute"].iloc[0]], terms)
        for _, of in others.groupby(JUDGED, sort=False)
    ]
    rows = pd.DataFrame([row for row, _ in parts], columns=list(ROW))
    each = pd.concat([table for _, table in parts], ignore_index=True)
    facts: dict[str, Any] = {**asdict(settings), "people": list(settings.people)}
    facts["sentences"] = sentences.sentences(rows, each, terms)
    return Finding(
        rows,
        signature(
            "replace",
            epsilon=f"{settings.epsilon:g}",
            ties=settings.ties,
            q=terms.level,
            people="+".join(settings.people),
            **selection.signed(Kind.LLM),
        ),
        len(frame),
        unanswered,
        [*pooled(frame), *exclusion_notes(store, whole), *_notes(rows, each, terms)],
        facts,
        {"annotators": each},
    )


def _against(
    judge: pd.DataFrame, people: pd.DataFrame, terms: Terms
) -> tuple[dict[str, Any], pd.DataFrame]:
    """The verdicts of one judge against those of people, on one attribute."""
    names = people["judge"].unique()
    every = pd.concat([people, judge])
    unit, _ = pd.factorize(every["unit"])
    says = np.full(int(unit.max(initial=-1)) + 1, UNANSWERED, dtype=np.int64)
    says[unit[len(people) :]] = judge["verdict"].to_numpy()
    item = np.zeros(len(says), dtype=np.int64)
    item[unit] = pd.factorize(every["item"])[0]
    tested = alternative_annotator(
        pd.factorize(people["judge"])[0].astype(np.int64), unit[: len(people)],
        people["verdict"].to_numpy(), says, item, terms,
    )  # fmt: skip
    head = judge.iloc[0]
    about = {"judge": head["judge"], "attribute": head["attribute"]}
    each = _each(tested, names).assign(**about)[list(EACH)]
    used = (np.bincount(unit[: len(people)], minlength=len(says)) > 1) & (says != UNANSWERED)
    number = {
        "items": len(np.unique(item[used])),
        "pairs": int(used.sum()),
        "contradicts": int((says[used] == CONTRADICTS).sum()),
    }
    return {**about, "kind": head["kind"], **_verdict(tested), **number}, each


def _each(tested: Tested, names: Any) -> pd.DataFrame:
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
            "won": tested.won,
            "tested": tested.tested,
        }
    )


_CONTRADICTION = {
    "category": "there it agrees with nobody. Where ties agree by half, so does that.",
    "half": "there it agrees by half with either text.",
}


def _verdict(tested: Tested) -> dict[str, Any]:
    there = tested.tested
    number = int(there.sum())
    passes = "may replace" if tested.rate >= PASSES else "not shown"
    return {
        "verdict": passes if number >= sentences.ANNOTATORS else "cannot tell",
        "won": int(tested.won.sum()),
        "annotators": number,
        "rate": tested.rate,
        **intervals.spread("probability", tested.probability, ""),
    }


def _notes(rows: pd.DataFrame, each: pd.DataFrame, terms: Terms) -> list[str]:
    notes = []
    if each["tested"].any():
        notes.append("Intervals speak of these annotators only, on new items.")
    if (each["pairs"] > each["items"]).any():
        notes.append("Several pairs of one item are one observation, their mean.")
    told = rows[(rows["contradicts"] > 0) & (rows["verdict"] != "cannot tell")]
    for row in told.head(sentences.MOST).to_dict("records"):
        notes.append(
            f"{row['judge']} contradicts itself on {row['contradicts']:,} of "
            f"{several(row['pairs'], 'pair')} ({row['attribute']}): {_CONTRADICTION[terms.ties]}"
        )
    few = each.loc[~each["tested"], "annotator"].nunique()
    if few and each["tested"].any():
        notes.append(
            f"Not tested: {several(few, 'annotator')} with fewer than {terms.least} items that "
            "somebody else and the judge have answered, too."
        )
    return notes
