"""The servers of a study: chosen from the list by researchers, listed and removed by owners."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from core.judging import ListedServer, ServerList, add_server, remove_server
from core.models.served import OFFICIAL, Provider, provider_of
from core.records import Role
from pages.components.judge.provider_choice import (
    describe_key,
    listed_servers,
    offer_listing,
    show_pairing,
)
from pages.components.shared.faults import action
from pages.components.shared.frame import Study
from pages.components.shared.notice import small
from pages.components.shared.stores import reopen
from pages.components.shared.visitor import visit

OPENAI = "OpenAI"
ADDRESS = "Its address is your own, such as https://NAME.openai.azure.com/openai/v1."
NONE_LISTED = "No server is listed yet: an owner of this study adds those that may be asked."
ABOUT = (
    "Researchers choose from these servers, and no other is asked. A key is paired with an address "
    "on the command line alone: servers add NAME URL --key-variable VARIABLE."
)


def choose_server(study: Study, key: str, provider: Provider | None = None) -> str:
    """The address of the server that was chosen from the list, '' while none is. Owners type a new
    address, which lists it; a provider with one address of its own is listed by a press.
    """
    there = listed_servers(study, provider)
    widget = f"{key}-server" + (f"-{provider.name}" if provider else "")
    if provider is not None and not provider.base_url and not there:
        small(f"{ADDRESS} {describe_key(provider)}")
    if provider is None or not provider.base_url:
        return _choose_from(study, there, widget, provider)
    if not there:
        offer_listing(study, provider, widget)
    if len(there) < 2 and provider.hosts:
        return _describe(study, there[0], provider) if there else ""
    return _choose_from(study, there, widget, provider)


def _choose_from(
    study: Study, there: Sequence[ListedServer], widget: str, provider: Provider | None
) -> str:
    names = {one.address: _called(one) for one in there}
    options = list(names)
    if provider is None and study.owned and OFFICIAL not in names:
        options.append(OFFICIAL)
        names[OFFICIAL] = OPENAI
    ask = "Choose a server, or type an address" if study.owned else "Choose a server"
    url = st.selectbox(
        "Server",
        options,
        index=0 if there else None,
        format_func=lambda one: names.get(one, one),
        placeholder=ask,
        accept_new_options=study.owned,
        key=widget,
        on_change=_list_typed,
        args=(study.store.path, widget),
    )
    chosen = next((one for one in there if one.address == url), None)
    if chosen:
        return _describe(study, chosen, provider)
    if url:
        small(f"{url} is a server of {provider_of(url).label}: choose that provider.")
    elif not there and not study.owned:
        small(NONE_LISTED)
    return ""


def _describe(study: Study, server: ListedServer, provider: Provider | None) -> str:
    """Say which key a server is sent, and how it is paired with one; returns its address."""
    provider = provider or provider_of(server.address)
    if provider.key_variable and not server.key_variable and study.owned:
        show_pairing(study, provider, server)
    else:
        small(_key_words(server))
    return server.address


def choose_more_servers(study: Study, key: str, first: str) -> tuple[str, ...]:
    """The addresses of further servers of the same model."""
    names = {one.address: _called(one) for one in listed_servers(study) if one.address != first}
    widget = f"{key}-more-servers"
    more = st.multiselect(
        "More servers",
        list(names),
        format_func=lambda one: names.get(one, one),
        placeholder="None",
        accept_new_options=study.owned,
        key=widget,
        help="Of the very same model: they share the questions. The judge is named after the first "
        "server, above.",
        on_change=_list_typed,
        args=(study.store.path, widget),
    )
    return tuple(url for url in more if url in names)


def manage_servers(study: Study) -> None:
    """The list of servers for owners: what is sent where, a form to add one, buttons to remove."""
    if not study.owned:
        return
    with st.expander("Servers that may be asked"):
        small(ABOUT)
        for server in ServerList(study.store.path).servers():
            name, sent, button = st.columns([5, 4, 1.6], vertical_alignment="center")
            name.text(f"{server.name}\n{server.address}")
            with sent:
                small(_key_words(server))
            button.button(
                "Remove",
                key=f"remove-server-{server.address}",
                on_click=_remove,
                args=(study.store.path, server.name),
            )
        with st.form("add-server", border=False):
            row = st.container(horizontal=True, vertical_alignment="bottom")
            row.text_input("Name of the server", placeholder="GPU in the lab", key="server-name")
            row.text_input("Its address", placeholder="http://gpu-1:8000/v1", key="server-address")
            row.form_submit_button("Add server", on_click=_add, args=(study.store.path,))


def _called(server: ListedServer) -> str:
    return server.name if server.address == OFFICIAL else f"{server.name} · {server.address}"


def _key_words(server: ListedServer) -> str:
    variable = server.key_variable
    if not variable:
        return "It is sent no key."
    if not os.environ.get(variable, "").strip():
        return (
            f"No API key found: set {variable} before starting Tandem. It is never stored or shown."
        )
    return f"It is sent the key in {variable}."


@action
def _list_typed(path: Path, widget: str) -> None:
    """List the addresses that an owner chose or typed in a choice of servers."""
    chosen = st.session_state[widget]
    typed: Sequence[str] = [chosen] if isinstance(chosen, str) else chosen or []
    with reopen(path) as store:
        new = [url for url in typed if ServerList(path).find(url) is None]
        if not new or not visit().role.covers(Role.OWNER):
            return
        listed = {}
        for url in new:
            st.session_state.pop(widget, None)
            name = OPENAI if url == OFFICIAL else ""
            server = add_server(store, visit().who, name, url, inside=visit().sits_here)
            listed[url] = server.address
        whole = [listed.get(url, url) for url in typed]
        st.session_state[widget] = whole[0] if isinstance(chosen, str) else whole


@action
def _add(path: Path) -> None:
    with reopen(path, Role.OWNER) as store:
        name, url = (st.session_state[key] for key in ("server-name", "server-address"))
        add_server(store, visit().who, name, url, inside=visit().sits_here)
    st.session_state["server-name"] = st.session_state["server-address"] = ""


@action
def _remove(path: Path, name: str) -> None:
    with reopen(path, Role.OWNER) as store:
        remove_server(store, visit().who, name)
