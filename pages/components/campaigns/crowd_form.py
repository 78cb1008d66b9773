"""A crowd at a campaign: the link for a panel, its terms, and the table for payment."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.access import CrowdTerms, Right, close_crowd, open_crowd
from core.campaigns import pay
from core.labels import file_name, pluralize
from core.records import TandemError
from core.store import Campaign, Crowd, Store
from pages.components.shared.downloads import downloads, taker
from pages.components.shared.frame import Study, find_link_address, opens_here_only
from pages.components.shared.notice import notice, show_caption, show_done
from pages.components.shared.settings import SettingsForm, describe_setting
from pages.components.shared.stores import store_action
from pages.components.shared.visitor import current_session

SAVED = "crowd saved"


def show_crowd(study: Study, campaign: Campaign) -> None:
    """Show the crowd's link and who came by it, and its terms, which owners can change."""
    crowd = study.store.crowds.find_by_campaign(campaign.id)
    if crowd is None and (not study.may(Right.CROWD) or campaign.is_closed):
        return
    with st.expander("Crowd: one link for Prolific, MTurk or another panel"):
        show_done(SAVED)
        if crowd:
            _show_link(study, crowd)
            _show_payments(study, campaign)
        if study.may(Right.CROWD):
            _choose_terms(study, campaign, crowd)
        else:
            show_caption("Owners of this study change the terms.")


def _show_link(study: Study, crowd: Crowd) -> None:
    terms = CrowdTerms.from_stored(crowd.terms)
    address = find_link_address(study.store)
    show_caption(
        "It lets nobody new in. People who began go on."
        if crowd.closed_at
        else terms.explain_places()
    )
    st.code(terms.write_link(address, crowd.code), language=None, wrap_lines=True)
    if opens_here_only(address):
        show_caption(
            "It opens on this machine only. Set the address that others open on the page People."
        )


def _show_payments(study: Study, campaign: Campaign) -> None:
    rows = pay(study.store, campaign)
    if rows.empty:
        show_caption("Nobody has begun yet.")
        return
    counts = rows["state"].value_counts()
    show_caption(f"{pluralize(len(rows), 'participant')}: " + ", ".join(
        f"{count:,} {state}" for state, count in counts.items()
    ) + ".")  # fmt: skip
    st.dataframe(rows.drop(columns=["began_at", "ended_at"]), hide_index=True)
    file = file_name(campaign.dataset, "payment", "csv")
    st.download_button(
        "Table for payment", partial(taker(True).table, file, campaign.dataset, rows), file,
        "text/csv", key=f"payment {campaign.id}", on_click="ignore",
        help="It holds the panel's ids. The log on the page People says who took it.",
    )  # fmt: skip
    answers = study.store.crowds.questionnaire(campaign.id)
    if len(answers):
        downloads("questionnaires", {"questionnaires": answers})


def _choose_terms(study: Study, campaign: Campaign, crowd: Crowd | None) -> None:
    key = f"{campaign.id} {st.session_state.get(f'crowds {SAVED}', 0)}"
    form = SettingsForm(CrowdTerms.from_stored(crowd.terms) if crowd else CrowdTerms(), key)
    _ask_terms(form)
    try:
        terms = form.read()
    except TandemError as error:
        notice(f"{error}.", kind="problem")
        return
    is_new = crowd is None or bool(crowd.closed_at)
    with st.container(horizontal=True):
        label = "Open to a crowd" if is_new else "Save terms"
        saves = st.button(label, type="primary", key=f"open {key}")
        replaces = crowd is not None and st.button(
            "New link", key=f"new link {key}", help="The link before lets nobody in any more."
        )
        # Not by callbacks: these would have the terms as they were before what was typed last.
        if saves or replaces:
            _open(campaign.id, terms, bool(replaces))
            st.rerun()
        if crowd and not crowd.closed_at:
            st.button("Let nobody new in", key=f"close {key}", on_click=_close, args=(campaign.id,))


def _ask_terms(form: SettingsForm[CrowdTerms]) -> None:
    panel, places, code = st.columns(3)
    asked_before, asked_after = st.columns(2)
    form.ask(panel, "platform")
    form.ask_limit(places, "places")
    form.ask(code, "code")
    age, more = "How old are you? | number 18 to 99", "Anything to add? | text (optional)"
    form.ask(asked_before, "before", placeholder=age, height=100)
    form.ask(asked_after, "after", placeholder=more, height=100)
    if not st.toggle("More terms", key=f"more {form.key}"):
        return
    words = ("return_to", "failed_code", "full_code", "participant", "assignment")
    rows = [*st.columns([2, 1, 1]), *st.columns(3)]
    for row, name in zip(rows, words, strict=False):
        form.ask(row, name)
    further = rows[-1].text_input(
        **describe_setting(CrowdTerms, "parameters"), value=" ".join(form.before.parameters),
        key=f"parameters {form.key}",
    )  # fmt: skip
    form.values["parameters"] = tuple(further.split())
    away, hashed = st.columns([1, 2], vertical_alignment="bottom")
    form.ask(away, "away")
    form.ask(hashed, "hash_ids")


@store_action(Right.CROWD)
def _open(store: Store, campaign: int, terms: CrowdTerms, new_link: bool) -> None:
    open_crowd(
        store, current_session().audit_name, store.campaigns.get(campaign), terms, new_link=new_link
    )
    _keep_message("Saved. It holds from each participant's next page on.")


@store_action(Right.CROWD)
def _close(store: Store, campaign: int) -> None:
    close_crowd(store, current_session().audit_name, store.campaigns.get(campaign))
    _keep_message("Nobody new comes in.")


def _keep_message(said: str) -> None:
    """Keep a message to show once the form is redrawn. A new number in its key resets the form."""
    st.session_state[f"crowds {SAVED}"] = st.session_state.get(f"crowds {SAVED}", 0) + 1
    st.session_state[SAVED] = said
