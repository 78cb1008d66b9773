"""The section Agreement: who agrees with whom, and whether it is the judge or the item."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from core.findings.agreement import columns, explain_disagreement
from core.findings.agreement.chart import MOST_JUDGES, draw_bins, matrix
from core.findings.judgements import Finding, Selection, list_comparers
from core.labels import name_members, pluralize
from core.rendering import DECIMAL, Column
from pages.components.judges.disagreements import show_disagreements
from pages.components.shared.address import bind_choice
from pages.components.shared.filters import Choices, comparers_of
from pages.components.shared.finding import FindingFigure, FindingSection, Table, declare_dots
from pages.components.shared.frame import Study
from pages.components.shared.notice import show_caption
from pages.components.shared.report import compare_judges

KAPPA = """Cohen's kappa (1960): agreement of two judges beyond chance. 1 is perfect, 0 is chance.
What systems are called plays no part in it."""
VERDICT = """A verdict is a judge's answer about a pair of texts, over both orders and all repeats.
One that contradicts itself is the same as no other."""
SCORES_HELP = """The text of an item with the higher score is better; equal scores are a tie. Nobody
was shown one text first. Means of several raters are left out where these are there."""
UNTOLD = (
    "Is it the judge, or the item? To tell, let two judges of another kind answer the same pairs, "
    "or measure separability."
)


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


def sort_judge_pairs(rows: pd.DataFrame, judges: Sequence[str]) -> pd.DataFrame:
    """Return the rows on these judges, each pair and all rows in the judges' order."""
    place = {judge: number for number, judge in enumerate(judges)}
    kept = rows[rows["judge_1"].isin(judges) & rows["judge_2"].isin(judges)]
    sides = kept[["judge_1", "judge_2"]]
    turned = sides["judge_1"].map(place) > sides["judge_2"].map(place)
    first = sides["judge_1"].mask(turned, sides["judge_2"])
    kept = kept.assign(judge_2=sides["judge_2"].mask(turned, sides["judge_1"]), judge_1=first)
    return kept.sort_values(["judge_1", "judge_2"], key=lambda names: names.map(place))


def _is_binned_by_separability(result: Finding) -> bool:
    return bool((result.tables["by"]["by"] == "separability").any())


def _take_bins(result: Finding, judges: Sequence[str] = ()) -> pd.DataFrame:
    """Return agreement by separability, else by item; nothing where there is nothing to compare."""
    by = result.tables["by"]
    bins = by[by["by"] == ("separability" if _is_binned_by_separability(result) else "item")]
    return bins if bins["value"].nunique() > 1 else bins.iloc[:0]


def _draw_bins(result: Finding, bins: pd.DataFrame) -> partial[object]:
    of_items = f"items by agreement among {name_members(str(result.facts['binned_by']))}"
    of_systems = "separability of the two systems on the item"
    return partial(draw_bins, bins, of_systems if _is_binned_by_separability(result) else of_items)


def _explain_bins(result: Finding) -> Iterable[str]:
    first, separable = str(result.facts["binned_by"]), _is_binned_by_separability(result)
    yield explain_disagreement(_take_bins(result), separable, first)


def _describe_parts(result: Finding) -> Iterable[str]:
    """Yield alpha by attribute, and what is missing to tell judges from items."""
    known = result.tables["alphas"].dropna(subset=["attribute", "alpha"])
    known = known[known["needs"] == ""]
    if len(known) > 1:
        parts = [f"{row.attribute} {DECIMAL.write(row.alpha)}" for row in known.itertuples()]
        yield f"Alpha by attribute: {', '.join(parts)}."
    if len(result.tables["by"]) and _take_bins(result).empty:
        yield UNTOLD


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
    """Return the judges that compare, or those that score where nobody else has answered."""
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


def _look_closer(
    study: Study, selection: Selection, result: Finding, judges: Sequence[str]
) -> None:
    for sentence in _describe_parts(result):
        show_caption(sentence)
    show_disagreements(study, selection, result)


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
            "agreement", f"How often each pair of judges agrees, of at most {MOST_JUDGES}",
            lambda result, judges: sort_judge_pairs(
                result.rows.dropna(subset="agreement"), judges
            ),
            lambda result, rows: partial(matrix, rows, "agreement", "same verdict"),
            count=lambda result, rows: (
                pluralize(int(rows["verdicts"].sum()), "pair") + " of verdicts"
            ),
            heading="Agreement between two judges", help=f"{VERDICT} {KAPPA}",
        ),
        FindingFigure(
            "agreement-by-bins", "Where judges agree",
            _take_bins, _draw_bins, lambda result, rows: columns.KAPPA.caption,
            lambda result, rows: pluralize(int(rows["verdicts"].sum()), "verdict"),
            heading="Is it the judge, or the item?", describe=_explain_bins,
        ),
    ),
    _find_judges,
    (
        Table("Each judge", _join_judges, _join_columns),
        Table(
            "All pairs of judges",
            lambda result, judges: sort_judge_pairs(result.rows, judges),
            lambda result: result.columns,
        ),
    ),
    order=order_judges,
    adjust=_choose_scores,
    look_closer=_look_closer,
)  # fmt: skip
