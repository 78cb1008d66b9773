"""Inviting people and writing to them, who may come in, and the log of decisions."""

from __future__ import annotations

import json

import streamlit as st

from core import access
from core.access import Access, Right
from core.campaigns import current
from core.exporting import for_spreadsheets
from core.installation import command_to_run
from core.labels import pluralize
from core.records import Role, TandemError
from core.reporting import sentences
from core.store import Store
from pages.components.people.members import DEED, MADE, make_links
from pages.components.shared.address import CAMPAIGN, read_parameter
from pages.components.shared.frame import (
    Study,
    find_link_address,
    find_opened_address,
    next_step_links,
    opens_here_only,
)
from pages.components.shared.notice import notice, show_caption, show_done, show_headline
from pages.components.shared.settings import choose_one
from pages.components.shared.stores import store_action, warn_when_wide_open
from pages.components.shared.visitor import current_session, is_forwarded, providers

DAYS = {"1 week": 7, "30 days": 30, "90 days": 90, "until revoked": None}
ALL = "all campaigns"
WITH_ADDRESS = "People with an e-mail address after their name sign in with it, and need no link."
FOR_MAIL = "In the file of links, an e-mail address follows a name and a comma."
LISTENS_HERE = (
    "Links to this address open on this machine only. To let others in, start the server with "
    f"“{command_to_run('app --server.address 0.0.0.0')}” and give its address here."
)
LISTENS_ELSEWHERE = (
    "Links to this address open on this machine only. Give here the address under which others "
    "open this study, such as https://study.example.org."
)


def invite_people(study: Study) -> None:
    """Ask for names, their role and how long links work; then show a link for each."""
    st.header("Invite people", anchor=False)
    campaigns = study.store.people.campaigns()
    with st.form("invite", border=False):
        names, terms = st.columns([3, 4], gap="large")
        sign_in = bool(providers())
        with names:
            st.text_area(
                "Names, one per line", key="invite names", height=188,
                placeholder="Ada\nGrace, grace@example.org",
                help=WITH_ADDRESS if sign_in else FOR_MAIL,
            )  # fmt: skip
        with terms:
            left, right = st.columns(2)
            left.selectbox("Role", list(Role), key="invite role")
            right.selectbox("The link works for", list(DAYS), index=1, key="invite days")
            chosen = study.store.campaigns.find(study.dataset, read_parameter(CAMPAIGN))
            campaign = f"invite campaign {chosen.id if chosen else ''}"  # resets the widget
            named = {0: ALL, **campaigns}
            choose_one(st.selectbox, "Campaign", named, chosen and chosen.id, key=campaign)
        address = find_link_address(study.store)
        with st.expander("A list of names, the address, and the text for e-mail"):
            listing = "Or a list: CSV with name and email, or one name per line"
            st.file_uploader(listing, type=["csv", "txt"], key="invite list")
            st.text_input("Address that they open", address, key="invite address")
            st.text_area(
                "Text for e-mail", access.EMAIL, key="invite text", height=188,
                help="{name}, {link} and {study} are filled in for each person.",
            )  # fmt: skip
        st.form_submit_button(
            "Make links", type="primary",
            on_click=_invite, args=(study.dataset, campaign),
        )  # fmt: skip
    show_caption(access.describe_roles())
    if opens_here_only(address):
        here = not is_forwarded() and opens_here_only(find_opened_address())
        show_caption(LISTENS_HERE if here else LISTENS_ELSEWHERE)


@store_action(Right.PEOPLE)
def _invite(store: Store, dataset: str, campaign: str) -> None:
    emails = _list_people()
    role = Role(st.session_state["invite role"])
    _set_address(store, str(st.session_state["invite address"]).strip())
    days = DAYS[st.session_state["invite days"]]
    terms = access.LinkTerms(role, st.session_state[campaign] or None, days)
    sign_in = bool(providers())
    with store.transaction(durable=True):
        for name, email in emails.items():
            if email and sign_in:
                access.people.add(store, current_session().audit_name, name, role, email)
        by_link = [name for name, email in emails.items() if not (email and sign_in)]
        template = str(st.session_state["invite text"])
        mails = {"template": template, "emails": emails, "study": dataset}
        is_any = by_link or not emails
        made = make_links(store, by_link, terms, dataset, **mails) if is_any else []
    st.session_state[MADE] = made
    signing_in = len(emails) - len(made)
    if signing_in:
        st.session_state[DEED] = f"{pluralize(signing_in, 'person')} can sign in now.", None
    st.session_state["invite names"] = ""


def _list_people() -> dict[str, str]:
    """Return the people typed and listed in a file: name -> e-mail address, or ''."""
    uploaded = st.session_state.get("invite list")
    try:
        listed = uploaded.getvalue().decode("utf-8-sig") if uploaded else ""
    except UnicodeDecodeError as error:
        raise TandemError(f"{uploaded.name!r} is not text in UTF-8: save it as UTF-8") from error
    typed = str(st.session_state["invite names"])
    return dict([*access.read_invited(typed), *access.read_invited(listed)])


def _set_address(store: Store, address: str) -> None:
    access.check_address(address)
    if address.rstrip("/") != find_link_address(store):
        store.settings.put(access.ADDRESS, address.rstrip("/"))


def choose_access(study: Study) -> None:
    """Ask who may enter, and warn if everybody may."""
    st.header("Who may come in", anchor=False)
    now = access.access_of(study.store)
    key = f"access {now}"
    choose_one(
        st.radio, "Who may come in", access.WORDS, now, label_visibility="collapsed",
        key=key, on_change=_set_access, args=(key,),
    )  # fmt: skip
    warn_when_wide_open(study.store)


@store_action(Right.PEOPLE)
def _set_access(store: Store, key: str) -> None:
    try:
        access.people.set_access(store, current_session().audit_name, Access(st.session_state[key]))
    finally:
        st.session_state.pop(key, None)


WORDS = {"at": "when (UTC)", "subject": "about"}


def show_log(study: Study) -> None:
    """Show decisions about people and access, and downloads, newest first."""
    st.header("Log", anchor=False)
    log = study.store.audit.load_all()
    if log.empty:
        show_caption("There are no decisions about people yet.")
        return
    shown = log.assign(
        at=log["at"].str[:16].str.replace("T", " "),
        action=log["action"].map(sentences.action),
        details=[sentences.decision(json.loads(details)) for details in log["details"]],
    )
    st.dataframe(
        shown.rename(columns=WORDS), hide_index=True, height=min(35 * (len(log) + 1) + 3, 380)
    )
    st.download_button(
        "Log as CSV", for_spreadsheets(log), "log.csv", "text/csv", on_click="ignore"
    )


SENT = "message said"
EVERYBODY = "everybody"


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
                to = row.judge if isinstance(row.judge, str) else EVERYBODY
                show_caption(f"To {to}, “{row.campaign}”; {row.sent_by}, {sent}")
                st.button(
                    "Withdraw", key=f"withdraw {row.message}", type="tertiary",
                    on_click=_withdraw, args=(row.message,),
                )  # fmt: skip
    _show_message_form(study, campaigns)


def _show_message_form(study: Study, campaigns: dict[int, str]) -> None:
    st.header("Write to them", anchor=False)
    judges = study.store.judgement_frames.judges(study.dataset, excluded=True)
    people = judges.loc[judges["kind"] == "human", "judge"].unique().tolist()
    with st.form("message", border=False):
        row = st.container(horizontal=True)
        now = current(study.store, study.dataset, read_parameter(CAMPAIGN))
        key, first = "message campaign", now and now.id
        choose_one(row.selectbox, "Campaign", campaigns, first, width=300, key=key)
        named = {None: EVERYBODY, **{name: name for name in people}}
        choose_one(row.selectbox, "To", named, width=300, key="message to")
        # The store says how long a message may be: the widget would drop what is longer.
        st.text_area("Message", key="message text", height=110)
        st.form_submit_button("Send", type="primary", on_click=_send)


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
