"""The servers of a study, each of a provider.

Owners list and remove them; researchers choose one from the list.
"""

from __future__ import annotations

import os
from shlex import quote

import streamlit as st

from core.access import Right, has_right
from core.installation import command_to_run
from core.judging import ListedServer, ServerList, add_server, remove_server
from core.models import Options
from core.models.served import OFFICIAL, PROVIDERS, Provider, provider_of
from core.store import Store
from pages.components.shared.frame import Study
from pages.components.shared.notice import show_caption
from pages.components.shared.settings import SettingsForm
from pages.components.shared.stores import store_action
from pages.components.shared.visitor import current_session

ADDRESS = "Its address is your own, such as https://NAME.openai.azure.com/openai/v1."
NONE_LISTED = "None is listed yet: an owner of this study adds those that may be asked."
ABOUT = (
    "Researchers choose from these servers, and no other is asked. A key is paired with an address "
    "on the command line alone: servers add NAME URL --key-variable VARIABLE."
)


def choose_server(study: Study, key: str, provider: Provider | None = None) -> str:
    """Ask for a server from the list and return its address; '' until one is chosen.

    To owners the provider's own address is offered, too, and they can type one: a choice lists it.
    """
    there, is_owner = _listed_servers(study, provider), study.may(Right.SERVERS)
    home = provider or PROVIDERS["openai"]
    if provider and not there:
        where = f"{home.label} listens at {home.base_url}." if home.base_url else ADDRESS
        show_caption(f"{where} {_describe_key(home)}")
    names = {
        one.address: one.name if one.address == OFFICIAL else f"{one.name} · {one.address}"
        for one in there
    }
    if is_owner and home.base_url:
        names.setdefault(home.base_url, home.label)
    widget = f"{key}-server" + (f"-{provider.name}" if provider else "")
    url = st.selectbox(
        "Server", list(names), index=0 if there else None, key=widget,
        format_func=lambda one: names.get(one, one), accept_new_options=is_owner,
        placeholder="Choose a server, or type an address" if is_owner else "Choose a server",
        help="Only listed servers are asked. Nothing is sent there before you try or start.",
        on_change=_list_typed, args=(widget,),
    )  # fmt: skip
    chosen = next((one for one in there if one.address == url), None)
    if chosen:
        _describe(study, chosen, provider)
        return chosen.address
    if url:
        show_caption(f"{url} is a server of {provider_of(url).label}: choose that provider.")
    elif not there and not is_owner:
        show_caption(NONE_LISTED)
    return ""


def _describe(study: Study, server: ListedServer, provider: Provider | None) -> None:
    """Say which key a server is sent, or how to pair it with one."""
    provider = provider or provider_of(server.address)
    if provider.key_variable and not server.key_variable and study.may(Right.SERVERS):
        _show_pairing(study, provider, server)
    else:
        show_caption(_key_words(server))


def manage_servers(study: Study) -> None:
    """Show owners the listed servers and their keys, a form to add one, and buttons to remove."""
    if not study.may(Right.SERVERS):
        return
    with st.expander("Servers that may be asked"):
        show_caption(ABOUT)
        for server in ServerList(study.store.path).servers():
            name, sent, button = st.columns([5, 4, 1.6], vertical_alignment="center")
            name.text(f"{server.name}\n{server.address}")
            with sent:
                show_caption(_key_words(server))
            button.button(
                "Remove",
                key=f"remove-server-{server.address}",
                on_click=_remove,
                args=(server.name,),
            )
        with st.form("add-server", border=False):
            row = st.container(horizontal=True, vertical_alignment="bottom")
            row.text_input("Name of the server", placeholder="GPU in the lab", key="server-name")
            row.text_input("Its address", placeholder="http://gpu-1:8000/v1", key="server-address")
            row.form_submit_button("Add server", on_click=_add)


def _key_words(server: ListedServer) -> str:
    variable = server.key_variable
    if not variable:
        return "It is sent no key."
    if not os.environ.get(variable, "").strip():
        return (
            f"No API key found: set {variable} before starting Tandem. It is never stored or shown."
        )
    return f"It is sent the key in {variable}."


@store_action()
def _list_typed(store: Store, widget: str) -> None:
    url = st.session_state[widget]
    is_owner = has_right(current_session().role, Right.SERVERS)
    if not url or not is_owner or ServerList(store.path).find(url) is not None:
        return
    del st.session_state[widget]
    name = next((one.label for one in PROVIDERS.values() if one.base_url == url), "")
    st.session_state[widget] = _list_server(store, name, url).address


def _list_server(store: Store, name: str, url: str) -> ListedServer:
    visit = current_session()
    return add_server(store, visit.audit_name, name, url, inside=visit.sits_here)


@store_action(Right.SERVERS)
def _add(store: Store) -> None:
    name, url = (st.session_state[key] for key in ("server-name", "server-address"))
    _list_server(store, name, url)
    st.session_state["server-name"] = st.session_state["server-address"] = ""


@store_action(Right.SERVERS)
def _remove(store: Store, name: str) -> None:
    remove_server(store, current_session().audit_name, name)


ANOTHER = "Another server"
EXAMPLES = "OpenAI, OpenRouter, vLLM ..."


def choose_provider(study: Study, key: str) -> Provider | None:
    """Ask for the provider; None if none is chosen, or for a server of no known provider."""
    names = [*PROVIDERS, ""]
    there = _listed_servers(study)
    usual = names.index(provider_of(there[0].address).name) if there else None
    name = st.selectbox(
        "Provider",
        names,
        index=usual,
        format_func=lambda name: PROVIDERS[name].label if name else ANOTHER,
        placeholder=EXAMPLES,
        key=f"{key}-provider",
        help="Who serves the model. It fills in the address and says where the key is read from.",
    )
    return PROVIDERS.get(name or "")


def _listed_servers(study: Study, provider: Provider | None = None) -> list[ListedServer]:
    """Return the servers at a provider's hosts; of one without hosts, those at nobody's."""
    there = list(ServerList(study.store.path).servers())
    if provider is None:
        return there
    homes = {
        provider.name if provider.hosts else "",
        "" if not provider.base_url else provider.name,
    }
    return [one for one in there if provider_of(one.address).name in homes]


def _describe_key(provider: Provider) -> str:
    if not provider.key_variable:
        return "It needs no key."
    is_set = bool(os.environ.get(provider.key_variable, "").strip())
    return f"Its key is read from {provider.key_variable}, which is {'' if is_set else 'not '}set."


def _show_pairing(study: Study, provider: Provider, server: ListedServer) -> None:
    show_caption(
        f"It is sent no key yet. Run this once, in a shell where {provider.key_variable} is set. "
        "The key itself is not stored."
    )
    path = quote(str(study.store.path.absolute()))
    store = f"--store {path} " if current_session().sits_here else ""
    command = command_to_run(
        f"{store}servers add {quote(server.name)} {quote(server.address)} "
        f"--key-variable {provider.key_variable}"
    )
    st.code(command, language=None, wrap_lines=True)


def choose_api_version(provider: Provider | None, key: str) -> dict[str, str]:
    """Ask for the version of Azure's interface, as `Options` takes it."""
    if provider is None or provider.name != "azure":
        return {}
    form = SettingsForm(Options(), key)
    version = form.ask(st.container(), "api_version", placeholder="2024-10-21")
    return {"api_version": version} if version else {}
