"""The parts of a report: sections with sentences, pictures and tables, made of findings. A notebook
and pages draw the same pictures.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import pandas as pd

from ..catalogue import FINDINGS
from ..findings import chart as charts
from ..findings.agreement import chart as agreement
from ..findings.budget import chart as budget
from ..findings.judgements import Finding
from ..findings.leaderboard import chart as leaderboard
from ..findings.separability import chart as separability
from ..labels import capitalise, pluralize
from ..records import FaultError, TandemError
from ..rendering import Column, Grid, Place, describe_intervals, lay_across, lay_out
from ..rendering.charts import Caption, CaptionedChart, Drawn, picture

MOST_ROWS = 60
"""Rows of a table that are read; more would be pages of them."""
MOST_OPEN = 12
"""Rows of a table that stands open beside its picture."""
INLINE = 440
"""Pixels of a picture on the page, which a phone can nearly show."""

_DEFINED = re.compile(r'(?<=\sid=")([^"]+)(?=")')
_USED = re.compile(r'(url\(#|href="#)([^")]+)')


PICTURES = {
    "accuracy": charts.ACCURACY_PICTURE,
    "agreement": agreement.PICTURE,
    "probes": charts.PROBES_PICTURE,
    "bias": charts.BIAS_PICTURE,
    "budget": budget.PICTURE,
    "combine": charts.COMBINE_PICTURE,
    "consistency": separability.CONSISTENCY_PICTURE,
    "correlation": charts.CORRELATION_PICTURE,
    "lab": charts.LAB_PICTURE,
    "leaderboard": leaderboard.PICTURE,
    "over_time": leaderboard.OVER_TIME,
    "plan": charts.PLAN_PICTURE,
    "separability": separability.PICTURE,
    "share": charts.SHARED_WORK_PICTURE,
}
"""The pictures that findings name."""


def draw_named(name: str, rows: pd.DataFrame, facts: Mapping[str, Any], *, theme: str) -> Drawn:
    """Draw the picture of that name. Another process can be asked for it, as no lambda can be."""
    return PICTURES[name].draw(rows, facts, theme)


def caption_picture(finding: Finding) -> CaptionedChart:
    """Return the picture that a finding names, with a caption. Raises TandemError if it names no
    picture.
    """
    if not finding.picture:
        names = ", ".join(map(str, finding.rows.columns))
        raise TandemError(f"there is no chart of rows of {names}")
    picture = PICTURES[finding.picture]
    number = pluralize(finding.judgements, picture.answers_are)
    if not finding.judgements:
        number = pluralize(len(finding.rows), "case")
    if picture.computed:
        interval = picture.computed.caption
    elif picture.table:
        interval = finding.describe_table(picture.table)
    else:
        shown = [column for column in finding.columns if column.name == picture.interval]
        interval = describe_intervals(finding.rows, shown)
    rows = finding.tables[picture.table] if picture.table else finding.rows
    caption = Caption(picture.title, number, interval, finding.signature)
    return CaptionedChart(partial(picture.draw, rows, finding.facts), caption)


def draw_finding(finding: Finding, *, theme: str = "light") -> Drawn:
    """Draw the picture that a finding names, with its caption."""
    return caption_picture(finding).draw_captioned(theme)


@dataclass(frozen=True)
class ReportTable:
    """A table, saved under a file `name`: every figure in full (`frame`), and as readers see it
    (`grid`).
    """

    name: str
    caption: str
    frame: pd.DataFrame
    grid: Grid

    most = MOST_ROWS

    @property
    def titles(self) -> list[str]:
        """The headings."""
        return [heading.label for heading in self.grid.headings]

    @property
    def rows(self) -> list[list[str]]:
        """The cells that are read; the file of the frame has all of them."""
        return [[cell.text for cell in row] for row in self.grid.rows[: self.most]]

    @property
    def alignment(self) -> list[str]:
        """Return "left" or "right" for each column that is shown."""
        return ["right" if heading.is_figure else "left" for heading in self.grid.headings]


def lay_table(
    name: str, caption: str, rows: pd.DataFrame, columns: Sequence[Column]
) -> ReportTable:
    """A table by its declared columns. One of attributes is read where these differ."""
    columns = [
        replace(column, needs_several=True) if column.name == "attribute" and name != "attributes"
        else column
        for column in columns
    ]  # fmt: skip
    grid = lay_out(rows, columns, Place.PAPER)
    headings = [replace(one, label=capitalise(one.label)) for one in grid.headings]
    return ReportTable(name, caption, rows, replace(grid, headings=headings))


def lay_by_attribute(
    name: str, caption: str, rows: pd.DataFrame, key: Column, column: Column
) -> ReportTable:
    """A row for each of what the `key` names, with a figure of the column for each attribute."""
    grid = lay_across(rows, [key], column)
    first, *attributes = grid.headings
    headings = [replace(first, label=capitalise(first.label)), *attributes]
    return ReportTable(name, caption, rows, replace(grid, headings=headings))


@dataclass(frozen=True)
class ReportPicture:
    """A chart under a file name."""

    name: str
    chart: CaptionedChart

    @cached_property
    def svg(self) -> str:
        """The picture of a file, with its caption."""
        return self._rename_parts(picture(self.chart.draw_captioned(), "svg").decode())

    @cached_property
    def inline(self) -> str:
        """The picture of a page, which has the caption in words beside it."""
        text = picture(self.chart.on_screen("light"), "svg", width=INLINE).decode()
        return self._rename_parts(text[text.index("<svg") :])

    @property
    def is_wide(self) -> bool:
        """Return whether it has parts beside each other, which a phone must scroll."""
        return "facet" in self.chart.draw(theme="light").to_dict()

    def _rename_parts(self, text: str) -> str:
        """Name what it defines after the chart. Its writer counts through all that it has drawn,
        so two charts of a page would share names.
        """
        names: dict[str, str] = {}
        for name in _DEFINED.findall(text):
            names.setdefault(name, f"{self.name}-{len(names)}")
        text = _DEFINED.sub(lambda name: names[name[1]], text)
        return _USED.sub(lambda use: f"{use[1]}{names.get(use[2], use[2])}", text)


@dataclass(frozen=True)
class Section:
    """A question and its answer: `lead` is the sentence its page opens with, and `further` ones
    follow. `foot` are sentences a reader must know, `documents` what the command line says of the
    same request, by name. `of` is the declared finding that it is about. One that is `brief` has
    its pictures and tables folded.
    """

    title: str
    lead: str
    pictures: Sequence[ReportPicture] = ()
    tables: Sequence[ReportTable] = ()
    foot: Sequence[str] = ()
    signatures: Sequence[str] = ()
    documents: Mapping[str, Any] | None = None
    of: str = ""
    further: list[str] = field(default_factory=list)
    chapter: str = ""
    is_brief: bool = False

    @property
    def visible_parts(self) -> tuple[Sequence[ReportPicture], Sequence[ReportTable]]:
        """The pictures and the table that are seen at once: the first, unless it repeats a picture
        in many rows.
        """
        if self.is_brief:
            return (), ()
        first = self.tables[:1]
        repeats = self.pictures and any(len(one.grid.rows) > MOST_OPEN for one in first)
        return self.pictures, () if repeats else first

    @property
    def hidden_parts(self) -> tuple[Sequence[ReportPicture], Sequence[ReportTable], str]:
        """The pictures and tables that are seen on demand, and how many: "1 picture, 2 notes"."""
        seen_pictures, seen_tables = self.visible_parts
        pictures, tables = self.pictures[len(seen_pictures) :], self.tables[len(seen_tables) :]
        parts = {"picture": pictures, "table": tables, "note": self.foot}
        count = ", ".join(pluralize(len(of), noun) for noun, of in parts.items() if of)
        return pictures, tables, count


def build_section(
    of: str,
    result: Finding,
    tables: Sequence[ReportTable],
    *,
    name: str = "",
    title: str = "",
    drawn: str = "",
    **words: Any,
) -> Section:
    """The section of a declared finding. Its document has its own name or this `name`, and its
    picture is kept as `drawn`, if that is given. `words` are further fields of the section.
    """
    declared = FINDINGS[of]
    lead = declared.describe_lead(result)
    return Section(
        title or declared.title,
        lead,
        [ReportPicture(drawn, caption_picture(result))] if drawn else [],
        [one for one in tables if len(one.frame)],
        [*(note for note in result.notes if note not in lead), result.describe_basis()],
        [result.signature],
        {name or of: result.document()},
        of,
        **words,
    )


def build_sections(makers: Iterable[Callable[[], Section]]) -> Iterator[Section]:
    """Each section that can be made. Raises TandemError, after all others, with why some cannot."""
    failed = dict[str, None]()
    for make in makers:
        try:
            yield make()
        except FaultError:
            raise
        except TandemError as error:
            failed[error.sentence] = None
    if failed:
        raise TandemError("; ".join(failed))
