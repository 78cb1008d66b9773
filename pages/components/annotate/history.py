"""One's own answers: looking them up, and changing one's mind until the campaign closes."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from html import escape

import streamlit as st

from core import campaigns
from core.campaigns import Design, GivenAnswer
from core.records import TextFormat
from core.store import Campaign
from pages.components.annotate.annotator import reopen_for
from pages.components.annotate.answers import Offer, label_answer, places
from pages.components.annotate.bar import is_given_here, note_given
from pages.components.shared.frame import Study
from pages.components.shared.notice import action, show_caption, show_faults, show_problem
from pages.components.shared.texts import show_texts

LATEST = 50
BEGINNING = 80  # characters of a context that tell one answer from another
OPENED = "opened answer"


@st.dialog("Your answers", width="large", on_dismiss="rerun")
def show_history(study: Study, campaign: Campaign, annotator: str) -> None:
    """Show the annotator's latest answers, the newest first, with one opened to be changed.

    The dialog is drawn by itself, so it shows errors itself, such as a link revoked in the
    meantime.
    """
    with show_faults():
        _show(study, campaign, annotator)


def _show(study: Study, campaign: Campaign, annotator: str) -> None:
    with reopen_for(annotator) as store:
        campaign = store.campaigns.get(campaign.id)
        answers = [
            given
            for given in campaigns.history(store, campaign, annotator, LATEST)
            if not study.visit.crowd or is_given_here(given.judgement)
        ]
        keys = [
            store.campaigns.seal("given", given.judgement, given.created_at) for given in answers
        ]
    show_problem()
    if not answers:
        show_caption("No answers yet. Yours will appear here.")
    elif campaign.is_closed:
        show_caption("The campaign is closed: answers can be read, but no longer changed.")
    for key, given in zip(keys, answers, strict=True):
        line, way = st.columns([6, 1], vertical_alignment="center")
        line.html(_line(given))
        opened = st.session_state.get(OPENED) == given.judgement
        way.button(
            "Close" if opened else "Open",
            key=f"look-{key}",
            type="tertiary",
            on_click=_open,
            args=(None if opened else given.judgement,),
        )
        if opened:
            _show_opened(study, campaign, annotator, key, given)
    if len(answers) == LATEST:
        show_caption(f"These are your latest {LATEST}.")


def _line(given: GivenAnswer) -> str:
    when = datetime.fromisoformat(given.created_at).astimezone().strftime("%d %b, %H:%M")
    comment = f" · “{given.answer.comment}”" if given.answer.comment else ""
    about = " ".join((given.context or given.text_a)[: 2 * BEGINNING].split())
    about = about[:BEGINNING] + "…" * (len(about) > BEGINNING)
    return (
        f'<div class="tandem-answer"><b>{escape(label_answer(given.answer))}</b> '
        f"<span>{escape(about)}</span>"
        f'<span class="tandem-small">{escape(f"{given.question} {when}{comment}")}</span></div>'
    )


def _open(judgement: int | None) -> None:
    st.session_state[OPENED] = judgement


def _show_opened(
    study: Study, campaign: Campaign, annotator: str, key: str, given: GivenAnswer
) -> None:
    texts = (given.text_a, given.text_b)
    shown = show_texts(
        given.context,
        given.context_noun,
        texts,
        text_format=given.text_format,
        narrow=True,
        folded=True,
    )
    if campaign.is_closed:
        return
    was = (given.answer.outcome, given.answer.strength)
    with st.container(horizontal=True):
        for offer in filter(None, places(Design.from_stored(campaign.design))):
            st.button(
                offer.label,
                key=f"change-{offer.name}-{key}",
                disabled=was == (offer.outcome, offer.strength),
                on_click=_change,
                args=(annotator, given, offer, shown),
            )


@action
def _change(annotator: str, given: GivenAnswer, offer: Offer, text_format: TextFormat) -> None:
    """Record another answer to the texts as they are shown now.

    The comment and the reasons stay the same.
    """
    answer = replace(
        given.answer,
        outcome=offer.outcome,
        strength=offer.strength,
        failure="",
        seconds=None,
        text_format=text_format,
    )
    with reopen_for(annotator) as store:
        changed = campaigns.change(
            store, annotator, given.judgement, answer, given_at=given.created_at
        )
    if changed:
        note_given(changed)
    st.session_state[OPENED] = changed
