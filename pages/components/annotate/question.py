"""One question to an annotator: the instruction, the two texts, and the annotator's progress."""

from __future__ import annotations

import time
from html import escape

import streamlit as st

from core import campaigns
from core.campaigns import Design, NoQuestionReason, Presentation, Progress
from core.labels import describe_duration
from core.records import Answer, FaultError, TextFormat
from core.store import Campaign
from pages.components.annotate.annotator import choose_campaign
from pages.components.annotate.answers import CONFIDENCE, actions, listen
from pages.components.annotate.bar import ANSWERED, show_bar
from pages.components.annotate.cards import (
    AS_WRITTEN,
    messages,
    must_be_briefed,
    question_changes,
    show_change,
    show_consent,
    show_feedback,
    show_guidelines,
    show_hold,
    show_instructions,
    show_nothing,
)
from pages.components.annotate.history import show_history
from pages.components.annotate.participant import keep_this_tab, show_last_step
from pages.components.shared.frame import Study
from pages.components.shared.notice import PROBLEM, sentence
from pages.components.shared.texts import show_pair

COMMENT = {"name": "comment", "label": "Comment", "key": "c"}
AS_IT_IS_WRITTEN = {"name": "written", "label": "Texts as written", "key": "m", "way": True}
# What else the keys and the menu "Aa" do. Those that are a `way` are in the menu.
MORE = [
    {"name": "differences", "label": "Mark differences", "key": "d", "way": True},
    {"name": "guidelines", "label": "Guidelines", "key": "g", "way": True},
    {"name": "history", "label": "Your answers", "key": "h", "way": True},
    {"name": "find", "label": "Find in the context", "key": "f", "way": True},
    {"name": "together", "label": "Scroll A and B together", "key": "t"},
    {"name": "reading", "label": "Text size and lines", "key": "v"},
    {"name": "keys", "label": "Keys", "key": "?", "way": True},
]
TOOLS = (
    '<span class="tandem-tools">{}<button type="button" data-act="guidelines">Guidelines</button>'
    '<button type="button" data-act="reading" aria-haspopup="dialog" aria-expanded="false" '
    'aria-label="Reading: text size, lines and more">Aa</button>'
    '<button type="button" data-act="keys" aria-haspopup="dialog" aria-label="Keys">?</button>'
    "</span>"
)


def ask(study: Study, annotator: str) -> None:
    """Show the next question of the campaign to this annotator, or why there is no question."""
    campaign = choose_campaign(study)
    if campaign is None:
        show_nothing(study)
        return
    shown = _present(study, campaign, annotator)
    progress = campaigns.progress(study.store, campaign, annotator)
    if study.visit.crowd:
        progress = keep_this_tab(progress)
    design = Design.from_stored(campaign.design)
    told = st.session_state.get("feedback")
    if told and told[0].campaign == campaign.id:
        show_feedback(*told)
    elif shown is NoQuestionReason.CONSENT:
        show_consent(study, campaign, annotator)
    elif study.visit.crowd and shown in campaigns.OVER:
        show_last_step(study, campaign, NoQuestionReason(shown), progress)
    elif isinstance(shown, NoQuestionReason):
        show_hold(study, campaign, annotator, shown, progress)
    elif must_be_briefed(design, campaign, progress):
        show_instructions(design, campaign, progress)
    elif question_changes(shown) and not design.together:
        show_change(shown)
    else:
        _ask(study, campaign, annotator, shown, progress)


def _ask(
    study: Study, campaign: Campaign, annotator: str, shown: Presentation, progress: Progress
) -> None:
    # Before it is drawn: on a busy machine the browser may have painted it, and a key be pressed,
    # before this has ended.
    if st.session_state.get("on screen", (None,))[0] != shown.key:
        st.session_state["on screen"] = (shown.key, time.monotonic())
    _give_back(shown)
    _heading(shown, progress, messages(study, campaign, annotator))
    _hidden_buttons(study, campaign, annotator, shown)
    text_format = show_pair(
        shown,
        differing=st.session_state.get("differing", False),
        as_written=st.session_state.get(AS_WRITTEN, False),
    )
    with st.bottom:
        show_bar(study, campaign, annotator, shown, text_format, progress.latest)


def _present(study: Study, campaign: Campaign, annotator: str) -> Presentation | NoQuestionReason:
    """Return the next question; the one before if none can be reserved, as on a full disk."""
    mine = (campaign.id, annotator)
    shown: Presentation | NoQuestionReason
    try:
        shown = campaigns.present(study.store, campaign, annotator)
    except FaultError as fault:
        of, shown = st.session_state.get("question", (None, NoQuestionReason.DONE))
        if of != mine:
            raise
        st.session_state.setdefault(PROBLEM, _explain_fault(shown, fault))
    st.session_state["question"] = mine, shown
    return shown


def _explain_fault(shown: Presentation | NoQuestionReason, fault: FaultError) -> str:
    said = sentence(fault)
    if isinstance(shown, Presentation) and st.session_state.get(ANSWERED) == shown.key:
        return f"Your answer is saved. There is no next question yet: {said}. Then press again."
    return f"{said}."


def _give_back(shown: Presentation) -> None:
    """Restore the comment, reasons and confidence of the answer that was just taken back."""
    taken_back: Answer | None = st.session_state.pop("taken back", None)
    if taken_back is None:
        return
    st.session_state[f"comment-{shown.key}"] = taken_back.comment
    st.session_state[f"why-{shown.key}"] = list(taken_back.reasons)
    st.session_state[f"sure-{shown.key}"] = next(
        (name for name, value in CONFIDENCE.items() if value == taken_back.confidence), None
    )


def _heading(shown: Presentation, progress: Progress, told: str) -> None:
    far = f"{progress.n_given + 1:,} of {progress.total:,}"
    done = progress.n_given / max(progress.total, 1)
    if shown.training:
        far = f"practice {progress.trained + 1} of {progress.training}"
        done = progress.trained / max(progress.training, 1)
    said = escape(st.session_state.pop("said", ""))
    before = st.session_state.get("attribute", shown.attribute)
    st.session_state["attribute"] = shown.attribute
    changed = " tandem-changed" if before != shown.attribute else ""
    voice = escape(f"{shown.attribute}. {shown.question} Question {far}.")
    st.html(
        f'<div class="tandem-heading"><b class="tandem-where">{escape(shown.attribute)}</b>'
        f'<span class="tandem-said" role="status">{said}</span>'
        f'<span class="tandem-far">{far}{_time_left(progress)}</span>{_tools(shown)}</div>'
        f'<div class="tandem-bar"><i style="width:{100 * done:.2f}%"></i></div>'
        f'<h1 class="tandem-question{changed}" data-key="{shown.key}" data-voice="{voice}">'
        f"{escape(shown.question)}</h1>{told}"
    )


def _tools(shown: Presentation) -> str:
    """Show buttons at the end of the line; one shows texts as written, if they are rendered."""
    if shown.text_format is TextFormat.PLAIN:
        return TOOLS.format("")
    pressed = str(st.session_state.get(AS_WRITTEN, False)).lower()
    return TOOLS.format(
        f'<button type="button" data-act="written" aria-pressed="{pressed}">As written</button>'
    )


def _time_left(progress: Progress) -> str:
    if not progress.seconds or not progress.seconds_left:
        return ""
    left = round_seconds_left(progress.seconds_left, st.session_state.get("time left"))
    st.session_state["time left"] = left
    pace, left = describe_duration(progress.seconds), describe_duration(left)
    return f'<span title="About {pace} a question"> · about {left} left</span>'


def _hidden_buttons(study: Study, campaign: Campaign, annotator: str, shown: Presentation) -> None:
    """Draw the buttons that keys and menus press. They are hidden to keep the screen calm."""
    design = Design.from_stored(campaign.design)
    with st.container(key="tandem-hidden"):
        comment = [COMMENT] if design.comment else []
        is_formatted = shown.text_format is not TextFormat.PLAIN
        written = [AS_IT_IS_WRITTEN] if is_formatted else []
        listen([*actions(design), *comment, *MORE[:1], *written, *MORE[1:]])
        if st.button("Differences", key="differences-hidden"):
            st.session_state["differing"] = not st.session_state.get("differing", False)
            st.rerun()
        if is_formatted and st.button("As written", key="written-hidden"):
            st.session_state[AS_WRITTEN] = not st.session_state.get(AS_WRITTEN, False)
            st.rerun()
        if st.button("Guidelines", key="guidelines-hidden"):
            show_guidelines(design, shown)
        if st.button("Your answers", key="history-hidden"):
            show_history(study, campaign, annotator)


STEPS = ((10 * 60, 60), (60 * 60, 5 * 60), (5 * 3600, 30 * 60))
"""Pairs (limit, step) in seconds: times below a limit are rounded to its step, others to hours."""


def round_seconds_left(seconds: float, told: float | None) -> float:
    """Round the seconds left to a step that suits their size.

    The figure shown before is kept while it is less than a step off.
    """
    step = next((step for most, step in STEPS if seconds < most), 3600)
    if told is not None and abs(told - seconds) < step:
        return told
    return max(step, round(seconds / step) * step)
