"""Cards around a pair or in its place: consent, instructions, feedback, and why none is asked."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from html import escape

import streamlit as st

from core import campaigns
from core.campaigns import Design, Feedback, NoQuestionReason, Presentation, Progress
from core.labels import OUTCOMES, pluralize
from core.records import Outcome
from core.store import Campaign
from pages.components.annotate.annotator import list_other_campaigns, reopen_for
from pages.components.annotate.answers import listen
from pages.components.annotate.bar import undo_button
from pages.components.annotate.history import show_history
from pages.components.shared.address import set_campaign
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import (
    PROBLEM,
    action,
    fragment,
    notice,
    show_caption,
    show_problem,
)
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
        _go_on("I agree", "consent", _agree, campaign.id, annotator, text)
    listen()


@action
def _agree(campaign: int, annotator: str, text: str) -> None:
    with reopen_for(annotator) as store:
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


AGAIN = 10.0  # seconds after which a page that waits looks again
UNDOABLE = (NoQuestionReason.DONE, NoQuestionReason.QUOTA)


def show_nothing(study: Study) -> None:
    """Say why a data set has nothing to annotate."""
    st.title("Nothing to annotate here", anchor=False)
    if study.store.texts.lacks_texts(study.dataset):
        why = "This data set holds votes without their texts, so there is nothing to read."
    else:
        why = "No item in this data set has texts by two systems."
    notice(f"{why} Choose another data set, or import texts.")
    next_step_links(data="Import texts")


def show_hold(
    study: Study, campaign: Campaign, annotator: str, hold: NoQuestionReason, progress: Progress
) -> None:
    """Show why this person is asked nothing now, what they did, and what they can do next."""
    title, text, kind = _describe_hold(hold, progress)
    st.title(title, anchor=False)
    show_problem()
    notice(text, kind=kind)
    if told := messages(study, campaign, annotator):
        st.html(told)
    with st.container(horizontal=True, vertical_alignment="center", key="tandem-ways"):
        if progress.latest and hold in UNDOABLE:
            with st.container(width="content"):
                undo_button("Undo the last answer", study, campaign, annotator, progress.latest)
        if progress.n_given and st.button("Your answers", key="history-hidden"):
            show_history(study, campaign, annotator)
        if not study.is_annotator:
            next_step_links(leaderboard="See the leaderboard")
    _lead_on(study, campaign)
    listen()
    if hold in (NoQuestionReason.WAIT, NoQuestionReason.PAUSED):
        _look_again()


def _describe_hold(hold: NoQuestionReason, progress: Progress) -> tuple[str, str, str]:
    skipped = f", and skipped {progress.skipped:,}" if progress.skipped else ""
    done = f"You answered {pluralize(progress.answered, 'question')}{skipped}."
    saved = (
        f"{done} Everything is saved." if progress.n_given else "You were not asked anything yet."
    )
    return {
        NoQuestionReason.DONE: (
            "All done. Thank you!",
            saved if progress.n_given else "Others have answered every question.",
            "good",
        ),
        NoQuestionReason.QUOTA: ("You have done your share. Thank you!", saved, "good"),
        NoQuestionReason.CLOSED: ("This campaign is closed. Thank you!", saved, "good"),
        NoQuestionReason.OVER: ("This campaign is over. Thank you!", saved, "good"),
        NoQuestionReason.PAUSED: (
            "This campaign is paused",
            f"{saved} This page goes on by itself when the campaign does.",
            "quiet",
        ),
        NoQuestionReason.STOPPED: (
            "Please stop here",
            "More of your answers differ from the known ones than this campaign allows. Ask "
            f"the people who invited you what to do. {saved}",
            "problem",
        ),
        NoQuestionReason.WAIT: (
            "Nearly there",
            f"Other people are answering the last {pluralize(progress.n_left, 'question')}. "
            "This page updates by itself.",
            "quiet",
        ),
    }[hold]


def _lead_on(study: Study, campaign: Campaign) -> None:
    """Offer other campaigns to annotate. Their names are in a list, which shows them unescaped."""
    there = list_other_campaigns(study, campaign)
    if not there:
        return
    with st.container(width=460, horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox("Annotate something else", there, format_func=" · ".join)
        st.button("Go on", type="primary", on_click=set_campaign, args=chosen[::-1])


@fragment(every=AGAIN)
def _look_again() -> None:
    """Rerun the page after a while, since pairs become free and pauses end."""
    if (
        st.session_state.setdefault("waiting since", time.monotonic()) + AGAIN - 1
        < time.monotonic()
    ):
        del st.session_state["waiting since"]
        st.rerun()
