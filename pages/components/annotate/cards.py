"""Cards around a pair that wait for a press: consent, instructions, a new question, feedback."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from html import escape
from pathlib import Path

import streamlit as st

from core import campaigns
from core.campaigns import Design, Feedback, Presentation, Progress
from core.labels import OUTCOMES
from core.records import Outcome
from core.store import Campaign
from pages.components.annotate.annotator import reopen_for
from pages.components.annotate.script import listen
from pages.components.shared.faults import PROBLEM, action, show_problem
from pages.components.shared.frame import Study
from pages.components.shared.notice import notice, show_caption
from pages.components.shared.texts import show_pair

AS_WRITTEN = "as written"  # whether somebody wants texts as they are written
NEVER = "If you do not agree, close this page. Nothing about you is recorded then."
LATER = "If you do not agree, close this page. Your earlier answers stay, and no more are recorded."
RIGHT = {
    Outcome.A: "Here A is better",
    Outcome.B: "Here B is better",
    Outcome.TIE: "Here neither is better",
}


def show_consent(study: Study, campaign: Campaign, annotator: str) -> None:
    """Ask for consent before the first pair, and again when its text has changed."""
    text = Design.from_stored(campaign.design).consent
    agreed = campaigns.agreed_at(study.store, campaign, annotator)
    again = "The text has changed. Do you still agree to take part?"
    st.title(again if agreed else "Do you agree to take part?", anchor=False)
    with st.container(width=720):
        show_problem()
        if agreed:
            day = datetime.fromisoformat(agreed).astimezone()
            show_caption(f"You agreed to another wording on {day.day} {day:%B %Y}.")
        st.markdown(text)
        show_caption(LATER if agreed else NEVER)
        _go_on("I agree", "consent", _agree, study.store.path, campaign.id, annotator, text)
    listen()


@action
def _agree(path: Path, campaign: int, annotator: str, text: str) -> None:
    with reopen_for(annotator, path) as store:
        if not campaigns.consent(store, store.campaigns.get(campaign), annotator, text):
            st.session_state[PROBLEM] = "The text has just changed. Please read it again."


def must_be_briefed(design: Design, campaign: Campaign, progress: Progress) -> bool:
    """Check whether a new annotator has yet to see the campaign's instructions."""
    new = not (progress.n_given or progress.trained)
    return bool(design.instructions) and new and not st.session_state.get(f"briefed-{campaign.id}")


def show_instructions(design: Design, campaign: Campaign, progress: Progress) -> None:
    """Show the researcher's instructions before the first pair."""
    st.title("What to do", anchor=False)
    with st.container(width=720):
        st.markdown(design.instructions)
        if progress.training:
            show_caption(f"You begin with {progress.training} for practice, and see what is right.")
        if design.deadline:
            show_caption(f"You can answer until {design.deadline} is over everywhere on Earth.")
        _go_on("Start", "briefing", _note, f"briefed-{campaign.id}", True)
    listen()


def question_changes(shown: Presentation) -> bool:
    """Check whether the question differs from the one before and that was not announced yet.

    After an undo there is nothing to announce.
    """
    before = st.session_state.setdefault("attribute", shown.attribute)
    if st.session_state.get("taken back"):
        st.session_state["attribute"] = before = shown.attribute
    return bool(before != shown.attribute)


def show_change(shown: Presentation) -> None:
    """Announce a new question on a card of its own, so that nobody overlooks it."""
    voice = f"The question changes. From now on: {shown.question}"
    with st.container(width=720, key="tandem-card"):
        st.html(
            '<p class="tandem-lead">The question changes. From now on:</p>'
            f'<h1 class="tandem-question" data-key="change-{shown.key}" '
            f'data-voice="{escape(voice)}">{escape(shown.question)}</h1>'
        )
        if shown.guideline:
            st.html(f'<p class="tandem-guideline">{escape(shown.guideline)}</p>')
        _go_on("Continue", shown.key, _note, "attribute", shown.attribute)
    listen()


def show_feedback(shown: Presentation, feedback: Feedback) -> None:
    """Show a pair that was answered, with feedback on the answer."""
    st.html(
        f'<h1 class="tandem-question" data-key="told-{shown.key}" '
        f'data-voice="{escape(_describe_feedback(feedback))}">{escape(shown.question)}</h1>'
    )
    show_pair(shown, as_written=st.session_state.get(AS_WRITTEN, False))
    with st.bottom:
        notice(_describe_feedback(feedback), kind="good" if feedback.passed else "problem")
        with st.container(width=220):
            _go_on("Continue", f"told-{shown.key}", _note, "feedback", None)
    listen()


def _describe_feedback(feedback: Feedback) -> str:
    if feedback.expected is None:
        said = "This was a check, and the answer was not the expected one. Please read both texts."
    else:
        right = RIGHT.get(feedback.expected, f"Here it is {OUTCOMES[feedback.expected]}")
        said = f"{'Right' if feedback.passed else 'Not quite'}. {right}."
    return f"{said} {feedback.text}".strip()


def _go_on(label: str, key: str, act: Callable[..., None], *arguments: object) -> None:
    """Show a button with the focus, so that Enter and the space bar press it."""
    st.button(label, key=f"go-on-{key}", type="primary", on_click=act, args=arguments)


def _note(name: str, value: object) -> None:
    st.session_state[name] = value


@st.dialog("Guidelines", width="medium")
def show_guidelines(design: Design, shown: Presentation) -> None:
    """Show the instructions of the campaign and data set, and the guideline of this question."""
    if design.instructions:
        st.markdown(design.instructions)
    parts = [("", shown.instructions), (shown.attribute, shown.guideline or shown.question)]
    for head, text in parts:
        if text:
            title = f"<h2>{escape(head)}</h2>" if head else ""
            st.html(f'{title}<p style="white-space:pre-wrap;line-height:1.55">{escape(text)}</p>')


MOST = 3


def messages(study: Study, campaign: Campaign, annotator: str) -> str:
    """Return the latest messages to this person, as HTML.

    panels.js hides those that were dismissed in this browser.
    """
    store = study.store
    sent = store.messages.for_annotator(campaign.id, store.judges.id_of(annotator))
    return "".join(
        f'<div class="tandem-message" data-message="{store.campaigns.seal("message", message.id)}" '
        f'hidden><span dir="auto">{escape(message.text)}</span>'
        '<button type="button" data-dismiss>Got it</button></div>'
        for message in sent[:MOST]
    )
