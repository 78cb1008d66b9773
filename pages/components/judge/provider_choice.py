"""Who serves a model: a provider by name, whose server an owner lists in one press."""

from __future__ import annotations

import os
from pathlib import Path
from shlex import quote

import streamlit as st

from core.judging import ListedServer, ServerList, add_server, is_cluster
from core.models.served import PROVIDERS, Provider, provider_of
from core.records import Role
from pages.components.judge.field_labels import LABELS
from pages.components.shared.faults import action
from pages.components.shared.frame import Study
from pages.components.shared.notice import small
from pages.components.shared.stores import reopen
from pages.components.shared.visitor import visit

ANOTHER = "Another server"
EXAMPLES = "OpenAI, OpenRouter, vLLM ..."
AZURE_HELP = "Such as 2024-10-21. Addresses that end in /openai/v1 need none."


def choose_provider(study: Study, key: str) -> Provider | None:
    """The provider that was chosen, None while none is or for a server that is none of theirs."""
    names = [*PROVIDERS, ""]
    there = listed_servers(study)
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


def listed_servers(study: Study, provider: Provider | None = None) -> list[ListedServer]:
    """The listed servers that may be a provider's: those of its hosts or, of one that runs
    anywhere, those of no other's.
    """
    there = [one for one in ServerList(study.store.path).servers() if not is_cluster(one)]
    if provider is None:
        return there
    homes = {
        provider.name if provider.hosts else "",
        "" if not provider.base_url else provider.name,
    }
    return [one for one in there if provider_of(one.address).name in homes]


def offer_listing(study: Study, provider: Provider, widget: str) -> None:
    """Say where a provider that is not listed listens and which key it has; an owner lists it in
    one press.
    """
    small(f"{provider.label} listens at {provider.base_url}. {describe_key(provider)}")
    if not study.owned:
        small(f"{provider.label} is not listed yet: an owner of this study adds it.")
        return
    st.button(
        f"List {provider.label}",
        key=f"{widget}-list-{provider.name}",
        on_click=_list_provider,
        args=(study.store.path, provider, widget),
        help="Only listed servers are asked. Nothing is sent there before you try or start.",
    )


def describe_key(provider: Provider) -> str:
    """Where a provider's key is read from, and whether it is there; the key itself is never
    shown.
    """
    if not provider.key_variable:
        return "It needs no key."
    is_set = bool(os.environ.get(provider.key_variable, "").strip())
    return f"Its key is read from {provider.key_variable}, which is {'' if is_set else 'not '}set."


def show_pairing(study: Study, provider: Provider, server: ListedServer) -> None:
    """Show the command that pairs a key with a server; no page can do that."""
    small(
        f"It is sent no key yet. Run this once, in a shell where {provider.key_variable} is set. "
        "The key itself is not stored."
    )
    st.code(pairing_command(study.store.path, provider, server), language=None, wrap_lines=True)


def pairing_command(path: Path, provider: Provider, server: ListedServer) -> str:
    """The command line that pairs a provider's key with a server, ready to copy."""
    store = f"--store {quote(str(path.absolute()))} " if visit().sits_here else ""
    return (
        f"python -m core {store}servers add {quote(server.name)} {quote(server.address)} "
        f"--key-variable {provider.key_variable}"
    )


def choose_api_version(provider: Provider | None, key: str) -> dict[str, str]:
    """Azure's version of its interface, as `Options` takes it."""
    if provider is None or provider.name != "azure":
        return {}
    version = st.text_input(
        LABELS["api_version"], placeholder="2024-10-21", key=f"{key}-api-version", help=AZURE_HELP
    ).strip()
    return {"api_version": version} if version else {}


@action
def _list_provider(path: Path, provider: Provider, widget: str) -> None:
    with reopen(path, Role.OWNER) as store:
        server = add_server(
            store, visit().who, provider.label, provider.base_url, inside=visit().sits_here
        )
    if not provider.hosts:
        st.session_state[widget] = server.address
