"""The bar of answers, which never leaves the screen: what a click does, and undo.

A click counts once. The buttons' keys name the question shown, so the second click of a double
click finds them gone. The store takes one live answer a comparison. A click within TOO_QUICK of the
pair appearing, or of another such click, does not count: nobody has read the texts. keys.js keeps
stray keys back in the browser.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import astuple
from html import escape
from typing import Literal

import streamlit as st

from core import campaigns
from core.campaigns import Design, Presentation, TakenAnswer
from core.records import Answer, FaultError, TextFormat
from core.store import Campaign
from pages.components.annotate.annotator import reopen_for
from pages.components.annotate.answers import CONFIDENCE, SKIP, Offer, label_answer, places
from pages.components.shared.drawing_turns import drawing_turns
from pages.components.shared.frame import Study
from pages.components.shared.notice import keep_problem, sentence, show_problem

Act = Callable[..., None]

ANSWERED = "answered"  # the key of the question whose answer was saved last
GIVEN_HERE = "given here"
"""The rows of answers that were given in this tab, each with whether it is a check's."""
TOO_QUICK = 0.3  # seconds
BREAK_AFTER = 25 * 60.0
MARKS = "\\`*_{}[]()<>#+-.!|~$:&"  # what means something in markdown
WIDTHS = {4: [2, 1.2, 2, 1.4], 6: [1.75, 1.9, 1, 1.9, 1.75, 1.2]}  # of the answers' places


def show_bar(
    study: Study,
    campaign: Campaign,
    annotator: str,
    shown: Presentation,
    text_format: TextFormat,
    latest: TakenAnswer | None,
) -> None:
    """Show the answers that the campaign offers, the remarks, and what was saved."""
    design = Design.from_stored(campaign.design)
    show_problem()
    offers = places(design)
    undo, *choices, skip = st.columns([1.1, *WIDTHS[len(offers)], 1.1])
    with undo:
        undo_button("Undo", study, campaign, annotator, latest)
    for column, offer in zip([*choices, skip], [*offers, SKIP], strict=True):
        if offer:
            with column:
                key, quiet = f"{offer.name}-{shown.key}", offer is SKIP
                said = annotator, shown, offer, text_format
                _press(offer.label, key, _vote, said, quiet=quiet)
    _show_remarks(design, shown.key)
    if _due_for_a_break():
        st.toast("You have been annotating for 25 minutes. Time for a short break?")


def _show_remarks(design: Design, key: str) -> None:
    if design.reasons:
        with st.container(horizontal=True, vertical_alignment="center", key="tandem-reasons"):
            st.html('<div class="tandem-small">Why?</div>', width="content")
            st.pills(
                "Why?",
                design.reasons,
                format_func=as_label,
                selection_mode="multi",
                key=f"why-{key}",
                label_visibility="collapsed",
            )
    label, sure, comment, saved = st.columns([0.9, 1.8, 4, 2.4], vertical_alignment="center")
    if design.confidence:
        label.html('<div class="tandem-small tandem-sure-label">How sure?</div>')
        sure.pills("How sure?", list(CONFIDENCE), key=f"sure-{key}", label_visibility="collapsed")
    if design.comment:
        comment.text_input(
            "Comment",
            key=f"comment-{key}",
            placeholder="Comment (optional)",
            label_visibility="collapsed",
            max_chars=2000,
        )
    last = st.session_state.get("last answer")
    text = f"{last} · saved" if last else ""
    saved.html(f'<div class="tandem-small tandem-saved" role="status">{escape(text)}</div>')


def as_label(text: str) -> str:
    """Escape words for the label of a widget, which is Markdown."""
    return "".join(f"\\{sign}" if sign in MARKS else sign for sign in text)


def _press(
    label: str, key: str, act: Act, arguments: tuple[object, ...], *, quiet: bool = False
) -> None:
    """Show a button that acts before anything is drawn.

    It also acts if the server has restarted since it was drawn, so that this session never saw it.
    """
    look: Literal["tertiary", "secondary"] = "tertiary" if quiet else "secondary"
    pressed = st.button(
        label,
        key=key,
        type=look,
        width="stretch",
        on_click=_run_action,
        args=(key, act, *arguments),
    )
    if pressed and st.session_state.get("acted") != key:
        # It had been there for longer than this session knows.
        st.session_state.pop("on screen", None)
        _run_action(key, act, *arguments)
        st.rerun()


def _run_action(key: str, act: Act, *arguments: object) -> None:
    st.session_state["acted"] = key
    try:
        with drawing_turns().vote():
            act(*arguments)
    except Exception as error:
        st.session_state.pop("last answer", None)
        again = " Then press again." if isinstance(error, FaultError) else ""
        keep_problem(error, f"Not saved: {sentence(error).removesuffix('.')}.{again}")


def undo_button(
    label: str, study: Study, campaign: Campaign, annotator: str, latest: TakenAnswer | None
) -> None:
    """Show a button that takes back the annotator's latest answer, also of an earlier session."""
    if latest is None:
        st.button(label, key="undo-nothing", type="tertiary", width="stretch", disabled=True)
        return
    _press(
        label,
        f"undo-{study.store.campaigns.seal('undo', *astuple(latest))}",
        _undo,
        (campaign.id, annotator, latest),
        quiet=True,
    )


def _vote(annotator: str, shown: Presentation, offer: Offer, text_format: TextFormat) -> None:
    key, since = st.session_state.get("on screen", ("", 0.0))
    seconds = time.monotonic() - since
    if key == shown.key and seconds < TOO_QUICK:
        st.session_state["on screen"] = (key, time.monotonic())
        st.session_state["said"] = "Too quick to have read it: not counted. Press again."
        return
    said = st.session_state
    if said.get(ANSWERED) == shown.key:  # the next question was not to be had
        said["said"] = "Too quick to count. Your previous answer is saved; Undo takes it back."
        return
    sure, why = said.get(f"sure-{shown.key}"), said.get(f"why-{shown.key}") or []
    answer = Answer(
        outcome=offer.outcome,
        failure="" if offer.outcome else campaigns.SKIPPED,
        strength=offer.strength,
        confidence=CONFIDENCE.get(sure) if sure else None,
        reasons=tuple(why),
        comment=str(said.get(f"comment-{shown.key}") or "").strip(),
        seconds=round(seconds, 3) if key == shown.key else None,
        text_format=text_format,
    )
    with reopen_for(annotator) as store:
        taken = campaigns.answer(store, annotator, shown, answer)
    if taken is None:
        said["said"] = "Not counted: that question was out of date."
        return
    note_given(taken.row, is_check=taken.check)
    said["last answer"], said[ANSWERED] = offer.saved_text, shown.key
    if taken.feedback:
        said["feedback"] = shown, taken.feedback


def note_given(row: int, *, is_check: bool = False) -> None:
    """Remember that an answer was given in this tab."""
    st.session_state.setdefault(GIVEN_HERE, set()).add((row, is_check))


def is_given_here(row: int, *, is_check: bool = False) -> bool:
    """Check whether an answer was given in this tab.

    Somebody who invents a participant's id has another tab, so they see none of that participant's
    answers.
    """
    return (row, is_check) in st.session_state.get(GIVEN_HERE, ())


def _undo(campaign: int, annotator: str, taken: TakenAnswer) -> None:
    """Take back the answer that this click was about, if it is still the latest.

    While an answer is on its way, the screen may still have the button of the one before. A click
    takes back the latest answer or nothing.
    """
    quick = time.monotonic() - st.session_state.get("undone", 0.0) < TOO_QUICK
    with reopen_for(annotator) as store:
        latest = campaigns.progress(store, store.campaigns.get(campaign), annotator).latest
        undone = campaigns.undo(store, annotator, taken) if latest == taken and not quick else None
    st.session_state.pop("last answer", None)
    st.session_state["undone"] = time.monotonic()
    st.session_state["taken back"] = undone
    if undone:
        said = f"Undone: you had answered “{label_answer(undone)}”. Answer again."
    else:
        said = f"{'Too quick' if quick else 'Out of date'}: nothing undone. Press again."
    st.session_state["said"] = said


def _due_for_a_break() -> bool:
    began = st.session_state.setdefault("at it since", time.monotonic())
    if time.monotonic() - began < BREAK_AFTER:
        return False
    st.session_state["at it since"] = time.monotonic()
    return True
