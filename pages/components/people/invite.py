"""Inviting people: one name or a list of them becomes links."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core import access
from core.records import Role, TandemError
from pages.components.people.links import ADDRESS, make_links, opened_under, opens_here_only
from pages.components.shared.faults import action
from pages.components.shared.frame import Study
from pages.components.shared.notice import small
from pages.components.shared.stores import reopen

DAYS = {"1 week": 7, "30 days": 30, "90 days": 90, "until revoked": None}
ALL = "all campaigns"
LISTENS_HERE = (
    "Links to this address open on this machine only. To let others in, start the server with "
    "“./run app --server.address 0.0.0.0” and give its address here. docs/people.md says more."
)


def invite_people(study: Study) -> None:
    """Names, what they may do and for how long; then a link each."""
    st.header("Invite people", anchor=False)
    campaigns = study.store.people.campaigns()
    with st.form("invite", border=False):
        names, terms = st.columns([3, 4], gap="large")
        names.text_area(
            "Names, one a line", key="invite names", height=188, placeholder="Ada\nGrace"
        )
        with terms:
            left, right = st.columns(2)
            left.selectbox("Role", list(Role), key="invite role")
            right.selectbox("The link works for", list(DAYS), index=1, key="invite days")
            st.selectbox(
                "Campaign",
                [None, *campaigns],
                format_func=lambda row: campaigns.get(row, ALL),
                key="invite campaign",
            )
            address = study.store.settings.get(ADDRESS) or opened_under()
            st.text_input("Address that they open", address, key="invite address")
        st.form_submit_button(
            "Make links", type="primary", on_click=_invite, args=(study.store.path,)
        )
    small(ROLES)
    if opens_here_only(address):
        small(LISTENS_HERE)


ROLES = (
    "Annotators see their pairs and nothing else. Researchers see and do everything but decide "
    "about people; owners do that, too."
)


@action
def _invite(path: Path) -> None:
    names = [line.strip() for line in str(st.session_state["invite names"]).splitlines()]
    _set_address(path, str(st.session_state["invite address"]).strip())
    terms = access.Terms(
        Role(st.session_state["invite role"]),
        st.session_state["invite campaign"],
        DAYS[st.session_state["invite days"]],
    )
    make_links(path, [name for name in names if name], terms)
    st.session_state["invite names"] = ""


def _set_address(path: Path, address: str) -> None:
    """Keep an address that is not the one this page was opened under."""
    if not address.startswith(("http://", "https://")):
        raise TandemError(f"{address!r} is no address: it begins with http:// or https://")
    with reopen(path, Role.OWNER) as store:
        if address.rstrip("/") != (store.settings.get(ADDRESS) or opened_under()):
            store.settings.put(ADDRESS, address.rstrip("/"))
