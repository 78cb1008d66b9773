"""Show why there is no question now, and where to go on."""

from __future__ import annotations

import time

import streamlit as st

from core.campaigns import NoQuestionReason, Progress
from core.labels import pluralize
from core.store import Campaign
from pages.components.annotate.annotator import list_other_campaigns
from pages.components.annotate.bar import undo_button
from pages.components.annotate.cards import messages
from pages.components.annotate.history import show_history
from pages.components.annotate.script import listen
from pages.components.shared.address import set_campaign
from pages.components.shared.faults import fragment, show_problem
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import notice

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
    title, text, kind = _describe_hold(study, hold, progress)
    st.title(title, anchor=False)
    show_problem()
    notice(text, kind=kind)
    if told := messages(study, campaign, annotator):
        st.html(told)
    with st.container(horizontal=True, key="tandem-ways"):
        if progress.latest and hold in UNDOABLE:
            undo_button("Undo the last answer", study, campaign, annotator, progress.latest)
        if progress.n_given and st.button("Your answers", key="history-hidden"):
            show_history(study, campaign, annotator)
        if not study.is_annotator:
            next_step_links(leaderboard="See the leaderboard")
    _lead_on(study, campaign)
    listen()
    if hold in (NoQuestionReason.WAIT, NoQuestionReason.PAUSED):
        _look_again()


def _describe_hold(
    study: Study, hold: NoQuestionReason, progress: Progress
) -> tuple[str, str, str]:
    skipped = f", and skipped {progress.skipped:,}" if progress.skipped else ""
    done = f"You answered {pluralize(progress.answered, 'question')} of {study.dataset}{skipped}."
    saved = (
        f"{done} Everything is saved." if progress.n_given else "You were not asked anything yet."
    )
    return {
        NoQuestionReason.DONE: ("All done. Thank you!", saved, "good"),
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
