"""The section Agreement: who agrees with whom, and whether it is the judge or the item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from core.findings.agreement import PEOPLE, columns, explain_disagreement, list_disagreements
from core.findings.agreement.chart import MOST_JUDGES, draw_bins, matrix
from core.findings.judgements import Finding, Selection, list_comparers
from core.labels import pluralize, shorten_judges
from core.records import Kind, TandemError
from core.rendering import DECIMAL, Column
from pages.components.shared.address import bind_choice
from pages.components.shared.cached_report import cached_report
from pages.components.shared.filters import Choices, comparers_of
from pages.components.shared.finding import FindingFigure, FindingSection, Table, declare_dots
from pages.components.shared.frame import Study, link_to_search
from pages.components.shared.notice import notice, show_caption
from pages.components.shared.report import AT_ONCE, compare_judges
from pages.components.shared.texts import read_pairs

KAPPA = """Cohen's kappa (1960): agreement of two judges beyond chance. 1 is perfect, 0 is chance.
What systems are called plays no part in it."""
VERDICT = """A verdict is a judge's answer about a pair of texts, over both orders and all repeats.
One that contradicts itself is the same as no other."""
SCORES_HELP = """The text of an item with the higher score is better; equal scores are a tie. Nobody
was shown one text first. Means of several raters are left out where these are there."""
UNTOLD = "Is it the judge, or the item? To tell, measure separability."


def order_judges(result: Finding) -> list[str]:
    """Return the judges, those that agree most with the majority of people first.

    Judges without that figure are ordered by their mean agreement with all others.
    """
    rows = result.rows
    met = pd.concat([rows.rename(columns={side: "judge"}) for side in ("judge_1", "judge_2")])
    agreed = met.groupby("judge", sort=False)["agreement"].mean()
    if len(majority := result.tables["majority"]):
        agreed = majority.set_index("judge")["agreement"].combine_first(agreed)
    return list(agreed.sort_values(ascending=False, kind="stable").index)


def _take_majority(result: Finding, judges: Sequence[str]) -> pd.DataFrame:
    every = result.tables["majority"].dropna(subset="agreement").set_index("judge")
    shown = every.reindex([judge for judge in judges if judge in every.index]).reset_index()
    return shown.assign(label=shown["judge"])


def _sort_judge_pairs(rows: pd.DataFrame, judges: Sequence[str]) -> pd.DataFrame:
    """Return the rows on these judges, each pair and all rows in the judges' order."""
    place = {judge: number for number, judge in enumerate(judges)}
    kept = rows[rows["judge_1"].isin(judges) & rows["judge_2"].isin(judges)]
    sides = kept[["judge_1", "judge_2"]]
    turned = sides["judge_1"].map(place) > sides["judge_2"].map(place)
    first = sides["judge_1"].mask(turned, sides["judge_2"])
    kept = kept.assign(judge_2=sides["judge_2"].mask(turned, sides["judge_1"]), judge_1=first)
    return kept.sort_values(["judge_1", "judge_2"], key=lambda names: names.map(place))


def _take_bins(result: Finding, judges: Sequence[str] = ()) -> pd.DataFrame:
    """Return agreement by separability; nothing where there is nothing to compare."""
    by = result.tables["by"]
    bins = by[by["by"] == "separability"]
    return bins if bins["value"].nunique() > 1 else bins.iloc[:0]


def _join_judges(result: Finding, judges: Sequence[str]) -> pd.DataFrame:
    alone, most = result.tables["judges"], result.tables["majority"].drop(columns="kind")
    rows = alone.merge(most, on="judge", how="left").set_index("judge")
    rows = rows.reindex([judge for judge in judges if judge in rows.index]).reset_index()
    return rows.assign(repeated=rows["repeated"].where(rows["repeated"] > 0))


def _join_columns(result: Finding) -> list[Column]:
    judge, kind, pairs, *alone = result.table_columns["judges"]
    most = {column.name: column for column in columns.AGAINST_MOST}
    beside = [replace(most["agreement"], label="same as most"), most["accuracy"]]
    return [judge, kind, pairs, *beside, *alone]


def _find_judges(study: Study) -> pd.DataFrame:
    every = list_comparers(study.store, study.dataset)
    if len(every) and every["by_name"].all():
        return every
    return comparers_of(study, "Agreement")


def _choose_scores(study: Study, choices: Choices, selection: Selection) -> Selection:
    every = list_comparers(study.store, study.dataset)
    raters = every.loc[every["by_name"], "judge"].nunique()
    if not raters:
        return selection
    label = f"Compare scores of {pluralize(raters, 'rater')}"
    is_alone = bool(every["by_name"].all())
    bound = bind_choice("scores", is_alone)
    return replace(selection, scores=choices.place().toggle(label, help=SCORES_HELP, **bound))


_disagreements = cached_report("Looking for disagreements …")(list_disagreements)

MOST_PEOPLE = "most annotators"


def _list_disagreements(study: Study, selection: Selection, result: Finding) -> None:
    if result.judgements > AT_ONCE and not st.toggle(f"Search {result.judgements:,} judgements"):
        return
    sides = _sides(result)
    if sides is None:
        return
    try:
        stamp = study.scores_stamp if selection.scores else study.judgements_stamp
        differing, counts = _disagreements(study.store, (selection, *sides), stamp)
    except TandemError as error:
        notice(str(error))
        return
    names = tuple(MOST_PEOPLE if side == PEOPLE else shorten_judges(side) for side in sides)
    first = names[0].capitalize() if sides[0] == PEOPLE else names[0]
    both = f"{first} and {names[1]}"
    if differing.empty:
        number = "the only pair" if counts["verdicts"] == 1 else f"all {counts['verdicts']:,} pairs"
        show_caption(f"{both} agree on {number} that both answered.")
        return
    shown = len(differing)
    cut = f" These are the {shown:,} furthest apart." if shown < counts["differ"] else ""
    show_caption(
        f"{both} disagree on {counts['differ']:,} of "
        f"{pluralize(counts['verdicts'], 'pair')}.{cut} Choose a row to read its texts."
    )
    read_pairs(study, differing, _list_verdicts(differing, names), "disagreements")
    if PEOPLE in sides:
        (judge,) = (side for side in sides if side != PEOPLE)
        link_to_search(selection, "Find the items of these pairs", judge=judge, differs=True)


def _sides(result: Finding) -> tuple[str, str] | None:
    judges = list(dict.fromkeys([*result.rows["judge_1"], *result.rows["judge_2"]]))
    people = int((result.tables["majority"]["kind"] == Kind.HUMAN.value).sum())
    offered = [*([PEOPLE] if people or len(result.tables["majority"]) else []), *judges]
    left, right, _ = st.columns([3, 3, 5])

    def name_side(name: str) -> str:
        return MOST_PEOPLE if name == PEOPLE else shorten_judges(name)

    first = left.selectbox("Judge", offered, format_func=name_side)
    rest = [name for name in offered if name != first]
    if not rest:
        return None
    kinds = _list_kinds(result)
    machine = [name for name in rest if kinds.get(name, Kind.HUMAN.value) != Kind.HUMAN.value]
    second = right.selectbox(
        "Compared with", rest, format_func=name_side, index=rest.index(machine[0]) if machine else 0
    )
    return first, second


def _list_kinds(result: Finding) -> dict[str, str]:
    names = result.rows[["judge_1", "judge_2", "group"]].drop_duplicates().itertuples(index=False)
    return {
        judge: kind
        for *judges, group in names
        for judge, kind in zip(judges, group.split("-"), strict=True)
    }


def _list_verdicts(differing: pd.DataFrame, names: tuple[str, ...]) -> dict[str, pd.Series]:
    return {
        "item": differing["item"],
        "systems": differing["system_1"] + " / " + differing["system_2"],
        names[0]: _name_preferred(differing, "verdict_1"),
        names[1]: _name_preferred(differing, "verdict_2"),
    }


def _name_preferred(differing: pd.DataFrame, verdict: str) -> pd.Series:
    preferred = differing["system_1"].where(differing[verdict] == "first", differing["system_2"])
    neither = {"tie": "tie", "contradicts": "contradicts itself"}
    return differing[verdict].map(neither).fillna(preferred)


def _look_closer(
    study: Study, selection: Selection, result: Finding, judges: Sequence[str]
) -> None:
    known = result.tables["alphas"].dropna(subset=["attribute", "alpha"])
    known = known[known["needs"] == ""]
    if len(known) > 1:
        parts = [f"{row.attribute} {DECIMAL.write(row.alpha)}" for row in known.itertuples()]
        show_caption(f"Alpha by attribute: {', '.join(parts)}.")
    if len(result.tables["by"]) and _take_bins(result).empty:
        show_caption(UNTOLD)
    if len(result.rows):
        st.header("Read where they disagree", anchor=False)
        _list_disagreements(study, selection, result)
        link_to_search(selection, "Find items on which people are split", split=True)


AGREEMENT = FindingSection(
    "agreement",
    (
        declare_dots(
            "agreement-with-people", "How often each judge agrees with most annotators",
            _take_majority, columns.SAME, "same verdict as most annotators",
            ("verdicts", "verdict"),
            describe=lambda result: compare_judges(
                result.tables["differences"], "agrees with people"
            ),
        ),
        FindingFigure(
            "agreement", "How often each pair of judges agrees",
            lambda result, judges: _sort_judge_pairs(
                result.rows.dropna(subset="agreement"), judges
            ),
            lambda result, rows: partial(matrix, rows, "agreement", "same verdict"),
            count=lambda result, rows: (
                pluralize(int(rows["verdicts"].sum()), "pair") + " of verdicts"
                + f", of the {MOST_JUDGES} busiest judges" * (_count_judges(rows) > MOST_JUDGES)
            ),
            heading="Agreement between two judges", help=f"{VERDICT} {KAPPA}",
        ),
        FindingFigure(
            "agreement-by-bins", "Where judges agree",
            _take_bins,
            lambda result, rows: partial(
                draw_bins, rows, "separability of the two systems on the item"
            ),
            lambda result, rows: columns.KAPPA.caption,
            lambda result, rows: pluralize(int(rows["verdicts"].sum()), "verdict"),
            heading="Is it the judge, or the item?",
            describe=lambda result: [explain_disagreement(_take_bins(result))],
        ),
    ),
    _find_judges,
    (
        Table("Each judge", _join_judges, _join_columns),
        Table(
            "All pairs of judges",
            lambda result, judges: _sort_judge_pairs(result.rows, judges),
            lambda result: result.columns,
        ),
    ),
    order=order_judges,
    adjust=_choose_scores,
    look_closer=_look_closer,
)  # fmt: skip


def _count_judges(pairs: pd.DataFrame) -> int:
    return pd.concat([pairs["judge_1"], pairs["judge_2"]]).nunique()
