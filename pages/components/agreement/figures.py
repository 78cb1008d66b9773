"""Choices and figures of the Agreement page: who agrees with whom, and whether disagreement comes
from the judge or the item. Judges appear in the same order everywhere.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.findings.agreement import (
    AgreementSettings,
    agreement,
    columns,
    describe_alpha,
    explain_disagreement,
)
from core.findings.agreement.chart import MOST_JUDGES, confusion, draw_bins, matrix
from core.findings.judgements import WILSON, Finding, Selection, list_comparers
from core.labels import KINDS, name_group, name_members, pluralize
from core.rendering import DECIMAL, Column
from pages.components.shared.cached_report import cached_report
from pages.components.shared.faults import show_faults
from pages.components.shared.filters import WIDE, choose_selection, comparers_of
from pages.components.shared.frame import Study
from pages.components.shared.notice import show_caption, show_headline
from pages.components.shared.picture import caption, show_dots, show_picture
from pages.components.shared.report import foot, show_compared
from pages.components.shared.settings import choose_setting
from pages.components.shared.tables import first_names, show_rows

_agreement = cached_report("Computing agreement …")(agreement)

ALPHA = """Krippendorff's alpha (2018): 1 when the judges always agree, 0 when they agree as often
as by chance, below 0 when less often. It allows any number of judges, and missing answers. What
systems are called plays no part in it."""
KAPPA = """Cohen's kappa (1960): agreement of two judges beyond chance. 1 is perfect, 0 is chance.
What systems are called plays no part in it."""
MAJORITY = "What most annotators say. An annotator is compared with the other annotators."
VERDICT = """A verdict is a judge's answer about a pair of texts, over both orders and all repeats.
One that contradicts itself is the same as no other."""


def compute(
    study: Study, selection: Selection, settings: AgreementSettings, otherwise: Any = None
) -> Any:
    """Compute agreement, again only when its data change."""
    stamp = study.measured_stamp
    if settings.over:
        with show_faults():  # too few judges may have answered
            return _agreement(study.store, (selection, settings), stamp)
    usual = replace(settings, over="")
    return _agreement(study.store, (selection, usual), stamp, otherwise)


def choose_judges(result: Finding) -> list[str]:
    """Return the judges to show, in order: those that agree most with the majority of people first.

    Judges without that figure are ordered by their mean agreement with all others. If there are
    many, only the first and those the reader looks for are shown.
    """
    rows = result.rows
    met = pd.concat([rows.rename(columns={side: "judge"}) for side in ("judge_1", "judge_2")])
    agreed = met.groupby("judge", sort=False)["agreement"].mean()
    if len(majority := result.tables["majority"]):
        agreed = majority.set_index("judge")["agreement"].combine_first(agreed)
    order = agreed.sort_values(ascending=False, kind="stable")
    return first_names(order.index.tolist(), "judge", "agreement")


def show_alpha(result: Finding) -> None:
    """Show Krippendorff's alpha in a sentence, and by attribute if there are several."""
    facts = result.facts
    if facts["alpha_of"] is None:
        return
    st.header("Agreement beyond chance", anchor=False, help=ALPHA)
    for sentence in describe_alpha(facts):
        show_caption(sentence)
    known = result.tables["alphas"].dropna(subset=["attribute", "alpha"])
    known = known[known["needs"] == ""]
    if len(known) > 1:
        parts = [f"{row.attribute} {DECIMAL.write(row.alpha)}" for row in known.itertuples()]
        show_caption(f"By attribute: {', '.join(parts)}.")


def show_by_separability(result: Finding) -> None:
    """Show by separability whether disagreement comes from the judge or the item."""
    by = result.tables["by"]
    first = str(result.facts["binned_by"])
    separable = bool((by["by"] == "separability").any())
    bins = by[by["by"] == ("separability" if separable else "item")]
    if by.empty or bins["value"].nunique() == 1:  # nothing to compare
        return
    st.header("Is it the judge, or the item?", anchor=False)
    if bins.empty:
        show_caption(
            "To tell, let two judges of another kind answer the same pairs, or measure "
            "separability. Items on which everybody disagrees then show."
        )
        return
    show_headline(explain_disagreement(bins, separable, first))
    title = (
        "separability of the two systems on the item"
        if separable
        else f"items by agreement among {name_members(first)}"
    )
    number = pluralize(int(bins["verdicts"].sum()), "verdict")
    above = caption(result, "Where judges agree", columns.KAPPA.caption, number)
    show_picture("agreement-by-bins", partial(draw_bins, bins, title), above, bins)


def show_pairs(result: Finding, judges: list[str]) -> None:
    """Show each pair of judges, as a matrix and as a table."""
    rows = sort_judge_pairs(result.rows.dropna(subset="agreement"), judges)
    if rows.empty:
        return
    st.header("Agreement between two judges", anchor=False)
    measures = {"Same verdict": "agreement", "Cohen's kappa": "kappa"}
    chosen = st.segmented_control(
        "Show", list(measures), default="Same verdict", help=f"{VERDICT} {KAPPA}"
    )
    value = measures[chosen or "Same verdict"]
    drawn = partial(matrix, rows, value, chosen or "Same verdict")
    number = pluralize(int(rows["verdicts"].sum()), "pair") + " of verdicts"
    above = caption(result, "How often each pair of judges agrees", "", number)
    show_picture("agreement", drawn, above, rows)
    if len(judges) > MOST_JUDGES:
        show_caption(f"The {MOST_JUDGES} of {len(judges)} judges with most verdicts.")


def sort_judge_pairs(rows: pd.DataFrame, judges: list[str]) -> pd.DataFrame:
    """Return the rows on these judges, each pair and all rows in the judges' order."""
    place = {judge: number for number, judge in enumerate(judges)}
    kept = rows[rows["judge_1"].isin(judges) & rows["judge_2"].isin(judges)]
    sides = kept[["judge_1", "judge_2"]]
    turned = sides["judge_1"].map(place) > sides["judge_2"].map(place)
    first = sides["judge_1"].mask(turned, sides["judge_2"])
    kept = kept.assign(judge_2=sides["judge_2"].mask(turned, sides["judge_1"]), judge_1=first)
    return kept.sort_values(["judge_1", "judge_2"], key=lambda names: names.map(place))


def show_confusion(result: Finding) -> None:
    """Show how often each pair of verdicts meets, for a group of judges."""
    rows = result.tables["confusion"]
    groups = list(dict.fromkeys(rows["group"]))
    if not groups:
        return
    with st.expander("Verdict against verdict"):
        _show_meeting(result, rows, groups)


def _show_meeting(result: Finding, rows: pd.DataFrame, groups: list[str]) -> None:
    start = groups.index("human-llm") if "human-llm" in groups else 0
    group = st.selectbox("Between", groups, index=start, format_func=name_group, width=2 * WIDE)
    kind_1, _, kind_2 = group.partition("-")
    same = kind_1 == kind_2
    sides = (f"one of the {KINDS[kind_1]}", "another") if same else (KINDS[kind_1], KINDS[kind_2])
    verdicts = rows[rows["group"] == group]
    words, single = _words(result, verdicts)
    verdicts = verdicts[verdicts["verdict_1"].isin(words) & verdicts["verdict_2"].isin(words)]
    number = pluralize(int(verdicts["verdicts"].sum()), "pair") + " of verdicts"
    above = caption(result, f"Verdicts of {sides[0]} and {sides[1]}", "", number)
    drawn = partial(confusion, verdicts, sides, words)
    show_picture("agreement-confusion", drawn, above, verdicts)
    order = "" if single else " First and second are the systems in alphabetical order."
    show_caption(f"Judges agree where both say the same of the texts.{order}")


def _words(result: Finding, verdicts: pd.DataFrame) -> tuple[dict[str, str], bool]:
    """Return the label of each verdict, and whether the labels name the systems. They do when only
    two systems are compared. "Contradicts itself" is included only where some judge does.
    """
    systems = result.tables["by"].query("by == 'systems'")["value"].unique()
    two = systems[0].split(" / ") if len(systems) == 1 else ()
    single = len(two) == 2
    first, second = two if single else ("first", "second")
    words = {"first": f"{first} better", "tie": "tie", "second": f"{second} better"}
    split = (verdicts[["verdict_1", "verdict_2"]] == "contradicts").any(axis=1)
    if verdicts.loc[split, "verdicts"].sum():
        words["contradicts"] = "contradicts itself"
    return words, single


def show_majority(result: Finding, judges: list[str]) -> None:
    """Show how often each judge agrees with the majority of people."""
    every = result.tables["majority"].dropna(subset="agreement").set_index("judge")
    shown = every.reindex([judge for judge in judges if judge in every.index]).reset_index()
    if shown.empty:
        return
    st.header("Agreement with the majority", anchor=False, help=MAJORITY)
    shown = shown.assign(label=shown["judge"])
    show_dots(
        result, "agreement-with-people", "How often each judge agrees with most annotators", shown,
        columns.SAME, "same verdict as most annotators", ("verdicts", "verdict"),
    )  # fmt: skip
    show_compared(result.tables["differences"], "agrees with people")


def show_evidence(result: Finding) -> None:
    """Show the notes, the signature and the files."""
    names = ("groups", "judges", "majority", "differences", "by")
    tables = {"pairs": result.rows, **{name: result.tables[name] for name in names}}
    captions = f"{columns.KAPPA.caption} Those of shares: {WILSON.method}."
    foot(result, captions, name="agreement-tables", tables=tables)


FEW = 8  # judges whose table stands open


def show_judges(result: Finding, judges: list[str]) -> None:
    """Show each judge's agreement with the majority, tie rate and self-contradictions."""
    if not judges:
        return
    alone = result.tables["judges"]
    most = result.tables["majority"].drop(columns="kind")
    rows = alone.merge(most, on="judge", how="left").set_index("judge")
    rows = rows.reindex([judge for judge in judges if judge in rows.index]).reset_index()
    rows = rows.assign(repeated=rows["repeated"].where(rows["repeated"] > 0))
    joined = _join_columns(result)
    if len(judges) > FEW:
        with st.expander("Each judge"):
            show_rows(rows, joined, "Each judge")
    else:
        st.header("Each judge", anchor=False)
        show_rows(rows, joined, "Each judge")


def _join_columns(result: Finding) -> list[Column]:
    """Return the columns of the judges' table, joined with those of the comparison to the
    majority.
    """
    judge, kind, pairs, *alone = result.table_columns["judges"]
    most = {column.name: column for column in columns.AGAINST_MOST}
    beside = [replace(most["agreement"], label="same as most"), most["accuracy"]]
    return [judge, kind, pairs, *beside, *alone]


def show_every_two(result: Finding, judges: list[str]) -> None:
    """Show a table of each pair of the judges in sight."""
    rows: pd.DataFrame = sort_judge_pairs(result.rows, judges)
    if rows.empty:
        return
    with st.expander("All pairs of judges as a table"):
        show_rows(rows, result.columns, "All pairs of judges")


SCORES_HELP = """The text of an item with the higher score is better; equal scores are a tie. Nobody
was shown one text first. Means of several raters are left out where these are there."""


def choose(study: Study) -> tuple[Selection, AgreementSettings] | None:
    """Ask for the selection and settings; None without judgements and without compared scores."""
    judges, scores = _judges(study)
    if judges.empty:
        return None
    row = st.container(horizontal=True)
    selection = choose_selection(study, row, judges=judges)
    over = choose_setting(row, AgreementSettings, "over", width=WIDE)
    return replace(selection, scores=scores), AgreementSettings(over=over)


def _judges(study: Study) -> tuple[pd.DataFrame, bool]:
    """Return the judges whose comparisons count, and whether scores are compared too."""
    every = list_comparers(study.store, study.dataset)
    raters = every.loc[every["by_name"], "judge"].nunique()
    if raters and st.toggle(f"Compare scores of {pluralize(raters, 'rater')}", help=SCORES_HELP):
        return every, True
    if raters and every["by_name"].all():
        show_caption("Switch this on to see how far those agree who have scored the texts.")
    return comparers_of(study, "Agreement"), False
