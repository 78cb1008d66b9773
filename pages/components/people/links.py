"""Personal links: made, and shown once with a way to copy them."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode, urlsplit, urlunsplit

import pandas as pd
import streamlit as st

from core import access
from core.exporting import for_spreadsheets
from core.records import Role
from core.store import Store
from pages.components.shared.address import DATASET
from pages.components.shared.notice import notice, small
from pages.components.shared.visitor import LINK, is_loopback, visit

MADE = "links made"
ADDRESS = "address"
"""The setting that says under which address others open this study."""

MOST = 8  # links that are shown one by one; more are better read from a file


def opened_under() -> str:
    """The address under which this page was opened, without the page."""
    parts = urlsplit(st.context.url or "http://localhost:8501/")
    base = parts.path.removesuffix("/").removesuffix("people").rstrip("/")
    return urlunsplit((parts.scheme, parts.netloc, base, "", ""))


def opens_here_only(address: str) -> bool:
    """Whether only this machine can open an address."""
    return is_loopback(urlsplit(address).hostname)


def make_links(
    store: Store, names: Sequence[str], terms: access.LinkTerms, dataset: str
) -> list[tuple[str, str]]:
    """A link for each name. One for all campaigns opens at this data set."""
    at = {} if terms.campaign else {DATASET: dataset}
    codes = access.invite(store, visit().who, names, terms)
    address = store.settings.get(ADDRESS) or opened_under()
    return [
        (name, link(address, code, annotates=_annotates(store, name), **at))
        for name, code in codes.items()
    ]


def _annotates(store: Store, name: str) -> bool:
    return access.people.person_named(store, name).role is Role.ANNOTATOR


def keep_to_show(made: list[tuple[str, str]]) -> None:
    """Have links shown, in this tab, until they are put away."""
    st.session_state[MADE] = made


def link(address: str, code: str, *, annotates: bool, **at: str) -> str:
    """What a person opens: annotators their pairs, others the overview; `at` says of what."""
    page = "/annotate" if annotates else "/"
    return f"{address.rstrip('/')}{page}?{urlencode({**at, LINK: code})}"


def show_links() -> None:
    """The links that were just made, until they are put away."""
    made = st.session_state.get(MADE)
    if not made:
        return
    with st.container(border=True):
        notice(
            "Copy now: these links are shown only once. Each is like a password, for its person "
            "alone.",
            kind="good",
        )
        if opens_here_only(made[0][1]):
            notice(
                "These links open on this machine only. Below, under Invite people, set an "
                "address that others can open.",
                kind="problem",
            )
        for name, address in made[:MOST]:
            small(name)
            st.code(address, language=None, wrap_lines=True)
        if len(made) > MOST:
            small(f"And {len(made) - MOST} more: download them all.")
        with st.container(horizontal=True):
            st.download_button(
                "Download as CSV",
                for_spreadsheets(pd.DataFrame(made, columns=["person", "link"])),
                "links.csv",
                "text/csv",
                on_click="ignore",
            )
            st.button("Done, hide them", on_click=_put_away)


def _put_away() -> None:
    st.session_state.pop(MADE, None)
