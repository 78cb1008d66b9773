"""Messages to the people of a campaign: those that are shown, and a new one."""

from __future__ import annotations

import streamlit as st

from core.campaigns import current
from core.labels import pluralize
from core.store import Store
from pages.components.shared.address import wanted_campaign
from pages.components.shared.frame import Study, next_step_links
from pages.components.shared.notice import notice, show_caption, show_done, show_headline
from pages.components.shared.settings import choose_one
from pages.components.shared.stores import store_action
from pages.components.shared.visitor import current_session

SENT = "message said"
ALL = "everybody"


def show_messages(study: Study) -> None:
    """Show the messages that people see beside their pairs now, and the form for a new one."""
    campaigns = {one.id: one.name for one in study.store.campaigns.list_all(study.dataset)}
    shown = study.store.messages.load_all(study.dataset)
    if not campaigns:
        notice("Messages go to the people of a campaign, and there is none yet.")
        next_step_links(campaigns="Open a campaign")
        return
    number = pluralize(len(shown), "message")
    show_headline(f"People see {number} now." if len(shown) else "People see no message now.")
    show_done(SENT)
    for row in shown.itertuples():
        with st.container(border=True):
            st.text(row.text)
            with st.container(horizontal=True, vertical_alignment="center"):
                sent = str(row.created_at)[:16].replace("T", " ")
                show_caption(f"To {row.judge or ALL}, “{row.campaign}”; {row.sent_by}, {sent}")
                st.button(
                    "Withdraw", key=f"withdraw {row.message}", type="tertiary",
                    on_click=_withdraw, args=(study.store.path, row.message),
                )  # fmt: skip
    _show_message_form(study, campaigns)


def _show_message_form(study: Study, campaigns: dict[int, str]) -> None:
    st.header("Write to them", anchor=False)
    judges = study.store.judgement_frames.judges(study.dataset, excluded=True)
    people = judges.loc[judges["kind"] == "human", "judge"].unique().tolist()
    with st.form("message", border=False):
        row = st.container(horizontal=True)
        now = current(study.store, study.dataset, wanted_campaign())
        key, first = "message campaign", now and now.id
        choose_one(row.selectbox, "Campaign", campaigns, first, width=300, key=key)
        named = {None: ALL, **{name: name for name in people}}
        choose_one(row.selectbox, "To", named, width=300, key="message to")
        # The store says how long a message may be: the widget would drop what is longer.
        st.text_area("Message", key="message text", height=110)
        st.form_submit_button("Send", type="primary", on_click=_send, args=(study.store.path,))


@store_action()
def _send(store: Store) -> None:
    campaign = int(st.session_state["message campaign"])
    store.messages.send(
        campaign,
        str(st.session_state["message text"]),
        by=current_session().audit_name,
        judge=st.session_state["message to"],
    )
    once = "" if store.campaigns.get(campaign).open else ", once the campaign is open"
    st.session_state["message text"] = ""
    st.session_state[SENT] = f"Sent. People see it beside their next pair{once}."


@store_action()
def _withdraw(store: Store, message: int) -> None:
    store.messages.withdraw(message)
    st.session_state[SENT] = "Withdrawn. Nobody sees it any more."
