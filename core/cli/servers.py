"""The command about servers: which may be asked on the pages and by the worker, with which key."""

from __future__ import annotations

import os
from dataclasses import MISSING, dataclass
from typing import Any

import pandas as pd

from ..judging import ListedServer, ServerList, add_server, remove_server
from ..settings import declare
from ..store import Store
from .command import Command, NoOptions, Verbs
from .options import WHO
from .output import CommandAnswer, table


@dataclass(frozen=True)
class RemoveRequest:
    """The server that is asked nothing more."""

    name: str = declare(MISSING, "name of the server", metavar="NAME", is_positional=True)


@dataclass(frozen=True)
class AddServerRequest(RemoveRequest):
    """A server that may be asked."""

    address: str = declare(
        MISSING, "the address that it answers at", metavar="URL", is_positional=True
    )
    key_variable: str = declare(
        "", "environment variable that holds the key for this address", metavar="VARIABLE"
    )


def list_servers(store: Store, asked: NoOptions) -> CommandAnswer:
    """List the servers that may be asked."""
    rows = [_document(server) for server in ServerList(store.path).servers()]
    text = table(pd.DataFrame(rows)) if rows else "No server is listed: add one."
    return CommandAnswer({"servers": rows}, text)


def add(store: Store, asked: AddServerRequest) -> CommandAnswer:
    """Add a server to the list, with the environment variable of its key."""
    server = add_server(store, WHO, asked.name, asked.address, key_variable=asked.key_variable)
    sent = f"the key in {server.key_variable}" if server.key_variable else "no key"
    text = f"{server.name}: {server.address} may be asked, and is sent {sent}"
    return CommandAnswer(_document(server), text)


def remove(store: Store, asked: RemoveRequest) -> CommandAnswer:
    """Remove a server from the list: it gets no more requests."""
    server = remove_server(store, WHO, asked.name)
    return CommandAnswer(
        _document(server), f"{server.name}: {server.address} gets no more requests"
    )


def _document(server: ListedServer) -> dict[str, Any]:
    """A server as --json prints it: `key_set` says whether its key is there, None = it has none."""
    variable = server.key_variable
    return {
        "name": server.name,
        "address": server.address,
        "key_variable": variable,
        "key_set": bool(os.environ.get(variable, "").strip()) if variable else None,
    }


VERBS = {
    "list": Command(list_servers, "list them", reads=None, request=NoOptions),
    "add": Command(add, "add one", reads=None, request=AddServerRequest),
    "remove": Command(remove, "remove one", reads=None, request=RemoveRequest),
}
COMMANDS = {"servers": Verbs(VERBS)}
