"""The store of the pages, opened by each run for visitors who have the right just then."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec

import streamlit as st

from core import sample_study
from core.access import DeniedError, Right, authorize, has_right
from core.records import FaultError, TandemError
from core.store import DEFAULT_STORE, Store, faults
from pages.components.shared.cached_report import start_counting
from pages.components.shared.faults import WAITED, action
from pages.components.shared.gate import let_upload
from pages.components.shared.visitor import claim, remember

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
        return reopen(path, right)
    store = Store(path, patience=_patience())
    _seen.add(path)
    return _check_access(store, right)


def reopen(path: Path, right: Right = Right.WORK) -> Store:
    """Open the store of this page again, for a callback or fragment. Raises as `open_store`."""
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
) -> Callable[[Callable[Concatenate[Store, P], object]], Callable[Concatenate[Path, P], None]]:
    """Decorate a button's callback that changes the store of its page. It is called with the
    store's path and opens the store again, which checks that the visitor still has the `right`.
    See `action`.
    """

    def decorate(
        act: Callable[Concatenate[Store, P], object],
    ) -> Callable[Concatenate[Path, P], None]:
        @action
        @wraps(act)
        def act_on_store(path: Path, *arguments: P.args, **words: P.kwargs) -> None:
            with reopen(path, right) as store:
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
        _let_in(store, right)
        st.session_state["store path"] = store.path
    except BaseException:
        store.close()
        raise
    return store


def _let_in(store: Store, right: Right) -> None:
    try:
        admitted = authorize(store, claim(), right.least)
    except DeniedError:
        let_upload(False)
        raise
    remember(admitted)
    let_upload(has_right(admitted.role, Right.UPLOAD))


def _recognise(store: Store) -> None:
    identity = store.campaigns.seal("store")
    before = st.session_state.get("store", identity)
    st.session_state["store"] = identity
    if before != identity:
        raise FaultError(
            f"{store.path} was replaced by another store, and this screen belonged to the one "
            "before"
        )
