"""The section Bias: position, length, ties, a judge's own texts, and what probes change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from core.findings.bias import columns, compare_places, describe_self_preference
from core.findings.chart import PROBES_PICTURE, draw_histogram, draw_probes
from core.findings.judgements import Finding, Selection, label_rows, name_some
from core.findings.probes import CHANGE, probes
from core.labels import pluralize, shorten_judges
from core.records import Kind
from core.rendering import describe_intervals
from core.rendering.charts import MOST_ROWS, AxisScale
from core.statistics import transitivity
from pages.components.shared.address import bind_choice
from pages.components.shared.filters import WIDE, comparers_of
from pages.components.shared.finding import (
    FindingSection,
    Table,
    TakeRows,
    declare_dots,
    declare_picture,
)
from pages.components.shared.frame import Study, link_to_search, next_step_links
from pages.components.shared.notice import show_caption, show_findings
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import compare_judges, foot
from pages.components.shared.tables import show_rows

LENGTH = """Logistic regression of the answer on log2 of the length ratio in words, controlling for
position."""
CONFIDENCE = "How the judge's probabilities are distributed: near 0 and 1 it is confident."
POSITIONS = """Points: the share of its comparisons a system wins, a tie counting half.
Probability: the mean probability the judge gives it. Each has a 95% interval. An average
system gets half. If it meets the same texts in both positions, the gain is position bias."""
TRIPLES = """Three texts of an item, and a verdict on each pair. Cyclic: A is better than B, B than
C, and C than A. A quarter of the triples are cyclic by chance (Kendall & Babington Smith 1940).
Triples with a tie, or a pair the judge contradicts itself on, are left out."""
PROBES = """What a text gains by a change that says nothing about its quality: 100 points would be
from never chosen to always. Beside a sentence, a harmless one of as many words is added: a longer
text moves judges, too."""
NONE = (
    "Would a judge choose a text that cites a source, or asks to be chosen? No judge has been "
    "probed yet: start a probe on the page Judge."
)
ABOUT = " about changed texts, which are not judgements"
ASKED_BY_RUNS = (Kind.LLM, Kind.BASELINE)
BY_SEPARABILITY = "By how far items tell their systems apart, in bins from low to high."


def order_judges(result: Finding) -> list[str]:
    """Return the judges, those whose answers depend most on position first."""
    away = (result.rows["p_first"] - 0.5).abs().groupby(result.rows["judge"], sort=False).max()
    return list(away.sort_values(ascending=False, kind="stable", na_position="last").index)


def _take(
    table: str,
    known: str = "",
    keep: Callable[[pd.DataFrame], pd.DataFrame] = lambda rows: rows,
) -> TakeRows:
    """Return what takes the labelled rows of judges from a table: those where `known` is there, and
    of these the ones to `keep`.
    """

    def take(result: Finding, judges: Sequence[str]) -> pd.DataFrame:
        rows = result.tables[table] if table else result.rows
        place = {judge: number for number, judge in enumerate(judges)}
        kept = label_rows(rows)[rows["judge"].isin(judges).to_numpy()]
        kept = kept.sort_values("judge", key=lambda names: names.map(place), kind="stable")
        return keep(kept.dropna(subset=known) if known else kept)

    return take


def _keep_both_orders(rows: pd.DataFrame) -> pd.DataFrame:
    rows = rows[rows["pairs_both_orders"] > 0]
    return rows.assign(consistent=columns.CONSISTENT.read_values(rows))


def _take_lengths(result: Finding, judges: Sequence[str]) -> pd.DataFrame:
    rows = _take("lengths", "odds")(result, judges)
    kinds = result.rows.drop_duplicates("judge").set_index("judge")["kind"]
    return rows.assign(kind=rows["judge"].map(kinds))


def _compare(of: str, does: str) -> Callable[[Finding], list[str]]:
    def compare(result: Finding) -> list[str]:
        differences = result.tables["differences"]
        return compare_judges(differences[differences["of"] == of], does)

    return compare


def _describe_lengths(result: Finding) -> Iterable[str]:
    rows = label_rows(result.tables["lengths"])
    rows = rows[rows["unbounded"] != ""]
    sides = rows.groupby("judge")["unbounded"].first()
    if len(sides):
        judges = name_some([f"{judge} ({side})" for judge, side in sides.items()])
        yield f"Not drawn, since their odds have no bound: {judges}."
    yield from _compare("longer", "chooses the longer text")(result)


def _describe_consistent(result: Finding) -> Iterable[str]:
    unanswered = int(result.rows["both_unanswered"].sum())
    if unanswered:
        pairs = pluralize(unanswered, "pair")
        yield f"Without {pairs} asked in both orders but not answered twice."


def _look_closer(
    study: Study, selection: Selection, result: Finding, judges: Sequence[str]
) -> None:
    _link_to_contradictions(selection, result)
    for sentence in describe_self_preference(result.tables["own"]):
        show_caption(sentence)
    _show_probes(study, selection, result)
    _show_systems(result, judges)
    _show_confidence(result, judges)


def _link_to_contradictions(selection: Selection, result: Finding) -> None:
    rows = result.rows[result.rows["pairs_both_orders"] > 0]
    shares = columns.CONSISTENT.read_values(rows)
    if shares.lt(1).any():
        judge = str(rows.loc[shares.idxmin(), "judge"])
        show_caption(f"{judge} is the least consistent.")
        link_to_search(
            selection, "Find the items it contradicts itself on", judge=judge, contradicts=True
        )


def _show_probes(study: Study, selection: Selection, biased: Finding) -> None:
    if not biased.rows["kind"].isin(ASKED_BY_RUNS).any():
        return
    result = probes(study.store, selection)
    st.header("Probes", anchor=False, help=PROBES)
    if result.rows.empty:
        show_caption(NONE)
        next_step_links(judge="Probe a judge")
        return
    show_findings(result.facts["sentences"])
    rows = result.rows.dropna(subset="change")
    if len(rows):
        answers = pluralize(int(rows["answers"].sum()), "answer")
        above = caption(result, PROBES_PICTURE.title, describe_intervals(rows, [CHANGE]), answers)
        show_picture("bias-probes", partial(draw_probes, rows), above, rows)
        if len(rows) > MOST_ROWS:
            show_caption(f"Drawn are the {MOST_ROWS} largest changes of {len(rows)}.")
    with st.expander("Probes in figures"):
        show_rows(result.rows, result.columns, "What each probe changes")
        foot(result, result.interval, "answer", ABOUT)


def _show_systems(result: Finding, judges: Sequence[str]) -> None:
    rows = _take("places")(result, judges)
    if rows.empty:
        return
    with st.expander("Each system by position"):
        show_caption(POSITIONS)
        p_first = label_rows(result.rows).set_index("label")["p_first"].fillna(0.5)
        # The most biased judge first; equal ones stay in the order of the rows.
        names = sorted(
            dict.fromkeys(rows["label"]), key=lambda label: -abs(p_first.get(label, 0.5) - 0.5)
        )
        name = _choose_judge(names, "sides")
        beside = compare_places(rows[rows["label"] == name])
        show_rows(beside, columns.BESIDE, "Each system by position")


def _show_confidence(result: Finding, judges: Sequence[str]) -> None:
    rows = _take("distribution")(result, judges)
    if rows.empty:
        return
    with st.expander("Confidence"):
        show_caption(CONFIDENCE)
        name = _choose_judge(list(dict.fromkeys(rows["label"])), "distribution")
        shown = rows[rows["label"] == name]
        number = pluralize(int(shown["judgements"].sum()), "judgement")
        above = caption(result, f"How sure {name} is", "", number)
        show_picture("bias-confidence", partial(draw_histogram, shown), above, shown)


def _choose_judge(names: Sequence[str], name: str) -> str:
    bound = bind_choice(name, names[0], names)
    return str(st.selectbox("Judge", names, format_func=shorten_judges, width=2 * WIDE, **bound))


BIAS = FindingSection(
    "bias",
    (
        declare_picture(
            "bias-position", _take("", "p_first"), "bias",
            intervals=lambda result, rows: columns.P_FIRST.caption,
            count=lambda result, rows: pluralize(int(rows["decisive"].sum()), "decisive answer"),
            describe=_compare("p_first", "chooses the first text"),
        ),
        declare_dots(
            "bias-consistency", "How often each judge says the same in both orders",
            _take("", keep=_keep_both_orders), replace(columns.CONSISTENT, name="consistent"),
            "same verdict in both orders", ("pairs_both_orders", "pair"),
            heading="Consistency between orders", describe=_describe_consistent,
        ),
        declare_dots(
            "bias-length", "How much longer texts win",
            _take_lengths, columns.ODDS, "odds if twice as long", ("comparisons", "judgement"),
            AxisScale(None, ".2~r", reference=1.0, log=True),
            heading="Length", help=LENGTH, describe=_describe_lengths,
        ),
        declare_dots(
            "bias-ties", "How often each judge prefers neither text",
            _take("", "tie_rate", lambda rows: rows if rows["tie_rate"].any() else rows.iloc[:0]),
            columns.TIES, "answers that prefer neither text",
            ("comparisons", "judgement"),
            heading="Ties",
        ),
        declare_dots(
            "bias-triples", "How often judges contradict themselves; the dashed line is chance",
            _take("triples", keep=lambda rows: rows[rows["decided"] > 0]), columns.CYCLIC,
            "triples that are cyclic", ("decided", "triple"),
            AxisScale(None, reference=transitivity.CHANCE),
            heading="Consistency among three texts", help=TRIPLES,
        ),
    ),
    lambda study: comparers_of(study, "Position bias"),
    (
        Table("Bias of each judge", _take(""), lambda result: result.columns),
        Table("Length bias of each judge", _take("lengths"), lambda result: columns.LENGTHS),
        Table("Triples", _take("triples"), lambda result: columns.TRIPLES),
        Table(
            "Triples by separability",
            _take(
                "triples_by",
                keep=lambda rows: rows if rows["separability"].nunique() > 1 else rows.iloc[:0],
            ),
            lambda result: columns.TRIPLES_BY,
            help=BY_SEPARABILITY,
        ),
    ),
    order=order_judges,
    look_closer=_look_closer,
)  # fmt: skip
