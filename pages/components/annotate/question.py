"""One question to an annotator: the pair, the bar of answers, progress, guidelines, undo.

A press counts once. The buttons' keys name the showing, so a second press of a double press finds
them gone; the store takes one live answer a comparison; a press within TOO_QUICK of the pair
appearing, or of another such press, is no answer to something read; and keys.js keeps stray keys
back in the browser.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import astuple
from html import escape
from pathlib import Path
from typing import Literal

import streamlit as st

from core import annotation
from core.annotation import Hold, Presentation, Progress, Taken
from core.labels import OUTCOMES
from core.records import Answer, FaultError, Outcome
from core.store import Campaign
from pages.components.annotate.annotator import campaign_of, reopen_for
from pages.components.shared.faults import PROBLEM, fragment, sentence, show_problem
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice, small
from pages.components.shared.texts import show_pair

Act = Callable[..., None]

TOO_QUICK = 0.3  # seconds
BREAK_AFTER = 25 * 60.0

KEYS = f"<script>{Path(__file__).with_name('keys.js').read_text(encoding='utf-8')}</script>"

CHOICES = {
    Outcome.A: ("A is better", "1"),
    Outcome.TIE: ("Tie", "2"),
    Outcome.B: ("B is better", "3"),
    Outcome.BOTH_BAD: ("Both bad", "4"),
}
DIFFERENCES = "Mark the words that only one of the two texts has."
CONFIDENCE = {"a little": 0.5, "clearly": 1.0}


KEYS_IN_WORDS = (
    "Keys: 1 or ← A is better · 2 or ↑ Tie · 3 or → B is better · 4 or ↓ Both bad · S Skip · "
    "Z Undo · D Differences · G Guidelines. Space and Page Down scroll the text under the pointer; "
    "where a text is longer than its place, ↑ and ↓ scroll it, too."
)


def ask(study: Study, annotator: str) -> None:
    """Show the next question of the data set to this annotator, or that they are done."""
    campaign = campaign_of(study.store, study.dataset)
    if campaign is None:
        _nothing()
        return
    shown = _present(study, campaign, annotator)
    progress = annotation.progress(study.store, campaign, annotator)
    if shown is Hold.WAIT:
        _wait(progress)
        return
    if isinstance(shown, Hold):
        _done(study, annotator, progress)
        return
    # Before it is drawn: on a busy machine the browser may have painted it, and a key be pressed,
    # before this has ended.
    if st.session_state.get("on screen", (None,))[0] != shown.key:
        st.session_state["on screen"] = (shown.key, time.time())
    _give_back(shown)
    _heading(shown, progress)
    show_pair(shown, differing=st.session_state.get("differing", False))
    with st.bottom:
        _bar(study, annotator, shown, progress)


def _present(study: Study, campaign: Campaign, annotator: str) -> Presentation | Hold:
    """The next question. While none can be reserved, as on a full disk, the one before stays."""
    mine = (campaign.id, annotator)
    shown: Presentation | Hold
    try:
        shown = annotation.present(study.store, campaign, annotator)
    except FaultError as fault:
        of, shown = st.session_state.get("question", (None, Hold.DONE))
        if of != mine:
            raise
        st.session_state.setdefault(PROBLEM, f"{fault}.")
    st.session_state["question"] = mine, shown
    return shown


def _give_back(shown: Presentation) -> None:
    """Comment and confidence of the answer that was just taken back, for this question again."""
    taken_back: Answer | None = st.session_state.pop("taken back", None)
    if taken_back is None:
        return
    st.session_state[f"comment-{shown.key}"] = taken_back.comment
    st.session_state[f"sure-{shown.key}"] = next(
        (name for name, value in CONFIDENCE.items() if value == taken_back.confidence), None
    )


def _heading(shown: Presentation, progress: Progress) -> None:
    done = progress.answered + progress.skipped
    left = f" · about {_minutes(progress.seconds_left)} left" if progress.seconds_left else ""
    said = escape(st.session_state.pop("said", ""))
    before = st.session_state.get("attribute", shown.attribute)
    st.session_state["attribute"] = shown.attribute
    changed = " tandem-changed" if before != shown.attribute else ""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.html(
            f'<div class="tandem-heading"><span>{escape(shown.dataset)} · '
            f"<b>{escape(shown.attribute)}</b></span>"
            f'<span class="tandem-said" role="status">{said}</span>'
            f"<span>{done + 1:,} of {progress.total:,}{left}</span></div>"
            '<div class="tandem-bar"><i '
            f'style="width:{100 * done / max(progress.total, 1):.2f}%"></i></div>'
            f'<h1 class="tandem-question{changed}">{escape(shown.question)}</h1>'
        )
        if st.button("Differences", shortcut="d", type="tertiary", help=DIFFERENCES):
            st.session_state["differing"] = not st.session_state.get("differing", False)
            st.rerun()
        if st.button("Guidelines", shortcut="g", type="tertiary"):
            _guidelines(shown)


@st.dialog("Guidelines", width="medium")
def _guidelines(shown: Presentation) -> None:
    parts = [("", shown.instructions), (shown.attribute, shown.guideline or shown.question)]
    for head, text in parts:
        if text:
            title = f"<h4>{escape(head)}</h4>" if head else ""
            st.html(f'{title}<p style="white-space:pre-wrap;line-height:1.55">{escape(text)}</p>')
    small(KEYS_IN_WORDS)


def _bar(study: Study, annotator: str, shown: Presentation, progress: Progress) -> None:
    last = st.session_state.get("last answer")
    show_problem()
    undo, *choices, skip = st.columns([1.1, 2, 1.2, 2, 1.4, 1.1])
    path = study.store.path
    with undo:
        _undo_button("Undo", study, annotator, progress.latest)
    for column, (outcome, (label, key)) in zip(choices, CHOICES.items(), strict=True):
        with column:
            _press(
                label,
                f"vote-{outcome.value}-{shown.key}",
                key,
                _vote,
                (path, annotator, shown, outcome),
            )
    with skip:
        _press(
            "Skip", f"vote-skip-{shown.key}", "s", _vote, (path, annotator, shown, None), quiet=True
        )
    label, sure, comment, saved = st.columns([0.9, 1.8, 4, 2.4], vertical_alignment="center")
    sure_label = '<div class="tandem-small tandem-sure-label">How sure?</div>'
    label.html(sure_label + KEYS, unsafe_allow_javascript=True)
    sure.pills("How sure?", list(CONFIDENCE), key=f"sure-{shown.key}", label_visibility="collapsed")
    comment.text_input(
        "Comment",
        key=f"comment-{shown.key}",
        placeholder="Comment (optional)",
        label_visibility="collapsed",
        max_chars=2000,
    )
    text = f"{last} · saved" if last else ""
    saved.html(f'<div class="tandem-small tandem-saved" role="status">{escape(text)}</div>')
    if _due_for_a_break():
        st.toast("You have been annotating for 25 minutes. Time for a short break?")


def _press(
    label: str,
    key: str,
    shortcut: str,
    act: Act,
    arguments: tuple[object, ...],
    *,
    quiet: bool = False,
) -> None:
    """A button that acts before anything is drawn; also when the server was restarted since it was
    drawn, and the session that hears of the press has never seen it.
    """
    look: Literal["tertiary", "secondary"] = "tertiary" if quiet else "secondary"
    pressed = st.button(
        label,
        key=key,
        shortcut=shortcut,
        type=look,
        width="stretch",
        on_click=_acted,
        args=(key, act, *arguments),
    )
    if pressed and st.session_state.get("acted") != key:
        # It had been there for longer than this session knows.
        st.session_state.pop("on screen", None)
        _acted(key, act, *arguments)
        st.rerun()


def _acted(key: str, act: Act, *arguments: object) -> None:
    st.session_state["acted"] = key
    try:
        act(*arguments)
    except Exception as error:
        st.session_state.pop("last answer", None)
        st.session_state[PROBLEM] = f"Not saved: {sentence(error)}. Then press again."


def _undo_button(label: str, study: Study, annotator: str, latest: Taken | None) -> None:
    """Takes back the annotator's latest answer, of this session or an earlier one."""
    if latest is None:
        st.button(label, key="undo-nothing", type="tertiary", width="stretch", disabled=True)
        return
    _press(
        label,
        f"undo-{study.store.campaigns.seal('undo', *astuple(latest))}",
        "z",
        _undo,
        (study.store.path, study.dataset, annotator, latest),
        quiet=True,
    )


def _vote(path: Path, annotator: str, shown: Presentation, outcome: Outcome | None) -> None:
    """Store a press, before anything else is drawn. No outcome is a skip."""
    key, since = st.session_state.get("on screen", ("", 0.0))
    seconds = time.time() - since
    if key == shown.key and seconds < TOO_QUICK:
        st.session_state["on screen"] = (key, time.time())
        st.session_state["said"] = "Too quick to have read it: not counted. Press again."
        return
    sure = st.session_state.get(f"sure-{shown.key}")
    answer = Answer(
        outcome=outcome,
        failure="" if outcome else annotation.SKIPPED,
        confidence=CONFIDENCE.get(sure) if sure else None,
        comment=str(st.session_state.get(f"comment-{shown.key}") or "").strip(),
        seconds=round(seconds, 3) if key == shown.key else None,
    )
    with reopen_for(annotator, path) as store:
        stored = annotation.answer(store, annotator, shown, answer)
    if stored is None:
        st.session_state["said"] = "Not counted: that question was out of date."
    else:
        st.session_state["last answer"] = OUTCOMES[outcome].capitalize() if outcome else "Skipped"


def _undo(path: Path, dataset: str, annotator: str, taken: Taken) -> None:
    """Take back the answer that this press was about, if it still is the latest. While an answer is
    on its way, the button of the one before may still be on the screen, or both: one press takes
    back the latest answer or nothing.
    """
    quick = time.time() - st.session_state.get("undone", 0.0) < TOO_QUICK
    with reopen_for(annotator, path) as store:
        campaign = campaign_of(store, dataset)
        latest = campaign and annotation.progress(store, campaign, annotator).latest
        undone = annotation.undo(store, annotator, taken) if latest == taken and not quick else None
    st.session_state.pop("last answer", None)
    st.session_state["undone"] = time.time()
    st.session_state["taken back"] = undone
    st.session_state["said"] = (
        f"Undone: you had answered “{_words(undone)}”. Answer again."
        if undone
        else "Too quick: nothing undone. Press Z again."
    )


def _words(answer: Answer) -> str:
    return CHOICES[answer.outcome][0] if answer.outcome else "Skip"


def _due_for_a_break() -> bool:
    began = st.session_state.setdefault("at it since", time.time())
    if time.time() - began < BREAK_AFTER:
        return False
    st.session_state["at it since"] = time.time()
    return True


@fragment(every=10.0)
def _wait(progress: Progress) -> None:
    """What is left is on others' screens: it is free again when they have answered, or in a quarter
    of an hour.
    """
    if st.session_state.setdefault("waiting since", time.time()) + 9 < time.time():
        del st.session_state["waiting since"]
        st.rerun()
    st.title("Nearly there", anchor=False)
    notice(
        f"Other people are answering the last {_questions(progress.left)}. This page updates by "
        "itself."
    )


def _nothing() -> None:
    st.title("Nothing to annotate here", anchor=False)
    notice(
        "No item in this data set has texts by two systems. Choose another data set, or import "
        "texts."
    )


def _done(study: Study, annotator: str, progress: Progress) -> None:
    st.title("All done. Thank you!", anchor=False)
    skipped = f", and skipped {progress.skipped:,}" if progress.skipped else ""
    notice(
        f"You answered {_questions(progress.answered)} of {study.dataset}{skipped}. Everything "
        "is saved.",
        kind="good",
    )
    if not study.invited and len(study.store.datasets.names()) > 1:
        small("To continue, choose another data set in the menu.")
    with st.container(width=220):
        _undo_button("Undo the last answer", study, annotator, progress.latest)
    if not study.invited:
        st.page_link(
            "pages/leaderboard.py",
            label="See the leaderboard",
            query_params={"dataset": study.dataset},
        )


def _questions(count: int) -> str:
    """A number of questions in words."""
    return "1 question" if count == 1 else f"{count:,} questions"


def _minutes(seconds: float) -> str:
    return f"{max(1, round(seconds / 60))} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
