"""Messages for visitors who may not enter or open a page, and the line that names the visitor."""

from __future__ import annotations

from typing import NoReturn

import streamlit as st

from core.access import Access, DeniedError, Session, access_of
from core.installation import command_to_install, command_to_run, is_installed
from core.store import Store
from pages.components.shared.faults import PROBLEM
from pages.components.shared.notice import notice, show_caption
from pages.components.shared.visitor import claim, providers

FOR_OWNERS = (
    "Is it your study? On the machine that holds the store, this prints a link that lets you in:"
)
COMMAND = command_to_run("people invite YOUR-NAME --role owner")
WIDE_OPEN = (
    "People who reach this server may see and change everything in it. Use this only behind "
    "something that checks who they are."
)


def show_forbidden(denied: DeniedError) -> NoReturn:
    """Say in one sentence why the visitor may not enter, and show the way in."""
    if st.session_state.pop(PROBLEM, ""):
        notice("Your last press was not saved.", kind="problem")
    st.title("This study is by invitation", anchor=False)
    notice(f"{denied}.")
    brought = claim()
    able = [] if brought.signed_in else providers()
    if able and not is_installed("authlib"):
        notice(f"Signing in needs Authlib: {command_to_install('auth')}.", kind="problem")
        able = []
    for provider in able:
        with_whom = f" with {provider}" if provider else ""
        if st.button(f"Sign in{with_whom}", type="primary", key=f"sign in {provider}"):
            st.login(provider or None)
    if brought.signed_in and st.button("Sign out"):
        st.logout()
    if not brought.code and not brought.signed_in:
        show_caption(FOR_OWNERS)
        st.code(COMMAND, language=None, width="content", wrap_lines=True)
    st.stop()


def warn_when_wide_open(store: Store) -> None:
    """Warn if an owner has chosen that everybody may enter."""
    if access_of(store) is Access.ANYONE:
        notice(WIDE_OPEN, kind="problem")


def show_visit(visit: Session) -> None:
    """Show the visitor's name and role, and the way out, at the foot of the menu."""
    if visit.person is None:
        return
    show_caption(f"You are {visit.name}, {visit.role}.")
    if st.user.get("is_logged_in") and st.button("Sign out", type="tertiary"):
        st.logout()
