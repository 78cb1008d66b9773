"""Personal links: made, and shown once with a way to copy them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlencode, urlsplit, urlunsplit

import pandas as pd
import streamlit as st

from core import access
from core.analysis.export import for_spreadsheets
from core.records import Role
from pages.components.shared.notice import notice, small
from pages.components.shared.stores import reopen
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


def make_links(path: Path, names: Sequence[str], terms: access.Terms) -> None:
    """A link for each name, to be shown once."""
    with reopen(path, Role.OWNER) as store:
        codes = access.invite(store, visit().who, names, terms)
        roles = {name: store.people.named(name) for name in codes}
        address = store.settings.get(ADDRESS) or opened_under()
    st.session_state[MADE] = [
        (name, link(address, code, annotates=person is None or person.role is Role.ANNOTATOR))
        for (name, code), person in zip(codes.items(), roles.values(), strict=True)
    ]


def link(address: str, code: str, *, annotates: bool) -> str:
    """What a person opens: annotators their pairs, others the overview."""
    page = "/annotate" if annotates else "/"
    return f"{address.rstrip('/')}{page}?{urlencode({LINK: code})}"


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
