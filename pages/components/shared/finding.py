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
from core.findings.judgements import Finding, Selection, label_rows
from core.findings.lab import list_openings
from core.findings.separability import describe_items
from core.labels import pluralize
from core.rendering import Column
from core.rendering.charts import AxisScale, Drawn, EstimateColumns, dots
from core.reporting import PICTURES, draw_named
from core.settings import make_request
from core.store import Store
from pages.components.shared.cached_report import cached_report
from pages.components.shared.counting import SLOW
from pages.components.shared.filters import (
    Choices,
    choose_answers,
    choose_selection,
    choose_settings,
)
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import show_caption, show_faults, show_headline
from pages.components.shared.picture import caption, show_picture
from pages.components.shared.report import foot
from pages.components.shared.settings import Offered, list_labels
from pages.components.shared.tables import first_names, show_rows

TakeRows = Callable[[Finding, Sequence[str]], pd.DataFrame]
"""Returns the rows of a finding that are shown, for the names in sight."""
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
    rows: TakeRows
    draw: Callable[[Finding, pd.DataFrame], Callable[..., Drawn]]
    intervals: Callable[[Finding, pd.DataFrame], str] = lambda result, rows: ""
    count: Callable[[Finding, pd.DataFrame], str] = lambda result, rows: ""
    heading: str = ""
    help: str = ""
    describe: Callable[[Finding], Iterable[str]] = lambda result: ()


def declare_dots(
    name: str, title: str, rows: TakeRows,
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


def declare_picture(
    name: str, rows: TakeRows, of: str = "", title: str = "", **more: Any
) -> FindingFigure:
    """Declare the picture that reports draw of this finding, or of the one `of` that name."""
    of = of or name
    more = {"intervals": lambda result, shown: result.interval, **more}
    return FindingFigure(
        name, title or PICTURES[of].title, rows,
        lambda result, shown: partial(draw_named, of, shown, result.facts),
        **more,
    )  # fmt: skip


def sort_rows(by: str) -> Callable[..., pd.DataFrame]:
    """Return what takes the labelled rows of judges (of all where none are named), best first."""

    def take(result: Finding, judges: Sequence[str] = ()) -> pd.DataFrame:
        rows = label_rows(result.rows).sort_values(by, ascending=False)
        return rows[rows["judge"].isin(judges)] if judges else rows

    return take


@dataclass(frozen=True)
class Table:
    """A table of a finding: its title, its rows for the names in sight, and their columns."""

    title: str
    rows: TakeRows
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

    Of the `figures`, the first with rows stands beside the headline, unless the finding has a
    `picture` of its own to act on: that returns what to draw below the choices. `find_judges`
    returns whose answers there are (or which systems), or says why there are none. `select` and
    `adjust` ask for the selection. All settings with a label are asked for but those `without`, the
    `rarer` ones always behind "More"; `offer` returns the values of those that depend on the data,
    and `ask` further arguments of `choose_kept`. `is_ready` checks whether there is something to
    compute, or shows what is missing. `order` returns the judges or systems (its `noun`), best
    first. `look_closer` draws what only this finding has. `answers` is the noun of what it is based
    on; '' is for texts.
    """

    name: str
    figures: Sequence[FindingFigure]
    find_judges: Callable[[Study], pd.DataFrame]
    tables: Sequence[Table] = ()
    without: Sequence[str] = ()
    rarer: Sequence[str] = ()
    offer: Callable[[Study], Mapping[str, Offered]] = lambda study: {}
    ask: Callable[[Study], Mapping[str, Mapping[str, Any]]] = lambda study: {}
    select: Callable[[Study, Choices, pd.DataFrame], Selection] = choose_selection
    is_ready: Callable[..., bool] = lambda study, selection, *settings: True
    stamp: Callable[..., str] = lambda study, selection, *settings: ""
    picture: Callable[..., Callable[[], None]] | None = None
    answers: str = "judgement"
    order: Callable[[Finding], Sequence[str]] = lambda result: ()
    noun: str = "judge"
    adjust: Callable[[Study, Choices, Selection], Selection] | None = None
    look_closer: Callable[[Study, Selection, Finding, Sequence[str]], None] | None = None
    ways_on: Mapping[str, str] = field(default_factory=lambda: WAYS_ON)


DESCRIBED = {"separability": describe_items}
"""What pages add to the rows of a finding."""


def _find(store: Store, name: str, *requests: Hashable) -> Finding:
    declared = FINDINGS[name]
    found = declared.find(store, **dict(zip(declared.requests, requests, strict=True)))
    return DESCRIBED[name](found) if name in DESCRIBED else found


_compute = cached_report("Computing …")(_find)
_compute_slowly = cached_report("Computing …", lane=SLOW)(_find)


def compute(
    study: Study, name: str, *requests: Hashable, stamp: str = "", otherwise: Any = None
) -> Any:
    """Compute a finding of `FINDINGS` from its requests, again only when its data have changed.

    They have when the `stamp` has, which is that of judgements and scores unless one is given.
    """
    if len(requests) == 1:  # the selection: all settings have their defaults
        requests += tuple(kind() for kind in FINDINGS[name].settings.values())
    stamp = stamp or f"{study.measured_stamp}-{study.draws_stamp}"
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
    selection = section.select(study, choices, judges)
    if section.adjust:
        selection = section.adjust(study, choices, selection)
    settings = _choose_settings(study, section, choices)
    if section.answers:
        selection = choose_answers(study, selection, choices)
    requests, result, is_ready = (selection, *settings), None, False
    with answer, show_faults("quiet"):
        if is_ready := section.is_ready(study, *requests):
            stamp = section.stamp(study, *requests)
            result = compute(study, section.name, *requests, stamp=stamp)
    if result is not None:
        _show_result(study, section, requests, result, answer)
    elif is_ready:
        next_step_links(**section.ways_on)


def _choose_settings(study: Study, section: FindingSection, choices: Choices) -> list[Any]:
    kinds, values = list(FINDINGS[section.name].settings.values()), dict[str, Any]()
    left_out = {*section.without, *section.rarer}
    names = [one for one in list_labels(*kinds) if one not in left_out]
    offered = {  # of one value the data leave no choice
        name: there if len(there) > 1 else () for name, there in section.offer(study).items()
    }
    ask = partial(choose_settings, choices, kinds, values, offered, section.ask(study))
    ask(names)
    ask(section.rarer, are_rarer=True)
    return [make_request(kind, values) for kind in kinds]


def _show_result(
    study: Study, section: FindingSection, requests: tuple[Any, ...], result: Finding,
    answer: DeltaGenerator,
) -> None:  # fmt: skip
    headline, *further = filter(None, FINDINGS[section.name].describe(result))
    draw_rest: Callable[[], None] | None = None
    names = first_names(section.order(result), section.noun, section.name)
    shown = [(figure, figure.rows(result, names)) for figure in section.figures]
    (first, rows), *others = [one for one in shown if len(one[1])] or [(None, None)]
    with answer:
        show_headline(headline)
        if section.picture:
            draw_rest = section.picture(study, *requests, result)
        elif result.rows.empty or not result.judgements:
            next_step_links(**section.ways_on)
        if first:
            _show_figure(result, first, rows)
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
        _show_figure(result, figure, rows)
    if draw_rest:
        draw_rest()
    if section.look_closer:
        section.look_closer(study, requests[0], result, names)
    for table in section.tables:
        if table.is_folded:
            _show_table(result, table, names)
    tables = {section.name: result.rows, **result.tables}
    said = " ".join([headline, *further])
    foot(
        result, result.interval, section.answers, name=f"{section.name}-tables", tables=tables,
        said=said,
    )  # fmt: skip


def _show_figure(result: Finding, figure: FindingFigure, rows: pd.DataFrame) -> None:
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
