"""A finding on a page, drawn from its declaration.

The answer comes first: sentence and picture. Choices follow, at most three in view, then further
pictures and tables, the notes, and one menu to cite and export.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.catalogue import FINDINGS
from core.findings.judgements import Finding, Selection
from core.findings.lab import list_openings
from core.labels import pluralize
from core.rendering import Column
from core.rendering.charts import AxisScale, Drawn, EstimateColumns, dots
from core.settings import get_default, list_settings, make_request
from core.store import Store
from pages.components.shared.cached_report import cached_report
from pages.components.shared.counting import SLOW
from pages.components.shared.faults import show_faults
from pages.components.shared.filters import WIDE, Choices, choose_answers, choose_selection
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import show_caption, show_headline
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot
from pages.components.shared.settings import Offered, choose_kept, list_labels
from pages.components.shared.tables import first_names, show_rows

SHARES = AxisScale()
WAYS_ON = {"annotate": "Annotate", "judge": "Run a judge"}
"""Where answers come from."""
SLOWLY = ("budget", "lab", "plan")
"""Findings that take long: they are counted apart, so that no other has to wait for them."""


@dataclass(frozen=True)
class FindingFigure:
    """A picture of a finding with its heading, help and sentences.

    `rows` returns what is drawn, in the order of the names in sight; an empty frame is not shown.
    `draw` returns a chart that takes a theme. `count` names what it is based on.
    """

    name: str
    title: str
    rows: Callable[[Finding, Sequence[str]], pd.DataFrame]
    draw: Callable[[Finding, pd.DataFrame], Callable[..., Drawn]]
    intervals: Callable[[Finding, pd.DataFrame], str] = lambda result, rows: ""
    count: Callable[[Finding, pd.DataFrame], str] = lambda result, rows: ""
    heading: str = ""
    help: str = ""
    describe: Callable[[Finding], Iterable[str]] = lambda result: ()


def declare_dots(
    name: str, title: str, rows: Callable[[Finding, Sequence[str]], pd.DataFrame],
    column: Column, axis: str, of: tuple[str, str], scale: AxisScale = SHARES, **more: Any,
) -> FindingFigure:  # fmt: skip
    """Declare a picture with a dot and its interval for each row, at its value in a column.

    `of` is the column with the number of answers behind each value, and their noun.
    """
    counts, noun = of
    estimate = EstimateColumns(column.name, column.low, column.high, counts)
    return FindingFigure(
        name, title, rows,
        lambda result, shown: partial(dots, shown, axis, estimate, scale),
        lambda result, shown: column.caption,
        lambda result, shown: pluralize(int(shown[counts].sum()), noun),
        **more,
    )  # fmt: skip


@dataclass(frozen=True)
class Table:
    """A table of a finding: its title, its rows for the names in sight, and their columns."""

    title: str
    rows: Callable[[Finding, Sequence[str]], pd.DataFrame]
    columns: Callable[[Finding], Sequence[Column]]
    is_folded: bool = True
    help: str = ""


def declare_table(title: str, name: str = "", *, is_folded: bool = True, help: str = "") -> Table:
    """Declare the table of that name, by its declared columns; '' is the finding's own rows."""
    return Table(
        title,
        lambda result, names: result.tables[name] if name else result.rows,
        lambda result: result.table_columns[name] if name else result.columns,
        is_folded,
        help,
    )


@dataclass(frozen=True)
class FindingSection:
    """A finding of `FINDINGS` by its name, and what is its own on a page.

    Of the `figures`, the first with rows stands beside the headline. All settings with a label are
    asked for but those `without`; `offer` returns the values of those that depend on the data.
    `order` returns the judges or systems (its `noun`), best first. `find_judges` returns whose
    answers there are, or says why there are none. `adjust` asks for what else a selection needs.
    `look_closer` draws what only this finding has.
    """

    name: str
    figures: Sequence[FindingFigure]
    find_judges: Callable[[Study], pd.DataFrame]
    tables: Sequence[Table] = ()
    without: Sequence[str] = ()
    offer: Callable[[Study], Mapping[str, Offered]] = lambda study: {}
    order: Callable[[Finding], Sequence[str]] = lambda result: ()
    noun: str = "judge"
    adjust: Callable[[Study, Choices, Selection], Selection] | None = None
    look_closer: Callable[[Study, Selection, Finding, Sequence[str]], None] | None = None
    ways_on: Mapping[str, str] = field(default_factory=lambda: WAYS_ON)


def _find(store: Store, name: str, *requests: Hashable) -> Finding:
    declared = FINDINGS[name]
    return declared.find(store, **dict(zip(declared.requests, requests, strict=True)))


_compute = cached_report("Computing …")(_find)
_compute_slowly = cached_report("Computing …", lane=SLOW)(_find)


def compute(study: Study, name: str, *requests: Hashable, otherwise: Any = None) -> Any:
    """Compute a finding of `FINDINGS` from its requests, again only when its data have changed."""
    if len(requests) == 1:  # the selection: all settings have their defaults
        requests += tuple(kind() for kind in FINDINGS[name].settings.values())
    stamp = f"{study.measured_stamp}-{study.draws_stamp}"
    if name == "lab":
        stamp += f"-{len(list_openings(study.store, study.dataset))}"
    report = _compute_slowly if name in SLOWLY else _compute
    return report(study.store, (name, *requests), stamp, otherwise)


def show_finding(study: Study, section: FindingSection) -> None:
    """Show a finding: answer, choices, and what is behind the answer."""
    judges = section.find_judges(study)
    if judges.empty:
        return
    answer, choices = st.container(), Choices()
    selection = choose_selection(study, choices, judges)
    if section.adjust:
        selection = section.adjust(study, choices, selection)
    settings = _choose_settings(study, section, choices)
    selection = choose_answers(study, selection, choices)
    result = None
    with answer, show_faults("quiet"):
        result = compute(study, section.name, selection, *settings)
    if result is None:
        next_step_links(**section.ways_on)
        return
    _show_result(study, section, selection, result, answer)


def _choose_settings(study: Study, section: FindingSection, choices: Choices) -> list[Any]:
    """Ask for the settings of a section; one that plays no part beside the others is not asked."""
    offered, values = section.offer(study), dict[str, Any]()
    kinds = list(FINDINGS[section.name].settings.values())
    for name in [name for name in list_labels(*kinds) if name not in section.without]:
        kind = next(one for one in kinds if name in list_settings(one))
        part = list_settings(kind)[name].part
        usual = {one: get_default(kind, one) for one in list_settings(kind)}
        if part and not part.plays({**usual, **values}):
            continue
        there = offered.get(name)
        if there is not None and len(there) < 2:
            continue  # the data leave no choice
        values[name] = choose_kept(choices.place(), kind, name, there, width=WIDE)
    return [make_request(kind, values) for kind in kinds]


def _show_result(
    study: Study, section: FindingSection, selection: Selection, result: Finding,
    answer: DeltaGenerator,
) -> None:  # fmt: skip
    headline, *further = filter(None, FINDINGS[section.name].describe(result))
    names = first_names(section.order(result), section.noun, section.name)
    shown = [(figure, figure.rows(result, names)) for figure in section.figures]
    (first, rows), *others = [one for one in shown if len(one[1])] or [(None, None)]
    with answer:
        show_headline(headline)
        if result.rows.empty or not result.judgements:
            next_step_links(**section.ways_on)
        if first:
            show_figure(result, first, rows)
        if further:
            show_caption(" ".join(further))
    for sentence in first.describe(result) if first else ():
        show_caption(sentence)
    for table in section.tables:
        if not table.is_folded:
            _show_table(result, table, names)
    for figure, rows in others:
        if figure.heading:
            st.header(figure.heading, anchor=False, help=figure.help or None)
        for sentence in figure.describe(result):
            show_caption(sentence)
        show_figure(result, figure, rows)
    if section.look_closer:
        section.look_closer(study, selection, result, names)
    for table in section.tables:
        if table.is_folded:
            _show_table(result, table, names)
    tables = {section.name: result.rows, **result.tables}
    foot(result, result.interval, name=f"{section.name}-tables", tables=tables)


def show_figure(result: Finding, figure: FindingFigure, rows: pd.DataFrame) -> None:
    """Show a picture of a finding under its caption."""
    above = caption(
        result, figure.title, figure.intervals(result, rows), figure.count(result, rows)
    )
    show_picture(figure.name, figure.draw(result, rows), above, rows)


def _show_table(result: Finding, table: Table, names: Sequence[str]) -> None:
    rows = table.rows(result, names)
    if rows.empty:
        return
    with st.expander(table.title) if table.is_folded else nullcontext():
        if table.help:
            show_caption(table.help)
        show_rows(rows, table.columns(result), table.title)
