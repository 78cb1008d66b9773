"""The command about servers: which may be asked on the pages and by the worker, with which key."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from core.cli.command import Command
from core.cli.options import WHO, Part
from core.cli.output import Answer, table
from core.cli.settings import add_settings
from core.judging import ListedServer, ServerList, add_server, remove_server
from core.records import TandemError
from core.settings import declare, list_given
from core.store import Store


@dataclass(frozen=True)
class ServersRequest:
    """What is done about which server; `words` are its name, and of "add" its URL."""

    verb: str
    words: tuple[str, ...] = ()
    key_variable: str = declare(
        "", "the environment variable with the key that this address is sent", metavar="VARIABLE"
    )


def servers(store: Store, asked: ServersRequest) -> Answer:
    """Raises TandemError for more or fewer words behind the verb than it takes."""
    answer, wanted = VERBS[asked.verb]
    if len(asked.words) != len(wanted):
        takes = " ".join(wanted) or "no further words"
        raise TandemError(f"servers {asked.verb} takes {takes}: {len(asked.words)} were given")
    return answer(store, *asked.words, **list_given(asked))


def _list(store: Store) -> Answer:
    rows = [_document(server) for server in ServerList(store.path).servers()]
    text = table(pd.DataFrame(rows)) if rows else "No server is listed: add one."
    return Answer({"servers": rows}, text)


def _add(store: Store, name: str, address: str, key_variable: str = "") -> Answer:
    server = add_server(store, WHO, name, address, key_variable=key_variable)
    sent = f"the key in {server.key_variable}" if server.key_variable else "no key"
    text = f"{server.name}: {server.address} may be asked, and is sent {sent}"
    return Answer(_document(server), text)


def _remove(store: Store, name: str) -> Answer:
    server = remove_server(store, WHO, name)
    return Answer(_document(server), f"{server.name}: {server.address} is asked nothing more")


VERBS: dict[str, tuple[Callable[..., Answer], tuple[str, ...]]] = {
    "list": (_list, ()),
    "add": (_add, ("NAME", "URL")),
    "remove": (_remove, ("NAME",)),
}
"""What each verb does, and the words it takes."""


def _document(server: ListedServer) -> dict[str, Any]:
    """A server as --json prints it: `key_set` says whether its key is there, None = it has none."""
    variable = server.key_variable
    return {
        "name": server.name,
        "address": server.address,
        "key_variable": variable,
        "key_set": bool(os.environ.get(variable, "").strip()) if variable else None,
    }


def _options(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("verb", choices=tuple(VERBS), metavar="VERB", help="what to do")
    sub.add_argument("words", nargs="*", metavar="NAME", help="its name; of add also its URL")
    part = Part(sub, "add", lambda asked: asked.verb == "add", "verb")
    add_settings(part.add, ServersRequest, "key_variable")


COMMANDS = {
    "servers": Command(
        servers,
        "list, add and remove the servers that pages and worker may ask",
        _options,
        reads=None,
        request=ServersRequest,
    )
}
