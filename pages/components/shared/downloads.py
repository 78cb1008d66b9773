"""Files to download, made when they are clicked, logged, and without annotators' names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pandas as pd
import streamlit as st

from core.access import Claim, Right, authorize
from core.exporting import for_spreadsheets, hide, hide_in, hide_in_words, names_in, record
from core.labels import file_name
from core.rendering.charts import CaptionedChart, add_caption, picture
from core.store import Store
from pages.components.shared.drawing_turns import drawing_turns
from pages.components.shared.stores import opened_path
from pages.components.shared.visitor import claim

NAMES = "Names of people"
NAMES_HELP = (
    "Otherwise everybody who annotates here is called person-1, person-2 and so on in the files, "
    "always the same. The log on the page People says who took names along."
)


@dataclass(frozen=True)
class Taker:
    """Person who downloads, the store, and whether names are included."""

    path: Path
    claim: Claim
    names: bool

    @contextmanager
    def open_store(self) -> Iterator[tuple[Store, str]]:
        """Open the store and yield it with the person's name for the log. Downloads run after the
        page is drawn, in another thread, so this raises DeniedError if access has ended since.
        """
        with Store(self.path, create=False) as store:
            yield store, authorize(store, self.claim, Right.WORK.least).audit_name

    def table(self, file: str, subject: str, table: pd.DataFrame) -> str:
        """Record the download of a table and return it as CSV that is safe in a spreadsheet."""
        return for_spreadsheets(hide(table, self._record_download(file, subject)))

    def picture(self, file: str, subject: str, drawing: CaptionedChart, form: str) -> bytes:
        """Record the download of a chart and return it as a file, with its caption.

        `form` is "png" or "svg". Names are hidden in the chart and in the caption unless they are
        wanted.
        """
        pseudonyms = self._record_download(file, subject)
        if not pseudonyms:
            return picture(drawing.draw_captioned(), form)
        chart = drawing.draw(theme="light")
        hidden = type(chart).from_dict(hide_in(chart.to_dict(), pseudonyms))
        caption = drawing.caption.map_texts(partial(hide_in_words, pseudonyms=pseudonyms))
        return picture(add_caption(hidden, caption), form)

    def take_file(self, file: str, subject: str, content: bytes) -> bytes:
        """Record the download of a file that is already made, and return it."""
        self._record_download(file, subject)
        return content

    def _record_download(self, file: str, subject: str) -> Mapping[str, str]:
        with self.open_store() as (store, who):
            record(store, who, file, subject, names=self.names)
            return {} if self.names else store.people.pseudonyms()


def taker(names: bool) -> Taker:
    """Return the person whose page is being drawn, as the one who downloads."""
    return Taker(opened_path(), claim(), names)


def downloads(name: str, tables: Mapping[str, pd.DataFrame]) -> None:
    """Offer tables as CSV, in a row that wraps in a narrow window."""
    with st.container(horizontal=True, vertical_alignment="center"):
        files = taker(with_names(name, tables.values()))
        for what, table in tables.items():
            several = len(tables) > 1
            label, of = (f"CSV: {what}", f"{name}-{what}") if several else ("CSV", name)
            _button(label, of, "csv", partial(files.table, table=table))


def picture_downloads(name: str, drawing: CaptionedChart, numbers: pd.DataFrame) -> None:
    """Offer a chart as PNG and SVG, and the numbers behind it as CSV."""
    files = taker(with_names(name, [numbers]))
    for form in ("png", "svg"):
        _button(form.upper(), name, form, partial(files.picture, drawing=drawing, form=form))
    _button("CSV", name, "csv", partial(files.table, table=numbers))


def made_downloads(name: str, made: Mapping[str, bytes], names: bool) -> None:
    """Offer files that are already made, by their form, side by side."""
    with st.container(horizontal=True):
        files = taker(names)
        for form, content in made.items():
            _button(form.upper(), name, form, partial(files.take_file, content=content))


MIMES = {
    "csv": "text/csv",
    "png": "image/png",
    "svg": "image/svg+xml",
    "html": "text/html",
    "zip": "application/zip",
}


def _button(label: str, what: str, form: str, make: Callable[[str, str], str | bytes]) -> None:
    drawing_turns().give_way()
    about = str(st.session_state["dataset"])
    file = file_name(about, what, form)
    made = partial(make, file, about)
    st.download_button(label, made, file, MIMES[form], key=f"{what}-{form}", on_click="ignore")


def with_names(name: str, tables: Iterable[pd.DataFrame]) -> bool:
    """Ask whether to include names; asked only where the tables have any."""
    with Store(opened_path(), create=False) as store:
        pseudonyms = store.people.pseudonyms()
    if not any(names_in(table, pseudonyms) for table in tables):
        return False
    return st.checkbox(NAMES, key=f"{name} names", help=NAMES_HELP)
