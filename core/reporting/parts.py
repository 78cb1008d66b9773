"""The parts of a report: sections with a sentence, figures and tables, and the lines under them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from ..findings.judgements import Finding
from ..labels import capitalise
from ..records import FaultError, TandemError
from ..rendering import NONE, Column, Place, lay_out
from ..rendering.charts import Drawn, picture
from .result_pictures import draw_finding

MOST_ROWS = 60
"""Rows of a table that are read; more would be pages of them."""

_DEFINED = re.compile(r'(?<=\sid=")([^"]+)(?=")')
_USED = re.compile(r'(url\(#|href="#)([^")]+)')

Row = Mapping[str, Any]
Cell = Callable[[Row], str]
"""Writes a cell of a row."""


@dataclass(frozen=True)
class ReportTable:
    """A table, saved under a file `name`: every figure in full (`frame`), and as readers see it
    (`shown`, all texts; its columns `words` are left-aligned).
    """

    name: str
    caption: str
    frame: pd.DataFrame
    shown: pd.DataFrame
    words: tuple[str, ...]

    most = MOST_ROWS

    def head(self) -> pd.DataFrame:
        """The rows that are read; the file of the frame has all of them."""
        return self.shown.head(self.most)

    @property
    def rows(self) -> list[list[str]]:
        """The cells of these rows."""
        cells: list[list[str]] = self.head().to_numpy(dtype=object).tolist()
        return cells

    @property
    def alignment(self) -> list[str]:
        """Return "left" or "right" for each column that is shown."""
        return ["left" if str(name) in self.words else "right" for name in self.shown]


def rows_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Its rows by the names of its columns."""
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def lay_table(
    name: str, caption: str, rows: pd.DataFrame, columns: Sequence[Column]
) -> ReportTable:
    """A table of a finding, by its declared columns."""
    grid = lay_out(rows, columns, Place.PAPER)
    titles = [capitalise(heading.label) for heading in grid.headings]
    shown = pd.DataFrame(
        [[cell.text for cell in row] for row in grid.rows], columns=pd.Index(titles), dtype=object
    )
    sides = zip(titles, grid.headings, strict=True)
    words = tuple(title for title, heading in sides if not heading.is_figure)
    return ReportTable(name, caption, rows, shown, words)


@dataclass(frozen=True)
class ReportPicture:
    """A chart under a file name."""

    name: str
    chart: Drawn

    @cached_property
    def svg(self) -> str:
        """Drawn. What it defines is called after the chart: its writer counts through all that it
        has ever drawn, and two charts of a page would share names.
        """
        text = picture(self.chart, "svg").decode()
        names: dict[str, str] = {}
        for name in _DEFINED.findall(text):
            names.setdefault(name, f"{self.name}-{len(names)}")
        text = _DEFINED.sub(lambda name: names[name[1]], text)
        return _USED.sub(lambda use: f"{use[1]}{names.get(use[2], use[2])}", text)


def pictures(name: str, result: Finding) -> list[ReportPicture]:
    """The chart of a result, which says itself what it is of."""
    return [ReportPicture(name, draw_finding(result))]


@dataclass(frozen=True)
class Section:
    """A question and its answer: `lead` is the sentence its page opens with. `foot` are sentences
    a reader must know, `documents` what the command line says of the same request, by name. `of` is
    the declared finding that it is about.
    """

    title: str
    lead: str
    pictures: Sequence[ReportPicture] = ()
    tables: Sequence[ReportTable] = ()
    foot: Sequence[str] = ()
    signatures: Sequence[str] = ()
    documents: Mapping[str, Any] | None = None
    of: str = ""


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


def lay_across_attributes(
    name: str, caption: str, long: pd.DataFrame, rows: tuple[str, list[str]], cell: Cell
) -> ReportTable:
    """A row for each of some names in a column, in their order, and a column for each attribute."""
    by, order = rows
    texts = {
        (row[by], row["attribute"]): cell(row) for row in rows_of(long)
    }  # the last of two alike
    attributes = list(dict.fromkeys(long["attribute"]))
    shown = pd.DataFrame(
        {
            by.capitalize(): order,
            **{of: [texts.get((one, of), NONE) for one in order] for of in attributes},
        },
        dtype=object,
    )
    return ReportTable(name, caption, long, shown, (by.capitalize(),))
