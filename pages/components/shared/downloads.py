"""Files to download: made when they are clicked, for whoever may still have them then, without the
names of the people who annotate here unless they are wanted, and written down in the audit log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import altair as alt
import pandas as pd
import streamlit as st

from core.access import Claim, admit
from core.analysis.export import for_spreadsheets
from core.analysis.judgements import joined
from core.analysis.pseudonyms import hide, hide_in, names_in, record
from core.charts import picture
from core.records import Role
from core.store import Store
from pages.components.shared.stores import opened_path
from pages.components.shared.visitor import claim

NAMES = "Names of people"
NAMES_HELP = (
    "Otherwise everybody who annotates here is called person-1, person-2 and so on in the files, "
    "always the same. The log on the page People says who took names along."
)


@dataclass(frozen=True)
class Taker:
    """Who downloads, from which store, with names or without."""

    path: Path
    claim: Claim
    names: bool

    @contextmanager
    def admitted(self) -> Iterator[tuple[Store, str]]:
        """The store, and who they are in the log. Called later than the page is drawn, and in
        another thread: whoever may not have the file any more is refused.
        """
        with Store(self.path, create=False) as store:
            yield store, admit(store, self.claim, Role.RESEARCHER).who

    def table(self, file: str, subject: str, table: pd.DataFrame) -> str:
        return for_spreadsheets(hide(table, self._recorded(file, subject)))

    def picture(self, file: str, subject: str, chart: alt.LayerChart, form: str) -> bytes:
        pseudonyms = self._recorded(file, subject)
        if pseudonyms:
            chart = type(chart).from_dict(hide_in(chart.to_dict(), pseudonyms))
        return picture(chart, form)

    def _recorded(self, file: str, subject: str) -> Mapping[str, str]:
        """What is to stand for which names, once the log has it that they take this."""
        with self.admitted() as (store, who):
            record(store, who, file, subject, names=self.names)
            return {} if self.names else store.people.pseudonyms()


def taker(names: bool) -> Taker:
    """Whoever is in front of the page that is being drawn."""
    return Taker(opened_path(), claim(), names)


def downloads(name: str, tables: Mapping[str, pd.DataFrame], chart: alt.LayerChart | None) -> None:
    """Tables as CSV and the picture as PNG and SVG, in a row that breaks where the window is
    narrow.
    """
    with st.container(horizontal=True, vertical_alignment="center"):
        files = taker(_with_names(name, tables))
        about = str(st.session_state["dataset"])
        for what, table in tables.items():
            several = len(tables) > 1
            file = f"{name}-{what}.csv" if several else f"{name}.csv"
            label = f"CSV: {what}" if several else "CSV"
            key = f"{name}-{what}.csv"
            _button(label, file, "text/csv", partial(files.table, file, about, joined(table)), key)
        if chart is None:
            return
        for form, mime in (("png", "image/png"), ("svg", "image/svg+xml")):
            file = f"{name}.{form}"
            make = partial(files.picture, file, about, chart, form)
            _button(form.upper(), file, mime, make, file)


def _button(label: str, file: str, mime: str, make: Callable[[], str | bytes], key: str) -> None:
    st.download_button(label, make, file, mime, key=key, on_click="ignore")


def _with_names(name: str, tables: Mapping[str, pd.DataFrame]) -> bool:
    """Whether names are wanted, which is asked where there are any."""
    with Store(opened_path(), create=False) as store:
        pseudonyms = store.people.pseudonyms()
    if not any(names_in(table, pseudonyms) for table in tables.values()):
        return False
    return st.checkbox(NAMES, key=f"{name} names", help=NAMES_HELP)
