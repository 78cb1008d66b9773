"""The list of servers that a study may ask, each with the key it is sent.

The list is a file beside the store, so that no store, backup or archive brings servers along. It
holds names, addresses and names of variables, and never a key. A key is paired with an address by
who has it: the file proves that by a slow hash of both, which nobody else can compute.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from hashlib import scrypt
from hmac import compare_digest
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from ..models import KEY, KeyUse, unlisted_server_error
from ..models.served import OFFICIAL, PROVIDERS, address, checked_url
from ..records import FaultError, TandemError
from ..store import Store
from ..whole_files import atomic_write

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(KEY|TOKEN)")
LONGEST_NAME = 80
PUBLIC = {row.base_url for row in PROVIDERS.values() if row.hosts and row.base_url}
"""Addresses of providers, which are known to be of the internet."""


@dataclass(frozen=True)
class ListedServer:
    """A server by its name and address. `key_variable` is the variable of the environment that has
    its key ('' = it is sent none), `proof` a salted hash of that key and the address.
    """

    name: str
    address: str
    key_variable: str = ""
    proof: str = ""


class ServerList:
    """The servers that the study of a store may ask. The file is read again when it has changed, so
    that a server that was removed is asked nothing more.
    """

    def __init__(self, store: Path) -> None:
        self.path = Path(f"{os.path.realpath(store)}.servers.json")
        self._read: tuple[tuple[int, int, int], tuple[ListedServer, ...]] | None = None

    def servers(self) -> tuple[ListedServer, ...]:
        """Return all servers of the list, in the order of their names.

        Raises TandemError for a file that is no list, FaultError for one that cannot be read.
        """
        try:
            stat = self.path.stat()
            stamp = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
            if self._read is None or self._read[0] != stamp:
                servers = tuple(
                    ListedServer(**one) for one in json.loads(self.path.read_bytes())["servers"]
                )
                if not all(
                    isinstance(value, str) for one in servers for value in vars(one).values()
                ):
                    raise ValueError("no text")
                self._read = stamp, servers
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise FaultError(
                f"the list of servers {self.path} cannot be read ({error.strerror}): check the file"
            ) from error
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise TandemError(
                f"the list of servers {self.path} is damaged: delete it, and list the servers again"
            ) from error
        return self._read[1]

    def find(self, url: str) -> ListedServer | None:
        """Return the listed server at exactly this address, if there is one."""
        wanted = _canonical(url)
        return next((one for one in self.servers() if one.address == wanted), None)

    def permit(self, url: str) -> KeyUse:
        """Return the key to send to the server at an address.

        Raises TandemError for a server that is not listed, and where the key is not the one that
        was paired with it.
        """
        server = self.find(url)
        if server is None:
            raise unlisted_server_error(url)
        if server.key_variable:
            _check_pairing(server)
        return KeyUse(server.key_variable, self._variables, is_paired=True)

    def permit_by_hand(self, url: str) -> KeyUse:
        """Return the key for a server that somebody names on the command line.

        A listed server gets its own key. Any other gets the one in OPENAI_API_KEY, which people on
        the command line have anyway.
        """
        if self.find(url) is not None:
            return self.permit(url)
        return KeyUse(KEY, self._variables)

    @property
    def _variables(self) -> tuple[str, ...]:
        return tuple({one.key_variable for one in self.servers()} - {""})

    def write(self, servers: list[ListedServer]) -> None:
        """Replace the list. Raises FaultError or TandemError where that cannot be."""
        text = json.dumps({"servers": [asdict(one) for one in servers]}, indent=1)
        with atomic_write(self.path) as part:
            part.touch(mode=0o600)
            part.write_text(text + "\n", encoding="utf-8")


def add_server(
    store: Store, who: str, name: str, url: str, *, key_variable: str = "", inside: bool = True
) -> ListedServer:
    """Add a server to the list of a store, or update its name or key; the audit log has it.

    An empty name is taken from the address. If `key_variable` is empty, the server is sent no key
    or the one that is paired with it; OpenAI's is OPENAI_API_KEY. `inside` allows addresses that
    only this machine and its network can reach.

    Raises TandemError for an invalid name, address or variable, and for a name that is taken.
    """
    url = _checked_address(url)
    if not inside and url not in PUBLIC:
        _check_public(url)
    name = " ".join(name.split()) or address(url)
    if not name.isprintable() or len(name) > LONGEST_NAME:
        raise TandemError(f"please give the server a name of 1 to {LONGEST_NAME} letters or signs")
    server = ListedServer(name, url)
    if key_variable:
        server = _pair_key(replace(server, key_variable=key_variable))
    elif url == OFFICIAL:
        server = replace(server, key_variable=KEY)
    with _changed_list(store) as servers:
        if before := servers.pop(url, None):
            kept = not key_variable and before.key_variable
            server = replace(before, name=server.name) if kept else server
        if any(one.name == server.name for one in servers.values()):
            raise TandemError(
                f"another server is called {server.name!r}: remove it, or take another name"
            )
        servers[url] = server
        details = {"address": url, "key_variable": server.key_variable}
        store.audit.add(who, "listed server", server.name, **details)
    return server


def remove_server(store: Store, who: str, name: str) -> ListedServer:
    """Take a server off the list of a store; nothing more is sent there. Raises TandemError when
    none is called so.
    """
    with _changed_list(store) as servers:
        removed = next((one for one in servers.values() if one.name == name), None)
        if removed is None:
            listed = ", ".join(one.name for one in servers.values()) or "none"
            raise TandemError(f"no server is called {name!r}; there are: {listed}")
        del servers[removed.address]
        store.audit.add(who, "removed server", name, address=removed.address)
    return removed


@contextmanager
def _changed_list(store: Store) -> Iterator[dict[str, ListedServer]]:
    """The servers of the list by their addresses, written back when the body ends, while nobody
    else changes it; list and audit log change together or not at all.
    """
    listed = ServerList(store.path)
    before = None
    try:
        with store.transaction(durable=True):
            there = listed.servers()
            servers = {one.address: one for one in there}
            yield servers
            before = list(there)
            listed.write(sorted(servers.values(), key=lambda one: one.name.casefold()))
    except BaseException:
        if before is not None and listed.servers() != tuple(before):
            listed.write(before)
        raise


def _checked_address(url: str) -> str:
    """Return an address in the form that the list has. Raises TandemError for an invalid one."""
    if not url.strip():
        raise TandemError(f"the address is empty: give one, such as {OFFICIAL}")
    return _canonical(checked_url(url, "the address") or OFFICIAL)


def _canonical(url: str) -> str:
    """Return an address with its scheme and host in lower case, as case does not matter there."""
    parts = urlsplit(url)
    return parts._replace(scheme=parts.scheme.lower(), netloc=parts.netloc.lower()).geturl()


def _check_public(url: str) -> None:
    """Check that an address is not one of this machine, or of a network that only it can reach.

    Raises TandemError otherwise.
    """
    host = urlsplit(url).hostname or ""
    try:
        found = {str(one[4][0]) for one in socket.getaddrinfo(host, None)}
    except (OSError, UnicodeError):
        found = set()
    if not found or not all(ip_address(one.partition("%")[0]).is_global for one in found):
        raise TandemError(
            f"{url} is not an address of the internet: list it at this machine, or run `servers "
            "add` there"
        )


def _pair_key(server: ListedServer) -> ListedServer:
    """Return the server with a proof that its address was named by somebody who has the key.

    Raises TandemError for a variable without one.
    """
    if _is_given(server):
        return server
    key, salt = _read_key(server.key_variable), secrets.token_hex(16)
    return replace(server, proof=f"{salt}-{_slow_hash(salt, server.address, key)}")


def _read_key(variable: str) -> str:
    if not VARIABLE.fullmatch(variable):
        raise TandemError(
            f"{variable[:60]!r} is not a variable for a key: its name ends in KEY or TOKEN, as "
            "in GPU_API_KEY"
        )
    key = os.environ.get(variable, "").strip()
    if not key:
        raise TandemError(f"{variable} is not set: export the key, and start again with it")
    return key


def _is_given(server: ListedServer) -> bool:
    """Return whether the key belongs to the address by its name, as OpenAI's does."""
    return server.address == OFFICIAL and server.key_variable == KEY


def _check_pairing(server: ListedServer) -> None:
    """Check that the current key was paired with this address by somebody who had the key.

    The author of the file may not have had it. Raises TandemError otherwise.
    """
    if not _is_given(server) and not _is_proved(server, _read_key(server.key_variable)):
        raise TandemError(
            f"the key in {server.key_variable} was not paired with {server.address}, so nothing "
            f"was sent: `servers add {server.name} {server.address} --key-variable "
            f"{server.key_variable}` pairs it"
        )


@lru_cache(64)
def _is_proved(server: ListedServer, key: str) -> bool:
    salt, _, digest = server.proof.partition("-")
    return compare_digest(digest.encode(), _slow_hash(salt, server.address, key).encode())


def _slow_hash(salt: str, url: str, key: str) -> str:
    """Return a hash that takes so long that nobody tries out keys by it."""
    salted = f"{salt} {url}".encode()
    return scrypt(key.encode(), salt=salted, n=2**15, r=8, p=1, maxmem=2**26, dklen=32).hex()
