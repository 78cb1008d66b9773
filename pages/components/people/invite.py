"""Inviting people: one name or a list of them becomes links."""

from __future__ import annotations

import streamlit as st

from core import access
from core.records import Role, TandemError
from core.store import Store
from pages.components.people.members import (
    ADDRESS,
    DEED,
    keep_to_show,
    make_links,
    opened_under,
    opens_here_only,
)
from pages.components.shared.address import wanted_campaign
from pages.components.shared.frame import Study
from pages.components.shared.notice import several, small
from pages.components.shared.stores import store_action
from pages.components.shared.visitor import forwarded, providers, visit

DAYS = {"1 week": 7, "30 days": 30, "90 days": 90, "until revoked": None}
ALL = "all campaigns"
WITH_ADDRESS = "Whoever has an e-mail address after their name signs in with it, and needs no link."
LISTENS_HERE = (
    "Links to this address open on this machine only. To let others in, start the server with "
    "“./run app --server.address 0.0.0.0” and give its address here. docs/people.md says more."
)


LISTENS_ELSEWHERE = (
    "Links to this address open on this machine only. Give here the address under which others "
    "open this study, such as https://study.example.org."
)


def invite_people(study: Study) -> None:
    """Names, what they may do and for how long; then a link each."""
    st.header("Invite people", anchor=False)
    campaigns = study.store.people.campaigns()
    with st.form("invite", border=False):
        names, terms = st.columns([3, 4], gap="large")
        sign_in = bool(providers())
        names.text_area(
            "Names, one a line",
            key="invite names",
            height=188,
            placeholder="Ada\nGrace, grace@example.org" if sign_in else "Ada\nGrace",
            help=WITH_ADDRESS if sign_in else None,
        )
        with terms:
            left, right = st.columns(2)
            left.selectbox("Role", list(Role), key="invite role")
            right.selectbox("The link works for", list(DAYS), index=1, key="invite days")
            chosen = study.store.campaigns.find(study.dataset, wanted_campaign())
            options = [0, *campaigns]
            campaign = f"invite campaign {chosen.id if chosen else ''}"  # another is asked anew
            st.selectbox(
                "Campaign",
                options,
                options.index(chosen.id) if chosen and chosen.id in campaigns else 0,
                format_func=lambda row: campaigns.get(row, ALL),
                key=campaign,
            )
            address = study.store.settings.get(ADDRESS) or opened_under()
            st.text_input("Address that they open", address, key="invite address")
        st.form_submit_button(
            "Make links",
            type="primary",
            on_click=_invite,
            args=(study.store.path, study.dataset, campaign),
        )
    small(ROLES)
    if opens_here_only(address):
        here = not forwarded() and opens_here_only(opened_under())
        small(LISTENS_HERE if here else LISTENS_ELSEWHERE)


ROLES = (
    "Annotators see their pairs and nothing else. Researchers can do everything except manage "
    "people. Owners can do that, too."
)


@store_action(Role.OWNER)
def _invite(store: Store, dataset: str, campaign: str) -> None:
    emails = addresses(str(st.session_state["invite names"]))
    role = Role(st.session_state["invite role"])
    _set_address(store, str(st.session_state["invite address"]).strip())
    days = DAYS[st.session_state["invite days"]]
    terms = access.LinkTerms(role, st.session_state[campaign] or None, days)
    with store.transaction(durable=True):
        for name, email in emails.items():
            if email:
                access.people.add(store, visit().who, name, role, email)
        by_link = [name for name, email in emails.items() if not email]
        made = make_links(store, by_link, terms, dataset) if by_link or not emails else []
    keep_to_show(made)
    signing_in = len(emails) - len(made)
    if signing_in:
        st.session_state[DEED] = f"{several(signing_in, 'person')} can sign in now.", None
    st.session_state["invite names"] = ""


def addresses(text: str) -> dict[str, str]:
    """name -> e-mail address of each line, '' where it has none."""
    lines = [line.rpartition(",") if "@" in line else (line, "", "") for line in text.splitlines()]
    return {name.strip(): email.strip() for name, _, email in lines if (name + email).strip()}


def _set_address(store: Store, address: str) -> None:
    """Keep an address that is not the one this page was opened under."""
    if not address.startswith(("http://", "https://")):
        raise TandemError(f"{address!r} is no address: it begins with http:// or https://")
    if set(address) & set("?#"):
        raise TandemError(f"{address!r} holds a ? or #: give it without what follows there")
    if address.rstrip("/") != (store.settings.get(ADDRESS) or opened_under()):
        store.settings.put(ADDRESS, address.rstrip("/"))
