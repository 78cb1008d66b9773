"""Sentences to the visitor, escaped and isolated; also what takes the place of an error page."""

from __future__ import annotations

import logging
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from html import escape
from typing import Literal, ParamSpec

import streamlit as st

from core.labels import isolate_directions, shorten_judges
from core.records import FaultError, TandemError
from pages.components.shared.drawing_turns import drawing_turns
from pages.components.shared.visitor import is_invited

FIRST_WORD = re.compile("[a-z]+,? [a-z]", re.ASCII)


def notice(text: str, *, kind: Literal["quiet", "problem", "good"] = "quiet") -> None:
    """Show a sentence set apart; `problem` asks for attention, `good` confirms."""
    role = ' role="alert"' if kind == "problem" else ""
    text = capitalise_reason(text) if kind == "problem" else text
    st.html(
        f'<div class="tandem-notice tandem-{kind}"{role}>{escape(isolate_directions(text))}</div>'
    )


def show_done(key: str) -> None:
    """Show once what was done, as an action kept it under this key of the session."""
    if done := st.session_state.pop(key, ""):
        notice(done, kind="good")


def capitalise_reason(text: str) -> str:
    """Write a reason as a sentence, with a capital first letter. Paths and file names stay."""
    return text[:1].upper() + text[1:] if FIRST_WORD.match(text) else text


def show_headline(text: str) -> None:
    """Show the sentence that a research page opens with: what the data say."""
    st.html(f'<p class="tandem-lead">{escape(isolate_directions(shorten_judges(text)))}</p>')


def show_findings(sentences: Sequence[str]) -> None:
    """Show findings: the first sentence in large type, the others below it."""
    first, *others = sentences
    show_headline(first)
    if others:
        show_caption(" ".join(others))


def show_caption(text: str) -> None:
    """Show a quiet line, such as a note under a figure."""
    drawing_turns().give_way()
    st.html(f'<p class="tandem-small">{escape(isolate_directions(shorten_judges(text)))}</p>')


P = ParamSpec("P")

AGAIN = 5.0  # seconds after which a page that could not be drawn tries again
PROBLEM = "problem"  # what is to be said of a button, once the page is drawn
WAITED = "waited"  # that a button has waited for the store, in vain
STANDING = "standing"  # what keeps the whole page from saving, and is said at its top


def sentence(error: Exception) -> str:
    """Return the sentence that people see for an error.

    An unforeseen error also goes to the server's log, and is raised if TANDEM_TRACEBACK is set.
    Invited annotators cannot fix faults, so the sentence sends them to the people who invited them.
    """
    if isinstance(error, FaultError) and is_invited():
        return f"{error}. If it stays so, tell the people who invited you"
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
def show_faults(refusal: Literal["quiet", "problem"] = "problem") -> Iterator[None]:
    """Show an error of the body as a sentence in its place. For faults that can be fixed outside,
    the page checks again by itself. What these data do not allow is shown as a `refusal`.
    """
    try:
        yield
    except Exception as error:
        said = sentence(error)
        if said in st.session_state.get(PROBLEM, ""):  # a button met it, too
            show_problem()
        elif said != st.session_state.get(STANDING):
            foreseen = isinstance(error, TandemError) and not isinstance(error, FaultError)
            notice(capitalise_reason(said), kind=refusal if foreseen else "problem")
        if isinstance(error, FaultError):
            _look_again()


def fragment(
    draw: Callable[P, None] | None = None, *, every: float | None = None
) -> Callable[P, None]:
    """Make a part of a page that is drawn by itself, again `every` so many seconds if given."""

    def decorate(draw: Callable[P, None]) -> Callable[P, None]:
        @wraps(draw)
        def draw_safely(*arguments: P.args, **words: P.kwargs) -> None:
            with show_faults():
                draw(*arguments, **words)

        return st.fragment(draw_safely, run_every=every)

    return decorate(draw) if draw else decorate


def action(act: Callable[P, object]) -> Callable[P, None]:
    """Wrap a button's callback, so that its errors are shown on the page drawn next."""

    @wraps(act)
    def act_safely(*arguments: P.args, **words: P.kwargs) -> None:
        try:
            act(*arguments, **words)
        except Exception as error:
            keep_problem(error, sentence(error))

    return act_safely


def keep_problem(error: Exception, said: str) -> None:
    """Keep a failed action's message for the next page, which does not wait for a fault again."""
    st.session_state[PROBLEM] = said
    st.session_state[WAITED] = isinstance(error, FaultError)


def show_standing(fault: FaultError | None) -> None:
    """Show what keeps the store from being written, at the top of a page that can still be read."""
    said = sentence(fault) if fault else ""
    st.session_state[STANDING] = said
    if said:
        notice(f"{said}. Until then nothing can be saved.", kind="problem")


def show_problem() -> None:
    """Show once what an `action` could not do."""
    if problem := st.session_state.pop(PROBLEM, ""):
        notice(problem, kind="problem")


def _look_again() -> None:
    drawn = time.monotonic()

    @st.fragment(run_every=AGAIN)
    def rerun_when_old() -> None:
        if time.monotonic() - drawn > AGAIN / 2:
            st.rerun(scope="app")

    rerun_when_old()
