"""A participant of a panel: from its link to the completion code, one calm step after another."""

from __future__ import annotations

from dataclasses import replace
from html import escape

import streamlit as st

from core import campaigns
from core.access import DeniedError, Field, Right, read_fields
from core.campaigns import CrowdStep, Design, NoQuestionReason, ParticipantState, Progress
from core.labels import pluralize
from core.store import Campaign, Store
from pages.components.annotate.answers import listen, show_preview
from pages.components.annotate.bar import as_label, is_given_here, undo_button
from pages.components.shared.frame import Study
from pages.components.shared.notice import PROBLEM, action, notice, show_caption, show_problem
from pages.components.shared.stores import reopen
from pages.components.shared.visitor import crowd_visit

FEW = 6
"""Answers to choose from that are shown at once; more are a list."""

UNKNOWN = (
    "The link you followed says no participant id. Please open the study from your panel's page "
    "again. If that does not help, tell the researcher there."
)
NO_PLACE = "No place is left in this study"
ENDINGS = {
    ParticipantState.FINISHED: ("Thank you, you are done!", "{answered}", "good"),
    ParticipantState.FAILED: (
        "Please stop here",
        "Too many of the pairs whose answer is known were answered otherwise. {answered}",
        "quiet",
    ),
    ParticipantState.LATE: (NO_PLACE, "Thank you for your interest. {answered}", "quiet"),
    ParticipantState.LOST: (
        NO_PLACE,
        "Others took the places while you were away. {answered}",
        "quiet",
    ),
}
"""The title, the sentences and the kind of notice at the end."""


def take_part(study: Study) -> str:
    """Return the name under which a participant's votes are kept, once they see pairs.

    Before that, show the step that they are at, and return ''.
    """
    step = campaigns.find_step(study.store, crowd_visit())
    who = crowd_visit().participant
    if step is CrowdStep.PAIRS and who:
        return who.name
    campaign = study.store.campaigns.get(crowd_visit().crowd.campaign)
    with st.container(width="stretch" if step is CrowdStep.PREVIEW else 720, key="tandem-step"):
        _show_step(study, campaign, step)
    listen()
    return ""


def _show_step(study: Study, campaign: Campaign, step: CrowdStep) -> None:
    if step is CrowdStep.PREVIEW:
        st.title("Preview", anchor=False)
        notice("This is what you will be asked. Accept the task first: nothing here is recorded.")
        example = campaigns.show_example(study.store, campaign)
        show_preview(example, Design.from_stored(campaign.design))
    elif step is CrowdStep.WELCOME:
        _show_welcome(study, campaign)
    elif step is CrowdStep.BEFORE:
        _show_questions("before", "Before you start")
    elif step is CrowdStep.END:
        _show_ending(study.store)
    elif step is CrowdStep.PAUSED:
        st.title("This study is paused", anchor=False)
        notice("Please open the link again later.")
    else:
        st.title("Please open this from your panel", anchor=False)
        notice(UNKNOWN)


def _show_welcome(study: Study, campaign: Campaign) -> None:
    design = Design.from_stored(campaign.design)
    st.title("Do you agree to take part?" if design.consent else "Welcome", anchor=False)
    show_problem()
    if design.consent:
        st.markdown(design.consent)
        show_caption(
            "If you do not agree, return the task to your panel. Nothing is recorded then."
        )
    else:
        notice("You will read two texts side by side and choose the better one.")
    if design.quota:
        show_caption(
            f"You will be asked about up to {design.quota:,} pairs. Your answers are saved at once."
        )
    st.button(
        "I agree" if design.consent else "Start", type="primary", key="go-on-welcome",
        on_click=_begin, args=(design.consent,),
    )  # fmt: skip


def _reopen() -> Store:
    """Open the store for a click on a participant's screen. Raises DeniedError for anybody else."""
    before = crowd_visit().key
    store = reopen(Right.ANNOTATE)
    if crowd_visit().key != before:
        store.close()
        raise DeniedError("This screen belonged to somebody else: reload the page")
    return store


@action
def _begin(agreed: str) -> None:
    with _reopen() as store:
        if not campaigns.begin(store, crowd_visit(), agreed):
            st.session_state[PROBLEM] = "This has just changed. Please read it again."


def _show_questions(part: str, title: str) -> None:
    """Show a questionnaire. It never shows earlier answers."""
    terms = crowd_visit().terms
    fields = read_fields(part, terms.before if part == "before" else terms.after)
    st.title(title, anchor=False)
    show_problem()
    with st.form(f"questions {part}", border=False):
        for number, field in enumerate(fields):
            _ask_field(field, f"{part} {number}")
        st.form_submit_button(
            "Continue" if part == "before" else "Finish", type="primary",
            on_click=_answer, args=(part, [field.question for field in fields]),
        )  # fmt: skip


def _ask_field(field: Field, key: str) -> None:
    label = as_label(field.question) + (" (optional)" if field.is_optional else "")
    if field.kind == "choice" and len(field.choices) <= FEW:
        st.radio(label, field.choices, index=None, format_func=as_label, key=key)
    elif field.kind == "choice":
        st.selectbox(label, field.choices, index=None, placeholder="choose", key=key)
    else:
        st.text_input(label, key=key, max_chars=2000, autocomplete="off")


@action
def _answer(part: str, questions: list[str]) -> None:
    answers = {
        question: str(st.session_state.get(f"{part} {number}") or "")
        for number, question in enumerate(questions)
    }
    with _reopen() as store:
        campaigns.answer_questionnaire(store, crowd_visit(), part, answers)
        if part == "after":
            campaigns.finish(store, crowd_visit())


def keep_this_tab(progress: Progress) -> Progress:
    """Return the progress, without the latest answer if it was given in another tab."""
    latest = progress.latest
    if latest and is_given_here(latest.row, is_check=latest.check):
        return progress
    return replace(progress, latest=None)


def show_last_step(
    study: Study, campaign: Campaign, hold: NoQuestionReason, progress: Progress
) -> None:
    """Show the step after the last pair: the final questions, if any, and the end."""
    who = crowd_visit().participant
    assert who
    with st.container(width=720, key="tandem-step"):
        # Who failed, or was asked nothing, is not asked more.
        is_short = hold is NoQuestionReason.STOPPED or not progress.n_given
        if (
            crowd_visit().terms.after
            and not is_short
            and not study.store.crowds.has_answered(who.id, "after")
        ):
            _show_questions("after", "After the last pair")
        elif is_short:
            campaigns.finish(study.store, crowd_visit())
            st.rerun()
        else:
            st.title("That was the last pair", anchor=False)
            show_problem()
            st.button("Finish", type="primary", key="go-on-finish", on_click=_finish)
        if (
            progress.latest
            and not is_short
            and hold not in (NoQuestionReason.CLOSED, NoQuestionReason.OVER)
        ):
            with st.container(width=220):
                undo_button("Undo the last answer", study, campaign, who.name, progress.latest)
    listen()


@action
def _finish() -> None:
    with _reopen() as store:
        campaigns.finish(store, crowd_visit())


def _show_ending(store: Store) -> None:
    visit = crowd_visit()
    campaign = store.campaigns.get(visit.crowd.campaign)
    rows = campaigns.pay(store, campaign, key=visit.key).to_dict("records")
    # Somebody new whom the table does not list came too late, and got no code.
    row = rows[0] if rows else {"state": ParticipantState.LATE, "questions": 0, "code": ""}
    title, sentences, kind = ENDINGS[ParticipantState(row["state"])]
    answered = "You have not answered any question about the texts."
    if row["questions"]:
        done = pluralize(row["questions"], "question")
        answered = f"You went through {done}. All your answers are saved."
    code = row["code"]
    st.title(title, anchor=False)
    notice(sentences.format(answered=answered), kind=kind)
    if code:
        st.html(
            '<div class="tandem-completion"><span>Your code</span>'
            f'<output id="tandem-completion">{escape(code)}</output>'
            f'<button type="button" data-copy="{escape(code)}">Copy</button></div>'
        )
    else:
        show_caption("Please return the task to your panel, so that it costs you nothing.")
    address = visit.terms.write_return(code, visit.identity, visit.assignment)
    if address:
        panel = visit.terms.panel.label
        st.link_button(f"Return to {panel}", address, type="primary")
    elif code:
        show_caption("Enter this code where you opened this study. Then you can close this page.")
