"""The people of a study and their links, and changes to both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from core import access
from core.access import Right
from core.exporting import for_spreadsheets
from core.labels import pluralize
from core.records import Role
from core.store import Store
from pages.components.shared.frame import Study, find_link_address, opens_here_only
from pages.components.shared.notice import notice, show_caption, show_headline
from pages.components.shared.stores import store_action
from pages.components.shared.visitor import current_session

MEMBER, MANY = "member", "several members"
"""The keys of whom the page shows now: a press can arrive late."""
DEED = "deed"
"""What was just done to somebody, with how to undo it."""

Deed = Callable[[Store, str], object]
"""What is done to a store by somebody."""

HELP = {
    "link": "A personal link lets one person in. It can be revoked and replaced here.",
    "last seen": "When they last opened a page by a link or sign-in (UTC), to within two minutes",
}


def show_members(study: Study) -> None:
    """Show the people of the study in a sentence and a table."""
    people = study.store.people.load_all()
    show_headline(_sentence(people))
    if not study.may(Right.PEOPLE):
        show_caption("Owners of this study invite people and change what they may do.")
    if people.empty:
        return
    shown = _tabulate_people(people)
    st.dataframe(
        shown,
        hide_index=True,
        column_config={name: st.column_config.TextColumn(help=HELP.get(name)) for name in shown},
    )


def _sentence(people: pd.DataFrame) -> str:
    here = people[people["left_at"].isna()]
    if here.empty:
        return "Nobody has been invited, and nobody has annotated yet."
    counts = here["role"].value_counts()
    kinds = [pluralize(counts[role], role.value) for role in reversed(Role) if role in counts]
    listed = f"{', '.join(kinds[:-1])} and {kinds[-1]}" if len(kinds) > 1 else kinds[0]
    gone = len(people) - len(here)
    left = f" {'One has' if gone == 1 else f'{gone:,} have'} left." if gone else ""
    return f"{listed} {'takes' if len(here) == 1 else 'take'} part.{left}"


def _tabulate_people(people: pd.DataFrame) -> pd.DataFrame:
    states = [_link_state(row) for _, row in people.iterrows()]
    return pd.DataFrame(
        {
            "person": people["person"],
            "role": people["role"].where(people["left_at"].isna(), "has left"),
            "link": states,
            "campaign": people["campaign"]
            .astype(object)
            .where(people["campaign"].notna() | people["invited_at"].isna(), "all")
            .fillna("–"),
            "last seen": [
                "–" if pd.isna(seen) else f"{_day(seen)}, {datetime.fromisoformat(seen):%H:%M}"
                for seen in people["seen_at"]
            ],
            "since": people["created_at"].map(_day),
        }
    )


def _link_state(row: pd.Series) -> str:
    if pd.isna(row["invited_at"]):
        return f"signs in as {row['email']}" if row["email"] else "none"
    if pd.notna(row["revoked_at"]):
        return "revoked"
    if pd.notna(row["expires_at"]) and row["expires_at"] <= datetime.now(UTC).isoformat():
        return f"ended {_day(row['expires_at'])}"
    opened = "in use" if pd.notna(row["used_at"]) else "not opened yet"
    return opened + (f", until {_day(row['expires_at'])}" if pd.notna(row["expires_at"]) else "")


def _day(moment: str) -> str:
    at = datetime.fromisoformat(moment)
    return f"{at.day} {at:%b %Y}"


def change_member(study: Study) -> None:
    """Show what can change for a person: role, link, access. A change can be undone."""
    people = study.store.people.load_all()
    if people.empty:
        return
    with st.expander("Change roles and links"):
        who, *actions = st.columns([3, 2, 1.6, 1.6, 1.6], vertical_alignment="bottom")
        name = who.selectbox("Person", people["person"].tolist(), key=MEMBER)
        row = people.set_index("person").loc[name]
        gone = pd.notna(row["left_at"])
        with actions[0]:
            role = Role(row["role"])
            key = f"role of {name} {role}"
            st.selectbox("Role", list(Role), index=list(Role).index(role), key=key,
                         on_change=_set_role, args=(name, role, key))  # fmt: skip
        with actions[1]:
            st.button(
                "New link", on_click=_new_link, args=(study.dataset,), disabled=gone,
                width="stretch", help="The link they have for all campaigns ends.",
            )  # fmt: skip
        ended = pd.isna(row["invited_at"]) or pd.notna(row["revoked_at"])
        with actions[2]:
            st.button(
                "Revoke links", on_click=_revoke, args=(MEMBER,), disabled=ended,
                width="stretch",
            )  # fmt: skip
        with actions[3]:
            st.button(
                "Is back" if gone else "Has left", on_click=_change_presence, args=(gone,),
                width="stretch", help="Votes stay. People who have left can do nothing any more.",
            )  # fmt: skip
        _change_many(people)
    _show_deed()


def _change_many(people: pd.DataFrame) -> None:
    people = people[people["invited_at"].notna() & people["left_at"].isna()]
    if len(people) < 2:
        return
    who, renew, end = st.columns([6, 1.6, 1.6], vertical_alignment="bottom")
    who.multiselect(
        "Several at once", people["person"].tolist(), key=MANY, placeholder="choose people"
    )
    chosen = bool(st.session_state.get(MANY))
    renew.button(
        "Renew links", on_click=_renew_many, disabled=not chosen, width="stretch",
        help="Another link for the same campaign. The one before ends.",
    )  # fmt: skip
    end.button("Revoke all", on_click=_revoke, args=(MANY,), disabled=not chosen, width="stretch")


@store_action(Right.PEOPLE)
def _renew_many(store: Store) -> None:
    st.session_state.pop(DEED, None)
    codes = access.renew(store, current_session().audit_name, st.session_state[MANY])
    links = access.write_personal_links(store, codes, find_link_address(store))
    st.session_state[MADE] = links


@store_action(Right.PEOPLE)
def _revoke(store: Store, of: str) -> None:
    who, names = current_session().audit_name, st.session_state[of]
    names = [names] if of == MEMBER else list(names)
    whose = names[0] if len(names) == 1 else f"{len(names)} people"
    with store.transaction(durable=True):
        ended = {name: access.revoke(store, who, name) for name in names}

    def undo(store: Store, who: str) -> None:
        for name, links in ended.items():
            access.restore(store, who, name, links)

    st.session_state[DEED] = f"The links of {whose} end now: their next press is not saved.", undo


def _show_deed() -> None:
    _show_links()
    deed = st.session_state.get(DEED)
    if deed is None:
        return
    sentence, undo = deed
    with st.container(horizontal=True, vertical_alignment="center"):
        notice(sentence, kind="good")
        if undo:
            st.button("Undo", type="tertiary", on_click=_undo, args=(undo,))


@store_action(Right.PEOPLE)
def _undo(store: Store, undo: Deed) -> None:
    st.session_state.pop(DEED, None)
    undo(store, current_session().audit_name)


@store_action(Right.PEOPLE)
def _set_role(store: Store, name: str, before: Role, key: str) -> None:
    role = Role(st.session_state[key])
    st.session_state.pop(DEED, None)
    access.people.set_role(store, current_session().audit_name, name, role)
    st.session_state[DEED] = (
        f"{name} is {'a' if role is Role.RESEARCHER else 'an'} {role} now.",
        partial(access.people.set_role, name=name, role=before),
    )


@store_action(Right.PEOPLE)
def _new_link(store: Store, dataset: str) -> None:
    name = str(st.session_state[MEMBER])
    st.session_state.pop(DEED, None)
    st.session_state[MADE] = make_links(store, [name], access.LinkTerms(), dataset)


@store_action(Right.PEOPLE)
def _change_presence(store: Store, is_back: bool) -> None:
    name, who = str(st.session_state[MEMBER]), current_session().audit_name
    leave, come_back = access.people.leave, access.people.come_back
    deed, undo, said = (
        (come_back, leave, f"{name} is back.")
        if is_back
        else (leave, come_back, f"{name} has left. Their votes stay.")
    )
    deed(store, who, name)
    st.session_state[DEED] = said, partial(undo, name=name)


MADE = "links made"
"""The links that were just made, shown until they are dismissed."""
MOST = 8  # links that are shown one by one; more are better read from a file


def make_links(
    store: Store, names: Sequence[str], terms: access.LinkTerms, dataset: str, **mails: Any
) -> list[access.PersonalLink]:
    """Make a link for each name. A link for all campaigns opens at this data set."""
    codes = access.invite(store, current_session().audit_name, names, terms)
    place = find_link_address(store), "" if terms.campaign else dataset
    return access.write_personal_links(store, codes, *place, **mails)


def _show_links() -> None:
    made = st.session_state.get(MADE)
    if not made:
        return
    with st.container(border=True):
        notice(
            "Copy now: these links are shown only once. Each is like a password, for its person "
            "alone.",
            kind="good",
        )
        if opens_here_only(made[0].link):
            notice(
                "These links open on this machine only. Below, under Invite people, set an "
                "address that others can open.",
                kind="problem",
            )
        for one in made[:MOST]:
            show_caption(one.person)
            st.code(one.link, language=None, wrap_lines=True)
        if made[0].text:
            st.text_area("Text for the first of them", made[0].text, height=180, disabled=True)
        if len(made) > MOST:
            show_caption(f"And {len(made) - MOST} more: download them all.")
        with st.container(horizontal=True):
            table = pd.DataFrame(made)
            for_mail_merge = for_spreadsheets(table.loc[:, (table != "").any()])
            st.download_button(
                "Download as CSV", for_mail_merge, "links.csv", "text/csv", on_click="ignore"
            )
            st.button("Done, hide them", on_click=st.session_state.pop, args=(MADE, None))
