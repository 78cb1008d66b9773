"""May a judge take an annotator's place? The alternative annotator test of every judge."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any

import numpy as np
import pandas as pd

from ...labels import INTERVALS, percent, pluralize
from ...records import TandemError, option_ref
from ...rendering import (
    COUNT,
    P_VALUE,
    POINTS,
    SHARE,
    YES_NO,
    Column,
    Interval,
    Place,
    declare_rows,
    list_names,
)
from ...settings import check_choices, declare
from ...statistics import (
    ALIGNMENT,
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
from ..judgements.judges import ATTRIBUTE, JUDGE, KIND, declare_estimate

TIES = {"category": "an answer of its own", "half": "agrees by half with either text"}


@dataclass(frozen=True)
class ReplaceSettings:
    """The annotators `people`, by names or kinds, also raters who give marks (none are those of
    `fill_sides`); and the terms of the
    alternative annotator test.
    """

    people: tuple[str, ...] = declare(
        (),
        "the annotators, or raters who give scores (default: people, else gold, else simulated)",
        metavar="human|simulated|gold|NAME",
    )
    epsilon: float = declare(
        0.1,
        "what an annotator costs more than the judge, in shares of items: 0.2 expert, 0.15 "
        "skilled, 0.1 crowd worker",
        metavar="E",
        least=0,
    )
    ties: str = declare(
        "category",
        "a tie is its own answer, or agrees by half with either text; contradictions between "
        "orders likewise",
        choices={name: TIES[name] for name in ALIGNMENT},
    )

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon < 1:
            raise TandemError(
                f"{option_ref('epsilon')} {self.epsilon:g} is not from 0 to 1: 0.2 suits experts, "
                "0.15 skilled annotators, 0.1 crowd workers"
            )
        check_choices(self)


STUDENT = Interval(INTERVALS["mean"], "Student's, over items")
VERDICT = Column(
    "verdict", "verdict", help="May replace: it wins against at least half of the annotators, "
    "with all rows together. Not shown: it does not. Cannot tell: fewer than three annotators "
    "have enough items.",
)  # fmt: skip
PROBABILITY = declare_estimate(
    "probability", "as good as one, or better", SHARE,
    "How often it does as well as an annotator, or better, mean over annotators (rho)", ends="",
)  # fmt: skip
COLUMNS = (
    JUDGE,
    KIND,
    ATTRIBUTE,
    VERDICT,
    Column("won", "won against", COUNT, "So many of the annotators tested"),
    Column("annotators", "annotators tested", COUNT),
    Column(
        "rate", "winning rate", SHARE, "The share of annotators it wins against (omega)",
        place=Place.FILES,
    ),
    Column(
        "p", "p", P_VALUE,
        "The chance of such a result if the judge were no better than half of the annotators",
        place=Place.FILES,
    ),
    Column(
        "adjusted", "adjusted p", P_VALUE, "For the number of judges and attributes (Holm)",
        place=Place.SCREEN,
    ),
    PROBABILITY,
    Column("items", "items", COUNT, place=Place.SCREEN),
    Column("pairs", "pairs", COUNT, "Of texts", place=Place.SCREEN),
    Column(
        "contradicts", "contradicts itself", COUNT, "On so many of these pairs", place=Place.SCREEN,
    ),
)  # fmt: skip
"""Columns of each judge and attribute."""
ANNOTATORS = (
    JUDGE,
    ATTRIBUTE,
    Column("annotator", "annotator", names_people=True),
    Column("items", "items", COUNT),
    Column("pairs", "pairs", COUNT, "Of texts"),
    Column(
        "judge_ahead", "judge", SHARE,
        "Items on which it is as good as the annotator, or better, in the eyes of the others",
    ),
    Column("annotator_ahead", "annotator's own", SHARE, "The same share for the annotator"),
    declare_estimate(
        "advantage", "judge ahead in points", POINTS, "The judge's share less the annotator's",
        ends="", interval=STUDENT,
    ),
    Column(
        "p", "p", P_VALUE, "One-sided, of the judge being worse by epsilon or more",
        place=Place.FILES,
    ),
    Column(
        "adjusted", "adjusted p", P_VALUE, "For the number of annotators (Benjamini & Yekutieli)",
    ),
    Column("won", "won", YES_NO, "Whether the judge wins: the adjusted p is at most 0.05"),
    Column("tested", "tested", YES_NO, "Nobody is by fewer than 30 items", place=Place.FILES),
)  # fmt: skip
"""Columns of each judge and annotator."""


FEWEST = 3
"""Fewest annotators for the test. With two, it only says which of them the judge agrees with
(Calderon et al. 2025, FAQ).
"""
SUITS = {0.2: "experts", 0.15: "skilled annotators", 0.1: "crowd workers"}
"""Whom an epsilon is meant for (Calderon et al. 2025, section 3.3)."""
MOST = 5  # judges and attributes of which something is said; the table has all


def sentences(rows: pd.DataFrame, each: pd.DataFrame, terms: ReplacementTerms) -> list[str]:
    """Describe the verdict for each judge and attribute. Cases without enough data share one
    sentence.
    """
    several_attributes = rows["attribute"].nunique() > 1
    known = rows[rows["verdict"] != "cannot tell"]
    ranked = known.sort_values("probability", ascending=False, kind="stable")
    found = [
        _verdict(row, terms, several_attributes, len(known))
        for _, row in ranked.head(MOST).iterrows()
    ]
    if len(ranked) > MOST:
        found.append(f"The table has {pluralize(len(ranked) - MOST, 'more verdict')}.")
    if len(known) < len(rows):
        found.append(_cannot_tell(rows, each, terms))
    return found


def _verdict(row: pd.Series, terms: ReplacementTerms, named: bool, verdicts: int) -> str:
    who = f"{row['judge']} ({row['attribute']})" if named else str(row["judge"])
    may = "may replace" if row["verdict"] == "may replace" else "was not shown fit to replace"
    suits = SUITS.get(terms.epsilon, "")
    meant = f" (meant for {suits})" if suits else ""
    won = f"it wins against {row['won']} of {pluralize(row['annotators'], 'annotator')}"
    by_chance = row["p"] <= terms.level < row["adjusted"]
    chance = f", as one of {verdicts:,} may by chance" * by_chance
    share = percent(row["probability"], row["low"], row["high"])
    return (
        f"{who} {may} an annotator here: {won} at epsilon {terms.epsilon:g}{meant}{chance}. It "
        "does as well as an annotator, or better, on "
        f"{share} of {pluralize(row['items'], 'item')}."
    )


def _cannot_tell(rows: pd.DataFrame, each: pd.DataFrame, terms: ReplacementTerms) -> str:
    untold = rows[rows["verdict"] == "cannot tell"]
    judges = untold["judge"].unique()
    who = judges[0] if len(judges) == 1 else pluralize(len(judges), "judge")
    there = int(untold["annotators"].max())
    most = max([0, *each.merge(untold[["judge", "attribute"]])["items"]])
    return (
        f"Whether {who} may replace an annotator is still open. It takes {FEWEST} "
        f"annotators with {terms.least} items each that another one and the judge have "
        f"answered. There {('is' if there == 1 else 'are')} {there} so far; the most that "
        f"anybody has is {pluralize(int(most), 'item')}."
    )


TestedAnnotators = Annotated[pd.DataFrame, declare_rows(ANNOTATORS, is_part=True)]


def replacement(store: Store, selection: Selection, settings: ReplaceSettings) -> Finding:
    """Test whether each judge can replace an annotator (Calderon, Reichart & Dror 2025; see
    `core.statistics.alternative_annotator`), by attribute. See `fill_sides` for who
    it is about where nobody is named.

    The columns, and those of the table `annotators`, are declared in
    `core.findings.replacement`. Facts: epsilon, ties, people, sentences.
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
    # Verdicts hold for all testable rows together (Holm 1979). Unusable judges are not shown to do,
    # whatever half a point for each contradiction comes to.
    adjusted = intervals.holm(tested["p"].to_numpy(float))
    told = np.where(adjusted <= terms.level, "may replace", "not shown")
    verdict = np.where(np.isnan(adjusted), "cannot tell", told)
    verdict = np.where(tested["judge"].isin(caution.unusable), "not shown", verdict)
    rows = tested.assign(adjusted=adjusted, verdict=verdict)[list_names(COLUMNS)]
    each = pd.concat([table for _, table in parts], ignore_index=True)
    facts: dict[str, Any] = {**asdict(settings), "people": list(settings.people)}
    facts |= caution._asdict()
    usable = rows[~rows["judge"].isin(caution.unusable)]
    facts["sentences"] = [*caution.cautions, *sentences(usable, each, terms)]
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
        "p": tested.p_value if number >= FEWEST else np.nan,
        **intervals.spread("probability", tested.probability, ""),
    }


def _notes(rows: pd.DataFrame, each: pd.DataFrame, terms: ReplacementTerms) -> list[str]:
    notes = []
    if each["tested"].any():
        notes.append("Intervals hold for these annotators only, on new items.")
    if (each["pairs"] > each["items"]).any():
        notes.append("Several pairs of one item are one observation, their mean.")
    told = rows[(rows["contradicts"] > 0) & (rows["verdict"] != "cannot tell")]
    for row in told.head(MOST).to_dict("records"):
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
