"""The figures of the bias page: position, length, ties, and a judge's own texts.

Judges appear in one order everywhere, those whose answers depend most on position first.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core.findings.bias import (
    BiasSettings,
    bias,
    columns,
    compare_places,
    describe_length,
    describe_self_preference,
    describe_triples,
)
from core.findings.bias.chart import PICTURE, histogram
from core.findings.judgements import Finding, Selection, label_rows, name_some
from core.labels import pluralize
from core.rendering.charts import AxisScale
from core.statistics import transitivity
from pages.components.shared.cached_report import cached_report
from pages.components.shared.filters import WIDE
from pages.components.shared.frame import Study
from pages.components.shared.notice import show_caption, show_headline
from pages.components.shared.picture import caption, show_dots, show_picture
from pages.components.shared.report import foot, show_compared
from pages.components.shared.search_link import link_to_search
from pages.components.shared.tables import first_names, show_rows

_bias = cached_report("Measuring bias …")(bias)

LENGTH = """Logistic regression of the answer on log2 of the length ratio in words, controlling for
position."""
CONFIDENCE = "How the judge's probabilities are distributed: near 0 and 1 it is confident."


def compute(study: Study, selection: Selection, otherwise: Any = None) -> Any:
    """Compute the bias of every judge, again only when judgements change or a similarity is
    measured.
    """
    return _bias(study.store, (selection, BiasSettings()), study.measured_stamp, otherwise)


def choose_judges(result: Finding) -> list[str]:
    """Return the judges to show, in their order; of many the first, or those looked for."""
    away = (result.rows["p_first"] - 0.5).abs().groupby(result.rows["judge"], sort=False).max()
    order = away.sort_values(ascending=False, kind="stable", na_position="last")
    return first_names(order.index.tolist(), "judge", "bias")


def select_judges(rows: pd.DataFrame, judges: list[str]) -> pd.DataFrame:
    """Return the labelled rows of these judges, judge by judge."""
    place = {judge: number for number, judge in enumerate(judges)}
    kept = label_rows(rows)[rows["judge"].isin(judges).to_numpy()]
    return kept.sort_values("judge", key=lambda names: names.map(place), kind="stable")


def show_position(result: Finding, judges: list[str]) -> None:
    """Show the share of answers for the first text, and the consistency between orders."""
    rows = select_judges(result.rows, judges)
    if rows["p_first"].notna().any():
        st.header("Position", anchor=False, help=columns.P_FIRST.help)
        number = pluralize(int(rows["decisive"].sum()), "decisive answer")
        above = caption(result, PICTURE.title, columns.P_FIRST.caption, number)
        show_picture("bias-position", partial(PICTURE.draw, rows, result.facts), above, rows)
        _compare(result, "p_first", "chooses the first text")
    _show_consistency(result, rows[rows["pairs_both_orders"] > 0])


def _show_consistency(result: Finding, rows: pd.DataFrame) -> None:
    if rows.empty:
        return
    st.header("Consistency between orders", anchor=False)
    rows = rows.assign(consistent=columns.CONSISTENT.read_values(rows))
    show_dots(
        result, "bias-consistency", "How often each judge says the same in both orders", rows,
        replace(columns.CONSISTENT, name="consistent"), "same verdict in both orders",
        ("pairs_both_orders", "pair"), more=" asked in both orders",
    )  # fmt: skip
    unanswered = int(rows["both_unanswered"].sum())
    if unanswered:
        show_caption(
            f"Without {pluralize(unanswered, 'pair')} asked in both orders but not answered twice."
        )


def link_to_contradictions(selection: Selection, result: Finding) -> None:
    """Link to the pairs on which the least consistent judge contradicts itself."""
    rows = result.rows[result.rows["pairs_both_orders"] > 0]
    shares = columns.CONSISTENT.read_values(rows)
    if shares.lt(1).any():
        judge = str(rows.loc[shares.idxmin(), "judge"])
        show_caption(f"{judge} is the least consistent.")
        link_to_search(
            selection, "Find the items it contradicts itself on", judge=judge, contradicts=True
        )


def _compare(result: Finding, of: str, does: str) -> None:
    """Compare the most biased judge with the one closest to it, on what both decided."""
    differences = result.tables["differences"]
    show_compared(differences[differences["of"] == of], does)


def show_length(result: Finding, judges: list[str]) -> None:
    """Show how much more often each judge chooses the longer text."""
    every = label_rows(result.tables["lengths"])
    if every.empty:
        return
    st.header("Length", anchor=False, help=LENGTH)
    for said in describe_length(every):
        show_headline(said)
    kinds = result.rows.drop_duplicates("judge").set_index("judge")["kind"]
    shown = select_judges(result.tables["lengths"], judges)
    rows = shown.dropna(subset="odds")
    if len(rows):
        rows = rows.assign(kind=rows["judge"].map(kinds))
        show_dots(
            result, "bias-length", "How much longer texts win", rows, columns.ODDS,
            "odds if twice as long", ("comparisons", "judgement"),
            AxisScale(None, ".2~r", reference=1.0, log=True),
            _not_drawn(shown[shown["unbounded"] != ""]),
        )  # fmt: skip
    _compare(result, "longer", "chooses the longer text")


def _not_drawn(rows: pd.DataFrame) -> str:
    """Name the judges that are not drawn because their odds have no bound; '' if all are drawn."""
    if rows.empty:
        return ""
    judges = [
        f"{judge} ({side})" for judge, side in rows.groupby("judge")["unbounded"].first().items()
    ]
    return f"; not drawn, since their odds have no bound: {name_some(judges)}"


def show_ties(result: Finding, judges: list[str]) -> None:
    """Show how often each judge prefers neither text."""
    rows = select_judges(result.rows, judges).dropna(subset="tie_rate")
    if rows.empty or not rows["tie_rate"].any():
        return
    st.header("Ties", anchor=False)
    show_dots(
        result, "bias-ties", "How often each judge prefers neither text", rows, columns.TIES,
        "answers that prefer neither text", ("comparisons", "judgement"),
    )  # fmt: skip


def show_probabilities(result: Finding, judges: list[str]) -> None:
    """Show the distribution of confidence, for judges that give probabilities."""
    rows = select_judges(result.tables["distribution"], judges)
    if rows.empty:
        return
    with st.expander("Confidence"):
        show_caption(CONFIDENCE)
        names = list(dict.fromkeys(rows["label"]))
        name = (
            names[0]
            if len(names) == 1
            else st.selectbox("Judge", names, key="distribution", width=2 * WIDE)
        )
        bins = rows[rows["label"] == name]
        number = pluralize(int(bins["judgements"].sum()), "judgement")
        above = caption(result, f"How sure {name} is", "", number)
        show_picture("bias-confidence", partial(histogram, bins), above, bins)


def show_self_preference(result: Finding) -> None:
    """Describe whether a judge that is also one of the systems prefers itself."""
    own = describe_self_preference(result.tables["own"])
    if own:
        st.header("Self-preference", anchor=False)
    for said in own:
        show_headline(said)


CORRECTIONS = """**Swap**: a pair asked in both orders counts once, as the mean of both.
**Threshold**: a judge's probabilities are shifted until both positions win equally often
(Liusie et al. 2024, eq. 8-10)."""
POSITIONS = """Points: the share of its comparisons a system wins, a tie counting half.
Probability: the mean probability the judge gives it. Each has a 95% interval. An average
system gets half. If it meets the same texts in both positions, the gain is position bias."""


def show_corrections(result: Finding, judges: list[str]) -> None:
    """Show position bias after swap and threshold."""
    rows = select_judges(result.rows, judges)
    rows = rows[rows["p_first_swap"].notna() | rows["p_first_threshold"].notna()]
    if rows.empty:
        return
    with st.expander("After correction"):
        show_caption(
            "Both corrections make the two positions win equally often. The Correlation page shows "
            "what they do to accuracy."
        )
        st.markdown(CORRECTIONS)
        show_rows(rows, columns.AFTER, "After correction")


def show_systems(result: Finding, judges: list[str]) -> None:
    """Show each system's results when shown first and when shown second, for one judge."""
    rows = select_judges(result.tables["places"], judges)
    if rows.empty:
        return
    with st.expander("Each system by position"):
        show_caption(POSITIONS)
        p_first = label_rows(result.rows).set_index("label")["p_first"].fillna(0.5)
        # The most biased judge first; equal ones stay in the order of the rows.
        names = sorted(
            dict.fromkeys(rows["label"]), key=lambda label: -abs(p_first.get(label, 0.5) - 0.5)
        )
        name = names[0]
        if len(names) > 1:
            name = st.selectbox("Judge", names, key="sides", width=2 * WIDE)
        beside = compare_places(rows[rows["label"] == name])
        show_rows(beside, columns.BESIDE, "Each system by position")


def show_evidence(result: Finding, judges: list[str]) -> None:
    """Show the tables, notes, signature and files."""
    rows, lengths = (select_judges(one, judges) for one in (result.rows, result.tables["lengths"]))
    if len(rows):
        with st.expander("As a table"):
            show_rows(rows, result.columns, "Bias of each judge")
            if len(lengths):
                show_caption("By length:")
                show_rows(lengths, columns.LENGTHS, "Length bias of each judge")
    tables = {"position": result.rows, "systems": result.tables["places"]}
    tables |= {"length": result.tables["lengths"], "differences": result.tables["differences"]}
    captions = f"{result.interval} {columns.ODDS.caption}"
    foot(result, captions, name="bias-tables", tables=tables)


TRIPLES = """Three texts of an item, and a verdict on each pair. Cyclic: A is better than B, B than
C, and C than A. A quarter of the triples are cyclic by chance (Kendall & Babington Smith 1940).
Triples with a tie, or a pair the judge contradicts itself on, are left out."""


def show_triples(result: Finding, judges: list[str]) -> None:
    """Show the cyclic triples of each judge, and how far position causes them."""
    rows = select_judges(result.tables["triples"], judges)
    said = describe_triples(rows)
    if not said:
        return
    st.header("Consistency among three texts", anchor=False, help=TRIPLES)
    show_headline(said)
    rows = rows[rows["decided"] > 0]
    show_dots(
        result, "bias-triples", "How often judges contradict themselves", rows, columns.CYCLIC,
        "triples that are cyclic", ("decided", "triple"),
        AxisScale(None, reference=transitivity.CHANCE),
    )  # fmt: skip
    show_caption("The dashed line is chance: a quarter.")
    with st.expander("Triples in figures"):
        show_rows(rows, columns.TRIPLES, "Triples")
        by = select_judges(result.tables["triples_by"], judges)
        if by["separability"].nunique() > 1:
            show_caption("By how far items tell their systems apart, in bins from low to high:")
            show_rows(by, columns.TRIPLES_BY, "Triples by separability")
