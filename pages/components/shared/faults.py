"""What breaks on a page is said there in a sentence, never by the framework's error page: one
handler for what a page, a fragment and a button do.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec

import streamlit as st

from core.records import FaultError, TandemError
from pages.components.shared.notice import notice
from pages.components.shared.visitor import is_invited

P = ParamSpec("P")

AGAIN = 5.0  # seconds after which a page that could not be drawn tries again
PROBLEM = "problem"  # what is to be said of a button, once the page is drawn
WAITED = "waited"  # that a button has waited for the store, in vain
STANDING = "standing"  # what keeps the whole page from saving, and is said at its top


def sentence(error: Exception) -> str:
    """What to tell people of an error. One that nobody foresaw is also told to the server's log,
    and raised where TANDEM_TRACEBACK asks for that. Who is invited cannot mend what is at fault.
    """
    if isinstance(error, FaultError) and is_invited():
        return f"{error}. If it stays so, tell whoever invited you"
    if isinstance(error, TandemError):
        return str(error)
    if os.environ.get("TANDEM_TRACEBACK"):
        raise error
    logging.getLogger("tandem").error("a page broke", exc_info=error)
    return (
        f"Something broke here ({type(error).__name__}). What was saved is kept: reload the page. "
        "The server's log says where it broke."
    )


@contextmanager
def show_faults() -> Iterator[None]:
    """What breaks in the body becomes a sentence where the body stands. Of what can be mended
    outside, the page looks by itself whether it is.
    """
    try:
        yield
    except Exception as error:
        said = sentence(error)
        if said in st.session_state.get(PROBLEM, ""):  # a button met it, too
            show_problem()
        elif said != st.session_state.get(STANDING):
            notice(said, kind="problem")
        if isinstance(error, FaultError):
            _look_again()


def fragment(
    draw: Callable[P, None] | None = None, *, every: float | None = None
) -> Callable[P, None]:
    """A part of a page that is drawn by itself, `every` so many seconds if given."""

    def of(draw: Callable[P, None]) -> Callable[P, None]:
        @wraps(draw)
        def draw_safely(*arguments: P.args, **words: P.kwargs) -> None:
            with show_faults():
                draw(*arguments, **words)

        return st.fragment(draw_safely, run_every=every)

    return of(draw) if draw else of


def action(act: Callable[P, object]) -> Callable[P, None]:
    """What a button does before the page is drawn. What breaks is said on that page."""

    @wraps(act)
    def act_safely(*arguments: P.args, **words: P.kwargs) -> None:
        try:
            act(*arguments, **words)
        except Exception as error:
            keep_problem(error, sentence(error))

    return act_safely


def keep_problem(error: Exception, said: str) -> None:
    """What an action could not do is said once the page is drawn, which waits for nothing again."""
    st.session_state[PROBLEM] = said
    st.session_state[WAITED] = isinstance(error, FaultError)


def show_standing(fault: FaultError | None) -> None:
    """What keeps the store from being written, at the top of a page that can be read."""
    said = sentence(fault) if fault else ""
    st.session_state[STANDING] = said
    if said:
        notice(f"{said}. Until then nothing can be saved.", kind="problem")


def show_problem() -> None:
    """What an `action` could not do, once."""
    if problem := st.session_state.pop(PROBLEM, ""):
        notice(problem, kind="problem")


def _look_again() -> None:
    drawn = time.monotonic()

    @st.fragment(run_every=AGAIN)
    def rerun_when_old() -> None:
        if time.monotonic() - drawn > AGAIN / 2:
            st.rerun(scope="app")

    rerun_when_old()
