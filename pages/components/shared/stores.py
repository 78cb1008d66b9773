"""The store of the pages, opened by each run for visitors who have the right just then.

Others are told why they may not enter, and how they can.
"""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import Concatenate, NoReturn, ParamSpec

import streamlit as st

from core import sample_study
from core.access import Access, DeniedError, Right, Session, access_of, authorize, has_right
from core.installation import command_to_install, command_to_run, is_installed
from core.records import FaultError, TandemError
from core.store import DEFAULT_STORE, Store, faults
from pages.components.shared.cached_report import start_counting
from pages.components.shared.notice import PROBLEM, WAITED, action, notice, show_caption
from pages.components.shared.visitor import claim, let_upload, providers, remember

P = ParamSpec("P")

PATIENCE = 10.0
"""Seconds that a person waits for a store that others keep locked."""

BRIEF = 0.2
"""Seconds that the page is waited with that follows such a wait: it says what it was for."""

SWITCH = 0.0005
"""Seconds after which a thread that computes gives way. A vote asks for the interpreter after each
statement, while it keeps others from writing; Python's 5 ms are a hundred times what one takes.
"""

sys.setswitchinterval(SWITCH)

_seen = set[Path]()
"""Stores that this server has opened. If one is gone, that is a fault; it is not created again."""


@asynccontextmanager
async def prepare_store(_: st.App) -> AsyncIterator[None]:
    """Load the sample study into an empty store before the server answers.

    So the first visitor does not wait for it, nor for the process that counts. Faults of the store
    are shown on its pages.
    """
    start_counting()
    with suppress(TandemError), Store(_find_path(), patience=BRIEF) as store:
        if not store.datasets.has_had_any():
            sample_study.load(store)
    yield


def _find_path() -> Path:
    return Path(os.environ.get("TANDEM_STORE") or DEFAULT_STORE)


def open_store(right: Right = Right.WORK) -> Store:
    """Open the store of this server for a visitor who has the `right`.

    It is created only at the first look. Raises DeniedError if the visitor lacks it. Raises
    FaultError if the store is gone, and once for each person if another has replaced it.
    """
    path = _find_path()
    if path in _seen:
        return reopen(right)
    store = Store(path, patience=_patience())
    _seen.add(path)
    return _check_access(store, right)


def reopen(right: Right = Right.WORK) -> Store:
    """Open the store again, for a callback or fragment of a page. Raises as `open_store`."""
    path = _find_path()
    if not faults.has_content(path):
        what = "emptied" if faults.has_file(path) else "deleted or moved"
        raise FaultError(
            f"the store {path} was {what}: put it back, or restart Tandem to begin a new one"
        )
    try:
        store = Store(path, create=False, patience=_patience())
    except FaultError:
        raise
    except TandemError as error:  # this server has opened it before
        raise FaultError(
            f"the store {path} is no longer what it was: put it back, or restart Tandem if it was "
            "updated"
        ) from error
    return _check_access(store, right)


def store_action(
    right: Right = Right.WORK,
) -> Callable[[Callable[Concatenate[Store, P], object]], Callable[P, None]]:
    """Decorate a button's callback that changes the store. It gets the store opened again, which
    checks that the visitor still has the `right`. See `action`.
    """

    def decorate(act: Callable[Concatenate[Store, P], object]) -> Callable[P, None]:
        @action
        @wraps(act)
        def act_on_store(*arguments: P.args, **words: P.kwargs) -> None:
            with reopen(right) as store:
                act(store, *arguments, **words)

        return act_on_store

    return decorate


def _patience() -> float:
    """Return the seconds to wait for a lock: few on the page that reports a wait in vain."""
    return BRIEF if st.session_state.pop(WAITED, False) else PATIENCE


def opened_path() -> Path:
    """Return the path of the store that this session opened last."""
    path: Path = st.session_state["store path"]
    return path


def _check_access(store: Store, right: Right) -> Store:
    try:
        _recognise(store)
        try:
            admitted = authorize(store, claim(), right.least)
        except DeniedError:
            let_upload(False)
            raise
        remember(admitted)
        let_upload(has_right(admitted.role, Right.UPLOAD))
        st.session_state["store path"] = store.path
    except BaseException:
        store.close()
        raise
    return store


def _recognise(store: Store) -> None:
    identity = store.campaigns.seal("store")
    before = st.session_state.get("store", identity)
    st.session_state["store"] = identity
    if before != identity:
        raise FaultError(
            f"{store.path} was replaced by another store, and this screen belonged to the one "
            "before"
        )


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
